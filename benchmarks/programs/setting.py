"""One program at one setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Kept:
    """How well a run kept what it must, at its end: the largest distance of points that a joint holds together [m], and
    the energy gained or lost [J]; None where no joint has such points, or where the machine itself does not keep energy."""

    gap: float | None
    drift: float | None


@dataclass(frozen=True)
class Run:
    """`go` makes one whole run from the start and returns the numbers looked at; `kept` then judges the state that it
    ended in, by formulas of ours and not by the program's own; `evaluations` says how often it evaluated accelerations."""

    go: Callable[[], np.ndarray]
    kept: Callable[[], Kept] | None = None
    evaluations: Callable[[], int] | None = None

    def __call__(self) -> np.ndarray:
        return self.go()


@dataclass(frozen=True)
class Setting:
    """`prepare` builds the machine and what can be used again; `tuned`: not what a user of the program would take first."""

    program: str
    name: str
    prepare: Callable[[], Run]
    tuned: bool = False
