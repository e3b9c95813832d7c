"""The slider-crank with a rod that is a distance (Haug 1989, section 5.2, model 2): six coordinates for twelve.

Crank and slider are held by single equations in place of joints. The motion is that of model 1 to the last digit.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("slider-crank, model 2")
    r = m.parameter("r", 2)  # crank [m]
    l = m.parameter("l", 3.5)  # connecting rod [m]  # noqa: E741
    crank = m.body("crank", angle=0.5, shape=[{"circle": 0.7}, {"box": (r, 0.3), "at": (r / 2, 0)}])
    slider = m.body("slider", position=(5, 0), shape={"box": (1, 0.8), "at": (0.3, 0)})
    m.add(lw.Constraint("x1", crank.x))
    m.add(lw.Constraint("y1", crank.y))
    m.add(lw.Constraint("y2", slider.y))
    m.add(lw.Constraint("phi2", slider.angle))
    m.add(lw.RevoluteRevolute("rod", crank.at(r, 0), slider.at(0, 0), l))
    m.add(lw.Driver("motor", crank.angle, "pi/4 + 2*pi*t"))
    return m
