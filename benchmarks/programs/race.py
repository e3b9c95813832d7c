"""Whole runs to the same error: every program at a series of settings, then the cheapest of each that is exact enough, again
and again, in turn.

Timed is what a user waits for when the same machine is run once more: in Linkwright the whole second call of `lw.dynamics`
and the reading of what is looked at; in the others the run of a model that is built. Every program makes two runs when it
is its turn, and the second one counts: the first begins with what the program before has left in the processor's caches, and
is a figure of its own. So is the first call of all, which builds, compiles or loads from the cache. The clock is that of
`timing`: processor time, one core, one thread.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from benchmarks.programs.problems import PROBLEMS, Problem
from benchmarks.programs.setting import Kept, Run, Setting
from benchmarks.timing import Figure, clock

PROGRAMS = ("linkwright", "mujoco", "exudyn", "pinocchio", "drake", "simbody", "dart", "sundials", "pydy", "scipy")
WANTED = (1e-3, 1e-6)
FINE = 1e-8  # an error at which finer settings of a series show nothing more
LONGEST = 8.0  # seconds: a setting that takes more is not tried again, and finer ones are left out
PATIENCE = 60.0  # seconds of a first run, which may compile: after more there is no second
SHORT = 0.1  # seconds
REPETITIONS = 7


@dataclass(frozen=True)
class Point:
    """One program at one setting: its error; seconds of building, of the first run, and of a second; evaluations of
    accelerations in a run; what `Kept` says."""

    problem: str
    program: str
    setting: str
    tuned: bool
    error: float
    built: float
    first: float
    run: float
    evaluations: int | None = None
    gap: float | None = None
    drift: float | None = None


@dataclass(frozen=True)
class Place:
    """The cheapest setting of a program that is exact enough. seconds: of the second of two runs in a row; after: of the
    first, which another program's run precedes."""

    problem: str
    wanted: float
    program: str
    setting: str
    error: float
    seconds: Figure
    after: Figure


def settings(problem: Problem) -> Iterator[Setting]:
    for name in PROGRAMS:
        try:
            module = import_module(f"benchmarks.programs.{name}_runs")
        except ImportError:
            continue
        yield from module.settings(problem)


def tried(problem: Problem) -> Iterator[tuple[Point, Run]]:
    done: set[tuple[str, str]] = set()
    for setting in settings(problem):
        series = setting.program, setting.name.rsplit(" ", 1)[0]
        if series in done:
            continue
        start = clock()
        try:
            run = setting.prepare()
            built = clock() - start
            error = problem.error(run())
        except Exception as failed:  # a program that gives up is told so, whatever it raises
            print(f"{problem.name}: {setting.program}, {setting.name}: {type(failed).__name__}")
            continue
        first = seconds = clock() - start - built
        if first < PATIENCE:
            seconds = _again(run)
            if seconds < SHORT:  # a short run may have met with something else: which setting is the cheapest must not
                seconds = min(seconds, *(_again(run) for _ in range(4)))
        if error < FINE or seconds > LONGEST:
            done.add(series)
        if np.isfinite(error):
            kept = run.kept() if run.kept else Kept(None, None)
            count = run.evaluations() if run.evaluations else None
            who = problem.name, setting.program, setting.name, setting.tuned
            yield Point(*who, error, built, first, seconds, count, kept.gap, kept.drift), run


def _again(run: Run) -> float:
    start = clock()
    run()
    return clock() - start


def raced(found: list[tuple[Point, Run]], wanted: float) -> list[Place]:
    """Of each program its cheapest that is exact enough; Linkwright also with default settings alone."""
    best: dict[str, tuple[Point, Run]] = {}
    for point, run in found:
        if not point.error <= wanted:
            continue
        keys = (
            [point.program] if point.program != "Linkwright" else [point.program] * (not point.tuned) + ["Linkwright, tuned"]
        )
        for key in keys:
            if key not in best or point.run < best[key][0].run:
                best[key] = point, run
    times: dict[str, list[tuple[float, float]]] = {key: [] for key in best}
    for _ in range(REPETITIONS):
        for key, (point, run) in best.items():
            if point.run > LONGEST / REPETITIONS and times[key]:
                continue
            times[key].append((_again(run), _again(run)))
    return [
        Place(p.problem, wanted, key, p.setting, p.error, *(Figure.of(own) for own in (second, first)))
        for key, (p, _) in best.items()
        for first, second in [zip(*times[key], strict=True)]
    ]


def rows(names: list[str] | None = None) -> tuple[list[Point], list[Place]]:
    points, places = [], []
    for name in names or list(PROBLEMS):
        begin = clock()
        found = list(tried(PROBLEMS[name]))
        points += [p for p, _ in found]
        for wanted in WANTED:
            places += raced(found, wanted)
        print(f"{name}: {clock() - begin:.0f} s", file=sys.stderr, flush=True)
    return points, places


def table(places: list[Place]) -> str:
    lines = []
    for wanted in WANTED:
        lines += [
            f"Error at most {wanted:g}: milliseconds of a repeated run, quartiles in brackets.", "",
            "| problem | Linkwright | setting | best other | setting | times faster |", "|---|---|---|---|---|---|",
        ]  # fmt: skip
        for name in dict.fromkeys(p.problem for p in places):
            own = [p for p in places if p.problem == name and p.wanted == wanted]
            ours = next((p for p in own if p.program == "Linkwright"), None)
            others = sorted((p for p in own if not p.program.startswith("Linkwright")), key=lambda p: p.seconds.median)
            best = others[0] if others else None
            cells = [_told(ours), ours.setting if ours else "-", f"{_told(best)} {best.program}" if best else "none"]
            cells += [
                best.setting if best else "-",
                f"{best.seconds.median / ours.seconds.median:.3g}" if best and ours else "-",
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def _told(place: Place | None) -> str:
    if place is None:
        return "not reached"
    s = place.seconds
    return f"{1e3 * s.median:.3g} ({1e3 * s.low:.3g} to {1e3 * s.high:.3g})"
