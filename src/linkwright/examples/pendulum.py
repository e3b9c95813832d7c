"""A point mass on a bar that is let go from the horizontal (IFToMM benchmark A01): how much energy does a program lose?"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    l = m.parameter("l", 1)  # [m]  # noqa: E741
    bob = m.body("bob", 1, 0, position=(-l, 0), shape={"circle": 0.06})
    m.add(lw.Distance("bar", m.ground.at(0, 0), bob.at(0, 0), l))
    m.add(lw.Constraint("upright", bob.angle))
    return m
