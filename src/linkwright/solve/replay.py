"""A run of an integrator that is made again and again, from the same place to the same end."""

from __future__ import annotations

import numpy as np

from linkwright.compile.address import address
from linkwright.solve import stepping as s
from linkwright.solve.integrate import INTERRUPTED, WANTED_AT, Integrator


class Replay:
    """A run that is made again: what it begins with, and the arguments of the native loop, are found once. It has no events;
    of other runs that the integrator makes in between nothing is left. steps: the number that it is known to take."""

    def __init__(self, it: Integrator, t_end: float, t_eval: np.ndarray, looks: np.ndarray, steps: int) -> None:
        it.again()
        it.max_steps = None
        self._it, self._steps, self._blocks = it, steps, it.begun(t_end, t_eval, looks)
        self._n, self._t, self._y = it.n, self._blocks.output[0], self._blocks.output[1]
        self._before = int(it.count[s.STEPS]), int(it.count[s.NFEV])
        it.count[s.BUDGET] = steps + 1
        self._begin = it.y.copy(), it.real.copy(), it.count.copy()
        self._call, self._wanted = it._call(self._blocks), address(self._blocks.wanted)

    def run(self) -> tuple[int, np.ndarray, np.ndarray]:
        """Make the run: how it ended, times and states of the output. What takes longer than a slice of time is run in
        slices, so that an interrupt is heard."""
        it, call = self._it, self._call
        it.y[:], it.real[:], it.count[:] = self._begin
        it.work[:] = 0.0
        if self._steps >= it.budget:
            return self._slowly()
        call.passed[WANTED_AT] = self._wanted
        try:
            status = call.function(*call.passed)
        except KeyboardInterrupt:
            status = INTERRUPTED
        shown = int(it.count[s.WRITTEN])
        return status, self._t[:shown].copy(), self._y[: shown * self._n].reshape(shown, self._n).copy()

    def _slowly(self) -> tuple[int, np.ndarray, np.ndarray]:
        it, blocks = self._it, self._blocks
        it.max_steps = None
        blocks.pieces.clear()
        status = it.taken(blocks, None)
        found = blocks.solution(status, it.count)
        return status, found.t, found.y

    @property
    def counts(self) -> tuple[int, int]:
        """Steps and evaluations of the last run."""
        count = self._it.count
        return int(count[s.STEPS]) - self._before[0], int(count[s.NFEV]) - self._before[1]
