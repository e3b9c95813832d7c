"""What is closed and at rest at a state, by a ball above its floor: the gap is its height."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.contact.impact import Gaps
from linkwright.analyses.dynamics.whole.equations import first_state
from linkwright.analyses.machine.mechanical import LoadedMachine


def gaps(height: float, speed: float) -> Gaps:
    m = lw.PlanarModel("ball", gravity=(0, -10))
    ball = m.body("ball", mass=1.0, inertia=1.0, position=(0.0, height), velocity=(0.0, speed))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=0.8))
    machine = LoadedMachine(m)
    y = first_state(machine, initial_state(machine, 0.0))
    return Gaps.of(machine, 0.0, y, 1.0, np.array([0.0, -10.0, 0.0]))


def test_of_a_ball_that_falls():
    found = gaps(0.5, -2.0)
    assert [found.gap[0], found.rate[0], found.second[0], found.e[0]] == pytest.approx([0.5, -2.0, -10.0, 0.8], abs=1e-14)
    assert found.G[0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-14)
    assert not found.near.any()


@pytest.mark.parametrize(("speed", "at_rest"), [(0.0, True), (-2.0, False), (2.0, False)])
def test_of_a_ball_on_the_floor(speed, at_rest):
    """It strikes or parts with its speed, whatever part of it counts as none."""
    found = gaps(0.0, speed)
    assert found.near.all()
    assert found.at_rest.tolist() == [at_rest]
