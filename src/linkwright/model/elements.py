"""What all elements of a machine share: a name, declared fields, and the checks that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, get_args, get_type_hints

from linkwright.arguments import typed
from linkwright.calls import Answering
from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.bodies import Body
from linkwright.model.channel_units import unit_of
from linkwright.model.dimensions import along
from linkwright.model.documented import documented
from linkwright.model.names import check_name
from linkwright.model.plain_fields import Kind
from linkwright.model.quantities import Coordinate, JointCoordinate, Speed, rate, rate_channels, short
from linkwright.model.values import about
from linkwright.words import an

if TYPE_CHECKING:
    from linkwright.model.model import Model


@cache
def kinds(element: type[Element]) -> dict[str, Kind]:
    """The kind of each field of an element's class but the name, in order."""
    hints, units = get_type_hints(element, include_extras=True), documented(element)
    found: dict[str, Kind] = {}
    for f in fields(element):
        if f.name != "name":
            kind = next(k for k in get_args(hints[f.name]) if isinstance(k, Kind))
            found[f.name] = replace(kind, takes=units.get(f.name, ""))
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Element(metaclass=Answering):
    """Base of joints, drivers, forces, ...: frozen data.

    `dimensions`: where it makes sense; `between`: how many different bodies its points must lie on (0: any);
    `channels`: its coordinates that are quantities. What a subclass adds to the checks it says in `examine`.
    """

    name: str

    dimensions: ClassVar[tuple[int, ...]] = (2, 3)
    between: ClassVar[int] = 0
    channels: ClassVar[tuple[str, ...]] = ()
    beginning: ClassVar[tuple[str, ...]] = ()  # fields that say where it begins: equations do not depend on them

    def __init_subclass__(cls) -> None:
        """The help of each begins with the name, which is written here."""
        head, own = "Parameters\n----------\n", "name : str\n"
        if cls.__doc__ and own not in cls.__doc__:
            cls.__doc__ = cleandoc(cls.__doc__).replace(head, f"{head}{own}    Name of the element.\n", 1)

    def __post_init__(self) -> None:
        check_name(self.name, type(self).__name__)
        for field, kind in kinds(type(self)).items():
            value = getattr(self, field)
            if value is None and kind.optional:
                continue
            with about(self.name, field):
                object.__setattr__(self, field, kind.take(value))

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies it acts between, each once, in the order of its fields."""
        found: dict[str, Body] = {}
        for field, kind in kinds(type(self)).items():
            if (value := getattr(self, field)) is not None:
                for body in kind.bodies(value):
                    found.setdefault(body.name, body)
        return tuple(found.values())

    @typed
    def settle(self, model: Model) -> None:
        """Check it against a model: called when it is added, and again when parameters change. Texts are read here."""
        with about(self.name):
            if model.dimension not in self.dimensions:
                here, there = ("the plane", "space") if model.dimension == 2 else ("space", "the plane")
                raise ModelError(
                    f"{an(type(self).__name__)} makes no sense in {here}", remedy=f"it needs a model in {there}"
                )
        settled: dict[str, Any] = {}
        for field, kind in kinds(type(self)).items():
            value = getattr(self, field)
            if value is not None or not kind.optional:
                if " or " in kind.takes:
                    kind = replace(kind, takes=along(kind.takes, self._acts_along(model, settled)))
                with about(self.name, field):
                    settled[field] = (kind if self._takes_units(field) else replace(kind, takes="")).settle(value, model)
        with about(self.name):
            self._check_ends()
            self.examine(model, settled)
        for field, value in settled.items():
            object.__setattr__(self, field, value)

    def _takes_units(self, field: str) -> bool:
        """Whether the units of this field are those of its docstring, whatever its other fields are."""
        return True

    def _acts_along(self, model: Model, settled: Mapping[str, Any]) -> str:
        """The unit of the quantity, or of the coordinate of the joint, that it acts along; "" where it is not known."""
        if isinstance(joint := model.elements.get(settled.get("joint", "")), Joint):
            turning = "angle" in joint.channels or bool(joint.pivot)
            return "" if turning == ("displacement" in joint.channels) else "rad" if turning else "m"
        return unit_of_quantity(settled.get("quantity"))

    def _check_ends(self) -> None:
        bodies = self.bodies
        if self.between and len(bodies) < self.between:
            raise ModelError(
                f"both ends are on the body {bodies[0].name!r}", remedy="give points of two different bodies; check the ends"
            )
        if len(bodies) > max(self.between, 2) or (self.between == 2 and all(b.is_ground for b in bodies)):
            raise ModelError(f"its ends are on {', '.join(b.name for b in bodies)}", remedy="give points of two bodies")

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        """Rules of its own; `values` are its fields, texts already read."""

    @typed
    def coordinate(self, channel: str) -> Expr:
        """One of its coordinates, as a quantity."""
        if channel not in self.channels:
            has = f"it has {' and '.join(self.channels)}" if self.channels else "it has no coordinate of its own"
            raise ModelError(f"{an(type(self).__name__)} has no {channel}", element=self.name, remedy=has)
        return self.bodies[0].model.quantity(JointCoordinate(self.name, channel))

    @property
    def rates(self) -> dict[str, tuple[str, int]]:
        """Speeds and accelerations of its coordinates: by name the coordinate, and 1 or 2."""
        return {name: x for name, x in rate_channels(self.channels).items() if name not in self.channels}

    @property
    def states(self) -> Mapping[str, Any]:
        """Its states by name: quantities with a first-order equation; and where they begin."""
        return {}

    @typed
    def speed(self, channel: str) -> Expr:
        """One of `rates`, as a quantity."""
        if channel not in self.rates:
            has = f"it has {' and '.join(self.rates)}" if self.rates else "it has no coordinate of its own"
            raise ModelError(f"{an(type(self).__name__)} has no {channel}", element=self.name, remedy=has)
        coordinate, times = self.rates[channel]
        speed = rate(self.coordinate(coordinate))
        return speed if times == 1 else rate(speed)

    def __repr__(self) -> str:
        def shown(value: Any) -> str:
            if isinstance(value, tuple):
                return f"({', '.join(map(shown, value))})"
            if isinstance(value, Expr | float):
                return short(value)
            return getattr(value, "__name__", None) or (value.name if isinstance(value, Body) else repr(value))

        parts = [repr(self.name)]
        for field, kind in kinds(type(self)).items():
            value = getattr(self, field)
            parts.append(shown(value) if type(kind).bodies is not Kind.bodies else f"{field}={shown(value)}")
        return f"{type(self).__name__}({', '.join(parts)})"


def unit_of_quantity(quantity: Any) -> str:
    """The unit of a quantity, or of a sum of quantities of one unit; "" where it is not known."""
    if type(quantity) is not Expr:
        return ""
    if quantity.op in ("add", "sub", "neg"):
        units = {unit_of_quantity(q) for q in quantity.args if q.op != "const"}
        return units.pop() if len(units) == 1 else ""
    return unit_of(quantity.data) if quantity.op == "symbol" else ""


class Joint(Element):
    """An element that restrains two bodies and may have coordinates.

    `pivot`: how it turns about a point, where friction has no single coordinate: "ball", or "cross" of two pins.
    """

    between: ClassVar[int] = 2
    pivot: ClassVar[str] = ""

    angle = Coordinate("Its angle [rad], counted from the first body to the second, continuous over many turns.")
    displacement = Coordinate("How far the second body has moved along the axis of the first [m].")
    omega = Speed("The rate of its angle [rad/s].")
    alpha = Speed("The rate of its omega [rad/s^2]: to be read from results and watched.")
    velocity = Speed("The rate of its displacement [m/s].")
    acceleration = Speed("The rate of its velocity [m/s^2]: to be read from results and watched.")
