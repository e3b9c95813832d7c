"""A gear-driven slider (Haug 1989, section 5.5): three gears in mesh, a link that is set, a ram.

Turning the link by `setting` moves the last gear round the middle one: the ram works farther out or in, with nearly the same
stroke. It can be set from -0.1204 to 0.7402 rad.
"""

from math import atan2

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("gear-slider")
    g = m.ground
    setting = m.parameter("setting", 0)  # angle of the link [rad]
    drive = m.body("gear 2", shape={"circle": 0.2})
    middle = m.body("gear 3", position=(0.3, 0), shape={"circle": 0.1})
    last = m.body("gear 4", position=(0.6 - 0.8 * lw.sin(setting), 0.8 * lw.cos(setting) - 0.4), shape={"circle": 0.4})
    link = m.body("link", position=(0.6, -0.4), angle=setting)
    ram = m.body("ram", position=(1.5, 0.2), shape={"box": (0.2, 0.1)})
    A = m.add(lw.Revolute("A", g.at(0, 0), drive.at(0, 0)))
    m.add(lw.Revolute("B", last.at(0, 0), link.at(0, 0.8)))
    m.add(lw.Revolute("C", link.at(0, 0), g.at(0.6, -0.4)))
    m.add(lw.Gear("gears 2-3", drive.at(0, 0), middle.at(0, 0), (0.2, 0.1), phase=0))
    m.add(lw.Gear("gears 3-4", middle.at(0, 0), last.at(0, 0), (0.1, 0.4), phase=atan2(4, 3)))
    m.add(lw.Distance("d23", drive.at(0, 0), middle.at(0, 0), 0.3))
    m.add(lw.Distance("d34", middle.at(0, 0), last.at(0, 0), 0.5))
    m.add(lw.Distance("rod", last.at(0.2, 0.2), ram.at(0, 0), 0.8))
    m.add(lw.Translational("slide", ram.at(0, 0, angle=0), g.at(0, 0.2, angle=0)))
    m.add(lw.Driver("motor", A.angle, "4*pi*t"))
    m.add(lw.Driver("set", link.angle, setting))
    return m
