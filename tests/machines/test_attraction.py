"""Attraction by the inverse square: Kepler's orbits in the plane and in space, two bodies about their common centre."""

from math import pi, sqrt

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.machine.times import Times
from looped_runs import simulated


@pytest.mark.parametrize("space", [False, True])
def test_two_bodies_about_their_centre(space):
    """The relative orbit is Kepler's with G (m + M); momentum, energy and the centre of mass stay."""
    G, m1, m2, e = 2.0, 1.0, 3.0, 0.4
    mu, r = G * (m1 + m2), 1 - e  # semi-axis 1, from the pericentre
    v = sqrt(mu * (1 + e) / (1 - e))
    m = lw.SpatialModel("pair") if space else lw.PlanarModel("pair")
    z = (0.0,) if space else ()
    J = (0.1, 0.1, 0.1) if space else 0.1
    a = m.body("a", m1, J, position=(-r * m2 / 4, 0, *z), velocity=(0, -v * m2 / 4, *z))
    b = m.body("b", m2, J, position=(r * m1 / 4, 0, *z), velocity=(0, v * m1 / 4, *z))
    m.add(lw.Attraction("gravity", a.at(0, 0, *z), b.at(0, 0, *z), G * m1 * m2))
    T = 2 * pi / sqrt(mu)
    times = Times.of(T, 8, 0.0, None)
    for d in (lw.dynamics(m, T, 8, rtol=1e-11), simulated(m, Options(times, rtol=1e-11, atol=1e-13))):
        x = np.array([d["b.x"] - d["a.x"], d["b.y"] - d["a.y"]])
        assert np.allclose(x[:, -1], x[:, 0], atol=1e-7)
        assert np.allclose(x[:, 4], [-(1 + e), 0], atol=1e-7)  # half a period later at the apocentre
        assert np.allclose(m1 * d["a.x"] + m2 * d["b.x"], 0, atol=1e-9)
        assert np.allclose(d["gravity.force"] * d["gravity.length"] ** 2, G * m1 * m2, rtol=1e-12)
        assert d.audit.energy_error < 1e-9
