"""The smallest solution of S^T lam = e by sparse factors, for systems too large for singular values.

Rows of S (divided by their lengths) may depend on each other. The matrix

    [SMALLEST 1  S^T; S  -SMALLEST 1],

regular whatever S is, gives lam = (S S^T + SMALLEST^2 1)^-1 S e; repeated on what is left of e it converges to the
solution with the smallest |lam|, since every step lies in the range of S. Singular values below about 1e-6 count as none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import block_array, eye_array

from linkwright import linear
from linkwright.regularisation import ROUNDS_SMALLEST, SMALLEST
from linkwright.solve.blas import single_threaded

DONE = 1e-14  # a step this small against lam is the last
SEEN = 1e-7  # of a random lam the part that is not determined: rounding is 1e-10 of it


class Smallest:
    """Of one matrix S, scipy sparse, factored once."""

    @single_threaded
    def __init__(self, S: Any) -> None:
        self.S = S.tocsr()
        rows, n = S.shape
        K: Any = block_array([[SMALLEST * eye_array(n), S.T], [S, -SMALLEST * eye_array(rows)]], format="csc")
        self.factors: Any = linear.splu(K)

    @single_threaded
    def __call__(self, effort: np.ndarray) -> np.ndarray:
        """The smallest lam of all that minimise |S^T lam - effort|; of several efforts, as columns, those of all."""
        rows, n = self.S.shape
        nothing = np.zeros((rows, *effort.shape[1:]))
        lam, rest, last = nothing, effort, np.inf
        for _ in range(ROUNDS_SMALLEST):
            step = self.factors.solve(np.concatenate([rest, nothing]))[n:]
            size = float(np.linalg.norm(step))
            if size <= DONE * float(np.linalg.norm(lam)) or size > last:
                break
            lam, last = lam + step, size
            rest = effort - self.S.T @ lam
        return lam

    @single_threaded
    def reaching(self, right: np.ndarray) -> np.ndarray:
        """The smallest d with S d = right, where there is one; of several right sides, as columns, those of all."""
        n = self.S.shape[1]
        d = np.zeros((n, *right.shape[1:]))
        nothing, rest, last = d, right, np.inf
        for _ in range(ROUNDS_SMALLEST):
            step = self.factors.solve(np.concatenate([nothing, rest]))[:n]
            size = float(np.linalg.norm(step))
            if size <= DONE * float(np.linalg.norm(d)) or size > last:
                break
            d, last = d + step, size
            rest = right - self.S @ d
        return d

    def undetermined(self) -> np.ndarray:
        """By row: whether S^T lam leaves its lam open. What S^T says of a random lam does not give that part back."""
        x = np.random.default_rng(4).normal(size=self.S.shape[0])
        return np.asarray(np.abs(x - self(self.S.T @ x)) > SEEN)
