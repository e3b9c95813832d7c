"""Treatments of constraints: what each does to the equations, and to the states of the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.machine.safety import Allowed
from linkwright.solve.hybrid import hybrid
from linkwright.system.looped.flow import LoopedFlow
from linkwright.system.looped.joints import JointedFlow
from linkwright.system.motion import Flow

SPOILED = 1e-7  # errors of position, by the machine's length, that no good partition leaves


@dataclass(frozen=True)
class Treatment:
    """One treatment of the constraints. corrects: the state of a step meets the constraints; velocities: their rates, too;
    partitions: dependent coordinates follow the others; regularises: rows may be dependent from the start; gains:
    Baumgarte's alpha and beta, or none. tolerance: errors above it are corrected, others are not (hybrid); None: all are.
    count: the states that were looked at so, and those that were corrected."""

    name: str
    corrects: bool = True
    velocities: bool = True
    partitions: bool = False
    regularises: bool = False
    gains: tuple[float, ...] = ()
    tolerance: float | None = None
    count: np.ndarray = field(default_factory=lambda: np.zeros(2, dtype=np.int64))

    @classmethod
    def of(cls, options: Options) -> Treatment:
        return {
            "projection": cls("projection"),
            "partitioning": cls("partitioning", partitions=True),
            "stabilization": cls("stabilization", corrects=False, gains=options.gains),
            "direct": cls("direct", corrects=False),
            "hybrid": cls("hybrid", partitions=True, gains=options.gains, tolerance=options.tolerance),
            "augmented": cls("augmented", regularises=True),
            "ggl": cls("index 3, stabilised (GGL)"),
            "index-3": cls("index 3", velocities=False),
        }[options.constraints]

    def pure(self) -> Treatment:
        """The same without stabilisation: every state is corrected."""
        return replace(self, gains=(), tolerance=0.0)

    def projection(self, flow: Flow | LoopedFlow | JointedFlow, dependent: Sequence[int]) -> Any:
        """Code that corrects a state of the flow, if any does. `dependent`: coordinates that follow the others."""
        if not self.corrects:
            return None
        if self.tolerance is None or not dependent:
            return flow.projection
        return hybrid(flow.errors, flow.projection, self.tolerance, np.ones(len(dependent)), self.count)

    def loose(self, options: Options) -> float:
        """Errors of position, by the machine's length, from which on a partition was not good."""
        return max(10 * (options.tolerance if self.tolerance is None else self.tolerance), SPOILED)

    def allowed(self, rtol: float, steps: int) -> Allowed:
        """The errors that the tolerances of a run allow."""
        return Allowed(rtol, steps, self.corrects, self.corrects and self.velocities)

    def notes(self) -> list[str]:
        looked, corrected = self.count
        return [f"{self.name}: {corrected} of {looked} states needed a correction"] if looked else []
