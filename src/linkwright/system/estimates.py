"""The estimates of a model as numbers: the configuration in which its user thinks the machine is."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.equations import rotations
from linkwright.graph import Scalar
from linkwright.system.coordinates import Coordinates


def axes_are_parallel(model: m.Model, e: m.Gear) -> bool:
    """Whether the axes of a gear pair in space are parallel where the user thinks they are, or meet: a bevel gear."""
    return abs(axes_along(model, e.centre_i, e.centre_j)) > 0.999


def axes_along(model: m.Model, P: m.Point, Q: m.Point) -> float:
    """The cosine between the z axes of two frames where the user thinks they are."""
    return float(_axis(model, P) @ _axis(model, Q))


def _axis(model: m.Model, P: m.Point) -> np.ndarray:
    """The z axis of a frame, in ground axes, at the estimates."""
    own = [0.0, 0.0, 1.0] if P.rotation is None else [model.value(row[2]) for row in P.rotation]
    given: Any = P.body.estimate.rotation
    p = np.array([1.0, 0.0, 0.0, 0.0] if P.body.is_ground else [model.value(x) for x in given])
    return np.asarray(rotations.A(p / np.linalg.norm(p)) @ np.array(own), dtype=float)


def estimates(model: m.Model, coordinates: Coordinates) -> np.ndarray:
    """The user's estimate of q."""
    return np.array([model.value(x) for x in estimate_expressions(model, coordinates)])


def estimate_expressions(model: m.Model, coordinates: Coordinates) -> list[Scalar]:
    """The same as it was given: numbers, or expressions of parameters."""
    out: list[Scalar] = []
    for name in coordinates.body_slices():
        e = model.bodies[name].estimate
        rotation = e.rotation if isinstance(e.rotation, tuple) else (e.rotation,)
        out += [*e.position, *rotation]
    return [*out, *[_of_curve(model, name) for name in coordinates.extra]]


def _of_curve(model: m.Model, name: str) -> Scalar:
    """The estimate of a curve's parameter: as given, else the middle of the curve."""
    owner, _, channel = name.rpartition(".")
    e: Any = model.elements[owner]
    if e.estimate is not None:
        given: Scalar = e.estimate["ij".index(channel[-1])] if isinstance(e, m.CamFollower) else e.estimate
        return given
    curve = e.curve if not isinstance(e, m.CamFollower) else (e.curve_i if channel == "alpha_i" else e.curve_j)
    return float(0.5 * (curve.curve.start + curve.curve.end))


ON_AXIS = 1e-2  # m, rad: estimates that meet a screw's axis as well tell of its turns


def advance(rows: Any, pitch: float) -> float:
    """The angle by which a screw is turned further than it was taken to be, by the residuals of its equations at estimates:
    those of its axis, and displacement - pitch (angle - start). Zero where the estimates are not even on its axis."""
    *axis, over = (float(x) for x in rows)
    return over / pitch if pitch and max(map(abs, axis)) < ON_AXIS else 0.0
