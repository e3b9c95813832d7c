"""Simulations that begin a rounding apart: how far last digits move a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from unittest.mock import patch

import numpy as np

import linkwright as lw
from linkwright.analyses.dynamics.run import Run

ULP = 2.0**-52
MANY = 1e4  # roundings by which a start is moved, so that what follows is no rounding itself


def shaken(m: lw.Model, seed: int, ulps: float = 1.0, **options: Any) -> Any:
    """The simulation, its start changed by so many roundings; of a copy, since a run of the same model may be made again
    without one."""
    start, chance = Run.__init__, np.random.default_rng(seed)

    def changed(self: Any, equations: Any, course: Any, y: np.ndarray, idle: Any = None) -> None:
        start(self, equations, course, y * (1 + ulps * ULP * chance.integers(-1, 2, len(y))))

    with patch.object(Run, "__init__", changed):
        return lw.dynamics(m.copy(), **options)


def largest(result: Any, names: Iterable[str]) -> dict[str, float]:
    """By unit the largest value of a channel: what is a rounding is measured by that. Torques that are nothing are so beside
    the forces at the machine's lengths, accelerations beside that of gravity."""
    most: dict[str, float] = {}
    for name in names:
        unit = result.unit(name)
        most[unit] = max(most.get(unit, 1e-3), np.abs(result[name]).max(initial=0.0))
    most["N m"] = max(most.get("N m", 0.0), most.get("N", 0.0) * most.get("m", 0.0))
    most["m/s^2"] = max(most.get("m/s^2", 0.0), float(np.linalg.norm(result._source.gravity)))
    return most


def by_channel(one: Callable[[str], Any], other: Any, names: Iterable[str] | None = None) -> dict[str, float]:
    """How far channels are apart, by the largest value of their unit."""
    names = list(other.channels if names is None else names)
    most = largest(other, names)
    return {name: float(np.abs(one(name) - other[name]).max() / most[other.unit(name)]) for name in names}


def apart(one: Callable[[str], Any], other: Any, names: Iterable[str] | None = None) -> float:
    return max(by_channel(one, other, names).values())


def a_rounding(m: lw.Model, result: Any, **options: Any) -> Mapping[str, float]:
    """By channel, what one rounding of the start does to it along the motion: its condition, times a rounding. From starts
    that are MANY roundings away, and runs in proportion."""
    runs = [by_channel(shaken(m, seed, MANY, **options).__getitem__, result) for seed in range(3)]
    return {name: max(run[name] for run in runs) / MANY for name in result.channels}
