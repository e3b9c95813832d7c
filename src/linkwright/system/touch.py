"""The geometry of a contact: pairs of features that may touch, each with its gap, its normal and its place.

Each side is a list of cores with radii (see `equations.gaps`). A point against a core is one pair. Of two bodies with
corners those of each may touch the other; two capsules in space touch where their axes are nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product
from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.equations import gaps, plane
from linkwright.equations.plane import rotate90
from linkwright.equations.rotations import dot
from linkwright.graph import Expr, Scalar, gradient, maximum, minimum, sqrt, substitute, symbols
from linkwright.model.touching import Part, ShapeOn
from linkwright.model.values import is_some
from linkwright.system.geometry import Geometry

SHARP = 1e-3  # of the shortest side: the radius of a sharp corner where another sharp one passes it
STRAIGHT, SLANT = 0.95, 0.8  # cosines: from which on an edge leads straight back through a side, and not at all


@dataclass(frozen=True, eq=False)
class Pair:
    """gap: between the surfaces, negative where they overlap; normal: the unit vector of the force on P's body, place: where
    they touch, in ground axes; part: its number among those of its contact, "" of a single one."""

    gap: Scalar
    normal: np.ndarray
    place: np.ndarray
    part: str = ""


@dataclass(frozen=True, eq=False)
class Core:
    """A feature of a body in its axes. kind: "point", "half" (of the plane, of space), "segment", "polygon", "chain", "box";
    data: its corners, of a half the normal and a point, of a box its middle and half its sides; hollow: a circle seen from
    within. corners: those that others may touch, if not all; goes_on: a chain whose first corner is the last of another.
    edges: of a point that is a sharp corner the unit vectors along its edges, away from it; rounding: of its shape, where it
    is touched by sharp corners itself; yields: whether it may be within others."""

    pose: Any
    kind: str
    data: Sequence[np.ndarray]
    radius: Scalar
    hollow: bool = False
    corners: Sequence[np.ndarray] = ()
    goes_on: bool = False
    edges: Sequence[np.ndarray] = ()
    rounding: Scalar = 0.0
    yields: bool = False

    @property
    def points(self) -> list[Core]:
        """Its corners, each with its radius."""
        own, edges = self.corners or self.data, []
        if self.kind == "box":
            middle, half = self.data
            signs = [np.array(s, dtype=object) for s in product((-1.0, 1.0), repeat=len(half))]
            own = [middle + s * half for s in signs]
            edges = [list(-np.diag(s)) for s in signs]
        elif self.kind == "polygon":
            n = len(own)
            edges = [[_unit(own[k - 1] - own[k]), _unit(own[(k + 1) % n] - own[k])] for k in range(n)]
        if not edges or not self.is_sharp:
            return [Core(self.pose, "point", [p], self.radius) for p in own]
        rounding = _rounding(self)
        return [replace(self, kind="point", data=[p], edges=e, rounding=rounding) for p, e in zip(own, edges, strict=True)]

    @property
    def is_sharp(self) -> bool:
        """Whether it has no radius about it, whatever the parameters are."""
        return type(self.radius) is not Expr and self.radius == 0

    @cached_property
    def place(self) -> np.ndarray:
        """Of a point, in ground axes."""
        return np.asarray(self.pose.point(self.data[0]))

    def seen(self, p: np.ndarray) -> np.ndarray:
        """A place in the axes of the body."""
        return np.asarray(self.pose.A.T @ (p - np.array(self.pose.r, dtype=object)))


def pairs(g: Geometry, e: m.Contact) -> list[Pair]:
    """All that may touch."""
    first, second = cores(g, e.P, e.radii[0], "sphere"), cores(g, e.Q, e.radii[1], e.on)
    first, second = [[replace(c, yields=not e.strikes) for c in side] for side in (first, second)]
    full = (_corners(first), not e.P.body.is_ground) <= (_corners(second), not e.Q.body.is_ground)
    found = [pair for a in first for b in second for pair in _between(a, b, full)]
    return [replace(p, part=str(k + 1)) for k, p in enumerate(found)] if len(found) > 1 else found


def count_pairs(e: m.Contact) -> int:
    """How many; hollow corners are counted, too."""
    first, second = (on.parts if isinstance(on, ShapeOn) else (None,) for on in (e.P, e.Q))
    if not isinstance(e.Q, ShapeOn) and e.on == "plane":
        return sum(map(_corner_count, first))
    return sum(_pair_count(a, b) for a in first for b in second)


def _pair_count(a: Part | None, b: Part | None) -> int:
    crossed = a is not None and b is not None and a.kind == b.kind == "capsule" and len(a.at) == 3
    count = _corner_count(a), _corner_count(b)
    return 1 if crossed or 1 in count else sum(count)


def _corner_count(part: Part | None) -> int:
    if part is None or part.kind in ("circle", "sphere"):
        return 1
    if part.kind == "box":
        return int(2 ** len(part.at))
    return 2 if part.kind == "capsule" else len(part.size)


def cores(g: Geometry, on: m.Point | ShapeOn, radius: Scalar, what: str) -> list[Core]:
    """The cores of one side. Of a point: `what` is there, a "plane" or a "sphere"; of shapes: `radius` more than their
    own."""
    pose = g.pose(on)
    if isinstance(on, ShapeOn):
        return [core for part in on.parts for core in _of_part(pose, part, radius)]
    s = np.array(on.s, dtype=object)
    if what == "plane":
        axis = np.array(on.axis().components, dtype=object)
        return [Core(pose, "half", [rotate90(axis) if g.dimension == 2 else axis, s], 0.0)]
    hollow = g.model.value(radius) < 0
    return [Core(pose, "point", [s], -radius if hollow else radius, hollow)]


def outline(g: Geometry, on: ShapeOn, part: Part) -> list[np.ndarray]:
    """The corners of a polygon in the axes of its body, whether it falls into chains or not."""
    return list(_of_part(g.pose(on), replace(part, chains=""), 0.0)[0].data)


def _of_part(pose: Any, part: Part, more: Scalar) -> list[Core]:
    at, space = np.array(part.at, dtype=object), len(part.at) == 3
    size: Any = part.size
    radius = part.radius + more

    def placed(corner: Any) -> np.ndarray:
        corner = np.array(corner, dtype=object)
        turned = is_some(part.angle)
        return np.asarray(at + (plane.A(part.angle) @ corner if turned else corner))

    if part.kind in ("circle", "sphere"):
        return [Core(pose, "point", [at], size[0] + radius)]
    if part.kind == "capsule":
        axis = np.array((1.0, 0.0) if part.axis is None else part.axis, dtype=object)
        if space and part.axis is None:
            axis = np.array((0.0, 0.0, 1.0), dtype=object)
        half = 0.5 * size[0] * (axis / sqrt(dot(axis, axis)) if part.axis is not None else axis)
        ends = [at - half, at + half] if space else [placed(-half), placed(half)]
        return [Core(pose, "segment", ends, size[1] + radius)]
    if part.kind == "box" and space:
        return [Core(pose, "box", [at, 0.5 * np.array(part.size, dtype=object)], radius)]
    if part.kind == "box":
        a, b = 0.5 * part.size[0], 0.5 * part.size[1]
        return [Core(pose, "polygon", [placed(c) for c in ((-a, -b), (a, -b), (a, b), (-a, b))], radius)]
    corners = [placed(c) for c in part.size]
    if part.kind == "segment":
        return [Core(pose, "segment", corners, radius)]
    if not part.chains:
        return [Core(pose, "polygon", corners, radius)]
    return _chains(pose, corners, part.chains, radius)


def _chains(pose: Any, corners: list[np.ndarray], chains: str, radius: Scalar) -> list[Core]:
    """The chains of edges of a hollow polygon; nothing touches its hollow corners."""
    out, n = [], len(corners)
    for text in chains.split():
        goes_on = "+" in text
        first, edges = map(int, text.replace("+", ":").split(":"))
        own = [corners[(first + k) % n] for k in range(edges + 1)]
        out.append(Core(pose, "chain", own, radius, corners=own[0 if goes_on else 1 : -1], goes_on=goes_on))
    return out


# -- pairs of cores ------------------------------------------------------------------------------------------------------


def _corners(side: list[Core]) -> tuple[bool, int]:
    """Where a corner meets a corner those of one side count in full, those of the other are blunt: whichever end of the
    contact is told first, in full the side of fewer corners, of as many ground's. Not all corners of chains touch."""
    return any(c.kind == "chain" for c in side), sum(len(_touching(c)) for c in side if c.kind != "half")


