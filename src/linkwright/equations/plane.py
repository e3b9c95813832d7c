"""Rotation and rigid placement in the plane.

Notation (Haug, chapter 2): a body has the origin r and the angle phi, counter-clockwise and never wrapped; s' are
components in the body's axes, s = A s' the global ones. Vectors are numpy object arrays of two scalars, traced
or plain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from linkwright.graph import Scalar, cos, sin, sqrt

Vector: TypeAlias = np.ndarray
Pair: TypeAlias = "np.ndarray | Sequence[Scalar]"


def vector(components: Pair) -> Vector:
    """Two scalars as an array."""
    return np.array([components[0], components[1]], dtype=object)


def A(phi: Scalar) -> np.ndarray:
    """The rotation matrix [[cos, -sin], [sin, cos]]: s = A s' (Haug 2.4.4)."""
    c, s = cos(phi), sin(phi)
    return np.array([[c, -s], [s, c]], dtype=object)


def dot(a: Pair, b: Pair) -> Scalar:
    """The scalar product."""
    product: Scalar = a[0] * b[0] + a[1] * b[1]
    return product


def rotate90(v: Pair) -> Vector:
    """R v, the vector turned by +90 degrees; its product with w is the cross product v x w."""
    return np.array([-v[1], v[0]], dtype=object)


def direction(angle: Scalar) -> Vector:
    """The unit vector u = (cos, sin) at this angle."""
    return np.array([cos(angle), sin(angle)], dtype=object)


def unit(v: Pair) -> Vector:
    """v / |v|. Singular for a zero vector: whoever describes a line must give two distinct points."""
    length = sqrt(dot(v, v))
    return np.array([v[0] / length, v[1] / length], dtype=object)


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a body is: its origin r [m] and its angle phi [rad], not wrapped."""

    r: Pair
    phi: Scalar

    @cached_property
    def A(self) -> np.ndarray:
        """The rotation matrix, traced once a pose."""
        return A(self.phi)

    def point(self, s: Pair) -> Vector:
        """Global place of the body's point s': r + A s' (Haug 2.4.8)."""
        out: Vector = vector(self.r) + self.vector(s)
        return out

    def vector(self, v: Pair) -> Vector:
        """Global components of the body's vector v': A v'."""
        out: Vector = self.A @ vector(v)
        return out


GROUND = Pose((0.0, 0.0), 0.0)
