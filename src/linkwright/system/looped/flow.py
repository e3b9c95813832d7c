"""What integrators run of a looped machine, as machine code: y' = f(t, y) and the projection onto the constraints.

The state is that of `linkwright.system.motion`, y = (q, v, turns, work); all rows must be independent.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compile import Array, Codes, Ints, Pointers, f64, i64, native
from linkwright.compile.bound import Bound
from linkwright.solve.block_ldl import least
from linkwright.solve.script import Script, play
from linkwright.system.looped.layout import SCRIPTS
from linkwright.system.looped.looped import LoopedSystem

# Places and sizes in the list that the native functions get.
_T, _Y, _QDOT, _X, _TURNING, _POWER, _NU, _GROWTH, _PHI, _DRIFT, _MOVED, _TURNED = range(12)
_NQ, _NV, _NTURNS, _NPOWER, _ROWS, _BLOCKS = range(12, 18)
_SCRIPTS = 18  # where each script starts, and the end
_RATES, _VELOCITY, _MASSES, _ELEMENTS, _FACTOR, _BACK, _POSITION, _PHIDOT, _ANGLES, _RETRACT = range(10)
STEPS = 2  # of Newton's method for positions and for velocities in a projection


class LoopedFlow:
    """``motion``: [t, y] -> y', lam, health; ``projection``: [t, y] -> y on Phi = 0 and Phi' = 0.

    Health is the smallest pivot relative to what it was made of. Further inputs of the integrator are not looked at.
    """

    def __init__(self, system: LoopedSystem) -> None:
        self.system = system

    @property
    def ny(self) -> int:
        return self.system.at.ny

    def state(self, q: Any, v: Any) -> np.ndarray:
        """y with the present references of angles, and no work done yet."""
        return np.concatenate([np.asarray(q, dtype=float), np.asarray(v, dtype=float), self.system.turns, [0.0]])

    @cached_property
    def _fixed(self) -> list[Any]:
        at = self.system.at
        whole, starts = Script(at.arena), [0]
        for name in SCRIPTS:
            whole.extend(at.scripts[name])
            starts.append(len(whole.functions))
        places = [
            at.t,
            at.y,
            at.qdot,
            at.x,
            at.turning,
            at.power,
            at.nu,
            at.ldl.growth,
            at.Phi,
            at.drift,
            at.moved,
            at.turned,
        ]
        sizes = [at.nq, at.nv, at.nturns, at.npower, at.rows, len(at.sizes)]
        table = np.array([*places, *sizes, *starts], dtype=np.int64)
        return [at.arena.numbers, table, at.assembled.right_places, *whole.arguments[1:]]

    @cached_property
    def motion(self) -> Bound:
        outputs = {"ydot": (self.ny,), "lam": (self.system.rows,), "health": (1,)}
        return Bound(_motion, self._fixed, {"t": (1,), "y": (self.ny,)}, outputs)

    @cached_property
    def projection(self) -> Bound:
        return Bound(_projection, self._fixed, {"t": (1,), "y": (self.ny,)}, {"y": (self.ny,)})


@native
def _part(which: i64, at: Ints, codes: Codes, in_at: Ints, out_at: Ints, ins: Pointers, outs: Pointers) -> None:
    """Run one of the scripts."""
    a = at[_SCRIPTS + which]
    play(at[_SCRIPTS + which + 1] - a, codes[a:], in_at[a:], out_at[a:], ins, outs)


@native
def _copy(n: i64, source: Array, target: Array) -> None:
    for i in range(n):
        target[i] = source[i]


@native
def _motion(
    ins: Pointers, outs: Pointers, numbers: Array, at: Ints, right: Ints, codes: Codes, in_at: Ints, out_at: Ints,
    in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    nq = at[_NQ]
    nv = at[_NV]
    turns = at[_NTURNS]
    numbers[at[_T]] = ins[0][0]
    _copy(nq + nv + turns, ins[1], numbers[at[_Y] :])
    for which in range(_BACK + 1):
        _part(which, at, codes, in_at, out_at, in_table, out_table)
    ydot = outs[0]
    lam = numbers[at[_X] + nv :]
    _copy(nq, numbers[at[_QDOT] :], ydot)
    _copy(nv, numbers[at[_X] :], ydot[nq:])
    _copy(turns, numbers[at[_TURNING] :], ydot[nq + nv :])
    ydot[nq + nv + turns] = _power(at, numbers, lam)
    _copy(at[_ROWS], lam, outs[1])
    outs[2][0] = least(at[_BLOCKS], numbers[at[_GROWTH] :])


@native
def _power(at: Ints, numbers: Array, lam: Array) -> f64:
    """Of forces without potential and of drivers: -lam . nu (from M vdot + J^T lam = Q)."""
    total = 0.0
    for i in range(at[_NPOWER]):
        total += numbers[at[_POWER] + i]
    for i in range(at[_ROWS]):
        total -= lam[i] * numbers[at[_NU] + i]
    return total


@native
def _correct(
    gap: i64, numbers: Array, at: Ints, right: Ints, codes: Codes, in_at: Ints, out_at: Ints, in_table: Pointers,
    out_table: Pointers,
) -> None:  # fmt: skip
    """x of M x + J^T mu = 0, J x = -gap, with M and J at hand."""
    nv = at[_NV]
    for i in range(nv):
        numbers[right[i]] = 0.0
    for i in range(at[_ROWS]):
        numbers[right[nv + i]] = -numbers[gap + i]
    _part(_FACTOR, at, codes, in_at, out_at, in_table, out_table)
    _part(_BACK, at, codes, in_at, out_at, in_table, out_table)


@native
def _projection(
    ins: Pointers, outs: Pointers, numbers: Array, at: Ints, right: Ints, codes: Codes, in_at: Ints, out_at: Ints,
    in_table: Pointers, out_table: Pointers,
) -> None:  # fmt: skip
    nq = at[_NQ]
    nv = at[_NV]
    turns = at[_NTURNS]
    numbers[at[_T]] = ins[0][0]
    y = numbers[at[_Y] :]
    _copy(nq + nv + turns, ins[1], y)
    for _ in range(STEPS):
        _part(_MASSES, at, codes, in_at, out_at, in_table, out_table)
        _part(_POSITION, at, codes, in_at, out_at, in_table, out_table)
        _correct(at[_PHI], numbers, at, right, codes, in_at, out_at, in_table, out_table)
        _part(_RETRACT, at, codes, in_at, out_at, in_table, out_table)
        _copy(nq, numbers[at[_MOVED] :], y)
    for _ in range(STEPS):
        _part(_MASSES, at, codes, in_at, out_at, in_table, out_table)
        _part(_POSITION, at, codes, in_at, out_at, in_table, out_table)
        _part(_PHIDOT, at, codes, in_at, out_at, in_table, out_table)
        _correct(at[_DRIFT], numbers, at, right, codes, in_at, out_at, in_table, out_table)
        for i in range(nv):
            y[nq + i] += numbers[at[_X] + i]
    _part(_ANGLES, at, codes, in_at, out_at, in_table, out_table)
    _copy(turns, numbers[at[_TURNED] :], y[nq + nv :])
    _copy(nq + nv + turns, y, outs[0])
    outs[0][nq + nv + turns] = ins[1][nq + nv + turns]
