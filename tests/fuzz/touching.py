"""What `touching_drawn` draws, in plain numpy: where ropes run, and what each element does to its bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fuzz.motion import Answer
from fuzz.sketch import Item

Wrenches = list[tuple[str, np.ndarray, np.ndarray, np.ndarray]]  # body, force, where it acts, torque beside it
ZERO = np.zeros(3)
SPATIAL = ("sphere", "capsule", "box")
SLOW = 1e-6  # of a machine's speeds: it sticks, or may


class Line(NamedTuple):
    """A rope from A round a pulley to B: where it leaves A and the pulley, its directions there, wrapped angle, length."""

    first: np.ndarray
    last: np.ndarray
    to: np.ndarray
    onward: np.ndarray
    wrap: float
    length: float


def _turned(u: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * u[0] - s * u[1], s * u[0] + c * u[1], u[2]])


def tangents(A: np.ndarray, C: np.ndarray, B: np.ndarray, R: float) -> Line:
    """R > 0: round the pulley at C counter-clockwise, which has it to the left of the rope."""
    E, F = C - A, B - C
    D, G = float(np.linalg.norm(E)), float(np.linalg.norm(F))
    to, onward = _turned(E / D, -np.arcsin(R / D)), _turned(F / G, np.arcsin(R / G))
    t, s = np.sqrt(D * D - R * R), np.sqrt(G * G - R * R)
    wrap = float(np.arctan2(to[0] * onward[1] - to[1] * onward[0], to @ onward)) * (1 if R >= 0 else -1)
    wrap = wrap % (2 * np.pi) if R else 0.0
    return Line(A + t * to, B - s * onward, to, onward, wrap, float(t + s + abs(R) * wrap))


def words(item: Item, k: int, mirrored: bool = False) -> dict[str, Any]:
    """A shape in the words of a contact, with its numbers."""
    kind, (a, b, r) = item.words["shapes"][k], (item.value(f"{n}{k}") for n in "abr")
    y = -1.0 if mirrored else 1.0
    return {
        "circle": {"circle": a}, "sphere": {"sphere": a}, "box": {"box": (a, b) if item.words["flat"] else (a, b, r)},
        "rounded": {"box": (a, b), "radius": 0.3 * r}, "capsule": {"capsule": (a, 0.5 * b)},
        "polygon": {"polygon": [(-a, -0.5 * b * y), (a, -0.3 * r * y), (0.2 * r, b * y)]},
    }[kind]  # fmt: skip


def outline(item: Item, k: int) -> tuple[np.ndarray, float]:
    """Places of a shape's core in its own frame, close to each other, and the radius about it."""
    given = words(item, k)
    radius, line = float(given.get("radius", 0.0)), np.linspace(0, 1, 40)[:, None]
    if "circle" in given or "sphere" in given:
        return np.zeros((1, 3)), given.get("circle", given.get("sphere"))
    if "capsule" in given:
        return (line - 0.5) * np.array([given["capsule"][0], 0, 0]), given["capsule"][1]
    if "box" in given:
        half = 0.5 * np.array(given["box"])
        if item.words["shapes"][k] == "box" and not item.words["flat"]:
            grid = np.linspace(-1, 1, 7)
            return np.array([(x, y, z) for x in grid for y in grid for z in grid]) * half, radius
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half[:2]
    else:
        corners = np.array(given["polygon"])
    both = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    return np.pad(np.vstack([a + line * (b - a) for a, b in both]), ((0, 0), (0, 1))), radius


def _along(a: Answer, x: Item, k: int, effort: float) -> Wrenches:
    from fuzz.loads import along_joint

    return along_joint(a, a.sketch[x.of[0]], x.words["channel"], k, effort)


def _told(a: Answer, x: Item, k: int) -> float:
    return float(a.result[f"{x.name}.{'torque' if x.words['channel'] == 'angle' else 'force'}"][k])


def _state(a: Answer, x: Item, k: int) -> tuple[float, float]:
    from fuzz.loads import _joint_state

    return _joint_state(a, a.sketch[x.of[0]], x.words["channel"], k)


