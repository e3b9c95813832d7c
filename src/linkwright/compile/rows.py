"""A compiled function at many points, one after the other in native code: for fewer than a batch would pay for."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from linkwright.compile.function import Function
from linkwright.compile.native import Code, Ints, Pointers, i64, native


@native
def _at_each(
    f: Code, ins: Pointers, outs: Pointers, inputs: Ints, outputs: Ints, given: Pointers, found: Pointers, rows: i64
) -> None:
    """inputs, outputs: how many arrays there are, then their sizes."""
    for k in range(rows):
        for a in range(inputs[0]):
            n = inputs[a + 1]
            for i in range(n):
                ins[a][i] = given[a][k * n + i]
        f(ins, outs)
        for a in range(outputs[0]):
            n = outputs[a + 1]
            for i in range(n):
                found[a][k * n + i] = outs[a][i]


def at_each(function: Function, args: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The function at every row of its arguments; results have a row for each, too."""
    count = len(args[0])
    given = [np.ascontiguousarray(a, dtype=float) for a in args]
    sizes = [prod(shape) for shape in function.inputs.values()]
    function.check_sizes([prod(a.shape[1:]) for a in given])
    found = [np.empty((count, *shape)) for shape in function.outputs.values()]
    wide = [prod(shape) for shape in function.outputs.values()]
    ins, outs = ([np.zeros(max(n, 1)) for n in many] for many in (sizes, wide))
    _at_each(
        function.call_address, ins, outs, np.array([len(sizes), *sizes]), np.array([len(wide), *wide]),
        [a if a.size else np.zeros(1) for a in given], [a if a.size else np.zeros(1) for a in found], count,
    )  # fmt: skip
    return tuple(found)
