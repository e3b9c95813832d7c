"""Trees of bodies in joint coordinates, after Featherstone (Rigid Body Dynamics Algorithms, chapters 4 to 7).

Bodies are numbered upward from the ground: 0, 1, ... with parent[i] < i, and -1 for the ground. Body i hangs on its
parent by joint i. The frame the joint starts from stands in the parent at Xtree[i]; body coordinates are those of the
joint's moved frame.

Symbols: Xup[i] parent to body i; S joint axes in body coordinates (6 x n); v, a, f motion and force of a body in its
own coordinates; c velocity-product acceleration; IA, pA articulated-body inertia and bias force. Angular parts come
first. The pages work on plain numbers and on traced scalars alike; gravity is had by accelerating the ground upward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.equations.arrays import array
from linkwright.equations.joint_models import Joint
from linkwright.equations.linked import Articulated, Linked
from linkwright.equations.spatial_vectors import crf, crm
from linkwright.errors import ModelError


@dataclass(frozen=True)
class Tree:
    """A tree: nothing but data. Its state (q, v) is given to each function."""

    parent: tuple[int, ...]
    joint: tuple[Joint, ...]
    Xtree: tuple[np.ndarray, ...]  # 6 x 6 each
    inertia: tuple[np.ndarray, ...]  # 6 x 6 each, in body coordinates
    gravity: tuple[Any, Any, Any] = (0.0, 0.0, -9.81)

    def __post_init__(self) -> None:
        sizes = {len(self.parent), len(self.joint), len(self.Xtree), len(self.inertia)}
        if len(sizes) > 1:
            raise ModelError(
                "a tree needs one parent, one joint, one Xtree and one inertia for each body; "
                f"got {len(self.parent)}, {len(self.joint)}, {len(self.Xtree)}, {len(self.inertia)}",
                remedy="make the four of one length",
            )
        wrong = [i for i, low in enumerate(self.parent) if not -1 <= low < i]
        if wrong:
            raise ModelError(
                f"the parent of body {wrong[0]} is {self.parent[wrong[0]]}, which is not numbered below it",
                element=tuple(f"body {i}" for i in wrong),
                remedy="number the bodies upward from the ground, whose number is -1",
            )

    @property
    def nq(self) -> int:
        """Number of configuration variables (Euler parameters count four)."""
        return sum(joint.nq for joint in self.joint)

    @property
    def nv(self) -> int:
        """Number of speeds: the degrees of freedom."""
        return sum(joint.nv for joint in self.joint)

    def speeds(self) -> list[slice]:
        """Where each joint's speeds are in v, a and tau."""
        ends = np.cumsum([joint.nv for joint in self.joint]).tolist()
        return [slice(end - joint.nv, end) for end, joint in zip(ends, self.joint, strict=True)]

    def configuration(self) -> list[slice]:
        """Where each joint's configuration variables are in q."""
        ends = np.cumsum([joint.nq for joint in self.joint]).tolist()
        return [slice(end - joint.nq, end) for end, joint in zip(ends, self.joint, strict=True)]

    def angles(self) -> np.ndarray:
        """Which configuration variables are angles, with whole turns counted."""
        return np.array([x for joint in self.joint for x in joint.angles], dtype=bool)

    def ground_acceleration(self) -> np.ndarray:
        """a_0 = -a_g."""
        return array([0.0, 0.0, 0.0, *(-g for g in self.gravity)])


Forces = Sequence[Any] | None  # for each body a 6-D force on it, in body coordinates; None: no forces


