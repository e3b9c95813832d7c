"""Machines whose motion is prescribed: kinematics, inverse dynamics and dynamics tell the same; sensitivities."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import linkwright as lw
from fuzz.cases import SPAN, Case, run
from fuzz.motion import answer
from fuzz.render import model
from fuzz.sketch import Item, Num


def _fully(case: Case) -> bool:
    drivers = case.sketch.of_kind("Driver")
    if not drivers:
        return False
    if "dof" not in case.structure.kept:
        case.structure.kept["dof"] = lw.check(model(case.sketch)).dof
    return bool(case.structure.kept["dof"] == 0)


def kinematics(case: Case) -> list[str]:
    """Kinematics and inverse dynamics of a driven machine are what dynamics tells."""
    if not _fully(case):
        return []
    m, grid = model(case.sketch), {"t_end": SPAN * case.sketch.time, "steps": 2}
    said = []
    i = answer(case.sketch, _going_on(lw.inverse_dynamics, m, **grid))
    said += [f"inverse dynamics: {x}" for x in case.compare(i)]
    k = answer(case.sketch, _going_on(lw.kinematics, m, **grid))
    said += [f"kinematics: {x}" for x in case.compare(k, reactions=False)]
    known = _told(i.result.audit.notes)
    for x in case.sketch.of_kind("Driver"):
        name = f"{x.name}.{'torque' if x.words['channel'] == 'angle' else 'force'}"
        one, other = np.asarray(case.base.result[name]), np.asarray(i.result[name])
        size = case.sketch.units.of(2 if name.endswith("torque") else 1, 1, -2) * 100 + np.abs(one).max()
        off = float(np.abs(one - other).max() / size)
        unique = all(p.unique for p in case.base.result.places.values())
        if unique and not off <= 1e-6 and not off <= 1e-6 * max(1.0, 10 * case.growth) + 10 * known:
            said.append(f"{name}: dynamics {one}, inverse dynamics {other}")
    return said


def _going_on(analysis: Any, m: Any, **options: Any) -> Any:
    """Through a change point as dynamics does, which follows the motion there is."""
    try:
        return analysis(m, **options)
    except lw.SingularityError as error:
        if error.kind != "bifurcation":
            raise
        return analysis(m, branch=0, **options)


def _told(notes: list[str]) -> float:
    """How far states along a motion are known, where inverse dynamics says that it is not to all digits."""
    found = [re.search(r"states along the motion are known to (\S+) of", note) for note in notes]
    return max((float(x[1]) for x in found if x), default=0.0)


def fed_back(case: Case) -> list[str]:
    """What the drivers do, as forces on the machine without them: the same accelerations at the start."""
    drivers = case.sketch.of_kind("Driver")
    if not drivers:
        return []
    sketch = case.sketch.without(*[x.name for x in drivers])
    for x in drivers:
        turns = x.words["channel"] == "angle"
        effort = float(case.base.result[f"{x.name}.{'torque' if turns else 'force'}"][0])
        numbers = {"a": Num(effort / np.sin(1.0)), "w": Num(1.0), "c": Num(0.0), "k": Num(0.0)}
        sketch = sketch.extended(Item("Force", x.name, (), numbers, {"channel": x.words["channel"]}, x.of))
    other = run(sketch, t_end=1e-6 * sketch.time, steps=1)
    said = []
    for name, b in case.base.bodies.items():
        o = other.bodies[name]
        for what, unit in (("a", case.sketch.units.of(1, 0, -2)), ("alpha", case.sketch.units.of(0, 0, -2))):
            one, two = getattr(b, what)[0], getattr(o, what)[0]
            most = max(np.abs(getattr(x, what)[0]).max() for x in case.base.bodies.values())
            if not np.abs(one - two).max() <= 1e-6 * (10 * unit + most):
                said.append(f"{name} {what}: driven {one}, by forces {two}")
    return said


def sensitivity(case: Case) -> list[str]:
    """d channel / d parameter against central differences of the kinematics; where there is none, the machine cannot be
    moved with another value."""
    if not _fully(case):
        return []
    m, t = model(case.sketch), SPAN * case.sketch.time
    picked = [str(x) for x in case.rng.choice(list(m.parameters), size=min(2, len(m.parameters)), replace=False)]
    try:
        s = lw.sensitivity(m, t=t, parameters=picked)
    except lw.SingularityError as error:
        if error.kind != "bifurcation":
            raise
        return []  # beyond a change point there is none: with other values the machine may have no such point
    said = []
    for name in picked:
        value = m.parameters[name]
        h = 1e-5 * abs(value)  # of its own size: masses stay positive. What is zero is no parameter
        others = value - h, value + h
        if name in s.impossible:
            if _moves(m, t, name, others):
                said.append(f"there is no d / d {name}, but it can be changed")
            continue
        before, after = _moved(m, t, name, others)
        for p in case.sketch.parts:
            for c, unit in (
                ("x", case.sketch.units.L),
                ("vy", case.sketch.units.of(1, 0, -1)),
                ("ax", case.sketch.units.of(1, 0, -2)),
            ):
                channel = f"{p.name}.{c}"
                slope = (after[channel][-1] - before[channel][-1]) / (2 * h)
                off, size = abs(slope - s[channel, name]), abs(slope) + 10 * unit / abs(value) + abs(s[channel, name])
                if not off <= 1e-4 * size:
                    said.append(f"d {channel} / d {name}: {s[channel, name]:.6g}, by differences {slope:.6g}")
    return said


def _moved(m: Any, t: float, name: str, values: tuple[float, ...]) -> list[Any]:
    """The kinematics with other values of a parameter, which is then as it was."""
    now = m.parameters[name]
    try:
        return [lw.kinematics(m.set(**{name: x}) or m, t_end=t, steps=1) for x in values]
    finally:
        m.set(**{name: now})


def _moves(m: Any, t: float, name: str, values: tuple[float, ...]) -> bool:
    """Whether it closes and moves with any of these values."""
    for x in values:
        try:
            _moved(m, t, name, (x,))
        except (lw.AssemblyError, lw.ModelError, lw.SingularityError):
            continue
        return True
    return False
