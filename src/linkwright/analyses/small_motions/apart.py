"""Parts of a machine that do not feel each other, as far as joints and forces tell: slopes of all are taken at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.graph import Expr, free_symbols
from linkwright.later import csgraph, sparse

NONE = 1e-9  # of the largest number of a free motion: it does not move what it moves less


def parts(machine: Machine) -> np.ndarray:
    """The part of each displacement."""
    system, n = machine.system, machine.nv
    slices = {name: at for name, (_, at) in system.coordinates.body_slices().items()}
    edges = [(at.start, k) for at in slices.values() for k in range(at.start, at.stop)]
    for element in machine.model.elements.values():
        quantities = [x for x in vars(element).values() if type(x) is Expr]
        named = [b.name for b in element.bodies] + [
            str(s.data).split(".")[0].split("(")[-1] for s in free_symbols(quantities)
        ]
        edges += pairwise([slices[name].start for name in named if name in slices])
    rows, columns = system.pattern
    some = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    a, b = np.concatenate([some[0], n + rows]), np.concatenate([some[1], columns])
    size = n + len(system.rows)
    graph = sparse.coo_array((np.ones(len(a)), (a, b)), shape=(size, size))
    return np.asarray(csgraph.connected_components(graph, directed=False)[1])[:n]


def of_motions(Z: np.ndarray, part: np.ndarray) -> np.ndarray | None:
    """The part that each free motion moves; None where one moves several."""
    moves = np.abs(Z) > NONE * np.abs(Z).max(axis=0)
    found = part[np.argmax(moves, axis=0)]
    return found if (part[:, None] == found)[moves].all() else None


def grouped(part: np.ndarray, asked: np.ndarray) -> list[np.ndarray]:
    """The columns that are asked, places and speeds of motions in these parts, in groups that hold one of a part at most."""
    met: dict[int, int] = {}
    groups: list[list[int]] = []
    for k in asked.tolist():
        own = int(part[k % len(part)])
        met[own] = met.get(own, -1) + 1
        if met[own] == len(groups):
            groups.append([])
        groups[met[own]].append(k)
    return [np.array(g) for g in groups]
