"""Exact derivatives, as graphs: along a motion (forward), gradients (reverse), sparse Jacobians, Hessian products.

The variables are symbols, or nodes made by `hold`: there the derivative stops. That is how the angular-velocity
form of the equations is had, see `linkwright.graph.rotation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwright.errors import TraceError
from linkwright.graph.arithmetic import add, apply, div, logical, mul, neg, power, sub, where
from linkwright.graph.expr import LOGICAL, Expr, Scalar, value_of
from linkwright.graph.walk import topological

# Partial derivatives of f(a, b, ...) by its arguments; n is the node itself, for reuse of its value.
PARTIALS: dict[str, Callable[..., tuple[Scalar, ...]]] = {
    "add": lambda n, a, b: (1.0, 1.0),
    "sub": lambda n, a, b: (1.0, -1.0),
    "mul": lambda n, a, b: (b, a),
    "div": lambda n, a, b: (div(1.0, b), neg(div(n, b))),
    "neg": lambda n, a: (-1.0,),
    "hold": lambda n, a: (1.0,),
    "sqrt": lambda n, a: (div(0.5, n),),
    "abs": lambda n, a: (where(apply("lt", 0.0, a), 1.0, where(apply("lt", a, 0.0), -1.0, 0.0)),),
    "floor": lambda n, a: (0.0,),
    "rint": lambda n, a: (0.0,),
    "sin": lambda n, a: (apply("cos", a),),
    "cos": lambda n, a: (neg(apply("sin", a)),),
    "tan": lambda n, a: (add(1.0, mul(n, n)),),
    "asin": lambda n, a: (div(1.0, apply("sqrt", mul(sub(1.0, a), add(1.0, a)))),),
    "acos": lambda n, a: (div(-1.0, apply("sqrt", mul(sub(1.0, a), add(1.0, a)))),),
    "atan": lambda n, a: (div(1.0, add(1.0, mul(a, a))),),
    "atan2": lambda n, y, x: _atan2_partials(y, x),
    "exp": lambda n, a: (n,),
    "log": lambda n, a: (div(1.0, a),),
    "sinh": lambda n, a: (apply("cosh", a),),
    "cosh": lambda n, a: (apply("sinh", a),),
    "tanh": lambda n, a: (mul(sub(1.0, n), add(1.0, n)),),
    "asinh": lambda n, a: (div(1.0, apply("sqrt", add(1.0, mul(a, a)))),),
    "acosh": lambda n, a: (div(1.0, apply("sqrt", mul(sub(a, 1.0), add(a, 1.0)))),),
    "atanh": lambda n, a: (div(1.0, mul(sub(1.0, a), add(1.0, a))),),
    "pow": lambda n, a, b: (mul(b, power(a, sub(b, 1.0))), mul(n, apply("log", a))),
    "table": lambda n, a: (n.data[0].at(a, n.data[1] + 1),),
}


def _atan2_partials(y: Scalar, x: Scalar) -> tuple[Scalar, Scalar]:
    square = add(mul(x, x), mul(y, y))
    return div(x, square), neg(div(y, square))


def _choice(n: Expr) -> tuple[Any, Expr, Expr] | None:
    """(condition, a, b) of a node that hands one of two arguments on: `where`, min, max; None of any other."""
    if n.op == "where":
        c, a, b = n.args
        return c, a, b
    if n.op in ("min", "max"):
        a, b = n.args
        return apply("le", *map(value_of, (a, b) if n.op == "min" else (b, a))), a, b
    return None


def partials(n: Expr) -> tuple[Scalar, ...]:
    """The partial derivatives of a node by its arguments."""
    rule = PARTIALS.get(n.op)
    if rule is None:
        raise NotImplementedError(f"no derivative of {n.op!r}: kernels are expanded after differentiation")
    return rule(n, *map(value_of, n.args))


def along(roots: Sequence[Scalar], rates: Mapping[Expr, Scalar]) -> list[Scalar]:
    """d/dt of the roots along a motion in which each node of `rates` changes at the rate given there.

    Forward mode. All other symbols stand still. Applied twice it gives the quadratic velocity terms of an
    acceleration: Phi'' at zero second rates, that is -gamma (Haug 3.6.11).
    """
    _check_variables(rates)
    rate: dict[int, Scalar] = {id(n): r for n, r in rates.items()}
    for n in topological(roots):
        if id(n) in rate:
            continue
        if not n.args or n.op in LOGICAL:
            rate[id(n)] = 0.0
            continue
        if (choice := _choice(n)) is not None:
            c, a, b = choice
            rate[id(n)] = where(c, rate[id(a)], rate[id(b)])
            continue
        rates_in = [rate[id(a)] for a in n.args]
        rate[id(n)] = 0.0 if _all_zero(rates_in) else _rate(n, rates_in)
    return [rate[id(r)] if type(r) is Expr else 0.0 for r in roots]


def _check_variables(wrt: Iterable[Expr]) -> None:
    for w in wrt:
        if w.op not in ("symbol", "hold"):
            raise TraceError(
                f"a derivative by {w!r} was asked for, which is neither a symbol nor held",
                remedy="simplification may have looked into it: wrap it in hold() before it is used",
            )


def _all_zero(xs: Sequence[Scalar]) -> bool:
    return all(type(x) is not Expr and x == 0 for x in xs)


def _rate(n: Expr, rates: Sequence[Scalar]) -> Scalar:
    if n.op == "div":  # (da - n db)/b: one division
        return div(sub(rates[0], mul(n, rates[1])), value_of(n.args[1]))
    if n.op == "atan2":
        y, x = map(value_of, n.args)
        return div(sub(mul(x, rates[0]), mul(y, rates[1])), add(mul(x, x), mul(y, y)))
    total: Scalar = 0.0
    for p, r in zip(_needed_partials(n, rates), rates, strict=True):
        total = add(total, mul(p, r))
    return total


def _needed_partials(n: Expr, rates: Sequence[Scalar]) -> tuple[Scalar, ...]:
    if n.op == "pow" and _all_zero(rates[1:]):  # log(a) must not enter where the exponent is constant
        a, b = map(value_of, n.args)
        return mul(b, power(a, sub(b, 1.0))), 0.0
    return partials(n)


def gradient(root: Scalar, wrt: Sequence[Expr]) -> dict[Expr, Scalar]:
    """Derivatives of one root by the nodes of `wrt`, structural zeros left out. Reverse mode."""
    _check_variables(wrt)
    if type(root) is not Expr:
        return {}
    return _gradient(root, frozenset(map(id, wrt)), {id(w): w for w in wrt})


def _gradient(root: Expr, leaves: frozenset[int], by_id: Mapping[int, Expr]) -> dict[Expr, Scalar]:
    order = _active(root, leaves)
    active = set(map(id, order))
    adjoints: dict[int, _Adjoint] = {id(root): _Adjoint(True, 1.0)}
    split: dict[Any, _Split] = {}
    found: dict[Expr, Scalar] = {}
    for n in reversed(order):
        if id(n) not in adjoints or n.op in LOGICAL:
            continue
        guard, bar = adjoints.pop(id(n)).merged(split)
        if _all_zero([bar]):
            continue
        if id(n) in leaves:
            found[by_id[id(n)]] = where(guard, bar, 0.0)
            continue
        for a, g, value in _contributions(n, guard, bar, active, split):
            if id(a) not in active:
                continue
            if id(a) in adjoints:
                adjoints[id(a)].accumulate(g, value)
            else:
                adjoints[id(a)] = _Adjoint(g, value)
    return {w: found[w] for w in by_id.values() if w in found and not _all_zero([found[w]])}


def _contributions(
    n: Expr, guard: Any, bar: Scalar, active: set[int], split: dict[Any, _Split]
) -> list[tuple[Expr, Any, Scalar]]:
    """(argument, guard, adjoint) for each argument of a node whose adjoint is bar under the guard."""
    if (choice := _choice(n)) is not None:
        c, a, b = choice
        yes, no = logical("and", guard, c), logical("and", guard, logical("not", c))
        depth = split[guard].depth + 1 if guard in split else 1
        split[yes], split[no] = _Split(guard, c, no, True, depth), _Split(guard, c, yes, False, depth)
        return [(a, yes, bar), (b, no, bar)]
    moving = [1.0 if id(a) in active else 0.0 for a in n.args]
    return [(a, guard, mul(bar, p)) for a, p in zip(n.args, _needed_partials(n, moving), strict=True)]


class _Split(NamedTuple):
    """Where a guard came from: its parent and a condition, which holds or not; the other half is the sibling."""

    parent: Any
    condition: Any
    sibling: Any
    holds: bool
    depth: int


class _Adjoint:
    """An adjoint in parts, each with a guard: the condition under which it counts, and without which it may be NaN.

    A branch of `where` that is not taken must not leak a NaN through 0 * NaN. So its adjoint is not multiplied
    by zero: it is carried along with the condition and masked at the end, or where the branches meet again.
    """

    __slots__ = ("parts",)

    def __init__(self, guard: Any, value: Scalar) -> None:
        self.parts: dict[Any, Scalar] = {guard: value}

    def accumulate(self, guard: Any, value: Scalar) -> None:
        self.parts[guard] = add(self.parts[guard], value) if guard in self.parts else value

    def merged(self, split: Mapping[Any, _Split]) -> tuple[Any, Scalar]:
        """The whole as one guard and one value."""
        parts = self.parts
        for depth in range(max((split[g].depth for g in parts if g in split), default=0), 0, -1):
            for g in [g for g in parts if g in split and split[g].depth == depth]:
                parent, condition, sibling, holds, _ = split[g]
                if g in parts and sibling in parts:
                    own, other = parts.pop(g), parts.pop(sibling)
                    self.accumulate(parent, where(condition, own, other) if holds else where(condition, other, own))
        if len(parts) == 1:
            return next(iter(parts.items()))
        guard: Any = False
        total: Scalar = 0.0
        for g, value in parts.items():
            guard, total = logical("or", guard, g), add(total, where(g, value, 0.0))
        return guard, total


def _active(root: Expr, leaves: frozenset[int]) -> list[Expr]:
    """The nodes below root that depend on a leaf, in topological order; the search stops at leaves."""
    state: dict[int, bool] = {}
    order: list[Expr] = []
    stack: list[tuple[Expr, int]] = [(root, 0)]
    while stack:
        n, k = stack.pop()
        if id(n) in state:
            continue
        if id(n) in leaves:
            state[id(n)] = True
            order.append(n)
            continue
        args = n.args
        while k < len(args) and id(args[k]) in state:
            k += 1
        if k < len(args):
            stack.append((n, k))
            stack.append((args[k], 0))
            continue
        state[id(n)] = any(state[id(a)] for a in args)
        if state[id(n)]:
            order.append(n)
    return order


@dataclass(frozen=True)
class Sparse:
    """A matrix of scalars with its structural nonzeros only."""

    shape: tuple[int, int]
    entries: dict[tuple[int, int], Scalar]

    def dense(self) -> np.ndarray:
        out = np.zeros(self.shape, dtype=object)
        for ij, value in self.entries.items():
            out[ij] = value
        return out

    @property
    def pattern(self) -> list[tuple[int, int]]:
        """Places of the nonzeros, by rows."""
        return sorted(self.entries)

    @property
    def values(self) -> list[Scalar]:
        """The nonzeros, in the order of `pattern`."""
        return [self.entries[ij] for ij in self.pattern]

    @property
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows and the columns of the nonzeros, in the order of `pattern`."""
        found = np.array(self.pattern, dtype=np.int64).reshape(-1, 2)
        return np.ascontiguousarray(found[:, 0]), np.ascontiguousarray(found[:, 1])

    def by_row(self) -> list[dict[int, Scalar]]:
        """Each row as its nonzeros by column."""
        out: list[dict[int, Scalar]] = [{} for _ in range(self.shape[0])]
        for (i, j), value in self.entries.items():
            out[i][j] = value
        return out

    def of_rows(self, rows: Sequence[int]) -> Sparse:
        """The matrix of some of the rows, in the order in which they are given."""
        number = {row: k for k, row in enumerate(rows)}
        kept = {(number[i], j): value for (i, j), value in self.entries.items() if i in number}
        return Sparse((len(rows), self.shape[1]), kept)

    def add_times(self, x: Sequence[Scalar] | np.ndarray, out: list[Scalar] | np.ndarray) -> None:
        """Add the product of the matrix and the vector x to `out`, a nonzero after the other."""
        for (i, j), value in self.entries.items():
            out[i] = out[i] + value * x[j]

    def add_transposed_times(self, x: Sequence[Scalar] | np.ndarray, out: list[Scalar] | np.ndarray) -> None:
        """Add the product of the transposed matrix and the vector x to `out`, a nonzero after the other."""
        for (i, j), value in self.entries.items():
            out[j] = out[j] + value * x[i]


