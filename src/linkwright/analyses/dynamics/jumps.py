"""Accelerations, reactions and forces that are watched may jump through zero: where a law changes its form, at impacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.graph import topological
from linkwright.system.motion import follows_from_forces

AT_START = 1e-3  # a zero that lies within this part of a moment after the start is at the start
ROUNDING = 1e-9  # one value below this part of the other is zero


class Jumps:
    """The watched quantities that may jump, and which of them do. Values are those of all events, watched quantities
    first."""

    def __init__(self, watches: Sequence[Watch], which: Sequence[int]) -> None:
        self.watches, self.which = watches, which

    @classmethod
    def of(cls, machine: LoadedMachine, watches: Sequence[Watch]) -> Jumps:
        """The quantities that follow from accelerations or multipliers, and forces of the state alone whose law changes its
        form."""
        s = machine.system
        conditions = {id(switch.condition) for switch in s.switches if switch.condition is not None}
        told = [s.told([w.traced(machine)]) for w in watches]
        jumps = [follows_from_forces(s, x) or any(id(n) in conditions for n in topological(x)) for x in told]
        return cls(watches, [k for k, may in enumerate(jumps) if may])

    def passed(self, before: np.ndarray, after: np.ndarray) -> list[int]:
        """The numbers of the quantities whose sign changes in the sense of their direction."""
        out = []
        for k in self.which:
            a, b = float(before[k]), float(after[k])
            small = min(abs(a), abs(b)) <= ROUNDING * max(abs(a), abs(b))
            if a * b < 0 and not small and self.watches[k].direction * a <= 0:
                out.append(k)
        return out

    def begin(self, now: np.ndarray, later: np.ndarray) -> list[int]:
        """The numbers of the quantities that begin at zero but for rounding, and have no sign yet: `now` at the start,
        `later` a moment after."""
        return [k for k in self.which if abs(now[k]) <= AT_START * abs(later[k] - now[k])]
