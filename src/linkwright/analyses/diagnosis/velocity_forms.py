"""Constraints on velocities as forms, w(q, t) v = b(q, t), and dw(X, Y), which says whether they can be integrated.

dw(X, Y) = X(w Y) - Y(w X) - w [X, Y] for displacements X, Y that are the same everywhere: [X, Y] is zero but for turns of a
body in space, which turn with it, X x Y. Time is one more displacement, the last, and -b is w of it. A constraint reads few
bodies: one displacement that each constraint reads is made for all constraints at once (Curtis, Powell, Reid 1974).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.later import csgraph, sparse
from linkwright.solve.rank import scaled
from linkwright.solve.smallest import Smallest

STEP = 2e-5  # rad, of the length of their levers, and of the unit of time: differences are good to 1e-10

NO_LEVER = 1e-9  # of the machine's length

Entries = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class At:
    """Independent rows of length one, by displacements relative to their scale; and dw of those on velocities."""

    S: Any
    late: np.ndarray  # what S x must be in one unit of time
    curl: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # nonzeros: form, first and second displacement, value
    forms: int

    def inserted(self, x: np.ndarray) -> Any:
        """dw(x, .), a row a form, by displacements and time."""
        k, i, j, value = self.curl
        return sparse.csr_array((value * x[i], (k, j)), shape=(self.forms, len(x)))


class VelocityForms:
    """Forms of a machine, anywhere. kept: independent rows, of all; forms: those of them on velocities; q, t: near where.

    scale: of displacements; unit: of time [s], in which the least velocities that the rows prescribe go as far.
    """

    def __init__(self, machine: Machine, kept: np.ndarray, forms: np.ndarray, q: np.ndarray, t: float) -> None:
        self.machine, self.kept, self.rows, self.unit = machine, kept, forms, 1.0
        self.read = [[*columns, machine.nv] for columns in machine.system.read_by_rates(forms.tolist())]
        self.colour = _coloured(self.read, machine.nv + 1)
        self.column = np.full((len(forms), self.colour.max() + 1), -1)  # that a form reads, by colour; -1: none
        for k, own in enumerate(self.read):
            self.column[k, self.colour[own]] = own
        number = np.full(len(machine.system.rows), -1)
        number[forms] = np.arange(len(forms))
        rows, columns = machine.system.pattern
        self.own = np.flatnonzero(number[rows] >= 0)  # the entries of forms; those by time follow, one each
        self.form = np.concatenate([number[rows[self.own]], np.arange(len(forms))])
        self.by = np.concatenate([columns[self.own], np.full(len(forms), machine.nv)])

        self.scale = self._scale(q, t)
        nu = machine.nu(q, t)
        if nu.any():
            S, lengths = scaled(machine.rows_at(q, t)[1], self.scale)
            fastest = float(np.abs(Smallest(sparse.csr_array(S)).reaching(nu / lengths)).max())
            self.unit = 1 / fastest if fastest > 0 else 1.0

    def _scale(self, q: np.ndarray, t: float) -> np.ndarray:
        """One radian, and by part the length at which its rows weigh turns as places: small wheels may roll far."""
        machine, (of_row, of_column) = self.machine, self.parts
        rows, columns = machine.system.pattern
        entries, place = machine.system.position(*machine._args(q, t))[1], np.zeros(machine.nv, dtype=bool)
        reach = np.zeros(machine.nv)  # of places, where no row turns
        for at_q, at in machine.system.coordinates.body_slices().values():
            place[at.start : at.start + machine.model.dimension] = True
            reach[at] = np.abs(q[at_q][: machine.model.dimension]).max()
        moves, turns = (
            np.bincount(rows, np.where(own, entries**2, 0.0), len(of_row)) for own in (place[columns], ~place[columns])
        )
        both = (moves > 0) & (turns > (NO_LEVER * machine.length) ** 2 * moves)
        scale = np.ones(machine.nv)
        for part in np.unique(of_row[self.rows]):
            mine, levers = of_column == part, both & (of_row == part)
            length = np.exp(0.5 * np.log(turns[levers] / moves[levers]).mean()) if levers.any() else reach[mine].max()
            scale[mine & place] = length if length > NO_LEVER * machine.length else machine.length
        return scale

    @cached_property
    def parts(self) -> tuple[np.ndarray, np.ndarray]:
        """By row and by displacement the number of the part that it belongs to: what rows and what forms read connect."""
        rows, columns = self.machine.system.pattern
        m, n = len(self.machine.system.rows), self.machine.nv
        edges = [(int(r), c) for r, own in zip(self.rows, self.read, strict=True) for c in own[:-1]]
        more = np.array(edges, dtype=np.int64).reshape(-1, 2).T
        a, b = np.concatenate([rows, more[0]]), m + np.concatenate([columns, more[1]])
        graph = sparse.coo_array((np.ones(len(a)), (a, b)), shape=(m + n, m + n))
        part = np.asarray(csgraph.connected_components(graph, directed=False)[1])
        return part[:m], part[m:]

    def at(self, q: np.ndarray, t: float) -> At:
        machine = self.machine
        entries, nu = self._entries(q, t)
        rows, columns = machine.system.pattern
        squares = np.zeros(len(nu))
        np.add.at(squares, rows, entries**2)
        lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
        S = sparse.csr_array((entries / lengths[rows], (rows, columns)), shape=(len(nu), machine.nv))
        w = self._of_forms((entries, nu), lengths)
        found = [self._slopes(q, t, w, lengths, c) for c in range(self.column.shape[1])]
        found += self._turning(w) if machine.model.dimension == 3 else []
        k, i, j, value = (np.concatenate(x) for x in zip(*found, strict=True))
        both = np.tile(k, 2), np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([value, -value])
        return At(S[self.kept], (nu / lengths)[self.kept], both, len(self.rows))

    def _slopes(self, q: np.ndarray, t: float, w: np.ndarray, lengths: np.ndarray, colour: int) -> tuple[np.ndarray, ...]:
        """The derivatives of w by the displacements of a colour: forms, these, the columns of w, values. To second order,
        and forward, since there may be nothing before a beginning."""
        step = np.where(self.colour == colour, STEP, 0.0)
        one, two = (
            self._of_forms(
                self._entries(self.machine.retract(q, n * step[:-1] * self.scale), t + n * step[-1] * self.unit), lengths
            )
            for n in (1, 2)
        )
        by = self.column[self.form, colour]
        slope = (4 * one - two - 3 * w) / (2 * STEP)
        k = np.flatnonzero(by >= 0)
        return self.form[k], by[k], self.by[k], slope[k]

    def _turning(self, w: np.ndarray) -> list[tuple[np.ndarray, ...]]:
        """-w (X x Y) of the turns of bodies in space."""
        first = np.full(self.machine.nv + 1, -1)  # of its body, of each turn
        for _, at in self.machine.system.coordinates.body_slices().values():
            first[at.start + 3 : at.stop] = at.start + 3
        begin = first[self.by]
        k = np.flatnonzero(begin >= 0)
        n = self.by[k] - begin[k]
        return [(self.form[k], begin[k] + (n + 1) % 3, begin[k] + (n + 2) % 3, -w[k])]

    def _entries(self, q: np.ndarray, t: float) -> Entries:
        """The nonzeros of all rows, relative to the scales, and what they must be in a unit of time."""
        args, system = self.machine._args(q, t), self.machine.system
        entries = system.position(*args)[1] * self.scale[system.pattern[1]]
        return entries, np.asarray(system.velocity(*args)[0]) * self.unit

    def _of_forms(self, entries: Entries, lengths: np.ndarray) -> np.ndarray:
        w = np.concatenate([entries[0][self.own], -entries[1][self.rows]])
        return np.asarray(w / lengths[self.rows][self.form])


def _coloured(read: list[list[int]], columns: int) -> np.ndarray:
    """A colour for each column, such that no form reads two of the same; -1 for those that none reads."""
    readers: dict[int, list[int]] = {}
    for k, own in enumerate(read):
        for column in own:
            readers.setdefault(column, []).append(k)
    colour = np.full(columns, -1)
    for column, forms in readers.items():
        taken = {int(colour[x]) for k in forms for x in read[k]}
        colour[column] = next(c for c in range(len(taken) + 1) if c not in taken)
    return colour
