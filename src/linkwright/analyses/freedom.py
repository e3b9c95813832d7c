"""Which coordinates take part in the free motions of a machine: those are good to drive."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from linkwright.analyses.channels import Motion
from linkwright.analyses.machine import Machine
from linkwright.model.quantities import POSITIONS, JointCoordinate
from linkwright.solve.rank import free_motions
from linkwright.system.shaped import ShapedSystem


def good_drivers(machine: Machine, q: np.ndarray, t: float) -> list[str]:
    """Quantities whose rate determines a free motion, the best first: joint coordinates, then those of bodies."""
    free = free_motions(machine.rows_at(q, t)[1], machine.scale)
    if not free.shape[1]:
        return []
    names, rows = _of_joints(machine, q, t)
    sizes = [1.0 if name.endswith(".angle") else machine.length for name in names]
    share = list(np.linalg.norm(rows @ free, axis=1) / np.array(sizes))
    # x, y, z, or x, y, angle of a body are its first displacements
    for name, (_, at) in machine.system.coordinates.body_slices().items():
        names += [f"{name}.{c}" for c in POSITIONS[machine.model.dimension][:3]]
        share += list(np.linalg.norm(free[at][:3], axis=1) / machine.scale[at][:3])
    rank = {
        name: (s > 1e-6, "." in name and name.split(".")[0] in machine.model.elements, s)
        for name, s in zip(names, share, strict=True)
    }
    return [name for name in sorted(names, key=lambda n: rank[n], reverse=True) if rank[name][0]]


def _of_joints(machine: Machine, q: np.ndarray, t: float) -> tuple[list[str], Any]:
    """The names of the coordinates of joints that may be driven, and their derivatives by displacements."""
    system, model = machine.system, machine.model
    if isinstance(system, ShapedSystem):
        every, _, (rows, columns, slopes) = system.joint_coordinates(*machine._args(q, t))
        chosen = [k for k, name in enumerate(every) if name.rpartition(".")[2] in ("angle", "displacement")]
        matrix: Any = csr_array((slopes, (rows, columns)), shape=(len(every), machine.nv))
        return [every[k] for k in chosen], matrix[chosen]
    found = {f"{e.name}.{c}": JointCoordinate(e.name, c) for e in model.elements.values() for c in e.channels
             if c in ("angle", "displacement")}  # fmt: skip
    gradients = system.coordinates.jacobian(system.resolve([model.quantity(x) for x in found.values()]))
    motion = Motion(machine, np.array([t]), q[None], machine.turns[None])
    places = np.array(list(gradients.entries), dtype=np.int64).reshape(-1, 2).T
    slopes = motion.evaluate(list(gradients.entries.values()))[:, 0] if len(places[0]) else np.zeros(0)
    return list(found), csr_array((slopes, tuple(places)), shape=(len(found), machine.nv))
