"""Mass matrix and velocity terms of one rigid body about the origin of its frame, wherever the mass centre is.

The equations of one body are M vdot + h = Q with v = (rdot, omega): r the body's origin, omega in body axes, Q = (F, n)
the force and the moment about the origin, in space in body axes. J is the inertia about the mass centre, c the mass
centre in body axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.equations.arrays import array, tilde
from linkwright.equations.plane import rotate90
from linkwright.equations.rotations import cross, dot
from linkwright.graph import Scalar


def planar(m: Scalar, J: Scalar, c: Any, A: np.ndarray, omega: Scalar) -> tuple[np.ndarray, np.ndarray]:
    """M = [m I, m B c; ., J + m c.c] and h = (-m omega^2 A c, 0) (Haug 6.1.11); B = A R."""
    M = np.zeros((3, 3), dtype=object)
    h = np.zeros(3, dtype=object)
    M[0, 0] = M[1, 1] = m
    M[2, 2] = J + m * (c[0] * c[0] + c[1] * c[1])
    if any(type(x) is not float or x != 0 for x in c):
        s = A @ array(c)
        M[:2, 2] = M[2, :2] = m * rotate90(s)
        h[:2] = -m * omega * omega * s
    return M, h


def spatial(m: Scalar, J: np.ndarray, c: Any, A: np.ndarray, omega: Any) -> tuple[np.ndarray, np.ndarray]:
    """M = [m I, -m A c~; ., J_O] and h = (m A (w x (w x c)), w x J_O w), J_O = J - m c~ c~.

    Newton's law for the mass centre, m (rddot + A (wdot~ + w~ w~) c) = F, and its moment about the origin added to
    Euler's equation about the mass centre (Haug 11.1.9, 11.1.20).
    """
    M = np.zeros((6, 6), dtype=object)
    h = np.zeros(6, dtype=object)
    for k in range(3):
        M[k, k] = m
    w = array(omega)
    J_O = array(J)
    if any(type(x) is not float or x != 0 for x in c):
        c = array(c)
        J_O = array(J_O + m * (dot(c, c) * np.eye(3) - np.outer(c, c)))
        M[:3, 3:] = -m * (A @ tilde(c))
        M[3:, :3] = M[:3, 3:].T
        h[:3] = m * (A @ cross(w, cross(w, c)))
    M[3:, 3:] = J_O
    h[3:] = cross(w, J_O @ w)
    return M, h
