"""The four-bar in space whose link is a distance (Haug 1989, sections 10.3 and 12.3, model 2): two bodies for three."""

import linkwright as lw
from linkwright.examples.spatial_four_bar import cranks


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("spatial four-bar, model 2", gravity=(0, 0, -9.81))
    l = m.parameter("l", 12.2)  # link [m]; the text says 12.19, its tables need 12.2  # noqa: E741
    one, three = cranks(m)
    m.add(lw.Distance("link", one.at(0, 0, 2), three.at(0, -3.7, 0), l))
    return m
