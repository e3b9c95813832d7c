"""The constraint errors of many states in one native loop: what the safety net looks at after every run.

`Kept.of` says the same in numpy, state by state and row by row, and is what this is compared with in the tests. There some
thirty calls of numpy for fifty states take longer than many a run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwright.compile import Array, Ints, f64, i64, native, sqrt

LEAST = 1e-300  # a divisor is not below it


class Rows(NamedTuple):
    """How many states and rows there are; J: `entries` nonzeros in `places` (rows) and `columns`; sizes of displacements."""

    states: i64
    rows: i64
    entries: i64
    places: Ints
    columns: Ints
    scale: Array
    speeds: i64


class Values(NamedTuple):
    """At all states; X_step: from one state to the next."""

    J: Array
    J_step: i64
    nu: Array
    nu_step: i64
    Phi: Array
    Phi_step: i64
    v: Array
    v_step: i64


@native
def largest_errors(of: Rows, at: Values, every: i64, slow: f64, room: Array, out: Array, worst: Ints) -> None:
    """Of each state the largest |Phi| and |J v - nu|: relative, then in the units of the equations, in `out` one after the
    other; and the number of the relatively worst row.

    Lengths of rows are those of every `every`-th state. slow: the least speed. room: two numbers a row. What is no number
    stays so.
    """
    speed = slow
    for k in range(of.states):
        for i in range(of.speeds):
            x = abs(at.v[k * at.v_step + i] / of.scale[i])
            if x > speed or x != x:
                speed = x
    for r in range(of.rows):
        room[r] = 0.0
    k = 0
    while k < of.states:
        for r in range(of.rows):
            room[of.rows + r] = 0.0
        for e in range(of.entries):
            x = at.J[k * at.J_step + e] * of.scale[of.columns[e]]
            room[of.rows + of.places[e]] += x * x
        for r in range(of.rows):
            x = sqrt(room[of.rows + r]) if room[of.rows + r] > 0.0 else 1.0
            if x > room[r]:
                room[r] = x
        k += every
    for k in range(of.states):
        for r in range(of.rows):
            room[of.rows + r] = 0.0
        for e in range(of.entries):
            room[of.rows + of.places[e]] += at.J[k * at.J_step + e] * at.v[k * at.v_step + of.columns[e]]
        position = 0.0
        velocity = 0.0
        phi = 0.0
        rate = 0.0
        most = -1.0
        worst[k] = 0
        for r in range(of.rows):
            a = abs(at.Phi[k * at.Phi_step + r])
            b = abs(room[of.rows + r] - at.nu[k * at.nu_step + r])
            if a > phi or a != a:
                phi = a
            if b > rate or b != b:
                rate = b
            a = a / max(room[r], LEAST)
            b = b / max(room[r] * speed, LEAST)
            if a > position or a != a:
                position = a
            if b > velocity or b != b:
                velocity = b
            if a > most:
                most = a
                worst[k] = r
            if b > most:
                most = b
                worst[k] = r
        out[k] = position
        out[of.states + k] = velocity
        out[2 * of.states + k] = phi
        out[3 * of.states + k] = rate


largest_errors.compact = True  # made in a fifth of the time; it runs once a run


class RowErrors:
    """Those of a machine, for all of its runs. pattern: rows and columns of the nonzeros of J; scale: sizes of
    displacements; count: of rows."""

    def __init__(self, pattern: tuple[np.ndarray, np.ndarray], scale: np.ndarray, count: int) -> None:
        self.pattern, self.scale, self.count = pattern, scale, count
        self._held = [np.ascontiguousarray(x, dtype=np.int64) for x in pattern] + [np.ascontiguousarray(scale, dtype=float)]
        self._places = [x.ctypes.data for x in self._held]

    def of(
        self, J: np.ndarray, nu: np.ndarray, Phi: np.ndarray, v: np.ndarray, every: int, slow: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """The four largest errors of each state, and the worst row; see `largest_errors`. Arrays have a row a state."""
        states, entries = J.shape
        out, worst, room = np.empty((4, states)), np.empty(states, dtype=np.int64), np.empty(2 * self.count)
        given = [x if x.strides[1] == x.itemsize else np.ascontiguousarray(x) for x in (J, nu, Phi, v)]
        strided = [number for x in given for number in (x.ctypes.data, x.strides[0] // x.itemsize)]
        largest_errors.unchecked(
            states, self.count, entries, *self._places, v.shape[1], *strided, every, slow, room.ctypes.data, out.ctypes.data,
            worst.ctypes.data,
        )  # fmt: skip
        return out, worst
