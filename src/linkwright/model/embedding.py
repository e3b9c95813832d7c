"""A planar machine as a spatial one: the same names, parameters and motion, in the plane z = 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from linkwright import graph
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, free_symbols, substitute
from linkwright.model import quantities as q
from linkwright.model.bodies import Body
from linkwright.model.constraints import CD, Constraint, Driver
from linkwright.model.contacts import Contact, Stop
from linkwright.model.drives import PID, Motor, State, untold
from linkwright.model.elements import Element, kinds
from linkwright.model.fields import ComponentsKind, LawKind
from linkwright.model.forces import Bushing, Force, PointForce, Torque, TorsionSpring
from linkwright.model.joints import Fixed, PointOnLine, Revolute, Translational
from linkwright.model.model import a_model
from linkwright.model.models import PlanarModel, SpatialModel
from linkwright.model.pairs import Coupler, Gear, RackPinion, Rolling
from linkwright.model.plain_fields import Kind
from linkwright.model.plates import plates
from linkwright.model.points import CurveOn, Point, Vector
from linkwright.model.spatial_joints import Planar, PointOnPlane
from linkwright.model.touching import ShapeOn
from linkwright.model.values import TIME, is_argument, law_symbols, parameter_name
from linkwright.words import an

TURN = 2 * np.pi


def embed(model: PlanarModel) -> SpatialModel:
    """Make the spatial model of a planar machine, in the plane z = 0.

    Names stay, so that the channels x, y, vx, vy, ax, ay of bodies and the coordinates of joints can be compared; a body's
    angle is lw.angle(ground x, body x, ground z). Bodies and their shapes become thin plates, of inertia (J/2, J/2, J). A
    body that revolute, translational and fixed joints do not keep in the plane gets a `Planar` joint, "BODY plane". Closed
    loops of planar joints are redundant in space, consistently.

    Parameters
    ----------
    model : PlanarModel
        The machine in the plane.

    Returns
    -------
    SpatialModel
        The machine in space.

    Raises
    ------
    ModelError
        It has cams, which exist in the plane only, or gears with a phase of their own.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum")
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), m.body("arm").at(0, 0)))
    >>> lw.embed(m)
    <SpatialModel 'pendulum': 1 bodies, 1 elements>
    """
    if not isinstance(a_model(model), PlanarModel):
        raise ModelError("this machine is in space already", element=model.name, remedy="give a PlanarModel")
    return _Embedding(model).space


class _Embedding:
    def __init__(self, model: PlanarModel) -> None:
        self.plane = model
        self.space = SpatialModel(model.name)
        for name, value in model.parameters.items():
            self.space.parameter(name, value)
        self.space.gravity = (*model.gravity, 0.0)  # it may be made of parameters
        for body in model.bodies.values():
            if not body.is_ground:
                self._add_body(body)
        self.held = set(_held(model))
        for name in (e.name for e in model.elements.values() if isinstance(e, State)):
            self.space.add(State(name, untold))  # their rates may hold each other
        for element in model.elements.values():
            for new in self._elements(element):
                self.space.add(new)
        for name in self._loose():
            self.space.add(Planar(f"{name} plane", self.space.ground.at(0, 0, 0), self.space.bodies[name].at(0, 0, 0)))
        for quantity, start in model.fixed.items():
            self.space.fix(self.expression(quantity), start)

    def _add_body(self, b: Body) -> None:
        e, J, omega = b.estimate, cast(Scalar, b.inertia), cast(Scalar, b.estimate.omega)  # one number each in the plane
        self.space.body(
            b.name, b.mass, (J / 2, J / 2, J), com=(*b.com, 0.0), position=(*e.position, 0.0),
            orientation=((0.0, 0.0, 1.0), e.rotation), velocity=(*e.velocity, 0.0), omega=(0.0, 0.0, omega),
            weight=e.weight, shape=plates(b.shape, self.plane.value),
        )  # fmt: skip

    def _loose(self) -> list[str]:
        """Bodies that no chain of joints keeps in the plane."""
        held, grows = {self.plane.ground.name}, True
        pairs = [
            {b.name for b in e.bodies}
            for e in self.plane.elements.values()
            if isinstance(e, Revolute | Translational | Fixed)
        ]
        while grows:
            more = {name for pair in pairs if pair & held for name in pair} - held
            held, grows = held | more, bool(more)
        return [name for name in self.plane.bodies if name not in held]

    # -- elements -----------------------------------------------------------------------------------------------------
    def _elements(self, e: Element) -> list[Element]:
        if 3 not in type(e).dimensions:
            raise ModelError(
                f"{an(type(e).__name__)} exists in the plane only",
                element=e.name,
                remedy="leave it out of the model to embed",
            )
        if isinstance(e, Gear | RackPinion) and e.phase is not None:
            raise ModelError("its phase counts otherwise in space", element=e.name, remedy="leave the phase to the assembly")
        data = {}
        for field, kind in kinds(type(e)).items():
            self.counts = isinstance(e, Force | Stop | TorsionSpring | Motor | PID)
            data[field] = self.field(kind, getattr(e, field))
        self.counts = False
        if isinstance(e, Translational):
            data |= {"P": self.line(e.P), "Q": self.line(e.Q)}
        elif isinstance(e, PointOnLine):
            data |= {"line": self.line(e.line, e.offset), "offset": 0.0}
        elif isinstance(e, PointForce):
            data["force"] = (*data["force"], 0.0)
        elif isinstance(e, Torque):
            data["torque"] = (0.0, 0.0, data["torque"])
        elif isinstance(e, CD):
            data["c"] = (*data["c"], 0.0)
        elif isinstance(e, Contact) and e.on == "plane" and isinstance(e.Q, Point):  # its normal is left of Q's direction
            data["Q"] = self.line(e.Q, quarter=1.0)
        elif isinstance(e, Rolling):
            data["plane"] = self.line(e.plane, quarter=1.0)
        elif isinstance(e, Bushing):
            data |= {"k": _about_z(data["k"]), "c": None if e.c is None else _about_z(data["c"])}
        new: list[Element] = [type(e)(e.name, **data)]
        if isinstance(e, RackPinion):  # in the plane it also keeps the pinion at its distance
            normal = self.line(e.rack, 0.0, quarter=1.0)
            new.append(PointOnPlane(f"{e.name} normal", normal, self.point(e.centre), offset=e.radius))
        return new

    def field(self, kind: Kind, x: Any) -> Any:
        """What a field of this kind holds."""
        if isinstance(kind, ComponentsKind):
            return tuple(self.law(each, ("t",)) for each in x) if isinstance(x, tuple) else self.law(x, ("t",))
        return self.law(x, kind.arguments) if isinstance(kind, LawKind) else self.value(x)

    def law(self, x: Any, arguments: tuple[str, ...]) -> Any:
        """A law, which may be a text or a function that uses quantities of the machine in the plane."""
        self.counts = True
        if not isinstance(x, str) and not callable(x):
            return self.value(x)
        symbols = law_symbols(arguments)
        traced = self.plane.traced(x, symbols)
        there = self.expression(traced)
        if there is traced:  # it uses its arguments alone, or is plain Python
            return x
        return lambda *given: substitute([there], dict(zip(cast("dict[str, Expr]", symbols).values(), given, strict=True)))[
            0
        ]

    def value(self, x: Any) -> Any:
        """Whatever a field holds."""
        if isinstance(x, Point):
            return self.point(x)
        if isinstance(x, Vector):
            return self.vector(x)
        if isinstance(x, CurveOn):
            return self.space.bodies[x.body.name].curve(x.curve, (*x.at, 0.0), rotation=((0, 0, 1), x.angle))
        if isinstance(x, ShapeOn):
            return self.surface(x)
        if isinstance(x, Body):
            return self.space.bodies[x.name]
        if type(x) is Expr:
            return self.expression(x)
        if isinstance(x, tuple):
            if x and all(isinstance(pair, tuple) and len(pair) == 2 for pair in x) and type(x[0][0]) is Expr:
                return {self.expression(quantity): factor for quantity, factor in x}  # the terms of a coupler
            return tuple(map(self.value, x))
        return x

    def point(self, P: Point) -> Point:
        """Its z axis out of the plane, x along its direction."""
        return self.space.bodies[P.body.name].at(*P.s, 0.0, rotation=((0, 0, 1), 0.0 if P.angle is None else P.angle))

    def surface(self, on: ShapeOn) -> ShapeOn:
        """Circles as spheres, capsules as capsules; what has corners would touch by edges in space."""
        given = []
        for part in on.parts:
            if part.kind not in ("circle", "capsule"):
                raise ModelError(f"{an(part.kind)} that touches is no shape in space", remedy="round it, or leave it out")
            size, at = (part.size[0] if part.kind == "circle" else part.size), (*part.at, 0.0)
            more = {"axis": (graph.cos(part.angle), graph.sin(part.angle), 0.0)} if part.kind == "capsule" else {}
            given.append({"sphere" if part.kind == "circle" else "capsule": size, "at": at, "radius": part.radius, **more})
        return self.space.bodies[on.body.name].surface(given)

    def vector(self, v: Vector) -> Vector:
        return self.space.bodies[v.body.name].vector(*v.components, 0.0)

    def line(self, P: Point, offset: Scalar = 0.0, quarter: float = 0.0) -> Point:
        """Its z axis along the direction of P (a `quarter` turn further), shifted to the left by `offset`."""
        angle: Scalar = (0.0 if P.angle is None else P.angle) + quarter * np.pi / 2
        c, s = graph.cos(angle), graph.sin(angle)
        axes = ((-s, 0.0, c), (c, 0.0, s), (0.0, 1.0, 0.0))
        return self.space.bodies[P.body.name].at(P.s[0] - offset * s, P.s[1] + offset * c, 0.0, rotation=axes)

    # -- quantities ---------------------------------------------------------------------------------------------------
    def expression(self, value: Scalar | None) -> Any:
        """An expression of quantities with those of the spatial model in it."""
        if type(value) is not Expr:
            return value
        known = [s for s in free_symbols([value]) if s is not TIME and not parameter_name(s) and not is_argument(s)]
        return substitute([value], {s: self._counted(s) for s in known})[0]

    counts = False  # whether whole turns matter: forces grow with them, equations are solved with those that are nearest

    def _counted(self, s: Expr) -> Scalar:
        """A quantity in space; an angle with the whole turns that its estimate has in the plane, where nothing else says how
        many it has: in space it begins within half a turn of zero."""
        d = self.plane.definition(s)
        turns = np.rint(self._estimate(d) / TURN) if self.counts and s not in self.held else 0.0
        out: Scalar = self.quantity(d) + TURN * float(turns)
        return out

    def _estimate(self, d: q.Quantity) -> float:
        """Of an angle in the plane; zero of what is none."""
        value = self.plane.value

        def of(body: Body, more: Scalar | None) -> float:
            return float(value(body.estimate.rotation) + (0.0 if more is None else value(more)))  # type: ignore[arg-type]

        if isinstance(d, q.BodyCoordinate) and d.channel == "angle":
            return of(d.body, None)
        if isinstance(d, q.AngleBetween):
            u, v = (of(w.body, graph.atan2(w.components[1], w.components[0])) for w in (d.u, d.v))
            return v - u
        if isinstance(d, q.JointCoordinate) and d.channel == "angle":
            P, Q = (x for x in vars(self.plane.elements[d.joint]).values() if isinstance(x, Point))
            return of(Q.body, Q.angle) - of(P.body, P.angle)
        return 0.0

    def quantity(self, d: q.Quantity) -> Expr:
        up = self.space.ground.vector(0, 0, 1)
        if isinstance(d, q.BodyCoordinate):
            body = self.space.bodies[d.body.name]
            if d.channel == "angle":
                return q.angle(self.space.ground.vector(1, 0, 0), body.vector(1, 0, 0), up)
            return body.coordinate("wz" if d.channel == "omega" else d.channel)
        if isinstance(d, q.JointCoordinate | q.StateValue):
            return self.space.quantity(d)
        if isinstance(d, q.DistanceBetween):
            return q.distance(self.point(d.P), self.point(d.Q))
        if isinstance(d, q.Component):
            return q.component(self.point(d.P), d.channel)
        if isinstance(d, q.DotProduct):
            return q.dot(self.vector(d.u), self.vector(d.v))
        if isinstance(d, q.AngleBetween):
            return q.angle(self.vector(d.u), self.vector(d.v), up)
        if isinstance(d, q.Rate):
            return q.rate(self.expression(d.of))
        raise ModelError(f"{d.name!r} has no counterpart in space", remedy="leave out what uses it")


def _held(model: PlanarModel) -> Iterator[Expr]:
    """Quantities of which something says where they are."""
    yield from (quantity for quantity in model.fixed if model.order(quantity) == 0)
    for e in model.elements.values():
        if isinstance(e, Driver | Constraint) and model.order(e.quantity) == 0:
            yield e.quantity
        elif isinstance(e, Coupler) and e.value is not None:
            yield from (quantity for quantity, _ in e.terms)


def _about_z(K: tuple[tuple[Scalar, ...], ...]) -> tuple[tuple[Scalar, ...], ...]:
    """A matrix by (x, y, angle) as one by (x, y, z, about x, about y, about z)."""
    at = {0: 0, 1: 1, 5: 2}
    return tuple(tuple(K[at[i]][at[j]] if i in at and j in at else 0.0 for j in range(6)) for i in range(6))
