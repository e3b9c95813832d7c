"""Points of a study that are computed together; what that cannot do is told, and made by single calls.

Some points are computed both ways: a study goes this way only where these agree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from linkwright.results.reductions import label
from linkwright.solve.many import BLOCK
from linkwright.studies.points import Block, Task, nothing, outcome

LEAST = 200  # points: for fewer the code for many is not worth compiling, some seconds for a small machine
SAME = 1e-9  # relative: what the two ways may differ by, rounding that has grown along a run included
CHUNK = 4 * BLOCK  # runs between which Python looks up
LEAST_PART = 256  # runs that are worth a thread

Found = tuple[tuple[np.ndarray, ...], np.ndarray, list[str]]  # what is kept, which runs have it, why others have not


@dataclass
class Together(ABC):
    """Points of a study that are computed together. alone: those that were left to single calls, and why."""

    task: Task
    names: Sequence[str]
    alone: dict[int, str] = field(default_factory=dict, kw_only=True)

    @property
    @abstractmethod
    def method(self) -> str:
        """For the audit."""

    @property
    @abstractmethod
    def shown(self) -> np.ndarray:
        """The times of output."""

    @abstractmethod
    def _values(self, rows: np.ndarray, threads: int) -> Found:
        """What is kept, which rows have it, and why others have not."""

    def _chunk(self, threads: int) -> int:
        """Points between which Python looks up."""
        return 2 * CHUNK * threads

    def _has_numbers_of_calls(self, rows: np.ndarray) -> str:
        """Of some points whether they have the numbers of single calls; why they are not to be trusted, if not."""
        chosen = np.unique([0, len(rows) // 2, len(rows) - 1])
        values, good, why = self._values(rows[chosen], 1)
        for k in np.flatnonzero(good):
            model = self.task.model.copy()
            alone = outcome(self.task, model, 0, self._named(rows[chosen[k]]))
            kept = zip(self.task.keep, values, alone.values, strict=True) if alone.error is None else ()
            off = [key for key, v, x in kept if not same(v[k], x) and not same(v[k], x, nothing(self.task, model, key))]
            if off or alone.error is not None:
                what = f" of {label(off[0])}" if off else ""
                return f"lanes and single calls gave other numbers{what} where both were asked"
        return "" if good.any() else f"no run in lanes came to its end where some were tried ({why[0]})"

    def _named(self, row: np.ndarray) -> dict[str, float]:
        return dict(zip(self.names, map(float, row), strict=True))

    def blocks(self, rows: np.ndarray, indices: np.ndarray, threads: int) -> Iterator[Block]:
        """What the points with these values give; those it leaves to single calls are then in `alone`."""
        chunk = self._chunk(threads)
        for first in range(0, len(rows), chunk):
            at = indices[first : first + chunk]
            values, good, why = self._values(rows[first : first + chunk], threads)
            self.alone.update(zip(at[~good].tolist(), why, strict=True))
            yield Block(at[good], tuple(np.ascontiguousarray(v[good]) for v in values), self.shown)

    def notes(self) -> list[str]:
        if not self.alone:
            return []
        told = "; ".join(f"{count}: {why}" for why, count in Counter(self.alone.values()).items())
        return [f"{len(self.alone)} points by single calls ({told})"]


def in_parts(rows: np.ndarray, threads: int, found: Callable[[np.ndarray], Found]) -> Found:
    """Threads take parts."""
    size = max(LEAST_PART, min(CHUNK, -(-len(rows) // threads)))
    parts = [rows[k : k + size] for k in range(0, len(rows), size)]
    with ThreadPoolExecutor(threads) as pool:
        each = list(map(found, parts) if threads < 2 else pool.map(found, parts))
    values = tuple(np.concatenate(v) for v in zip(*(f[0] for f in each), strict=True))
    return values, np.concatenate([f[1] for f in each]), [why for f in each for why in f[2]]


def same(a: np.ndarray, b: np.ndarray, nothing: float = 0.0) -> bool:
    """But for rounding; `nothing`: how large numbers may be that are zero but for it."""
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= SAME * max(np.abs(b).max(initial=0.0), 1e-9) + nothing))
