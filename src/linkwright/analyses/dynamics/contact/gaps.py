"""The gaps of all contacts at one state, and what counts as closed and as at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from linkwright.analyses.machine.moving import MovingMachine

LOW = 1e-12  # a flight that rises less than this part of the machine's size is none: what impacts are left err by no more
TOUCH = 1e-10  # gaps below this part of the machine's size are closed
STILL = 1e-10  # rates of a gap below this part of the machine's velocities are none


@dataclass(frozen=True, eq=False)
class Gaps:
    """By contact: the gap, its slopes G, its rate, its second derivative, the restitution e; what a displacement of the
    machine's size does to it, and the rate that is none."""

    gap: np.ndarray
    G: np.ndarray
    rate: np.ndarray
    second: np.ndarray
    e: np.ndarray
    size: np.ndarray
    still: np.ndarray

    @classmethod
    def of(cls, machine: MovingMachine, t: float, y: np.ndarray, span: float, vdot: np.ndarray | None = None) -> Self:
        """Velocities of a machine at rest are rounding, and so are parts of them: a rate that would not open the gap within
        the whole span is none, either."""
        q, v, turns = machine.split(y)
        gap, G, rate, second, e = machine.gaps(q, v, t, turns, vdot)
        size = np.linalg.norm(G * machine.scale, axis=1)
        speed = np.abs(v / machine.scale).max(initial=0.0)
        return cls(gap, G, rate, second, e, size, size * max(STILL * speed, LOW / span if span else 0.0))

    @property
    def near(self) -> np.ndarray:
        """Which are closed, or as good as closed."""
        return np.asarray(self.gap <= TOUCH * self.size)

    @property
    def at_rest(self) -> np.ndarray:
        """Which of them neither strike nor part."""
        return np.asarray(self.near & (np.abs(self.rate) <= self.still))
