"""The smallest solution of S^T lam = e by sparse factors, for systems too large for singular values.

Rows of S (divided by their lengths) may depend on each other. The matrix

    [SMALLEST 1  S^T; S  -SMALLEST 1],

regular whatever S is, gives lam = (S S^T + SMALLEST^2 1)^-1 S e; repeated on what is left of e it converges to the
solution with the smallest |lam|, since every step lies in the range of S. Singular values below about 1e-6 count as none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.later import sparse
from linkwright.regularisation import ITERATIONS_SMALLEST, SMALLEST
from linkwright.solve.blas import single_threaded

DONE = 1e-14  # a step this small against lam is the last
SEEN = 1e-7  # of a random lam the part that is not determined: rounding is 1e-10 of it

Step = Callable[[np.ndarray], np.ndarray]


class Smallest:
    """The smallest multipliers of one matrix S, scipy sparse, factored once."""

    @single_threaded
    def __init__(self, S: Any) -> None:
        self.S = S.tocsr()
        rows, n = S.shape
        K: Any = sparse.block_array(
            [[SMALLEST * sparse.eye_array(n), S.T], [S, -SMALLEST * sparse.eye_array(rows)]], format="csc"
        )
        self.factors: Any = linear.splu(K)

    @single_threaded
    def __call__(self, effort: np.ndarray) -> np.ndarray:
        """The smallest lam of all that minimise |S^T lam - effort|; of several efforts, as columns, those of all."""
        rows, n = self.S.shape
        none = np.zeros((rows, *effort.shape[1:]))
        return _proximal(lambda rest: self._solved(rest, none)[n:], lambda lam: effort - self.S.T @ lam, none)

    @single_threaded
    def reaching(self, right: np.ndarray) -> np.ndarray:
        """The smallest d with S d = right, where there is one; of several right sides, as columns, those of all."""
        n = self.S.shape[1]
        none = np.zeros((n, *right.shape[1:]))
        return _proximal(lambda rest: self._solved(none, rest)[:n], lambda d: right - self.S @ d, none)

    def _solved(self, above: np.ndarray, below: np.ndarray) -> np.ndarray:
        return np.asarray(self.factors.solve(np.concatenate([above, below])))

    def undetermined(self) -> np.ndarray:
        """Whether S^T lam leaves the multiplier of each row open: what S^T says of a random lam does not give that part
        back."""
        x = np.random.default_rng(4).normal(size=self.S.shape[0])
        return np.asarray(np.abs(x - self(self.S.T @ x)) > SEEN)


def _proximal(step: Step, residual: Step, x: np.ndarray) -> np.ndarray:
    """x of which the residual gives no step any more."""
    last = np.inf
    for _ in range(ITERATIONS_SMALLEST):
        change = step(residual(x))
        size = float(np.linalg.norm(change))
        if size <= DONE * float(np.linalg.norm(x)) or size > last:
            break
        x, last = x + change, size
    return x
