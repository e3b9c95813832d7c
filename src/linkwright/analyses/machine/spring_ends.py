"""Springs whose ends pass through each other: the direction of their force jumps there, and no real spring does that.

A run steps over the jump: the step is made smaller until its error is within the tolerance, but some of it is left. Nothing
is watched for it, which would cost every machine with a spring on a slide; what was seen at the times of output is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from linkwright.model import Element, Point, Spring
from linkwright.results.motion import MotionResult
from linkwright.results.places import fixed_point

Value = Callable[[Any], float]
STRAIGHT = 1e-8  # directions that differ by less are one


def passed_through(elements: Iterable[Element], value: Value, result: MotionResult) -> list[str]:
    """Notes on springs that turned around between two times of output, along the line they lie and move on. value: of
    expressions of parameters."""
    notes = []
    for e in elements:
        if not isinstance(e, Spring) or _regular(value, e) or f"{e.name}.length" not in result:
            continue
        (P, vP), (Q, vQ) = _moving(value, result, e.P), _moving(value, result, e.Q)
        d, ddot = Q - P, vQ - vP
        apart = np.flatnonzero(np.linalg.norm(d, axis=1) > 1e-12 * np.abs(d).max(initial=0.0))
        a, b = apart[:-1], apart[1:]
        on_line = _along(d, ddot)
        turned = (np.einsum("ti,ti->t", d[a], d[b]) < 0) & on_line[a] & on_line[b] & _along(d[a], d[b])
        if turned.any():
            k = int(np.argmax(turned))
            notes.append(
                f"the ends of {e.name} pass through each other, first between t = {result.t[a[k]]:.6g} and "
                f"{result.t[b[k]]:.6g}: the direction of its force jumps there, and some error of the steps over the jump "
                "is left; no real spring does that"
            )
    return notes


def _regular(value: Value, e: Spring) -> bool:
    """k d and a damper need no direction."""
    return value(e.length) == 0 and type(e.force) is float and e.force == 0


def _along(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Row by row, whether v is along u, in either sense; also where it is zero."""
    size = np.linalg.norm(u, axis=1)
    unit = u / np.where(size > 0, size, 1.0)[:, None]
    across = v - np.einsum("ti,ti->t", unit, v)[:, None] * unit
    out: np.ndarray = np.linalg.norm(across, axis=1) <= STRAIGHT * np.linalg.norm(v, axis=1)
    return out


def _moving(value: Value, result: MotionResult, P: Point) -> tuple[np.ndarray, np.ndarray]:
    """A point of a body and its velocity over time, ground axes."""
    s, body = np.array([value(x) for x in P.s]), P.body.name
    place = fixed_point(result, body, s)
    assert place is not None
    if P.body.is_ground:
        return place, np.zeros_like(place)
    A, n = result._axes(body, len(s)), len(s)
    v = np.stack([result[f"{body}.{c}"] for c in ("vx", "vy", "vz")[:n]], axis=1)
    arm = np.einsum("tij,j->ti", A, s)
    if n == 2:
        return place, v + result[f"{body}.omega"][:, None] * np.stack([-arm[:, 1], arm[:, 0]], axis=1)
    omega = np.einsum("tij,tj->ti", A, np.stack([result[f"{body}.w{c}"] for c in "xyz"], axis=1))
    return place, v + np.cross(omega, arm)
