"""Formulations, treatments of constraints and methods agree; descriptions do not matter; files and restarts keep all."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from fuzz.cases import SPAN, Case, options, run
from fuzz.compare import Change
from fuzz.kinds import JOINTS
from fuzz.motion import Answer, answer
from fuzz.places import Place
from fuzz.render import model
from fuzz.sketch import Units
from linkwright import size_policy

# what is asked, and how near it must come: orders and tolerances differ
WAYS: tuple[tuple[dict[str, Any], float], ...] = (
    ({"formulation": "joint"}, 1e-6), ({"formulation": "joint"}, 1e-6), ({"formulation": "kane"}, 1e-6),
    ({"formulation": "euler-parameters"}, 1e-6), ({"formulation": "mixed"}, 1e-6), ({"formulation": "auto"}, 1e-6),
    ({"constraints": "partitioning"}, 1e-6), ({"constraints": "stabilization"}, 1e-5), ({"constraints": "direct"}, 1e-5),
    ({"constraints": "hybrid"}, 1e-5), ({"constraints": "augmented"}, 1e-6), ({"method": "dopri5"}, 1e-6),
    ({"method": "dop853"}, 1e-6), ({"method": "adams"}, 1e-6), ({"method": "radau"}, 1e-6),
    ({"method": "radau", "formulation": "joint"}, 1e-6), ({"method": "radau", "constraints": "partitioning"}, 1e-6),
    # of order two, with the tolerance r = 1e-6; velocities of index 3 are known to r^(2/3)
    ({"method": "generalized-alpha"}, 1e-4), ({"method": "hht"}, 1e-4),
    ({"method": "generalized-alpha", "constraints": "index-3"}, 5e-3),
)  # fmt: skip
# as a machine of many bodies, by itself and by what has equations of its own in loops
LOOPS: tuple[dict[str, str], ...] = (
    {}, {}, {}, {"constraints": "partitioning"}, {"constraints": "hybrid"}, {"constraints": "augmented"},
    {"method": "radau"}, {"method": "generalized-alpha"}, {"formulation": "joint"}, {"formulation": "euler-parameters"},
)  # fmt: skip


# of touching_drawn: not every way takes them, and says so
LATER = ("DryFriction", "Rubbing", "Shapes", "Rope", "Belt", "Wheel", "Motor", "PID", "Maxwell", "Skate", "Rolling")
LATER += ("PlainForce", "Node")
CORNERS = {"box": 4, "rounded": 4, "polygon": 3, "capsule": 2}
WILD = 1e4  # by so much two starts move apart within the run: a wild machine, of which steps of order two cannot be had


def ways(case: Case) -> list[str]:
    """Of the ways to compute the motion the structure's own two."""
    said = []
    picks = case.structure.lot(1).choice(len(WAYS), size=2, replace=False)
    for k in picks:
        asked, tol = WAYS[k]
        other = _by(case, asked)
        if isinstance(other, str):
            said.append(other)
        elif other:
            said += [f"{asked}: {x}" for x in case.compare(other, tol=tol)]
    return said


def _by(case: Case, asked: dict[str, str]) -> Answer | str | None:
    """The motion computed in another way: what is said where that ends in an error, None where that is no fault."""
    more: dict[str, Any] = dict(asked)
    if asked.get("method") in ("generalized-alpha", "hht"):
        more |= {"rtol": 1e-6, "atol": options(case.sketch, 1e-6)["atol"]}  # below that rounding decides
    if asked.get("constraints") == "index-3" and case.sketch.of_kind("Contact", "Stop", "Friction", "Tyre", *LATER):
        return None
    try:
        return run(case.sketch, **more)
    except lw.LinkwrightError as error:
        if isinstance(error, lw.IntegrationError) and case.growth > WILD:
            return None  # refused, where no two ways would agree
        if isinstance(error, lw.ModelError) and case.sketch.of_kind(*LATER):
            return None  # refused by name
        if isinstance(error, lw.ModelError) and "of dependent constraints as its steps" in str(error):
            return None
        return f"{asked}: {type(error).__name__} where the default goes: {str(error)[:300]}"


def described(case: Case) -> list[str]:
    """One change of description for each structure: moved, mirrored, in other units, other origins, another order, ends
    exchanged, and all together."""
    ways = ["moved", "mirrored", "units", "origins", "order", "swapped", "all"]
    if case.sketch.of_kind("Tyre", "Wheel"):  # the road is level, and a crawl is a speed in metres
        ways = ["origins", "order", "swapped"]
    if any("box" in x.words["shapes"] for x in case.sketch.of_kind("Shapes")) and case.sketch.dimension == 3:
        ways = ["order", "swapped"]  # they lie along the axes of their bodies
    if case.sketch.of_kind("Node"):  # a point has no axes, and is at its origin
        ways = [w for w in ways if w not in ("moved", "origins", "all")]
    what = case.structure.lot(2).permutation(ways)[0]
    sketch, rng, n = case.sketch, case.rng, case.sketch.dimension
    units, mirror, move, origins = Units(), False, Place.of(), {}
    if what in ("units", "all"):
        units = Units(*[(1e3, 1e-3, 1.0), (1e-2, 10.0, 0.1), (1e-3, 1e-6, 1e-3**0.5)][rng.integers(3)])
        sketch = sketch.rescaled(units)
    if what in ("mirrored", "all"):
        mirror, sketch = True, sketch.mirrored()
    if what in ("moved", "all"):
        move = Place.random(rng, n, sketch.units.L)
        sketch = sketch.moved(move)
    if what in ("origins", "all"):
        new = {p.name: Place.random(rng, n, 0.3 * sketch.units.L) for p in sketch.parts}
        sketch = sketch.with_origins(new)
        # told in the axes before mirror and units
        origins = {k: (p.mirrored if mirror else p).scaled(1 / units.L) for k, p in new.items()}
    if what in ("order", "all"):
        sketch = sketch.reordered(np.random.default_rng(case.structure.seed))
    if what in ("swapped", "all"):
        symmetric = {k for k, kind in JOINTS.items() if kind.symmetric} | {
            "Gear",
            "Spring",
            "Attraction",
            "Contact",
            "Impact",
            "Shapes",
        }
        given = [x for x in sketch.items if x.words.get("on") != "plane" and "helix_angle" not in x.numbers]
        # of moving bodies with as many corners those of the first shape count in full, where a corner meets a corner
        given = [
            x for x in given if x.kind != "Shapes" or "ground" in x.bodies or len({*map(CORNERS.get, x.words["shapes"])}) > 1
        ]
        sketch = sketch.with_swapped([x.name for x in given if x.kind in symmetric])
    try:
        other = run(sketch)
    except lw.LinkwrightError as error:
        return [f"{what}: {type(error).__name__}: {str(error)[:300]}"]
    return [f"{what}: {x}" for x in case.compare(other, Change(units, mirror, move, origins))]


