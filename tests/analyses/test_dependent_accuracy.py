"""Machines whose joints say some things twice move as exactly, and in as many steps, as those whose joints say them once.

Rows that depend on each other where all joints are closed do not where these are open, as at the stages of a method."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from planar_machines import rocker


def flying(twice):
    """Three bodies in the plane, two of which are one; a rod between these says nothing new."""
    m = lw.PlanarModel("flying", gravity=(0, 0))
    a = m.body("a", mass=1.0, inertia=0.3, angle=0.2, velocity=(0.5, -0.3), omega=-0.6)
    b = m.body("b", mass=2.0, inertia=0.2, position=(0.8, 0.3), angle=0.9, velocity=(0.2, 0.4), omega=2.0)
    c = m.body("c", mass=1.5, inertia=0.4, position=(-1.0, 0.0), angle=0.2, velocity=(0.5, -0.3), omega=-0.6)
    pin = m.add(lw.Revolute("pin", a.at(0.4, 0.1), b.at(-0.4, 0.2)))
    m.add(lw.Fixed("weld", a.at(-0.5, 0), c.at(0.5, 0)))
    if twice:
        m.add(lw.Distance("rod", a.at(0, 0.4), c.at(0, 0.4), length=1.0))
    m.add(lw.TorsionSpring("spring", pin, k=7.0, angle=0.9, c=0.9))
    return m


def door(twice):
    """A door on its frame, which flies: one hinge is enough."""
    m = lw.SpatialModel("door", gravity=(1.0, -2.0, -9.81))
    frame = m.body("frame", mass=2, inertia=(0.3, 0.4, 0.5), omega=(0.3, -0.2, 0.5), velocity=(0.1, 0, 0.2))
    leaf = m.body("leaf", mass=3, inertia=(0.5, 0.4, 0.3), position=(0.5, 0, 0), omega=(0.3, -0.2, 2.0))
    m.add(lw.Revolute("low", frame.at(0, 0, -0.5), leaf.at(-0.5, 0, -0.5)))
    if twice:
        m.add(lw.Revolute("high", frame.at(0, 0, 0.5), leaf.at(-0.5, 0, 0.5)))
    return m


@pytest.mark.parametrize("build", [flying, door])
@pytest.mark.parametrize("formulation", ["newton-euler", "kane", "looped"])
def test_as_exact_as_with_joints_that_are_needed(build, formulation, monkeypatch):
    grid = {"t_end": 0.6, "steps": 2}
    if formulation == "looped":  # as machines of many bodies are
        monkeypatch.setattr(size_policy, "LOOPED", 1)
        formulation = "newton-euler"
    right = lw.dynamics(build(False), **grid, rtol=1e-13, atol=1e-15)
    rates = [n for n in right.channels if n.rpartition(".")[2] in ("vx", "vy", "vz", "omega", "wx", "wy", "wz")]
    machines = build(False), build(True)
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        once, twice = (lw.dynamics(m, **grid, rtol=rtol, atol=1e-2 * rtol, formulation=formulation) for m in machines)
        assert once.audit.formulation == twice.audit.formulation == formulation
        assert twice.audit.steps <= once.audit.steps + 1
        # velocities are of size one; a few steps add a few errors of the tolerance, in the worst of some ten numbers
        assert max(np.abs(twice[n] - right[n]).max() for n in rates) < 10 * rtol


@pytest.mark.parametrize("formulation", ["newton-euler", "kane", "joint"])
def test_a_machine_that_locks_up_does_not_slip_through(formulation):
    """A driven rocker ends where coupler and follower, 1 and 1.2 long, fold over each other: crank and base, 1 and 1.1 long,
    make a triangle with 0.2. A rod along the crank says nothing new, but other joints must not yield because of it."""
    m = rocker()
    m.add(lw.Distance("rod", m.ground.at(0, 0), m.bodies["a"].at(0.5, 0), length=1.0))
    with pytest.raises(lw.SingularityError, match="locks up") as caught:
        lw.dynamics(m, 3.0, 3, formulation=formulation)
    angle = 2 * np.pi - np.arccos((1 + 1.1**2 - 0.2**2) / 2.2)
    # within 1e-3 of it in singular values: at a fold angles go with the square root of the time that is left
    assert caught.value.time == pytest.approx((angle - np.pi / 2) / 2, abs=1e-5)
