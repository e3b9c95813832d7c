"""Walking a graph: order, reference evaluation, substitution, writing it flat and reading it back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.graph import arithmetic
from linkwright.graph.expr import Expr, Scalar, as_node, hold, node, value_of

LEAVES = frozenset(("const", "symbol"))


def topological(roots: Iterable[Scalar]) -> list[Expr]:
    """Every node below the roots, arguments before users, in an order that depends on the structure alone."""
    return ordered(roots, {})


def ordered(roots: Iterable[Scalar], instead: Mapping[str, Callable[[Expr], Expr]]) -> list[Expr]:
    """As `topological`; nodes with one of the operations of `instead` have what that gives for their only argument."""
    seen: set[Expr] = set()  # they are done, or on the stack below what they wait for
    done: set[Expr] = set()
    order: list[Expr] = []
    take, put, finish = order.append, seen.add, done.add
    for root in roots:
        if type(root) is not Expr or root in done:
            continue
        stack = [root]
        pop, push = stack.pop, stack.append
        while stack:
            n = pop()
            if n in done:
                continue
            args = n.args
            if args and n not in seen:
                if n.op in instead:
                    args = (instead[n.op](n),)
                if not done.issuperset(args):
                    put(n)
                    push(n)
                    for a in reversed(args):
                        if a not in done:
                            push(a)
                    continue
            finish(n)
            take(n)
    return order


def operations(roots: Sequence[Scalar]) -> int:
    """How many arithmetic operations one evaluation takes."""
    return sum(n.op not in LEAVES for n in topological(release(roots)))


def free_symbols(roots: Iterable[Scalar]) -> list[Expr]:
    """The symbols the roots depend on, in order of appearance."""
    return [n for n in topological(roots) if n.op == "symbol"]


def evaluate(roots: Sequence[Scalar], values: Mapping[Expr, Any], functions: Mapping[str, Any] | None = None) -> list[Any]:
    """The slow, obvious evaluation: the oracle of the compiled code.

    `values` maps symbols to numbers or arrays; `functions` replaces numpy's meaning of an operation (by mpmath's,
    say; "table" is called with table, x, order of the derivative). Nodes of `values` other than symbols are taken
    as given, too.
    """
    meaning = {**arithmetic.NUMPY, "table": lambda table, x, order: table.evaluate(x, order), **(functions or {})}
    known: dict[int, Any] = {id(n): v for n, v in values.items()}
    with np.errstate(all="ignore"):
        for n in topological(roots):
            if id(n) in known:
                continue
            if n.op == "const":
                known[id(n)] = n.data
            elif n.op == "symbol":
                raise KeyError(f"no value was given for the symbol {n.data!r}")
            elif n.op == "table":
                known[id(n)] = meaning["table"](n.data[0], known[id(n.args[0])], n.data[1])
            else:
                known[id(n)] = meaning[n.op](*[known[id(a)] for a in n.args])
    return [known[id(r)] if type(r) is Expr else r for r in roots]


def rebuild(n: Expr, args: Sequence[Scalar]) -> Any:
    """The node n with other arguments, simplified anew: a scalar, or a truth value."""
    op = n.op
    if op in LEAVES:
        return value_of(n)
    build = _BUILD.get(op)
    if build is not None:
        return build(*args)
    if op == "table":
        table, derivative = n.data
        return table.at(args[0], derivative)
    return arithmetic.apply(op, *args)


_BUILD: dict[str, Any] = {
    "add": arithmetic.add, "sub": arithmetic.sub, "mul": arithmetic.mul, "div": arithmetic.div, "neg": arithmetic.neg,
    "pow": arithmetic.power, "where": arithmetic.where, "hold": hold,
    "and": lambda a, b: arithmetic.logical("and", a, b),
    "or": lambda a, b: arithmetic.logical("or", a, b),
    "not": lambda a: arithmetic.logical("not", a),
    "fma": lambda a, b, c: node("fma", (as_node(a), as_node(b), as_node(c))),
    "mul_add": lambda a, b, c: node("mul_add", (as_node(a), as_node(b), as_node(c))),
}  # fmt: skip


def substitute(roots: Sequence[Scalar], replacement: Mapping[Expr, Scalar]) -> list[Scalar]:
    """The roots with nodes replaced (symbols mostly), simplified anew; replacements are not replaced again."""
    return _renewed(roots, {id(n): value for n, value in replacement.items() if value is not n}, "")


def release(roots: Sequence[Scalar]) -> list[Scalar]:
    """The roots without `hold`, simplified across the places where it stood."""
    return _renewed(roots, {}, "hold")


def _renewed(roots: Sequence[Scalar], new: dict[int, Scalar], dropped: str) -> list[Scalar]:
    """The roots with others in place of some nodes, by id, and without the operation that is dropped. Only what is above
    such a place is built anew: of a machine's equations that is often little."""
    for n in topological(roots):
        for a in n.args:
            if n.op == dropped:
                new[id(n)] = new[id(a)] if id(a) in new else value_of(a)
            elif id(a) in new and id(n) not in new:
                new[id(n)] = rebuild(n, [new[id(x)] if id(x) in new else value_of(x) for x in n.args])
                break
    return [new[id(r)] if id(r) in new else value_of(r) if type(r) is Expr else r for r in roots]


Flat = tuple[tuple[Any, ...], ...]


def flatten(roots: Sequence[Scalar]) -> tuple[Flat, tuple[int, ...]]:
    """The graph as plain tuples (op, data, argument numbers...) and the numbers of the roots: for pickling."""
    nodes = [as_node(r) for r in roots]
    order = topological(nodes)
    number = {id(n): k for k, n in enumerate(order)}
    flat = tuple((n.op, n.data, *[number[id(a)] for a in n.args]) for n in order)
    return flat, tuple(number[id(r)] for r in nodes)


def unflatten_all(flat: Flat, roots: tuple[int, ...]) -> list[Scalar]:
    """The roots that `flatten` wrote."""
    made: list[Expr] = []
    for op, data, *args in flat:
        made.append(node(op, tuple(made[k] for k in args), data))
    return [value_of(made[k]) for k in roots]


def unflatten(written: tuple[Flat, tuple[int, ...]]) -> Scalar:
    return unflatten_all(*written)[0]


_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "lt": "<", "le": "<=", "eq": "==", "ne": "!=",
          "and": "&", "or": "|"}  # fmt: skip


def text(root: Scalar, limit: int = 60) -> str:
    """A readable form; subexpressions beyond the limit are left out."""
    if type(root) is not Expr:
        return repr(root)

    def write(n: Expr, budget: int) -> str:
        if n.op == "symbol":
            return str(n.data)
        if n.op == "const":
            return f"{n.data:g}"
        if budget <= 0:
            return "..."
        parts = [write(a, budget // len(n.args) - 1) for a in n.args]
        if n.op in _INFIX:
            return f"({parts[0]} {_INFIX[n.op]} {parts[1]})"
        return f"-{parts[0]}" if n.op == "neg" else f"{n.op}({', '.join(parts)})"

    return write(root, limit)
