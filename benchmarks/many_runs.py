"""Many runs of small machines: in SIMD lanes on one core, by single calls, and on a GPU where there is one.

    python -m benchmarks.many_runs            # the processor
    python -m benchmarks.many_runs --gpu      # an NVIDIA GPU, compared with the processor
    python -m benchmarks.many_runs --memory   # time and memory of studies of up to a million samples

A run is 1 s of free motion under gravity at rtol 1e-6, the last value of a speed kept; parameters within 10 %, the start's
speed times 0.5 to 1.5. Times of the processor are its own (`process_time`), so that other load does not enter.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.analyses.dynamics.lanes.plan import Plan, plan
from linkwright.analyses.dynamics.lanes.starts import Starts
from linkwright.compile.function import cores
from linkwright.solve import lane_form, many_gpu
from linkwright.solve.many import WIDER_FROM, Runs
from linkwright.solve.many_gpu import ManyOnGpu
from linkwright.studies.variations import vary

SPREAD, SPEEDS = 0.1, (0.5, 1.5)
SECONDS, RTOL = 1.0, 1e-6
HEAD = [
    "machine", "method", "steps", "single call [us]", "one lane [us]", "lanes [us]", "start [us]", "runs/s",
    "times a loop of calls", "off",
]  # fmt: skip
GPU_HEAD = [
    "machine", "method", "runs", "kernels [ms]", "with copies [ms]", "million runs/s", "million steps/s",
    "off the processor", "LLVM, driver [s]",
]  # fmt: skip


def slider_crank() -> lw.PlanarModel:
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, length, mass = m.parameter("r", 0.2), m.parameter("l", 0.5), m.parameter("mass", 2.0)
    turn = float(np.arcsin(0.4))
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0, 0.1), angle=np.pi / 2, omega=10.0)
    rod = m.body("rod", mass=mass, inertia=0.05, position=(0.25 * np.cos(turn), 0.1), angle=-turn)
    slider = m.body("slider", mass=1.0, inertia=0.01, position=(0.5 * np.cos(turn), 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-r / 2, 0)))
    m.add(lw.Revolute("B", crank.at(r / 2, 0), rod.at(-length / 2, 0)))
    m.add(lw.Revolute("C", rod.at(length / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    return m


def four_bar() -> lw.PlanarModel:
    m = lw.PlanarModel("four-bar", gravity=(0, -9.81))
    length, span, mass = m.parameter("l", 3.0), m.parameter("c", 4.0), m.parameter("mass", 2.0)
    crank = m.body("crank", mass=1.0, inertia=0.4, position=(0, 1), angle=np.pi / 2, omega=6.0)
    coupler = m.body("coupler", mass=mass, inertia=2.5, position=(2, 2), angle=0.0)
    follower = m.body("follower", mass=1.5, inertia=1.2, position=(4, 0.5), angle=np.pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-1, 0)))
    m.add(lw.Revolute("B", crank.at(1, 0), coupler.at(-span / 2, 0)))
    m.add(lw.Revolute("C", coupler.at(span / 2, 0), follower.at(length / 2, 0)))
    m.add(lw.Revolute("D", follower.at(-length / 2, 0), m.ground.at(4, -1)))
    return m


def chain(count: int) -> lw.SpatialModel:
    """Open, on revolute joints with skew axes, stretched out; it falls from rest but for the first body."""
    m = lw.SpatialModel(f"chain of {count}", gravity=(0, 0, -9.81))
    mass = m.parameter("mass", 1.0)
    before: Any = m.ground
    at = (0.0, 0.0, 0.0)
    for k in range(count):
        weight = mass if k == count - 1 else 1.0
        body = m.body(
            f"b{k}", mass=weight, inertia=np.diag([0.01, 1 / 12, 1 / 12]), position=(k + 0.5, 0, 0), omega=(0, 0.2, 0)
        )
        turn: dict[str, Any] = {"rotation": ((1, 0, 0), 1.3 + 0.5 * (k % 2))}
        m.add(lw.Revolute(f"j{k}", before.at(*at, **turn), body.at(-0.5, 0, 0, **turn)))
        before, at = body, (0.5, 0.0, 0.0)
    return m


@dataclass
class Case:
    make: Any
    speed: str
    keep: str
    formulation: str
    step: float  # of rk4

    @property
    def name(self) -> str:
        return f"{self.make().name}, {'joints' if self.formulation == 'joint' else 'bodies'}"

    def options(self, method: str) -> dict[str, Any]:
        fixed = {"first_step": self.step} if method == "rk4" else {}
        return {"t_end": SECONDS, "steps": 1, "rtol": RTOL, "formulation": self.formulation, "method": method, **fixed}

    def values(self, m: Any, count: int) -> tuple[list[str], np.ndarray]:
        body, _, channel = self.speed.rpartition(".")
        start = m.bodies[body].estimate.omega
        nominal = float(start if channel == "omega" else start["xyz".index(channel[1])])
        rng = np.random.default_rng(1)
        rows = np.array([*m.parameters.values(), nominal]) * (
            1 + SPREAD * rng.uniform(-1, 1, (count, len(m.parameters) + 1))
        )
        rows[:, -1] = nominal * rng.uniform(*SPEEDS, count)
        return [*m.parameters, self.speed], rows


CASES = [
    Case(slider_crank, "crank.omega", "crank.omega", "newton-euler", 1 / 256),
    Case(slider_crank, "crank.omega", "crank.omega", "joint", 1 / 256),
    Case(four_bar, "crank.omega", "crank.omega", "newton-euler", 1 / 128),
    Case(four_bar, "crank.omega", "crank.omega", "joint", 1 / 128),
    Case(lambda: chain(3), "b0.wy", "b2.wy", "joint", 1 / 128),
    Case(lambda: chain(10), "b0.wy", "b9.wy", "joint", 1 / 256),
]


def planned(case: Case, method: str, count: int) -> tuple[Plan, Starts, np.ndarray, list[str], Any]:
    m = case.make()
    found = plan(m, case.options(method), (lw.final(case.keep),))
    assert not isinstance(found, str), found
    names, rows = case.values(m, count)
    starts = Starts.of(found, names, rows, lambda values: True)
    assert not isinstance(starts, str), starts
    return found, starts, rows, names, m


def cost(call: Any, repeats: int = 3) -> tuple[float, Any]:
    """Processor seconds, the best of some; and what it gave."""
    best, out = np.inf, None
    for _ in range(repeats):
        clock = time.process_time()
        out = call()
        best = min(best, time.process_time() - clock)
    return best, out


def on_processor(case: Case, method: str, count: int) -> None:
    found, starts, rows, names, m = planned(case, method, count)
    found = replace(found, many=found.many.of(WIDER_FROM))  # the lanes of a long study
    starts(rows[:16])
    begun, (runs, ok) = cost(lambda: starts(rows))
    made = time.perf_counter()
    found.many.run(runs.at(slice(0, 8)), found.numbers)
    made = time.perf_counter() - made
    took, ran = cost(lambda: found.many.run(runs, found.numbers))
    one = found.many.with_lanes(1)
    one.run(runs.at(slice(0, 8)), found.numbers)
    few = runs.at(slice(0, 512))
    scalar, alone = cost(lambda: one.run(few, found.numbers))
    same = np.array_equal(alone.acc, ran.acc[:512], equal_nan=True)

    def calls() -> list[float]:
        out = []
        for row in rows[:5]:
            vary(m, dict(zip(names, map(float, row), strict=True)))
            out.append(float(lw.dynamics(m, **case.options(method))[case.keep][-1]))
        return out

    single, wanted = cost(calls)
    off = np.abs(np.array(wanted) / ran.acc[:5, 0] - 1).max()
    steps = ran.registers[:, [lane_form.STEPS, lane_form.REJECTED]].mean(axis=0)
    cells = [
        case.name, found.many.form.method.name, f"{steps[0]:.0f}+{steps[1]:.0f}", f"{single / 5 * 1e6:,.0f}",
        f"{scalar / 512 * 1e6:.1f}", f"{took / count * 1e6:.1f} ({found.many.lanes})", f"{begun / count * 1e6:.1f}",
        f"{count / took:,.0f}", f"{single / 5 * count / (took + begun):,.0f}", f"{off:.0e}{'' if same else ' BITS DIFFER'}",
    ]  # fmt: skip
    left = count - int((ok & found.outcome(ran)).sum())
    show(cells + ([f"{left} left to single calls"] if left else []))


def on_threads(case: Case, count: int) -> None:
    """Wall clock over threads: a machine that does nothing else shows whether anything is shared."""
    found, starts, rows, _, _ = planned(case, "auto", count)
    runs, _ = starts(rows, cores())
    one = 0.0
    for threads in [k for k in (1, 2, 4, 8, 16, 32) if k <= cores()]:
        best = np.inf
        for _ in range(3):
            clock = time.perf_counter()
            found.many.run(runs, found.numbers, threads=threads)
            best = min(best, time.perf_counter() - clock)
        one = one or best
        show([case.name, f"{threads} threads", f"{count / best:,.0f} runs/s", f"{one / best:.2f} times one"])


def show(cells: list[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


class Timed(many_gpu.Kernel):
    """A kernel that tells how long it ran."""

    seconds = 0.0

    def __call__(self, name: str, grid: int, block: int, *args: Any) -> None:
        clock = time.perf_counter()
        super().__call__(name, grid, block, *args)
        Timed.seconds += time.perf_counter() - clock


def on_gpu(case: Case, method: str, count: int) -> None:
    many_gpu.Kernel = Timed  # type: ignore[misc]
    found, starts, rows, _, _ = planned(case, method, min(count, 16384))
    some, _ = starts(rows, cores())
    runs = Runs(
        *(np.tile(a, (-(-count // len(rows)), *[1] * (a.ndim - 1)))[:count] for a in (some.y, some.b, some.tune, some.atol))
    )
    kernels, clock = ManyOnGpu(found.many), time.perf_counter()
    kernels.ptx(many_gpu.gpu().processor)
    llvm, clock = time.perf_counter() - clock, time.perf_counter()
    kernels.run(runs.at(slice(0, 64)), found.numbers)
    driver, best, whole = time.perf_counter() - clock, np.inf, np.inf
    for _ in range(3):
        Timed.seconds, clock = 0.0, time.perf_counter()
        ran = kernels.run(runs, found.numbers)
        best, whole = min(best, Timed.seconds), min(whole, time.perf_counter() - clock)
    few = runs.at(slice(0, 512))
    wanted = found.many.run(few, found.numbers)
    size = np.abs(wanted.y).max(axis=0) + 1e-9  # some are zero but for rounding
    off = (np.abs(ran.y[:512] - wanted.y) / size).max()
    counts = [lane_form.STEPS, lane_form.REJECTED]
    same = (ran.registers[:512, counts] == wanted.registers[:, counts]).all()
    attempts = ran.registers[:, counts].sum()
    cells = [
        case.name, found.many.form.method.name, f"{count:,}", f"{best * 1e3:.1f}", f"{whole * 1e3:.0f}",
        f"{count / best / 1e6:.2f}", f"{attempts / best / 1e6:,.0f}", f"{off:.0e}, {'the same' if same else 'OTHER'} steps",
        f"{llvm:.1f}, {driver:.1f}",
    ]  # fmt: skip
    show(cells)


GROWN = """
import resource, sys, time
import linkwright as lw
from benchmarks.many_runs import slider_crank
m, count = slider_crank(), int(sys.argv[1])
spread = {"r": lw.Uniform(0.18, 0.22), "l": lw.Uniform(0.45, 0.55), "crank.omega": lw.Uniform(5, 15)}
def study(n):
    return lw.monte_carlo(m, spread, samples=n, seed=1, keep=[lw.final("crank.omega"), lw.peak("slider.x")], t_end=1.0,
                          steps=20, rtol=1e-6, formulation="joint", threads=1)
