"""Explicit Runge-Kutta methods: Dormand-Prince 5(4) and 8(5, 3) with step control, the classical one with fixed steps.

The derivative at the new point is the first stage of the next step. A projection is applied to the new point before that
derivative is taken, so that it costs no further evaluation. See `stepping` for the arguments.

Memory, in rows of n after the first three: the stages (0 ... 15; row STAGES is the derivative at the new point), the new
state (16), the state of the last stage (17), the interpolant of order 7 (18 ... 24).
"""

from __future__ import annotations

from linkwright.compile import Array, Ints, copy, f64, i64, isfinite, native, outlined, power, seldom, sqrt
from linkwright.solve import stepping as s
from linkwright.solve.tableaus import DOP853_STAGES, DOPRI5_STAGES

ROOM = 28  # rows of n numbers
# Where |h| times the size of df/dy exceeds this, stability and not accuracy rules the step (Hairer and Wanner II, IV.2).
STIFF_DOPRI5, STIFF_DOP853 = 3.25, 6.1
# A step of DOP853 of which that is so, and one twice as long as the last, is judged also by what its interpolant misses the
# last of its stages by, in tolerances: a fast mode that has decayed to A grows to 3e8 A within a step of |h| df/dy = 24, of
# which 1.6e5 A is left in the estimate of the error. Steps that accuracy rules mostly stay below ten, where a planet passes
# its sun below 50.
WITHIN_BY = 50.0
WITHIN_LEAST = 0.1  # of that: by less the next step does not depend on it, for short steps may be judged by rounding
LOOKS = 2  # rejections of a step by that: where stages come near to a singular position the interpolant misses them always
GROWN = 2.0
LEAST_APART = 1e-13  # states nearer than this, relative, tell nothing of df/dy


@seldom
def begin(ode: s.Ode) -> i64:
    """f at the start, and the first step where none is given."""
    n = ode.n
    K = ode.work[3 * n :]
    f0 = K[ode.count[s.STAGES] * n :]
    if not s.evaluate(ode, ode.real[s.T], ode.y, f0):
        return s.NOT_FINITE
    if ode.real[s.H] == 0.0:
        ode.real[s.H] = s.first_step(ode, f0, K[16 * n :])
    ode.real[s.ERROR_OLD] = s.LEAST_ERROR
    ode.real[s.T_START] = ode.real[s.T]
    ode.count[s.FIXED] = 0
    ode.real[s.H_LAST] = 0.0
    return s.FINE


@outlined
def weighted(n: i64, rows: i64, weights: Array, h: f64, K: Array, own: f64, y: Array, out: Array) -> None:
    """out = h sum_j weights_j k_j + own y, each number in this order; all of it are numbers, so that no weight of zero need
    be left out. By eight at once, in registers: row by row through memory it took as long as the evaluations of a small
    machine. The last eight may overlap with those before."""
    i = 0
    while n >= 8 and i < n:
        at = min(i, n - 8)
        x0 = 0.0
        x1 = 0.0
        x2 = 0.0
        x3 = 0.0
        x4 = 0.0
        x5 = 0.0
        x6 = 0.0
        x7 = 0.0
        for j in range(rows):
            a = h * weights[j]
            k = K[j * n + at :]
            x0 += a * k[0]
            x1 += a * k[1]
            x2 += a * k[2]
            x3 += a * k[3]
            x4 += a * k[4]
            x5 += a * k[5]
            x6 += a * k[6]
            x7 += a * k[7]
        base = y[at:]
        result = out[at:]
        result[0] = x0 + own * base[0]
        result[1] = x1 + own * base[1]
        result[2] = x2 + own * base[2]
        result[3] = x3 + own * base[3]
        result[4] = x4 + own * base[4]
        result[5] = x5 + own * base[5]
        result[6] = x6 + own * base[6]
        result[7] = x7 + own * base[7]
        i += 8
    while i < n:
        x = 0.0
        for j in range(rows):
            x += h * weights[j] * K[j * n + i]
        out[i] = x + own * y[i]
        i += 1


