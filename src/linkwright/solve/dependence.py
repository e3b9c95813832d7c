"""Dependent rows and free motions of large sparse matrices, for which singular values would take too long.

Rows have length one. What S^T says of random multipliers does not give back the part that S^T does not see: that part is
a random combination of all dependences (`Smallest`). Rows that no dependence holds are left aside, the others fall into
parts that share no column; small parts are left to singular values, of a large one random samples make a basis, in which
singular values decide as they would of the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.later import csgraph, sparse
from linkwright.solve.blas import single_threaded
from linkwright.solve.smallest import Smallest

BLOCK = 64  # samples at once
SEEN = 3e-9  # of a random multiplier; rounding is 1e-10 of it
NEW = 1e-6  # what samples must add to a basis, of their length, to be more than rounding
NONE = 1e-14  # entries against rows of length one that connect nothing

Span = Callable[[np.ndarray], np.ndarray]


class Dependences:
    """left: an orthonormal basis of {y: S^T y = 0}, by columns, in parts: (rows, basis) each. Singular values below
    `tolerance`, against the largest of all, are none."""

    @single_threaded
    def __init__(self, S: Any, tolerance: float) -> None:
        self.S: Any = sparse.csr_array(S)
        self.tolerance = tolerance * largest_value(self.S)
        self.parts = [(rows, basis) for rows in self._parts() if (basis := self._basis(rows)).shape[1]]

    @property
    def count(self) -> int:
        """How many rows follow from others."""
        return sum(basis.shape[1] for _, basis in self.parts)

    def left(self) -> np.ndarray:
        out, at = np.zeros((self.S.shape[0], self.count)), 0
        for rows, basis in self.parts:
            out[rows, at : at + basis.shape[1]] = basis
            at += basis.shape[1]
        return out

    def _parts(self) -> list[np.ndarray]:
        """The rows that take part in dependences, by which of them share columns."""
        m = self.S.shape[0]
        fit, x = Smallest(self.S), np.random.default_rng(4).normal(size=(m, 2))
        open_ = np.flatnonzero((np.abs(x - fit(self.S.T @ x)) > SEEN).any(axis=1))
        if not len(open_):
            return []
        touched: Any = sparse.csr_array(abs(self.S[open_]) > NONE).astype(float)
        count, part = csgraph.connected_components(touched @ touched.T, directed=False)
        return [open_[part == k] for k in range(count)]

    def _basis(self, rows: np.ndarray) -> np.ndarray:
        S: Any = self.S[rows]
        used = np.unique(S.indices)
        S = sparse.csr_array(S[:, used])
        if len(rows) <= size_policy.PART:
            U, s, _ = linear.svd(S.toarray())
            return np.asarray(U[:, int((s > self.tolerance).sum()) :])
        fit = Smallest(S)
        basis = _spanned(len(rows), lambda x: x - fit(S.T @ x))
        # the basis holds all that is nearly dependent: how nearly, its singular values say, all at most its length
        left = S.T @ basis
        if np.linalg.norm(left) <= self.tolerance:
            return basis
        _, s, Vt = linear.svd(left, full_matrices=False)
        return np.asarray(basis @ Vt[s <= self.tolerance].T)

    def dropped(self, first: np.ndarray | None) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Rows that follow from the others; rows of `first` (a mask) as few as can be. (row, rows, factors): the row is
        their sum with these factors, less itself."""
        out = []
        for rows, basis in self.parts:
            last = np.ones(len(rows), dtype=bool) if first is None else ~first[rows]
            chosen = _pivots(basis, last)
            combinations = basis @ linear.inv(basis[chosen])
            others = np.setdiff1d(np.arange(len(rows)), chosen)
            out += [(int(rows[k]), rows[others], -c[others]) for k, c in zip(chosen, combinations.T, strict=True)]
        return sorted(out, key=lambda x: x[0])


def _pivots(basis: np.ndarray, before: np.ndarray) -> list[int]:
    """As many rows of a basis as it has columns, well conditioned; those of `before` (a mask) first."""
    chosen: list[int] = []
    Q = np.zeros((basis.shape[1], 0))
    for group in (np.flatnonzero(before), np.flatnonzero(~before)):
        if not len(group) or len(chosen) == basis.shape[1]:
            continue
        rest = basis[group].T - Q @ (Q.T @ basis[group].T)
        own, R, order = linear.pivoted_qr(rest, mode="economic")
        new = int((np.abs(np.diag(R)) > NEW).sum())
        chosen += [int(group[k]) for k in order[:new]]
        Q = np.hstack([Q, own[:, :new]])
    return chosen


def _spanned(n: int, projected: Span, most: int | None = None) -> np.ndarray:
    """An orthonormal basis of the range of a projection of n numbers, from samples; at most so many vectors."""
    rng, basis = np.random.default_rng(5), np.zeros((n, 0))
    while basis.shape[1] < (n if most is None else most):
        x = rng.normal(size=(n, BLOCK))
        new = projected(x / np.linalg.norm(x, axis=0))
        for _ in range(2):
            new = new - basis @ (basis.T @ new)
        U, s, _ = linear.svd(new, full_matrices=False)
        basis = np.hstack([basis, U[:, s > NEW]])
        if s[-1] <= NEW:
            break
    return basis if most is None else basis[:, :most]


def largest_value(S: Any) -> float:
    """The largest singular value, by a few iterations of the power method: to a few per cent."""
    x = np.random.default_rng(6).normal(size=S.shape[1])
    size = 0.0
    for _ in range(20):
        x = x / max(float(np.linalg.norm(x)), 1e-300)
        x = S.T @ (S @ x)
        size = float(np.sqrt(np.linalg.norm(x)))
    return max(size, 1e-300)


@single_threaded
def free_basis(S: Any, most: int | None = None) -> np.ndarray:
    """Orthonormal columns x with S x = 0: all of them, or `most`."""
    S = sparse.csr_array(S)
    fit = Smallest(S)
    return _spanned(S.shape[1], lambda x: x - S.T @ fit(x), most)
