"""The order in which multipliers follow bodies when the equations of motion are eliminated.

Bodies form a tree under ground, spanned by elements; elements beyond the tree close loops. A row goes when all bodies on the
tree's paths between the bodies it touches are gone, up to where the paths meet: a joint of the tree waits for the body on
its far side only, and an open chain is taken apart from tip to root; a loop's joint waits for the whole loop. Going earlier
would be wrong: part of a loop may be singular where the machine is not.
"""

from __future__ import annotations

from collections.abc import Iterable

from linkwright import model as m
from linkwright.graph import free_symbols
from linkwright.model.quantities import JointCoordinate
from linkwright.system.breadth_first import parents
from linkwright.system.system import System

Path = list[str]


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
        symbols = [s for s in free_symbols([element.quantity]) if not s.data.startswith("parameter:") and s is not m.TIME]
        found = [model.definition(s) for s in symbols]
        if len(found) == 1 and isinstance(found[0], JointCoordinate):
            return model.elements[found[0].joint].bodies
        return ()
    return () if isinstance(element, m.CD | m.Coupler | m.Balance) else element.bodies
