"""The functions of a looped machine that integrators run, as machine code: y' = f(t, y) and the projection onto the
constraints.

The state is that of `linkwright.system.motion`, y = (q, v, turns, work); rows must be independent, or held.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compile import Array, Code, Native, Pointers, copy, f64, i64, native
from linkwright.compile.block_ldl import least
from linkwright.compile.bound import Bound
from linkwright.compile.clock import traced_property as cached_property
from linkwright.system.forces import LEVELS
from linkwright.system.looped.following import Following, followed
from linkwright.system.looped.looped import LoopedSystem
from linkwright.system.looped.solving import (
    ACTIVE,
    ANGLES,
    BLOCKS,
    CALLED,
    CLOSED,
    DRIFT,
    FACTOR,
    FLAGS,
    FORCED,
    GAP,
    GROWTH,
    HELD,
    IDLE,
    LEVEL,
    MARGIN,
    MASSES,
    MOVED,
    NFLAGS,
    NGAPS,
    NPOWER,
    NQ,
    NSEEN,
    NSLOTS,
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
    SLOTS,
    STABILISED,
    SWITCHED,
    SWITCHES,
    TOLD,
    TURNED,
    TURNING,
    WATCHED,
    Loops,
    T,
    X,
    Y,
    ease,
    part,
    rubbed,
    solved,
    wide_open,
)

# Of Newton's method in a projection. Velocity equations are linear, and what is left of so small a correction is rounding; a
# held machine's rows are regularised.
STEPS, VELOCITY_STEPS, HELD_VELOCITY_STEPS = 2, 1, 2


class Called(Bound):
    """Machine code that Python may call, too."""

    def __call__(self, *ins: np.ndarray) -> tuple[np.ndarray, ...]:
        outs = [np.zeros(max(int(np.prod(shape)), 1)) for shape in self.outputs.values()]
        _once(self, [np.ascontiguousarray(x, dtype=float) if np.size(x) else np.zeros(1) for x in ins], outs)
        return tuple(x[: int(np.prod(shape))] for x, shape in zip(outs, self.outputs.values(), strict=True))


class LoopedFlow:
    """``motion``: y', lam, health; ``projection``: y on Phi = 0 and Phi' = 0; ``errors``: Phi, Phi'; ``events``: watched
    quantities, gaps at some levels (of what is closed its force), margins of slots, the functions of switches;
    ``switches``: those alone.

    Inputs are those of `Flow`: (t, y, b, calls, flags, gains), of which b and calls are empty; without flags and gains only
    t and y are looked at. Health is the smallest pivot relative to what it was made of.
    """

    def __init__(self, system: LoopedSystem, stabilised: bool = False, following: Following | None = None) -> None:
        """`stabilised`: the last input is Baumgarte's alpha and beta. `following`: displacements that a projection changes,
        by default all."""
        self.system, self.stabilised, self.following = system, stabilised, following

    @property
    def ny(self) -> int:
        return self.system.at.ny

    def state(self, q: Any, v: Any) -> np.ndarray:
        """y with the present references of angles, and no work done yet."""
        return np.concatenate([np.asarray(q, dtype=float), np.asarray(v, dtype=float), self.system.turns, [0.0]])

    def _bound(self, code: Native, *more: Any, **outputs: tuple[int, ...]) -> Called:
        gains = 2 if self.stabilised else 0
        inputs = {
            "t": (1,), "y": (self.ny,), "b": (0,), "calls": (0,), "flags": (self.system.at.nflags,), "gains": (gains,)
        }  # fmt: skip
        own = self.system.native.at.copy()
        own[STABILISED] = int(self.stabilised)
        return Called(code, [*self.system.native._replace(at=own), *more], inputs, outputs)

    @cached_property
    def motion(self) -> Called:
        return self._bound(_motion, ydot=(self.ny,), lam=(self.system.rows,), health=(1,))

    @cached_property
    def projection(self) -> Called:
        following = self.following or Following.of((), self.system.assembled)
        return self._bound(_projection, *following, y=(self.ny,))

    @cached_property
    def errors(self) -> Called:
        rows = (self.system.rows,)
        return self._bound(_errors, Phi=rows, rate=rows)

    @cached_property
    def events(self) -> Called:
        at = self.system.at
        return self._bound(_events, g=(len(at.watched) + LEVELS * len(at.impacts) + len(at.modes.slots) + at.nflags,))

    @cached_property
    def switches(self) -> Called:
        return self._bound(_switches, g=(self.system.at.nflags,))


def flow_of(system: LoopedSystem, stabilised: bool = False) -> LoopedFlow:
    """The flow of a system, made once."""
    return system.made((LoopedFlow, stabilised), lambda: LoopedFlow(system, stabilised))


@native
def _once(f: Code, ins: Pointers, outs: Pointers) -> None:
    f(ins, outs)


@native
def _take(ins: Pointers, m: Loops) -> None:
    """Time, state and flags."""
    m.numbers[m.at[T]] = ins[0][0]
    copy(m.at[NQ] + m.at[NV] + m.at[NTURNS], ins[1], m.numbers[m.at[Y] :])
    if m.at[NFLAGS] > 0:
        copy(m.at[NFLAGS], ins[4], m.numbers[m.at[FLAGS] :])


@native
def _accelerate(ins: Pointers, m: Loops) -> None:
    """The solution of the equations of motion at a state."""
    _take(ins, m)
    part(CALLED, m)
    if m.at[HELD] > 0:  # before all others: its J is theirs, too
        part(POSITION, m)
        ease(wide_open(m), m)
    for which in range(FACTOR):
        part(which, m)
    if m.at[STABILISED] > 0:
        part(POSITION, m)
        part(PHIDOT, m)
        _stabilise(ins[5], m)
    solved(1, m)
    if m.at[HELD] > 0:
        ease(1.0, m)


@native
def _events(ins: Pointers, outs: Pointers, m: Loops) -> None:
    if m.at[FORCED] > 0 or m.numbers[m.at[ACTIVE]] > 0.0:
        _accelerate(ins, m)
        part(SLOTS, m)
        part(TOLD, m)
    else:
        _take(ins, m)
        part(SLOTS, m)
    part(WATCHED, m)
    part(SWITCHED, m)
    n = m.at[NGAPS]
    copy(m.at[NSEEN], m.numbers[m.at[SEEN] :], outs[0])
    for level in range(LEVELS):
        for k in range(n):
            outs[0][m.at[NSEEN] + level * n + k] = m.numbers[m.at[GAP] + k] + m.numbers[m.at[LEVEL] + level * n + k]
    for k in range(n):  # of what is closed its force
        if m.numbers[m.at[CLOSED] + k] > 0.0:
            outs[0][m.at[NSEEN] + k] = -m.numbers[m.at[X] + m.at[NV] + m.gap[k]]
            for level in range(1, LEVELS):
                outs[0][m.at[NSEEN] + level * n + k] = 1.0
        if m.numbers[m.at[IDLE] + k] > 0.0:  # its gap is zero but for rounding
            outs[0][m.at[NSEEN] + k] = 1.0
    first = m.at[NSEEN] + LEVELS * n
    copy(m.at[NSLOTS], m.numbers[m.at[MARGIN] :], outs[0][first:])
    copy(m.at[NFLAGS], m.numbers[m.at[SWITCHES] :], outs[0][first + m.at[NSLOTS] :])


@native
def _switches(ins: Pointers, outs: Pointers, m: Loops) -> None:
    _take(ins, m)
    part(SWITCHED, m)
    copy(m.at[NFLAGS], m.numbers[m.at[SWITCHES] :], outs[0])


@native
def _motion(ins: Pointers, outs: Pointers, m: Loops) -> None:
    nq = m.at[NQ]
    nv = m.at[NV]
    turns = m.at[NTURNS]
    _accelerate(ins, m)
    ydot = outs[0]
    lam = m.numbers[m.at[X] + nv :]
    copy(nq, m.numbers[m.at[QDOT] :], ydot)
    copy(nv, m.numbers[m.at[X] :], ydot[nq:])
    copy(turns, m.numbers[m.at[TURNING] :], ydot[nq + nv :])
    ydot[nq + nv + turns] = _power(m, lam) + rubbed(m)
    copy(m.at[ROWS], lam, outs[1])
    outs[2][0] = least(m.at[BLOCKS], m.numbers[m.at[GROWTH] :])


@native
def _stabilise(gains: Array, m: Loops) -> None:
    """gamma with -2 alpha Phi' - beta^2 Phi (Haug 7.3.8)."""
    nv = m.at[NV]
    for i in range(m.at[ROWS]):
        pull = 2.0 * gains[0] * m.numbers[m.at[DRIFT] + i] + gains[1] * gains[1] * m.numbers[m.at[PHI] + i]
        m.numbers[m.right[nv + i]] -= pull


