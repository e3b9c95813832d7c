"""An air compressor (Haug 1989, section 10.4): a tilted disk wobbles on the rotor and drives six pistons.

The disk does not turn: a slot holds its rim. With a rod for each piston it has nine bodies, counting ground.
"""

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("air compressor")
    g = m.ground
    rotor = m.body("rotor", shape={"cylinder": (0.03, 0.5), "at": (0, -0.25, 0), "axis": (0, 1, 0)})
    disk = m.body(
        "disk", position=(0, -0.5, 0), orientation=((1, 0, 0), -0.5236),
        shape={"cylinder": (0.24, 0.03), "axis": (0, 1, 0)},
    )  # fmt: skip
    own = ((0, 0, 0), (0, 1, 0), (1, 0, 0))
    A = m.add(lw.Revolute("A", g.frame(*own), rotor.frame(*own)))
    m.add(lw.Revolute("B", rotor.frame((0, -0.5, 0), (0, 0.366, -0.5), (1, -0.5, 0)), disk.frame(*own)))
    places = ((0, 0.2), (0.1732, 0.1), (-0.1732, 0.1), (0.1732, -0.1), (-0.1732, -0.1), (0, -0.2))
    for k, (x, z) in enumerate(places, 1):
        piston = m.body(f"piston {k}", position=(x, -1, z), shape={"cylinder": (0.05, 0.1), "axis": (0, 1, 0)})
        m.add(lw.Translational(f"cylinder {k}", g.frame((x, -1, z), (x, 0, z), (x + 1, -1, z)), piston.frame(*own)))
        m.add(lw.Distance(f"rod {k}", disk.at(x, 0, z), piston.at(0, 0, 0), 0.5))
    m.add(lw.Constraint("slot", lw.component(disk.at(0, 0, 0.2), "x")))
    m.add(lw.Driver("motor", A.angle, "62.832*t"))
    return m
