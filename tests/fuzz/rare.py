"""What `rare_drawn` draws, in plain numpy: ropes along their way, turns of bushings in space, what is told of both."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from fuzz.motion import Answer
from fuzz.places import Place, euler, turn
from fuzz.sketch import Item

Wrenches = list[tuple[str, np.ndarray, np.ndarray, np.ndarray]]  # body, force, where it acts, torque beside it
SMALL_TURN, SMALL_SHIFT = 1e-4, 5e-5  # of differences of fourth order: their errors are below those of rounding
LEAST_WRAP = -0.25 * np.pi  # wrapped angles begin above it


def slope(f: Callable[[float], Any], h: float) -> Any:
    """f'(0) by differences of fourth order."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


# -- ropes ---------------------------------------------------------------------------------------------------------------


def radii(x: Item) -> list[float]:
    return [x.value(f"r{k}") for k in range(len(x.ends))]


def way(points: list[Place], r: list[float], near: list[float] | None = None) -> tuple[float, list[float]]:
    """The length of a rope, and the angles in it: wrapped round pulleys, and from the x axes of drums at its ends; each the
    one next to `near`. Positive radii: round counter-clockwise about the pulley's z axis."""
    straight, directions, turned = 0.0, [], []
    for k in range(len(points) - 1):
        P, Q, rho = points[k], points[k + 1], r[k + 1] - r[k]
        h = P.R[:, 2] if r[k] else Q.R[:, 2]
        E = Q.r - P.r
        aside = float(h @ E) if r[k] or r[k + 1] else 0.0
        flat = E - aside * h
        t = np.sqrt(flat @ flat - rho * rho)
        directions.append((t * flat - rho * np.cross(h, flat)) / (flat @ flat))
        turned.append((np.arctan2(rho, t), flat))
        straight += float(np.hypot(t, aside))
    arcs: list[tuple[float, float, float]] = []  # radius, angle, what is taken from it
    for k, R in enumerate(r):
        if not R:
            continue
        X, Y, h = points[k].R.T
        if 0 < k < len(r) - 1:
            u, v = directions[k - 1], directions[k]
            wrap = np.arctan2(np.sign(R) * (h @ np.cross(u, v)), u @ v)
            arcs.append((abs(R), (wrap - LEAST_WRAP) % (2 * np.pi) + LEAST_WRAP, 0.0))
        else:
            beta, E = turned[min(k, len(turned) - 1)]
            arcs.append((R if k == 0 else -R, float(np.arctan2(Y @ E, X @ E)), beta))
    angles = [angle for _, angle, _ in arcs]
    if near is not None:
        angles = [a + 2 * np.pi * round((b - a) / (2 * np.pi)) for a, b in zip(angles, near, strict=True)]
    return straight + sum(R * (a - beta) for (R, _, beta), a in zip(arcs, angles, strict=True)), angles


def _rope(a: Answer, x: Item, k: int) -> Wrenches:
    """By virtual work along its length: what it does to a body is the tension times how much shorter it becomes."""
    T, r = float(a.result[f"{x.name}.tension"][k]), radii(x)
    points = [a.end(k, *end) for end in x.ends]
    _, angles = way(points, r)
    out: Wrenches = []
    # where an end comes to a pulley's radius the length goes as a root of the way that is left
    pairs = itertools.pairwise(zip(points, r, strict=True))
    left = min(float(np.linalg.norm(Q.r - P.r)) - abs(R - S) for (P, R), (Q, S) in pairs)
    h = min(SMALL_SHIFT, 1e-3 * left / a.sketch.units.L)
    for body in dict.fromkeys(x.bodies):
        if body == "ground":
            continue
        at, pull = a.bodies[body].r[k], np.zeros(6)
        for m in [0, 1, 5] if a.sketch.dimension == 2 else range(6):
            e = np.eye(6)[m]

            def longer(h: float, e: np.ndarray = e, at: np.ndarray = at, body: str = body) -> float:
                R, s = turn(h * e[3:]), h * e[:3] * a.sketch.units.L
                both = zip(x.bodies, points, strict=True)
                moved = [Place(R @ P.R, at + R @ (P.r - at) + s) if b == body else P for b, P in both]
                return way(moved, r, angles)[0]

            pull[m] = -T * slope(longer, h)
        out.append((body, pull[:3] / a.sketch.units.L, at, pull[3:]))
    return out


