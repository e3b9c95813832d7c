"""Formulas as text: "2*pi*t", "k*(l - l0)", "where(t < 1, sin(t), 0)", read into graph expressions.

    disjunction := conjunction { ("|" | "or") conjunction }
    conjunction := negation { ("&" | "and") negation }
    negation    := ("~" | "not") negation | comparison
    comparison  := sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
    sum         := product { ("+" | "-") product }
    product     := unary { ("*" | "/") unary }
    unary       := ("+" | "-") unary | power
    power       := atom [ "**" unary ]
    atom        := number [ units ] | "(" disjunction ")" [ units ] | name { "." name } | name "(" arguments ")" { "." name }
    units       := unit [ exponent ] { [ "*" | "/" ] unit [ exponent ] }
    exponent    := ("**" | "^") [ "-" ] number

Units bind closer than every operator: 3 kN/m is a stiffness; 1/2 mm, which could be read in two ways, is refused. Those of
more than one letter may also stand where pi may, 30*deg, unless a parameter or an argument of the law has that name. Behind
a number such a name is refused: it could be either.

A text is data: there is no attribute, no index, no string and no call but of the functions listed here and of those
that the given `Names` offers. Length, nesting and exponents are bounded, so reading always ends soon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import pi
from typing import Any, NoReturn, Protocol

import numpy as np

from linkwright import graph
from linkwright.bounds import trouble
from linkwright.errors import LinkwrightError
from linkwright.graph.arithmetic import apply, logical
from linkwright.graph.expr import LOGICAL, Expr
from linkwright.model import dimensions
from linkwright.model.dimensions import Measured
from linkwright.model.measures import LARGEST_EXPONENT, Measures, is_scalar
from linkwright.model.names import suggestion
from linkwright.model.tokens import GrammarError
from linkwright.model.units import ALONE, UNITS
from linkwright.words import question

DEEPEST = 40

CONSTANTS: dict[str, float] = {"pi": pi}

# name: (function, least and most arguments)
FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "sin": (graph.sin, 1, 1), "cos": (graph.cos, 1, 1), "tan": (graph.tan, 1, 1),
    "asin": (graph.asin, 1, 1), "acos": (graph.acos, 1, 1), "atan": (graph.atan, 1, 1), "atan2": (graph.atan2, 2, 2),
    "sqrt": (graph.sqrt, 1, 1), "exp": (graph.exp, 1, 1), "log": (graph.log, 1, 1),
    "sinh": (graph.sinh, 1, 1), "cosh": (graph.cosh, 1, 1), "tanh": (graph.tanh, 1, 1),
    "asinh": (graph.asinh, 1, 1), "acosh": (graph.acosh, 1, 1), "atanh": (graph.atanh, 1, 1),
    "abs": (graph.absolute, 1, 1), "sign": (graph.sign, 1, 1), "floor": (graph.floor, 1, 1),
    "round": (lambda x: apply("rint", x), 1, 1),
    "hypot": (graph.hypot, 2, 2), "min": (graph.minimum, 2, 2), "max": (graph.maximum, 2, 2),
    "where": (graph.where, 3, 3),
}  # fmt: skip

RESERVED = frozenset((*CONSTANTS, *FUNCTIONS, "t", "and", "or", "not"))

_COMPARISONS: dict[str, tuple[str, bool]] = {  # operation, arguments exchanged
    "<": ("lt", False), "<=": ("le", False), ">": ("lt", True), ">=": ("le", True), "==": ("eq", False), "!=": ("ne", False),
}  # fmt: skip


class Names(Protocol):
    """What the names in a formula mean."""

    def value(self, name: str) -> Any:
        """The meaning of a (dotted) name; KeyError if there is none."""

    def function(self, name: str) -> Callable[..., Any] | None:
        """What a call of this name means, besides the functions of the grammar."""

    def member(self, value: Any, name: str) -> Any:
        """The meaning of ".name" after a call; KeyError if there is none."""

    def dimension(self, name: str) -> dimensions.Known:
        """That of the value of a name, where it is known."""

    def known(self) -> Iterable[str]:
        """All names, for suggestions."""


@dataclass(frozen=True)
class Plain:
    """Names with fixed values and nothing else."""

    values: Mapping[str, Any]

    def value(self, name: str) -> Any:
        return self.values[name]

    def function(self, name: str) -> None:
        return None

    def dimension(self, name: str) -> None:
        return None

    def member(self, value: Any, name: str) -> Any:
        raise KeyError(name)

    def known(self) -> Iterable[str]:
        return self.values


def read(text: str, names: Names | Mapping[str, Any], element: str = "", *, takes: str = "", what: str = "it") -> Any:
    """The value of a formula; GrammarError says what is wrong with it and where.

    `element` is the name of what the formula belongs to, `what` what it is there, for the error. `takes`: the units that may
    be said there, as `dimensions.trouble` has them.
    """
    return _read(text, names, element, takes, what)[0]


def read_measured(text: str, names: Names | Mapping[str, Any]) -> Measured:
    """A plain number, with the dimension that its units say."""
    value, dimension = _read(text, names)
    _must_be_a_number(value, text, "")
    return Measured.of(value, dimension)


def _read(
    text: str, names: Names | Mapping[str, Any], element: str = "", takes: str = "", what: str = "it"
) -> tuple[Any, dimensions.Known]:
    reader = _Reader(text, Plain(names) if isinstance(names, Mapping) else names, element)
    with np.errstate(all="ignore"):
        value = reader.disjunction()
    if reader.kind != "end":
        reader.unexpected()
    if wrong := dimensions.trouble(reader.dimension, takes):
        raise GrammarError(f"{what} {wrong[0]}", text=text, column=1, element=element, remedy=wrong[1])
    return value, reader.dimension


def read_scalar(text: str, names: Names | Mapping[str, Any], element: str = "", *, takes: str = "", what: str = "it") -> Any:
    """As `read`, for a formula that must be a number (traced or not)."""
    value = read(text, names, element, takes=takes, what=what)
    _must_be_a_number(value, text, element)
    return value


def _must_be_a_number(value: Any, text: str, element: str) -> None:
    if not is_scalar(value):
        raise GrammarError("the formula is not a number", text=text, column=1, element=element, remedy="compare in where()")


def _is_truth(value: Any) -> bool:
    return value.op in LOGICAL if type(value) is Expr else isinstance(value, bool)


class _Reader(Measures):
    """Recursive descent, one method for each rule; values are built as it reads."""

    def __init__(self, text: str, names: Names, element: str) -> None:
        self.depth = 0
        super().__init__(text, names, element)

    def unexpected(self) -> NoReturn:
        if self.token == "^" and self.kind == "sign":
            self.fail("'^' has no meaning here", remedy="write ** for a power")
        asked = question(self.token, UNITS) if self.kind == "name" and self.token not in self.names.known() else ""
        self.fail(
            f"{self.shown} was not expected", remedy=f"{asked} is an operator missing before it, or a bracket?".strip()
        )

    # -- rules --------------------------------------------------------------------------------------------------
    def disjunction(self) -> Any:
        value = self.conjunction()
        while token := self.accept("|", "or"):
            value = self.combine(token, "or", value, self.conjunction())
        return value

    def conjunction(self) -> Any:
        value = self.negation()
        while token := self.accept("&", "and"):
            value = self.combine(token, "and", value, self.negation())
        return value

    def combine(self, token: str, op: str, a: Any, b: Any) -> Any:
        if not (_is_truth(a) and _is_truth(b)):
            self.fail(f"{token!r} joins comparisons, not numbers", remedy="compare first: (t > 0) & (t < 1)")
        return logical(op, a, b)

    def negation(self) -> Any:
        column = self.column
        if token := self.accept("~", "not"):
            value = self.deeper(self.negation)
            if not _is_truth(value):
                self.fail(f"{token!r} negates a comparison, not a number", column=column, remedy="compare first: ~(t < 1)")
            return logical("not", value)
        return self.comparison()

    def comparison(self) -> Any:
        column = self.column
        a = self.sum()
        if token := self.accept(*_COMPARISONS):
            b = self.sum()
            if self.token in _COMPARISONS and self.kind == "sign":
                self.fail("comparisons cannot be chained", remedy="write (0 < t) & (t < 1)")
            op, swap = _COMPARISONS[token]
            self.numbers(column, token, a, b)
            self.dimension = None
            return apply(op, b, a) if swap else apply(op, a, b)
        return a

    def sum(self) -> Any:
        column = self.column
        value, said = self.product(), self.dimension
        while token := self.accept("+", "-"):
            other = self.product()
            self.numbers(column, token, value, other)
            said = self.added(column, said, self.dimension)
            value = self.finite(value + other if token == "+" else value - other, column)
        self.dimension = said
        return value

    def product(self) -> Any:
        column = self.column
        value, said = self.unary(), self.dimension
        while token := self.accept("*", "/"):
            self.measured, self.lone = "", False
            other = self.unary()
            said = self.multiplied(said, token)
            if token == "/":
                self.one_reading(f"/ {self.measured}")
            self.numbers(column, token, value, other)
            if token == "/" and type(other) is not Expr and other == 0:
                self.fail("division by zero", column=column, remedy="check the denominator")
            value = self.finite(value * other if token == "*" else value / other, column)
        self.dimension = said
        return value

    def unary(self) -> Any:
        column = self.column
        if token := self.accept("+", "-"):
            value = self.deeper(self.unary)
            self.numbers(column, token, value)
            return -value if token == "-" else value
        return self.power()

    def power(self) -> Any:
        column = self.column
        base, said = self.atom(), self.dimension
        if not self.accept("**"):
            return base
        exponent = self.deeper(self.unary)
        self.dimension = None if type(exponent) is Expr else dimensions.power(said, exponent)
        self.one_reading(f"** {self.measured}")
        self.numbers(column, "**", base, exponent)
        if type(exponent) is not Expr and abs(exponent) > LARGEST_EXPONENT:
            self.fail(
                f"the exponent {exponent:g} is too large", column=column, remedy=f"at most {LARGEST_EXPONENT}; use exp()"
            )
        return self.finite(graph.power(base, exponent), column)

    def atom(self) -> Any:
        column = self.column
        if self.accept("("):
            value = self.deeper(self.disjunction)
            self.expect(")")
            self.measured = ""
            return self.with_units(value, column) if is_scalar(value) else value
        if self.kind == "number":
            value = self.finite(float(self.token), column)
            self.dimension = dimensions.PURE if value.is_integer() else dimensions.DECIMAL
            self.advance()
            return self.with_units(value, column)
        if self.kind in ("name", "quoted"):
            return self.named(column)
        self.fail(f"a number, a name or '(' was expected, not {self.shown}", remedy="something is missing before it")

    def word(self) -> str:
        if self.kind not in ("name", "quoted"):
            self.fail(f"a name was expected, not {self.shown}", remedy="write name.channel, such as crank.x")
        word = self.token.strip("`")
        self.advance()
        return word

    def named(self, column: int) -> Any:
        bare = self.kind == "name"
        words = [self.word()]
        while self.accept("."):
            words.append(self.word())
        name = ".".join(words)
        if self.accept("("):
            value = self.members(self.call(name, column))
            self.measured = ""
            return value
        if name in CONSTANTS:
            self.dimension = dimensions.PI
            return CONSTANTS[name]
        self.dimension = self.names.dimension(name)
        try:
            return self.names.value(name)
        except KeyError:
            if bare and name in ALONE:
                self.dimension, self.lone = dimensions.unit(name), True
                return UNITS[name]
            known = [*self.names.known(), *CONSTANTS]
            units = ALONE if len(name) > 2 and not question(name, known) else ()
            remedy = question(name, units) or suggestion(name, known)
            if own := [x for x in known if x.startswith(f"{name}.")]:  # an element stands for no quantity in a text
                remedy = f"write {' or '.join(own[:3])}"
            elif name in FUNCTIONS:
                remedy = f"{name} is a function: write {name}(...)"
            elif name in UNITS:
                remedy = f"the unit {name} stands behind a number: 3 {name}; a parameter of that name must be defined first"
            self.fail(f"the name {name!r} is not known", column=column, remedy=remedy)

    def call(self, name: str, column: int) -> Any:
        arguments: list[Any] = []
        said: list[dimensions.Known] = []
        if not self.accept(")"):
            while not arguments or self.accept(","):
                arguments.append(self.deeper(self.disjunction))
                said.append(self.dimension)
            self.expect(")")
        self.dimension = self.of_call(name, said, column)
        if name in FUNCTIONS:
            return self.finite(self.apply(name, arguments, column), column)
        function = self.names.function(name)
        if function is None:
            known = [*FUNCTIONS, *(n for n in self.names.known() if self.names.function(n))]
            self.fail(f"the function {name!r} is not known", column=column, remedy=suggestion(name, known))
        try:
            return function(*arguments)
        except TypeError:
            self.fail(
                f"{name}() cannot take these {len(arguments)} arguments", column=column, remedy="see its documentation"
            )
        except LinkwrightError as error:
            self.fail(error.cause, column=column, remedy=error.remedy)

    def apply(self, name: str, arguments: list[Any], column: int) -> Any:
        function, least, most = FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            self.fail(f"{name}() takes {most} arguments, not {len(arguments)}", column=column, remedy="check the commas")
        if name == "where" and not _is_truth(arguments[0]):
            self.fail("the first argument of where() must be a comparison", column=column, remedy="where(t < 1, a, b)")
        self.numbers(column, name, *arguments[name == "where" :])
        return function(*arguments)

    def members(self, value: Any) -> Any:
        while self.kind == "sign" and self.token == ".":
            column = self.column
            self.advance()
            name = self.word()
            try:
                value = self.names.member(value, name)
            except KeyError:
                self.fail(f"there is no {name!r} of this", column=column, remedy="a point has .x, .y and, in space, .z")
        return value

    # -- guards -------------------------------------------------------------------------------------------------
    def deeper(self, rule: Callable[[], Any]) -> Any:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"the formula is nested deeper than {DEEPEST}", remedy="split it into parameters or a function")
        value = rule()
        self.depth -= 1
        return value

    def numbers(self, column: int, token: str, *values: Any) -> None:
        for value in values:
            if not is_scalar(value):
                what = "a comparison" if _is_truth(value) else "a body, point or vector"
                self.fail(f"{token!r} needs numbers, but {what} was given", column=column, remedy="check the brackets")

    def finite(self, value: Any, column: int) -> Any:
        if type(value) is not Expr and (wrong := trouble(value)):
            self.fail(f"the value {wrong}", column=column, remedy="check the numbers")
        return value
