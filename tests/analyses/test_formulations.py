"""The same machine simulated under each formulation: same channels, same numbers.

Tolerance 1e-9 of the largest value of a channel: runs at rtol 1e-11 whose local errors differ, over less than a second.
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example

TOLERANCE = 1e-9


def agree(model, t_end, formulations=("kane", "joint"), tolerance=TOLERANCE, **options):
    runs = {
        f: lw.dynamics(model, t_end, 6, rtol=1e-11, atol=1e-13, formulation=f, **options)
        for f in ("newton-euler", *formulations)
    }
    base = runs["newton-euler"]
    for name, run in runs.items():
        assert list(run.channels) == list(base.channels)
        assert run.audit.formulation == name
        for channel in base.channels:
            size = 1 + np.abs(base[channel]).max()
            assert np.abs(run[channel] - base[channel]).max() < tolerance * size, (name, channel)
        assert np.allclose(
            run.energy.total, base.energy.total, rtol=0, atol=tolerance * (1 + np.abs(base.energy.total).max())
        )
        assert run.audit.position_error < 1e-10
    return runs


def pendulums(friction=False):
    m = lw.PlanarModel("pendulums", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=0.1, position=(0.5, 0), angle=2 * np.pi)  # a whole turn: angles are not wrapped
    b = m.body("b", mass=1, inertia=0.1, position=(1.5, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    B = m.add(lw.Revolute("B", b.at(-0.5, 0), a.at(0.5, 0)))
    if friction:
        m.add(lw.Friction("rub A", A, mu=0.2, radius=0.05))
        m.add(lw.Friction("rub B", B, mu=0.1, radius=0.05, viscous=0.01))
    return m, a, b


def test_four_bar_with_a_motor_that_works():
    """A driver's work and a cut joint, in the plane."""
    runs = agree(example("four-bar").build(), 0.4)
    assert np.abs(runs["joint"].energy.work).max() > 1.0
    assert runs["joint"].audit.energy_error < 1e-9


def test_friction_of_joints_of_the_tree():
    """Their reactions make the friction, though they have no multipliers in joint coordinates; 1e-8 for laws that bend."""
    m, _, b = pendulums(friction=True)
    m.add(lw.Distance("rod", m.ground.at(2.5, 0.5), b.at(0.5, 0), np.hypot(0.5, 0.5)))
    runs = agree(m, 0.4, tolerance=1e-8)
    assert runs["joint"].energy.work[-1] < -1e-3


def test_spatial_machine_with_loops():
    agree(example("spatial-slider-crank").build(), 0.3)


def test_redundant_loop_in_space():
    """A parallelogram on four hinges in space: three rows too many, whichever formulation."""
    m = lw.SpatialModel("parallelogram", gravity=(0, 0, -9.81))
    R = ((1, 0, 0), -np.pi / 2)
    up = ((0, 1, 0), -np.pi / 2)
    a = m.body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.0, 0, 0.5), orientation=up, omega=(0, 1.0, 0))
    b = m.body("b", mass=2, inertia=(0.1, 0.2, 0.2), position=(1.0, 0, 1.0))
    c = m.body("c", mass=1, inertia=(0.1, 0.1, 0.1), position=(2.0, 0, 0.5), orientation=up)
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=R), a.at(-0.5, 0, 0, rotation=R)))
    m.add(lw.Revolute("B", a.at(0.5, 0, 0, rotation=R), b.at(-1, 0, 0, rotation=R)))
    m.add(lw.Revolute("C", b.at(1, 0, 0, rotation=R), c.at(0.5, 0, 0, rotation=R)))
    m.add(lw.Revolute("D", c.at(-0.5, 0, 0, rotation=R), m.ground.at(2, 0, 0, rotation=R)))
    runs = agree(m, 0.4)
    assert abs(runs["joint"]["a.wy"][0]) == pytest.approx(1.0, abs=1e-9)


def test_cam_keeps_its_curve_parameters():
    """Curve parameters stay coordinates of their own, beside those of the tree."""
    agree(example("valve-lifter").build(), 0.05)


def test_impacts_and_stabilisation():
    """States that an impact changes go back into joint coordinates; gains work on loops and, for Kane, on joints."""
    m, a, _ = pendulums()
    m.add(lw.Contact("floor", a.at(0.5, 0), m.ground.at(0, -0.2, angle=0), restitution=0.5))
    runs = agree(m, 0.4)
    assert len(runs["joint"].events) == len(runs["newton-euler"].events) > 0
    free = example("four-bar").build().without("motor")
    agree(free, 0.3, constraints="stabilization", tolerance=1e-8)


def test_spins_beyond_whole_turns():
    """Euler parameters change sign with every turn, and angles count on: a spherical and a screw joint, several turns."""
    m = lw.SpatialModel("spin", gravity=(0, 0, 0))
    top = m.body("top", mass=1, inertia=(0.1, 0.1, 0.2), omega=(0, 1.0, 30.0))
    nut = m.body("nut", mass=1, inertia=(0.1, 0.1, 0.2), position=(1, 0, 0.5), omega=(0, 0, -40.0))
    m.add(lw.Spherical("ball", top.at(0, 0, 0), m.ground.at(0, 0, 0)))
    m.add(lw.Screw("thread", nut.at(0, 0, 0), m.ground.at(1, 0, 0.5), pitch=0.02))
    runs = agree(m, 0.6, formulations=("joint",))
    assert abs(runs["joint"]["thread.angle"][-1]) > 4 * np.pi


def test_auto_takes_fewest_operations_and_says_so():
    m, _, _ = pendulums()
    run = lw.dynamics(m, 0.1, 2, formulation="auto")
    assert run.audit.formulation == "joint"
    assert "joint for the fewest operations an evaluation" in run.audit.why
    assert "of newton-euler" in run.audit.why


def test_laws_in_python_fall_back_to_cartesian_coordinates():
    m, a, _ = pendulums()
    m.add(lw.Force("law", a.x, lambda s: 1.0 if float(s) > 0 else -1.0))
    with pytest.warns(UserWarning, match="law"):
        run = lw.dynamics(m, 0.01, 2, formulation="joint")
    assert run.audit.formulation == "newton-euler"
    assert "cannot be traced, in place of joint" in run.audit.why


def test_partitioning_in_joint_coordinates_is_refused():
    m, _, _ = pendulums()
    with pytest.raises(lw.ModelError, match="independent already") as error:
        lw.dynamics(m, 0.1, 2, formulation="joint", constraints="partitioning")
    assert error.value.element == ("constraints",)
    with pytest.raises(lw.ModelError, match="no formulation 'tree'"):
        lw.dynamics(m, 0.1, 2, formulation="tree")
