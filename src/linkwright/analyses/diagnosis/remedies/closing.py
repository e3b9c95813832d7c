"""Remedies for machines that do not close: lengths and ends that fit, numbers in other units, other estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.remedies.drivers import shifted
from linkwright.analyses.diagnosis.remedies.joints import lighter, said
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.errors import LinkwrightError
from linkwright.model import Constraint, Distance, Driver, Element, Finding, Fix, Joint, Point
from linkwright.model.changes import At, Put, Remove, Unfix

UNITS = (1e-3, 1e3)
LENGTHS = ("length", "offset", "radius")


def contradiction(case: Case, finding: Finding) -> Iterator[Fix]:
    elements = [case.model.elements[n] for n in finding.elements if n in case.model.elements]
    drivers = [e for e in elements if isinstance(e, Driver)]
    for driver in drivers:
        yield from _asking_less(case, driver)
    for e in elements:
        if not isinstance(e, Driver):
            yield from fitted(case, e)
    for e in elements:
        for change in lighter(case, e.name):
            yield Fix(said([change]), (change,))
    for e in drivers or elements:
        yield Fix(f"remove {e.name}", (Remove(e.name),))


def fitted(case: Case, e: Element) -> Iterator[Fix]:
    """An element with the numbers that fit where the others close, nearest to the estimates."""
    try:
        stand = Stand.assembled(case.model.without(e.name), case.t)
    except LinkwrightError:
        return
    if isinstance(e, Distance):
        length = float(np.linalg.norm(stand.place(_same(stand, e.P)) - stand.place(_same(stand, e.Q))))
        # a rod that just reaches stands at a dead point: one that reaches a little farther does not
        for fits in (length + 0.05 * (length - case.model.value(e.length)), length):
            if fits > 0:
                yield Fix(f"give {e.name} the length {fits:.6g}", (Put(e.name, "length", _tidy(fits)),))
    elif isinstance(e, Constraint) and stand.model.order(e.quantity) == 0:
        value = Case(stand.machine, stand.q, stand.q, case.t, case.report, case.again).values([e.quantity])[0]
        yield Fix(f"give {e.name} the value {value:.6g}", (Put(e.name, "value", _tidy(value)),))
    elif isinstance(e, Joint) and isinstance(getattr(e, "P", None), Point) and isinstance(getattr(e, "Q", None), Point):
        ends = {"P": e.P, "Q": e.Q}  # type: ignore[attr-defined]
        for end, other in sorted([("P", "Q"), ("Q", "P")], key=lambda x: not ends[x[0]].body.is_ground):
            s, C = stand.onto(_same(stand, ends[end]), _same(stand, ends[other]))
            text = f"move the end of {e.name} on {ends[end].body.name} to ({', '.join(f'{x:.6g}' for x in s)})"
            yield Fix(text, (Put(e.name, end, _moved(case, ends[end], s, C)),))


def _same(stand: Stand, P: Point) -> Point:
    """The same point of another copy of the model."""
    return At.of(P).point(stand.model)


def _moved(case: Case, P: Point, s: tuple[float, ...], C: np.ndarray) -> At:
    if case.model.dimension == 3:
        return replace(At.of(P, rotation=C), s=s)
    return replace(At.of(P, None if P.angle is None else float(np.arctan2(C[1, 0], C[0, 0]))), s=s)


def _tidy(x: float) -> float:
    return float(f"{x:.12g}")


def _asking_less(case: Case, e: Driver) -> Iterator[Fix]:
    """A driver whose motion begins where the machine is without it."""
    try:
        stand = Stand.assembled(case.model.without(e.name), case.t)
        here = Case(stand.machine, stand.q, stand.q, case.t, case.report, case.again).values([e.quantity])[0]
        asked = case.machine.driver_value(e, case.t)
    except LinkwrightError:
        return
    begun = shifted(case, e.motion, here - asked)
    yield Fix(f"begin {e.name} at {here:.6g}, where the machine is", (Put(e.name, "motion", begun),))


def not_closing(case: Case, finding: Finding) -> Iterator[Fix]:
    for name in finding.elements:
        quantity = name.removeprefix("fix(").removesuffix(")")
        yield Fix(f"do not fix {quantity}", (Unfix(quantity),))


def estimates(case: Case, finding: Finding) -> Iterator[Fix]:
    """The estimates of the bodies that are named where the machine was assembled; else of all."""
    for names in (list(finding.elements), list(case.machine.system.coordinates.body_slices())):
        own = [n for n in names if n in case.model.bodies]
        if own:
            text = f"estimate {', '.join(own[:4])}{' and the others' * (len(own) > 4)} where the machine was assembled"
            yield Fix(text, case.estimates(case.q, own))


def other_units(case: Case, name: str) -> Iterator[Fix]:
    """The lengths of one element, or of one body's points, by a thousand."""
    for factor in UNITS:
        word = f"multiply the lengths of {name} by {factor:g}"
        if name in case.model.bodies:
            changes = [Put(e.name, f, scaled(P, factor)) for e in case.model.elements.values()
                       for f, P in ends(e).items() if P.body.name == name]  # fmt: skip
        else:
            e = case.model.elements[name]
            changes = [Put(name, f, getattr(e, f) * factor) for f in LENGTHS if isinstance(getattr(e, f, None), int | float)]
            changes += [Put(name, f, scaled(P, factor)) for f, P in ends(e).items()] if not changes else []
        if changes:
            yield Fix(word, tuple(changes))


def ends(e: Element) -> dict[str, Point]:
    return {f: x for f, x in vars(e).items() if isinstance(x, Point)}


def scaled(P: Point, factor: float) -> At:
    return replace(At.of(P), s=tuple(x * factor for x in P.s))
