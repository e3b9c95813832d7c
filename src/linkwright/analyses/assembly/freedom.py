"""Which coordinates take part in the free motions of a machine: those are good to drive."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.analyses.machine.channels import Motion
from linkwright.analyses.machine.machine import Machine
from linkwright.equations import rotations
from linkwright.later import sparse
from linkwright.model.quantities import POSITIONS, JointCoordinate
from linkwright.solve.rank import free_motions
from linkwright.system.shaped import ShapedSystem

MOST = 6  # of the quantities that are told
MOVES = 1e-6  # relative: slower ones do not take part in free motions


def good_to_drive(machine: Machine, q: np.ndarray, t: float) -> str:
    """The first of the coordinates that are good to drive, for a remedy."""
    return f"good to drive: {', '.join(good_drivers(machine, q, t)[:MOST])}"


def good_drivers(machine: Machine, q: np.ndarray, t: float) -> list[str]:
    """Quantities whose rate determines a free motion, the best first: joint coordinates, then those of bodies, then where
    points of bodies are, if the others do not tell every free motion (a body on a ball that is its origin)."""
    free = free_motions(machine.rows_at(q, t)[1], machine.scale)
    if not free.shape[1]:
        return []
    names, rows = _of_joints(machine, q, t)
    sizes = [1.0 if name.endswith(".angle") else machine.length for name in names]
    rates = [*(rows @ free / np.array(sizes)[:, None])]
    joints = len(names)
    # x, y, z, or x, y, angle of a body are its first displacements
    for name, (_, at) in machine.system.coordinates.body_slices().items():
        names += [f"{name}.{c}" for c in POSITIONS[machine.model.dimension][:3]]
        rates += [*(free[at][:3] / machine.scale[at][:3, None])]
    share = np.linalg.norm(rates, axis=1) if rates else np.zeros(0)
    order = sorted(np.flatnonzero(share > MOVES), key=lambda k: (k < joints, share[k]), reverse=True)
    found = [names[k] for k in order]
    if machine.model.dimension == 3 and machine.nv <= size_policy.SPARSE:
        found += _of_points(machine, q, free, np.array([rates[k] for k in order]).reshape(-1, free.shape[1]))
    return found


def _of_points(machine: Machine, q: np.ndarray, free: np.ndarray, told: np.ndarray) -> list[str]:
    """Components of points on the axes of bodies, each of which tells a free motion that the rates `told` do not."""
    size = float(f"{machine.length:.1g}")
    found: list[str] = []
    rank = _rank(told)
    for name, (at_q, at) in machine.system.coordinates.body_slices().items():
        A = np.asarray(rotations.A(q[at_q][3:]), dtype=float)
        for axis, s in enumerate(size * np.eye(3)):
            rates = free[at][:3] - A @ np.cross(s, np.eye(3)).T @ free[at][3:]  # d(r + A s) = dr - A s~ dpi'
            for k in np.argsort(-np.linalg.norm(rates, axis=1)):
                if rank < free.shape[1] and _rank(more := np.vstack([told, rates[k] / machine.length])) > rank:
                    told, rank = more, rank + 1
                    point = ", ".join(f"{size:g}" if j == axis else "0" for j in range(3))
                    found.append(f"{name}({point}).{'xyz'[k]}")  # as quantities are written
    return found


def _rank(rates: np.ndarray) -> int:
    return int((linear.singular_values(rates) > 1e-3).sum()) if rates.size else 0


def _of_joints(machine: Machine, q: np.ndarray, t: float) -> tuple[list[str], Any]:
    """The names of the coordinates of joints that may be driven, and their derivatives by displacements."""
    system, model = machine.system, machine.model
    if isinstance(system, ShapedSystem):
        every, _, (rows, columns, slopes) = system.joint_coordinates(*machine._args(q, t))
        chosen = [k for k, name in enumerate(every) if name.rpartition(".")[2] in ("angle", "displacement")]
        matrix: Any = sparse.csr_array((slopes, (rows, columns)), shape=(len(every), machine.nv))
        return [every[k] for k in chosen], matrix[chosen]
    found = {f"{e.name}.{c}": JointCoordinate(e.name, c) for e in model.elements.values() for c in e.channels
             if c in ("angle", "displacement")}  # fmt: skip
    gradients = system.coordinates.jacobian(machine.resolve([model.quantity(x) for x in found.values()]))
    motion = Motion(machine, np.array([t]), q[None], machine.turns[None])
    places = np.array(list(gradients.entries), dtype=np.int64).reshape(-1, 2).T
    slopes = motion.evaluate(list(gradients.entries.values()))[:, 0] if len(places[0]) else np.zeros(0)
    return list(found), sparse.csr_array((slopes, tuple(places)), shape=(len(found), machine.nv))
