"""A run of an integrator that is made again and again, from the same place to the same end."""

from __future__ import annotations

import numpy as np

from linkwright.solve import stepping as s
from linkwright.solve.integrate import Integrator


class Replay:
    """What such a run begins with is found once. Without events; of other runs that the integrator makes in between nothing
    is left."""

    def __init__(self, it: Integrator, t_end: float, t_eval: np.ndarray, looks: np.ndarray, max_steps: int | None) -> None:
        it.again()
        self._it, self._max_steps, self._blocks = it, max_steps, it.begun(t_end, t_eval, looks)
        self._begin = it.y.copy(), it.real.copy(), it.count.copy()
        self._counted = it.count[s.STEPS], it.count[s.NFEV]

    def run(self) -> tuple[int, list[tuple[np.ndarray, np.ndarray]]]:
        """How it ended, and times and states of the output."""
        it, blocks = self._it, self._blocks
        it.max_steps = self._max_steps
        it.y[:], it.real[:], it.count[:] = self._begin
        it.work[:] = 0.0
        blocks.pieces.clear()
        return it.taken(blocks, None), blocks.pieces

    @property
    def counts(self) -> tuple[int, int]:
        """Steps and evaluations of the last run."""
        count, before = self._it.count, self._counted
        return int(count[s.STEPS] - before[0]), int(count[s.NFEV] - before[1])
