"""Sparse linear algebra in native code: the factors of matrices that share one pattern.

The order of rows and columns, and with it the pattern of the factors, is decided once (`Plan`), at a matrix with good
pivots; other matrices are factorised in that order, without looking for pivots. Where one gets poor the plan is to be
made again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright import linear
from linkwright.compile import Array, Ints, i64, isfinite, native
from linkwright.later import sparse

# A pivot may be this small against the largest entry of its row of U before the plan is given up.
POOR = 1e-5


@native
def sparse_factor(
    n: i64, count: i64, plan: Ints, values: Array, LU: Array, rowscale: Array, work: Array, measure: Array
) -> i64:
    """L U = P D A Q in the plan's pattern, D: rows divided by their largest entry, from the values of A's nonzeros.

    measure: as of `dense.lu_factor`. Returns 0, or k + 1 if the pivot of row k is poor. work: n zeros, left as zeros.
    """
    start = plan[3:]
    diagonal = plan[4 + n :]
    column = plan[4 + 4 * n :]
    place = plan[4 + 4 * n + plan[1] :]
    for k in range(plan[1]):
        LU[k] = 0.0
    for k in range(count):
        if place[k] >= 0:
            LU[place[k]] = values[k]
    least = 1e308
    most = 0.0
    sign = 1.0
    if plan[2] < 0:
        sign = -1.0
    for i in range(n):
        largest = 0.0
        for k in range(start[i], start[i + 1]):
            largest = max(largest, abs(LU[k]))
        rowscale[i] = largest if largest > 0.0 else 1.0
        for k in range(start[i], start[i + 1]):
            work[column[k]] = LU[k] / rowscale[i]
        for k in range(start[i], diagonal[i]):
            j = column[k]
            factor = work[j] * LU[diagonal[j]]  # pivots are kept inverted
            work[j] = factor
            if factor != 0.0:
                for m in range(diagonal[j] + 1, start[j + 1]):
                    work[column[m]] -= factor * LU[m]
        largest = 0.0
        for k in range(start[i], start[i + 1]):
            LU[k] = work[column[k]]
            work[column[k]] = 0.0
        for k in range(diagonal[i], start[i + 1]):
            largest = max(largest, abs(LU[k]))
        pivot = LU[diagonal[i]]
        if not isfinite(pivot) or abs(pivot) <= POOR * largest:
            measure[0] = 0.0
            measure[1] = most
            measure[2] = 0.0
            return i + 1
        least = min(least, abs(pivot))
        most = max(most, abs(pivot))
        if pivot < 0.0:
            sign = -sign
        LU[diagonal[i]] = 1.0 / pivot
    measure[0] = least
    measure[1] = most
    measure[2] = sign
    return 0


@native
def sparse_solve(n: i64, plan: Ints, LU: Array, rowscale: Array, chosen: Ints, values: Array, work: Array, x: Array) -> None:
    """x = A^-1 values[chosen]. work: n numbers, left as zeros."""
    start = plan[3:]
    diagonal = plan[4 + n :]
    row = plan[4 + 2 * n :]  # of A at each place
    to = plan[4 + 3 * n :]  # the column of A at each place
    column = plan[4 + 4 * n :]
    for i in range(n):
        total = values[chosen[row[i]]] / rowscale[i]
        for k in range(start[i], diagonal[i]):
            total -= LU[k] * work[column[k]]
        work[i] = total
    for i in range(n - 1, -1, -1):
        total = work[i]
        for k in range(diagonal[i] + 1, start[i + 1]):
            total -= LU[k] * work[column[k]]
        work[i] = total * LU[diagonal[i]]
    for i in range(n):
        x[to[i]] = work[i]
        work[i] = 0.0


@dataclass(frozen=True)
class Plan:
    """``ints``: (1, size of the factors, sign of the permutations, then starts, diagonals, rows, columns of A by place,
    columns of the factors, places of A's nonzeros); empty for dense matrices. ``size``: of the factors."""

    ints: np.ndarray
    size: int

    @classmethod
    def dense(cls, n: int) -> Plan:
        return cls(np.zeros(1, dtype=np.int64), n * n)

    @classmethod
    def at(cls, A: sparse.csc_matrix, rows: np.ndarray, columns: np.ndarray) -> Plan:
        """For the matrix A and others like it, whose nonzeros have these rows (negative: left out) and columns.

        RuntimeError if A is singular.
        """
        largest = np.maximum(abs(A).max(axis=1).toarray().ravel(), 1e-300)
        values = A.data / largest[A.indices]  # zeros are among them: elsewhere they are none, and they fill in
        factors = linear.splu(sparse.csc_matrix((values, A.indices, A.indptr), shape=A.shape))
        return cls._in_order(factors.perm_r.astype(np.int64), factors.perm_c.astype(np.int64), rows, columns)

    @classmethod
    def small(cls, A: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> Plan:
        """The same of a dense array: what scipy takes 0.2 s to be imported for."""
        return cls._in_order(*markowitz(A), rows, columns)

    @classmethod
    def _in_order(cls, to_row: np.ndarray, to_column: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> Plan:
        n, used = len(to_row), rows >= 0
        i, j = to_row[rows[used]], to_column[columns[used]]
        pattern = _filled(n, i, j)
        starts = np.cumsum([0, *map(len, pattern)])
        flat = np.concatenate(pattern)
        key = np.repeat(np.arange(n), np.diff(starts)) * n + flat  # sorted: rows in order, columns in order
        place = np.full(len(rows), -1, dtype=np.int64)
        place[used] = np.searchsorted(key, i * n + j)
        diagonal = np.searchsorted(key, np.arange(n) * (n + 1))
        head = [1, len(flat), parity(to_row) * parity(to_column)]
        ints = np.concatenate([head, starts, diagonal, np.argsort(to_row), np.argsort(to_column), flat, place])
        return cls(ints.astype(np.int64), len(flat))


def _filled(n: int, i: np.ndarray, j: np.ndarray) -> list[np.ndarray]:
    """The columns of each row of L + U, ascending: those of the matrix and what elimination fills in."""
    order = np.lexsort((j, i))
    rows = np.split(j[order], np.searchsorted(i[order], np.arange(1, n)))
    upper: list[set[int]] = []
    out = []
    for k in range(n):
        own = set(rows[k].tolist()) | {k}
        todo = sorted(c for c in own if c < k)
        while todo:
            c = todo.pop(0)
            new = upper[c] - own
            own |= new
            if below := [x for x in new if x < k]:
                todo = sorted([*todo, *below])
        upper.append({c for c in own if c > k})
        out.append(np.array(sorted(own), dtype=np.int64))
    return out


def parity(permutation: np.ndarray) -> int:
    """1 for an even permutation, -1 for an odd one: by its number of cycles."""
    to, seen, cycles = permutation.tolist(), [False] * len(permutation), 0
    for k in range(len(to)):
        cycles += not seen[k]
        while not seen[k]:
            seen[k], k = True, to[k]
    return 1 if (len(to) - cycles) % 2 == 0 else -1


def markowitz(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where rows and columns go if A is eliminated without further exchange: pivots that fill in least, among the entries
    of at least a tenth of the largest in their rows (Duff, Erisman, Reid: Direct Methods for Sparse Matrices, 7.2).
    RuntimeError if A is singular."""
    n = len(A)
    A = np.array(A) / np.maximum(np.abs(A).max(axis=1, initial=0.0), 1e-300)[:, None]
    nonzero = A != 0
    to_row, to_column = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for k in range(n):
        size = np.abs(A)
        fit = (size > 0) & (size >= 0.1 * size.max(axis=1, initial=0.0)[:, None])
        if not fit.any():
            raise RuntimeError("the matrix is singular")
        fill = np.outer(nonzero.sum(axis=1) - 1, nonzero.sum(axis=0) - 1)
        i, j = divmod(int(np.where(fit, fill, n * n).argmin()), n)
        to_row[i] = to_column[j] = k
        below = nonzero[:, j].copy()
        below[i] = False
        A[below] -= np.outer(A[below, j] / A[i, j], A[i])
        nonzero[below] |= nonzero[i]
        A[i] = A[:, j] = 0.0
        nonzero[i] = nonzero[:, j] = False
    return to_row, to_column
