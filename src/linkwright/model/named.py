"""What a model holds, by name, and expressions of it: quantities of bodies and joints, what they are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from linkwright.arguments import typed
from linkwright.bounds import LARGEST, trouble
from linkwright.calls import Answering
from linkwright.errors import ModelError, TraceError
from linkwright.graph import Expr, Scalar, evaluate, free_symbols, symbol
from linkwright.model import dimensions
from linkwright.model.bodies import Body
from linkwright.model.elements import Element
from linkwright.model.given import Components
from linkwright.model.grammar import read_measured
from linkwright.model.names import GROUND, suggestion
from linkwright.model.quantities import JointCoordinate, Quantity, Rate, StateValue, short
from linkwright.model.tracing import Scope, trace
from linkwright.model.values import TIME, about, as_scalar, exactly, is_argument, parameter_name, parameter_symbol


class Named(metaclass=Answering):
    """Parameters, bodies, elements and quantities by name; the part of `Model` that formulas and laws are read with."""

    dimension: ClassVar[int] = 0
    gravity_is_input = True  # of equations, so that another one needs no other code; else it is a number in them
    _unasked = (
        "definition",
        "number",
        "order",
        "parameter_values",
        "quantity",
        "rates_of_states_in",
        "scalar",
        "scope",
        "trace",
        "traced",
        "value",
    )
    name: str

    def __init__(self) -> None:
        self._parameters: dict[str, float] = {}
        self.said_units: dict[str, dimensions.Known] = {}  # of parameters whose texts had units
        self._elements: dict[str, Element] = {}
        self._fixed: dict[Expr, Scalar] = {}
        self._bodies: dict[str, Body] = {}
        self.quantities: dict[str, Quantity] = {}

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the design parameters by name; change them by `set`."""
        return MappingProxyType(self._parameters)

    @property
    def bodies(self) -> Mapping[str, Body]:
        """All bodies by name, ground first."""
        return MappingProxyType(self._bodies)

    @property
    def elements(self) -> Mapping[str, Element]:
        """All elements by name, in the order they were added."""
        return MappingProxyType(self._elements)

    @property
    def fixed(self) -> Mapping[Expr, Scalar]:
        """Quantities whose values at the start are exact."""
        return MappingProxyType(self._fixed)

    @property
    def ground(self) -> Body:
        """The body that does not move; its axes are those of the world."""
        return self._bodies[GROUND]

    @property
    def gravity(self) -> tuple[Scalar, ...]:
        """The acceleration of free fall [m/s^2]."""
        return self._gravity

    @gravity.setter
    def gravity(self, given: Components | None) -> None:
        n = self.dimension
        with about(self.name, "gravity"):
            components = exactly((0.0,) * n if given is None else given, n, "it")
            self._gravity = tuple(self.scalar(g, "a component", "m/s^2") for g in components)

    @typed
    def __getitem__(self, name: str) -> Any:
        """The body, element or parameter (its symbol) of this name."""
        if name in self._bodies:
            return self._bodies[name]
        if name in self._elements:
            return self._elements[name]
        if name in self._parameters:
            return parameter_symbol(name)
        raise ModelError(f"there is no {name!r} in {self.name!r}", element=str(name), remedy=suggestion(str(name), self))

    def _element(self, name: str) -> Element:
        if name not in self._elements:
            raise ModelError(f"there is no element {name!r}", element=name, remedy=suggestion(name, self._elements))
        return self._elements[name]

    def __contains__(self, name: object) -> bool:
        return name in self._bodies or name in self._elements or name in self._parameters

    def __iter__(self) -> Iterator[str]:
        """All names."""
        yield from self._bodies
        yield from self._elements
        yield from self._parameters

    @property
    def states(self) -> Mapping[str, Scalar]:
        """Where every state begins, by its name: those of `state`, and those that elements have."""
        return {name: start for e in self._elements.values() for name, start in e.states.items()}

    def states_in(self, value: Scalar) -> list[str]:
        """Give the states that an expression holds.

        Parameters
        ----------
        value : number or expression
            The expression.

        Returns
        -------
        list of str
            Their names.
        """
        if type(value) is not Expr:
            return []
        found = [self.quantities.get(s.data) for s in free_symbols([value])]
        return [q.state for q in found if isinstance(q, StateValue)]

    def rates_of_states_in(self, value: Scalar) -> list[str]:
        """The states whose rates an expression holds."""
        found = [self.quantities.get(s.data) for s in free_symbols([value])] if type(value) is Expr else []
        return list(dict.fromkeys(name for q in found if isinstance(q, Rate) for name in self.states_in(q.of)))

    # -- expressions --------------------------------------------------------------------------------------------------
    def quantity(self, definition: Quantity) -> Expr:
        """Register a quantity and give its symbol."""
        self.quantities.setdefault(definition.name, definition)
        return symbol(definition.name)

    @typed
    def definition(self, quantity: Expr) -> Quantity:
        """What the symbol of a quantity stands for; ModelError if this model has no such thing."""
        name = quantity.data
        if name not in self.quantities:
            try:  # made without the model at hand: its name is its definition
                if trace(name, {}, self) is not quantity or name not in self.quantities:
                    raise ModelError("")
            except ModelError as error:
                remedy = error.remedy or "take it from a body or joint of this model"
                raise ModelError(f"this model has no quantity {name!r}", remedy=remedy) from None
        found = self.quantities[name]
        if isinstance(found, JointCoordinate) and found.joint not in self._elements:
            raise ModelError(f"the joint {found.joint!r} has not been added", remedy=f"add it before {name!r} is used")
        return found

    def order(self, value: Scalar) -> int:
        """0 for an expression of positions, 1 if it holds velocities, 2 accelerations, -1 if it is none of the machine.

        ModelError if it holds what this model does not know.
        """
        highest = -1
        for s in free_symbols([value]) if type(value) is Expr else ():
            if s is TIME or is_argument(s):
                continue
            if name := parameter_name(s):
                if name not in self._parameters:
                    raise ModelError(f"there is no parameter {name!r}", remedy=suggestion(name, self._parameters))
                continue
            found = self.definition(s)
            order = found.order
            if isinstance(found, Rate):
                order = self.order(found.of) + 1
                if order not in (1, 2):
                    raise ModelError(f"{s.data!r} is no velocity and no acceleration", remedy="take rates of positions")
            highest = max(highest, order)
        return highest

    def trace(self, value: Any, arguments: Mapping[str, Scalar] | None = None, takes: str = "", what: str = "it") -> Scalar:
        """The expression of a number, expression, text or Python function; functions are called with the arguments' values,
        texts may use their names, and have units of what `takes` says. ModelError if that is not possible; its cause is a
        TraceError where a function does what cannot be traced."""
        try:
            self._check_units(value, takes, what)
            return trace(value, {} if arguments is None else arguments, self, takes, what)
        except TraceError as error:
            raise ModelError(error.cause, remedy=error.remedy) from error

    def traced(self, law: Any, arguments: Mapping[str, Scalar], takes: str = "") -> Scalar | None:
        """As `trace`; None for a law in plain Python, a function that does what cannot be traced."""
        if not callable(law):
            return self.trace(law, arguments, takes)
        try:
            return trace(law, arguments, self)
        except TraceError:
            return None

    def _check_units(self, value: Any, takes: str, what: str) -> None:
        """A parameter by itself may be of known dimension."""
        name = parameter_name(value) if type(value) is Expr and value.op == "symbol" else ""
        if wrong := dimensions.trouble(self.said_units.get(name), takes):
            raise ModelError(f"{what} {wrong[0]}, the parameter {name!r}", remedy=wrong[1])

    def scalar(self, value: Any, what: str, takes: str = "") -> Scalar:
        """A number, or an expression of this model's parameters (also as text); `takes`: the units a text may have."""
        self._check_units(value, takes, what)
        value = trace(value, {}, self, takes, what) if isinstance(value, str) else as_scalar(value, what)
        if type(value) is Expr:
            for s in free_symbols([value]):
                if not parameter_name(s):
                    raise ModelError(f"{what} depends on {s.data!r}", remedy="it may depend on parameters only")
            self.order(value)
            self.value(value)
        result: Scalar = value
        return result

    def value(self, value: Scalar | str) -> float:
        """The number that an expression of parameters, or a text of one, has now."""
        if type(value) is not Expr:
            if isinstance(value, float) and -LARGEST <= value <= LARGEST:  # most often; numpy's floats, too
                return float(value)
            return self.value(value) if type(value := self.scalar(value, "the value")) is Expr else float(value)
        number = float(evaluate([value], self._values_in(value))[0])
        if wrong := trouble(number):
            raise ModelError(f"{short(value)} {wrong}, for the parameters as they are", remedy="check the parameters")
        return number

    def number(self, value: Scalar) -> float | None:
        """The same; None where it depends on more than parameters."""
        if type(value) is Expr and not set(free_symbols([value])) <= self.parameter_values().keys():
            return None
        return self.value(value)

    def _values_in(self, value: Expr) -> dict[Expr, float]:
        """Values of the parameters that an expression depends on, of many: it is asked for each number of a machine."""
        inside = {s: self._parameters.get(parameter_name(s)) for s in free_symbols([value])}
        known = {s: x for s, x in inside.items() if x is not None}
        return known if len(known) == len(inside) else self.parameter_values()

    def parameter_values(self) -> dict[Expr, float]:
        """By symbol, what equations take as inputs: the parameters, then components of gravity that are plain numbers."""
        gravity = zip(self.traced_gravity(), self._gravity, strict=True)
        return {
            **{parameter_symbol(name): value for name, value in self._parameters.items()},
            **{s: float(g) for s, g in gravity if type(s) is Expr and type(g) is not Expr},
        }

    def traced_gravity(self) -> tuple[Scalar, ...]:
        """Give gravity as equations have it.

        Returns
        -------
        tuple
            Its components; those that are numbers other than zero are symbols.
        """
        return tuple(
            parameter_symbol(f"gravity[{k}]") if self.gravity_is_input and type(g) is not Expr and g != 0 else g
            for k, g in enumerate(self._gravity)
        )

    def scope(self, **arguments: Scalar) -> Scope:
        """The names a formula of this model may use, for `grammar.read`."""
        return Scope(self, arguments)


def check_kind(model: Named, parameter: str, given: dimensions.Known) -> None:
    """A parameter that was given as a length is no mass later on."""
    had = model.said_units.get(parameter)
    if given is not None and had is not None and not dimensions.alike(given, had):
        raise ModelError(
            f"it was given as {dimensions.name(had)}, but this is {dimensions.name(given)}",
            remedy="check the unit; a number without unit is in SI units",
        )


def plain_value(value: Any) -> tuple[float, dimensions.Known]:
    """The value of a parameter, and what it measures; a text may say it with units."""
    value = read_measured(value, {}) if isinstance(value, str) else value
    number = as_scalar(value, "the value of a parameter")
    if isinstance(number, Expr):
        raise ModelError(
            "the value of a parameter must be a plain number", remedy="use the expression itself where you need it"
        )
    return number, getattr(value, "dimension", None)
