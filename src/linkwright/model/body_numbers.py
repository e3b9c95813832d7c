"""The numbers of bodies as users give them: mass, inertia, estimates of where bodies are and how they move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.model.orientation import Matrix, euler_parameters
from linkwright.model.units import OF_BODIES
from linkwright.model.values import exactly, is_sequence

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True, eq=False)
class Estimate:
    """Where a body is thought to be at the start, and how it moves; all may be expressions of parameters.

    rotation: the angle [rad] in the plane, the Euler parameters (e0, e1, e2, e3) in space. omega: a number in the plane,
    body-axes components in space. weight: how much assembly should care, against 1 for other bodies.
    """

    position: tuple[Scalar, ...]
    rotation: Scalar | tuple[Scalar, ...]
    velocity: tuple[Scalar, ...]
    omega: Scalar | tuple[Scalar, ...]
    weight: float


def components(model: Model, given: Any, what: str, takes: str = "") -> tuple[Scalar, ...]:
    """As many as the model has dimensions; zeros where none are given."""
    n = model.dimension
    if given is None:
        return (0.0,) * n
    return tuple(
        model.scalar(x, f"a component of {what}", takes or OF_BODIES.get(what, "")) for x in exactly(given, n, what)
    )


def read_estimate(
    model: Model,
    position: Any = None,
    angle: Any = None,
    orientation: Any = None,
    velocity: Any = None,
    omega: Any = None,
    weight: Any = 1.0,
) -> Estimate:
    rotation: Scalar | tuple[Scalar, ...]
    rate: Scalar | tuple[Scalar, ...]
    if model.dimension == 2:
        if orientation is not None:
            raise ModelError("a body in the plane has an angle, no orientation", remedy="give angle=")
        rotation = model.scalar(0.0 if angle is None else angle, "the angle", OF_BODIES["angle"])
        rate = model.scalar(0.0 if omega is None else omega, "omega", OF_BODIES["omega"])
    else:
        if angle is not None:
            raise ModelError("a body in space has an orientation, no angle", remedy="give orientation=(axis, angle)")
        p = (1.0, 0.0, 0.0, 0.0) if orientation is None else orientation
        rotation = euler_parameters(p, model.scalar, model.value)
        rate = components(model, omega, "omega")
    w = model.value(model.scalar(weight, "the weight", "1"))
    if w < 0:
        raise ModelError(f"the weight of an estimate is {w:g}", remedy="give zero or more; m.fix(...) makes one exact")
    return Estimate(components(model, position, "position"), rotation, components(model, velocity, "velocity"), rate, w)


def of_solid(model: Model, solid: Any, inertia: Any, com: Any) -> tuple[Any, Any, Any]:
    """Mass, inertia and mass centre of a solid (`linkwright.shapes`); in the plane, those of its motion there."""
    twice = [name for name, given in (("inertia", inertia), ("com", com)) if not _is_default(given)]
    if twice:
        raise ModelError(
            f"the solid has {' and '.join(twice)} of its own",
            remedy=f"leave {' and '.join(twice)} out, or give numbers only",
        )
    n, flat = model.dimension, len(solid.com) == 2
    if flat and n == 3:
        raise ModelError(
            "a plate of the plane is no solid in space", remedy="take box, cylinder, rod, mesh, ... of lw.shapes"
        )
    J = solid.inertia if flat or n == 3 else solid.inertia[2][2]  # about z: what turns in the x-y plane
    return solid.mass, J, tuple(solid.com)[:n]


def read_inertia(model: Model, given: Any) -> Scalar | Matrix:
    def scalar(x: Any, what: str) -> Scalar:
        return model.scalar(x, what, OF_BODIES["inertia"])

    if model.dimension == 2:
        return scalar(given, "the inertia")
    if not is_sequence(given):
        if isinstance(given, int | float) and given == 0:
            given = (0.0, 0.0, 0.0)
        else:
            raise ModelError("a body in space has an inertia of three numbers", remedy="give (Jx, Jy, Jz) or a 3 x 3 matrix")
    rows = exactly(given, 3, "the inertia")
    if all(map(is_sequence, rows)):
        return tuple(
            (a, b, c) for a, b, c in ([scalar(x, "an entry of the inertia") for x in exactly(r, 3, "a row")] for r in rows)
        )
    a, b, c = (scalar(x, "a moment of inertia") for x in rows)
    return ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))


def _is_default(given: Any) -> bool:
    return given is None or (isinstance(given, int | float) and given == 0)
