"""A crank-rocker four-bar (Haug 1989, section 5.3). A shorter follower, toward l = 2, makes it a parallelogram."""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("four-bar", gravity=(0, -9.81))
    l = m.parameter("l", 3)  # follower [m]; its pivot is at (4, 2 - l)  # noqa: E741

    triangle = {"polygon": [(-2.1, -0.1), (2.1, -0.1), (2.1, 0.1), (0.1, 1.3), (-0.1, 1.3), (-2.1, 0.1)]}
    crank = m.body("crank", 2, 2 / 3, position=(0.5, 0.5), angle=1.3, shape={"box": (2, 0.2)})
    coupler = m.body("coupler", 4, 16 / 3, position=(2.1, 1.9), angle=0.1, shape=triangle)
    follower = m.body("follower", l, l**3 / 12, position=(4.2, 0), angle=1.4)

    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-1, 0)))
    m.add(lw.Revolute("B", crank.at(1, 0), coupler.at(-2, 0)))
    m.add(lw.Revolute("C", coupler.at(2, 0), follower.at(l / 2, 0)))
    m.add(lw.Revolute("D", follower.at(-l / 2, 0), m.ground.at(4, 2 - l)))
    m.add(lw.Driver("motor", A.angle, "pi/2 + 2*pi*t"))
    return m
