"""A run does not depend on those before it, and what is read of it later is of the machine as it was then."""

from __future__ import annotations

import gc
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from weakref import ref

import numpy as np
import pytest

import linkwright as lw
from benchmark_machines import four_bars
from linkwright import size_policy
from linkwright.analyses.dynamics.again import Looked
from linkwright.solve.integrate import INTERRUPTED, Integrator
from linkwright.solve.replay import Replay
from linkwright.solve.stepping import BUDGET, UNDERFLOW


def spinning() -> lw.SpatialModel:
    """Two bars that turn about z, several times a second."""
    m = lw.SpatialModel("spinning", gravity=(0, -9.81, 0))
    a = m.body("a", mass=1, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0), omega=(0, 0, 7))
    b = m.body("b", mass=1, inertia=(0.1, 0.2, 0.3), position=(2, 0, 0), omega=(0, 0, 15))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(-1, 0, 0)))
    m.add(lw.Revolute("B", a.at(1, 0, 0), b.at(0, 0, 0)))
    return m


def braced() -> lw.PlanarModel:
    """A bar on a spring, with parameters in it."""
    m = lw.PlanarModel("braced", gravity=(0, -9.81))
    k, at = m.parameter("k", 40.0), m.parameter("at", 0.8)
    bar = m.body("bar", mass=2, inertia=0.2, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(-0.5, 0)))
    m.add(lw.Spring("brace", m.ground.at(0, at), bar.at(0.5, 0), k=k, length=0.5))
    return m


def same(a: lw.MotionResult, b: lw.MotionResult) -> None:
    """To the last bit, whatever it is."""
    assert a.channels == b.channels
    for name in a.channels:
        assert np.array_equal(a[name], b[name]), name
    for x, y in ((a.energy, b.energy), (a.violation, b.violation)):
        assert all(np.array_equal(vars(x)[name], vars(y)[name]) for name in vars(x))
    assert a.audit.steps == b.audit.steps
    assert a.audit.evaluations == b.audit.evaluations
    assert a.audit.notes == b.audit.notes


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_run_is_the_same_whatever_was_run_before(formulation):
    """Joint coordinates went on counting turns where the last run had ended."""
    m = spinning()
    first = lw.dynamics(m, t_end=1.0, steps=4, formulation=formulation)
    lw.dynamics(m, t_end=2.3, steps=7, formulation=formulation)  # another end, the same start
    same(first, lw.dynamics(m, t_end=1.0, steps=4, formulation=formulation))


@pytest.mark.parametrize("method", ["dop853", "radau", "adams", "generalized-alpha"])
def test_every_method_begins_anew(method):
    m = braced()
    first = lw.dynamics(m, t_end=0.5, steps=4, method=method)
    same(first, lw.dynamics(m, t_end=0.5, steps=4, method=method))


