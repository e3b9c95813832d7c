"""What laws do within a short way: a magnet that a body passes in a millisecond must not fall between two steps.

What a law says of time is asked beforehand (`brief`). What it says of places and speeds depends on the motion, and is asked
of the motion that was found: between the states that were visited it is drawn on by cubics, and there the law is looked at
as closely as one of time. Where it acts more briefly than the steps were long, the stretch around is integrated once more,
by shorter steps; if that ends elsewhere, so is the whole run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.brief import LOOKS, RARE, SHORT, WIDTHS, briefest
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.watch import Snapshot
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.laws_of_time import PATIENCE, laws_of
from linkwright.analyses.machine.times import Times
from linkwright.graph import Expr, evaluate, free_symbols, topological
from linkwright.model import TIME, Model
from linkwright.model.elements import Element
from linkwright.model.marks import Lately
from linkwright.model.quantities import distance, rate
from linkwright.model.tracing import call
from linkwright.model.values import law_symbols, parameter_name

LONG = 3.0  # mean steps: what takes longer was met
# Of the run: steps are not bounded further; nor where each of them asks plain Python.
FEWEST, FEWEST_CALLED = 1e-5, 1e-4
ASKED = 1000  # looks at a law in plain Python that there must be patience for
AWAY = 6.0  # widths from what a law does: where the stretch around it begins and ends
OFF = 1e-6  # of the largest speeds and of the way: so far may two runs of that stretch differ
CLOSE = 1e3  # relative tolerances, likewise
# What may be narrow: polynomials and waves are not. Conditions are events, which are located.
SHARP = frozenset(("exp", "tanh", "sinh", "cosh", "div", "pow", "table"))

Values = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Law:
    """A law of an element. asked: the quantities that it depends on, by the name of an argument or as they are; conditions:
    what is compared in it; function: in plain Python, of the arguments `names`."""

    name: str
    asked: Mapping[Any, Expr]
    traced: Expr | None
    conditions: tuple[Expr, ...]
    function: Callable[..., Any] | None
    names: tuple[str, ...]


@dataclass(frozen=True)
class Passing:
    """What may have been passed over: a law that changes within `width` at t. least: steps are not bounded further."""

    name: str
    t: float
    width: float
    least: float

    @property
    def bound(self) -> float:
        """Of steps that do not."""
        return max(WIDTHS * self.width, self.least)


_LAWS: Lately[list[Law]] = Lately(16)


def suspects(run: Run[Any]) -> list[Passing]:
    """Of a run that went to its end: what its laws do more briefly than its steps were long."""
    model, steps = run.equations.machine.model, run.course.counters["steps"]
    laws = _LAWS.made(model, None, lambda: list(_sharp(model)))
    if not laws or not steps:
        return []
    t, y = run.course.visited()
    t, first = np.unique(t, return_index=True)
    if len(t) < 4:
        return []
    value = run.equations.forces(t, y[first]).evaluator()
    found = [_passing(law, t, {k: value(x) for k, x in law.asked.items()}, model) for law in laws]
    longest = min(LONG * (t[-1] - t[0]) / steps, run.options.max_step)
    return [x for x in found if x is not None and x.bound < longest]


def closer(
    run: Run[Any], found: list[Passing], options: Options, again: Callable[[Options, Mapping[str, float]], Run[Any]]
) -> Options | None:
    """Options of steps that pass over none of it; None where the run met it all. again: a run from a state, to its end."""
    missed = [x for x in found if _is_missed(run, x, options, again)]
    if not missed:
        return None
    least = min(missed, key=lambda x: x.bound)
    times = replace(options.times, also=(*options.times.also, *[x.t for x in missed]))
    why = f"{least.name} changes within {least.width:.2g} s at t = {least.t:.6g}, which longer ones passed over"
    return replace(options, times=times, max_step=least.bound).because(f"steps of at most {least.bound:.2g} s: {why}")


def _is_missed(
    run: Run[Any], x: Passing, options: Options, again: Callable[[Options, Mapping[str, float]], Run[Any]]
) -> bool:
    """Whether shorter steps lead from the state visited before to another one than was visited after it."""
    t, y = run.course.visited()
    before, after = np.flatnonzero(t <= x.t - AWAY * x.width), np.flatnonzero(t >= x.t + AWAY * x.width)
    a, b = (int(before[-1]) if len(before) else 0), (int(after[0]) if len(after) else len(t) - 1)
    machine = run.equations.machine
    q, v, turns = machine.split(y[a])
    states = {name: float(turns[k]) for k, name in enumerate(machine.state_names) if name}
    begin = Snapshot(machine.system.coordinates, float(t[a]), q, v, states)
    times = Times.of(float(t[b]), 1, float(t[a]), None, "dynamics")
    shorter = replace(options, times=times, max_step=x.bound, watches=(), tick=None, dense_output=False)
    other = ask(again, shorter, begin).found
    if other is None:
        return True
    end, n, nq = other.course.visited()[1][-1], machine.nq + machine.nv, machine.nq
    off, size = np.abs(end - y[b])[:n], np.abs(y[:, :n])
    speed, way = size[:, nq:].max(initial=0.0), np.ptp(y[:, :nq], axis=0).max(initial=0.0)
    allowed = max(OFF, CLOSE * options.rtol)
    return bool(off[:nq].max(initial=0.0) > allowed * way or off[nq:].max(initial=0.0) > allowed * speed)


# -- laws ------------------------------------------------------------------------------------------------------------------
def _sharp(model: Model) -> Iterator[Law]:
    """Laws of places and speeds that may be brief."""
    for e in model.elements.values():
        for law, names in laws_of(e):
            of = _arguments(e, names)
            if of is None:
                continue
            traced = model.traced(law, law_symbols(names))
            if isinstance(traced, Expr):
                nodes = topological([traced])
                moving = [s for s in free_symbols([traced]) if s is not TIME and not parameter_name(s)]
                if moving and any(n.op in SHARP and _moves(n) for n in nodes):
                    own = {s: of[name] for name, s in law_symbols(names).items() if name in of}
                    compared = tuple(n for n in nodes if n.op in ("lt", "le"))
                    yield Law(e.name, {s: own.get(s, s) for s in moving}, traced, compared, None, ())
            elif traced is None and callable(law):
                yield Law(e.name, {n: of[n] for n in names if n in of}, None, (), law, names)


def _moves(n: Expr) -> bool:
    return any(s is not TIME and not parameter_name(s) for s in free_symbols(list(n.args)))


def _arguments(e: Element, names: tuple[str, ...]) -> dict[str, Expr] | None:
    """The quantity and the rate that a law is called with; None where it is called with others."""
    of = getattr(e, "quantity", None)
    if of is None and "l" in names:
        of = distance(e.P, e.Q)  # type: ignore[attr-defined]
    if type(of) is not Expr:
        return {} if names == ("t",) else None
    return {n: rate(of) if n in ("v", "omega") else of for n in names if n != "t"}


# -- along the motion ------------------------------------------------------------------------------------------------------
def _passing(law: Law, t: np.ndarray, visited: Mapping[Any, np.ndarray], model: Model) -> Passing | None:
    """The briefest that a law does along the motion; None where it is neither short nor rare."""
    slopes = {k: np.gradient(x, t) for k, x in visited.items()}
    between = {k: partial(_between, t, x, slopes[k]) for k, x in visited.items()}
    start, end = float(t[0]), float(t[-1])
    if law.function is None:
        at, width = briefest(partial(_traced, law, between, model), start, end)
        found = Passing(law.name, at, width, FEWEST * (end - start))
        return None if width == np.inf or _located(law, between, model, at, width) else found
    f = partial(_python, law, between)
    looks = _patience(f, start, end)
    at, width = briefest(f, start, end, looks) if looks else (start, np.inf)
    if width == np.inf and looks:
        at, width = _window(f, start, end, looks)
    return None if width == np.inf else Passing(law.name, at, width, FEWEST_CALLED * (end - start))


def _between(t: np.ndarray, x: np.ndarray, slope: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Cubics through the values with these slopes."""
    k = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)
    h = t[k + 1] - t[k]
    s = (at - t[k]) / h
    rest = (1 - s) * (s * (1 - s) * h * slope[k] + (1 - s) * (1 + 2 * s) * x[k])
    return np.asarray(rest + s * s * ((3 - 2 * s) * x[k + 1] - (1 - s) * h * slope[k + 1]))


