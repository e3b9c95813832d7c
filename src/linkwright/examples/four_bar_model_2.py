"""The four-bar with a follower that is a distance (Haug 1989, section 5.3, model 2): nine coordinates for twelve."""

from math import pi

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("four-bar, model 2")
    l = m.parameter("l", 3)  # follower [m]; D goes with it, so that all begin in one place  # noqa: E741
    crank = m.body("crank", position=(0, 2), angle=pi / 2, shape={"box": (2, 0.12), "at": (-1, 0)})
    coupler = m.body("coupler", position=(4, 2), angle=0.1, shape={"box": (4, 0.12), "at": (-2, 0)})
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-2, 0)))
    m.add(lw.Revolute("B", crank.at(0, 0), coupler.at(-4, 0)))
    m.add(lw.RevoluteRevolute("follower", coupler.at(0, 0), m.ground.at(4, 2 - l), l))
    m.add(lw.Driver("motor", A.angle, "pi/2 + 2*pi*t"))
    return m
