"""What integrators run of a looped machine, as machine code: y' = f(t, y) and the projection onto the constraints.

The state is that of `linkwright.system.motion`, y = (q, v, turns, work); rows must be independent, or held.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compile import Array, Code, Codes, Ints, Native, Pointers, f64, i64, native
from linkwright.compile.block_ldl import least
from linkwright.compile.bound import Bound
from linkwright.compile.clock import traced_property as cached_property
from linkwright.system.forces import LEVELS
from linkwright.system.looped.looped import LoopedSystem
from linkwright.system.looped.solving import (
    ANGLES,
    BLOCKS,
    CALLED,
    DRIFT,
    FACTOR,
    FLAGS,
    FORCED,
    GAP,
    GROWTH,
    HELD,
    LEVEL,
    MASSES,
    MOVED,
    NFLAGS,
    NGAPS,
    NPOWER,
    NQ,
    NSEEN,
    NTURNS,
    NU,
    NV,
    PHI,
    PHIDOT,
    POSITION,
    POWER,
    QDOT,
    RETRACT,
    ROWS,
    SEEN,
    STABILISED,
    SWITCHED,
    SWITCHES,
    TOLD,
    TURNED,
    TURNING,
    WATCHED,
    T,
    X,
    Y,
    copy,
    ease,
    part,
    rubbed,
    solved,
    wide_open,
)

# Of Newton's method in a projection. Velocity equations are linear, and what is left of so small a correction is rounding; a
# held machine's rows yield.
STEPS, VELOCITY_STEPS, HELD_VELOCITY_STEPS = 2, 1, 2


class Called(Bound):
    """Machine code that Python may call, too."""

    def __call__(self, *ins: np.ndarray) -> tuple[np.ndarray, ...]:
        outs = [np.zeros(max(int(np.prod(shape)), 1)) for shape in self.outputs.values()]
        _once(self, [np.ascontiguousarray(x, dtype=float) if np.size(x) else np.zeros(1) for x in ins], outs)
        return tuple(x[: int(np.prod(shape))] for x, shape in zip(outs, self.outputs.values(), strict=True))


class LoopedFlow:
    """``motion``: y', lam, health; ``projection``: y on Phi = 0 and Phi' = 0; ``events``: watched quantities, gaps at
    some levels, the functions of switches; ``switches``: those alone.

    Inputs are those of `Flow`: (t, y, b, calls, flags, gains), of which b and calls are empty; without flags and gains only
    t and y are looked at. Health is the smallest pivot relative to what it was made of.
    """

    def __init__(self, system: LoopedSystem, stabilised: bool = False) -> None:
        """`stabilised`: the last input is Baumgarte's alpha and beta."""
        self.system, self.stabilised = system, stabilised

    @property
    def ny(self) -> int:
        return self.system.at.ny

    def state(self, q: Any, v: Any) -> np.ndarray:
        """y with the present references of angles, and no work done yet."""
        return np.concatenate([np.asarray(q, dtype=float), np.asarray(v, dtype=float), self.system.turns, [0.0]])

    def _bound(self, code: Native, **outputs: tuple[int, ...]) -> Called:
        gains = 2 if self.stabilised else 0
        inputs = {
            "t": (1,), "y": (self.ny,), "b": (0,), "calls": (0,), "flags": (self.system.at.nflags,), "gains": (gains,)
        }  # fmt: skip
        numbers, table, *rest = self.system.native
        own = table.copy()
        own[STABILISED] = int(self.stabilised)
        return Called(code, [numbers, own, *rest], inputs, outputs)

    @cached_property
    def motion(self) -> Called:
        return self._bound(_motion, ydot=(self.ny,), lam=(self.system.rows,), health=(1,))

    @cached_property
    def projection(self) -> Called:
        return self._bound(_projection, y=(self.ny,))

    @cached_property
    def events(self) -> Called:
        at = self.system.at
        return self._bound(_events, g=(len(at.watched) + LEVELS * len(at.impacts) + at.nflags,))

    @cached_property
    def switches(self) -> Called:
        return self._bound(_switches, g=(self.system.at.nflags,))


