"""A coil spring that is struck (Haug 1989, section 8.4): a wave runs along it and back, and throws the block off again.

Six masses of 2.5 kg on springs stand for the coil; the block of 100 kg comes at 0.1 m/s, and pushes while they touch. How
stiff the contact is, is lost in print.
"""

import linkwright as lw
from linkwright.examples.coil_spring_surge import coil


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("coil spring")
    k = m.parameter("k", 50)  # of each sixth of the coil [N/m]
    m.parameter("kc", 1e5)  # of the contact [N/m]
    coil(m, k)
    block = m.body("block", 100, 1, position=(1.2, 0), velocity=(-0.1, 0), shape={"box": (0.2, 0.3), "at": (0.1, 0)})
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Force("hit", block.x - m["coil 6"].x, "where(s < 0, -kc*s, 0)"))
    return m
