"""Impacts: velocities that jump where a gap closes, all joints kept (Newton's law of restitution)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.analyses.mechanical import LoadedMachine
from linkwright.solve.blas import single_threaded


@dataclass(frozen=True)
class Rebound:
    """Velocities after an impact, the kinetic energy that came in (negative: lost), and the time of the flight that follows.

    flight: infinite where nothing brings the bodies together again, zero where they stay in contact.
    """

    v: np.ndarray
    energy: float
    flight: float


@single_threaded
def rebound(machine: LoadedMachine, k: int, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> Rebound:
    """M (v+ - v-) = J^T Lam + G^T p with J v+ = nu and G v+ + gap_t = -e (G v- + gap_t) for the k-th impact."""
    terms = machine.terms(q, v, t, turns)
    args = machine.load_args(q, v, t, turns)
    _, G, rate, _, restitution = machine.system.gaps(*args, np.zeros(machine.nv))
    B = np.vstack([terms.J, G[k]])
    wanted = np.concatenate([terms.nu - terms.J @ v, [-(1.0 + restitution[k]) * rate[k]]])
    # the change of velocity of least kinetic energy that the equations ask for: mass-weighted least squares
    n, m = machine.nv, len(B)
    s = machine.scale
    lengths = np.linalg.norm(B * s, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    B = B * s / lengths[:, None]
    M = terms.M * np.outer(s, s)
    size = np.abs(M).max()
    K = np.block([[M / size, B.T], [B, np.zeros((m, m))]])
    x = np.linalg.lstsq(K, np.concatenate([np.zeros(n), wanted / lengths]), rcond=1e-12)[0]
    after = v + x[:n] * s
    energy = 0.5 * (after @ terms.M @ after - v @ terms.M @ v)
    vdot = machine.solve(q, after, t, turns).vdot
    _, _, rate, second, _ = machine.system.gaps(*machine.load_args(q, after, t, turns), vdot)
    flight = 2 * rate[k] / -second[k] if second[k] < 0 else np.inf
    return Rebound(after, float(energy), max(float(flight), 0.0))
