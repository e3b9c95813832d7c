"""Bushings: turns that are pulled back, in space by which form, and how far they are followed; and the load of it all."""

from __future__ import annotations

from collections.abc import Callable
from math import nan, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import model as m
from linkwright.equations import soft_turns
from linkwright.equations.basic_constraints import continuous
from linkwright.equations.plane import rotate90
from linkwright.equations.rotations import dot, relative_parameters
from linkwright.graph import Expr, Scalar, absolute, symbol, where
from linkwright.model.values import is_some
from linkwright.system.geometry import Geometry
from linkwright.system.load import Generalised, Load, total
from linkwright.system.quantities import rate_of

if TYPE_CHECKING:
    from linkwright.system.forces import Loads

AXES = "xyz"
GIMBAL = 1e-4  # rad from a quarter turn about y: Cardan angles end there
SEAM = ".seam"  # how the name of a reference ends: see `turn_in_plane`


def turn_in_plane(g: Geometry, e: m.Bushing) -> Scalar:
    """The turn of Q's frame from P's: within half a turn at the start, from there with all it makes, as a twist in space.

    Angles of bodies in the plane have their whole turns, however long a step is. Only where they begin is to be kept: the
    angle between the frames, as these have it, at which the bushing is turned by half a turn. It is 2 pi n + pi and so never
    zero, which stands for one that is not decided yet.
    """
    angle: Scalar = g.angle(e.Q) - g.angle(e.P)
    if not _in_row_or_column(e, 2):
        return angle
    seam = g.nearest(f"{e.name}{SEAM}", lambda kept: where(kept == 0.0, continuous(0.0, angle) + pi, kept))
    out: Scalar = angle - seam + pi
    return out


def seams(model: m.Model, told: Callable[[str], float | None]) -> dict[str, float]:
    """The seams of bushings in the plane at a state, by reference. `told` reads channels; there are none for what it
    lacks."""
    out = {}
    for e in model.elements.values():
        if model.dimension == 2 and isinstance(e, m.Bushing) and (turn := told(f"{e.name}.angle")) is not None:
            at = [0.0 if P.body.is_ground else told(f"{P.body.name}.angle") for P in (e.P, e.Q)]
            if at[0] is not None and at[1] is not None:
                own = [0.0 if P.angle is None else model.value(P.angle) for P in (e.P, e.Q)]
                out[f"{e.name}{SEAM}"] = float(continuous(0.0, at[1] + own[1] - at[0] - own[0] - turn) + pi)
    return out


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
    if e.form == "cardan":
        form = soft_turns.cardan(p)
        upright = absolute(form[1]) < pi / 2 - GIMBAL
        form = np.array([where(upright, s, nan) for s in form], dtype=object)
        return [_near(g, f"{e.name}.angle_{c}", s) if acts else 0.0 for c, s, acts in zip(AXES, form, pulled, strict=True)]
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


def channels(e: m.Bushing, d: list[Scalar]) -> list[tuple[str, Scalar]]:
    """The names of its turns among displacements and turns d, for results: a run that goes on needs them."""
    if len(d) == 3:
        return [("angle", d[2] if _in_row_or_column(e, 2) else 0.0)]
    return [(f"angle_{c}", s) for c, s in zip(AXES, d[3:], strict=True)]


def twisted(e: m.Bushing) -> int | None:
    """The axis about which it may turn any number of times."""
    if e.form != "auto":
        return 2 if e.form == "twist" else None
    pulled = [_acts(e, k) for k in range(3)]
    return pulled.index(sum(pulled) == 1) if sum(pulled) in (1, 2) else None


def _acts(e: m.Bushing, k: int) -> bool:
    """Whether there is stiffness along a turn in space."""
    return _in_row_or_column(e, 3 + k)


def _in_row_or_column(e: m.Bushing, k: int) -> bool:
    """Whether the stiffness has entries other than zero there."""
    return any(is_some(x) for j in range(len(e.k)) for x in (e.k[k][j], e.k[j][k]))


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
    i, against = g.frame(e.P), g.spin(e.Q.body) - g.spin(e.P.body)
    return [dot(axis, against) for axis in (i.f, i.g, i.h)]


