"""The JSON schema of model files, made from the classes of the elements: whoever adds an element adds nothing here."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from typing import Any

from linkwright.model import body_fields, plain_fields
from linkwright.model import fields as field_kinds
from linkwright.model.elements import kinds
from linkwright.model.files.classes import BODY_FIELDS, CURVE_TABLE, ELEMENTS, MOTIONS
from linkwright.model.files.writer import VERSION
from linkwright.model.units import OF_BODIES
from linkwright.options import words

Schema = dict[str, Any]

_BODY = {
    "mass": ("number", f"mass [{OF_BODIES['mass']}]"),
    "inertia": (
        "inertia",
        f"about the mass centre, in body axes [{OF_BODIES['inertia']}]: a number in the plane; three or 3 x 3 in space",
    ),
    "com": ("numbers", f"mass centre in body axes [{OF_BODIES['com']}]"),
    "position": ("numbers", f"estimate of the origin's place [{OF_BODIES['position']}]"),
    "angle": ("number", f"estimate of the angle [{OF_BODIES['angle']}] (plane)"),
    "orientation": ("rotation", "estimate of the orientation (space)"),
    "velocity": ("numbers", f"estimate of the origin's velocity [{OF_BODIES['velocity']}]"),
    "omega": (
        "omega",
        f"estimate of the angular velocity [{OF_BODIES['omega']}]: a number in the plane, three in body axes in space",
    ),
    "weight": ("number", "how much assembly trusts the estimates; 1 unless said"),
    "shape": (
        "shape",
        "for pictures only: {box: [0.2, 0.1]}, {circle: 0.1}, or a list of them; a text that begins with '=' is a formula",
    ),
}


def schema() -> Schema:
    """The schema, as a dictionary to be written as JSON (draft 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:linkwright:model:{VERSION}",
        "title": "Linkwright model",
        "description": "A machine of rigid bodies. SI units, radians; texts may say others: 30 deg, 12 mm, 3 kN/m. "
        "Formulas are texts of parameters, quantities and t.",
        "type": "object",
        "required": ["linkwright", "model"],
        "additionalProperties": False,
        "properties": {
            "linkwright": {"const": VERSION, "description": "version of the format"},
            "model": {"enum": ["planar", "spatial"], "description": "in the x-y plane (y up), or in space (z up)"},
            "name": {"type": "string", "description": "name of the machine"},
            "gravity": _ref("numbers", "acceleration of free fall [m/s^2]; zero unless given"),
            "parameters": _map(
                {"type": ["number", "string"]},
                "design parameters by name, numbers or texts with units (20 mm)",
            ),
            "bodies": _map(_ref("body"), "bodies by name; 'ground' is always there and may have a shape"),
            "elements": _map(
                _ref("element"), "joints, drivers, forces by name, in an order in which each uses earlier ones"
            ),
            "fixed": _map(_ref("number"), "quantities whose values at the start are exact, such as 'crank.omega': 3"),
        },
        "$defs": _definitions(),
    }


def _definitions() -> Schema:
    number: Schema = {
        "type": ["number", "string"],
        "description": "a number, or a formula of parameters, with units if need be: r/2, 30 deg",
    }
    rows: Schema = {"type": "array", "items": _ref("numbers")}
    common: Schema = {
        "number": number,
        "numbers": {"type": "array", "items": _ref("number")},
        "matrix": {"anyOf": [_ref("numbers"), rows], "description": "rows, or the diagonal only"},
        "inertia": {"anyOf": [_ref("number"), _ref("numbers"), rows]},
        "omega": {"anyOf": [_ref("number"), _ref("numbers")]},
        "rotation": {
            "type": "array",
            "items": {"anyOf": [_ref("number"), _ref("numbers")]},
            "description": "Euler parameters [e0, e1, e2, e3], [axis, angle] such as [[0, 0, 1], pi/2], or a 3 x 3 matrix",
        },
        "quantity": {"type": "string", "description": "crank.x, A.angle, distance(rod(0, 0), ground(1, 0)), 2*a.x - b.x"},
        "shape": {},
        "point": _point(),
        "surface": {
            "type": "object",
            "required": ["body", "shape"],
            "additionalProperties": False,
            "properties": {
                "body": {"type": "string"},
                "shape": _ref("shape", "{circle: 0.1}, {box: [0.2, 0.1]}, {polygon: [...]}, ..., several, or own"),
            },
        },
        "vector": {
            "anyOf": [{"type": "array"}, _ref("point")],
            "description": "[body, x, y] or [body, x, y, z]; or a directed point",
        },
        "table": _motion("Table"),
        "law": {"anyOf": [_ref("number"), _ref("table")], "description": "a number, a formula, or a table"},
        "motion": {"anyOf": [_ref("number"), *(_ref(f"motion {name}") for name in MOTIONS)]},
        "curve": _curve(),
        "body": {
            "type": ["object", "null"],
            "additionalProperties": False,
            "properties": {k: _ref(_BODY[k][0], _BODY[k][1]) for k in dict.fromkeys((*BODY_FIELDS[2], *BODY_FIELDS[3]))},
        },
        "element": {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"enum": list(ELEMENTS)}},
            "allOf": [
                {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": _ref(name)}
                for name in ELEMENTS
            ],
        },
    }
    motions = {f"motion {name}": _motion(name) for name in MOTIONS}
    return common | motions | {name: _element(name) for name in ELEMENTS}


