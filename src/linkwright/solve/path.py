"""Following the solution of F(q, t) = 0 over time, with its velocity and acceleration, in native code.

All functions of the system share one list of inputs, (q, v, t, b, turns, d): coordinates, velocities, time, design
parameters, references of the multi-turn angles, and a displacement. They are

    position      -> Phi, the nonzeros of Phi_v         velocity -> nu        acceleration -> gamma
    retract       -> q displaced by d                   turned   -> the new references

where Phi_v d is the change of Phi under a displacement d; in the plane q and d have the same components, in space a
rotation has four parameters and three displacements.
"""

from __future__ import annotations

from linkwright.compile import Array, Code, Ints, Pointers, i64, isfinite, native
from linkwright.regularisation import SINGULAR
from linkwright.solve.dense import equilibrate, lu_factor, lu_solve, scatter, weighted_norm
from linkwright.solve.sparse import sparse_factor, sparse_solve

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


@native
def factor(
    position: Code, ins: Pointers, outs: Pointers, n: i64, count: i64, rows: Ints, columns: Ints, plan: Ints,
    A: Array, rowscale: Array, spare: Array, pivots: Ints, measure: Array,
) -> i64:  # fmt: skip
    """Phi and the factors of Phi_v at the inputs' q and t, dense or by a plan of `sparse`; 0 or the failing column + 1."""
    position(ins, outs)
    if plan[0] != 0:
        return sparse_factor(n, count, plan, outs[1], A, rowscale, spare, measure)  # type: ignore[no-any-return]
    scatter(n, count, rows, columns, outs[1], A)
    equilibrate(n, A, rowscale)
    return lu_factor(n, A, pivots, measure)  # type: ignore[no-any-return]


@native
def solve(
    n: i64, plan: Ints, A: Array, rowscale: Array, spare: Array, pivots: Ints, chosen: Ints, values: Array, x: Array
) -> None:
    """x = Phi_v^-1 values, of the chosen equations."""
    if plan[0] != 0:
        sparse_solve(n, plan, A, rowscale, chosen, values, spare, x)
    else:
        for i in range(n):
            x[i] = values[chosen[i]] / rowscale[i]
        lu_solve(n, A, pivots, x)


@native
def vanished(n: i64, plan: Ints, rowscale: Array, usual: Array) -> i64:
    """Whether the largest entry of a row is nothing against what it usually is; the factors do not show that."""
    for i in range(n):
        k = i
        if plan[0] != 0:
            k = plan[4 + 2 * n + i]
        if rowscale[i] < SINGULAR * usual[k]:
            return 1
    return 0


@native
def correct(
    position: Code, retract: Code, ins: Pointers, outs: Pointers, moved: Pointers, n: i64, nq: i64, count: i64,
    rows: Ints, columns: Ints, chosen: Ints, plan: Ints, A: Array, rowscale: Array, spare: Array, pivots: Ints,
    measure: Array, scale: Array, total: Array,
) -> i64:  # fmt: skip
    """Newton's method for Phi(q, t) = 0, from the q of the inputs, in place. `total` sums the corrections."""
    q = ins[0]
    d = ins[5]
    phi = outs[0]
    last = 1e308
    for i in range(n):
        total[i] = 0.0
    for iteration in range(ITERATIONS):
        if factor(position, ins, outs, n, count, rows, columns, plan, A, rowscale, spare, pivots, measure) != 0:
            return NO_PIVOT
        solve(n, plan, A, rowscale, spare, pivots, chosen, phi, d)
        for i in range(n):
            d[i] = -d[i]
            total[i] += d[i]
        size = weighted_norm(n, d, scale)
        if not isfinite(size):
            return NOT_CONVERGED
        retract(ins, moved)
        for i in range(nq):
            q[i] = moved[0][i]
        if size <= CONVERGED or (size < 1e-9 and size > 0.5 * last):  # as small as rounding lets it get
            return FINE
        if iteration > 2 and size > 2.0 * last:
            return NOT_CONVERGED
        last = size
    return NOT_CONVERGED


@native
def follow(
    position: Code, velocity: Code, acceleration: Code, retract: Code, turned: Code,
    ins: Pointers, outs: Pointers, out_nu: Pointers, out_gamma: Pointers, moved: Pointers, turns: Pointers,
    n: i64, nq: i64, nt: i64, count: i64, rows: Ints, columns: Ints, chosen: Ints, size: i64, plan: Ints,
    steps: i64, times: Array, Q: Array, V: Array, W: Array, T: Array, scale: Array, work: Array, pivots: Ints,
    measure: Array, state: Ints, usual: Array,
) -> i64:  # fmt: skip
    """Points 1 ... steps-1 of the path, from point 0 in Q, V, W (vdot), T (turns).

    Returns how many points are good; state[0] is why it ended.

    measure: smallest and largest pivot and sign of the determinant at the last good point; the sign must be given at
    the start (0: unknown). size: of the factors, n n or the plan's. work: size + 3 n + 4 zeros. usual: of each row, see
    `vanished`.
    """
    q = ins[0]
    v = ins[1]
    t = ins[2]
    reference = ins[4]
    d = ins[5]
    A = work[0:]
    rowscale = work[size:]
    total = work[size + n :]
    spare = work[size + 2 * n :]
    fresh = work[size + 3 * n :]  # measures of the point being tried
    state[0] = FINE
    for k in range(1, steps):
        h = times[k] - times[k - 1]
        for i in range(nq):
            q[i] = Q[(k - 1) * nq + i]
        for i in range(n):
            d[i] = h * V[(k - 1) * n + i] + 0.5 * h * h * W[(k - 1) * n + i]
        step = weighted_norm(n, d, scale)
        t[0] = times[k]
        retract(ins, moved)
        for i in range(nq):
            q[i] = moved[0][i]
        failure = correct(
            position,
            retract,
            ins,
            outs,
            moved,
            n,
            nq,
            count,
            rows,
            columns,
            chosen,
            plan,
            A,
            rowscale,
            spare,
            pivots,
            fresh,
            scale,
            total,
        )
        if failure != 0:
            state[0] = failure
            return k
        if weighted_norm(n, total, scale) > TRUST * step + 1e-9:
            state[0] = TOO_COARSE
            return k
        if factor(position, ins, outs, n, count, rows, columns, plan, A, rowscale, spare, pivots, fresh) != 0:
            state[0] = NO_PIVOT
            return k
        if fresh[0] < SINGULAR * fresh[1] or vanished(n, plan, rowscale, usual) != 0:
            state[0] = NO_PIVOT
            return k
        if measure[2] != 0.0 and fresh[2] != measure[2]:
            state[0] = SIGN_CHANGE
            return k
        velocity(ins, out_nu)
        solve(n, plan, A, rowscale, spare, pivots, chosen, out_nu[0], d)
        for i in range(n):
            v[i] = d[i]
            total[i] = h * (d[i] - V[(k - 1) * n + i] - h * W[(k - 1) * n + i])
        if weighted_norm(n, total, scale) > SAME_BRANCH * step + 1e-9:
            state[0] = TOO_COARSE
            return k
        acceleration(ins, out_gamma)
        solve(n, plan, A, rowscale, spare, pivots, chosen, out_gamma[0], d)
        for i in range(3):
            measure[i] = fresh[i]
        turned(ins, turns)
        for i in range(nt):
            reference[i] = turns[0][i]
            T[k * nt + i] = turns[0][i]
        for i in range(nq):
            Q[k * nq + i] = q[i]
        for i in range(n):
            V[k * n + i] = v[i]
            W[k * n + i] = d[i]
    return steps
