"""Featherstone's two-body problem ("Solving a Two-Body Dynamics Problem using 3-D Vectors", 2010).

Two bodies at rest, joined by a revolute joint with axis s through P; a force f through the mass centre C1 and a
couple n act on body 1. How does body 1 accelerate? Body 2 makes it heavier, in a way that depends on the direction:
the 6 x 6 matrix [A B; C D] is the apparent (articulated-body) inertia of body 1.

    m1, m2   masses [kg]                     r1, r2   from C1 to P and from C2 to P [m]
    I1, I2   inertias about C1 and C2        s        direction of the joint axis; any length but zero

    f, n     force and couple on body 1 [N, N m]   a1, wd1, a2, wd2   accelerations of C1 and C2, of the bodies' rotation
    alpha    acceleration of the joint's angle [rad/s^2]

All in one set of axes. Equation numbers are those of the text. Scalars may be traced.

Examples
--------
>>> import numpy as np
>>> I = np.eye(3)
>>> A, B, C, D = lw.two_body.inertia(1.0, I, 2.0, I, (1, 0, 0), (-1, 0, 0), (0, 0, 1))
>>> A.diagonal().round(6)
array([3.      , 1.666667, 3.      ])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.equations.arrays import array, block, of_text, solve, tilde, traced
from linkwright.equations.spatial_vectors import motion, rigid_body_inertia
from linkwright.errors import ModelError

Vector = Any  # three scalars
Matrix = Any  # three by three scalars
_SHAPES = {"m": (), "I": (3, 3)}  # by the first letter; the others are vectors


def _check(**given: Any) -> None:
    """Sizes of all arguments; numbers finite, masses not negative."""
    for name, value in given.items():
        shape, wanted = np.shape(value), _SHAPES.get(name[0], (3,))
        if shape != wanted:
            raise ModelError(
                f"{name} has the shape {shape}, not {wanted}",
                element=name,
                remedy="masses are numbers, inertias 3 x 3 matrices about the mass centres, all others vectors of three",
            )
        x = array(value)
        if not traced(x) and not (np.isfinite(x).all() and (name[0] != "m" or x >= 0)):
            raise ModelError(f"{name} is {value}", element=name, remedy="give finite numbers, and no mass below zero")


def _accelerations(matrix: np.ndarray, load: np.ndarray) -> np.ndarray:
    try:
        return solve(matrix, load)
    except np.linalg.LinAlgError:
        raise ModelError(
            "the first body has no inertia against some acceleration, and the second does not add any there",
            element=("m1", "I1"),
            remedy="give it mass and inertia",
        ) from None


@of_text
def joint_terms(m2: Any, I2: Matrix, r1: Vector, r2: Vector, s: Vector) -> tuple[np.ndarray, np.ndarray, Any]:
    """Give J (20), the inertia of body 2 about P; K (24); and sigma = s^T J s.

    Returns
    -------
    J, K : numpy.ndarray
        3 x 3 matrices.
    sigma : number
        The inertia about the joint axis.
    """
    _check(m2=m2, I2=I2, r1=r1, r2=r2, s=s)
    r1x, r2x, s = tilde(r1), tilde(r2), array(s)
    J = array(I2) - m2 * r2x @ r2x  # (20)
    K = J + m2 * r1x @ r2x  # (24)
    sigma = s @ J @ s
    if not traced(J, s) and not sigma > 0:
        raise ModelError(
            f"the second body has no inertia about the joint axis (s^T J s = {sigma:g}); its acceleration is not determined",
            remedy="give an axis that is not zero, and the second body a mass off the axis or an inertia about it",
        )
    return J, K, sigma


@of_text
def inertia(
    m1: Any, I1: Matrix, m2: Any, I2: Matrix, r1: Vector, r2: Vector, s: Vector
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Give the apparent inertia of body 1: [f; n] = [A B; C D] [a1; wd1] (27).

    Returns
    -------
    A, B, C, D : numpy.ndarray
        The 3 x 3 blocks (28) to (31).
    """
    _check(m1=m1, I1=I1)
    _, K, sigma = joint_terms(m2, I2, r1, r2, s)
    r1x, r2x, s = tilde(r1), tilde(r2), array(s)
    ss = np.outer(s, s) / sigma
    A = (m1 + m2) * np.eye(3) + m2 * m2 * (r2x @ ss @ r2x)  # (28)
    B = m2 * (r2x - r1x) - m2 * (r2x @ ss @ K.T)  # (29)
    C = m2 * (r1x - r2x) + m2 * (K @ ss @ r2x)  # (30)
    D = array(I1) + array(I2) - m2 * (r1x - r2x) @ (r1x - r2x) - K @ ss @ K.T  # (31)
    return A, B, C, D


