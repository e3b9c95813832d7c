"""One point of a study: an analysis of the machine with these values, and what is kept of its answer.

The slow and obvious way, by the analyses as a user calls them: the reference of every other way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.analyses.assembly.assemble import assemble
from linkwright.analyses.dynamics.dynamics import dynamics
from linkwright.analyses.motion.inverse_dynamics import inverse_dynamics
from linkwright.analyses.motion.kinematics import kinematics
from linkwright.analyses.small_motions.linearize import linearize
from linkwright.analyses.statics.equilibrium import equilibrium
from linkwright.bounds import shown
from linkwright.calls import answering
from linkwright.errors import LinkwrightError, ModelError
from linkwright.graph import Expr
from linkwright.model import Model
from linkwright.results import Result
from linkwright.results.reductions import KINDS, Reduction, label
from linkwright.studies.variations import vary
from linkwright.words import choices

ANALYSES: dict[str, Callable[..., Any]] = {
    f.__name__: answering(f) for f in (assemble, dynamics, equilibrium, inverse_dynamics, kinematics, linearize)
}
Kept = str | Expr | Reduction
CALLED = re.compile(r"(\w+)\((.+)\)")
ROUNDING = 1e-13  # relative to what else there is: numbers this small are zero
LONG = {"m": "rad", "m/s": "rad/s", "m/s^2": "rad/s^2", "N m": "N"}  # units that differ by the length of the machine
Progress = Callable[[int, float], Any]  # called with the number of points done and the part of the whole


def check_analysis(name: Any) -> Any:
    """The name, if there is such an analysis."""
    if not isinstance(name, str) or name not in ANALYSES:
        remedy = choices(str(name), list(ANALYSES))
        raise ModelError(f"{shown(name)} is no analysis of a study", element="analysis", remedy=remedy)
    return name


@dataclass(frozen=True)
class Task:
    """What is done at each point: an analysis with its options, and what is kept of it."""

    model: Model
    analysis: str
    keep: tuple[Kept, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_analysis(self.analysis)
        if not self.keep:
            raise ModelError("nothing is kept", element="keep", remedy="give channels or reductions, such as peak('A.fx')")
        for kept in self.keep:
            if not isinstance(kept, (str, Expr, Reduction)):
                raise ModelError(
                    f"{kept!r} cannot be kept", element="keep", remedy="give channels, quantities or reductions of them"
                )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(label(k) for k in self.keep)


@dataclass(frozen=True)
class Outcome:
    """What one point gave: a number or a history for each that is kept, or why there is none."""

    index: int
    values: tuple[np.ndarray, ...] = ()
    t: np.ndarray | None = None
    error: LinkwrightError | None = None


@dataclass(frozen=True)
class Block:
    """What many points gave that were computed together, a row each of arrays; none of them failed."""

    indices: np.ndarray
    values: tuple[np.ndarray, ...]
    t: np.ndarray


def outcome(task: Task, model: Model, index: int, values: Mapping[str, float]) -> Outcome:
    """Of one point; `model` is a copy of the task's that may be changed."""
    try:
        vary(model, values)
        answer = ANALYSES[task.analysis](model, **task.options)
        return Outcome(index, tuple(kept_of(answer, k) for k in task.keep), getattr(answer, "t", None))
    except LinkwrightError as error:
        error.partial = None  # a run of its own; nobody asked for it
        return Outcome(index, error=error)


def nothing(task: Task, model: Model, kept: Kept) -> float:
    """How large what is kept may be and still be zero but for rounding, by what else the answer has of its unit.

    The height of a slider on a level guide is 1e-17 m, or zero. `model` has the values of the point.
    """
    answer = ANALYSES[task.analysis](model, **task.options)
    key = kept.of if isinstance(kept, Reduction) else kept
    largest: dict[str, float] = {"": _size(answer, key), "rad": 1.0}
    for name in answer.channels:
        unit = answer.unit(name)
        if unit in (*LONG, *LONG.values()):
            largest[unit] = max(largest.get(unit, 0.0), _size(answer, name))
    length, unit = largest.get("m", 0.0), answer.unit(key)
    over = {short: largest.get(long, 0.0) / length for long, short in LONG.items() if length}
    along = {long: largest.get(short, 0.0) * length for long, short in LONG.items()}
    sizes = (largest[""], largest.get(unit, 0.0), over.get(unit, 0.0), along.get(unit, 0.0))
    duration = np.ptp(answer.t) if isinstance(kept, Reduction) and kept.kind == "integral" else 1.0
    return ROUNDING * max(sizes) * float(duration)


def _size(answer: Any, key: str | Expr) -> float:
    return float(np.abs(_read(answer, key)).max(initial=0.0))


def kept_of(answer: Any, kept: Kept) -> np.ndarray:
    if isinstance(kept, Reduction):
        return np.asarray(kept(answer.t if isinstance(answer, Result) else 0.0, _read(answer, kept.of)))
    return np.asarray(_read(answer, kept), dtype=float)


def _read(answer: Any, key: str | Expr) -> Any:
    """A channel or quantity; of a linearisation one of its arrays by name."""
    if hasattr(answer, "eigenvalues") and isinstance(key, str):
        if not hasattr(answer, key):
            raise ModelError(f"a linearisation has no {key!r}", element=key, remedy="keep 'frequencies' or 'damping_ratios'")
        found = np.asarray(getattr(answer, key))
        return found.real if np.isrealobj(found) else np.concatenate([found.real, found.imag])
    return answer[key]


def rehearse(task: Task) -> None:
    """Raises what is wrong with the call itself, by the machine as it is: an unknown channel is no failure of a point."""
    try:
        answer = ANALYSES[task.analysis](task.model.copy(), **task.options)
    except ModelError:
        raise
    except LinkwrightError:
        return  # the machine as it is may not work: that may be what the study is for
    for kept in task.keep:
        try:
            kept_of(answer, kept)
        except ModelError:
            _check_reduction(kept, answer)
            raise


def _check_reduction(kept: Kept, answer: Any) -> None:
    """Of a channel by a name that is none: "maximum(A.fx)"."""
    found = CALLED.fullmatch(kept.strip()) if isinstance(kept, str) else None
    if found and found[2].strip() in answer:
        raise ModelError(
            f"there is no reduction {found[1]!r}", element=label(kept), remedy=f"the reductions are {', '.join(KINDS)}"
        ) from None
