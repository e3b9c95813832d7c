"""Checks of what a mode holds: gaps of closed contacts stay zero, joints that stick stay where they were captured; friction
that holds is within its bound, and friction that slides is against the motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.dynamics.contact.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.machine.invariants import Drift
from linkwright.analyses.machine.times import merged
from linkwright.system.held import NO_MODE

LOOKS, MOST = 5, 500  # states of a piece, and of a run, at which friction is looked at


def overloaded(course: Course, bounces: Bounces) -> list[Drift]:
    """By how much the friction of what sticks exceeds its bound, relative to the largest bound of those that stick."""
    base: Any = bounces.base
    if not base.slots:
        return []
    found: dict[str, list[tuple[float, float]]] = {}
    at = np.cumsum([0, *[s.size for s in base.slots]])
    pieces = [p for p in course.pieces if len(p.t) and p.mode.stuck]
    count = min(LOOKS, max(MOST // max(len(pieces), 1), 1))
    last = course.pieces[-2].t[-1] if len(course.pieces) > 1 and len(course.pieces[-2].t) else -np.inf
    for piece in pieces[:: len(pieces) // MOST + 1]:
        machine = base.holding(piece.mode)
        hair = 1e-9 * (piece.t[-1] - piece.t[0])  # at the ends laws may change, but for that of the run
        begin, end = piece.t[0] + hair, piece.t[-1] - hair
        if piece is course.pieces[-1] and course.stopped is None:
            begin, end = last + hair, np.inf
        within = np.flatnonzero((piece.t > begin) & (piece.t < end))
        for k in within[merged(np.linspace(0, len(within) - 1, count).astype(int))] if len(within) else ():
            t, y = float(piece.t[k]), piece.y[k]
            F, N = machine.slot_forces(t, y, machine.solved(t, y).lam)
            numbers = base.slot_numbers(t, y)[0]
            most = numbers[:, 1] * N + numbers[:, 2]
            size = max(float(most[list(piece.mode.stuck)].max()), 1e-300)
            for c in piece.mode.stuck:
                beyond = float(np.linalg.norm(F[at[c] : at[c + 1]])) - float(most[c])
                found.setdefault(base.slots[c].element.name, []).append((t, max(beyond / size, 0.0)))
    return [
        Drift(f"the friction of {name}, which sticks and exceeds its bound,", times, values, name)
        for name, (times, values) in ((k, np.array(seen).T) for k, seen in found.items())
    ]


def driving(course: Course, bounces: Bounces) -> list[Drift]:
    """How fast slots of one speed move along their friction instead of against it, relative to the largest speeds of the
    run, at the ends of pieces."""
    base: Any = bounces.base
    at = np.cumsum([0, *[s.size for s in base.slots]])
    single = [k for k, s in enumerate(base.slots) if s.size == 1]
    pieces = [p for p in course.pieces if single and len(p.t) and p.mode.senses]
    pieces = pieces[:: len(pieces) // MOST + 1]
    t, slides = np.array([p.t[-1] for p in pieces]), np.zeros((len(pieces), len(single)))
    speed, size = 1e-300, np.zeros(len(single))
    for i, piece in enumerate(pieces):
        v = base.split(piece.y[-1])[1]
        D = base.slot_rows(float(t[i]), piece.y[-1])[at[single]]
        held = {*piece.mode.stuck, *piece.mode.full, *piece.mode.smooth}
        away = [k in held or base.slots[k].impact not in (None, *piece.mode.closed) for k in single]
        slides[i] = np.where(away, 0.0, D @ v * np.array(piece.mode.senses)[at[single]])
        speed = max(speed, float(np.abs(piece.y[:, base.nq : base.nq + base.nv] / base.scale).max()))
        size = np.maximum(size, np.linalg.norm(D * base.scale, axis=1))
    found: dict[str, np.ndarray] = {}
    for k, own in zip(single, (np.maximum(-slides, 0.0) / (np.maximum(size, 1e-300) * speed)).T, strict=True):
        if own.any():
            name = base.slots[k].element.name
            found[name] = np.maximum(found.get(name, 0.0), own)
    return [Drift(f"the speed of {name}, which its friction drives,", t, off, name) for name, off in found.items()]


def crept(course: Course, bounces: Bounces) -> list[Drift]:
    """How far closed gaps and stuck joints have moved at the ends of the pieces of a run, where errors have had most time to
    grow; the worst of each kind."""
    pieces = [p for p in course.pieces if p.mode is not NO_MODE and len(p.t) and (p.mode.closed or p.mode.stuck)]
    if not pieces:
        return []
    base: Any = bounces.base
    found: dict[tuple[str, str], np.ndarray] = {}
    t = np.array([p.t[-1] for p in pieces])
    for k, piece in enumerate(pieces):
        y, at = piece.y[-1], float(piece.t[-1])
        if piece.mode.closed:
            gap, G = base.gaps(at, y)[:2]
            size = np.linalg.norm(G * base.scale, axis=1)
            for c in piece.mode.closed:
                off = found.setdefault((bounces.element(c), "the gap of {}, which is closed,"), np.zeros(len(t)))
                off[k] = max(off[k], abs(float(gap[c])) / max(float(size[c]), 1e-300))
        stuck = [c for c in piece.mode.stuck if base.slots[c].coordinate is not None]
        if stuck:
            places = base.slot_numbers(at, y)[1]
            for c in stuck:
                name = base.slots[c].element.name
                off = found.setdefault((name, "the place of {}, which sticks,"), np.zeros(len(t)))
                off[k] = max(off[k], abs(float(places[c]) - piece.mode.anchors[c]) / max(base.length, 1e-300))
    return [Drift(what.format(name), t, off, name) for (name, what), off in found.items()]
