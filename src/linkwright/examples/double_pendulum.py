"""A double pendulum in space (ME751, University of Wisconsin): bars of 4 m and 2 m, let go with the first one level."""

from math import pi

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("double pendulum", gravity=(0, 0, -9.81))
    # both bodies' z is x of ground, about which they turn; x goes down the bar
    level = ((0, 0, 1), (1, 0, 0), (0, 1, 0))
    hanging = ((0, 1, 0), pi / 2)
    # steel, 0.05 m square: 7800 kg/m^3
    first = m.body(
        "first", 78, (0.0325, 104.01625, 104.01625), position=(0, 2, 0), orientation=level, shape={"box": (4, 0.05, 0.05)}
    )
    second = m.body(
        "second",
        39,
        (0.01625, 13.008125, 13.008125),
        position=(0, 4, -1),
        orientation=hanging,
        shape={"box": (2, 0.05, 0.05)},
    )
    pivot = m.ground.frame((0, 0, 0), (1, 0, 0), (0, 0, -1))
    hinge = m.add(lw.Revolute("O", pivot, first.frame((-2, 0, 0), (-2, 0, 1), (-1, 0, 0))))
    ends = first.frame((2, 0, 0), (2, 0, 1), (3, 0, 0)), second.frame((-1, 0, 0), (-1, 0, 1), (0, 0, 0))
    P = m.add(lw.Revolute("P", *ends))
    m.fix(hinge.angle, pi / 2)
    m.fix(P.angle, -pi / 2)
    return m
