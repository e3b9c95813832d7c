"""The drawing of a machine: plain data, made from a model alone, that says what there is to draw on which body.

    dimension   2 or 3
    bodies      name, mass centre, the points that other things touch, simple shapes if the user gave some
    elements    name, kind (the class), role (joint, force, driver), ends (body, place, direction), sizes,
                the joint it acts on if it acts on a joint's coordinate; of a force along a coordinate of a body the body
                and the number of the axis; of what acts along a distance the two places it is between; of what acts
                along an angle what it turns: a joint, or a body (about an axis); of a spring what of spring, damper and
                actuator it is
    curves      outlines of cams, slots, rails as points in body axes

It can be kept as JSON, so that a result is shown without its model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.graph import Expr, Scalar, cos, evaluate, free_symbols, sin
from linkwright.model import (
    Balance,
    Belt,
    Body,
    Constraint,
    CurveOn,
    Driver,
    Element,
    Force,
    Joint,
    Model,
    Point,
    Rope,
    Spring,
    Stop,
    TorsionSpring,
    kinds,
)
from linkwright.model.curves import ALPHA
from linkwright.model.quantities import AngleBetween, BodyCoordinate, DistanceBetween, JointCoordinate, Quantity
from linkwright.model.shapes import read_shapes
from linkwright.model.touching import ShapeOn, written
from linkwright.model.values import about, parameter_symbol

CURVE_POINTS = 181
SIZES = ("length", "radius", "radii", "offset", "pitch", "on", "axes")  # fields that decide how an element looks


def draw(model: Model, parameters: Mapping[str, float] | None = None) -> dict[str, Any]:
    """The drawing, for these values of the parameters (as they are in the model if not given)."""
    return drawn_by(Pen(model, parameters or model.parameters))


def drawn_by(pen: Pen) -> dict[str, Any]:
    """The drawing of a pen's model."""
    model = pen.model
    elements = [pen.element(e) for e in model.elements.values() if not isinstance(e, Balance)]  # that is nowhere to be seen
    return {
        "name": model.name,
        "dimension": model.dimension,
        "gravity": [pen.value(g) for g in model.gravity],
        "bodies": [pen.body(b, elements) for b in model.bodies.values()],
        "elements": elements,
        "curves": pen.curves,
    }


