"""The slider-crank compressor on a constant torque (Haug 1989, section 8.2): its flywheel carries it through.

The torque does the work of the gas, 260 kJ a turn. With 225 kg m^2 the flywheel stops before the gas is let out; with 450
and 900 it runs on. Gravity acts along the slider, as in the book.
"""

from math import pi
from typing import Any

import linkwright as lw
from linkwright.examples.slider_crank import gas


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("slider-crank on its flywheel", gravity=(9.81, 0))
    J = m.parameter("J", 450)  # flywheel [kg m^2]
    T = m.parameter("T", 41450)  # torque of the engine [N m]
    arm: list[dict[str, Any]] = [{"circle": 0.7}, {"box": (2, 0.3), "at": (1, 0)}]
    crank = m.body("crank", 200, J, angle=pi, omega=30, shape=arm)
    rod = m.body("rod", 35, 35, position=(-0.25, 0), shape={"box": (3.5, 0.2)})
    slider = m.body("slider", 25, 0.02, position=(1.5, 0), shape={"box": (1, 0.8), "at": (0.3, 0)})
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(2, 0), rod.at(-1.75, 0)))
    m.add(lw.Revolute("C", rod.at(1.75, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Force("gas", slider.x, gas))
    m.add(lw.Torque("engine", crank, T))
    m.fix(A.angle, pi)
    m.fix(crank.omega, 30)
    return m
