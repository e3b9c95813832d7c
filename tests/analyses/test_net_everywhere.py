"""The safety net holds in every treatment, formulation and method: runs that are spoiled on purpose are told, each time.

Three things go wrong. A spring that lies about its energy: the balance. A spring that also pushes from nowhere, and tells
the work of it: momenta alone know. A body that is put elsewhere: the constraints.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

import linkwright as lw
from linkwright import options, size_policy
from linkwright.analyses.dynamics import run
from linkwright.system import forces
from linkwright.system.load import Load

ONE = {"formulation": "newton-euler"}
WAYS = [
    *({"formulation": f} for f in get_args(options.Formulation)),
    *({"constraints": c} for c in get_args(options.Constraints) if c != "projection"),
    *({"constraints": c, "formulation": "joint"} for c in ("partitioning", "direct", "hybrid", "augmented")),
    *({"method": x, **ONE} for x in get_args(options.Method) if x != "rk4"),
    {"method": "rk4", "first_step": 1e-3, **ONE}, {"method": "hht", "constraints": "index-3"},
    {"method": "radau", "constraints": "partitioning"}, {"method": "radau", "formulation": "joint"},
]  # fmt: skip
IN_LOOPS = [
    {}, {"formulation": "joint"}, {"constraints": "augmented"}, {"constraints": "stabilization"}, {"constraints": "direct"},
    {"method": "radau"}, {"method": "generalized-alpha", "rtol": 1e-3},
]  # fmt: skip
FORM = get_args(options.Formulation)[1:3]  # of Euler parameters: in space


def pair(n: int) -> lw.Model:
    """Two bodies that are thrown, joined by a pin and a spring. How much the spring lies, and how much it pushes from
    nowhere, are parameters, so that all runs have one code."""
    m = lw.PlanarModel("spoiled", gravity=(0, -3)) if n == 2 else lw.SpatialModel("spoiled", gravity=(0, -3, 0))
    zero, J, w = (0,) * (n - 2), 0.1 if n == 2 else (0.1, 0.2, 0.25), 3.0 if n == 2 else (3.0, 1.0, 2.0)
    lie, push = m.parameter("lie", 0.0), m.parameter("push", 0.0)
    a = m.body("a", 1.0, J, com=(0.1, 0.2, *zero), velocity=(1, 2, *zero), omega=w)
    b = m.body("b", 2.0, J, position=(1, 0.1, *zero), velocity=(0, 1, *zero))
    pin = m.add((lw.Revolute if n == 2 else lw.Spherical)("pin", a.at(0.4, 0, *zero), b.at(-0.6, -0.1, *zero)))
    m.add(lw.Spring("spring", a.at(0, 0.5, *zero), b.at(0, 0.5, *zero), k=50, length=0.5, c=push, force=lie))
    if n == 2:  # along a coordinate of the pin: between its bodies
        m.add(lw.TorsionSpring("coil", pin, k=1.0, c=0.1))
    return m


@pytest.fixture
def spoiled(monkeypatch):
    """Springs of this file alone have both an actuator and damping; their numbers say how much they lie and push."""
    known = forces._spring

    def rule(t, e):
        load = known(t, replace(e, c=0.0, force=0.0))
        first = next(iter(t.g.coordinates.body_slices().values()))[1].start
        return [replace(load, V=load.V * (1.0 + e.force)), Load(e.name, {first: e.c})]

    monkeypatch.setitem(forces._RULES, lw.Spring, rule)


@pytest.fixture
def moved(monkeypatch):
    """A switch: bodies are put a tenth of a length elsewhere, in the second half of a run."""
    known, on = run.Piece, []

    def piece(t, y, *more):
        y = y.copy()
        if on:
            y[t > 0.1, 0] += 0.1
        return known(t, y, *more)

    monkeypatch.setattr(run, "Piece", piece)
    return on


def told(m: lw.Model, **asked: object) -> str:
    """What the net says of a run."""
    try:
        d = lw.dynamics(m, t_end=0.2, steps=2, **asked)
    except lw.IntegrationError as error:
        return error.cause if error.partial is not None and error.time is not None else "no result"
    return "; ".join(note for note in d.audit.notes if "tolerance" in note)


def everywhere(m: lw.Model, moved: list, asked: dict) -> None:
    assert told(m, **asked) == ""
    m.set(lie=3.0)
    assert "energy balance" in told(m, **asked)
    m.set(lie=0.0, push=10.0)
    assert "momentum along x" in told(m, **asked)
    m.set(push=0.0)
    moved.append(True)
    assert "pin" in told(m, **asked)
    moved.clear()


@pytest.mark.parametrize("asked", WAYS, ids=lambda x: " ".join(map(str, x.values())))
def test_compiled_as_a_whole(asked, spoiled, moved):
    everywhere(pair(3 if asked.get("formulation") in FORM else 2), moved, asked)


@pytest.mark.parametrize("asked", IN_LOOPS, ids=lambda x: " ".join(map(str, x.values())) or "usual")
def test_in_loops(asked, spoiled, moved, monkeypatch):
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    everywhere(pair(2), moved, asked)
