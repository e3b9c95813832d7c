"""A Stewart platform: six legs whose lengths are driven hold a plate in all its six freedoms."""

from math import cos, pi, sin

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("Stewart platform", gravity=(0, 0, -9.81))
    plate = m.body("plate", 10, (0.2, 0.2, 0.4), position=(0, 0, 0.6), shape={"cylinder": (0.25, 0.03)})
    for k in range(6):
        low = pi / 3 * (k // 2 * 2) + (pi / 3 + 0.2 if k % 2 else -0.2) - pi / 6
        high = pi / 3 * (k // 2 * 2) + (0.9 if k % 2 else 0.15) - pi / 6
        P = m.ground.at(0.4 * cos(low), 0.4 * sin(low), 0)
        Q = plate.at(0.25 * cos(high), 0.25 * sin(high), 0)
        m.add(lw.Driver(f"leg {k + 1}", lw.distance(P, Q), f"0.64 + 0.04*sin(2*pi*t + {k}*pi/3)"))
    return m
