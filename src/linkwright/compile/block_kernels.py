"""Elimination of one block of unknowns from a symmetric block matrix, as straight-line code for given sizes.

The pivot block D (n x n, its lower triangle by rows) is factored as L d L^T. For every block B_i = A_ik under it

    W_i = B_i L^-T,   G_i = W_i / d,   A_ij -= G_i W_j^T,   b_i -= G_i z,   z = L^-1 b_k

and back: x_k = L^-T (z / d - sum_i G_i^T x_i). There is no pivoting: the order must keep every D definite. How close D is
to singular is told by `growth`, the largest ratio of a diagonal entry (the largest it has been) to its pivot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.graph import Scalar, absolute, maximum, symbols


@dataclass(frozen=True)
class Block:
    """How a block is stored: ``rows`` by the pivot's size, or the other way round; ``fresh``: still zero, not read.

    ``peak`` (diagonal blocks that may cancel): "first", "next" write of the largest size its diagonal has had, or "".
    """

    rows: int
    turned: bool = False
    fresh: bool = False
    peak: str = ""


def packed(n: int) -> int:
    return n * (n + 1) // 2


def _lower(flat: Sequence[Scalar], n: int) -> list[list[Scalar]]:
    return [[flat[packed(i) + j] for j in range(i + 1)] for i in range(n)]


def _matrix(flat: Sequence[Any], rows: int, columns: int, turned: bool) -> list[list[Any]]:
    if turned:
        return [[flat[j * rows + i] for j in range(columns)] for i in range(rows)]
    return [[flat[i * columns + j] for j in range(columns)] for i in range(rows)]


def _flat(matrix: Sequence[Sequence[Scalar]], turned: bool) -> list[Scalar]:
    return [x for row in (zip(*matrix, strict=True) if turned else matrix) for x in row]


class _Inputs:
    """Symbols of the inputs, in order."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def __call__(self, name: str, size: int) -> list[Any]:
        self.arrays[name] = symbols(f"{name}:", size)
        return list(self.arrays[name])


def _eliminate(D: list[list[Scalar]], below: list[list[Scalar]]) -> tuple[list[Scalar], list[list[Scalar]]]:
    """Column by column: D becomes L (and what was below it), rows of `below` become W. Returns 1/d and the rows of G."""
    n = len(D)
    inverse: list[Scalar] = []
    G: list[list[Scalar]] = [[] for _ in below]
    for k in range(n):
        inverse.append(1.0 / D[k][k])
        column = [D[i][k] for i in range(n)[k + 1 :]]
        for i in range(k + 1, n):
            scaled = D[i][k] * inverse[k]
            for j in range(k + 1, i + 1):
                D[i][j] = D[i][j] - scaled * column[j - k - 1]
            D[i][k] = scaled
        for row, g in zip(below, G, strict=True):
            g.append(row[k] * inverse[k])
            for j in range(k + 1, n):
                row[j] = row[j] - g[k] * column[j - k - 1]
    return inverse, G


@cache
def eliminate(n: int, watched: bool, below: tuple[Block, ...], targets: tuple[Block, ...]) -> Function:
    """One block and everything it does to the others.

    In: D, b_k, [peak], then B_i and b_i of each block below, then A_ij (j <= i) and its peaks.
    Out: L with 1/d on the diagonal, z, growth, then G_i and b_i, then A_ij and peaks.
    """
    read = _Inputs()
    D = _lower(read("D", packed(n)), n)
    diagonal = [D[i][i] for i in range(n)]
    z = read("b", n)
    scale = [maximum(absolute(x), p) for x, p in zip(diagonal, read("peak", n), strict=True)] if watched else diagonal
    B = [_matrix(read(f"B{i}", s.rows * n), s.rows, n, s.turned) for i, s in enumerate(below)]
    b = [read(f"b{i}", s.rows) for i, s in enumerate(below)]
    W = [list(row) for block in B for row in block]
    inverse, G = _eliminate(D, [*W, z])
    G, zG = G[:-1], G[-1]
    outputs: dict[str, Any] = {
        "L": [D[i][j] if j < i else inverse[i] for i in range(n) for j in range(i + 1)],
        "z": zG,
        "growth": [reduce(maximum, [absolute(s * d) for s, d in zip(scale, inverse, strict=True)])],
    }
    starts = np.cumsum([0, *[s.rows for s in below]])
    for i, s in enumerate(below):
        rows = range(starts[i], starts[i + 1])
        outputs[f"G{i}"] = _flat([G[r] for r in rows], s.turned)
        outputs[f"b{i}"] = [x - _dot(G[r], z) for x, r in zip(b[i], rows, strict=True)]
    pairs = [(i, j) for i in range(len(below)) for j in range(i + 1)]
    for (i, j), t in zip(pairs, targets, strict=True):
        own, other = ([G[r] for r in range(starts[i], starts[i + 1])], [W[r] for r in range(starts[j], starts[j + 1])])
        outputs.update(_updated(read, f"{i}.{j}", t, own, other, i == j))
    return Function(f"eliminate {n}: {[s.rows for s in below]}", read.arrays, outputs)


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def _updated(read: _Inputs, name: str, t: Block, G: Any, W: Any, diagonal: bool) -> dict[str, Any]:
    """A - G W^T of one target, and its peaks."""
    p, q = len(G), len(W)
    if diagonal:
        flat = [0.0] * packed(p) if t.fresh else read(f"A{name}", packed(p))
        A = _lower(flat, p)
        new = [[A[i][j] - _dot(G[i], W[j]) for j in range(i + 1)] for i in range(p)]
        out: dict[str, Any] = {f"A{name}": [x for row in new for x in row]}
        if t.peak:
            size = [absolute(new[i][i]) for i in range(p)]
            before = read(f"peak{name}", p) if t.peak == "next" else size
            out[f"peak{name}"] = [maximum(s, x) if s is not x else s for s, x in zip(size, before, strict=True)]
        return out
    flat = [0.0] * (p * q) if t.fresh else read(f"A{name}", p * q)
    A = _matrix(flat, p, q, t.turned)
    return {f"A{name}": _flat([[A[i][j] - _dot(G[i], W[j]) for j in range(q)] for i in range(p)], t.turned)}


