"""A driven pendulum in space (ME751, University of Wisconsin): a bar of 4 m swings by pi/4 cos(2 t) about x.

The course's first machine: six equations, the last one the drive; wanted is the torque that the motion takes.
"""

from math import pi

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("driven pendulum", gravity=(0, 0, -9.81))
    # a steel bar, 4 m long and 0.05 m square: 7800 kg/m^3
    bar = m.body(
        "bar", 78, (0.0325, 104.01625, 104.01625), position=(0, 1.41, -1.41), orientation=((0, 1, 0), pi / 2),
        shape={"box": (4, 0.05, 0.05)},
    )  # fmt: skip
    # z of the body along x of ground, its own x from the pivot down the bar
    pivot = m.ground.frame((0, 0, 0), (1, 0, 0), (0, 0, -1))
    pin = m.add(lw.Revolute("O", pivot, bar.frame((-2, 0, 0), (-2, 0, 1), (-1, 0, 0))))
    m.add(lw.Driver("motor", pin.angle, "pi/4*cos(2*t)"))
    return m
