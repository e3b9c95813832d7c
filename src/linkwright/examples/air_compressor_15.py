"""The air compressor with fifteen bodies (Haug 1989, projects 10.2 and 12.2): rods with a mass, ball joints and universals.

The pistons move as with distances for rods. A universal joint at the piston keeps each rod from spinning about its own axis.
"""

import linkwright as lw
from linkwright.examples.air_compressor import PLACES, wobbler


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("air compressor of fifteen bodies")
    A, disk = wobbler(m)
    for k, (x, z) in enumerate(PLACES, 1):
        bar = {"cylinder": (0.012, 0.5), "axis": (0, 1, 0)}
        rod = m.body(f"rod {k}", 0.5, (0.04, 0.001, 0.04), position=(x, -0.75, z), shape=bar)
        m.add(lw.Spherical(f"ball {k}", disk.at(x, 0, z), rod.at(0, 0.25, 0)))
        ends = rod.frame((0, -0.25, 0), (1, -0.25, 0)), m[f"piston {k}"].frame((0, 0, 0), (0, 0, 1))
        m.add(lw.Universal(f"cross {k}", *ends))
    m.add(lw.Driver("motor", A.angle, "20*pi*t"))
    return m
