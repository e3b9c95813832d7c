"""The film-strip follower of a camera (Haug 1989, projects 5.1 and 8.1): a claw on the coupler of a four-bar, at 1000 rpm.

The figure with the geometry is lost in print. Lengths are those of the film-strip advancer in Nikravesh's text, in
centimetres: they agree with the printed mass centres and with the crank's moment of inertia.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("film follower")
    crank = m.body("crank", 0.0012, 2.25e-8, com=(0.0075, 0), shape={"circle": 0.017})
    claw = (0.0548808327, 0.0050010935)
    follower = m.body(
        "follower",
        0.01,
        9.2e-8,
        position=(0, 0.05),
        angle=1.88,
        shape={"polygon": [(-0.05, 0), (0, -0.003), claw, (0, 0.006)]},
    )
    rocker = m.body("rocker", 0.0025, 4.5e-8, position=(-0.015, 0.046), angle=0.09)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(0.015, 0), follower.at(-0.05, 0)))
    m.add(lw.Revolute("C", follower.at(0, 0), rocker.at(0.015, 0)))
    m.add(lw.Revolute("D", rocker.at(-0.015, 0), m.ground.at(-0.03, 0.045)))
    m.add(lw.Driver("motor", A.angle, "100*pi/3*t"))
    return m
