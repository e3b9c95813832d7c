"""Fixed points x = g(x), many at once: repeated insertion with Anderson's acceleration (type II).

The next x is g of that combination of the last ones whose residuals g(x) - x cancel best. Where g differs from an affine
function by little and depends on as many numbers as it remembers, it converges in a few steps, whether g contracts or not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright import linear
from linkwright.regularisation import RANK, SETTLED

ITERATIONS = 100
MEMORY = 6  # steps at most that it looks back on: more of them are dependent but for rounding


def fixed_points(g: Callable[[np.ndarray], np.ndarray], x: np.ndarray, memory: int) -> np.ndarray:
    """The fixed points of the rows of x, each sought from where it is; the best that were found, where there are none.

    memory: on how many numbers g depends, nearly. A row has settled when it changes by SETTLED of its largest number.
    """
    memory = min(memory, MEMORY)
    best, left = x, np.full(len(x), np.inf)
    dx: list[np.ndarray] = []
    dr: list[np.ndarray] = []
    last: tuple[np.ndarray, np.ndarray] | None = None
    for _ in range(ITERATIONS):
        r = g(x) - x
        off = np.abs(r).max(axis=1, initial=0.0)
        better = off < left
        best, left = np.where(better[:, None], x + r, best), np.where(better, off, left)
        if np.all(left <= SETTLED * np.abs(best).max(axis=1, initial=1e-300)):
            break
        if last is not None:
            dx, dr = [*dx, x - last[0]][-memory:], [*dr, r - last[1]][-memory:]
        last = x, r
        x = x + r
        if not np.isfinite(x).all():
            break
        if dr:
            R, X = np.stack(dr, axis=2), np.stack(dx, axis=2)
            x = x - np.einsum("tip,tp->ti", X + R, np.einsum("tpi,ti->tp", linear.pinv(R, rcond=RANK), r))
    return best
