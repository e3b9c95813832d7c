"""A gripper that takes a round part from the table, lifts it and holds it by friction.

The jaws press by half of the force each: they hold the part while mu force > m (g + a), with the acceleration a of the lift.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("gripper", gravity=(0, -9.81))
    force = m.parameter("force", 60.0)  # that closes the jaws [N]
    mu = m.parameter("mu", 0.5)
    lift = m.parameter("lift", 0.2)  # [m]
    m.ground.shape = {"box": (0.5, 0.02), "at": (0, -0.01)}
    hand = m.body("hand", 2.0, 0.02, position=(0, 0.2), shape={"box": (0.3, 0.04)})
    part = m.body("part", 2.0, 0.0016, position=(0, 0.04), shape={"circle": 0.04})
    m.add(lw.Translational("column", m.ground.at(0, 0, angle="90 deg"), hand.at(0, 0, angle="90 deg")))
    m.add(lw.Driver("lifting", hand.y, lw.Cycloid(lift, duration=1.0, start=0.5, offset=0.2)))
    for name, side in (("left", -1), ("right", 1)):
        jaw = m.body(name, 0.3, 0.0006, position=(0.08 * side, 0.1), shape={"box": (0.02, 0.16)})
        m.add(lw.Translational(f"{name} guide", hand.at(0, -0.1, angle=0), jaw.at(0, 0, angle=0)))
        face = jaw.at(-0.01 * side, 0, angle="90 deg" if side > 0 else "-90 deg")
        m.add(lw.Contact(f"{name} pad", part.surface(), face, restitution=0.0, mu=mu))
    m.add(lw.Constraint("rods", m["left guide"].displacement + m["right guide"].displacement))
    m.add(lw.Force("squeeze", m["left guide"], force))
    m.add(lw.Contact("table", part.surface(), m.ground.at(0, 0, angle=0), restitution=0.0, mu=mu))
    return m
