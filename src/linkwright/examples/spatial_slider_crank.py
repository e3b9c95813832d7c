"""A slider-crank in space (Haug 1989, sections 10.2 and 12.2): the crank turns about x, the slider moves along x.

A universal joint at the slider does what the book's revolute-cylindrical joint and distance do together.
"""

from math import pi
from typing import Any

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("spatial slider-crank", gravity=(0, 0, -9.81))
    l = m.parameter("l", 0.3)  # connecting rod [m]; below 0.2362 the machine locks up  # noqa: E741

    arm: list[dict[str, Any]] = [
        {"cylinder": (0.02, 0.02), "axis": (1, 0, 0)},
        {"box": (0.015, 0.09, 0.02), "at": (0, 0.04, 0)},
    ]
    bar = {"cylinder": (0.008, l), "axis": (1, 0, 0)}
    p = (0.8884507, -0.2097348, 0.3973272, -0.0937962)
    crank = m.body("crank", 0.12, (1e-4, 1e-5, 1e-4), position=(0, 0.1, 0.12), orientation=((1, 0, 0), pi / 2), shape=arm)
    rod = m.body("rod", 0.5, (0.004, 0.0004, 0.004), position=(0.1, 0.05, 0.1), orientation=p, shape=bar)
    slider = m.body("slider", 2, (1e-4, 1e-4, 1e-4), position=(0.2, 0, 0), shape={"box": (0.08, 0.05, 0.05)})
    ground = m.ground

    A = m.add(
        lw.Revolute(
            "A",
            ground.frame((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1.12)),
            crank.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)),
        )
    )
    m.add(lw.Spherical("B", crank.at(0, 0.08, 0), rod.at(-l / 2, 0, 0)))
    m.add(
        lw.Universal(
            "C",
            rod.frame((l / 2, 0, 0), (l / 2, 1, 0), (l / 2 + 1, 0, 0)),
            slider.frame((0, 0, 0), (1, 0, 0), (0, 1, 0)),
        )
    )
    m.add(
        lw.Translational(
            "D",
            ground.frame((0.2, 0, 0), (1.2, 0, 0), (0.2, 1, 0)),
            slider.frame((0, 0, 0), (1, 0, 0), (0, 1, 0)),
        )
    )
    m.add(lw.Driver("motor", A.angle, "pi/2 + 2*pi*t"))
    return m