def _traced(law: Law, between: Mapping[Any, Values], model: Model, t: np.ndarray) -> np.ndarray:
    assert law.traced is not None
    return _evaluated([law.traced], between, model, t)[0]


def _evaluated(asked: list[Expr], between: Mapping[Any, Values], model: Model, t: np.ndarray) -> list[np.ndarray]:
    given = {**{k: f(t) for k, f in between.items()}, **model.parameter_values(), TIME: t}
    with np.errstate(all="ignore"):
        return [np.broadcast_to(np.asarray(x, dtype=float), t.shape) for x in evaluate(asked, given)]


def _python(law: Law, between: Mapping[Any, Values], t: np.ndarray) -> np.ndarray:
    """In the order of time, as in a run: some functions remember what they were asked last."""
    columns = {name: f(t) for name, f in between.items()}

    def at(k: int) -> float:
        values = [float(t[k]) if n == "t" else float(columns[n][k]) for n in law.names]
        return float(call(law.function, law.names, values))  # type: ignore[arg-type]

    try:
        return np.array([at(k) for k in range(len(t))])
    except Exception:  # whatever a user's function raises: the run would have told
        return np.full(len(t), np.nan)


def _patience(f: Values, start: float, end: float) -> int:
    """How often a law in plain Python may be asked; 0: it is too slow."""
    begin = process_time()
    f(np.linspace(start, end, ASKED))
    count = int(ASKED * PATIENCE / max(process_time() - begin, 1e-9))
    return min(count, LOOKS) if count >= ASKED else 0


def _window(f: Values, start: float, end: float, looks: int) -> tuple[float, float]:
    """(when, a part of how long) a law that jumps is another than before and after; infinite where that is not brief."""
    t = np.linspace(start, end, looks)
    at = f(t)
    jumps = np.flatnonzero(np.abs(np.diff(at)) > 0.5 * np.ptp(at)) if np.isfinite(at).all() else np.arange(0)
    for k, other in pairwise(jumps):
        back = (at[k + 1] - at[k]) * (at[other + 1] - at[other]) < 0
        if back and t[other] - t[k] < SHORT * (end - start) and len(jumps) < RARE * looks:
            return float(0.5 * (t[k + 1] + t[other])), float(t[other] - t[k]) / WIDTHS
    return start, np.inf


def _located(law: Law, between: Mapping[Any, Values], model: Model, at: float, width: float) -> bool:
    """Whether a condition changes there: an event, at which steps begin anew."""
    if not law.conditions:
        return False
    near = np.linspace(at - 2 * width, at + 2 * width, 201)
    return any(len(np.unique(x)) > 1 for x in _evaluated(list(law.conditions), between, model, near))
