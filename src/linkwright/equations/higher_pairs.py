"""Gears, racks, cams, slots and couplings (Haug, section 3.4).

Everything is global: P_i, P_j points, v, u unit vectors, g tangents of outlines, phi angles that are never wrapped. Cams
assume permanent contact.

Several of these equations have a second root that is no machine: a gear on the far side, a cam inside its
follower. The `..._sense` functions tell the roots apart; which sign is right is said in each.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import pi

from linkwright.equations.plane import Vector, direction, dot, rotate90
from linkwright.graph import Scalar, atan2

# -- gears ---------------------------------------------------------------------------------------------------------


def gear(P_i: Vector, phi_i: Scalar, R_i: Scalar, P_j: Vector, phi_j: Scalar, R_j: Scalar, phase: Scalar) -> Scalar:
    """E.u_perp [m]: the line of centres E = P_j - P_i points along u(theta), as rolling demands (Haug 3.4.1-3).

    theta = (R_i phi_i + R_j phi_j)/(R_i + R_j) + phase. A ring gear has a negative radius (3.4.5-7). R_i + R_j must
    not vanish, and other constraints must keep the distance of the centres at |R_i + R_j|: see `gear_gap`.
    E antiparallel to u is a wrong root: see `gear_sense`.
    """
    return dot(P_j - P_i, rotate90(_centre_line(phi_i, R_i, phi_j, R_j, phase)))


def gear_sense(P_i: Vector, phi_i: Scalar, R_i: Scalar, P_j: Vector, phi_j: Scalar, R_j: Scalar, phase: Scalar) -> Scalar:
    """E.u [m]: positive where the gears mesh as described, negative on the wrong root."""
    return dot(P_j - P_i, _centre_line(phi_i, R_i, phi_j, R_j, phase))


def _centre_line(phi_i: Scalar, R_i: Scalar, phi_j: Scalar, R_j: Scalar, phase: Scalar) -> Vector:
    return direction(_rolled(phi_i, R_i, phi_j, R_j) + phase)


def _rolled(phi_i: Scalar, R_i: Scalar, phi_j: Scalar, R_j: Scalar) -> Scalar:
    return (R_i * phi_i + R_j * phi_j) / (R_i + R_j)


def gear_gap(P_i: Vector, R_i: Scalar, P_j: Vector, R_j: Scalar) -> Scalar:
    """E.E - (R_i + R_j)^2 [m^2]: zero where the pitch circles touch. A check on the other joints, not an equation."""
    E = P_j - P_i
    return dot(E, E) - (R_i + R_j) * (R_i + R_j)


def gear_phase(P_i: Vector, phi_i: Scalar, R_i: Scalar, P_j: Vector, phi_j: Scalar, R_j: Scalar) -> Scalar:
    """The phase with which the gears mesh in this configuration.

    A full turn more in phi_i or phi_j changes it, by 2 pi R/(R_i + R_j): give the continuous angles.
    """
    E = P_j - P_i
    theta: Scalar = atan2(E[1], E[0])
    return theta - _rolled(phi_i, R_i, phi_j, R_j)


def gear_phase_of_marks(R_i: Scalar, theta_i: Scalar, R_j: Scalar, theta_j: Scalar) -> Scalar:
    """The phase that brings marks at body angles theta_i and theta_j together at the point of contact (Haug 3.4.1).

    Internal, R_i = -ring: theta_j is the mark's angle plus pi (3.4.7, with the sign mended).
    """
    return (R_i * theta_i + R_j * (theta_j - pi)) / (R_i + R_j)


def rack_pinion(
    P_i: Vector, v_i: Vector, phi_i: Scalar, P_j: Vector, phi_j: Scalar, R_j: Scalar, phase: Scalar
) -> list[Scalar]:
    """[F.v_i - R_j alpha, F.v_i_perp - R_j] [m], F = P_j - P_i, alpha = phi_i - phi_j + phase (Haug 3.4.8-13).

    The pinion's centre P_j rolls along the rack's pitch line through P_i. R_j > 0: the pinion is to the left of v_i;
    negative: to the right. The second equation keeps the centre at its distance, so nothing else need do so.
    """
    F = P_j - P_i
    return [dot(F, v_i) - R_j * (phi_i - phi_j + phase), dot(F, rotate90(v_i)) - R_j]


def rack_phase(P_i: Vector, v_i: Vector, phi_i: Scalar, P_j: Vector, phi_j: Scalar, R_j: Scalar) -> Scalar:
    """The phase with which rack and pinion mesh in this configuration; angles continuous, as for gears."""
    return dot(P_j - P_i, v_i) / R_j - (phi_i - phi_j)


def rack_phase_of_marks(theta_i: Scalar, theta_j: Scalar) -> Scalar:
    """The phase for marks at the body angles theta_i of the rack, theta_j of the pinion, R_j > 0 (Haug 3.4.9)."""
    return theta_i - theta_j + 1.5 * pi


# -- outlines in contact ---------------------------------------------------------------------------------------------


def cam_follower(P_i: Vector, g_i: Vector, P_j: Vector, g_j: Vector) -> list[Scalar]:
    """[P_i - P_j, g_i_perp.g_j] [m, m, m^2]: outlines touch at a common point, tangents parallel (Haug 3.4.18-20).

    P and g are point and tangent of each outline at its own parameter, an unknown each: one degree of freedom goes.
    Singular where the curvatures fit (kappa_i + kappa_j = 0), as of a roller in a hollow of its own radius.
    """
    return [*(P_i - P_j), dot(rotate90(g_i), g_j)]


def cam_sense(g_i: Vector, g_j: Vector) -> Scalar:
    """g_i.g_j: negative where two counter-clockwise outlines touch from outside, positive where they overlap."""
    return dot(g_i, g_j)


def cam_flat(P_i: Vector, g_i: Vector, Q_j: Vector, u_j: Vector) -> list[Scalar]:
    """[(P_i - Q_j).u_perp, g_i.u_perp] [m, m]: the outline's point is on the face, tangent to it (Haug 3.4.24-27).

    The face is the line through Q_j along u_j, without ends. Singular where the cam's curvature vanishes.
    """
    normal = rotate90(u_j)
    return [dot(P_i - Q_j, normal), dot(g_i, normal)]


def point_follower(P_i: Vector, P_j: Vector) -> list[Scalar]:
    """P_i - P_j [m]: the pin P_i is at the point P_j of a curve, whose parameter is an unknown (Haug 3.4.31).

    Singular where the curve's tangent vanishes: see `linkwright.model.curves.check_curve`.
    """
    return list(P_i - P_j)


# -- couplings ----------------------------------------------------------------------------------------------------


def coupler(terms: Iterable[tuple[Scalar, Scalar]], constant: Scalar = 0.0) -> Scalar:
    """sum of factor * coordinate, less a constant: joint coordinates in fixed ratio. terms: (factor, coordinate)."""
    total: Scalar = 0.0
    for factor, coordinate in terms:
        total = total + factor * coordinate
    return total - constant
