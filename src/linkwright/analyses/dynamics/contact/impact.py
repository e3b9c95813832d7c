"""Impacts: velocities jump while all joints hold, as a gap closes (Newton's restitution), or to velocities that were asked
for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from linkwright.analyses.machine.moving import MovingMachine
from linkwright.errors import ModelError
from linkwright.later import sparse
from linkwright.model import Driver
from linkwright.regularisation import own_compliances
from linkwright.saddle import Saddle
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import is_sparse, row_lengths

LOCKED = 1e-11  # of the compliance that a contact has by its bodies alone: with joints and drivers it has no less, or none


@dataclass(frozen=True)
class Jump:
    """The outcome of impulses: velocities after them; the kinetic energy that came in; the relative residual of the
    equations."""

    v: np.ndarray
    energy: float
    left: float = 0.0

    def of(self, machine: MovingMachine, y: np.ndarray) -> np.ndarray:
        """The state after it, from that before it."""
        nq, nv = machine.nq, machine.nv
        return np.concatenate([y[:nq], self.v, y[nq + nv : -1], [y[-1] + self.energy]])


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
    v = machine.split(y)[1]
    M, J, nu = machine.masses_and_rows(t, y)
    B, gap = J, nu - J @ v
    if G is not None:
        B = sparse.vstack([J, sparse.csr_array(G)], format="csr") if is_sparse(J) else np.vstack([J, G])
        gap = np.concatenate([gap, np.broadcast_to(np.asarray(change, dtype=float), len(G))])
    step, _ = Saddle(M, B, machine.scale)(0.0, gap)
    lengths = row_lengths(B, machine.scale)
    lengths = np.where(lengths > 0, lengths, 1.0)
    left = np.abs((B @ step - gap) / lengths).max(initial=0.0)
    size = np.abs(gap / lengths).max(initial=0.0) + np.abs(v / machine.scale).max(initial=0.0)
    after = v + step
    energy = 0.5 * float(after @ (M @ after) - v @ (M @ v))
    return Jump(after, energy, float(left / size) if size > 0 else 0.0)


class Responses:
    """The response of a machine to impulses along gaps, whose derivatives are the rows of G: w and mu of M w + J^T mu = G^T,
    J w = 0 for each. As J v = nu before and after, impulses p give the energy p.(G v - mu nu) + p.W p/2."""

    def __init__(self, machine: MovingMachine, y: np.ndarray, t: float, G: np.ndarray) -> None:
        self.machine, self.t, self.y, self.G = machine, t, y, G
        self.v = machine.split(y)[1]
        self.w, self.mu, self.nu = self._of(G)
        W = G @ self.w.T
        self.W = 0.5 * (W + W.T)

    @single_threaded
    def _of(self, G: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found = [self.machine.response(self.t, self.y, g) for g in G]
        quick = [x for x in found if x is not None]
        if len(quick) == len(found) and quick:
            return np.array([w for w, _, _ in quick]), np.array([mu for _, mu, _ in quick]), quick[0][2]
        M, J, nu = self._terms
        saddle = Saddle(M, J, self.machine.scale)
        pairs = [saddle(g, 0.0) for g in G]
        return np.array([w for w, _ in pairs]), np.array([mu for _, mu in pairs]), nu

    @cached_property
    def _terms(self) -> tuple[Any, Any, np.ndarray]:
        return self.machine.masses_and_rows(self.t, self.y)

    def after(self, p: np.ndarray) -> Jump:
        """The jump of the velocities by the impulses p."""
        energy = float(p @ (self.G @ self.v - self.mu @ self.nu)) + 0.5 * float(p @ self.W @ p)
        return Jump(self.v + p @ self.w, energy)

    def locked(self, mass: np.ndarray) -> np.ndarray:
        """For each gap, whether joints hold it: nothing can give way, but for rounding. mass: by displacement."""
        return np.asarray(np.diag(self.W) <= LOCKED * own_compliances(self.G, mass))

    def holding_drivers(self, k: int) -> list[str]:
        """The drivers without which the k-th gap could give way; none, if joints alone hold it."""
        M, J, _ = self._terms
        rows = self.machine.row_elements
        driven = np.array([isinstance(self.machine.model.elements[name], Driver) for name in rows], dtype=bool)
        w, _ = Saddle(M, J[~driven], self.machine.scale)(self.G[k], 0.0)
        if not float(self.G[k] @ w) > 100 * max(float(self.W[k, k]), 0.0):
            return []
        own = np.abs(self.mu[k])
        return list(dict.fromkeys(rows[j] for j in np.flatnonzero(driven & (own > 1e-9 * own.max(initial=0.0)))))


# The gaps of all contacts at one state, and what counts as closed and as at rest.

LOW = 1e-12  # a flight that rises less than this part of the machine's size is none: what impacts are left err by no more
TOUCH = 1e-10  # gaps below this part of the machine's size are closed
STILL = 1e-10  # rates of a gap below this part of the machine's velocities are none


@dataclass(frozen=True, eq=False)
class Gaps:
    """By contact: the gap, its slopes G, its rate, its second derivative, the restitution e; what a displacement of the
    machine's size does to it, and the rate that is none."""

    gap: np.ndarray
    G: np.ndarray
    rate: np.ndarray
    second: np.ndarray
    e: np.ndarray
    size: np.ndarray
    still: np.ndarray

    @classmethod
    def of(cls, machine: MovingMachine, t: float, y: np.ndarray, span: float, vdot: np.ndarray | None = None) -> Self:
        """Velocities of a machine at rest are rounding, and so are parts of them: a rate that would not open the gap within
        the whole span is none, either."""
        gap, G, rate, second, e = machine.gaps(t, y, vdot)
        size = np.linalg.norm(G * machine.scale, axis=1)
        speed = np.abs(machine.split(y)[1] / machine.scale).max(initial=0.0)
        return cls(gap, G, rate, second, e, size, size * max(STILL * speed, LOW / span if span else 0.0))

    @property
    def near(self) -> np.ndarray:
        """Which are closed, or as good as closed."""
        return np.asarray(self.gap <= TOUCH * self.size)

    @property
    def at_rest(self) -> np.ndarray:
        """Which of them neither strike nor part."""
        return np.asarray(self.near & (np.abs(self.rate) <= self.still))
