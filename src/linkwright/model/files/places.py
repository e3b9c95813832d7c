"""Reading what is fixed to bodies (points, frames, vectors, curves) and functions (motions, laws) from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from linkwright.model.bodies import Body
from linkwright.model.curves import Curve
from linkwright.model.dimensions import along
from linkwright.model.documented import documented
from linkwright.model.files.classes import CURVE_FIELDS, CURVE_TABLE, MOTIONS, POINT_FIELDS
from linkwright.model.files.nodes import Node
from linkwright.model.files.values import Values
from linkwright.model.motions import Motion
from linkwright.model.names import suggestion
from linkwright.model.points import CurveOn, Point, Vector
from linkwright.options import words
from linkwright.words import an

# Rotations this near to exact ones are taken as they are written: mending them again would change the last digit.
EXACT = 1e-14


class Places(Values):
    """The part of the reader that makes points, vectors, curves and laws."""

    def rotation(self, node: Node) -> Any:
        """Euler parameters, [axis, angle] or a matrix, its numbers read."""
        items = self.sequence(node, "a rotation")
        return tuple(
            self.scalars(item, "a rotation", 3)
            if isinstance(item.value, list)
            else self.scalar(item, "a rotation", "rad" if len(items) == 2 else "1")
            for item in items
        )

    def on(self, node: Node) -> Body:
        name = self.word(node, "a body")
        if name not in self.model.bodies:
            self.fail(f"there is no body {name!r}", node, suggestion(name, self.model.bodies))
        return self.model.bodies[name]

    def listed(self, node: Node, what: str, make: Callable[[Body], Callable[..., Any]]) -> Any:
        """[body, x, y] or [body, x, y, z]."""
        items = self.sequence(node, what)
        n = self.model.dimension
        if len(items) != n + 1:
            self.fail(f"{what} is [body, {', '.join('xyz'[:n])}], not {len(items)} items", node, "name the body first")
        body = self.on(items[0])
        with self.at(node):
            return make(body)(*(self.scalar(item, "a coordinate", "" if what == "a vector" else "m") for item in items[1:]))

    def point(self, node: Node, directed: bool = False) -> Point:
        n = self.model.dimension
        if isinstance(node.value, str):
            P = self.on(node).at(*(0.0,) * n)
        elif isinstance(node.value, list):
            P = self.listed(node, "a point", lambda body: body.at)
        else:
            P = self.place(node)
        if directed and not P.directed:
            name = P.body.name
            self.fail("the point has no direction", node, f"give its angle: {{body: {name}, at: [x, y], angle: 0}}")
        return P

    def place(self, node: Node) -> Point:
        """{body: crank, at: [x, y], angle: a}; in space rotation: ... or frame: [P, Q, R] (in the plane [P, Q])."""
        given = self.mapping(node, "a point", POINT_FIELDS)
        n = self.model.dimension
        if "body" not in given:
            self.fail("a point needs its body", node, "write {body: crank, at: [x, y]}")
        body = self.on(given["body"])
        with self.at(node):
            if "frame" in given:
                if len(given) > 2:
                    self.fail("a frame is made of its points alone", node, "give body and frame only")
                return body.frame(
                    *(self.scalars(item, "a point", n, "m") for item in self.sequence(given["frame"], "frame"))
                )
            at = self.scalars(given["at"], "at", n, "m") if "at" in given else (0.0,) * n
            angle = self.scalar(given["angle"], "angle", "rad") if "angle" in given else None
            C = self.rotation(given["rotation"]) if "rotation" in given else None
            P = body.at(*at, angle=angle, rotation=C)
            return replace(P, rotation=C) if self.is_exact_matrix(C) else P

    def is_exact_matrix(self, C: Any) -> bool:
        if C is None or len(C) != 3 or not isinstance(C[0], tuple):
            return False
        return is_exact([[self.model.value(x) for x in row] for row in C])

    def vector(self, node: Node) -> Vector | Point:
        if isinstance(node.value, dict):
            return self.point(node, directed=True).axis()
        made: Vector = self.listed(node, "a vector", lambda body: body.vector)
        return made

    def curve(self, node: Node) -> CurveOn:
        given = self.mapping(node, "a curve", CURVE_FIELDS)
        forms = [form for form in ("polar", "parametric", "table") if form in given]
        if "body" not in given or len(forms) != 1:
            self.fail(
                "a curve needs its body and one of polar, parametric, table", node, "{body: cam, polar: 1 + cos(alpha)}"
            )
        body = self.on(given["body"])
        with self.at(node):
            curve = self.outline(forms[0], given)
            at = self.scalars(given["at"], "at", self.model.dimension, "m") if "at" in given else None
            C = self.rotation(given["rotation"]) if "rotation" in given else None
            on = body.curve(
                curve, at, angle=self.scalar(given["angle"], "angle", "rad") if "angle" in given else 0.0, rotation=C
            )
            return replace(on, rotation=C) if self.is_exact_matrix(C) else on

    def outline(self, form: str, given: dict[str, Node]) -> Curve:
        ends = {key: self.scalar(given[key], key) for key in ("start", "end") if key in given}
        closed = {"closed": self.flag(given["closed"], "closed")} if "closed" in given else {}
        if form == "table":
            columns = self.mapping(given["table"], "a table", CURVE_TABLE)
            if ends:
                self.fail("a table has its ends in its numbers", given[next(iter(ends))], "leave start and end out")
            return Curve.table(**{k: self.scalars(v, k) for k, v in columns.items()}, **closed)  # type: ignore[arg-type]
        if form == "polar":
            return Curve.polar(self.law(given["polar"]), **ends, **closed)  # type: ignore[arg-type]
        functions = [self.law(item) for item in self.sequence(given["parametric"], "parametric")]
        if len(functions) not in (2, 3):
            self.fail(f"a curve has 2 or 3 coordinates, not {len(functions)}", given["parametric"], "write [x, y]")
        return Curve.parametric(*functions, **ends, **closed)  # type: ignore[arg-type, misc]

    # -- laws ---------------------------------------------------------------------------------------------------------------
    def law(self, node: Node, driven: str = "") -> Any:
        """A number, a formula, or a motion (of which a table may stand for any function of one argument)."""
        if isinstance(node.value, dict):
            return self.motion(node, driven)
        return node.value if isinstance(node.value, str) else self.float(node, "a law")

    def motion(self, node: Node, driven: str = "") -> Motion:
        """`driven`: the unit of what it drives."""
        kind = self.type(node, "a motion", MOTIONS)
        known = {f.name: f for f in fields(kind)}
        given = self.mapping(node, an(kind.__name__), ["type", *known])
        values: dict[str, Any] = {}
        units = {f: along(takes, driven) for f, takes in documented(kind).items()}
        for key, value in given.items():
            if key == "type":
                continue
            if isinstance(value.value, list):
                values[key] = self.scalars(value, key)
            elif known[key].type == "bool":
                values[key] = self.flag(value, key)
            elif words(str(known[key].type)):
                values[key] = self.word(value, key)
            else:
                values[key] = self.scalar(value, key, units.get(key, ""))
        with self.at(node):
            self.complete(kind.__name__, [f.name for f in fields(kind) if f.default is f.default_factory], values, node)
            made: Motion = kind(**values)
            return made

    def type(self, node: Node, what: str, known: Mapping[str, Any]) -> Any:
        given = self.mapping(node, what)
        if "type" not in given:
            self.fail(f"{what} needs a type", node, f"write {{type: {next(iter(known))}, ...}}")
        name = self.word(given["type"], "the type")
        if name not in known:
            self.fail(f"{name!r} is no type of {what.removeprefix('a ').removeprefix('an ')}", given["type"],
                      suggestion(name, known))  # fmt: skip
        return known[name]

    def complete(self, kind: str, needed: Iterable[str], values: dict[str, Any], node: Node) -> None:
        missing = [key for key in needed if key not in values]
        if missing:
            self.fail(f"{an(kind)} needs {' and '.join(missing)}", node, f"give {missing[0]}")


def is_exact(rows: Sequence[Sequence[float]]) -> bool:
    A = np.array(rows)
    return bool(np.abs(A @ A.T - np.eye(len(A))).max() <= EXACT)
