"""A looped machine at many states, in one native loop: constraint errors; accelerations, multipliers and the balance of all
bodies."""

from __future__ import annotations

import numpy as np

from linkwright.compile import Array, Ints, copy, i64, native
from linkwright.compile.block_ldl import least
from linkwright.system.looped import solving as s
from linkwright.system.looped.looped import LoopedSystem


def errors(system: LoopedSystem, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Phi and Phi' at states (q, v, turns, work), a row each; switches are what their conditions say."""
    Phi, rate = np.zeros((2, len(t), system.rows))
    if Phi.size:
        times, states = (np.ascontiguousarray(x, dtype=float).ravel() for x in (t, y))
        _errors(len(t), y.shape[1], times, states, Phi.reshape(-1), rate.reshape(-1), system.native)
    return Phi, rate


def solutions(system: LoopedSystem, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """The accelerations, the multipliers and the residual M vdot + J^T lam - (Q - h) at many states, a row each, of a
    machine that is not held and has neither friction nor laws in plain Python; and the smallest pivot of all, see
    `LoopedSystem.accelerations`."""
    n, matrix = len(t), system.made(solutions, system.assembled.by_rows)
    x, rest, pivots = np.zeros((n, system.nv + system.rows)), np.zeros((n, system.nv)), np.ones(max(n, 1))
    times, states = (np.ascontiguousarray(a, dtype=float).ravel() for a in (t, y))
    _solutions(n, y.shape[1], times, states, *matrix, x.reshape(-1), rest.reshape(-1), pivots, system.native)
    return x[:, : system.nv], x[:, system.nv :], rest, float(pivots.min())


def responses(system: LoopedSystem, q: np.ndarray, t: float, f: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """The solutions x and mu of M x + J^T mu = f, J x = gamma at q, a row for each row of f and gamma."""
    right = np.hstack([f, gamma])
    out = np.zeros_like(right)
    system.place(q, None, t)
    if out.size:
        _responses(len(right), np.ascontiguousarray(right).reshape(-1), out.reshape(-1), system.native)
    return out


@native
def _responses(count: i64, right: Array, x: Array, m: s.Loops) -> None:
    n = m.at[s.NV] + m.at[s.ROWS]
    for k in range(count):
        s.part(s.MASSES, m)
        s.part(s.POSITION, m)
        for i in range(n):
            m.numbers[m.right[i]] = right[k * n + i]
        s.solved(0, m)
        copy(n, m.numbers[m.at[s.X] :], x[k * n :])


@native
def _take(ny: i64, k: i64, t: Array, y: Array, m: s.Loops) -> None:
    """The k-th state; switches are what their conditions say."""
    m.numbers[m.at[s.T]] = t[k]
    copy(m.at[s.NQ] + m.at[s.NV] + m.at[s.NTURNS], y[k * ny :], m.numbers[m.at[s.Y] :])
    if m.at[s.NFLAGS] > 0:
        for i in range(m.at[s.NFLAGS]):
            m.numbers[m.at[s.FLAGS] + i] = 0.0
        for _ in range(m.at[s.LOOKS]):
            s.part(s.SWITCHED, m)
            for i in range(m.at[s.NFLAGS]):
                m.numbers[m.at[s.FLAGS] + i] = 1.0 if m.numbers[m.at[s.SWITCHES] + i] > 0.0 else 0.0


@native
def _solutions(
    count: i64, ny: i64, t: Array, y: Array, row_at: Ints, column: Ints, place: Ints, x: Array, rest: Array, pivots: Array,
    m: s.Loops,
) -> None:  # fmt: skip
    """row_at, column, place: the matrix by rows."""
    nv = m.at[s.NV]
    n = nv + m.at[s.ROWS]
    for k in range(count):
        _take(ny, k, t, y, m)
        s.part(s.MASSES, m)
        s.part(s.ELEMENTS, m)
        s.part(s.FACTOR, m)
        s.part(s.BACK, m)
        own = x[k * n :]
        copy(n, m.numbers[m.at[s.X] :], own)
        pivots[k] = least(m.at[s.BLOCKS], m.numbers[m.at[s.GROWTH] :])
        s.part(s.MASSES, m)  # the factors have taken the place of the matrix
        s.part(s.ELEMENTS, m)
        for i in range(nv):
            total = -m.numbers[m.right[i]]
            for e in range(row_at[i], row_at[i + 1]):
                total += m.numbers[place[e]] * own[column[e]]
            rest[k * nv + i] = total


@native
def _errors(count: i64, ny: i64, t: Array, y: Array, Phi: Array, rate: Array, m: s.Loops) -> None:
    rows = m.at[s.ROWS]
    for k in range(count):
        _take(ny, k, t, y, m)
        s.part(s.POSITION, m)
        s.part(s.PHIDOT, m)
        copy(rows, m.numbers[m.at[s.PHI] :], Phi[k * rows :])
        copy(rows, m.numbers[m.at[s.DRIFT] :], rate[k * rows :])
