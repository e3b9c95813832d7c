"""A model as a tree in joint coordinates: which joint carries which body, and in which frames (Featherstone, chapter 4)."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.equations.arrays import array
from linkwright.equations.joint_models import FREE, KINDS, Joint
from linkwright.equations.spatial_vectors import inverse, plucker, rigid_body_inertia
from linkwright.equations.tree import Tree
from linkwright.graph import cos, sin
from linkwright.system.quantities import ends
from linkwright.system.tree import parents

Value = Callable[[Any], Any]


@dataclass(frozen=True)
class Spanning:
    """The tree, its joints by name ("" for a body that nothing carries), the bodies in its order, and what it leaves out."""

    tree: Tree
    bodies: tuple[m.Body, ...]
    joints: tuple[str, ...]
    frames: tuple[np.ndarray, ...]  # X from each body's own axes to its tree coordinates
    loops: tuple[m.Element, ...]  # constraints that close loops, and drivers

    @property
    def names(self) -> list[str]:
        """A name for each speed."""
        out = []
        for body, joint, kind in zip(self.bodies, self.joints, self.tree.joint, strict=True):
            owner = joint or body.name
            out += [owner if kind.nv == 1 else f"{owner}.{k}" for k in range(kind.nv)]
        return out


def spanning_tree(model: m.Model, without: Container[str] = (), traced: bool = False) -> Spanning:
    """Joints in the order in which they were added.

    `without`: names of joints that are to be left out of the tree. `traced`: parameters of the model stay symbols; else the
    tree has the numbers of the present ones.
    """
    carrying: dict[str, dict[str, Any]] = {name: {} for name in model.bodies}  # of two joints between bodies the first
    constraints = [e for e in model.elements.values() if isinstance(e, m.Joint | m.Constraint | m.Driver | m.Coupler)]
    for e in constraints:
        if type(e).__name__ in KINDS and e.name not in without:
            a, b = (P.body.name for P in ends(e))
            carrying[a].setdefault(b, e)
            carrying[b].setdefault(a, e)
    ground = model.ground.name
    parent = parents(carrying, ground, (name for name in model.bodies if name != ground))
    found = {child: (low, carrying[low].get(child)) for child, low in parent.items()}
    used = {id(joint) for _, joint in found.values()}
    value: Value = _itself if traced else model.value
    return _build(model, value, found, tuple(e for e in constraints if id(e) not in used))


def _itself(x: Any) -> Any:
    return x


def _build(
    model: m.Model, value: Value, found: dict[str, tuple[str, Any]], loops: tuple[m.Element, ...]
) -> Spanning:  # fmt: skip
    number = {name: k for k, name in enumerate(found)}
    number[model.ground.name] = -1
    own: dict[str, np.ndarray] = {model.ground.name: np.eye(6)}
    parents, joints, Xtree, inertias, frames = [], [], [], [], []
    for child, (parent, joint) in found.items():
        kind, start, end = _joint(model, value, joint, child)
        own[child] = end
        parents.append(number[parent])
        joints.append(kind)
        Xtree.append(start @ inverse(own[parent]))
        inertias.append(_inertia(model, value, child, end))
        frames.append(end)
    g = [value(x) for x in (model.traced_gravity() if value is _itself else model.gravity)] + [0.0] * (3 - model.dimension)
    tree = Tree(tuple(parents), tuple(joints), tuple(Xtree), tuple(inertias), (g[0], g[1], g[2]))
    names = tuple("" if joint is None else joint.name for _, joint in found.values())
    return Spanning(tree, tuple(model.bodies[name] for name in found), names, tuple(frames), loops)


def _joint(model: m.Model, value: Value, joint: Any, child: str) -> tuple[Joint, np.ndarray, np.ndarray]:
    """The joint's type, X from the parent's axes to where it starts, X from the child's axes to where it ends."""
    if joint is None:
        return FREE[model.dimension], np.eye(6), np.eye(6)
    P, Q = ends(joint)
    kind = KINDS[type(joint).__name__]
    kind = kind.given(*(value(getattr(joint, field)) for field in kind.fields))
    start, end = (_frame(model.dimension, value, kind, X) for X in (P, Q))
    if P.body.name == child:  # counted from the child to the parent
        return kind.reversed(), end, start
    return kind, start, end


def _frame(dimension: int, value: Value, kind: Joint, P: m.Point) -> np.ndarray:
    s = [value(x) for x in P.s]
    if dimension == 3:
        C = np.eye(3) if P.rotation is None else array([[value(x) for x in row] for row in P.rotation])
        return plucker(C.T, s)
    angle = 0.0 if P.angle is None else value(P.angle)
    c, sn = cos(angle), sin(angle)
    if kind.motions and not kind.turns:  # it slides: its z axis lies along the directed point
        C = array([[0.0, sn, c], [0.0, -c, sn], [1.0, 0.0, 0.0]])
    else:
        C = array([[c, -sn, 0.0], [sn, c, 0.0], [0.0, 0.0, 1.0]])
    return plucker(C.T, [*s, 0.0])


def _inertia(model: m.Model, value: Value, name: str, X: np.ndarray) -> np.ndarray:
    body = model.bodies[name]
    com = [value(x) for x in body.com] + [0.0] * (3 - model.dimension)
    J: Any = body.inertia
    if model.dimension == 3:
        J = array([[value(x) for x in row] for row in J])
    else:
        J = array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, value(J)]])
    back = inverse(X)
    return array(back.T @ rigid_body_inertia(value(body.mass), com, J) @ back)