@native
def stages(ode: s.Ode, h: f64) -> i64:
    """The stages after the first, and the new state; whether they are finite."""
    n = ode.n
    r = ode.count[s.STAGES]
    A = ode.coef[r:]
    B = ode.coef[r + r * r :]
    K = ode.work[3 * n :]
    new = K[16 * n :]
    last = K[17 * n :]
    for m in range(1, r):
        weighted(n, m, A[m * r :], h, K, 1.0, ode.y, last)
        if not s.evaluate(ode, ode.real[s.T] + ode.coef[m] * h, last, K[m * n :]):
            return 0
    weighted(n, r, B, h, K, 1.0, ode.y, new)
    return 1


@native
def arrive(ode: s.Ode, t: f64) -> i64:
    """Project the new state and take its derivative."""
    n = ode.n
    K = ode.work[3 * n :]
    if not s.settle(ode, t, K[16 * n :]):
        return s.PROJECTION
    if not s.evaluate(ode, t, K[16 * n :], K[ode.count[s.STAGES] * n :]):
        return s.NOT_FINITE
    return s.FINE


@native
def combine(n: i64, rows: i64, weights: Array, h: f64, K: Array, e: Array) -> None:
    """e = h sum_j weights_j k_j."""
    weighted(n, rows, weights, h, K, 0.0, K, e)


@native
def estimate(n: i64, y: Array, h: f64, tol: Array, count: Ints, coef: Array, work: Array) -> f64:
    """The norm of the error of the step; of DOP853 as its authors combine its two estimates."""
    r = count[s.STAGES]
    K = work[3 * n :]
    new = K[16 * n :]
    e = K[18 * n :]
    E = coef[r + r * r + r :]
    combine(n, r + 1 if r == DOPRI5_STAGES else r, E, h, K, e)
    first = s.error_norm(n, e, y, new, tol)
    if r == DOPRI5_STAGES:
        return first  # type: ignore[no-any-return]
    combine(n, r, E[r + 1 :], h, K, e)
    second = s.error_norm(n, e, y, new, tol)
    if first == 0.0 and second == 0.0:
        return 0.0
    return first * first / sqrt(first * first + 0.01 * second * second)  # type: ignore[no-any-return]


@native
def ruled(n: i64, h: f64, count: Ints, work: Array) -> i64:
    """Whether stability is the limit of the step: |h| |f(new) - f(last stage)| / |new - last stage| is too large, and no
    rounding."""
    r = count[s.STAGES]
    K = work[3 * n :]
    above = 0.0
    below = 0.0
    size = 0.0
    for i in range(n):
        above += (K[r * n + i] - K[(r - 1) * n + i]) ** 2
        below += (K[16 * n + i] - K[17 * n + i]) ** 2
        size += K[16 * n + i] ** 2
    limit = STIFF_DOPRI5 if r == DOPRI5_STAGES else STIFF_DOP853
    least = LEAST_APART * LEAST_APART * size
    if below > least and h * h * above > limit * limit * below:
        return 1
    return 0


