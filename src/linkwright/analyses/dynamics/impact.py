"""Impacts: velocities that jump, all joints kept: a gap that closes (Newton's restitution), or velocities as asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linkwright.analyses.machine.moving import MovingMachine
from linkwright.errors import ModelError
from linkwright.later import sparse
from linkwright.saddle import Saddle
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import is_sparse, row_lengths


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


@dataclass(frozen=True)
class Jump:
    """Velocities after impulses; the kinetic energy that came in; what is left of the equations, relative; the impulses of
    all rows."""

    v: np.ndarray
    energy: float
    left: float
    impulses: np.ndarray


def flight(rate: float, second: float) -> tuple[float, float]:
    """The time until a gap that opens at a rate closes again, and how far it opens."""
    time = max(2 * rate / -second, 0.0) if second < 0 else np.inf
    return time, 0.25 * rate * time if time > 0 else 0.0


def struck(
    machine: MovingMachine, y: np.ndarray, t: float, wanted: Mapping[int, float], element: str = ""
) -> np.ndarray:  # fmt: skip
    """v after impulses along some velocities that give them the wanted values; joints answer by impulses of their own."""
    v = machine.split(y)[1]
    G = np.zeros((len(wanted), machine.nv))
    G[np.arange(len(wanted)), list(wanted)] = 1.0
    after = jump(machine, y, t, G, np.array([x - v[j] for j, x in wanted.items()]))
    if after.left > 1e-9:
        names = [machine.system.coordinates.v_names[j] for j in wanted]
        raise ModelError(
            f"the joints do not allow the velocities {', '.join(names)} that its change asks for", element=element,
            remedy="ask for fewer velocities, or such as agree with the joints",
        )  # fmt: skip
    return after.v


@single_threaded
def jump(machine: MovingMachine, y: np.ndarray, t: float, G: np.ndarray | None = None, change: object = 0.0) -> Jump:
    """v+ of M (v+ - v) = J^T Lam + G^T p, J v+ = nu, G (v+ - v) = change.

    The change of velocity of least kinetic energy that the equations ask for: mass-weighted least squares.
    """
    q, v, turns = machine.split(y)
    M, J, nu = machine.masses_and_rows(q, v, t, turns)
    B, gap = J, nu - J @ v
    if G is not None:
        B = sparse.vstack([J, sparse.csr_array(G)], format="csr") if is_sparse(J) else np.vstack([J, G])
        gap = np.concatenate([gap, np.broadcast_to(np.asarray(change, dtype=float), len(G))])
    step, lam = Saddle(M, B, machine.scale)(0.0, gap)
    lengths = row_lengths(B, machine.scale)
    lengths = np.where(lengths > 0, lengths, 1.0)
    left = np.abs((B @ step - gap) / lengths).max(initial=0.0)
    size = np.abs(gap / lengths).max(initial=0.0) + np.abs(v / machine.scale).max(initial=0.0)
    after = v + step
    energy = 0.5 * float(after @ (M @ after) - v @ (M @ v))
    return Jump(after, energy, float(left / size) if size > 0 else 0.0, -lam[: J.shape[0]])
