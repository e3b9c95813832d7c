"""A fast top on its tip: it does not fall but precesses, and nods a little on the way."""

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("heavy top", gravity=(0, 0, -9.81))
    cone = [
        {"cylinder": (0.25, 0.1), "at": (0, 1, 0), "axis": (0, 1, 0)},
        {"cylinder": (0.03, 1.2), "at": (0, 0.6, 0), "axis": (0, 1, 0)},
    ]
    top = m.body("top", 15, (0.234375, 0.46875, 0.234375), com=(0, 1, 0), omega=(0, 150, -4.61538), shape=cone)
    m.add(lw.Spherical("tip", m.ground.at(0, 0, 0), top.at(0, 0, 0)))
    return m
