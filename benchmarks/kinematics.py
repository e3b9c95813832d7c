"""Kinematics from Python: 100,000 positions of a slider-crank, with and without velocities and accelerations; the same
positions by pylinkage, if it is installed.

Each library is called as its user would: Linkwright by `kinematics(model, ...)`, pylinkage by `step_fast`, its loop compiled
by numba, and by `step`, its generator. Each result is compared with the closed form before it is timed. The first call,
which traces and compiles, is a figure of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks.timing import Figure, clock

STEPS, TURNS = 100_000, 10
CRANK, ROD = 2.0, 3.5
REPETITIONS = 15


@dataclass(frozen=True)
class Row:
    """What was computed by whom: seconds of the first call, seconds of the others, largest error of the slider's place."""

    who: str
    what: str
    first: float
    again: Figure
    error: float


def slider_crank() -> lw.PlanarModel:
    m = lw.PlanarModel("slider-crank")
    crank, rod = m.body("crank", angle=0.7), m.body("rod", position=(3, 1), angle=-0.4)
    slider = m.body("slider", position=(5, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(CRANK, 0), rod.at(-ROD / 2, 0)))
    m.add(lw.Revolute("C", rod.at(ROD / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", A.angle, "pi/4 + 2*pi*t"))
    return m


def exact(phi: np.ndarray) -> np.ndarray:
    return np.asarray(CRANK * np.cos(phi) + np.sqrt(ROD**2 - (CRANK * np.sin(phi)) ** 2))


def _timed(who: str, what: str, prepare: Callable[[], Any], call: Callable[[Any], Any], place: Callable[[Any], Any]) -> Row:
    """`prepare` makes the machine and is not timed; `place` gives times in turns of the crank and the slider's x."""
    seconds = []
    for _ in range(REPETITIONS + 1):
        machine = prepare()
        start = clock()
        result = call(machine)
        seconds.append(clock() - start)
    turns, x = place(result)
    error = float(np.abs(x - exact(pi / 4 + 2 * pi * turns)).max())
    return Row(who, what, seconds[0], Figure.of(seconds[1:]), error)


def rows() -> list[Row]:
    m = slider_crank()

    def run(rates: bool) -> Callable[[Any], Any]:
        return lambda m: lw.kinematics(m, t_end=TURNS, steps=STEPS, rates=rates)

    names = {False: "positions", True: "positions, velocities, accelerations"}
    found = [
        _timed("Linkwright", what, lambda: m, run(rates), lambda k: (k.t, k["slider.x"])) for rates, what in names.items()
    ]
    return found + _pylinkage()


def _pylinkage() -> list[Row]:
    try:
        import pylinkage as pl
    except ImportError:
        return []

    def prepare() -> Any:
        A, first, second = pl.Ground(0, 0, name="A"), pl.Ground(0, 0, name="first"), pl.Ground(1, 0, name="second")
        crank = pl.Crank(anchor=A, radius=CRANK, angular_velocity=2 * pi * TURNS / STEPS, initial_angle=pi / 4, name="B")
        slider = pl.RRPDyad(
            revolute_anchor=crank.output, line_anchor1=first, line_anchor2=second, distance=ROD, name="C"
        )  # fmt: skip
        return pl.Linkage([A, first, second, crank, slider], name="slider-crank")

    turns = np.arange(1, STEPS + 1) * TURNS / STEPS
    return [
        _timed("pylinkage, step_fast", "positions", prepare, lambda machine: machine.step_fast(iterations=STEPS),
               lambda out: (turns, out[:, -1, 0])),
        _timed("pylinkage, step", "positions", prepare, lambda machine: list(machine.step(iterations=STEPS)),
               lambda out: (turns, np.array([p[-1][0] for p in out]))),
    ]  # fmt: skip


def table(found: list[Row]) -> str:
    lines = [
        f"| {STEPS:,} points | | first call [s] | again [ms] | error [m] |",
        "|---|---|---|---|---|",
    ]
    for r in found:
        again = f"{1e3 * r.again.median:.1f} ({100 * r.again.spread:.0f}%)"
        lines.append(f"| {r.who} | {r.what} | {r.first:.2f} | {again} | {r.error:.0e} |")
    return "\n".join(lines)
