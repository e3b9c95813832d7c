"""Many runs at once: the slider-crank from many speeds, a second each, in Linkwright's sweep and in MuJoCo's rollout.

Timed is processor time on one core, of a call that has been made before. The reference is the motion's energy integral.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks import dynamics
from benchmarks.programs.trees import slider_crank
from benchmarks.timing import Figure, clock

SPAN, REPETITIONS = 1.0, 5
MANY, FEW = 16384, 64  # runs of Linkwright, and of MuJoCo, which takes hundreds of times as long for each
COMPARED = 32  # runs that the reference is computed for


@dataclass(frozen=True)
class Batch:
    """One program at one setting: its largest error over the runs, and runs a second of processor time."""

    program: str
    setting: str
    error: float
    runs_per_second: Figure


def speeds(count: int) -> np.ndarray:
    return np.linspace(8.0, 16.0, count)


@cache
def reference(count: int) -> np.ndarray:
    return np.array([dynamics.exact(w, SPAN) for w in speeds(count)[:: count // COMPARED]])


def _timed(program: str, setting: str, run: Callable[[], np.ndarray]) -> Batch:
    found, rates = run(), []
    for _ in range(REPETITIONS):
        start = clock()
        run()
        rates.append(len(found) / (clock() - start))
    error = np.abs(found[:: len(found) // COMPARED] - reference(len(found))).max()
    return Batch(program, setting, float(error), Figure.of(rates))


def linkwright() -> Iterator[Batch]:
    m = dynamics.slider_crank()
    for rtol in (1e-4, 1e-6, 1e-8):
        options = {"t_end": SPAN, "steps": 1, "rtol": rtol, "formulation": "joint"}

        def run(options: dict[str, Any] = options) -> np.ndarray:
            study = lw.sweep(m, {"crank.omega": speeds(MANY)}, keep=[lw.final("crank.angle")], threads=1, **options)
            return study["final(crank.angle)"]

        yield _timed("Linkwright", f"sweep, rtol {rtol:.0e}", run)


def mujoco() -> Iterator[Batch]:
    from mujoco import MjData, rollout

    from benchmarks.programs.mujoco_runs import built

    tree = slider_crank()
    for h in (5e-3, 2e-3, 1e-3, 2e-4):
        model = built(tree, h, "RK4")
        data = MjData(model)
        rates = np.array(
            [next(link.rate for link in tree.links if link.name == model.joint(j).name) for j in range(model.nv)]
        )
        start = np.zeros((FEW, 1 + model.nq + model.nv))  # time, qpos, qvel
        start[:, 1 + model.nq :] = rates * (speeds(FEW) / dynamics.OMEGA)[:, None]
        crank = model.joint("crank").qposadr[0]

        def run(
            model: Any = model, data: Any = data, start: np.ndarray = start, crank: int = crank, h: float = h
        ) -> np.ndarray:
            states, _ = rollout.rollout(model, [data], start, nstep=round(SPAN / h))
            return states[:, -1, 1 + crank] + tree.offset

        yield _timed("MuJoCo", f"rollout, RK4 h={h:g}", run)


def rows() -> list[Batch]:
    return [*linkwright(), *mujoco()]
