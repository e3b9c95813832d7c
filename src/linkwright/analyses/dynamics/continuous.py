"""The motion of a run at any time of its span, from the interpolants of its steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.analyses.machine.times import merged
from linkwright.errors import ArgumentError
from linkwright.solve.solution import Interpolant

States = Callable[[np.ndarray], np.ndarray]


class Continuous:
    """Coordinates and velocities by channel name: sol(t) for a number or an array of times.

    Between two steps it is as accurate as the steps. At an event that changes the state it gives the state after it.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._pieces: list[tuple[Interpolant, States | None]] = []

    def add(self, piece: Interpolant | None, told: States | None = None) -> None:
        """`told`: states as (q, v, ...), a row each, of the states of the integrator, where those are others."""
        if piece is not None:
            self._pieces.append((piece, told))

    @property
    def t_min(self) -> float:
        return self._pieces[0][0].t_min

    @property
    def t_max(self) -> float:
        return self._pieces[-1][0].t_max

    def __call__(self, t: float | np.ndarray) -> dict[str, np.ndarray]:
        times = np.atleast_1d(np.asarray(t, dtype=float))
        if not self._pieces or times.min(initial=np.inf) < self.t_min or times.max(initial=-np.inf) > self.t_max:
            span = f"from {self.t_min:g} to {self.t_max:g}" if self._pieces else "at no time"
            raise ArgumentError(f"the motion is known {span} only", element="t", remedy="ask for times of the run")
        begins = np.array([piece.t_min for piece, _ in self._pieces])
        which = np.searchsorted(begins, times, side="right") - 1
        out = np.empty((len(times), len(self.names)))
        for k in merged(which):
            piece, told = self._pieces[k]
            states = piece(times[which == k])
            out[which == k] = (states if told is None else told(states))[:, : len(self.names)]
        rows = out[0] if np.ndim(t) == 0 else out.T
        return dict(zip(self.names, rows, strict=True))
