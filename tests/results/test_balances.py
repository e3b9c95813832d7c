"""Energies and constraint errors, told in a line."""

import linkwright as lw


def test_told_in_a_line():
    """A fall of 1 s from rest with g = 10 m/s2: m g h = 2 * 10 * 5 = 100 J become kinetic."""
    m = lw.PlanarModel("fall", gravity=(0, -10))
    m.body("b", mass=2, inertia=1)
    d = lw.dynamics(m, t_end=1.0, steps=4)
    assert repr(d.energy).startswith("<energy at 5 times: kinetic 0 to 100 J, potential -100 to 0 J, work 0 to 0 J, error ")
    assert repr(d.violation) == "<constraint errors at 5 times: position 0, velocity 0 at most>"
