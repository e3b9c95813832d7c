"""How deep convex bodies are within each other, by the axes that part them: whatever the law of a contact makes of it.

A contact measures its gap at corners and faces. Bodies whose edges cross, or that are within each other farther than to the
nearest side, are deeper than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from linkwright.model import Contact, Point
from linkwright.model.touching import ShapeOn
from linkwright.system.touch import Core, cores, outline

PARALLEL = 1e-9  # the sine of an angle that is none


@dataclass(frozen=True, eq=False)
class Convex:
    """Corners with a radius about all of them, in the axes of a body. normals: of faces; edges: pairs of corners; shortest:
    its shortest side, by which sharp corners are rounded, zero of what is round."""

    body: str
    corners: np.ndarray
    radius: float
    normals: np.ndarray | tuple[()] = ()
    edges: tuple[tuple[int, int], ...] = ()
    shortest: float = 0.0

    @cached_property
    def middle(self) -> np.ndarray:
        return np.asarray(self.corners.mean(axis=0))

    @cached_property
    def reach(self) -> float:
        return float(np.linalg.norm(self.corners - self.middle, axis=1).max()) + self.radius

    @cached_property
    def width(self) -> float:
        """Its least extent; of what is thin in all directions but one, twice its radius."""
        own = [float(np.ptp(self.corners @ n)) for n in self.normals]
        return min(own, default=0.0) + 2 * self.radius

    @property
    def points(self) -> list[Convex]:
        """Its corners, each with its radius."""
        return [replace(self, corners=c[None], normals=(), edges=()) for c in self.corners]

    @cached_property
    def directions(self) -> np.ndarray:
        """Of its edges, each once."""
        found: list[np.ndarray] = []
        for i, j in self.edges:
            d = self.corners[j] - self.corners[i]
            d = d / np.linalg.norm(d)
            if all(abs(d @ x) < 1 - PARALLEL for x in found):
                found.append(d)
        return np.array(found)


def sides(machine: Machine, e: Contact) -> tuple[list[Convex], list[Convex]] | None:
    """The bodies of a contact of shapes; None of one that has none, where what the law measures is what there is: at a
    plane and of points."""
    ends = (e.P, e.radii[0], "sphere"), (e.Q, e.radii[1], e.on)
    if not any(isinstance(on, ShapeOn) for on, _, _ in ends) or (isinstance(e.Q, Point) and e.on == "plane"):
        return None
    first, second = ([x for c in cores(machine.system.geometry, on, r, what) if (x := _convex(machine, on.body.name, c))]
                     for on, r, what in ends)  # fmt: skip
    return first, second


def outlines(machine: Machine, e: Contact) -> Iterator[tuple[Convex, Convex, float]]:
    """(a polygon, corners of the other body, both radii) of a contact in the plane in which a polygon is hollow."""
    ends = [(e.P, e.radii[0], "sphere"), (e.Q, e.radii[1], e.on)]
    if not any(p.chains for on, *_ in ends for p in getattr(on, "parts", ())):
        return
    for (on, more, _), (other, own, what) in (ends, ends[::-1]):
        if not isinstance(on, ShapeOn):
            continue
        inner = [c for c in cores(machine.system.geometry, other, own, what) if c.kind != "half" and not c.hollow]
        points = [
            (np.array([[machine.value(x) for x in place] for place in c.data]), machine.value(c.radius)) for c in inner
        ]
        for part in [p for p in on.parts if p.kind == "polygon"]:
            corners = outline(machine.system.geometry, on, part)
            polygon = Convex(on.body.name, _numbers(machine, corners), 0.0)
            radius = machine.value(part.radius) + machine.value(more)
            yield from ((polygon, Convex(other.body.name, data, 0.0), radius + r) for data, r in points)


def _numbers(machine: Machine, places: Sequence[np.ndarray]) -> np.ndarray:
    return np.array([[machine.value(x) for x in place] for place in places])


def _convex(machine: Machine, body: str, core: Core) -> Convex | None:
    """None of what is hollow: it is seen from within, or has no inside."""
    if core.hollow or core.kind == "chain":
        return None
    data = _numbers(machine, core.data)
    radius = machine.value(core.radius)
    if core.kind == "box":
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        pairs = [(i, j) for i, j in combinations(range(8), 2) if np.count_nonzero(signs[i] != signs[j]) == 1]
        sharp = 2 * float(data[1].min()) if core.is_sharp else 0.0
        return Convex(body, data[0] + signs * data[1], radius, np.eye(3), tuple(pairs), sharp)
    if core.kind == "polygon" or (core.kind == "segment" and data.shape[1] == 2):
        along = np.roll(data, -1, axis=0) - data
        lengths = np.linalg.norm(along, axis=1)
        normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / lengths[:, None]
        sharp = float(lengths.min()) if core.is_sharp and core.kind == "polygon" else 0.0
        return Convex(body, data, radius, normals, shortest=sharp)
    return Convex(body, data, radius, edges=((0, 1),) if core.kind == "segment" else ())


Pairs = Callable[[Convex, Convex], Sequence[tuple[Convex, Convex]]]


class Placed:
    """Where bodies are at some states, a row of coordinates each."""

    def __init__(self, machine: Machine, q: np.ndarray) -> None:
        self._slices, self._q, self._n = machine.system.coordinates.body_slices(), q, machine.model.dimension
        self._known: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def pose(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Origins and axes, a state each."""
        if body not in self._known:
            n, count = self._n, len(self._q)
            if body not in self._slices:
                self._known[body] = np.zeros((count, n)), np.broadcast_to(np.eye(n), (count, n, n))
            else:
                own = self._q[:, self._slices[body][0]].T
                A: Any = [[np.cos(own[2]), -np.sin(own[2])], [np.sin(own[2]), np.cos(own[2])]] if n == 2 else None
                A = np.array(A) if n == 2 else rotations.A(own[3:])
                self._known[body] = own[:n].T, np.moveaxis(np.asarray(A, dtype=float), -1, 0)
        return self._known[body]

    def depths(self, first: Sequence[Convex], second: Sequence[Convex]) -> np.ndarray:
        """How deep the two sides are within each other at most, at each state; zero or less where they are apart."""
        return self._most(first, second, lambda a, b: ((a, b),))

    def cornered(self, first: Sequence[Convex], second: Sequence[Convex]) -> np.ndarray:
        """The same by the corners of each within the other, and of two rods by their axes, as laws of contacts measure."""

        def pairs(a: Convex, b: Convex) -> Sequence[tuple[Convex, Convex]]:
            if len(a.edges) == len(b.edges) == 1:
                return ((a, b),)
            return [(x, b) for x in a.points] + [(a, x) for x in b.points]

        return self._most(first, second, pairs)

    def _most(self, first: Sequence[Convex], second: Sequence[Convex], pairs: Pairs) -> np.ndarray:
        out = np.full(len(self._q), -np.inf)
        for a, b in product(first, second):
            (r, A), (s, B) = self.pose(a.body), self.pose(b.body)
            far = r + A @ a.middle - s - B @ b.middle
            near = np.flatnonzero(np.einsum("ij,ij->i", far, far) < (a.reach + b.reach) ** 2)
            if len(near):
                at, to = (r[near], A[near]), (s[near], B[near])
                out[near] = np.max([out[near], *(_depths(x, y, at, to) for x, y in pairs(a, b))], axis=0)
        return out

    def within(self, polygon: Convex, other: Convex) -> np.ndarray:
        """How far corners of the other lie inside a polygon, hollow or not, at most at each state; zero where none does."""
        (r, A), (s, B) = self.pose(polygon.body), self.pose(other.body)
        x = (s[:, None] + other.corners @ np.swapaxes(B, 1, 2) - r[:, None]) @ A  # in axes of the polygon
        start = polygon.corners
        along = np.roll(start, -1, axis=0) - start
        d = x[:, :, None] - start
        over = (d[..., 1] >= 0) != (d[..., 1] >= along[:, 1])  # edges that a ray to the right may cross
        side = along[:, 0] * d[..., 1] - along[:, 1] * d[..., 0]
        inside = np.count_nonzero(over & (side * np.sign(along[:, 1]) > 0), axis=2) % 2 == 1
        k = np.clip((d * along).sum(axis=-1) / (along * along).sum(axis=-1), 0.0, 1.0)
        away = np.linalg.norm(d - k[..., None] * along, axis=-1).min(axis=2)
        return np.asarray(np.where(inside, away, 0.0).max(axis=1))

    def at(self, chosen: np.ndarray) -> Placed:
        """At some of the states."""
        out = copy(self)
        out._q, out._known = self._q[chosen], {}
        return out


