"""The joints in plain numpy, written anew from their words: what is zero where a joint is closed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fuzz.places import Place
from fuzz.sketch import Item

Residual = Callable[[Item, Place, Place, int], list[float]]


def _across(P: Place, n: int) -> list[np.ndarray]:
    """The directions across the axis of a slide: y in the plane (and z, which is nothing there), x and y in space."""
    return [P.R[:, 1]] if n == 2 else [P.R[:, 0], P.R[:, 1]]


def _meet(P: Place, Q: Place, n: int) -> list[float]:
    return list((Q.r - P.r)[:n])


def _parallel(P: Place, Q: Place) -> list[float]:
    return [float(P.R[:, k] @ Q.R[:, 2]) for k in (0, 1)]


def _on_axis(P: Place, Q: Place, n: int) -> list[float]:
    return [float(u @ (Q.r - P.r)) for u in _across(P, n)]


def _no_turn(P: Place, Q: Place, n: int) -> list[float]:
    if n == 2:
        return [float(P.R[:, 1] @ Q.R[:, 0])]
    return [*_parallel(P, Q), float(P.R[:, 0] @ Q.R[:, 1])]


def _rod(x: Item, P: Place, Q: Place) -> list[float]:
    return [float(np.linalg.norm(Q.r - P.r)) - x.value("length")]


def _angle(P: Place, Q: Place) -> float:
    C = P.R.T @ Q.R
    return float(np.arctan2(C[1, 0], C[0, 0]))


def _advance(x: Item, P: Place, Q: Place) -> list[float]:
    """Displacement less pitch times the angle, whole turns apart."""
    s, pitch = float(P.R[:, 2] @ (Q.r - P.r)), x.value("pitch")
    turns = (s / pitch + x.value("start") - _angle(P, Q)) / (2 * np.pi)
    return [pitch * 2 * np.pi * (turns - round(turns))]


RESIDUALS: dict[str, Residual] = {
    "Revolute": lambda x, P, Q, n: _meet(P, Q, n) + (_parallel(P, Q) if n == 3 else []),
    "Translational": lambda x, P, Q, n: _on_axis(P, Q, n) + _no_turn(P, Q, n),
    "Cylindrical": lambda x, P, Q, n: _on_axis(P, Q, n) + _parallel(P, Q),
    "Fixed": lambda x, P, Q, n: _meet(P, Q, n) + _no_turn(P, Q, n),
    "Spherical": lambda x, P, Q, n: _meet(P, Q, n),
    "Universal": lambda x, P, Q, n: [*_meet(P, Q, n), float(P.R[:, 2] @ Q.R[:, 2])],
    # neither shaft twists: the relative turn is about an axis across the first shaft
    "ConstantVelocity": lambda x, P, Q, n: [*_meet(P, Q, n), float(P.R[:, 0] @ Q.R[:, 1] - P.R[:, 1] @ Q.R[:, 0])],
    "Screw": lambda x, P, Q, n: _on_axis(P, Q, n) + _parallel(P, Q) + _advance(x, P, Q),
    "Planar": lambda x, P, Q, n: [float(P.R[:, 2] @ (Q.r - P.r)), *_parallel(P, Q)],
    "Distance": lambda x, P, Q, n: _rod(x, P, Q),
    "PointOnLine": lambda x, P, Q, n: (
        [float(P.R[:, 1] @ (Q.r - P.r)) - x.value("offset")] if n == 2 else _on_axis(P, Q, n)
    ),
    "Orientation": lambda x, P, Q, n: _no_turn(P, Q, n),
    "PointOnPlane": lambda x, P, Q, n: [float(P.R[:, 2] @ (Q.r - P.r)) - x.value("offset")],
    "ParallelAxes": lambda x, P, Q, n: _parallel(P, Q),
    "PerpendicularAxes": lambda x, P, Q, n: [float(P.R[:, 2] @ Q.R[:, 2])],
    "RevoluteSpherical": lambda x, P, Q, n: [*_rod(x, P, Q), float(P.R[:, 2] @ (Q.r - P.r))],
    "RevoluteRevolute": lambda x, P, Q, n: (
        _rod(x, P, Q) + ([float(P.R[:, 2] @ (Q.r - P.r)), *_parallel(P, Q)] if n == 3 else [])
    ),
    # the axis of the second passes through the first's origin, across the pin
    "RevoluteCylindrical": lambda x, P, Q, n: [*_on_axis(Q, P, n), float(P.R[:, 2] @ Q.R[:, 2])],
    "RevoluteTranslational": lambda x, P, Q, n: [
        *_on_axis(Q, P, n), float(P.R[:, 2] @ Q.R[:, 2]), float(P.R[:, 2] @ Q.R[:, 1]),
    ],
    "Strut": lambda x, P, Q, n: _on_axis(P, Q, n),
    "DP1": lambda x, P, Q, n: [float(P.R[:, 0] @ Q.R[:, 0]) - x.value("f")],
    "Constraint": lambda x, P, Q, n: [float(P.R[:, 0] @ Q.R[:, 0]) - x.value("f")],
    "DP2": lambda x, P, Q, n: [float(P.R[:, 0] @ (Q.r - P.r)) - x.value("f")],
    "D": lambda x, P, Q, n: [float((Q.r - P.r) @ (Q.r - P.r)) - x.value("f")],
    "CD": lambda x, P, Q, n: [float(x.ends[2][1].R[:, 0] @ (Q.r - P.r)) - x.value("f")],
}  # fmt: skip


def coordinate(channel: str, P: Place, Q: Place, n: int) -> float:
    """A joint's coordinate: the turn about z within half a turn, or the way along the axis of the first frame."""
    if channel == "angle":
        return _angle(P, Q)
    return float(P.R[:, 0 if n == 2 else 2] @ (Q.r - P.r))
