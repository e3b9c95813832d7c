"""Gaussian elimination of a sparse unsymmetric matrix as a graph operation, unrolled into straight-line code.

The order of pivots is fixed beforehand, from matrices of numbers that stand for what the entries will be: sparse (few
operations, Markowitz) among those that are large in all of them. Nothing is exchanged when the code runs: the caller must
check the solution, and solve otherwise where a pivot has become small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwright.graph.arithmetic import div, mul, sub
from linkwright.graph.expr import Expr, Scalar

Pivots = tuple[tuple[int, int], ...]
_LARGE = 0.05  # of the largest entry of its row, in every sample


def pivot_order(pattern: Sequence[tuple[int, int]], samples: np.ndarray) -> Pivots | None:
    """(row, column) of each pivot, from samples of shape (number, n, n); None where a sample is singular."""
    A = np.array(samples, dtype=float)
    n = A.shape[1]
    present = np.zeros((n, n), dtype=bool)
    for i, j in pattern:
        present[i, j] = True
    rows, columns = set(range(n)), set(range(n))
    order: list[tuple[int, int]] = []
    for _ in range(n):
        best: tuple[float, float, int, int] | None = None
        for i in rows:
            own = [j for j in columns if present[i, j]]
            if not own:
                return None
            largest = np.abs(A[:, i, own]).max(axis=1)
            if not (largest > 1e-12).all():
                return None
            for j in own:
                size = float((np.abs(A[:, i, j]) / largest).min())
                if size >= _LARGE:
                    fill = (len(own) - 1) * (sum(present[k, j] for k in rows) - 1)
                    best = min(best or (np.inf, 0.0, 0, 0), (float(fill), -size, i, j))
        if best is None:
            return None
        _, _, i, j = best
        order.append((i, j))
        rows.discard(i)
        columns.discard(j)
        for k in rows:
            if present[k, j]:
                A[:, k] -= (A[:, k, j] / A[:, i, j])[:, None] * A[:, i]
                present[k] |= present[i]
    return tuple(order)


def gauss(A: Mapping[tuple[int, int], Scalar], rights: Sequence[Sequence[Scalar]], pivots: Pivots) -> list[list[Scalar]]:
    """The solutions of A x = b for several b."""
    b = [list(right) for right in rights]
    rows, inverses = _eliminated(A, b, pivots)
    x: list[list[Scalar]] = [[0.0] * len(pivots) for _ in b]
    for (i, j), inverse in zip(reversed(pivots), reversed(inverses), strict=True):
        for right, found in zip(b, x, strict=True):
            value = right[i]
            for c, entry in rows[i].items():
                if c != j:
                    value = sub(value, mul(entry, found[c]))
            found[j] = mul(value, inverse)
    return x


def determinant(A: Mapping[tuple[int, int], Scalar], pivots: Pivots) -> Scalar:
    """Of A, but for the sign of the pivots' order. Beside a `gauss` of the same matrix it costs a product for each pivot."""
    rows, _ = _eliminated(A, [], pivots)
    product: Scalar = 1.0
    for i, j in pivots:
        product = mul(product, rows[i][j])
    return product


def _eliminated(
    A: Mapping[tuple[int, int], Scalar], b: list[list[Scalar]], pivots: Pivots
) -> tuple[dict[int, dict[int, Scalar]], list[Scalar]]:
    """The rows below their pivots, and one over each of these; `b` is changed with them."""
    rows: dict[int, dict[int, Scalar]] = {}
    for (i, j), value in A.items():
        rows.setdefault(i, {})[j] = value
    inverses: list[Scalar] = []
    for step, (i, j) in enumerate(pivots):
        inverse = div(1.0, rows[i][j])
        inverses.append(inverse)
        for k, _ in pivots[step + 1 :]:
            if j in rows[k]:
                factor = mul(rows[k].pop(j), inverse)
                for c, value in rows[i].items():
                    if c != j:
                        rows[k][c] = sub(rows[k].get(c, 0.0), mul(factor, value))
                for right in b:
                    if type(right[i]) is Expr or right[i] != 0:
                        right[k] = sub(right[k], mul(factor, right[i]))
    return rows, inverses
