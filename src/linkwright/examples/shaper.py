"""The shaper driven by a constant torque (Haug 1989, section 8.3): the flywheel on its crank cuts, the torque winds it up.

The torque does the work of a cut, 1.04 MJ, in a turn. It starts right after a cut, with the ram at -4 m. The cutting force
and the first speed are lost in print: here a trapezoid of the printed work, and 2 pi rad/s.
"""

from math import pi

import linkwright as lw
from linkwright.examples import quick_return

START = 2.9954669726672  # angle of the crank when the ram is at -4 m, on its way to the left


def build() -> lw.PlanarModel:
    m = quick_return.build().without("motor")
    m.name = "shaper on its flywheel"
    T = m.parameter("T", 165521)  # torque of the engine [N m]
    m["crank"].inertia = m.parameter("J", 2000)  # flywheel [kg m^2]
    m["crank"].guess(angle=START, omega=2 * pi)
    m["rocker"].guess(position=(-1.1, 1.65), angle=2.16)
    m["block"].guess(position=(-1.48, 2.22), angle=2.16)
    m["link"].guess(position=(-3.1, 3.65), angle=-0.37)
    m["ram"].guess(position=(-4, 4))
    m.add(lw.Torque("engine", m["crank"], T))
    m.fix(m["B"].angle, START)
    m.fix(m["crank"].omega, 2 * pi)
    return m
