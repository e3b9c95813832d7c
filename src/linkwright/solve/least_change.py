"""The vector nearest to a target that meets linear equations, where some of its numbers count before the others.

Of all v with C v = c those with the least |v - target| over the numbers that count first, and of these the one with the
least over the rest: an ordered least-squares problem. Small ones are solved in null spaces, by singular values. Large ones
have no sparse null space: there the rest has a small weight, and conjugate gradients, for which that system is the
preconditioner, take out what it pulls at the first numbers. They begin at its solution v0 and so end, of all that fit the
first numbers best, at the one nearest to v0 by all weights: that is the one nearest to the target by the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import linear
from linkwright.later import sparse
from linkwright.regularisation import LEAST_SQUARES
from linkwright.saddle import Saddle
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import analyse, is_sparse, scaled

LITTLE = 1e-5  # the weight of the rest: with less, dependent rows are not told from others
CHOSEN = 1e-9  # relative: directions that weigh less are left open by the numbers that are asked first
ITERATIONS = 60  # of conjugate gradients at most: a few are usual, more where very many numbers are free
DONE = 1e-12  # a pull this small, relative to the first, is the last


@single_threaded
def least_change(
    C: Any, c: np.ndarray, target: np.ndarray, weight: np.ndarray, first: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """weight: how much each number counts, by its size `scale`; first: a mask. Rows that contradict each other are met as
    well as can be: whoever asks has to look."""
    return (_sparse if is_sparse(C) else _dense)(C, c, target, weight, first, scale)


def _dense(
    C: np.ndarray, c: np.ndarray, target: np.ndarray, weight: np.ndarray, first: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    S, lengths = scaled(C, scale)
    v: np.ndarray = scale * linear.lstsq(S, c / lengths, rcond=LEAST_SQUARES)[0]
    Z = analyse(C, scale).right
    trust = np.sqrt(weight) / scale
    least = CHOSEN * np.linalg.norm(trust[:, None] * Z, axis=0).max(initial=0.0)  # else nothing is left to choose
    for group in (np.flatnonzero(first), np.flatnonzero(~first)):
        if Z.shape[1] and len(group):
            U, size, Vt = linear.svd(Z[group] * trust[group, None])
            r = int((size > least).sum())
            v = v + Z @ (Vt[:r].T @ (U.T[:r] @ ((target[group] - v[group]) * trust[group]) / size[:r]))
            Z = Z @ Vt[r:].T
    return v


def _sparse(
    C: Any, c: np.ndarray, target: np.ndarray, weight: np.ndarray, first: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    weight = weight * np.where(first, 1.0, LITTLE) / scale**2
    solve = Saddle(sparse.diags_array(weight).tocsc(), C, scale)
    v = solve(weight * target, c)[0]
    if not first.any() or first.all():
        return v
    own = np.where(first, weight, 0.0)
    pull = own * (target - v)
    p = z = solve(pull, 0.0)[0]
    power = most = float(z @ (weight * z))  # as pull . z, of which rounding is more than the rest
    for _ in range(ITERATIONS):
        bend = float(p @ (own * p))
        if not power > DONE**2 * most or not bend > 0:
            break
        step = power / bend * p
        v, pull = v + step, pull - own * step
        z = solve(pull, 0.0)[0]
        before, power = power, float(z @ (weight * z))
        p = z + power / before * p
    return np.asarray(v + solve(0.0, c - C @ v)[0])
