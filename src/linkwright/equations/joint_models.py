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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.equations.arrays import array
from linkwright.equations.rotations import euler_rates, product
from linkwright.equations.spatial_vectors import motion, plucker, rotation_p, rotation_z
from linkwright.graph import atan2, cos, sin

Place = Callable[[np.ndarray], tuple[np.ndarray, Any]]
Axes = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Turn = Callable[[np.ndarray], np.ndarray]
Rates = Callable[[np.ndarray, np.ndarray], np.ndarray]

NOTHING = np.zeros(6)
ORIGIN = (0.0, 0.0, 0.0)
E6 = np.eye(6)
ACROSS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # between the two axes of a universal joint


ANGLES = {
    "revolute": (True,), "screw": (True,), "cylindrical": (True, False), "universal": (True, True),
    "planar": (False, False, True),
}  # fmt: skip


def _speeds(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return v


@dataclass(frozen=True)
class Joint:
    """A joint type: numbers of variables and of speeds; place(q) -> E, r of the moved frame; axes(q, v) -> S, cJ;
    turn(q) -> Euler parameters of the moved frame; rates(q, v) -> qdot."""

    name: str
    nq: int
    nv: int
    place: Place
    axes: Axes
    turn: Turn
    rates: Rates = _speeds
    made: tuple[Any, ...] = ()  # (function, arguments) that gave it; () for those of this module, which have names

    def __reduce__(self) -> Any:
        return self.made or self.name.upper()

    @property
    def angles(self) -> tuple[bool, ...]:
        """Which of its variables are angles."""
        return ANGLES.get(self.name, (False,) * self.nq)

    def model(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """XJ, S, cJ."""
        return plucker(*self.place(q)), *self.axes(q, v)


def _fixed_axes(*columns: int) -> Axes:
    S = E6[:, columns]
    return lambda q, v: (S, NOTHING)


def _turn_z(theta: Any) -> np.ndarray:
    return array([cos(0.5 * theta), 0.0, 0.0, sin(0.5 * theta)])


def _no_turn(q: np.ndarray) -> np.ndarray:
    return np.array([1.0, 0.0, 0.0, 0.0])


def _universal(q: np.ndarray) -> tuple[np.ndarray, Any]:
    """Turn by a about z, then by b about the moved frame's z, which starts along y of the first frame."""
    return rotation_z(q[1]) @ ACROSS @ rotation_z(q[0]), ORIGIN


def _universal_axes(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    arm = rotation_z(q[1]) @ ACROSS[:, 2]  # the first frame's z, which the turn by a leaves where it is
    S = array(np.column_stack([motion(arm, np.zeros(3)), E6[:, 2]]))
    return S, v[0] * v[1] * array([arm[1], -arm[0], 0.0, 0.0, 0.0, 0.0])  # v[0] d(arm)/dt, seen from axes turning at v[1]


def _universal_turn(q: np.ndarray) -> np.ndarray:
    half = np.sqrt(0.5)
    return product(product(_turn_z(q[0]), np.array([half, -half, 0.0, 0.0])), _turn_z(q[1]))


def _planar_axes(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    E = rotation_z(q[2])
    S = array(np.column_stack([motion(np.zeros(3), E[:, 0]), motion(np.zeros(3), E[:, 1]), E6[:, 2]]))
    ux, uy, _ = E @ array([v[0], v[1], 0.0])  # the velocity in moved axes, which turn at v[2]
    return S, array([0.0, 0.0, 0.0, v[2] * uy, -v[2] * ux, 0.0])


def _free_rates(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return array([*euler_rates(q[:4], v[:3]), *(rotation_p(q[:4]).T @ v[3:])])


REVOLUTE = Joint("revolute", 1, 1, lambda q: (rotation_z(q[0]), ORIGIN), _fixed_axes(2), lambda q: _turn_z(q[0]))
PRISMATIC = Joint("prismatic", 1, 1, lambda q: (np.eye(3), (0.0, 0.0, q[0])), _fixed_axes(5), _no_turn)
CYLINDRICAL = Joint(
    "cylindrical", 2, 2, lambda q: (rotation_z(q[0]), (0.0, 0.0, q[1])), _fixed_axes(2, 5), lambda q: _turn_z(q[0])
)
UNIVERSAL = Joint("universal", 2, 2, _universal, _universal_axes, _universal_turn)
PLANAR = Joint("planar", 3, 3, lambda q: (rotation_z(q[2]), (q[0], q[1], 0.0)), _planar_axes, lambda q: _turn_z(q[2]))
SPHERICAL = Joint("spherical", 4, 3, lambda q: (rotation_p(q), ORIGIN), _fixed_axes(0, 1, 2), lambda q: q, euler_rates)
FREE = Joint("free", 7, 6, lambda q: (rotation_p(q[:4]), q[4:]), _fixed_axes(*range(6)), lambda q: q[:4], _free_rates)
FIXED = Joint("fixed", 0, 0, lambda q: (np.eye(3), ORIGIN), _fixed_axes(), _no_turn)


def screw(pitch: Any, start: Any = 0.0) -> Joint:
    """A screw that advances `pitch` metres a radian along its axis, from nothing at the angle `start`."""

    def place(q: np.ndarray) -> tuple[np.ndarray, Any]:
        return rotation_z(q[0]), (0.0, 0.0, pitch * (q[0] - start))

    S = motion((0.0, 0.0, 1.0), (0.0, 0.0, pitch)).reshape(6, 1)
    return Joint("screw", 1, 1, place, lambda q, v: (S, NOTHING), lambda q: _turn_z(q[0]), made=(screw, (pitch, start)))


def opposite(joint: Joint) -> Joint:
    """The same joint with its coordinates counted from the moved frame to the first: of one axis, the opposite sign."""
    if joint.name not in ("revolute", "prismatic", "cylindrical", "screw"):
        return joint

    def axes(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        S, cJ = joint.axes(-q, -v)
        return -S, cJ

    made = (opposite, (joint,))
    return replace(joint, place=lambda q: joint.place(-q), axes=axes, turn=lambda q: joint.turn(-q), made=made)


def is_opposite(joint: Joint) -> bool:
    """Whether it is made by `opposite`."""
    return bool(joint.made) and joint.made[0] is opposite


def coordinates(joint: Joint, E: np.ndarray, r: Any, near: Any) -> list[Any]:
    """q of the place (E, r), for joints without Euler parameters; angles within half a turn of those of `near`."""
    if is_opposite(joint):
        return [-x for x in coordinates(joint.made[1][0], E, r, [-x for x in near])]
    match joint.name:
        case "revolute" | "screw":
            return [_angle(E[0, 1], E[0, 0], near[0])]
        case "prismatic":
            return [r[2]]
        case "cylindrical":
            return [_angle(E[0, 1], E[0, 0], near[0]), r[2]]
        case "planar":
            return [r[0], r[1], _angle(E[0, 1], E[0, 0], near[2])]
        case "universal":  # the last row of E knows a alone, its last column b
            return [_angle(-E[2, 0], E[2, 1], near[0]), _angle(-E[0, 2], -E[1, 2], near[1])]
        case _:
            return []


def _angle(s: Any, c: Any, near: Any) -> Any:
    """The angle of this sine and cosine within half a turn of `near`."""
    c0, s0 = cos(near), sin(near)
    return near + atan2(s * c0 - c * s0, c * c0 + s * s0)


def neutral(joint: Joint) -> np.ndarray:
    """The configuration in which a joint has not moved."""
    q = np.zeros(joint.nq)
    if joint.nq > joint.nv:
        q[0] = 1.0
    return q
