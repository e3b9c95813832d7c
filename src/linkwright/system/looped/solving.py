"""The arguments of the native code of a looped machine, and its solution of the equations: by the factors alone, or held
where rows depend on each other.

Held, the matrix is [M + delta J^T; J -eps] with small delta (for bodies without inertia) and eps: regular where the motion
is determined. Solving for the residual of the true equations until nothing changes is the proximal iteration; it satisfies J
vdot = gamma to rounding, and lam stays at its initial value, zero, along the null space of J^T. Where joints are open, as at
the stages of a method, such rows contradict each other, and eps grows with what is open (`system.saddle`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.compile import Array, Codes, Ints, Pointers, copy, f64, i64, native, sqrt
from linkwright.compile.script import Script, play
from linkwright.regularisation import ITERATIONS, ITERATIONS_FRICTION, LOST, SETTLED
from linkwright.system.looped.layout import MEMORY, SCRIPTS, Layout

# Places and sizes in the list that the native functions get.
T, Y, QDOT, X, TURNING, POWER, NU, GROWTH, PHI, DRIFT, MOVED, TURNED, REST, SUM, FLAGS, SWITCHES, SEEN, GAP, LEVEL = range(
    19
)
NQ, NV, NTURNS, NPOWER, ROWS, BLOCKS, HELD, NFLAGS, NSEEN, NRUB, WIDTH, NGAPS, STABILISED, FORCED, LOOKS = range(19, 34)
CLOSED, IDLE, ACTIVE, MARGIN, NSLOTS, RESTS, MIXED = range(34, 41)  # of modes
_SCRIPTS = 41  # where each script starts, and the end
RATES, VELOCITY, MASSES, ELEMENTS, FACTOR, BACK, POSITION, PHIDOT, ANGLES, RETRACT, AGAIN, SWITCHED = range(12)
WATCHED, FRICTION, CALLED, TOLD, SLOTS = 13, 14, 15, 16, 17  # after "memories", which Python alone runs


STANDS = 1e-2  # of the accelerations of bodies by themselves: smaller ones are not known better than by that


REACTED = 1e-12  # a change of multipliers this small, by the largest, is the last
SLOW = 0.3  # iterations that leave more than this of a change are accelerated
STRAIGHT = 0.98  # cos^2 between changes that are along one line
STEADY = 0.2  # of what an iteration takes away: by less its share may differ from the last one's for the rest to be known


class Loops(NamedTuple):
    """A machine as native functions take it. `at`: the table above; right: places of the right-hand side and, of a held
    machine, of the compliances of rows; row_at, column, place: its matrix by rows; hold: its regularisation; rub:
    displacements and places of friction; gap: the rows of gaps; then the scripts as `play` takes them."""

    numbers: Array
    at: Ints
    right: Ints
    row_at: Ints
    column: Ints
    place: Ints
    hold: Array
    rub: Ints
    gap: Ints
    codes: Codes
    in_at: Ints
    out_at: Ints
    in_table: Pointers
    out_table: Pointers


def loops(at: Layout, hold: np.ndarray) -> Loops:
    whole, starts = Script(at.arena), [0]
    for name in SCRIPTS:
        whole.extend(at.scripts[name])
        starts.append(len(whole.functions))
    places = [
        at.t, at.y, at.qdot, at.x, at.turning, at.power, at.nu, at.ldl.growth, at.Phi, at.drift, at.moved, at.turned,
        at.ldl.rest, at.sum, at.flags, at.switches, at.seen, at.gap, at.levels,
    ]  # fmt: skip
    sizes = [
        at.nq, at.nv, at.nturns, at.npower, at.rows, len(at.sizes), int(at.held), at.nflags, len(at.watched), len(at.rubs),
        at.per_body[1], len(at.impacts), 0, int(any(w.follows_from_forces for w in at.watched)), at.looks,
    ]  # fmt: skip
    modes = at.modes
    rest = [modes.closed, modes.idle, modes.active, modes.margin, len(modes.slots), at.rows - at.own_rows, at.mixed]
    table = np.array([*places, *sizes, *rest, *starts], dtype=np.int64)
    gap = np.array(modes.gaps or [0], dtype=np.int64)
    none = np.zeros(1, dtype=np.int64)
    matrix = at.assembled.by_rows() if at.held else (none, none, none)
    rub = np.array(at.rubs or [(0, 0)], dtype=np.int64).ravel()
    right = np.concatenate([at.assembled.right_places, at.assembled.compliance_places])
    given: list[Any] = [at.arena.numbers, table, right, *matrix, hold, rub, gap, *whole.arguments[1:]]
    return Loops(*given)


@native
def part(which: i64, m: Loops) -> None:
    """Run one of the scripts."""
    a = m.at[_SCRIPTS + which]
    play(m.at[_SCRIPTS + which + 1] - a, m.codes[a:], m.in_at[a:], m.out_at[a:], m.in_table, m.out_table)


@native
def largest(n: i64, x: Array) -> f64:
    most = 0.0
    for i in range(n):
        most = max(most, abs(x[i]))
    return most


@native
def solved(loaded: i64, m: Loops) -> f64:
    """Solve the equations as they are loaded, with friction where `loaded`. Returns, for a held machine, how much the next
    iteration would change accelerations, relative to the largest; else zero."""
    nv = m.at[NV]
    n = nv + m.at[ROWS]
    if m.at[HELD] == 0:
        part(FACTOR, m)
        part(BACK, m)
        return 0.0
    light = 0
    for i in range(nv):
        if m.hold[i] > 0.0:
            light = 1
            m.numbers[m.place[diagonal_of(i, m)]] += m.hold[i]
    part(FACTOR, m)
    part(BACK, m)
    x = m.numbers[m.at[X] :]
    total = m.numbers[m.at[SUM] :]
    past = total[n:]
    share = 0.0
    copy(n, x, total)
    rubs = loaded > 0 and m.at[NRUB] > 0
    rests = m.at[RESTS] > 0
    rows = m.at[ROWS]
    least = 1e-300
    if rests:  # where friction holds all there is no acceleration to compare with
        least = STANDS * freely(m)
    last = 1.0
    before = 1.0
    reacted = 1.0
    slow = 0
    for k in range(ITERATIONS_FRICTION if rubs else ITERATIONS):
        residual(n, nv, total, m, m.numbers[m.at[REST] :])
        change = 0.0
        if rubs:  # the reactions make the friction, which changes the reactions
            part(FRICTION, m)
            change = rub_in(k, slow, m)
        part(AGAIN, m)
        part(BACK, m)
        change = max(change, largest(nv, x) / max(largest(nv, total), least))
        react = largest(rows, x[nv:]) / max(largest(rows, total[nv:]), 1e-300) if rests else 0.0
        was = share
        share = shares(nv, x, past) if k > 0 and not rubs else 0.0
        if change >= 0.5 * last and change < LOST and (light == 0 or share <= 0.5):  # rounding: no better from here on
            break
        ahead = 1.0
        if light > 0 and share > SLOW and abs(share - was) <= STEADY * (1.0 - share):
            ahead = 1.0 / (1.0 - share)
        copy(nv, x, past)
        for i in range(n):
            total[i] += ahead * x[i]
        rate = change / last if k > 0 else 1.0  # by as much as before
        expected = change * (max(rate, before) if rubs else rate)  # friction answers an iteration later
        if k > 1 and rate > SLOW:
            slow = 1
        before = rate
        last = change
        settled = react <= REACTED or (k > 0 and react >= 0.5 * reacted)
        reacted = react
        if settled and (change <= SETTLED or expected <= 0.1 * SETTLED):
            last = min(change, expected)
            break
    copy(n, total, x)
    return last


@native
def shares(n: i64, x: Array, past: Array) -> f64:
    """The factor by which a change is smaller than the one before, where both are along one line; else zero.

    Where the curve of a cam hardly moves with its parameter, whose inertia is delta alone, each iteration leaves the same
    share of one motion: all iterations together are the last one, times 1 / (1 - share). Rounding has no direction. Rows
    that contradict each other while joints are open cannot all be met, and need not be.
    """
    both = 0.0
    square = 0.0
    before = 0.0
    for i in range(n):
        both += x[i] * past[i]
        square += x[i] * x[i]
        before += past[i] * past[i]
    if both <= 0.0 or both * both < STRAIGHT * square * before or both >= before:
        return 0.0
    return both / before


@native
def freely(m: Loops) -> f64:
    """The largest acceleration that forces would give the bodies if no joint held them."""
    most = 1e-300
    for i in range(m.at[NV]):
        inertia = m.numbers[m.place[diagonal_of(i, m)]]
        if inertia > 0.0:
            most = max(most, abs(m.numbers[m.right[i]]) / inertia)
    return most


@native
def rub_in(k: i64, slow: i64, m: Loops) -> f64:
    """Add friction to the residual. Returns its largest change since the last iteration, relative to the largest force.

    k: the number of iterations before this one; slow: whether they converge slowly, or not at all. Then that combination of
    the last ones is taken whose changes cancel best (Anderson's acceleration, type II).
    """
    n = m.at[NRUB]
    size = m.at[WIDTH]
    count = n * size
    most = 0.0
    new = 0.0
    used = m.numbers[m.at[MIXED] :]
    change = used[count:]
    at = (k - 1) % MEMORY
    by_used = used[2 * count + 2 * at * count :]
    by_change = by_used[count:]
    for e in range(n):
        for i in range(size):
            here = m.rub[2 * e + 1] + i
            force = m.numbers[here]
            most = max(most, abs(force))
            new = max(new, abs(force - m.numbers[here + size]))
            j = e * size + i
            was = m.numbers[here + size] if k > 0 else 0.0
            if k > 0:
                by_used[j] = was - used[j]
                by_change[j] = force - was - change[j]
            used[j] = was
            change[j] = force - was
    if slow > 0:
        mix(min(k, MEMORY), count, used, m.numbers[m.at[MIXED] + (2 + 2 * MEMORY) * count :])
    for e in range(n):
        for i in range(size):
            here = m.rub[2 * e + 1] + i
            j = e * size + i
            force = m.numbers[here]
            if slow > 0:
                for c in range(min(k, MEMORY)):
                    past = used[2 * count + 2 * c * count :]
                    force -= m.numbers[m.at[MIXED] + (2 + 2 * MEMORY) * count + c] * (past[j] + past[count + j])
            m.numbers[m.at[REST] + m.rub[2 * e] + i] += force
            m.numbers[here + size] = force
    return new / max(most, 1e-300)


@native
def mix(c: i64, count: i64, used: Array, out: Array) -> None:
    """Find the weights of c past steps by least squares: Gauss's elimination of the normal equations, which follow in
    `out`."""
    change = used[count:]
    A = out[MEMORY:]
    trace = 0.0
    for a in range(c):
        first = used[(3 + 2 * a) * count :]
        for b in range(c):
            second = used[(3 + 2 * b) * count :]
            total = 0.0
            for j in range(count):
                total += first[j] * second[j]
            A[a * MEMORY + b] = total
        total = 0.0
        for j in range(count):
            total += first[j] * change[j]
        out[a] = total
        trace += A[a * MEMORY + a]
    for a in range(c):
        A[a * MEMORY + a] += 1e-15 * trace + 1e-300
    for a in range(c):
        for b in range(a + 1, c):
            share = A[b * MEMORY + a] / A[a * MEMORY + a]
            for d in range(a, c):
                A[b * MEMORY + d] -= share * A[a * MEMORY + d]
            out[b] -= share * out[a]
    for back in range(c):
        a = c - 1 - back
        for b in range(a + 1, c):
            out[a] -= A[a * MEMORY + b] * out[b]
        out[a] /= A[a * MEMORY + a]


@native
def rubbed(m: Loops) -> f64:
    """The friction power."""
    total = 0.0
    for k in range(m.at[NRUB]):
        for i in range(m.at[WIDTH]):
            total += m.numbers[m.rub[2 * k + 1] + i] * m.numbers[m.at[Y] + m.at[NQ] + m.rub[2 * k] + i]
    return total


@native
def wide_open(m: Loops) -> f64:
    """The factor by which the compliances of a held machine are larger, where its joints are open as Phi says."""
    total = 1.0
    for i in range(m.at[ROWS]):
        total += (m.hold[m.at[NV] + m.at[ROWS] + i] * m.numbers[m.at[PHI] + i]) ** 2
    return sqrt(total)


@native
def ease(by: f64, m: Loops) -> None:
    """Set the compliances of the rows of a held machine, multiplied by a factor."""
    nv = m.at[NV]
    for i in range(m.at[ROWS]):
        m.numbers[m.right[nv + m.at[ROWS] + i]] = -by * m.hold[nv + i]


@native
def diagonal_of(i: i64, m: Loops) -> i64:
    """The index of the i-th diagonal entry of the matrix by rows."""
    k = m.row_at[i]
    while m.column[k] != i:
        k += 1
    return k  # type: ignore[no-any-return]


@native
def residual(n: i64, nv: i64, x: Array, m: Loops, rest: Array) -> None:
    """Compute the right-hand side minus the true matrix times x."""
    for i in range(n):
        total = m.numbers[m.right[i]]
        if i < nv:
            total += m.hold[i] * x[i]
        for k in range(m.row_at[i], m.row_at[i + 1]):
            total -= m.numbers[m.place[k]] * x[m.column[k]]
        rest[i] = total
