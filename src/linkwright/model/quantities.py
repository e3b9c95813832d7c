"""Quantities: scalars that the machine's state determines, as symbols whose names are their definitions.

`crank.x` is the symbol "crank.x"; `distance(P, Q)` the symbol "distance(crank(0.1, 0), ground(1, 0))". Arithmetic on
them gives ordinary expressions. The model keeps the definition of each by name; whoever builds equations puts the
geometry in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from linkwright.arguments import typed
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, free_symbols, symbol
from linkwright.graph.walk import flatten
from linkwright.model.names import is_call, quoted
from linkwright.model.values import TIME, parameter_name
from linkwright.model.writing import formula, write

if TYPE_CHECKING:
    from linkwright.model.bodies import Body
    from linkwright.model.model import Model
    from linkwright.model.points import Point, Vector

# Channels of a body that are quantities, by dimension: positions first, then velocities (angular ones in body axes).
POSITIONS = {2: ("x", "y", "angle"), 3: ("x", "y", "z", "e0", "e1", "e2", "e3")}
VELOCITIES = {2: ("vx", "vy", "omega"), 3: ("vx", "vy", "vz", "wx", "wy", "wz")}
# Rates of velocities, in their order: to be read and watched; nothing can be driven along them.
ACCELERATIONS = {2: ("ax", "ay", "alpha"), 3: ("ax", "ay", "az", "alphax", "alphay", "alphaz")}

# How the first and the second rate of a joint's coordinate are called; angle_i has omega_i and alpha_i.
RATES = {"angle": ("omega", "alpha"), "displacement": ("velocity", "acceleration")}


def rate_channels(channels: Iterable[str]) -> dict[str, tuple[str, int]]:
    """The rates that coordinates of a joint have: by name the coordinate, and how often it is differentiated."""
    out: dict[str, tuple[str, int]] = {}
    for channel in channels:
        kind, _, which = channel.partition("_")
        for times, name in enumerate(RATES.get(kind, ()), start=1):
            out[f"{name}_{which}" if which else name] = channel, times
    return out


def word(symbol_name: str) -> str:
    """How a formula writes a symbol: parameters bare, names that are no words in back-ticks."""
    if is_call(symbol_name):
        return symbol_name
    parameter = parameter_name(symbol(symbol_name))
    owner, dot, channel = symbol_name.rpartition(".")
    return parameter or (f"{quoted(owner)}.{channel}" if dot else symbol_name)


def written(value: Scalar) -> str:
    """A scalar as a formula."""
    return write(value, word)


def short(value: Scalar) -> str:
    """A scalar as a formula if it can be one and is short, else in the graph's own words."""
    found = formula(value, word, longest=120)
    return found if isinstance(found, str) else repr(value)


def name_of(value: Scalar) -> str:
    """As `short`; what leaves something out has a mark, so that no two scalars have one name."""
    told = short(value)
    return told if "..." not in told else f"{told} #{blake2b(repr(flatten([value])).encode(), digest_size=4).hexdigest()}"


@dataclass(frozen=True, eq=False)
class Quantity:
    """Base of the definitions."""

    @property
    def name(self) -> str:
        """The name of its symbol."""
        raise NotImplementedError

    @property
    def order(self) -> int:
        """0: a position, 1: a velocity, 2: an acceleration."""
        return 0


@dataclass(frozen=True, eq=False)
class BodyCoordinate(Quantity):
    """A coordinate or velocity of a body: "x", "angle", "omega", ...; of its origin, in ground axes (wx, ...: body axes)."""

    body: Body
    channel: str

    @property
    def name(self) -> str:
        return f"{self.body.name}.{self.channel}"

    @property
    def order(self) -> int:
        return int(self.channel in VELOCITIES[self.body.model.dimension])


@dataclass(frozen=True, eq=False)
class JointCoordinate(Quantity):
    """A coordinate of a joint by the joint's name: "angle", "displacement", "alpha", ..."""

    joint: str
    channel: str

    @property
    def name(self) -> str:
        return f"{self.joint}.{self.channel}"


