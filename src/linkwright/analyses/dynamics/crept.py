"""What is held by a mode stays where it is: gaps of closed contacts at zero, joints that stick where they were captured."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.dynamics.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.machine.invariants import Drift


def crept(course: Course, bounces: Bounces) -> list[Drift]:
    """At the ends of the pieces of a run, where errors have had most time to grow; the worst of each kind."""
    pieces = [p for p in course.pieces if len(p.t) and (p.mode.closed or p.mode.stuck)]
    if not pieces:
        return []
    base: Any = bounces.base
    found: dict[tuple[str, str], np.ndarray] = {}
    t = np.array([p.t[-1] for p in pieces])
    for k, piece in enumerate(pieces):
        y, at = piece.y[-1], float(piece.t[-1])
        q, v, turns = base.split(y)
        if piece.mode.closed:
            gap, G = base.gaps(q, v, at, turns, None)[:2]
            size = np.linalg.norm(G * base.scale, axis=1)
            for c in piece.mode.closed:
                off = found.setdefault((bounces.element(c), "the gap of {}, which is closed,"), np.zeros(len(t)))
                off[k] = max(off[k], abs(float(gap[c])) / max(float(size[c]), 1e-300))
        stuck = [c for c in piece.mode.stuck if base.slots[c].coordinate is not None]
        if stuck:
            places = base.system.slot_numbers(*base.load_args(q, v, at, turns))[1]
            for c in stuck:
                name = base.slots[c].element.name
                off = found.setdefault((name, "the place of {}, which sticks,"), np.zeros(len(t)))
                off[k] = max(off[k], abs(float(places[c]) - piece.mode.anchors[c]) / max(base.length, 1e-300))
    return [Drift(what.format(name), t, off, name) for (name, what), off in found.items()]