study(1000)
before, clock = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
c = study(count)
took, after = time.process_time() - clock, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(took, before / 1024, after / 1024, len(c.failed), c.mean["final(crank.omega)"])
"""


def with_samples() -> None:
    """A whole `lw.monte_carlo` of one thread, starts and statistics included, each in a process of its own."""
    show(["samples", "processor [s]", "[us] a sample", "resident before, at most [MiB]", "bytes a sample", "failed", "mean"])
    show(["---"] * 7)
    for count in (10_000, 100_000, 1_000_000):
        told = subprocess.run([sys.executable, "-c", GROWN, str(count)], capture_output=True, text=True, check=True).stdout
        took, before, most, failed, mean = map(float, told.split())
        show([
            f"{count:,}", f"{took:.2f}", f"{took / count * 1e6:.1f}", f"{before:.0f}, {most:.0f}",
            f"{(most - before) * 2**20 / count:.0f}", f"{failed:.0f}", f"{mean:.6f}",
        ])  # fmt: skip


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--gpu", action="store_true")
    asked.add_argument("--threads", action="store_true", help="how the wall clock goes with threads")
    asked.add_argument("--memory", action="store_true", help="time and memory over samples")
    asked.add_argument("--count", type=int, default=0)
    asked.add_argument("--only", default="")
    asked.add_argument("--methods", nargs="*")
    given = asked.parse_args()
    if given.memory:
        with_samples()
        return
    if given.threads:
        for case in CASES[:4]:
            on_threads(case, given.count or 65536)
        return
    head = GPU_HEAD if given.gpu else HEAD
    show(head)
    show(["---"] * len(head))
    for case in CASES:
        if given.only not in case.name:
            continue
        for method in given.methods or (["rk4", "dopri5", "auto"] if given.gpu else ["auto", "dopri5"]):
            large = case.name.startswith("chain of 10")
            if given.gpu:
                on_gpu(case, method, given.count or (32768 if large else 262144))
            else:
                on_processor(case, method, given.count or (512 if large else 4096))


if __name__ == "__main__":
    main()
