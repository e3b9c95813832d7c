"""Impacts of large machines: gaps that close, velocities that jump, sparsely solved; else as `bounces` has it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from linkwright.analyses.bounces import LATE, OVERLAP, Bounces
from linkwright.analyses.impact import Rebound
from linkwright.analyses.looped_change import jump
from linkwright.analyses.looped_held import scale
from linkwright.system.looped import LoopedSystem


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

    def _rebound(self, t: float, y: np.ndarray, k: int) -> Rebound:
        """M (v+ - v-) = J^T Lam + G^T p with J v+ = nu and G v+ + gap_t = -e (G v- + gap_t) for the k-th impact."""
        m, system = self.machine, self.machine.looped
        q, v, turns = y[: m.nq], y[m.nq : m.nq + m.nv], y[m.nq + m.nv : -1]
        _, G, rate, _, restitution = system.gaps(*m.load_args(q, v, t, turns), np.zeros(m.nv))
        after, _ = jump(system, t, y, csr_array(G[k : k + 1]), np.array([-(1.0 + restitution[k]) * rate[k]]))
        M = system.terms(q, v, t)[0]
        energy = 0.5 * float(after @ (M @ after) - v @ (M @ v))
        vdot = m.solve(q, after, t, turns).vdot
        _, _, rate, second, _ = system.gaps(q, after, t, vdot)
        flight = 2 * rate[k] / -second[k] if second[k] < 0 else np.inf
        return Rebound(after, energy, max(float(flight), 0.0))
