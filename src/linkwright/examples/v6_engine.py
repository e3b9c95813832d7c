"""A V6 engine: six pistons in two banks at 60 degrees on a crank with throws 60 degrees apart, at 3000 rpm.

Its inertia forces cancel but for a couple along the shaft, which a machine in the plane does not show.
"""

from math import cos, pi, sin, sqrt

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("V6 engine")
    r, L = 0.045, 0.15
    crank = m.body("crank", 12, 0.05, shape={"circle": 0.06})
    shaft = m.add(lw.Revolute("shaft", m.ground.at(0, 0), crank.at(0, 0)))
    for k in range(6):
        bank, throw = pi / 2 + (pi / 6 if k % 2 else -pi / 6), pi / 2 + pi / 3 * k
        pin = (r * cos(throw), r * sin(throw))
        along, off = pin[0] * cos(bank) + pin[1] * sin(bank), -pin[0] * sin(bank) + pin[1] * cos(bank)
        s = along + sqrt(L**2 - off**2)
        top = (s * cos(bank), s * sin(bank))
        rod = m.body(
            f"rod {k + 1}", 0.5, 1.2e-3, position=((pin[0] + top[0]) / 2, (pin[1] + top[1]) / 2),
            angle=lw.atan2(top[1] - pin[1], top[0] - pin[0]),
        )  # fmt: skip
        piston = m.body(f"piston {k + 1}", 0.4, 1e-4, position=top, angle=bank - pi / 2, shape={"box": (0.07, 0.05)})
        m.add(lw.Revolute(f"crank pin {k + 1}", crank.at(*pin), rod.at(-L / 2, 0)))
        m.add(lw.Revolute(f"piston pin {k + 1}", rod.at(L / 2, 0), piston.at(0, 0)))
        m.add(lw.Translational(f"cylinder {k + 1}", m.ground.at(0, 0, angle=bank), piston.at(0, 0, angle=pi / 2)))
    m.add(lw.Driver("motor", shaft.angle, "100*pi*t"))
    return m
