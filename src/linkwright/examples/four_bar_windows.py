"""Four-bar windows in a row (IFToMM benchmark A02, Bayo and Avello 1994): every half turn all bars lie in line.

There each window could fold on its own: the machine has three degrees of freedom for a moment, and one before and after.
Energy and momentum carry it through as a parallelogram.
"""

from math import pi

import linkwright as lw


def build(windows: int = 2) -> lw.PlanarModel:
    m = lw.PlanarModel("four-bar windows", gravity=(0, -9.81))
    thin = {"box": (1, 0.04)}
    cranks = []
    for i in range(windows + 1):
        crank = m.body(f"c{i}", 1, 1 / 12, position=(i, 0.5), angle=pi / 2, omega=-1, velocity=(0.5, 0), shape=thin)
        m.add(lw.Revolute(f"A{i}", m.ground.at(i, 0), crank.at(-0.5, 0)))
        cranks.append(crank)
    for i in range(windows):
        coupler = m.body(f"k{i}", 1, 1 / 12, position=(i + 0.5, 1), velocity=(1, 0), shape=thin)
        m.add(lw.Revolute(f"B{i}", cranks[i].at(0.5, 0), coupler.at(-0.5, 0)))
        m.add(lw.Revolute(f"C{i}", cranks[i + 1].at(0.5, 0), coupler.at(0.5, 0)))
    return m