def _between(a: Core, b: Core, full: bool) -> list[Pair]:
    if b.kind == "half":
        return [_on_half(p, b) for p in _touching(a)]
    if a.kind == "point":
        return [_point_on(a, b)]
    if b.kind == "point":
        return [_turned(_point_on(b, a))]
    if a.kind == b.kind == "segment" and len(a.data[0]) == 3:
        return [_crossed(a, b)]
    return [_point_on(p, b, not full) for p in _touching(a)] + [_turned(_point_on(p, a, full)) for p in _touching(b)]


def _touching(a: Core) -> list[Core]:
    return [a] if a.kind == "point" else [] if a.kind == "chain" and not len(a.corners) else a.points


def _turned(pair: Pair) -> Pair:
    """The same with P and Q exchanged."""
    return replace(pair, normal=-pair.normal)


def _on_half(p: Core, b: Core) -> Pair:
    normal = np.asarray(b.pose.vector(b.data[0]))
    gap = dot(normal, p.place - b.pose.point(b.data[1])) - p.radius
    return Pair(gap, normal, p.place - p.radius * normal)


def _unit(d: np.ndarray) -> np.ndarray:
    return np.asarray(d / sqrt(dot(d, d)))


def _rounding(b: Core) -> Scalar:
    """The radius of the sharp corners of a polygon or box where they meet other ones: a corner that slides past would meet a
    normal that turns at once, and be held there."""
    if b.kind == "polygon":
        return SHARP * gaps.shortest(b.data)
    half = b.data[1]
    return 2 * SHARP * minimum(minimum(half[0], half[1]), half[2])  # type: ignore[no-any-return]