def spin(a: Answer, x: Item, k: int) -> float:
    """The kinetic energy of a motor's rotor, or of inertia along a coordinate."""
    if x.kind == "Inertia":
        return 0.5 * x.value("J") * _state(a, x, k)[1] ** 2
    return 0.5 * x.value("rotor") * x.value("ratio") ** 2 * _state(a, x, k)[1] ** 2 if "rotor" in x.numbers else 0.0


def _motor(a: Answer, x: Item, k: int) -> Wrenches:
    n, K = x.value("ratio"), x.value("k")
    i = float(a.result[f"{x.name}.current"][k])
    if "inductance" not in x.numbers:
        i = (x.value("voltage") - K * n * _state(a, x, k)[1]) / x.value("resistance")
    effort = n * K * i
    if "rotor" in x.numbers:
        name = "alpha" if x.words["channel"] == "angle" else "acceleration"
        effort -= x.value("rotor") * n * n * float(a.result[f"{x.of[0]}.{name}"][k])
    return _along(a, x, k, effort)


def _pid(a: Answer, x: Item, k: int) -> Wrenches:
    s, v = _state(a, x, k)
    w, A, t = x.value("w"), x.value("a"), a.t[k]
    error, rate = x.value("offset") + A * np.sin(w * t) - s, A * w * np.cos(w * t) - v
    F = x.value("kp") * error + x.value("kd") * rate
    if "ki" in x.numbers:
        F += x.value("ki") * float(a.result[f"{x.name}.integral"][k])
    if "most" in x.numbers:
        F = float(np.clip(F, -x.value("most"), x.value("most")))
    return _along(a, x, k, F)


def _maxwell(a: Answer, x: Item, k: int) -> Wrenches:
    return _along(a, x, k, -float(a.result[f"{x.name}z"][k]))


def _skate(a: Answer, x: Item, k: int) -> Wrenches:
    body, place = x.ends[0]
    P = a.end(k, body, place)
    return [(body, float(a.result[f"{x.name}.force"][k]) * P.R[:, 1], P.r, ZERO)]


def _rolling(a: Answer, x: Item, k: int) -> Wrenches:
    """Of the plane on the wheel, where they touch."""
    axes = "xyz"[: a.sketch.dimension]
    F, P = (np.pad([float(a.result[f"{x.name}.{c}{axis}"][k]) for axis in axes], (0, 3 - len(axes))) for c in "fp")
    wheel, plane = x.bodies
    return [(wheel, F, P, ZERO), (plane, -F, P, ZERO)]


def _rubbing(a: Answer, x: Item, k: int) -> Wrenches:
    (i, P), (j, Q) = x.ends
    C, plane, N = a.end(k, i, P).r, a.end(k, j, Q), float(a.result[f"{x.name}.force"][k])
    flat = a.sketch.dimension == 2
    normal = plane.R[:, 1 if flat else 2]
    F = N * normal
    if flat:
        F = F + float(a.result[f"{x.name}.friction"][k]) * plane.R[:, 0]
    else:
        F = F + sum(float(a.result[f"{x.name}.friction_{c}"][k]) * plane.R[:, n] for n, c in enumerate("xy"))
    at = C - x.value("Ri") * normal
    return [(i, F, at, ZERO), (j, -F, at, ZERO)]


def _wheel(a: Answer, x: Item, k: int) -> Wrenches:
    """As told, where the road is below the centre."""
    body, place = x.ends[0]
    C = a.end(k, body, place).r
    F = np.array([float(a.result[f"{x.name}.f{c}"][k]) for c in "xyz"])
    return [(body, F, np.array([C[0], C[1], x.value("height")]), ZERO)]


