"""Radau IIA of order 5 with step control, for stiff problems: simplified Newton with dense factors.

Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8. The collocation equations for Z (the stages less y) are
transformed by T, which splits the inverse of the method's matrix into a real eigenvalue and a complex pair. See `stepping`
for the arguments; jac gives df/dy by rows, and where there is none it is formed by differences.

Memory after the first three rows: f (0), new (1), Z (2-4), W (5-7), F (8-10), the interpolant (11-13), Z of the guess
(14-16), right sides (17-19), error (20), scale (21), spare (22), rounding of a step (23) and of f (24); then J, the real
factors, real and imaginary parts of the complex ones (n n each).
"""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.compile import Array, Ints, f64, i64, isfinite, native, outlined, power, seldom, sqrt
from linkwright.solve import radau_factors as radau
from linkwright.solve import stepping as s
from linkwright.solve.dense import complex_lu_solve
from linkwright.solve.outside import OUTSIDE, PAIR, ask_solution
from linkwright.solve.radau_factors import beyond, roughness, rounding

RATE = 16
NEWTON = 6


def constants() -> np.ndarray:
    """C (3), E (3), the eigenvalues (1 real; real and imaginary part), T (9), T^-1 (9), the interpolant's P (9)."""
    root = np.sqrt(6.0)
    nodes = np.array([(4 - root) / 10, (4 + root) / 10, 1.0])
    error = np.array([-13 - 7 * root, -13 + 7 * root, -1]) / 3
    third = 3.0 ** (1 / 3)
    mu = np.array(
        [3 + third**2 - third, 3 + 0.5 * (third - third**2), -0.5 * (3 ** (5 / 6) + 3 ** (7 / 6))]
    )  # fmt: skip
    A = np.array(
        [
            [(88 - 7 * root) / 360, (296 - 169 * root) / 1800, (-2 + 3 * root) / 225],
            [(296 + 169 * root) / 1800, (88 + 7 * root) / 360, (-2 - 3 * root) / 225],
            [(16 - root) / 36, (16 + root) / 36, 1 / 9],
        ]
    )
    # Columns of T: the real eigenvector of A^-1, then real and imaginary part of the complex one; last entries 1, 1, 0.
    values, vectors = linear.eig(linear.inv(A))
    real = vectors[:, np.argmin(np.abs(values.imag))].real
    pair = vectors[:, np.argmax(values.imag)]
    pair = pair / pair[2]
    transform = np.column_stack([real / real[2], pair.real, pair.imag])
    interpolant = np.array(
        [
            [13 / 3 + 7 * root / 3, -23 / 3 - 22 * root / 3, 10 / 3 + 5 * root],
            [13 / 3 - 7 * root / 3, -23 / 3 + 22 * root / 3, 10 / 3 - 5 * root],
            [1 / 3, -8 / 3, 10 / 3],
        ]
    )
    return np.concatenate([nodes, error, mu, transform.ravel(), linear.inv(transform).ravel(), interpolant.ravel()])


def room(n: int, outside: bool = False) -> int:
    """`outside`: the matrices are not here."""
    return radau.ROWS_OF_N * n + (0 if outside else 4 * n * n) + 8


@seldom
def begin(ode: s.Ode) -> i64:
    """f and df/dy at the start, and the first step where none is given."""
    n = ode.n
    rows = ode.work[3 * n :]
    if not s.evaluate(ode, ode.real[s.T], ode.y, rows):
        return s.NOT_FINITE
    if ode.real[s.H] == 0.0:
        ode.real[s.H] = s.first_step(ode, rows, rows[20 * n :])
    for i in range(n):
        rows[24 * n + i] = 0.0
    radau.jacobian(ode)
    ode.count[radau.HAVE_FACTORS] = 0
    ode.count[radau.FRESH_J] = 1
    ode.count[radau.HAVE_SOL] = 0
    ode.count[radau.HAVE_OLD] = 0
    return s.FINE


@outlined
def transform(n: i64, matrix: Array, x: Array, result: Array) -> None:
    """result = (matrix x I) x, of three rows of n."""
    for i in range(n):
        a = x[i]
        b = x[n + i]
        c = x[2 * n + i]
        for m in range(3):
            result[m * n + i] = matrix[3 * m] * a + matrix[3 * m + 1] * b + matrix[3 * m + 2] * c


