"""A pinion that rolls on a swinging rack (Haug 1989, projects 5.3 and 8.3), held by a coupler, clockwise at 60 rpm.

The figure with the geometry is lost in print: lengths are chosen, masses are the printed ones. The pinion rolls off its
rack in half a turn.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("rack and pinion")
    R = m.parameter("R", 0.05)  # pitch radius of the pinion [m]
    e = m.parameter("e", 0.02)  # the coupler's pin from its centre [m]
    g = m.ground
    rack = m.body("rack", 0.1, 1e-3, angle=0.2, com=(0.15, 0), shape={"box": (0.36, 0.01), "at": (0.16, -0.005)})
    pinion = m.body("pinion", 0.05, 6.25e-5, position=(0.095, 0.068), shape={"circle": R})
    coupler = m.body("coupler", 0.05, 1.7e-4, position=(0.145, 0.16), angle=-2, shape={"box": (0.2, 0.008)})
    m.add(lw.Revolute("A", g.at(0, 0), rack.at(0, 0)))
    m.add(lw.RackPinion("teeth", rack.at(0, 0, angle=0), pinion.at(0, 0), radius=R, phase=1.5))
    m.add(lw.Revolute("B", pinion.at(e, 0), coupler.at(0.1, 0)))
    m.add(lw.Revolute("C", g.at(0.18, 0.25), coupler.at(-0.1, 0)))
    m.add(lw.Driver("motor", pinion.angle, "-2*pi*t"))
    return m
