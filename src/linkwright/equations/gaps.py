"""Distances of a point from what it may touch, as functions of scalars: corners, segments, polygons, boxes.

A shape is a core (a point, a segment, a polygon, a box) with a radius about it; the gap of two shapes is the distance of
their cores less both radii. Distances have a continuous slope outside. Where the nearest feature changes their curvature
jumps, which `where`, min and max tell the integrator.

blunt: where a corner is nearest, what is told is more than the distance, with the same slope at the edges. Two corners with
radii touch as a corner of one and as a corner of the other: only one of the two must count.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from linkwright.equations.rotations import dot
from linkwright.graph import Scalar, absolute, maximum, minimum, sqrt, where

LEAST = 1e-300
Vector = np.ndarray
Corners = Sequence[Vector]


def length(d: Vector) -> Scalar:
    """|d|."""
    return root(dot(d, d))


def root(square: Scalar) -> Scalar:
    """Of a square, with the slope zero where it is none: a condition would be watched as one of the law."""
    out: Scalar = sqrt(square + LEAST)
    return out


def to_polygon(x: Vector, corners: Corners, blunt: bool = False) -> Scalar:
    """Of a convex polygon, corners counter-clockwise; negative inside.

    Inside and before an edge it is the largest of the distances from the lines of the edges: the polygon lies behind each of
    them. Before a corner, beyond the ends of both of its edges, it is the distance from the corner.
    """
    edges = [_edge(x, a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
    out = edges[0][0]
    for s, _, _ in edges[1:]:
        out = maximum(out, s)
    for k, corner in enumerate(corners):
        _, along, _ = edges[k]
        _, before, reach = edges[k - 1]
        d, over = x - corner, before - reach
        square = dot(d, d) + (minimum(along * along, over * over) if blunt else 0.0)
        out = where(along < 0.0, where(over > 0.0, root(square), out), out)
    return out


def to_chain(x: Vector, corners: Corners, goes_on: bool = False, blunt: bool = False) -> Scalar:
    """Of a chain of segments, from either side; never negative.

    Beyond the start of a segment, where the end of the last one is as near, the square of what is beyond counts twice: of
    two that are the same to rounding neither would be the least. The slope is the same. goes_on: so it is at the first one,
    whose start is the end of another chain.
    """
    squares = [_edge(x, a, b) for a, b in pairwise(corners)]
    out: Scalar | None = None
    for k, (s, along, reach) in enumerate(squares):
        before, beyond = maximum(-along, 0.0), maximum(along - reach, 0.0)
        first, last = (1.0 if k == 0 and not goes_on else 2.0), 1.0
        own = s * s + (2.0 if blunt else last) * beyond * beyond + (2.0 if blunt else first) * before * before
        out = own if out is None else minimum(out, own)
    return root(out)  # type: ignore[arg-type]


def moved(corners: Corners, out: Sequence[Scalar]) -> list[Vector]:
    """The corners of a polygon whose edges are further out by these numbers, each parallel to itself."""
    normal, found = normals(corners), []
    for k, b in enumerate(corners):
        n, m, before, after = normal[k - 1], normal[k], out[k - 1], out[k]
        c, more = dot(n, m), after - before
        across = more / (1.0 - c * c) * (m - c * n)  # along the edge before
        found.append(np.array(b + before / (1.0 + c) * (n + m) + across, dtype=object))
    return found


def normals(corners: Corners) -> list[Vector]:
    """Of the edges, outward; each edge begins at the corner of its number."""
    return [_normal(a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]


def _normal(a: Vector, b: Vector) -> Vector:
    """To the right of the edge from a to b."""
    d = b - a
    return np.asarray(np.array([d[1], -d[0]], dtype=object) / sqrt(dot(d, d)))


def shortest(corners: Corners) -> Scalar:
    """The length of the shortest edge of a polygon."""
    lengths = [sqrt(dot(b - a, b - a)) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
    out: Scalar = lengths[0]
    for x in lengths[1:]:
        out = minimum(out, x)
    return out


def _edge(x: Vector, a: Vector, b: Vector) -> tuple[Scalar, Scalar, Scalar]:
    """Of the edge from a to b: how far x lies to its right, how far along it, and its length."""
    d = b - a
    reach = sqrt(dot(d, d))
    u, r = d / reach, x - a
    return u[1] * r[0] - u[0] * r[1], dot(u, r), reach


def to_segment(x: Vector, a: Vector, b: Vector, blunt: bool = False) -> Scalar:
    """Of a segment in space."""
    d, r = b - a, x - a
    along = dot(d, r) / dot(d, d)
    within = _clamped(along)
    off, over = r - within * d, along - within
    return root(dot(off, off) + (over * over * dot(d, d) if blunt else 0.0))


def to_box(x: Vector, half: Vector, blunt: bool = False) -> Scalar:
    """Of a box about the origin, along the axes; negative inside. Before a face it is the distance from its plane, which has
    a slope where it is zero; before edges and corners that from them."""
    q = [absolute(c) - h for c, h in zip(x, half, strict=True)]
    largest = maximum(maximum(q[0], q[1]), q[2])
    middle = maximum(minimum(q[0], q[1]), minimum(maximum(q[0], q[1]), q[2]))
    outside = [maximum(c, 0.0) for c in q]
    if blunt:
        outside.append(maximum(minimum(minimum(q[0], q[1]), q[2]), 0.0))
    out: Scalar = where(middle > 0.0, root(sum((c * c for c in outside), 0.0)), largest)
    return out


def between_segments(a: Vector, b: Vector, c: Vector, d: Vector) -> tuple[Vector, Vector]:
    """The nearest points of the segments a-b and c-d (Ericson, Real-Time Collision Detection, 5.1.9). Where they are
    parallel any of several would do: that next to a."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    left = uu * vv - uv * uv  # of the square of u x v
    crossed = left > 1e-12 * uu * vv
    s = where(crossed, _clamped((uv * vw - uw * vv) / where(crossed, left, 1.0)), 0.0)
    t = _clamped((uv * s + vw) / vv)
    s = _clamped((uv * t - uw) / uu)
    return np.array(a + s * u, dtype=object), np.array(c + t * v, dtype=object)


def _clamped(s: Scalar) -> Scalar:
    out: Scalar = maximum(0.0, minimum(1.0, s))
    return out
