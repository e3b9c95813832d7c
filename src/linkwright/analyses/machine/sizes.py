"""The size of a machine: typical lengths and coordinates, by which steps and residuals are measured."""

from __future__ import annotations

from linkwright.graph import Scalar
from linkwright.model import Model, Point


def typical_length(model: Model) -> float:
    """The largest coordinate [m] of any body's estimate and of any point of an element."""
    longest = max((abs(model.value(x)) for x in size_expressions(model)), default=0.0)
    return longest if longest > 0 else 1.0


def typical_coordinate(model: Model) -> tuple[str, Scalar]:
    """The coordinate that is the typical length, as it was given; of a body's estimate also its channel."""
    bodies = [body for body in model.bodies.values() if not body.is_ground]
    estimates = [(f"{b.name}.{c}", x) for b in bodies for c, x in zip("xyz", b.estimate.position, strict=False)]
    return max(
        [*estimates, *(("", x) for x in typical_points(model)), ("", 0.0)], key=lambda found: abs(model.value(found[1]))
    )


def largest_point(model: Model) -> float:
    return max((abs(model.value(x)) for x in typical_points(model)), default=0.0)


def typical_points(model: Model) -> list[Scalar]:
    """The coordinates of all points of elements, in their bodies."""
    points = (x for element in model.elements.values() for x in vars(element).values() if isinstance(x, Point))
    return [x for P in points for x in P.s]


def size_expressions(model: Model) -> list[Scalar]:
    """The coordinates that a typical length is the largest of: numbers, or expressions of parameters."""
    return [x for b in model.bodies.values() if not b.is_ground for x in b.estimate.position] + typical_points(model)
