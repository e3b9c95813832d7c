"""Where a wheel, a disc or a ball touches a plane, and how fast it slips there."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.equations.plane import rotate90
from linkwright.equations.rotations import cross, dot
from linkwright.graph import sqrt
from linkwright.system.geometry import Geometry
from linkwright.system.quantities import rate_of


def contact(g: Geometry, e: m.Rolling) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """(the point of the wheel that touches, the normal of the plane, directions in it), in ground axes.

    Of a thin disc it is the lowest point of the rim: from the centre against the normal, less its part along the axle.
    """
    centre = np.array(g.point(e.wheel), dtype=object)
    if g.dimension == 2:
        along = np.array(g.direction(e.plane), dtype=object)
        normal = np.array(rotate90(along), dtype=object)
        return centre - e.radius * normal, normal, [along]
    plane = g.frame(e.plane)
    normal, tangents = np.array(plane.h, dtype=object), [np.array(plane.f, dtype=object), np.array(plane.g, dtype=object)]
    if e.ball:
        return centre - e.radius * normal, normal, tangents
    axle = np.array(g.frame(e.wheel).h, dtype=object)
    down = dot(normal, axle) * axle - normal
    return centre + e.radius * down / sqrt(dot(down, down)), normal, tangents


def slip(g: Geometry, e: m.Rolling, at: np.ndarray) -> np.ndarray:
    """The velocity of the wheel's point there, less that of the plane's."""
    return np.asarray(velocity_at(g, e.wheel, at) - velocity_at(g, e.plane, at))


def body_velocity(g: Geometry, body: m.Body, at: np.ndarray) -> Any:
    """The velocity of the point of a body that is at a place now."""
    if body.is_ground:
        return np.zeros(g.dimension)
    c = g.coordinates
    pose, own = c.poses[body.name], c.v[c.body_slices()[body.name][1]]
    arm = at - np.array(pose.r, dtype=object)
    v = np.array(own[: g.dimension], dtype=object)
    if g.dimension == 2:
        return v + own[2] * np.array(rotate90(arm), dtype=object)
    return v + np.array(cross(g.spin(body), arm), dtype=object)


def velocity_at(g: Geometry, P: m.Point, at: Any) -> Any:
    """The velocity of the point of P's body that is at a place now."""
    if P.body.is_ground:
        return np.zeros(g.dimension)
    here = np.array(g.point(P), dtype=object)
    v, arm, c = np.array(rate_of(g, list(here)), dtype=object), at - here, g.coordinates
    own = c.v[c.body_slices()[P.body.name][1]]
    if g.dimension == 2:
        return v + own[2] * np.array(rotate90(arm), dtype=object)
    return v + np.array(cross(g.spin(P.body), arm), dtype=object)