def _ropes_told(a: Answer, x: Item) -> list[str]:
    """A rope keeps its length, or pulls as its stretch says; its rate is how fast it would shorten the work of a tension."""
    r, said = radii(x), []
    first, _ = way([a.end(0, *end) for end in x.ends], r)
    pulleys = [k for k in range(1, len(r) - 1) if r[k]]
    wraps = ["wrap"] if len(pulleys) == 1 else [f"wrap_{n}" for n in range(1, len(pulleys) + 1)]
    names = ["angle_i"] * bool(r[0]) + wraps + ["angle_j"] * bool(r[-1])
    for k in range(len(a.t)):
        near = [float(a.result[f"{x.name}.{name}"][k]) for name in names]  # whole turns are counted, also off a pulley

        def later(h: float, k: int = k, near: list[float] = near) -> float:
            return way([a.bodies[b].ahead(k, h) @ a.own(b, P) for b, P in x.ends], r, near)[0]

        L, L_rate = later(0.0), slope(later, 1e-4 * a.sketch.time)
        if "k" not in x.numbers:
            if not abs(L - first) <= 1e-7 * first:
                said.append(f"{x.name} is {L:.9g} long at t[{k}], {first:.9g} at the start")
            continue
        longer, T = L - x.value("length"), float(a.result[f"{x.name}.tension"][k])
        want = max(0.0, x.value("k") * longer + x.value("c") * L_rate) if longer > 0 else 0.0
        if not abs(T - want) <= 1e-6 * (x.value("k") * a.sketch.units.L + abs(want)):
            said.append(f"{x.name} pulls by {T:.9g} at t[{k}], by its length {want:.9g}")
    return said


# -- bushings in space -----------------------------------------------------------------------------------------------------


def _tilts(R: np.ndarray) -> np.ndarray:
    e = euler(R)
    n2 = float(e[1:] @ e[1:])
    part = e[1:] ** 2 / n2 if n2 else np.zeros(3)
    return np.asarray(2 * np.arctan2(e[1:], e[0] + (1 - part) ** 2 * (1 - e[0])))


def _axes(R: np.ndarray) -> np.ndarray:
    v = euler(R)[1:]
    s = _tilts(R)
    return turn(0.5 * (v * v / (v @ v)) ** 2 * s) @ s if v.any() else s


def _twist(R: np.ndarray) -> np.ndarray:
    e = euler(R)
    about = 2 * np.arctan2(e[3], e[0])
    tilt = _tilts(R @ turn((0, 0, -about)))
    return np.array([tilt[0], tilt[1], about])


def _cardan(R: np.ndarray) -> np.ndarray:
    return np.array([np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(R[0, 2]), np.arctan2(-R[0, 1], R[0, 0])])


def _rotation_vector(R: np.ndarray) -> np.ndarray:
    e = euler(R)
    n = float(np.linalg.norm(e[1:]))
    return np.asarray(e[1:] * (2 * np.arctan2(n, e[0]) / n if n else 2.0))


# how a turn is measured; all stiffnesses are drawn, so that "auto" is "axes"
FORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "auto": _axes, "axes": _axes, "twist": _twist, "cardan": _cardan, "rotation vector": _rotation_vector,
}  # fmt: skip


def matrix(x: Item, name: str, mirrored: bool = False) -> np.ndarray:
    """The stiffness or damping of a bushing in space. In a mirror the y axis and turns about x and z change their sense."""
    K = np.diag([x.value(f"{name}{k}") for k in range(6)])
    for i in range(6):
        for j in range(i):
            K[i, j] = K[j, i] = x.value(f"{name}{j}{i}") if f"{name}{j}{i}" in x.numbers else 0.0
    sense = np.array([1, -1, 1, -1, 1, -1]) if mirrored else np.ones(6)
    return np.asarray(K * np.outer(sense, sense))


