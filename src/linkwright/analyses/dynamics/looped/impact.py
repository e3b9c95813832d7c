"""Impacts of large machines: gaps that close, velocities that jump, sparsely solved; else as `bounces` has it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.dynamics.bounces import LATE, OVERLAP, Bounces
from linkwright.analyses.dynamics.looped.change import jump
from linkwright.analyses.dynamics.looped.held import scale
from linkwright.analyses.machine import trouble
from linkwright.errors import CompileError
from linkwright.later import sparse
from linkwright.system.looped import LoopedSystem

LOCKED = 1e6  # velocities that change by more than this multiple of what strikes: nothing can give way


class Impacts:
    """The part of a machine that `Bounces` asks: gaps, accelerations, sizes."""

    def __init__(self, looped: LoopedSystem) -> None:
        self.looped, self.nq, self.nv, self.scale = looped, looped.nq, looped.nv, scale(looped)
        loads = SimpleNamespace(impacts=[SimpleNamespace(element=name) for name in looped.at.impacts])
        self.system = SimpleNamespace(loads=loads, gaps=looped.gaps)

    def load_args(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> tuple[Any, Any, Any]:
        self.looped.turns[:] = turns
        return q, v, t

    def solve(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> Any:
        self.looped.turns[:] = turns
        return SimpleNamespace(vdot=self.looped.accelerations(q, v, t)[0])


class LoopedBounces(Bounces):
    """The impacts of a run."""

    machine: Any

    def set_levels(self, system: LoopedSystem, y: np.ndarray, t: float) -> int:
        """What is added to gaps for their later levels, as `Bounces.watched`; how many functions there are."""
        m = self.machine
        if not system.at.impacts:
            return 0
        q, v, time = m.load_args(y[: m.nq], y[m.nq : m.nq + m.nv], t, y[m.nq + m.nv : -1])
        size = np.linalg.norm(system.gaps(q, v, time, np.zeros(m.nv))[1] * m.scale, axis=1)
        size = np.where(size > 0, size, 1.0)
        levels = np.concatenate([level * size for level in (0.0, LATE, OVERLAP)])
        system.arena.view(system.at.levels, len(levels))[:] = levels
        return len(levels)

    def _jumped(
        self, t: float, y: np.ndarray, G: np.ndarray, rate: float, restitution: float
    ) -> tuple[np.ndarray, float, np.ndarray]:
        """By what a unit impulse along the gap does, w: M w + J^T mu = G^T, J w = 0. As J v = nu before and after, the
        impulse p gives the energy p v.M w + p^2 w.M w/2, with v.M w = G v - nu mu and w.M w = G w."""
        m, system = self.machine, self.machine.looped
        q, v, turns = y[: m.nq], y[m.nq : m.nq + m.nv], y[m.nq + m.nv : -1]
        system.turns[:] = turns
        change = -(1.0 + restitution) * rate
        w, mu = system.nearest(q, t, G, 0.0)
        yields = float(G @ w)
        step = w * (change / yields) if yields > 0 else np.full(m.nv, np.nan)
        size = abs(rate) / float(np.linalg.norm(G * m.scale))
        if np.abs(step / m.scale).max() <= LOCKED * size:  # else joints hold what is struck, all but
            p = change / yields
            energy = p * (float(G @ v) - float(system.nu(q, t) @ mu)) + 0.5 * p * p * yields
            return v + step, energy, np.zeros(0)
        after, _ = jump(system, t, y, sparse.csr_array(G[None]), np.array([change]))
        M = system.terms(q, v, t)[0]
        return after, 0.5 * float(after @ (M @ after) - v @ (M @ v)), np.zeros(0)

    def _rest(self, t: float, y: np.ndarray, more: list[int]) -> np.ndarray:
        """Loops know no equations that come and go."""
        names = list(dict.fromkeys(self.name(k) for k in more))
        if len(self.machine.looped.at.bodies) > size_policy.WHOLE:
            raise trouble.rests(t, names)
        raise CompileError(
            f"bodies that come to rest on each other ({', '.join(names)}): not available in loops", element=names,
            remedy="compile the machine as a whole",
        )  # fmt: skip
