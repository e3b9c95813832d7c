"""Gears: how far their pitch circles have slipped on each other, and what inclined teeth do to them beside.

The slip is a length along the pitch circles. Held at zero it is a constraint, whose multiplier is the tangential force; of
elastic teeth it is what their law depends on. The axial force of a helix is part of either: along its axis a helical gear
moves as a screw does, and virtual work says the rest. The force that pushes gears apart does no work while the distance of
their axes is kept, but follows from the size of the tangential force, not from its sign: from multipliers, as friction does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import model as m
from linkwright.equations import higher_pairs, spatial_pairs
from linkwright.equations.rotations import cross, dot
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, absolute, atan2, cos, maximum, sin, sqrt, where
from linkwright.model.values import is_some
from linkwright.system import switches
from linkwright.system.estimates import axes_are_parallel
from linkwright.system.geometry import Geometry
from linkwright.system.load import Generalised

if TYPE_CHECKING:
    from linkwright.system.constraints import Traced
    from linkwright.system.forces import Loads


FIRST, SECOND = "angle_i", "angle_j"  # how far gears have turned: the channels, and the names of the counts


# -- slip ----------------------------------------------------------------------------------------------------------------


def slip(t: Traced, e: m.Gear) -> Scalar:
    """Zero where the pitch circles have rolled [m]; the constant is as given, or that of the assembled machine."""
    return _in_plane(t, e) if t.g.dimension == 2 else _in_space(t, e)


def _in_plane(t: Traced, e: m.Gear) -> Scalar:
    g = t.g
    gears = (g.point(e.centre_i), g.angle(e.centre_i), e.radii[0], g.point(e.centre_j), g.angle(e.centre_j), e.radii[1])
    phase = t.phase(e, e.phase, lambda: higher_pairs.gear_phase(*gears))
    ahead, across = higher_pairs.gear_sense(*gears, phase), higher_pairs.gear(*gears, phase)
    if e.elastic:  # teeth give way along an arc
        return absolute(e.radii[0] + e.radii[1]) * atan2(across, ahead)  # type: ignore[no-any-return]
    t.senses[e.name] = ahead
    return across


def _in_space(t: Traced, e: m.Gear) -> Scalar:
    i, j = t.g.frame(e.centre_i), t.g.frame(e.centre_j)
    parallel = axes_are_parallel(t.g.model, e)
    angles = spatial_pairs.centre_angles if parallel else spatial_pairs.apex_angles
    seen = [
        t.g.nearest(f"{e.name}.{side}", lambda reference, k=k: angles(i, j, (reference, reference))[k])
        for k, side in enumerate((FIRST, SECOND) if e.phase is None else (FIRST,))
    ]
    more = _screwed(e, i, j) if parallel else spatial_pairs.axes_apart(i, j)
    if not parallel and is_some(e.helix_angle):
        raise ModelError(
            "bevel gears with spiral teeth are not offered: its axes are inclined, and it has a helix angle",
            element=e.name,
            remedy="leave helix_angle= out, or put the axes parallel",
        )
    if e.phase is not None:
        return spatial_pairs.meshing(seen[0], angles(i, j)[1], e.radii, e.phase - more)  # type: ignore[no-any-return]
    pair = spatial_pairs.gear_ratio
    phase = t.phase(e, e.phase, lambda: pair(seen[0], seen[1], e.radii) + more)
    return pair(seen[0], seen[1], e.radii, phase) + more  # type: ignore[no-any-return]


def _screwed(e: m.Gear, i: Any, j: Any) -> Scalar:
    """The slip by shifts along the axes: as of a screw whose thread is inclined by the helix angle.

    The axes are parallel, and their mean by radii is along both; so weighed, virtual work puts the thrust where teeth touch.
    """
    if not is_some(e.helix_angle):
        return 0.0
    R_i, R_j = e.radii
    axis = (R_i * i.h + R_j * j.h) / (R_i + R_j)
    return -sign(R_i) * _tan(e.helix_angle) * dot(axis, j.origin - i.origin)  # type: ignore[no-any-return]


def _tan(angle: Scalar) -> Scalar:
    return sin(angle) / cos(angle)  # type: ignore[no-any-return]


def sign(x: Scalar) -> Any:
    """The sign of a radius."""
    return where(x > 0.0, 1.0, -1.0) if type(x) is Expr else float(np.sign(x))


# -- loads ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Apart:
    """The force that pushes gears apart: `share` of the tangential force, times `direction`."""

    share: Scalar
    direction: Generalised


def apart(loads: Loads, e: m.Gear | m.RackPinion) -> Apart | None:
    """The force that pushes gears apart; None of teeth without a pressure angle. Radial = tangential tan(pressure
    angle)/cos(helix angle)."""
    if not is_some(e.pressure_angle):
        return None
    g = loads.g
    if isinstance(e, m.RackPinion):
        away = spatial_pairs.rack_side(g.frame(e.rack), g.frame(e.centre))
        return Apart(_tan(e.pressure_angle), loads.along(away, sign(e.radius)))
    share = _tan(e.pressure_angle) / cos(e.helix_angle)
    if g.dimension == 3 and not axes_are_parallel(g.model, e):
        return Apart(share, _bevel(loads, e))
    outside = sign(e.radii[0]) * sign(e.radii[1])  # of a ring gear the teeth push toward the other's centre
    return Apart(share, loads.along(_distance(g, e), outside))


def _distance(g: Geometry, e: m.Gear) -> Scalar:
    """The distance of the axes."""
    d = g.point(e.centre_j) - g.point(e.centre_i)
    square = dot(d, d)
    if g.dimension == 3:
        along = dot(g.frame(e.centre_i).h, d)
        square = square - along * along
    return sqrt(square)  # type: ignore[no-any-return]


def _bevel(loads: Loads, e: m.Gear) -> Generalised:
    """The direction of the force that pushes bevel gears apart: at the pitch point, square to the line on which the pitch
    cones touch, in the plane of the axes."""
    i, j = loads.g.frame(e.centre_i), loads.g.frame(e.centre_j)
    R_i, R_j = e.radii
    across = cross(i.h, j.h)
    sine, cosine = sqrt(dot(across, across)), dot(i.h, j.h)
    toward = np.array((j.h - cosine * i.h) / sine, dtype=object)
    away = R_i * sine * i.h - (R_j + R_i * cosine) * toward
    away = np.array(away / sqrt(dot(away, away)), dtype=object)
    pitch = i.origin + R_i * toward
    return {**loads.at(e.centre_i.body, pitch, away), **loads.at(e.centre_j.body, pitch, -away)}


def teeth(loads: Loads, e: m.Gear, s: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """(force against the slip s, its part that is stored, the energy) of elastic teeth, with play between two flanks."""
    v = loads.rate(s)
    if not is_some(e.backlash):
        return e.k * s + e.c * v, e.k * s, 0.5 * e.k * s * s
    force, stored, energy = 0.0, 0.0, 0.0
    for side in (1.0, -1.0):
        depth = side * s - 0.5 * e.backlash
        touching = depth > 0.0
        press = e.k * depth + e.c * side * v
        force = force + side * where(touching, maximum(where(touching, press, 1.0), 0.0), 0.0)
        stored = stored + side * where(touching, e.k * depth, 0.0)
        energy = energy + where(touching, 0.5 * e.k * depth * depth, 0.0)
    loads.switches += switches.found(e.name, [force], [s, v])
    return force, stored, energy


def told(g: Geometry, e: m.Gear, tangential: Scalar) -> dict[str, Scalar]:
    """The components of the force between the teeth, of gears whose teeth are inclined or elastic; what the gears have
    turned by, where a constant does not follow from it.

    tangential: positive where it turns gears of positive radius in the positive sense; radial: what pushes them apart, of a
    ring gear together; axial: on the second gear along the axis of the first.
    """
    turned = g.told_turns(e.name, FIRST, SECOND) if e.elastic or e.phase is not None else {}
    if not (e.elastic or is_some(e.pressure_angle) or is_some(e.helix_angle)):
        return turned
    out = {**turned, "tangential": tangential, "radial": absolute(tangential) * _tan(e.pressure_angle) / cos(e.helix_angle)}
    if g.dimension == 3:
        out["axial"] = sign(e.radii[0]) * tangential * _tan(e.helix_angle)
    return out


def tangential(g: Geometry, e: m.Gear, lam: Scalar) -> Scalar:
    """The tangential force of a force -lam along the slip."""
    return lam * sign(e.radii[0] + e.radii[1]) if g.dimension == 2 else lam


def told_of_rack(e: m.RackPinion, lam: Scalar) -> dict[str, Scalar]:
    """tangential: on the pinion along the pitch line; radial: what pushes it off the rack."""
    if not is_some(e.pressure_angle):
        return {}
    return {"tangential": -lam, "radial": absolute(lam) * _tan(e.pressure_angle)}
