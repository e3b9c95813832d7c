"""The basic constraints in space: one scalar equation each (or a few), of global points and vectors.

Every joint is made of these. Three sources name them differently:

| here                  | Haug (1989)             | Nikravesh       | ME751 |
|-----------------------|-------------------------|-----------------|-------|
| dp1, dot1             | dot-1, 9.4.3            | n1              | DP1   |
| dp2, dot2             | dot-2, 9.4.6            | n2              | DP2   |
| d, distance           | ss, 9.4.8               | s-s             | D     |
| cd                    | -                       | -               | CD    |
| spherical             | s, 9.4.7                | s, sign changed | 3 CD  |
| parallel1             | p1, 9.4.9               | p1 (a x b = 0)  | 2 DP1 |
| parallel2             | p2, 9.4.10              | p2 (a x d = 0)  | 2 DP2 |
| absolute_coordinate   | 9.4.15                  | -               | CD    |
| absolute_euler        | 9.4.15                  | -               | -     |
| normalisation         | 9.6.3                   | p.p - 1         | P     |

i is the first body, j the second; P_i, P_j are points, a, f, g, h directions, d = P_j - P_i; f, g, h is a right-handed
triad of unit vectors. The value f is a number or a motion f(t); an equation holds where its residual is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.equations.arrays import array
from linkwright.equations.rotations import Vector, dot
from linkwright.graph import Scalar, atan2
from linkwright.graph.arithmetic import apply

Residuals = list[Any]
TURN = 2 * np.pi


def between(P_i: Vector, P_j: Vector) -> np.ndarray:
    """d = P_j - P_i."""
    return np.asarray(array(P_j) - array(P_i))


# -- ME751's four ---------------------------------------------------------------------------------------------


def dp1(a_i: Vector, a_j: Vector, f: Scalar = 0.0) -> Any:
    """a_i . a_j - f. Its gradient vanishes where the vectors are parallel: f must stay inside +-|a_i||a_j|."""
    return dot(a_i, a_j) - f


def dp2(a_i: Vector, d_ij: Vector, f: Scalar = 0.0) -> Any:
    """a_i . d - f: how far P_j lies from P_i along a_i."""
    return dot(a_i, d_ij) - f


def d(d_ij: Vector, f: Scalar = 0.0) -> Any:
    """d . d - f, f > 0 the distance squared. Its gradient vanishes at d = 0."""
    return dot(d_ij, d_ij) - f


def cd(c: Vector, d_ij: Vector, f: Scalar = 0.0) -> Any:
    """c . d - f with a vector c fixed in space."""
    return dot(c, d_ij) - f


# -- Haug's ---------------------------------------------------------------------------------------------------


def dot1(a_i: Vector, a_j: Vector) -> Any:
    """a_i . a_j = 0 (9.4.3): perpendicular directions."""
    return dp1(a_i, a_j)


def dot2(a_i: Vector, d_ij: Vector) -> Any:
    """a_i . d = 0 (9.4.6). At d = 0 it fixes no direction."""
    return dp2(a_i, d_ij)


def parallel1(f_i: Vector, g_i: Vector, h_j: Vector) -> Residuals:
    """f_i . h_j = g_i . h_j = 0 (9.4.9): h_j parallel to h_i, in either sense."""
    return [dot1(f_i, h_j), dot1(g_i, h_j)]


def parallel2(f_i: Vector, g_i: Vector, d_ij: Vector) -> Residuals:
    """f_i . d = g_i . d = 0 (9.4.10): P_j on the line through P_i along h_i; regular at d = 0."""
    return [dot2(f_i, d_ij), dot2(g_i, d_ij)]


def spherical(P_i: Vector, P_j: Vector) -> Residuals:
    """d = P_j - P_i = 0 (9.4.7), three equations."""
    return list(between(P_i, P_j))


def distance(P_i: Vector, P_j: Vector, C: Scalar) -> Any:
    """d . d - C^2 = 0 (9.4.8), C > 0 [m]."""
    return d(between(P_i, P_j), C * C)


def absolute_coordinate(P_i: Vector, k: int, value: Scalar) -> Any:
    """Global coordinate k (0, 1, 2) of a point is the value (9.4.15)."""
    return P_i[k] - value


def absolute_euler(p: Vector, p_0: Vector) -> Residuals:
    """e - e_0 = 0 (9.4.15), three equations that fix an orientation together.

    Singular where e0 = 0 (a turn by 180 degrees): there the orientation joint is the one to use.
    """
    return [p[k] - p_0[k] for k in (1, 2, 3)]


def normalisation(p: Vector) -> Any:
    """p . p - 1 = 0 (9.6.3)."""
    return dot(p, p) - 1.0


# -- the angle between two frames -----------------------------------------------------------------------------


def angle(f_i: Vector, g_i: Vector, f_j: Vector) -> Any:
    """theta = atan2(g_i . f_j, f_i . f_j) in [-pi, pi] (9.2.26-31): from f_i to f_j, counter-clockwise about h_i.

    Defined off the joint, too, where h_i and h_j are not yet parallel; singular where f_j is along h_i.
    """
    return atan2(dot(g_i, f_j), dot(f_i, f_j))


def continuous(theta: Any, theta_ref: Any) -> Any:
    """theta + 2 pi n, with the whole number n that brings it within half a turn of theta_ref.

    With theta_ref the angle at an instant before, angles go on over many turns. Derivatives are those of theta.
    """
    return theta + TURN * apply("rint", (theta_ref - theta) * (1.0 / TURN))
