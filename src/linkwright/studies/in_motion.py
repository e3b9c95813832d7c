"""Driven motions of a study, kinematics and inverse dynamics, of many machines at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.analyses.dynamics.lanes.driven import SideBySide
from linkwright.graph import Expr
from linkwright.results.reductions import Reduction, label
from linkwright.studies.points import Task
from linkwright.studies.together import LEAST, Found, Together, in_parts
from linkwright.studies.variations import takes

ANALYSES = ("kinematics", "inverse_dynamics")
AT_ONCE = 1024  # machines: what is known of them at one time stays in the second cache


@dataclass
class InMotion(Together):
    """A study of driven motions. keys: the distinct quantities that are kept."""

    motions: SideBySide
    keys: dict[str, str | Expr]

    @classmethod
    def of(cls, task: Task, names: Sequence[str], rows: np.ndarray) -> InMotion | str:
        """Of the points with these values, a row each; a text says why there is none."""
        if len(rows) < LEAST:
            return ""
        model = task.model.copy()
        if not set(names) <= set(model.parameters):
            return "estimates of the start vary, each start is decided by itself"
        keys = {label(key): key for key in (k.of if isinstance(k, Reduction) else k for k in task.keep)}
        found = SideBySide.of(model, task.analysis, task.options, list(keys.values()))
        if isinstance(found, str):
            return found
        out = cls(task, names, found, keys)
        return out._has_numbers_of_calls(rows) or out

    @property
    def method(self) -> str:
        return "Newton's method, side by side"

    @property
    def shown(self) -> np.ndarray:
        return np.asarray(self.motions.times[self.motions.shown])

    def _values(self, rows: np.ndarray, threads: int) -> Found:
        return in_parts(rows, threads, self._part)

    def _part(self, rows: np.ndarray) -> Found:
        each = [self._some(rows[k : k + AT_ONCE]) for k in range(0, len(rows), AT_ONCE)]
        values = tuple(np.concatenate(v) for v in zip(*(v for v, _ in each), strict=True))
        good = np.concatenate([g for _, g in each])
        return values, good, ["its motion is not plainly that of the others"] * int((~good).sum())

    def _some(self, rows: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        histories, good = self.motions.values(self.names, rows)
        number = {name: k for k, name in enumerate(self.keys)}
        good &= self._sensible(rows)
        out = []
        for kept in self.task.keep:
            own = histories[number[label(kept.of if isinstance(kept, Reduction) else kept)]]
            out.append(kept.each(self.shown, own) if isinstance(kept, Reduction) else own)
        return tuple(out), good

    def _sensible(self, rows: np.ndarray) -> np.ndarray:
        """Which values the model takes: lengths may have become negative, which the equations do not mind."""
        others = np.arange(rows.shape[1])
        ends = [np.where(others == k, end, rows[0]) for end in (rows.min(axis=0), rows.max(axis=0)) for k in others]
        if all(self._takes(end) for end in ends):
            return np.ones(len(rows), dtype=bool)
        return np.array([self._takes(row) for row in rows])

    def _takes(self, row: np.ndarray) -> bool:
        return takes(self.task.model, self._named(row))
