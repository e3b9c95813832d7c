"""A four-bar in space (Haug 1989, section 10.3): two cranks on skew shafts, a link with a universal and a ball joint."""

from math import sqrt

import linkwright as lw


def turned(e1: float, e2: float, e3: float) -> tuple[float, float, float, float]:
    """Euler parameters as the book prints them, without the first."""
    return sqrt(1 - e1**2 - e2**2 - e3**2), e1, e2, e3


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("spatial four-bar")
    g = m.ground
    one = m.body("crank")
    two = m.body("link", position=(-3.75, -4.25, 4.25), orientation=turned(-0.29, -0.27, -0.26))
    three = m.body("rocker", position=(-5.75, -8.5, 3.25), orientation=turned(-0.36, 0.36, -0.61))
    A = m.add(lw.Revolute("A", g.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)), one.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))
    cross = one.frame((0, 0, 2), (0.750, -0.662, 2), (0.244, 0.277, 2.929))
    m.add(lw.Universal("B", cross, two.frame((0, 6.1, 0), (0, 6.1, 1))))
    m.add(lw.Spherical("C", two.at(0, -6.1, 0), three.at(0, -3.7, 0)))
    fixed = g.frame((-4, -8.5, 0), (-4, -9.5, 0), (-3, -8.5, 0))
    m.add(lw.Revolute("D", three.frame((0, 3.7, 0), (1, 3.7, 0), (0, 2.7, 0)), fixed))
    m.add(lw.Driver("motor", A.angle, "pi*t"))
    return m
