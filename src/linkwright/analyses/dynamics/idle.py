"""Integrators that wait for the next run of a machine from the same start: making one takes longer than many a run."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from linkwright.analyses.dynamics.chart import Charted


class Waiting:
    """The integrator that a finished run has left for the next one, if there is one; of runs at the same time the others
    make their own. last: the equations of the last run, which are those of the next one with the same output times; again:
    how to make that run again, where it was smooth."""

    smooth = True

    def __init__(self) -> None:
        self._left: deque[Charted] = deque(maxlen=1)
        self.last: Any = None
        self.again: Any = None

    def taken(self) -> Charted | None:
        try:
            return self._left.pop()
        except IndexError:
            return None

    def leave(self, integrator: Charted) -> None:
        self._left.append(integrator)


@dataclass
class Idle:
    """The integrator of one run: `known` has waited for it; it is left in `waiting` when the run is over."""

    waiting: Waiting | None = None
    known: Charted | None = None
    used: Charted | None = field(default=None, init=False)

    def taken(self) -> Charted | None:
        self.used, self.known = self.known, None
        return self.used

    def take(self, made: Charted) -> None:
        """Keep an integrator that was made; one that calls back to Python, or has a course of its own, cannot run again."""
        if type(made) is Charted and made.raised is None:
            self.used = made

    def leave(self) -> None:
        left = self.used or self.known
        if self.waiting is not None and left is not None:
            self.waiting.leave(left)
