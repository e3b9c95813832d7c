"""What a point of a study gives, with its exact derivatives by what is varied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.analyses.variations.driven import VariedMotion
from linkwright.analyses.variations.simulation import VariedRun
from linkwright.analyses.variations.small import VariedLinearization
from linkwright.analyses.variations.standing import VariedAssembly, VariedEquilibrium
from linkwright.analyses.variations.varied import Varied
from linkwright.model import Model
from linkwright.results import Result
from linkwright.results.reductions import Reduction
from linkwright.studies.points import Kept, Task, kept_of

STANDING: dict[str, Callable[..., Varied]] = {
    "equilibrium": VariedEquilibrium, "assemble": VariedAssembly, "linearize": VariedLinearization
}  # fmt: skip


@dataclass(frozen=True)
class Sloped:
    """What is kept, all numbers after each other, and their derivatives: a row for each number, a column for each name."""

    values: tuple[np.ndarray, ...]
    slopes: np.ndarray
    t: np.ndarray | None


def sloped(task: Task, model: Model, names: Sequence[str]) -> Sloped:
    """Of a model that has its values. ModelError where there is no exact derivative."""
    varied = _varied(task, model, names)
    answer = varied.answer
    t = answer.t if isinstance(answer, Result) else None
    keys = [kept.of if isinstance(kept, Reduction) else kept for kept in task.keep]
    found_weights = [_weights(kept, t, kept_of(answer, key)) for kept, key in zip(task.keep, keys, strict=True)]
    length = max(w.shape[1] for w, _ in found_weights)  # arrays of a linearisation are not of one length
    weights = [np.pad(w, ((0, 0), (0, length - w.shape[1]))) for w, _ in found_weights]
    slopes = varied.combined(keys, weights, [last for _, last in found_weights])
    return Sloped(tuple(kept_of(answer, kept) for kept in task.keep), slopes, t)


def _weights(kept: Kept, t: np.ndarray | None, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How the numbers that are kept depend on the values over time, a row each, and on the last time."""
    values = np.atleast_1d(x)
    if not isinstance(kept, Reduction):
        return np.eye(len(values)), np.zeros(len(values))
    weights, last = kept.slopes(np.zeros(1) if t is None else t, values)
    return weights[None], np.array([last])


def _varied(task: Task, model: Model, names: Sequence[str]) -> Varied:
    keys = [kept.of if isinstance(kept, Reduction) else kept for kept in task.keep]
    if task.analysis == "dynamics":
        return VariedRun(model, names, keys, task.options)
    if task.analysis in ("kinematics", "inverse_dynamics"):
        return VariedMotion(model, names, task.analysis, task.options)
    return STANDING[task.analysis](model, names, task.options)
