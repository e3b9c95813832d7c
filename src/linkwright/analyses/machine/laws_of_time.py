"""What laws, motions and targets say of time, asked apart from the machine: a run that cannot go on may have met their
end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.errors import IntegrationError
from linkwright.graph import Expr, Scalar, along, evaluate, free_symbols
from linkwright.model import PID, TIME, Driver, Model, Motion, State
from linkwright.model.elements import Element, kinds
from linkwright.model.fields import ComponentsKind, LawKind, MotionKind
from linkwright.model.tracing import taken
from linkwright.model.values import law_symbols

PATIENCE = 0.2  # seconds for the looks at a law in plain Python
# From just before the last time of a run that cannot go on, which may be the pole itself and is no place to look at: as far
# as a pole of some order lies, within these bounds.
BEFORE, NEXT, SOON, ORDER = 0.618e-9, 1e-6, 1e-3, 4
LOOKS, CLOSER = 201, 8  # places between two times, and how often the two beside the largest value are looked between again
GROWS = 1.5  # by so much from look to look what has no end grows; a peak that has one does not

OfTime = Callable[[np.ndarray], np.ndarray]


def of_time(model: Model, e: Element) -> Iterator[OfTime]:
    """The laws and motions of an element that say something of time, at places and speeds of one."""
    for law, names in laws_of(e):
        traced = model.traced(law, law_symbols(names))
        if isinstance(traced, Expr):
            if any(s is TIME for s in free_symbols([traced])):
                yield partial(_values, model, traced)
        elif callable(law) and "t" in names and taken(law, names) == [names.index("t")]:
            yield partial(_called, law)


def laws_of(e: Element) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Laws and motions that are no numbers, with the names of their arguments; rises begin and end with events."""
    for field, names in _fields(type(e)):
        given = getattr(e, field)
        for law in given if isinstance(given, tuple) else (given,):
            if not isinstance(law, int | float | Motion):
                yield law, names


@cache
def _fields(kind: type[Element]) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (field, how.arguments if isinstance(how, LawKind) else ("t",))
        for field, how in kinds(kind).items()
        if isinstance(how, LawKind | MotionKind | ComponentsKind)
    ]


def _values(model: Model, f: Scalar, t: np.ndarray) -> np.ndarray:
    """Over time; whatever else it depends on is 1."""
    given: dict[Any, Any] = {
        **dict.fromkeys(free_symbols([f]) if isinstance(f, Expr) else (), 1.0),
        **model.parameter_values(),
        TIME: t,
    }
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(evaluate([f], given)[0], dtype=float), t.shape)


def _called(law: Callable[[float], Any], t: np.ndarray) -> np.ndarray:
    """The same of a function of time alone in plain Python, at as many of the times as there is patience for. Those of
    places and speeds are not asked: some of them remember what they were asked last."""
    begin = perf_counter()
    try:
        first = [law(x) for x in t[:5].tolist()]
        count = int(np.clip(len(first) * PATIENCE / (perf_counter() - begin), 100, len(t)))
        some = t if count == len(t) else np.linspace(t[0], t[-1], count)
        return np.asarray(np.interp(t, some, [float(law(x)) for x in some.tolist()]))
    except Exception:  # whatever a user's function raises: the run tells, if it comes there
        return np.full(len(t), np.nan)


# -- where they end --------------------------------------------------------------------------------------------------------


def ended(model: Model, t: float) -> IntegrationError | None:
    """The error of a law, a motion or a target of time alone that has no value, or a pole, where a run cannot go on."""
    known = {id(x) for x in (TIME, *model.parameter_values())}
    for e in model.elements.values():
        for law, names in laws_of(e):
            f = model.traced(law, law_symbols(names))
            if not isinstance(f, Expr):
                continue
            own = {id(x) for x in free_symbols([f])}
            if id(TIME) in own <= known and (what := _end(model, f, t)):
                return IntegrationError(
                    f"the {_kind(e)} of {e.name} {what}", time=t, element=e.name,
                    remedy="look for a division by zero, or a root of what becomes negative there; or end the run before",
                )  # fmt: skip
    return None


def _kind(e: Element) -> str:
    if isinstance(e, State):
        return "rate"
    return "target" if isinstance(e, PID) else "motion" if isinstance(e, Driver) else "law"


def _end(model: Model, f: Expr, t: float) -> str:
    """What is wrong with a function of time at a time or soon after it; "" if nothing is."""
    unit = max(1.0, abs(t))
    (at,), (speed,) = (_values(model, x, np.array([t])) for x in (f, *along([f], {TIME: 1.0})))
    way = ORDER * abs(at / speed) if np.isfinite([at, speed]).all() and speed else 0.0
    end = t + min(max(way, NEXT * unit), SOON * unit)
    times, before = np.linspace(t - BEFORE * unit, end, LOOKS), np.inf
    grew = [0.0]
    for _ in range(CLOSER):
        size = np.abs(_values(model, f, times))
        if not np.isfinite(size).all():
            return f"is not finite near t = {_rounded(times[int(np.argmin(np.isfinite(size)))], unit):.9g}"
        k = int(np.argmax(size))
        grew.append(size[k] / before)
        if times[-1] - times[0] < LOOKS * np.spacing(unit):
            break
        before = max(size[k], 1e-300)
        times = np.linspace(times[max(k - 1, 0)], times[min(k + 1, LOOKS - 1)], LOOKS)
    return f"grows without bound near t = {_rounded(times[k], unit):.9g}" if min(grew[-2:]) > GROWS else ""


def _rounded(t: float, unit: float) -> float:
    """A time as exactly as it was looked for; nothing that is rounding."""
    return round(t / (10 * BEFORE * unit)) * 10 * BEFORE * unit
