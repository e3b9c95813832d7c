"""Simulations that begin a rounding apart: how far last digits move a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.run import Run

ULP = 2.0**-52


def shaken(monkeypatch: pytest.MonkeyPatch, m: lw.Model, seed: int, ulps: float = 1.0, **options: Any) -> Any:
    """The simulation, its start changed by so many roundings; of a copy, since a run of the same model may be made again
    without one."""
    start, chance = Run.__init__, np.random.default_rng(seed)

    def changed(self: Any, equations: Any, course: Any, y: np.ndarray, idle: Any = None) -> None:
        start(self, equations, course, y * (1 + ulps * ULP * chance.integers(-1, 2, len(y))), idle)

    with monkeypatch.context() as patch:
        patch.setattr(Run, "__init__", changed)
        return lw.dynamics(m.copy(), **options)


def apart(one: Callable[[str], Any], other: Any, names: Iterable[str] | None = None) -> float:
    """The largest difference of a channel, by the largest value of its unit."""
    names = list(other.channels if names is None else names)
    most: dict[str, float] = {}
    for name in names:
        most[other.unit(name)] = max(most.get(other.unit(name), 1e-3), np.abs(other[name]).max())
    return float(max(np.abs(one(name) - other[name]).max() / most[other.unit(name)] for name in names))
