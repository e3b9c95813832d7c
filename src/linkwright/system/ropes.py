"""Ropes and belts in terms of coordinates: lengths along their way, tensions, what pulls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from linkwright import model as m
from linkwright.equations import forces, ropes
from linkwright.equations.basic_constraints import continuous
from linkwright.equations.plane import rotate90
from linkwright.equations.rotations import cross, dot
from linkwright.errors import ModelError
from linkwright.graph import Scalar, absolute, atan2, minimum
from linkwright.model.values import is_some
from linkwright.system import switches
from linkwright.system.estimates import axes_along
from linkwright.system.geometry import Geometry
from linkwright.system.load import Generalised, total
from linkwright.system.meshes import FIRST, SECOND, sign

if TYPE_CHECKING:
    from linkwright.system.forces import Loads


# -- geometry ------------------------------------------------------------------------------------------------------------


def _span(g: Geometry, e: m.Element, P: m.Point, Q: m.Point, r_i: Scalar, r_j: Scalar) -> ropes.Span:
    """Between two neighbours, in the plane of a pulley among them."""
    E = np.array(g.point(Q) - g.point(P), dtype=object)
    if g.dimension == 2:
        return ropes.span(E, np.array(rotate90(E), dtype=object), 0.0, r_i, r_j)
    pulleys = [X for X, r in ((P, r_i), (Q, r_j)) if is_some(r)]
    if not pulleys:
        return ropes.span(E, E, 0.0, 0.0, 0.0)
    if len(pulleys) == 2 and axes_along(g.model, P, Q) < 0.999:
        raise ModelError(
            "neighbouring pulleys have axes that are not parallel, or point against each other",
            element=e.name,
            remedy="turn their frames so that the z axes point the same way, or lead the rope through an eye between them",
        )
    h = g.frame(pulleys[0]).h
    aside = dot(h, E)
    flat = np.array(E - aside * h, dtype=object)
    return ropes.span(flat, np.array(cross(h, flat), dtype=object), aside, r_i, r_j)


def _seen(g: Geometry, name: str, P: m.Point, Q: m.Point) -> Scalar:
    """The angle of the line from P to Q, from the x axis of a drum at P or at Q, about its axis; over many turns."""
    drum = P if name.endswith(FIRST) else Q
    E = g.point(Q) - g.point(P)
    if g.dimension == 2:
        angle = atan2(E[1], E[0])
        return g.nearest(name, lambda reference: continuous(angle - g.angle(drum), reference))
    f = g.frame(drum)
    angle = atan2(dot(f.g, E), dot(f.f, E))
    return g.nearest(name, lambda reference: continuous(angle, reference))


def _wrap(g: Geometry, name: str, P: m.Point, r: Scalar, spans: tuple[ropes.Span, ropes.Span]) -> Scalar:
    """The angle by which a rope lies on a pulley at P, from the spans before and after it: positive while it lies there,
    over many turns."""
    u, v = (s.direction for s in spans)
    turned = dot(rotate90(u), v) if g.dimension == 2 else dot(g.frame(P).h, cross(u, v))
    return g.nearest(name, lambda reference: ropes.wrap(sign(r) * turned, dot(u, v), reference))


@dataclass(frozen=True, eq=False)
class Way:
    """The length of a rope along its way, and the angles by which it is wrapped round pulleys, by channel."""

    length: Scalar
    wraps: dict[str, Scalar]


def way(g: Geometry, e: m.Rope) -> Way:
    points, radii = e.points, e.turned
    spans = [_span(g, e, points[k], points[k + 1], radii[k], radii[k + 1]) for k in range(len(points) - 1)]
    length: Scalar = sum((s.length for s in spans), 0.0)
    pulleys = [k for k in range(1, len(points) - 1) if is_some(radii[k])]
    wraps: dict[str, Scalar] = {}
    for n, k in enumerate(pulleys, 1):
        channel = "wrap" if len(pulleys) == 1 else f"wrap_{n}"
        wraps[channel] = _wrap(g, f"{e.name}.{channel}", points[k], radii[k], (spans[k - 1], spans[k]))
        length = length + absolute(radii[k]) * wraps[channel]
    if is_some(radii[0]):
        length = length + ropes.wound(radii[0], _seen(g, f"{e.name}.{FIRST}", *points[:2]), spans[0].beta)
    if is_some(radii[-1]):
        length = length - ropes.wound(radii[-1], _seen(g, f"{e.name}.{SECOND}", *points[-2:]), spans[-1].beta)
    return Way(length, wraps)


@dataclass(frozen=True, eq=False)
class Strands:
    """The strands of a belt: how far it has crept from the second strand into the first [m], and its length round both
    pulleys."""

    slip: Scalar
    length: Scalar


def strands(g: Geometry, e: m.Belt) -> Strands:
    """The first strand goes from pulley i to pulley j where the belt runs round i counter-clockwise."""
    r_i, r_j = e.turned
    P, Q = e.centre_i, e.centre_j
    forth = _span(g, e, P, Q, r_i, r_j)
    alpha_i, alpha_j = _seen(g, f"{e.name}.{FIRST}", P, Q), _seen(g, f"{e.name}.{SECOND}", P, Q)
    slip = r_i * alpha_i - r_j * alpha_j
    # the way back has the same length; both turn off the line of centres by beta, the arcs are pi -+ 2 beta
    return Strands(slip, 2.0 * (forth.length + (r_j - r_i) * forth.beta) + np.pi * (e.radii[0] + e.radii[1]))


# -- forces --------------------------------------------------------------------------------------------------------------


def pulled(loads: Loads, e: m.Element, k: Scalar, c: Scalar, x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """(tension, its part that is stored, the energy) of a spring that only pulls, stretched by x."""
    v = loads.rate(x)
    T = forces.contact("linear", x, v, k, c, 1.0)
    loads.switches += switches.found(e.name, [T], [x, v])
    return T, forces.contact_elastic("linear", x, k, 1.0), forces.contact_energy("linear", x, k, 1.0)


def pretension(loads: Loads, e: m.Belt) -> Generalised:
    """The generalised force of the pretension of both strands: virtual work along the length of the belt."""
    return loads.along(strands(loads.g, e).length, -e.pretension)


@dataclass(frozen=True, eq=False)
class Pull:
    """Generalised forces with a potential, and the part of them that damps; those without; channels."""

    Q: Generalised
    V: Scalar
    damped: Generalised
    without: Generalised
    told: dict[str, Scalar]


def rope(loads: Loads, e: m.Rope, x: Scalar) -> Pull:
    """The load of an elastic rope whose way is longer than itself by x."""
    T, stored, V = pulled(loads, e, e.k, e.c, x)
    return Pull(loads.along(x, -T), V, loads.along(x, stored - T) if is_some(e.c) else {}, {}, told(loads.g, e, T))


def belt(loads: Loads, e: m.Belt, s: Strands, slip: Scalar) -> Pull:
    """The load of an elastic belt: its strands are two springs.

    Without a length the tensions follow from the slip alone: what they do to the distance of the pulleys has no potential.
    """
    longer = 0.0 if e.length is None else 0.5 * (s.length - e.length)
    T: list[Scalar] = []
    Q, V, damped = Generalised(), 0.0, Generalised()
    for side in (1.0, -1.0):
        x = side * slip + longer
        tension, stored, energy = pulled(loads, e, e.k, e.c, x + e.pretension / e.k)
        T.append(tension)
        Q, V = total(Q, loads.along(x, -tension)), V + energy
        damped = total(damped, loads.along(x, stored - tension)) if is_some(e.c) else damped
    without = loads.along(s.length, -0.5 * (T[0] + T[1])) if e.length is None else Generalised()
    return Pull(Q, V, damped, without, tensions(loads.g, e, *T))


# -- what is told ----------------------------------------------------------------------------------------------------------


def told(g: Geometry, e: m.Rope, T: Scalar) -> dict[str, Scalar]:
    """The tension, and the smallest angle by which a pulley is wrapped; of each, where there are several; of drums."""
    wraps = way(g, e).wraps
    least = {"wrap": reduce(minimum, wraps.values())} if wraps else {}
    return {"tension": T, **least, **wraps, **g.told_turns(e.name, FIRST, SECOND)}


def tensions(g: Geometry, e: m.Belt, first: Scalar, second: Scalar) -> dict[str, Scalar]:
    """The force that drives, and, where there is a pretension, the tensions of both strands; what the pulleys have turned
    by, where a constant does not follow from it."""
    turned = g.told_turns(e.name, FIRST, SECOND) if e.elastic or e.phase is not None else {}
    out = {"force": first - second, **turned}
    return {**out, "tension_1": first, "tension_2": second} if e.elastic or is_some(e.pretension) else out
