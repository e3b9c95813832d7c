"""Generalised coordinate partitioning: which displacements are independent, and when to choose anew (Haug 7.3.2)."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from linkwright.analyses.mechanical import LoadedMachine
from linkwright.solve.rank import scaled

GIVEN_UP = 1e-2  # a partition is given up when its smallest singular value is this part of the best one's


def dependent(machine: LoadedMachine, kept: np.ndarray, q: np.ndarray, t: float) -> list[int]:
    """The dependent displacements: pivots of a factorisation of the rows kept (Haug 4.4.8), columns scaled."""
    S, _ = scaled(machine.Phi_and_J(q, t)[1][kept], machine.scale)
    _, _, order = scipy.linalg.qr(S, mode="economic", pivoting=True)
    return sorted(int(j) for j in order[: len(kept)])


def is_bad(machine: LoadedMachine, kept: np.ndarray, partition: list[int], q: np.ndarray, t: float) -> bool:
    """Whether Phi_u has lost two digits against the best choice here."""
    if not partition:
        return False
    S, _ = scaled(machine.Phi_and_J(q, t)[1][kept], machine.scale)
    best = dependent(machine, kept, q, t)
    least = [np.linalg.svd(S[:, columns], compute_uv=False)[-1] for columns in (partition, best)]
    return bool(least[0] < GIVEN_UP * least[1])


def weights(machine: LoadedMachine, partition: list[int], q: np.ndarray) -> np.ndarray:
    """Which components of the state rule the steps: with a partition the independent ones only."""
    m = machine
    weight = np.ones(m.nq + m.nv + len(m.turns) + 1)
    weight[m.nq + m.nv :] = 0.0  # references of angles and the work follow, they rule no step
    if partition:
        weight[m.nq + np.array(partition)] = 0.0
        held = np.abs(m.tangent(q)) > 0
        held[:, partition] = False
        weight[: m.nq] = held.any(axis=1)
        if not weight.any():  # nothing is free: the motion is that of the drivers
            weight[: m.nq] = 1.0
    return weight
