"""A quick-return shaper (Haug 1989, sections 5.4 and 8.3): the ram cuts slowly to the left and returns fast.

The cutting force, lost in print, is a trapezoid whose work a stroke, 1.04 MJ, is the printed one.
"""

from typing import Any

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("quick-return")
    r = m.parameter("r", 1.5)  # crank [m]: the stroke
    F = m.parameter("F", 2e5)  # cutting force [N]

    def cut(s: Any, v: Any, t: Any) -> Any:
        """Full from s = 1.2 to -3.8, rising and falling over 0.2, only while the ram moves to the left."""
        part = lw.maximum(0, lw.minimum(1, lw.minimum((1.4 - s) / 0.2, (s + 4) / 0.2)))
        return lw.where(v < 0, F * part, 0.0)

    tool = {"polygon": [(-0.9, -0.5), (-0.7, 0.15), (2.5, 0.15), (2.5, -0.15), (-0.6, -0.15)]}
    crank = m.body("crank", 1000, 2000, position=(0, 2), angle=0.44, shape={"circle": r + 0.25})
    rocker = m.body("rocker", 100, 100, position=(0.92, 1.77), angle=1.09)
    block = m.body("block", 5, 0.05, position=(1.36, 2.62), angle=1.09, shape={"box": (0.5, 0.3)})
    link = m.body("link", 30, 10, position=(0.92, 3.77), angle=-0.24)
    ram = m.body("ram", 50, 1.5, position=(0, 4), shape=tool)

    m.add(lw.Revolute("A", m.ground.at(0, 0), rocker.at(-2, 0)))
    B = m.add(lw.Revolute("B", m.ground.at(0, 2), crank.at(0, 0)))
    m.add(lw.Revolute("C", crank.at(r, 0), block.at(0, 0)))
    m.add(lw.Translational("slot", rocker.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Revolute("D", rocker.at(2, 0), link.at(0.95, 0)))
    m.add(lw.Revolute("E", link.at(-0.95, 0), ram.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(-3, 4, angle=0), ram.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", B.angle, "0.44 + 2*pi*t"))
    m.add(lw.Force("cut", ram.x, cut))
    return m