def _depths(a: Convex, b: Convex, at: tuple[np.ndarray, np.ndarray], to: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The least way by which they would be apart: along the normal of a face, across two edges, and, where something is
    round, from corner to corner or to the nearest place of an edge."""
    (_, A), (_, B) = at, to
    x, y = (r[:, None] + c.corners @ np.swapaxes(R, 1, 2) for c, (r, R) in ((a, at), (b, to)))
    axes = [np.asarray(c.normals) @ np.swapaxes(R, 1, 2) for c, R in ((a, A), (b, B)) if len(c.normals)]
    if a.edges and b.edges:
        d, e = a.directions @ np.swapaxes(A, 1, 2), b.directions @ np.swapaxes(B, 1, 2)
        axes.append(np.cross(d[:, :, None], e[:, None]).reshape(len(x), -1, 3))
    if a.radius + b.radius > 0:
        n = x.shape[-1]
        axes.append((x[:, :, None] - y[:, None]).reshape(len(x), -1, n))
        axes += [_to_edges(p, z[:, np.array(own.edges)]) for p, z, own in ((x, y, b), (y, x, a)) if own.edges]
    every = np.concatenate(axes, axis=1)
    long = np.linalg.norm(every, axis=2, keepdims=True)
    good = long > PARALLEL * (1.0 if a.radius + b.radius == 0 else a.reach + b.reach)
    every = np.where(good, every / np.where(good, long, 1.0), 0.0)
    along, other = x @ np.swapaxes(every, 1, 2), y @ np.swapaxes(every, 1, 2)
    part = np.maximum(other.min(axis=1) - along.max(axis=1), along.min(axis=1) - other.max(axis=1))
    part = np.where(good[:, :, 0], part, -np.inf).max(axis=1)
    return np.asarray(a.radius + b.radius - np.where(np.isfinite(part), part, 0.0))


def _to_edges(p: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """From the nearest place of each edge to each corner."""
    start, along = edges[:, :, 0], edges[:, :, 1] - edges[:, :, 0]
    d = p[:, :, None] - start[:, None]
    k = np.clip(np.einsum("sijx,sjx->sij", d, along) / np.einsum("sjx,sjx->sj", along, along)[:, None], 0.0, 1.0)
    return np.asarray(d - k[..., None] * along[:, None]).reshape(len(p), -1, p.shape[-1])
