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
from linkwright.equations.rotations import cross
from linkwright.graph import Expr, Scalar
from linkwright.system.quantities import ends
from linkwright.system.spanning_tree import Spanning
from linkwright.system.system import System

Twist = tuple[Any, Any]  # (S_omega, S_v): an axis and a direction, global; in the plane a number and a pair
Vectors = list[np.ndarray]  # one a body, in the order of the tree


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
        for k, joint in enumerate(self.spanning.joints):
            freedoms, P = _joint(self.system, self.spanning, k, joint)
            arm = np.array(self.poses[k].r, dtype=object) - P
            own = [_on_body(twist, arm) for twist in freedoms]
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
        V: Vectors = []
        for k, low in enumerate(self.parent):
            own = self.S[k] @ np.array(u[self.speeds[k]], dtype=object) if self.S[k].size else np.zeros(len(self.S[k]))
            V.append(own if low < 0 else self.X[k] @ V[low] + own)
        return self.cartesian(V, u[self.n - self.extra :])

    def on_speeds(self, f: Sequence[Scalar] | np.ndarray) -> list[Scalar]:
        """R^T f."""
        F = self.forces(f)
        out: list[Scalar] = [0.0] * self.n
        for k in reversed(range(len(F))):
            out[self.speeds[k]] = list(self.S[k].T @ F[k])
            if self.parent[k] >= 0:
                F[self.parent[k]] = F[self.parent[k]] + self.X[k].T @ F[k]
        out[self.n - self.extra :] = list(f[self.system.nv - self.extra :])
        return out

    def mass(self, M: Mapping[tuple[int, int], Scalar]) -> dict[tuple[int, int], Scalar]:
        """The nonzeros of R^T M R: what the bodies above a joint weigh together, met by the joints below it."""
        I, out = self.inertia(M), dict[tuple[int, int], Scalar]()  # noqa: E741
        for k in reversed(range(len(I))):
            low = self.parent[k]
            if low >= 0:
                I[low] = I[low] + mirrored(self.X[k].T @ I[k] @ self.X[k])
            F, at = I[k] @ self.S[k], k
            while at >= 0:
                own = self.S[k].T @ F if at == k else self.S[at].T @ F
                for (a, b), x in np.ndenumerate(own):
                    if type(x) is Expr or x != 0:
                        out[self.speeds[at].start + a, self.speeds[k].start + b] = x
                F, at = self.X[at].T @ F, self.parent[at]
        return out


def _on_body(twist: Twist, arm: np.ndarray) -> np.ndarray:
    """What a unit speed of a joint gives to (rdot, omega) of a body at r = P + arm above it."""
    omega, slide = twist
    if len(arm) == 2:
        return np.array([*(omega * plane.rotate90(arm) + slide), omega], dtype=object)
    return np.array([*(cross(omega, arm) + slide), *omega], dtype=object)


def _joint(system: System, spanning: Spanning, k: int, name: str) -> tuple[list[Twist], np.ndarray]:
    """Its freedoms as twists, and the point they are about."""
    body = spanning.bodies[k].name
    pose = system.coordinates.poses[body]
    if not name:  # free
        P = np.array(pose.r, dtype=object)
        if system.model.dimension == 2:
            slides = [(0.0, plane.vector((1.0, 0.0))), (0.0, plane.vector((0.0, 1.0))), (1.0, plane.vector((0.0, 0.0)))]
            return slides, P
        still = np.zeros(3)
        return [(still, e) for e in np.eye(3)] + [(pose.A[:, i], still) for i in range(3)], P
    element: Any = system.model.elements[name]
    first, second = ends(element)
    parent, child = (second, first) if first.body.name == body else (first, second)
    return (_planar if system.model.dimension == 2 else _spatial)(system, element, parent, child)


def _planar(system: System, e: Any, parent: m.Point, child: m.Point) -> tuple[list[Twist], np.ndarray]:
    g = system.geometry
    P = g.point(child)
    if isinstance(e, m.Revolute):
        return [(1.0, plane.vector((0.0, 0.0)))], P
    if isinstance(e, m.Translational):
        return [(0.0, g.direction(parent))], P
    return [], P  # fixed


def _spatial(system: System, e: Any, parent: m.Point, child: m.Point) -> tuple[list[Twist], np.ndarray]:
    i, j = system.geometry.frame(parent), system.geometry.frame(child)
    P, none = j.origin, np.zeros(3)
    turn, slide = (i.h, none), (none, i.h)
    if isinstance(e, m.Revolute):
        return [turn], P
    if isinstance(e, m.Translational):
        return [slide], P
    if isinstance(e, m.Cylindrical):
        return [turn, slide], P
    if isinstance(e, m.Screw):
        return [(i.h, e.pitch * i.h)], P
    if isinstance(e, m.Universal):
        return [turn, (j.h, none)], P
    if isinstance(e, m.Spherical):
        A = system.coordinates.poses[child.body.name].A
        return [(A[:, k], none) for k in range(3)], P
    if isinstance(e, m.Planar):
        return [(none, i.f), (none, i.g), turn], P
    return [], P  # fixed
