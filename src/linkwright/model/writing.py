"""Expressions as text, the way `linkwright.model.grammar` reads them."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from linkwright.errors import ModelError
from linkwright.graph import Expr, topological
from linkwright.model.grammar import FUNCTIONS
from linkwright.model.names import quoted
from linkwright.model.tokens import LONGEST_TEXT

_INFIX = {  # operation: sign, precedence, least precedence of the operands
    "or": ("|", 1, 1, 2), "and": ("&", 2, 2, 3),
    "lt": ("<", 4, 5, 5), "le": ("<=", 4, 5, 5), "eq": ("==", 4, 5, 5), "ne": ("!=", 4, 5, 5),
    "add": ("+", 5, 5, 6), "sub": ("-", 5, 5, 6), "mul": ("*", 6, 6, 7), "div": ("/", 6, 6, 7), "pow": ("**", 8, 9, 7),
}  # fmt: skip
_CALLS = {"rint": "round", **{f: f for f in FUNCTIONS}}


def write(value: Any, name_of: Callable[[str], str] = quoted, longest: int = LONGEST_TEXT) -> str:
    """A formula that reads back as this expression. `name_of` turns a symbol's name into the formula's word for it.

    ModelError where it holds a table, or would be longer than can be read.
    """
    found = formula(value, name_of, longest)
    if isinstance(found, ModelError):
        raise found
    return found


def formula(value: Any, name_of: Callable[[str], str] = quoted, longest: int = LONGEST_TEXT) -> str | ModelError:
    """As `write`; or why there is none."""
    written: dict[int, tuple[str, int]] = {}
    for n in topological([value]) if type(value) is Expr else ():
        if wrong := _unwritable(n):
            return wrong
        text, precedence = _written(n, [written[id(a)] for a in n.args], name_of)
        if len(text) > longest:
            return ModelError("the formula is too long to be written as text", remedy="keep it as a Python function")
        written[id(n)] = text, precedence
    return written[id(value)][0] if type(value) is Expr else _not_finite(value) or _number(value)


def _unwritable(n: Expr) -> ModelError | None:
    if n.op == "const":
        return _not_finite(n.data)
    if n.op in ("symbol", "hold", "neg", "not") or n.op in _INFIX or n.op in _CALLS:
        return None
    return ModelError(f"a formula cannot hold a {n.op}", remedy="give the table itself, or keep the Python function")


def _not_finite(value: float) -> ModelError | None:
    if isfinite(value):
        return None
    return ModelError(f"{float(value)} cannot be written in a formula", remedy="use finite numbers")


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def _written(n: Expr, parts: list[tuple[str, int]], name_of: Callable[[str], str]) -> tuple[str, int]:
    def operand(k: int, least: int) -> str:
        text, precedence = parts[k]
        return text if precedence >= least else f"({text})"

    if n.op == "const":
        text = _number(n.data)
        return text, 7 if text.startswith("-") else 9
    if n.op == "symbol":
        return name_of(n.data), 9
    if n.op == "hold":
        return parts[0]
    if n.op in ("neg", "not"):
        sign, precedence = ("-", 7) if n.op == "neg" else ("~", 3)
        return sign + operand(0, precedence), precedence
    if n.op in _INFIX:
        sign, precedence, left, right = _INFIX[n.op]
        # a + (b + c) is written b + c + a: the same sum, without the brackets
        order = (1, 0) if n.op in ("add", "mul") and parts[0][1] > parts[1][1] == precedence else (0, 1)
        return f"{operand(order[0], left)} {sign} {operand(order[1], right)}", precedence
    return f"{_CALLS[n.op]}({', '.join(text for text, _ in parts)})", 9
