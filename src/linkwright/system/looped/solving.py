"""What native code of a looped machine gets, and how it solves the equations: plainly, or held where rows depend.

Held, the matrix is [M + delta  J^T; J  -eps] with small delta (for bodies without inertia) and eps: regular where the
motion is determined. Solving for the residual of the true equations until nothing changes is the proximal iteration; it
satisfies J vdot = gamma to rounding, and lam stays at its initial value, zero, along the null space of J^T. Where joints
are open, as at the stages of a method, such rows contradict each other, and eps grows with what is open (`system.saddle`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwright.compile import Array, Codes, Ints, Pointers, f64, i64, native, sqrt
from linkwright.compile.script import Script, play
from linkwright.regularisation import LOST, ROUNDS, ROUNDS_FRICTION, SETTLED
from linkwright.system.looped.layout import SCRIPTS, Layout

# Places and sizes in the list that the native functions get.
T, Y, QDOT, X, TURNING, POWER, NU, GROWTH, PHI, DRIFT, MOVED, TURNED, REST, SUM, FLAGS, SWITCHES, SEEN, GAP, LEVEL = range(
    19
)
NQ, NV, NTURNS, NPOWER, ROWS, BLOCKS, HELD, NFLAGS, NSEEN, NRUB, WIDTH, NGAPS, STABILISED, FORCED, LOOKS = range(19, 34)
_SCRIPTS = 34  # where each script starts, and the end
RATES, VELOCITY, MASSES, ELEMENTS, FACTOR, BACK, POSITION, PHIDOT, ANGLES, RETRACT, AGAIN, SWITCHED = range(12)
WATCHED, FRICTION, CALLED, TOLD = 13, 14, 15, 16  # after "memories", which Python alone runs


class Loops(NamedTuple):
    """A machine as native functions take it. `at`: the table above; right: places of the right-hand side and, of a held
    machine, of what rows yield; row_at, column, place: its matrix by rows; hold: what it is held by; rub: displacements and
    places of friction; then the scripts as `play` takes them."""

    numbers: Array
    at: Ints
    right: Ints
    row_at: Ints
    column: Ints
    place: Ints
    hold: Array
    rub: Ints
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
    table = np.array([*places, *sizes, *starts], dtype=np.int64)
    none = np.zeros(1, dtype=np.int64)
    matrix = at.assembled.by_rows() if at.held else (none, none, none)
    rub = np.array(at.rubs or [(0, 0)], dtype=np.int64).ravel()
    right = np.concatenate([at.assembled.right_places, at.assembled.yield_places])
    given: list[Any] = [at.arena.numbers, table, right, *matrix, hold, rub, *whole.arguments[1:]]
    return Loops(*given)


@native
def part(which: i64, m: Loops) -> None:
    """Run one of the scripts."""
    a = m.at[_SCRIPTS + which]
    play(m.at[_SCRIPTS + which + 1] - a, m.codes[a:], m.in_at[a:], m.out_at[a:], m.in_table, m.out_table)


@native
def copy(n: i64, source: Array, target: Array) -> None:
    for i in range(n):
        target[i] = source[i]


@native
def largest(n: i64, x: Array) -> f64:
    most = 0.0
    for i in range(n):
        most = max(most, abs(x[i]))
    return most


@native
def solved(loaded: i64, m: Loops) -> f64:
    """x of the equations at hand, with friction where `loaded`. Returns what the next change of accelerations would be, by
    the largest, of a held machine; else zero."""
    nv = m.at[NV]
    n = nv + m.at[ROWS]
    if m.at[HELD] == 0:
        part(FACTOR, m)
        part(BACK, m)
        return 0.0
    for i in range(nv):
        if m.hold[i] > 0.0:
            m.numbers[m.place[diagonal_of(i, m)]] += m.hold[i]
    part(FACTOR, m)
    part(BACK, m)
    x = m.numbers[m.at[X] :]
    total = m.numbers[m.at[SUM] :]
    copy(n, x, total)
    rubs = loaded > 0 and m.at[NRUB] > 0
    last = 1.0
    for k in range(ROUNDS_FRICTION if rubs else ROUNDS):
        residual(n, nv, total, m, m.numbers[m.at[REST] :])
        change = 0.0
        if rubs:  # the reactions make the friction, which changes the reactions
            part(FRICTION, m)
            change = rub_in(m)
        part(AGAIN, m)
        part(BACK, m)
        change = max(change, largest(nv, x) / max(largest(nv, total), 1e-300))
        if change >= 0.5 * last and change < LOST:  # rounding: no better from here on
            break
        for i in range(n):
            total[i] += x[i]
        expected = change * change / last if k > 0 else change  # by as much as before
        last = change
        if change <= SETTLED or expected <= 0.1 * SETTLED:
            last = min(change, expected)
            break
    copy(n, total, x)
    return last


@native
def rub_in(m: Loops) -> f64:
    """Add friction to the residual; its largest change since the last iteration, relative to the largest force."""
    n = m.at[NRUB]
    size = m.at[WIDTH]
    most = 0.0
    new = 0.0
    for k in range(n):
        for i in range(size):
            here = m.rub[2 * k + 1] + i
            force = m.numbers[here]
            m.numbers[m.at[REST] + m.rub[2 * k] + i] += force
            most = max(most, abs(force))
            new = max(new, abs(force - m.numbers[here + size]))
            m.numbers[here + size] = force
    return new / max(most, 1e-300)


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
    """By what the yields of a held machine are larger where its joints are open as Phi says."""
    total = 1.0
    for i in range(m.at[ROWS]):
        total += (m.hold[m.at[NV] + m.at[ROWS] + i] * m.numbers[m.at[PHI] + i]) ** 2
    return sqrt(total)


@native
def ease(by: f64, m: Loops) -> None:
    """Let the rows of a held machine yield by so much."""
    nv = m.at[NV]
    for i in range(m.at[ROWS]):
        m.numbers[m.right[nv + m.at[ROWS] + i]] = -by * m.hold[nv + i]


@native
def diagonal_of(i: i64, m: Loops) -> i64:
    k = m.row_at[i]
    while m.column[k] != i:
        k += 1
    return k  # type: ignore[no-any-return]


@native
def residual(n: i64, nv: i64, x: Array, m: Loops, rest: Array) -> None:
    """The right-hand side less the true matrix times x."""
    for i in range(n):
        total = m.numbers[m.right[i]]
        if i < nv:
            total += m.hold[i] * x[i]
        for k in range(m.row_at[i], m.row_at[i + 1]):
            total -= m.numbers[m.place[k]] * x[m.column[k]]
        rest[i] = total
