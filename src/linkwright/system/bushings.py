"""Turns of bushings in space: which are pulled back, by which form, and how far they are followed."""

from __future__ import annotations

from math import nan, pi

import numpy as np

from linkwright import model as m
from linkwright.equations import soft_turns
from linkwright.equations.basic_constraints import continuous
from linkwright.equations.rotations import dot, relative_parameters
from linkwright.graph import Expr, Scalar, absolute, symbol, where
from linkwright.system.geometry import Geometry

AXES = "xyz"


def turns(g: Geometry, e: m.Bushing) -> list[Scalar]:
    """The three turns of Q's frame from P's that stiffness acts along; zero where there is none.

    Where a form ends (half a turn, but for a twist) it does not go on from the other side: beyond, the law is not a number,
    and whoever moves the machine says so.
    """
    pulled = [_acts(e, k) for k in range(3)]
    if not any(pulled):
        return [0.0, 0.0, 0.0]
    p = soft_turns.shorter(relative_parameters(g.frame(e.P).p, g.frame(e.Q).p))
    axis = twisted(e)
    if axis is None:
        form = soft_turns.rotation_vector(p) if e.form == "rotation vector" else soft_turns.about_axes(p, _alike(e))
        return [_near(g, f"{e.name}.angle_{c}", s) if acts else 0.0 for c, s, acts in zip(AXES, form, pulled, strict=True)]
    out: list[Scalar] = [0.0, 0.0, 0.0]
    if pulled[axis]:
        angle = soft_turns.twist(p, axis)
        out[axis] = g.nearest(f"{e.name}.angle_{AXES[axis]}", lambda reference: continuous(angle, reference))
    for k, s in zip(((axis + 1) % 3, (axis + 2) % 3), soft_turns.swing(p, axis), strict=True):
        out[k] = _near(g, f"{e.name}.angle_{AXES[k]}", s) if pulled[k] else 0.0
    return out


def twisted(e: m.Bushing) -> int | None:
    """The axis about which it may turn any number of times."""
    if e.form != "auto":
        return 2 if e.form == "twist" else None
    pulled = [_acts(e, k) for k in range(3)]
    return pulled.index(sum(pulled) == 1) if sum(pulled) in (1, 2) else None


def _acts(e: m.Bushing, k: int) -> bool:
    """Whether there is stiffness along a turn."""
    return any(type(x) is Expr or x != 0 for j in range(6) for x in (e.k[3 + k][j], e.k[j][3 + k]))


def _alike(e: m.Bushing) -> bool:
    """Whether the potential is that of three equal stiffnesses and nothing else: it has no axes."""
    block = [[e.k[3 + i][3 + j] for j in range(3)] for i in range(3)]
    others = [x for i in range(3) for j in range(3) for x in (e.k[i][3 + j], e.k[3 + i][j], block[i][j] if i != j else 0.0)]
    plain = all(type(x) is not Expr and x == 0 for x in others)
    return plain and all(same(block[k][k], block[0][0]) for k in (1, 2))


def same(a: Scalar, b: Scalar) -> bool:
    """Whether two entries of a matrix are the same expression, or equal numbers."""
    return a is b or (type(a) is not Expr and type(b) is not Expr and a == b)


def _near(g: Geometry, name: str, s: Scalar) -> Scalar:
    """An angle within half a turn of zero that must not come out at the other side."""
    reference = g.turns[name][0] if name in g.turns else symbol(f"turn:{name}")
    here = absolute(s - reference) < pi
    g.turns[name] = (reference, where(here, s, reference))
    out: Scalar = where(here, s, nan)
    return out


def spin(g: Geometry, e: m.Bushing) -> list[Scalar]:
    """The angular velocity of Q's body against P's, in the axes of P's frame."""
    i, total = g.frame(e.P), np.zeros(3, dtype=object)
    for P, sign in ((e.P, -1.0), (e.Q, 1.0)):
        if not P.body.is_ground:
            at = g.coordinates.body_slices()[P.body.name][1]
            total = total + sign * (g.pose(P).A @ g.coordinates.v[at][3:])
    return [dot(axis, total) for axis in (i.f, i.g, i.h)]
