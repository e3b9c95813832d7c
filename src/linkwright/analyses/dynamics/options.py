"""The options of a run of dynamics: one frozen, checked set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import index
from time import perf_counter
from typing import Any, TypedDict

import numpy as np

from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.times import Times
from linkwright.analyses.motion.run import Progress
from linkwright.bounds import shown
from linkwright.errors import ModelError
from linkwright.options import Constraints
from linkwright.solve.integrate import Control
from linkwright.solve.methods import Method
from linkwright.solve.methods import method as find_method
from linkwright.system.formulations import FORMULATIONS, ON_TREES
from linkwright.words import choices

# Of methods for y' = f(t, y), and of those that solve for accelerations and multipliers at once.
CONSTRAINTS = ("projection", "partitioning", "stabilization", "direct", "hybrid", "augmented")
SECOND_ORDER_CONSTRAINTS = ("ggl", "index-3")
# alpha = beta [1/s]: errors decay within a tenth of a second; the hybrid method takes small ones (Haug 7.3.5)
GAINS = {"stabilization": 20.0, "hybrid": 5.0}
LOOSE = 1e-3  # tolerances from which on a method of lower order takes fewer evaluations
PROGRESS_SECONDS = 0.1  # between two calls of progress
_PLAIN = frozenset((bool, int, float, str, type(None)))


class Settings(TypedDict, total=False):
    """Those arguments of `dynamics` that most runs leave as they are."""

    t_start: float
    constraints: Constraints
    gains: tuple[float, float] | None
    constraint_tol: float
    max_step: float
    first_step: float | None
    max_steps: int | None
    options: dict[str, Any] | None
    dense_output: bool
    progress: Progress | None


SETTINGS: Settings = {
    "t_start": 0.0, "constraints": "projection", "gains": None, "constraint_tol": 1e-8, "max_step": np.inf,
    "first_step": None, "max_steps": None, "options": None, "dense_output": False, "progress": None,
}  # fmt: skip
USUAL: dict[str, Any] = {  # of all arguments
    "t_end": None, "steps": None, "t_eval": None, "rtol": None, "atol": None, "method": "auto", "formulation": None,
    "start": None, "events": None, **SETTINGS,
}  # fmt: skip


@dataclass(frozen=True)
class Options:
    """The arguments of `dynamics`, checked; see there.

    why: what the audit is to say of choices that follow from other options. tick: called with the time now and then.
    may_reformulate: nobody asked for a formulation, so another one may take over on the way.
    """

    times: Times
    method: str = "auto"
    rtol: float = 1e-8
    atol: float = 1e-10
    max_step: float = np.inf
    first_step: float | None = None
    max_steps: int | None = None
    tick: Callable[[float], None] | None = None
    options: Mapping[str, Any] | None = None
    watches: Sequence[Watch] = ()
    dense_output: bool = False
    formulation: str = "newton-euler"
    constraints: str = "projection"
    gains: tuple[float, float] = (0.0, 0.0)
    tolerance: float = 1e-8
    why: tuple[str, ...] = ()
    may_reformulate: bool = False

    @classmethod
    def asked(cls, given: Mapping[str, Any]) -> Options:
        """The options of the arguments of `dynamics` by name. Options of plain numbers and words are kept."""
        if set(map(type, given.values())) <= _PLAIN:
            return _plain(tuple(given), *given.values())
        return cls.checked(_times(given), given)

    @classmethod
    def checked(cls, times: Times, asked: Mapping[str, Any]) -> Options:
        """The options by the names of the arguments of `dynamics`; what does not go together is refused."""
        formulation = asked["formulation"] or "newton-euler"
        method, why = _method(asked["method"], formulation, asked["constraints"])
        second_order = method != "auto" and find_method(method).second_order
        constraints = "ggl" if second_order and asked["constraints"] == "projection" else asked["constraints"]
        rtol = size_of("rtol", asked["rtol"], 1e-5 if second_order else 1e-8)
        return cls(
            times, method, rtol, size_of("atol", asked["atol"], 1e-2 * rtol), size_of("max_step", asked["max_step"], np.inf),
            asked["first_step"], _count("max_steps", asked["max_steps"]), _ticker(asked["progress"], times),
            asked["options"], _watches(asked["events"]), asked["dense_output"], formulation, constraints,
            _gains(asked["gains"], asked["constraints"]), size_of("constraint_tol", asked["constraint_tol"], 1e-8), why,
            asked["formulation"] is None,
        )  # fmt: skip

    @cached_property
    def decisive(self) -> tuple[Any, ...] | None:
        """All that decides equations and start: neither the output times, nor who listens to the progress. None where it
        cannot be compared: options may be anything before they are looked at."""
        more = tuple((self.options or {}).items()) if isinstance(self.options, dict | None) else (self.options,)
        told = (
            self.times.start, self.method, self.rtol, self.atol, self.max_step, self.first_step, self.max_steps, more,
            self.dense_output, self.formulation, self.constraints, self.gains, self.tolerance, self.why,
            self.may_reformulate,
        )  # fmt: skip
        return told if _is_plain(told) and not self.watches else None

    @property
    def second_order(self) -> bool:
        return self.adapts is False and self.first_method.second_order

    @property
    def adapts(self) -> bool:
        """Whether another method is taken where the machine turns out stiff."""
        return self.method == "auto"

    @property
    def first_method(self) -> Method:
        """The method that a run begins with. At tolerances of 1e-4 dop853 takes half as many steps as dopri5, each of which
        is projected, and on most machines errs less; looser ones are dopri5's."""
        return find_method(self.method if not self.adapts else "dop853" if self.rtol < LOOSE else "dopri5")

    @property
    def control(self) -> Control:
        """The step control, which treats all numbers of a state alike."""
        return Control(self.rtol, self.atol, None, self.first_step, self.max_step, self.max_steps)

    def formulated(self, formulation: str, why: str) -> Options:
        return replace(self, formulation=formulation, why=(*self.why, why))

    def because(self, why: str) -> Options:
        return replace(self, why=(*self.why, why))


