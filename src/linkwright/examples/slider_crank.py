"""A slider-crank compressor (Haug 1989, sections 5.2 and 8.2): the crank is a flywheel, gas resists the outward stroke."""

from math import pi
from typing import Any

import linkwright as lw


def gas(s: Any, v: Any, t: Any) -> Any:
    """The force of the gas on the slider [N], only while it moves outward."""
    compression = -282857 / (6 - s) + 62857
    release = -110000 * (1 - lw.sin(2 * pi * (s - 5.25)))
    return lw.where((v > 0) & (s >= 1.5) & (s <= 5), compression, lw.where((v > 0) & (s > 5) & (s <= 5.5), release, 0.0))


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("slider-crank")
    r = m.parameter("r", 2)  # crank [m]
    l = m.parameter("l", 3.5)  # connecting rod [m]; shorter than r, and the machine locks up  # noqa: E741
    J = m.parameter("J", 450)  # flywheel [kg m^2]

    crank = m.body("crank", 200, J, angle=0.5, shape=[{"circle": 0.7}, {"box": (r, 0.3), "at": (r / 2, 0)}])
    rod = m.body("rod", 35, 35, position=(3, 1), angle=-0.4, shape={"box": (l, 0.2)})
    slider = m.body("slider", 25, 0.02, position=(5, 0), shape={"box": (1, 0.8), "at": (0.3, 0)})

    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(r, 0), rod.at(-l / 2, 0)))
    m.add(lw.Revolute("C", rod.at(l / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", A.angle, "pi/4 + 2*pi*t"))
    m.add(lw.Force("gas", slider.x, gas))
    return m
