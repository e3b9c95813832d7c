"""A traced graph, written once more in another system's scalars: the very same arithmetic, operation by operation."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from linkwright.graph import Expr, Scalar, topological

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}


def replay(outputs: Sequence[Scalar], inputs: Sequence[Expr], values: Sequence[Any]) -> list[Any]:
    """The outputs, with `values` in place of the input symbols."""
    known = {id(s): v for s, v in zip(inputs, values, strict=True)}
    for n in topological(outputs):
        if id(n) not in known:
            known[id(n)] = n.data if n.op == "const" else ARITHMETIC[n.op](*[known[id(a)] for a in n.args])
    return [known[id(r)] if type(r) is Expr else r for r in outputs]
