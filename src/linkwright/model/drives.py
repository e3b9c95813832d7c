"""States (quantities with first-order equations of their own), motors, controllers, inertia along a quantity, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.model.elements import Element
from linkwright.model.fields import AnyMotion, LawKind, NonNegative, NonZero, Number, NumbersKind, Position, Positive, Real
from linkwright.model.quantities import StateValue

if TYPE_CHECKING:
    from linkwright.model.model import Model


def _is_some(number: Any) -> bool:
    return type(number) is Expr or number != 0


@dataclass(frozen=True, eq=False, repr=False)
class State(Element):
    """A quantity z with zdot = rate(z, t), other quantities as they are; z = start when the motion begins.

    Made by `model.state(name, rate, start)`, which gives z to be used in laws, events and other states.
    """

    rate: Annotated[Any, LawKind(arguments=("z", "t"))]
    start: Number = 0.0

    beginning = ("start",)

    def value(self, model: Model) -> Expr:
        """z, as a quantity of the model."""
        return model.quantity(StateValue(self.name))

    @property
    def states(self) -> Mapping[str, Scalar]:
        return {self.name: self.start}


def refuse_states(model: Model, value: Scalar, what: str) -> None:
    """ModelError if an expression holds a state where none may stand."""
    names = model.states_in(value)
    if names:
        raise ModelError(
            f"{what} cannot hold the state {', '.join(names)}", remedy="give positions or velocities of the machine"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Motor(Element):
    """A direct-current motor along a joint's coordinate or another quantity s: effort ratio k i, with the current i of
    inductance di/dt = voltage - resistance i - k ratio sdot; without inductance i is what balances it.

    `voltage` [V] is a law of (s, v, t); `k` [N m/A = V s/rad]; `ratio`: turns of the rotor for one of s; `rotor` [kg m^2]:
    its inertia, which acts as rotor ratio^2 along s. Channels: torque or force, current, power (electrical).
    """

    quantity: Position
    voltage: Annotated[Any, LawKind(arguments=("s", "v", "t"))]
    k: Positive
    resistance: Positive
    inductance: NonNegative = 0.0
    ratio: NonZero = 1.0
    rotor: NonNegative = 0.0

    @property
    def states(self) -> Mapping[str, Scalar]:
        return {f"{self.name}.current": 0.0} if _is_some(self.inductance) else {}

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if type(self.inductance) is Expr and model.value(values["inductance"]) == 0:
            raise ModelError(
                "its inductance is a parameter whose value is zero", remedy="leave inductance= out, or give a positive value"
            )


@dataclass(frozen=True, eq=False, repr=False)
class PID(Element):
    """A controller along a joint's coordinate or another quantity s: effort kp e + ki (integral of e) + kd edot, with the
    error e = target - s, kept within `limits` (low, high).

    The integral does not wind up: it stands still while the effort is at a limit and the error would drive it further.
    Channels: error, integral, torque or force.
    """

    quantity: Position
    target: AnyMotion
    kp: Number = 0.0
    ki: Number = 0.0
    kd: Number = 0.0
    limits: Annotated[tuple[Real, ...] | None, NumbersKind(size=2, optional=True)] = None

    @property
    def states(self) -> Mapping[str, Scalar]:
        return {f"{self.name}.integral": 0.0} if _is_some(self.ki) else {}

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        limits = values.get("limits")
        if limits is not None and model.value(limits[0]) >= model.value(limits[1]):
            raise ModelError("its limits leave nothing between them", remedy="give (low, high)")
        if not any(map(_is_some, (self.kp, self.ki, self.kd))):
            raise ModelError("it does nothing: kp, ki and kd are zero", remedy="give at least one of them")


@dataclass(frozen=True, eq=False, repr=False)
class Inertia(Element):
    """Inertia along a joint's coordinate or another quantity s: kinetic energy J sdot^2 / 2. A rotor behind a gearbox, a
    flywheel on a joint, the mass of a rack. J [kg m^2] along an angle, [kg] along a length."""

    quantity: Position
    J: Positive
