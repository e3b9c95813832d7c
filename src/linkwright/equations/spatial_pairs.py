"""Higher pairs in space: gears, rack and pinion, coupled joint coordinates, a point on a curve.

Each gear equation counts the pitch arcs that have rolled off. With the gears' angles against a common carrier it is a
linear relation (`gear_ratio`); of the two frames alone, with a carrier that moves or is not modelled, the line of
centres takes the carrier's place. Angles are continuous over many turns if references are given (see
`basic_constraints.continuous`). The pairs keep no distance: the centres are held by other joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.equations.basic_constraints import Residuals, between, continuous
from linkwright.equations.rotations import Vector, cross, dot
from linkwright.equations.spatial_joints import Frame, joint_angle
from linkwright.graph import Scalar, atan2, sqrt

NAMES: dict[str, tuple[str, ...]] = {
    "gear": ("rolling",),
    "bevel_gear": ("rolling",),
    "rack_pinion": ("rolling",),
    "coupler": ("sum",),
    "point_on_curve": ("x", "y", "z"),
}


def coupler(terms: Sequence[tuple[Scalar, Any]], constant: Scalar = 0.0) -> Any:
    """sum of factor * quantity - constant: any linear relation of joint coordinates."""
    total: Any = -constant
    for factor, quantity in terms:
        total = factor * quantity + total
    return total


def gear_ratio(theta_i: Any, theta_j: Any, radii: tuple[Scalar, Scalar], phase: Scalar = 0.0) -> Any:
    """R_i theta_i + R_j theta_j - phase, with the angles against a common carrier, about h_i and h_j [m].

    Parallel axes: h_i and h_j in the same sense; outer gears turn against each other, a negative radius is that of a
    ring gear (internal). Bevel gears: h_i and h_j point from the common apex toward their gears.
    """
    return coupler([(radii[0], theta_i), (radii[1], theta_j)], phase)


def meshing(theta_i: Any, theta_j: Any, radii: tuple[Scalar, Scalar], phase: Scalar) -> Any:
    """`gear_ratio` with a given phase, whole turns of gear j aside: of those the ones that come nearest to meshing."""
    return gear_ratio(theta_i, continuous(theta_j, (phase - radii[0] * theta_i) / radii[1]), radii, phase)


def centre_angles(i: Frame, j: Frame, refs: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
    """Where each gear sees the other's centre, from its own f about its own h [rad]; parallel axes."""
    d_ij = between(i.origin, j.origin)
    alpha_i = atan2(dot(i.g, d_ij), dot(i.f, d_ij))
    alpha_j = atan2(-dot(j.g, d_ij), -dot(j.f, d_ij))
    return _follow(alpha_i, alpha_j, refs)


def gear(
    i: Frame, j: Frame, radii: tuple[Scalar, Scalar], refs: tuple[Any, Any] | None = None, phase: Scalar = 0.0
) -> Residuals:
    """R_i alpha_i + R_j alpha_j - phase of gears with parallel axes, at any motion of the line of centres.

    alpha of `centre_angles`: the arcs between the marks f and the line of centres that the contact has run along. The
    contact runs counter-clockwise on one outer gear while clockwise on the other. Axes and sign of radii: `gear_ratio`.
    """
    return [gear_ratio(*centre_angles(i, j, refs), radii, phase)]


def apex_angles(i: Frame, j: Frame, refs: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
    """Where each bevel gear sees the other's axis, from its own f about its own h [rad]; axes not parallel."""
    alpha_i = atan2(dot(i.g, j.h), dot(i.f, j.h))
    alpha_j = atan2(dot(j.g, i.h), dot(j.f, i.h))
    return _follow(alpha_i, alpha_j, refs)


def axes_apart(i: Frame, j: Frame) -> Any:
    """How far the axes pass each other [m], along h_i x h_j: zero where they meet, as those of bevel gears do.

    Added to the equation of bevel gears it changes nothing in their motion, but the force between the teeth then acts where
    they touch: virtual work of turns alone would give torques without it.
    """
    across = cross(i.h, j.h)
    return dot(across, between(i.origin, j.origin)) / sqrt(dot(across, across))


def bevel_gear(
    i: Frame, j: Frame, radii: tuple[Scalar, Scalar], refs: tuple[Any, Any] | None = None, phase: Scalar = 0.0
) -> Residuals:
    """R_i alpha_i + R_j alpha_j - phase of bevel gears, alpha of `apex_angles`; R = pitch radii (or teeth).

    h_i and h_j point from the common apex toward their gears; singular where they are parallel.
    """
    return [gear_ratio(*apex_angles(i, j, refs), radii, phase)]


def rack_pinion(rack: Frame, pinion: Frame, radius: Scalar, theta_ref: Any = None, phase: Scalar = 0.0) -> Residuals:
    """f_i . d + R theta - phase: a pinion rolls on the rack's pitch line, which runs through P_i along f_i.

    theta turns the pinion against the rack about h_i, parallel to its axis; d ends at the pinion's centre. R > 0 where
    the centre is on the side of +g_i, R < 0 on the other.
    """
    d_ij = between(rack.origin, pinion.origin)
    return [dot(rack.f, d_ij) + radius * joint_angle(rack, pinion, theta_ref) - phase]


def rack_side(rack: Frame, pinion: Frame) -> Any:
    """g_i . d: how far the pinion's axis is from the pitch line, on the side of +g_i; other joints must hold it at R."""
    return dot(rack.g, between(rack.origin, pinion.origin))


def point_on_curve(i: Frame, P_j: Vector, curve: Callable[[Any], Vector], u: Any) -> Residuals:
    """P_j = P_i + [f g h] c(u): three equations with one more unknown, the curve's parameter u. Four freedoms.

    The curve gives its local coordinates (x, y, z) in the frame of body i; regular where c'(u) is not zero.
    """
    x, y, z = curve(u)
    on_curve = i.origin + x * i.f + y * i.g + z * i.h
    return list(between(np.asarray(on_curve), P_j))


def _follow(alpha_i: Any, alpha_j: Any, refs: tuple[Any, Any] | None) -> tuple[Any, Any]:
    if refs is None:
        return alpha_i, alpha_j
    return continuous(alpha_i, refs[0]), continuous(alpha_j, refs[1])
