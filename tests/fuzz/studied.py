"""What studies are made of: gradients of runs, analyses made ready, runs side by side, results in files, other outputs."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from fuzz.balance import STRIKING
from fuzz.cases import Case, options
from fuzz.motion import answer
from fuzz.render import model

FEW = 2  # sets of numbers of a structure of which the costly ones are asked: a gradient compiles much
AROUND = np.linspace(-1.0, 1.0, 200)  # as many points as go side by side


def _varied(case: Case, m: Any) -> list[str]:
    """A parameter, and a start where the machine moves by itself."""
    names = [str(case.rng.choice(list(m.parameters)))]
    if not case.sketch.of_kind("Driver"):
        names.append(f"{case.rng.choice([p.name for p in case.sketch.parts])}.{case.rng.choice(['vx', 'vy'])}")
    return names


def gradients(case: Case) -> list[str]:
    """Derivatives of the end of a run by a parameter and by the start, against differences on both sides; where these do
    not agree something happens in one of the runs that does not in the other."""
    if case.count >= FEW:
        return []
    m, asked = model(case.sketch), options(case.sketch, 1e-10) | {"steps": 1}
    of, names = str(case.rng.choice([p.name for p in case.sketch.parts])), _varied(case, m)
    channels, said = (f"{of}.x", f"{of}.vy"), []
    asked |= {"method": "radau"} if case.structure.lot(31).random() < 0.2 and not case.sketch.of_kind(*STRIKING) else {}
    for channel, power in zip(channels, (0, 1), strict=True):
        try:
            value, slopes = lw.gradient(m, lw.final(channel), names, **asked)
        except lw.ModelError:
            return said  # there is no derivative, which it says
        unit = case.sketch.units.of(1, 0, -power)
        for name in names:
            body, _, c = name.rpartition(".")
            now = m.parameters[name] if name in m.parameters else float(case.sketch[body].v[["vx", "vy"].index(c)])
            h = 1e-4 * (abs(now) if name in m.parameters else abs(now) + case.sketch.units.of(1, 0, -1))
            try:
                ready = lw.prepare(m, **asked)
                below, above = (float(ready({name: now + e})[channel][-1]) for e in (-h, h))
            except lw.LinkwrightError:
                continue
            left, right, slope = (value - below) / h, (above - value) / h, slopes[name]
            size = abs(slope) + abs(left) + abs(right) + 10 * unit / (h * 1e4)
            if abs(left - right) < 1e-2 * size and not abs(slope - 0.5 * (left + right)) <= 1e-4 * size * (1 + case.growth):
                said.append(f"d {channel} / d {name}: {slope:.9g}, by differences {left:.9g}, {right:.9g}")
    return said


def ready(case: Case) -> list[str]:
    """An analysis that was made ready, called with other values and then with its own, is the analysis."""
    m, asked = model(case.sketch), options(case.sketch)
    name = _varied(case, m)[0]
    run = lw.prepare(m, **asked)
    with contextlib.suppress(lw.LinkwrightError):  # it may be that it cannot be put together with that value
        run({name: m.parameters[name] * 1.001})
    return [f"made ready: {x}" for x in case.compare(answer(case.sketch, run()), tol=1e-9, to=case.anew)]


def side_by_side(case: Case) -> list[str]:
    """Runs in lanes are the single ones."""
    if case.count:
        return []
    m, asked = model(case.sketch), options(case.sketch)
    name = _varied(case, m)[0]
    values = m.parameters[name] * (1 + 1e-3 * AROUND)
    channels = [f"{p.name}.{c}" for p in case.sketch.parts for c in ("x", "vy")]
    study = lw.sweep(m, {name: values}, keep=[lw.final(c) for c in channels], threads=1, **asked)
    run, said = lw.prepare(m, **asked), []
    for k in (0, len(values) // 3, len(values) - 1):
        try:
            single = run({name: float(values[k])})
        except lw.LinkwrightError:
            continue
        for c, power in zip(channels, (0, 1) * len(case.sketch.parts), strict=True):
            one, other = float(single[c][-1]), float(study[f"final({c})"][k])
            off = abs(one - other) / (10 * case.sketch.units.of(1, 0, -power) + abs(one))
            if not off <= 1e-8 * max(1.0, 10 * case.growth):
                said.append(f"{c} with {name} = {values[k]:.9g}: alone {one:.12g}, in lanes {other:.12g}")
    return said


def kept(case: Case) -> list[str]:
    """A result saved and loaded is the result; a run goes on from either alike."""
    first = case.anew.result
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.nc"
        first.save(path)
        again = lw.load_result(path)
    return [f"{c} is {again[c]}, saved {first[c]}" for c in first.channels if not np.array_equal(first[c], again[c], True)]


def looked_at(case: Case) -> list[str]:
    """The motion does not depend on when it is looked at."""
    sketch = case.sketch
    asked = options(sketch)
    ends = np.linspace(0.0, asked["t_end"], 3)
    between = np.sort(case.rng.uniform(0.0, asked["t_end"], 7))
    times = np.union1d(ends, between)
    d = lw.dynamics(model(sketch), **{k: v for k, v in asked.items() if k not in ("steps", "t_end")}, t_eval=times)
    said, rows = [], np.searchsorted(times, ends)
    for p in sketch.parts:
        for c, power in (("x", 0), ("y", 0), ("vx", 1), ("vy", 1)):
            one, other = np.asarray(case.anew.result[f"{p.name}.{c}"]), np.asarray(d[f"{p.name}.{c}"])[rows]
            off = float((np.abs(one - other) / (10 * sketch.units.of(1, 0, -power) + np.abs(one))).max())
            if not off <= 1e-7 and not off <= 1e-7 * max(1.0, 10 * case.growth):
                said.append(f"{p.name}.{c} is {one}, with other outputs {other}")
    return said
