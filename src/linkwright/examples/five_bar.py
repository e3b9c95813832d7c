"""Three cross-bars under one bar (Haug 1989, example 5.1.1): one of them too many, unless it is pinned in a slot.

With a pin at each end the third cross-bar repeats an equation of the others. In a slot of the bar it has a length of its
own: longer than the others it turns with them, as long as they are it can leave them at a right angle, shorter it locks up.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("five-bar")
    l3 = m.parameter("l3", 1.1)  # the third cross-bar; the others are 1 [m]
    bar = m.body("bar", position=(0.9, 0.5), shape={"box": (4, 0.05), "at": (1.9, 0)})
    for k in (1, 2, 3):
        length = 1 if k < 3 else l3
        drawn = {"box": (length, 0.05), "at": (length / 2, 0)}
        own = m.body(f"cross-bar {k}", position=(k - 1, 0), angle=0.5, shape=drawn)
        m.add(lw.Revolute(f"G{k}", m.ground.at(k - 1, 0), own.at(0, 0)))
        if k < 3:
            m.add(lw.Revolute(f"T{k}", own.at(1, 0), bar.at(k - 1, 0)))
        else:
            m.add(lw.PointOnLine(f"T{k}", bar.at(0, 0, angle=0), own.at(l3, 0)))
    m.add(lw.Driver("motor", m["G1"].angle, "0.5 + t"))
    return m