def _times(asked: Mapping[str, Any]) -> Times:
    """The output times by the names of the arguments of `dynamics`."""
    return Times.of(asked["t_end"], asked["steps"], asked["t_start"], asked["t_eval"], "dynamics")


@lru_cache(maxsize=32, typed=True)
def _plain(names: tuple[str, ...], *values: Any) -> Options:
    given = dict(zip(names, values, strict=True))
    return Options.checked(_times(given), given)


def _is_plain(x: tuple[Any, ...]) -> bool:
    kinds = set(map(type, x))
    return kinds <= _PLAIN or (kinds - _PLAIN == {tuple} and all(_is_plain(part) for part in x if type(part) is tuple))


def _method(method: str, formulation: str, constraints: str) -> tuple[str, tuple[str, ...]]:
    """The method and why, where the treatment of constraints decides."""
    _check(formulation, (*FORMULATIONS, *ON_TREES, "auto"), "formulation")
    _check(constraints, (*CONSTRAINTS, *SECOND_ORDER_CONSTRAINTS), "constraints", "treatment of constraints")
    own = constraints in SECOND_ORDER_CONSTRAINTS
    if method == "auto":
        return ("generalized-alpha", (f"generalized-alpha for constraints={constraints!r}",)) if own else ("auto", ())
    second_order = find_method(method).second_order
    if own and not second_order:
        raise ModelError(
            f"{method} integrates accelerations, constraints={constraints!r} is of methods that solve for them",
            element="constraints", remedy="method='generalized-alpha' or 'hht', or another treatment of constraints",
        )  # fmt: skip
    if second_order and not own and constraints != "projection":
        raise ModelError(
            f"{method} has its own treatment of constraints", element="constraints", remedy="'ggl' (default) or 'index-3'"
        )
    if second_order and formulation not in ("newton-euler", "auto"):
        raise ModelError(f"{method} has one formulation", element="formulation", remedy="leave formulation= out")
    return method, ()


def _gains(given: tuple[float, float] | None, constraints: str) -> tuple[float, float]:
    """alpha and beta of constraints that are stabilised."""
    if given is None:
        return (GAINS.get(constraints, 0.0),) * 2
    try:
        alpha, beta = (float(x) for x in given)
    except (TypeError, ValueError):
        alpha = beta = np.nan
    if not (0 < alpha < np.inf and 0 < beta < np.inf):
        raise ModelError(
            f"gains are {given}: errors would grow",
            element="gains",
            remedy="two positive numbers, alike for critical damping",
        )
    return alpha, beta


def size_of(name: str, given: Any, otherwise: float) -> float:
    try:
        number = otherwise if given is None else float(given)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if not number >= 0:
        raise ModelError(f"it is {shown(given)}", element=name, remedy="give a number, not below zero")
    return number


def _count(name: str, given: Any) -> int | None:
    try:
        return None if given is None else index(given)
    except TypeError:
        raise ModelError(f"it is {given!r}", element=name, remedy="give a whole number") from None


def _watches(events: Any) -> list[Watch]:
    if events is not None and not isinstance(events, Mapping):
        raise ModelError(
            f"they are {events!r}", element="events", remedy='give names and quantities, such as {"top": "crank.omega"}'
        )
    return [Watch.of(name, w) for name, w in (events or {}).items()]


def _ticker(progress: Progress | None, times: Times) -> Callable[[float], None] | None:
    """progress, but not too often; the end is always told, once."""
    if progress is None:
        return None
    last, told = -np.inf, times.start

    def tick(t: float) -> None:
        nonlocal last, told
        now = perf_counter()
        if t != told and (now - last >= PROGRESS_SECONDS or t >= times.end):
            last, told = now, t
            progress(t, (t - times.start) / times.span)

    return tick


def _check(given: str, known: Sequence[str], name: str, what: str = "") -> None:
    if given not in known:
        raise ModelError(f"there is no {what or name} {given!r}", element=name, remedy=choices(given, known))
