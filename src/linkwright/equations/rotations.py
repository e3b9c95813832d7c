"""Orientation in space: Euler parameters, the matrices made of them, conversions.

p = (e0, e1, e2, e3), scalar first, p.p = 1; a rotation by chi about the unit vector u has e0 = cos(chi/2) and
e = u sin(chi/2); p and -p are one orientation. A takes body components to global ones, s = A s'. A trailing _b says
"body components" (Haug's prime). E and G bear Haug's names; Nikravesh calls them G and L.

Functions of p take traced scalars and numbers alike. `euler_parameters` and `orthonormalise` take numbers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from linkwright import linear
from linkwright.arguments import numeric
from linkwright.equations.arrays import array, tilde
from linkwright.errors import ModelError
from linkwright.graph import Scalar, cos, frame, is_number, sin, sqrt, where

Vector: TypeAlias = "Sequence[Any] | np.ndarray"

ORTHONORMAL_TOLERANCE = 1e-6  # rounding of a typed matrix that is mended; more is a mistake


def vector(*components: Any) -> np.ndarray:
    """The scalars as an array."""
    return array(components)


def dot(a: Vector, b: Vector) -> Any:
    """a . b of three (or four) scalars each."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def cross(a: Vector, b: Vector) -> np.ndarray:
    """a x b."""
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


# -- matrices of the Euler parameters -------------------------------------------------------------------------


def A(p: Vector) -> np.ndarray:
    """A = (2 e0^2 - 1) I + 2 (e e^T + e0 e~) (Haug 9.3.6). Orthogonal where p.p = 1."""
    e0, e1, e2, e3 = p
    return array(
        [
            [2 * (e0 * e0 + e1 * e1) - 1, 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
            [2 * (e1 * e2 + e0 * e3), 2 * (e0 * e0 + e2 * e2) - 1, 2 * (e2 * e3 - e0 * e1)],
            [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 2 * (e0 * e0 + e3 * e3) - 1],
        ]
    )


def A_h(p: Vector) -> np.ndarray:
    """A = (e0^2 - e.e) I + 2 (e e^T + e0 e~): homogeneous in p, so that A_h(c p) = c^2 A_h(p) (Nikravesh, ME751).

    Equal to A(p) where p.p = 1, but with other derivatives across that sphere: d(A_h s)/dp = B(p, s).
    """
    e0, e1, e2, e3 = p
    diagonal = e0 * e0 - (e1 * e1 + e2 * e2 + e3 * e3)
    out = 2 * (np.outer(p[1:], p[1:]) + e0 * tilde(p[1:]))
    for k in range(3):
        out[k, k] = diagonal + 2 * p[k + 1] * p[k + 1]
    return array(out)


def E(p: Vector) -> np.ndarray:
    """E = [-e, e~ + e0 I] (Haug 9.3.18): omega = 2 E pdot, in global components."""
    e0, e1, e2, e3 = p
    return array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]])


def G(p: Vector) -> np.ndarray:
    """G = [-e, -e~ + e0 I] (Haug 9.3.19): omega_b = 2 G pdot, in body components."""
    e0, e1, e2, e3 = p
    return array([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])


def B(p: Vector, s_b: Vector) -> np.ndarray:
    """B = 2 [(e0 I + e~) s', e s'^T - (e0 I + e~) s'~] = d(A_h(p) s')/dp, 3 x 4 (ME751). Bilinear in p and s'."""
    e0, *e = p
    s = array(s_b)
    L = e0 * np.eye(3) + tilde(e)
    return array(2 * np.column_stack([L @ s, np.outer(e, s) - L @ tilde(s)]))


# -- rates and moments ----------------------------------------------------------------------------------------


def euler_rates(p: Vector, omega_b: Vector) -> np.ndarray:
    """pdot = G^T omega_b / 2 (Haug 9.3.35): keeps p.p."""
    return array(G(p).T @ array(omega_b) * 0.5)


def omega_b(p: Vector, pdot: Vector) -> np.ndarray:
    """omega_b = 2 G pdot (Haug 9.3.34)."""
    return array(2 * (G(p) @ array(pdot)))