def test_a_run_that_was_interrupted_leaves_nothing_behind():
    m = braced()
    first = lw.dynamics(m, t_end=0.5, steps=4)

    def stop(t: float, part: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(lw.Interrupted):
        lw.dynamics(m, t_end=50.0, steps=4, progress=stop)
    same(first, lw.dynamics(m, t_end=0.5, steps=4))


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_repeated_run_can_be_interrupted(formulation, monkeypatch):
    """Ctrl-C is heard after a run that takes no longer than a slice of time, and between the slices of another."""
    m = spinning()
    first, again = (lw.dynamics(m, t_end=1.0, steps=4, formulation=formulation) for _ in range(2))

    def stop(self, blocks, tick):
        self.count[BUDGET] = 1000  # steps
        self._call(blocks)()
        raise KeyboardInterrupt

    whole = Replay.run
    with monkeypatch.context() as patch:
        patch.setattr(Replay, "run", lambda self: (INTERRUPTED, *whole(self)[1:]))
        with pytest.raises(lw.Interrupted) as at_once:
            lw.dynamics(m, t_end=1.0, steps=4, formulation=formulation)
    with monkeypatch.context() as patch:
        patch.setattr(Replay, "_steps", property(lambda self: 1 << 40), raising=False)
        same(first, lw.dynamics(m, t_end=1.0, steps=4, formulation=formulation))
        patch.setattr(Integrator, "_slices", stop)
        with pytest.raises(lw.Interrupted) as between:
            lw.dynamics(m, t_end=1.0, steps=4, formulation=formulation)
    for caught in (at_once, between):
        same(first, caught.value.partial)  # all of so short a run was there
    same(again, lw.dynamics(m, t_end=1.0, steps=4, formulation=formulation))


def test_a_repeated_run_that_does_not_go_as_the_last_one_is_made_anew(monkeypatch):
    """Nothing of it is told: neither a run that takes other steps, nor one whose errors the safety net has to look at."""
    others = (
        (Replay, "counts", (1, 1)), (Replay, "run", lambda self: (UNDERFLOW, np.zeros(0), np.zeros((0, 0)))),
        (Looked, "most", lambda self, t: [np.nan] * 4),
    )  # fmt: skip
    for kind, name, other in others:
        m = braced()
        first, again = (lw.dynamics(m, t_end=0.5, steps=4) for _ in range(2))
        with monkeypatch.context() as patch:
            patch.setattr(kind, name, other)
            same(first, lw.dynamics(m, t_end=0.5, steps=4))
        same(again, lw.dynamics(m, t_end=0.5, steps=4))


def test_a_run_that_began_anew_with_other_equations_is_repeated_with_those():
    """Four-bars that pass flat positions, with steps so short that some end close to one: rows are regularised from the
    start on, and the repeated run does not begin without."""
    m = four_bars(1)
    first, again, once_more = (lw.dynamics(m, t_end=10.0, rtol=1e-11) for _ in range(3))
    assert "from t = 0 on an augmented Lagrangian" in once_more.audit.why
    same(first, again)
    same(first, once_more)


def test_a_repeated_run_in_loops_keeps_its_integrator(monkeypatch):
    monkeypatch.setattr(size_policy, "LOOPED", 1)
    m, made, make = braced(), [], Integrator.__init__
    first = lw.dynamics(m, t_end=0.5, steps=4)
    other = lw.dynamics(m, t_end=0.8, steps=4)
    monkeypatch.setattr(Integrator, "__init__", lambda self, *args, **more: made.append(make(self, *args, **more)))
    same(first, lw.dynamics(m, t_end=0.5, steps=4))
    same(other, lw.dynamics(m, t_end=0.8, steps=4))
    assert not made
    m.set(k=80.0)
    changed = lw.dynamics(m, t_end=0.5, steps=4)
    assert made
    m.set(k=40.0)
    same(first, lw.dynamics(m, t_end=0.5, steps=4))
    assert not np.array_equal(first["bar.x"], changed["bar.x"])


def test_runs_at_the_same_time():
    m = spinning()
    alone = lw.dynamics(m, t_end=1.0, steps=4, formulation="joint")
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: lw.dynamics(m, t_end=1.0, steps=4, formulation="joint"), range(8)))
    for run in runs:
        same(alone, run)


@pytest.mark.parametrize("loops", [False, True])
def test_what_is_read_later_is_of_the_parameters_then(loops, monkeypatch):
    """In loops the machine's numbers have gone to another run meanwhile; quantities took the model's new parameters."""
    if loops:
        monkeypatch.setattr(size_policy, "LOOPED", 1)
    m = braced()
    at_once, later = (lw.dynamics(m, t_end=0.5, steps=4) for _ in range(2))
    assert ("loops" in later.audit.why) == loops
    later = lw.dynamics(m, t_end=0.5, steps=4)  # nothing of it has been read
    known, place = pickle.loads(pickle.dumps(at_once)), lw.component(m["bar"].at("at", 0), "x")
    before = at_once[place]
    m.set(k=400.0, at=-3.0)
    lw.dynamics(m, t_end=0.5, steps=4)
    assert np.array_equal(later[place], before)
    m.add(lw.Torque("late", m["bar"], 1.0))
    same(known, later)
    assert [*known.places] == [*later.places]
    for a, b in zip(known.places.values(), later.places.values(), strict=True):
        assert np.array_equal(a.point, b.point)
    assert {**known.imbalance}.keys() == {**later.imbalance}.keys()
    assert max(np.abs(x).max() for x in later.imbalance.values()) < 1e-9  # forces of some 20 N balance to rounding
    assert np.array_equal(known.reaction("A")["fx"], later.reaction("A")["fx"])


