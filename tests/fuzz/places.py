"""Frames in the world, and rotations in plain numpy. Machines of the plane lie in z = 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

MIRROR = np.diag([1.0, -1.0, 1.0])  # y to -y: keeps the x and z axes of frames, so directions and axes stay what they are


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(rotvec: Any) -> np.ndarray:
    """The rotation matrix of an axis times an angle (Rodrigues)."""
    a = np.asarray(rotvec, dtype=float)
    angle = np.linalg.norm(a)
    if angle == 0:
        return np.eye(3)
    K = skew(a / angle)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def euler(R: np.ndarray) -> np.ndarray:
    """Euler parameters, scalar first, of a rotation matrix; e0 >= 0."""
    K = np.array([
        [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [0, 0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
        [0, 0, 0, R[2, 2] - R[0, 0] - R[1, 1]],
    ])  # fmt: skip
    _, V = np.linalg.eigh(K, UPLO="U")
    p = V[:, -1]
    return p if p[0] >= 0 else -p


def matrices(e: np.ndarray) -> np.ndarray:
    """Rotation matrices of Euler parameters, one a row."""
    e0, v = e[:, 0], e[:, 1:]
    out = 2 * np.einsum("ti,tj->tij", v, v)
    out += (2 * e0**2 - 1)[:, None, None] * np.eye(3)
    out += 2 * e0[:, None, None] * np.array([skew(x) for x in v])
    return out


@dataclass(frozen=True)
class Place:
    """A frame in the world: rotation and position."""

    R: np.ndarray
    r: np.ndarray

    def __matmul__(self, other: Place) -> Place:
        return Place(self.R @ other.R, self.r + self.R @ other.r)

    @property
    def inverse(self) -> Place:
        return Place(self.R.T, -self.R.T @ self.r)

    @property
    def mirrored(self) -> Place:
        return Place(MIRROR @ self.R @ MIRROR, MIRROR @ self.r)

    def scaled(self, by: float) -> Place:
        return Place(self.R, self.r * by)

    @property
    def angle(self) -> float:
        """Of a frame in the plane."""
        return float(np.arctan2(self.R[1, 0], self.R[0, 0]))

    @classmethod
    def random(cls, rng: np.random.Generator, dimension: int, size: float = 1.0) -> Place:
        if dimension == 2:
            return cls(turn((0, 0, rng.uniform(-3, 3))), np.array([*rng.normal(size=2) * size, 0.0]))
        axis = rng.normal(size=3)
        return cls(turn(axis / np.linalg.norm(axis) * rng.uniform(-3, 3)), rng.normal(size=3) * size)

    @classmethod
    def of(cls, rotvec: Any = (0, 0, 0), shift: Any = (0, 0, 0)) -> Place:
        return cls(turn(rotvec), np.asarray(shift, dtype=float))


HERE = Place.of()
