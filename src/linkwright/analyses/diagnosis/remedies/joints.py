"""Remedies that change joints: those with fewer equations, those turned round, those that are said twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from linkwright.analyses.diagnosis.case import Case
from linkwright.equations import rotations
from linkwright.model import (
    CamFollower,
    Constraint,
    Cylindrical,
    Distance,
    Driver,
    Element,
    Finding,
    Fix,
    Fixed,
    Gear,
    Orientation,
    ParallelAxes,
    Planar,
    Point,
    PointOnLine,
    PointOnPlane,
    RackPinion,
    Revolute,
    Screw,
    Spherical,
    Translational,
    Universal,
)
from linkwright.model.changes import Add, At, Change, Guess, Put, Remove, Replace

# Joints with fewer equations, the ones that take least away first.
LIGHTER_SPACE: dict[type[Element], tuple[type[Element], ...]] = {
    Revolute: (Cylindrical, Spherical, PointOnLine, PointOnPlane),
    Translational: (Cylindrical, Planar, PointOnLine, PointOnPlane),
    Fixed: (Revolute, Translational, Cylindrical, Spherical, PointOnLine),
    Cylindrical: (PointOnLine, ParallelAxes),
    Screw: (Cylindrical,),
    Universal: (Spherical,),
    Spherical: (PointOnLine, PointOnPlane),
    Planar: (PointOnPlane, ParallelAxes),
    PointOnLine: (PointOnPlane,),
}
LIGHTER_PLANE: dict[type[Element], tuple[type[Element], ...]] = {
    Revolute: (PointOnLine,),
    Translational: (PointOnLine, Orientation),
    Fixed: (Revolute, Translational, PointOnLine),
}
FEW = 5  # joints of which pairs are tried


def lighter(case: Case, name: str) -> Iterator[Replace]:
    """Replacements of a joint by ones with fewer equations."""
    e = case.model.elements[name]
    space = case.model.dimension == 3
    for kind in (LIGHTER_SPACE if space else LIGHTER_PLANE).get(type(e), ()):
        if space or kind not in (PointOnLine, Translational):
            yield Replace(name, kind)
        else:
            yield from _lines(e, kind)


def _lines(e: Element, kind: type[Element]) -> Iterator[Replace]:
    """In the plane a line has a direction: that of the joint, or along an axis of its first body."""
    P, Q = e.P, e.Q  # type: ignore[attr-defined]
    for angle in dict.fromkeys([P.angle if P.angle is not None else 0.0, 0.0, 0.5 * np.pi]):
        ends = (("line", At.of(P, angle)),) if kind is PointOnLine else (("P", At.of(P, angle)), ("Q", At.of(Q, angle)))
        yield Replace(e.name, kind, ends)


def redundant(case: Case, finding: Finding) -> Iterator[Fix]:
    """One joint lighter; where that is not enough, two; one joint fewer. None before what contradicts is mended."""
    if not case.report.closed:
        return
    names = [n for n in finding.elements if not isinstance(case.model.elements[n], Driver)]
    singles = {name: list(lighter(case, name)) for name in names}
    for own in singles.values():
        for change in own:
            yield Fix(said([change]), (change,))
    for name in names[::-1]:
        yield Fix(f"remove {name}", (Remove(name),))
    if len(names) > 2:
        for name in names[:FEW]:
            others = [n for n in names if n != name]
            yield Fix(f"keep {name}, remove {' and '.join(others)}", tuple(map(Remove, others)))
    for a, b in combinations(names[:FEW], 2):
        for one in singles[a]:
            for other in singles[b]:
                yield Fix(said([one, other]), (one, other))


def said(changes: list[Replace]) -> str:
    return "replace " + " and ".join(f"{c.name} by {_a(c.kind.__name__)}" for c in changes)


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOU' and not kind.startswith('Uni') else 'a'} {kind}"


def spin(case: Case, finding: Finding) -> Iterator[Fix]:
    """A ball becomes a cross, its arms across the line of the balls; or the body becomes a rod without mass."""
    body, *held = finding.elements
    points = [case.stand.place(e.P) for e in map(case.model.elements.__getitem__, held) if isinstance(e, Spherical)]
    if len(points) == 2:
        d = points[1] - points[0]
        for name in held:
            yield _cross(case, case.model.elements[name], d / np.linalg.norm(d))
    yield from _rod_instead(case, body, held)


def _cross(case: Case, e: Element, d: np.ndarray) -> Fix:
    u = np.cross(d, np.eye(3)[np.argmin(np.abs(d))])
    u /= np.linalg.norm(u)
    P, Q = e.P, e.Q  # type: ignore[attr-defined]
    ends = [At.of(X, rotation=case.stand.axes(X.body.name).T @ np.column_stack([np.cross(x, z), x, z])) for X, x, z in
            ((P, d, u), (Q, d, np.cross(d, u)))]  # fmt: skip
    return Fix(f"replace {e.name} by a Universal", (Replace(e.name, Universal, (("P", ends[0]), ("Q", ends[1]))),))


def _rod_instead(case: Case, body: str, held: list[str]) -> Iterator[Fix]:
    """A rod on two balls that nothing else acts on is a Distance: its spin is gone with it."""
    used = {name for name, e in case.model.elements.items() if body in [b.name for b in e.bodies]}
    balls = [case.model.elements[n] for n in held]
    if used != set(held) or len(balls) != 2 or not all(isinstance(e, Spherical) for e in balls):
        return
    every = [P for e in balls for P in (e.P, e.Q)]  # type: ignore[attr-defined]
    own = [np.array([case.model.value(x) for x in P.s]) for P in every if P.body.name == body]
    ends = [At.of(P) for P in every if P.body.name != body]
    given = (("P", ends[0]), ("Q", ends[1]), ("length", float(np.linalg.norm(own[0] - own[1]))))
    removed = [*(Remove(n) for n in held), Remove(body)]
    yield Fix(f"replace {body} by a Distance between its ends", (*removed, Add(body, Distance, given)))


def turned_round(case: Case, finding: Finding) -> Iterator[Fix]:
    """The estimate of a body turned by half a turn; the direction of an end turned round; the sign of a radius."""
    e = case.model.elements[finding.elements[0]]
    bodies = [b.name for b in e.bodies if not b.is_ground]
    for name in bodies[::-1]:
        yield from _half_turns(case, name)
    for end in ("Q", "P", "line", "rack", "centre"):
        P = getattr(e, end, None)
        if isinstance(P, Point) and P.angle is not None:
            turned = At.of(P, P.angle + np.pi)
            yield Fix(f"turn the direction of {e.name} on {P.body.name} by half a turn", (Put(e.name, end, turned),))
        elif isinstance(P, Point) and case.model.dimension == 3:
            C = case.stand.frame(P) @ np.diag([1.0, -1.0, -1.0])
            text = f"turn the frame of {e.name} on {P.body.name} by half a turn about its x axis"
            yield Fix(text, (Put(e.name, end, At.of(P, rotation=C)),))
    if isinstance(e, CamFollower):  # one outline within the other: something holds it there
        for other in case.model.elements.values():
            if isinstance(other, Constraint | Driver):
                yield Fix(f"remove {other.name}", (Remove(other.name),))
    if isinstance(e, RackPinion) and case.model.dimension == 3:
        yield from _along_the_pinion(case, e)
    if hasattr(e, "radius"):
        yield Fix(f"give {e.name} the radius {-case.model.value(e.radius):g}", (Put(e.name, "radius", -e.radius),))
    if hasattr(e, "radii"):
        yield from _other_side(case, e)
        R_i, R_j = e.radii
        for radii in ((R_i, -R_j), (-R_i, R_j)):
            told = ", ".join(f"{case.model.value(x):g}" for x in radii)
            yield Fix(f"give {e.name} the radii {told}: an internal gear", (Put(e.name, "radii", radii),))


def _along_the_pinion(case: Case, e: RackPinion) -> Iterator[Fix]:
    """The frame of a rack with its z axis along the pinion's, and for its pitch line an axis that it had."""
    stand = case.stand
    own = stand.frame(e.rack)
    h = stand.axes(e.rack.body.name).T @ stand.axes(e.centre.body.name) @ stand.frame(e.centre)[:, 2]
    for k in (2, 0, 1):
        f = own[:, k] - (own[:, k] @ h) * h
        if np.linalg.norm(f) > 0.5:
            f /= np.linalg.norm(f)
            at = At.of(e.rack, rotation=np.column_stack([f, np.cross(h, f), h]))
            text = f"turn the frame of {e.name} on {e.rack.body.name}: z along the pinion's axis"
            yield Fix(f"{text}, x along its old {'xyz'[k]} axis", (Put(e.name, "rack", at),))


