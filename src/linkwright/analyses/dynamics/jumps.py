"""Accelerations, reactions and forces that are watched may jump through zero: where a law changes its form, at impacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.graph import Scalar, topological
from linkwright.system.mechanics import Mechanics
from linkwright.system.motion import follows_from_forces

AT_START = 1e-3  # a zero that lies within this part of a moment after the start is at the start
ROUNDING = 1e-9  # one value below this part of the other is zero


class Jumps:
    """Which of the watched quantities may jump, and which do. Values are those of all events, watched ones first."""

    def __init__(self, machine: LoadedMachine, watches: Sequence[Watch]) -> None:
        s = machine.system
        self.watches = watches
        self._conditions = {id(switch.condition) for switch in s.loads.switches if switch.condition is not None}
        self.which = [k for k, w in enumerate(watches) if self._may_jump(s, s.told([w.traced(machine)]))]

    def _may_jump(self, system: Mechanics, values: list[Scalar]) -> bool:
        """Also forces that follow from the state alone, by a law that changes its form."""
        return follows_from_forces(system, values) or any(id(n) in self._conditions for n in topological(values))

    def passed(self, before: np.ndarray, after: np.ndarray) -> list[int]:
        """Those with a change of sign in the sense of their direction."""
        out = []
        for k in self.which:
            a, b = float(before[k]), float(after[k])
            small = min(abs(a), abs(b)) <= ROUNDING * max(abs(a), abs(b))
            if a * b < 0 and not small and self.watches[k].direction * a <= 0:
                out.append(k)
        return out

    def begin(self, now: np.ndarray, later: np.ndarray) -> list[int]:
        """Those that begin at zero but for rounding: `now` at the start, `later` a moment after. They have no sign yet."""
        return [k for k in self.which if abs(now[k]) <= AT_START * abs(later[k] - now[k])]