@outlined
def newton(ode: s.Ode, h: f64) -> i64:
    """The stages, from the guess in Z. FINE, NO_CONVERGENCE or NOT_FINITE; sets ITERATIONS and RATE."""
    n = ode.n
    rows = ode.work[3 * n :]
    Z = rows[2 * n :]
    W = rows[5 * n :]
    F = rows[8 * n :]
    right = rows[17 * n :]
    state = rows[22 * n :]
    noise = rows[23 * n :]
    R = ode.work[radau.ROWS_OF_N * n + n * n :]
    transform(n, ode.coef[radau.TI :], Z, W)
    last = -1.0
    ode.real[RATE] = 0.0
    for iteration in range(NEWTON):
        ode.count[radau.ITERATIONS] = iteration + 1
        for m in range(3):
            for i in range(n):
                state[i] = ode.y[i] + Z[m * n + i]
            if not s.evaluate(ode, ode.real[s.T] + ode.coef[radau.C + m] * h, state, F[m * n :]):
                return s.NOT_FINITE
        transform(n, ode.coef[radau.TI :], F, right)
        a = ode.coef[radau.MU + 1] / h
        b = ode.coef[radau.MU + 2] / h
        for i in range(n):
            right[i] -= ode.coef[radau.MU] / h * W[i]
            right[n + i] -= a * W[n + i] - b * W[2 * n + i]
            right[2 * n + i] -= a * W[2 * n + i] + b * W[n + i]
        radau.solve_real(ode, right)
        if ode.count[s.JACOBIAN] == OUTSIDE:
            ask_solution(ode.jac, ode.ins, ode.jouts, PAIR, n, right[n:], right[2 * n :])
        else:
            complex_lu_solve(n, R[n * n :], R[2 * n * n :], ode.pivots[n:], right[n:], right[2 * n :])
        size = 0.0
        for m in range(3):
            for i in range(n):
                size += (beyond(right[m * n + i], noise[i]) / s.scale_of(n, i, abs(ode.y[i]), ode.tol)) ** 2
        size = sqrt(size / (3.0 * n))
        if not isfinite(size):
            return s.NOT_FINITE
        rate = -1.0
        if last >= 0.0:
            rate = size / last if last > 0.0 else 0.0
            ode.real[RATE] = rate
            if rate >= 1.0 or power(rate, float(NEWTON - iteration)) / (1.0 - rate) * size > ode.real[s.OPTION]:
                return s.NO_CONVERGENCE
        for i in range(3 * n):
            W[i] += right[i]
        transform(n, ode.coef[radau.TT :], W, Z)
        if size == 0.0 or (rate >= 0.0 and rate / (1.0 - rate) * size < ode.real[s.OPTION]):
            return s.FINE
        last = size
    return s.NO_CONVERGENCE


@outlined
def guess(n: i64, h: f64, y: Array, real: Array, count: Ints, coef: Array, work: Array) -> None:
    """Z from the interpolant of the last step, continued; zero at first."""
    rows = work[3 * n :]
    Z = rows[2 * n :]
    Q = rows[11 * n :]
    for m in range(3):
        x = 1.0 + coef[radau.C + m] * h / real[s.H_LAST] if count[radau.HAVE_SOL] else 0.0
        for i in range(n):
            if count[radau.HAVE_SOL]:
                Z[m * n + i] = work[i] + x * (Q[i] + x * (Q[n + i] + x * Q[2 * n + i])) - y[i]
            else:
                Z[m * n + i] = 0.0


@outlined
def estimate(ode: s.Ode, h: f64, at: Array) -> None:
    """The error of the step: (mu/h - J)^-1 (f + E Z / h), f at (t, y) or at a better point."""
    n = ode.n
    rows = ode.work[3 * n :]
    Z = rows[2 * n :]
    error = rows[20 * n :]
    for i in range(n):
        total = 0.0
        for m in range(3):
            total += ode.coef[radau.E + m] * Z[m * n + i]
        error[i] = at[i] + total / h
    radau.solve_real(ode, error)
    for i in range(n):
        error[i] = beyond(error[i], rows[23 * n + i])


@native
def predicted(h: f64, error: f64, real: Array, count: Ints) -> f64:
    """The factor by which the step may change, from this error and the last (Gustafsson; Hairer and Wanner II, IV.8)."""
    factor = 1.0
    if count[radau.HAVE_OLD] and error > 0.0:
        factor = min(1.0, abs(h) / real[s.H_OLD] * power(real[s.ERROR_OLD] / error, 0.25))
    return factor * power(max(error, 1e-12), -0.25)


@outlined
def collocate(ode: s.Ode, h: f64) -> i64:
    """The stages, with the factors at hand; with a fresh Jacobian where those do not do."""
    for _ in range(2):
        guess(ode.n, h, ode.y, ode.real, ode.count, ode.coef, ode.work)
        why = s.FINE
        if ode.count[radau.HAVE_FACTORS] == 0:
            why = radau.factor(ode, h)
            ode.count[radau.HAVE_FACTORS] = 1
            if why == s.FINE:
                rounding(ode)
        if why == s.FINE:
            why = newton(ode, h)
        if why == s.FINE or ode.count[radau.FRESH_J]:
            return why
        radau.jacobian(ode)
        ode.count[radau.FRESH_J] = 1
        ode.count[radau.HAVE_FACTORS] = 0
    return s.NO_CONVERGENCE