def embedded(case: Case) -> list[str]:
    """A planar machine in space tells the same numbers."""
    flat = {"CamFollower", "CamFlat"}
    if case.sketch.dimension == 3 or any(x.kind in flat for x in case.sketch.items):
        return []
    try:
        m = lw.embed(model(case.sketch))
    except lw.ModelError:
        if case.sketch.of_kind(*LATER):
            return []  # refused by name
        raise
    d = lw.dynamics(m, **options(case.sketch))
    said, L, T = [], case.sketch.units.L, case.sketch.units.T
    found: dict[str, float] = {}
    for p in case.sketch.parts:
        pairs = [(c, c, L / T**k) for k, c in ((0, "x"), (0, "y"), (1, "vx"), (1, "vy"), (2, "ax"), (2, "ay"))]
        pairs += [("omega", "wz", 1 / T), ("alpha", "alphaz", 1 / T**2)]
        for one, other, unit in pairs:
            x, y = np.asarray(case.base.result[f"{p.name}.{one}"]), np.asarray(d[f"{p.name}.{other}"])
            found[f"{p.name}.{one}"] = float((np.abs(x - y) / (10 * unit + np.abs(x))).max())
    off = {name: x for name, x in found.items() if not x <= 1e-6}
    if off:
        allowed = 1e-6 * max(1.0, 10 * case.growth)
        said = [f"{name} differs by {x:.3g} (allowed {allowed:.1g})" for name, x in off.items() if not x <= allowed]
    return said


def in_loops(case: Case) -> list[str]:
    """As a machine of many bodies: element functions in loops, with block factors."""
    asked = LOOPS[case.structure.lot(3).integers(len(LOOPS))]
    tol = {tuple(way.items()): x for way, x in WAYS}.get(tuple(asked.items()), 1e-6)
    usual, size_policy.LOOPED = size_policy.LOOPED, 1
    try:
        other = _by(case, asked)
    finally:
        size_policy.LOOPED = usual
    if isinstance(other, str):
        return [f"in loops, {other}"]
    return [f"in loops, {asked}: {x}" for x in case.compare(other, tol=tol)] if other else []


def files(case: Case) -> list[str]:
    """Saved and loaded, the machine is the same to the last digits."""
    # formulas of files hold no tables and no Python, and say so
    if any("values" in x.words or x.kind == "PlainForce" for x in case.sketch.items):
        return []
    ending = ("yaml", "json")[case.structure.seed % 2]
    m = model(case.sketch)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"machine.{ending}"
        m.save(path)
        again = lw.load(path)
    return [f"{ending}: {x}" for x in case.compare(run(case.sketch, again), tol=1e-9, to=case.anew)]


def fresh(case: Case) -> list[str]:
    """A model made with these numbers is the one whose parameters were set to them. Both start with the very same numbers:
    starts that differ by rounding may take other steps, and then differ by errors of the integration."""
    changed = run(case.sketch, case.structure.model(case.sketch))
    return [f"made anew: {x}" for x in case.compare(changed, tol=1e-12, to=case.anew)]


def restarted(case: Case) -> list[str]:
    """Half of the run, and the other half from where it ended."""
    m, asked = model(case.sketch), options(case.sketch)
    half = 0.5 * SPAN * case.sketch.time
    first = lw.dynamics(m, **{**asked, "t_end": half, "steps": 1})
    second = lw.dynamics(m, **{**asked, "t_start": half, "steps": 1}, start=first)
    said = []
    whole = case.again
    unit_of = case.sketch.units.of
    units = {"r": unit_of(1), "R": 1.0, "v": unit_of(1, 0, -1), "w": unit_of(0, 0, -1), "a": unit_of(1, 0, -2)}
    later = answer(case.sketch, second).bodies
    for k in (1, 2):
        for name, b in later.items():
            for what, unit in units.items():
                one, other = getattr(whole.bodies[name], what)[k], getattr(b, what)[k - 1]
                off = float((np.abs(one - other) / (10 * unit + np.abs(one))).max())
                if not off <= 1e-6 and not off <= 1e-6 * max(1.0, 10 * case.growth):
                    said.append(f"restart: {name} {what} differs by {off:.3g} at t[{k}]")
    return said
