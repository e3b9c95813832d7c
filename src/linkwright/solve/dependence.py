"""Dependent rows and free motions of large sparse matrices, for which singular values would take too long.

Rows have length one. What S^T says of random multipliers does not give back the part that S^T does not see: that part is
a random combination of all dependences (`Smallest`). Rows that no dependence holds are left aside, the others fall into
parts that share no column; small parts are left to singular values, of a large one random samples make a basis, in which
singular values decide as they would of the whole. Before that, dependences of few rows are found by singular values of
windows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright import linear, size_policy
from linkwright.later import csgraph, sparse
from linkwright.solve.blas import single_threaded
from linkwright.solve.smallest import Smallest

FEW, BLOCK = 8, 64  # samples at once: few first, which is all that most machines need, then twice as many each time
SEEN = 3e-9  # of a random multiplier; rounding is 1e-10 of it
NEW = 1e-6  # what samples must add to a basis, of their length, to be more than rounding
WINDOW = 100  # rows that are looked at together, each twice; a loop in space has 20 to 30
NONE = 1e-14  # entries against rows of length one that connect nothing

Span = Callable[[np.ndarray], np.ndarray]


class Dependences:
    """{y: S^T y = 0} in parts: (rows, basis, chosen) each, with `chosen` of the rows those that follow from the others.
    Singular values below `tolerance`, against the largest of all, are none. Rows of `first` (a mask) are chosen as few as
    can be.

    Most dependences of a large machine are those of one loop: they are found in windows of rows that are near each other,
    and a row of each is left aside. What is left holds the few that go around many loops.
    """

    @single_threaded
    def __init__(self, S: Any, tolerance: float, first: np.ndarray | None = None) -> None:
        self.S: Any = sparse.csr_array(S)
        self.tolerance = tolerance * largest_value(self.S)
        self.last = np.ones(self.S.shape[0], dtype=bool) if first is None else ~np.asarray(first, dtype=bool)
        self.parts: list[tuple[np.ndarray, np.ndarray, list[int]]] = []
        rows = np.arange(self.S.shape[0])
        if len(rows) > 2 * size_policy.PART:
            rows = self._windows()
        for own in self._parts(rows):
            self._add(own, self._basis(own))

    def _add(self, rows: np.ndarray, basis: np.ndarray) -> np.ndarray:
        """A part; the rows that are chosen of it."""
        if not basis.shape[1]:
            return rows[:0]
        chosen = _pivots(basis, self.last[rows])
        self.parts.append((rows, basis, chosen))
        return rows[chosen]

    @property
    def count(self) -> int:
        """The number of rows that follow from others."""
        return sum(basis.shape[1] for _, basis, _ in self.parts)

    def left(self) -> np.ndarray:
        """A basis, by columns."""
        out, at = np.zeros((self.S.shape[0], self.count)), 0
        for rows, basis, _ in self.parts:
            out[rows, at : at + basis.shape[1]] = basis
            at += basis.shape[1]
        return out

    def _windows(self) -> np.ndarray:
        """Find the dependences among rows that are near each other; the rows that are left."""
        touched: Any = sparse.csr_array(abs(self.S) > NONE).astype(float)
        order = np.asarray(csgraph.reverse_cuthill_mckee(sparse.csr_array(touched @ touched.T), symmetric_mode=True))
        active, size = np.ones(len(order), dtype=bool), min(WINDOW, size_policy.PART)
        for begin in range(0, len(order), size // 2):
            rows = order[begin : begin + size]
            rows = np.sort(rows[active[rows]])
            active[self._add(rows, self._basis(rows))] = False
        return np.flatnonzero(active)

    def _parts(self, rows: np.ndarray) -> list[np.ndarray]:
        """The rows that take part in dependences among these, by which of them share columns."""
        S: Any = self.S[rows] if len(rows) < self.S.shape[0] else self.S
        fit, x = Smallest(S), np.random.default_rng(4).normal(size=(len(rows), 2))
        open_ = np.flatnonzero((np.abs(x - fit(S.T @ x)) > SEEN).any(axis=1))
        if not len(open_):
            return []
        touched: Any = sparse.csr_array(abs(S[open_]) > NONE).astype(float)
        count, part = csgraph.connected_components(touched @ touched.T, directed=False)
        return [rows[open_[part == k]] for k in range(count)]

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

    def dropped(self) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Rows that follow from the others. (row, rows, factors): the row is their sum with these factors, less itself."""
        out = []
        for rows, basis, chosen in self.parts:
            combinations = basis @ linear.inv(basis[chosen])
            others = np.setdiff1d(np.arange(len(rows)), chosen)
            out += [(int(rows[k]), rows[others], -c[others]) for k, c in zip(chosen, combinations.T, strict=True)]
        return sorted(out, key=lambda x: x[0])


def _pivots(basis: np.ndarray, before: np.ndarray) -> list[int]:
    """The numbers of as many rows of a basis as it has columns, well conditioned; those of `before` (a mask) first."""
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
    rng, basis, block = np.random.default_rng(5), np.zeros((n, 0)), FEW
    while basis.shape[1] < (n if most is None else most):
        x = rng.normal(size=(n, block))
        block = min(2 * block, BLOCK)
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
