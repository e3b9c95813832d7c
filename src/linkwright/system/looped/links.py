"""The joints of a large machine's spanning tree by shape: for each what carries its body, and reads its coordinates again,
compiled once for joints that differ in their numbers alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compile import Function
from linkwright.equations.arrays import array
from linkwright.equations.joint_link import Frame, Link
from linkwright.equations.joint_models import Joint
from linkwright.equations.rotations import euler_parameters, product
from linkwright.equations.spatial_vectors import place
from linkwright.graph import symbols
from linkwright.model import Model
from linkwright.system.joint_reading import planar_offset, planar_turns
from linkwright.system.looped.formula import SPECIAL
from linkwright.system.looped.groups import by_shape
from linkwright.system.looped.shapes import Reading
from linkwright.system.spanning_tree import Spanning

NONE = 1e-16  # sines and cosines below this are zeros that were rounded


class LinkFunctions:
    """The functions of one shape of joint: ``carried``, ``rates``, ``read`` as in `Link`, with the joint's numbers as their
    last input."""

    def __init__(self, joint: Joint, special: Sequence[float | None], space: bool) -> None:
        free = iter(symbols("b", sum(x is None for x in special)))
        b = [next(free) if x is None else x for x in special]
        self._b = array([x for x, y in zip(b, special, strict=True) if y is None])
        self.joint, self.link = joint, _link(joint, b, space)
        n, k = (7, 6) if space else (3, 3)
        self._theta, self._u = symbols("theta", joint.nq), symbols("u", joint.nv)
        self._own = symbols("q", n), symbols("v", k), symbols("vdot", k)
        self._low = symbols("q_low", n), symbols("v_low", k), symbols("vdot_low", k)

    def _function(self, name: str, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, Any]) -> Function:
        return Function(f"{self.joint.name} {name}", {**inputs, "b": self._b}, dict(outputs))

    def made(self) -> dict[str, Function]:
        own, low = self._own, self._low
        q, v = self.link.carried(self._theta, self._u, *low[:2])
        thetadot, udot = self.link.rates(self._theta, self._u, own, low)
        theta, u = self.link.read(self._theta, own[:2], low[:2])
        at = {"theta": self._theta, "u": self._u}
        bodies = {"q": own[0], "v": own[1], "q_low": low[0], "v_low": low[1]}
        return {
            "carried": self._function("carried", {**at, "q": low[0], "v": low[1]}, {"q": q, "v": v}),
            "rates": self._function(
                "rates", {**at, **bodies, "vdot": own[2], "vdot_low": low[2]}, {"theta": thetadot, "u": udot}
            ),
            "read": self._function("read", {"near": self._theta, **bodies}, {"theta": theta, "u": u}),
        }


def _link(joint: Joint, b: Sequence[Any], space: bool) -> Link:
    """The joint with these numbers, in the order in which `_reading` gives them."""
    E1, s1, E2, s2, rest = array(b[:9]).reshape(3, 3), array(b[9:12]), array(b[12:21]).reshape(3, 3), array(b[21:24]), b[24:]
    own = len(joint.fields)
    joint, rest = joint.given(*rest[:own]), rest[own:]
    if space:
        return Link(joint, Frame(E1, s1, array(rest[:4])), Frame(E2, s2, array(rest[4:])))
    none = np.zeros(4)
    return Link(joint, Frame(E1, s1, none), Frame(E2, s2, none), rest[0])


def readings(model: Model, spanning: Spanning, theta: Sequence[np.ndarray], q: Sequence[np.ndarray]) -> list[Reading]:
    """The numbers of each joint; theta, q: of joints and bodies in the order of the tree."""
    return [_reading(model, spanning, k, theta[k], q) for k in range(len(q))]


def links(spanning: Spanning, read: Sequence[Reading], space: bool) -> list[tuple[dict[str, Function], list[int]]]:
    """The functions of each joint, and which of its numbers they take."""
    out: list[Any] = [None] * len(read)
    for members, special in by_shape(list(read), [True] * len(read)):
        made = LinkFunctions(spanning.tree.joint[members[0]], special, space).made()
        columns = [c for c, x in enumerate(special) if x is None]
        for k in members:
            out[k] = made, columns
    return out


def _reading(model: Model, spanning: Spanning, k: int, theta: np.ndarray, q: Sequence[np.ndarray]) -> Reading:
    """The numbers of a joint: its frames, its pitch, and what is its own of signs or turns."""
    joint, low, start = spanning.tree.joint[k], spanning.tree.parent[k], spanning.tree.Xtree[k]
    start = start if low < 0 else start @ spanning.frames[low]
    (E1, s1), (E2, s2) = (place(np.asarray(X, dtype=float)) for X in (start, spanning.frames[k]))
    E1, E2 = (np.where(np.abs(E) < NONE, 0.0, E) for E in (E1, E2))
    numbers = [*E1.flat, *s1, *E2.flat, *s2, *joint.numbers]
    if model.dimension == 3:
        p1, p2 = euler_parameters(E1.T), euler_parameters(E2)
        below = np.array([1.0, 0.0, 0.0, 0.0]) if low < 0 else q[low][3:]
        found = product(product(product(below, p1), joint.turn(theta)), p2)
        numbers += [*p1, *(p2 if found @ q[k][3:] > 0 else -p2)]  # its Euler parameters, not the opposite ones
    else:
        turned = float(q[k][2] - (0.0 if low < 0 else q[low][2]))
        numbers.append(planar_offset(model, spanning, k) + planar_turns(model, spanning, k, turned))
    numbers = [float(x) for x in numbers]
    return Reading((joint.name, joint.opposite), numbers, [x if x in SPECIAL else None for x in numbers])
