"""Impacts of several contacts at one time, as numbers in the space of their gaps: who strikes whom, in which order.

W = G M^-1 G^T (joints held) is the matrix by which impulses p along the gaps change their rates r: r+ = r + W p. The law:

- The contact that closes in fastest is struck first, those that close in as fast with it. Each obeys Newton's law one-sided,
  0 <= p, r+ + e r >= 0, one of them zero (Moreau 1988). What this sets in motion strikes next, until nothing closes in: a
  shock runs through a row of balls, and the last one leaves.
- Contacts of restitution zero that touch are one-sided joints meanwhile: they take part in every impact.
- Impacts that have no end at one time (a ball between two others) end plastically, all contacts at once with e = 0, where
  what closes in is a small part of what did at first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright import linear

TIE = 1e-9  # of the fastest: rates that differ by less are the same
SMALL = 1e-9  # of the fastest at first: what closes in slower is no impact
MOST = 2000  # impacts, one after the other
NONE = 1e-13  # of the largest: singular values of W that are none


@dataclass(frozen=True)
class Collision:
    """p: the impulses, by contact; order: contacts that were struck, in the order of their first impact; rates: of the gaps,
    afterwards; ended: whether the sequence ended by itself."""

    p: np.ndarray
    order: list[int]
    rates: np.ndarray
    ended: bool


def collision(W: np.ndarray, rates: np.ndarray, restitution: np.ndarray) -> Collision:
    """Of contacts that touch."""
    p, r, order = np.zeros(len(rates)), np.array(rates), dict[int, None]()
    plastic = restitution == 0
    least = SMALL * max(float(-r.min(initial=0.0)), 0.0)
    struck, count = False, 0
    while (fastest := float(-r.min(initial=0.0))) > least and count < MOST:
        first = r < -(1 - TIE) * fastest
        order |= dict.fromkeys(np.flatnonzero(first).tolist())
        more = one_sided(W, (1 + np.where(first, restitution, 0.0)) * r, first | plastic)
        p, r, struck, count = p + more, r + W @ more, True, count + 1
    if struck and (r < 0).any():
        more = one_sided(W, r, np.ones(len(r), dtype=bool))
        p, r = p + more, r + W @ more
    return Collision(p, list(order), r, count < MOST)


def one_sided(W: np.ndarray, q: np.ndarray, among: np.ndarray) -> np.ndarray:
    """p >= 0 with W p + q >= 0 and p.(W p + q) = 0 among some; zero elsewhere. W is symmetric and positive semidefinite, its
    rows may be dependent: p is the solution of least squares |A p - b| with W = A^T A, q = -A^T b, p >= 0."""
    p = np.zeros(len(q))
    at = np.flatnonzero(among)
    unit = np.sqrt(np.maximum(np.diag(W)[at], 0.0))
    at, unit = at[unit > 0], unit[unit > 0]
    if not len(at) or not (q[at] < 0).any():
        return p
    values, vectors = linear.eigh(W[np.ix_(at, at)] / np.outer(unit, unit))
    good = values > NONE * values[-1]
    root = np.sqrt(values[good])
    A, b = root[:, None] * vectors[:, good].T, -(vectors[:, good].T @ (q[at] / unit)) / root
    p[at] = _nonnegative(A, b) / unit
    return p


def _nonnegative(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Least squares |A x - b| with x >= 0, by active sets (Lawson and Hanson 1974, algorithm NNLS)."""
    n = A.shape[1]
    x, held = np.zeros(n), np.zeros(n, dtype=bool)
    size = float(np.abs(A.T @ b).max(initial=0.0))
    for _ in range(10 * n):
        slope = A.T @ (b - A @ x)
        slope[held] = -np.inf
        if held.all() or slope.max() <= 1e-14 * size:
            break
        held[int(np.argmax(slope))] = True
        while True:
            full = np.zeros(n)
            full[held] = linear.lstsq(A[:, held], b)[0]
            if (full[held] > 0).all():
                break
            back = held & (full <= 0)
            falls = back & (x > full)
            step = float((x[falls] / (x[falls] - full[falls])).min(initial=1.0))
            x = x + step * (full - x)
            held &= x > 1e-15 * np.abs(x).max(initial=0.0)
            x[~held] = 0.0
            if not held.any():
                break
        x = np.where(held, full, 0.0)
    return x
