"""The order in which multipliers follow bodies when the equations of motion are eliminated.

Bodies form a tree under ground, spanned by elements; elements beyond the tree close loops. A row goes when all bodies on the
tree's paths between the bodies it touches are gone, up to where the paths meet: a joint of the tree waits for the body on
its far side only, and an open chain is taken apart from tip to root; a loop's joint waits for the whole loop. Going earlier
would be wrong: part of a loop may be singular where the machine is not.

That is the order of what is written out as straight-line code (`Tree`): a pivot that turns out small cannot be mended there.
In loops (`waiting`) another compliance of the rows is taken then, and a row may go as soon as its own bodies are gone. Both
span the bodies by `parents`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from linkwright import model as m
from linkwright.model.quantities import JointCoordinate, definitions_in
from linkwright.system.system import System

Path = list[str]
Body = TypeVar("Body", bound=Hashable)


def parents(links: Mapping[Body, Iterable[Body]], ground: Body, bodies: Iterable[Body]) -> dict[Body, Body]:
    """The body below each, in the order in which they are found: breadth first from the ground, so that branches are short.

    ``links``: the neighbours of each body, in the order in which they are taken. A part of the machine that nothing joins to
    the ground hangs on it by the first of ``bodies`` that belongs to the part.
    """
    found: dict[Body, Body] = {}
    for root in (ground, *bodies):
        if root in found:
            continue
        if root != ground:
            found[root] = ground
        queue = deque([root])
        while queue:
            body = queue.popleft()
            for other in links.get(body, ()):
                if other not in found and other != ground:
                    found[other] = body
                    queue.append(other)
    return found


class Tree:
    """A spanning tree of the bodies. ``parent``: by the names of bodies; the ground is the root of all."""

    def __init__(self, system: System) -> None:
        self.ground = system.model.ground.name
        columns: dict[int, set[int]] = {}
        for k, j in system.Phi_v.entries:
            columns.setdefault(k, set()).add(j)
        self.touched = {row.name: touched(system, row.element, columns.get(k, set())) for k, row in enumerate(system.rows)}
        links: dict[str, dict[str, int]] = {b: {} for b in system.model.bodies}
        for names in self.touched.values():
            for a in names:
                for b in names:
                    if a != b:
                        links[a][b] = links[a].get(b, 0) + 1
        # joints with many rows first: what they join is nearly one body
        order = {body: sorted(near, key=lambda x: -near[x]) for body, near in links.items()}
        self.parent = parents(order, self.ground, (b.name for b in system.coordinates.bodies))

    def up(self, body: str) -> Path:
        """The path from a body to ground, both included."""
        path = [body]
        while path[-1] != self.ground:
            path.append(self.parent[path[-1]])
        return path

    def waits(self, row: str) -> set[str]:
        """The bodies that must be gone before a row."""
        return self.between(self.touched[row])

    def between(self, bodies: Iterable[str]) -> set[str]:
        """The bodies on the paths between these, less the one where the paths meet and what is below it."""
        paths = [self.up(b) for b in bodies]
        common = set.intersection(*map(set, paths))
        return {b for path in paths for b in path if b not in common}


def touched(system: System, element: m.Element, columns: set[int]) -> list[str]:
    """The bodies that a row's forces balance on, ground included where the row knows the ground's axes."""
    own = [
        name for name, (_, at) in system.coordinates.body_slices().items() if any(at.start <= j < at.stop for j in columns)
    ]
    ground = system.model.ground.name
    joined = [b.name for b in _joined(system.model, element)]
    if joined:
        return list(dict.fromkeys([*own, *joined]))
    return [ground, *own]


def _joined(model: m.Model, element: m.Element) -> tuple[m.Body, ...]:
    """The bodies of an element that only knows them relative to each other; empty if it refers to ground's axes."""
    if isinstance(element, m.Driver | m.Constraint):
        found = definitions_in(model, element.quantity)
        if len(found) == 1 and isinstance(found[0], JointCoordinate):
            return model.elements[found[0].joint].bodies
        return ()
    return () if isinstance(element, m.CD | m.Coupler | m.Balance) else element.bodies


# -- in loops ------------------------------------------------------------------------------------------------------------

GROUND = -1


def waiting(bodies: int, size: int, ends: Sequence[Sequence[int]], rows: Sequence[int]) -> list[list[int]]:
    """The bodies that must be eliminated before the multipliers of each element, in loops.

    ``ends[e]``: the moving bodies of element e (`size` velocities each), ``rows[e]``: how many equations it has.

    In the spanning tree from ground a joint waits for the body on its far side alone; all others, which close loops, for all
    their bodies. The rows of all elements along one edge of the tree may not be more than the far body's freedoms: their
    pivot would be singular.
    """
    parent = _spanning_tree(bodies, ends)
    free = [size] * bodies
    out: list[list[int]] = []
    for e, around in enumerate(ends):
        moving = list(around)
        if len(moving) == 2:
            a, b = moving
            child = b if parent[b] == a else a if parent[a] == b else -1
            if child >= 0 and free[child] >= rows[e]:
                free[child] -= rows[e]
                moving = [child]
        out.append(moving)
    return out


def _spanning_tree(bodies: int, ends: Sequence[Sequence[int]]) -> dict[int, int]:
    """The parent of each body in a spanning tree; GROUND for those on the ground, and for one of each floating part."""
    links: dict[int, list[int]] = {}
    for around in ends:
        if len(around) in (1, 2):
            a, b = around if len(around) == 2 else (GROUND, around[0])
            links.setdefault(a, []).append(b)
            links.setdefault(b, []).append(a)
    return parents(links, GROUND, range(bodies))
