"""A machine is traced and compiled once: values of parameters, gravity, start and tolerances are inputs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.looped import kept
from linkwright.analyses.machine import kept as machines
from linkwright.compile import function as functions


def four_bar(space: bool, gravity: float = -9.81, angle: float = 0.9) -> lw.Model:
    """A crank of length r; in space on revolute joints about z."""
    m = lw.SpatialModel("bar", gravity=(0, gravity, 0)) if space else lw.PlanarModel("bar", gravity=(0, gravity))
    r = m.parameter("r", 0.3)
    tip = (0.3 * np.cos(angle), 0.3 * np.sin(angle))
    third = (0.0,) if space else ()

    def body(name, mass, place, turn):
        turned = {"orientation": ((0, 0, 1), turn)} if space else {"angle": turn}
        return m.body(name, mass=mass, inertia=(0.01, 0.01, 0.02) if space else 0.02, position=(*place, *third), **turned)

    crank = body("crank", 1.0, (tip[0] / 2, tip[1] / 2), angle)
    rod = body("rod", 2.0, (tip[0] + 0.4, tip[1] + 0.15), 0.2)
    rocker = body("rocker", 1.5, (0.9, 0.3), 1.2)
    ball = lw.Spherical if space else lw.Revolute
    m.add(lw.Revolute("A", m.ground.at(0, 0, *third), crank.at(-r / 2, 0, *third)))
    m.add(lw.Revolute("B", crank.at(r / 2, 0, *third), rod.at(-0.4, 0, *third)))
    m.add(ball("C", rod.at(0.4, 0, *third), rocker.at(0.3, 0, *third)))
    m.add(lw.Revolute("D", m.ground.at(0.8, 0, *third), rocker.at(-0.3, 0, *third)))
    m.add(lw.Force("drag", m["A"].angle, lambda a, w, t: -0.1 * w))
    return m


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """What is traced into a program, or compiled, from here on."""
    out: list[str] = []
    for name in ("linearise", "compiled"):
        original = getattr(functions, name)
        monkeypatch.setattr(functions, name, lambda *a, n=name, f=original, **k: (out.append(n), f(*a, **k))[1])
    return out


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_other_values_trace_and_compile_nothing(space, formulation, made):
    m = four_bar(space)
    lw.dynamics(m, t_end=0.1, steps=5, formulation=formulation)
    made.clear()
    m.set(r=0.31)
    lw.dynamics(m, t_end=0.2, steps=7, rtol=1e-6, formulation=formulation)
    m.gravity = (0, -1.62, 0) if space else (0, -1.62)
    lw.dynamics(m, t_end=0.1, t_eval=[0.05], formulation=formulation)
    lw.dynamics(four_bar(space, gravity=-3.7, angle=0.8), t_end=0.1, steps=5, formulation=formulation)
    assert made == []


@pytest.mark.parametrize("space", [False, True])
def test_events_are_traced_once(space, made):
    events = {"speed": "crank.omega" if not space else "crank.wz", "pull": "A.fx"}
    m = four_bar(space)
    first = lw.dynamics(m, t_end=0.5, steps=5, events=events)
    made.clear()
    again = lw.dynamics(m, t_end=0.5, steps=5, events=events)
    assert made == []
    assert first.events == again.events


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_what_is_shared_gives_each_machine_its_own_numbers(space, formulation):
    """Machines of one structure, one after the other and the first again, give what each gives alone."""
    kinds = [{}, {"gravity": -1.62}, {"angle": 1.1}, {}]
    shared = [lw.dynamics(four_bar(space, **kind), t_end=0.2, steps=4, formulation=formulation) for kind in kinds]
    for kind, d in zip(kinds, shared, strict=True):
        machines._KEPT.clear()
        alone = lw.dynamics(four_bar(space, **kind), t_end=0.2, steps=4, formulation=formulation)
        for name in alone.channels:
            assert np.array_equal(d[name], alone[name]), name


@pytest.mark.parametrize("space", [False, True])
def test_the_audit_says_what_preparation_took(space):
    """The first run of a structure traces; another one, with other values, neither traces nor compiles."""
    machines._KEPT.clear()
    m = four_bar(space)
    first = lw.dynamics(m, t_end=0.1, steps=5)
    assert 0 < first.audit.trace_seconds < first.audit.wall_seconds
    m.set(r=0.29)
    again = lw.dynamics(m, t_end=0.2, steps=5)
    assert (again.audit.trace_seconds, again.audit.compile_seconds) == (0, 0)


def rope(gravity: float = -9.81, length: float = 1.0, extra: bool = False, space: bool = False) -> lw.Model:
    """Large enough for loops; `extra`: a pin twice, so that joints depend on each other."""
    third = (0.0,) if space else ()
    m = lw.SpatialModel("rope", gravity=(0, gravity, 0)) if space else lw.PlanarModel("rope", gravity=(0, gravity))
    L, c = m.parameter("L", length), m.parameter("c", 0.1)
    end = m.ground.at(0, 0, *third)
    for k in range(52):
        b = m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1) if space else 0.1, position=((k + 0.5) * length, 0, *third))
        pin = m.add(lw.Revolute(f"J{k}", end, b.at(-L / 2, 0, *third)))
        if extra and k == 3:
            m.add(lw.Revolute("again", end, b.at(-L / 2, 0, *third)))
        m.add(lw.Force(f"drag{k}", pin.angle, lambda s, v, t: -c * v - lw.where(s > 0.5, 1.0, 0.0)))
        end = b.at(L / 2, 0, *third)
    return m


@pytest.mark.parametrize("options", [
    {}, {"formulation": "joint"}, {"events": {"swing": "b3.y + 0.001", "pull": "J0.fy - 10"}}, {"constraints": "augmented"},
    {"method": "radau"},
], ids=["bodies", "joint", "events", "augmented", "implicit"])  # fmt: skip
@pytest.mark.parametrize("extra", [False, True], ids=["", "dependent"])
def test_large_machines_are_built_once(options, extra, made):
    """With other parameters, too; events are of one model, so they are met again with that one."""
    m = rope(extra=extra)
    if extra and "events" in options:
        options = {"events": {"swing": "b3.y + 0.001"}}
    lw.dynamics(m, 0.02, 2, rtol=1e-6, **options)
    made.clear()
    m.set(c=0.2)
    again = lw.dynamics(m, 0.03, 3, rtol=1e-6, **options)
    assert (again.audit.trace_seconds, again.audit.compile_seconds) == (0, 0)
    if "events" not in options:
        lw.dynamics(rope(extra=extra, gravity=-1.62, length=1.1), 0.02, 2, rtol=1e-6, **options)
    assert made == []


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_large_machines_that_share_have_their_own_numbers(space, formulation):
    kinds = [{}, {"gravity": -1.62}, {"length": 1.1}, {"extra": True}, {}]

    def run(kind):
        return lw.dynamics(rope(space=space, **kind), 0.05, 2, formulation=formulation)

    shared = [run(kind) for kind in kinds]
    for kind, d in zip(kinds, shared, strict=True):
        kept.forget()
        alone = run(kind)
        assert all(np.array_equal(d[name], alone[name]) for name in alone.channels)


def test_large_machines_within_and_beside_each_other():
    """A law may run the same machine, and threads may: each run has a set of numbers of its own."""
    inside: list[float] = []
    m = rope()

    def law(s, v, t):
        if not inside:
            inside.append(float(lw.dynamics(m, 0.02, 1, rtol=1e-5)["b9.y"][-1]))
        return -0.1 * float(s)

    alone = lw.dynamics(m, 0.02, 1, rtol=1e-5)["b9.y"][-1]
    outer = rope()
    outer.add(lw.Force("law", outer["b51"].y, law))
    with pytest.warns(UserWarning, match="cannot be traced"):
        lw.dynamics(outer, 0.02, 1, rtol=1e-5)
    assert inside == [alone]
    with ThreadPoolExecutor(4) as pool:
        many = list(pool.map(lambda k: lw.dynamics(rope(), 0.02, 1, rtol=1e-5)["b9.y"][-1], range(8)))
    assert many == [alone] * 8
