"""The matrices of a step of Radau IIA: df/dy, and the factors of mu/h - J for the real eigenvalue and the complex pair."""

from __future__ import annotations

from linkwright.compile import Array, copy, f64, i64, native, outlined, sqrt
from linkwright.solve import stepping as s
from linkwright.solve.complex_dense import complex_lu_factor
from linkwright.solve.dense import lu_factor, lu_solve
from linkwright.solve.outside import LINEARISE, OUTSIDE, REAL, ask, ask_factors, ask_solution

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
