"""The solution of an integration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.solve import stepping as s

# Every outcome and what to do about it.
MESSAGES = {
    s.FINISHED: "the end of the span is reached",
    s.EVENT: "event {k} ended the run at t = {t:.15g}",
    s.UNDERFLOW: "the step became too small at t = {t:.15g}: the solution may grow without bound there, jump, or be stiff "
    "(then use an implicit method); or the tolerances ask for more than double precision has",
    s.NOT_FINITE: "forces or accelerations are not finite near t = {t:.15g}, however small the step",
    s.NO_CONVERGENCE: "no step succeeds at t = {t:.15g}, however small",
    s.SINGULAR: "the motion is not determined at t = {t:.15g}",
    s.PROJECTION: "the joints do not close near t = {t:.15g}, however small the step",
    -6: "the allowed number of steps is used up at t = {t:.15g}",
    -7: "interrupted at t = {t:.15g}",
}


@dataclass(frozen=True)
class Interpolant:
    """The continuous solution: in each step a polynomial, held by its values at Chebyshev points."""

    nodes: np.ndarray
    spans: np.ndarray  # (steps, 2): where each step begins and ends
    values: np.ndarray  # (steps, nodes, n)

    @classmethod
    def of(cls, nodes: np.ndarray, pieces: list[tuple[np.ndarray, np.ndarray]]) -> Interpolant:
        return cls(nodes, np.concatenate([p[0] for p in pieces]), np.concatenate([p[1] for p in pieces]))

    @property
    def t_min(self) -> float:
        return float(min(self.spans[0, 0], self.spans[-1, 1]))

    @property
    def t_max(self) -> float:
        return float(max(self.spans[0, 0], self.spans[-1, 1]))

    def __call__(self, t: float | np.ndarray) -> np.ndarray:
        """States at t: (n,) for a number, (len(t), n) for an array."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        ends = self.spans[:, 1]
        forward = self.spans[-1, 1] >= self.spans[0, 0]
        k = np.searchsorted(ends, times) if forward else np.searchsorted(-ends, -times)
        k = np.minimum(k, len(ends) - 1)
        theta = (times - self.spans[k, 0]) / (self.spans[k, 1] - self.spans[k, 0])
        weight = (-1.0) ** np.arange(len(self.nodes))
        weight[[0, -1]] *= 0.5
        away = theta[:, None] - self.nodes[None, :]
        hit = away == 0.0
        share = np.where(hit.any(axis=1)[:, None], hit, weight / np.where(hit, 1.0, away))
        share = share / share.sum(axis=1, keepdims=True)
        out = np.einsum("tj,tjn->tn", share, self.values[k])
        return out[0] if np.ndim(t) == 0 else out  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Solution:
    """Times and states (a row a time), events by function, counters, and how it ended.

    status: 1 the end, 2 a terminal event, negative a failure (see `stepping`); `t_last`, `y_last` are where it stopped.
    stiff: steps of an explicit method whose length was ruled by stability; rounded: steps of an implicit one in which
    rounding was more than the tolerances.
    """

    t: np.ndarray
    y: np.ndarray
    status: int
    message: str
    t_last: float
    y_last: np.ndarray
    t_events: list[np.ndarray]
    y_events: list[np.ndarray]
    terminal: int | None
    sol: Interpolant | None
    nfev: int
    njev: int
    nlu: int
    steps: int
    rejected: int
    stiff: int
    rounded: int = 0

    @property
    def success(self) -> bool:
        return self.status > 0