def joints(tree: Tree, q: Any, v: Any) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Xup, S and cJ of all joints (the routine jcalc of the book)."""
    q, v = array(q), array(v)
    if q.shape != (tree.nq,) or v.shape != (tree.nv,):
        raise ModelError(
            f"this tree has {tree.nq} configuration variables and {tree.nv} speeds; got {q.shape} and {v.shape}",
            remedy="a spherical joint has four variables and three speeds, a free joint seven and six",
        )
    Xup, S, cJ = [], [], []
    for joint, X, at_q, at_v in zip(tree.joint, tree.Xtree, tree.configuration(), tree.speeds(), strict=True):
        XJ, Si, ci = joint.model(q[at_q], v[at_v])
        Xup.append(XJ @ array(X))
        S.append(Si)
        cJ.append(ci)
    return Xup, S, cJ


def rates(tree: Tree, q: Any, v: Any) -> np.ndarray:
    """qdot of the speeds v: v itself, but for Euler parameters (and the place of a free body)."""
    q, v = array(q), array(v)
    places = zip(tree.joint, tree.configuration(), tree.speeds(), strict=True)
    return array([x for joint, at_q, at_v in places for x in joint.rates(q[at_q], v[at_v])])


def linked(tree: Tree, Xup: list[np.ndarray], S: list[np.ndarray]) -> Linked:
    """The tree at a configuration."""
    return Linked(tree.parent, tree.speeds(), Xup, S)


def velocities(tree: Tree, q: Any, v: Any) -> list[np.ndarray]:
    """The 6-D velocity of each body in its own coordinates."""
    Xup, S, _ = joints(tree, q, v)
    return linked(tree, Xup, S).carried(array(v))


def velocity_products(
    tree: Tree, S: list[np.ndarray], cJ: list[np.ndarray], v: list[np.ndarray], qd: np.ndarray
) -> list[np.ndarray]:
    """c: what bodies are accelerated by against the ones below while the speeds stay as they are."""
    return [cJ[i] + crm(v[i]) @ (S[i] @ qd[at]) for i, at in enumerate(tree.speeds())]


def rnea(tree: Tree, q: Any, qd: Any, qdd: Any, f_ext: Forces = None) -> np.ndarray:
    """Joint forces tau of given accelerations: the recursive Newton-Euler algorithm (table 5.1)."""
    Xup, S, cJ = joints(tree, q, qd)
    qd, qdd = array(qd), array(qdd)
    chain = linked(tree, Xup, S)
    v = chain.carried(qd)
    a = chain.carried(qdd, velocity_products(tree, S, cJ, v, qd), tree.ground_acceleration())
    f: list[np.ndarray] = []
    for i in range(len(a)):
        I = tree.inertia[i]  # noqa: E741
        f.append(I @ a[i] + crf(v[i]) @ (I @ v[i]))
        if f_ext is not None:
            f[i] = f[i] - array(f_ext[i])
    return array(chain.pressed(f))


def bias(tree: Tree, q: Any, qd: Any, f_ext: Forces = None) -> np.ndarray:
    """C(q, qd): the joint forces that leave all accelerations zero (gravity and f_ext included)."""
    return rnea(tree, q, qd, np.zeros(tree.nv), f_ext)


def crba(tree: Tree, q: Any) -> np.ndarray:
    """Joint-space inertia matrix H: the composite-rigid-body algorithm (table 6.2)."""
    Xup, S, _ = joints(tree, q, np.zeros(tree.nv))
    at = tree.speeds()
    H: Any = np.zeros((tree.nv, tree.nv), dtype=object)
    for j, k, block in linked(tree, Xup, S).composite(tree.inertia):
        H[at[j], at[k]] = block
        H[at[k], at[j]] = block.T
    return array(H)


def aba(tree: Tree, q: Any, qd: Any, tau: Any, f_ext: Forces = None) -> np.ndarray:
    """Joint accelerations of given joint forces: the articulated-body algorithm (table 7.1)."""
    Xup, S, cJ = joints(tree, q, qd)
    qd, chain = array(qd), linked(tree, Xup, S)
    v = chain.carried(qd)
    c = velocity_products(tree, S, cJ, v, qd)
    F = [crm(v[i]).T @ (array(tree.inertia[i]) @ v[i]) for i in range(len(v))]  # -v x* I v
    if f_ext is not None:
        F = [own + array(f) for own, f in zip(F, f_ext, strict=True)]
    rates, _ = Articulated(chain, tree.inertia).motion(F, array(tau), c, tree.ground_acceleration())
    return array([x for own in rates for x in own])


def articulated_inertias(tree: Tree, q: Any) -> list[np.ndarray]:
    """IA of each body: the inertia it shows when pushed, all bodies above it following freely."""
    Xup, S, _ = joints(tree, q, np.zeros(tree.nv))
    return Articulated(linked(tree, Xup, S), tree.inertia).inertias
