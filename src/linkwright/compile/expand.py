"""A graph in terms of the operations a target has: functions such as sin give way to their kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from linkwright.compile import hyperbolic, kernels
from linkwright.graph.expr import Expr, Scalar, as_node
from linkwright.graph.walk import rebuild, topological

KERNELS: dict[str, Callable[..., Scalar]] = {**kernels.KERNELS, **hyperbolic.KERNELS}


def expand(roots: Sequence[Scalar]) -> list[Scalar]:
    """The roots in terms of the operations a target has."""
    order = topological(roots)
    if not any(n.op in KERNELS for n in order):
        return list(roots)
    new: dict[int, Scalar] = {}
    for n in order:
        args = [new[id(a)] for a in n.args]
        kernel = KERNELS.get(n.op)
        if kernel is not None:
            new[id(n)] = kernel(*map(as_node, args))
        elif all(x is a or a.op == "const" for x, a in zip(args, n.args, strict=True)):
            new[id(n)] = n.data if n.op == "const" else n
        else:
            new[id(n)] = rebuild(n, args)
    return [new[id(r)] if type(r) is Expr else r for r in roots]
