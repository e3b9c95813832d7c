"""The matrices of a step of Radau IIA: df/dy, and the factors of mu/h - J for the real eigenvalue and the complex pair; and
rounding in f, with what it does to a step: tolerances below that would be asked for in vain."""

from __future__ import annotations

from linkwright.compile import Array, copy, f64, i64, native, outlined, seldom, sqrt
from linkwright.solve import radau_factors as radau
from linkwright.solve import stepping as s
from linkwright.solve.dense import complex_lu_factor, lu_factor, lu_solve
from linkwright.solve.outside import LINEARISE, NOISE, OUTSIDE, REAL, ask, ask_factors, ask_solution

# The method's own registers: whether factors are at hand, J belongs to this point, an interpolant and old errors exist.
HAVE_FACTORS, FRESH_J, HAVE_SOL, HAVE_OLD, ITERATIONS = 32, 33, 34, 35, 36
ROWS_OF_N = 28
# Where they are in `coef`.
C, E, MU, TT, TI, P = 0, 3, 6, 9, 18, 27


@outlined
def jacobian(ode: s.Ode) -> None:
    """J = df/dy at the current point: given, or by forward differences of half the digits."""
    n = ode.n
    rows = ode.work[3 * n :]
    J = ode.work[ROWS_OF_N * n :]
    state = rows[21 * n :]
    value = rows[22 * n :]
    ode.count[s.NJEV] += 1
    if ode.count[s.JACOBIAN] == OUTSIDE:
        ode.ins[0][0] = ode.real[s.T]
        copy(n, ode.y, ode.ins[1])
        ask(ode.jac, ode.ins, ode.jouts, LINEARISE)
        return
    if ode.count[s.JACOBIAN]:
        ode.ins[0][0] = ode.real[s.T]
        copy(n, ode.y, ode.ins[1])
        ode.jac(ode.ins, ode.jouts)
        copy(n * n, ode.jouts[0], J)
        return
    copy(n, ode.y, state)
    for j in range(n):
        change = sqrt(s.EPSILON) * max(abs(ode.y[j]), 1e-5)
        state[j] = ode.y[j] + change
        change = state[j] - ode.y[j]
        s.evaluate(ode, ode.real[s.T], state, value)
        state[j] = ode.y[j]
        for i in range(n):
            J[i * n + j] = (value[i] - rows[i]) / change


@outlined
def factor(ode: s.Ode, h: f64) -> i64:
    """(mu/h) I - J for the real eigenvalue and for the complex pair."""
    n = ode.n
    if ode.count[s.JACOBIAN] == OUTSIDE:
        ode.count[s.NLU] += 2
        if ask_factors(ode.jac, ode.ins, ode.jouts, ode.coef[MU] / h, ode.coef[MU + 1] / h, ode.coef[MU + 2] / h) != 0.0:
            return s.SINGULAR
        return s.FINE
    J = ode.work[ROWS_OF_N * n :]
    R = J[n * n :]
    A = R[n * n :]
    B = A[n * n :]
    measure = B[n * n :]
    for k in range(n * n):
        R[k] = -J[k]
        A[k] = -J[k]
        B[k] = 0.0
    for i in range(n):
        R[i * n + i] += ode.coef[MU] / h
        A[i * n + i] += ode.coef[MU + 1] / h
        B[i * n + i] = ode.coef[MU + 2] / h
    ode.count[s.NLU] += 2
    if lu_factor(n, R, ode.pivots, measure) != 0:
        return s.SINGULAR
    if complex_lu_factor(n, A, B, ode.pivots[n:]) != 0:
        return s.SINGULAR
    return s.FINE


@native
def solve_real(ode: s.Ode, x: Array) -> None:
    """x becomes (mu/h - J)^-1 x, by the real eigenvalue."""
    n = ode.n
    if ode.count[s.JACOBIAN] == OUTSIDE:
        ask_solution(ode.jac, ode.ins, ode.jouts, REAL, n, x, x)
    else:
        lu_solve(n, ode.work[ROWS_OF_N * n + n * n :], ode.pivots, x)


# Of what rounding in f makes of stages and errors so much is not seen: see `rounding`.
UNSEEN = 10.0
# Of the tolerances: how far apart f is looked at for its rounding; of what was seen before so much counts at the next look.
APART, FADING = 1e-3, 0.25


@seldom
def roughness(ode: s.Ode) -> None:
    """The rounding in f near a point whose step was rejected, whatever it comes from: |f(y + d) - 2 f(y) + f(y - d)|/4.

    |J| eps |y| knows only what the last digits of the state do. A body near the origin on a spring from a pivot 1 m away has
    a small y, and a force that is as rough as the last digit of 1 m. A smooth f of so small a d, a part in a thousand of
    the tolerances, has no second difference, and its first one falls out, also where J is that of an earlier point.
    """
    n = ode.n
    rows = ode.work[3 * n :]
    state = rows[21 * n :]
    value = rows[22 * n :]
    level = rows[24 * n :]
    for i in range(n):
        level[i] *= FADING
        state[i] = ode.y[i] + APART * s.scale_of(n, i, abs(ode.y[i]), ode.tol)
    if not s.evaluate(ode, ode.real[s.T], state, value):
        return
    for i in range(n):
        rows[20 * n + i] = value[i]
        state[i] = ode.y[i] - (state[i] - ode.y[i])
    if not s.evaluate(ode, ode.real[s.T], state, value):
        return
    for i in range(n):
        seen = 0.25 * abs((rows[20 * n + i] - rows[i]) + (value[i] - rows[i]))
        level[i] = max(level[i], seen)


@outlined
def rounding(ode: s.Ode) -> None:
    """The change of a step by the last digits of y and of f: (mu/h - J)^-1 of |J| eps |y|, or of the `roughness` of f where
    that is more, with the factors at hand.

    A spring of 1e11 N/m tells a place of 1 m to 1e-5 N. Newton's method can converge no further, and the error estimate
    shows it: tolerances below that would be asked for in vain, with ever shorter steps.
    """
    n = ode.n
    J = ode.work[radau.ROWS_OF_N * n :]
    noise = ode.work[26 * n :]
    if ode.count[s.JACOBIAN] == OUTSIDE:
        ask(ode.jac, ode.ins, ode.jouts, NOISE)
        for i in range(n):
            noise[i] = s.EPSILON * ode.jouts[2][i]
    else:
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += abs(J[i * n + j] * ode.y[j])
            noise[i] = s.EPSILON * total
    for i in range(n):
        noise[i] = max(noise[i], ode.work[27 * n + i])
    radau.solve_real(ode, noise)
    for i in range(n):
        noise[i] = UNSEEN * abs(noise[i])


@native
def beyond(x: f64, noise: f64) -> f64:
    """The part of x that is more than rounding."""
    return x - noise if x > noise else min(x + noise, 0.0)