@cache
def factor(n: int, watched: bool) -> Function:
    """The pivot block alone: D, b_k, [peak] -> L, z/d, growth, and z for `panel`."""
    read = _Inputs()
    D = _lower(read("D", packed(n)), n)
    diagonal = [D[i][i] for i in range(n)]
    z = read("b", n)
    scale = [maximum(absolute(x), p) for x, p in zip(diagonal, read("peak", n), strict=True)] if watched else diagonal
    inverse, [scaled] = _eliminate(D, [z])
    outputs = {
        "L": [D[i][j] if j < i else inverse[i] for i in range(n) for j in range(i + 1)],
        "zd": scaled,
        "growth": [reduce(maximum, [absolute(s * d) for s, d in zip(scale, inverse, strict=True)])],
        "z": z,
    }
    return Function(f"factor {n}", read.arrays, outputs)


@cache
def panel(n: int, s: Block) -> Function:
    """One block under a factored pivot: L, z, B_i, b_i -> G_i, b_i, and W_i (rows by n) for `update`."""
    read = _Inputs()
    L = _lower(read("L", packed(n)), n)
    z = read("z", n)
    W = _matrix(read("B", s.rows * n), s.rows, n, s.turned)
    b = read("b", s.rows)
    for row in W:
        for k in range(n):
            for j in range(k + 1, n):
                row[j] = row[j] - row[k] * L[j][k]
    G = [[x * L[k][k] for k, x in enumerate(row)] for row in W]
    outputs = {"G": _flat(G, s.turned), "b": [x - _dot(g, z) for x, g in zip(b, G, strict=True)], "W": _flat(W, False)}
    return Function(f"panel {n}: {s.rows}", read.arrays, outputs)


@cache
def update(n: int, s: Block, columns: int, target: Block, diagonal: bool) -> Function:
    """A_ij - G_i W_j^T: G_i, W_j, [A_ij, peak] -> A_ij, [peak]."""
    read = _Inputs()
    G = _matrix(read("G", s.rows * n), s.rows, n, s.turned)
    W = _matrix(read("W", columns * n), columns, n, False)
    outputs = _updated(read, "", target, G, W, diagonal)
    return Function(f"update {n}: {s.rows} x {columns}", read.arrays, outputs)


@cache
def substitute(n: int, below: tuple[Block, ...]) -> Function:
    """Back: L, z/d, then G_i and x_i of each block below -> x_k."""
    read = _Inputs()
    L = _lower(read("L", packed(n)), n)
    x = read("zd", n)
    for i, s in enumerate(below):
        G = _matrix(read(f"G{i}", s.rows * n), s.rows, n, s.turned)
        known = read(f"x{i}", s.rows)
        x = [x[k] - _dot([row[k] for row in G], known) for k in range(n)]
    for k in range(n - 1, -1, -1):
        for i in range(k + 1, n):
            x[k] = x[k] - L[i][k] * x[i]
    return Function(f"substitute {n}: {[s.rows for s in below]}", read.arrays, {"x": x})


@cache
def forward(n: int, below: tuple[Block, ...]) -> Function:
    """Another right-hand side: L, b_k, then G_i and b_i of each block below -> z/d, then b_i."""
    read = _Inputs()
    L = _lower(read("L", packed(n)), n)
    z = read("b", n)
    for k in range(n):
        for i in range(k + 1, n):
            z[i] = z[i] - L[i][k] * z[k]
    outputs: dict[str, Any] = {"zd": [x * L[k][k] for k, x in enumerate(z)]}
    for i, s in enumerate(below):
        G = _matrix(read(f"G{i}", s.rows * n), s.rows, n, s.turned)
        outputs[f"b{i}"] = [x - _dot(g, z) for x, g in zip(read(f"b{i}", s.rows), G, strict=True)]
    return Function(f"forward {n}: {[s.rows for s in below]}", read.arrays, outputs)