@outlined
def step(ode: s.Ode) -> i64:
    """Take one accepted step of an embedded pair, with the proportional-integral control of Hairer and Wanner II, IV.2."""
    n = ode.n
    r = ode.count[s.STAGES]
    K = ode.work[3 * n :]
    copy(n, K[r * n :], K)
    h = ode.real[s.H]
    exponent = 1.0 / (ode.count[s.ERROR_ORDER] + 1)
    rejected = 0
    by_stability = 0
    looks = 0
    why = s.UNDERFLOW
    while True:
        h = s.clip_step(h, ode.real)
        if abs(h) < s.least_step(ode.real):
            return why
        t = s.moved(ode.real, h)
        why = s.FINE
        if not stages(ode, h):
            why = s.NOT_FINITE
        if why == s.FINE and r == DOPRI5_STAGES:  # its estimate needs the derivative at the new point
            why = arrive(ode, t)
        error = 0.0
        if why == s.FINE:
            error = estimate(n, ode.y, h, ode.tol, ode.count, ode.coef, ode.work)
            if not isfinite(error):
                why = s.NOT_FINITE
        if why == s.FINE and error < 1.0 and r == DOP853_STAGES:
            why = arrive(ode, t)
        prepared = 0
        if why == s.FINE and error < 1.0:
            by_stability = ruled(n, h, ode.count, ode.work)
            grown = ode.real[s.H_LAST] != 0.0 and abs(h) > GROWN * abs(ode.real[s.H_LAST])
            if r == DOP853_STAGES and (by_stability or grown) and looks < LOOKS:
                missed = prepare_dop853(ode, ode.y, ode.real[s.T], h) / WITHIN_BY
                prepared = 1
                if not isfinite(missed):
                    why = s.NOT_FINITE
                elif missed > WITHIN_LEAST:
                    error = max(error, missed)
                    looks += missed >= 1.0
        if why != s.FINE:
            h *= 0.25
            rejected = 1
            ode.count[s.REJECTED] += 1
        elif error < 1.0:
            error = max(error, s.LEAST_ERROR)
            factor = (
                ode.real[s.SAFETY]
                * power(error, 0.75 * ode.real[s.BETA] - exponent)
                * power(ode.real[s.ERROR_OLD], ode.real[s.BETA])
            )
            factor = max(ode.real[s.LEAST], min(ode.real[s.MOST], factor))
            if rejected:
                factor = min(factor, 1.0)
            ode.real[s.ERROR_OLD] = error
            ode.count[s.STIFF] += by_stability
            s.accept(n, ode.y, K[16 * n :], t, h, ode.real, ode.count, ode.work)
            ode.count[s.READY] = prepared
            ode.real[s.H] = abs(h) * factor
            return s.FINE
        else:
            h *= max(ode.real[s.LEAST], ode.real[s.SAFETY] * power(error, -exponent))
            rejected = 1
            why = s.UNDERFLOW
            ode.count[s.REJECTED] += 1


@seldom
def again(ode: s.Ode, t: f64) -> i64:
    """Take the last step again, to end at t within it; whether that went. Else the step is as it was."""
    n = ode.n
    K = ode.work[3 * n :]
    whole = ode.real[s.H_LAST]
    ahead = ode.real[s.H]
    end = ode.real[s.T_END]
    last = ode.real[s.T]
    done = 0
    for way in range(2):
        if done == 0:
            copy(n, ode.work, ode.y)
            copy(n, K, K[ode.count[s.STAGES] * n :])  # the derivative there, with which a step begins
            ode.real[s.T] = ode.real[s.T_OLD]
            ode.real[s.T_END] = t if way == 0 else last
            ode.real[s.H] = abs(ode.real[s.T_END] - ode.real[s.T])
            done = 1 if step(ode) == s.FINE and ode.real[s.T] == t else 0
    ode.real[s.T_END] = end
    ode.real[s.H] = ahead
    ode.real[s.H_WHOLE] = whole
    return done


@native
def fixed_step(ode: s.Ode) -> i64:
    """Take one step of the classical method; times are T_START + k h, so that they do not drift."""
    n = ode.n
    r = ode.count[s.STAGES]
    K = ode.work[3 * n :]
    copy(n, K[r * n :], K)
    direction = 1.0 if ode.real[s.T_END] > ode.real[s.T] else -1.0
    size = min(ode.real[s.H], ode.real[s.MAX_STEP])
    t = ode.real[s.T_START] + direction * size * (ode.count[s.FIXED] + 1)
    if direction * (ode.real[s.T_END] - t) < 1e-6 * size:
        t = ode.real[s.T_END]
    h = t - ode.real[s.T]
    if not stages(ode, h):
        return s.NOT_FINITE
    why = arrive(ode, t)
    if why != s.FINE:
        return why  # type: ignore[no-any-return]
    s.accept(n, ode.y, K[16 * n :], t, h, ode.real, ode.count, ode.work)
    ode.count[s.FIXED] += 1
    return s.FINE