def test_forces_of_contacts_are_of_the_parameters_then():
    """A block that is pushed and sticks: m g from the floor, and the push against it, whenever they are read."""
    m = lw.PlanarModel("pushed", gravity=(0, -10))
    mass, push = m.parameter("mass", 2.0), m.parameter("push", 3.0)
    block = m.body("block", mass=mass, inertia=0.1, position=(0, 0.5))
    for k, x in enumerate((-0.5, 0.5)):
        m.add(lw.Contact(f"c{k}", block.at(x, -0.5), m.ground.at(0, 0, angle=0), restitution=0.0, mu=0.5))
    m.add(lw.Force("hand", block.x, push))
    d = lw.dynamics(m, t_end=0.5, steps=2)
    m.set(mass=5.0, push=1.0)
    for name, of_all in (("force", 20.0), ("friction", 3.0)):
        total = np.abs(d[f"c0.{name}"] + d[f"c1.{name}"])
        np.testing.assert_allclose(total, of_all, rtol=1e-9)  # statics, but for rounding
    later = lw.dynamics(m, t_end=0.5, steps=2)
    np.testing.assert_allclose(later["c0.force"] + later["c1.force"], 50.0, rtol=1e-9)


def test_the_audit_is_completed_once():
    """Whoever reads it first, and in however many copies."""
    from copy import copy

    m = spinning()
    d = lw.dynamics(m, t_end=0.2, steps=2)
    other = copy(d)
    text = str(d.audit)
    assert "smallest pivot" in text
    assert str(other.audit) == text == str(pickle.loads(pickle.dumps(d)).audit)


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_repeated_run_is_mostly_its_integration(formulation):
    """Counted are calls of Python functions, which do not depend on what else the processor does: some 70, where they were
    430 and a run took three times its integration."""
    m, calls = spinning(), 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    def run():
        return lw.dynamics(m, t_end=1.0, steps=1, formulation=formulation)["b.x"]

    for _ in range(3):
        run()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    assert calls < 90


def test_a_result_that_nobody_holds_is_freed_at_once():
    """No cycle holds it until the collector comes: a loop of thousands of runs needs the memory of one."""
    m = spinning()
    lw.dynamics(m, t_end=0.2, steps=2)
    gc.disable()
    try:
        d = lw.dynamics(m, t_end=0.2, steps=2)
        d.audit, d.energy, d["A.omega"], d.reaction("A")
        gone = ref(d)
        del d
        assert gone() is None
    finally:
        gc.enable()


def test_a_large_machine_that_was_changed_is_judged_by_its_own_sizes():
    """What was found of the machine as it was (its length, its mass) is found anew: all is as of a machine made so."""

    def hanging(mass: float, arm: float) -> lw.PlanarModel:
        m = lw.PlanarModel("hanging", gravity=(0, -9.81))
        own, length = m.parameter("mass", mass), m.parameter("arm", arm)
        for k in range(60):
            b = m.body(f"b{k}", mass=own, inertia=0.1, position=(k, 0), omega=0.1 * k)
            m.add(lw.Revolute(f"J{k}", m.ground.at(k, length), b.at(0, length)))
        return m

    m = hanging(1.0, 0.5)
    for _ in range(2):
        lw.dynamics(m, t_end=0.2, steps=2)
    m.set(mass=3.0, arm=200.0)
    changed, new = (lw.dynamics(x, t_end=0.2, steps=2) for x in (m, hanging(3.0, 200.0)))
    same(changed, new)
    assert changed.audit.energy_error == new.audit.energy_error
