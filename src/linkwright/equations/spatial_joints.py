"""Joints in space, each a composition of basic constraints (Haug 9.4.3-9.4.5).

Most joints take a frame on each body: origin P, and the triad f, g, h (x, y, z) in global components. The axis of a
joint is h. d = P_j - P_i. Each function returns its residuals in the order of NAMES[joint]. A row is named after what it
sets to zero: ``x y z`` components of d; two letters a dot product, the first of body i and the second of body j or d:
``fh`` is f_i . h_j, ``gd`` is g_i . d; ``df`` is d . f_j, a condition on the axis of body j.

All conditions on directions are dot products that vanish: they accept an axis in either sense (h_j = -h_i) and are
regular there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.equations import basic_constraints as basic
from linkwright.equations.arrays import array
from linkwright.equations.basic_constraints import Residuals, between, dot1, dot2, parallel1, parallel2
from linkwright.equations.rotations import Pose, Vector, dot, frame_parameters, product, relative_parameters
from linkwright.graph import Scalar, atan2


@dataclass(frozen=True, eq=False)
class Frame:
    """A joint's frame in global components: origin and the unit vectors f, g, h; `body` and `C`: what it is made of."""

    origin: np.ndarray
    f: np.ndarray
    g: np.ndarray
    h: np.ndarray
    body: Pose | None = None
    C: np.ndarray | None = None

    @classmethod
    def on(cls, body: Pose, s_b: Vector = (0.0, 0.0, 0.0), C: np.ndarray | None = None) -> Frame:
        """The frame at s' on a body with the axes C = [f', g', h'] (those of the body if not said)."""
        A = body.A if C is None else body.A @ np.asarray(C, dtype=object)
        return cls(body.point(s_b), A[:, 0], A[:, 1], A[:, 2], body, C)

    @cached_property
    def p(self) -> np.ndarray:
        """Its Euler parameters: those of its body times those of its axes on the body, whose sign is arbitrary."""
        assert self.body is not None
        return array(self.body.p) if self.C is None else product(self.body.p, frame_parameters(self.C))


_POINT = ("x", "y", "z")
_AXIS = ("fh", "gh")
_LINE = ("fd", "gd")
_LINE_J = ("df", "dg")

NAMES: dict[str, tuple[str, ...]] = {
    "spherical": _POINT,
    "at_point": _POINT,
    "revolute": (*_POINT, *_AXIS),
    "cylindrical": (*_AXIS, *_LINE),
    "translational": (*_AXIS, *_LINE, "gf"),
    "translational_perpendicular": (*_AXIS, *_LINE, "ff"),
    "screw": (*_AXIS, *_LINE, "pitch"),
    "universal": (*_POINT, "hh"),
    "constant_velocity": (*_POINT, "twist"),
    "planar": (*_AXIS, "hd"),
    "fixed": (*_POINT, *_AXIS, "gf"),
    "orientation": (*_AXIS, "gf"),
    "parallel_axes": _AXIS,
    "perpendicular_axes": ("hh",),
    "in_line": _LINE,
    "in_plane": ("hd",),
    "distance": ("length",),
    "revolute_spherical": ("length", "hd"),
    "revolute_revolute_parallel": (*_AXIS, "hd", "length"),
    "revolute_revolute_orthogonal": ("hd", *_LINE_J, "length"),
    "revolute_cylindrical": ("hh", *_LINE_J),
    "revolute_translational": ("ff", "gf", *_LINE_J),
    "strut": _LINE,
}

# -- parts ----------------------------------------------------------------------------------------------------


def spherical(i: Frame, j: Frame) -> Residuals:
    """P_i = P_j (9.4.18). Three freedoms."""
    return basic.spherical(i.origin, j.origin)


at_point = spherical


def parallel_axes(i: Frame, j: Frame) -> Residuals:
    """h_i parallel to h_j."""
    return parallel1(i.f, i.g, j.h)


def perpendicular_axes(i: Frame, j: Frame) -> Residuals:
    """h_i . h_j = 0."""
    return [dot1(i.h, j.h)]