def _other_side(case: Case, e: Element) -> Iterator[Fix]:
    """A gear estimated on the other side of the one it meshes with."""
    for P, Q in ((e.centre_j, e.centre_i), (e.centre_i, e.centre_j)):  # type: ignore[attr-defined]
        if not P.body.is_ground:
            over = 2 * (case.stand.place(Q) - case.stand.place(P))
            place = case.stand.own(P.body.name)[: case.model.dimension] + over
            change = Guess(P.body.name, tuple(float(x) for x in place))
            yield Fix(f"estimate {P.body.name} on the other side of {Q.body.name}", (change,))


def _half_turns(case: Case, body: str) -> Iterator[Fix]:
    est = case.model.bodies[body].estimate
    place = tuple(map(case.model.value, est.position))
    if case.model.dimension == 2:
        angle = case.model.value(est.rotation)  # type: ignore[arg-type]
        turned = angle - np.pi if angle > 0 else angle + np.pi
        yield Fix(f"estimate {body} at the angle {turned:.4g}", (Guess(body, place, angle=turned),))
        # a body that is turned is somewhere else too, where its joints are away from its origin
        flipped = case.pose(body, case.q)
        yield Fix(f"turn the estimate of {body} by half a turn", (Guess(body, flipped.position, angle=turned),))
        return
    p = np.array([case.model.value(x) for x in est.rotation])  # type: ignore[union-attr]
    for k, axis in enumerate("xyz"):
        turn = rotations.product(p, np.eye(4)[k + 1])
        change = Guess(body, place, orientation=tuple(float(x) for x in turn))
        yield Fix(f"turn the estimate of {body} by half a turn about its {axis} axis", (change,))


