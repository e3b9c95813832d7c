"""Which coordinates take part in the free motions of a machine: those are good to drive."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from linkwright.analyses.channels import Motion
from linkwright.analyses.machine import Machine
from linkwright.graph import Scalar
from linkwright.model.quantities import POSITIONS, JointCoordinate
from linkwright.solve.rank import free_motions


def good_drivers(machine: Machine, q: np.ndarray, t: float) -> list[str]:
    """Quantities whose rate determines a free motion, the best first: joint coordinates, then those of bodies."""
    _, J = machine.Phi_and_J(q, t)
    free = free_motions(J, machine.scale)
    if not free.shape[1]:
        return []
    names, values, sizes = _candidates(machine)
    gradients = machine.system.coordinates.jacobian(machine.system.resolve(values))
    motion = Motion(machine, np.array([t]), q[None], machine.turns[None])
    places = tuple(np.array(list(gradients.entries)).T)
    rows = csr_array((motion.evaluate(list(gradients.entries.values()))[:, 0], places), shape=(len(values), len(free)))
    share = np.linalg.norm(rows @ free, axis=1) / sizes
    rank = {
        name: (s > 1e-6, "." in name and name.split(".")[0] in machine.model.elements, s)
        for name, s in zip(names, share, strict=True)
    }
    return [name for name in sorted(names, key=lambda n: rank[n], reverse=True) if rank[name][0]]


def _candidates(machine: Machine) -> tuple[list[str], list[Scalar], np.ndarray]:
    model = machine.model
    found: dict[str, Scalar] = {}
    sizes: list[float] = []
    for e in model.elements.values():
        for c in e.channels:
            if c in ("angle", "displacement"):
                found[f"{e.name}.{c}"] = model.quantity(JointCoordinate(e.name, c))
                sizes.append(1.0 if c == "angle" else machine.length)
    for body in machine.system.coordinates.bodies:
        for c in POSITIONS[model.dimension][:3]:
            found[f"{body.name}.{c}"] = getattr(body, c)
            sizes.append(1.0 if c == "angle" else machine.length)
    return list(found), list(found.values()), np.array(sizes)
