"""Sliding of bodies in contact, and the smooth law of friction of contacts that press by a stiffness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwright import model as m
from linkwright.equations import forces
from linkwright.equations.plane import rotate90
from linkwright.equations.rotations import dot
from linkwright.graph import Scalar, where
from linkwright.model.values import is_some
from linkwright.system import rolling, touch
from linkwright.system.geometry import Geometry
from linkwright.system.load import Generalised, total

if TYPE_CHECKING:
    from linkwright.system.forces import Loads


def rubs(e: m.Contact) -> bool:
    return is_some(e.mu) or (e.mu_static is not None and is_some(e.mu_static))


def directions(g: Geometry, e: m.Contact, pair: touch.Pair) -> list[np.ndarray]:
    """Unit vectors across the normal; of a plane in space the x and y axes of its frame."""
    if g.dimension == 3 and e.on == "plane" and isinstance(e.Q, m.Point):
        return [g.frame(e.Q).f, g.frame(e.Q).g]
    return tangents(pair.normal)


def speeds(g: Geometry, e: m.Contact, pair: touch.Pair) -> tuple[Scalar, ...]:
    """The velocity of P's body less that of Q's, where they touch, along the directions."""
    slip = rolling.body_velocity(g, e.P.body, pair.place) - rolling.body_velocity(g, e.Q.body, pair.place)
    return tuple(dot(t, slip) for t in directions(g, e, pair))


def channels(g: Geometry) -> tuple[str, ...]:
    return ("friction",) if g.dimension == 2 else ("friction_x", "friction_y")


def tangents(normal: np.ndarray) -> list[np.ndarray]:
    """Unit vectors across a normal: in the plane its right, in space two (Duff et al. 2017)."""
    if len(normal) == 2:
        return [-np.array(rotate90(normal), dtype=object)]
    x, y, z = normal
    sign = where(z < 0.0, -1.0, 1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    return [
        np.array([1.0 + sign * x * x * a, sign * b, -sign * x], dtype=object),
        np.array([b, sign + y * y * a, -y], dtype=object),
    ]


def smooth(t: Loads, e: m.Contact, pair: touch.Pair, N: Scalar) -> tuple[Generalised, dict[str, Scalar]]:
    """The generalised force of friction under the pressing force N, and its components on P's body. Nothing sticks: at rest
    a load creeps, see `forces.friction`."""
    own = speeds(t.g, e, pair)
    static = e.mu if e.mu_static is None else e.mu_static
    law = (N, e.mu, static, 0.0, 0.0, e.transition)
    if len(own) == 1:
        parts = [-forces.friction(own[0], *law)]
    else:
        against = -forces.drag(dot(own, own), *law)
        parts = [against * v for v in own]
    F = sum((f * u for f, u in zip(parts, directions(t.g, e, pair), strict=True)), np.zeros(t.g.dimension))
    Q = total(t.at(e.P.body, pair.place, F), t.at(e.Q.body, pair.place, -F))
    return Q, dict(zip(channels(t.g), parts, strict=True))
