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
from linkwright.model import Constraint, Cycloid, Distance, Driver, Element, Finding, Fix, Joint, Point
from linkwright.model.changes import At, Guess, Put, Remove, Unfix

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
        for fits in (length, length + 0.05 * (length - case.model.value(e.length))):
            if fits > 0:
                fix = Fix(f"give {e.name} the length {fits:.6g}", (Put(e.name, "length", _tidy(fits)),))
                yield from settled(case, fix)
    elif isinstance(e, Constraint) and stand.model.order(e.quantity) == 0:
        value = Case(stand.machine, stand.q, stand.q, case.t, case.report, case.again).values([e.quantity])[0]
        yield Fix(f"give {e.name} the value {value:.6g}", (Put(e.name, "value", _tidy(value)),))
    elif isinstance(e, Joint) and isinstance(getattr(e, "P", None), Point) and isinstance(getattr(e, "Q", None), Point):
        ends = {"P": e.P, "Q": e.Q}  # type: ignore[attr-defined]
        for end, other in sorted([("P", "Q"), ("Q", "P")], key=lambda x: not ends[x[0]].body.is_ground):
            s, C = stand.onto(_same(stand, ends[end]), _same(stand, ends[other]))
            text = f"move the end of {e.name} on {ends[end].body.name} to ({', '.join(f'{x:.6g}' for x in s)})"
            yield Fix(text, (Put(e.name, end, _moved(case, ends[end], s, C)),))


def settled(case: Case, fix: Fix) -> Iterator[Fix]:
    """The same with estimates where the copy closes, if they are not there already."""
    try:
        stand = Stand.assembled(fix.apply(case.model), case.t)
    except LinkwrightError:
        return
    poses = Case(stand.machine, stand.q, stand.q, case.t, case.report, case.again).estimates(stand.q)
    near = np.abs(stand.q - stand.machine.estimate()).max(initial=0.0) < 0.05 * case.machine.length
    yield fix if near else Fix(f"{fix.text}, with estimates to fit", (*fix.changes, *poses))


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
    yield from _elsewhere(case, [n for n in finding.elements if n in case.model.bodies])


def undefined(case: Case, finding: Finding) -> Iterator[Fix]:
    """Estimates of the bodies of a formula elsewhere: on the other side of zero, and farther out."""
    e = case.model.elements[finding.elements[0]]
    if isinstance(e, Driver):
        yield from _rising(case, e)
        return
    names = [b.name for b in e.bodies] or [n for n in case.model.bodies if n != "ground"]
    yield from _elsewhere(case, names)
    yield Fix(f"remove {e.name}", (Remove(e.name),))


def _elsewhere(case: Case, names: list[str]) -> Iterator[Fix]:
    """Bodies estimated a machine's length to one side or the other."""
    for name in names:
        here = [case.model.value(x) for x in case.model.bodies[name].estimate.position]
        for shift in (1.0, -1.0, 2.0, -2.0):
            for k in range(len(here)):
                place = tuple(x + shift * case.machine.length * (i == k) for i, x in enumerate(here))
                text = f"estimate {name} at ({', '.join(f'{x:.4g}' for x in place)})"
                yield Fix(text, (Guess(name, place),))


def _rising(case: Case, e: Driver) -> Iterator[Fix]:
    """A motion that has a value everywhere: a smooth rise by one from where the machine is."""
    try:
        stand = Stand.assembled(case.model.without(e.name), case.t)
        here = Case(stand.machine, stand.q, stand.q, case.t, case.report, case.again).values([e.quantity])[0]
    except LinkwrightError:
        return
    rise = Cycloid(height=1.0, duration=1.0, start=case.t, offset=_tidy(here))
    yield Fix(f"let {e.name} rise smoothly from {here:.4g}", (Put(e.name, "motion", rise),))
    yield Fix(f"remove {e.name}", (Remove(e.name),))


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