# -- the load ------------------------------------------------------------------------------------------------------------
def load(t: Loads, e: m.Bushing) -> Load:
    """Virtual work on the displacements: forces are equal and opposite, and k alone stores d^T k d / 2.

    In space dampers work on the relative angular velocity, which no form of turns has to tell.
    """
    d, space = _offsets(t.g, e), t.g.dimension == 3
    f = _pulled(e.k, d)
    n = len(d)
    symmetric = all(same(e.k[i][j], e.k[j][i]) for i in range(n) for j in range(i))
    V = -0.5 * sum((f[i] * d[i] for i in range(n)), 0.0) if symmetric else None
    shifts, turns = (total(*[t.along(d[k], f[k]) for k in part]) for part in (range(n - n // 2), range(n - n // 2, n)))
    F, torque, damped = f[: n - n // 2], _torque_on_second(t, e, turns) if space else f[2:], Generalised()
    if e.c is not None:
        rates = [*rate_of(t.g, d[:3]), *spin(t.g, e)] if space else rate_of(t.g, d)
        drag = _pulled(e.c, rates)
        damped = total(*[t.along(s, x) for s, x in zip(d[: len(F)], drag, strict=False)])
        F, own = [x + y for x, y in zip(F, drag, strict=False)], drag[len(F) :]
        if space:
            i = t.g.frame(e.P)
            own = list(own[0] * i.f + own[1] * i.g + own[2] * i.h)
            damped = total(damped, *[t.turning(P.body, sign * (t.g.pose(P).A.T @ np.array(own, dtype=object)))
                                     for P, sign in ((e.P, -1.0), (e.Q, 1.0))])  # fmt: skip
        else:
            damped = total(damped, t.along(d[2], own[0]))
        torque = [x + y for x, y in zip(torque, own, strict=True)]
    angles = {name: s for name, s in channels(e, d) if type(s) is Expr}  # those that are pulled back
    effort = {**_on_second(t.g, e.P, F, torque), **angles}
    return Load(e.name, total(shifts, turns, damped), V, effort, damped=damped)


def _pulled(K: Any, d: list[Scalar]) -> list[Scalar]:
    """-K d; what K has no part in is not looked at."""
    return [sum((-x * s for x, s in zip(row, d, strict=True) if is_some(x)), 0.0) for row in K]


def _torque_on_second(t: Loads, e: m.Bushing, turns: Generalised) -> list[Scalar]:
    """The torque on Q's body in ground axes, of generalised forces that work on turns alone."""
    P, sign = (e.Q, 1.0) if not e.Q.body.is_ground else (e.P, -1.0)
    start = t.g.coordinates.body_slices()[P.body.name][1].start + 3
    return list(sign * (t.g.pose(P).A @ np.array([turns.get(start + k, 0.0) for k in range(3)], dtype=object)))


def _on_second(g: Geometry, P: m.Point, F: list[Scalar], torque: list[Scalar]) -> dict[str, Scalar]:
    """The effect of a force along the axes of P and a torque in ground axes on Q's body, at Q and in ground axes."""
    if g.dimension == 2:
        force = F[0] * _ahead(g, P) + F[1] * rotate90(_ahead(g, P))
        return {"fx": force[0], "fy": force[1], "torque": torque[0]}
    i = g.frame(P)
    force = F[0] * i.f + F[1] * i.g + F[2] * i.h
    return dict(zip(("fx", "fy", "fz", "tx", "ty", "tz"), [*force, *torque], strict=True))


def _ahead(g: Geometry, P: m.Point) -> np.ndarray:
    """The x axis of a point in the plane, directed or not."""
    return g.direction(P) if P.angle is not None else g.pose(P).A[:, 0]


def _offsets(g: Geometry, e: m.Bushing) -> list[Scalar]:
    """Displacement and turn of Q's frame from P's, in P's axes."""
    P, Q = e.P, e.Q
    d = g.point(Q) - g.point(P)
    if g.dimension == 2:
        x = _ahead(g, P)
        return [dot(x, d), dot(rotate90(x), d), turn_in_plane(g, e)]
    i = g.frame(P)
    return [*[dot(x, d) for x in (i.f, i.g, i.h)], *turns(g, e)]
