"""Joint models of trees (Featherstone, chapter 4): how a joint moves, as transform, axes and velocity product.

Of a joint only its place is written: the elementary motions that lead from the frame where it starts to the frame it moves,
one after the other, each in the axes that those before it have made. All else follows from the place:

    E, r   the moved frame in the first one, and XJ, the Plücker transform from the first to the moved frame
    p      Euler parameters of the moved frame
    S      axes, 6 x n, in the moved frame: the velocity across the joint is S v. A motion has an axis of its own, which
           the motions after it carry on
    cJ     dS/dt v, the part of the acceleration across the joint that a moving frame does not show: motions after an axis
           turn it
    qdot   v, but for Euler parameters
    q      of a given place

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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from linkwright.equations.arrays import array, traced
from linkwright.equations.rotations import euler_rates, product
from linkwright.equations.spatial_vectors import crm, plucker, rotation_p, rotation_z
from linkwright.graph import atan2, cos, sin, symbols

ORIGIN = (0.0, 0.0, 0.0)
E6 = np.eye(6)
ACROSS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # between the two axes of a universal joint


# -- elementary motions ----------------------------------------------------------------------------------------------------
# `place`: E and r of its end in its start; `turn`: Euler parameters of the same, None where it does not turn; `axes`: its
# velocity for each of its speeds, in the axes at its end, where it is constant.
@dataclass(frozen=True)
class Turn:
    """About z by the coordinate `at`; sense -1: the other way round."""

    at: int
    sense: float = 1.0

    def place(self, q: np.ndarray) -> tuple[np.ndarray, Any]:
        return rotation_z(self.sense * q[self.at]), ORIGIN

    def turn(self, q: np.ndarray) -> np.ndarray | None:
        theta = self.sense * q[self.at]
        return array([cos(0.5 * theta), 0.0, 0.0, sin(0.5 * theta)])

    @property
    def axes(self) -> np.ndarray:
        return self.sense * E6[:, 2:3]


@dataclass(frozen=True)
class Slide:
    """Along the axis x, y or z (0, 1, 2), by `pitch` for each unit of the coordinate `at`, from nothing at `start`."""

    at: int
    axis: int = 2
    sense: float = 1.0
    pitch: Any = 1.0
    start: Any = 0.0

    def place(self, q: np.ndarray) -> tuple[np.ndarray, Any]:
        advance = self.pitch * (self.sense * q[self.at] - self.start)
        return np.eye(3), tuple(advance if k == self.axis else 0.0 for k in range(3))

    def turn(self, q: np.ndarray) -> np.ndarray | None:
        return None

    @property
    def axes(self) -> np.ndarray:
        return array([[self.sense * self.pitch * x] for x in E6[3 + self.axis]])


@dataclass(frozen=True)
class Across:
    """To axes whose z axis is the y axis there was: a turn that stays. Sense -1: back."""

    sense: float = 1.0

    def place(self, q: np.ndarray) -> tuple[np.ndarray, Any]:
        return ACROSS if self.sense > 0 else ACROSS.T, ORIGIN

    def turn(self, q: np.ndarray) -> np.ndarray | None:
        half = np.sqrt(0.5)
        return np.array([half, -self.sense * half, 0.0, 0.0])

    @property
    def axes(self) -> np.ndarray:
        return np.zeros((6, 0))


@dataclass(frozen=True)
class Roll:
    """By the Euler parameters q[:4], at an angular velocity in the axes at its end. Loose: also to the place q[4:7] in the
    axes at its start, at a velocity in the axes at its end."""

    loose: bool = False

    def place(self, q: np.ndarray) -> tuple[np.ndarray, Any]:
        return rotation_p(q[:4]), q[4:7] if self.loose else ORIGIN

    def turn(self, q: np.ndarray) -> np.ndarray | None:
        return q[:4]

    @property
    def axes(self) -> np.ndarray:
        return E6 if self.loose else E6[:, :3]


Motion: TypeAlias = Turn | Slide | Across | Roll


class Freedom(NamedTuple):
    """A turn or slide with its axis, which is constant in the moved frame, or else in the first one; a turn is about that
    frame's origin of the two which stays on it: the moved one where nothing after it leads away."""

    motion: Turn | Slide
    moved: bool
    axis: np.ndarray
    about_moved: bool


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint type. ``fields``: what a joint of the model tells its slide. ``symmetric``: it looks alike from both ends, and
    its coordinates are counted from the lower body, whichever is its first."""

    name: str
    motions: tuple[Motion, ...]
    fields: tuple[str, ...] = ()
    symmetric: bool = False

    # -- what it consists of -----------------------------------------------------------------------------------------------
    @property
    def rolls(self) -> bool:
        """Whether its first four coordinates are Euler parameters."""
        return any(isinstance(x, Roll) for x in self.motions)

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return max((at.stop for at in map(self.speeds, self.motions)), default=0)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.nv + self.rolls

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(x for x in self.motions if isinstance(x, Turn))

    @property
    def angles(self) -> tuple[bool, ...]:
        """Which of its coordinates are angles."""
        at = {x.at for x in self.turns}
        return tuple(k in at for k in range(self.nq))

    def speeds(self, motion: Motion) -> slice:
        """Which of the speeds are a motion's own."""
        first = motion.at - self.rolls if isinstance(motion, Turn | Slide) else 0
        return slice(first, first + motion.axes.shape[1])

    @property
    def opposite(self) -> bool:
        """Whether its coordinates are counted from the moved frame to the first."""
        return any(not isinstance(x, Roll) and x.sense < 0 for x in self.motions)

    def reversed(self) -> Joint:
        """The same joint from its moved frame to the first: its motions undone, the last one first."""
        if self.symmetric:
            return self
        back = [x if isinstance(x, Roll) else replace(x, sense=-x.sense) for x in self.motions[::-1]]
        return replace(self, motions=tuple(back))

    @property
    def numbers(self) -> list[Any]:
        """By field."""
        return [getattr(x, field) for x in self.motions if isinstance(x, Slide) for field in self.fields]

    def given(self, *numbers: Any) -> Joint:
        """With these numbers for its fields."""
        told = dict(zip(self.fields, numbers, strict=True))
        return replace(self, motions=tuple(replace(x, **told) if isinstance(x, Slide) else x for x in self.motions))

    # -- what follows from the place ---------------------------------------------------------------------------------------
    def place(self, q: np.ndarray) -> tuple[np.ndarray, Any]:
        """E and r of the moved frame."""
        return composed(self.motions, q)

    def turn(self, q: np.ndarray) -> np.ndarray:
        """Euler parameters of the moved frame."""
        out: np.ndarray | None = None
        for motion in self.motions:
            p = motion.turn(q)
            if p is not None:
                out = p if out is None else product(out, p)
        return np.array([1.0, 0.0, 0.0, 0.0]) if out is None else out

    def turning(self, q: Any) -> Any:
        """The angle by which a joint in the plane turns its body."""
        return sum((x.sense * q[x.at] for x in self.turns), start=0.0)

    def rates(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """qdot."""
        if not self.rolls:
            return v
        loose = any(isinstance(x, Roll) and x.loose for x in self.motions)
        return array([*euler_rates(q[:4], v[:3]), *(rotation_p(q[:4]).T @ v[3:] if loose else v[3:])])

    def axes(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """S and cJ."""
        if len(self.motions) == 1:
            return self.motions[0].axes, np.zeros(6)
        S, cJ = np.zeros((6, self.nv)), np.zeros(6)
        for motion in self.motions:
            at, own = self.speeds(motion), motion.axes
            X = plucker(*motion.place(q))
            S = array(X @ S)  # axes so far, seen from axes that move on: dX/dt = -(S v of this motion) x X
            cJ = array(X @ cJ - crm(own @ v[at]) @ (S @ v))
            more = np.zeros((6, self.nv), dtype=own.dtype)
            more[:, at] = own
            S = array(S + more)
        return S, cJ

    def model(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """XJ, S, cJ."""
        return plucker(*self.place(q)), *self.axes(q, v)

    def freedoms(self) -> list[Freedom]:
        """Of the turns and slides."""
        q, out = symbols("q", self.nq), []
        for k, motion in enumerate(self.motions):
            if isinstance(motion, Turn | Slide):
                (E, _), (after, r) = composed(self.motions[:k], q), composed(self.motions[k + 1 :], q)
                axis = np.eye(3)[2 if isinstance(motion, Turn) else motion.axis]
                first, moved = array(E.T @ axis), array(after @ axis)
                beside = array([x for x, own in zip(r, axis, strict=True) if not own])
                in_first = not traced(first)
                out.append(Freedom(motion, not in_first, first if in_first else moved, not traced(beside)))
        return out

    # -- and back ----------------------------------------------------------------------------------------------------------
    def coordinates(self, E: np.ndarray, r: Any, near: Any, p: Sequence[Any] = (), angle: Any = None) -> list[Any]:
        """q of the place (E, r); angles within half a turn of those of `near`. Given: the Euler parameters p of a joint that
        has them, and in the plane the angle, whole turns and all."""
        q: list[Any] = [*p, *[0.0] * (self.nq - len(p))]
        for x in self.turns:
            s, c = self._direction(x, E)
            q[x.at] = x.sense * (angle if angle is not None else _angle(s, c, x.sense * near[x.at]))
        for k, motion in enumerate(self.motions):
            if isinstance(motion, Slide) and not self.angles[motion.at]:  # a screw's is told by its turn
                before = array(composed(self.motions[:k], array(q))[0])  # slides are at right angles to each other
                q[motion.at] = motion.sense * (before @ array(list(r)))[motion.axis]
            elif isinstance(motion, Roll) and motion.loose:
                q[4:7] = list(r)
        return q

    def _direction(self, turn: Turn, E: np.ndarray) -> tuple[Any, Any]:
        """Sine and cosine of one of at most two turns, from E = C2 Rz(b) C1 Rz(a) C0 with constant rotations C."""
        constant, turns = [np.eye(3)], self.turns
        for motion in self.motions:
            if isinstance(motion, Turn):
                constant.append(np.eye(3))
            elif isinstance(motion, Across):
                constant[-1] = motion.place(E)[0] @ constant[-1]
        M = array(constant[-1].T @ E @ constant[0].T)
        if len(turns) == 1:
            return M[0, 1], M[0, 0]
        if turn is turns[0]:  # the axis of the second turn stands still under that
            (x, y, _), (mx, my, _) = constant[1][2], M[2]
            return x * my - y * mx, x * mx + y * my
        (x, y, _), (mx, my, _) = constant[1][:, 2], M[:, 2]
        return y * mx - x * my, x * mx + y * my


def composed(motions: Sequence[Motion], q: np.ndarray) -> tuple[np.ndarray, Any]:
    """E and r at the end of motions, in the axes where they start."""
    if len(motions) == 1:
        return motions[0].place(q)
    E, r = np.eye(3), np.zeros(3)
    for motion in motions:
        own, shift = motion.place(q)
        r = array(r + E.T @ array(list(shift)))
        E = array(own @ E)
    return E, r


def neutral(joint: Joint) -> np.ndarray:
    """The configuration in which a joint has not moved."""
    q = np.zeros(joint.nq)
    if joint.rolls:
        q[0] = 1.0
    return q


def _angle(s: Any, c: Any, near: Any) -> Any:
    """The angle of this sine and cosine within half a turn of `near`."""
    c0, s0 = cos(near), sin(near)
    return near + atan2(s * c0 - c * s0, c * c0 + s * s0)


# The table: one row a joint, by the name of the model's class.
KINDS = {
    "Revolute": Joint("revolute", (Turn(0),)),
    "Translational": Joint("prismatic", (Slide(0),)),
    "Screw": Joint("screw", (Turn(0), Slide(0)), ("pitch", "start")),
    "Cylindrical": Joint("cylindrical", (Turn(0), Slide(1))),
    "Universal": Joint("universal", (Turn(0), Across(), Turn(1)), symmetric=True),
    "Planar": Joint("planar", (Slide(0, 0), Slide(1, 1), Turn(2)), symmetric=True),
    "Spherical": Joint("spherical", (Roll(),), symmetric=True),
    "Fixed": Joint("fixed", ()),
}
# A body that nothing carries: in the plane, in space.
FREE = {2: KINDS["Planar"], 3: Joint("free", (Roll(loose=True),))}
