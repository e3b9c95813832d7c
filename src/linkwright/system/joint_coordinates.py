"""Joint coordinates of a spanning tree: the coordinates theta and speeds u of its joints, and q, v of all bodies in them.

Places are traced along the tree: A and r of each body's tree frame, Euler parameters as products of quaternions. Curve
parameters stay coordinates of their own. Parameters of the model stay symbols in what is traced: another value of theirs
needs no other code. `spanning` has the numbers that they have when it is made, for reading coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.compile.clock import traced_property as cached_property
from linkwright.equations import rotations, tree
from linkwright.equations.arrays import array, solve, traced
from linkwright.equations.joint_models import neutral
from linkwright.equations.rotations import cross, euler_parameters, euler_rates, pivot, product, traced_parameters
from linkwright.equations.spatial_vectors import inverse, place, rotation_z
from linkwright.graph import Expr, Scalar, sqrt, symbols
from linkwright.graph.rotation import frame_entries
from linkwright.model import Model
from linkwright.model.values import is_some
from linkwright.system.joint_reading import across, coordinates, fitted, planar_offset, planar_turns, transforms
from linkwright.system.spanning_tree import Spanning, spanning_tree
from linkwright.system.system import System


class JointCoordinates:
    """The joint coordinates of a system, near an assembled configuration q (numbers). Joints that are assembled in another
    way than their model (axes antiparallel) are left out of the tree, and hold as constraints."""

    def __init__(self, system: System, q: np.ndarray, model: Model | None = None) -> None:
        """`model`: whose numbers they are read with, where the system was traced for another one of its structure."""
        self.system, self.model = system, model or system.model
        self.spanning, _, unfit = fitted(self.model, system.coordinates.body_slices(), q)
        self.unfit = frozenset(unfit)
        self.theta = symbols("theta", self.spanning.tree.nq)
        self.u = symbols("speed", self.spanning.tree.nv)
        c = system.coordinates
        self._slices = [c.body_slices()[b.name] for b in self.spanning.bodies]
        self.extra = len(c.extra)
        self._signs = np.ones(len(self._slices))
        self._turns = np.zeros(len(self._slices))
        self._settle(q)

    @cached_property
    def _traced(self) -> Spanning:
        """The tree with the parameters of the model as symbols."""
        return spanning_tree(self.system.model, without=self.unfit, traced=True)

    @property
    def tree(self) -> tree.Tree:
        return self._traced.tree

    @property
    def choices(self) -> tuple[Any, ...]:
        """All in the traced coordinates that was decided by numbers: the tree, signs and turns of bodies, and which of the
        four Euler parameters of a frame is divided by."""
        frames = [*[X.T for X in self.spanning.tree.Xtree], *self.spanning.frames] if self.space else []
        largest = tuple(pivot(euler_parameters(X[:3, :3])) for X in frames)
        return self.unfit, tuple(self._signs), tuple(self._turns), largest

    @property
    def space(self) -> bool:
        return self.system.coordinates.dimension == 3

    @property
    def nq(self) -> int:
        return self.spanning.tree.nq + self.extra

    @property
    def nv(self) -> int:
        return self.spanning.tree.nv + self.extra

    @cached_property
    def q(self) -> list[Expr]:
        """Symbols of all coordinates: of joints, then of curves."""
        c = self.system.coordinates
        return [*self.theta, *c.q[len(c.q) - self.extra :]]

    @cached_property
    def v(self) -> list[Expr]:
        c = self.system.coordinates
        return [*self.u, *c.v[len(c.v) - self.extra :]]

    @cached_property
    def rates(self) -> list[Scalar]:
        """d/dt of the coordinates."""
        return [*tree.rates(self.tree, self.theta, self.u), *self.v[self.tree.nv :]]

    def retracted(self, theta: Sequence[Scalar], d: Sequence[Scalar]) -> list[Scalar]:
        """The coordinates after the displacement d; Euler parameters are brought back to length one."""
        out: list[Scalar] = []
        for joint, at_q, at_v in zip(self.tree.joint, self.tree.configuration(), self.tree.speeds(), strict=True):
            own, step = array(list(theta[at_q])), array(list(d[at_v]))
            if joint.rolls:
                p = own[:4] + euler_rates(own[:4], step[:3])
                p = p / sqrt(rotations.dot(p, p))
                more = own[4:] + joint.rates(own, step)[4:]
                out += [*p, *more]
            else:
                out += list(own + step)
        return out + [x + s for x, s in zip(theta[self.tree.nq :], d[self.tree.nv :], strict=True)]

    # -- traced along the tree ---------------------------------------------------------------------------------------------
    @cached_property
    def joints(self) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
        """Xup, S, cJ."""
        return tree.joints(self.tree, self.theta, self.u)

    @cached_property
    def frames(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """A and r of each body's tree frame."""
        out: list[tuple[np.ndarray, np.ndarray]] = []
        for joint, X, low, at in zip(
            self.tree.joint, self.tree.Xtree, self.tree.parent, self.tree.configuration(), strict=True
        ):
            E, s = place(X)
            EJ, rJ = joint.place(self.theta[at])
            A, r = (np.eye(3), np.zeros(3)) if low < 0 else out[low]
            base = A @ E.T
            out.append((array(base @ array(EJ).T), array(r + A @ s + base @ array(list(rJ)))))
        return out

    @cached_property
    def poses(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """A and r of each body."""
        out = []
        for (A, r), X in zip(self.frames, self._traced.frames, strict=True):
            E, s = place(X)
            own = array(A @ E)
            out.append((own, array(r - own @ s)))
        return out

    @cached_property
    def _turned(self) -> list[Any]:
        """Euler parameters of each body; in the plane its angle."""
        if self.space:
            return [sign * p for sign, p in zip(self._signs, self._parameters(self._traced, self.theta), strict=True)]
        out: list[Any] = []
        places = zip(self.tree.joint, self.tree.parent, self.tree.configuration(), strict=True)
        for k, (joint, low, at) in enumerate(places):
            angle = self._offset(k, lambda x: x) + self._turns[k] + joint.turning(self.theta[at])
            out.append(angle if low < 0 else out[low] + angle)
        return out

    def _parameters(self, spanning: Spanning, theta: np.ndarray) -> list[np.ndarray]:
        """Euler parameters of each body, their signs aside: traced, or numbers, as the tree and the coordinates are."""
        out, frames, t = [], list[Any](), spanning.tree
        for k, (joint, X, low, at) in enumerate(zip(t.joint, t.Xtree, t.parent, t.configuration(), strict=True)):
            p = product(_parameters(X.T, self.spanning.tree.Xtree[k].T), joint.turn(theta[at]))
            frames.append(p if low < 0 else product(frames[low], p))
            out.append(product(frames[k], _parameters(spanning.frames[k], self.spanning.frames[k])))
        return out

    def _offset(self, k: int, value: Callable[[Any], Any] | None = None) -> Any:
        return planar_offset(self.model, self.spanning, k, value)

    @cached_property
    def velocities(self) -> list[np.ndarray]:
        """The 6-D velocity of each body in its tree frame."""
        Xup, S, _ = self.joints
        return tree.linked(self.tree, Xup, S).carried(self.u)

    def rates_of_v(self, udot: Sequence[Scalar]) -> list[Scalar]:
        """vdot of all bodies."""
        Xup, S, cJ = self.joints
        c = tree.velocity_products(self.tree, S, cJ, self.velocities, self.u)
        a6 = tree.linked(self.tree, Xup, S).carried(array(list(udot[: self.tree.nv])), c)
        out: list[Scalar] = [0.0] * self.system.nv
        for k, a in enumerate(a6):
            back = inverse(self._traced.frames[k])
            a, v = back @ a, back @ self.velocities[k]
            out[self._slices[k][1]] = self._cartesian(k, a[:3], a[3:] + cross(v[:3], v[3:]))
        out[self.system.nv - self.extra :] = list(udot[self.tree.nv :])
        return out

    def _cartesian(self, k: int, angular: np.ndarray, linear: np.ndarray) -> list[Scalar]:
        """(rdot, omega_b) of a vector in the body's own axes; in the plane (xdot, ydot, omega)."""
        moved = self.poses[k][0] @ linear
        return [*moved, *angular] if self.space else [moved[0], moved[1], angular[2]]

    @cached_property
    def cartesian(self) -> dict[Expr, Scalar]:
        """The expressions that take the place of q, v and the rotation matrices in the equations of the system."""
        c = self.system.coordinates
        out: dict[Expr, Scalar] = {}
        for k, body in enumerate(self.spanning.bodies):
            at_q, at_v = self._slices[k]
            A, r = self.poses[k]
            pose = c.poses[body.name]
            turned = self._turned[k]
            if self.space:
                out.update(zip(c.q[at_q], [*r, *turned], strict=True))
                out.update({node: A[i, j] for i, j, node in frame_entries(pose.A)})
            else:
                out.update(zip(c.q[at_q], [r[0], r[1], turned], strict=True))
                out.update({pose.A[0, 0]: A[0, 0], pose.A[1, 0]: A[1, 0]})
            own = inverse(self._traced.frames[k]) @ self.velocities[k]
            out.update(zip(c.v[at_v], self._cartesian(k, own[:3], own[3:]), strict=True))
        return out

    def wrenches(self, Q: Mapping[int, Scalar]) -> list[np.ndarray]:
        """Generalised forces on the bodies' displacements as 6-D forces in tree frames."""
        out = []
        for k, (_, at) in enumerate(self._slices):
            own = [Q.get(j, 0.0) for j in range(at.start, at.stop)]
            F, N = (own[:3], own[3:]) if self.space else ([*own[:2], 0.0], [0.0, 0.0, own[2]])
            E, s = place(self._traced.frames[k])
            force = self.frames[k][0].T @ array(F)
            out.append(array([*(E @ array(N) - cross(E @ s, force)), *force]))
        return out

    def at_joints(self, Q: Mapping[int, Scalar]) -> list[Scalar]:
        """Generalised forces on the bodies as those on the speeds."""
        Xup, S, _ = self.joints
        n = self.system.nv - self.extra
        return [*tree.linked(self.tree, Xup, S).pressed(self.wrenches(Q)), *[Q.get(n + k, 0.0) for k in range(self.extra)]]

    @cached_property
    def speed_rows(self) -> list[dict[int, Scalar]]:
        """E in u = E v, a row each speed: what a joint lets of the motion of its body against the one below,
        S^+ (v - Xup v_low) with S^+ = (S^T S)^-1 S^T. For v that the joints allow it undoes v = R u: E R = 1."""
        Xup, S, _ = self.joints
        to_tree = [self._traced.frames[k] @ self._six(k) for k in range(len(S))]
        out: list[dict[int, Scalar]] = []
        for k, low in enumerate(self.tree.parent):
            onto = solve(array(S[k].T @ S[k]), array(S[k].T))
            parts = [(k, onto @ to_tree[k])] + ([(low, -(onto @ Xup[k]) @ to_tree[low])] if low >= 0 else [])
            for a in range(len(onto)):
                own = {self._slices[b][1].start + i: x for b, E in parts for i, x in enumerate(E[a])}
                out.append({j: x for j, x in own.items() if is_some(x)})
        return out + [{self.system.nv - self.extra + k: 1.0} for k in range(self.extra)]

    def _six(self, k: int) -> np.ndarray:
        """Takes (rdot, omega_b), in the plane (xdot, ydot, omega), to a 6-D vector in the body's own axes."""
        At, out = self.poses[k][0].T, np.zeros((6, 6 if self.space else 3), dtype=object)
        if self.space:
            out[3:, :3], out[:3, 3:] = At, np.eye(3)
        else:
            out[3:, :2], out[2, 2] = At[:, :2], 1.0
        return array(out)

    def speeds_of(self, d: Sequence[Scalar]) -> list[Scalar]:
        """The displacements of the speeds in displacements of all bodies that keep the tree's joints closed: E d."""
        return [sum((x * d[j] for j, x in row.items()), start=0.0) for row in self.speed_rows]

    # -- numbers -----------------------------------------------------------------------------------------------------------
    def _settle(self, q: np.ndarray) -> None:
        """Signs of Euler parameters, and whole turns of planar bodies that cannot turn on their joints."""
        if self.space:
            found = self._parameters(self.spanning, self.read(q))
            for k, (p, (at, _)) in enumerate(zip(found, self._slices, strict=True)):
                self._signs[k] = 1.0 if np.asarray(p, dtype=float) @ q[at][3:] > 0 else -1.0
        else:
            for k in range(len(self._turns)):
                self._turns[k] = planar_turns(self.model, self.spanning, k, self._against(k, q))

    def read(self, q: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """The coordinates in an assembled configuration: whole turns and signs as those of `near`."""
        X = transforms(self.spanning, self._slices, q, self.space)
        out: list[float] = []
        for k, (joint, at) in enumerate(zip(self.spanning.tree.joint, self.spanning.tree.configuration(), strict=True)):
            own = coordinates(joint, across(self.spanning, X, k), near[at] if near is not None and self.space else None)
            if own is None:
                own = np.zeros(joint.nq)  # does not happen at assembled configurations: `fitted` left it out
            for x in () if self.space else joint.turns:  # angles of bodies know their turns
                own[x.at] = x.sense * (self._against(k, q) - self._offset(k))
            out += [float(x) for x in own]
        return np.array([*out, *q[len(q) - self.extra :]])

    def _against(self, k: int, q: np.ndarray) -> float:
        """The angle of a planar body against the one below it."""
        low = self.spanning.tree.parent[k]
        return float(q[self._slices[k][0]][2] - (0.0 if low < 0 else q[self._slices[low][0]][2]))

    def read_speeds(self, q: np.ndarray, v: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """The speeds of velocities that the joints allow."""
        nt = self.spanning.tree.nq
        Xup, S, _ = tree.joints(self.spanning.tree, theta[:nt], np.zeros(self.spanning.tree.nv))
        found: list[np.ndarray] = []
        out: list[float] = []
        for k, (at_q, at_v) in enumerate(self._slices):
            own = v[at_v]
            if self.space:
                A = np.asarray(rotations.A(q[at_q][3:]), dtype=float)
                six = np.concatenate([own[3:], A.T @ own[:3]])
            else:
                E = np.asarray(rotation_z(q[at_q][2]), dtype=float)
                six = np.concatenate([[0.0, 0.0, own[2]], E @ [own[0], own[1], 0.0]])
            found.append(self.spanning.frames[k] @ six)
            low = self.spanning.tree.parent[k]
            rest = found[k] - (Xup[k] @ found[low] if low >= 0 else 0.0)
            out += [float(x) for x in linear.lstsq(np.asarray(S[k], dtype=float), rest, rcond=None)[0]]
        return np.array([*out, *v[len(v) - self.extra :]])

    def partial_velocities(self, q: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """R in v = R u."""
        Xup, S, _ = tree.joints(self.spanning.tree, theta[: self.spanning.tree.nq], np.zeros(self.spanning.tree.nv))
        R, nv = np.zeros((self.system.nv, self.nv)), self.spanning.tree.nv
        six = tree.linked(self.spanning.tree, Xup, S).carried(np.eye(nv))
        for k, (at_q, at_v) in enumerate(self._slices):
            own = np.asarray(inverse(self.spanning.frames[k]) @ six[k], dtype=float)
            if self.space:
                A = np.asarray(rotations.A(q[at_q][3:]), dtype=float)
                R[at_v, :nv] = np.concatenate([A @ own[3:], own[:3]])
            else:
                E = np.asarray(rotation_z(q[at_q][2]), dtype=float)
                R[at_v, :nv] = np.concatenate([(E.T @ own[3:])[:2], own[2:3]])
        R[self.system.nv - self.extra :, self.spanning.tree.nv :] = np.eye(self.extra)
        return R

    def scale(self, length: float) -> np.ndarray:
        """The size of a displacement of each speed: a length, or one radian; one for curves."""
        _, S, _ = tree.joints(self.spanning.tree, self._neutral, np.zeros(self.spanning.tree.nv))
        turning = [bool(np.abs(np.asarray(axes, dtype=float)[:3, a]).max() > 0) for axes in S for a in range(axes.shape[1])]
        return np.array([*np.where(turning, 1.0, length), *np.ones(self.extra)])

    @property
    def _neutral(self) -> np.ndarray:
        return (
            np.concatenate([neutral(joint) for joint in self.spanning.tree.joint])
            if self.spanning.tree.joint
            else np.zeros(0)
        )

    def moved(self, speeds: Sequence[int]) -> np.ndarray:
        """Which coordinates change with these speeds."""
        at, out = set(speeds), list[bool]()
        for joint, at_v in zip(self.spanning.tree.joint, self.spanning.tree.speeds(), strict=True):
            own = [k in at for k in range(at_v.start, at_v.stop)]
            # Euler parameters, and with them the place of a free body in its own axes, change with any speed
            out += own if joint.nq == joint.nv else [any(own)] * joint.nq
        return np.array([*out, *[k in at for k in range(self.spanning.tree.nv, self.nv)]], dtype=bool)


def _parameters(X: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Euler parameters of the rotation matrix E^T or E in X^T or X, traced where it is; `numbers`: its present values. The
    pivot is positive either way, so that traced ones have the signs of the numbers."""
    p = euler_parameters(numbers[:3, :3])
    return traced_parameters(X[:3, :3], p) if traced(X[:3, :3]) else p * (1.0 if p[pivot(p)] > 0 else -1.0)
