"""The public dynamic benchmarks over their whole spans: error, steps and seconds, with default and with tight settings.

The machines and the hand-written references in one or two coordinates are those of the tests. The error is the largest at
the output times, of the monitored quantity; digits of the car axis and of Andrews' squeezer are the published ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks.timing import clock

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import benchmark_machines as machines
import benchmark_references as references

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
REPETITIONS = 5


@dataclass(frozen=True)
class Row:
    """One run. first: seconds with everything that is done once; again: the median of further runs of the same machine."""

    machine: str
    span: float
    settings: str
    error: float
    energy: float
    method: str
    steps: int
    evaluations: int
    first: float
    again: float


@dataclass(frozen=True)
class Case:
    """times: of output; error: of a result, against the reference at these times."""

    name: str
    build: Callable[[], Any]
    times: np.ndarray
    error: Callable[[Any, Any], Any]


def _against(channel: str, reference: Callable[[np.ndarray], np.ndarray]) -> Callable[[Any, Any], Any]:
    return lambda model, d: d[channel] - reference(d.t)


def _bricard(thin: bool) -> Callable[[Any, Any], Any]:
    def error(model: Any, d: Any) -> Any:
        P3 = model["rod2"].at(0, -0.5, 0)
        return np.array([d[lw.component(P3, c)] for c in "xyz"]) - references.bricard(d.t, thin)

    return error


def _top(model: Any, d: Any) -> Any:
    p = np.array([d[f"top.e{k}"] for k in range(4)])
    axis = [2 * (p[1] * p[2] - p[0] * p[3]), 2 * (p[0] ** 2 + p[2] ** 2) - 1, 2 * (p[2] * p[3] + p[0] * p[1])]
    return np.array(axis) - references.heavy_top(d.t)


def _car(model: Any, d: Any) -> Any:
    published = [0.04934557843, 0.49698946023, 1.04174252489, 0.37391102727]
    return np.array([d[c][-1] for c in ("l.x", "l.y", "r.x", "r.y")]) - published


def _squeezer(model: Any, d: Any) -> Any:
    published = [15.8107712, 0.0408222401, 0.524409966, 1.04808074]
    return np.array([d[f"{b}.angle"][-1] for b in ("OF", "BDE", "AG", "AH")]) - published


def cases() -> list[Case]:
    ten, r, m = np.linspace(0, 10, 21), references, machines
    return [
        Case("A01 pendulum", m.pendulum, ten, _against("bob.x", lambda t: r.swinging_bar(t)[0])),
        Case("A02 four-bars, N = 1", lambda: m.four_bars(1), ten, _against("c0.angle", lambda t: r.windows(t, 1))),
        Case("A02 four-bars, N = 5", lambda: m.four_bars(5), ten, _against("c0.angle", lambda t: r.windows(t, 5))),
        Case("A02 four-bars, N = 20", lambda: m.four_bars(20), ten, _against("c0.angle", lambda t: r.windows(t, 20))),
        Case("A03 Andrews, test set", m.squeezer, np.array([0, 0.03]), _squeezer),
        Case("A04 Bricard, square rods", m.bricard, ten, _bricard(False)),
        Case("A04 Bricard, thin rods", lambda: m.bricard(True), ten, _bricard(True)),
        Case("A05 flyball", m.flyball, ten, _against("slider.z", lambda t: r.flyball(t)[1])),
        Case("spatial slider-crank", m.falling_slider_crank, np.linspace(0, 5, 11),
             _against("slider.x", lambda t: r.spatial_slider_crank(t)[1])),
        Case("car axis", m.car_axis, np.array([0, 3.0]), _car),
        Case("index-3 pendulum", m.unit_pendulum, np.linspace(0, 5, 11), _against("bob.x", lambda t: r.unit_pendulum(t)[0])),
        Case("heavy top", m.heavy_top, np.linspace(0, 2, 9), _top),
        Case("equal links", m.equal_links, ten, _against("crank.angle", lambda t: r.equal_links(t, 1.0))),
    ]  # fmt: skip


def run(case: Case, settings: str, options: dict[str, float]) -> Row:
    model, seconds = case.build(), []
    for _ in range(REPETITIONS + 1):
        start = clock()
        d = lw.dynamics(model, t_eval=case.times, **options)  # type: ignore[arg-type]
        seconds.append(clock() - start)
    a: Any = d.audit
    error = float(np.abs(case.error(model, d)).max())
    again = float(np.median(seconds[1:]))
    span = float(case.times[-1])
    return Row(case.name, span, settings, error, a.energy_error, a.method, a.steps, a.evaluations, seconds[0], again)


def rows() -> list[Row]:
    return [run(case, name, options) for case in cases() for name, options in (("default", {}), ("tight", TIGHT))]


def table(found: list[Row]) -> str:
    lines = [
        "| machine | span [s] | settings | error | energy | method | steps | evaluations | first [s] | again [s] |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in found:
        lines.append(
            f"| {r.machine} | {r.span:g} | {r.settings} | {r.error:.1e} | {r.energy:.1e} | {r.method} | {r.steps:,} "
            f"| {r.evaluations:,} | {r.first:.2f} | {r.again:.3f} |"
        )
    return "\n".join(lines)
