"""Rates of states that have no value, or grow without bound: whose they are, and where that is."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.moving import MovingMachine
from linkwright.errors import IntegrationError, ModelError
from linkwright.model import Model

AHEAD = (0.0, 1e-12, 1e-9, 1e-6)  # [s] beyond the last state of a run: a law may end right behind it
UNBOUNDED = 1e6  # [1/s] of what a state is: where steps become too small, one that grows faster has no end
REMEDY = "check this law: a division by zero, a root or a logarithm of a negative number, an overflow"


def owner(model: Model, state: str) -> str:
    """The element that a state belongs to: itself, or a motor, a controller, a tyre."""
    return next((e.name for e in model.elements.values() if state in e.states), state)


@np.errstate(all="ignore")
def undefined(
    machine: MovingMachine, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None
) -> list[str]:  # fmt: skip
    """States whose rates are not finite."""
    names = list(filter(None, machine.state_names))
    found = machine.rates_of_states(q, v, t, machine.state_turns if turns is None else turns) if names else np.zeros(0)
    return [name for name, x in zip(names, found, strict=True) if not np.isfinite(x)]


def told(names: list[str]) -> str:
    several = len(names) > 1
    return f"the rate{'s' * several} of {' and '.join(names)} {'have' if several else 'has'} no finite value"


def check_rates(machine: MovingMachine, q: np.ndarray, v: np.ndarray, t: float) -> None:
    """ModelError where the machine stands; of what has no finite slope, too."""
    names = undefined(machine, q, v, t)
    if names:
        owners = [owner(machine.model, name) for name in names]
        raise ModelError(f"{told(names)} where the machine stands", element=owners, remedy=REMEDY)


@np.errstate(all="ignore")
def ended(machine: MovingMachine, t: float, y: np.ndarray, stuck: bool) -> IntegrationError | None:
    """Why a run cannot go on from its last state y = (q, v, turns, work), if rates of states are why."""
    places = {name: k for k, name in enumerate(machine.state_names) if name}
    if not places:
        return None
    q, v, turns = machine.split(y)
    own = list(places.values())
    now = machine.rates_of_states(q, v, t, turns)
    for ahead in AHEAD:
        dt, later = ahead * max(1.0, abs(t)), turns.copy()
        later[own] += dt * np.where(np.isfinite(now), now, 0.0)
        names = undefined(machine, machine.retract(q, dt * v), v, t + dt, later)
        if names:
            owners = [owner(machine.model, name) for name in names]
            return IntegrationError(f"{told(names)} near t = {t:.9g}", time=t, element=owners, remedy=REMEDY)
    speed = np.abs(now) / (1.0 + np.abs(turns[own]))
    worst = int(np.argmax(speed))
    if stuck and speed[worst] > UNBOUNDED:
        name = list(places)[worst]
        return IntegrationError(
            f"the state {name} grows without bound near t = {t:.9g}: its rate is {now[worst]:.3g}", time=t,
            element=owner(machine.model, name), remedy="check its rate, or end the run before",
        )  # fmt: skip
    return None
