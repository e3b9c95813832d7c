"""Switches: the places where laws change their form, which are the conditions of `where` and the kinks of min, max and abs
in forces and motions.

An integrator that steps over such a place smears it. Each is watched as a function g that changes sign there. Conditions are
replaced by flags that stay as they are between two events, so that within a step every law is smooth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from linkwright.graph import Expr, Scalar, free_symbols, substitute, symbols, topological, where
from linkwright.graph.expr import value_of


@dataclass(frozen=True, eq=False)
class Switch:
    """g > 0 where the condition holds; `condition` is None for a kink, which needs no flag."""

    g: Scalar
    condition: Expr | None
    element: str


def found(element: str, values: Iterable[Scalar], arguments: Iterable[Scalar] = ()) -> list[Switch]:
    """The switches of expressions, less those in their arguments (guards of our own formulas)."""
    known = {id(n) for n in topological(arguments)}
    out: dict[int, Switch] = {}
    for n in topological(values):
        if id(n) in known:
            continue
        if n.op in ("lt", "le"):
            a, b = map(value_of, n.args)
            out.setdefault(id(n), Switch(b - a, n, element))
        elif n.op in ("min", "max"):
            a, b = map(value_of, n.args)
            # less a number, as conditions have it: where both tell the same place it is watched once
            out.setdefault(id(n), Switch(a - b if type(a) is Expr else b - a, None, element))
        elif n.op == "abs":
            out.setdefault(id(n), Switch(value_of(n.args[0]), None, element))
    return [s for s in out.values() if type(s.g) is Expr]


def distinct(switches: Sequence[Switch]) -> list[Switch]:
    """Each condition once; a kink at a place where a condition changes is left out, and so is what parameters alone decide:
    it stays as it is, and such conditions may depend on each other."""
    out: list[Switch] = []
    for s in sorted([s for s in switches if _changes(s.g)], key=lambda s: s.condition is None):
        same = [x for x in out if x.g is s.g and (s.condition is None or x.condition is s.condition)]
        if not same:
            out.append(s)
    return out


def _changes(g: Scalar) -> bool:
    return any(not str(x.data).startswith("parameter:") for x in free_symbols([g]))


class Flags:
    """The flags of switches: symbols that are one where the condition is to count as true, else zero. A kink's flag is one
    where it is not to be watched."""

    def __init__(self, switches: Sequence[Switch]) -> None:
        self.switches = list(switches)
        self.symbols = symbols("flag", len(self.switches))
        self._replacement = {
            s.condition: flag > 0.5 for s, flag in zip(self.switches, self.symbols, strict=True) if s.condition is not None
        }

    def inserted(self, values: Sequence[Scalar]) -> list[Scalar]:
        """The expressions with flags for conditions."""
        return substitute(values, self._replacement) if self._replacement else list(values)

    @property
    def nested(self) -> int:
        """How many conditions depend on others, at most so often one within the other."""
        own = set(self.symbols)
        conditions = [s.g for s in self.switches if s.condition is not None]
        return sum(not own.isdisjoint(free_symbols([g])) for g in self.inserted(conditions))

    @property
    def g(self) -> list[Scalar]:
        return [
            s.g if s.condition is not None else where(flag > 0.5, 1.0, s.g)
            for s, flag in zip(self.switches, self.symbols, strict=True)
        ]
