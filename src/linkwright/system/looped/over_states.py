"""Constraint errors of a looped machine at many states, in one native loop."""

from __future__ import annotations

import numpy as np

from linkwright.compile import Array, Codes, Ints, Pointers, i64, native
from linkwright.system.looped.looped import LoopedSystem
from linkwright.system.looped.solving import (
    DRIFT,
    FLAGS,
    NFLAGS,
    NQ,
    NTURNS,
    NV,
    PHI,
    PHIDOT,
    POSITION,
    ROWS,
    SWITCHED,
    SWITCHES,
    T,
    Y,
    copy,
    part,
)


def errors(system: LoopedSystem, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Phi and Phi' at states (q, v, turns, work), a row each; switches are what their conditions say."""
    Phi, rate = np.zeros((2, len(t), system.rows))
    if Phi.size:
        numbers, at, *_, codes, in_at, out_at, ins, outs = system.native
        states = np.ascontiguousarray(y, dtype=float)
        _errors(len(t), y.shape[1], np.ascontiguousarray(t, dtype=float), states.ravel(), Phi.reshape(-1),
                rate.reshape(-1), numbers, at, codes, in_at, out_at, ins, outs)  # fmt: skip
    return Phi, rate


@native
def _errors(
    count: i64, ny: i64, t: Array, y: Array, Phi: Array, rate: Array, numbers: Array, at: Ints, codes: Codes, in_at: Ints,
    out_at: Ints, ins: Pointers, outs: Pointers,
) -> None:  # fmt: skip
    rows = at[ROWS]
    for k in range(count):
        numbers[at[T]] = t[k]
        copy(at[NQ] + at[NV] + at[NTURNS], y[k * ny :], numbers[at[Y] :])
        if at[NFLAGS] > 0:
            for i in range(at[NFLAGS]):
                numbers[at[FLAGS] + i] = 0.0
            part(SWITCHED, at, codes, in_at, out_at, ins, outs)
            for i in range(at[NFLAGS]):
                numbers[at[FLAGS] + i] = 1.0 if numbers[at[SWITCHES] + i] > 0.0 else 0.0
        part(POSITION, at, codes, in_at, out_at, ins, outs)
        part(PHIDOT, at, codes, in_at, out_at, ins, outs)
        copy(rows, numbers[at[PHI] :], Phi[k * rows :])
        copy(rows, numbers[at[DRIFT] :], rate[k * rows :])