def jacobian(roots: Sequence[Scalar], wrt: Sequence[Expr], mode: str = "auto") -> Sparse:
    """d roots / d wrt. "forward" takes a sweep a column, "reverse" a sweep a row; "auto" the cheaper by count."""
    if mode == "auto":
        forward, reverse = sweep_costs(roots, wrt)
        mode = "forward" if forward < reverse else "reverse"
    entries: dict[tuple[int, int], Scalar] = {}
    if mode == "forward":
        for j, w in enumerate(wrt):
            for i, d in enumerate(along(roots, {**dict.fromkeys(wrt, 0.0), w: 1.0})):
                if not _all_zero([d]):
                    entries[i, j] = d
    else:
        column = {w: j for j, w in enumerate(wrt)}
        for i, root in enumerate(roots):
            for w, d in gradient(root, wrt).items():
                entries[i, column[w]] = d
    return Sparse((len(roots), len(wrt)), dict(sorted(entries.items())))


def sweep_costs(roots: Sequence[Scalar], wrt: Sequence[Expr]) -> tuple[int, int]:
    """Estimated operations of forward and of reverse mode: over all nodes, how many inputs it depends on, and how
    many outputs depend on it."""
    order = topological(roots)
    inputs: dict[int, int] = {id(w): 1 << k for k, w in enumerate(wrt)}
    outputs: dict[int, int] = {}
    for k, root in enumerate(roots):
        if type(root) is Expr:
            outputs[id(root)] = outputs.get(id(root), 0) | 1 << k
    forward = reverse = 0
    for n in order:
        if id(n) not in inputs:
            mask = 0
            for a in n.args:
                mask |= inputs[id(a)]
            inputs[id(n)] = mask
            forward += mask.bit_count()
    for n in reversed(order):
        mask = outputs.get(id(n), 0)
        if inputs[id(n)] and n.args:
            reverse += mask.bit_count()
        for a in n.args:
            outputs[id(a)] = outputs.get(id(a), 0) | mask
    return forward, reverse


def hessian_vector(root: Scalar, wrt: Sequence[Expr], v: Sequence[Scalar]) -> list[Scalar]:
    """The second derivative of root by wrt, applied to the vector v: forward over reverse."""
    g = gradient(root, wrt)
    return along([g.get(w, 0.0) for w in wrt], dict(zip(wrt, v, strict=True)))