@dataclass(frozen=True, eq=False)
class DistanceBetween(Quantity):
    """|r_Q - r_P| [m]."""

    P: Point
    Q: Point

    @property
    def name(self) -> str:
        return f"distance({self.P.text}, {self.Q.text})"


@dataclass(frozen=True, eq=False)
class AngleBetween(Quantity):
    """The angle from u to v [rad].

    In the plane, and in space about an `axis`, it is counter-clockwise, signed and continuous over many turns. In space
    without axis it lies in [0, pi].
    """

    u: Vector
    v: Vector
    axis: Vector | None = None

    @property
    def name(self) -> str:
        more = f", {self.axis.text}" if self.axis is not None else ""
        return f"angle({self.u.text}, {self.v.text}{more})"


@dataclass(frozen=True, eq=False)
class DotProduct(Quantity):
    """u . v."""

    u: Vector
    v: Vector

    @property
    def name(self) -> str:
        return f"dot({self.u.text}, {self.v.text})"


@dataclass(frozen=True, eq=False)
class Component(Quantity):
    """A ground-axes component of a point's position ("x", ...), velocity ("vx", ...) or acceleration ("ax", ...)."""

    P: Point
    channel: str

    @property
    def name(self) -> str:
        return f"{self.P.text}.{self.channel}"

    @property
    def order(self) -> int:
        return {"v": 1, "a": 2}.get(self.channel[0], 0)


@dataclass(frozen=True, eq=False)
class Rate(Quantity):
    """d/dt of an expression of positions or of velocities; its order is one more than theirs, see `Model.order`."""

    of: Expr

    @property
    def name(self) -> str:
        return f"rate({written(self.of)})"

    @property
    def order(self) -> int:
        return 1


@dataclass(frozen=True, eq=False)
class StateValue(Quantity):
    """A state of the machine, see `linkwright.model.states`. Laws may depend on it as on a velocity."""

    state: str

    @property
    def name(self) -> str:
        return self.state

    @property
    def order(self) -> int:
        return 1


def definitions_in(model: Model, value: Scalar) -> list[Quantity]:
    """What the quantities of the machine that an expression holds stand for: parameters and time are none."""
    symbols = free_symbols([value]) if type(value) is Expr else ()
    return [model.definition(s) for s in symbols if s is not TIME and not parameter_name(s)]


# -- read as attributes -------------------------------------------------------------------------------------------------


class Coordinate(property):
    """A quantity of a body or of an element that is read as an attribute: its coordinate of this name."""

    def __init__(self, doc: str) -> None:
        super().__init__(doc=doc)

    def __set_name__(self, owner: type, name: str) -> None:
        self.channel = name

    def __get__(self, owner: Any, kind: type | None = None, /) -> Expr:  # type: ignore[override]
        return self if owner is None else self.of(owner)  # type: ignore[return-value]

    def of(self, owner: Any) -> Expr:
        found: Expr = owner.coordinate(self.channel)
        return found


class Speed(Coordinate):
    """The same of a rate of a coordinate."""

    def of(self, owner: Any) -> Expr:
        found: Expr = owner.speed(self.channel)
        return found


# -- what a user calls --------------------------------------------------------------------------------------------------


def distance(P: Point, Q: Point) -> Expr:
    """Give the distance of two points as a quantity; it has no derivative where they meet.

    Parameters
    ----------
    P, Q : Point
        Points of two bodies.

    Returns
    -------
    Expr
        The quantity [m].

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> bob = m.body("bob", position=(3, 4))
    >>> lw.assemble(m)[lw.distance(m.ground.at(0, 0), bob.at(0, 0))]
    5.0
    """
    _points("distance", P, Q)
    return P.body.model.quantity(DistanceBetween(P, Q))


