"""Units behind the numbers of a formula, and what a formula measures: see `dimensions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.graph.expr import LOGICAL, Expr
from linkwright.model import dimensions
from linkwright.model.tokens import Tokens
from linkwright.model.units import UNITS

if TYPE_CHECKING:
    from linkwright.model.grammar import Names

LARGEST_EXPONENT = 64
_SAME = frozenset(("abs", "round", "floor", "min", "max", "hypot", "where"))  # as their arguments
_PURE = frozenset(("sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sign"))


def is_scalar(value: Any) -> bool:
    """Whether a value is a number, traced or not; truth values are none."""
    if type(value) is Expr:
        return value.op not in LOGICAL
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)


class Measures(Tokens):
    """The part of the reader of formulas that knows of units. dimension: that of the value which was read last."""

    def __init__(self, text: str, names: Names, element: str) -> None:
        self.names = names
        self.measured = ""  # the number with units that was read last, unless brackets enclose it
        self.lone = False  # whether a unit that stands where a number may was read last
        self.dimension: dimensions.Known = None
        super().__init__(text, element)

    def finite(self, value: Any, column: int) -> Any:
        raise NotImplementedError

    def with_units(self, value: Any, column: int) -> Any:
        """The number times the units that follow it."""
        if self.kind != "name" or self.token not in UNITS:
            return value
        said = self.dimension if self.dimension is not None and self.dimension.said else dimensions.PURE
        factor = self.unit()
        while True:
            at = self.place, self.kind, self.token, self.column
            sign = self.accept("*", "/")
            called = sign and self.text.startswith(("(", "."), self.place)  # a function or a body of that name
            if self.kind != "name" or self.token not in UNITS or called:
                self.place, self.kind, self.token, self.column = at
                break
            by = self.dimension
            other = self.unit()
            self.dimension = self.quotient(by, sign)
            factor = factor / other if sign == "/" else factor * other
        self.measured = self.text[column - 1 : self.column - 1].strip()
        self.dimension = dimensions.product(said, self.dimension)
        return self.finite(value * factor, column)

    def unit(self) -> float:
        name, column = self.token, self.column
        self.only_a_unit(name, column)
        self.advance()
        self.dimension = dimensions.unit(name)
        if not self.accept("**", "^"):
            return UNITS[name]
        sign = -1 if self.accept("-") else 1
        if self.kind != "number" or float(self.token) > LARGEST_EXPONENT:
            self.fail(f"a number was expected, not {self.shown}", remedy="write m**2 or m^2")
        power = sign * float(self.token)
        self.advance()
        self.dimension = dimensions.unit(name, power)
        return float(UNITS[name] ** power)

    def only_a_unit(self, name: str, column: int) -> None:
        """Nothing else has its name here."""
        try:
            other = self.names.value(name)
        except KeyError:
            return
        if not is_scalar(other):  # a body: it stands where no number can
            return
        self.fail(
            f"{name!r} is a unit, and also the name of something else", column=column,
            remedy=f"write an operator and `{name}` in back-ticks for the other, or give that another name",
        )  # fmt: skip

    def one_reading(self, behind: str) -> None:
        if self.measured:
            self.fail(f"{behind!r} can be read in two ways", remedy="use brackets: (1/2) mm, or 1/(2 mm)")

    # -- dimensions ---------------------------------------------------------------------------------------------
    def quotient(self, a: dimensions.Known, sign: str) -> dimensions.Known:
        """a times what was read last, or divided by it."""
        return dimensions.product(a, dimensions.power(self.dimension, -1.0) if sign == "/" else self.dimension)

    def multiplied(self, a: dimensions.Known, sign: str) -> dimensions.Known:
        """As `quotient`, where the second may be a unit by itself: 22.5*deg is a number of degrees."""
        return self.quotient(dimensions.PURE if self.lone and a == dimensions.DECIMAL else a, sign)

    def added(self, column: int, *terms: dimensions.Known) -> dimensions.Known:
        known = dimensions.together(*terms)
        for one in terms:
            if known is not None and not dimensions.alike(known, one):
                assert one is not None
                self.fail(
                    f"{dimensions.name(known)} and {dimensions.name(one)} stand together", column=column,
                    remedy="check the units: only what is of one kind can be added",
                )  # fmt: skip
        return known

    def of_call(self, name: str, arguments: list[dimensions.Known], column: int) -> dimensions.Known:
        if name in _PURE:
            return dimensions.PURE
        if name == "sqrt":
            return dimensions.power(arguments[0], 0.5) if arguments else None
        return self.added(column, *arguments[name == "where" :]) if name in _SAME else None
