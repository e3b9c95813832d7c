"""A fly-ball governor (Haug 1989, section 12.6), here with z up: the balls fly out, the collar rises, the engine eases off.

From 1 s to 2 s a load comes on; the speed settles at a lower value.
"""

from math import pi
from typing import Any

import linkwright as lw


def machine() -> lw.SpatialModel:
    """Governor and engine, without the load and with no first motion."""
    m = lw.SpatialModel("governor", gravity=(0, 0, -9.81))
    k = m.parameter("k", 1000)  # spring [N/m]
    C = m.parameter("C", 7500)  # feedback: torque of the engine per metre of the collar's way [N m/m]

    rod = {"cylinder": (0.012, 0.4), "at": (0, 0, -0.1)}
    spindle = m.body("spindle", 200, (25, 25, 50), position=(0, 0, 0.2), omega=(0, 0, 11.0174), shape=rod)
    balls = []
    for n, side in ((1, 1), (2, -1)):
        arm = {"cylinder": (0.005, 0.16), "at": (-side * 0.08, 0, 0), "axis": (1, 0, 0)}
        ball = m.body(
            f"ball {n}", 1, (0.1, 0.1, 0.1), position=(side * 0.11314, 0, 0.08686),
            orientation=((0, 1, 0), side * pi / 4), shape=[{"sphere": 0.03}, arm],
        )  # fmt: skip
        balls.append((n, side, ball))
    collar = m.body("collar", 1, (0.15, 0.15, 0.125), position=(0, 0, 0.05), shape={"cylinder": (0.03, 0.03)})

    m.add(lw.Revolute("bearing", m.ground.at(0, 0, 0), spindle.at(0, 0, -0.2)))
    for n, side, ball in balls:
        end = -side * 0.16
        pivot = spindle.frame((0, 0, 0), (0, -1, 0), (1, 0, 0))
        m.add(lw.Revolute(f"pin {n}", pivot, ball.frame((end, 0, 0), (end, -1, 0), (1, 0, 0))))
    m.add(lw.Translational("slide", spindle.at(0, 0, 0), collar.at(0, 0, 0)))
    for n, side, ball in balls:
        m.add(lw.Distance(f"arm {n}", ball.at(-side * 0.08, 0, 0), collar.at(0, 0, 0), length=0.10922))
    m.add(lw.Spring("spring", spindle.at(0, 0, 0), collar.at(0, 0, 0), k=k, length=0.15, c=30))

    stretch = lw.distance(spindle.at(0, 0, 0), collar.at(0, 0, 0)) - 0.15

    m.add(lw.Torque("engine", spindle, (0, 0, C * stretch)))
    return m


def build() -> lw.SpatialModel:
    m = machine()
    spindle, slide = m["spindle"], m["slide"]

    def load(t: Any) -> Any:
        return lw.where(t < 1, 0.0, lw.where(t < 2, -25 * (t - 1), -25.0))

    m.add(lw.Torque("load", spindle, (0, 0, load)))
    m.fix(spindle.wz, 11.0174)
    m.fix(slide.displacement, -0.15)
    m.fix(slide.velocity, 0)
    m.fix(m["bearing"].angle, 0)
    return m