def _dry(a: Answer, x: Item, k: int) -> Wrenches:
    """As told; that it is what friction may be is asked by `balance.friction`."""
    from fuzz.loads import along_joint

    joint = a.sketch[x.of[0]]
    if joint.kind in ("Translational", "Revolute"):
        channel, word = ("displacement", "force") if joint.kind == "Translational" else ("angle", "torque")
        return along_joint(a, joint, channel, k, float(a.result[f"{x.name}.{word}"][k]))
    (i, P), (j, Q) = joint.ends
    if joint.kind == "Universal":
        arms = a.end(k, i, P).R[:, 2], a.end(k, j, Q).R[:, 2]
        n = sum(float(a.result[f"{x.name}.torque_{c}"][k]) * h for c, h in zip("ij", arms, strict=True))
    else:
        n = np.array([float(a.result[f"{x.name}.t{c}"][k]) for c in "xyz"])
    return [(i, ZERO, a.bodies[i].r[k], -n), (j, ZERO, a.bodies[j].r[k], n)]


LAWS: dict[str, Callable[[Answer, Item, int], Wrenches]] = {
    "Motor": _motor, "PID": _pid, "Maxwell": _maxwell, "Skate": _skate, "Rolling": _rolling, "Rubbing": _rubbing,
    "Wheel": _wheel, "DryFriction": _dry, "Shapes": lambda a, x, k: [],
}  # fmt: skip


def friction(a: Answer) -> list[str]:
    """What sticks is held by no more than its bound; what slides has its bound against it."""
    said: list[str] = []
    if a.sketch.of_kind("Driver"):  # where motions are prescribed the smooth law counts
        return said
    L, M, T = a.sketch.units
    open_ = [n.rpartition(": ")[2].split(", ") for n in a.result.audit.notes if n.startswith("reactions not unique")]
    for x in a.sketch.of_kind("DryFriction"):
        joint = a.sketch[x.of[0]]
        # where reactions are not unique, friction may follow from others than those that are told
        if joint.kind not in ("Translational", "Revolute") or any(joint.name in names for names in open_):
            continue
        channel, word = ("displacement", "force") if joint.kind == "Translational" else ("angle", "torque")
        unit = a.sketch.units.of(2 if word == "torque" else 1, 1, -2)
        for k in range(len(a.t)):
            N = float(np.linalg.norm([a.result[f"{joint.name}.{c}"][k] for c in ("fx", "fy", "fz")[: a.sketch.dimension]]))
            N *= x.value("radius") if word == "torque" else 1.0
            v = _state(a, Item("", "", words={"channel": channel}, of=x.of), k)[1]
            F, mu, level = float(a.result[f"{x.name}.{word}"][k]), x.value("mu"), x.value("level")
            most = x.value("mu_static") * N + level if "mu_static" in x.numbers else mu * N + level
            viscous = x.value("viscous") * v if "viscous" in x.numbers else 0.0
            if "stribeck" in x.numbers:
                mu += (x.value("mu_static") - mu) * float(np.exp(-((v / x.value("stribeck")) ** 2)))
            slow = abs(v) <= SLOW * (1 / T if word == "torque" else L / T)
            wrong = abs(F) > most * (1 + 1e-6) + 1e-9 * unit if slow else (
                abs(F + np.sign(v) * (mu * N + level) + viscous) > 1e-6 * (most + unit)
            )  # fmt: skip
            if wrong:
                said.append(f"{x.name} is {F:.6g} at t[{k}] under {N:.6g}, speed {v:.3g}: at most {most:.6g}")
    for x in a.sketch.of_kind("Rubbing"):
        names = ["friction"] if a.sketch.dimension == 2 else ["friction_x", "friction_y"]
        for k in range(len(a.t)):
            N, F = float(a.result[f"{x.name}.force"][k]), [float(a.result[f"{x.name}.{n}"][k]) for n in names]
            mu = x.value("mu_static") if "mu_static" in x.numbers else x.value("mu")
            if N < -1e-9 * M * L / T**2 or np.linalg.norm(F) > mu * N * (1 + 1e-6) + 1e-9 * M * L / T**2:
                said.append(f"{x.name} presses by {N:.6g} and rubs by {F} at t[{k}]")
    return said
