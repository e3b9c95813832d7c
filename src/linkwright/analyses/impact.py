"""Impacts: velocities that jump, all joints kept: a gap that closes (Newton's restitution), or velocities as asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linkwright import linear
from linkwright.analyses.mechanical import LoadedMachine, Terms
from linkwright.errors import ModelError
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
    after, _ = _jump(machine, terms, v, G[k : k + 1], np.array([-(1.0 + restitution[k]) * rate[k]]))
    energy = 0.5 * (after @ terms.M @ after - v @ terms.M @ v)
    vdot = machine.solve(q, after, t, turns).vdot
    _, _, rate, second, _ = machine.system.gaps(*machine.load_args(q, after, t, turns), vdot)
    flight = 2 * rate[k] / -second[k] if second[k] < 0 else np.inf
    return Rebound(after, float(energy), max(float(flight), 0.0))


@single_threaded
def struck(
    machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float, wanted: Mapping[int, float], element: str = ""
) -> np.ndarray:
    """v after impulses along some velocities that give them the wanted values; joints answer by impulses of their own."""
    G = np.zeros((len(wanted), machine.nv))
    G[np.arange(len(wanted)), list(wanted)] = 1.0
    change = np.array([x - v[j] for j, x in wanted.items()])
    after, error = _jump(machine, machine.terms(q, v, t), v, G, change)
    if error > 1e-9:
        names = [machine.system.coordinates.v_names[j] for j in wanted]
        raise ModelError(
            f"the joints do not allow the velocities {', '.join(names)} that its change asks for", element=element,
            remedy="ask for fewer velocities, or such as agree with the joints",
        )  # fmt: skip
    return after


def _jump(
    machine: LoadedMachine, terms: Terms, v: np.ndarray, G: np.ndarray, change: np.ndarray
) -> tuple[np.ndarray, float]:
    """v+ of M (v+ - v) = J^T Lam + G^T p, J v+ = nu, G (v+ - v) = change; and what is left of the equations, relative.

    The change of velocity of least kinetic energy that the equations ask for: mass-weighted least squares.
    """
    B = np.vstack([terms.J, G])
    wanted = np.concatenate([terms.nu - terms.J @ v, change])
    n, m, s = machine.nv, len(B), machine.scale
    lengths = np.linalg.norm(B * s, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    B = B * s / lengths[:, None]
    M = terms.M * np.outer(s, s)
    K = np.block([[M / np.abs(M).max(), B.T], [B, np.zeros((m, m))]])
    x = linear.lstsq(K, np.concatenate([np.zeros(n), wanted / lengths]), rcond=1e-12)[0][:n]
    left = np.abs(B @ x - wanted / lengths).max(initial=0.0)
    size = np.abs(wanted / lengths).max(initial=0.0) + np.abs(v / s).max(initial=0.0)
    return v + x * s, float(left / size) if size > 0 else 0.0
