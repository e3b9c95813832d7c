"""The motion as the page wants it: few enough frames, poses of bodies, channels, the box all of it moves in."""

from __future__ import annotations

from base64 import b64encode
from itertools import product
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.model.quantities import POSITIONS
from linkwright.results import Result
from linkwright.view.arrows import arrows, channels, known_places, least_force, telling, torques

MOST_FRAMES = 2000
MOST_NUMBERS = 3_000_000  # about 16 MB of page
SLIDES = ("Translational", "PointOnLine", "Cylindrical", "Screw", "RevoluteCylindrical", "RevoluteTranslational", "Strut")


def choose(t: np.ndarray, most: int) -> np.ndarray:
    """Which stored times to show: all, or those nearest to an even spread."""
    if len(t) <= most:
        return np.arange(len(t))
    even = np.linspace(t[0], t[-1], most)
    after = np.clip(np.searchsorted(t, even), 1, len(t) - 1)
    nearest = np.where(even - t[after - 1] < t[after] - even, after - 1, after)
    return np.unique(nearest)


def encode(values: np.ndarray, kind: str = "<f4") -> str:
    return b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def poses(result: Result, drawing: dict[str, Any], chosen: np.ndarray) -> dict[str, np.ndarray]:
    """The coordinates of every body, a row a frame."""
    names = POSITIONS[drawing["dimension"]]
    out = {}
    for body in drawing["bodies"]:
        name = body["name"]
        if name == "ground":
            continue
        if any(f"{name}.{c}" not in result for c in names):
            raise ModelError(
                "the result does not hold its coordinates", element=name, remedy=f"keep the channels {', '.join(names)}"
            )
        out[name] = np.column_stack([np.asarray(result[f"{name}.{c}"])[chosen] for c in names])
    return out


def carry(pose: np.ndarray | None, s: Any, turn_only: bool = False) -> np.ndarray:
    """The points r + A s' of a body in all frames (A s' alone for a direction); pose None: ground."""
    s = np.asarray(s, dtype=float)
    if pose is None:
        return np.asarray(s[None])
    n = len(s)
    if n == 2:
        c, sn = np.cos(pose[:, 2]), np.sin(pose[:, 2])
        turned = np.column_stack([c * s[0] - sn * s[1], sn * s[0] + c * s[1]])
    else:
        e0, e = pose[:, 3:4], pose[:, 4:7]
        turned = (2 * e0**2 - 1) * s + 2 * (e @ s)[:, None] * e + 2 * e0 * np.cross(e, s)
    return np.asarray(turned if turn_only else pose[:, :n] + turned)


def box(drawing: dict[str, Any], moved: dict[str, np.ndarray]) -> list[list[float]]:
    """The smallest and largest coordinates of anything drawn, over all frames."""
    clouds = []
    for body in drawing["bodies"]:
        own = [*body["points"]] or [body["com"]]
        own += [p for c in drawing["curves"] if c["body"] == body["name"] for p in c["points"][::6]]
        own += [corner for shape in body["shapes"] for corner in _corners(shape)]
        if body["name"] == "ground" and not body["points"]:
            own = []
        clouds += [carry(moved.get(body["name"]), p) for p in own]
    for e in drawing["elements"]:
        radii = e.get("radii", [e["radius"]] if "radius" in e else [])
        # a rack has its radius at the second end
        ends = e["ends"] if len(radii) == 2 else e["ends"][-1:]
        for end, radius in zip(ends, radii, strict=False):
            middle = carry(moved.get(end["body"]), end["at"])
            clouds += [middle - abs(radius), middle + abs(radius)]
    clouds = clouds or [np.zeros((1, drawing["dimension"]))]
    low, high = np.min([c.min(axis=0) for c in clouds], axis=0), np.max([c.max(axis=0) for c in clouds], axis=0)
    return [low.tolist(), high.tolist()]


