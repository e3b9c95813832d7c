"""A formula written down so that formulas that differ in their numbers alone read the same.

Constants that are added or multiplied are numbers as any others; an exponent is not, nor are zeros and ones. A graph orders
the arguments of sums and products by a hash that knows constants and names; here they have an order that does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from linkwright.graph import Expr
from linkwright.graph.expr import COMMUTATIVE
from linkwright.graph.walk import topological

# Numbers that make terms vanish: an element with a zero where another has none has fewer operations, and its own shape.
SPECIAL = (0.0, 1.0, -1.0)
ARITHMETIC = ("add", "sub", "mul", "div")


@dataclass(frozen=True)
class Formula:
    """An expression as a list of operations. nodes: arguments before users, the root last; args: their numbers, of each
    node."""

    nodes: list[Expr]
    args: list[tuple[int, ...]]
    constants: list[Expr]  # that are numbers as any others

    @classmethod
    def of(cls, value: Expr, label: Callable[[Expr], str]) -> Formula:
        """The formula of an expression. label: the kind of quantity that a symbol is, whatever its name."""
        given = topological([value])
        kept = {id(a) for n in given if n.op not in ARITHMETIC for a in n.args}
        free = {id(n) for n in given if n.op == "const" and id(n) not in kept and n.data not in SPECIAL}
        key: dict[int, int] = {}
        args: dict[int, list[Expr]] = {}
        for n in given:
            own = args[id(n)] = sorted(n.args, key=lambda a: key[id(a)]) if n.op in COMMUTATIVE else list(n.args)
            what = "#" if id(n) in free else label(n) if n.op == "symbol" else _data(n)
            key[id(n)] = crc32(repr((n.op, what, [key[id(a)] for a in own])).encode())
        nodes = _arguments_first(value, args)
        number = {id(n): k for k, n in enumerate(nodes)}
        places = [tuple(number[id(a)] for a in args[id(n)]) for n in nodes]
        return cls(nodes, places, [n for n in nodes if id(n) in free])

    @property
    def symbols(self) -> list[Expr]:
        return [n for n in self.nodes if n.op == "symbol"]

    def written(self, marks: dict[Expr, Any]) -> tuple[Any, ...]:
        """The formula as plain tuples; `marks` stand for symbols and constants."""
        return tuple((n.op, marks.get(n, n.data), *args) for n, args in zip(self.nodes, self.args, strict=True))


def _data(n: Expr) -> Any:
    return (n.data[0].digest, n.data[1]) if n.op == "table" else n.data


def _arguments_first(root: Expr, args: dict[int, list[Expr]]) -> list[Expr]:
    done: set[int] = set()
    order, stack = list[Expr](), [root]
    while stack:
        n = stack[-1]
        waiting = [a for a in args[id(n)] if id(a) not in done] if id(n) not in done else []
        if waiting:
            stack += reversed(waiting)
            continue
        stack.pop()
        if id(n) not in done:
            done.add(id(n))
            order.append(n)
    return order