def orientation(i: Frame, j: Frame) -> Residuals:
    """The triads stay parallel: f_i . h_j = g_i . h_j = g_i . f_j = 0. Three freedoms, all of translation.

    Regular at any orientation of either body, also at a turn by 180 degrees. Three more solutions, a half turn about
    f, g or h away, are told apart by the estimate.
    """
    return [*parallel_axes(i, j), dot1(i.g, j.f)]


def in_line(i: Frame, j: Frame) -> Residuals:
    """P_j on the line through P_i along h_i. Four freedoms."""
    return parallel2(i.f, i.g, between(i.origin, j.origin))


def in_plane(i: Frame, j: Frame) -> Residuals:
    """P_j in the plane through P_i with the normal h_i. Five freedoms."""
    return [dot2(i.h, between(i.origin, j.origin))]


# -- joints ---------------------------------------------------------------------------------------------------


def revolute(i: Frame, j: Frame) -> Residuals:
    """P_i = P_j, h_i parallel to h_j (9.4.22). One freedom: `joint_angle`."""
    return [*spherical(i, j), *parallel_axes(i, j)]


def cylindrical(i: Frame, j: Frame) -> Residuals:
    """h_i parallel to h_j, P_j on that axis (9.4.23). Two freedoms: `joint_angle`, `displacement`. Regular at d = 0."""
    return [*parallel_axes(i, j), *in_line(i, j)]


def translational(i: Frame, j: Frame, *, perpendicular: bool = False) -> Residuals:
    """A cylindrical joint that cannot turn. One freedom: `displacement`.

    The turn is locked with the triads aligned, g_i . f_j = 0, as the book's machines have them. `perpendicular` takes
    the letter of 9.4.24 instead: f_i . f_j = 0, x axes at right angles.
    """
    return [*cylindrical(i, j), dot1(i.f if perpendicular else i.g, j.f)]


def screw(i: Frame, j: Frame, pitch: Scalar, theta: Scalar, theta_0: Scalar = 0.0) -> Residuals:
    """A cylindrical joint with h_i . d = pitch (theta - theta_0) (9.4.25-26). One freedom.

    The pitch is the advance along h_i **per radian** [m/rad] (a lead per turn is 2 pi times it), positive for a
    right-handed thread; theta is the joint's angle, continuous over turns (`joint_angle`); theta_0 its value at d = 0.
    """
    return [*cylindrical(i, j), displacement(i, j) - pitch * (theta - theta_0)]


def universal(i: Frame, j: Frame) -> Residuals:
    """Hooke's joint: P_i = P_j, cross arms h_i and h_j perpendicular (9.4.19). Two freedoms: `universal_angles`.

    Locks where a shaft comes to lie along the other body's cross arm (shafts at 90 degrees).
    """
    return [*spherical(i, j), *perpendicular_axes(i, j)]


def constant_velocity(i: Frame, j: Frame) -> Residuals:
    """Homokinetic joint of shafts along h_i and h_j, which point the same way through: two freedoms.

    P_i = P_j and 2 e3 = 0, with the Euler parameters (e0, e1, e2, e3) of the turn from frame i to frame j: the shafts bend
    about an axis in the plane of f and g and do not twist. With e3 = 0 the relative angular velocity 2 E pdot, 2 G pdot
    has opposite components along h_i and h_j, so it has none along h_i + h_j; with omega_i = Omega_i h_i and omega_j =
    Omega_j h_j this reads (Omega_j - Omega_i)(1 + cos beta) = 0 at the bend beta: equal speeds, up to beta = 180 degrees.

    Linear in e3, the row is regular wherever it holds, folded shafts included, and nothing else satisfies it. (The
    product f_i . g_j - g_i . f_j = -4 e0 e3 would also vanish with e0 = 0, and folded shafts pass from one to the other.)
    """
    return [*spherical(i, j), 2 * relative_parameters(i.p, j.p)[3]]


