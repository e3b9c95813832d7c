"""Adams-Bashforth-Moulton, predict-evaluate-correct-evaluate, of variable order (1 to 12) and variable step.

Haug 7.4 in modified divided differences: Shampine and Gordon, Computer Solution of Ordinary Differential Equations (1975).
With the step h to t_{n+1} and psi_i(n+1) = t_{n+1} - t_{n+1-i},

    alpha_i = h / psi_i(n+1),  beta_i = beta_{i-1} psi_{i-1}(n+1) / psi_{i-1}(n),  sigma_{i+1} = i alpha_i sigma_i
    phi_i(n) = psi_1(n) ... psi_{i-1}(n) f[t_n, ..., t_{n+1-i}]
    P  p = y_n + h sum_{i<=k} g_i beta_i phi_i(n)      C  y_{n+1} = p + h g_{k+1} (f(p) - the predicted derivative)

It starts itself at order one with small steps. A projection is applied to the corrected state before the last evaluation,
so the differences belong to the projected state and nothing is restarted. See `stepping` for the arguments.

Memory, in rows of n after the first three: phi (0 ... 13), phi extrapolated (14 ... 27), p (28), f(p) - phi_1 (29), f (30),
the new state (31), spare (32, 33); then short columns of 16 for what depends on the steps alone.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from linkwright.compile import Array, copy, f64, i64, isfinite, native, outlined, power, seldom, sqrt
from linkwright.solve import stepping as s

HIGHEST = 12
ROWS_OF_N, COLUMNS = 37, 9
# The method's own registers of `count`: equal steps so far, start-up phase, order of the last step, failures of this step.
EQUAL, RISING, K_LAST = 32, 33, 34
# The short columns.
PAST, PSI, ALPHA, BETA_I, SIGMA, G, W, V = 0, 16, 32, 48, 64, 80, 96, 112


def bashforth(count: int) -> list[Fraction]:
    """gamma_i of Adams-Bashforth (Haug 7.4.11): sum_{j<=i} gamma_j/(i - j + 1) = 1."""
    gamma: list[Fraction] = []
    for i in range(count):
        gamma.append(1 - sum((g / (i - j + 1) for j, g in enumerate(gamma)), Fraction(0)))
    return gamma


def moulton(count: int) -> list[Fraction]:
    """gamma*_i of Adams-Moulton (Haug 7.4.15): differences of gamma_i."""
    gamma = bashforth(count)
    return [gamma[0], *[b - a for a, b in pairwise(gamma)]]


def constants() -> np.ndarray:
    """|gamma*_i|, which measure the errors of each order."""
    return np.array([abs(float(g)) for g in moulton(HIGHEST + 2)])


def room(n: int) -> int:
    return ROWS_OF_N * n + 16 * COLUMNS


@seldom
def begin(ode: s.Ode) -> i64:
    """phi_1 = f, order one, a step whose error of order one is small: start-up errors stay for ever (Haug 7.4)."""
    n = ode.n
    phi = ode.work[3 * n :]
    if not s.evaluate(ode, ode.real[s.T], ode.y, phi):
        return s.NOT_FINITE
    if ode.real[s.H] == 0.0:
        ode.real[s.H] = s.first_step(ode, phi, phi[32 * n :])
        size = s.error_norm(n, phi, ode.y, ode.y, ode.tol)
        if size > 0.0:
            ode.real[s.H] = min(ode.real[s.H], 0.25 * sqrt(1.0 / size))
    ode.count[s.ORDER] = 1
    ode.count[EQUAL] = 0
    ode.count[RISING] = 1
    ode.count[K_LAST] = 0
    return s.FINE


@native
def coefficients(k: i64, h: f64, c: Array) -> None:
    """psi, alpha, beta, sigma, g of a step h; columns are numbered from 1 as in the book."""
    c[PSI + 1] = h
    for i in range(2, k + 1):
        c[PSI + i] = c[PSI + i - 1] + c[PAST + i - 2]
    c[BETA_I + 1] = 1.0
    c[SIGMA + 1] = 1.0
    for i in range(1, k + 1):
        c[ALPHA + i] = h / c[PSI + i]
        c[SIGMA + i + 1] = i * c[ALPHA + i] * c[SIGMA + i]
        if i > 1:
            c[BETA_I + i] = c[BETA_I + i - 1] * c[PSI + i - 1] / (c[PSI + i] - h)
    c[G + 1] = 1.0
    for q in range(1, k + 1):
        c[W + q] = 1.0 / (q * (q + 1))
    c[G + 2] = c[W + 1]
    for i in range(3, k + 2):
        for q in range(1, k + 3 - i):
            c[W + q] -= c[ALPHA + i - 1] * c[W + q + 1]
        c[G + i] = c[W + 1]


@native
def predict(n: i64, k: i64, h: f64, y: Array, work: Array, c: Array) -> None:
    """p, and the differences extrapolated to the new time."""
    phi = work[3 * n :]
    far = phi[14 * n :]
    p = phi[28 * n :]
    for i in range(n):
        p[i] = 0.0
        far[k * n + i] = 0.0
    for m in range(k, 0, -1):
        g = c[G + m]
        beta = c[BETA_I + m]
        for i in range(n):
            x = beta * phi[(m - 1) * n + i]
            p[i] += g * x
            far[(m - 1) * n + i] = far[m * n + i] + x
    for i in range(n):
        p[i] = y[i] + h * p[i]


@native
def lower_error(n: i64, row: i64, y: Array, tol: Array, work: Array) -> f64:
    """|phi_row extrapolated + Delta|: the difference that measures the error of a lower order."""
    phi = work[3 * n :]
    spare = phi[32 * n :]
    for i in range(n):
        spare[i] = phi[(13 + row) * n + i] + phi[29 * n + i]
    return s.error_norm(n, spare, y, y, tol)  # type: ignore[no-any-return]


@native
def advance(ode: s.Ode, k: i64, h: f64, t: f64, c: Array) -> i64:
    """Correct, project, evaluate."""
    n = ode.n
    phi = ode.work[3 * n :]
    new = phi[31 * n :]
    for i in range(n):
        new[i] = phi[28 * n + i] + h * c[G + k + 1] * phi[29 * n + i]
    if not s.settle(ode, t, new):
        return s.PROJECTION
    if not s.evaluate(ode, t, new, phi[30 * n :]):
        return s.NOT_FINITE
    return s.FINE


@native
def renew(n: i64, k: i64, work: Array) -> None:
    """phi_i(n+1); the spare row becomes phi_{k+2}(n+1), right after k+1 equal steps."""
    phi = work[3 * n :]
    for i in range(n):
        last = phi[30 * n + i] - phi[14 * n + i]
        phi[32 * n + i] = last - phi[k * n + i]
        phi[k * n + i] = last
        for m in range(k):
            phi[m * n + i] = phi[(14 + m) * n + i] + last


@outlined
def step(ode: s.Ode) -> i64:
    """Take one accepted step, and choose the order and the length of the next."""
    n = ode.n
    phi = ode.work[3 * n :]
    c = ode.work[ROWS_OF_N * n :]
    h = ode.real[s.H]
    failures = 0
    why = s.UNDERFLOW
    while True:
        h = s.clip_step(h, ode.real)
        if abs(h) < s.least_step(ode.real):
            return why
        t = s.moved(ode.real, h)
        k = ode.count[s.ORDER]
        if h != c[PAST] or failures > 0:
            ode.count[EQUAL] = 0
        if ode.count[EQUAL] <= ode.count[K_LAST]:
            ode.count[EQUAL] += 1
        coefficients(k, h, c)
        predict(n, k, h, ode.y, ode.work, c)
        why = s.FINE if s.evaluate(ode, t, phi[28 * n :], phi[30 * n :]) else s.NOT_FINITE
        error = 2.0
        erk = 0.0
        erkm1 = 0.0
        fewer = k
        if why == s.FINE:
            for i in range(n):
                phi[29 * n + i] = phi[30 * n + i] - phi[14 * n + i]
            size = abs(h) * s.error_norm(n, phi[29 * n :], ode.y, ode.y, ode.tol)
            error = abs(c[G + k] - c[G + k + 1]) * size
            erk = c[SIGMA + k + 1] * ode.coef[k] * size
            if k >= 2:
                erkm1 = abs(h) * c[SIGMA + k] * ode.coef[k - 1] * lower_error(n, k, ode.y, ode.tol, ode.work)
            if k > 2:
                erkm2 = abs(h) * c[SIGMA + k - 1] * ode.coef[k - 2] * lower_error(n, k - 1, ode.y, ode.tol, ode.work)
                if max(erkm1, erkm2) <= erk:
                    fewer = k - 1
            elif k == 2 and erkm1 <= 0.5 * erk:
                fewer = 1
            if not isfinite(error):
                why = s.NOT_FINITE
        if why == s.FINE and error <= 1.0:
            why = advance(ode, k, h, t, c)
            if why == s.FINE:
                renew(n, k, ode.work)
                for m in range(13, 0, -1):
                    c[PAST + m] = c[PAST + m - 1]
                c[PAST] = h
                s.accept(n, ode.y, phi[31 * n :], t, h, ode.real, ode.count, ode.work)
                choose(ode, k, fewer, h, erk, erkm1)
                return s.FINE
        failures += 1
        ode.count[s.REJECTED] += 1
        ode.count[RISING] = 0
        factor = 0.5
        if why != s.FINE:
            factor = 0.25
            fewer = 1
        else:
            why = s.UNDERFLOW
            if failures >= 3:
                fewer = 1
            if failures > 3 and 0.25 * erk > 0.5:
                factor = sqrt(0.5 / erk)
        ode.count[s.ORDER] = fewer
        h *= factor


@outlined
def choose(ode: s.Ode, k: i64, fewer: i64, h: f64, erk: f64, erkm1: f64) -> None:
    """Order and step of the next step: the order whose error would be least, a step that halves or doubles rarely."""
    ode.count[K_LAST] = k
    if fewer < k or k == HIGHEST:
        ode.count[RISING] = 0
    order = k
    error = erk
    if ode.count[RISING]:
        order = k + 1
        error = 0.0
    elif fewer < k:
        order = k - 1
        error = erkm1
    elif k + 1 <= ode.count[EQUAL] and k < HIGHEST:
        erkp1 = abs(h) * ode.coef[k + 1] * s.error_norm(ode.n, ode.work[35 * ode.n :], ode.y, ode.y, ode.tol)
        if k > 1 and erkm1 <= min(erk, erkp1):
            order = k - 1
            error = erkm1
        elif erkp1 < (erk if k > 1 else 0.5 * erk):
            order = k + 1
            error = erkp1
    elif k + 1 <= ode.count[EQUAL] and erkm1 <= erk:
        order = k - 1
        error = erkm1
    ode.count[s.ORDER] = order
    factor = 1.0
    if ode.count[RISING] or error * power(2.0, order + 1.0) <= 0.5:
        factor = 2.0
    elif error > 0.5:
        factor = max(0.5, min(0.9, power(0.5 / error, 1.0 / (order + 1.0))))
    ode.real[s.H] = abs(h) * factor


@native
def interpolate(ode: s.Ode, theta: f64, result: Array) -> None:
    """The integral of the polynomial through f at the last k + 1 points, from the new state back.

    Of order k + 1. Each step has its own polynomial; the corrections of the interpolant join them.
    """
    n = ode.n
    phi = ode.work[3 * n :]
    new = phi[31 * n :]
    c = ode.work[ROWS_OF_N * n :]
    h = (theta - 1.0) * ode.real[s.H_LAST]
    order = ode.count[K_LAST] + 1
    copy(n, phi, result)
    for q in range(1, order + 1):
        c[V + q] = 1.0 / q
    for j in range(2, order + 1):
        before = c[PSI + j - 2] if j > 2 else 0.0
        ratio = (h + before) / c[PSI + j - 1]
        eta = h / c[PSI + j - 1]
        for q in range(1, order + 2 - j):
            c[V + q] = ratio * c[V + q] - eta * c[V + q + 1]
        g = c[V + 1]
        for i in range(n):
            result[i] += g * phi[(j - 1) * n + i]
    for i in range(n):
        result[i] = new[i] + h * result[i]
