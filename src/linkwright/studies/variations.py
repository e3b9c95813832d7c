"""What a study varies: parameters by name, estimates of the start by a body's channel, such as "crank.omega", and where a
state begins, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from linkwright.errors import ModelError
from linkwright.graph import evaluate
from linkwright.model import Model
from linkwright.model.changes import Put
from linkwright.model.drives import State
from linkwright.model.names import suggestion

_LINEAR = {"x": 0, "y": 1, "z": 2}


def check_names(model: Model, names: Any) -> None:
    """ModelError for a name that cannot be varied."""
    for name in names:
        if not isinstance(name, str) or (name not in model.parameters and _setter(model, name) is None):
            known = [*model.parameters, *_estimates(model), *_states(model)]
            raise ModelError(
                f"there is nothing called {name!r} that could vary", element=str(name),
                remedy=suggestion(str(name), known) or "give parameters, or a body's start, such as 'crank.omega'",
            )  # fmt: skip


def vary(model: Model, values: Mapping[str, float]) -> None:
    """Give a model these values; where they make no sense ModelError says so, and the model is left as it was."""
    model.set(**{n: x for n, x in values.items() if n in model.parameters})
    for name, value in values.items():
        if name not in model.parameters and (setter := _setter(model, name)) is not None:
            setter(value)


def takes(model: Model, values: Mapping[str, float]) -> bool:
    """Whether these values make sense."""
    try:
        vary(model.copy(), values)
    except ModelError:
        return False
    return True


def present(model: Model, name: str) -> float:
    """The value that it has in the model."""
    if name in model.parameters:
        return float(model.parameters[name])
    if name in _states(model):
        return float(model.value(model.states[name]))
    owner, _, channel = name.rpartition(".")
    body = model.bodies[owner]
    e, k = body.estimate, _LINEAR.get(channel[-1], 0)
    of = {"x": e.position, "y": e.position, "z": e.position, "angle": e.rotation, "omega": e.omega}
    found = of.get(channel, e.velocity if channel[0] == "v" else e.omega)
    own = found[k] if isinstance(found, tuple) else found
    return float(evaluate([model.fixed.get(body.coordinate(channel), own)], model.parameter_values())[0])


def _estimates(model: Model) -> list[str]:
    channels = ("x", "y", "angle", "vx", "vy", "omega")
    if model.dimension == 3:
        channels = ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")  # type: ignore[assignment]
    return [f"{name}.{c}" for name, body in model.bodies.items() if not body.is_ground for c in channels]


def _states(model: Model) -> list[str]:
    """Those of `m.state`; the currents of motors and the like begin at zero."""
    return [name for name, element in model.elements.items() if isinstance(element, State)]


def _setter(model: Model, name: str) -> Callable[[float], None] | None:
    """What gives an estimate its value: where it was made exact (`m.fix`), the exact one; or a state its start."""
    if name in _states(model):
        return lambda value: Put(name, "start", value).make(model)
    if name not in _estimates(model):
        return None
    owner, _, channel = name.rpartition(".")
    body = model.bodies[owner]
    quantity = body.coordinate(channel)
    if quantity in model.fixed:
        return lambda value: model.fix(quantity, value)

    def set_estimate(value: float) -> None:
        e = body.estimate
        if channel in _LINEAR:
            e = replace(e, position=_put(e.position, _LINEAR[channel], value))
        elif channel == "angle":
            e = replace(e, rotation=value)
        elif channel == "omega":
            e = replace(e, omega=value)
        elif channel[0] == "v":
            e = replace(e, velocity=_put(e.velocity, _LINEAR[channel[1]], value))
        else:
            e = replace(e, omega=_put(e.omega, _LINEAR[channel[1]], value))
        body.estimate = e

    return set_estimate


def _put(values: Any, k: int, value: float) -> tuple[Any, ...]:
    return (*values[:k], value, *values[k + 1 :])
