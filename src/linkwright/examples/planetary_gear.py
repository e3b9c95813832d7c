"""A planetary gear: the sun drives three planets, which roll in a ring that stands still and turn the carrier slowly.

One turn of the carrier takes 1 + R_ring/R_sun turns of the sun (Willis).
"""

from math import cos, pi, sin

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("planetary gear")
    sun = m.body("sun", 0.5, 1e-4, shape={"circle": 0.02})
    carrier = m.body("carrier", 1.0, 2e-3)
    pin = m.add(lw.Revolute("shaft", m.ground.at(0, 0), sun.at(0, 0)))
    m.add(lw.Revolute("bearing", m.ground.at(0, 0), carrier.at(0, 0)))
    for k in range(3):
        at = (0.05 * cos(2 * pi * k / 3), 0.05 * sin(2 * pi * k / 3))
        planet = m.body(f"planet {k + 1}", 0.8, 4e-4, position=at, shape={"circle": 0.03})
        m.add(lw.Revolute(f"pin {k + 1}", carrier.at(*at), planet.at(0, 0)))
        m.add(lw.Gear(f"sun {k + 1}", sun.at(0, 0), planet.at(0, 0), (0.02, 0.03)))
        if k == 0:  # one planet in the ring is enough: with rigid gears the others would say it again
            m.add(lw.Gear("ring", m.ground.at(0, 0), planet.at(0, 0), (-0.08, 0.03)))
    m.add(lw.Driver("motor", pin.angle, "2*pi*t"))
    return m
