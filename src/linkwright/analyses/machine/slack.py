"""Ropes and belts whose length is kept both ways: where a real one would go slack, or leave a pulley."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from linkwright.model import Belt, Element, Rope

SLIGHT = 1e-9  # of the largest tension: rounding


def slack(elements: Iterable[Element], t: Any, channels: Any) -> list[str]:
    """Notes on ropes and belts that would have to push, and on ropes that lie on a pulley no more, from when on."""
    notes = []
    for e in elements:
        if not isinstance(e, Rope | Belt):
            continue
        name = e.name
        rigid = () if e.elastic else ("tension",) if isinstance(e, Rope) else ("tension_1", "tension_2")
        for channel in (f"{name}.{c}" for c in rigid):
            if channel in channels:
                T = np.atleast_1d(channels[channel])
                what = f"{name} would have to push, by up to {-T.min(initial=0.0):.3g} N"
                pushes = -SLIGHT * np.abs(T).max(initial=0.0) > T
                notes += _first(t, pushes, what, "a real one goes slack there: give k=, so that it does")
        if f"{name}.wrap" in channels:
            what, lifted = f"{name} does not touch one of its pulleys", np.atleast_1d(channels[f"{name}.wrap"]) < 0
            notes += _first(t, lifted, what, "a real one passes it in a straight line")
    return notes


def _first(t: Any, where: np.ndarray, what: str, then: str) -> list[str]:
    return [f"{what}, first at t = {float(np.atleast_1d(t)[np.argmax(where)]):.6g}: {then}"] if where.any() else []
