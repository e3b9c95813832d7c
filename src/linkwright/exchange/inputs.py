"""What another program sets while it runs: parameters, forces, motors, and the motions of drivers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from linkwright import model as lw
from linkwright.errors import ModelError
from linkwright.graph import Expr, along, evaluate
from linkwright.model import TIME
from linkwright.model.values import parameter_name
from linkwright.words import an, suggestion

LAWS = {lw.Force: "law", lw.Motor: "voltage", lw.Torque: "torque", lw.Spring: "force", lw.TorsionSpring: "torque"}
RATES = ("", ".rate", ".acceleration")


@dataclass(frozen=True)
class Input:
    """name: as the user calls it; parameter: what it is in the equations; clock: of a driver, the parameter that tells when
    the input was given."""

    name: str
    parameter: str
    clock: str = ""


def made(model: lw.Model, names: Sequence[str]) -> list[Input]:
    """The inputs of these names; elements of the model get parameters as their laws."""
    return [x for name in names for x in _made(model, name)]


def _made(model: lw.Model, name: str) -> Iterator[Input]:
    if name in model.parameters:
        yield Input(name, name)
        return
    if name not in model.elements:
        takers = (n for n, e in model.elements.items() if type(e) in LAWS or isinstance(e, lw.Driver))
        raise ModelError(f"there is no input {name!r}", element=name, remedy=suggestion(name, [*model.parameters, *takers]))
    element = model.elements[name]
    if isinstance(element, lw.Driver):
        yield from _driven(model, element)
        return
    if type(element) not in LAWS or isinstance(getattr(element, LAWS[type(element)]), tuple):
        raise ModelError(
            f"{an(type(element).__name__)} takes no input", element=name,
            remedy="inputs are parameters, forces along one quantity, motors and drivers: use a parameter in its law",
        )  # fmt: skip
    parameter = _parameter(model, name, 0.0)
    _change(model, element, LAWS[type(element)], parameter)
    yield Input(name, parameter_name(parameter))


def _driven(model: lw.Model, element: lw.Driver) -> Iterator[Input]:
    """The motion u + w (t - T) + a (t - T)^2 / 2 of three inputs that were given at T: a constraint needs its rate and its
    acceleration, and both agree with the value until the inputs are given anew."""
    f = model.trace(element.motion, {"t": TIME})
    rate = along([f], {TIME: 1.0})
    start = evaluate([f, *rate, *along(rate, {TIME: 1.0})], {**model.parameter_values(), TIME: 0.0})
    words = ("", "_rate", "_acceleration")
    u, w, a = (_parameter(model, element.name, float(x), word) for x, word in zip(start, words, strict=True))
    T = _parameter(model, element.name, 0.0, "_time")
    since = TIME - T
    _change(model, element, "motion", u + since * (w + since * (0.5 * a)))
    for word, x in zip(RATES, (u, w, a), strict=True):
        yield Input(element.name + word, parameter_name(x), parameter_name(T))


def _parameter(model: lw.Model, name: str, value: float, word: str = "") -> Expr:
    free = own = "input_" + re.sub(r"\W", "_", name) + word
    number = 2
    while free in model:
        free, number = f"{own}_{number}", number + 1
    return model.parameter(free, value)


def _change(model: lw.Model, element: Any, field: str, value: Expr) -> None:
    changed: Any = {field: value}
    new = replace(element, **changed)
    model._elements[element.name] = new
    new.settle(model)
