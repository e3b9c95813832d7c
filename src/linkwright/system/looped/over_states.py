"""Constraint errors of a looped machine at many states, in one native loop."""

from __future__ import annotations

import numpy as np

from linkwright.compile import Array, i64, native
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
    Loops,
    T,
    Y,
    copy,
    part,
)


def errors(system: LoopedSystem, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Phi and Phi' at states (q, v, turns, work), a row each; switches are what their conditions say."""
    Phi, rate = np.zeros((2, len(t), system.rows))
    if Phi.size:
        times, states = (np.ascontiguousarray(x, dtype=float).ravel() for x in (t, y))
        _errors(len(t), y.shape[1], times, states, Phi.reshape(-1), rate.reshape(-1), system.at.looks, system.native)
    return Phi, rate


@native
def _errors(count: i64, ny: i64, t: Array, y: Array, Phi: Array, rate: Array, looks: i64, m: Loops) -> None:
    rows = m.at[ROWS]
    for k in range(count):
        m.numbers[m.at[T]] = t[k]
        copy(m.at[NQ] + m.at[NV] + m.at[NTURNS], y[k * ny :], m.numbers[m.at[Y] :])
        if m.at[NFLAGS] > 0:
            for i in range(m.at[NFLAGS]):
                m.numbers[m.at[FLAGS] + i] = 0.0
            for _ in range(looks):
                part(SWITCHED, m)
                for i in range(m.at[NFLAGS]):
                    m.numbers[m.at[FLAGS] + i] = 1.0 if m.numbers[m.at[SWITCHES] + i] > 0.0 else 0.0
        part(POSITION, m)
        part(PHIDOT, m)
        copy(rows, m.numbers[m.at[PHI] :], Phi[k * rows :])
        copy(rows, m.numbers[m.at[DRIFT] :], rate[k * rows :])
