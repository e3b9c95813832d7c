"""What stands still at a start does: laws that jump where a velocity changes its sign begin on one side, everywhere."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES


def test_a_piston_at_its_dead_centre_stands_still():
    """The sixth of the compressor, whose gas pushes on pistons that go down: it had -2e-14 m/s here and 1e-14 elsewhere."""
    d = lw.dynamics(EXAMPLES["air-compressor-free"].load(), t_end=0.1, steps=50)
    assert [d[f"piston 6.{c}"][0] for c in ("vx", "vy", "vz", "wx", "wy", "wz")] == [0.0] * 6
    assert d["gas 6.force"][0] == 0.0
    assert np.abs(d["gas 6.force"]).max() > 1000


def test_speeds_that_are_asked_for_are_kept_however_small_they_are():
    """A wheel that turns beside one that turns 1e16 times as fast; what drives a third one by a millionth of it."""
    m = lw.PlanarModel("wheels")
    fast, slow, third = (m.body(n, mass=1.0, inertia=1.0, position=(k, 0)) for k, n in enumerate(("fast", "slow", "third")))
    pins = [m.add(lw.Revolute(f"pin {b.name}", m.ground.at(k, 0), b.at(0, 0))) for k, b in enumerate((fast, slow, third))]
    m.fix(fast.omega, 1e6)
    m.fix(slow.omega, 1e-10)
    m.add(lw.Driver("creep", pins[2].angle, "1e-12 * t"))
    d = lw.dynamics(m, t_end=1e-3, steps=1)
    assert d["slow.omega"] == pytest.approx(1e-10, rel=1e-12)
    assert np.all(d["third.omega"] == pytest.approx(1e-12, rel=1e-12))