def planar(i: Frame, j: Frame) -> Residuals:
    """Two planes on each other: h_i parallel to h_j, P_j in the plane of i. Three freedoms."""
    return [*parallel_axes(i, j), *in_plane(i, j)]


def fixed(i: Frame, j: Frame) -> Residuals:
    """P_i = P_j and parallel triads: no freedom. Regular at every orientation (see `orientation`)."""
    return [*spherical(i, j), *orientation(i, j)]


# -- composite joints: a massless coupler between two joints, left out ----------------------------------------


def distance(i: Frame, j: Frame, length: Scalar) -> Residuals:
    """Spherical-spherical: |d| = length > 0 (9.4.17, 9.4.28). Five freedoms; the coupler's own spin is left out."""
    return [basic.distance(i.origin, j.origin, length)]


def revolute_spherical(i: Frame, j: Frame, length: Scalar) -> Residuals:
    """A coupler hinged on body i about h_i, with a ball at P_j, perpendicular to h_i (9.4.29). Four freedoms."""
    return [*distance(i, j, length), *in_plane(i, j)]


def revolute_revolute_parallel(i: Frame, j: Frame, length: Scalar) -> Residuals:
    """A coupler between parallel hinges h_i and h_j, perpendicular to both (9.4.30). Two freedoms; length > 0."""
    return [*parallel_axes(i, j), *in_plane(i, j), *distance(i, j, length)]


def revolute_revolute_orthogonal(i: Frame, j: Frame, length: Scalar) -> Residuals:
    """A coupler along the hinge h_j, perpendicular to the hinge h_i that meets it (9.4.31). Two freedoms; length > 0."""
    return [*in_plane(i, j), *in_line(j, i), *distance(i, j, length)]


def revolute_cylindrical(i: Frame, j: Frame) -> Residuals:
    """A coupler hinged on i about h_i, turning and sliding on the axis h_j, which meets h_i at 90 degrees (9.4.32).

    Three freedoms. Regular at d = 0. The other order of bodies is another mechanism.
    """
    return [*perpendicular_axes(i, j), *in_line(j, i)]


def revolute_translational(i: Frame, j: Frame) -> Residuals:
    """A coupler hinged on i about h_i, sliding on j along h_j without turning; f_j along h_i (9.4.33). Two freedoms."""
    return [*parallel1(i.f, i.g, j.f), *in_line(j, i)]


def strut(i: Frame, j: Frame) -> Residuals:
    """A rod that slides along h_i of body i, with a ball at P_j (9.4.34). Four freedoms; the rod's spin is left out."""
    return in_line(i, j)


# -- joint coordinates ----------------------------------------------------------------------------------------


def joint_angle(i: Frame, j: Frame, theta_ref: Any = None) -> Any:
    """Angle from f_i to f_j about h_i [rad]; within half a turn of theta_ref if that is given, else in [-pi, pi]."""
    theta = basic.angle(i.f, i.g, j.f)
    return theta if theta_ref is None else basic.continuous(theta, theta_ref)


def displacement(i: Frame, j: Frame) -> Any:
    """h_i . d [m]: how far P_j lies from P_i along the axis."""
    return dot(i.h, between(i.origin, j.origin))


def universal_angles(i: Frame, j: Frame) -> tuple[Any, Any]:
    """The turns of a universal joint: of the cross about h_i against body i, of body j about h_j against the cross.

    Zero where h_j is along f_i, and where f_j is along h_i. On the joint omega_j - omega_i = alphadot h_i + betadot h_j.
    """
    return atan2(dot(i.g, j.h), dot(i.f, j.h)), atan2(-dot(j.g, i.h), dot(j.f, i.h))


def bend_angles(i: Frame, j: Frame) -> tuple[Any, Any]:
    """How far the shaft h_j of a constant-velocity joint is tilted against h_i, as seen along f_i and along g_i [rad]."""
    along = dot(i.h, j.h)
    return atan2(-dot(i.g, j.h), along), atan2(dot(i.f, j.h), along)