def gear_distance(case: Case, finding: Finding) -> Iterator[Fix]:
    """Wheels that were meant outside each other, or one in the other; radii in their ratio at the distance that there is;
    bearings on the ground at the distance that the radii ask for."""
    e = case.model.elements[finding.elements[0]]
    if hasattr(e, "radius"):
        text = finding.text
        measured = float(text.split(" is ")[1].split(" ")[0])
        for value in (-case.model.value(e.radius), measured):
            yield Fix(f"give {e.name} the radius {value:g}", (Put(e.name, "radius", value),))
        return
    R_i, R_j = map(case.model.value, e.radii)  # type: ignore[attr-defined]
    apart = float(finding.text.split(" are ")[1].split(" ")[0])
    yield from _outside_or_inside(e, (R_i, R_j), apart)
    shared = [_in_other_gears(case, e, P) for P in (e.centre_i, e.centre_j)]  # type: ignore[attr-defined]
    ratio = [(R_i * apart / abs(R_i + R_j), R_j * apart / abs(R_i + R_j))] if R_i + R_j else []
    first = _one_of_two(R_i, R_j, apart)
    chosen = [radii for radii, own in zip(first, shared, strict=True) if not own]  # a wheel of two pairs has one radius
    for radii in [*chosen, *ratio] if any(shared) else [*ratio, *first]:
        yield _with_radii(e, radii)
    yield from _bearings(case, e, abs(R_i + R_j), apart)


def _in_other_gears(case: Case, e: Element, P: Point) -> bool:
    others = (x for x in case.model.elements.values() if isinstance(x, Gear) and x.name != e.name)
    return any(P.body is C.body for x in others for C in (x.centre_i, x.centre_j))


def _one_of_two(R_i: float, R_j: float, apart: float) -> list[tuple[float, float]]:
    """Another radius of the first wheel, then of the second; each of the sign that it has."""
    side = 1.0 if R_i + R_j > 0 else -1.0
    return [(side * apart - R_j, R_j), (R_i, side * apart - R_i)]


def _outside_or_inside(e: Element, radii: tuple[float, float], apart: float) -> Iterator[Fix]:
    """The same wheels in the other way, where they then mesh: side by side, or the smaller in the larger."""
    small, large = sorted(map(abs, radii))
    for signs, fits in (((1, 1), large + small), ((1, -1), large - small)):
        if abs(fits - apart) <= 1e-6 * apart:
            first = large > abs(radii[0]) or small == large
            a, b = (abs(radii[0]), signs[1] * abs(radii[1])) if first else (signs[1] * abs(radii[0]), abs(radii[1]))
            yield _with_radii(e, (a, b))


def _with_radii(e: Element, radii: tuple[float, float]) -> Fix:
    return Fix(f"give {e.name} the radii {radii[0]:.6g} and {radii[1]:.6g}", (Put(e.name, "radii", radii),))


def _bearings(case: Case, e: Element, wanted: float, apart: float) -> Iterator[Fix]:
    """A gear on a pin of the ground: the pin moved along the line of centres."""
    centres = [e.centre_i, e.centre_j]  # type: ignore[attr-defined]
    own = [case.stand.place(P) for P in centres]
    for k, (P, here, other) in enumerate(zip(centres, own, own[::-1], strict=True)):
        for pin in case.model.elements.values():
            ends = [getattr(pin, n, None) for n in ("P", "Q")]
            if not isinstance(pin, Revolute) or {b.name for b in pin.bodies} != {P.body.name, "ground"}:
                continue
            side = "P" if ends[0].body.is_ground else "Q"  # type: ignore[union-attr]
            at = np.array([case.model.value(x) for x in getattr(pin, side).s])
            moved = tuple(float(x) for x in at + (here - other) * (wanted / apart - 1))
            body = (e.centre_i, e.centre_j)[k].body.name  # type: ignore[attr-defined]
            changes: tuple[Change, ...] = (
                Put(pin.name, side, replace(At.of(getattr(pin, side)), s=moved)),
                Guess(body, moved),
            )
            yield Fix(f"move {pin.name} on the ground to ({', '.join(f'{x:.6g}' for x in moved)})", changes)
