"""Nodes without mass, as data: the sum of the forces that meet at one is zero, an equation of quantities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, free_symbols, gradient, where
from linkwright.model.bodies import Body
from linkwright.model.elements import Element, kinds
from linkwright.model.fields import OnPoint, QuantityKind, TermsKind
from linkwright.model.forces import Attraction, Force, PointForce, Spring, Torque
from linkwright.model.joints import Orientation
from linkwright.model.marks import Lately
from linkwright.model.points import Point, Vector
from linkwright.model.quantities import Component, DistanceBetween, JointCoordinate, definitions_in, rate
from linkwright.model.spatial_joints import Planar
from linkwright.model.sums import Sums
from linkwright.model.values import TIME, is_some

if TYPE_CHECKING:
    from linkwright.model.model import Model

Terms = tuple[Scalar, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Balance(Element):
    """The balance of a node without mass where springs meet: the sum of the forces on it is zero at each instant.

    `m.point(name)` adds it, as "NAME balance", to a point without mass. It takes in all `Spring`, `Attraction` and
    `PointForce` at the node, and each `Force` along its coordinates. Where anything else holds the node, or acts on it, it
    asks nothing: joints and drivers say then where the node is, or `check` that nothing does.

    Parameters
    ----------
    node : Point
        A point of the body without mass.

    Examples
    --------
    >>> m = lw.PlanarModel("a stone on two bands", gravity=(0, -10))
    >>> knot = m.point("knot", position=(0, -1))
    >>> stone = m.point("stone", 2.0, position=(0, -2))
    >>> upper = m.add(lw.Spring("upper", m.ground.at(0, 0), knot.at(0, 0), k=100))
    >>> lower = m.add(lw.Spring("lower", knot.at(0, 0), stone.at(0, 0), k=300))
    >>> lw.check(m).dof, round(float(lw.linearize(m).frequencies[0]), 6)  # sqrt(75/2)/(2 pi)
    (2, 0.974621)
    """

    node: OnPoint

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if is_some(self.node.body.mass) or any(map(is_some, self.node.s)):
            raise ModelError("its node is no point without mass", remedy="make it by m.point(name), and give its origin")

    def rows(self) -> dict[str, Scalar]:
        """The sums that are zero, by name: components; or, where fewer dampers meet than there are components, the parts
        along them and across."""
        body = self.node.body
        forces = _Forces(body)
        at_it = _AT_BODIES.made(body.model, None, lambda: _by_body(body.model))[body.name]
        return forces.sums() if all(e is self or forces.take(e) for e in at_it) else {}


def written(e: Balance) -> Sums:
    """Its rows as quantities of the model."""
    found = e.rows()
    return Sums(e.name, tuple(found.values()), " ".join(found))


@dataclass
class _Forces:
    """The forces on a node as they are found: all; those without velocities; unit vectors along which the others act."""

    node: Body
    all: list[Terms] = field(default_factory=list)
    elastic: list[Terms] = field(default_factory=list)
    lines: dict[str, Terms] = field(default_factory=dict)
    everywhere: bool = False  # whether some force depends on velocities along no line
    axes: str = ""  # along which it moves

    def __post_init__(self) -> None:
        self.axes = "xyz"[: self.model.dimension]

    def take(self, e: Element) -> bool:
        """Whether the element, which has a part in it, lets the node be in balance: it is a force that is known."""
        if isinstance(e, Planar) and [e.P.body, e.Q.body] == [self.model.ground, self.node] and e.P.rotation is None:
            self.axes = "xy"  # a node of a planar machine that was put in space
            return True
        rule = _RULES.get(type(e))
        if rule is not None:
            return rule(self, e)
        return isinstance(e, Torque | Orientation)

    @property
    def model(self) -> Model:
        return self.node.model

    def at(self, P: Point) -> list[Expr]:
        return [self.model.quantity(Component(P, c)) for c in "xyz"[: self.model.dimension]]

    def between(self, P: Point, Q: Point) -> tuple[list[Scalar], Expr]:
        """From the end at the node to the other, and the distance."""
        ends = (P, Q) if P.body is self.node else (Q, P)
        here, there = map(self.at, ends)
        return [b - a for a, b in zip(here, there, strict=True)], self.model.quantity(DistanceBetween(P, Q))

    def add(self, force: Sequence[Scalar], line: str = "", way: Sequence[Scalar] = ()) -> None:
        """line: the name of the line of the unit vector `way` that it acts along, if it does."""
        self.all.append(tuple(force))
        if all(self.model.order(x) <= 0 for x in force):
            self.elastic.append(tuple(force))
        elif line:
            self.lines[line] = tuple(way)
        else:
            self.everywhere = True

    def sums(self) -> dict[str, Scalar]:
        axes = self.axes
        if not self.all:
            return {}
        total = _sum(self.all)[: len(axes)]
        if len(self.elastic) == len(self.all) or self.everywhere or len(self.lines) >= len(axes):
            return dict(zip(axes, total, strict=True))
        if not self.elastic:
            return {}
        ways, elastic = list(self.lines.values()), _sum(self.elastic)
        across = [(-ways[0][1], ways[0][0])] if len(axes) == 2 else [_cross(*ways)] if len(ways) == 2 else _across(*ways)
        parts = [("across", u, elastic) for u in across], [("along", u, total) for u in ways]
        return {
            f"{name}_{k}" if len(own) > 1 else name: _dot(u, force)
            for own in parts for k, (name, u, force) in enumerate(own, start=1)
        }  # fmt: skip


def _across(u: Terms) -> list[Terms]:
    """Two directions across a unit vector in space. What is zero along both is so along any two others: it does not matter
    that they change where the vector comes near the axis that they are taken from."""
    flat = u[2] * u[2] < 0.5
    first = _cross((where(flat, 0.0, 1.0), 0.0, where(flat, 1.0, 0.0)), u)
    return [first, _cross(u, first)]


def _sum(forces: Sequence[Terms]) -> Terms:
    return tuple(sum(x[1:], start=x[0]) for x in zip(*forces, strict=True))


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=False)), start=0.0)  # of those in the plane the first two


def _cross(a: Terms, b: Terms) -> Terms:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


# -- what is known: whether the element lets the node be balanced --------------------------------------------------------


def _spring(f: _Forces, e: Spring) -> bool:
    d, length = f.between(e.P, e.Q)
    v = rate(length)
    k, c = f.model.traced(e.k, {"l": length}), f.model.traced(e.c, {"v": v})
    pull = f.model.traced(e.force, {"l": length, "v": v, "t": TIME})
    if k is None or c is None or pull is None:
        return False  # a law in plain Python
    way = [x / length for x in d]
    along = (c * v if is_some(c) else 0.0) + pull
    if type(e.length) is not Expr and e.length == 0:  # regular where the points meet
        elastic = [k * x for x in d]
    else:
        elastic, along = [0.0] * len(d), k * (length - e.length) + along
    force = [a + along * u for a, u in zip(elastic, way, strict=True)] if is_some(along) else elastic
    f.add(force, " ".join(sorted((e.P.text, e.Q.text))), way)
    return True


def _attraction(f: _Forces, e: Attraction) -> bool:
    d, r = f.between(e.P, e.Q)
    f.add([e.strength * x / (r * r * r) for x in d])
    return True


def _point_force(f: _Forces, e: PointForce) -> bool:
    force = [f.model.traced(x, {"t": TIME}) for x in e.force]
    if any(x is None for x in force):
        return False
    f.add([x for x in force if x is not None])
    return True


def _force(f: _Forces, e: Force) -> bool:
    own = [f.node.coordinate(c) for c in "xyz"[: f.model.dimension]]
    others = [s for s in free_symbols([e.quantity]) if s not in own and f.node in _of(f.model, s)]
    law = f.model.traced(e.law, {"s": e.quantity, "v": rate(e.quantity), "t": TIME})
    if others or law is None:
        return False
    slope = gradient(e.quantity, own)
    f.add([law * slope.get(x, 0.0) for x in own])
    return True


_RULES: dict[type, Callable[[_Forces, Any], bool]] = {
    Spring: _spring, Attraction: _attraction, PointForce: _point_force, Force: _force,
}  # fmt: skip


# -- who has a part in an element ----------------------------------------------------------------------------------------


def _by_body(model: Model) -> dict[str, list[Element]]:
    """The elements that have a point on a body, or act along a quantity that tells of it."""
    found: dict[str, list[Element]] = {}
    for e in model.elements.values():
        bodies = [*e.bodies]
        for name, kind in kinds(type(e)).items():
            if isinstance(kind, QuantityKind | TermsKind):
                value = getattr(e, name)
                bodies += [
                    b for x in ([x for x, _ in value] if isinstance(kind, TermsKind) else [value]) for b in _of(model, x)
                ]
        for body in dict.fromkeys(b.name for b in bodies):
            found.setdefault(body, []).append(e)
    return found


_AT_BODIES: Lately[dict[str, list[Element]]] = Lately(4)


def _of(model: Model, value: Scalar) -> Iterator[Body]:
    """The bodies that an expression of quantities tells of."""
    for definition in definitions_in(model, value):
        if isinstance(definition, JointCoordinate):
            yield from model.elements[definition.joint].bodies
            continue
        for x in vars(definition).values():
            if isinstance(x, Body):
                yield x
            elif isinstance(x, Point | Vector):
                yield x.body
            elif type(x) is Expr:
                yield from _of(model, x)
