"""The four basic constraints of ME751, any quantity as a constraint, and drivers.

Their prescribed f is a motion: a number, an expression of t, a text, a Python function of t or a `Motion`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.elements import Element
from linkwright.model.fields import AnyMotion, Numbers, OnPoint, OnVector, Position, PositionOrVelocity
from linkwright.model.joints import check_length
from linkwright.model.quantities import DistanceBetween
from linkwright.model.values import norm

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True, eq=False, repr=False)
class DP1(Element):
    """The basic constraint dot-product 1: u_i . u_j = f.

    Parameters
    ----------
    u_i, u_j : Vector
        A vector of the first and of the second body; a directed point stands for its direction.
    f : motion
        The prescribed value: a number, an expression of t, a text, a Python function of t or a motion.

    References
    ----------
    ME751, DP1; Haug (9.4.3).

    Examples
    --------
    >>> m = lw.SpatialModel("level")
    >>> arm = m.body("arm")
    >>> level = m.add(lw.DP1("level", m.ground.vector(0, 0, 1), arm.vector(1, 0, 0)))
    >>> lw.check(m).dof
    5
    """

    u_i: OnVector
    u_j: OnVector
    f: AnyMotion = 0.0

    between = 2


@dataclass(frozen=True, eq=False, repr=False)
class DP2(Element):
    """The basic constraint dot-product 2: u_i . (r_Q - r_P) = f.

    Parameters
    ----------
    u_i : Vector
        A vector of the first body; a directed point stands for its direction.
    P_i : Point
        The point P, on the same body.
    Q_j : Point
        The point Q, on the second body.
    f : motion
        The prescribed value [m]: a number, an expression of t, a text, a Python function of t or a motion.

    References
    ----------
    ME751, DP2; Haug (9.4.6).

    Examples
    --------
    >>> m = lw.SpatialModel("height")
    >>> body = m.body("body")
    >>> height = m.add(lw.DP2("height", m.ground.vector(0, 0, 1), m.ground.at(0, 0, 0), body.at(0, 0, 0), f=0.3))
    >>> round(lw.assemble(m)["body.z"], 9)
    0.3
    """

    u_i: OnVector
    P_i: OnPoint
    Q_j: OnPoint
    f: AnyMotion = 0.0

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if self.u_i.body is not self.P_i.body:
            raise ModelError("u_i and P_i are on different bodies", remedy="take both from the first body")


@dataclass(frozen=True, eq=False, repr=False)
class D(Element):
    """The basic constraint distance: d . d = f with d = r_Q - r_P.

    Parameters
    ----------
    P, Q : Point
        A point of the first and of the second body.
    f : motion
        The square of the distance [m^2]: a number, an expression of t, a text, a Python function of t or a motion.

    References
    ----------
    ME751, D; Haug (9.4.8).

    Examples
    --------
    >>> m = lw.SpatialModel("tether")
    >>> bob = m.body("bob", position=(2, 0, 0))
    >>> tether = m.add(lw.D("tether", m.ground.at(0, 0, 0), bob.at(0, 0, 0), 2.25))
    >>> round(lw.assemble(m)["bob.x"], 9)
    1.5
    """

    P: OnPoint
    Q: OnPoint
    f: AnyMotion

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if isinstance(self.f, float):
            check_length(self.f)


@dataclass(frozen=True, eq=False, repr=False)
class CD(Element):
    """The basic constraint coordinate difference: c . (r_Q - r_P) = f, with c fixed in ground.

    Parameters
    ----------
    c : numbers or expressions of parameters
        A direction in ground axes.
    P, Q : Point
        A point of the first and of the second body.
    f : motion
        The prescribed value [m]: a number, an expression of t, a text, a Python function of t or a motion.

    References
    ----------
    ME751, CD.

    Examples
    --------
    >>> m = lw.SpatialModel("height")
    >>> body = m.body("body")
    >>> height = m.add(lw.CD("height", (0, 0, 1), m.ground.at(0, 0, 0), body.at(0, 0, 0), f=0.3))
    >>> round(lw.assemble(m)["body.z"], 9)
    0.3
    """

    c: Numbers
    P: OnPoint
    Q: OnPoint
    f: AnyMotion = 0.0

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if norm(map(model.value, values["c"])) == 0:
            raise ModelError("c has no length: it is no direction", remedy="give a direction, such as (1, 0, 0)")


@dataclass(frozen=True, eq=False, repr=False)
class Constraint(Element):
    """A constraint: a quantity held at a value.

    The quantity is one of positions, or linear in velocities (nonholonomic): -lw.sin(b.angle) * b.vx + lw.cos(b.angle) *
    b.vy keeps a blade from sliding sideways. Positions that such a constraint leaves free are not corrected.

    Parameters
    ----------
    quantity : expression of positions, or linear in velocities
        The quantity, also as a text, or as a Python function of t.
    value : motion
        The value [m or rad]: a number, an expression of t, a text, a Python function of t or a motion.

    Examples
    --------
    >>> m = lw.PlanarModel("bead on a circle")
    >>> bead = m.body("bead", position=(1.0, 0.2))
    >>> circle = m.add(lw.Constraint("circle", bead.x**2 + bead.y**2, 1.0))
    >>> lw.check(m).dof
    2
    """

    quantity: PositionOrVelocity
    value: AnyMotion = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Driver(Element):
    """A driver: a position quantity made to follow a motion f(t).

    Parameters
    ----------
    quantity : expression of positions
        What is driven, such as `pin.angle`; also as a text.
    motion : motion
        f(t) [m or rad]: a number, an expression of t, a text, a Python function of t or a motion such as `Harmonic`.

    Examples
    --------
    >>> m = lw.PlanarModel("crank")
    >>> crank = m.body("crank")
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    >>> motor = m.add(lw.Driver("motor", pin.angle, "2*t"))
    >>> round(float(lw.kinematics(m, t_end=1.0, steps=4)["crank.angle"][-1]), 9)
    2.0
    """

    quantity: Position
    motion: AnyMotion

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        quantity: Expr = values["quantity"]
        plain = isinstance(self.motion, float) and quantity.op == "symbol"
        if plain and isinstance(model.definition(quantity), DistanceBetween):
            check_length(self.motion)
