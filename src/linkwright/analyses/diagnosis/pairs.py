"""Joints that hold as described in their equations only: turned round, spinning by themselves, gears out of mesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.assembly.assemble import WRONG_SPACE, wrong_roots
from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.machine import Machine
from linkwright.equations.basic_constraints import between
from linkwright.equations.higher_pairs import gear_gap
from linkwright.equations.rotations import dot
from linkwright.equations.spatial_pairs import rack_side
from linkwright.graph import Scalar
from linkwright.model import Distance, Finding, Gear, Joint, Point, RackPinion, Spherical
from linkwright.solve.rank import analyse, dense, is_sparse


def wrong_ways(machine: Machine, q: np.ndarray, t: float) -> list[Finding]:
    space = machine.model.dimension == 3
    notes = wrong_roots(machine, q, t)
    remedy = "turn the estimate of one of its bodies, or exchange the ends of an axis"
    # antiparallel axes are legal in space (angles then count about the first axis); elsewhere it is another mechanism
    found = []
    for name, note in zip((name for name, sense in machine.senses(q, t).items() if sense < 0), notes, strict=True):
        legal = space and type(machine.model.elements[name]).__name__ not in WRONG_SPACE
        found.append(Finding("antiparallel" if legal else "wrong-root", (name,), note, remedy))
    return found


def spins(machine: Machine, J: Any) -> list[Finding]:
    """Bodies held at points of one line only: each turns about it on its own, whatever the others do."""
    found = []
    joints: dict[str, list[Joint]] = {}
    for joint in (e for e in machine.model.elements.values() if isinstance(e, Joint)):
        for name in dict.fromkeys(b.name for b in joint.bodies):
            joints.setdefault(name, []).append(joint)
    J = J.tocsc() if is_sparse(J) else J
    for body, (_, at) in machine.system.coordinates.body_slices().items() if machine.model.dimension == 3 else ():
        held = joints.get(body, [])
        if len(held) < 2 or not all(_is_ball(e, body) for e in held):
            continue
        if len({b.name for e in held for b in e.bodies} - {body}) == 1:  # a door on a ball and a slot: its hinge
            continue
        columns = dense(J[:, at])
        own = columns[np.abs(columns).any(axis=1)]
        if analyse(own, machine.scale[at]).rank == 5:
            text = f"{body} turns freely about the line of {' and '.join(e.name for e in held)}"
            remedy = (
                "harmless for the others; a Universal joint instead of a ball, or a Distance instead of the body, ends it"
            )
            found.append(Finding("spin", (body, *(e.name for e in held)), text, remedy))
    return found


def _is_ball(e: Joint, body: str) -> bool:
    """Whether a joint holds no more than a point of the body."""
    end = getattr(e, "point", None)  # of a composite joint: the end with the ball
    return type(e) in (Spherical, Distance) or (isinstance(end, Point) and end.body.name == body)


def gear_gaps(machine: Machine, q: np.ndarray, t: float) -> list[Finding]:
    """Gears whose centres are not as far apart as their radii say, and racks in space: the pairs themselves do not care."""
    model = machine.model
    motion = Motion(machine, np.array([t]), q[None], machine.turns[None])
    gears = {e.name: _centres_apart(machine, e) for e in model.elements.values() if isinstance(e, Gear)}
    apart = iter(motion.evaluate([x for own in gears.values() for x in own]).reshape(-1, 2)) if gears else iter(())
    found = []
    for e in model.elements.values():
        if isinstance(e, Gear):
            wanted = abs(model.value(e.radii[0] + e.radii[1]))
            square, parallel = next(apart)
            if abs(parallel) > 0.999 and abs(square - wanted**2) > 1e-6 * wanted**2:  # bevel gears have other rules
                text = (
                    f"the centres of {e.name} are {np.sqrt(max(square, 0.0)):.6g} m apart, its radii ask for {wanted:.6g} m"
                )
                remedy = "other joints must keep that distance: mend them, or the radii"
                found.append(Finding("gear-distance", (e.name,), text, remedy))
        elif isinstance(e, RackPinion) and model.dimension == 3:
            i, j = machine.system.geometry.frame(e.rack), machine.system.geometry.frame(e.centre)
            side, parallel = motion.evaluate([rack_side(i, j), dot(i.h, j.h)]).reshape(-1)
            if parallel > 0.999:  # else the frames do not fit, which is a wrong root
                found += _rack_gap(e.name, float(side), model.value(e.radius))
    return found


def _rack_gap(name: str, side: float, radius: float) -> list[Finding]:
    if abs(side - radius) <= 1e-6 * abs(radius):
        return []
    text = (
        f"the pinion's axis of {name} is {side:.6g} m from the rack's pitch line, along its y axis; "
        f"the radius is {radius:.6g} m"
    )
    if abs(side + radius) <= 1e-6 * abs(radius):
        remedy = f"the pinion is on the other side of the rack and would turn the wrong way: give radius={-radius:.6g}"
    else:
        remedy = "other joints must keep that distance: mend them, the rack's point, or the radius"
    return [Finding("gear-distance", (name,), text, remedy)]


def _centres_apart(machine: Machine, e: Gear) -> list[Scalar]:
    """The square of the distance of the centres, in space of the axes; and the cosine between the axes."""
    g = machine.system.geometry
    if machine.model.dimension == 2:
        R_i, R_j = e.radii
        return [gear_gap(g.point(e.centre_i), R_i, g.point(e.centre_j), R_j) + (R_i + R_j) ** 2, 1.0]
    i, j = g.frame(e.centre_i), g.frame(e.centre_j)
    d = between(i.origin, j.origin)
    return [dot(d, d) - dot(i.h, d) ** 2, dot(i.h, j.h)]
