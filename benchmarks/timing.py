"""Medians with spread.

The clock counts the processor time of this process, all threads. Pinned to one core it shows what a wall clock
would on an idle machine, and other people's load does not enter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

clock = process_time
REPETITIONS = 11
SHORTEST = 0.02  # a repetition lasts at least this long [s]


@dataclass(frozen=True)
class Figure:
    """Seconds: the median of the repetitions and their quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Figure:
        low, median, high = np.percentile(seconds, [25, 50, 75])
        return cls(float(median), float(low), float(high))

    @property
    def spread(self) -> float:
        """The interquartile range, relative to the median."""
        return (self.high - self.low) / self.median


def measure(timed: Callable[[int], float], per: int = 1, repetitions: int = REPETITIONS) -> Figure:
    """Seconds for one of what `timed(count)` does count times; `per`: machines in each."""
    timed(1)  # warm
    count = 1
    while (seconds := timed(count)) < SHORTEST:
        count = int(count * min(10.0, 1.2 * SHORTEST / max(seconds, 1e-9))) + 1
    return Figure.of([timed(count) / count / per for _ in range(repetitions)])


def calls(f: Callable[[Any], Any], x: Any) -> Callable[[int], float]:
    """Times so many calls of f(x) from Python."""

    def timed(count: int) -> float:
        start = clock()
        for _ in range(count):
            f(x)
        return clock() - start

    return timed
