"""Whole turns of angles where a machine is described: what drivers, constraints, couplers and fixed estimates say of them.

In space an orientation tells an angle up to whole turns, so an angle that shall be 10 rad must be counted from there. In the
plane a body's angle has its whole turns, but they matter to nobody: an estimate that is some of them from what is asked for
is moved by them before joints are closed, which would otherwise turn the body, and what hangs on it, round and round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite, pi

import numpy as np

from linkwright.equations.higher_pairs import coupler
from linkwright.graph import Expr, Scalar, evaluate, free_symbols, gradient, substitute
from linkwright.model import TIME, Constraint, Coupler, Driver, Model, Screw
from linkwright.model.quantities import AngleBetween, JointCoordinate
from linkwright.model.values import parameter_name
from linkwright.system.constraints import Traced
from linkwright.system.coordinates import Coordinates
from linkwright.system.geometry import Geometry
from linkwright.system.quantities import resolve

TURN = 2 * pi
STEPS = 30  # of Newton's method for an angle


@dataclass(frozen=True, eq=False)
class _Hold:
    """An expression of quantities that shall have a value."""

    expression: Expr
    value: float

    @property
    def quantities(self) -> list[Expr]:
        return [s for s in free_symbols([self.expression]) if s is not TIME and not parameter_name(s)]


def position_fixes(model: Model) -> dict[Scalar, float]:
    """Fixed positions by quantity."""
    return {q: model.value(v) for q, v in model.fixed.items() if model.order(q) == 0}


def _holds(g: Geometry, t: float, fixes: Mapping[Scalar, float]) -> Iterator[_Hold]:
    """Drivers first: they say most plainly where an angle is."""
    model, motion = g.model, Traced(g).motion
    found: list[tuple[Scalar, Scalar]] = []
    for e in sorted(model.elements.values(), key=lambda e: not isinstance(e, Driver)):
        if isinstance(e, Driver):
            found.append((e.quantity, motion(e.motion)))
        elif isinstance(e, Constraint) and g.model.order(e.quantity) == 0:
            found.append((e.quantity, motion(e.value)))
        elif isinstance(e, Coupler) and e.value is not None:
            found.append((coupler([(factor, q) for q, factor in e.terms]), e.value))
    given = {TIME: t, **model.parameter_values()}
    for expression, value in [*found, *fixes.items()]:
        number = float(evaluate([value], given)[0])
        if type(expression) is Expr and isfinite(number):
            yield _Hold(substitute([expression], given)[0], number)  # type: ignore[arg-type]


class _Estimates:
    """Values of quantities at estimates of the coordinates; angles in space within half a turn of zero."""

    def __init__(self, g: Geometry, q: np.ndarray, t: float) -> None:
        self.g, self.q = g, q
        self.number = {s: k for k, s in enumerate(g.coordinates.q)}
        self.given = {TIME: t, **g.model.parameter_values()}

    def __call__(self, values: list[Scalar]) -> list[float]:
        inside = resolve(self.g, values)
        known = dict(self.given)
        for s in free_symbols(inside):
            if s in self.number:
                known[s] = self.q[self.number[s]]
            elif s.data.startswith("turn:"):
                known[s] = 0.0
        return [float(x) for x in evaluate(inside, known)]


# -- space ---------------------------------------------------------------------------------------------------------------


def said_turns(coordinates: Coordinates, model: Model, q: np.ndarray, t: float, fixed: bool) -> dict[str, float]:
    """The angles whose whole turns something tells, by name. q: estimates of the coordinates; fixed: whether what is fixed
    counts."""
    if model.dimension == 2:
        return {}
    g = Geometry(model, coordinates)  # its own: it may learn of further angles
    holds = [h for h in _holds(g, t, position_fixes(model) if fixed else {}) if _tells(model, h)]
    known = {h.expression: h.value for h in reversed(holds) if h.expression.op == "symbol"}
    at, waiting = _Estimates(g, q, t), [h for h in holds if h.expression.op != "symbol"]
    for estimated in (False, True):  # first what follows from what is said alone
        while any(_decide(model, h, known, at, estimated) for h in waiting) or _screwed(model, known):
            pass  # until nothing more follows
    return {s.data: x for s, x in known.items()}


def _tells(model: Model, h: _Hold) -> bool:
    """Whether it is about turns, or about what a screw's turns follow from."""
    slides = h.expression.op == "symbol" and h.expression.data.endswith(".displacement")
    return slides or any(_has_turns(model, s) for s in h.quantities)


