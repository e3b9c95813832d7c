"""Quantities of the model in terms of coordinates and velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linkwright.equations import planar_constraints, rotations, spatial_joints
from linkwright.equations.arrays import array
from linkwright.equations.basic_constraints import continuous
from linkwright.equations.spatial_joints import Frame
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, along, atan2, free_symbols, sqrt, substitute, symbol, symbols
from linkwright.model import TIME, Point, PointOnLine, Revolute, RevoluteCylindrical, RevoluteTranslational, Translational
from linkwright.model import quantities as q
from linkwright.model.values import parameter_name
from linkwright.system.geometry import Geometry


def resolve(g: Geometry, values: Sequence[Scalar]) -> list[Scalar]:
    """The expressions with every quantity replaced by its formula; parameters, time and coordinates stay."""
    replacement: dict[Expr, Scalar] = {}
    for s in free_symbols(values):
        if s not in g.coordinates.symbols and s is not TIME and not parameter_name(s) and not _is_resolved(s):
            replacement[s] = formula(g, g.model.definition(s))
    return substitute(values, replacement) if replacement else list(values)


def _is_resolved(s: Expr) -> bool:
    """Whether a symbol is of the equations, not of a user: accelerations, multipliers, references of turns and the like."""
    return ":" in s.data or s.data.startswith(("vdot[", "lam["))


def formula(g: Geometry, definition: q.Quantity) -> Scalar:
    rule = _RULES.get(type(definition))
    if rule is None:
        raise ModelError(f"{definition.name!r} has no formula here")
    return rule(g, definition)


def rate_of(g: Geometry, values: Sequence[Scalar]) -> list[Scalar]:
    """d/dt of expressions of coordinates and time."""
    return along(values, {**g.coordinates.rates, **g.state_rates, TIME: 1.0})


def differentiated(g: Geometry, values: Sequence[Scalar], times: int = 1) -> list[Scalar]:
    """The same, of velocities too: accelerations are the symbols vdot."""
    c = g.coordinates
    rates = {**c.rates, **dict(zip(c.v, symbols("vdot", len(c.v)), strict=True)), **g.state_rates, TIME: 1.0}
    for _ in range(times):
        values = along(values, rates)
    return list(values)


def _body(g: Geometry, d: q.BodyCoordinate) -> Scalar:
    raise ModelError(f"{d.name!r} is no coordinate of this machine", element=d.body.name)


def _distance(g: Geometry, d: q.DistanceBetween) -> Scalar:
    delta = g.point(d.Q) - g.point(d.P)
    length: Scalar = sqrt(rotations.dot(delta, delta))
    return length


def _component(g: Geometry, d: q.Component) -> Scalar:
    at: Scalar = g.point(d.P)["xyz".index(d.channel[-1])]
    return differentiated(g, [at], d.order)[0]


def _dot(g: Geometry, d: q.DotProduct) -> Scalar:
    product: Scalar = rotations.dot(g.vector(d.u), g.vector(d.v))
    return product


def _angle(g: Geometry, d: q.AngleBetween) -> Scalar:
    if g.dimension == 2:
        (ux, uy), (vx, vy) = d.u.components, d.v.components
        return planar_constraints.revolute_angle(g.pose(d.u).phi, g.pose(d.v).phi, atan2(uy, ux), atan2(vy, vx))
    u, v = g.vector(d.u), g.vector(d.v)
    cross = rotations.cross(u, v)
    if d.axis is None:
        size: Scalar = atan2(sqrt(rotations.dot(cross, cross)), rotations.dot(u, v))
        return size
    axis = array(g.vector(d.axis))
    axis = axis / sqrt(rotations.dot(axis, axis))
    # the turn of v against u as seen along the axis
    across = rotations.dot(u, v) - rotations.dot(axis, u) * rotations.dot(axis, v)
    theta = atan2(rotations.dot(axis, cross), across)
    return g.nearest(d.name, lambda reference: continuous(theta, reference))


def _rate(g: Geometry, d: q.Rate) -> Scalar:
    """The rate of a position, or, where accelerations are known, of a velocity."""
    return differentiated(g, resolve(g, [d.of]))[0]


def state_symbol(name: str) -> Expr:
    """A state as it stands in the equations."""
    return symbol(f"state:{name}")


def _state(g: Geometry, d: q.StateValue) -> Scalar:
    return state_symbol(d.state)


def _joint(g: Geometry, d: q.JointCoordinate) -> Scalar:
    joint: Any = g.model.elements[d.joint]
    P, Q = ends(joint)
    if g.dimension == 2:
        if isinstance(joint, Revolute):
            return g.angle(Q) - g.angle(P)
        if isinstance(joint, Translational | PointOnLine):
            return planar_constraints.displacement(g.point(P), g.direction(P), g.point(Q))
    elif d.channel in _IN_SPACE:
        i, j = g.frame(P), g.frame(Q)
        if isinstance(joint, RevoluteCylindrical | RevoluteTranslational):  # their slide is on the second body
            i, j = j, i
        out = _IN_SPACE[d.channel](i, j)
        return g.nearest(d.name, lambda reference: continuous(out, reference)) if d.channel.startswith("angle") else out
    raise ModelError(f"{d.name!r} has no formula", element=d.joint)


# joint coordinates by their names, from the frames on the two bodies; angles within half a turn of zero
_IN_SPACE: dict[str, Callable[[Frame, Frame], Scalar]] = {
    "angle": spatial_joints.joint_angle,
    "displacement": spatial_joints.displacement,
    "angle_i": lambda i, j: spatial_joints.universal_angles(i, j)[0],
    "angle_j": lambda i, j: spatial_joints.universal_angles(i, j)[1],
    "angle_x": lambda i, j: spatial_joints.bend_angles(i, j)[0],
    "angle_y": lambda i, j: spatial_joints.bend_angles(i, j)[1],
    "displacement_x": lambda i, j: rotations.dot(i.f, j.origin - i.origin),
    "displacement_y": lambda i, j: rotations.dot(i.g, j.origin - i.origin),
}


def ends(joint: Any) -> tuple[Point, Point]:
    """The points of a joint on its first and on its second body."""
    points = [value for value in vars(joint).values() if isinstance(value, Point)]
    return points[0], points[1]


_RULES: dict[type, Callable[[Geometry, Any], Scalar]] = {
    q.BodyCoordinate: _body,
    q.JointCoordinate: _joint,
    q.DistanceBetween: _distance,
    q.Component: _component,
    q.DotProduct: _dot,
    q.AngleBetween: _angle,
    q.Rate: _rate,
    q.StateValue: _state,
}
