"""Featherstone's 6-D vectors (Rigid Body Dynamics Algorithms, sections 2.8, 2.9 and 2.13), on plain and on traced scalars.

A motion vector is (angular, linear), a force vector is (couple, force): the angular part comes first. A Plücker
transform X takes motion vectors from frame A to frame B, where B has its origin at r in A and the matrix E takes
components in A to components in B (the transpose of the rotation matrix of B in A). Forces go the other way with X^T.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import graph
from linkwright.equations import rotations
from linkwright.equations.arrays import array, block, tilde

ZERO = np.zeros((3, 3))
ONE = np.eye(3)


def motion(angular: Any, linear: Any) -> np.ndarray:
    """(angular, linear) as one 6-vector; also (couple, force)."""
    return array([*angular, *linear])


def rotation_z(theta: Any) -> np.ndarray:
    """E of a frame turned by theta [rad] about z."""
    c, s = graph.cos(theta), graph.sin(theta)
    return array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_p(p: Any) -> np.ndarray:
    """E of a frame with the unit Euler parameters p, scalar first: A(p)^T."""
    return rotations.A(p).T


def plucker(E: Any, r: Any) -> np.ndarray:
    """X = [E 0; -E r~ E]: motion vectors from a frame to the one at r with axes E."""
    E = array(E)
    return block([[E, ZERO], [-(E @ tilde(r)), E]])


def rotation(E: Any) -> np.ndarray:
    """X of a change of axes, rot(E)."""
    return plucker(E, (0.0, 0.0, 0.0))


def translation(r: Any) -> np.ndarray:
    """X of a shift of the origin by r, xlt(r)."""
    return plucker(ONE, r)


def place(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E and r of a Plücker transform."""
    E = X[:3, :3]
    rx = -(E.T @ X[3:, :3])
    return E, array([rx[2, 1], rx[0, 2], rx[1, 0]])


def inverse(X: np.ndarray) -> np.ndarray:
    """X^-1 = [E^T 0; r~ E^T E^T]."""
    Et = X[:3, :3].T
    return block([[Et, ZERO], [X[3:, :3].T, Et]])


def crm(v: Any) -> np.ndarray:
    """v x, the cross product of a motion vector with motion vectors: [omega~ 0; v~ omega~]."""
    w = tilde(v[:3])
    return block([[w, ZERO], [tilde(v[3:]), w]])


def crf(v: Any) -> np.ndarray:
    """v x*, the cross product of a motion vector with force vectors: -(v x)^T."""
    return -crm(v).T


def rigid_body_inertia(m: Any, c: Any, I: Any) -> np.ndarray:  # noqa: E741
    """6 x 6 inertia of a body at the frame's origin: mass m, mass centre c, inertia I about the mass centre."""
    C = tilde(c)
    mC = m * C
    return block([[array(I) + mC @ C.T, mC], [mC.T, m * ONE]])


def mass_centre_inertia(I6: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, mass centre and inertia about it, of a 6 x 6 rigid-body inertia with a mass."""
    m = I6[5, 5]
    mC = I6[:3, 3:]
    c = array([mC[2, 1], mC[0, 2], mC[1, 0]]) / m
    return m, c, I6[:3, :3] - mC @ tilde(c).T
