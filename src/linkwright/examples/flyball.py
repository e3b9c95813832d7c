"""A stiff fly-ball governor (IFToMM benchmark A05): spring-dampers answer a thousand times faster than the machine moves."""

from math import cos, pi, sin

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("fly-ball governor", gravity=(0, 0, -9.81))
    w = 2 * pi
    thin = 0.3 * 1.0001 / 12, 0.3 * 0.0002 / 12  # a rod of 1 x 0.01 x 0.01 m: across, along
    shaft = m.body(
        "shaft", 0.3, (thin[0], thin[0], thin[1]), position=(0, 0, 0.5), omega=(0, 0, w), shape={"box": (0.01, 0.01, 1)}
    )
    slider = m.body(
        "slider", 3, (0.005, 0.005, 0.005), position=(0, 0, 0.5), omega=(0, 0, w), shape={"box": (0.1, 0.1, 0.1)}
    )
    m.add(lw.Revolute("foot", m.ground.at(0, 0, 0), shaft.at(0, 0, -0.5)))
    m.add(lw.Translational("guide", shaft.at(0, 0, 0), slider.at(0, 0, 0)))
    c = 5.15 / 5.3  # mass centre of a rod of 0.3 kg with 5 kg at its tip, from the hinge
    across = thin[0] + 0.3 * (c - 0.5) ** 2 + 5 * (1 - c) ** 2
    for name, side in (("right", 1), ("left", -1)):
        turn = pi / 6 if side > 0 else pi - pi / 6  # about y: the rod's x axis points outwards and down
        centre = (0.05 * side + c * cos(turn), 0, 1 - c * sin(turn))
        rod = m.body(
            name, 5.3, (thin[1], across, across), position=centre, orientation=((0, 1, 0), turn),
            velocity=(0, w * centre[0], 0), omega=(-w * sin(turn), 0, w * cos(turn)),
            shape=[{"box": (1, 0.01, 0.01), "at": (0.5 - c, 0, 0)}, {"sphere": 0.06, "at": (1 - c, 0, 0)}],
        )  # fmt: skip
        hinge = shaft.frame((0.05 * side, 0, 0.5), (0.05 * side, 1, 0.5))
        m.add(lw.Revolute(f"hinge {name}", hinge, rod.frame((-c, 0, 0), (-c, 1, 0))))
        m.add(lw.Spring(f"spring {name}", slider.at(0.05 * side, 0, 0), rod.at(0.5 - c, 0, 0), k=8e5, c=4e4, length=0.5))
    return m
