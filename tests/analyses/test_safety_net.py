"""No run is returned as if nothing were when its constraints or its energy are not kept."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.machine.safety import Allowed, Kept, judged


def mass_on_a_rod() -> lw.Model:
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=1, position=(1, 0))
    m.add(lw.Distance("rod", m.ground.at(0, 0), b.at(0, 0), 1.0))
    return m


@pytest.mark.parametrize("constraints", ["projection", "partitioning", "hybrid", "stabilization", "augmented"])
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_pendulum_let_go_from_the_horizontal(constraints, formulation):
    """The dependent coordinate must change on the way down: x at the start, y at the bottom."""
    d = lw.dynamics(mass_on_a_rod(), t_eval=[0, 0.59196, 1], constraints=constraints, formulation=formulation)
    assert np.hypot(d["b.x"], d["b.y"]) == pytest.approx(np.ones(3), abs=1e-8)  # constraint_tol of "hybrid"
    speed = np.hypot(d["b.vx"], d["b.vy"])
    assert 0.5 * speed**2 + 9.81 * d["b.y"] == pytest.approx(np.zeros(3), abs=1e-6)  # 100 steps of rtol = 1e-8
    assert d.audit.energy_error < 1e-6


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 10])
def test_the_energy_error_does_not_depend_on_output_times(steps):
    """Output that falls where the pendulum rests saw energies of zero, and called rounding an error of a quarter."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=0, position=(1, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), b.at(-1, 0)))
    once = lw.dynamics(m, t_end=10.0, steps=1, events={"rest": "b.omega"})
    period = 2 * once.events[0][0]
    d = lw.dynamics(m, t_end=steps * period, steps=steps)
    assert np.abs(d["b.omega"]).max() < 1e-5  # it rests at every output
    other = lw.dynamics(m, t_end=steps * period, steps=13 * steps + 1)
    assert d.audit.energy_error == other.audit.energy_error < 1e-6


@pytest.mark.parametrize("gravity", [(0, -9.81), (0, 0)])
def test_a_machine_that_stands_has_no_error_of_energy(gravity):
    """Two couplers lock two wheels whose mass centres are off their pins: energies of 1e-60 J are none."""
    m = lw.PlanarModel("locked", gravity=gravity)
    a = m.body("a", mass=1, inertia=0.1, com=(0.3, 0), angle=0.5)
    b = m.body("b", mass=1, inertia=0.1, com=(0.3, 0), position=(1.8, 0), angle=0.3)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    B = m.add(lw.Revolute("B", m.ground.at(1.8, 0), b.at(0, 0)))
    m.add(lw.Coupler("C", {A.angle: 1, B.angle: 0.8}, value=None))
    m.add(lw.Coupler("D", {A.angle: 1, B.angle: 0.9}, value=None))
    d = lw.dynamics(m, t_end=1.0, steps=2)
    assert d.audit.energy_error < 1e-8
    assert not d.audit.notes


def kept(**changes: np.ndarray) -> Kept:
    t = np.linspace(0, 1, 11)
    given = {"kinetic": t, "potential": -t, "work": 0 * t, "position": 0 * t, "velocity": 0 * t, "row": np.zeros(11, int)}
    return Kept(t, **{**given, **changes})


def test_what_is_kept_is_not_remarked_on():
    assert judged(kept(), ["rod.length"], Allowed(1e-8, 100)) == ([], None)


@pytest.mark.parametrize("level", ["position", "velocity"])
def test_joints_that_come_apart_end_the_run_and_are_named(level):
    off = np.zeros(11)
    off[7:] = 1e-3
    notes, error = judged(kept(**{level: off}), ["rod.length"], Allowed(1e-8, 100))
    assert error is not None
    assert error.element == ("rod",)
    assert error.time == pytest.approx(0.7)
    assert f"the {level} of rod.length is off by 0.001" in error.cause
    assert notes == []


def test_a_mild_drift_is_told_in_the_audit():
    notes, error = judged(kept(position=np.linspace(0, 2e-6, 11)), ["rod.length"], Allowed(1e-8, 100))
    assert error is None
    assert notes == ["the position of rod.length is off by 2e-06 (relative) at t = 1: more than the tolerance 1e-08 allows"]


def test_energy_that_does_not_add_up_ends_the_run():
    t = np.linspace(0, 1, 11)
    notes, error = judged(kept(kinetic=1.5 * t), ["rod.length"], Allowed(1e-8, 100))
    assert error is not None
    assert "energy balance" in error.cause
    assert notes == []
    notes, error = judged(kept(kinetic=1.0005 * t), ["rod.length"], Allowed(1e-8, 100))
    assert error is None
    assert "energy balance" in notes[0]


def test_treatments_that_correct_nothing_may_drift_until_joints_come_apart():
    free = Allowed(1e-8, 100, positions=False, velocities=False)
    assert judged(kept(position=np.full(11, 1e-4)), ["rod.length"], free) == ([], None)
    assert judged(kept(position=np.full(11, 0.1)), ["rod.length"], free)[1] is not None
