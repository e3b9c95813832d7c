"""Generalised coordinate partitioning of large machines: which displacements are independent, and when to choose anew (Haug
7.3.2). As in `dynamics.partition`, a choice is judged by the motion of dependent displacements for a unit of an independent
one, by which errors grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.looped.held import scale
from linkwright.solve.free_columns import EVEN, evened, free_columns, motions
from linkwright.solve.rank import scaled
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.following import Following

# Motions larger than this for a unit of an independent displacement: others are chosen; and states that were corrected so
# are computed again in fewer, shorter steps.
BAD, SPOILED = 2 * EVEN, 40 * EVEN


@dataclass(frozen=True, eq=False)
class Partition:
    """A choice of dependent displacements, and what projects onto the constraints by moving them alone."""

    dependent: list[int]
    following: Following

    @classmethod
    def at(cls, system: LoopedSystem, q: np.ndarray, t: float) -> Partition | None:
        """The best partition at a configuration, or nearly; None where rows depend on each other."""
        J = system.Phi_v(q, t)
        found = free_columns(scaled(J, scale(system))[0], True)
        if found is None or len(found[0]) + system.rows != system.nv:
            return None
        free = set(evened(*found))
        dependent = [k for k in range(system.nv) if k not in free]
        return cls(dependent, Following.of(dependent, system.assembled))

    def growth(self, system: LoopedSystem, q: np.ndarray, t: float) -> float:
        """The largest motion of a dependent displacement for a unit of an independent one."""
        Z = motions(scaled(system.Phi_v(q, t), scale(system))[0], self.free(system.nv))
        return float("inf") if Z is None else float(np.abs(Z).max(initial=1.0))

    def free(self, nv: int) -> list[int]:
        return sorted(set(range(nv)).difference(self.dependent))

    def weights(self, plain: np.ndarray, moved: Any, nq: int) -> np.ndarray:
        """The weights by which the numbers of a bodies' state rule the steps: speeds that are independent, and coordinates
        that they move. plain: the weights without partition; moved: the derivative of coordinates by displacements."""
        weight, nv = plain.copy(), moved.shape[1]
        free = self.free(nv)
        weight[nq : nq + nv] = 0.0
        weight[[nq + k for k in free]] = 1.0
        weight[:nq] = abs(moved)[:, free].sum(axis=1) > 0 if free else 1.0  # nothing is free: the motion is the drivers'
        return weight
