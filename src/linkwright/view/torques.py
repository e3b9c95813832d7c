"""Which torques are drawn as arrows, and about what: as the forces of `arrows`, at a point and by channels.

In the plane counter-clockwise is positive. In space `names` are components, or the size is along `axis` of the body `of`. A
torque is at no point: that of a joint is drawn there, one on a body at its mass centre.
"""

from __future__ import annotations

from typing import Any

from linkwright.results import Result
from linkwright.view.arrows import Places, about, ahead, channels, known_places, largest, place, telling

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
