"""Which forces are drawn as arrows, where, and along what.

element     its name; applied: no reaction, but a force element
body, at    the point it acts on, or points: where that is, over time
names       the channels of its components, or force: the channel of its size, then along
toward      the place (body, at) it pulls to (it pushes away from it with sign -1), or
axis        a direction of the axes of the body `of`
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.results import Result, places
from linkwright.results.motion import MotionResult


def arrows(result: Result, drawing: dict[str, Any]) -> list[dict[str, Any]]:
    """The arrows of a result, in the order of the elements."""
    known = places.held(result)[0] if isinstance(result, MotionResult) else {}
    return [a for e in drawing["elements"] for a in [_arrow(result, drawing, e, known)] if a is not None]


def _arrow(result: Result, drawing: dict[str, Any], e: dict[str, Any], known: dict[str, Any]) -> dict[str, Any] | None:
    name, n = e["name"], drawing["dimension"]
    out: dict[str, Any] = {"element": name, "applied": e["role"] == "force"}
    components = [f"{name}.f{c}" for c in "xyz"[:n]]
    if all(c in result for c in components):
        place = known.get(name, e["ends"][-1] if e["ends"] else None)
        if place is None:
            return None
        where = {k: place[k] for k in ("body", "at")} if "body" in place else {"points": _points(result, name)}
        return {**out, **where, "names": components}
    if e["role"] == "force" and f"{name}.force" in result and (line := _line(drawing, e, n)) is not None:
        return {**out, **line, "force": f"{name}.force"}
    return None


def _points(result: Any, joint: str) -> np.ndarray:
    return np.asarray(result.places[joint].point)


def _line(drawing: dict[str, Any], e: dict[str, Any], n: int) -> dict[str, Any] | None:
    """Where a force of one size acts: along a spring (tension is positive), off a plane, along a coordinate."""
    if e["kind"] == "Spring":
        P, Q = e["ends"]
        return {"body": Q["body"], "at": Q["at"], "toward": {"body": P["body"], "at": P["at"]}, "sign": 1}
    if e["kind"] == "Contact":
        P, Q = e["ends"]
        if e.get("on") == "sphere":
            return {"body": P["body"], "at": P["at"], "toward": {"body": Q["body"], "at": Q["at"]}, "sign": -1}
        return {"body": P["body"], "at": P["at"], "axis": _normal(Q), "of": Q["body"]}
    if "along" in e:
        axis = [float(k == e["along"]["axis"]) for k in range(n)]
        return {"body": e["along"]["body"], "at": [0.0] * n, "axis": axis, "of": "ground"}
    joint = next((j for j in drawing["elements"] if j["name"] == e.get("joint") and j["kind"] == "Translational"), None)
    if joint is not None:
        P, Q = joint["ends"]
        return {"body": Q["body"], "at": Q["at"], "axis": _ahead(P), "of": P["body"]}
    return None


def _ahead(end: dict[str, Any]) -> list[float]:
    return end["axes"][2] if "axes" in end else [float(np.cos(end.get("angle", 0.0))), float(np.sin(end.get("angle", 0.0)))]


def _normal(end: dict[str, Any]) -> list[float]:
    ahead = _ahead(end)
    return ahead if len(ahead) == 3 else [-ahead[1], ahead[0]]
