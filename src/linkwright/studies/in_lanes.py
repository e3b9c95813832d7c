"""Simulations of a study side by side in native code, in lanes or on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from linkwright.analyses.dynamics.lanes.plan import Plan, plan
from linkwright.analyses.dynamics.lanes.starts import Starts
from linkwright.errors import LinkwrightError
from linkwright.solve.lane_form import OUTCOME, OUTCOMES
from linkwright.solve.many import Ran, Runs, joined
from linkwright.solve.many_gpu import ManyOnGpu
from linkwright.studies.points import Task
from linkwright.studies.together import CHUNK, LEAST, LEAST_PART, Found, Together, in_parts, same
from linkwright.studies.variations import takes, vary

PER_POINT = 20  # operations of an evaluation that one more point makes worth compiling
# To see whether starts found together are those of single calls: at most, and one for so many points. A single one takes
# as long as hundreds in lanes.
STARTS_TRIED, PER_START = 8, 4000
GPU_CHUNK = 1 << 17  # runs between which Python looks up, of a GPU, which has tens of thousands of threads


@dataclass
class InLanes(Together):
    """A study in lanes."""

    plan: Plan
    starts: Starts
    on_gpu: bool = False

    @classmethod
    def of(cls, task: Task, names: Sequence[str], rows: np.ndarray, *, on_gpu: bool = False) -> InLanes | str:
        """Of the points with these values, a row each; a text says why there is none. `on_gpu`: however few they are."""
        if len(rows) < LEAST and not on_gpu:
            return ""
        model = task.model.copy()
        found = plan(model, task.options, task.keep)
        if isinstance(found, str):
            return found
        if found.nominal.chart.flow.motion.program.operations > PER_POINT * len(rows) and not on_gpu:
            return "compiling for lanes would take longer than so few points"
        starts = Starts.of(found, names, rows, lambda values: takes(task.model, values))
        if isinstance(starts, str):
            return starts
        out = cls(task, names, replace(found, many=found.many.of(len(rows))), starts, on_gpu)
        return out._agrees(rows) or out

    @property
    def method(self) -> str:
        return f"{self.plan.many.form.method.name} {'on a GPU' if self.on_gpu else f'in {self.plan.many.lanes} lanes'}"

    def notes(self) -> list[str]:
        own = ["in lanes energy, constraints and pivots of each run were looked at, momenta of those by single calls alone"]
        return [*(own if self.plan.floats else []), *super().notes()]

    @property
    def shown(self) -> np.ndarray:
        return self.plan.times.shown

    def _chunk(self, threads: int) -> int:
        return GPU_CHUNK if self.on_gpu else super()._chunk(threads)

    def _agrees(self, rows: np.ndarray) -> str:
        """Of some points whether they have the numbers of single calls; why they are not to be trusted, if not."""
        if not self._begins_alike(rows):
            return "starts in batches and single ones differ where both were asked"
        return self._has_numbers_of_calls(rows)

    def _begins_alike(self, rows: np.ndarray) -> bool:
        chosen = np.linspace(0, len(rows) - 1, min(STARTS_TRIED, max(2, len(rows) // PER_START))).astype(int)
        runs, ok = self.starts(rows[chosen])
        for k in np.flatnonzero(ok):
            model = self.task.model.copy()
            try:
                vary(model, self._named(rows[chosen[k]]))
                one = self.plan.start(model)
            except LinkwrightError:
                return False
            if one is None or not same(runs.y[k], one.y[0]):
                return False
        return True

    def _values(self, rows: np.ndarray, threads: int) -> Found:
        """Threads take parts, start and run of each."""
        if not self.on_gpu:
            return in_parts(rows, threads, self._part)
        size = max(LEAST_PART, min(CHUNK, -(-len(rows) // threads)))
        with ThreadPoolExecutor(threads) as pool:
            begun = list(pool.map(self.starts, [rows[k : k + size] for k in range(0, len(rows), size)]))
        runs = joined([part for part, _ in begun])
        return self._judged(runs, np.concatenate([ok for _, ok in begun]), self._gpu.run(runs, self.plan.numbers))

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
