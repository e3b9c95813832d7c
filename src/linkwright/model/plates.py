"""Shapes of the plane as thin plates in space: what `embed` draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.model.shapes import read_shapes

THIN = 0.1  # of a shape's largest extent: how thick its plate is


def plates(given: Any, value: Callable[[Any], float]) -> list[dict[str, Any]] | None:
    """The shapes of a planar body, which may hold expressions of parameters, with numbers as they are now."""
    if given is None:
        return None
    return [_plate(s) for s in read_shapes(given, 2, value)]


def _plate(shape: dict[str, Any]) -> dict[str, Any]:
    kind, size, at = shape["kind"], shape["size"], [*shape["at"], 0.0]
    if kind == "circle":
        return {"cylinder": (size[0], THIN * size[0]), "at": at}
    if kind == "box" and shape["angle"] == 0:
        return {"box": (*size, THIN * max(size)), "at": at}
    corners = np.array(size if kind == "polygon" else [(x * size[0] / 2, y * size[1] / 2) for x, y in SQUARE])
    c, s = np.cos(shape["angle"]), np.sin(shape["angle"])
    return {"mesh": _extruded(corners @ np.array([[c, s], [-s, c]])), "at": at}


SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def _extruded(corners: np.ndarray) -> tuple[list[list[float]], list[list[int]]]:
    """A prism over a polygon, its faces outward."""
    if area(corners) < 0:
        corners = corners[::-1]
    n, half = len(corners), 0.5 * THIN * float(np.ptp(corners, axis=0).max())
    vertices = [[*p, z] for z in (-half, half) for p in corners.tolist()]
    top = triangles(corners)
    around = [[k, (k + 1) % n, n + (k + 1) % n] for k in range(n)] + [[k, n + (k + 1) % n, n + k] for k in range(n)]
    return vertices, [*[[c, b, a] for a, b, c in top], *[[n + a, n + b, n + c] for a, b, c in top], *around]


def triangles(corners: np.ndarray) -> list[tuple[int, int, int]]:
    """A polygon, counter-clockwise, cut into triangles: ears are taken off until three corners are left."""
    left, out = list(range(len(corners))), list[tuple[int, int, int]]()
    while len(left) > 3:
        ears = [k for k in range(len(left)) if _is_ear(corners, left, k)]
        k = ears[0] if ears else 0  # a polygon that crosses itself has none
        out.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        left.pop(k)
    return [*out, (left[0], left[1], left[2])]


def _is_ear(corners: np.ndarray, left: list[int], k: int) -> bool:
    """Whether the triangle at a corner lies inside and holds no other corner."""
    a, b, c = (left[(k + d) % len(left)] for d in (-1, 0, 1))
    ear = corners[[a, b, c]]
    others = (corners[j] for j in left if j not in (a, b, c))
    return area(ear) > 0 and not any(all(area(np.array([ear[i - 1], ear[i], p])) >= 0 for i in range(3)) for p in others)


def area(corners: np.ndarray) -> float:
    """The area of a polygon, positive where its corners go round counter-clockwise."""
    x, y = corners.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