@typed
def component(P: Point, channel: str) -> Expr:
    """Give a component of the position, velocity or acceleration of a point as a quantity.

    Accelerations can be read from results and watched for events; no force and no driver may depend on them.

    Parameters
    ----------
    P : Point
        A point of a body.
    channel : str
        "x", "y", "z" of the position, "vx", ... of the velocity, "ax", ... of the acceleration; in ground axes.

    Returns
    -------
    Expr
        The quantity [m, m/s, m/s^2].

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> arm = m.body("arm", position=(1, 0), angle=0.5)
    >>> round(lw.assemble(m)[lw.component(arm.at(2, 0), "y")], 6)  # 2 sin(0.5)
    0.958851
    """
    _points("component", P)
    axes = "xyz"[: len(P.s)]
    known = [*axes, *("v" + a for a in axes), *("a" + a for a in axes)]
    if channel not in known:
        raise ModelError(
            f"a point has no component {channel!r}", element=P.body.name, remedy=f"it may be one of {', '.join(known)}"
        )
    return P.body.model.quantity(Component(P, channel))


def dot(u: Vector | Point, v: Vector | Point) -> Expr:
    """Give the dot product of two vectors fixed in bodies as a quantity.

    Parameters
    ----------
    u, v : Vector or Point
        The vectors; a directed point stands for its direction.

    Returns
    -------
    Expr
        The quantity.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> arm = m.body("arm", angle=1.0)
    >>> round(lw.assemble(m)[lw.dot(m.ground.vector(1, 0), arm.vector(1, 0))], 6)  # cos(1)
    0.540302
    """
    a, b = _vector("dot", u), _vector("dot", v)
    _same_model("dot", a.body, b.body)
    return a.body.model.quantity(DotProduct(a, b))


def angle(u: Vector | Point, v: Vector | Point, axis: Vector | Point | None = None) -> Expr:
    """Give the angle from u to v as a quantity.

    In the plane, and in space about an axis, it is counter-clockwise, signed and continuous over many turns. In space
    without an axis it is in [0, pi].

    Parameters
    ----------
    u, v : Vector or Point
        The vectors; a directed point stands for its direction.
    axis : Vector or Point, optional
        In space: about which the angle is counted.

    Returns
    -------
    Expr
        The quantity [rad].

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> arm = m.body("arm", angle=1.0)
    >>> round(lw.assemble(m)[lw.angle(m.ground.vector(0, 1), arm.vector(1, 0))], 6)  # 1 - pi/2
    -0.570796
    """
    a, b = _vector("angle", u), _vector("angle", v)
    c = None if axis is None else _vector("angle", axis)
    _same_model("angle", a.body, b.body, *(() if c is None else (c.body,)))
    if c is not None and a.body.model.dimension == 2:
        raise ModelError("an angle in the plane needs no axis", remedy="leave it out")
    return a.body.model.quantity(AngleBetween(a, b, c))


def rate(quantity: Expr) -> Expr:
    """Give the time derivative of a quantity.

    Parameters
    ----------
    quantity : Expr
        Of positions, or of velocities.

    Returns
    -------
    Expr
        A velocity, or an acceleration.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), m.body("arm").at(0, 0)))
    >>> lw.rate(pin.angle)
    rate(A.angle)
    """
    if type(quantity) is not Expr or all(parameter_name(s) for s in free_symbols([quantity])):
        raise ModelError(f"{quantity!r} is no quantity of a machine", remedy="give one, such as rate(pin.angle)")
    return symbol(Rate(quantity).name)


def _points(function: str, *points: Any) -> None:
    from linkwright.model.points import Point

    for P in points:
        if not isinstance(P, Point):
            raise ModelError(f"{function}() needs points of bodies, not {P!r}", remedy="write body.at(x, y)")
    _same_model(function, *(P.body for P in points))


def _vector(function: str, u: Any) -> Vector:
    from linkwright.model.points import Point, Vector

    if isinstance(u, Point) and u.directed:
        return u.axis()
    if not isinstance(u, Vector):
        raise ModelError(f"{function}() needs vectors of bodies, not {u!r}", remedy="write body.vector(x, y)")
    return u


def _same_model(function: str, *bodies: Body) -> None:
    if any(b.model is not bodies[0].model for b in bodies):
        raise ModelError(
            f"{function}() was given bodies of two models",
            element=[b.name for b in bodies],
            remedy="take both from one model",
        )
