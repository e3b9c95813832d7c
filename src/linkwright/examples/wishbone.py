"""A double wishbone suspension: two arms, an upright between ball joints, a track rod; the wheel goes up and down.

What it is looked at for: how camber and toe change with the wheel's travel.
"""

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("double wishbone", gravity=(0, 0, -9.81))
    g = m.ground
    lower = m.body("lower arm", 3, (0.03, 0.03, 0.05), position=(0, 0.52, 0.2))
    upper = m.body("upper arm", 2, (0.02, 0.02, 0.03), position=(0, 0.55, 0.48))
    knuckle = [
        {"box": (0.06, 0.05, 0.34), "at": (-0.01, -0.065, 0.02)},
        {"box": (0.16, 0.04, 0.04), "at": (-0.08, -0.07, -0.08)},
    ]
    wheel = [{"cylinder": (r, w), "axis": (0, 1, 0), "at": (0, y, 0)} for r, w, y in ((0.05, 0.12, 0), (0.3, 0.16, 0.13))]
    upright = m.body("upright", 25, (0.8, 1.2, 0.8), position=(0, 0.75, 0.33), shape=[*knuckle, *wheel])
    m.add(lw.Revolute("lower bush", g.frame((0, 0.35, 0.2), (1, 0.35, 0.2)), lower.frame((0, -0.17, 0), (1, -0.17, 0))))
    m.add(
        lw.Revolute(
            "upper bush", g.frame((0, 0.42, 0.46), (1, 0.42, 0.46)), upper.frame((0, -0.13, -0.02), (1, -0.13, -0.02))
        )
    )
    m.add(lw.Spherical("lower ball", lower.at(0, 0.18, 0), upright.at(0, -0.05, -0.13)))
    m.add(lw.Spherical("upper ball", upper.at(-0.02, 0.12, 0.02), upright.at(-0.02, -0.08, 0.17)))
    m.add(lw.Distance("track rod", g.at(-0.15, 0.38, 0.24), upright.at(-0.15, -0.07, -0.08), lw.sqrt(0.3**2 + 0.01**2)))
    m.add(lw.Spring("spring", g.at(0, 0.5, 0.65), lower.at(0, 0.08, 0), k=30000, length=0.55, c=2500))
    m.add(lw.Driver("road", upright.z, "0.33 + 0.06*sin(2*pi*t)"))
    return m
