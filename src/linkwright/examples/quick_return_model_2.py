"""The quick-return with composite joints (Haug 1989, section 5.4, model 2): a pin in a slot, a link that is a distance."""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("quick-return, model 2")
    r = m.parameter("r", 1.5)  # crank [m]
    g = m.ground
    rocker = m.body("rocker", position=(0.92, 1.77), angle=1.1, shape={"box": (4, 0.2)})
    crank = m.body("crank", position=(0, 2), angle=0.44, shape=[{"circle": 0.6}, {"box": (r, 0.2), "at": (r / 2, 0)}])
    ram = m.body("ram", position=(0, 4), shape={"box": (1.2, 0.4), "at": (-0.6, 0)})
    m.add(lw.Revolute("A", g.at(0, 0), rocker.at(-2, 0)))
    B = m.add(lw.Revolute("B", g.at(0, 2), crank.at(0, 0)))
    m.add(lw.PointOnLine("C", rocker.at(0, 0, angle=0), crank.at(r, 0)))
    m.add(lw.RevoluteRevolute("link", ram.at(0, 0), rocker.at(2, 0), 1.9))
    m.add(lw.Translational("F", g.at(-3, 4, angle=0), ram.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", B.angle, "0.44 + 2*pi*t"))
    return m
