"""The errors of many states in one native loop: what the safety net looks at after every run.

`Kept` says the same in numpy, and is what this is compared with in the tests. There some sixty calls of numpy for fifty
states take longer than many a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwright.compile import Array, Ints, f64, i64, native, sqrt
from linkwright.compile.address import address
from linkwright.compile.native import Prepared

LEAST = 1e-300  # a divisor is not below it


class Rows(NamedTuple):
    """The rows of a machine: the numbers of states and rows; J: `entries` nonzeros in `places` (rows) and `columns`; sizes
    of displacements; where the Euler parameters of each of so many bodies begin in q."""

    states: i64
    rows: i64
    entries: i64
    places: Ints
    columns: Ints
    scale: Array
    speeds: i64
    bodies: i64
    parameters: Ints


class Values(NamedTuple):
    """The values at all states; X_step: from one state to the next."""

    J: Array
    J_step: i64
    nu: Array
    nu_step: i64
    Phi: Array
    Phi_step: i64
    v: Array
    v_step: i64
    q: Array
    q_step: i64


class Energies(NamedTuple):
    """The energies at all states: kinetic, potential. least: what counts as none [J]."""

    energies: Array
    energies_step: i64
    work: Array
    work_step: i64
    least: f64


@native
def energy_error(states: i64, at: Energies) -> f64:
    """The energy error of all states, see `Kept.energy_error`."""
    begin = at.energies[0] + at.energies[1] - at.work[0]
    kinetic = 0.0
    work = 0.0
    off = 0.0
    high = at.energies[1]
    low = at.energies[1]
    for k in range(states):
        T = at.energies[k * at.energies_step]
        V = at.energies[k * at.energies_step + 1]
        W = at.work[k * at.work_step]
        a = abs(T)
        b = abs(W)
        c = abs(T + V - W - begin)
        if a > kinetic or a != a:
            kinetic = a
        if b > work or b != b:
            work = b
        if c > off or c != c:
            off = c
        if high < V or V != V:
            high = V
        if low > V or V != V:
            low = V
    size = 0.0
    if kinetic != 0.0 or high != 0.0 or low != 0.0:
        size = kinetic + work + (high - low) + 1e-9 * (-low if -low > high else high)
    if at.least > size:
        size = at.least
    return off / size if size != 0.0 else 0.0


@native
def largest_errors(
    of: Rows, at: Values, energy: Energies, every: i64, slow: f64, room: Array, out: Array, worst: Ints, largest: Array
) -> None:
    """Find the largest |Phi| and |J v - nu| of each state: relative, then in the units of the equations, in `out` one after
    the other; and the number of the relatively worst row. In `largest` are those of all states: the two relative ones, the
    error of energy, and by how much the length of Euler parameters is not one.

    Lengths of rows are those of every `every`-th state. slow: the least speed. room: two numbers a row. What is no number
    stays so.
    """
    for i in range(4):
        largest[i] = 0.0
    for k in range(of.states):
        for i in range(of.bodies):
            first = k * at.q_step + of.parameters[i]
            x = -1.0
            for j in range(4):
                x += at.q[first + j] * at.q[first + j]
            x = abs(x)
            if x > largest[3] or x != x:
                largest[3] = x
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
        if position > largest[0] or position != position:
            largest[0] = position
        if velocity > largest[1] or velocity != velocity:
            largest[1] = velocity
        out[k] = position
        out[of.states + k] = velocity
        out[2 * of.states + k] = phi
        out[3 * of.states + k] = rate
    largest[2] = energy_error(of.states, energy)


largest_errors.compact = True  # made in a fifth of the time; it runs once a run


class Most(NamedTuple):
    """The largest errors of a run, as `Kept` has them; lengths: of Euler parameters."""

    position: float
    velocity: float
    energy: float
    lengths: float


class RowErrors:
    """The row errors of a machine, for all of its runs. pattern: rows and columns of the nonzeros of J; scale: sizes of
    displacements; count: of rows; parameters: where Euler parameters begin in q."""

    def __init__(
        self, pattern: tuple[np.ndarray, np.ndarray], scale: np.ndarray, count: int, parameters: np.ndarray
    ) -> None:
        self.pattern, self.scale, self.count = pattern, scale, count
        rows, columns, self._parameters = (np.ascontiguousarray(x, dtype=np.int64) for x in (*pattern, parameters))
        self._held = rows, columns, np.ascontiguousarray(scale, dtype=float), self._parameters
        self._places = [x.ctypes.data for x in self._held]

    def of(
        self, values: Sequence[np.ndarray], energies: tuple[np.ndarray, np.ndarray, float], every: int, slow: float
    ) -> tuple[np.ndarray, np.ndarray, Most]:
        """The four largest errors of each state, the worst row, and the largest of all; see `largest_errors`. values: J, nu,
        Phi, v and q, with a row a state; energies: these, the work, and what counts as none."""
        states = len(values[0])
        found, worst = self._room(states)
        given = [x if x.strides[1] == 8 else np.ascontiguousarray(x) for x in (*values, energies[0])]
        largest_errors.unchecked(*self._passed(given, energies[1], energies[2], every, slow, found, worst))
        most = Most._make(found[4 * states : 4 * states + 4].tolist())
        return found[: 4 * states].reshape(4, states), worst, most

    def standing(
        self, values: Sequence[np.ndarray], energies: tuple[np.ndarray, np.ndarray, float], every: int, slow: float
    ) -> tuple[Prepared, np.ndarray]:
        """The same for arrays that stay where they are and are filled anew before each call; the largest of all come in the
        array."""
        states = len(values[0])
        found, worst = self._room(states)
        passed = self._passed([*values, energies[0]], energies[1], energies[2], every, slow, found, worst)
        held = [*values, *energies, found, worst, self]
        return Prepared(largest_errors.unchecked, passed, held), found[4 * states : 4 * states + 4]

    def _room(self, states: int) -> tuple[np.ndarray, np.ndarray]:
        return np.empty(4 * states + 4 + 2 * self.count), np.empty(states, dtype=np.int64)

    def _passed(
        self, given: Sequence[np.ndarray], work: np.ndarray, least: float, every: int, slow: float, found: np.ndarray,
        worst: np.ndarray,
    ) -> list[Any]:  # fmt: skip
        """The arguments of `largest_errors` as C takes them. given: J, nu, Phi, v, q, energies."""
        (states, entries), speeds = given[0].shape, given[3].shape[1]
        strided = [number for x in (*given, work) for number in (address(x), x.strides[0] // 8)]
        *places, parameters = self._places
        out = address(found)
        largest = out + 32 * states
        return [
            states, self.count, entries, *places, speeds, len(self._parameters), parameters, *strided, least, every, slow,
            largest + 32, out, address(worst), largest,
        ]  # fmt: skip
