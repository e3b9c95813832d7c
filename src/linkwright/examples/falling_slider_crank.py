"""A slider-crank in space that falls (IFToMM library): a ball and a universal joint, 6 rad/s, gravity, no motor.

It descends from Haug's machine of section 12.2, with the crank's mass at its middle; solutions in print differ from each
other.
"""

from math import sqrt

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("falling slider-crank", gravity=(0, 0, -9.81))
    # the rod's own axes in ground: along it, across it and x, and the third; it goes from (0, 0.1, 0.2) to (0.2, 0, 0)
    c = 1 / sqrt(5)
    axes = ((2 / 3, 0, 5 * c / 3), (-1 / 3, 2 * c, 2 * c / 3), (-2 / 3, -c, 4 * c / 3))
    crank = m.body(
        "crank", 0.12, (1e-4, 1e-4, 1e-4), position=(0, 0.1, 0.16), omega=(6, 0, 0), velocity=(0, -0.24, 0),
        shape={"box": (0.015, 0.02, 0.09)},
    )  # fmt: skip
    rod = m.body(
        "rod", 0.5, (4e-4, 4e-3, 4e-3), position=(0.1, 0.05, 0.1), orientation=axes,
        shape={"cylinder": (0.008, 0.3), "axis": (1, 0, 0)},
    )  # fmt: skip
    slider = m.body("slider", 2, (1e-3, 1e-3, 1e-3), position=(0.2, 0, 0), shape={"box": (0.08, 0.05, 0.05)})
    m.add(lw.Revolute("A", m.ground.frame((0, 0.1, 0.12), (1, 0.1, 0.12)), crank.frame((0, 0, -0.04), (1, 0, -0.04))))
    m.add(lw.Spherical("B", crank.at(0, 0, 0.04), rod.at(-0.15, 0, 0)))
    m.add(lw.Universal("C", slider.frame((0, 0, 0), (1, 0, 0)), rod.frame((0.15, 0, 0), (0.15, 1, 0))))
    along_x = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
    m.add(lw.Translational("D", m.ground.frame(*along_x), slider.frame(*along_x)))
    m.fix(crank.wx, 6)
    return m
