"""Forces and drivers in plain numpy: what each does to the bodies at a time, from positions and velocities alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from fuzz import rare, touching
from fuzz.further_drawn import KNOTS
from fuzz.motion import Answer
from fuzz.sketch import Item

Wrenches = list[tuple[str, np.ndarray, np.ndarray, np.ndarray]]  # body, force, where it acts, torque beside it
ZERO = np.zeros(3)


def _ends(a: Answer, x: Item, k: int) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Of each end: body, place and velocity."""
    out = []
    for body, drawn in x.ends:
        P, v, _ = a.bodies[body].at(k, a.own(body, drawn).r)
        out.append((body, P, v))
    return out


def _stretch(a: Answer, x: Item, k: int) -> tuple[float, float, np.ndarray]:
    """Distance of the ends, its rate, direction from the first to the second."""
    (_, P, vP), (_, Q, vQ) = _ends(a, x, k)[:2]
    s = float(np.linalg.norm(Q - P))
    u = (Q - P) / s
    return s, float(u @ (vQ - vP)), u


def _apart(a: Answer, x: Item, k: int, F: float) -> Wrenches:
    """F drives the two ends apart."""
    (i, P, _), (j, Q, _) = _ends(a, x, k)[:2]
    u = _stretch(a, x, k)[2]
    return [(i, -F * u, P, ZERO), (j, F * u, Q, ZERO)]


def _joint_state(a: Answer, joint: Item, channel: str, k: int) -> tuple[float, float]:
    """A joint's coordinate as the result tells it, and its rate from the bodies' velocities."""
    s = float(a.result[f"{joint.name}.{channel}"][k])
    (i, P), (j, Q) = joint.ends
    F, bi, bj = a.end(k, i, P), a.bodies[i], a.bodies[j]
    if channel == "angle":
        return s, float(F.R[:, 2] @ (bj.w[k] - bi.w[k]))
    _, v, _ = bj.at(k, a.own(j, Q).r)
    place, _, _ = bj.at(k, a.own(j, Q).r)
    carried = bi.v[k] + np.cross(bi.w[k], place - bi.r[k])
    axis = F.R[:, 0 if a.sketch.dimension == 2 else 2]
    return s, float(axis @ (v - carried))


def along_joint(a: Answer, joint: Item, channel: str, k: int, effort: float) -> Wrenches:
    """An effort along a joint's coordinate: on the second body, and its opposite on the first."""
    (i, P), (j, Q) = joint.ends
    F = a.end(k, i, P)
    if channel == "angle":
        n = effort * F.R[:, 2]
        return [(i, ZERO, a.bodies[i].r[k], -n), (j, ZERO, a.bodies[j].r[k], n)]
    f = effort * F.R[:, 0 if a.sketch.dimension == 2 else 2]
    at = a.end(k, j, Q).r
    return [(i, -f, at, ZERO), (j, f, at, ZERO)]


def _on_quantity(a: Answer, x: Item, k: int, law: Callable[[float, float], float]) -> Wrenches:
    if x.of:
        joint, channel = a.sketch[x.of[0]], x.words["channel"]
        return along_joint(a, joint, channel, k, law(*_joint_state(a, joint, channel, k)))
    s, rate, _ = _stretch(a, x, k)
    return _apart(a, x, k, law(s, rate))


def _spring(a: Answer, x: Item, k: int) -> Wrenches:
    s, rate, _ = _stretch(a, x, k)
    K, length, c = x.value("k"), x.value("length"), x.value("c")
    if x.words["law"] != "plain":
        K *= 1 + (s / length) ** 2
    F = K * (s - length) + c * rate
    if x.words["law"] != "plain":
        F += x.value("a") * np.cos(x.value("w") * a.t[k])
    return _apart(a, x, k, -F)


def _torsion(a: Answer, x: Item, k: int) -> Wrenches:
    return _on_quantity(a, x, k, lambda s, v: -x.value("k") * (s - x.value("angle")) - x.value("c") * v)


def _force(a: Answer, x: Item, k: int) -> Wrenches:
    push = x.value("a") * np.sin(x.value("w") * a.t[k] + 1)
    return _on_quantity(a, x, k, lambda s, v: push - x.value("c") * v - x.value("k") * s)


def _vector(a: Answer, x: Item, k: int) -> np.ndarray:
    """The direction of a force or torque: the x axis of its second end, in ground or body axes."""
    body, drawn = x.ends[1]
    return np.asarray(a.end(k, body, drawn).R[:, 0])


def _point_force(a: Answer, x: Item, k: int) -> Wrenches:
    F = x.value("a") * (np.cos(x.value("w") * a.t[k]) if x.words["law"] == "time" else 1.0)
    body, P, _ = _ends(a, x, k)[0]
    return [(body, F * _vector(a, x, k), P, ZERO)]


def _torque(a: Answer, x: Item, k: int) -> Wrenches:
    body = x.ends[0][0]
    u = np.array([0, 0, 1.0]) if a.sketch.dimension == 2 else _vector(a, x, k)
    return [(body, ZERO, a.bodies[body].r[k], x.value("a") * u)]