@numeric
def moment_star(n_b: Vector, p: Vector) -> np.ndarray:
    """Give the moment n* = 2 G^T n', whose four components do the work on pdot that n' does on omega_b; p.n* = 0.

    Parameters
    ----------
    n_b : three numbers
        The moment n' in body axes [N m].
    p : four numbers
        The Euler parameters, scalar first.

    Returns
    -------
    numpy.ndarray
        n*, four numbers.

    References
    ----------
    Nikravesh (11.1).

    Examples
    --------
    >>> lw.moment_star((0, 0, 1.5), (1, 0, 0, 0))
    array([0., 0., 0., 3.])
    """
    return array(2 * (G(p).T @ array(n_b)))


@numeric
def moment_star_of_global(n: Vector, p: Vector) -> np.ndarray:
    """Give the moment n* = 2 E^T n of a moment in ground axes.

    Parameters
    ----------
    n : three numbers
        The moment in ground axes [N m].
    p : four numbers
        The Euler parameters, scalar first.

    Returns
    -------
    numpy.ndarray
        n*, four numbers.

    References
    ----------
    Nikravesh (11.2).

    Examples
    --------
    >>> lw.moment_star_of_global((0, 0, 1.5), (1, 0, 0, 0))
    array([0., 0., 0., 3.])
    """
    return array(2 * (E(p).T @ array(n)))


@numeric
def moment_body(n_star: Vector, p: Vector) -> np.ndarray:
    """Give the moment n' = G n*/2 in body axes.

    Parameters
    ----------
    n_star : four numbers
        The moment n*.
    p : four numbers
        The Euler parameters, scalar first.

    Returns
    -------
    numpy.ndarray
        n', three numbers [N m].

    References
    ----------
    Nikravesh (11.3).

    Examples
    --------
    >>> lw.moment_body((0, 0, 0, 3), (1, 0, 0, 0))
    array([0. , 0. , 1.5])
    """
    return array(0.5 * (G(p) @ array(n_star)))


@numeric
def moment_global(n_star: Vector, p: Vector) -> np.ndarray:
    """Give the moment n = E n*/2 in ground axes.

    Parameters
    ----------
    n_star : four numbers
        The moment n*.
    p : four numbers
        The Euler parameters, scalar first.

    Returns
    -------
    numpy.ndarray
        n, three numbers [N m].

    References
    ----------
    Nikravesh (11.4).

    Examples
    --------
    >>> lw.moment_global((0, 0, 0, 3), (1, 0, 0, 0))
    array([0. , 0. , 1.5])
    """
    return array(0.5 * (E(p) @ array(n_star)))


# -- orientation from what a person knows ---------------------------------------------------------------------


def product(p: Vector, q: Vector) -> np.ndarray:
    """Euler parameters of A(p) A(q): the product of quaternions."""
    a, b = array(p), array(q)
    return array([a[0] * b[0] - dot(a[1:], b[1:]), *(a[0] * b[1:] + b[0] * a[1:] + cross(a[1:], b[1:]))])


def from_axis_angle(axis: Vector, chi: Scalar) -> np.ndarray:
    """p of the rotation by chi [rad] about the axis, of any length (Haug 9.3.2)."""
    a = array(axis)
    length = sqrt(dot(a, a))
    if is_number(length) and not length > 0:
        raise ModelError("the rotation axis is the zero vector", remedy="give an axis of nonzero length")
    return vector(cos(0.5 * chi), *(sin(0.5 * chi) * (a / length)))


def euler_parameters(A: Any, near: Vector | None = None) -> np.ndarray:
    """p of a rotation matrix (numbers), stable at every angle, 180 degrees included (Haug 9.3.12-9.3.17).

    Of 4 e0^2 = tr A + 1 and 4 ek^2 = 1 + 2 a_kk - tr A the largest gives the pivot, the others follow from sums and
    differences of entries over four times the pivot. The sign is that of `near` (continuity in time), else e0 >= 0.
    """
    four = _products(orthonormalise(A))
    k = int(np.argmax(np.diag(four)))
    p = four[k] / np.linalg.norm(four[k])
    against = p[0] if near is None else float(np.asarray(near, dtype=float) @ p)
    return np.asarray(-p if against < 0 else p)


