"""formulation="joint" of large machines: as many loops as there are, the same answers as with bodies' coordinates."""

import numpy as np
import pytest
from benchmarks.spatial import loops

import linkwright as lw
from linkwright.system.coordinates import Coordinates
from linkwright.system.estimates import estimates
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.joints import LoopedJoints
from loop_machines import four_bars
from looped_runs import chain, rope


def tower(n):
    """Four-bars, each on the coupler of the one below: n loops on one chain, 3 n bodies."""
    m = four_bars(n)
    m.add(lw.Torque("push", m["a0"], lambda t: 5 * lw.sin(3 * t)))
    return m


def same(m, t_end, tolerance=1e-9, **options):
    """All channels to a part of their largest value; steps are chosen so small that the rest is rounding."""
    options = {"rtol": 1e-11, "atol": 1e-13, **options}
    wanted, found = (lw.dynamics(m, t_end, 3, formulation=f, **options) for f in ("newton-euler", "joint"))
    assert found.audit.formulation == "joint"
    assert "compiled in loops" in found.audit.why
    assert list(found.channels) == list(wanted.channels)
    for name in wanted.channels:
        assert np.abs(found[name] - wanted[name]).max() < tolerance * (1 + np.abs(wanted[name]).max()), name
    return found


def test_fifty_loops_on_one_chain():
    """The matrix of its joint coordinates is full: written down and eliminated it would take millions of operations."""
    found = same(tower(50), 0.1)
    assert found.audit.position_error < 1e-12
    assert found.audit.energy_error < 1e-9


def test_a_thousand_bodies():
    found = same(tower(350), 0.01)
    assert found["a0.angle"][-1] == pytest.approx(found["b0.angle"][-1], abs=1e-12)  # a parallelogram


def test_loops_in_space_that_drivers_move_alone():
    """Bodies without mass, cranks, balls and crosses: the motion is that of kinematics."""
    m = loops(25)
    found, wanted = same(m, 0.2), lw.kinematics(m, 0.2, 3)
    assert found.audit.energy_error == 0  # there is none
    for name in wanted.channels:
        assert np.abs(found[name] - wanted[name]).max() < 1e-9 * (1 + np.abs(wanted[name]).max()), name


def test_joints_assembled_the_other_way_round():
    """A hinge with antiparallel axes is none of a tree's; below and above it are."""
    m = lw.SpatialModel("antiparallel", gravity=(0, -9.81, 0))
    end, turned = m.ground.at(0, 0, 0), 0.0
    for k in range(60):
        turned += np.pi * (k % 20 == 7)
        b = m.body(
            f"b{k}", mass=1, inertia=(0.1, 0.2, 0.3), position=(k + 0.5, 0, 0), orientation=((1, 0, 0), turned)
        )  # fmt: skip
        m.add(lw.Revolute(f"J{k}", end, b.at(-0.5, 0, 0)))
        end = b.at(0.5, 0, 0)
    joints = LoopedJoints.of(LoopedSystem(m), estimates(m, Coordinates.of(m)))
    assert [e.name for e in joints.spanning.loops] == ["J7", "J27", "J47"]
    same(m, 0.2)


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_turns_are_counted_and_a_run_goes_on(dimension, formulation):
    """Ten turns of a motor, whole ones from output to output; another run from the end of it; dense output."""
    m, at = {2: rope, 3: chain}[dimension](50), (0.0,) * (dimension - 1)
    wheel = m.body("wheel", 1.0, 0.1 if dimension == 2 else (0.1, 0.1, 0.1), position=(2, *at))
    pin = m.add(lw.Revolute("pin", m.ground.at(2, *at), wheel.at(0, *at)))
    m.add(lw.Driver("motor", pin.angle, "40*pi*t"))
    half = lw.dynamics(m, 0.25, 5, formulation=formulation)
    d = lw.dynamics(m, 0.5, 5, t_start=0.25, start=half, formulation=formulation, dense_output=True)
    assert half["pin.angle"] == pytest.approx(np.linspace(0, 10 * np.pi, 6), abs=1e-9)
    assert d["pin.angle"] == pytest.approx(np.linspace(10 * np.pi, 20 * np.pi, 6), abs=1e-9)
    name, value = ("angle", 15 * np.pi) if dimension == 2 else ("e0", np.cos(7.5 * np.pi))
    assert d.sol(0.375)[f"wheel.{name}"] == pytest.approx(value, abs=1e-6)  # a polynomial between steps


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_the_work_of_drivers_at_constant_speed(formulation):
    """Eccentric rotors: the work is m g e sin(60 t) of each, and nothing else of the motion tells how long steps may be."""
    m = lw.PlanarModel("rotors", gravity=(0, -9.81))
    for k in range(50):
        rotor = m.body(f"rotor{k}", 2.0, 0.1, com=(0.1, 0), position=(k, 0))
        pin = m.add(lw.Revolute(f"pin{k}", m.ground.at(k, 0), rotor.at(0, 0)))
        m.add(lw.Driver(f"motor{k}", pin.angle, "60*t"))
    d = lw.dynamics(m, 0.2, 10, formulation=formulation)
    T = 50 * 0.5 * (0.1 + 2 * 0.1**2) * 60**2
    # 1e-8 of the energies a step, which count one among some 300 numbers of a state
    assert np.abs(d.energy.work - 50 * 2 * 9.81 * 0.1 * np.sin(60 * d.t)).max() < 1e-5 * T


def test_auto_says_what_it_took():
    d = lw.dynamics(rope(50), 0.01, 1, formulation="auto")
    assert d.audit.formulation == "newton-euler"
    assert "newton-euler in loops: joint coordinates have the same factors" in d.audit.why
