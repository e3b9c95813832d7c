"""Checks of the safety net in arrays that stay: for a run that is made again and again.

`Forces.kept` makes the same checks of states wherever they are, and remembers what it has evaluated.
"""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.reactions import KEPT, between
from linkwright.compile.rows import Rows


class Looked:
    """The checks of a fixed number of states of a machine: `states` has a row (q, v, turns, work) for each, filled anew
    before `most` is asked. Machines with laws in plain Python have none, whose values would be inputs."""

    def __init__(self, machine: LoadedMachine, count: int, span: float) -> None:
        nq, nv, turns = machine.nq, machine.nv, len(machine.turns)
        self.states = np.empty((count, nq + nv + turns + 1))
        rows = self._rows = Rows(machine.system.terms, count)
        q, v, self._t, b, counted, _, _ = rows.takes  # as `LoadedMachine.load_args`
        rows.given[:, b] = machine.b
        self._moves = [
            (rows.given[:, part], own)
            for part, own in (
                (slice(q.start, v.stop), self.states[:, : nq + nv]),
                (counted, self.states[:, nq + nv : -1]),
            )
            if own.size
        ]
        terms = [rows.found[:, part] for part in rows.gives]
        J, nu, Phi, energies = (terms[k] for k in KEPT)
        least, every, slow = between(machine, count, span)
        self._errors, self._largest = machine.row_errors.standing(
            (J, nu, Phi, self.states[:, nq : nq + nv], self.states[:, :nq]), (energies, self.states[:, -1], least), every,
            slow,
        )  # fmt: skip

    def most(self, t: np.ndarray) -> list[float]:
        """The largest errors, in the order of `Most`; t: the times of the states."""
        given = self._rows.given
        given[:, self._t] = t[:, None]
        for to, own in self._moves:
            to[...] = own
        self._rows.run()
        self._errors()
        found: list[float] = self._largest.tolist()
        return found