@native
def _power(m: Loops, lam: Array) -> f64:
    """The power of forces without potential and of drivers: -lam . nu (from M vdot + J^T lam = Q)."""
    total = 0.0
    for i in range(m.at[NPOWER]):
        total += m.numbers[m.at[POWER] + i]
    for i in range(m.at[ROWS]):
        total -= lam[i] * m.numbers[m.at[NU] + i]
    return total


@native
def _correct(gap: i64, m: Loops, f: Following) -> None:
    """x of M x + J^T mu = 0, J x = -gap, with M and J at hand; where some displacements follow, theirs alone."""
    if f.sizes[0] > 0 and followed(gap, m, f) > 0:
        return
    nv = m.at[NV]
    for i in range(nv):
        m.numbers[m.right[i]] = 0.0
    for i in range(m.at[ROWS]):
        m.numbers[m.right[nv + i]] = -m.numbers[gap + i]
    solved(0, m)


@native
def _errors(ins: Pointers, outs: Pointers, m: Loops) -> None:
    _take(ins, m)
    part(POSITION, m)
    part(PHIDOT, m)
    copy(m.at[ROWS], m.numbers[m.at[PHI] :], outs[0])
    copy(m.at[ROWS], m.numbers[m.at[DRIFT] :], outs[1])


@native
def _projection(ins: Pointers, outs: Pointers, m: Loops, f: Following) -> None:
    nq = m.at[NQ]
    nv = m.at[NV]
    turns = m.at[NTURNS]
    _take(ins, m)
    y = m.numbers[m.at[Y] :]
    for _ in range(STEPS):
        part(MASSES, m)
        part(POSITION, m)
        _correct(m.at[PHI], m, f)
        part(RETRACT, m)
        copy(nq, m.numbers[m.at[MOVED] :], y)
    for _ in range(HELD_VELOCITY_STEPS if m.at[HELD] > 0 else VELOCITY_STEPS):
        part(MASSES, m)
        part(POSITION, m)
        part(PHIDOT, m)
        _correct(m.at[DRIFT], m, f)
        for i in range(nv):
            y[nq + i] += m.numbers[m.at[X] + i]
    part(ANGLES, m)
    copy(turns, m.numbers[m.at[TURNED] :], y[nq + nv :])
    copy(nq + nv + turns, y, outs[0])
    outs[0][nq + nv + turns] = ins[1][nq + nv + turns]