class Pen:
    """Turns the parts of a model into plain data."""

    def __init__(self, model: Model, parameters: Mapping[str, float]) -> None:
        self.model = model
        self.parameters = {parameter_symbol(name): value for name, value in parameters.items()}
        self.curves: list[dict[str, Any]] = []

    def value(self, x: Scalar) -> float:
        return float(evaluate([x], self.parameters)[0]) if type(x) is Expr else float(x)

    def values(self, xs: Any) -> list[float]:
        return [self.value(x) for x in xs]

    def body(self, body: Body, elements: list[dict[str, Any]]) -> dict[str, Any]:
        points: list[list[float]] = []
        for end in (end for e in elements for end in (*e["ends"], *e.get("between", ())) if end["body"] == body.name):
            if not any(np.allclose(end["at"], p, rtol=0, atol=1e-12) for p in points):
                points.append(end["at"])
        com = self.values(body.com)
        if len(points) == 1 and self.value(body.mass) > 0 and not np.allclose(com, points[0], rtol=0, atol=1e-12):
            points.append(com)  # a pendulum is a rod from its pin to its mass
        with about(body.name):
            shapes = read_shapes(body.shape, self.model.dimension, self.value) or self.touching(body)
        mass = self.value(body.mass)
        return {"name": body.name, "com": com, "mass": mass, "points": points, "shapes": shapes}

    def touching(self, body: Body) -> list[dict[str, Any]]:
        """Of a body without a shape: those it touches others with."""
        found = [x for e in self.model.elements.values() for x in vars(e).values() if isinstance(x, ShapeOn)]
        given = [written(part, self.value) for x in found if x.body is body for part in x.parts]
        distinct = [x for k, x in enumerate(given) if x not in given[:k]]
        return read_shapes(distinct, self.model.dimension, self.value)

    def element(self, e: Element) -> dict[str, Any]:
        ends: list[dict[str, Any]] = []
        sizes: dict[str, Any] = {}
        for field in kinds(type(e)):
            given = getattr(e, field)
            if isinstance(given, Point):
                ends.append(self.end(given))
            elif isinstance(given, CurveOn):
                ends.append(self.curve(given, e.name))
            elif isinstance(given, ShapeOn):
                ends.append(self.surface(given))
            elif isinstance(e, Rope) and field == "points":
                ends += map(self.end, e.points)
            elif field in SIZES and given is not None:
                sizes[field] = given if isinstance(given, str) else self._size(given)
        if isinstance(e, Belt | Rope):  # as it runs round: the other way where negative
            sizes["radii"] = self.values(e.turned)
        if isinstance(e, Spring):
            sizes["acts"] = self.acts(e)
        role = "joint" if isinstance(e, Joint) else "driver" if isinstance(e, Driver) else "force"
        if isinstance(e, Constraint | Rope):
            role = "joint"
        bodies = [b.name for b in e.bodies]
        return {
            "name": e.name, "kind": type(e).__name__, "role": role, "ends": ends, "bodies": bodies,
            "joint": self.acts_on(e), **self.along(e), **sizes,
        }  # fmt: skip

    @staticmethod
    def acts(e: Spring) -> list[str]:
        """What of a spring, a damper and an actuator it is."""
        laws = {"spring": e.k, "damper": e.c, "actuator": e.force}
        return [word for word, law in laws.items() if not (isinstance(law, int | float) and law == 0)]

    def _size(self, given: Any) -> Any:
        return self.values(given) if isinstance(given, tuple) else self.value(given)

    def end(self, P: Point) -> dict[str, Any]:
        """A place on a body; `axes` are the columns of its frame in space, `angle` its direction in the plane."""
        out: dict[str, Any] = {"body": P.body.name, "at": self.values(P.s)}
        if len(P.s) == 3:
            C = P.rotation or ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
            out["axes"] = [[self.value(row[k]) for row in C] for k in range(3)]
        elif P.angle is not None:
            out["angle"] = self.value(P.angle)
        return out

    def surface(self, on: ShapeOn) -> dict[str, Any]:
        """A circle or a sphere is touched as its middle with a radius is; where others are touched no drawing knows."""
        end: dict[str, Any] = {"body": on.body.name, "at": self.values(on.parts[0].at)}
        if [p.kind for p in on.parts] not in (["circle"], ["sphere"]):
            return {**end, "surface": True}
        return {**end, "radius": self.value(on.parts[0].size[0])}

    def curve(self, on: CurveOn, element: str) -> dict[str, Any]:
        """Sample a curve; its end is the place the curve is put at."""
        curve = on.curve
        alpha = np.linspace(curve.start, curve.end, CURVE_POINTS)
        alpha[-1] = np.nextafter(curve.end, curve.start)  # a periodic table is back at its start there
        own = list(curve.point(ALPHA, lambda f, a: self.model.trace(f, {"alpha": a})))
        if len(on.at) == 3:
            own += [0.0] * (3 - len(own))
            C: Sequence[Sequence[Scalar]] = on.rotation or np.eye(3).tolist()
        else:
            c, s = cos(on.angle), sin(on.angle)
            C = ((c, -s), (s, c))
        placed = [x + sum((r * w for r, w in zip(row, own, strict=True)), 0.0) for x, row in zip(on.at, C, strict=True)]
        self.curves.append(
            {"element": element, "body": on.body.name, "points": self.along_curve(placed, alpha), "closed": curve.closed}
        )
        return {"body": on.body.name, "at": self.values(on.at), "curve": len(self.curves) - 1}

    def along_curve(self, functions: list[Scalar], alpha: np.ndarray) -> list[list[float]]:
        """Places on a curve."""
        values = evaluate(functions, {**self.parameters, ALPHA: alpha})
        places = np.array([np.broadcast_to(np.asarray(v, dtype=float), alpha.shape) for v in values])
        return [[float(x) for x in p] for p in places.T.round(9)]

    def along(self, e: Element) -> dict[str, Any]:
        """Of what acts along x, y or z of a body the body and the axis; of what acts along a distance the two places; of
        what acts along an angle what it turns."""
        if not isinstance(e, Driver | Force | TorsionSpring | Stop) or e.quantity.op != "symbol":
            return {}
        definition = self.model.quantities.get(e.quantity.data)
        if isinstance(definition, BodyCoordinate) and definition.channel in ("x", "y", "z"):
            return {"along": {"body": definition.body.name, "axis": "xyz".index(definition.channel)}}
        if isinstance(definition, DistanceBetween) and isinstance(e, Driver | Force):
            return {"between": [self.end(definition.P), self.end(definition.Q)]}
        turned = self.turned(definition)
        return {"about": turned} if turned else {}

    def turned(self, angle: Quantity | None) -> dict[str, Any]:
        """The joint or the body that a torque along an angle turns; in space also its axis."""
        if isinstance(angle, BodyCoordinate | JointCoordinate) and angle.channel == "angle":
            return {"joint": angle.joint} if isinstance(angle, JointCoordinate) else {"body": angle.body.name}
        if isinstance(angle, AngleBetween) and not angle.v.body.is_ground:
            if angle.axis is not None:
                return {"body": angle.v.body.name, "axis": self.unit(angle.axis.components), "of": angle.axis.body.name}
            return {"body": angle.v.body.name} if self.model.dimension == 2 else {}
        return {}

    def unit(self, components: Any) -> list[float]:
        h = np.array(self.values(components))
        return list(h / np.linalg.norm(h))

    def acts_on(self, e: Element) -> str | None:
        """The joint whose coordinate a driver, a force or a spring acts on."""
        quantity = getattr(e, "quantity", None)
        if isinstance(e, Driver | Force | TorsionSpring | Stop) and isinstance(quantity, Expr):
            for s in free_symbols([quantity]):
                definition = self.model.quantities.get(s.data)
                if isinstance(definition, JointCoordinate):
                    return definition.joint
        joint = getattr(e, "joint", None)
        return joint if isinstance(joint, str) else None
