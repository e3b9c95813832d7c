"""The matrix of a Newton step of the generalised-alpha method: masses, rows, their compliances, its scaling."""

from __future__ import annotations

from linkwright.compile import Array, Code, Ints, Pointers, copy, f64, i64, native, sqrt
from linkwright.regularisation import COMPLIANCE_GGL, COMPLIANCE_INDEX_3
from linkwright.solve import stepping as s
from linkwright.solve.dense import dot

ROUNDED = 4.0  # a row of Phi is a sum of some terms, each rounded
# Where they are in `coef`.
ALPHA_M, ALPHA_F, BETA, GAMMA, STABILISED, ADAPTIVE = 0, 1, 2, 3, 4, 5
SIZES = 6  # how large each displacement may be, a length or a radian, which tells how Phi is rounded; zero: not known
# After them marks: of each row, 1 if it constrains velocities alone; of each of v, 1 for a state of first order.


@native
def place(
    project: Code, ins: Pointers, pouts: Pointers, n: i64, t: f64, q: Array, d: Array, count: Ints, result: Array
) -> None:
    """result = q displaced by d."""
    ins[0][0] = t
    copy(count[s.SIZE_Q], q, ins[1])
    copy(count[s.SIZE_V], d, ins[2])
    project(ins, pouts)
    copy(count[s.SIZE_Q], pouts[0], result)


@native
def holds_positions(row: i64, nv: i64, coef: Array) -> i64:
    return 1 if coef[SIZES + nv + row] == 0.0 else 0


@native
def lighten(nv: i64, m: i64, M: Array, J: Array, JW: Array) -> None:
    """JW = J W, with W the inverse of each mass of v by itself; coordinates without mass count as the heaviest."""
    heaviest = 0.0
    for j in range(nv):
        heaviest = max(heaviest, M[j * nv + j])
    for j in range(nv):
        own = M[j * nv + j] if M[j * nv + j] > 0.0 else heaviest
        for i in range(m):
            JW[i * nv + j] = J[i * nv + j] / own if own > 0.0 else J[i * nv + j]


@native
def own_compliance(nv: i64, row: i64, J: Array, JW: Array) -> f64:
    """The compliance of a row by itself: the sum of J_j^2/m_j."""
    total = dot(nv, J[row * nv :], JW[row * nv :])
    return total if total > 0.0 else 1.0


@native
def balance(jouts: Pointers, JW: Array, count: Ints, extra: i64, width: i64, B: Array) -> None:
    """Rows of B, `width` numbers each, by the root of their mass or of their own compliance: without units.

    Pivots are the largest of a column: of a machine of grams and millimetres rows of forces and of accelerations told in
    kilograms and metres differ by twelve orders, and the wrong ones are taken.
    """
    nv = count[s.SIZE_V]
    m = count[s.SIZE_LAM]
    for i in range(nv):
        own = jouts[0][i * nv + i]
        scale = 1.0 / sqrt(own) if own > 0.0 else 1.0
        for j in range(width):
            B[i * width + j] *= scale
    for i in range(m):
        scale = 1.0 / sqrt(own_compliance(nv, i, jouts[3], JW))
        for j in range(width):
            B[(nv + i) * width + j] *= scale
            if extra > 0:
                B[(nv + m + i) * width + j] *= scale


@native
def assemble(h: f64, jouts: Pointers, count: Ints, coef: Array, S: Array, JW: Array) -> None:
    """Newton's matrix for changes of (a, lam, eta/(h beta)); rows of Phi are divided by h^2 beta, of Phi_dot by h gamma.

    So scaled it does not degenerate as h goes to zero. A row that constrains velocities alone has no Phi and no eta: it
    stands among those of Phi_dot, or in the place of Phi where there are none. Rows are balanced, as right sides must be.
    """
    nv = count[s.SIZE_V]
    m = count[s.SIZE_LAM]
    extra = m if coef[STABILISED] > 0.0 else 0
    N = nv + m + extra
    mass = (1.0 - coef[ALPHA_M]) / (1.0 - coef[ALPHA_F])
    M = jouts[0]
    C = jouts[1]
    K = jouts[2]
    J = jouts[3]
    square = h * h * coef[BETA]
    part = COMPLIANCE_GGL if extra > 0 else COMPLIANCE_INDEX_3
    lighten(nv, m, M, J, JW)
    for i in range(N * N):
        S[i] = 0.0
    for i in range(nv):
        for j in range(nv):
            S[i * N + j] = mass * M[i * nv + j] + h * coef[GAMMA] * C[i * nv + j] + square * K[i * nv + j]
        for j in range(m):
            S[i * N + nv + j] = J[j * nv + i]
        for j in range(extra):
            if holds_positions(j, nv, coef):
                S[i * N + nv + m + j] = -square * dot(nv, K[i * nv :], JW[j * nv :])
    for i in range(m):
        positions = holds_positions(i, nv, coef)
        for j in range(nv if extra == 0 or positions else 0):
            S[(nv + i) * N + j] = J[i * nv + j]
        for j in range(nv if extra > 0 else 0):
            S[(nv + m + i) * N + j] = J[i * nv + j]
        S[(nv + extra + i) * N + nv + i] = -part * own_compliance(nv, i, J, JW)
        for j in range(extra if positions else 0):
            if holds_positions(j, nv, coef):
                S[(nv + i) * N + nv + m + j] = -dot(nv, J[i * nv :], JW[j * nv :])
        if extra > 0:
            S[(nv + i) * N + nv + m + i] -= part * own_compliance(nv, i, J, JW)
    balance(jouts, JW, count, extra, N, S)


@native
def rounding(nv: i64, row: i64, J: Array, coef: Array) -> f64:
    """The rounding of a row of Phi: below it the row is closed.

    Rounding divided by h^2 would be an acceleration: the corrections of a short step would never get small.
    """
    total = 0.0
    for j in range(nv):
        total += abs(J[row * nv + j]) * coef[SIZES + j]
    return ROUNDED * s.EPSILON * total
