"""Partial velocities of a spanning tree: v = R u, with one speed u for each freedom of each joint of the tree.

A joint k lets the bodies above it turn about axes through its point and slide along directions: of each body b above it

    omega_b gets  S_omega u,        rdot_b gets  (S_omega u) x (r_b - P_k) + S_v u.

R satisfies the equations of the tree's joints identically. Kane's equations are those of motion projected on it; what
closes loops stays as constraints on u.

R is never made as a whole: a column differs from body to body by the shift of the point only, so that R u and R^T f are
sums along the tree. Velocities (rdot, omega) and forces (f, moment about r) are in global axes here, those of body b at r_b.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.compile.clock import traced_property as cached_property
from linkwright.equations import plane
from linkwright.equations.arrays import array, mirrored, tilde
from linkwright.equations.joint_models import Slide, Turn
from linkwright.equations.linked import Linked, Vectors
from linkwright.equations.rotations import cross
from linkwright.graph import Scalar
from linkwright.model.values import is_some
from linkwright.system.quantities import ends
from linkwright.system.spanning_tree import Spanning
from linkwright.system.system import System

# (S_omega, S_v, P): an axis through P and a direction, global; in the plane the axis is a number.
Twist = tuple[Any, Any, Any]


class PartialVelocities:
    """``S``: of each body a column for each speed of its own joint, at r of the body; ``X`` takes velocities at r of the
    body below to those at r of the body, its transpose takes forces down. Curve parameters are speeds of their own."""

    def __init__(self, system: System, spanning: Spanning) -> None:
        self.system, self.spanning = system, spanning
        self.parent, self.speeds = spanning.tree.parent, spanning.tree.speeds()
        slices = system.coordinates.body_slices()
        self.at = [slices[b.name][1] for b in spanning.bodies]
        self.poses: list[Any] = [system.coordinates.poses[b.name] for b in spanning.bodies]
        self.space = system.model.dimension == 3
        self.extra = len(system.coordinates.extra)

    @property
    def n(self) -> int:
        return self.spanning.tree.nv + self.extra

    @cached_property
    def S(self) -> Vectors:
        out = []
        for k in range(len(self.parent)):
            r = np.array(self.poses[k].r, dtype=object)
            own = [_on_body(twist, r) for twist in _joint(self.system, self.spanning, k)]
            out.append(array(np.column_stack(own)) if own else np.zeros((6 if self.space else 3, 0)))
        return out

    @cached_property
    def X(self) -> Vectors:
        out = []
        for k, low in enumerate(self.parent):
            X: Any = np.eye(6 if self.space else 3).astype(object)
            if low >= 0:
                d = array(self.poses[k].r) - array(self.poses[low].r)
                if self.space:
                    X[:3, 3:] = -tilde(d)
                else:
                    X[:2, 2] = plane.rotate90(d)
            out.append(array(X))
        return out

    @cached_property
    def linked(self) -> Linked:
        return Linked(self.parent, self.speeds, self.X, self.S)

    # -- to and from the coordinates of the system -------------------------------------------------------------------------
    def inertia(self, M: Mapping[tuple[int, int], Scalar]) -> Vectors:
        """Each body's 6 x 6 (3 x 3) part of M, in global axes."""
        out = []
        for at, pose in zip(self.at, self.poses, strict=True):
            G = np.zeros((at.stop - at.start,) * 2, dtype=object)
            for i in range(at.start, at.stop):
                for j in range(at.start, at.stop):
                    G[i - at.start, j - at.start] = M.get((i, j), 0.0)
            if self.space:
                G[:3, 3:] = G[:3, 3:] @ pose.A.T
                G[3:, 3:] = pose.A @ G[3:, 3:] @ pose.A.T
            out.append(mirrored(G))
        return out

    def forces(self, f: Sequence[Scalar] | np.ndarray) -> Vectors:
        """Generalised forces on the displacements of bodies as forces in global axes."""
        f = np.asarray(f, dtype=object)
        if not self.space:
            return [f[at] for at in self.at]
        return [np.concatenate([f[at][:3], pose.A @ f[at][3:]]) for at, pose in zip(self.at, self.poses, strict=True)]

    def cartesian(self, velocities: Vectors, extra: Sequence[Scalar] = ()) -> np.ndarray:
        """Velocities of bodies, or accelerations, as v is numbered; those of curve parameters are the last."""
        v = np.zeros(self.system.nv, dtype=object)
        for at, pose, V in zip(self.at, self.poses, velocities, strict=True):
            v[at] = np.concatenate([V[:3], pose.A.T @ V[3:]]) if self.space else V
        v[len(v) - self.extra :] = list(extra) or [0.0] * self.extra
        return v

    # -- sums along the tree -----------------------------------------------------------------------------------------------
    def of_speeds(self, u: Sequence[Scalar]) -> np.ndarray:
        """R u."""
        return self.cartesian(self.linked.carried(np.array(u, dtype=object)), u[self.n - self.extra :])

    def on_speeds(self, f: Sequence[Scalar] | np.ndarray) -> list[Scalar]:
        """R^T f."""
        return [*self.linked.pressed(self.forces(f)), *f[self.system.nv - self.extra :]]

    def mass(self, M: Mapping[tuple[int, int], Scalar]) -> dict[tuple[int, int], Scalar]:
        """The nonzeros of R^T M R, above its diagonal."""
        out: dict[tuple[int, int], Scalar] = {}
        for j, k, block in self.linked.composite(self.inertia(M)):
            for (a, b), x in np.ndenumerate(block):
                if is_some(x):
                    out[self.speeds[j].start + a, self.speeds[k].start + b] = x
        return out


