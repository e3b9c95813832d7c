"""Remedies that change bodies and outlines: mass and inertia, a joint to the ground, a cam that its follower fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.diagnosis.case import Case
from linkwright.analyses.diagnosis.remedies.closing import settled
from linkwright.graph import Scalar
from linkwright.model import CamFlat, CamFollower, Curve, CurveOn, Distance, Finding, Fix, Fixed, PointFollower, Revolute
from linkwright.model.changes import Add, At, Change, Put, Replace

FLATTER = (0.5, 0.25, 0.1)  # of the waves of an outline
NUDGE = (0.02, -0.02, 0.05, -0.05)  # of a length that just reaches


def island(case: Case, finding: Finding) -> Iterator[Fix]:
    zero = (0.0,) * case.model.dimension
    for kind, word in ((Revolute, "pin"), (Fixed, "fix")):
        for name in finding.elements[:3]:
            here = tuple(float(x) for x in case.stand.own(name)[: case.model.dimension])
            C = case.stand.axes(name)
            rotation = tuple(tuple(map(float, row)) for row in C)
            ground = At("ground", here, None, rotation) if case.model.dimension == 3 else At("ground", here, 0.0)
            own = At(name, zero) if case.model.dimension == 3 else At(name, zero, -float(np.arctan2(C[1, 0], C[0, 0])))
            change = Add(f"{name} to ground", kind, (("P", ground), ("Q", own)))
            yield Fix(f"{word} {name} to the ground", (change,))


def no_inertia(case: Case, finding: Finding) -> Iterator[Fix]:
    """A moment of inertia of the body's mass a tenth of the machine's size away, and a mass where it has none."""
    model = case.model
    masses = [x for b in model.bodies.values() if (x := model.value(b.mass)) > 0]
    usual, size = float(np.median(masses)), 0.1 * case.machine.length
    own = [n for n in finding.elements if n in model.bodies]
    for names in ([own[0]], own) if len(own) > 1 else ([own[0]],):
        for with_mass in (False, True):
            changes: list[Change] = []
            for name in names:
                mass = model.value(model.bodies[name].mass)
                if with_mass and not mass:
                    changes.append(Put(name, "mass", usual))
                moment = float(f"{(mass or usual) * size**2:.3g}")
                changes.append(Put(name, "inertia", _filled(model.bodies[name].inertia, moment)))
            what = "a mass and a moment" if len(changes) > len(names) else "a moment"
            yield Fix(f"give {' and '.join(names)} {what} of inertia", tuple(changes))


def _filled(inertia: Any, moment: float) -> Any:
    if not isinstance(inertia, tuple):
        return moment
    return tuple(tuple(moment if i == j and x == 0 else x for j, x in enumerate(row)) for i, row in enumerate(inertia))


def implausible(case: Case, finding: Finding) -> Iterator[Fix]:
    """The largest moment as large as it may be, or the others as large as they must be."""
    name = finding.elements[0]
    J = case.model.bodies[name].inertia_matrix()
    values, axes = linear.eigh(J)
    a, b, c = values
    for text, moments in (
        (f"make the largest moment of {name} {a + b:g}", (a, b, a + b)),
        (
            f"multiply the others by {c / (a + b) if a + b else 0:.4g}",
            (a * c / (a + b), b * c / (a + b), c) if a + b else None,
        ),
        (f"give {name} three equal moments, {c:g}", (c, c, c)),
    ):
        if moments is not None:
            new = axes @ np.diag(moments) @ axes.T
            yield Fix(text, (Put(name, "inertia", tuple(tuple(float(x) + 0.0 for x in row) for row in new)),))


def overlap(case: Case, finding: Finding) -> Iterator[Fix]:
    """A contact that may begin pressed: a stiffness that the weight of its bodies presses in by a hundredth of its depth."""
    e: Any = case.model.elements[finding.elements[0]]
    mass = sum(case.model.value(b.mass) for b in e.bodies) or 1.0
    stiffness = float(f"{1e5 * mass:.1g}")
    yield Fix(f"give {e.name} the stiffness {stiffness:g}", (Put(e.name, "k", stiffness),))
    yield Fix(
        f"give {e.name} a stiffness and no restitution", (Put(e.name, "k", stiffness), Put(e.name, "restitution", None))
    )


# -- outlines --------------------------------------------------------------------------------------------------------------


def concave(case: Case, finding: Finding) -> Iterator[Fix]:
    e = case.model.elements[finding.elements[0]]
    assert isinstance(e, CamFlat)
    given = (("point", At.of(e.face, angle=None)), ("curve", e.curve))
    for factor in FLATTER:
        if (curve := flatter(case, e.curve, factor)) is not None:
            yield Fix(f"flatten the waves of the outline of {e.name} to {factor:.0%}", (Put(e.name, "curve", curve),))
    yield Fix(f"let a point follow the outline of {e.name}", (Replace(e.name, PointFollower, given),))


def hollow(case: Case, finding: Finding) -> Iterator[Fix]:
    e = case.model.elements[finding.elements[0]]
    assert isinstance(e, CamFollower)
    numbers = [float(x) for x in re.findall(r"(?:radius|one) of ([-+.e\d]*\d)", finding.text)]
    for field in ("curve_j", "curve_i"):
        on: CurveOn = getattr(e, field)
        if on.curve.form == "polar" and len(numbers) == 2 and numbers[1]:
            factor = float(f"{0.9 * numbers[0] / numbers[1]:.3g}")
            yield Fix(f"make the roller {factor:g} times as large", (Put(e.name, field, larger(case, on, factor)),))
    for factor in FLATTER:
        for field in ("curve_i", "curve_j"):
            if (curve := flatter(case, getattr(e, field), factor)) is not None:
                yield Fix(f"flatten the waves of the outline of {e.name} to {factor:.0%}", (Put(e.name, field, curve),))


def larger(case: Case, on: CurveOn, factor: float) -> CurveOn:
    return replace(on, curve=replace(on.curve, functions=(_times(case, on.curve.functions[0], factor, 0.0),)))


def flatter(case: Case, on: CurveOn, factor: float) -> CurveOn | None:
    """An outline whose radius differs less from its mean."""
    curve: Curve = on.curve
    if curve.form != "polar":
        return None
    at = np.linspace(curve.start, curve.end, 181)[:-1]
    radius = [case.model.value(case.model.trace(curve.functions[0], {"alpha": float(a)})) for a in at]
    mean = float(f"{np.mean(radius):.6g}")
    return replace(on, curve=replace(curve, functions=(_times(case, curve.functions[0], factor, (1 - factor) * mean),)))


def _times(case: Case, law: Any, factor: float, more: float) -> Any:
    def radius(alpha: Scalar) -> Scalar:
        return factor * case.model.trace(law, {"alpha": alpha}) + more

    return radius


# -- lengths that just reach -----------------------------------------------------------------------------------------------


def just_reaches(case: Case, finding: Finding) -> Iterator[Fix]:
    """A rod a little longer or shorter; a pin on the ground a little to one side."""
    for name in finding.elements:
        e = case.model.elements[name]
        for part in NUDGE:
            if isinstance(e, Distance):
                length = float(f"{case.model.value(e.length) * (1 + part):.6g}")
                yield from settled(case, Fix(f"give {name} the length {length:g}", (Put(name, "length", length),)))
            for end in ("P", "Q"):
                P = getattr(e, end, None)
                if P is not None and hasattr(P, "body") and P.body.is_ground:
                    for k in range(case.model.dimension):
                        step = part * case.machine.length
                        moved = tuple(case.model.value(x) + step * (i == k) for i, x in enumerate(P.s))
                        told = ", ".join(f"{x:.6g}" for x in moved)
                        change = Put(name, end, replace(At.of(P), s=moved))
                        yield from settled(case, Fix(f"move {name} on the ground to ({told})", (change,)))
