"""Starts that are fixed, equilibria, and small motions about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import expm

import linkwright as lw
from fuzz.balance import STRIKING
from fuzz.cases import SPAN, Case, run
from fuzz.render import model
from fuzz.sketch import Sketch

# Of which an equilibrium has more than positions, or none: what sticks, rolls, is driven by currents and errors, goes slack.
STATEFUL = ("DryFriction", "Motor", "PID", "Maxwell", "Wheel", "Rolling", "Skate", "Rope", "Belt", "Gear")


def fixed(case: Case) -> list[str]:
    """The motion begins where it is fixed."""
    said, d = [], case.base.result
    for x in case.drawn.of_kind("Fix"):
        L = case.drawn.units.L if x.words["channel"] == "displacement" else 1.0
        speed = "omega" if x.words["channel"] == "angle" else "velocity"
        for name, unit in ((x.words["channel"], L), (speed, L / case.drawn.units.T)):
            have, want = float(d[f"{x.of[0]}.{name}"][0]), x.value("value" if name == x.words["channel"] else "rate")
            if not abs(have - want) <= 1e-9 * (unit + abs(want)):
                said.append(f"{x.of[0]}.{name} begins at {have}, fixed at {want}")
    return said


def _in_time(s: Sketch) -> bool:
    """Whether something goes with time."""
    laws = [x for x in s.items if x.words.get("law") in ("time", "hard") or x.kind in ("Force", "PlainForce", "Driver")]
    return bool(laws)


def _found(case: Case) -> tuple[Any, Any, dict[str, float]] | None:
    """The model, an equilibrium, and the state at it, at rest; None where there is none, or it cannot be found."""
    s = case.sketch.without(*[x.name for x in case.sketch.of_kind("Fix")])
    m = model(s)
    try:
        e = lw.equilibrium(m)
    except lw.LinkwrightError:
        return None
    places, rates = ("x y angle", "vx vy omega") if s.dimension == 2 else ("x y z e0 e1 e2 e3", "vx vy vz wx wy wz")
    state = {f"{p.name}.{c}": float(e[f"{p.name}.{c}"]) for p in s.parts for c in places.split()}
    state |= {c: float(e[c]) for x in s.items for c in e if c.startswith(f"{x.name}.a")}
    return m, e, state | {f"{p.name}.{c}": 0.0 for p in s.parts for c in rates.split()}


def equilibrium(case: Case) -> list[str]:
    """Let go at an equilibrium nothing accelerates, and where it is stable nothing moves."""
    s = case.sketch
    if s.of_kind("Driver", *STRIKING, *STATEFUL) or (found := _found(case)) is None:
        return []
    m, e, state = found
    L, _, T = s.units
    stays = e.stability == "stable" and not _in_time(s)
    a = run(s, m, start=state, t_end=(SPAN if stays else 1e-6) * s.time, steps=2)
    size = 100 * L / T**2 + float(np.abs(s.gravity).max())
    said = []
    for p in s.parts:
        b = a.bodies[p.name]
        off = max(float(np.abs(b.a[0]).max()), float(np.abs(b.alpha[0]).max()) * L)
        if not off <= 1e-6 * size:
            said.append(f"{p.name} accelerates by {off:.3g} of {size:.3g} at an equilibrium")
        away = max(float(np.abs(b.r - b.r[0]).max()) / L, float(np.abs(b.R - b.R[0]).max()))
        if stays and not away <= 1e-6:
            said.append(f"{p.name} leaves a stable equilibrium by {away:.3g}")
    return said


SMALL = 1e-4  # velocities of small motions, by those of the machine


def small_motions(case: Case) -> list[str]:
    """Near an equilibrium the machine moves as its linearisation says, x(t) = exp(A t) x(0)."""
    s = case.sketch
    kinked = s.of_kind("Driver", *STRIKING, *STATEFUL, "Contact", "Stop", "Friction", "Tyre", "Bushing")
    if s.dimension == 3 or kinked or _in_time(s) or (found := _found(case)) is None:
        return []
    m, e, state = found
    if not lw.check(m).dof:  # held by its joints: that is told, and mobility has it from the rows
        return []
    lin = lw.linearize(m, e)
    n = len(lin.coordinates)
    for p in s.parts:
        unit = SMALL / s.units.T
        state |= {
            f"{p.name}.{c}": unit * (1 if c == "omega" else s.units.L) * case.rng.normal() for c in ("vx", "vy", "omega")
        }
    d = run(s, m, start=state).result
    position = {"vx": "x", "vy": "y", "omega": "angle"}
    # of bodies, or of the place on a cam: rate(cam.alpha)
    places = [name[5:-1] if name.startswith("rate(") else name for name in lin.coordinates]
    names = [(b, position.get(c, c)) for b, _, c in (name.rpartition(".") for name in places)]
    x0 = np.array([0.0] * n + [float(d[name][0]) for name in lin.coordinates])
    want = (expm(lin.A * float(d.t[-1] - d.t[0])) @ x0)[:n]
    have = np.array([float(d[f"{b}.{c}"][-1] - d[f"{b}.{c}"][0]) for b, c in names])
    units = np.array([s.units.L if c in "xy" else 1.0 for _, c in names])
    off = np.abs(have - want) / units
    # what is left out is of second order; the errors of the run are 1e-9
    allowed = 100 * (SMALL + float(np.abs(x0[n:] / units).max()) * s.units.T) ** 2 * max(1.0, case.growth)
    told = zip(names, have, want, off, strict=True)
    return [f"small motion of {b}.{c}: {h:.6g}, by A {w:.6g}" for (b, c), h, w, o in told if not o <= allowed]
