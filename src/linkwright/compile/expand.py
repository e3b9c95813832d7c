"""A graph in terms of the operations a target has: functions such as sin give way to their kernels.

The graph is not built anew: wherever a node of such a function is met on the way, its kernel is taken in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from linkwright.compile import hyperbolic, kernels
from linkwright.graph.expr import Expr, Scalar, as_node
from linkwright.graph.walk import ordered

KERNELS: dict[str, Callable[..., Scalar]] = {**kernels.KERNELS, **hyperbolic.KERNELS}


class Expanded:
    """The nodes below the roots and the kernels, arguments before users; `kernel`: that of a node of a function."""

    def __init__(self, roots: Iterable[Scalar]) -> None:
        self.kernel: dict[Expr, Expr] = {}
        self.order = ordered(roots, dict.fromkeys(KERNELS, self._of))

    def _of(self, n: Expr) -> Expr:
        if n not in self.kernel:
            self.kernel[n] = as_node(KERNELS[n.op](*n.args))
        return self.kernel[n]
