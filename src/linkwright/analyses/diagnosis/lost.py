"""Which reactions lose their uniqueness where the same thing is held twice: nobody can tell how joints share the load."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.diagnosis.stand import Stand
from linkwright.model import Element, Point
from linkwright.solve.rank import dense, is_sparse, scaled

SMALL = 1e-6  # of the largest: a load that rounding makes
MOST = 60  # groups that are looked at


def lost_reactions(stand: Stand, J: Any, groups: list[list[int]]) -> list[list[str]]:
    """By group of dependent rows: the channels of reactions that its loads, which cancel each other, may add to."""
    J = J.tocsr() if is_sparse(J) else J
    return [_lost(stand, J, group) for group in groups[:MOST]] + [[] for _ in groups[MOST:]]


def _lost(stand: Stand, J: Any, group: list[int]) -> list[str]:
    own = J[group]
    columns = np.unique(own.indices) if is_sparse(own) else np.flatnonzero(np.abs(own).any(axis=0))
    part = dense(own[:, columns])
    S, lengths = scaled(part, stand.machine.scale[columns])
    loads = linear.svd(S)[0][:, -1] / lengths
    rows = stand.machine.system.rows
    whole = np.zeros((len(group), stand.machine.nv))
    whole[:, columns] = part
    names: list[str] = []
    for element in dict.fromkeys(rows[k].element for k in group):
        mine = [i for i, k in enumerate(group) if rows[k].element is element]
        names += [f"{element.name}.{c}" for c in _components(stand, element, loads[mine] @ whole[mine])]
    return names


def _components(stand: Stand, e: Element, load: np.ndarray) -> list[str]:
    """The components, at the joint's point, of a load on the coordinates of all bodies."""
    points = [P for P in vars(e).values() if isinstance(P, Point) and not P.body.is_ground]
    if not points:
        return []
    P, n = points[-1], stand.model.dimension
    own = load[stand.machine.system.coordinates.body_slices()[P.body.name][1]]
    A, length = stand.axes(P.body.name), stand.machine.length
    arm = A @ np.array([stand.model.value(x) for x in P.s])
    force, torque = own[:n], own[n:]
    labels = ("fx", "fy", "torque") if n == 2 else ("fx", "fy", "fz", "tx", "ty", "tz")
    torque = torque - (arm[0] * force[1] - arm[1] * force[0]) if n == 2 else A @ torque - np.cross(arm, force)
    sizes = [*force, *(torque / length)]
    largest = max(map(abs, sizes), default=0.0)
    return [label for label, x in zip(labels, sizes, strict=True) if abs(x) > SMALL * max(largest, 1e-300)]
