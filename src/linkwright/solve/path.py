"""Following the solution of F(q, t) = 0 over time, with its velocity and acceleration, in native code.

All functions of the system share one list of inputs, (q, v, t, b, turns, d): coordinates, velocities, time, design
parameters, references of the multi-turn angles, and a displacement. They are

    position      -> Phi, the nonzeros of Phi_v         velocity -> nu        acceleration -> gamma
    retract       -> q displaced by d                   turned   -> the new references

where Phi_v d is the change of Phi under a displacement d; in the plane q and d have the same components, in space a
rotation has four parameters and three displacements.
"""

from __future__ import annotations

from typing import NamedTuple

from linkwright.compile import Array, Code, Ints, Pointers, copy, i64, isfinite, native
from linkwright.compile.sparse_lu import sparse_factor, sparse_solve
from linkwright.regularisation import SINGULAR
from linkwright.solve.dense import equilibrate, lu_factor, lu_solve, scatter, weighted_norm

# What `follow` and `correct` return.
FINE, NOT_CONVERGED, NO_PIVOT, TOO_COARSE, SIGN_CHANGE = 0, 1, 2, 3, 4

# Newton stops where the correction is below this, relative to the scale of the coordinates: the next were its square.
CONVERGED = 1e-11
# The corrected point may be this far from the predicted one, relative to the length of the step, before the step is halved.
TRUST = 0.1
# So may its velocity be from the predicted one, times the step of time. Just behind a crossing of branches both are near
# the predicted point, and only the velocity tells one from the other.
SAME_BRANCH = 0.3
ITERATIONS = 12


class Path(NamedTuple):
    """The functions of a system with their inputs and outputs; how many equations n, coordinates nq and references nt there
    are; where the `count` nonzeros of Phi_v are; which equations are chosen; size: of the factors, n n or the plan's."""

    position: Code
    velocity: Code
    acceleration: Code
    retract: Code
    turned: Code
    ins: Pointers
    outs: Pointers
    out_nu: Pointers
    out_gamma: Pointers
    moved: Pointers
    turns: Pointers
    n: i64
    nq: i64
    nt: i64
    count: i64  # type: ignore[assignment]  # in place of the method of tuples
    rows: Ints
    columns: Ints
    chosen: Ints
    size: i64
    plan: Ints


class Points(NamedTuple):
    """The points of a path, a row each: times, coordinates, velocities, vdot, references of angles."""

    steps: i64
    times: Array
    Q: Array
    V: Array
    W: Array
    T: Array


@native
def factor(p: Path, A: Array, rowscale: Array, spare: Array, pivots: Ints, measure: Array) -> i64:
    """Phi and the factors of Phi_v at the inputs' q and t, dense or by a plan of `sparse`; 0 or the failing column + 1."""
    p.position(p.ins, p.outs)
    if p.plan[0] != 0:
        return sparse_factor(p.n, p.count, p.plan, p.outs[1], A, rowscale, spare, measure)  # type: ignore[no-any-return]
    scatter(p.n, p.count, p.rows, p.columns, p.outs[1], A)
    equilibrate(p.n, A, rowscale)
    return lu_factor(p.n, A, pivots, measure)  # type: ignore[no-any-return]


@native
def solve(p: Path, A: Array, rowscale: Array, spare: Array, pivots: Ints, values: Array, x: Array) -> None:
    """x = Phi_v^-1 values, of the chosen equations."""
    if p.plan[0] != 0:
        sparse_solve(p.n, p.plan, A, rowscale, p.chosen, values, spare, x)
    else:
        for i in range(p.n):
            x[i] = values[p.chosen[i]] / rowscale[i]
        lu_solve(p.n, A, pivots, x)


@native
def vanished(p: Path, rowscale: Array, usual: Array) -> i64:
    """Whether the largest entry of a row is nothing against what it usually is; the factors do not show that."""
    for i in range(p.n):
        k = i
        if p.plan[0] != 0:
            k = p.plan[4 + 2 * p.n + i]
        if rowscale[i] < SINGULAR * usual[k]:
            return 1
    return 0


