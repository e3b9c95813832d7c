"""Small motions of a machine and of its states together, about rest or about a motion."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.rates_of_states import check_rates

Slopes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def slopes_of_states(machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float) -> Slopes:
    """(Q_z, r_d, r_v, r_z): how forces change with states, and rates of states with displacements, velocities, states."""
    nv = machine.nv
    if not machine.states.any():
        return np.zeros((nv, 0)), np.zeros((0, nv)), np.zeros((0, nv)), np.zeros((0, 0))
    check_rates(machine, q, v, t)
    Q_z, r_d, r_v, r_z = machine.system.state_changes(*machine.load_args(q, v, t))
    return Q_z, r_d, r_v, r_z


def state_matrix(accelerations: np.ndarray, by_states: np.ndarray, X: np.ndarray, W: np.ndarray, z: Slopes) -> np.ndarray:
    """A of (xi, xidot, z). accelerations: of xi by (xi, xidot); by_states: by z; X, W: displacements and velocities of all
    bodies by (xi, xidot)."""
    n = len(accelerations)
    _, r_d, r_v, r_z = z
    return np.block([
        [np.zeros((n, n)), np.eye(n), np.zeros((n, len(r_z)))],
        [accelerations, by_states],
        [r_d @ X + r_v @ W, r_z],
    ])  # fmt: skip
