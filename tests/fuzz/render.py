"""A sketch as a model. Every number that is not zero or one becomes a parameter, so that a structure is compiled once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import linkwright as lw
from fuzz import rare
from fuzz.further_drawn import KNOTS
from fuzz.kinds import JOINTS
from fuzz.places import HERE, Place, euler
from fuzz.render_touching import Touching
from fuzz.sketch import Item, Part, Sketch


def model(sketch: Sketch, name: str = "random", parameters: bool = True) -> Any:
    """`parameters`: else numbers are plain."""
    return _Renderer(sketch, name, parameters).model


class _Renderer(Touching):
    def __init__(self, sketch: Sketch, name: str, parameters: bool) -> None:
        self.sketch, self.n, self.parameters = sketch, sketch.dimension, parameters
        gravity = [self._plain(x) for x in sketch.gravity[: self.n]]
        self.model: Any = (lw.PlanarModel if self.n == 2 else lw.SpatialModel)(name)
        self.model.gravity = [self.number(x) for x in gravity]
        self.places = {p.name: p.place for p in sketch.parts} | {"ground": HERE}
        for part in sketch.parts:
            self._body(part)
        for item in sketch.items:
            self._add(item)

    # -- numbers -----------------------------------------------------------------------------------------------------------
    @staticmethod
    def _plain(x: float) -> float:
        return 0.0 if abs(x) < 1e-300 else float(x)

    def number(self, x: float) -> Any:
        x = float(x)
        if not self.parameters or x in (0.0, 1.0, -1.0):
            return x + 0.0
        return self.model.parameter(f"n{len(self.model.parameters)}", x)

    def numbers(self, xs: Any) -> list[Any]:
        return [self.number(x) for x in xs]

    def of(self, item: Item, name: str) -> Any:
        """A number of an element, as this description has it."""
        kind = JOINTS.get(item.kind)
        flips = bool(self.sketch.is_mirrored and kind and kind.mirror and name in kind.mirror.get(self.n, ()))
        if item.kind == "Screw" and name == "start" and item.name in self.sketch.swapped:
            flips = not flips  # its angle counts the other way
        return self.number(-item.value(name) if flips else item.value(name))

    # -- bodies and points -------------------------------------------------------------------------------------------------
    def _body(self, p: Part) -> None:
        numbers, n = self.numbers, self.n
        if not p.mass:
            self.model.point(p.name, position=numbers(p.place.r[:n]), velocity=numbers(p.v[:n]))
            return
        common = {"position": numbers(p.place.r[:n]), "velocity": numbers(p.v[:n]), "com": numbers(p.com[:n])}
        if n == 2:
            self.model.body(
                p.name, self.number(p.mass), self.number(p.inertia[2, 2]), angle=self.number(p.place.angle),
                omega=self.number(p.w[2]), **common,
            )  # fmt: skip
            return
        J, turned = self._symmetric(p.inertia), self._turn(p.place.R)
        self.model.body(p.name, self.number(p.mass), J, orientation=turned, omega=numbers(p.place.R.T @ p.w), **common)

    def _symmetric(self, K: np.ndarray) -> list[list[Any]]:
        """One parameter for i, j and j, i."""
        n = len(K)
        own = {(i, j): self.number(K[i, j]) for i in range(n) for j in range(i, n)}
        return [[own[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]

    def _turn(self, R: np.ndarray) -> Any:
        return self.numbers(np.where(np.abs(p := euler(R)) < 1e-15, 0.0, p))

    def body(self, name: str) -> Any:
        return self.model[name] if name != "ground" else self.model.ground

    def local(self, body: str, place: Place) -> Place:
        return self.places[body].inverse @ place

    def point(self, end: tuple[str, Place], directed: bool = True, turns: int = 0) -> Any:
        body, place = end
        own = self.local(body, place)
        if self.n == 2:
            angle = {"angle": self.number(own.angle + 2 * np.pi * turns)} if directed else {}
            return self.body(body).at(*self.numbers(own.r[:2]), **angle)
        if not directed or np.abs(own.R - np.eye(3)).max() < 1e-15:
            return self.body(body).at(*self.numbers(own.r))
        return self.body(body).at(*self.numbers(own.r), rotation=self._turn(own.R))

    def points(self, item: Item) -> list[Any]:
        """Both ends of a joint. In the plane its angle counts whole turns of bodies and frames: here none. What does not
        count them has some."""
        first, second = item.ends
        if self.n == 3:
            return [self.point(first), self.point(second)]
        if item.kind in ("Bushing", "Fixed", "Orientation"):
            return [self.point(first), self.point(second, turns=sum(map(ord, item.name)) % 5 - 2)]
        i, j = (self.places[body].angle + self.local(body, place).angle for body, place in item.ends)
        return [self.point(first), self.point(second, turns=-round((j - i) / (2 * np.pi)))]

    def direction(self, end: tuple[str, Place]) -> np.ndarray:
        """The x axis of an end, in the axes of its body."""
        return np.asarray(self.local(*end).R[:, 0])

    # -- coordinates of joints ---------------------------------------------------------------------------------------------
    def sense(self, joint: str, channel: str) -> int:
        """Whether a joint's coordinate counts the other way in this description."""
        sign = -1 if joint in self.sketch.swapped else 1
        return -sign if self.sketch.is_mirrored and channel == "angle" else sign

    def along(self, item: Item) -> tuple[Any, int]:
        """The quantity that an element works along, and its sense."""
        if item.of:
            channel = item.words["channel"]
            return self.model[item.of[0]].coordinate(channel), self.sense(item.of[0], channel)
        return lw.distance(self.point(item.ends[0], False), self.point(item.ends[1], False)), 1

    # -- elements ----------------------------------------------------------------------------------------------------------
    def _add(self, item: Item) -> None:
        make = getattr(self, f"_{item.kind.lower()}", None)
        element = make(item) if make else self._joint(item)
        if element is not None:
            self.model.add(element)

    def _joint(self, item: Item) -> Any:
        ends = self.points(item)
        if item.name in self.sketch.swapped:
            ends.reverse()
        return getattr(lw, item.kind)(item.name, *ends, **{n: self.of(item, n) for n in item.numbers}, **item.words)

    def _gear(self, item: Item) -> Any:
        ends = [self.point(end) for end in item.ends]
        radii = [self.of(item, "Ri"), self.of(item, "Rj")]
        if item.name in self.sketch.swapped:
            ends, radii = ends[::-1], radii[::-1]
        more = self.given(item, "pressure_angle", "k", "c", "backlash")
        if "helix_angle" in item.numbers:
            helix = item.value("helix_angle")
            more["helix_angle"] = self.number(-helix if self.sketch.is_mirrored else helix)
        return lw.Gear(item.name, *ends, radii=tuple(radii), **more)

    def _rackpinion(self, item: Item) -> Any:
        R = -item.value("radius") if self.sketch.is_mirrored else item.value("radius")
        more = self.given(item, "pressure_angle")
        return lw.RackPinion(item.name, *[self.point(end) for end in item.ends], radius=self.number(R), **more)

    def _curve(self, end: tuple[str, Place], curve: Any) -> Any:
        own = self.local(*end)
        if self.n == 3:
            return self.body(end[0]).curve(curve, at=self.numbers(own.r), rotation=self._turn(own.R))
        return self.body(end[0]).curve(curve, at=self.numbers(own.r[:2]), angle=self.number(own.angle))

    def _estimate(self, item: Item, name: str) -> float:
        return self.number(-item.value(name) if self.sketch.is_mirrored else item.value(name))

    def _camfollower(self, item: Item) -> Any:
        a, b, r = (self.of(item, n) for n in "abr")
        ellipse = lw.Curve.parametric(lambda u: a * lw.cos(u), lambda u: b * lw.sin(u), end=2 * np.pi, closed=True)
        pair = self._curve(item.ends[0], ellipse), self._curve(item.ends[1], lw.Curve.polar(r))
        return lw.CamFollower(item.name, *pair, estimate=(self._estimate(item, "alpha_i"), self._estimate(item, "alpha_j")))

    def _camflat(self, item: Item) -> Any:
        a, b = (self.of(item, n) for n in "ab")
        outline = lw.Curve.polar(lambda u: a + b * lw.cos(2 * u))
        face = self.point(item.ends[1])
        return lw.CamFlat(item.name, self._curve(item.ends[0], outline), face, estimate=self._estimate(item, "alpha"))

    def _pointfollower(self, item: Item) -> Any:
        a, b = self.of(item, "a"), self.number(-item.value("b") if self.sketch.is_mirrored else item.value("b"))
        c = self.of(item, "c") if self.n == 3 else 0.0
        height = (lambda u: c * u * u,) if self.n == 3 else ()
        slot = lw.Curve.parametric(lambda u: a * u, lambda u: b * lw.sin(2 * u), *height, start=-3, end=3)
        pin = self.point(item.ends[1], False)
        return lw.PointFollower(item.name, pin, self._curve(item.ends[0], slot), estimate=self.of(item, "alpha"))

    def _coupler(self, item: Item) -> Any:
        terms = {}
        for k, (joint, channel) in enumerate(zip(item.of, item.words["channels"], strict=True)):
            terms[self.model[joint].coordinate(channel)] = self.number(self.sense(joint, channel) * item.value(f"f{k}"))
        return lw.Coupler(item.name, terms, value=None)

    # -- the basic constraints
    def vector(self, end: tuple[str, Place]) -> Any:
        return self.body(end[0]).vector(*self.numbers(self.direction(end)[: self.n]))

    def _dp1(self, item: Item) -> Any:
        return lw.DP1(item.name, *map(self.vector, item.ends), f=self.of(item, "f"))

    def _dp2(self, item: Item) -> Any:
        u, P, Q = self.vector(item.ends[0]), *[self.point(end, False) for end in item.ends]
        return lw.DP2(item.name, u, P, Q, f=self.of(item, "f"))

    def _d(self, item: Item) -> Any:
        return lw.D(item.name, *[self.point(end, False) for end in item.ends], self.of(item, "f"))

    def _cd(self, item: Item) -> Any:
        c = self.numbers(self.direction(item.ends[2])[: self.n])
        return lw.CD(item.name, c, *[self.point(end, False) for end in item.ends[:2]], f=self.of(item, "f"))

    def _constraint(self, item: Item) -> Any:
        return lw.Constraint(item.name, lw.dot(*map(self.vector, item.ends)), self.of(item, "f"))

    # -- drivers and forces
    def _driver(self, item: Item) -> Any:
        s, sign = self.along(item)
        c = [sign * item.value(f"c{k}") for k in range(3)]
        if item.words["motion"] == "polynomial":
            return lw.Driver(item.name, s, lw.Polynomial(self.numbers(c)))
        # c0 + c1 sin(w t)/w: a text, a law, or a named motion
        a, w = self.number(c[1] / item.value("w")), self.of(item, "w")
        if item.words["motion"] == "harmonic":
            return lw.Driver(item.name, s, lw.Harmonic(a, w, offset=self.number(c[0])))
        start = self.number(c[0])
        if "duration" in item.numbers:
            rise = lw.Cycloid if item.words["motion"] == "cycloid" else lw.ModifiedSine
            height, offset = a, self.number(c[0])
            return lw.Driver(item.name, s, rise(height, self.of(item, "duration"), self.of(item, "start"), offset))
        shape = lw.Table(KNOTS, item.words["values"]) if item.words["motion"] == "table" else lw.sin
        return lw.Driver(item.name, s, lambda t: start + a * shape(w * t))

    def _spring(self, item: Item) -> Any:
        ends = [self.point(end, False) for end in item.ends]
        if item.name in self.sketch.swapped:
            ends.reverse()
        k, length, c = (self.of(item, n) for n in ("k", "length", "c"))
        if item.words["law"] == "plain":
            return lw.Spring(item.name, *ends, k=k, length=length, c=c)
        a, w = self.of(item, "a"), self.of(item, "w")
        hard = lambda s: k * (1 + (s / length) ** 2)  # noqa: E731
        return lw.Spring(item.name, *ends, k=hard, length=length, c=c, force=lambda s, v, t: a * lw.cos(w * t))

    def _torsionspring(self, item: Item) -> Any:
        s, sign = self.along(item)
        angle = self.number(sign * item.value("angle"))
        return lw.TorsionSpring(item.name, s, k=self.of(item, "k"), angle=angle, c=self.of(item, "c"))

    def _force(self, item: Item) -> Any:
        s, sign = self.along(item)
        a, w, c, k = (self.of(item, n) for n in ("a", "w", "c", "k"))
        return lw.Force(item.name, s, lambda s, v, t: sign * a * lw.sin(w * t + 1) - c * v - k * s)

    def _plainforce(self, item: Item) -> Any:
        """As a force, by a law that cannot be traced."""
        s, sign = self.along(item)
        a, w, c, k = (item.value(n) for n in ("a", "w", "c", "k"))
        return lw.Force(item.name, s, lambda s, v, t: sign * a * math.sin(w * t + 1) - c * v - k * s)

    def _node(self, item: Item) -> None:
        """Its body is a point."""

    def _pointforce(self, item: Item) -> Any:
        body = item.words["frame"] == "body"
        u = self.direction(item.ends[1]) if body else item.ends[1][1].R[:, 0]
        F = [self.number(item.value("a") * x) for x in u[: self.n]]
        w = self.of(item, "w")
        if item.words["law"] == "time":
            F = [(lambda t, f=f: f * lw.cos(w * t)) if not isinstance(f, float) else f for f in F]
        return lw.PointForce(item.name, self.point(item.ends[0], False), tuple(F), frame=item.words["frame"])

    def _torque(self, item: Item) -> Any:
        body = item.words["frame"] == "body"
        axial = -1.0 if self.sketch.is_mirrored else 1.0
        if self.n == 2:
            return lw.Torque(item.name, self.body(item.ends[0][0]), self.number(axial * item.value("a")))
        u = axial * (self.direction(item.ends[1]) if body else item.ends[1][1].R[:, 0])
        n = tuple(self.number(item.value("a") * x) for x in u)
        return lw.Torque(item.name, self.body(item.ends[0][0]), n, frame=item.words["frame"])

    def _bushing(self, item: Item) -> Any:
        if self.n == 3 and "form" in item.words:
            k, c = (self._symmetric(rare.matrix(item, name, self.sketch.is_mirrored)) for name in "kc")
            return lw.Bushing(item.name, *self.points(item), k=k, c=c, form=item.words["form"])
        size = 3 if self.n == 2 else 6
        k, c = ([self.of(item, f"{name}{i}") for i in range(size)] for name in "kc")
        return lw.Bushing(item.name, *self.points(item), k=k, c=c)

    def _friction(self, item: Item) -> Any:
        return lw.Friction(item.name, self.model[item.of[0]], **{n: self.of(item, n) for n in item.numbers}, stick=False)

    def _impact(self, item: Item) -> Any:
        return self._contact(item)

    def _contact(self, item: Item) -> Any:
        P, Q = item.ends
        plane = item.words["on"] == "plane"
        if plane and self.n == 2 and self.sketch.is_mirrored:  # the normal is to the left of the direction
            Q = (Q[0], Q[1] @ Place.of((0, 0, np.pi)))
        radii = [self.of(item, "Ri"), self.of(item, "Rj")]
        ends = [self.point(P, False), self.point(Q, plane)]
        if item.name in self.sketch.swapped and not plane:
            ends, radii = ends[::-1], radii[::-1]
        law = self.given(item, "k", "c", "restitution", "mu", "transition")
        return lw.Contact(item.name, *ends, radii=tuple(radii), **law, **item.words)

    def _inertia(self, item: Item) -> Any:
        s, _ = self.along(item)
        return lw.Inertia(item.name, s, self.of(item, "J"))

    def _attraction(self, item: Item) -> Any:
        ends = [self.point(end, False) for end in item.ends]
        if item.name in self.sketch.swapped:
            ends.reverse()
        return lw.Attraction(item.name, *ends, self.of(item, "strength"))

    def _stop(self, item: Item) -> Any:
        s, sign = self.along(item)
        bounds = sorted(sign * item.value(n) for n in ("lower", "upper"))
        lower, upper = self.numbers(bounds)
        law = {n: self.of(item, n) for n in ("k", "c", "restitution") if n in item.numbers}
        return lw.Stop(item.name, s, lower=lower, upper=upper, **law)

    def _bumper(self, item: Item) -> Any:
        return self._stop(item)

    def _tyre(self, item: Item) -> Any:
        return lw.Tyre(item.name, self.point(item.ends[0]), **{n: self.of(item, n) for n in item.numbers})

    def _tableforce(self, item: Item) -> Any:
        s, sign = self.along(item)
        a, unit, start = (self.of(item, n) for n in ("a", "unit", "start"))
        table = lw.Table(KNOTS, item.words["values"])
        return lw.Force(item.name, s, lambda s, v, t: sign * a * table((sign * s - start) / unit))

    def _fix(self, item: Item) -> None:
        s, sign = self.along(item)
        self.model.fix(s, self.number(sign * item.value("value")))
        self.model.fix(lw.rate(s), self.number(sign * item.value("rate")))