def traced_parameters(A: np.ndarray, near: Vector) -> np.ndarray:
    """p of a traced rotation matrix whose present one is `near`, up to sign: that tells the pivot, which is positive.

    Of pivots that are about as large the first: where matrix and `near` change a little, the formula stays.
    """
    k = pivot(near)
    row = _products(A)[k]
    return np.asarray(row / (2 * sqrt(row[k])))


def pivot(p: Vector) -> int:
    """Which of the parameters to divide by: the first of those that are about as large as the largest."""
    size = np.abs(np.asarray(p, dtype=float))
    return int(np.argmax(size > 0.9 * size.max()))


def frame_parameters(C: np.ndarray) -> np.ndarray:
    """p of a frame's axes C = [f', g', h'], which may depend on design parameters: the largest pivot is found when their
    values are known. It is positive: numbers and symbols give the same of p and -p, so that rows have the same signs."""
    if all(is_number(x) for x in np.asarray(C).flat):
        p, squares = euler_parameters(C), np.diag(_products(np.asarray(C, dtype=float)))
        return np.asarray(p if p[int(np.argmax(squares))] > 0 else -p)
    four = _products(np.asarray(C, dtype=object))
    row, largest = four[0], four[0, 0]
    for k in (1, 2, 3):
        better = four[k, k] > largest
        row = array([where(better, a, b) for a, b in zip(four[k], row, strict=True)])
        largest = where(better, four[k, k], largest)
    return np.asarray(row / (2 * sqrt(largest)))


def relative_parameters(p_i: Vector, p_j: Vector) -> np.ndarray:
    """Euler parameters of the turn from i to j, A(p_i)^T A(p_j), in the axes of i; continuous as p_i and p_j are."""
    return product([p_i[0], *(-x for x in p_i[1:])], p_j)


def _products(a: np.ndarray) -> np.ndarray:
    """4 e_m e_n of a rotation matrix."""
    t = a[0, 0] + a[1, 1] + a[2, 2]
    squares = [1 + t, 1 + 2 * a[0, 0] - t, 1 + 2 * a[1, 1] - t, 1 + 2 * a[2, 2] - t]
    return np.array(
        [
            [squares[0], a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]],
            [a[2, 1] - a[1, 2], squares[1], a[0, 1] + a[1, 0], a[0, 2] + a[2, 0]],
            [a[0, 2] - a[2, 0], a[0, 1] + a[1, 0], squares[2], a[1, 2] + a[2, 1]],
            [a[1, 0] - a[0, 1], a[0, 2] + a[2, 0], a[1, 2] + a[2, 1], squares[3]],
        ]
    )


def orthonormalise(A: Any) -> np.ndarray:
    """The rotation matrix nearest to A (numbers): mends rounding, refuses what is not a rotation."""
    a = np.array(A, dtype=float)
    if a.shape != (3, 3) or not np.isfinite(a).all():
        raise ModelError("a rotation matrix has three rows of three finite numbers", remedy="give a 3 x 3 matrix")
    error = float(np.abs(a.T @ a - np.eye(3)).max())
    if error > ORTHONORMAL_TOLERANCE:
        raise ModelError(
            f"the matrix is not a rotation: its columns miss being orthogonal unit vectors by {error:.3g}",
            remedy="give more digits, or make it from three points, from an axis and an angle, or from Euler parameters",
        )
    if linear.det(a) < 0:
        raise ModelError("the matrix mirrors: its axes are left-handed", remedy="reverse one of its columns")
    U, _, Vt = linear.svd(a)
    return np.asarray(U @ Vt)


# -- a body's place -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a body is: origin r, Euler parameters p. A body-fixed point or direction becomes a global one."""

    r: np.ndarray
    p: np.ndarray

    @cached_property
    def A(self) -> np.ndarray:
        """A(p) with its entries held, so that derivatives by a rotation of the body may be taken."""
        return frame(A(self.p))

    def point(self, s_b: Vector) -> np.ndarray:
        """r + A s' (Haug 9.2.16)."""
        return array(array(self.r) + self.vector(s_b))

    def vector(self, v_b: Vector) -> np.ndarray:
        """A v'."""
        return array(self.A @ array(v_b))
