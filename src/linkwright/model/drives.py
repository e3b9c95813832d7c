"""States (quantities with first-order equations of their own), motors, controllers, inertia along a quantity, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.model.elements import Element
from linkwright.model.fields import AnyMotion, LawKind, NonNegative, NonZero, Number, Position, Positive, Real
from linkwright.model.given import Law
from linkwright.model.plain_fields import NumbersKind
from linkwright.model.quantities import StateValue
from linkwright.model.tracing import call
from linkwright.model.values import TIME, exactly, is_sequence, is_some

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True, eq=False, repr=False)
class State(Element):
    """A state z, a quantity with a first-order equation of its own: zdot = rate(z, t).

    Made by `model.state(name, rate, start)`, which gives z to be used in laws, events and other states. Several names make
    states that depend on each other.

    Parameters
    ----------
    name : str
        Name of the state and of its channel; its rate is the channel NAME.rate.
    rate : law of z, t
        zdot; other quantities may occur in it.
    start : number or expression of parameters
        z when a motion begins.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> block = m.body("block", mass=1.0, inertia=1.0)
    >>> z = m.state("z", lambda z, t: -2 * z, start=1.0)
    >>> m["z"]
    State('z', rate=<lambda>, start=1)
    """

    rate: Annotated[Law, LawKind(arguments=("z", "t"))]
    start: Number = 0.0

    beginning = ("start",)

    def value(self, model: Model) -> Expr:
        """z, as a quantity of the model."""
        return model.quantity(StateValue(self.name))

    @property
    def states(self) -> Mapping[str, Scalar]:
        return {self.name: self.start}


def untold(z: Scalar, t: Scalar) -> float:
    """The rate of a state that is declared: its name is known, and its own rate comes later."""
    return 0.0


def is_declared(element: Element | None) -> bool:
    return isinstance(element, State) and element.rate is untold


def coupled(model: Model, names: Sequence[str], rates: Any, start: Any) -> tuple[Expr, ...]:
    """States that depend on each other: all are declared before the first rate is read. rates: a law each, or one Python
    function of all states and t that gives all rates."""
    begin = exactly(start, len(names), "start") if is_sequence(start) else [start] * len(names)
    added: list[State] = []
    try:
        for name, at in zip(names, begin, strict=True):
            added.append(model.add(State(name, untold, at)))
        z = tuple(state.value(model) for state in added)
        laws = call(rates, [*names, "t"], [*z, TIME]) if callable(rates) else rates
        for name, law, at in zip(names, exactly(laws, len(names), f"the rate of {', '.join(names)}"), begin, strict=True):
            added.append(model.add(State(name, law, at)))
    except BaseException:
        for state in added:
            if model.elements.get(state.name) is state:
                del model._elements[state.name]
        raise
    return z


def refuse_states(model: Model, value: Scalar, what: str) -> None:
    """ModelError if an expression holds a state where none may stand."""
    names = model.states_in(value)
    if names:
        raise ModelError(
            f"{what} cannot hold the state {', '.join(names)}", remedy="give positions or velocities of the machine"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Motor(Element):
    """A direct-current motor along a quantity s: the effort ratio k i, with the current i.

    inductance di/dt = voltage - resistance i - k ratio sdot; without inductance the current balances the right-hand side.
    Channels: torque or force, current, power (electrical).

    Parameters
    ----------
    quantity : Joint or expression of positions
        The quantity s; of a joint its own coordinate.
    voltage : law of s, v, t
        The voltage [V].
    k : number or expression of parameters
        The constant of torque and of back voltage [N m/A = V s/rad].
    resistance : number or expression of parameters
        The resistance [ohm].
    inductance : number or expression of parameters
        The inductance [H]; with it the current is a state.
    ratio : number or expression of parameters
        Turns of the rotor for one of s [rad/m or 1].
    rotor : number or expression of parameters
        The inertia of the rotor [kg m^2], which acts as rotor ratio^2 along s.

    Examples
    --------
    >>> m = lw.PlanarModel("fan")
    >>> fan = m.body("fan", mass=1.0, inertia=0.1)
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), fan.at(0, 0)))
    >>> motor = m.add(lw.Motor("motor", pin, voltage=24.0, k=0.1, resistance=2.0))
    >>> lw.dynamics(m, t_end=1.0, steps=1)["motor.torque"][:1]  # k U/R at rest
    array([1.2])
    """

    quantity: Position
    voltage: Annotated[Law, LawKind(arguments=("s", "v", "t"))]
    k: Positive
    resistance: Positive
    inductance: NonNegative = 0.0
    ratio: NonZero = 1.0
    rotor: NonNegative = 0.0

    @property
    def states(self) -> Mapping[str, Scalar]:
        return {f"{self.name}.current": 0.0} if is_some(self.inductance) else {}

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if type(self.inductance) is Expr and model.value(values["inductance"]) == 0:
            raise ModelError(
                "its inductance is a parameter whose value is zero", remedy="leave inductance= out, or give a positive value"
            )


@dataclass(frozen=True, eq=False, repr=False)
class PID(Element):
    """A controller along a quantity s: the effort kp e + ki (integral of e) + kd edot, with the error e = target - s.

    The integral does not wind up: it stands still while the effort is beyond a limit and the error would drive it further.
    Channels: error, integral, torque or force.

    Parameters
    ----------
    quantity : Joint or expression of positions
        The quantity s; of a joint its own coordinate.
    target : motion
        What s should be [m or rad]: a number, an expression of t, a text, a Python function of t or a motion.
    kp, ki, kd : number or expression of parameters
        The gains [N/m or N m/rad], [N/m/s or N m/rad/s] and [N s/m or N m s/rad]; at least one is not zero.
    limits : two numbers or expressions of parameters, optional
        The effort is kept between (low, high) [N or N m].

    Examples
    --------
    >>> m = lw.PlanarModel("arm")
    >>> arm = m.body("arm", mass=1.0, inertia=0.1)
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    >>> control = m.add(lw.PID("control", pin, 1.0, kp=10.0, kd=2.0))
    >>> round(lw.equilibrium(m)["arm.angle"], 6)
    1.0
    """

    quantity: Position
    target: AnyMotion
    kp: Number = 0.0
    ki: Number = 0.0
    kd: Number = 0.0
    limits: Annotated[tuple[Real, ...] | None, NumbersKind(size=2, optional=True)] = None

    @property
    def states(self) -> Mapping[str, Scalar]:
        return {f"{self.name}.integral": 0.0} if is_some(self.ki) else {}

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        limits = values.get("limits")
        if limits is not None and model.value(limits[0]) >= model.value(limits[1]):
            raise ModelError("its limits leave nothing between them", remedy="give (low, high)")
        if not any(map(is_some, (self.kp, self.ki, self.kd))):
            raise ModelError("it does nothing: kp, ki and kd are zero", remedy="give at least one of them")


@dataclass(frozen=True, eq=False, repr=False)
class Inertia(Element):
    """Inertia along a quantity s (a rotor behind a gearbox, a flywheel on a joint, a rack): kinetic energy J sdot^2 / 2.

    Parameters
    ----------
    quantity : Joint or expression of positions
        The quantity s; of a joint its own coordinate.
    J : number or expression of parameters
        The inertia along a length or an angle [kg or kg m^2].

    Examples
    --------
    >>> m = lw.PlanarModel("flywheel")
    >>> disc = m.body("disc", mass=1.0, inertia=0.5)
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), disc.at(0, 0)))
    >>> wheel = m.add(lw.Inertia("wheel", pin, 1.5))
    >>> spin = m.add(lw.Torque("spin", disc, 2.0))
    >>> round(float(lw.dynamics(m, t_end=1.0, steps=1)["disc.omega"][-1]), 9)
    1.0
    """

    quantity: Position
    J: Positive
