"""The problems in Linkwright: `lw.dynamics` as a user calls it, the whole call, for a series of tolerances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import benchmark_machines as machines
import linkwright as lw
from benchmarks import dynamics
from benchmarks.programs.problems import G, Problem
from benchmarks.programs.setting import Kept, Run, Setting

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
HOLD_POINTS = lw.Revolute, lw.Spherical, lw.Universal
LOOKED_AT = 20  # joints whose gaps are looked at: each is six functions of the machine to be compiled
NOT_CONSERVATIVE = "car axis", "fly-ball governor"  # a road that shakes it, dampers


def chain(n: int) -> lw.SpatialModel:
    m = lw.SpatialModel("chain", gravity=(0, -G, 0))
    before, end = m.ground, (0.0, 0.0, 0.0)
    for k in range(n):
        # thin rods: what they resist about themselves never shows in a motion that stays in a plane
        rod = m.body(f"rod{k}", 1.0, (1e-3, 1 / 12, 1 / 12), position=(k + 0.5, 0, 0))
        m.add(lw.Revolute(f"J{k}", before.at(*end), rod.at(-0.5, 0, 0)))
        before, end = rod, (0.5, 0.0, 0.0)
    return m


def _tip(m: lw.SpatialModel) -> list[str]:
    last = m["rod4"] if "rod4" in m.bodies else m["rod0"]
    return [lw.component(last.at(0.5, 0, 0), c) for c in "xy"]


def _place(m: lw.SpatialModel) -> list[str]:
    return [lw.component(m["rod2"].at(0, -0.5, 0), c) for c in "xyz"]


MACHINES: dict[str, tuple[Callable, Callable]] = {
    **{f"chain-{n}": (lambda n=n: chain(n), _tip) for n in (1, 10, 100, 1000)},
    "slider-crank": (dynamics.slider_crank, lambda m: ["crank.angle"]),
    "four-bars-1": (lambda: machines.four_bars(1), lambda m: ["c0.angle"]),
    "four-bars-40": (lambda: machines.four_bars(40), lambda m: ["c0.angle"]),
    "andrews": (machines.squeezer, lambda m: ["OF.angle"]),
    "car axis": (machines.car_axis, lambda m: ["l.x", "l.y", "r.x", "r.y"]),
    "bricard": (machines.bricard, _place),
    "flyball": (machines.flyball, lambda m: ["slider.z"]),
    "spatial slider-crank": (machines.falling_slider_crank, lambda m: ["slider.x"]),
}


def kept(m: Any, d: Any) -> Kept:
    """Gaps from where both points of a joint are; the energy's potential is also that of the squeezer's constant torque."""
    axes = "xy" if isinstance(m, lw.PlanarModel) else "xyz"
    end = lambda P: np.array([d[lw.component(P, c)][-1] for c in axes])  # noqa: E731
    joints = [e for e in m.elements.values() if isinstance(e, HOLD_POINTS)][:LOOKED_AT]
    gaps = [np.linalg.norm(end(e.P) - end(e.Q)) for e in joints]
    if m.name == "car axis":
        gaps.append(np.hypot(d["l.x"][-1] - d["r.x"][-1], d["l.y"][-1] - d["r.y"][-1]) - 1)
    if m.name in NOT_CONSERVATIVE:
        return Kept(float(np.abs(gaps).max()), None)
    return Kept(float(np.abs(gaps).max()), float(np.ptp(d.energy.total)))


def settings(problem: Problem) -> Iterator[Setting]:
    build, looked_at = MACHINES[problem.name]
    for formulation in (None, "joint"):
        for rtol in TOLERANCES:
            words = {} if formulation is None else {"formulation": formulation}
            name = (f"{formulation}, " if formulation else "") + f"rtol {rtol:.0e}"
            yield Setting(
                "Linkwright", name, _prepared(build, looked_at, problem.span, rtol, words), tuned=formulation is not None
            )


def _prepared(build: Callable, looked_at: Callable, span: float, rtol: float, words: dict[str, str]) -> Callable[[], Run]:
    def prepare() -> Run:
        m = build()
        channels = looked_at(m)

        ended = []

        def run() -> np.ndarray:
            d = lw.dynamics(m, t_end=span, steps=1, rtol=rtol, atol=0.1 * rtol, **words)
            ended[:] = [d]
            return np.array([d[c][-1] for c in channels])

        return Run(run, lambda: kept(m, ended[0]), lambda: ended[0].audit.evaluations)

    return prepare
