"""Impacts: velocities that jump, all joints kept: a gap that closes (Newton's restitution), or velocities as asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.mechanical import LoadedMachine, Terms
from linkwright.errors import ModelError
from linkwright.regularisation import SADDLE
from linkwright.solve.blas import single_threaded


@dataclass(frozen=True)
class Rebound:
    """The state after an impact, and the time of the flight that follows.

    flight: infinite where nothing brings the bodies together again, zero where they stay in contact; height: how far
    they part in it. impulses: of all rows, as reactions are: positive ones push.
    """

    y: np.ndarray
    flight: float
    height: float
    impulses: np.ndarray


def flight(rate: float, second: float) -> tuple[float, float]:
    """The time until a gap that opens at a rate closes again, and how far it opens."""
    time = max(2 * rate / -second, 0.0) if second < 0 else np.inf
    return time, 0.25 * rate * time if time > 0 else 0.0


@single_threaded
def rebound(
    machine: LoadedMachine, y: np.ndarray, t: float, G: np.ndarray, rate: float, restitution: float
) -> tuple[np.ndarray, float, np.ndarray]:
    """M (v+ - v-) = J^T Lam + G^T p with J v+ = nu and G v+ + gap_t = -e (G v- + gap_t) for an impact: v+, the kinetic
    energy that came in, Lam."""
    q, v, turns = y[: machine.nq], y[machine.nq : machine.nq + machine.nv], y[machine.nq + machine.nv : -1]
    terms = machine.terms(q, v, t, turns)
    after, _, impulses = _jump(machine, terms, v, G[None], np.array([-(1.0 + restitution) * rate]))
    return after, float(0.5 * (after @ terms.M @ after - v @ terms.M @ v)), impulses


@single_threaded
def stopped(machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> tuple[np.ndarray, float]:
    """v after the impulses of all rows that make it fit them, and the kinetic energy that came in."""
    terms = machine.terms(q, v, t, turns)
    after = _jump(machine, terms, v, np.zeros((0, machine.nv)), np.zeros(0))[0]
    return after, float(0.5 * (after @ terms.M @ after - v @ terms.M @ v))


@single_threaded
def struck(
    machine: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float, wanted: Mapping[int, float], element: str = ""
) -> np.ndarray:
    """v after impulses along some velocities that give them the wanted values; joints answer by impulses of their own."""
    G = np.zeros((len(wanted), machine.nv))
    G[np.arange(len(wanted)), list(wanted)] = 1.0
    change = np.array([x - v[j] for j, x in wanted.items()])
    after, error, _ = _jump(machine, machine.terms(q, v, t), v, G, change)
    if error > 1e-9:
        names = [machine.system.coordinates.v_names[j] for j in wanted]
        raise ModelError(
            f"the joints do not allow the velocities {', '.join(names)} that its change asks for", element=element,
            remedy="ask for fewer velocities, or such as agree with the joints",
        )  # fmt: skip
    return after


def _jump(
    machine: LoadedMachine, terms: Terms, v: np.ndarray, G: np.ndarray, change: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray]:
    """v+ of M (v+ - v) = J^T Lam + G^T p, J v+ = nu, G (v+ - v) = change; what is left of the equations, relative; Lam.

    The change of velocity of least kinetic energy that the equations ask for: mass-weighted least squares.
    """
    B = np.vstack([terms.J, G])
    wanted = np.concatenate([terms.nu - terms.J @ v, change])
    n, m, s = machine.nv, len(B), machine.scale
    lengths = np.linalg.norm(B * s, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    B = B * s / lengths[:, None]
    M = terms.M * np.outer(s, s)
    most = np.abs(M).max()
    K = np.zeros((n + m, n + m))
    K[:n, :n], K[:n, n:], K[n:, :n] = M / most, B.T, B
    right = np.concatenate([np.zeros(n), wanted / lengths])
    solved = linear.lstsq(K, right, rcond=SADDLE)[0]
    x, impulses = solved[:n], -most * solved[n:] / lengths
    left = np.abs(B @ x - wanted / lengths).max(initial=0.0)
    size = np.abs(wanted / lengths).max(initial=0.0) + np.abs(v / s).max(initial=0.0)
    return v + x * s, float(left / size) if size > 0 else 0.0, impulses[: len(terms.J)]