def _angle(R: np.ndarray) -> float:
    return float(np.arctan2(R[1, 0], R[0, 0]))


def _turned(a: Answer, body: str, k: int) -> float:
    """By how much a body of a planar machine has turned since it was drawn, more than once round too."""
    return 0.0 if body == "ground" else float(a.result[f"{body}.angle"][k]) - _angle(a.sketch[body].place.R)


def _bushing(a: Answer, x: Item, k: int) -> Wrenches:
    if a.sketch.dimension == 3:
        return rare.bushing(a, x, k)
    (i, P), (j, Q) = x.ends
    F, G = a.end(k, i, P), a.end(k, j, Q)
    bi, bj = a.bodies[i], a.bodies[j]
    _, v, _ = bj.at(k, a.own(j, Q).r)
    carried = bi.v[k] + np.cross(bi.w[k], G.r - bi.r[k])
    d = F.R.T @ (G.r - F.r)
    # the points' shift in axes that turn with the first body
    rate = F.R.T @ (v - carried)
    turned = _angle(P.R.T @ Q.R) + _turned(a, j, k) - _turned(a, i, k)  # whole turns count
    spin = bj.w[k][2] - bi.w[k][2]
    f = F.R @ np.array([-x.value(f"k{m}") * d[m] - x.value(f"c{m}") * rate[m] for m in (0, 1)] + [0.0])
    n = np.array([0, 0, -x.value("k2") * turned - x.value("c2") * spin])
    return [(i, -f, G.r, -n), (j, f, G.r, n)]


def _pressed(x: Item, depth: float, speed: float, struck: float = 0.0) -> float:
    """The force of a contact that is `depth` deep and closes with `speed`; it never pulls. struck: the speed at which it
    closed, zero of one that was closed when it began."""
    if depth <= 0:
        return 0.0
    law, k, c = x.words.get("law", "linear"), x.value("k"), x.value("c") if "c" in x.numbers else 0.0
    if law == "lankarani-nikravesh":
        law, c = "hunt-crossley", 0.75 * (1 - x.value("restitution") ** 2) * k / struck if struck else 0.0
    if law == "hunt-crossley":
        return max(0.0, (k + c * speed) * depth**1.5)
    return max(0.0, k * depth ** (1.5 if law == "hertz" else 1.0) + c * speed)


def _contact(a: Answer, x: Item, k: int) -> Wrenches:
    """By its law; of an impact that has come to rest the force that the result tells, which must push."""
    (i, P, vP), (j, Q, _) = _ends(a, x, k)
    told = max(0.0, float(a.result[f"{x.name}.force"][k])) if x.kind == "Impact" else None
    struck = float(a.result[f"{x.name}.impact_speed"][k]) if x.words.get("law") == "lankarani-nikravesh" else 0.0
    Ri, Rj = x.value("Ri"), x.value("Rj")
    if x.words["on"] == "sphere":
        s, rate, _ = _stretch(a, x, k)
        return _apart(a, x, k, _pressed(x, Ri + Rj - s, -rate, struck) if told is None else told)
    normal = a.end(k, *x.ends[1]).R[:, 1 if a.sketch.dimension == 2 else 2]
    bj = a.bodies[j]
    carried = bj.v[k] + np.cross(bj.w[k], P - bj.r[k])
    N = _pressed(x, Ri - float(normal @ (P - Q)), -float(normal @ (vP - carried)), struck) if told is None else told
    if "transition" not in x.numbers:
        return [(i, N * normal, P, ZERO), (j, -N * normal, P, ZERO)]
    at = P - Ri * normal  # where it rubs, by the smooth law
    bi = a.bodies[i]
    slip = bi.v[k] + np.cross(bi.w[k], at - bi.r[k]) - bj.v[k] - np.cross(bj.w[k], at - bj.r[k])
    slip -= (normal @ slip) * normal
    speed = float(np.linalg.norm(slip))
    F = N * normal - (x.value("mu") * N * np.tanh(speed / x.value("transition")) / speed * slip if speed else ZERO)
    return [(i, F, at, ZERO), (j, -F, at, ZERO)]


def _bumper(a: Answer, x: Item, k: int) -> Wrenches:
    """At rest at its end with the effort the result tells."""
    name = next(n for n in (f"{x.name}.torque", f"{x.name}.force") if n in a.result)
    return _on_quantity(a, x, k, lambda s, v: float(a.result[name][k]))


def _tyre(a: Answer, x: Item, k: int) -> Wrenches:
    """A spring and a damper below the wheel; across its heading a force by the angle of slip."""
    (body, P, v), axle = _ends(a, x, k)[0], a.end(k, *x.ends[0]).R[:, 2]
    depth = x.value("height") + x.value("radius") - P[2]
    N = max(0.0, x.value("k") * depth - x.value("c") * v[2]) if depth > 0 else 0.0
    side = np.array([axle[0], axle[1], 0.0]) / np.hypot(axle[0], axle[1])
    forward = abs(float(np.cross((0, 0, 1.0), side) @ v))
    crawl = x.value("radius")  # a radius a second, as the manual says
    slip = float(np.arctan2(side @ v, forward if forward > crawl else (forward**2 + crawl**2) / (2 * crawl)))
    most = x.value("mu") * N
    F = -float(np.clip(x.value("cornering") * slip, -most, most)) * side + np.array([0, 0, N])
    return [(body, F, np.array([P[0], P[1], x.value("height")]), ZERO)]


