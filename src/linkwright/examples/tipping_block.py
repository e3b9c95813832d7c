"""A block that is pushed harder and harder at half its height: it slides where mu < b/h, and tips where mu > b/h.

It slides from the force mu m g on, or tips about its edge from m g b/h on.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("tipping block", gravity=(0, -9.81))
    b = m.parameter("b", 0.2)  # width [m]
    h = m.parameter("h", 0.5)  # height [m]
    mu = m.parameter("mu", 0.6)
    m.parameter("rate", 50.0)  # of the force [N/s]
    m.parameter("until", 1.5)  # it is pushed [s]
    m.ground.shape = {"box": (3.0, 0.05), "at": (0.5, -0.025)}
    block = m.body("block", 10.0, 10 * (b**2 + h**2) / 12, position=(0, h / 2), shape={"box": (b, h)})
    for name, x in (("left", -b / 2), ("right", b / 2)):
        m.add(lw.Contact(name, block.at(x, -h / 2), m.ground.at(0, 0, angle=0), restitution=0.0, mu=mu))
    m.add(lw.Contact("top", block.at(b / 2, h / 2), m.ground.at(0, 0, angle=0), restitution=0.2, mu=mu))
    m.add(lw.Force("push", block.x, "where(t < until, rate*t, 0)"))
    return m