@native
def correct(
    p: Path, A: Array, rowscale: Array, spare: Array, pivots: Ints, measure: Array, scale: Array, total: Array
) -> i64:
    """Newton's method for Phi(q, t) = 0, from the q of the inputs, in place. `total` sums the corrections."""
    q = p.ins[0]
    d = p.ins[5]
    phi = p.outs[0]
    last = 1e308
    for i in range(p.n):
        total[i] = 0.0
    for iteration in range(ITERATIONS):
        if factor(p, A, rowscale, spare, pivots, measure) != 0:
            return NO_PIVOT
        solve(p, A, rowscale, spare, pivots, phi, d)
        for i in range(p.n):
            d[i] = -d[i]
            total[i] += d[i]
        size = weighted_norm(p.n, d, scale)
        if not isfinite(size):
            return NOT_CONVERGED
        p.retract(p.ins, p.moved)
        copy(p.nq, p.moved[0], q)
        if size <= CONVERGED or (size < 1e-9 and size > 0.5 * last):  # as small as rounding lets it get
            return FINE
        if iteration > 2 and size > 2.0 * last:
            return NOT_CONVERGED
        last = size
    return NOT_CONVERGED


@native
def follow(p: Path, to: Points, scale: Array, work: Array, pivots: Ints, measure: Array, state: Ints, usual: Array) -> i64:
    """Points 1 ... steps-1 of the path, from point 0.

    Returns how many points are good; state[0] is why it ended.

    measure: smallest and largest pivot and sign of the determinant at the last good point; the sign must be given at
    the start (0: unknown). work: size + 3 n + 4 zeros. usual: of each row, see `vanished`.
    """
    q = p.ins[0]
    v = p.ins[1]
    t = p.ins[2]
    reference = p.ins[4]
    d = p.ins[5]
    A = work[0:]
    rowscale = work[p.size :]
    total = work[p.size + p.n :]
    spare = work[p.size + 2 * p.n :]
    fresh = work[p.size + 3 * p.n :]  # measures of the point being tried
    state[0] = FINE
    for k in range(1, to.steps):
        h = to.times[k] - to.times[k - 1]
        copy(p.nq, to.Q[(k - 1) * p.nq :], q)
        for i in range(p.n):
            d[i] = h * to.V[(k - 1) * p.n + i] + 0.5 * h * h * to.W[(k - 1) * p.n + i]
        step = weighted_norm(p.n, d, scale)
        t[0] = to.times[k]
        p.retract(p.ins, p.moved)
        copy(p.nq, p.moved[0], q)
        failure = correct(p, A, rowscale, spare, pivots, fresh, scale, total)
        if failure != 0:
            state[0] = failure
            return k
        if weighted_norm(p.n, total, scale) > TRUST * step + 1e-9:
            state[0] = TOO_COARSE
            return k
        if factor(p, A, rowscale, spare, pivots, fresh) != 0:
            state[0] = NO_PIVOT
            return k
        if fresh[0] < SINGULAR * fresh[1] or vanished(p, rowscale, usual) != 0:
            state[0] = NO_PIVOT
            return k
        if measure[2] != 0.0 and fresh[2] != measure[2]:
            state[0] = SIGN_CHANGE
            return k
        p.velocity(p.ins, p.out_nu)
        solve(p, A, rowscale, spare, pivots, p.out_nu[0], d)
        for i in range(p.n):
            v[i] = d[i]
            total[i] = h * (d[i] - to.V[(k - 1) * p.n + i] - h * to.W[(k - 1) * p.n + i])
        if weighted_norm(p.n, total, scale) > SAME_BRANCH * step + 1e-9:
            state[0] = TOO_COARSE
            return k
        p.acceleration(p.ins, p.out_gamma)
        solve(p, A, rowscale, spare, pivots, p.out_gamma[0], d)
        copy(3, fresh, measure)
        p.turned(p.ins, p.turns)
        for i in range(p.nt):
            reference[i] = p.turns[0][i]
            to.T[k * p.nt + i] = p.turns[0][i]
        copy(p.nq, q, to.Q[k * p.nq :])
        for i in range(p.n):
            to.V[k * p.n + i] = v[i]
            to.W[k * p.n + i] = d[i]
    return to.steps
