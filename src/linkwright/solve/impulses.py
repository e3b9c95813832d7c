"""Impulses of contacts with dry friction, all at once: a complementarity problem with cones.

Rates of gaps and of sliding are r+ = r + W p after impulses p along them. Of each contact the normal impulse n and the
tangential ones f obey

    0 <= n, 0 <= r+ of its gap, n r+ = 0;    |f| <= mu n, and f = -mu n s/|s| where it slides afterwards at s.

Contact after contact is solved exactly with the others as they are (Gauss-Seidel, Jean 1999). It finds out which of them
are open, stick and slide; from there Newton's method takes a few steps. What does not converge so goes by
Lemke's method: exact in the plane, with pyramids for cones in space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright import linear
from linkwright.solve.complementarity import lemke

SWEEPS = 100  # over all contacts
PARTS = (1.0, 0.4, 0.1)  # of a change that is made, where whole ones do not come to an end
TRIED = 10  # sweeps after which Newton's method is tried
NEWTON = 12  # steps
ROUNDING = 1e-13  # of the largest impulse: steps of Newton's method that do not shrink any more
EXACT = 1e-12  # of the largest rate: what may be left of the equations
ROUGH = 1e-7  # the same, where nothing better is found
FACES = 12  # of a pyramid in place of a cone
REFINED = 8  # times that such a pyramid gets edges where the answer is
JAMMED = 1e6  # in units of a contact: larger impulses hold each other, and rounding decides on what they leave to others
RANK = 1e-11  # singular values below this part of the largest are none: contacts that depend on each other


@dataclass(frozen=True)
class Cone:
    """A contact: the row of its gap, those of its sliding (none: without friction), its coefficient."""

    gap: int
    slip: tuple[int, ...] = ()
    mu: float = 0.0

    @property
    def rows(self) -> list[int]:
        return [self.gap, *self.slip]


def impulses(W: np.ndarray, r: np.ndarray, cones: Sequence[Cone]) -> np.ndarray | None:
    """p by row, zero in rows of no contact; None, where none is found."""
    size = np.sqrt(np.maximum(np.diag(W), 0.0))
    unit = np.ones(len(r))
    for c in cones:  # one unit for all tangents of a contact: circles stay circles
        unit[c.gap] = size[c.gap] or 1.0
        unit[list(c.slip)] = size[list(c.slip)].max(initial=0.0) or 1.0
    largest = np.abs(r / unit).max(initial=0.0)
    if not cones or largest == 0:
        return np.zeros(len(r))
    scaled = [Cone(c.gap, c.slip, c.mu * _of(unit, c) / unit[c.gap]) for c in cones]
    p = _found(W / np.outer(unit, unit), r / unit / largest, scaled)
    return None if p is None else p * largest / unit


def _of(unit: np.ndarray, c: Cone) -> float:
    return float(unit[c.slip[0]]) if c.slip else 1.0


def _found(W: np.ndarray, r: np.ndarray, cones: list[Cone]) -> np.ndarray | None:
    best = np.zeros(len(r))
    left = residual(W, r, best, cones)
    for part in PARTS:
        p = np.zeros(len(r))
        for sweep in range(SWEEPS):
            for c in cones:
                rows = c.rows
                own = W[np.ix_(rows, rows)]
                p[rows] += part * (_alone(own, (r + W @ p)[rows] - own @ p[rows], c.mu) - p[rows])
            if sweep not in (0, 3) and sweep % TRIED != TRIED - 1:
                continue
            for x in (_newton(W, r, p, cones), p.copy()):
                if _is_moderate(x) and (off := residual(W, r, x, cones)) < left:
                    best, left = x, off
            if left <= EXACT:
                return best
    pivoted, ways = None, [_faces(c) for c in cones]
    for _ in range(REFINED):
        pivoted = _by_pivots(W, r, cones, ways)
        if pivoted is None or not _is_moderate(pivoted):
            pivoted = None
            break
        for x in (pivoted, _newton(W, r, pivoted, cones)):
            if _is_moderate(x) and (off := residual(W, r, x, cones)) < left:
                best, left = x, off
        if left <= EXACT or all(len(c.slip) < 2 for c in cones):
            break
        ways = [np.vstack([_faces(c), *_near(c, pivoted, r + W @ pivoted)]) for c in cones]
    return best if left <= ROUGH else pivoted


def _is_moderate(p: np.ndarray) -> bool:
    return bool(np.abs(p).max(initial=0.0) <= JAMMED)


def residual(W: np.ndarray, r: np.ndarray, p: np.ndarray, cones: Sequence[Cone]) -> float:
    """The largest violation of the law by the impulses p."""
    after, worst = r + W @ p, 0.0
    for c in cones:
        n, rate, f, s = p[c.gap], after[c.gap], p[list(c.slip)], after[list(c.slip)]
        worst = max(worst, abs(min(n, rate)))
        if c.slip:
            worst = max(worst, float(np.linalg.norm(f - _within(f - s, c.mu * max(n, 0.0)))))
    return float(worst)


def _within(f: np.ndarray, radius: float) -> np.ndarray:
    length = float(np.linalg.norm(f))
    return f if length <= radius else f * (radius / length)


# -- a single contact ------------------------------------------------------------------------------------------------------
def _alone(W: np.ndarray, r: np.ndarray, mu: float) -> np.ndarray:
    """The impulse of one contact with the others as they are: open, sticking or sliding."""
    p = np.zeros(len(r))
    if r[0] >= 0 or W[0, 0] <= 0:
        return p
    if len(r) == 1:
        p[0] = -r[0] / W[0, 0]
        return p
    full = linear.lstsq(W, -r, rcond=RANK)[0]
    sticks = np.abs(W @ full + r).max() <= 1e-9 * np.abs(r).max()
    if sticks and full[0] >= 0 and np.linalg.norm(full[1:]) <= mu * full[0]:
        return np.asarray(full)
    ways = [np.array([1.0]), np.array([-1.0])] if len(r) == 2 else _ways(W, r, mu)
    best, most = None, -np.inf
    for s in ways:  # it slides along s, with friction against it
        compliances = W[0, 0] - mu * float(W[0, 1:] @ s)
        if compliances <= RANK * W[0, 0]:
            continue
        n = -r[0] / compliances
        agrees = float(s @ (r[1:] + n * (W[1:, 0] - mu * W[1:, 1:] @ s)))
        if agrees > most:
            best, most = np.concatenate([[n], -mu * n * s]), agrees
    return p if best is None else best


def _ways(W: np.ndarray, r: np.ndarray, mu: float) -> list[np.ndarray]:
    """Directions s(a) in which a contact in space may slide: s x (sliding after) = 0, a trigonometric polynomial of degree
    two in a, the roots of one of degree four in exp(i a)."""
    angle = 2 * np.pi * np.arange(8) / 8
    s = np.array([np.cos(angle), np.sin(angle)])
    slip = r[1:, None] * (W[0, 0] - mu * (W[0, 1:] @ s)) - r[0] * (W[1:, [0]] - mu * (W[1:, 1:] @ s))
    c = np.fft.fft(s[0] * slip[1] - s[1] * slip[0]) / 8  # coefficients of exp(i k a), k = 0, 1, 2, ..., -2, -1
    polynomial = np.array([c[2], c[1], c[0], c[-1], c[-2]])
    if not np.abs(polynomial).max() > 1e-15 * np.abs(slip).max():  # every direction is as good: it does not slide
        return []
    roots = linear.roots(polynomial)
    found = roots[np.abs(np.abs(roots) - 1) < 1e-4]
    return [np.array([z.real, z.imag]) / abs(z) for z in found]


# -- all of them -----------------------------------------------------------------------------------------------------------
def _newton(W: np.ndarray, r: np.ndarray, p: np.ndarray, cones: list[Cone]) -> np.ndarray:
    """Newton's method from p on, with contacts open, sticking and sliding as they are there: n = 0 and f = 0; r+ = 0; r+ of
    the gap zero and f |s| + mu n s = 0."""
    p = p.copy()
    after = r + W @ p
    slides = {}
    for c in cones:
        bound = c.mu * p[c.gap]
        slides[c] = bool(c.slip) and float(np.linalg.norm(p[list(c.slip)] - after[list(c.slip)])) > bound * (1 + 1e-9)
    closed = [c for c in cones if p[c.gap] > 0]
    rows = np.array([k for c in closed for k in c.rows], dtype=int)
    p[[k for c in cones for k in c.rows if k not in rows]] = 0.0
    last = np.inf
    for _ in range(NEWTON if len(rows) else 0):
        after = r + W @ p
        F, A = after[rows].copy(), W[np.ix_(rows, rows)].copy()
        for c in closed:
            if slides[c]:
                _sliding(c, rows, p, after, F, A)
        step = linear.lstsq(A, -F, rcond=RANK)[0]
        p[rows] += step
        size = float(np.abs(step).max()) / (float(np.abs(p).max()) or 1.0)
        if size <= 1e-15 or last / 2 < size <= ROUNDING:
            break
        last = size
    return p


def _sliding(c: Cone, rows: np.ndarray, p: np.ndarray, after: np.ndarray, F: np.ndarray, A: np.ndarray) -> None:
    """The equations f + mu n s/|s| = 0 of a contact that slides, and their derivatives."""
    slip, f, s = list(c.slip), p[list(c.slip)], after[list(c.slip)]
    speed = float(np.linalg.norm(s))
    at = np.searchsorted(rows, slip, sorter=np.argsort(rows))
    at = np.argsort(rows)[at]
    if speed <= 1e-14:  # at the edge of its cone, at rest: along its friction
        way = -f / (float(np.linalg.norm(f)) or 1.0)
        turn = np.zeros((len(slip), len(rows)))
    else:
        way = s / speed
        turn = (np.eye(len(slip)) - np.outer(way, way)) / speed @ A[at]
    F[at] = f + c.mu * p[c.gap] * way
    A[at] = c.mu * p[c.gap] * turn
    A[at, at] += 1.0
    A[at, int(np.flatnonzero(rows == c.gap)[0])] += c.mu * way


def _faces(c: Cone) -> np.ndarray:
    """Directions of the pyramid in place of a cone; in the plane there are two, and that is the law."""
    if len(c.slip) < 2:
        return np.array([[1.0], [-1.0]])[:, : len(c.slip)]
    angle = 2 * np.pi * np.arange(FACES) / FACES
    return np.array([np.cos(angle), np.sin(angle)]).T


def _near(c: Cone, p: np.ndarray, after: np.ndarray) -> list[np.ndarray]:
    """Further directions where the answer is: along the friction, and against the sliding that is left."""
    found = [x / size for x in (p[list(c.slip)], -after[list(c.slip)]) if (size := float(np.linalg.norm(x))) > 1e-12]
    return [x[None] for x in found]


def _by_pivots(W: np.ndarray, r: np.ndarray, cones: list[Cone], along: list[np.ndarray]) -> np.ndarray | None:
    """w = M z + q of z = (n of all, friction of each `along` some directions, a speed-up of each): those of a pyramid within
    the cone, which takes energy all the same."""
    columns = [np.eye(len(r))[c.gap] for c in cones]
    ways = []
    for c, edges in zip(cones, along, strict=True):
        ways.append(list(range(len(columns), len(columns) + (len(edges) if c.slip else 0))))
        for s in edges if c.slip else []:
            columns.append(np.zeros(len(r)))
            columns[-1][list(c.slip)] = s
    B = np.array(columns).T
    m, n = B.shape[1], B.shape[1] + len(cones)
    M, q = np.zeros((n, n)), np.zeros(n)
    M[:m, :m], q[:m] = B.T @ W @ B, B.T @ r
    for k, (c, own) in enumerate(zip(cones, ways, strict=True)):
        M[own, m + k], M[m + k, own], M[m + k, k] = 1.0, -1.0, c.mu
    z = lemke(M, q)
    return None if z is None else np.asarray(B @ z[:m])
