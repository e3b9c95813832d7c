"""Which forces are drawn as arrows, where, and along what.

element     its name; applied: no reaction, but a force element or a driver
body, at    the point it acts on, or points: where that is, over time
names       the channels of its components, or size: the channel of its size, then with the sign `sign` along
toward      the place (body, at) it pulls to (it pushes away from it with sign -1), or
axis        a direction of the axes of the body `of`
ahead       how far along it acts from the point: where round bodies touch
rubs        in the plane, the channel of what is to its right
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.results import Result, places
from linkwright.results.motion import MotionResult

SLIDES = ("Translational", "Cylindrical", "Screw")  # joints with a displacement along an axis
Places = dict[str, Any]  # of joints: body, at


def known_places(result: Result) -> Places:
    return places.held(result)[0] if isinstance(result, MotionResult) else {}


def arrows(result: Result, drawing: dict[str, Any], known: Places | None = None) -> list[dict[str, Any]]:
    """The arrows of a result, in the order of the elements; `known`: its places, if the caller has them."""
    known = known_places(result) if known is None else known
    return [a for e in drawing["elements"] for a in [_arrow(result, drawing, e, known)] if a is not None]


def _arrow(result: Result, drawing: dict[str, Any], e: dict[str, Any], known: Places) -> dict[str, Any] | None:
    name, n = e["name"], drawing["dimension"]
    components = [f"{name}.f{c}" for c in "xyz"[:n]]
    if all(c in result for c in components):
        where = place(result, e, known)
        return None if where is None else {**about(e), **where, "names": components}
    if e["role"] != "joint" and f"{name}.force" in result and (line := _line(drawing, e, n)) is not None:
        rubs = {"rubs": f"{name}.friction"} if e["kind"] == "Contact" and n == 2 and f"{name}.friction" in result else {}
        return {**about(e), **line, "size": f"{name}.force", **rubs}
    return None


def about(e: dict[str, Any]) -> dict[str, Any]:
    return {"element": e["name"], "applied": e["role"] != "joint"}


def place(result: Any, e: dict[str, Any], known: Places) -> dict[str, Any] | None:
    """Where an element acts: the place its reaction is told for, else its last end."""
    found = known.get(e["name"], e["ends"][-1] if e["ends"] else None)
    if found is None:
        return None
    if "body" in found:
        return {k: found[k] for k in ("body", "at")}
    return {"points": np.asarray(result.places[e["name"]].point)}


def _line(drawing: dict[str, Any], e: dict[str, Any], n: int) -> dict[str, Any] | None:
    """Where a force of one size acts: along a spring (tension is positive), off a plane, along a coordinate."""
    if e["kind"] == "Spring":
        P, Q = e["ends"]
        return {"body": Q["body"], "at": Q["at"], "toward": {"body": P["body"], "at": P["at"]}, "sign": 1}
    if e["kind"] == "Contact":
        P, Q = e["ends"]
        if "surface" in P or "surface" in Q or ("angle" not in Q and "axes" not in Q and e.get("on") == "plane"):
            return None
        own, other = e.get("radii", (0.0, 0.0))
        rim = own + P.get("radius", 0.0)
        if e.get("on") == "sphere" or "radius" in Q:
            sign = 1 if other < 0 else -1  # inside of it
            toward = {"body": Q["body"], "at": Q["at"]}
            return {"body": P["body"], "at": P["at"], "toward": toward, "sign": sign, "ahead": -sign * rim}
        return {"body": P["body"], "at": P["at"], "axis": _normal(Q), "of": Q["body"], "sign": 1, "ahead": -rim}
    if "between" in e:  # it drives its ends apart
        P, Q = e["between"]
        return {"body": Q["body"], "at": Q["at"], "toward": {"body": P["body"], "at": P["at"]}, "sign": -1}
    if "along" in e:
        axis = [float(k == e["along"]["axis"]) for k in range(n)]
        return {"body": e["along"]["body"], "at": [0.0] * n, "axis": axis, "of": "ground", "sign": 1}
    joint = next((j for j in drawing["elements"] if j["name"] == e.get("joint") and j["kind"] in SLIDES), None)
    if joint is not None and "about" not in e:
        P, Q = joint["ends"]
        return {"body": Q["body"], "at": Q["at"], "axis": ahead(P), "of": P["body"], "sign": 1}
    return None


def ahead(end: dict[str, Any]) -> list[float]:
    """The direction of an end, in body axes: in space its z axis."""
    return end["axes"][2] if "axes" in end else [float(np.cos(end.get("angle", 0.0))), float(np.sin(end.get("angle", 0.0)))]


def _normal(end: dict[str, Any]) -> list[float]:
    d = ahead(end)
    return d if len(d) == 3 else [-d[1], d[0]]


# What is a load and what is rounding: the force that the forces and torques of a result are judged by.

NOISE = 1e-9  # of the machine's loads: what elements pass on by rounding is no force
LIGHT = 1e-12  # of the weights on earth: where neither gravity nor a load acts, masses alone say what rounding is
NOTHING = 1e-15  # newtons: where there are no masses either
EARTH = 9.81


def channels(arrow: dict[str, Any]) -> list[str]:
    """The channels that an arrow is made of."""
    return list(arrow.get("names") or [arrow["size"]])


def largest(result: Result, names: Sequence[str]) -> float:
    """The largest length of a vector over time, from the channels of its components; times without a value do not count."""
    square = sum(np.asarray(result[c], dtype=float) ** 2 for c in names)
    return float(np.sqrt(np.nanmax(square, initial=0.0)))


def least_force(result: Result, drawing: dict[str, Any], forces: Sequence[dict[str, Any]]) -> float:
    """Below this a force is rounding: a small part of the largest force and of the weights."""
    mass = float(sum(body["mass"] for body in drawing["bodies"]))
    weight = mass * float(np.linalg.norm(drawing["gravity"]))
    load = max([weight, *(largest(result, channels(a)) for a in forces)])
    return max(NOISE * load, LIGHT * mass * EARTH, NOTHING)


def telling(result: Result, found: Sequence[dict[str, Any]], least: float) -> list[dict[str, Any]]:
    """The arrows that are longer than this at some time."""
    return [a for a in found if largest(result, channels(a)) > least]


# Which torques are drawn as arrows, and about what: as the forces of `arrows`, at a point and by channels.
#
# In the plane counter-clockwise is positive. In space `names` are components, or the size is along `axis` of the body
# `of`. A torque is at no point: that of a joint is drawn there, one on a body at its mass centre.

FAINT = 1e-6  # of the largest torque: never long enough to be seen


def torques(
    result: Result, drawing: dict[str, Any], known: Places | None = None, least: float = 0.0, every: bool = False
) -> list[dict[str, Any]]:
    """The torques of a result, in the order of the elements, but for those that are rounding: `least` is what the least
    force of the machine gives over its size; `every`: also these."""
    known = known_places(result) if known is None else known
    found = [a for e in drawing["elements"] for a in _of(result, drawing, e, known)]
    return found if every else telling(result, found, max([least, *(FAINT * largest(result, channels(a)) for a in found)]))


def _of(result: Result, drawing: dict[str, Any], e: dict[str, Any], known: Places) -> list[dict[str, Any]]:
    """The torques of an element; in a cross with friction there are two, one a pin."""
    name, space = e["name"], drawing["dimension"] == 3
    components = [f"{name}.t{c}" for c in "xyz"] if space else [f"{name}.torque"]
    if e["role"] == "joint" or e["kind"] == "Bushing" or (space and components[0] in result):
        where = _place(result, drawing, e, known)
        return [{**about(e), **where, "names": components}] if where and all(c in result for c in components) else []
    # A torsion spring pulls back: its torque is positive where it makes the angle smaller.
    sign = -1 if e["kind"] == "TorsionSpring" else 1
    ends = {"torque": 0, "torque_i": 0, "torque_j": 1}
    if "about" in e and f"{name}.torque" not in result:  # a result of before its torque was called so
        ends["force"] = 0
    sizes = {f"{name}.{channel}": end for channel, end in ends.items()}
    found = [(size, _about(result, drawing, e, known, end)) for size, end in sizes.items() if size in result]
    return [{**about(e), **axis, "size": size, "sign": sign} for size, axis in found if axis is not None]


def _place(result: Result, drawing: dict[str, Any], e: dict[str, Any], known: Places) -> dict[str, Any] | None:
    """Of a joint, of friction in a joint, or of a force element."""
    if e["role"] == "joint" or e["kind"] == "Bushing":
        return place(result, e, known)
    joint = _joint(drawing, e.get("joint"))
    return _centre(drawing, e["bodies"][0]) if joint is None else place(result, joint, known)


def _about(result: Result, drawing: dict[str, Any], e: dict[str, Any], known: Places, end: int) -> dict[str, Any] | None:
    """Of a torque along an angle: where it is, and in space its axis, the z axis of one end of the joint."""
    on = e.get("about", {"joint": e.get("joint")})
    if e["kind"] == "Torque" or "body" in on:
        return {**_centre(drawing, on.get("body") or e["bodies"][0]), **{k: on[k] for k in ("axis", "of") if k in on}}
    joint = _joint(drawing, on["joint"])
    where = None if joint is None or len(joint["ends"]) < 2 else place(result, joint, known)
    if joint is None or where is None or drawing["dimension"] == 2:
        return where
    P = joint["ends"][end]
    return {**where, "axis": ahead(P), "of": P["body"]}


def _joint(drawing: dict[str, Any], name: str | None) -> dict[str, Any] | None:
    return next((j for j in drawing["elements"] if j["name"] == name), None)


def _centre(drawing: dict[str, Any], body: str) -> dict[str, Any]:
    return {"body": body, "at": next(b["com"] for b in drawing["bodies"] if b["name"] == body)}