def bushing(a: Answer, x: Item, k: int) -> Wrenches:
    """Of the potential d K d/2 of shifts and turns d, and dampers along the axes of the first frame. A twist goes on over
    half a turn: of the whole turns those that the result counts."""
    words = x.words.get("form", "auto")
    if words != "twist":
        return _bushing(a, x, k, FORMS[words])
    told = np.array([float(a.result[f"{x.name}.t{c}"][k]) for c in "xyz"])
    whole = 2 * np.pi * np.array([0.0, 0.0, 1.0])
    turns = [_bushing(a, x, k, lambda R, n=n: _twist(R) + n * whole) for n in range(-2, 3)]  # type: ignore[misc]
    return min(turns, key=lambda out: float(np.abs(out[1][3] - told).max()))


def _bushing(a: Answer, x: Item, k: int, form: Callable[[np.ndarray], np.ndarray]) -> Wrenches:
    (i, P), (j, Q) = x.ends
    F, G = a.end(k, i, P), a.end(k, j, Q)
    bi, bj = a.bodies[i], a.bodies[j]
    R, v = F.R.T @ G.R, bj.v[k] + np.cross(bj.w[k], G.r - bj.r[k]) - bi.v[k] - np.cross(bi.w[k], G.r - bi.r[k])
    effort = -matrix(x, "k") @ np.concatenate([F.R.T @ (G.r - F.r), form(R)])
    slopes = np.array([slope(lambda h, e=e: form(turn(h * e) @ R), SMALL_TURN) for e in np.eye(3)])  # type: ignore[misc]
    damped = -matrix(x, "c") @ np.concatenate([F.R.T @ v, F.R.T @ (bj.w[k] - bi.w[k])])
    f, n = F.R @ (effort[:3] + damped[:3]), F.R @ (slopes @ effort[3:] + damped[3:])
    return [(i, -f, G.r, -n), (j, f, G.r, n)]


def _bushing_told(a: Answer, x: Item) -> list[str]:
    """What it tells is what it does to its second body."""
    if a.sketch.dimension == 2:
        return []
    said = []
    for k in range(len(a.t)):
        _, f, _, n = bushing(a, x, k)[1]
        told = np.array([float(a.result[f"{x.name}.{c}"][k]) for c in ("fx", "fy", "fz", "tx", "ty", "tz")])
        sizes = np.repeat([a.sketch.units.of(1, 1, -2), a.sketch.units.of(2, 1, -2)], 3)
        if not np.abs((told - np.concatenate([f, n])) / sizes).max() <= 1e-8 * (10 + np.abs(told / sizes).max()):
            said.append(f"{x.name} tells {told} at t[{k}], by its law {f}, {n}")
    return said


def rise(x: Item, t: np.ndarray) -> np.ndarray:
    """From 0 to 1: the acceleration a full sine; or a quarter of a sine, half of one three times as slow, and a quarter."""
    s = np.clip((t - x.value("start")) / x.value("duration"), 0.0, 1.0)
    if x.words["motion"] == "cycloid":
        return np.asarray(s - np.sin(2 * np.pi * s) / (2 * np.pi))
    fine = np.linspace(0.0, 1.0, 8001)
    fast, slow = np.sin(4 * np.pi * fine), np.cos(4 * np.pi / 3 * (fine - 1 / 8))
    twice = CubicSpline(fine, np.where(np.abs(fine - 0.5) <= 0.375, slow, fast)).antiderivative(2)
    return np.asarray(twice(s) / twice(1.0))


def told(a: Answer) -> list[str]:
    """Ropes and bushings tell what their positions and velocities say."""
    asked = {"Rope": _ropes_told, "Bushing": _bushing_told}
    return [text for x in a.sketch.items if x.kind in asked for text in asked[x.kind](a, x)]


LAWS: dict[str, Callable[[Answer, Item, int], Wrenches]] = {"Rope": _rope, "Node": lambda a, x, k: []}
