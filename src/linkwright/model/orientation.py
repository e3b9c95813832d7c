"""Orientations in space, from whatever a person has at hand, as a rotation matrix or as Euler parameters.

Accepted: Euler parameters (e0, e1, e2, e3), scalar first; a 3 x 3 rotation matrix A (columns: the body's axes in the
outer frame, s = A s'); (axis, angle); anything with `as_matrix()`, such as scipy's Rotation. What is off by rounding
is mended, what is off by more is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from linkwright import graph, linear
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.model.values import is_sequence

TOLERANCE = 1e-6  # rounding of six printed digits is mended
NEARER = 2  # steps: the first leaves 4e-13 of what is mended, the second rounding
REMEDY = "give Euler parameters (e0, e1, e2, e3), a 3 x 3 rotation matrix, (axis, angle) or a scipy Rotation"

Matrix = tuple[tuple[Scalar, Scalar, Scalar], ...]
Read = Callable[[Any, str, str], Scalar]  # a number from what the user gave
Value = Callable[[Scalar], float]  # its value for the parameters as they are


def rotation_matrix(given: Any, read: Read, value: Value) -> Matrix:
    """A as three rows; entries may be traced if those given were."""
    kind, data = _sort(given, read)
    if kind == "matrix":
        return _mended_matrix(data, value)
    e0, *e = _parameters(kind, data, value)
    return _matrix_of(e0, e)


def euler_parameters(given: Any, read: Read, value: Value) -> tuple[Scalar, ...]:
    """(e0, e1, e2, e3) of unit length. From a matrix: e0 >= 0 (p and -p are one orientation)."""
    kind, data = _sort(given, read)
    if kind != "matrix":
        return _parameters(kind, data, value)
    A = _mended_matrix(data, value)
    if any(type(x) is Expr for row in A for x in row):
        raise ModelError(
            "the estimate of an orientation cannot be a matrix of expressions",
            remedy="give (axis, angle) with an expression for the angle, or a matrix of numbers",
        )
    return _parameters_of(np.array(A, dtype=float))


def _sort(given: Any, read: Read) -> tuple[str, Any]:
    if hasattr(given, "as_matrix"):
        given = given.as_matrix()
    if is_sequence(given):
        if len(given) == 4 and not any(map(is_sequence, given)):
            return "parameters", [read(e, "an Euler parameter", "1") for e in given]
        if len(given) == 2 and is_sequence(given[0]) and len(given[0]) == 3 and not is_sequence(given[1]):
            return "axis", ([read(a, "a component of the axis", "") for a in given[0]], read(given[1], "the angle", "rad"))
        if len(given) == 3 and all(is_sequence(row) and len(row) == 3 for row in given):
            return "matrix", [[read(a, "an entry of the matrix", "1") for a in row] for row in given]
    raise ModelError(f"this is no orientation: {given!r}", remedy=REMEDY)


def _parameters(kind: str, data: Any, value: Value) -> tuple[Scalar, ...]:
    if kind == "axis":
        axis, angle = data
        if sum(value(a) ** 2 for a in axis) == 0:
            raise ModelError("the axis of the rotation has no length", remedy="give a direction, such as (0, 0, 1)")
        length = graph.sqrt(sum(a * a for a in axis))
        half = angle / 2
        return (graph.cos(half), *(graph.sin(half) * a / length for a in axis))
    square = sum(value(e) ** 2 for e in data)
    if abs(square - 1) > TOLERANCE:
        raise ModelError(
            f"the squares of the Euler parameters add up to {square:.9g}, not 1",
            remedy="normalise them, scalar part first; " + REMEDY,
        )
    if any(type(e) is Expr for e in data):
        return tuple(data)
    return tuple(e / sqrt(square) for e in data)


def _mended_matrix(A: list[list[Scalar]], value: Value) -> Matrix:
    numbers = np.array([[value(a) for a in row] for row in A])
    off = float(np.abs(numbers.T @ numbers - np.eye(3)).max())
    if off > TOLERANCE:
        raise ModelError(f"the matrix is not orthonormal: A^T A differs from 1 by {off:.3g}", remedy=REMEDY)
    if linear.det(numbers) < 0:
        raise ModelError("the matrix is a reflection: its axes are left-handed", remedy="reverse one of its axes")
    if not any(type(a) is Expr for row in A for a in row):
        nearest: list[list[float]] = numbers.tolist()
        for _ in range(NEARER if off > 1e-15 else 0):
            nearest = _nearer_rotation(nearest)
        A = [list(row) for row in nearest]
    return tuple((a, b, c) for a, b, c in A)


def _nearer_rotation(A: list[list[float]]) -> list[list[float]]:
    """A step of Newton's method to the nearest rotation, A (3 - A^T A) / 2. In plain numbers, whose sums have one order: a
    library's singular values differ in the last digit from call to call, and so would a model from its own file."""
    S = [[(3.0 * (i == j) - sum(row[i] * row[j] for row in A)) / 2 for j in range(3)] for i in range(3)]
    return [[sum(a * S[k][j] for k, a in enumerate(row)) for j in range(3)] for row in A]


def _matrix_of(e0: Scalar, e: list[Scalar]) -> Matrix:
    """A = (2 e0^2 - 1) 1 + 2 (e e^T + e0 e~) (Haug 9.3.6)."""
    e1, e2, e3 = e
    return (
        (2 * (e0 * e0 + e1 * e1) - 1, 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)),
        (2 * (e1 * e2 + e0 * e3), 2 * (e0 * e0 + e2 * e2) - 1, 2 * (e2 * e3 - e0 * e1)),
        (2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 2 * (e0 * e0 + e3 * e3) - 1),
    )


def _parameters_of(A: np.ndarray) -> tuple[Scalar, ...]:
    """From the largest of 4 e0^2 = tr A + 1 and 4 ek^2 = 1 + 2 akk - tr A (Haug 9.3.12-17): also for half turns."""
    trace = A.trace()
    squares = np.array([1 + trace, *(1 + 2 * A.diagonal() - trace)])
    twist = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
    k = int(squares.argmax())
    p = np.empty(4)
    p[k] = sqrt(squares[k]) / 2
    if k == 0:
        p[1:] = twist / (4 * p[0])
    else:
        p[0] = twist[k - 1] / (4 * p[k])
        p[1:] = (A[k - 1] + A[:, k - 1]) / (4 * p[k])
        p[k] = sqrt(squares[k]) / 2
    p = p / sqrt(sum(float(x) ** 2 for x in p))
    return tuple(float(x) for x in (-p if p[0] < 0 else p))
