"""From what a user gave (number, expression, text, table, Python function) to an expression."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linkwright.bounds import REMEDY, trouble
from linkwright.errors import LinkwrightError, ModelError
from linkwright.graph import Expr, Scalar, topological
from linkwright.model import dimensions, grammar, quantities
from linkwright.model.points import Point, Vector
from linkwright.model.values import TIME, as_scalar, parameter_symbol

if TYPE_CHECKING:
    from linkwright.model.named import Named

# What a formula may call to make quantities, besides bodies, which make points.
QUANTITIES = ("distance", "dot", "angle", "rate", "vector")


class Scope:
    """The names a formula of a model may use: t, parameters, quantities, points, and the arguments of its law."""

    def __init__(self, model: Named, arguments: Mapping[str, Scalar]) -> None:
        self.model, self.arguments = model, arguments

    def value(self, name: str) -> Any:
        model = self.model
        if name in self.arguments:
            if name in model.parameters:
                raise ModelError(
                    f"{name!r} is both a parameter of the model and an argument of this law",
                    remedy="rename the parameter, or give the law as a Python function",
                )
            return self.arguments[name]
        if name == "t":
            return TIME
        if name in model.parameters:
            return parameter_symbol(name)
        if name in model.bodies:
            return model.bodies[name]
        if name in model.states:
            return model.quantity(quantities.StateValue(name))
        owner, dot, channel = name.rpartition(".")
        found: Any = (model.bodies.get(owner) or model.elements.get(owner)) if dot else None
        if found is not None and channel in found.channels:
            return found.coordinate(channel)
        if found is not None and channel in found.rates:
            return found.speed(channel)
        raise KeyError(name)

    def function(self, name: str) -> Callable[..., Any] | None:
        if name in self.model.bodies:
            return self.model.bodies[name].at
        functions: dict[str, Callable[..., Any]] = {
            "distance": quantities.distance,
            "dot": quantities.dot,
            "angle": quantities.angle,
            "rate": self.rate,
            "vector": self.vector,
        }
        return functions.get(name)

    def dimension(self, name: str) -> dimensions.Known:
        if name == "t":
            return dimensions.TIME
        return None if name in self.arguments else self.model.said_units.get(name)

    def rate(self, of: Expr) -> Expr:
        quantities.rate(of)
        return self.model.quantity(quantities.Rate(of))

    @staticmethod
    def vector(body: Any, *components: Scalar) -> Vector:
        if not hasattr(body, "vector"):
            raise ModelError("vector() needs a body first", remedy="write vector(crank, 1, 0)")
        made: Vector = body.vector(*components)
        return made

    def member(self, value: Any, name: str) -> Any:
        if not isinstance(value, Point):
            raise KeyError(name)
        return quantities.component(value, name)

    def known(self) -> list[str]:
        model = self.model
        owners: list[Any] = [*model.bodies.values(), *model.elements.values()]
        return [
            *self.arguments, "t", *model.parameters, *model.bodies, *model.states,
            *(f"{o.name}.{c}" for o in owners for c in o.channels),
            *(f"{o.name}.{c}" for o in owners for c in o.rates), *QUANTITIES,
        ]  # fmt: skip


def trace(value: Any, arguments: Mapping[str, Scalar], model: Named, takes: str = "", what: str = "it") -> Scalar:
    """The expression of a value; a Python function is called with the arguments, a text may use their names; `takes`: the
    units that a text may have, where they are known.

    TraceError where a function cannot be traced, ModelError for whatever else is wrong.
    """
    if isinstance(value, str):
        result: Scalar = grammar.read_scalar(value, Scope(model, arguments), takes=takes, what=what)
        return result
    if callable(value):
        value = call(value, list(arguments), list(arguments.values()))
    return _bounded(as_scalar(value, "the result"))


def _bounded(value: Scalar) -> Scalar:
    """The expression, whose constants can be calculated with."""
    for n in topological([value]):
        if n.op == "const" and (wrong := trouble(n.data)):
            raise ModelError(f"a number in it {wrong}", remedy=REMEDY)
    return value


def call(function: Callable[..., Any], names: Sequence[str], values: Sequence[Any]) -> Any:
    """The function at the values of those of these arguments that it takes."""
    wanted = [values[k] for k in taken(function, names)]
    try:
        return function(*wanted)
    except LinkwrightError:
        raise
    except Exception as error:
        raise ModelError(
            f"the function raised {type(error).__name__}: {error}",
            remedy="it is called with traced scalars: use sin, cos, where, ... of linkwright in it",
        ) from error


def taken(function: Callable[..., Any], names: Sequence[str]) -> list[int]:
    """Which of these arguments a function takes, in its order; one with fewer parameters takes the first ones only, but a
    parameter that has the name of an argument takes that one: `lambda t: ...` is a law of time wherever it stands."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions do not say
        parameters = inspect.signature(lambda *a: None).parameters.values()
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in places)
    if required > len(names) or any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
        raise ModelError(
            f"the function takes {required} arguments, but this is called with ({', '.join(names)})",
            remedy=f"write it as a function of {', '.join(names)}",
        )
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return list(range(len(names)))
    n = required or min(len(places), 1)  # what has a default keeps it
    return _by_name([p.name for p in places[:n]], names)


def _by_name(wanted: Sequence[str], names: Sequence[str]) -> list[int]:
    """Which arguments go to these parameters: those that have the name of one, then the others in their order."""
    others = iter([k for k, name in enumerate(names) if name not in wanted])
    return [names.index(name) if name in names else next(others) for name in wanted]
