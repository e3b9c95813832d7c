"""How far one frame is turned from another, as three numbers that a soft joint can pull back: of small turns the angles
about the axes of the first frame.

Three numbers cannot do this for all turns alike. What the forms have in common: a turn about one axis of the frame is its
angle, whatever the angle. They differ in what a small turn beside a large one counts, and in how far they reach.

e = (e0, e1, e2, e3): Euler parameters of the turn, e0 >= 0 (see `shorter`).
"""

from __future__ import annotations

import numpy as np

from linkwright.equations.arrays import array
from linkwright.equations.rotations import Vector, cross, dot
from linkwright.graph import Scalar, atan2, cos, sin, sqrt, where

NO_TURN = 1e-24  # of sin^2(angle/2): below, directions of turns are rounding, and all forms are alike


def shorter(e: Vector) -> np.ndarray:
    """The Euler parameters of the same turn with e0 >= 0: by at most half a turn."""
    sign = where(e[0] >= 0.0, 1.0, -1.0)
    return array([sign * x for x in e])


def about_axes(e: Vector, alike: bool = False) -> np.ndarray:
    """Angles about the axes of the first frame: theta for a turn by theta about one of them, and eps for a small turn eps
    about another that comes after it, in the axes of the first frame, whichever axis it is (up to half a turn).

    With n = |(e1, e2, e3)| = sin(theta/2) and u the axis of the turn, s_k = 2 atan2(e_k, e0 + (1 - u_k^2)^2 n^2/(1 + e0)):
    the twist 2 atan2(e_k, e0) about the axis of a turn, 2 e_k across it. Across, these are angles in axes half-way between
    the frames: they are turned back by half the large turn, b_k = u_k^4 s_k/2 as a rotation vector (left out if all are to
    count `alike`). At no turn the derivatives are continuous up to the first, of s.s up to the third.
    """
    n2 = dot(e[1:], e[1:])
    turned = n2 > NO_TURN
    part = [x * x / where(turned, n2, 1.0) for x in e[1:]]  # u_k^2
    beside = [where(turned, (1.0 - p) * (1.0 - p) * n2 / (1.0 + e[0]), 0.0) for p in part]
    s = array([2.0 * atan2(x, e[0] + w) for x, w in zip(e[1:], beside, strict=True)])
    if alike:
        return s
    return _rotated(array([where(turned, 0.5 * p * p * x, 0.0) for p, x in zip(part, s, strict=True)]), s)


def _rotated(b: Vector, s: Vector) -> np.ndarray:
    """s turned by the rotation vector b, |b| below half a turn: Rodrigues."""
    square = dot(b, b)
    turned = square > NO_TURN
    size = sqrt(where(turned, square, 1.0))
    once, twice = cross(b, s), cross(b, cross(b, s))
    first, second = where(turned, sin(size) / size, 1.0), where(turned, (1.0 - cos(size)) / (size * size), 0.5)
    return array([x + first * y + second * z for x, y, z in zip(s, once, twice, strict=True)])


def rotation_vector(e: Vector) -> np.ndarray:
    """theta u: the angle times the axis, alike for all axes. A small turn eps beside a large one theta counts
    eps (theta/2)/sin(theta/2) here."""
    n2 = dot(e[1:], e[1:])
    turned = n2 > 1e-3
    n = sqrt(where(turned, n2, 1.0))
    # asin(n)/n by its series: the next term is below rounding
    series = 1.0 + n2 * (1 / 6 + n2 * (3 / 40 + n2 * (15 / 336 + n2 * (105 / 3456 + n2 * 945 / 42240))))
    factor = 2.0 * where(turned, atan2(n, e[0]) / n, series)
    return array([factor * x for x in e[1:]])


def cardan(e: Vector) -> np.ndarray:
    """Cardan (Bryant) angles: first about x, then about the turned y, last about the z of the second frame. Up to a quarter
    turn about y, where the first and the last axis coincide."""
    across = [e[0] * e[0] + e[1] * e[1] - e[2] * e[2] - e[3] * e[3], 2.0 * (e[0] * e[3] - e[1] * e[2])]
    up = e[0] * e[0] - e[1] * e[1] - e[2] * e[2] + e[3] * e[3]
    first = atan2(2.0 * (e[0] * e[1] - e[2] * e[3]), up)
    second = atan2(2.0 * (e[0] * e[2] + e[1] * e[3]), sqrt(across[0] * across[0] + across[1] * across[1]))
    return array([first, second, atan2(across[1], across[0])])


def swing(e: Vector, axis: int) -> tuple[Scalar, Scalar]:
    """How far the frame's axis (0, 1, 2) is tilted, as angles about the next two axes of the first frame; no matter how far
    it is twisted, with or without whole turns. Up to half a turn of tilt."""
    b, c = 1 + (axis + 1) % 3, 1 + (axis + 2) % 3
    a = e[1 + axis]
    size = sqrt(e[0] * e[0] + a * a)  # cos(tilt/2)
    tilt = [size, 0.0, 0.0, 0.0]
    tilt[b], tilt[c] = (e[0] * e[b] - a * e[c]) / size, (e[0] * e[c] + a * e[b]) / size
    angles = about_axes(tilt, alike=True)
    return angles[b - 1], angles[c - 1]


def twist(e: Vector, axis: int) -> Scalar:
    """How far it is turned about its axis (0, 1, 2), tilt aside: 2 atan2(e_k, e0), up to whole turns."""
    out: Scalar = 2.0 * atan2(e[1 + axis], e[0])
    return out
