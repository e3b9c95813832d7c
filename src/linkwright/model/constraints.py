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
    """u_i . u_j = f."""

    u_i: OnVector
    u_j: OnVector
    f: AnyMotion = 0.0

    between = 2


@dataclass(frozen=True, eq=False, repr=False)
class DP2(Element):
    """u_i . (r_Q - r_P) = f; u_i and P on the same body."""

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
    """d . d = f, d = r_Q - r_P: f is the square of the distance [m^2]."""

    P: OnPoint
    Q: OnPoint
    f: AnyMotion

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if isinstance(self.f, float):
            check_length(self.f)


@dataclass(frozen=True, eq=False, repr=False)
class CD(Element):
    """c . (r_Q - r_P) = f, with c fixed in ground."""

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
    """A quantity held at a value; the quantity may also be a text, or a Python function of t.

    It is one of positions, or linear in velocities (nonholonomic): -lw.sin(b.angle) * b.vx + lw.cos(b.angle) * b.vy keeps a
    blade from sliding sideways. Positions that such a constraint leaves free are not corrected.
    """

    quantity: PositionOrVelocity
    value: AnyMotion = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Driver(Element):
    """A position quantity made to follow a motion f(t)."""

    quantity: Position
    motion: AnyMotion

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        quantity: Expr = values["quantity"]
        plain = isinstance(self.motion, float) and quantity.op == "symbol"
        if plain and isinstance(model.definition(quantity), DistanceBetween):
            check_length(self.motion)
