"""The number of operations of the equations of motion of a tree with loops, counted before any tracing.

Speeds are eliminated from the tips to the ground: a speed meets those below it and the rows of loops that reach past it, and
k entries beside a pivot make k^2 multiplications and subtractions (Featherstone, 6.4). A row reaches from the bodies it
touches to the ground. Rows follow: those of separate parts of the machine never meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from linkwright.graph.elimination import elimination_work
from linkwright.system.spanning_tree import Spanning
from linkwright.system.system import System

RESPONSE = 3.5  # operations of a row's response in each body, a square of its freedom: 31 in the plane, measured
# Operations that an entry of H or J takes to be written down, beyond what the equations of bodies take for the same:
# measured 5 (towers of four-bars) to 14 (closed chains; towers with balls in space). With the least of them bodies are not
# taken too early: they begin to pay at four four-bars on each other, ten bars in a ring, two loops with balls on each other.
ENTRY = 5


class LoopCost:
    """``rows``: those that close loops, and drivers, each as the bodies it reaches, by their number in the tree."""

    def __init__(self, system: System, spanning: Spanning) -> None:
        self.tree, self._freedom = spanning.tree, 3 if system.model.dimension == 2 else 6
        path: list[frozenset[int]] = []
        for k, low in enumerate(self.tree.parent):
            path.append((path[low] if low >= 0 else frozenset()) | {k})
        self._path = path
        slices, curves = system.coordinates.body_slices(), len(system.coordinates.extra)
        owner = [-1 - j for j in range(system.nv)]  # a curve parameter is a part of its own
        for k, body in enumerate(spanning.bodies):
            at = slices[body.name][1]
            owner[at] = [k] * (at.stop - at.start)
        touched: dict[int, set[int]] = {}
        for i, j in zip(*system.pattern, strict=True):
            touched.setdefault(i, set()).add(owner[j])
        carried = set(spanning.joints)
        self.rows = [
            frozenset[int]().union(*(path[k] if k >= 0 else {k} for k in touched.get(i, ())))
            for i, row in enumerate(system.rows) if row.element.name not in carried
        ]  # fmt: skip
        self.speeds = self.tree.nv + curves
        self._curves = [owner[j] for j in range(system.nv - curves, system.nv)]

    @cached_property
    def _meets(self) -> list[int]:
        """The number of speeds below it and rows that each speed meets, from the first body's on."""
        reaching = Counter(k for row in self.rows for k in row)
        out: list[int] = []
        below: list[int] = []  # speeds of a body's own joint and of those under it
        for k, (low, joint) in enumerate(zip(self.tree.parent, self.tree.joint, strict=True)):
            under = below[low] if low >= 0 else 0
            below.append(under + joint.nv)
            out += [reaching[k] + under + a for a in range(joint.nv)]
        return out + [reaching[k] for k in self._curves]

    def full(self) -> float:
        """The cost with the matrix of the tree written down: joint coordinates, and Kane's equations of few speeds or many
        rows."""
        return sum(x**2 for x in self._meets) + self._between

    @cached_property
    def _between(self) -> int:
        """The cost of the rows themselves: those meet that reach a body in common."""
        reaching: dict[int, list[int]] = {}
        for i, row in enumerate(self.rows):
            for k in row:
                reaching.setdefault(k, []).append(i)
        pattern = {(i, i) for i in range(len(self.rows))}
        pattern |= {(i, j) for own in reaching.values() for i in own for j in own if i < j}
        return elimination_work(len(self.rows), pattern)

    def in_speeds(self) -> float:
        """The cost of `full` and of writing the matrix and the rows down, to compare with an elimination by bodies."""
        return self.full() + ENTRY * sum(1 + x for x in self._meets)

    def joint_by_joint(self) -> float:
        """The cost with the responses of bodies to each row: Kane's equations of many speeds and few rows."""
        one = RESPONSE * self._freedom**2
        return sum(one * len(rows) * bodies + len(rows) ** 3 / 3 for rows, bodies in self._parts())

    def _parts(self) -> list[tuple[Sequence[frozenset[int]], int]]:
        """The rows of each part of the machine that holds together without the ground, and the number of its bodies."""
        part: dict[int, int] = {k: next(iter(sorted(p))) for k, p in enumerate(self._path)}  # the body at the ground
        part |= {k: k for k in self._curves}
        for row in self.rows:
            joined = {part[k] for k in row}
            if len(joined) > 1:
                into = min(joined)
                part = {k: into if p in joined else p for k, p in part.items()}
        rows: dict[int, list[frozenset[int]]] = {}
        for row in self.rows:
            if row:
                rows.setdefault(part[next(iter(row))], []).append(row)
        return [(own, sum(p == k for p in part.values())) for k, own in rows.items()]
