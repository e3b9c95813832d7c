"""Simulations of a study side by side in native code, in lanes or on a GPU; what that cannot do is told, and made by single
calls.

Some points are computed both ways: the study goes in lanes only where these agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from linkwright.analyses.dynamics.lanes.plan import Plan, plan
from linkwright.analyses.dynamics.lanes.starts import Starts
from linkwright.errors import LinkwrightError
from linkwright.solve.attempt import OUTCOME, OUTCOMES
from linkwright.solve.many import BLOCK, Ran, Runs, joined
from linkwright.solve.many_gpu import ManyOnGpu
from linkwright.studies.points import Block, Task, outcome
from linkwright.studies.variations import vary

LEAST = 200  # points: for fewer the code for lanes is not worth compiling, some seconds for a small machine
PER_POINT = 20  # operations of an evaluation that one more point makes worth compiling
STARTS_TRIED = 16  # at most, to see whether starts found together are those of single calls
SAME = 1e-9  # relative: what the two ways may differ by, rounding that has grown along a run included
CHUNK = 4 * BLOCK  # runs between which Python looks up
GPU_CHUNK = 1 << 17  # the same on a GPU, which has tens of thousands of threads
LEAST_PART = 256  # runs that are worth a thread

Found = tuple[tuple[np.ndarray, ...], np.ndarray, list[str]]  # what is kept, which runs have it, why others have not


@dataclass
class InLanes:
    """A study in lanes. alone: the points that were left to single calls, and why."""

    task: Task
    names: Sequence[str]
    plan: Plan
    starts: Starts
    on_gpu: bool = False
    alone: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task, names: Sequence[str], rows: np.ndarray, *, on_gpu: bool = False) -> InLanes | str:
        """Of the points with these values, a row each; a text says why there is none. `on_gpu`: however few they are."""
        if task.analysis != "dynamics":
            return "only simulations (analysis='dynamics') go so" if on_gpu else ""
        if len(rows) < LEAST and not on_gpu:
            return ""
        model = task.model.copy()
        found = plan(model, task.options, task.keep)
        if isinstance(found, str):
            return found
        if found.nominal.chart.flow.motion.program.operations > PER_POINT * len(rows) and not on_gpu:
            return "compiling for lanes would take longer than so few points"
        starts = Starts.of(found, names, rows, lambda values: _makes_sense(task, values))
        if starts is None:
            return "each start is decided by itself"
        out = cls(task, names, replace(found, many=found.many.of(len(rows))), starts, on_gpu)
        return out._agrees(rows) or out

    @property
    def method(self) -> str:
        return f"{self.plan.many.form.method.name} {'on a GPU' if self.on_gpu else f'in {self.plan.many.lanes} lanes'}"

    def _agrees(self, rows: np.ndarray) -> str:
        """Of some points whether they have the numbers of single calls; why they are not to be trusted, if not."""
        if not self._begins_alike(rows):
            return "starts in batches and single ones differ where both were asked"
        chosen = np.unique([0, len(rows) // 2, len(rows) - 1])
        values, good, _ = self._values(rows[chosen], 1)
        for k in np.flatnonzero(good):
            alone = outcome(self.task, self.task.model.copy(), 0, self._named(rows[chosen[k]]))
            if alone.error is not None or not all(_same(v[k], x) for v, x in zip(values, alone.values, strict=True)):
                return "lanes and single calls gave other numbers where both were asked"
        return "" if good.any() else "no run in lanes came to its end where some were tried"

    def _begins_alike(self, rows: np.ndarray) -> bool:
        chosen = np.linspace(0, len(rows) - 1, min(STARTS_TRIED, max(2, len(rows) // LEAST))).astype(int)
        runs, ok = self.starts(rows[chosen])
        for k in np.flatnonzero(ok):
            model = self.task.model.copy()
            try:
                vary(model, self._named(rows[chosen[k]]))
                one = self.plan.start(model)
            except LinkwrightError:
                return False
            if one is None or not _same(runs.y[k], one.y[0]):
                return False
        return True

    def _named(self, row: np.ndarray) -> dict[str, float]:
        return dict(zip(self.names, map(float, row), strict=True))

    def _values(self, rows: np.ndarray, threads: int) -> Found:
        """What is kept, which rows have it, and why others have not. Threads take parts, start and run of each."""
        size = max(LEAST_PART, min(CHUNK, -(-len(rows) // threads)))
        parts = [rows[k : k + size] for k in range(0, len(rows), size)]
        with ThreadPoolExecutor(threads) as pool:
            each = map if threads < 2 else pool.map
            if self.on_gpu:
                begun = list(each(self.starts, parts))
                runs = joined([part for part, _ in begun])
                found = [self._judged(runs, np.concatenate([ok for _, ok in begun]), self._gpu.run(runs, self.plan.numbers))]
            else:
                found = list(each(self._part, parts))
        values = tuple(np.concatenate(v) for v in zip(*(f[0] for f in found), strict=True))
        return values, np.concatenate([f[1] for f in found]), [why for f in found for why in f[2]]

    @cached_property
    def _gpu(self) -> ManyOnGpu:
        return ManyOnGpu(self.plan.many)

    def _part(self, rows: np.ndarray) -> Found:
        runs, ok = self.starts(rows)
        return self._judged(runs, ok, self.plan.many.run(runs, self.plan.numbers))

    def _judged(self, runs: Runs, ok: np.ndarray, ran: Ran) -> Found:
        good = ok & self.plan.outcome(ran) & self.plan.together(ran, runs)
        why = [OUTCOMES.get(int(r[OUTCOME]), "digits were lost") if fine else "its start is far from the others"
               for r, fine in zip(ran.registers[~good], ok[~good], strict=True)]  # fmt: skip
        return self.plan.values(ran), good, why

    def blocks(self, rows: np.ndarray, indices: np.ndarray, threads: int) -> Iterator[Block]:
        """What the points with these values give; those it leaves to single calls are then in `alone`."""
        chunk = GPU_CHUNK if self.on_gpu else 2 * CHUNK * threads
        for first in range(0, len(rows), chunk):
            at = indices[first : first + chunk]
            values, good, why = self._values(rows[first : first + chunk], threads)
            self.alone.update(zip(at[~good].tolist(), why, strict=True))
            yield Block(at[good], tuple(np.ascontiguousarray(v[good]) for v in values), self.plan.times.shown)

    def notes(self) -> list[str]:
        if not self.alone:
            return []
        told = "; ".join(f"{count}: {why}" for why, count in Counter(self.alone.values()).items())
        return [f"{len(self.alone)} points by single calls ({told})"]


def _makes_sense(task: Task, values: dict[str, float]) -> bool:
    try:
        vary(task.model.copy(), values)
    except LinkwrightError:
        return False
    return True


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= SAME * max(np.abs(b).max(initial=0.0), 1e-9)))
