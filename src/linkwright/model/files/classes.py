"""The words of the format: sections, keys, and the types of elements and motions, taken from the classes themselves."""

from __future__ import annotations

from linkwright.model import (
    balance,
    composite_joints,
    constraints,
    contacts,
    drives,
    forces,
    joints,
    motions,
    pairs,
    ropes,
    spatial_joints,
)
from linkwright.model.elements import Element
from linkwright.model.motions import Motion

SECTIONS = ("linkwright", "model", "name", "gravity", "parameters", "bodies", "elements", "fixed")

_COMMON = ("mass", "inertia", "com", "position")
BODY_FIELDS = {
    2: (*_COMMON, "angle", "velocity", "omega", "weight", "shape"),
    3: (*_COMMON, "orientation", "velocity", "omega", "weight", "shape"),
}
POINT_FIELDS = ("body", "at", "angle", "rotation", "frame")
CURVE_FIELDS = ("body", "at", "angle", "rotation", "polar", "parametric", "table", "start", "end", "closed")
CURVE_TABLE = ("x", "y", "z", "alpha", "rho")

ELEMENTS: dict[str, type[Element]] = {
    name: found
    for module in (joints, spatial_joints, composite_joints, pairs, constraints, forces, contacts, drives, ropes, balance)
    for name, found in vars(module).items()
    if isinstance(found, type)
    and issubclass(found, Element)
    and found.__module__ == module.__name__
    and "__dataclass_fields__" in vars(found)
}
MOTIONS: dict[str, type[Motion]] = {
    name: found
    for name, found in vars(motions).items()
    if isinstance(found, type) and issubclass(found, Motion) and name not in ("Motion", "Rise")
}
