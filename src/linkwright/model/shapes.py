"""Simple shapes of bodies, as the user may give them: `m.body(..., shape={"box": (0.2, 0.1, 0.05)})`.

A shape is a dictionary with one of the words below, and `at` (its middle, in body axes) and `angle` (plane) or `axis`
(space: the direction of its own z axis) if it is not at the origin along the axes. A list gives several shapes.

    box         its sides along x, y (and z)
    circle      its radius (plane; in space a sphere is meant)
    sphere      its radius
    cylinder    (radius, length), along its axis
    polygon     its corners (plane)
    capsule     (length between the centres of its ends, radius), along x in the plane, along its axis in space
    segment     its two ends (plane)
    mesh        (vertices, triangles): n points, m triples of their numbers (space)

Numbers may be expressions of parameters. Other words are kept and not looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.bounds import LARGEST, shown
from linkwright.errors import ModelError
from linkwright.graph import Expr

WORDS = {
    2: ("box", "circle", "polygon", "capsule", "segment"),
    3: ("box", "sphere", "cylinder", "mesh", "capsule"),
}
ROUND = 12  # edges of the half circle at the end of a capsule
THIN = 0.005  # of a segment: its thickness by its length


def read_shapes(given: Any, dimension: int, value: Callable[[Expr], float]) -> list[dict[str, Any]]:
    """Checked, plain shapes of a body; `value` gives the number of an expression. ModelError for what is no shape."""
    if given is None:
        return []
    given = given if isinstance(given, list | tuple) else [given]
    return [x for s in given for x in _drawn(_shape(_plain(s, value), dimension))]


def _drawn(shape: dict[str, Any]) -> list[dict[str, Any]]:
    """In the kinds that pictures know: a capsule in space is a cylinder between two spheres, in the plane a polygon."""
    kind, size = shape["kind"], shape["size"]
    if kind == "segment":
        (ax, ay), (bx, by) = size
        x, y = THIN * (ay - by), THIN * (bx - ax)
        return [{**shape, "kind": "polygon", "size": [[ax - x, ay - y], [bx - x, by - y], [bx, by], [ax, ay]]}]
    if kind != "capsule":
        return [shape]
    length, r = size
    if "angle" in shape:
        turns = [np.pi * (k / ROUND - 0.5) for k in range(ROUND + 1)]
        arc = [[r * float(np.cos(a)) + length / 2, r * float(np.sin(a))] for a in turns]
        return [{**shape, "kind": "polygon", "size": [*arc, *[[-x, -y] for x, y in arc]]}]
    norm = float(np.linalg.norm(shape["axis"]))
    ends = [{**shape, "kind": "sphere", "size": [r],
             "at": [x + length * (side * e / norm) for x, e in zip(shape["at"], shape["axis"], strict=True)]}
            for side in (-0.5, 0.5)]  # fmt: skip
    return [{**shape, "kind": "cylinder", "size": [r, length]}, *ends]


def _plain(given: Any, value: Callable[[Expr], float]) -> Any:
    if type(given) is Expr:
        return value(given)
    if isinstance(given, dict):
        return {k: _plain(v, value) for k, v in given.items()}
    if isinstance(given, np.ndarray) and given.dtype == object:
        given = given.tolist()
    return [_plain(x, value) for x in given] if isinstance(given, list | tuple) else given


def _shape(given: Any, dimension: int) -> dict[str, Any]:
    words = WORDS[dimension]
    kind = next((w for w in words if isinstance(given, dict) and w in given), None)
    if kind is None:
        example = '{"box": (0.2, 0.1)}' if dimension == 2 else '{"box": (0.2, 0.1, 0.1)}'
        raise ModelError(f"the shape {given!r} is not known", remedy=f"give one of {', '.join(words)}, such as {example}")
    try:
        out: dict[str, Any] = {"kind": kind, "at": _numbers(given.get("at", (0.0,) * dimension), dimension)}
        if dimension == 2:
            out["angle"] = _number(given.get("angle", 0.0))
        else:
            out["axis"] = _numbers(given.get("axis", (0.0, 0.0, 1.0)), 3)
        out["size"] = _size(kind, given[kind], dimension)
    except (TypeError, ValueError) as error:
        raise ModelError(f"the shape {kind}: {error}", remedy="give plain numbers, in metres") from error
    return out


def _drawable(numbers: np.ndarray) -> bool:
    return bool((np.abs(numbers) <= LARGEST).all())  # False where one is not a number


def _numbers(given: Any, size: int) -> list[float]:
    numbers = np.asarray(given, dtype=float)
    if numbers.shape != (size,) or not _drawable(numbers):
        raise ValueError(f"{size} finite numbers are needed, not {shown(given)}")
    return [_number(x) for x in given]


def _kept(given: Any) -> Any:
    return [_kept(x) for x in given] if isinstance(given, list | tuple | np.ndarray) else _number(given)


def _number(given: Any) -> float:
    """The same one where it is a float: those of a page know what they follow from."""
    return given if isinstance(given, float) and type(given) is not np.float64 else float(given)


def _points(given: Any) -> np.ndarray:
    points = np.asarray(given, dtype=float)
    if not _drawable(points):
        raise ValueError("its points must be finite numbers")
    return points


def _size(kind: str, given: Any, dimension: int) -> Any:
    if kind == "mesh":
        vertices, faces = _points(given[0]), np.asarray(given[1], dtype=int)
        if vertices.ndim != 2 or vertices.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
            raise ValueError("it needs vertices of three numbers and triangles of three")
        if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
            raise ValueError(f"a triangle names a vertex that is none of the {len(vertices)}")
        return {"vertices": vertices.tolist(), "faces": faces.tolist()}
    if kind == "polygon":
        corners = _points(given)
        if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3:
            raise ValueError("it needs at least three corners of two numbers")
        return _kept(given)
    if kind == "segment":
        ends = _points(given)
        if ends.shape != (2, 2) or not np.ptp(ends, axis=0).any():
            raise ValueError("it needs two different ends of two numbers")
        return _kept(given)
    pair = kind in ("cylinder", "capsule")
    sizes = _numbers(given, dimension) if kind == "box" else _numbers(given, 2) if pair else [_number(given)]
    if min(sizes) <= 0:
        raise ValueError("its sizes must be positive")
    return sizes
