"""Impacts of several contacts at one time, as numbers in the space of their gaps: who strikes whom, in which order.

W = G M^-1 G^T (joints held) is the matrix by which impulses p along the gaps change their rates r: r+ = r + W p. The law:

- The contact that closes in fastest is struck first, those that close in as fast with it. Each obeys Newton's law one-sided,
  0 <= p, r+ + e r >= 0, one of them zero (Moreau 1988). What this sets in motion strikes next, until nothing closes in: a
  shock runs through a row of balls, and the last one leaves.
- Contacts of restitution zero that touch are one-sided joints meanwhile: they take part in every impact.
- Impacts that have no end at one time (a ball between two others) end plastically, all contacts at once with e = 0, where
  what closes in is a small part of what did at first.
- Where bodies rub, an impulse p of a gap comes with one across it, mu p at most: it ends the sliding there, or is mu p
  against the sliding that is left (Kane and Levinson 1985). No impact makes energy: where Newton's law would, as much of
  the restitution is taken as makes none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright import linear
from linkwright.solve.impulses import Cone, impulses, residual

TIE = 1e-9  # of the fastest: rates that differ by less are the same
SMALL = 1e-9  # of the fastest at first: what closes in slower is no impact
MOST = 2000  # impacts, one after the other
MADE = 1e-12  # of the work of impulses against the rates before: energy from rounding
HALVED = 50  # times, until a part of the restitution is known
ROUGH = 1e-6  # of the largest rate: what may be left of the law of friction
NONE = 1e-13  # of the largest: singular values of W that are none


@dataclass(frozen=True)
class Collision:
    """p: the impulses, by contact, then across; order: contacts that were struck, in the order of their first impact;
    rates: of the gaps, afterwards; ended: whether the sequence ended by itself; obeyed: whether friction is Coulomb's."""

    p: np.ndarray
    order: list[int]
    rates: np.ndarray
    ended: bool
    obeyed: bool = True


def collision(W: np.ndarray, rates: np.ndarray, restitution: np.ndarray, rubs: Sequence[Cone] = ()) -> Collision:
    """Of contacts that touch, a restitution each. rates: of their gaps, then of sliding, which `rubs` tells of."""
    count = len(restitution)
    cones = [Cone(k) for k in range(count)]
    for c in rubs:
        cones[c.gap] = c
    p, r, order = np.zeros(len(rates)), np.array(rates), dict[int, None]()
    plastic = restitution == 0
    least = SMALL * max(float(-r[:count].min(initial=0.0)), 0.0)
    struck, rounds, obeyed = False, 0, True
    while (fastest := float(-r[:count].min(initial=0.0))) > least and rounds < MOST:
        first = r[:count] < -(1 - TIE) * fastest
        order |= dict.fromkeys(np.flatnonzero(first).tolist())
        among = [c for c in cones if first[c.gap] or plastic[c.gap]]
        more, good = _blow(W, r, np.where(first, restitution, 0.0), among)
        p, r, struck, rounds, obeyed = p + more, r + W @ more, True, rounds + 1, obeyed and good
    if struck and (r[:count] < 0).any():
        more, good = _blow(W, r, np.zeros(count), cones)
        p, r, obeyed = p + more, r + W @ more, obeyed and good
    return Collision(p, list(order), r[:count], rounds < MOST, obeyed)


def _blow(W: np.ndarray, r: np.ndarray, e: np.ndarray, among: list[Cone]) -> tuple[np.ndarray, bool]:
    """The impulses of contacts that are struck at once, and whether they obey the law. Newton's makes energy where contacts
    of several restitutions, or friction that turns the sliding round, feed each other: as much of the restitution is taken
    as makes none."""
    most, obeyed = _impulses(W, r, e, among)
    if not _work(W, r, most) > MADE * abs(float(most @ r)):
        return most, obeyed
    low, high = 0.0, 1.0
    p, obeyed = _impulses(W, r, 0.0 * e, among)
    for k in range(2 * HALVED):
        part = low + (high - low) * (0.5 if k % 2 else _zero(W, r, p, most))
        more, good = _impulses(W, r, part * e, among)
        work = _work(W, r, more)
        if abs(work) <= MADE * abs(float(more @ r)):
            return more, good
        if work > 0:
            high, most = part, more
        else:
            low, p, obeyed = part, more, good
    return p, obeyed


def _zero(W: np.ndarray, r: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """How far from impulses that take energy to others that make some their work is zero: impulses are linear in the
    restitution while the same contacts stick and slide, and their work is a quadratic, concave nowhere."""
    d = high - low
    a, b, c = 0.5 * float(d @ W @ d), float(d @ (r + W @ low)), min(_work(W, r, low), 0.0)
    root = float(np.sqrt(max(b * b - 4 * a * c, 0.0)))
    if b > 0:
        return min(-2 * c / (b + root), 1.0)
    return min((root - b) / (2 * a), 1.0) if a > 0 else 0.5


def _work(W: np.ndarray, r: np.ndarray, p: np.ndarray) -> float:
    """The energy that impulses bring in."""
    return float(p @ r + 0.5 * p @ W @ p)


def _impulses(W: np.ndarray, r: np.ndarray, e: np.ndarray, among: list[Cone]) -> tuple[np.ndarray, bool]:
    q = r.copy()
    q[: len(e)] *= 1 + e
    rubs = any(c.slip for c in among)
    if rubs:
        p = impulses(W, q, among)
        if p is not None:
            return p, residual(W, q, p, among) <= ROUGH * np.abs(q).max(initial=0.0)
    gaps = np.zeros(len(r), dtype=bool)
    gaps[[c.gap for c in among]] = True
    return one_sided(W, q, gaps), not rubs


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
