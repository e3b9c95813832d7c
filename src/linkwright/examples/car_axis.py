"""The car axis of the IVP test set: two masses on stiff springs, one wheel on a level road, one on a bumpy road.

Units are the problem's own: length 1, gravity 1; its equations are divided by the stiffness 1/eps^2, so that springs have 1
and masses M eps^2/2, with M = 10 and eps = 0.01.
"""

import linkwright as lw
from linkwright.model import TIME


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("car axis", gravity=(0, -1))
    tyre = {"circle": 0.05}
    left = m.body("l", 5e-4, 1, position=(0, 0.5), velocity=(-0.5, 0), shape=tyre)
    right = m.body("r", 5e-4, 1, position=(1, 0.5), velocity=(-0.5, 0), shape=tyre)
    yb = 0.1 * lw.sin(10 * TIME)
    xb = lw.sqrt(1 - yb * yb)
    m.add(lw.Constraint("lu", left.angle))
    m.add(lw.Constraint("ru", right.angle))
    m.add(lw.Constraint("axis", left.x * xb + left.y * yb))
    m.add(lw.Distance("bar", left.at(0, 0), right.at(0, 0), 1))
    m.add(lw.Spring("spring l", m.ground.at(0, 0), left.at(0, 0), k=1, length=0.5))
    m.add(lw.Force("spring r", lw.sqrt((right.x - xb) ** 2 + (right.y - yb) ** 2), "0.5 - s"))
    return m
