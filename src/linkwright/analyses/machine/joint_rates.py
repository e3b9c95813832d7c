"""Speeds and accelerations of joints as channels: A.omega, A.alpha, guide.velocity, guide.acceleration.

They follow from the motion of the two bodies, which a result has. Each is computed when it is read: a run takes no longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.graph import Expr, evaluate, symbols
from linkwright.model import TIME, Body, Element, Model
from linkwright.model.quantities import ACCELERATIONS, POSITIONS, VELOCITIES
from linkwright.model.values import parameter_symbol
from linkwright.system.coordinates import Coordinates
from linkwright.system.geometry import Geometry
from linkwright.system.looped import shapes
from linkwright.system.quantities import differentiated, resolve

Places = Mapping[str, tuple[Element, str, int]]


def rate_places(elements: Iterable[Element], orders: int = 2) -> Places:
    """The element of each channel, its coordinate, and how often that is differentiated: once, if no accelerations are
    known."""
    return {
        f"{e.name}.{name}": (e, coordinate, order)
        for e in elements
        for name, (coordinate, order) in e.rates.items()
        if order <= orders
    }


class JointRates(Mapping[str, np.ndarray]):
    """Speeds and accelerations of joints by channel; `channels` are those of the bodies."""

    def __init__(
        self, model: Model, t: np.ndarray, channels: Mapping[str, np.ndarray], places: Places,
        constants: Mapping[Expr, float] | None = None,
    ) -> None:  # fmt: skip
        """constants: values of the parameters, by default those the model has: it may get others later."""
        self._model, self._t, self._channels, self._places = model, t, channels, places
        self._constants = model.parameter_values() if constants is None else constants
        self._found: dict[str, np.ndarray] = {}
        self._traced: dict[object, Traced] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._found:
            self._found[name] = self._read(*self._places[name])
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def _read(self, element: Element, coordinate: str, order: int) -> np.ndarray:
        """The rates by the geometry of the two bodies alone, whatever the machine; numpy needs nothing compiled for it."""
        shape, scalars, bodies = shapes.scalars(self._model, element)
        key = shape, coordinate, order
        if key not in self._traced:
            self._traced[key] = Traced(element, coordinate, order, bodies, [self._model.value(x) for x in scalars])
        traced = self._traced[key]
        numbers = evaluate(scalars, self._constants)
        (values,) = evaluate([traced.value], {TIME: self._t, **traced.known(numbers, bodies, self._channels)})
        return np.array(np.broadcast_to(np.asarray(values, dtype=float), self._t.shape))


class Traced:
    """The rate of a coordinate of all joints of one shape: of the numbers of the joint and the motion of its bodies."""

    def __init__(self, element: Element, coordinate: str, order: int, bodies: list[Body], numbers: list[float]) -> None:
        one = shapes.Standin(bodies[0].model, bodies, numbers, [None] * len(numbers))
        made = one.element(element)
        self.numbers = [parameter_symbol(name) for name in one.own.parameters]
        self.coordinates = Coordinates.of(one.own)
        g = Geometry(one.own, self.coordinates)
        (self.value,) = differentiated(g, resolve(g, [made.coordinate(coordinate)]), order)
        self.turns = [reference for reference, _ in g.turns.values()]
        self.vdot = symbols("vdot", len(self.coordinates.v)) if order == 2 else ()

    def known(self, numbers: Sequence[Any], bodies: list[Body], channels: Mapping[str, np.ndarray]) -> dict[Expr, Any]:
        """What its symbols are for one of the joints."""
        n = self.coordinates.dimension
        out: dict[Expr, Any] = dict(zip(self.numbers, numbers, strict=True))
        out |= dict.fromkeys(self.turns, 0.0)  # whole turns have no rate
        for symbols_of, names in (
            (self.coordinates.q, POSITIONS), (self.coordinates.v, VELOCITIES), (self.vdot, ACCELERATIONS),
        ):  # fmt: skip
            if len(symbols_of):
                own = [channels[f"{b.name}.{c}"] for b in bodies for c in names[n]]
                out |= dict(zip(symbols_of, own, strict=True))
        return out
