"""Exact derivatives of one number of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.analyses.variations.simulation import VariedRun
from linkwright.analyses.variations.small import VariedLinearization
from linkwright.analyses.variations.standing import VariedAssembly, VariedEquilibrium, VariedMotion
from linkwright.analyses.variations.varied import Varied
from linkwright.arguments import typed
from linkwright.errors import ModelError
from linkwright.model import Model, a_model
from linkwright.options import StudyAnalysis
from linkwright.results import Result
from linkwright.results.reductions import Reduction, reduced
from linkwright.studies.points import Kept, Task, kept_of
from linkwright.studies.variations import check_names


@typed
def gradient(
    model: Model, reduction: Reduction | str, names: Iterable[str], *, analysis: StudyAnalysis = "dynamics", **options: Any
) -> tuple[float, dict[str, float]]:
    """Give one number of a run and its exact derivatives by parameters and by the start.

    The run itself is differentiated, through assembly, laws that switch, impacts, contacts that rest, friction that sticks,
    and events that end it; a simulation from its end to its start where it can be, so that a gradient costs two to five runs
    whatever the number of names. What has no derivative is refused by name: events that only graze zero, several at once,
    contacts that just touch where a run begins, changes of the state and laws in plain Python, reactions that are not
    unique. Of a peak the output time at which it is stays as it is.

    Parameters
    ----------
    model : Model
        The machine; it is not changed.
    reduction : Reduction or str
        The number, such as `lw.final("slider.x")` or "final(slider.x)".
    names : iterable of str
        Parameters, a body's start ("crank.omega"), or states, which begin there.
    analysis : {"dynamics", "kinematics", "inverse_dynamics", "equilibrium", "assemble", "linearize"}
        Which analysis. Of "linearize" about the equilibrium: "frequencies", "eigenvalues", "damping_ratios"; an eigenvalue
        that is there more than once has no derivative.
    **options
        Of the analysis: t_end, steps, rtol and the like.

    Returns
    -------
    value : float
        The number.
    slope : dict
        Its derivatives by name.

    Raises
    ------
    ModelError
        There is no derivative.

    Examples
    --------
    >>> import linkwright as lw
    >>> m = lw.PlanarModel("slide", gravity=(0, 0))
    >>> F = m.parameter("F", 3.0)
    >>> b = m.body("b", mass=2.0, inertia=1.0)
    >>> push = m.add(lw.Force("push", b.x, lambda x, v, t: F))
    >>> value, slope = lw.gradient(m, lw.final("b.x"), ["F", "b.vx"], t_end=2.0)
    >>> round(value, 9), round(slope["F"], 9), round(slope["b.vx"], 9)  # F t^2 / (2 m), and t
    (3.0, 1.0, 2.0)
    """
    reduction = reduced(reduction)
    if not isinstance(reduction, Reduction):
        raise ModelError(
            f"{reduction!r} is not one number of a run", element="reduction", remedy="give one such as lw.peak('A.fx')"
        )
    chosen = [names] if isinstance(names, str) else list(names)
    check_names(a_model(model), chosen)
    if not chosen:
        raise ModelError("nothing varies", element="names", remedy='give names of parameters, such as ["r", "k"]')
    found = sloped(Task(model, analysis, (reduction,), options), model, chosen)
    slopes = dict(zip(chosen, map(float, found.slopes[0]), strict=True))
    return float(found.values[0]), slopes


# What a point of a study gives, with its exact derivatives by what is varied.

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
