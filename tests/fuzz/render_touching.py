"""The elements of `touching_drawn` as those of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

import linkwright as lw
from fuzz import rare
from fuzz.places import Place
from fuzz.sketch import Item
from fuzz.touching import words


class Touching:
    """What `render` needs of them: a method for each kind."""

    sketch: Any
    model: Any
    n: int
    of: Any
    number: Any
    numbers: Any
    point: Any
    body: Any
    local: Any
    along: Any

    def given(self, item: Item, *names: str) -> dict[str, Any]:
        return {n: self.of(item, n) for n in names if n in item.numbers}

    def _dryfriction(self, item: Item) -> Any:
        return lw.Friction(item.name, self.model[item.of[0]], **self.given(item, *item.numbers))

    def _plane(self, end: tuple[str, Place]) -> Any:
        if self.n == 2 and self.sketch.is_mirrored:  # the normal is to the left of the direction
            end = (end[0], end[1] @ Place.of((0, 0, np.pi)))
        return self.point(end)

    def _rubbing(self, item: Item) -> Any:
        P, Q = item.ends
        law = self.given(item, "mu", "mu_static", "restitution")
        return lw.Contact(item.name, self.point(P, False), self._plane(Q), radii=(self.of(item, "Ri"), 0.0), **law)

    def _shapes(self, item: Item) -> Any:
        sides = []
        for k, (body, place) in enumerate(item.ends):
            own, shape = self.local(body, place), self._numbered(words(item, k, self.sketch.is_mirrored))
            shape["at"] = self.numbers(own.r[: self.n])
            if self.n == 2:
                shape["angle"] = self.number(own.angle)
            elif "capsule" in shape:
                shape["axis"] = self.numbers(own.R[:, 0])
            sides.append(self.body(body).surface(shape))
        if item.name in self.sketch.swapped:
            sides.reverse()
        return lw.Contact(item.name, *sides, **self.given(item, "k", "c", "mu", "restitution"))

    def _numbered(self, shape: dict[str, Any]) -> dict[str, Any]:
        def inside(x: Any) -> Any:
            return [inside(y) for y in x] if isinstance(x, list | tuple) else self.number(x)

        return {word: inside(x) for word, x in shape.items()}

    def _rope(self, item: Item) -> Any:
        sense = -1.0 if self.sketch.is_mirrored else 1.0
        radii = [self.number(sense * R) for R in rare.radii(item)]
        points = [self.point(end, bool(R)) for end, R in zip(item.ends, rare.radii(item), strict=True)]
        return lw.Rope(item.name, points, radii=radii, **self.given(item, "k", "c", "length"))

    def _belt(self, item: Item) -> Any:
        radii = self.of(item, "Ri"), self.of(item, "Rj")
        ends = [self.point(end) for end in item.ends]
        more = self.given(item, "k", "c", "pretension")
        return lw.Belt(item.name, *ends, radii=radii, crossed=item.words["crossed"], **more)

    def _wheel(self, item: Item) -> Any:
        return lw.Tyre(item.name, self.point(item.ends[0]), **self.given(item, *item.numbers))

    def _motor(self, item: Item) -> Any:
        s, sign = self.along(item)
        voltage = self.number(sign * item.value("voltage"))
        law = self.given(item, "k", "resistance", "ratio", "inductance", "rotor")
        return lw.Motor(item.name, s, voltage=voltage, **law)

    def _pid(self, item: Item) -> Any:
        s, sign = self.along(item)
        offset, a = (self.number(sign * item.value(n)) for n in ("offset", "a"))
        w, law = self.of(item, "w"), self.given(item, "kp", "ki", "kd")
        if "most" in item.numbers:
            law["limits"] = (self.number(-item.value("most")), self.of(item, "most"))
        return lw.PID(item.name, s, lambda t: offset + a * lw.sin(w * t), **law)

    def _maxwell(self, item: Item) -> Any:
        s, sign = self.along(item)
        k, tau = self.of(item, "k"), self.of(item, "tau")
        z = self.model.state(f"{item.name}z", lambda z, t: k * sign * lw.rate(s) - z / tau, start=self.of(item, "z"))
        return lw.Force(item.name, s, lambda s, v, t: -sign * z)

    def _skate(self, item: Item) -> Any:
        body, place = item.ends[0]
        angle, P = self.number(self.local(body, place).angle), self.point(item.ends[0], False)
        x, y = (lw.rate(lw.component(P, c)) for c in "xy")
        turned = self.body(body).angle + angle
        return lw.Constraint(item.name, -lw.sin(turned) * x + lw.cos(turned) * y, 0.0)

    def _rolling(self, item: Item) -> Any:
        wheel, plane = self.point(item.ends[0], self.n == 3), self._plane(item.ends[1])
        return lw.Rolling(item.name, wheel, plane, radius=self.of(item, "radius"), ball=item.words["ball"])
