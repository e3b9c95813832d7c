"""One joint of a tree between the two bodies it joins, in the bodies' own coordinates: q and v of the body that it carries,
from those of the body below and the joint's theta and u; and theta, u and their rates read off the bodies again.

The joint starts in a frame of the body below and ends in one of the body it carries. In space q = (r, p) and v = (rdot,
omega_b), in the plane q = (x, y, angle) and v = (xdot, ydot, omega). Six numbers: Featherstone's vectors, in body axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.equations import rotations
from linkwright.equations.arrays import array, solve
from linkwright.equations.joint_models import Joint
from linkwright.equations.rotations import cross, product
from linkwright.equations.spatial_vectors import crm, inverse, plucker, rotation_z
from linkwright.graph import sqrt, where


@dataclass(frozen=True)
class Frame:
    """Of a joint on a body: E from the body's axes to its own, at s. p: Euler parameters of its axes in the body's where the
    joint starts, and the other way round where it ends."""

    E: np.ndarray
    s: np.ndarray
    p: np.ndarray

    @property
    def X(self) -> np.ndarray:
        return plucker(self.E, self.s)


@dataclass(frozen=True)
class Link:
    """``offset``: the angle of a planar body against the one below it, the joint's own aside; None in space."""

    joint: Joint
    start: Frame
    end: Frame
    offset: Any = None

    @property
    def space(self) -> bool:
        return self.offset is None

    # -- bodies ------------------------------------------------------------------------------------------------------------
    def axes(self, q: Any) -> np.ndarray:
        """A of a body."""
        return rotations.A(q[3:]) if self.space else rotation_z(q[2]).T

    def origin(self, q: Any) -> np.ndarray:
        return array(list(q[:3]) if self.space else [q[0], q[1], 0.0])

    def velocity(self, A: np.ndarray, v: Any) -> np.ndarray:
        """The six numbers of a velocity."""
        if self.space:
            return array([*v[3:], *(A.T @ array(list(v[:3])))])
        return array([0.0, 0.0, v[2], *(A.T @ array([v[0], v[1], 0.0]))])

    def acceleration(self, A: np.ndarray, v: Any, vdot: Any) -> np.ndarray:
        """The six numbers of an acceleration: the linear ones are rddot less omega x rdot."""
        six, at = self.velocity(A, v), self.velocity(A, vdot)
        return array([*at[:3], *(at[3:] - cross(six[:3], six[3:]))])

    # -- from the body below to the one that is carried ------------------------------------------------------------------
    def carried(self, theta: Any, u: Any, q: Any, v: Any) -> tuple[list[Any], list[Any]]:
        """q and v of the carried body; given: those of the body below."""
        A, (EJ, rJ), (S, _) = self.axes(q), self.joint.place(theta), self.joint.axes(theta, u)
        if self.space:
            turned = list(product(product(product(q[3:], self.start.p), self.joint.turn(theta)), self.end.p))
            own = rotations.A(turned)
        else:
            turned = [q[2] + self.offset + self.joint.turning(theta)]
            own = rotation_z(turned[0]).T
        start = self.origin(q) + A @ (self.start.s + self.start.E.T @ array(list(rJ)))
        r = start - own @ self.end.s
        across = plucker(EJ, rJ) @ (self.start.X @ self.velocity(A, v)) + S @ array(u)
        six = inverse(self.end.X) @ array(across)
        rdot = own @ six[3:]
        if self.space:
            return [*r, *turned], [*rdot, *six[:3]]
        return [r[0], r[1], *turned], [rdot[0], rdot[1], six[2]]

    # -- and back --------------------------------------------------------------------------------------------------------
    def rates(self, theta: Any, u: Any, own: tuple[Any, Any, Any], low: tuple[Any, Any, Any]) -> tuple[Any, Any]:
        """Rates of theta and u; own, low: (q, v, vdot) of the two bodies."""
        S, cJ = self.joint.axes(theta, u)
        A, A_low, XJ = self.axes(own[0]), self.axes(low[0]), plucker(*self.joint.place(theta))
        v = self.end.X @ self.velocity(A, own[1])
        a = self.end.X @ self.acceleration(A, own[1], own[2])
        rest = a - XJ @ (self.start.X @ self.acceleration(A_low, low[1], low[2])) - cJ - crm(v) @ (S @ array(u))
        return self.joint.rates(theta, u), speeds(S, rest)

    def read(self, near: Any, own: tuple[Any, Any], low: tuple[Any, Any]) -> tuple[list[Any], list[Any]]:
        """theta and u; angles within half a turn of `near`, Euler parameters of its sign. own, low: (q, v)."""
        A, A_low = self.axes(own[0]), self.axes(low[0])
        E = self.end.E @ A.T @ A_low @ self.start.E.T
        between = self.origin(own[0]) + A @ self.end.s - self.origin(low[0])
        r = self.start.E @ (A_low.T @ between - self.start.s)
        if self.space:
            p = self._like(near, own[0][3:], low[0][3:]) if self.joint.rolls else ()
            theta = self.joint.coordinates(E, r, near, p)
        else:
            theta = self.joint.coordinates(E, r, near, angle=own[0][2] - low[0][2] - self.offset)
        S, _ = self.joint.axes(array(theta), np.zeros(self.joint.nv))
        XJ = plucker(*self.joint.place(array(theta)))
        rest = self.end.X @ self.velocity(A, own[1]) - XJ @ (self.start.X @ self.velocity(A_low, low[1]))
        return theta, list(speeds(S, rest))

    def _like(self, near: Any, p: Any, low: Any) -> list[Any]:
        """Euler parameters across the joint, of unit length."""
        x = product(product(_back(self.start.p), _back(low)), product(p, _back(self.end.p)))
        length = sqrt(rotations.dot(x, x))
        sign = where(rotations.dot(x, array(near)[:4]) < 0, -1.0, 1.0)
        return [sign * c / length for c in x]


def speeds(S: np.ndarray, six: np.ndarray) -> np.ndarray:
    """u with S u = six, for motions that the joint allows."""
    return solve(array(S.T @ S), array(S.T @ six)) if S.shape[1] else np.zeros(0)


def _back(p: Any) -> np.ndarray:
    """Euler parameters of the inverse rotation."""
    return array([p[0], -p[1], -p[2], -p[3]])
