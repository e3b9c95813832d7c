"""The slider-crank in space with a rod that is a distance (Haug 1989, problem 10.1 and project 12.1): two bodies for three.

Masses as in section 12.2, without the rod's. The crank starts at 90 degrees and turns about -x, as the book's driver does.
"""

from math import pi
from typing import Any

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("spatial slider-crank, model 2", gravity=(0, 0, -9.81))
    l = m.parameter("l", 0.3)  # connecting rod [m]; below 0.2362 the machine locks up  # noqa: E741
    arm: list[dict[str, Any]] = [
        {"cylinder": (0.02, 0.02), "axis": (1, 0, 0)},
        {"box": (0.015, 0.09, 0.02), "at": (0, 0.04, 0)},
    ]
    crank = m.body("crank", 0.12, (1e-4, 1e-5, 1e-4), position=(0, 0.1, 0.12), orientation=((1, 0, 0), pi / 2), shape=arm)
    slider = m.body("slider", 2, (1e-4, 1e-4, 1e-4), position=(0.2, 0, 0), shape={"box": (0.08, 0.05, 0.05)})
    pivot = m.ground.frame((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1.12))
    A = m.add(lw.Revolute("A", pivot, crank.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))
    m.add(lw.Distance("rod", crank.at(0, 0.08, 0), slider.at(0, 0, 0), l))
    rail = m.ground.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0))
    m.add(lw.Translational("D", rail, slider.frame((0, 0, 0), (1, 0, 0), (0, 1, 0))))
    m.add(lw.Driver("motor", A.angle, "pi/2 - 2*pi*t"))
    return m
