"""The contacts and slots of a machine at one state: their rows, and how the machine answers to forces along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwright import linear
from linkwright.regularisation import RANK
from linkwright.solve.rank import scaled

Responses = Callable[[np.ndarray, np.ndarray | None], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Felt:
    """Rows of the gaps of all impacts, then of the speeds of all slots: G v = nu, G vdot = gamma where they hold. Of the
    machine without them: its forces Q - h (those of friction apart), gamma of its rows, the compliances that these have by
    themselves, the inertia by displacement. respond: a and lam of M a + J^T lam = f, J a = gamma (None: zero), columns of f
    by themselves; lam is the least of many."""

    G: np.ndarray
    nu: np.ndarray
    gamma: np.ndarray
    force: np.ndarray
    own_gamma: np.ndarray
    own_compliances: np.ndarray
    mass: np.ndarray
    respond: Responses


@dataclass(frozen=True, eq=False)
class Response:
    """M a + J^T lam = f, J a = gamma, whatever the rows are: a is unique, lam the least of many."""

    M: np.ndarray
    Z: np.ndarray
    inverse: np.ndarray
    rows: tuple[np.ndarray, np.ndarray]  # (of lam from forces, of accelerations from gamma)

    @classmethod
    def of(cls, M: np.ndarray, J: np.ndarray, scale: np.ndarray) -> Response:
        S, lengths = scaled(J, scale)
        U, s, Vt = linear.svd(S) if len(S) else (np.zeros((0, 0)), np.zeros(0), np.eye(len(scale)))
        rank = int((s > RANK * s[0]).sum()) if len(s) else 0
        Z = Vt[rank:].T * scale[:, None]
        to_lam = (U[:, :rank] / lengths[:, None]) @ ((Vt[:rank] * scale) / s[:rank, None])
        from_gamma = (Vt[:rank].T * scale[:, None]) @ ((U[:, :rank] / lengths[:, None]).T / s[:rank, None])
        inverse = linear.inv((Z.T @ M @ Z)[None])[0] if Z.shape[1] else np.zeros((0, 0))
        return cls(M, Z, inverse, (to_lam, from_gamma))

    def __call__(self, f: np.ndarray, gamma: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """a and lam; columns of f are forces of their own."""
        to_lam, from_gamma = self.rows
        part = from_gamma @ gamma if gamma is not None else np.zeros_like(f)
        a = part + self.Z @ (self.inverse @ (self.Z.T @ (f - self.M @ part)))
        return a, to_lam @ (f - self.M @ a)
