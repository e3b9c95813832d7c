"""A door that latches: its edge pushes the bevelled bolt aside, the bolt snaps back, and the door is held.

It is pushed shut for a second, and open from then on. The back of the bolt is square: it does not yield.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("latch")
    m.parameter("torque", 2)  # [N m], first to close the door, then to open it
    k = m.parameter("k", 200)  # of the spring behind the bolt [N/m]
    edge = {"circle": 0.01, "at": (0.4, 0)}
    door = m.body(
        "door", 4, 0.2133, position=(0.4 * lw.cos(0.5), 0.4 * lw.sin(0.5)), angle=0.5, shape=[{"box": (0.8, 0.02)}, edge]
    )  # fmt: skip
    bevel = {"polygon": [(-0.03, -0.01), (0.05, -0.01), (0.05, 0.02), (0, 0.02)]}
    bolt = m.body("bolt", 0.1, 1e-5, position=(0.82, 0.04), shape=bevel)
    hinge = m.add(lw.Revolute("hinge", m.ground.at(0, 0), door.at(-0.4, 0)))
    slide = m.add(lw.Translational("slide", m.ground.at(0.82, 0.04, angle=0), bolt.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", m.ground.at(1, 0.04), bolt.at(0.05, 0), k=k, length=0.16, c=4))
    m.add(lw.Stop("out", slide.displacement, lower=0, restitution=0))
    m.add(lw.Stop("frame", hinge.angle, lower=0, restitution=0.2))
    m.add(lw.Contact("catch", door.surface(edge), bolt.surface(), restitution=0))
    m.add(lw.Force("push", hinge.angle, "where(t < 1, -torque, torque)"))
    return m
