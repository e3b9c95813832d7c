"""Analyses of large machines, from the model to the answer with nothing compiled before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks.spatial import loops
from benchmarks.timing import clock

BODIES = (200, 1_000)


@dataclass(frozen=True)
class Row:
    """Processor seconds of one call."""

    analysis: str
    machine: str
    bodies: int
    seconds: float


def chain(n: int, dimension: int, hangs: bool = False) -> Any:
    """Open, on revolute joints; in space axes are crosswise. Straight along x, or hanging."""
    rng = np.random.default_rng(0)
    m: Any = (lw.PlanarModel if dimension == 2 else lw.SpatialModel)("chain", gravity=(0.0, -9.81, 0.0)[:dimension])
    along = np.array([0.0, -1.0, 0.0] if hangs else [1.0, 0.0, 0.0])[:dimension]
    before, at = m.ground, np.zeros(dimension)
    for k in range(n):
        inertia = 0.1 + 0.05 * rng.random(3)
        own = float(inertia[0]) if dimension == 2 else tuple(inertia)
        body = m.body(f"b{k}", mass=1 + rng.random(), inertia=own, position=(k + 0.5) * along)
        across = (0, 1, 0) if hangs else (1, 0, 0)  # turned by it, an axis stays at right angles to the chain
        turn = {"rotation": (across, np.pi / 2 * (k % 2))} if dimension == 3 else {}
        m.add(lw.Revolute(f"j{k}", before.at(*at, **turn), body.at(*(-0.5 * along), **turn)))
        before, at = body, 0.5 * along
    return m


def windows(n: int) -> Any:
    """Parallelograms side by side in space, n bars in all; three rows of each are redundant."""
    m = lw.SpatialModel("windows")
    posts = [m.body(f"post{k}", position=(k, 0, 0)) for k in range(n // 2 + 1)]
    for k, post in enumerate(posts):
        m.add(lw.Revolute(f"A{k}", m.ground.at(k, 0, 0), post.at(0, 0, 0)))
    for k in range(n // 2):
        beam = m.body(f"beam{k}", position=(k, 1, 0))
        m.add(lw.Revolute(f"B{k}", posts[k].at(0, 1, 0), beam.at(0, 0, 0)))
        m.add(lw.Revolute(f"C{k}", posts[k + 1].at(0, 1, 0), beam.at(1, 0, 0)))
    return m


JOBS: list[tuple[str, str, Callable[[int], Any], Callable[[Any], Any]]] = [
    ("check", "chain in the plane", lambda n: chain(n, 2), lw.check),
    ("check", "chain in space", lambda n: chain(n, 3), lw.check),
    ("check", "loops in space", lambda n: loops(n // 2), lw.check),
    ("check", "windows, 1.5 redundant rows a body", windows, lw.check),
    ("assemble", "loops in space", lambda n: loops(n // 2), lw.assemble),
    ("equilibrium", "chain in the plane, let go", lambda n: chain(n, 2), lw.equilibrium),
    ("equilibrium", "chain in space, hanging", lambda n: chain(n, 3, True), lw.equilibrium),
    ("linearize", "chain in the plane, hanging", lambda n: chain(n, 2, True), lw.linearize),
    ("linearize", "chain in space, hanging", lambda n: chain(n, 3, True), lw.linearize),
    ("kinematics, 51 points", "loops in space", lambda n: loops(n // 2), lambda m: lw.kinematics(m, t_end=1, steps=50)),
    ("inverse dynamics, 51 points", "loops in space", lambda n: loops(n // 2),
     lambda m: lw.inverse_dynamics(m, t_end=1, steps=50)),
]  # fmt: skip


def rows(bodies: tuple[int, ...] = BODIES) -> Iterator[Row]:
    for analysis, name, build, run in JOBS:
        for n in bodies:
            model = build(n)
            yield Row(analysis, name, len(model.bodies) - 1, _first_call(run, model))


def _first_call(run: Callable[[Any], Any], model: Any) -> float:
    """Seconds with an empty cache."""
    before = os.environ.get("LINKWRIGHT_CACHE")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["LINKWRIGHT_CACHE"] = empty
        try:
            begin = clock()
            run(model)
            return clock() - begin
        finally:
            os.environ.pop("LINKWRIGHT_CACHE") if before is None else os.environ.update(LINKWRIGHT_CACHE=before)


def table(found: list[Row]) -> str:
    lines = ["| analysis | machine | bodies | first call [s] |", "|---|---|---|---|"]
    lines += [f"| {r.analysis} | {r.machine} | {r.bodies:,} | {r.seconds:.2f} |" for r in found]
    return "\n".join(lines)