def _on_body(twist: Twist, r: np.ndarray) -> np.ndarray:
    """The contribution of a unit speed of a joint to (rdot, omega) of a body at r above it."""
    omega, slide, P = twist
    arm = r - P
    if len(arm) == 2:
        return np.array([*(omega * plane.rotate90(arm) + slide), omega], dtype=object)
    return np.array([*(cross(omega, arm) + slide), *omega], dtype=object)


def _joint(system: System, spanning: Spanning, k: int) -> list[Twist]:
    """The freedoms of a joint, as twists of the body it carries against the one below. Speeds of a ball are about the body's
    axes."""
    body, name, joint = spanning.bodies[k].name, spanning.joints[k], spanning.tree.joint[k]
    pose: Any = system.coordinates.poses[body]
    low: m.Point | None = None
    own, P, below = low, np.array(pose.r, dtype=object), np.array(pose.r, dtype=object)
    if name:
        element: Any = system.model.elements[name]
        joint = joint.given(*(getattr(element, field) for field in joint.fields))  # parameters stay symbols
        low, own = sorted(ends(element), key=lambda end: end.body.name == body)
        P, below = system.geometry.point(own), system.geometry.point(low)
    still: Any = np.zeros(system.model.dimension)
    if joint.rolls:
        slides: list[Twist] = [(still, e, P) for e in np.eye(3)[: joint.nv - 3]]
        return [*slides, *[(pose.A[:, i], still, P) for i in range(3)]]
    out: list[Twist] = [(still if len(still) == 3 else 0.0, still, P)] * joint.nv
    for motion, moved, axis, about_moved in joint.freedoms():
        at = joint.speeds(motion).start
        along, (turn, slide, about) = _direction(system, motion, own if moved else low, axis), out[at]
        if isinstance(motion, Turn):
            out[at] = along, slide, P if about_moved else below
        else:
            out[at] = turn, motion.pitch * along, about
    return out


def _direction(system: System, motion: Turn | Slide, P: m.Point | None, axis: np.ndarray) -> Any:
    """The axis of a motion, given in the joint's frame at P, in ground axes; in the plane that of a turn is 1."""
    if P is not None and system.model.dimension == 3:
        frame = system.geometry.frame(P)
        return axis[0] * frame.f + axis[1] * frame.g + axis[2] * frame.h
    if isinstance(motion, Turn):
        return 1.0
    return np.asarray(axis[:2]) if P is None else system.geometry.direction(P)
