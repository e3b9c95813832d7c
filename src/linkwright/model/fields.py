"""The kinds of data an element may hold, one class each: how it is taken from the user, how it is checked in a model.

An element declares each field as a type annotated with its kind, so that a file format, a form or a page can be made
from the classes alone: see `linkwright.model.elements.kinds`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.bodies import Body
from linkwright.model.body_fields import BodyKind, CurveKind, PointKind, PointsKind, TouchKind, VectorKind
from linkwright.model.motions import Motion, Rise
from linkwright.model.names import suggestion
from linkwright.model.plain_fields import Kind, MatrixKind, NumberKind, NumbersKind
from linkwright.model.points import CurveOn, Point, Vector
from linkwright.model.touching import ShapeOn
from linkwright.model.values import TIME, as_scalar, exactly, is_sequence, law_symbols

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True)
class QuantityKind(Kind):
    """A quantity of the machine: an expression of coordinates (a text becomes one). velocity: rates may occur in it."""

    velocity: bool = False

    def take(self, value: Any) -> Any:
        if isinstance(value, str) or callable(value):
            return value
        if hasattr(value, "channels") and hasattr(value, "dimensions"):  # a joint stands for its own coordinate
            own = [c for c in value.channels if c in ("angle", "displacement")]
            if len(own) != 1:
                remedy = f"say which: {' or '.join(f'.{c}' for c in value.channels)}" if own else "give a quantity of it"
                raise ModelError(f"the {type(value).__name__} {value.name!r} has no single coordinate", remedy=remedy)
            return value.coordinate(own[0])
        if type(value) is not Expr:
            raise ModelError(f"it must be a quantity of the machine, not {value!r}", remedy="give one, such as crank.x")
        return value

    def settle(self, value: Any, model: Model) -> Any:
        value = model.trace(value, {"t": TIME})
        order = model.order(value)
        if order > 1 or model.states_in(value):
            what = "an acceleration" if order > 1 else f"the state {model.states_in(value)[0]}"
            raise ModelError(f"it holds {what}, but must be a position", remedy="give a quantity of positions")
        if order < 0:
            raise ModelError("it does not depend on the machine", remedy="give a quantity, such as crank.x or pin.angle")
        if order > 0 and not self.velocity:
            raise ModelError(
                "it holds a velocity, but must be a position",
                remedy="use positions, angles and distances only: Driver(name, pin.angle, '3*t') prescribes a speed, "
                "Constraint one that is linear in velocities, Rolling rolling; the law of a Force may depend on velocities",
            )
        return value


@dataclass(frozen=True)
class AngleKind(QuantityKind):
    """An angle, or a joint for the angle of it."""

    def take(self, value: Any) -> Any:
        return QuantityKind.take(self, value.angle if hasattr(value, "channels") and hasattr(value, "dimensions") else value)


@dataclass(frozen=True)
class TermsKind(Kind):
    """Quantities with a factor each: a mapping, kept as pairs."""

    def take(self, value: Any) -> Any:
        pairs = list(value.items()) if isinstance(value, Mapping) else value
        if not is_sequence(pairs) or len(pairs) < 2 or not all(is_sequence(p) and len(p) == 2 for p in pairs):
            raise ModelError("it needs at least two quantities, with a factor each", remedy="{A.angle: 1, B.angle: -2}")
        return tuple((QuantityKind().take(q), NumberKind().take(c)) for q, c in pairs)

    def settle(self, value: Any, model: Model) -> Any:
        return tuple((QuantityKind().settle(q, model), NumberKind(sign="nonzero").settle(c, model)) for q, c in value)


@dataclass(frozen=True)
class MotionKind(Kind):
    """A function of time: number, expression of t, text, Python function, or a `Motion`."""

    def take(self, value: Any) -> Any:
        return value if isinstance(value, Motion | str) or callable(value) else as_scalar(value, "it")

    def settle(self, value: Any, model: Model) -> Any:
        if isinstance(value, Motion):
            for name, number in value.numbers():
                model.scalar(number, name)
            if isinstance(value, Rise):
                NumberKind(sign="positive").settle(value.duration, model)
            return value
        if model.order(model.trace(value, {"t": TIME}, self.takes)) >= 0:
            raise ModelError("a motion depends on time and parameters only", remedy="drive a sum of quantities instead")
        return value


@dataclass(frozen=True)
class LawKind(Kind):
    """A law of the given arguments: number, expression of quantities and t, text, table or Python function.

    A function that cannot be traced is let pass: whether it can be used is for the analysis to say.
    """

    arguments: tuple[str, ...] = ("t",)

    def take(self, value: Any) -> Any:
        return value if isinstance(value, str) or callable(value) else as_scalar(value, "it")

    def settle(self, value: Any, model: Model) -> Any:
        law = model.traced(value, law_symbols(self.arguments), self.takes)
        if law is not None and model.order(law) > 1:
            if moving := model.rates_of_states_in(law):
                raise ModelError(
                    f"a law cannot depend on the rate of a state: that of {', '.join(moving)} is a law itself",
                    remedy=f"write what the rate of {moving[0]} is in its place",
                )
            raise ModelError(
                "a law cannot depend on accelerations: they follow from the forces", remedy="use positions and velocities"
            )
        return value


@dataclass(frozen=True)
class ComponentsKind(Kind):
    """The components of a force or torque, a law of time (and of quantities) each; a torque in the plane is one law."""

    torque: bool = False

    def take(self, value: Any) -> Any:
        return tuple(LawKind().take(x) for x in value) if is_sequence(value) else LawKind().take(value)

    def settle(self, value: Any, model: Model) -> Any:
        if self.torque and model.dimension == 2:
            if is_sequence(value):
                raise ModelError("a torque in the plane is one number", remedy="give the torque about z")
            return LawKind(takes=self.takes).settle(value, model)
        return tuple(LawKind(takes=self.takes).settle(x, model) for x in exactly(value, model.dimension, "it"))


@dataclass(frozen=True)
class JointKind(Kind):
    """A joint, kept by its name."""

    def take(self, value: Any) -> Any:
        name = getattr(value, "name", value)
        if not isinstance(name, str):
            raise ModelError(f"it must be a joint, not {value!r}", remedy="give what m.add(...) returned, or its name")
        return name

    def settle(self, value: Any, model: Model) -> Any:
        element = model.elements.get(value)
        if element is None:
            raise ModelError(f"there is no joint {value!r}", remedy=suggestion(value, model.elements))
        if not {"angle", "displacement"}.intersection(element.channels) and not getattr(element, "pivot", ""):
            raise ModelError(
                f"{value!r} ({type(element).__name__}) has no coordinate",
                remedy="name a joint that turns or slides: revolute, translational, spherical, universal, ...",
            )
        return value


# What `graph.Scalar` says to a type checker, as a type that exists when the program runs.
Real = Expr | float

Number = Annotated[Real, NumberKind()]
Positive = Annotated[Real, NumberKind(sign="positive")]
NonNegative = Annotated[Real, NumberKind(sign="nonnegative")]
NonZero = Annotated[Real, NumberKind(sign="nonzero")]
Maybe = Annotated[Real | None, NumberKind(optional=True)]
Numbers = Annotated[tuple[Real, ...], NumbersKind()]
SquareMatrix = Annotated[tuple[tuple[Real, ...], ...], MatrixKind()]
OnPoint = Annotated[Point, PointKind()]
OnPoints = Annotated[tuple[Point, ...], PointsKind()]
OnAxis = Annotated[Point, PointKind(directed=True)]
OnShape = Annotated[Point | ShapeOn, TouchKind()]
OnVector = Annotated[Vector, VectorKind()]
OnCurve = Annotated[CurveOn, CurveKind()]
OnBody = Annotated[Body, BodyKind()]
Position = Annotated[Expr, QuantityKind()]
PositionOrVelocity = Annotated[Expr, QuantityKind(velocity=True)]
Angle = Annotated[Expr, AngleKind()]
Terms = Annotated[tuple[tuple[Expr, Real], ...], TermsKind()]
AnyMotion = Annotated[Any, MotionKind()]
OnJoint = Annotated[str, JointKind()]
