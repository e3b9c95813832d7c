"""An estimate that knows no estimates: bodies laid out along a spanning tree, with no joint moved."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.equations.joint_models import neutral
from linkwright.equations.rotations import euler_parameters
from linkwright.equations.spatial_vectors import inverse, place
from linkwright.system.spanning_tree import spanning_tree


def laid_out(machine: Machine, q: np.ndarray) -> np.ndarray:
    """q with all bodies moved to where the joints of the tree close."""
    spanning, n = spanning_tree(machine.model), machine.model.dimension
    slices, out = machine.system.coordinates.body_slices(), np.array(q)
    X: list[np.ndarray] = []
    for k, low in enumerate(spanning.tree.parent):
        joint = spanning.tree.joint[k]
        up = joint.model(neutral(joint), np.zeros(joint.nv))[0] @ spanning.tree.Xtree[k]
        X.append(np.asarray(up if low < 0 else up @ X[low], dtype=float))
        E, r = (np.asarray(x, dtype=float) for x in place(inverse(spanning.frames[k]) @ X[k]))
        turn = euler_parameters(E.T) if n == 3 else [np.arctan2(E[0, 1], E[0, 0])]
        out[slices[spanning.bodies[k].name][0]] = [*r[:n], *turn]
    return out
