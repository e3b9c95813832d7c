"""Derivatives with respect to a virtual rotation.

An orthogonal matrix A(p) of a moving frame changes by dA = A (dpi)~, where dpi are the components of the virtual
rotation in the moving frame and ~ makes the cross-product matrix. Differentiating a function through the nine
entries of A, taken as independent, and inserting this rule gives its derivative by dpi with no trace of the
parameters p and of the 3 x 4 matrices that lead from them to the angular velocity (Haug 9.2.46, 9.3.30).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.errors import TraceError
from linkwright.graph.arithmetic import add, mul, sub
from linkwright.graph.derive import Sparse, gradient
from linkwright.graph.expr import Expr, Scalar, hold


def tilde(a: Sequence[Any]) -> np.ndarray:
    """The matrix of the cross product: tilde(a) @ b = a x b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]], dtype=object)


def frame(A: np.ndarray) -> np.ndarray:
    """The matrix with its entries held, so that derivatives by a rotation of it may be taken."""
    held: np.ndarray = np.frompyfunc(hold, 1, 1)(np.asarray(A, dtype=object))
    return held


def frame_entries(A: np.ndarray) -> list[tuple[int, int, Expr]]:
    """The traced entries with their places: nine, or none of a frame at rest.

    They count as independent. Those of a rotation about a fixed axis are not: some are equal, some constant.
    """
    entries = [(i, j, A[i, j]) for i in range(3) for j in range(3) if type(A[i, j]) is Expr]
    if len({id(x) for _, _, x in entries}) not in (0, 9) or len(entries) not in (0, 9):
        raise TraceError(
            "a derivative by a rotation needs a matrix of nine different traced entries; some are equal or constant",
            remedy="build the matrix from Euler parameters, or differentiate by the angle of the fixed axis",
        )
    return entries


def rotation_rates(A: np.ndarray, omega_b: Sequence[Scalar]) -> dict[Expr, Scalar]:
    """Rates of the entries of A at the body-frame angular velocity omega_b, for `along`: A omega_b~."""
    dA = np.asarray(A, dtype=object) @ tilde(omega_b)
    return {entry: dA[i, j] for i, j, entry in frame_entries(A)}


def rotation_gradient(root: Scalar, A: np.ndarray) -> list[Scalar]:
    """Derivative of root by a virtual rotation of the frame A, in the frame's own axes: three scalars.

    With the adjoint B = d root / d A it is the axial vector of A^T B - B^T A.
    """
    A = np.asarray(A, dtype=object)
    by_entry = gradient(root, [entry for _, _, entry in frame_entries(A)])
    return axial(A, {(i, j): by_entry[e] for i, j, e in frame_entries(A) if e in by_entry})


def axial(A: np.ndarray, B: dict[tuple[int, int], Scalar]) -> list[Scalar]:
    """The axial vector of A^T B - B^T A: derivative by a virtual rotation, from those by the entries of A."""

    def product(i: int, j: int) -> Scalar:  # (A^T B)_ij
        total: Scalar = 0.0
        for k in range(3):
            if (k, j) in B:
                total = add(total, mul(A[k, i], B[k, j]))
        return total

    return [sub(product(2, 1), product(1, 2)), sub(product(0, 2), product(2, 0)), sub(product(1, 0), product(0, 1))]


def rotation_jacobian(roots: Sequence[Scalar], positions: Sequence[Sequence[Expr]], frames: Sequence[np.ndarray]) -> Sparse:
    """d roots by (r, virtual rotation) of bodies: six columns a body, its position's first.

    One reverse sweep a row gives the derivatives by all positions and all entries of all frames.
    """
    wrt: dict[Expr, tuple[int, int, int]] = {}
    for b, (r, A) in enumerate(zip(positions, frames, strict=True)):
        wrt.update({x: (b, k, -1) for k, x in enumerate(r)})
        wrt.update({entry: (b, i, j) for i, j, entry in frame_entries(A)})
    entries: dict[tuple[int, int], Scalar] = {}
    for row, root in enumerate(roots):
        B: dict[int, dict[tuple[int, int], Scalar]] = {}
        for x, d in gradient(root, list(wrt)).items():
            b, i, j = wrt[x]
            if j < 0:
                entries[row, 6 * b + i] = d
            else:
                B.setdefault(b, {})[i, j] = d
        for b, adjoint in B.items():
            for k, d in enumerate(axial(frames[b], adjoint)):
                if type(d) is Expr or d != 0:
                    entries[row, 6 * b + 3 + k] = d
    return Sparse((len(roots), 6 * len(positions)), dict(sorted(entries.items())))