@of_text
def accelerations(
    m1: Any, I1: Matrix, m2: Any, I2: Matrix, r1: Vector, r2: Vector, s: Vector, f: Vector, n: Vector
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Give the accelerations of body 1 (32) and of the joint (25).

    Returns
    -------
    a1, wd1 : numpy.ndarray
        Of body 1.
    alpha : number
        Of the joint.
    """
    _check(f=f, n=n)
    A, B, C, D = inertia(m1, I1, m2, I2, r1, r2, s)
    x = _accelerations(block([[A, B], [C, D]]), array([*f, *n]))
    a1, wd1 = x[:3], x[3:]
    _, K, sigma = joint_terms(m2, I2, r1, r2, s)
    alpha = -(array(s) @ (K.T @ wd1 - m2 * tilde(r2) @ a1)) / sigma  # (25)
    return a1, wd1, alpha


@of_text
def second_body(r1: Vector, r2: Vector, s: Vector, a1: Vector, wd1: Vector, alpha: Any) -> tuple[np.ndarray, np.ndarray]:
    """Give the accelerations of body 2, (18) and (17).

    Returns
    -------
    a2, wd2 : numpy.ndarray
        Of body 2.
    """
    r1, r2, s, a1, wd1 = map(array, (r1, r2, s, a1, wd1))
    a2 = a1 + tilde(r2 - r1) @ wd1 + tilde(r2) @ s * alpha
    return a2, wd1 + s * alpha


@of_text
def joint_force(m2: Any, I2: Matrix, r2: Vector, a2: Vector, wd2: Vector) -> tuple[np.ndarray, np.ndarray]:
    """Give force and couple that the joint exerts on body 2 at P (3, 4, 10); the couple has no component along s (16).

    Returns
    -------
    f2, n2 : numpy.ndarray
        The force [N] and the couple [N m].
    """
    f2 = m2 * array(a2)
    return f2, array(I2) @ array(wd2) - tilde(r2) @ f2


# -- the same by 6-D vectors ---------------------------------------------------------------------------------


@of_text
def spatial_inertia(m1: Any, I1: Matrix, m2: Any, I2: Matrix, r1: Vector, r2: Vector, s: Vector) -> np.ndarray:
    """Give the apparent inertia of body 1 at C1 by 6-D vectors, angular part first.

    I1 + I2 - I2 S S^T I2 / (S^T I2 S), with S = (s, r1 x s) the joint axis as seen from C1.

    Returns
    -------
    numpy.ndarray
        6 x 6.
    """
    _check(m1=m1, I1=I1)
    joint_terms(m2, I2, r1, r2, s)  # refuses what has no answer
    r1, r2, s = map(array, (r1, r2, s))
    I1_6 = rigid_body_inertia(m1, np.zeros(3), I1)
    I2_6 = rigid_body_inertia(m2, r1 - r2, I2)  # C2 is at r1 - r2 from C1
    S = motion(s, tilde(r1) @ s)
    U = I2_6 @ S
    return np.asarray(I1_6 + I2_6 - np.outer(U, U) / (S @ U))


@of_text
def spatial_accelerations(
    m1: Any, I1: Matrix, m2: Any, I2: Matrix, r1: Vector, r2: Vector, s: Vector, f: Vector, n: Vector
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Give the accelerations of body 1 and of the joint by 6-D vectors; the same as `accelerations`.

    Returns
    -------
    a1, wd1 : numpy.ndarray
        Of body 1.
    alpha : number
        Of the joint.
    """
    _check(f=f, n=n)
    a = _accelerations(spatial_inertia(m1, I1, m2, I2, r1, r2, s), motion(n, f))
    r1, r2, s = map(array, (r1, r2, s))
    S = motion(s, tilde(r1) @ s)
    U = rigid_body_inertia(m2, r1 - r2, I2) @ S
    return a[3:], a[:3], -(U @ a) / (S @ U)
