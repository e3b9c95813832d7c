"""A Delta robot (Clavel): three arms carry a plate by pairs of rods, so that it moves everywhere without turning."""

from math import cos, pi, sin

import linkwright as lw


def build() -> lw.SpatialModel:
    m = lw.SpatialModel("Delta robot", gravity=(0, 0, -9.81))
    arm, rod = m.parameter("arm", 0.3), m.parameter("rod", 0.7)  # lengths [m]
    plate = m.body("plate", 0.5, (1e-3, 1e-3, 2e-3), position=(0, 0, -0.62), shape={"cylinder": (0.06, 0.02)})
    for k in range(3):
        a = 2 * pi * k / 3
        out, side = (cos(a), sin(a)), (-sin(a), cos(a))
        foot = (0.15 * out[0], 0.15 * out[1], 0)
        # own x axis outwards, turned down by 0.2 rad about the tangent
        upper = m.body(
            f"arm {k + 1}", 0.4, (1e-3, 4e-3, 4e-3), position=(foot[0] + 0.147 * out[0], foot[1] + 0.147 * out[1], -0.03),
            orientation=[[out[0] * cos(0.2), side[0], out[0] * sin(0.2)], [out[1] * cos(0.2), side[1], out[1] * sin(0.2)],
                         [-sin(0.2), 0, cos(0.2)]],
        )  # fmt: skip
        axis = m.ground.frame(foot, (foot[0] + side[0], foot[1] + side[1], 0), (foot[0] + out[0], foot[1] + out[1], 0))
        own = upper.at(-arm / 2, 0, 0, rotation=[[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # z along the tangent
        hinge = m.add(lw.Revolute(f"motor shaft {k + 1}", axis, own))
        for n, shift in enumerate((0.05, -0.05)):
            end = (0.05 * out[0] + shift * side[0], 0.05 * out[1] + shift * side[1], 0)
            m.add(lw.Distance(f"rod {k + 1}{'ab'[n]}", upper.at(arm / 2, shift, 0), plate.at(*end), rod))
        m.add(lw.Driver(f"motor {k + 1}", hinge.angle, f"0.2 + 0.25*sin(2*pi*t + {2 * k}*pi/3)"))
    return m
