"""The drawing of a machine with its numbers as functions of parameters, where they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import model as m
from linkwright.analyses.machine.machine import Machine
from linkwright.compile import Function
from linkwright.graph import Expr, Scalar, free_symbols, substitute
from linkwright.live.bundle import Bundle
from linkwright.model import Model
from linkwright.model.curves import ALPHA
from linkwright.results import Result
from linkwright.system import slipping, touch
from linkwright.view.arrows import arrows, known_places, torques
from linkwright.view.drawing import Pen


class Traced(float):
    """A number that knows what it follows from, and so do sums and products with it."""

    of: Scalar

    def __new__(cls, value: float, of: Scalar) -> Traced:
        out = super().__new__(cls, value)
        out.of = of
        return out

    def __neg__(self) -> Traced:
        return Traced(-float(self), -self.of)

    def __add__(self, x: Any) -> Any:
        return Traced(float(self) + float(x), self.of + known(x)) if isinstance(x, int | float) else NotImplemented

    def __sub__(self, x: Any) -> Any:
        return self + -x

    def __rsub__(self, x: Any) -> Any:
        return -self + x

    def __mul__(self, x: Any) -> Any:
        return Traced(float(self) * float(x), self.of * known(x)) if isinstance(x, int | float) else NotImplemented

    def __truediv__(self, x: Any) -> Any:
        return Traced(float(self) / float(x), self.of / known(x)) if isinstance(x, int | float) else NotImplemented

    __radd__, __rmul__ = __add__, __mul__


def known(x: float) -> Scalar:
    return x.of if isinstance(x, Traced) else float(x)


class TracingPen(Pen):
    def value(self, x: Scalar) -> float:
        number = super().value(x)
        return Traced(number, x) if type(x) is Expr and free_symbols([x]) else number

    def along_curve(self, functions: list[Scalar], alpha: np.ndarray) -> list[list[float]]:
        places = super().along_curve(functions, alpha)
        for k, f in enumerate(functions):
            if set(free_symbols([f])) - {ALPHA}:
                for place, a in zip(places, alpha, strict=True):
                    place[k] = Traced(place[k], substitute([f], {ALPHA: float(a)})[0])
        return places


def tracing(model: Model) -> TracingPen:
    """Draws numbers that know what they follow from."""
    return TracingPen(model, model.parameters)


def traced(parts: dict[str, Any]) -> list[tuple[list[Any], Scalar]]:
    """The places of numbers that follow from parameters, with their expressions."""
    found: list[tuple[list[Any], Scalar]] = []
    _search(parts, [], found)
    return found


def told_forces(result: Result, drawing: dict[str, Any], touches: Touches) -> dict[str, list[dict[str, Any]]]:
    """All arrows of forces and torques, also those that are nothing here. Of a joint's its number among the joints, of a
    contact's that among what touches, by which the script finds where it acts."""
    known = known_places(result)
    joints = {name: k for k, name in enumerate(getattr(result, "places", {}))}

    def plain(a: dict[str, Any]) -> dict[str, Any]:
        out = {k: x for k, x in a.items() if k != "points"}
        return {**out, "joint": joints[a["element"]]} if a["element"] in joints and "names" in a else out

    pressing = touches.arrows(lambda channel: channel in result)
    told = {a["element"] for a in pressing}
    return {
        "arrows": [*[plain(a) for a in arrows(result, drawing, known) if a["element"] not in told], *pressing],
        "torques": [plain(a) for a in torques(result, drawing, known, every=True)],
    }


def _search(part: Any, path: list[Any], found: list[tuple[list[Any], Scalar]]) -> None:
    if isinstance(part, Traced):
        found.append((path, part.of))
    elif isinstance(part, dict | list):
        for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
            _search(inner, [*path, key], found)


def function(model: Model, name: str, b: Any, numbers: list[Scalar]) -> Function:
    """Numbers of the constants b."""
    return Function(f"{model.name}: {name}", {"b": b}, {"numbers": numbers})


# Where bodies press on each other in a page, and which way: places, normals and directions of friction of all contacts.


@dataclass(frozen=True, eq=False)
class Touches:
    """The pairs of what may touch, of every contact, in the order of the elements."""

    machine: Machine

    @cached_property
    def pairs(self) -> list[tuple[m.Contact, touch.Pair]]:
        g = self.machine.geometry
        contacts = [e for e in g.model.elements.values() if isinstance(e, m.Contact)]
        return [(e, pair) for e in contacts for pair in touch.pairs(g, e)]

    def arrows(self, known: Callable[[str], bool]) -> list[dict[str, Any]]:
        """One of each pair: the force on the body of P, pressing and rubbing."""
        out = []
        for k, (e, pair) in enumerate(self.pairs):
            end = f"_{pair.part}" if pair.part else ""
            rubbing = [f"{e.name}.{c}{end}" for c in slipping.channels(self.machine.geometry)]
            if known(f"{e.name}.force{end}"):
                out.append({
                    "element": e.name, "applied": True, "touch": k,
                    "sizes": [f"{e.name}.force{end}", *(c for c in rubbing if known(c))],
                })  # fmt: skip
        return out

    def put_into(self, bundle: Bundle) -> None:
        """Of each pair the place and the unit vectors of its channels, ground axes."""
        if not self.pairs:
            return
        g, found = self.machine.geometry, list[Scalar]()
        for e, pair in self.pairs:
            rubbing = slipping.directions(g, e, pair)
            for vector in (pair.place, pair.normal, *rubbing):
                found += list(vector)
        inputs = {name: self.machine.system.inputs[name] for name in ("q", "t", "b")}
        bundle.add("touching", Function(f"{g.model.name}: touching", inputs, {"values": found}))
