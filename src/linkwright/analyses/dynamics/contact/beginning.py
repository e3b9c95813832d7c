"""How slots of several speeds that stick begin to slide: together, as a mechanism, in one direction of all their speeds."""

from __future__ import annotations

import numpy as np

from linkwright import linear
from linkwright.analyses.machine.contact_space import ContactSpace
from linkwright.solve.dry_problem import Found

ACCELERATES = 1e-6  # accelerations below this part of the largest tell no direction


def mechanism(space: ContactSpace, found: Found, ways: list[np.ndarray], parts: list[np.ndarray]) -> np.ndarray:
    """The speeds with which slots of several speeds begin to move, the largest one: those of the accelerations that begin;
    where all is at its bound and nothing accelerates yet, those of a motion that friction is against everywhere."""
    rows = np.concatenate(parts)
    r = found.r[rows]
    if np.abs(r / np.sqrt(space.own[rows])).max() > ACCELERATES * space.largest:
        return np.asarray(r / np.abs(r).max())
    across = [np.eye(len(u)) - np.outer(u, u) for u in ways]
    W = space.W[np.ix_(rows, rows)]  # speeds are W p of some impulses p: least across the ways, by those along them
    at = np.cumsum([0, *[len(u) for u in ways]])
    A = np.concatenate([P @ W[a:b] for P, a, b in zip(across, at[:-1], at[1:], strict=True)])
    B = np.array([u @ W[a:b] for u, a, b in zip(ways, at[:-1], at[1:], strict=True)])
    C = linear.cholesky(B.T @ B + 1e-9 * np.trace(B.T @ B) * np.eye(len(W)))  # upper
    inverse = linear.inv(C.T)
    p = inverse.T @ linear.eigh(inverse @ (A.T @ A) @ inverse.T)[1][:, 0]
    speeds = W @ p
    if np.sum(B @ p) < 0:
        speeds = -speeds
    return np.asarray(speeds / np.abs(speeds).max())