def _corners(shape: dict[str, Any]) -> list[list[float]]:
    """Points of a shape that reach as far as it does."""
    at, size, kind = np.array(shape["at"]), shape["size"], shape["kind"]
    if kind == "mesh":
        own = np.array(size["vertices"])[:: max(1, len(size["vertices"]) // 50)]
    elif kind == "polygon":
        own = np.array(size)
    elif kind in ("circle", "sphere", "cylinder"):
        turn = np.arange(8) * np.pi / 4
        round_ = size[0] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        if kind == "cylinder":
            own = np.vstack([np.column_stack([round_, np.full(8, z)]) for z in (-size[1] / 2, size[1] / 2)])
        elif kind == "sphere":
            own = np.vstack([np.insert(round_, k, 0.0, axis=1) for k in range(3)])
        else:
            own = round_
    else:
        own = np.array(list(product((-0.5, 0.5), repeat=len(size)))) * size
    out: list[list[float]] = (at + own @ _turned(shape).T).tolist()
    return out


def _turned(shape: dict[str, Any]) -> np.ndarray:
    """The axes of a shape as columns, in body axes."""
    if "angle" in shape:
        c, s = np.cos(shape["angle"]), np.sin(shape["angle"])
        return np.array([[c, -s], [s, c]])
    z = np.array(shape["axis"]) / np.linalg.norm(shape["axis"])
    if z[2] == 1 or shape["kind"] == "mesh":
        return np.eye(3)
    help_ = np.array([0.0, 0.0, 1.0]) if abs(z[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    x = np.cross(help_, z) / np.linalg.norm(np.cross(help_, z))
    return np.stack([x, np.cross(z, x), z], axis=1)


def spans(drawing: dict[str, Any], moved: dict[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """How far each sliding joint goes: which of its ends carries the line, and from where to where the other end moves."""
    out = {}
    for e in drawing["elements"]:
        if e["kind"] not in SLIDES or len(e["ends"]) != 2:
            continue
        # The first end carries the line, but in a revolute-... coupler the second does; a slide is shown in ground.
        k = int(e["kind"].startswith("Revolute") or (e["kind"] == "Translational" and e["ends"][1]["body"] == "ground"))
        line, point = e["ends"][k], e["ends"][1 - k]
        d = carry(moved.get(point["body"]), point["at"]) - carry(moved.get(line["body"]), line["at"])
        h = line["axes"][2] if "axes" in line else [np.cos(line.get("angle", 0.0)), np.sin(line.get("angle", 0.0))]
        along = np.sum(d * carry(moved.get(line["body"]), h, turn_only=True), axis=1)
        out[e["name"]] = {"line": k, "from": float(along.min()), "to": float(along.max())}
    return out


def motion(result: Result, drawing: dict[str, Any], most: int = MOST_FRAMES) -> dict[str, Any]:
    """Everything that changes with time, for the page."""
    if not len(result.t):
        raise ModelError("the result is empty: there is nothing to show", remedy="run the analysis first")
    width = sum(len(POSITIONS[drawing["dimension"]]) for _ in drawing["bodies"])
    chosen = choose(np.asarray(result.t), max(50, min(most, MOST_NUMBERS // max(width, 1))))
    moved = poses(result, drawing, chosen)
    room = MOST_NUMBERS - width * len(chosen)
    names = result.channels[: max(0, room // len(chosen))]
    limits, known = box(drawing, moved), known_places(result)
    size = float(np.abs(limits).max())
    forces = arrows(result, drawing, known)
    least = least_force(result, drawing, forces)
    on_page = set(names)

    def kept(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Arrows whose channels are on the page."""
        return [
            {n: encode(x[chosen]) if n == "points" else x for n, x in a.items()}
            for a in found
            if on_page.issuperset(channels(a))
        ]

    return {
        "t": encode(np.asarray(result.t)[chosen], "<f8"),
        "stored": len(result.t),
        "poses": {name: encode(pose) for name, pose in moved.items()},
        "channels": [
            {"name": n, "unit": result.unit(n), "data": encode(np.asarray(result[n], dtype=float)[chosen])} for n in names
        ],
        "left_out": len(result.channels) - len(names),
        "box": limits,
        "spans": spans(drawing, moved),
        "loaded": bool(forces),  # forces are known, be they all rounding
        "arrows": kept(telling(result, forces, least)),
        "torques": kept(torques(result, drawing, known, least * size)),
    }
