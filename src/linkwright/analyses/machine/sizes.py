"""The size of a machine: typical lengths and coordinates, by which steps and residuals are measured."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from linkwright.graph import Scalar
from linkwright.model import Contact, Driver, Element, Model, Point, Stop
from linkwright.model.values import is_some


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


# The accuracy with which work is followed, and the energies that count.
#
# What drivers move may be steady while their forces are not, and a contact that damps takes what it had stored where it
# lets go, while its force is zero: there nothing but the work tells how long a step may be.

NOTHING = 1e-6  # of the energy that lifts the machine by its length, and of the length that it moves by within a run: none


def follows_work(model: Model) -> bool:
    """Whether the work is among what rules the steps."""
    return any(isinstance(e, Driver) or _damps(e) for e in model.elements.values())


def _damps(element: Element) -> bool:
    """Whether a contact with a stiffness damps; those of impacts do their work at once."""
    if not isinstance(element, Contact | Stop) or not is_some(element.k):
        return False
    return is_some(element.c) or element.restitution is not None


class Sizes(NamedTuple):
    """Mass, length, weight of a machine."""

    mass: float
    length: float
    weight: float

    @classmethod
    def of(cls, model: Model) -> Self:
        mass, length = sum(model.value(b.mass) for b in model.bodies.values()), typical_length(model)
        return cls(mass, length, mass * float(np.linalg.norm([model.value(x) for x in model.gravity])))


def least_energy(sizes: Sizes, span: float) -> float:
    """[J] What counts as none within a run over this time: to lift the machine, or to let it move, by next to nothing."""
    speed = NOTHING * sizes.length / span if span > 0 else 0.0
    return NOTHING * sizes.weight * sizes.length + sizes.mass * speed * speed  # inf where a square of Python's overflows


def angle_caps(names: list[str], count: int) -> np.ndarray:
    """The caps of a state of `count` numbers, coordinates with these names first: angles count by a radian at most, since
    they have no zero, the others as they are."""
    out = np.full(count, np.inf)
    out[: len(names)] = [1.0 if name.endswith(".angle") else np.inf for name in names]
    return out


def tolerances(model: Model, rtol: float, atol: float, kinetic: float, count: int) -> float | np.ndarray:
    """atol of a state of `count` numbers, the last of them the work: where it rules steps rtol of the machine's energies.

    kinetic: at the start. Lifting the machine by its own length counts, too; where there is neither, the energy of a motion
    of its own length a second.
    """
    if not follows_work(model):
        return atol
    mass, length, weight = Sizes.of(model)
    size = kinetic + weight * length or mass * length**2
    out = np.full(count, atol)
    out[-1] = max(rtol * size, atol)
    return out