def _beside(p: Core, b: Core, x: np.ndarray, edges: Sequence[np.ndarray], blunt: bool) -> Core:
    """A polygon or box with its corners rounded, as the sharp corner p at x sees it. Sides through which the body of the
    corner goes on do not stop it, as those of a box below another one that is as wide: corners above corners would pass each
    other. Such sides are further out, by more than both shapes are rounded and, where bodies yield, than it is within."""
    radius = _rounding(b)
    if b.kind == "polygon":
        normals, places = gaps.normals(b.data), list(b.data)
    else:
        middle, half = b.data
        normals = [*np.eye(3), *-np.eye(3)]
        places = [middle + n * half for n in normals]
    back = [sum((_backward(dot(n, e)) for e in edges), 0.0) for n in normals]
    far: Scalar = 0.0 if blunt else 2.0 * (radius + p.rounding)
    if p.yields:
        within = reduce(
            maximum, [dot(n, x - c) - w * (radius / SHARP) for n, c, w in zip(normals, places, back, strict=True)]
        )
        far = far + sqrt(within * within + radius * radius) - within
    out = np.array([w * far - radius for w in back], dtype=object)
    if b.kind == "polygon":
        return replace(b, data=gaps.moved(b.data, list(out)), radius=radius)
    return replace(b, data=[middle + 0.5 * (out[:3] - out[3:]), half + 0.5 * (out[:3] + out[3:])], radius=radius)


def _backward(along: Scalar) -> Scalar:
    """How far a body goes on through a side, 0 to 1, by the cosine of one of its edges with the normal: not at all where it
    is more than some 35 degrees from straight back."""
    out: Scalar = maximum(0.0, minimum(1.0, (-along - SLANT) / (STRAIGHT - SLANT)))
    return out


def _point_on(p: Core, b: Core, blunt: bool = False) -> Pair:
    """The normal is the slope of the distance; blunt: corners of b do not count."""
    if b.kind == "point":
        reach = p.radius + b.radius
        d = p.place - b.place
        far = gaps.length(d) if b.hollow else sqrt(dot(d, d))
        normal = -d / far if b.hollow else d / far
        gap = b.radius - p.radius - far if b.hollow else far - reach
        return Pair(gap, normal, p.place - p.radius * normal)
    n, edges = len(p.data[0]), p.edges if p.yields or not blunt else []
    x = symbols("touch:", n)
    along = [symbols(f"touch:{k}", n) for k in range(len(edges))]
    if b.kind in ("polygon", "box") and p.is_sharp and b.is_sharp:
        b = _beside(p, b, x, along, blunt)
    reach = p.radius + b.radius
    distance = _distance(x, b, blunt)
    slope = gradient(distance, list(x))
    at = dict(zip(x, b.seen(p.place), strict=True))
    for own, e in zip(along, edges, strict=True):
        at |= dict(zip(own, b.pose.A.T @ np.asarray(p.pose.vector(e)), strict=True))
    found, *components = substitute([distance, *[slope.get(s, 0.0) for s in x]], at)
    normal = np.asarray(b.pose.vector(np.array(components, dtype=object)))
    return Pair(found - reach, normal, p.place - p.radius * normal)


def _distance(x: np.ndarray, b: Core, blunt: bool) -> Scalar:
    if b.kind == "polygon":
        return gaps.to_polygon(x, b.data, blunt)
    if b.kind == "box":
        middle, half = b.data
        return gaps.to_box(x - middle, half, blunt)
    if b.kind == "segment" and len(x) == 3:
        return gaps.to_segment(x, b.data[0], b.data[1], blunt)
    return gaps.to_chain(x, b.data, b.goes_on, blunt)


def _crossed(a: Core, b: Core) -> Pair:
    """Two capsules in space."""
    p, q = gaps.between_segments(
        *[np.asarray(a.pose.point(x)) for x in a.data], *[np.asarray(b.pose.point(x)) for x in b.data]
    )
    far = gaps.length(p - q)
    normal = (p - q) / far
    return Pair(far - (a.radius + b.radius), normal, p - a.radius * normal)


def in_hollows(g: Geometry, e: m.Contact) -> list[tuple[np.ndarray, list[np.ndarray]]]:
    """Places that must not be within hollow polygons, in the axes of their bodies, with the corners of these: edges know of
    no inside."""
    sides = [(e.P, cores(g, e.Q, e.radii[1], e.on)), (e.Q, cores(g, e.P, e.radii[0], "sphere"))]
    out = []
    for on, others in sides:
        for part in on.parts if isinstance(on, ShapeOn) else ():
            if part.chains:
                chains = _of_part(g.pose(on), part, 0.0)
                outline = [c for chain in chains for c in chain.data[:-1]]
                points = [p for other in others if other.kind != "half" for p in _touching(other)]
                out += [(chains[0].seen(p.place), outline) for p in points]
    return out