def _inertia(a: Answer, x: Item, k: int) -> Wrenches:
    joint, channel = a.sketch[x.of[0]], x.words["channel"]
    rate = float(a.result[f"{joint.name}.{'alpha' if channel == 'angle' else 'acceleration'}"][k])
    return along_joint(a, joint, channel, k, -x.value("J") * rate)


def _attraction(a: Answer, x: Item, k: int) -> Wrenches:
    return _apart(a, x, k, -x.value("strength") / _stretch(a, x, k)[0] ** 2)


def _tabled(a: Answer, x: Item, k: int) -> Wrenches:
    return _on_quantity(a, x, k, lambda s, v: x.value("a") * table(x, (s - x.value("start")) / x.value("unit")))


def table(x: Item, at: Any) -> Any:
    """Through the points, twice continuously differentiable, with the ends' third derivatives as next to them."""
    return CubicSpline(KNOTS, x.words["values"])(at)


def _stop(a: Answer, x: Item, k: int) -> Wrenches:
    def law(s: float, v: float) -> float:
        return _pressed(x, x.value("lower") - s, -v) - _pressed(x, s - x.value("upper"), v)

    return _on_quantity(a, x, k, law)


def _driver(a: Answer, x: Item, k: int) -> Wrenches:
    """With the effort the result tells."""
    channel = x.words["channel"]
    effort = float(a.result[f"{x.name}.{'torque' if channel == 'angle' else 'force'}"][k])
    return along_joint(a, a.sketch[x.of[0]], channel, k, effort)


def _coupler(a: Answer, x: Item, k: int) -> Wrenches:
    """One multiplier: each coordinate gets it times its factor."""
    name = "torque" if f"{x.name}.torque" in a.result else "force"
    effort = float(a.result[f"{x.name}.{name}"][k])
    out: Wrenches = []
    for m, (joint, channel) in enumerate(zip(x.of, x.words["channels"], strict=True)):
        out += along_joint(a, a.sketch[joint], channel, k, effort * x.value(f"f{m}"))
    return out


def rubbing(x: Item, N: float, v: float) -> float:
    """Friction against a speed under a pressing force: as written in the manual."""
    mu, vt = x.value("mu"), x.value("transition")
    return mu * N * float(np.tanh(v / vt)) + x.value("viscous") * v


def _friction(a: Answer, x: Item, k: int) -> Wrenches:
    joint = a.sketch[x.of[0]]
    (i, P), (j, Q) = joint.ends
    F, G = a.end(k, i, P), a.end(k, j, Q)
    names = ("fx", "fy", "fz")[: a.sketch.dimension]
    N = float(np.linalg.norm([a.result[f"{joint.name}.{c}"][k] for c in names]))
    if joint.kind == "Translational":
        _, v = _joint_state(a, joint, "displacement", k)
        return along_joint(a, joint, "displacement", k, -rubbing(x, N, v))
    N *= x.value("radius")
    w = a.bodies[j].w[k] - a.bodies[i].w[k]
    if joint.kind == "Revolute":
        return along_joint(a, joint, "angle", k, -rubbing(x, N, float(F.R[:, 2] @ w)))
    if joint.kind == "Universal":
        n = -sum(rubbing(x, N, float(h @ w)) * h for h in (F.R[:, 2], G.R[:, 2]))
    else:
        size = float(np.linalg.norm(w))
        n = -rubbing(x, N, size) * w / size if size else ZERO
    return [(i, ZERO, a.bodies[i].r[k], -n), (j, ZERO, a.bodies[j].r[k], n)]


def _constraint(a: Answer, x: Item, k: int) -> Wrenches:
    """u . w = f with the effort lam: torques lam u x w on w's body, the opposite on u's."""
    effort = float(a.result[f"{x.name}.force"][k])
    (i, P), (j, Q) = x.ends
    n = effort * np.cross(a.end(k, j, Q).R[:, 0], a.end(k, i, P).R[:, 0])
    return [(i, ZERO, a.bodies[i].r[k], -n), (j, ZERO, a.bodies[j].r[k], n)]


LAWS: dict[str, Callable[[Answer, Item, int], Wrenches]] = {
    "Spring": _spring, "TorsionSpring": _torsion, "Force": _force, "PointForce": _point_force, "Torque": _torque,
    "Bushing": _bushing, "Contact": _contact, "Stop": _stop, "Driver": _driver, "Coupler": _coupler, "Friction": _friction,
    "Constraint": _constraint, "Impact": _contact, "Bumper": _bumper, "Tyre": _tyre, "TableForce": _tabled,
    "Inertia": _inertia, "Attraction": _attraction, "Fix": lambda a, x, k: [], **touching.LAWS,
    **rare.LAWS, "PlainForce": _force,
}  # fmt: skip
