"""Remedies for machines that do not close: lengths and ends that fit, numbers in other units, other estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from linkwright.analyses.assembly.closure import Closure
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.conflicts import nearest_to
from linkwright.analyses.diagnosis.remedies.drivers import shifted
from linkwright.analyses.diagnosis.remedies.joints import lighter, said
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.analyses.machine.ask import ask
from linkwright.analyses.machine.row_lengths import jacobian
from linkwright.model import Constraint, Cycloid, Distance, Driver, Element, Finding, Fix, Joint, Point, Spherical
from linkwright.model.changes import At, Guess, Put, Remove, Unfix
from linkwright.solve.nearest import close
from linkwright.solve.rank import free_motions

UNITS = (1e-3, 1e3)
FARTHER = 1.25  # by how much an end is moved, of what it must be moved by at least
SAME = 1e-9  # of the machine's length, or of a direction: no other one
ASIDE = 0.3  # of a length, or in radians: where a machine is looked at beside a dead point
LENGTHS = ("length", "offset", "radius")


def contradiction(case: Case, finding: Finding) -> Iterator[Fix]:
    elements = [case.model.elements[n] for n in finding.elements if n in case.model.elements]
    drivers = [e for e in elements if isinstance(e, Driver)]
    for driver in drivers:
        yield from _asking_less(case, driver)
    joints = [e for e in elements[::-1] if not isinstance(e, Driver)]  # what was said last first: the others fitted before
    for e in joints:
        if not _both(e) or isinstance(e, Distance):  # a number is changed sooner than a place
            yield from fitted(case, e)
    reached = [_reached(case, e, list(finding.elements)) for e in joints]
    moved = [x for farther in (FARTHER, 1.0) for stand, e in zip(reached, joints, strict=True)
             for x in _reaching(case, stand, e, farther)]  # fmt: skip
    # a place is changed sooner than a direction
    yield from sorted(moved, key=lambda x: case.model.dimension == 2 and "turn" in x.text)
    for e in joints:
        if _both(e) and not isinstance(e, Distance):
            yield from fitted(case, e)
    yield from _as_estimated(case)
    for e in elements:
        for change in lighter(case, e.name):
            yield Fix(said([change]), (change,))
    for e in drivers or elements:
        yield Fix(f"remove {e.name}", (Remove(e.name),))


def fitted(case: Case, e: Element) -> Iterator[Fix]:
    """An element with the numbers that fit where the others close, nearest to the estimates."""
    stand = ask(lambda: Stand.assembled(case.model.without(e.name), case.t)).found
    if stand is None:
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
    elif ends := _both(e):
        for end, other in _ground_first(ends):
            s, C = stand.onto(_same(stand, ends[end]), _same(stand, ends[other]))
            yield _refit(case, e, end, s, C)


def _as_estimated(case: Case) -> Iterator[Fix]:
    """All rods as long as your estimates have them: of legs that are all too short one alone mends nothing."""
    stand = Stand(case.machine, case.machine.estimate())
    lengths = {e: float(np.linalg.norm(stand.place(e.P) - stand.place(e.Q))) for e in case.model.elements.values()
               if isinstance(e, Distance)}  # fmt: skip
    off = {e: x for e, x in lengths.items() if abs(x - case.model.value(e.length)) > SAME * case.machine.length and x > 0}
    if len(off) > 1:
        told = ", ".join(f"{e.name} {x:.6g}" for e, x in list(off.items())[:4]) + " ..." * (len(off) > 4)
        yield Fix(
            f"give rods the lengths of your estimates: {told}", tuple(Put(e.name, "length", x) for e, x in off.items())
        )


def _both(e: Element) -> dict[str, Point]:
    """The two ends of a joint; none of what is no joint between two points."""
    ends = {end: getattr(e, end, None) for end in ("P", "Q")}
    return {k: P for k, P in ends.items() if isinstance(e, Joint) and isinstance(P, Point)} if all(ends.values()) else {}


def _ground_first(ends: dict[str, Point]) -> list[tuple[str, str]]:
    return sorted([("P", "Q"), ("Q", "P")], key=lambda x: not ends[x[0]].body.is_ground)


def _reached(case: Case, e: Element, names: list[str]) -> Stand | None:
    """Where the others of these elements reach out for the ends of a joint as far as they can."""
    if not _both(e) or isinstance(e, Distance) or case.large:
        return None
    place = nearest_to(case.machine, case.q, case.t, [n for n in names if n in case.model.elements], e.name)
    return None if place is None else Stand(case.machine, place)


def _reaching(case: Case, stand: Stand | None, e: Element, farther: float) -> Iterator[Fix]:
    """A joint with an end where it then fits, or farther toward the others: links that just reach are at a dead point."""
    if stand is None:
        return
    ends = _both(e)
    for end, other in _ground_first(ends):
        s, C = stand.onto(ends[end], ends[other])
        here = [case.model.value(x) for x in ends[end].s]
        if farther == 1.0:
            yield _refit(case, e, end, s, C)
        elif np.linalg.norm(np.subtract(s, here)) > SAME * case.machine.length:
            there = [_rounded(a + farther * (b - a), case.machine.length) for a, b in zip(here, s, strict=True)]
            yield _refit(case, e, end, tuple(there), C)


def _refit(case: Case, e: Element, end: str, s: tuple[float, ...], C: np.ndarray) -> Fix:
    """An end of a joint at another place, with another direction; its text says which of them is another one."""
    P: Point = getattr(e, end)
    moved = np.linalg.norm(np.subtract(s, [case.model.value(x) for x in P.s])) > SAME * case.machine.length
    directed = case.model.dimension == 3 or P.angle is not None
    turned = directed and not isinstance(e, Spherical) and np.abs(C - case.stand.frame(P)).max() > SAME
    place = f"({', '.join(f'{x:.6g}' for x in s)})"
    turn = f"to {np.arctan2(C[1, 0], C[0, 0]):.6g} rad" if case.model.dimension == 2 else "to fit"
    verb = f"move the end of {e.name} on {P.body.name} to {place}" if moved or not turned else ""
    text = f"turn the end of {e.name} on {P.body.name} {turn}" if not verb else verb + f", turned {turn}" * bool(turned)
    return Fix(text, (Put(e.name, end, _moved(case, P, s, C if turned else None)),))


def settled(case: Case, fix: Fix) -> Iterator[Fix]:
    """The same with estimates where the copy closes, if they are not there already."""
    stand = ask(lambda: Stand.assembled(fix.apply(case.model), case.t)).found
    if stand is None:
        return
    poses = Case(stand.machine, stand.q, stand.q, case.t, case.report, case.again).estimates(stand.q)
    near = np.abs(stand.q - stand.machine.estimate()).max(initial=0.0) < 0.05 * case.machine.length
    yield fix if near else Fix(f"{fix.text}, with estimates to fit", (*fix.changes, *poses))


def _same(stand: Stand, P: Point) -> Point:
    """The same point of another copy of the model."""
    return At.of(P).point(stand.model)


def _rounded(x: float, length: float) -> float:
    """To a thousandth of the machine's length, as a person would give it."""
    digits = 3 - int(np.floor(np.log10(max(length, 1e-300))))
    return round(float(x), digits) + 0.0


