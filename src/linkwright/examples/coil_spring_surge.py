"""A wave in a coil spring (Haug 1989, section 8.4): its free end is hit, and the blow runs to the wall and back.

Six masses of 2.5 kg on springs stand for the coil; the last one starts at 0.1 m/s.
"""

from typing import Any

import linkwright as lw


def coil(m: lw.PlanarModel, k: Any, speed: float = 0.0) -> None:
    """Six masses in a row on springs of 0.2 m from ground; the last one moves towards it."""
    before = m.ground.at(0, 0)
    for j in range(1, 7):
        velocity = (-speed, 0) if j == 6 and speed else (0, 0)
        own = m.body(f"coil {j}", 2.5, 1, position=(0.2 * j, 0), velocity=velocity, shape={"box": (0.02, 0.16)})
        m.add(lw.Translational(f"guide {j}", m.ground.at(0, 0, angle=0), own.at(0, 0, angle=0)))
        m.add(lw.Spring(f"spring {j}", before, own.at(0, 0), k=k, length=0.2))
        before = own.at(0, 0)


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("surge in a coil spring")
    coil(m, m.parameter("k", 200), speed=0.1)  # of each sixth of the coil [N/m]
    return m
