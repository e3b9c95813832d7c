"""A model from the tree of a file. Every error says where: file, line, column."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model import body_fields, plain_fields
from linkwright.model import fields as field_kinds
from linkwright.model.drives import State, untold
from linkwright.model.elements import Element, kinds, unit_of_quantity
from linkwright.model.files.classes import BODY_FIELDS, ELEMENTS, SECTIONS
from linkwright.model.files.nodes import Node
from linkwright.model.files.places import Places, is_exact
from linkwright.model.files.writer import MODELS, VERSION
from linkwright.model.model import Model
from linkwright.model.models import PlanarModel, SpatialModel
from linkwright.model.names import GROUND, suggestion
from linkwright.model.units import OF_BODIES
from linkwright.model.values import TIME
from linkwright.words import an


def build(root: Node, file: str) -> Model:
    """The model that a file describes."""
    return _Reader(file).all(root)


class _Reader(Places):
    def all(self, root: Node) -> Model:
        top = self.version(root)
        kind = top.get("model")
        if kind is None or kind.value not in MODELS.values():
            remedy = suggestion(str(kind.value), MODELS.values()) if kind else "write 'model: planar' or 'model: spatial'"
            self.fail("'model' must be planar or spatial", kind or root, remedy)
        name = self.word(top["name"], "the name") if "name" in top else "machine"
        with self.at(top.get("name", root)):
            self.model = PlanarModel(name) if kind.value == "planar" else SpatialModel(name)
        for key, node in self.mapping(top["parameters"], "parameters").items() if "parameters" in top else ():
            with self.at(Node(key, *top["parameters"].keys[key]), key):
                self.model.parameter(key, self.constant(node, "the value of a parameter"))
        if "gravity" in top:
            with self.at(top["gravity"]):
                self.model.gravity = self.scalars(top["gravity"], "gravity", self.model.dimension, "m/s^2")
        for section, read in (("bodies", self.body), ("elements", self.element), ("fixed", self.fixed)):
            if section == "elements" and section in top:
                self.declare_states(top[section])
            for key, entry in self.mapping(top[section], section).items() if section in top else ():
                with self.at(entry, key):
                    read(Node(key, *top[section].keys[key]), entry)
        return self.model

    def declare_states(self, elements: Node) -> None:
        """States may stand in each other's rates, in whatever order they are read: all are known before, without rates."""
        for key, entry in self.mapping(elements, "elements").items():
            kind = entry.value.get("type") if isinstance(entry.value, dict) else None
            if kind is not None and kind.value == State.__name__ and key not in self.model:
                with self.at(entry, key):
                    self.model.add(State(key, untold))

    def version(self, root: Node) -> dict[str, Node]:
        if not isinstance(root.value, dict) or "linkwright" not in root.value:
            self.fail("this is no model file: it does not say 'linkwright: 1'", root, "begin the file with 'linkwright: 1'")
        node = root.value["linkwright"]
        if not isinstance(node.value, float) or not node.value.is_integer() or node.value < 1:
            self.fail(f"the version of the format cannot be {node.what}", node, f"write 'linkwright: {VERSION}'")
        if node.value > VERSION:
            self.fail(
                f"the file has format version {node.value:g}; this Linkwright reads up to {VERSION}",
                node,
                "install a newer Linkwright",
            )
        return self.mapping(root, "a model file", SECTIONS)

    # -- bodies -----------------------------------------------------------------------------------------------------------
    def body(self, key_node: Node, node: Node) -> None:
        name = key_node.value
        model, n = self.model, self.model.dimension
        given = {} if node.value is None else self.mapping(node, f"the body {name!r}", BODY_FIELDS[n])
        if name == GROUND:
            if set(given) - {"shape"}:
                self.fail("ground has a shape and nothing else", node, "it does not move")
            model.ground.shape = self.picture(given["shape"]) if "shape" in given else None
            with self.at(given.get("shape", node)):
                model.ground.check()
            return
        data: dict[str, Any] = {}
        for key, value in given.items():
            if key == "shape":
                data[key] = self.picture(value)
            elif key == "inertia" and n == 3:
                rows = self.sequence(value, key)
                nested = any(isinstance(r.value, list) for r in rows)
                takes = OF_BODIES[key]
                data[key] = [self.scalars(r, key, 3, takes) for r in rows] if nested else self.scalars(value, key, 0, takes)
            elif key == "orientation":
                data[key] = self.rotation(value)
            elif key in ("com", "position", "velocity") or (key == "omega" and n == 3):
                data[key] = self.scalars(value, key, n, OF_BODIES[key])
            else:
                data[key] = self.scalar(value, key, OF_BODIES.get(key, ""))
        try:
            body = model._add_body(name, **data)
        except ModelError as error:
            key = error.cause.removeprefix("the ").removeprefix("a component of ").partition(" ")[0]
            self.fail(error.cause, given.get(key, key_node), error.remedy, error.element)
        p = data.get("orientation")
        if p is not None and len(p) == 4 and is_exact([[model.value(e) for e in p]]):
            body.estimate = replace(body.estimate, rotation=p)

    def picture(self, node: Node) -> Any:
        if isinstance(node.value, dict):
            return {k: self.picture(v) for k, v in node.value.items()}
        if isinstance(node.value, list):
            return [self.picture(v) for v in node.value]
        if isinstance(node.value, str) and node.value.startswith("="):
            if node.value.startswith("=="):
                return node.value[1:]
            with self.at(node):
                return self.model.scalar(node.value[1:], "the shape")
        return self.float(node, "a number of the shape") if isinstance(node.value, float) else node.value

    def surface(self, node: Node) -> Any:
        """{body: crank, shape: {box: [0.2, 0.1], at: [x, y]}}, or shape: own."""
        given = self.mapping(node, "a shape on a body", ("body", "shape"))
        if "body" not in given:
            self.fail("a shape needs its body", node, "write {body: crank, shape: {circle: 0.1}}")
        body = self.on(given["body"])
        with self.at(node):
            return body.surface(None if given["shape"].value == "own" else self.picture(given["shape"]))

    # -- elements -----------------------------------------------------------------------------------------------------------
    def element(self, key_node: Node, node: Node) -> None:
        kind: type[Element] = self.type(node, "an element", ELEMENTS)
        known = kinds(kind)
        given = self.mapping(node, an(kind.__name__), ["type", *known])
        values: dict[str, Any] = {}
        for key in sorted(given, key="quantity".__ne__):  # a motion is in the unit of what is driven
            if key != "type":
                values[key] = self.value(known[key], given[key], unit_of_quantity(values.get("quantity")))
        needed = [f.name for f in fields(kind) if f.default is f.default_factory and f.name != "name"]
        self.complete(kind.__name__, needed, values, node)
        self.model.add(kind(key_node.value, **values))

    def value(self, kind: plain_fields.Kind, node: Node, driven: str = "") -> Any:
        if node.value is None:
            if kind.optional:
                return None
            self.fail("a value is missing", node, "write it after the colon, or leave the key out")
        match kind:
            case plain_fields.NumberKind():
                self.scalar(node)
            case plain_fields.NumbersKind():
                self.scalars(node, "it", max(kind.size, 0) if kind.size else self.model.dimension)
            case plain_fields.MatrixKind():
                items = self.sequence(node, "a matrix")
                if any(isinstance(item.value, list) for item in items):
                    return [self.scalars(item, "a row", takes=kind.takes) for item in items]
                return self.scalars(node, "a diagonal", takes=kind.takes)
            case plain_fields.ChoiceKind() | plain_fields.TruthKind():
                with self.at(node):
                    return kind.take(node.value)
            case field_kinds.JointKind():
                return self.word(node, "a joint")
            case body_fields.PointKind():
                return self.point(node, kind.directed)
            case body_fields.TouchKind():
                return self.surface(node) if isinstance(node.value, dict) and "shape" in node.value else self.point(node)
            case body_fields.PointsKind():
                return [self.point(item, False) for item in self.sequence(node, "the points")]
            case body_fields.VectorKind():
                return self.vector(node)
            case body_fields.CurveKind():
                return self.curve(node)
            case body_fields.BodyKind():
                return self.on(node)
            case field_kinds.QuantityKind():
                return self.quantity(node)
            case field_kinds.TermsKind():
                terms = self.mapping(node, "the terms")
                return [(self.quantity(Node(k, *node.keys[k])), self.scalar(v, "a factor")) for k, v in terms.items()]
            case field_kinds.MotionKind() | field_kinds.LawKind():
                return self.law(node, driven)
            case field_kinds.ComponentsKind():
                return [self.law(item) for item in node.value] if isinstance(node.value, list) else self.law(node)
            case _:
                raise NotImplementedError(type(kind).__name__)
        # As it is written: what units it may have the element knows, from its other fields.
        return [item.value for item in node.value] if isinstance(node.value, list) else node.value

    def quantity(self, node: Node) -> Expr:
        text = self.word(node, "a quantity")
        with self.at(node):
            value = self.model.trace(text, {"t": TIME})
        if type(value) is not Expr:
            self.fail("it does not depend on the machine", node, "give a quantity, such as crank.x or pin.angle")
        return value

    def fixed(self, key_node: Node, node: Node) -> None:
        value = self.scalar(node, "the value")
        with self.at(key_node):
            self.model.fix(key_node.value, value)
