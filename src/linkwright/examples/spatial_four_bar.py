"""A four-bar in space (Haug 1989, sections 10.3 and 12.3): cranks on skew shafts, a link with universal and ball joint.

Moments about z are printed as zero, which no body has; here they are those of a disc and of slender links. The link is 12.2
long where the text says 12.19, for its own tables need 12.2.
"""

from math import sqrt
from typing import Any

import linkwright as lw


def turned(e1: float, e2: float, e3: float) -> tuple[float, float, float, float]:
    """Euler parameters as the book prints them, without the first."""
    return sqrt(1 - e1**2 - e2**2 - e3**2), e1, e2, e3


def cranks(m: lw.SpatialModel) -> tuple[Any, Any]:
    """The two links on ground; the first is driven."""
    g = m.ground
    one = m.body("crank", 2, (4, 2, 2), shape={"cylinder": (0.25, 2), "at": (0, 0, 1)})
    three = m.body(
        "rocker", 1, (4.54, 0.01, 4.54), position=(-5.75, -8.5, 3.25), orientation=turned(-0.36, 0.36, -0.61),
        shape={"cylinder": (0.2, 7.4), "axis": (0, 1, 0)},
    )  # fmt: skip
    A = m.add(lw.Revolute("A", g.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)), one.frame((0, 0, 0), (1, 0, 0), (0, 0, 1))))
    fixed = g.frame((-4, -8.5, 0), (-4, -9.5, 0), (-3, -8.5, 0))
    m.add(lw.Revolute("D", three.frame((0, 3.7, 0), (1, 3.7, 0), (0, 2.7, 0)), fixed))
    m.add(lw.Driver("motor", A.angle, "pi*t"))
    return one, three


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("spatial four-bar", gravity=(0, 0, -9.81))
    one, three = cranks(m)
    two = m.body(
        "link", 1, (12.4, 0.01, 12.4), position=(-3.75, -4.25, 4.25), orientation=turned(-0.29, -0.27, -0.26),
        shape={"cylinder": (0.15, 12.2), "axis": (0, 1, 0)},
    )  # fmt: skip
    cross = one.frame((0, 0, 2), (0.750, -0.662, 2), (0.244, 0.277, 2.929))
    m.add(lw.Universal("B", cross, two.frame((0, 6.1, 0), (0, 6.1, 1))))
    m.add(lw.Spherical("C", two.at(0, -6.1, 0), three.at(0, -3.7, 0)))
    return m
