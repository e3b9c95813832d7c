"""Places in numbers: rotations as files of robots write them, frames along an axis, one place in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.equations import rotations
from linkwright.model import Model, Point
from linkwright.model.points import joint_frame


@dataclass(frozen=True, eq=False)
class Place:
    """A frame in another one: its origin r and its axes, the columns of A."""

    r: np.ndarray
    A: np.ndarray

    def __matmul__(self, other: Place) -> Place:
        return Place(self.r + self.A @ other.r, self.A @ other.A)

    def inverse(self) -> Place:
        return Place(-self.A.T @ self.r, self.A.T)

    @property
    def orientation(self) -> tuple[float, ...]:
        """Its Euler parameters."""
        return tuple(float(e) for e in rotations.euler_parameters(self.A))


HERE = Place(np.zeros(3), np.eye(3))


def place_of(model: Model, P: Point) -> Place:
    """The frame of a point in that of its body."""
    A = np.eye(3) if P.rotation is None else np.array([[model.value(x) for x in row] for row in P.rotation])
    return Place(np.array([model.value(x) for x in P.s]), A)


def turn(axis: Sequence[float] | np.ndarray, angle: float) -> np.ndarray:
    """The rotation about a vector of any length but zero."""
    n = np.asarray(axis, dtype=float)
    return np.asarray(rotations.A(rotations.from_axis_angle(n / np.linalg.norm(n), angle)), dtype=float)


def fixed_axes(rpy: Sequence[float] | np.ndarray) -> np.ndarray:
    """Roll, pitch and yaw about fixed axes x, y, z: A = Rz Ry Rx."""
    return np.asarray(turn((0, 0, 1), rpy[2]) @ turn((0, 1, 0), rpy[1]) @ turn((1, 0, 0), rpy[0]))


def quaternion(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """A of Euler parameters of any length but zero, scalar first."""
    e = np.asarray(p, dtype=float)
    return np.asarray(rotations.A(e / np.linalg.norm(e)), dtype=float)


def along(axis: Sequence[float] | np.ndarray) -> np.ndarray:
    """Axes whose z is along a vector."""
    C = joint_frame((0.0, 0.0, 0.0), tuple(float(x) for x in axis), None, float)
    return np.array(C, dtype=float)


def rows(A: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """A matrix as plain numbers."""
    return tuple(tuple(float(x) for x in row) for row in A)


def numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
