"""The blocks that native code fills while it integrates: of output, of the interpolant, of events; they are emptied as they
fill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwright.compile.native import Prepared
from linkwright.solve import stepping as s
from linkwright.solve.drive import EVENTS_A_STEP
from linkwright.solve.solution import MESSAGES, Interpolant, Solution

if TYPE_CHECKING:
    from linkwright.solve.integrate import Integrator

BLOCK_NUMBERS = 1 << 16


class Room:
    """Arrays that native code fills: of output, of the interpolant's nodes and values, of events."""

    def __init__(self, n: int, events: int, width: int) -> None:
        self.rows = max(16, min(BLOCK_NUMBERS // max(n, 1), 1 << 14))
        self.event_rows = max(64, 2 * EVENTS_A_STEP * events) if events else 1
        self.dense_rows = max(16, BLOCK_NUMBERS // max(n * width, 1)) if width else 1
        # Chebyshev points of the second kind: exact for polynomials below their number, and both ends are among them.
        self.nodes = 0.5 - 0.5 * np.cos(np.pi * np.arange(max(width, 2)) / max(width - 1, 1))
        self.output = (
            np.empty(self.rows), np.empty(self.rows * n), self.nodes, np.empty(self.dense_rows * 2),
            np.empty(self.dense_rows * width * n),
        )  # fmt: skip
        self.happened = np.empty(self.event_rows), np.zeros(self.event_rows, dtype=np.int64), np.empty(self.event_rows * n)
        self.left = np.zeros(max(events, 1), dtype=np.int64)
        self.call: Prepared | None = None


class Blocks:
    """Arrays that native code fills, and what was taken from them."""

    def __init__(
        self, integrator: Integrator, t_end: float, t_eval: np.ndarray | None, dense: bool,
        sink: Callable[[np.ndarray, np.ndarray], None] | None, looks: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self.integrator, self.sink, self.every, self.t_end = integrator, sink, t_eval is None, t_end
        count, t0, events = integrator.count, integrator.t, integrator.events
        self.wanted = integrator.times(t0, t_end, t_eval, looks)
        glances = 0 if looks is None else len(looks)
        width = integrator.method.degree + 4 if dense else 0
        self.room = room = integrator.room(width)
        self.nodes, self.output, self.happened, self.left = room.nodes, room.output, room.happened, room.left
        if events is not None:
            self.left[:] = [int(k) or -1 for k in events.terminal]
        count[s.NEXT] = count[s.WRITTEN] = count[s.DENSE_WRITTEN] = count[s.EVENT_WRITTEN] = 0
        count[s.WANTED], count[s.ROWS], count[s.EVERY] = 0 if t_eval is None else len(t_eval), room.rows, self.every
        count[s.GLANCES], count[s.NEXT_GLANCE] = glances, 0
        count[s.DENSE], count[s.DENSE_ROWS], count[s.EVENT_ROWS] = width, room.dense_rows, room.event_rows
        self.pieces: list[tuple[np.ndarray, np.ndarray]] = []
        self.dense: list[tuple[np.ndarray, np.ndarray]] = []
        self.events: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.real = integrator.real
        integrator.real[s.T_SHOWN] = t0
        if self.every or (count[s.WANTED] and self.wanted[0] == t0):
            self._keep(np.array([t0]), integrator.y[None, :].copy())
            count[s.NEXT] = 0 if self.every else 1

    def _keep(self, t: np.ndarray, y: np.ndarray) -> None:
        if self.sink is not None:
            self.sink(t, y)
        else:
            self.pieces.append((t, y))

    def empty(self) -> None:
        """Take what is there."""
        count = self.integrator.count
        shown, dense, events = int(count[s.WRITTEN]), int(count[s.DENSE_WRITTEN]), int(count[s.EVENT_WRITTEN])
        count[s.WRITTEN] = count[s.DENSE_WRITTEN] = count[s.EVENT_WRITTEN] = 0  # first: nothing may be taken twice
        n, (t, y, nodes, spans, values), (at, which, states) = self.integrator.n, self.output, self.happened
        if shown:
            self._keep(t[:shown].copy(), y[: shown * n].reshape(shown, n).copy())
        if dense:
            size = dense * len(nodes) * n
            self.dense.append((spans[: 2 * dense].reshape(dense, 2).copy(), values[:size].reshape(dense, -1, n).copy()))
        if events:
            self.events.append((at[:events].copy(), which[:events].copy(), states[: events * n].reshape(events, n).copy()))

    def solution(self, status: int, used: np.ndarray) -> Solution:
        it, n, counts = self.integrator, self.integrator.n, used.tolist()
        t, y = _joined(self.pieces, (np.empty(0), np.empty((0, n))))
        t_events, y_events, terminal = [], [], None
        if it.events is not None:
            at, which, states = _joined(self.events, (np.empty(0), np.empty(0), np.empty((0, n))))
            picks = [which == k for k in range(it.events.count)]
            t_events, y_events = [at[p] for p in picks], [states[p] for p in picks]
            terminal = int(which[-1]) if status == s.EVENT else None
        sol = Interpolant.of(self.nodes, self.dense) if self.dense and it.count[s.DENSE] else None
        text = MESSAGES[status].format(t=it.t, h=float(it.real[s.H]), k=terminal)
        return Solution(
            t, y, status, text, it.t, it.y.copy(), t_events, y_events, terminal, sol, counts[s.NFEV], counts[s.NJEV],
            counts[s.NLU], counts[s.STEPS], counts[s.REJECTED], counts[s.STIFF], counts[s.ROUNDED],
        )  # fmt: skip


def _joined(parts: Sequence[tuple[np.ndarray, ...]], empty: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The parts one after the other; most runs have one at most."""
    if len(parts) <= 1:
        return parts[0] if parts else empty
    return tuple(np.concatenate(own) for own in zip(*parts, strict=True))
