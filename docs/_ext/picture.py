"""A machine as it stands, drawn from its model and its configuration: bodies, joints, springs, gears, cams, motors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from canvas import MARGIN, WIDTH, Canvas, project

import linkwright as lw
from linkwright.model.quantities import POSITIONS
from linkwright.system import System
from linkwright.view.drawing import draw
from linkwright.view.frames import carry

__all__ = ["MARGIN", "WIDTH", "rows", "svg"]

GHOSTS = 4  # further places shown of a machine in motion

ROUND = "M 19 0 A 19 19 0 1 0 -3 18.8 M 19 0 l -6 7 M 19 0 l 5 8"  # an arrow round a place
ARROW = "M -34 0 L 0 0 M -9 -5 L 0 0 L -9 5"  # an arrow that ends at a place
SPIRAL = "M 5 0 a 5 5 0 0 1 -10 0 a 8 8 0 0 1 16 0 a 11 11 0 0 1 -22 0 a 14 14 0 0 1 28 0"
SLIDER = "M -15 -9 H 15 V 9 H -15 Z"
SQUARE = "M -6 -6 H 6 V 6 H -6 Z"
HATCH = "M -14 8 H 14 M -11 8 l -5 6 M -4 8 l -5 6 M 3 8 l -5 6 M 10 8 l -5 6"
CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
SLIDES = ("Translational", "PointOnLine", "Cylindrical", "Screw", "RevoluteCylindrical", "RevoluteTranslational", "Strut")
RODS = ("Distance", "RevoluteRevolute", "RevoluteSpherical", "D")


def svg(model: Any, motion: Any = None, subject: str = "") -> str:
    """The model where a configuration or a result has it (assembled if there is none), later places faintly."""
    motion = standing(model) if motion is None else motion
    times = getattr(motion, "t", 0.0)
    count = len(times) if np.ndim(times) else 1
    pen = Pen(model, subject)
    if count > 1:
        for k in np.linspace(0, count - 1, GHOSTS + 1)[1:]:
            pen.bodies(poses(pen.drawing, motion, int(k)), "ghost")
    pen.whole(poses(pen.drawing, motion, 0))
    return pen.canvas.svg()


def standing(model: Any) -> Any:
    """Where a machine is assembled; one that cannot be, as near as it comes, or where it was estimated."""
    try:
        return lw.assemble(model)
    except lw.LinkwrightError as error:
        if error.partial is not None:
            return error.partial
    channels = {}
    for b in (b for b in model.bodies.values() if not b.is_ground):
        turn = b.estimate.rotation if isinstance(b.estimate.rotation, tuple) else (b.estimate.rotation,)
        for name, x in zip(POSITIONS[model.dimension], (*b.estimate.position, *turn), strict=True):
            channels[f"{b.name}.{name}"] = model.value(x)
    return _Standing(channels)


class _Standing(dict[str, float]):
    t = 0.0


def rows(model: Any, subject: str) -> list[str]:
    """The names of the equations that the elements of a class give in a model."""
    return [r.name for r in System(model).rows if type(r.element).__name__ == subject]


def poses(drawing: dict[str, Any], motion: Any, k: int) -> dict[str, np.ndarray]:
    names = POSITIONS[drawing["dimension"]]
    moving = [b["name"] for b in drawing["bodies"] if b["name"] != "ground"]
    return {b: np.array([[np.atleast_1d(motion[f"{b}.{c}"])[k] for c in names]]) for b in moving}


def solid(shape: dict[str, Any]) -> list[np.ndarray]:
    """Points of a box, a cylinder or a mesh, in body axes."""
    at, size = np.array(shape["at"]), shape["size"]
    if shape["kind"] == "mesh":
        return [at + np.array(p) for p in size["vertices"]]
    z = np.array(shape["axis"]) / np.linalg.norm(shape["axis"])
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x, y = x / np.linalg.norm(x), np.cross(z, x / np.linalg.norm(x))
    if shape["kind"] == "box":
        half = np.array(size) / 2
        return [at + np.array([sx, sy, sz]) * half for sx, sy in CORNERS for sz in (-1, 1)]
    around = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    radius, half = size[0], size[1] / 2
    return [at + sign * half * z + radius * (np.cos(a) * x + np.sin(a) * y) for sign in (-1, 1) for a in around]


class Pen:
    """Draws one configuration after another onto one sheet."""

    def __init__(self, model: Any, subject: str) -> None:
        self.model, self.subject = model, subject
        self.drawing = draw(model)
        self.canvas = Canvas()
        self.at: dict[str, np.ndarray] = {}

    def place(self, end: dict[str, Any]) -> np.ndarray:
        return carry(self.at.get(end["body"]), end["at"])[0]

    def direction(self, end: dict[str, Any], axis: int = 2) -> np.ndarray:
        """The line of a directed point, or an axis of a frame."""
        if "axes" in end:
            u = np.array(end["axes"][axis])
        else:
            u = np.array([np.cos(end.get("angle", 0.0)), np.sin(end.get("angle", 0.0))])
        return carry(self.at.get(end["body"]), u, turn_only=True)[0]

    def whole(self, at: dict[str, np.ndarray]) -> None:
        self.at = at
        self.size = self._size()
        for curve in (c for c in self.drawing["curves"] if c["body"] == "ground"):
            self.canvas.line(curve["points"], "rail", curve["closed"])
        for e in self.drawing["elements"]:
            self.under(e)
        self.bodies(at, "body")
        for e in self.drawing["elements"]:
            self.element(e)
        self.labels()

    def _size(self) -> float:
        places = [self.place(end) for e in self.drawing["elements"] for end in e["ends"]]
        places += [carry(self.at.get(b["name"]), b["com"])[0] for b in self.drawing["bodies"]]
        sizes = [abs(r) for e in self.drawing["elements"] for r in np.atleast_1d(e.get("radii", e.get("radius", 0.0)))]
        sizes += [
            float(np.max(s["size"]))
            for b in self.drawing["bodies"]
            for s in b["shapes"]
            if s["kind"] not in ("mesh", "polygon")
        ]
        return max(float(np.ptp(np.array(places), axis=0).max()), 2 * max(sizes, default=0.0)) or 1.0

    # -- bodies ------------------------------------------------------------------------------------------------------------
    def bodies(self, at: dict[str, np.ndarray], style: str) -> None:
        for n, body in enumerate(b for b in self.drawing["bodies"] if b["name"] != "ground"):
            pose, look = at[body["name"]], f"{style} b{n % 5}"
            points = [carry(pose, p)[0] for p in body["points"]]
            com = carry(pose, body["com"])[0]
            if all(np.linalg.norm(com - p) > 1e-9 for p in points) and len(points) < 3:
                points.append(com)
            for shape in body["shapes"]:
                self.shape(shape, pose, look)
            if not body["shapes"] and len(points) == 1:
                self.canvas.dot(points[0], 9, look)
            elif not body["shapes"]:
                self.canvas.line(self._ordered(points), look, closed=len(points) > 2)
            for curve in (c for c in self.drawing["curves"] if c["body"] == body["name"]):
                self.canvas.line([carry(pose, p)[0] for p in curve["points"]], f"{look} outline", curve["closed"])

    def _ordered(self, points: list[np.ndarray]) -> list[np.ndarray]:
        """Round their middle, so that the outline does not cross itself."""
        flat = np.array([project(p) for p in points])
        around = flat - flat.mean(axis=0)
        return [points[k] for k in np.argsort(np.arctan2(around[:, 1], around[:, 0]))]

    def shape(self, shape: dict[str, Any], pose: np.ndarray, look: str) -> None:
        at, size = np.array(shape["at"]), shape["size"]
        if shape["kind"] in ("circle", "sphere"):
            self.canvas.circle(carry(pose, at)[0], size[0], f"{look} solid")
            return
        if shape["kind"] == "polygon" or len(at) == 2:
            corners = size if shape["kind"] == "polygon" else [(sx * size[0] / 2, sy * size[1] / 2) for sx, sy in CORNERS]
            c, sn = np.cos(shape["angle"]), np.sin(shape["angle"])
            turn = np.array([[c, -sn], [sn, c]])
            self.canvas.line([carry(pose, at + turn @ np.array(p))[0] for p in corners], f"{look} solid", closed=True)
        else:
            self.canvas.hull([carry(pose, p)[0] for p in solid(shape)], f"{look} solid")

    def labels(self) -> None:
        for body in self.drawing["bodies"]:
            if body["name"] != "ground":
                points = [carry(self.at[body["name"]], p)[0] for p in [*body["points"], body["com"]]]
                self.canvas.text(np.mean(points, axis=0), body["name"], dy=-14)

    # -- elements -----------------------------------------------------------------------------------------------------------
    def look(self, e: dict[str, Any], base: str) -> str:
        return f"{base} hot" if e["kind"] == self.subject else base

    def under(self, e: dict[str, Any]) -> None:
        """What lies behind the bodies: ground and lines."""
        for end in e["ends"]:
            if end["body"] == "ground" and e["role"] == "joint" and e["kind"] not in SLIDES:
                here = self.place(end)
                self.canvas.symbol(here, here + np.eye(len(here))[0], HATCH if len(here) == 2 else "M 0 0", "thin")
        if e["kind"] in SLIDES or e["kind"] in ("RackPinion", "CamFlat", "PointOnPlane", "Planar", "Contact"):
            flat = {"CamFlat": 1, "RackPinion": 0, "Contact": 1}.get(e["kind"], 0)
            self.guide(e, e["ends"][flat])
        for end in e["ends"]:
            if "axes" in end:
                self.axes(e, end)

    def guide(self, e: dict[str, Any], end: dict[str, Any]) -> None:
        here = self.place(end)
        if e["kind"] in ("Planar", "PointOnPlane") or (e["kind"] == "Contact" and len(here) == 3):
            x, y = (self.direction(end, k) * 0.35 * self.size for k in (0, 1))
            self.canvas.line([here - x - y, here + x - y, here + x + y, here - x + y], self.look(e, "plane"), closed=True)
            return
        if e["kind"] == "Contact" and "angle" not in end:
            return
        u = self.direction(end, 2)
        reach = [float((self.place(other) - here) @ u) for other in e["ends"]]
        more = (0.18 if e["kind"] in SLIDES else 0.5) * self.size
        low, high = min(reach) - more, max(reach) + more
        self.canvas.line([here + low * u, here + high * u], self.look(e, "guide"))

    def axes(self, e: dict[str, Any], end: dict[str, Any]) -> None:
        """The frame of an end in space: z strong, x faint."""
        here, length = self.place(end), 0.16 * self.size
        self.canvas.line([here, here + 0.7 * length * self.direction(end, 0)], self.look(e, "xaxis"))
        self.canvas.line([here, here + length * self.direction(end, 2)], self.look(e, "zaxis"))

    def element(self, e: dict[str, Any]) -> None:
        kind, canvas, places = e["kind"], self.canvas, [self.place(end) for end in e["ends"]]
        if kind in RODS:
            canvas.line(places, self.look(e, "rod"))
        if e["role"] == "joint" and kind == "Fixed":
            canvas.symbol(places[0], places[0] + self.direction(e["ends"][0], 0), SQUARE, self.look(e, "pin"))
        elif kind == "Translational":
            canvas.symbol(places[1], places[1] + self.direction(e["ends"][1]), SLIDER, self.look(e, "slider"))
        elif kind == "Gear":
            self.wheels(e, e["radii"], places)
        elif kind in ("Belt", "Rope"):
            self.rope(e, places)
        elif kind == "RackPinion":
            self.wheels(e, [None, e["radius"]], places)
        elif e["role"] == "joint" and "curve" not in str(e["ends"]) and kind not in ("CamFlat", "Orientation"):
            for p in places:
                canvas.dot(p, 5, self.look(e, "pin"))
        elif kind == "PointFollower":
            canvas.dot(places[0], 5, self.look(e, "pin"))
        self.effort(e, places)

    def rope(self, e: dict[str, Any], places: list[np.ndarray]) -> None:
        """The straight parts between the pulleys, which stand for themselves."""
        radii = e["radii"]
        turned = [(end, r, p) for end, r, p in zip(e["ends"], radii, places, strict=True) if r]
        for end, r, p in turned:
            self.wheels({**e, "ends": [end]}, [r], [p])
        around = [*zip(places, radii, strict=True)]
        around += around[:1] if e["kind"] == "Belt" else []
        for (a, r_i), (b, r_j) in itertools.pairwise(around):
            E, rho = b - a, r_j - r_i
            ahead = np.array([-E[1], E[0], *E[2:]])
            u = (np.sqrt(max(E @ E - rho**2, 0.0)) * E - rho * ahead) / (E @ E)
            n = np.array([-u[1], u[0], *u[2:]])
            self.canvas.line([a - r_i * n, b - r_j * n], self.look(e, "rod"))

    def wheels(self, e: dict[str, Any], radii: Any, places: list[np.ndarray]) -> None:
        for end, radius, p in zip(e["ends"], radii, places, strict=True):
            if radius is not None:
                mark = self.direction({**end, "angle": 0.0}, 0)
                self.canvas.circle(p, abs(radius), self.look(e, "wheel"))
                self.canvas.line([p, p + abs(radius) * mark], self.look(e, "thin"))
                self.canvas.dot(p, 4, "pin")

    def effort(self, e: dict[str, Any], places: list[np.ndarray]) -> None:
        """Motors, springs and loads."""
        kind, canvas = e["kind"], self.canvas
        if kind in ("Spring", "Bushing"):
            P, Q = places
            if np.linalg.norm(P - Q) < 1e-9:
                canvas.dot(P, 11, self.look(e, "spring"))
            else:
                canvas.between(P, Q, 5, self.look(e, "spring"))
        elif kind == "Contact":
            for p, radius in zip(places, e["radii"], strict=True):
                if radius:
                    canvas.circle(p, radius, self.look(e, "wheel"))
            canvas.dot(places[0], 4, self.look(e, "pin"))
        elif kind == "Tyre":
            canvas.circle(places[0], e["radius"], self.look(e, "wheel"))
        elif kind == "PointForce":
            F = self.force(e)
            canvas.line([places[0] - 0.25 * self.size * F, places[0]], "nothing")
            canvas.symbol(places[0], places[0] + F, ARROW, self.look(e, "arrow"))
        elif kind == "Torque":
            body = next(b for b in self.drawing["bodies"] if b["name"] == e["bodies"][0])
            self.turn(carry(self.at[body["name"]], body["com"])[0], e)
        elif kind == "TorsionSpring" and e["joint"]:
            joint = next(x for x in self.drawing["elements"] if x["name"] == e["joint"])
            here = self.place(joint["ends"][-1])
            canvas.symbol(here, here + np.eye(len(here))[0], SPIRAL, self.look(e, "arrow"))
        elif e["joint"]:
            joint = next(x for x in self.drawing["elements"] if x["name"] == e["joint"])
            here = self.place(joint["ends"][-1])
            if joint["kind"] in SLIDES and joint["kind"] not in ("Screw", "Cylindrical"):
                u = self.direction(joint["ends"][0])
                canvas.line([here - 0.25 * self.size * u, here], "nothing")
                canvas.symbol(here, here + u, ARROW.replace("-34", "-44"), self.look(e, "arrow"))
            else:
                self.turn(here, e)

    def turn(self, here: np.ndarray, e: dict[str, Any]) -> None:
        self.canvas.symbol(here, here + np.eye(len(here))[0], ROUND, self.look(e, "arrow"))

    def force(self, e: dict[str, Any]) -> np.ndarray:
        """The direction of a load, if it is a constant; else upward."""
        given = self.model.elements[e["name"]]
        try:
            F = np.array([self.model.value(x) for x in given.force])
        except Exception:
            F = np.eye(self.drawing["dimension"])[-1]
        if given.frame == "body":
            F = carry(self.at[e["bodies"][0]], F, turn_only=True)[0]
        return F / (np.linalg.norm(F) or 1.0)
