"""A model as plain data: what a file holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from math import pi
from typing import Any

import numpy as np

from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.model import body_fields, plain_fields
from linkwright.model import fields as field_kinds
from linkwright.model.bodies import Body
from linkwright.model.content import arguments_of, content
from linkwright.model.curves import ALPHA, Curve
from linkwright.model.elements import Element, kinds
from linkwright.model.model import Model
from linkwright.model.motions import Motion
from linkwright.model.points import CurveOn, Point, Vector
from linkwright.model.quantities import word
from linkwright.model.touching import ShapeOn, written
from linkwright.model.values import TIME, about, argument_symbol, is_argument, is_some
from linkwright.model.writing import write

VERSION = 1
MODELS = {2: "planar", 3: "spatial"}
_IDENTITY = (1.0, 0.0, 0.0, 0.0)


def plain(model: Model) -> dict[str, Any]:
    """The model as nested dictionaries, lists, texts and numbers; ModelError for what no file can hold."""
    return _Writer(model).all()


class _Writer:
    def __init__(self, model: Model) -> None:
        self.model = model

    def all(self) -> dict[str, Any]:
        model = self.model
        data: dict[str, Any] = {"linkwright": VERSION, "model": MODELS[model.dimension], "name": model.name}
        if any(is_some(g) for g in model.gravity):
            data["gravity"] = self.scalars(model.gravity)
        bodies = {b.name: self.body(b) for b in model.bodies.values()}
        if not bodies["ground"]:
            del bodies["ground"]
        sections = {
            "parameters": dict(model.parameters),
            "bodies": bodies,
            "elements": {e.name: self.element(e) for e in model.elements.values()},
            "fixed": {self.text(q, "a fixed quantity"): self.scalar(v) for q, v in model.fixed.items()},
        }
        return data | {name: section for name, section in sections.items() if section}

    # -- bodies ---------------------------------------------------------------------------------------------------
    def body(self, body: Body) -> dict[str, Any]:
        with about(body.name):
            data: dict[str, Any] = {"mass": self.scalar(body.mass), "inertia": self.inertia(body.inertia)}
            given = body.estimate
            data["com"], data["position"] = self.scalars(body.com), self.scalars(given.position)
            if self.model.dimension == 2:
                data["angle"] = self.scalar(given.rotation)  # type: ignore[arg-type]
            else:
                data["orientation"] = self.scalars(given.rotation)  # type: ignore[arg-type]
            data["velocity"] = self.scalars(given.velocity)
            data["omega"] = self.scalars(given.omega) if isinstance(given.omega, tuple) else self.scalar(given.omega)
            data = {key: value for key, value in data.items() if not _is_zero(value) and value != [*_IDENTITY]}
            if given.weight != 1:
                data["weight"] = given.weight
            if body.shape is not None:
                data["shape"] = self.picture(body.shape)
        return data

    def inertia(self, J: Any) -> Any:
        if not isinstance(J, tuple):
            return self.scalar(J)
        diagonal = all(type(x) is not Expr and x == 0 for i, row in enumerate(J) for j, x in enumerate(row) if i != j)
        return self.scalars([J[i][i] for i in range(3)]) if diagonal else [self.scalars(row) for row in J]

    def picture(self, shape: Any) -> Any:
        """Plain data as it is; "= r/2" is an expression, "==" begins a text that begins with "="."""
        if isinstance(shape, Mapping) and all(isinstance(k, str) for k in shape):
            return {k: self.picture(v) for k, v in shape.items()}
        if isinstance(shape, np.ndarray):
            shape = shape.tolist()
        if isinstance(shape, list | tuple):
            return [self.picture(v) for v in shape]
        if isinstance(shape, str):
            return "=" + shape if shape.startswith("=") else shape
        if type(shape) is Expr:
            return "= " + self.text(shape, "the shape")
        if shape is None or isinstance(shape, bool):
            return shape
        if isinstance(shape, int | float | np.number) and np.isfinite(shape):
            return float(shape)
        raise ModelError(f"a file cannot hold the shape {shape!r}", remedy="use numbers, texts, lists and dictionaries")

    # -- numbers and texts ------------------------------------------------------------------------------------------
    def scalar(self, value: Scalar) -> float | str:
        return self.text(value, "it") if type(value) is Expr else float(value)

    def scalars(self, values: Sequence[Scalar]) -> list[float | str]:
        return [self.scalar(v) for v in values]

    def text(self, value: Expr, what: str, arguments: Mapping[str, Scalar] | None = None) -> str:
        """The formula of an expression, which must read back as the same expression."""

        def name_of(symbol_name: str) -> str:
            return symbol_name.removeprefix("argument:") if symbol_name.startswith("argument:") else word(symbol_name)

        try:
            text = write(value, name_of)
            back = self.model.trace(text, arguments or {})
            same = back is value or content(back) == content(value)
        except ModelError as error:
            raise ModelError(f"{what} cannot be written as a formula: {error.cause}", remedy=error.remedy) from None
        if not same:
            raise ModelError(
                f"{what} cannot be written as a formula: {text!r} would read as another", remedy="rename what it uses"
            )
        return text

    def law(self, value: Any, arguments: Sequence[str]) -> Any:
        """A number, text or table as it is; a Python function as the formula it is, if it is one."""
        if isinstance(value, Motion):
            return self.motion(value)
        if isinstance(value, str):
            return value
        if type(value) is not Expr and not callable(value):
            return float(value)
        symbols = {a: TIME if a == "t" else ALPHA if a == "alpha" else argument_symbol(a) for a in arguments}
        name = getattr(value, "__name__", type(value).__name__)
        try:
            traced = self.model.trace(value, symbols)
        except ModelError as error:
            raise ModelError(
                f"a file cannot hold the Python function {name!r}: {error.cause}",
                remedy="give a formula as text, or a Table",
            ) from None
        if type(traced) is not Expr:
            return float(traced)
        what = "it" if type(value) is Expr else f"the Python function {name!r}"
        return self.text(traced, what, {a: s for a, s in symbols.items() if a == "t" or is_argument(s)})

    def motion(self, motion: Motion) -> dict[str, Any]:
        data: dict[str, Any] = {"type": type(motion).__name__}
        for f in fields(motion):
            value = getattr(motion, f.name)
            if f.default is MISSING or content(value) != content(f.default):
                plain = value if isinstance(value, bool | str) else None
                data[f.name] = plain if plain is not None else self.numbers(value)
        return data

    def numbers(self, value: Any) -> Any:
        return [self.numbers(v) for v in value] if isinstance(value, tuple) else self.scalar(value)

    # -- places -----------------------------------------------------------------------------------------------------
    def point(self, P: Point) -> Any:
        if P.angle is None and P.rotation is None:
            return [P.body.name, *self.scalars(P.s)]
        data: dict[str, Any] = {"body": P.body.name, "at": self.scalars(P.s)}
        if P.angle is not None:
            data["angle"] = self.scalar(P.angle)
        if P.rotation is not None:
            data["rotation"] = [self.scalars(row) for row in P.rotation]
        return data if not _is_zero(data["at"]) else {k: v for k, v in data.items() if k != "at"}

    def surface(self, on: ShapeOn) -> dict[str, Any]:
        parts = [written(p, self.picture) for p in on.parts]
        return {"body": on.body.name, "shape": "own" if on.own else parts if len(parts) > 1 else parts[0]}

    def vector(self, u: Vector) -> list[Any]:
        return [u.body.name, *self.scalars(u.components)]

    def curve(self, on: CurveOn) -> dict[str, Any]:
        data: dict[str, Any] = {"body": on.body.name}
        if not _is_zero(at := self.scalars(on.at)):
            data["at"] = at
        if not _is_zero(angle := self.scalar(on.angle)):
            data["angle"] = angle
        if on.rotation is not None:
            data["rotation"] = [self.scalars(row) for row in on.rotation]
        return data | self.outline(on.curve)

    def outline(self, curve: Curve) -> dict[str, Any]:
        functions = [self.law(f, ("alpha",)) for f in curve.functions]
        data: dict[str, Any] = {curve.form: functions[0] if curve.form == "polar" else functions}
        start, end = (0.0, 2 * pi) if curve.form == "polar" else (0.0, 1.0)
        whole = curve.form == "polar" and abs(curve.end - curve.start - 2 * pi) < 1e-9
        given = {"start": (curve.start, start), "end": (curve.end, end), "closed": (curve.closed, whole)}
        return data | {key: value for key, (value, default) in given.items() if value != default}

    # -- elements -----------------------------------------------------------------------------------------------------
    def element(self, element: Element) -> dict[str, Any]:
        data: dict[str, Any] = {"type": type(element).__name__}
        defaults = {f.name: f.default for f in fields(element)}
        for name, kind in kinds(type(element)).items():
            value = getattr(element, name)
            if defaults[name] is MISSING or content(value) != content(defaults[name]):
                with about(element.name, name):
                    data[name] = None if value is None else self.value(kind, value)
        return data

    def value(self, kind: plain_fields.Kind, value: Any) -> Any:
        match kind:
            case plain_fields.NumberKind():
                return self.scalar(value)
            case plain_fields.NumbersKind():
                return self.scalars(value)
            case plain_fields.MatrixKind():
                zero = all(type(x) is not Expr and x == 0 for i, r in enumerate(value) for j, x in enumerate(r) if i != j)
                return self.scalars([r[i] for i, r in enumerate(value)]) if zero else [self.scalars(r) for r in value]
            case plain_fields.ChoiceKind() | field_kinds.JointKind() | plain_fields.TruthKind():
                return value
            case body_fields.PointsKind():
                return [self.point(P) for P in value]
            case body_fields.BodyKind():
                return value.name
            case body_fields.OnBodyKind():
                ways: dict[type, Any] = {
                    Point: self.point, ShapeOn: self.surface, Vector: self.vector, CurveOn: self.curve
                }  # fmt: skip
                return ways[type(value)](value)
            case field_kinds.QuantityKind():
                return self.text(value, "it", {"t": TIME})
            case field_kinds.TermsKind():
                return {self.text(q, "a quantity", {"t": TIME}): self.scalar(c) for q, c in value}
            case field_kinds.MotionKind() | field_kinds.LawKind() | field_kinds.ComponentsKind():
                laws = value if isinstance(value, tuple) else (value,)
                written = [self.law(x, arguments_of(kind)) for x in laws]
                return written if isinstance(value, tuple) else written[0]
        raise NotImplementedError(type(kind).__name__)


def _is_zero(value: Any) -> bool:
    return all(map(_is_zero, value)) if isinstance(value, list) else value == 0
