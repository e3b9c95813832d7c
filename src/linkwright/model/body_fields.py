"""Kinds of data that are fixed to bodies: points, vectors, curves, shapes in contact. See `fields`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwright.errors import ModelError
from linkwright.model.bodies import Body
from linkwright.model.curves import check_curve
from linkwright.model.plain_fields import Kind
from linkwright.model.points import CurveOn, Point, Vector
from linkwright.model.touching import ShapeOn, check_parts
from linkwright.model.values import is_sequence, norm

if TYPE_CHECKING:
    from linkwright.model.model import Model


class OnBodyKind(Kind):
    """Base of what is fixed to a body."""

    def bodies(self, value: Any) -> tuple[Body, ...]:
        return (value.body,)

    def settle(self, value: Any, model: Model) -> Any:
        check_body(value.body, model)
        self.measure(value, model)
        return value

    def measure(self, value: Any, model: Model) -> None:
        """Its numbers, for the parameters as they are, must be finite and make sense."""


def check_body(body: Body, model: Model) -> None:
    if body.model is not model or model.bodies.get(body.name) is not body:
        raise ModelError(
            f"the body {body.name!r} belongs to another model, {body.model.name!r}", remedy=f"take it from {model.name!r}"
        )


@dataclass(frozen=True)
class PointKind(OnBodyKind):
    """A point of a body. Directed: in the plane it must have an angle; in space every point has a frame."""

    directed: bool = False

    def take(self, value: Any) -> Any:
        if not isinstance(value, Point):
            raise ModelError(
                f"it must be a point of a body, not {value!r}", remedy="write body.at(x, y), or body.at(x, y, z)"
            )
        if self.directed and not value.directed:
            raise ModelError(f"the point {value!r} has no direction", remedy="give angle=: body.at(x, y, angle=0)")
        return value

    def measure(self, value: Any, model: Model) -> None:
        for row in (value.s, () if value.angle is None else (value.angle,), *(value.rotation or ())):
            for x in row:
                model.value(x)


@dataclass(frozen=True)
class TouchKind(OnBodyKind):
    """What touches: a point, with a radius or a plane there, or shapes of a body; a body stands for its own shape."""

    def take(self, value: Any) -> Any:
        if isinstance(value, Body):
            return value.surface()
        if not isinstance(value, Point | ShapeOn):
            raise ModelError(
                f"it must be a point or a shape of a body, not {value!r}",
                remedy='write body.at(x, y), or body.surface({"box": (0.2, 0.1)})',
            )
        return value

    def measure(self, value: Any, model: Model) -> None:
        if isinstance(value, Point):
            PointKind().measure(value, model)
        else:
            check_parts(value.parts, model.value)


@dataclass(frozen=True)
class PointsKind(Kind):
    """Two or more points of bodies, in an order."""

    def take(self, value: Any) -> Any:
        if not is_sequence(value) or len(value) < 2:
            raise ModelError(f"it needs two or more points of bodies, not {value!r}", remedy="[a.at(0, 0), b.at(0, 0)]")
        return tuple(PointKind().take(P) for P in value)

    def bodies(self, value: Any) -> tuple[Body, ...]:
        return tuple(P.body for P in value)

    def settle(self, value: Any, model: Model) -> Any:
        return tuple(PointKind().settle(P, model) for P in value)


@dataclass(frozen=True)
class VectorKind(OnBodyKind):
    """A vector fixed in a body; a directed point stands for its direction."""

    def take(self, value: Any) -> Any:
        if isinstance(value, Point) and value.directed:
            return value.axis()
        if not isinstance(value, Vector):
            raise ModelError(f"it must be a vector of a body, not {value!r}", remedy="write body.vector(x, y, z)")
        return value

    def measure(self, value: Any, model: Model) -> None:
        if norm(map(model.value, value.components)) == 0:
            raise ModelError("the vector has no length: it is no direction", remedy="check the parameters it depends on")


@dataclass(frozen=True)
class CurveKind(OnBodyKind):
    """A curve on a body."""

    def take(self, value: Any) -> Any:
        if not isinstance(value, CurveOn):
            raise ModelError(f"it must be a curve on a body, not {value!r}", remedy="write body.curve(Curve.polar(...))")
        return value

    def measure(self, value: Any, model: Model) -> None:
        if value.curve.dimension > model.dimension:
            raise ModelError("a space curve lies on a body of the plane", remedy="leave z out")
        check_curve(value.curve, model)


@dataclass(frozen=True)
class BodyKind(Kind):
    """A body."""

    def take(self, value: Any) -> Any:
        if not isinstance(value, Body):
            raise ModelError(f"it must be a body, not {value!r}", remedy="give what m.body(...) returned")
        return value

    def bodies(self, value: Any) -> tuple[Body, ...]:
        return (value,)

    def settle(self, value: Any, model: Model) -> Any:
        check_body(value, model)
        return value
