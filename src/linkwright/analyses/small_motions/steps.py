"""Linear systems that the search for a steady motion solves: accelerations under constraints, and steps of bounded size."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.later import sparse

DEPENDENT = 1e-6  # part of the largest singular value of slopes below which they say nothing
PIVOT = 1e-10  # of the largest: factors with a smaller one are not taken, singular values are asked


def saddle(M: Any, S: np.ndarray, f: np.ndarray, g: np.ndarray) -> np.ndarray | None:
    """x with M x + S^T lam = f and S x = g, by sparse factors; None where these say that rows depend or masses lack."""
    rows = sparse.csr_array(S)
    K = sparse.block_array([[M, rows.T], [rows, None]], format="csc")
    b = np.concatenate([f, g])
    try:
        factors = linear.splu(K)
    except RuntimeError:  # also of what is not finite: the caller's way tells
        return None
    pivots = np.abs(factors.U.diagonal())
    if pivots.min(initial=1.0) <= PIVOT * pivots.max(initial=1.0):
        return None
    x = factors.solve(b)
    return np.asarray(x + factors.solve(b - K @ x))[: len(f)]


def bounded(A: np.ndarray, b: np.ndarray, most: np.ndarray) -> np.ndarray:
    """The least x with A x nearest b; damped (Levenberg and Marquardt) where it is larger than `most`: what A hardly
    determines, such as how far a wheel has rolled, must not shorten the step along all else."""
    U, sizes, Vt = linear.svd(A, full_matrices=False)
    sizes = np.where(sizes > DEPENDENT * sizes.max(initial=0.0), sizes, 0.0)
    along, largest = U.T @ b, sizes.max(initial=0.0)

    def damped(by: float) -> np.ndarray:
        return np.asarray(Vt.T @ (along * sizes / np.where(sizes > 0, sizes**2 + by**2, 1.0)))

    by = 0.0
    while np.abs(x := damped(by) / most).max(initial=0.0) > 1.0:
        by = max(2.0 * by, DEPENDENT * largest)
    return np.asarray(x * most)
