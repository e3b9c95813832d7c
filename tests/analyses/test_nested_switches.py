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


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-11])
def test_a_state_is_held_at_its_limit_on_either_side_of_rounding(rtol):
    """u' = sin t but where u has come to its limit L and would go on. The event puts u at L to rounding: u is
    1 - cos t, L from acos(1 - L) to pi, then L - 1 - cos t. 50 tolerances: steps between two events add up some tens."""
    m = lw.PlanarModel("limiter", gravity=(0, 0))
    m.body("b", 1.0, 1.0)
    limit = m.parameter("L", 0.5)
    m.state("u", lambda u, t: lw.where((u >= limit) & (lw.sin(t) > 0), 0.0, lw.sin(t)), start=0.0)
    for L in np.random.default_rng(3).uniform(0.2, 1.8, 25):
        m.set(L=L)
        d = lw.dynamics(m, t_eval=[0.2, np.pi, 4.0], rtol=rtol, atol=rtol)
        assert d["u"] == pytest.approx([1 - np.cos(0.2), L, L - 1 - np.cos(4.0)], abs=50 * rtol)
        assert 2 <= d.audit.switches <= 3  # sin t and, as u falls, u itself may be told apart