def _has_turns(model: Model, s: Expr) -> bool:
    d = model.definition(s)
    return (isinstance(d, JointCoordinate) and d.channel.startswith("angle")) or (
        isinstance(d, AngleBetween) and d.axis is not None
    )


def _decide(model: Model, h: _Hold, known: dict[Expr, float], at: _Estimates, estimated: bool) -> bool:
    """Whether another quantity is known by this; with `estimated` all but one angle may be as they are estimated."""
    unknown = [s for s in h.quantities if s not in known]
    angles = [s for s in unknown if _has_turns(model, s)] or unknown
    if not unknown or (len(unknown) > 1 and not estimated):
        return False
    x, others = angles[0], [s for s in unknown if s is not angles[0]]
    values = dict(zip([x, *others], at([x, *others]), strict=True))
    start = values.pop(x)
    inside = {s: known[s] for s in h.quantities if s in known} | values
    found = _solved(substitute([h.expression], inside)[0], h.value, x, start)
    known.update({s: value for s, value in values.items() if _has_turns(model, s)})
    known[x] = start if found is None else found
    return True


def _solved(f: Scalar, value: float, x: Expr, start: float) -> float | None:
    """x with f(x) = value near a start; None where it is not found, or where whole turns make no difference to f."""
    residual = f - value
    slope = gradient(residual, [x]).get(x, 0.0)
    at = start
    for _ in range(STEPS):
        r, s, turned, here = (float(y) for y in [*evaluate([residual, slope], {x: at}), *_turned(f, x, at)])
        if not isfinite(r) or not isfinite(s) or s == 0 or abs(turned - here) < 1e-9 * (1 + abs(here)):
            return None
        at -= r / s
        if abs(r / s) <= 1e-12 * (1 + abs(at)):
            return at
    return None


def _turned(f: Scalar, x: Expr, at: float) -> tuple[Scalar, Scalar]:
    return evaluate([f], {x: at + TURN})[0], evaluate([f], {x: at})[0]


def _screwed(model: Model, known: dict[Expr, float]) -> bool:
    """Screws whose displacement is known have turned as far as their pitch says."""
    told = {s.data: x for s, x in known.items()}
    for e in model.elements.values() if told else ():
        pitch = model.value(e.pitch) if isinstance(e, Screw) else 0.0
        if isinstance(e, Screw) and pitch and f"{e.name}.displacement" in told and f"{e.name}.angle" not in told:
            known[e.angle] = model.value(e.start) + told[f"{e.name}.displacement"] / pitch
            return True
    return False


# -- the plane -----------------------------------------------------------------------------------------------------------


def unwound(g: Geometry, q: np.ndarray, t: float, fixes: Mapping[Scalar, float]) -> np.ndarray:
    """Estimates of a planar machine with bodies moved by the whole turns that bring what is driven or fixed nearest."""
    if g.dimension == 3:
        return q
    names = {f"{name}.angle": at.start + 2 for name, (at, _) in g.coordinates.body_slices().items()}
    at, decided = _Estimates(g, np.array(q, dtype=float), t), set[int]()
    for h in _holds(g, t, fixes):
        off = resolve(g, [h.expression])[0] - h.value
        angles = [s for s in free_symbols([off]) if s.data in names and names[s.data] not in decided]
        if not angles:
            continue
        x = max(angles, key=lambda s: names[s.data])  # of a joint's angle usually the second body
        k = names[x.data]
        r, slope = at([off, gradient(off, [x]).get(x, 0.0)])
        turns = np.rint(r / slope / TURN) if slope and isfinite(r / slope) else 0.0
        at.q[k] -= TURN * turns
        if turns and not abs(at([off])[0]) <= abs(r) - pi * abs(slope):
            at.q[k] += TURN * turns  # not linear: a whole turn is no better
        decided.add(k)
    return at.q
