"""Every constraining element as equations: a table from its class to its rows, in the plane and in space.

To add an element: write its position equation in `equations`, its data in `model`, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, TypeAlias

from linkwright import model as m
from linkwright.equations import basic_constraints as basic
from linkwright.equations import higher_pairs, motions, planar_constraints, spatial_joints, spatial_pairs
from linkwright.equations.rotations import dot
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, free_symbols, jacobian, minimum, symbol
from linkwright.model.curves import sense_of
from linkwright.model.sums import Sums
from linkwright.system import meshes, rolling, ropes
from linkwright.system.geometry import Geometry
from linkwright.system.quantities import resolve

UNSTRAINED = "unstrained"  # channel of the constant that an elastic rope, belt or pair of gears begins with
Form: TypeAlias = Literal["plain", "square", "sine"]


@dataclass(frozen=True, eq=False)
class Row:
    """One equation: it holds where it is zero. ``phase``: the name of a constant that the assembled machine decides."""

    name: str
    element: m.Element
    residual: Scalar
    phase: str = ""
    rate: Scalar | None = None  # of a constraint on velocities: what must be zero, linear in them; its residual is zero

    @property
    def driver(self) -> bool:
        return isinstance(self.element, m.Driver)

    @property
    def form(self) -> Form:
        """How the residual follows from the length or angle that is off: "square", the difference of their squares; "sine";
        or "plain", itself."""
        own = self.name.rpartition(".")[2]
        if own == "length" and isinstance(self.element, m.Distance | m.RevoluteRevolute | m.RevoluteSpherical):
            return "square"
        if own == "angle" and isinstance(self.element, m.Translational):
            return "sine"
        return "sine" if len(own) == 2 and set(own) <= set("fgh") else "plain"


@dataclass(frozen=True, eq=False)
class OfVelocities:
    """An equation between velocities, which no position has to satisfy: `rate` = 0, linear in velocities."""

    rate: Scalar


@dataclass(frozen=True, eq=False)
class Phase:
    """A constant b of some rows that is not given: its value in a configuration."""

    symbol: Expr
    value: Scalar


class Traced:
    """The rows of a model, as they are collected."""

    def __init__(self, g: Geometry) -> None:
        self.g = g
        self.rows: list[Row] = []
        self.phases: dict[str, Phase] = {}
        self.senses: dict[str, Scalar] = {}  # positive where an element is assembled as described

    def add(self, element: m.Element) -> None:
        table = _PLANE if self.g.dimension == 2 else _SPACE
        rule = table.get(type(element)) or _BOTH.get(type(element))
        if rule is None:
            return  # no constraint
        rows = rule(self, element)
        for name, residual in rows:
            if isinstance(residual, OfVelocities):
                self.rows.append(Row(f"{element.name}.{name}" if name else element.name, element, 0.0, rate=residual.rate))
                continue
            unknown = self.phases.get(element.name)
            waits = unknown is not None and any(s is unknown.symbol for s in free_symbols([residual]))
            label = f"{element.name}.{name}" if name else element.name
            self.rows.append(Row(label, element, residual, element.name if waits else ""))

    def phase(self, element: Any, given: Scalar | None, value: Callable[[], Scalar]) -> Scalar:
        """The constant as given, or one that the assembled machine decides."""
        if given is not None:
            return given
        b = symbol(f"phase:{element.name}")
        self.phases[element.name] = Phase(b, value())
        return b

    def told(self, element: Any) -> dict[str, Scalar]:
        """The constant of an elastic element that the assembled machine decided, as a channel: a run that goes on from a
        result has it from there. Where the element is strained it cannot be found again."""
        return {UNSTRAINED: self.phases[element.name].symbol} if element.name in self.phases else {}

    def motion(self, f: Any) -> Scalar:
        """f(t) as an expression."""
        t = m.TIME
        if isinstance(f, m.Polynomial):
            return motions.polynomial(t, f.coefficients)
        if isinstance(f, m.Harmonic):
            return motions.harmonic(t, f.amplitude, f.omega, f.phase, f.offset)
        if isinstance(f, m.Rise):
            shape = motions.cycloidal if isinstance(f, m.Cycloid) else motions.modified_sine
            return f.offset + motions.rise(t, shape, f.start, f.duration, f.height)
        return self.g.model.trace(f, {"t": t})


Rows = Iterable[tuple[str, Any]]  # names and residuals, or `OfVelocities`
Rule = Callable[[Traced, Any], Rows]


def _named(names: Iterable[str], residuals: Iterable[Scalar]) -> Rows:
    return zip(names, residuals, strict=True)


# -- elements of both ---------------------------------------------------------------------------------------------------


def _driver(t: Traced, e: m.Driver) -> Rows:
    return [("", resolve(t.g, [e.quantity])[0] - t.motion(e.motion))]


def _constraint(t: Traced, e: m.Constraint) -> Rows:
    return [("", _held(t, e, e.quantity, t.motion(e.value)))]


def _balance(t: Traced, e: m.Balance | Sums) -> Rows:
    return [(name, _held(t, e, total, 0.0)) for name, total in e.rows().items()]


def _held(t: Traced, e: m.Element, quantity: Scalar, value: Scalar) -> Any:
    """A quantity of positions, or one that is linear in velocities, less its value."""
    held = resolve(t.g, [quantity])[0] - value
    if t.g.model.order(quantity) == 0:
        return held
    v = {x.data for x in t.g.coordinates.v}
    slopes = jacobian([held], list(t.g.coordinates.v)).entries.values()
    if any(s.data in v for s in free_symbols([x for x in slopes if type(x) is Expr])):
        raise ModelError(
            "it is not linear in velocities", element=e.name, remedy="write it as a sum of velocities times positions"
        )
    return OfVelocities(held)


def _rolling(t: Traced, e: m.Rolling) -> Rows:
    """The wheel touches the plane, and where it touches both move alike; in the plane they have then gone equally far, as a
    rack and its pinion."""
    g = t.g
    if g.dimension == 2:
        return _named(("x", "normal"), _meshing(t, e, e.plane, e.wheel, None))
    touch, normal, tangents = rolling.contact(g, e)
    slip = rolling.slip(g, e, touch)
    names = ("x", "y")[: len(tangents)]
    gap = dot(normal, touch - g.point(e.plane))
    return [("normal", gap), *((name, OfVelocities(dot(u, slip))) for name, u in zip(names, tangents, strict=True))]


def _coupler(t: Traced, e: m.Coupler) -> Rows:
    coordinates = resolve(t.g, [c for c, _ in e.terms])
    terms = [(factor, c) for (_, factor), c in zip(e.terms, coordinates, strict=True)]
    return [("", higher_pairs.coupler(terms, t.phase(e, e.value, lambda: higher_pairs.coupler(terms))))]


def _gear(t: Traced, e: m.Gear) -> Rows:
    """The row of a gear pair; elastic teeth have none: their slip is what their law depends on."""
    slip = meshes.slip(t, e)
    return [] if e.elastic else [("rolling", slip)]


def _rope(t: Traced, e: m.Rope) -> Rows:
    length = ropes.way(t.g, e).length
    given = t.phase(e, e.length, lambda: length)
    return [] if e.elastic else [("length", length - given)]


def _belt(t: Traced, e: m.Belt) -> Rows:
    slip = ropes.strands(t.g, e).slip
    phase = t.phase(e, e.phase, lambda: slip)
    return [] if e.elastic else [("slip", slip - phase)]


def _dp1(t: Traced, e: m.DP1) -> Rows:
    return [("", basic.dp1(t.g.vector(e.u_i), t.g.vector(e.u_j), t.motion(e.f)))]


def _dp2(t: Traced, e: m.DP2) -> Rows:
    return [("", basic.dp2(t.g.vector(e.u_i), t.g.point(e.Q_j) - t.g.point(e.P_i), t.motion(e.f)))]


def _d(t: Traced, e: m.D) -> Rows:
    return [("", basic.d(t.g.point(e.Q) - t.g.point(e.P), t.motion(e.f)))]


def _cd(t: Traced, e: m.CD) -> Rows:
    return [("", basic.cd(e.c, t.g.point(e.Q) - t.g.point(e.P), t.motion(e.f)))]


def _point_follower(t: Traced, e: m.PointFollower) -> Rows:
    on_curve, _ = t.g.curve(e.curve, e.alpha)
    return _named("xyz"[: t.g.dimension], higher_pairs.point_follower(t.g.point(e.point), on_curve))


_BOTH: dict[type, Rule] = {
    m.Driver: _driver, m.Constraint: _constraint, m.Coupler: _coupler, m.DP1: _dp1, m.DP2: _dp2, m.D: _d, m.CD: _cd,
    m.PointFollower: _point_follower, m.Rolling: _rolling, m.Gear: _gear, m.Rope: _rope,
    m.Belt: _belt, m.Balance: _balance, Sums: _balance,
}  # fmt: skip

# -- the plane ----------------------------------------------------------------------------------------------------------


def _revolute(t: Traced, e: m.Revolute) -> Rows:
    return _named("xy", planar_constraints.revolute(t.g.point(e.P), t.g.point(e.Q)))


def _translational(t: Traced, e: m.Translational) -> Rows:
    g = t.g
    v_i, v_j = g.direction(e.P), g.direction(e.Q)
    t.senses[e.name] = planar_constraints.translational_sense(v_i, v_j)
    return _named(("normal", "angle"), planar_constraints.translational(g.point(e.P), v_i, g.point(e.Q), v_j))


def _fixed(t: Traced, e: m.Fixed) -> Rows:
    g = t.g
    return _named(("x", "y", "angle"), planar_constraints.fixed(g.point(e.P), g.angle(e.P), g.point(e.Q), g.angle(e.Q)))


def _orientation(t: Traced, e: m.Orientation) -> Rows:
    return [("angle", planar_constraints.orientation(t.g.angle(e.P), t.g.angle(e.Q)))]


def _distance(t: Traced, e: m.Distance) -> Rows:
    return [("length", planar_constraints.relative_distance(t.g.point(e.P), t.g.point(e.Q), e.length))]


def _point_on_line(t: Traced, e: m.PointOnLine) -> Rows:
    g = t.g
    return [
        (
            "normal",
            planar_constraints.revolute_translational(g.point(e.line), g.direction(e.line), g.point(e.point), e.offset),
        )
    ]


def _rack_pinion(t: Traced, e: m.RackPinion) -> Rows:
    return _named(("rolling", "normal"), _meshing(t, e, e.rack, e.centre, e.phase))


def _meshing(t: Traced, e: Any, line: m.Point, centre: m.Point, given: Scalar | None) -> list[Scalar]:
    g = t.g
    pair = (g.point(line), g.direction(line), g.angle(line), g.point(centre), g.angle(centre), e.radius)
    phase = t.phase(e, given, lambda: higher_pairs.rack_phase(*pair))
    return higher_pairs.rack_pinion(*pair, phase)


def _cam_follower(t: Traced, e: m.CamFollower) -> Rows:
    P_i, g_i = t.g.curve(e.curve_i, e.alpha_i)
    P_j, g_j = t.g.curve(e.curve_j, e.alpha_j)
    sides = sense_of(e.curve_i.curve, t.g.model) * sense_of(e.curve_j.curve, t.g.model)
    if sides:  # of an open outline nobody says which side is solid
        t.senses[e.name] = -sides * higher_pairs.cam_sense(g_i, g_j)
    return _named(("x", "y", "tangent"), higher_pairs.cam_follower(P_i, g_i, P_j, g_j))


def _cam_flat(t: Traced, e: m.CamFlat) -> Rows:
    P_i, g_i = t.g.curve(e.curve, e.alpha)
    return _named(("normal", "tangent"), higher_pairs.cam_flat(P_i, g_i, t.g.point(e.face), t.g.direction(e.face)))


_PLANE: dict[type, Rule] = {
    m.Revolute: _revolute, m.Translational: _translational, m.Fixed: _fixed, m.Orientation: _orientation,
    m.Distance: _distance, m.RevoluteRevolute: _distance, m.PointOnLine: _point_on_line,
    m.RackPinion: _rack_pinion, m.CamFollower: _cam_follower, m.CamFlat: _cam_flat,
}  # fmt: skip

# -- space --------------------------------------------------------------------------------------------------------------


def _joint(name: str, *fields: str, sense: str = "") -> Rule:
    """A joint of two frames; `fields` are further arguments; sense: the axes that should point the same way, "h" or "fh"."""

    def rule(t: Traced, e: Any) -> Rows:
        points = [value for value in vars(e).values() if isinstance(value, m.Point)]
        i, j = map(t.g.frame, points)
        if sense:
            t.senses[e.name] = reduce(minimum, [dot(getattr(i, axis), getattr(j, axis)) for axis in sense])
        return _named(spatial_joints.NAMES[name], getattr(spatial_joints, name)(i, j, *[getattr(e, f) for f in fields]))

    return rule


def _spatial_revolute_revolute(t: Traced, e: m.RevoluteRevolute) -> Rows:
    return _joint(f"revolute_revolute_{e.axes}", "length")(t, e)


def _in_plane(t: Traced, e: m.PointOnPlane) -> Rows:
    [(name, residual)] = _joint("in_plane")(t, e)
    return [(name, residual - e.offset)]


def _screw(t: Traced, e: m.Screw) -> Rows:
    i, j = t.g.frame(e.P), t.g.frame(e.Q)
    t.senses[e.name] = dot(i.h, j.h)
    theta = resolve(t.g, [e.angle])[0]
    return _named(spatial_joints.NAMES["screw"], spatial_joints.screw(i, j, e.pitch, theta, e.start))


def _spatial_rack(t: Traced, e: m.RackPinion) -> Rows:
    i, j = t.g.frame(e.rack), t.g.frame(e.centre)
    name = f"{e.name}.angle"
    t.senses[e.name] = dot(i.h, j.h) - 0.999  # the turn of the pinion is seen along both
    t.g.nearest(name, lambda reference: spatial_joints.joint_angle(i, j, reference))
    reference, _ = t.g.turns[name]
    phase = t.phase(e, e.phase, lambda: spatial_pairs.rack_pinion(i, j, e.radius, reference)[0])
    return _named(spatial_pairs.NAMES["rack_pinion"], spatial_pairs.rack_pinion(i, j, e.radius, reference, phase))


_SPACE: dict[type, Rule] = {
    m.Revolute: _joint("revolute", sense="h"), m.Translational: _joint("translational", sense="fh"),
    m.Cylindrical: _joint("cylindrical", sense="h"), m.Spherical: _joint("spherical"), m.Universal: _joint("universal"),
    m.ConstantVelocity: _joint("constant_velocity"), m.Screw: _screw, m.Planar: _joint("planar", sense="h"),
    m.Fixed: _joint("fixed", sense="fh"), m.Orientation: _joint("orientation", sense="fh"),
    m.Distance: _joint("distance", "length"), m.RevoluteSpherical: _joint("revolute_spherical", "length"),
    m.RevoluteRevolute: _spatial_revolute_revolute, m.RevoluteCylindrical: _joint("revolute_cylindrical"),
    m.RevoluteTranslational: _joint("revolute_translational"), m.Strut: _joint("strut"), m.PointOnLine: _joint("in_line"),
    m.PointOnPlane: _in_plane, m.ParallelAxes: _joint("parallel_axes", sense="h"),
    m.PerpendicularAxes: _joint("perpendicular_axes"), m.RackPinion: _spatial_rack,
}  # fmt: skip
