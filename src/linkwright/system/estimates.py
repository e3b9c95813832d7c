"""Where the user thinks the machine is."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.graph import Scalar, evaluate
from linkwright.system.geometry import Geometry


def at_estimate(g: Geometry, value: Scalar) -> float:
    """A scalar at the estimates."""
    values = dict(zip(g.coordinates.q, estimates(g), strict=True))
    return float(evaluate([value], {**values, **g.model.parameter_values()})[0])


def estimates(g: Geometry) -> np.ndarray:
    """The user's estimate of q."""
    out: list[float] = []
    value = g.model.value
    for body in g.coordinates.bodies:
        e = body.estimate
        rotation = e.rotation if isinstance(e.rotation, tuple) else (e.rotation,)
        out += [value(x) for x in (*e.position, *rotation)]
    for name in g.coordinates.extra:
        out.append(curve_estimate(g, name))
    return np.array(out)


def curve_estimate(g: Geometry, name: str) -> float:
    """Of a curve's parameter: as given, else the middle of the curve."""
    owner, _, channel = name.rpartition(".")
    e: Any = g.model.elements[owner]
    if e.estimate is not None:
        given = e.estimate["ij".index(channel[-1])] if isinstance(e, m.CamFollower) else e.estimate
        return g.model.value(given)
    curve = e.curve if not isinstance(e, m.CamFollower) else (e.curve_i if channel == "alpha_i" else e.curve_j)
    return 0.5 * (curve.curve.start + curve.curve.end)


ON_AXIS = 1e-2  # m, rad: estimates that meet a screw's axis as well tell of its turns


def advance(rows: Any, pitch: float) -> float:
    """The angle by which a screw is turned further than it was taken to be, by what its equations leave over at estimates:
    those of its axis, and displacement - pitch (angle - start). Zero where the estimates are not even on its axis."""
    *axis, over = (float(x) for x in rows)
    return over / pitch if pitch and max(map(abs, axis)) < ON_AXIS else 0.0
