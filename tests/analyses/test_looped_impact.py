"""Impacts in large machines, against those compiled as a whole."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from looped_runs import rope, simulated, span


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_bounces_of_a_chain(formulation):
    """The tip of a chain on a floor, and a stop of a joint: times, velocities after, energy that is lost."""
    m = rope(2)
    m.add(lw.Contact("floor", m["b1"].at(0.5, 0), m.ground.at(0, -0.8, angle=0), restitution=0.7))
    m.add(lw.Stop("knee", m.elements["J0"].angle, lower=-0.55, upper=0.5, restitution=0.4))
    whole = lw.dynamics(m, 0.6, 6, rtol=1e-11)
    found = simulated(m, replace(span(0.6, 6, 1e-11), formulation=formulation))
    assert len(found.events) >= 2
    assert [name for _, name in found.events] == [name for _, name in whole.events]
    assert np.array([t for t, _ in found.events]) == pytest.approx(np.array([t for t, _ in whole.events]), abs=1e-9)
    assert list(found.channels) == list(whole.channels)
    assert "knee.torque" in found.channels
    assert "floor.torque" not in found.channels
    for name in whole.channels:
        assert np.abs(found[name] - whole[name]).max() < 1e-7 * (1 + np.abs(whole[name]).max()), name
    assert found.energy.work[-1] == pytest.approx(whole.energy.work[-1], rel=1e-8)
    assert found.energy.work[-1] < -0.1
    assert found.audit.energy_error < 1e-8


def test_a_large_machine_bounces():
    """A falling ball rises to e^2 of its height; hundreds of links beside it do not disturb that."""
    m = rope(size_policy.WHOLE + 10)
    ball = m.body("ball", mass=1.0, inertia=0.1, position=(-1, 0.1))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=0.5))
    fall = np.sqrt(2 * 0.1 / 9.81)
    d = lw.dynamics(m, t_eval=[0.0, fall * 1.5])  # it rises for e times as long as it fell
    assert d.events[0][1] == "floor"
    assert d.events[0][0] == pytest.approx(fall, abs=1e-9)
    assert d["ball.y"][-1] == pytest.approx(0.25 * 0.1, abs=1e-9)
    assert d.audit.energy_error < 1e-8