def flow_of(system: LoopedSystem, stabilised: bool = False) -> LoopedFlow:
    """Made once for a system."""
    key = LoopedFlow, stabilised
    if key not in system.made:
        system.made[key] = LoopedFlow(system, stabilised)
    found: LoopedFlow = system.made[key]
    return found


@native
def _once(f: Code, ins: Pointers, outs: Pointers) -> None:
    f(ins, outs)


@native
def _take(ins: Pointers, numbers: Array, at: Ints) -> None:
    """Time, state and flags."""
    numbers[at[T]] = ins[0][0]
    copy(at[NQ] + at[NV] + at[NTURNS], ins[1], numbers[at[Y] :])
    if at[NFLAGS] > 0:
        copy(at[NFLAGS], ins[4], numbers[at[FLAGS] :])


@native
def _accelerate(
    ins: Pointers, numbers: Array, at: Ints, right: Ints, row_at: Ints, column: Ints, place: Ints, hold: Array, rub: Ints,
    codes: Codes, in_at: Ints, out_at: Ints, in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    """The solution of the equations of motion at a state."""
    _take(ins, numbers, at)
    part(CALLED, at, codes, in_at, out_at, in_table, out_table)
    if at[HELD] > 0:  # before all others: its J is theirs, too
        part(POSITION, at, codes, in_at, out_at, in_table, out_table)
        ease(wide_open(at, numbers, hold), at, numbers, right, hold)
    for which in range(FACTOR):
        part(which, at, codes, in_at, out_at, in_table, out_table)
    if at[STABILISED] > 0:
        part(POSITION, at, codes, in_at, out_at, in_table, out_table)
        part(PHIDOT, at, codes, in_at, out_at, in_table, out_table)
        _stabilise(ins[5], numbers, at, right)
    solved(1, numbers, at, right, row_at, column, place, hold, rub, codes, in_at, out_at, in_table, out_table)
    if at[HELD] > 0:
        ease(1.0, at, numbers, right, hold)


@native
def _events(
    ins: Pointers, outs: Pointers, numbers: Array, at: Ints, right: Ints, row_at: Ints, column: Ints, place: Ints,
    hold: Array, rub: Ints, codes: Codes, in_at: Ints, out_at: Ints, in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    if at[FORCED] > 0:
        _accelerate(ins, numbers, at, right, row_at, column, place, hold, rub, codes, in_at, out_at, in_table, out_table)
        part(TOLD, at, codes, in_at, out_at, in_table, out_table)
    else:
        _take(ins, numbers, at)
    part(WATCHED, at, codes, in_at, out_at, in_table, out_table)
    part(SWITCHED, at, codes, in_at, out_at, in_table, out_table)
    n = at[NGAPS]
    copy(at[NSEEN], numbers[at[SEEN] :], outs[0])
    for level in range(LEVELS):
        for k in range(n):
            outs[0][at[NSEEN] + level * n + k] = numbers[at[GAP] + k] + numbers[at[LEVEL] + level * n + k]
    copy(at[NFLAGS], numbers[at[SWITCHES] :], outs[0][at[NSEEN] + LEVELS * n :])


@native
def _switches(
    ins: Pointers, outs: Pointers, numbers: Array, at: Ints, right: Ints, row_at: Ints, column: Ints, place: Ints,
    hold: Array, rub: Ints, codes: Codes, in_at: Ints, out_at: Ints, in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    _take(ins, numbers, at)
    part(SWITCHED, at, codes, in_at, out_at, in_table, out_table)
    copy(at[NFLAGS], numbers[at[SWITCHES] :], outs[0])


@native
def _motion(
    ins: Pointers, outs: Pointers, numbers: Array, at: Ints, right: Ints, row_at: Ints, column: Ints, place: Ints,
    hold: Array, rub: Ints, codes: Codes, in_at: Ints, out_at: Ints, in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    nq = at[NQ]
    nv = at[NV]
    turns = at[NTURNS]
    _accelerate(ins, numbers, at, right, row_at, column, place, hold, rub, codes, in_at, out_at, in_table, out_table)
    ydot = outs[0]
    lam = numbers[at[X] + nv :]
    copy(nq, numbers[at[QDOT] :], ydot)
    copy(nv, numbers[at[X] :], ydot[nq:])
    copy(turns, numbers[at[TURNING] :], ydot[nq + nv :])
    ydot[nq + nv + turns] = _power(at, numbers, lam) + rubbed(at, numbers, rub)
    copy(at[ROWS], lam, outs[1])
    outs[2][0] = least(at[BLOCKS], numbers[at[GROWTH] :])


@native
def _stabilise(gains: Array, numbers: Array, at: Ints, right: Ints) -> None:
    """gamma with -2 alpha Phi' - beta^2 Phi (Haug 7.3.8)."""
    nv = at[NV]
    for i in range(at[ROWS]):
        pull = 2.0 * gains[0] * numbers[at[DRIFT] + i] + gains[1] * gains[1] * numbers[at[PHI] + i]
        numbers[right[nv + i]] -= pull


@native
def _power(at: Ints, numbers: Array, lam: Array) -> f64:
    """Of forces without potential and of drivers: -lam . nu (from M vdot + J^T lam = Q)."""
    total = 0.0
    for i in range(at[NPOWER]):
        total += numbers[at[POWER] + i]
    for i in range(at[ROWS]):
        total -= lam[i] * numbers[at[NU] + i]
    return total


@native
def _correct(
    gap: i64, numbers: Array, at: Ints, right: Ints, row_at: Ints, column: Ints, place: Ints, hold: Array, rub: Ints,
    codes: Codes, in_at: Ints, out_at: Ints, in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    """x of M x + J^T mu = 0, J x = -gap, with M and J at hand."""
    nv = at[NV]
    for i in range(nv):
        numbers[right[i]] = 0.0
    for i in range(at[ROWS]):
        numbers[right[nv + i]] = -numbers[gap + i]
    solved(0, numbers, at, right, row_at, column, place, hold, rub, codes, in_at, out_at, in_table, out_table)


@native
def _projection(
    ins: Pointers, outs: Pointers, numbers: Array, at: Ints, right: Ints, row_at: Ints, column: Ints, place: Ints,
    hold: Array, rub: Ints, codes: Codes, in_at: Ints, out_at: Ints, in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    nq = at[NQ]
    nv = at[NV]
    turns = at[NTURNS]
    _take(ins, numbers, at)
    y = numbers[at[Y] :]
    for _ in range(STEPS):
        part(MASSES, at, codes, in_at, out_at, in_table, out_table)
        part(POSITION, at, codes, in_at, out_at, in_table, out_table)
        _correct(at[PHI], numbers, at, right, row_at, column, place, hold, rub, codes, in_at, out_at, in_table, out_table)
        part(RETRACT, at, codes, in_at, out_at, in_table, out_table)
        copy(nq, numbers[at[MOVED] :], y)
    for _ in range(HELD_VELOCITY_STEPS if at[HELD] > 0 else VELOCITY_STEPS):
        part(MASSES, at, codes, in_at, out_at, in_table, out_table)
        part(POSITION, at, codes, in_at, out_at, in_table, out_table)
        part(PHIDOT, at, codes, in_at, out_at, in_table, out_table)
        _correct(at[DRIFT], numbers, at, right, row_at, column, place, hold, rub, codes, in_at, out_at, in_table, out_table)
        for i in range(nv):
            y[nq + i] += numbers[at[X] + i]
    part(ANGLES, at, codes, in_at, out_at, in_table, out_table)
    copy(turns, numbers[at[TURNED] :], y[nq + nv :])
    copy(nq + nv + turns, y, outs[0])
    outs[0][nq + nv + turns] = ins[1][nq + nv + turns]
