"""The film-strip follower of a camera (Haug 1989, project 5.1): a claw on the coupler of a four-bar, at 1000 rpm."""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("film follower")
    crank = m.body("crank", shape={"circle": 0.017})
    follower = m.body("follower", position=(0, 0.05), angle=1.88)
    rocker = m.body("rocker", position=(-0.015, 0.046), angle=0.09)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(0.015, 0), follower.at(-0.05, 0)))
    m.add(lw.Revolute("C", follower.at(0, 0), rocker.at(0.015, 0)))
    m.add(lw.Revolute("D", rocker.at(-0.015, 0), m.ground.at(-0.03, 0.045)))
    m.add(lw.Driver("motor", A.angle, "100*pi/3*t"))
    return m