def _ref(name: str, description: str = "") -> Schema:
    found = {"$ref": f"#/$defs/{name.replace(' ', '%20')}"}
    return found | {"description": description} if description else found


def _map(values: Schema, description: str) -> Schema:
    return {"type": ["object", "null"], "additionalProperties": values, "description": description}


def _doc(kind: type) -> str:
    return inspect.cleandoc(kind.__doc__ or "")


def _point() -> Schema:
    return {
        "description": "body, [body, x, y(, z)], or {body, at, angle}; in space also rotation, or frame: [P, Q, R]",
        "anyOf": [
            {"type": "string", "description": "the origin of a body"},
            {"type": "array", "minItems": 3, "maxItems": 4, "prefixItems": [{"type": "string"}], "items": _ref("number")},
            {
                "type": "object",
                "required": ["body"],
                "additionalProperties": False,
                "properties": {
                    "body": {"type": "string"},
                    "at": _ref("numbers", "the point in body axes [m]; the origin unless said"),
                    "angle": _ref("number", "direction in the plane [rad], from the body's x axis"),
                    "rotation": _ref("rotation", "of the frame's axes from those of the body (space)"),
                    "frame": {
                        "type": "array",
                        "items": _ref("numbers"),
                        "description": "joint definition points P, Q, R: z (in the plane the direction) from P toward Q",
                    },
                },
            },
        ],
    }


def _curve() -> Schema:
    return {
        "type": "object",
        "required": ["body"],
        "additionalProperties": False,
        "description": "an outline on a body: polar, parametric or table; formulas of alpha",
        "properties": {
            "body": {"type": "string"},
            "at": _ref("numbers", "origin of the curve in body axes [m]"),
            "angle": _ref("number", "turn of the curve [rad] (plane)"),
            "rotation": _ref("rotation", "turn of the curve (space)"),
            "polar": _ref("law", "rho(alpha)"),
            "parametric": {"type": "array", "items": _ref("law"), "description": "[x(alpha), y(alpha)(, z(alpha))]"},
            "table": {"type": "object", "properties": {c: _ref("numbers") for c in CURVE_TABLE}},
            "start": _ref("number"),
            "end": _ref("number"),
            "closed": {"type": "boolean"},
        },
    }


def _motion(name: str) -> Schema:
    kind = MOTIONS[name]
    plain: dict[str, Schema] = {"bool": {"type": "boolean"}}
    properties: Schema = {"type": {"const": name}}
    for f in fields(kind):
        several = str(f.type).startswith("tuple")
        known: Schema = {"enum": list(words(str(f.type)))} if words(str(f.type)) else {}
        properties[f.name] = plain.get(str(f.type)) or known or _ref("numbers" if several else "number")
    return _object(kind, properties, ["type", *(f.name for f in fields(kind) if f.default is MISSING)])


def _element(name: str) -> Schema:
    kind = ELEMENTS[name]
    properties: Schema = {"type": {"const": name}}
    for field, found in kinds(kind).items():
        value = _kind(found)
        properties[field] = {"anyOf": [value, {"type": "null"}]} if found.optional else value
    needed = [f.name for f in fields(kind) if f.default is MISSING and f.name != "name"]
    return _object(kind, properties, ["type", *needed])


def _object(kind: type, properties: Schema, required: list[str]) -> Schema:
    return {
        "type": "object",
        "description": _doc(kind),
        "required": required,
        "additionalProperties": False,
        "properties": properties,
    }


def _kind(kind: plain_fields.Kind) -> Schema:
    match kind:
        case plain_fields.NumberKind():
            return _ref("number", f"{kind.sign} number" if kind.sign else "")
        case plain_fields.NumbersKind():
            size = {"minItems": kind.size, "maxItems": kind.size} if kind.size > 0 else {}
            return _ref("numbers") | size
        case plain_fields.MatrixKind():
            return _ref("matrix")
        case plain_fields.TruthKind():
            return {"type": "boolean"}
        case plain_fields.ChoiceKind():
            return {"enum": list(kind.words)}
        case body_fields.PointKind():
            return _ref("point", "with a direction: an angle in the plane" if kind.directed else "")
        case body_fields.TouchKind():
            return {"anyOf": [_ref("point"), _ref("surface")]}
        case body_fields.PointsKind():
            return {"type": "array", "items": _ref("point"), "minItems": 2}
        case body_fields.VectorKind():
            return _ref("vector")
        case body_fields.CurveKind():
            return _ref("curve")
        case body_fields.BodyKind():
            return {"type": "string", "description": "name of a body"}
        case field_kinds.JointKind():
            return {"type": "string", "description": "name of a joint"}
        case field_kinds.QuantityKind():
            return _ref("quantity")
        case field_kinds.TermsKind():
            return {"type": "object", "additionalProperties": _ref("number"), "description": "quantity: factor, ..."}
        case field_kinds.MotionKind():
            return _ref("motion", "function of t")
        case field_kinds.LawKind():
            return _ref("law", f"number, or law of {', '.join(kind.arguments)}")
        case field_kinds.ComponentsKind():
            return {"anyOf": [_ref("law"), {"type": "array", "items": _ref("law")}], "description": "laws of t"}
    raise NotImplementedError(type(kind).__name__)