def _moved(case: Case, P: Point, s: tuple[float, ...], C: np.ndarray | None) -> At:
    if C is None:
        return replace(At.of(P), s=s)
    if case.model.dimension == 3:
        return replace(At.of(P, rotation=C), s=s)
    return replace(At.of(P, float(np.arctan2(C[1, 0], C[0, 0]))), s=s)


def _tidy(x: float) -> float:
    return float(f"{x:.12g}")


def _without(case: Case, e: Driver) -> tuple[Stand, Case, float]:
    """Where the machine stands without a driver, and the value of its quantity there."""
    stand = Stand.assembled(case.model.without(e.name), case.t)
    own = Case(stand.machine, stand.q, stand.q, case.t, case.report, case.again)
    return stand, own, own.values([e.quantity])[0]


def _asking_less(case: Case, e: Driver) -> Iterator[Fix]:
    """A driver whose motion begins where the machine is without it; or aside of that, which may be a dead point."""
    without = ask(_without, case, e).found
    if without is None:
        return
    (stand, own, here), asked = without, case.machine.driver_value(e, case.t)
    begun = shifted(case, e.motion, here - asked)
    yield Fix(f"begin {e.name} at {here:.6g}, where the machine is", (Put(e.name, "motion", begun),))
    aside = _aside(stand, case.t)
    if aside is not None:
        here = _rounded(own.values([e.quantity], aside)[0], 1.0)
        begun = shifted(case, e.motion, here - asked)
        yield Fix(f"begin {e.name} at {here:.6g}", (Put(e.name, "motion", begun),))


def _aside(stand: Stand, t: float) -> np.ndarray | None:
    """Where a machine is after a small motion; None where it has none."""
    machine = stand.machine
    free = free_motions(jacobian(machine, stand.q, t), machine.scale)
    most = np.abs(free / machine.scale[:, None]).max(initial=0.0)
    if not most:
        return None
    found = close(Closure(machine, t), machine.retract(stand.q, ASIDE / most * free.sum(axis=1)))
    return found.q if found.closed else None


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
    without = ask(_without, case, e).found
    if without is None:
        return
    here = without[2]
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
