"""Joint models of trees (Featherstone, chapter 4): how a joint moves, as transform, axes and velocity product.

A joint's model takes its configuration q and speeds v and gives

    XJ   Plücker transform from the frame where the joint starts to the frame it moves
    S    axes, 6 x n, in the moved frame: the velocity across the joint is S v
    cJ   dS/dt v, the part of the acceleration across the joint that a moving frame does not show (zero if S is constant)

The axis of a joint is the z axis of its frame. Angles in radians, lengths in metres.

| joint       | q                        | v                              |
|-------------|--------------------------|--------------------------------|
| revolute    | angle                    | its rate                       |
| prismatic   | displacement             | its rate                       |
| screw       | angle                    | its rate; moves pitch [m/rad]  |
| cylindrical | angle, displacement      | their rates                    |
| universal   | angle a, angle b         | their rates                    |
| planar      | x, y, angle              | their rates                    |
| spherical   | e0, e1, e2, e3           | omega, moved axes              |
| free        | e0, e1, e2, e3, x, y, z  | omega, velocity, moved axes    |
| fixed       | none                     | none                           |

The place x, y, z of a free joint is in axes of the frame it starts from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.equations.arrays import array
from linkwright.equations.rotations import euler_rates
from linkwright.equations.spatial_vectors import motion, plucker, rotation, rotation_p, rotation_z, translation

Model = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
Rates = Callable[[np.ndarray, np.ndarray], np.ndarray]

NOTHING = np.zeros(6)
E6 = np.eye(6)


def _speeds(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return v


@dataclass(frozen=True)
class Joint:
    """A joint type: numbers of variables and of speeds, model(q, v) -> XJ, S, cJ, and rates(q, v) -> qdot."""

    name: str
    nq: int
    nv: int
    model: Model
    rates: Rates = _speeds


def _revolute(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return rotation(rotation_z(q[0])), E6[:, 2:3], NOTHING


def _prismatic(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return translation((0.0, 0.0, q[0])), E6[:, 5:6], NOTHING


def _cylindrical(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return plucker(rotation_z(q[0]), (0.0, 0.0, q[1])), E6[:, [2, 5]], NOTHING


def _universal(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Turn by a about z, then by b about the moved frame's z, which starts along y of the first frame."""
    across = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    Eb = rotation_z(q[1])
    arm = Eb @ across[:, 2]  # the first frame's z, which the turn by a leaves where it is
    S = array(np.column_stack([motion(arm, np.zeros(3)), E6[:, 2]]))
    cJ = v[0] * v[1] * array([arm[1], -arm[0], 0.0, 0.0, 0.0, 0.0])  # v[0] d(arm)/dt, seen from axes turning at v[1]
    return rotation(Eb @ across @ rotation_z(q[0])), S, cJ


def _planar(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x, y, theta = q
    E = rotation_z(theta)
    S = array(np.column_stack([motion(np.zeros(3), E[:, 0]), motion(np.zeros(3), E[:, 1]), E6[:, 2]]))
    ux, uy, _ = E @ array([v[0], v[1], 0.0])  # the velocity in moved axes, which turn at v[2]
    return plucker(E, (x, y, 0.0)), S, array([0.0, 0.0, 0.0, v[2] * uy, -v[2] * ux, 0.0])


def _spherical(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return rotation(rotation_p(q)), E6[:, :3], NOTHING


def _free(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return plucker(rotation_p(q[:4]), q[4:]), E6, NOTHING


def _free_rates(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return array([*euler_rates(q[:4], v[:3]), *(rotation_p(q[:4]).T @ v[3:])])


def _fixed(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return E6, E6[:, :0], NOTHING


REVOLUTE = Joint("revolute", 1, 1, _revolute)
PRISMATIC = Joint("prismatic", 1, 1, _prismatic)
CYLINDRICAL = Joint("cylindrical", 2, 2, _cylindrical)
UNIVERSAL = Joint("universal", 2, 2, _universal)
PLANAR = Joint("planar", 3, 3, _planar)
SPHERICAL = Joint("spherical", 4, 3, _spherical, euler_rates)
FREE = Joint("free", 7, 6, _free, _free_rates)
FIXED = Joint("fixed", 0, 0, _fixed)


def screw(pitch: Any) -> Joint:
    """A screw that advances `pitch` metres a radian along its axis."""

    def model(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        S = motion((0.0, 0.0, 1.0), (0.0, 0.0, pitch)).reshape(6, 1)
        return plucker(rotation_z(q[0]), (0.0, 0.0, pitch * q[0])), S, NOTHING

    return Joint("screw", 1, 1, model)


def neutral(joint: Joint) -> np.ndarray:
    """The configuration in which a joint has not moved."""
    q = np.zeros(joint.nq)
    if joint.nq > joint.nv:
        q[0] = 1.0
    return q
