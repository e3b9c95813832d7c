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
from linkwright.system.looped import solving as s
from linkwright.system.looped.following import Following, followed
from linkwright.system.looped.looped import LoopedSystem

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
        own[s.STABILISED] = int(self.stabilised)
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
def _take(ins: Pointers, m: s.Loops) -> None:
    """Time, state and flags."""
    m.numbers[m.at[s.T]] = ins[0][0]
    copy(m.at[s.NQ] + m.at[s.NV] + m.at[s.NTURNS], ins[1], m.numbers[m.at[s.Y] :])
    if m.at[s.NFLAGS] > 0:
        copy(m.at[s.NFLAGS], ins[4], m.numbers[m.at[s.FLAGS] :])


@native
def _accelerate(ins: Pointers, m: s.Loops) -> None:
    """The solution of the equations of motion at a state."""
    _take(ins, m)
    s.part(s.CALLED, m)
    if m.at[s.HELD] > 0:  # before all others: its J is theirs, too
        s.part(s.POSITION, m)
        s.ease(s.wide_open(m), m)
    for which in range(s.FACTOR):
        s.part(which, m)
    if m.at[s.STABILISED] > 0:
        s.part(s.POSITION, m)
        s.part(s.PHIDOT, m)
        _stabilise(ins[5], m)
    s.solved(1, m)
    if m.at[s.HELD] > 0:
        s.ease(1.0, m)


@native
def _events(ins: Pointers, outs: Pointers, m: s.Loops) -> None:
    if m.at[s.FORCED] > 0 or m.numbers[m.at[s.ACTIVE]] > 0.0:
        _accelerate(ins, m)
        s.part(s.SLOTS, m)
        s.part(s.TOLD, m)
    else:
        _take(ins, m)
        s.part(s.SLOTS, m)
    s.part(s.WATCHED, m)
    s.part(s.SWITCHED, m)
    n = m.at[s.NGAPS]
    copy(m.at[s.NSEEN], m.numbers[m.at[s.SEEN] :], outs[0])
    for level in range(LEVELS):
        for k in range(n):
            outs[0][m.at[s.NSEEN] + level * n + k] = m.numbers[m.at[s.GAP] + k] + m.numbers[m.at[s.LEVEL] + level * n + k]
    for k in range(n):  # of what is closed its force
        if m.numbers[m.at[s.CLOSED] + k] > 0.0:
            outs[0][m.at[s.NSEEN] + k] = -m.numbers[m.at[s.X] + m.at[s.NV] + m.gap[k]]
            for level in range(1, LEVELS):
                outs[0][m.at[s.NSEEN] + level * n + k] = 1.0
        if m.numbers[m.at[s.IDLE] + k] > 0.0:  # its gap is zero but for rounding
            outs[0][m.at[s.NSEEN] + k] = 1.0
    first = m.at[s.NSEEN] + LEVELS * n
    copy(m.at[s.NSLOTS], m.numbers[m.at[s.MARGIN] :], outs[0][first:])
    copy(m.at[s.NFLAGS], m.numbers[m.at[s.SWITCHES] :], outs[0][first + m.at[s.NSLOTS] :])


@native
def _switches(ins: Pointers, outs: Pointers, m: s.Loops) -> None:
    _take(ins, m)
    s.part(s.SWITCHED, m)
    copy(m.at[s.NFLAGS], m.numbers[m.at[s.SWITCHES] :], outs[0])


@native
def _motion(ins: Pointers, outs: Pointers, m: s.Loops) -> None:
    nq = m.at[s.NQ]
    nv = m.at[s.NV]
    turns = m.at[s.NTURNS]
    _accelerate(ins, m)
    ydot = outs[0]
    lam = m.numbers[m.at[s.X] + nv :]
    copy(nq, m.numbers[m.at[s.QDOT] :], ydot)
    copy(nv, m.numbers[m.at[s.X] :], ydot[nq:])
    copy(turns, m.numbers[m.at[s.TURNING] :], ydot[nq + nv :])
    ydot[nq + nv + turns] = _power(m, lam) + s.rubbed(m)
    copy(m.at[s.ROWS], lam, outs[1])
    outs[2][0] = least(m.at[s.BLOCKS], m.numbers[m.at[s.GROWTH] :])


@native
def _stabilise(gains: Array, m: s.Loops) -> None:
    """gamma with -2 alpha Phi' - beta^2 Phi (Haug 7.3.8)."""
    nv = m.at[s.NV]
    for i in range(m.at[s.ROWS]):
        pull = 2.0 * gains[0] * m.numbers[m.at[s.DRIFT] + i] + gains[1] * gains[1] * m.numbers[m.at[s.PHI] + i]
        m.numbers[m.right[nv + i]] -= pull


@native
def _power(m: s.Loops, lam: Array) -> f64:
    """The power of forces without potential and of drivers: -lam . nu (from M vdot + J^T lam = Q)."""
    total = 0.0
    for i in range(m.at[s.NPOWER]):
        total += m.numbers[m.at[s.POWER] + i]
    for i in range(m.at[s.ROWS]):
        total -= lam[i] * m.numbers[m.at[s.NU] + i]
    return total


@native
def _correct(gap: i64, m: s.Loops, f: Following) -> None:
    """x of M x + J^T mu = 0, J x = -gap, with M and J at hand; where some displacements follow, theirs alone."""
    if f.sizes[0] > 0 and followed(gap, m, f) > 0:
        return
    nv = m.at[s.NV]
    for i in range(nv):
        m.numbers[m.right[i]] = 0.0
    for i in range(m.at[s.ROWS]):
        m.numbers[m.right[nv + i]] = -m.numbers[gap + i]
    s.solved(0, m)


@native
def _errors(ins: Pointers, outs: Pointers, m: s.Loops) -> None:
    _take(ins, m)
    s.part(s.POSITION, m)
    s.part(s.PHIDOT, m)
    copy(m.at[s.ROWS], m.numbers[m.at[s.PHI] :], outs[0])
    copy(m.at[s.ROWS], m.numbers[m.at[s.DRIFT] :], outs[1])


@native
def _projection(ins: Pointers, outs: Pointers, m: s.Loops, f: Following) -> None:
    nq = m.at[s.NQ]
    nv = m.at[s.NV]
    turns = m.at[s.NTURNS]
    _take(ins, m)
    y = m.numbers[m.at[s.Y] :]
    for _ in range(STEPS):
        s.part(s.MASSES, m)
        s.part(s.POSITION, m)
        _correct(m.at[s.PHI], m, f)
        s.part(s.RETRACT, m)
        copy(nq, m.numbers[m.at[s.MOVED] :], y)
    for _ in range(HELD_VELOCITY_STEPS if m.at[s.HELD] > 0 else VELOCITY_STEPS):
        s.part(s.MASSES, m)
        s.part(s.POSITION, m)
        s.part(s.PHIDOT, m)
        _correct(m.at[s.DRIFT], m, f)
        for i in range(nv):
            y[nq + i] += m.numbers[m.at[s.X] + i]
    s.part(s.ANGLES, m)
    copy(turns, m.numbers[m.at[s.TURNED] :], y[nq + nv :])
    copy(nq + nv + turns, y, outs[0])
    outs[0][nq + nv + turns] = ins[1][nq + nv + turns]
