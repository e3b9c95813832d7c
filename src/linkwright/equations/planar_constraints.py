"""Lower pairs and basic constraints of the plane (Haug, sections 3.2 and 3.3).

P_i, P_j are global points of bodies i and j, v_i, v_j global unit vectors carried by them, phi_i, phi_j their angles,
d = P_j - P_i. A scalar, or each scalar of a list, is zero where the constraint holds. Constants may be functions
of time: the constraint is then a driver (section 3.5).
"""

from __future__ import annotations

from linkwright.equations.basic_constraints import continuous
from linkwright.equations.plane import Vector, dot, rotate90
from linkwright.graph import Scalar, sqrt

# -- one body and the ground -----------------------------------------------------------------------------------


def absolute_x(P: Vector, C: Scalar) -> Scalar:
    """x_P - C [m] (Haug 3.2.3; driver 3.5.1)."""
    x: Scalar = P[0]
    return x - C


def absolute_y(P: Vector, C: Scalar) -> Scalar:
    """y_P - C [m] (Haug 3.2.4; driver 3.5.2)."""
    y: Scalar = P[1]
    return y - C


def absolute_angle(phi: Scalar, C: Scalar) -> Scalar:
    """phi - C [rad] (Haug 3.2.6; driver 3.5.3). C and C + 2 pi are different places."""
    return phi - C


def absolute_distance(P: Vector, centre: Vector, C: Scalar) -> Scalar:
    """(P - c).(P - c) - C^2 [m^2] (Haug 3.2.1). C > 0: at zero the row of the Jacobian vanishes."""
    return relative_distance(P, centre, C)


# -- two bodies --------------------------------------------------------------------------------------------------


def relative_x(P_i: Vector, P_j: Vector, C: Scalar) -> Scalar:
    """x_j - x_i - C [m] (Haug 3.3.1; driver 3.5.5)."""
    return absolute_x(P_j - P_i, C)


def relative_y(P_i: Vector, P_j: Vector, C: Scalar) -> Scalar:
    """y_j - y_i - C [m] (Haug 3.3.3; driver 3.5.6)."""
    return absolute_y(P_j - P_i, C)


def relative_angle(phi_i: Scalar, phi_j: Scalar, C: Scalar) -> Scalar:
    """phi_j - phi_i - C [rad] (Haug 3.3.5; driver 3.5.7). Angles are not wrapped."""
    return phi_j - phi_i - C


def relative_distance(P_i: Vector, P_j: Vector, C: Scalar) -> Scalar:
    """D.D - C^2 [m^2], D = P_i - P_j: a massless link (Haug 3.3.7, 3.3.15; driver 3.5.8).

    C > 0: at zero this is really the two equations of a revolute joint, and the row of the Jacobian vanishes.
    """
    D = P_i - P_j
    return dot(D, D) - C * C


def revolute(P_i: Vector, P_j: Vector) -> list[Scalar]:
    """P_i - P_j [m]: the points coincide (Haug 3.3.10)."""
    return list(P_i - P_j)


def translational(P_i: Vector, v_i: Vector, P_j: Vector, v_j: Vector) -> list[Scalar]:
    """[v_i_perp.d, v_i_perp.v_j] [m, 1]: P_j on the line through P_i, the lines parallel (Haug 3.3.13).

    v_j antiparallel satisfies it as well: see `translational_sense`.
    """
    normal = rotate90(v_i)
    return [dot(normal, P_j - P_i), dot(normal, v_j)]


def translational_sense(v_i: Vector, v_j: Vector) -> Scalar:
    """v_i.v_j: 1 where the joint is assembled as described, -1 where body j is turned by pi."""
    return dot(v_i, v_j)


def revolute_translational(P_i: Vector, v_i: Vector, P_j: Vector, offset: Scalar) -> Scalar:
    """v_i_perp.d - C [m]: P_j stays at the signed distance C from the line (Haug 3.3.16).

    C > 0: P_j is to the left, looking along v_i.
    """
    return dot(rotate90(v_i), P_j - P_i) - offset


def orientation(phi_i: Scalar, phi_j: Scalar, angle: Scalar = 0.0) -> Scalar:
    """phi_j - phi_i - angle [rad] without its whole turns, which no weld can tell: within half a turn of zero."""
    return continuous(relative_angle(phi_i, phi_j, angle), 0.0)  # type: ignore[no-any-return]


def fixed(P_i: Vector, phi_i: Scalar, P_j: Vector, phi_j: Scalar, angle: Scalar = 0.0) -> list[Scalar]:
    """[P_i - P_j, phi_j - phi_i - angle] [m, m, rad], whole turns aside: no relative motion. One place, one root."""
    return [*revolute(P_i, P_j), orientation(phi_i, phi_j, angle)]


# -- coordinates of joints: what drivers, springs and couplers act along ----------------------------------------------


def revolute_angle(phi_i: Scalar, phi_j: Scalar, theta_i: Scalar = 0.0, theta_j: Scalar = 0.0) -> Scalar:
    """(phi_j + theta_j) - (phi_i + theta_i) [rad], continuous over any number of turns (Haug 3.5.11).

    theta_i, theta_j: angles on the bodies from which the joint's angle is counted.
    """
    return (phi_j + theta_j) - (phi_i + theta_i)


def displacement(P_i: Vector, v_i: Vector, P_j: Vector) -> Scalar:
    """v_i.d [m]: how far P_j is along the line of body i; may be negative or zero (Haug 3.5.12)."""
    return dot(v_i, P_j - P_i)


def distance(P_i: Vector, P_j: Vector) -> Scalar:
    """|d| [m]. Its derivative is undefined where the points meet."""
    d = P_j - P_i
    length: Scalar = sqrt(dot(d, d))
    return length
