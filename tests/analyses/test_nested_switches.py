"""Laws whose conditions depend on other conditions: what is told at times of output is what the run did."""

import numpy as np
import pytest

import linkwright as lw


@pytest.mark.parametrize("method", ["dop853", "generalized-alpha"])
def test_a_condition_within_a_condition(method):
    """N is 4, so 1 + t never passes it: one newton metre all the time."""
    m = lw.PlanarModel("wheel")
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), m.body("b", 1.0, 1.0).at(0, 0)))

    def law(a, w, t):
        N = lw.where(a > -1.0, 4.0, 0.0)
        return lw.where(1.0 + t > N, 100.0, 1.0)

    m.add(lw.Torque("drive", pin, law))
    d = lw.dynamics(m, 1.0, 4, method=method)
    assert np.allclose(d["b.alpha"], 1.0)
    assert np.allclose(d["b.omega"], d.t)