@native
def interpolate_hermite(ode: s.Ode, theta: f64, result: Array) -> None:
    """Order 3 (global order 4 of the method kept)."""
    n = ode.n
    K = ode.work[3 * n :]
    s.hermite(n, theta, ode.real[s.H_LAST], ode.work, K, K[16 * n :], K[ode.count[s.STAGES] * n :], result)


@native
def interpolate_dopri5(ode: s.Ode, theta: f64, result: Array) -> None:
    """Shampine's polynomial of order 4."""
    n = ode.n
    r = ode.count[s.STAGES]
    P = ode.coef[r + r * r + r + r + 1 :]
    K = ode.work[3 * n :]
    copy(n, ode.work, result)
    for j in range(r + 1):
        b = P[4 * j + 3] * theta
        b = (b + P[4 * j + 2]) * theta
        b = (b + P[4 * j + 1]) * theta
        b = (b + P[4 * j]) * theta * ode.real[s.H_LAST]
        if b != 0.0:
            for i in range(n):
                result[i] += b * K[j * n + i]


@outlined
def prepare_dop853(ode: s.Ode, y: Array, t: f64, h: f64) -> f64:
    """Three more stages after a step from (t, y), and the seven coefficients of the interpolant of order 7; by how much it
    misses the last of those stages, in tolerances."""
    n = ode.n
    r = ode.count[s.STAGES]
    C = ode.coef[r + r * r + r + 2 * (r + 1) :]
    A = C[3:]
    D = A[3 * 16 :]
    K = ode.work[3 * n :]
    state = K[17 * n :]
    F = K[18 * n :]
    for m in range(3):
        combine(n, r + 1 + m, A[16 * m :], h, K, state)
        for i in range(n):
            state[i] += y[i]
        s.evaluate(ode, t + C[m] * h, state, K[(r + 1 + m) * n :])
    for i in range(n):
        difference = K[16 * n + i] - y[i]
        F[i] = difference
        F[n + i] = h * K[i] - difference
        F[2 * n + i] = 2.0 * difference - h * (K[r * n + i] + K[i])
    for m in range(4):
        combine(n, 16, D[16 * m :], h, K, F[(3 + m) * n :])
    for i in range(n):
        state[i] -= y[i] + polynomial(n, i, C[2], F)
    return s.error_norm(n, state, y, K[16 * n :], ode.tol)  # type: ignore[no-any-return]


@native
def polynomial(n: i64, i: i64, theta: f64, F: Array) -> f64:
    """Hairer's polynomial of order 7: by how much the i-th number has grown."""
    x = F[6 * n + i] * theta
    x = (x + F[5 * n + i]) * (1.0 - theta)
    x = (x + F[4 * n + i]) * theta
    x = (x + F[3 * n + i]) * (1.0 - theta)
    x = (x + F[2 * n + i]) * theta
    x = (x + F[n + i]) * (1.0 - theta)
    return (x + F[i]) * theta  # type: ignore[no-any-return]


@native
def interpolate_dop853(ode: s.Ode, theta: f64, result: Array) -> None:
    """Along the polynomial from the state before the step."""
    n = ode.n
    if ode.count[s.READY] == 0:
        prepare_dop853(ode, ode.work, ode.real[s.T_OLD], ode.real[s.H_LAST])
        ode.count[s.READY] = 1
    F = ode.work[21 * n :]
    for i in range(n):
        result[i] = ode.work[i] + polynomial(n, i, theta, F)
