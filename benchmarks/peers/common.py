"""What the runner asks of each peer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.timing import clock


class Peer(ABC):
    """The function x -> (a, lam) of one chain, compiled. Results are one array or a tuple of arrays, (a, lam)."""

    compile_seconds: float  # from the traced graph (or from the source) to a function that has been called
    batch_seconds: float | None = None  # what the code for batches takes on top; None: nothing, or not told apart
    cached_seconds: float | None = None  # `compile_seconds` when it was compiled before, from a cache on disk
    rows_first = False  # the layout of a batch: False (13N, B), True (B, 13N), whichever suits the peer
    note = ""

    @abstractmethod
    def call(self, x: Any) -> Any:
        """One evaluation, called from Python; the result may be overwritten by the next call."""

    @abstractmethod
    def batch(self, X: Any) -> Any:
        """All machines of X, on one core, results in the same layout."""

    def native_loop(self, x: Any, count: int) -> float | None:
        """Seconds for `count` evaluations one after the other, without Python; None if the peer has no way."""
        return None

    def device(self, x: np.ndarray) -> Any:
        """x as the peer likes to have it; not timed."""
        return x


def fastest(calls: Mapping[str, Callable[[], Any]], repetitions: int = 5) -> str:
    """The name of the call that took least, each warmed up once."""
    best: dict[str, float] = {}
    for name, call in calls.items():
        call()
        for _ in range(repetitions):
            start = clock()
            call()
            best[name] = min(best.get(name, np.inf), clock() - start)
    return min(best, key=best.__getitem__)
