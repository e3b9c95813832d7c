"""A coil spring that is struck (Haug 1989, section 8.4): a wave runs along it and back, and throws the block off again.

Six masses of 2.5 kg on springs stand for the coil; the block of 100 kg comes at 0.1 m/s, and pushes while they touch.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("coil spring")
    k = m.parameter("k", 50)  # of each sixth of the coil [N/m]
    before = m.ground.at(0, 0)
    for j in range(1, 7):
        coil = m.body(f"coil {j}", 2.5, 1, position=(0.2 * j, 0), shape={"box": (0.02, 0.16)})
        m.add(lw.Translational(f"guide {j}", m.ground.at(0, 0, angle=0), coil.at(0, 0, angle=0)))
        m.add(lw.Spring(f"spring {j}", before, coil.at(0, 0), k=k, length=0.2))
        before = coil.at(0, 0)
    block = m.body("block", 100, 1, position=(1.2, 0), velocity=(-0.1, 0), shape={"box": (0.2, 0.3), "at": (0.1, 0)})
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Force("hit", block.x - m["coil 6"].x, "where(s < 0, -1e5*s, 0)"))
    return m
