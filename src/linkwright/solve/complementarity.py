"""Linear complementarity problems, small and dense: w = M z + q with w >= 0, z >= 0, w z = 0.

Lemke's method: an artificial variable makes z = 0 feasible, pivots drive it out. A lexicographic choice of the leaving
variable excludes cycles. It ends with a solution, or on a ray; for matrices of contacts (copositive ones) a ray says that
there is no solution (Cottle, Pang and Stone, The Linear Complementarity Problem, 4.4).
"""

from __future__ import annotations

import numpy as np

SMALL = 1e-11  # entries of a pivot column below this are rounding: columns are brought to one size before
PIVOTS = 50  # times the size of the problem


def lemke(M: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """z, or None where pivots end on a ray."""
    n = len(q)
    if not n or (q >= 0).all():
        return np.zeros(n)
    row, column = _sizes(M)
    scaled, right = M / row[:, None] / column, q / row
    size = np.abs(right).max()
    z = _pivoted(scaled, right / size)
    return None if z is None else z * size / column


def _sizes(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sizes of rows and of columns, on which complementarity does not depend."""
    row = np.abs(M).max(axis=1, initial=0.0)
    row = np.where(row > 0, row, 1.0)
    column = np.abs(M / row[:, None]).max(axis=0, initial=0.0)
    return row, np.where(column > 0, column, 1.0)


def _pivoted(M: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """The tableau [I  -M  -d | q]: variables w (0 ... n-1), z (n ... 2n-1), the artificial one (2n)."""
    n = len(q)
    T = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None], np.eye(n)])  # the last n columns: for lexicographic ties
    basis = list(range(n))
    leaving = _least(T[:, 2 * n + 1 :], range(n))
    entering = 2 * n
    for _ in range(PIVOTS * n):
        basis[leaving], out = entering, basis[leaving]
        _pivot(T, leaving, entering)
        if out == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = T[:, 2 * n + 1]
            return np.asarray(np.maximum(z[n : 2 * n], 0.0))
        entering = out + n if out < n else out - n  # the complement of what has left
        rows = [i for i in range(n) if T[i, entering] > SMALL]
        if not rows:
            return None
        ratios = T[np.ix_(rows, range(2 * n + 1, 3 * n + 2))] / T[rows, entering][:, None]
        artificial = [k for k, i in enumerate(rows) if basis[i] == 2 * n]
        first = ratios[:, 0].min()
        if artificial and ratios[artificial[0], 0] <= first + SMALL * (1.0 + abs(first)):
            leaving = rows[artificial[0]]  # among equals the artificial one: that is the end
        else:
            leaving = rows[_least(ratios, range(len(rows)))]
    return None


def _pivot(T: np.ndarray, i: int, j: int) -> None:
    T[i] /= T[i, j]
    others = T[:, j].copy()
    others[i] = 0.0
    T -= np.outer(others, T[i])


def _least(rows: np.ndarray, among: range) -> int:
    """The lexicographically least of rows, but for rounding."""
    left = list(among)
    for j in range(rows.shape[1]):
        values = rows[left, j]
        least = values.min()
        left = [k for k, x in zip(left, values, strict=True) if x <= least + SMALL * (1.0 + abs(least))]
        if len(left) == 1:
            break
    return left[0]