@outlined
def step(ode: s.Ode) -> i64:
    """Take one accepted step, and choose the length of the next; the factors are kept while the step does not change."""
    n = ode.n
    rows = ode.work[3 * n :]
    new = rows[n:]
    Z = rows[2 * n :]
    error = rows[20 * n :]
    h = ode.real[s.H]
    rejected = 0
    why = s.UNDERFLOW
    while True:
        size = abs(h)
        h = s.clip_step(h, ode.real)
        if abs(h) != size and abs(abs(h) - size) > 1e-12 * size:
            ode.count[radau.HAVE_FACTORS] = 0
            ode.count[radau.HAVE_OLD] = 0
        if abs(h) < s.least_step(ode.real):
            return why
        t = s.moved(ode.real, h)
        why = collocate(ode, h)
        if why == s.FINE:
            for i in range(n):
                new[i] = ode.y[i] + Z[2 * n + i]
            estimate(ode, h, rows)
            size = s.error_norm(n, error, ode.y, new, ode.tol)
            safety = 0.9 * (2 * NEWTON + 1) / (2 * NEWTON + ode.count[radau.ITERATIONS])
            if rejected and size > 1.0:
                for i in range(n):
                    rows[21 * n + i] = ode.y[i] + error[i]
                if s.evaluate(ode, ode.real[s.T], rows[21 * n :], rows[22 * n :]):
                    estimate(ode, h, rows[22 * n :])
                    size = s.error_norm(n, error, ode.y, new, ode.tol)
            if not isfinite(size):
                why = s.NOT_FINITE
            elif size > 1.0:
                h *= max(ode.real[s.LEAST], safety * predicted(h, size, ode.real, ode.count))
                why = s.UNDERFLOW
                rejected = 1
            elif s.settle(ode, t, new) == 0:
                why = s.PROJECTION
            elif s.evaluate(ode, t, new, rows[22 * n :]) == 0:
                why = s.NOT_FINITE
            else:
                if s.error_norm(n, ode.work[26 * n :], ode.y, new, ode.tol) > 1.0:
                    ode.count[s.ROUNDED] += 1
                finish(ode, h, t, size, safety)
                return s.FINE
        if why != s.UNDERFLOW:
            h *= 0.5
        if why != s.NOT_FINITE:
            roughness(ode)
        ode.count[s.REJECTED] += 1
        ode.count[radau.HAVE_FACTORS] = 0


@outlined
def finish(ode: s.Ode, h: f64, t: f64, error: f64, safety: f64) -> None:
    """Take the step over: state, derivative (spare row), interpolant, the next step, a new Jacobian if Newton was slow."""
    n = ode.n
    rows = ode.work[3 * n :]
    Q = rows[11 * n :]
    for i in range(n):
        for m in range(3):
            total = 0.0
            for j in range(3):
                total += ode.coef[radau.P + 3 * j + m] * rows[(2 + j) * n + i]
            Q[m * n + i] = total
        rows[i] = rows[22 * n + i]
    slow = ode.count[radau.ITERATIONS] > 2 and ode.real[RATE] > 1e-3
    change = min(ode.real[s.MOST], safety * predicted(h, error, ode.real, ode.count))
    if not slow and change < 1.2:
        change = 1.0
    else:
        ode.count[radau.HAVE_FACTORS] = 0
    ode.real[s.H_OLD] = abs(h)
    ode.real[s.ERROR_OLD] = max(error, 1e-2)  # an error of nothing says nothing of the next
    ode.count[radau.HAVE_OLD] = 1
    s.accept(n, ode.y, rows[n:], t, h, ode.real, ode.count, ode.work)
    ode.count[radau.HAVE_SOL] = 1
    ode.count[radau.FRESH_J] = 0
    ode.real[s.H] = abs(h) * change
    if slow:
        radau.jacobian(ode)
        ode.count[radau.FRESH_J] = 1


@outlined
def interpolate(ode: s.Ode, theta: f64, result: Array) -> None:
    """The collocation polynomial, a cubic.

    Steps of a smooth stiff solution are long, and within them its error is not controlled: max_step bounds it.
    """
    n = ode.n
    Q = ode.work[14 * n :]
    for i in range(n):
        result[i] = ode.work[i] + theta * (Q[i] + theta * (Q[n + i] + theta * Q[2 * n + i]))
