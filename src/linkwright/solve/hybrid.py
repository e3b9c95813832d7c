"""Park's hybrid treatment of constraints (Haug 7.3.5): a state is corrected only where its errors exceed a tolerance."""

from __future__ import annotations

import numpy as np

from linkwright.compile import Array, Code, Function, Ints, Pointers, copy, f64, i64, isfinite, native
from linkwright.compile.bound import Bound


@native
def correct_where_needed(
    ins: Pointers, outs: Pointers, errors: Code, correct: Code, eouts: Pointers, n: i64, rows: i64, tolerance: f64,
    scale: Array, count: Ints,
) -> None:  # fmt: skip
    """outs[0] = y, corrected if |Phi| or |dPhi/dt|, each relative to its scale, is above the tolerance.

    count: how often the errors were looked at, and how often a state was corrected.
    """
    errors(ins, eouts)
    worst = 0.0
    for k in range(rows):
        size = max(abs(eouts[0][k]), abs(eouts[1][k])) / scale[k]
        worst = max(worst, size) if isfinite(size) else 1e300
    count[0] += 1
    if worst > tolerance:
        count[1] += 1
        correct(ins, outs)
    else:
        copy(n, ins[1], outs[0])


def hybrid(
    errors: Function | Bound, correct: Function | Bound, tolerance: float, scale: np.ndarray, count: np.ndarray
) -> Bound:
    """The correction as code for an integrator. `count`: of states that were looked at, and corrected; it goes on."""
    n, rows = (int(np.prod(shape)) for shape in (correct.inputs["y"], next(iter(errors.outputs.values()))))
    room = [np.zeros(max(rows, 1)) for _ in range(2)]
    fixed = [errors, correct, room, n, rows, float(tolerance), np.ascontiguousarray(scale), count]
    return Bound(correct_where_needed, fixed, correct.inputs, correct.outputs)
