"""A web cutter (Haug 1989, projects 5.2 and 8.2): two blades move along with a web, meet once a turn, and cut it.

The figure with the geometry is lost in print. The crank's length is that of a bar with the printed mass and moment of
inertia; the rest is chosen so that the blades do what the project asks: when crank and frame are in line, the angle between
knife arm and rocker is at its least, the tips of the blades meet without closing speed, and both run along x with the web.
"""

from math import acos, atan, cos, pi, sin

import linkwright as lw

CRANK, ARM, ROCKER, FRAME, BLADE = 0.0424, 0.25, 0.28, 0.3, 0.16  # [m]; the crank: sqrt(12 J/m)


def between(a: float, b: float, opposite: float) -> float:
    """The angle of a triangle between the sides a and b."""
    return acos((a * a + b * b - opposite * opposite) / (2 * a * b))


def tip(sense: int) -> tuple[float, float]:
    """Of a blade that halves the angle of knife arm and rocker at the cut: along the link from its end, and to the side."""
    half = between(ARM, ROCKER, FRAME - CRANK) / 2
    return round(BLADE * cos(half), 9), round(sense * BLADE * sin(half), 9)


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("web cutter")
    m.parameter("rpm", 60)
    knife = tip(-1)
    anvil = (round(ROCKER - tip(1)[0], 9), tip(-1)[1])
    upright = pi / 2 - atan(anvil[1] / anvil[0])  # the rocker at the cut: its blade stands over the pivot
    frame = upright - between(ROCKER, FRAME - CRANK, ARM)
    A = (round(FRAME * cos(frame), 9), round(FRAME * sin(frame), 9))

    crank = m.body("crank", 0.1, 1.5e-5, position=A, com=(CRANK / 2, 0), shape={"circle": 0.05})
    arm = m.body(
        "knife arm", 1, 0.03, position=(0, 0.28), angle=-0.2, shape={"polygon": [(0, 0), (0.02, 0.01), (ARM, 0), knife]}
    )
    rocker = m.body(
        "rocker", 2, 0.04, angle=1.5, com=(0.14, -0.07), shape={"polygon": [(0, 0), anvil, (ROCKER, 0), (0.14, 0.01)]}
    )
    pin = m.add(lw.Revolute("A", m.ground.at(*A), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(CRANK, 0), arm.at(ARM, 0)))
    m.add(lw.Revolute("C", arm.at(0, 0), rocker.at(ROCKER, 0)))
    m.add(lw.Revolute("D", m.ground.at(0, 0), rocker.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, "2*pi*rpm/60*t"))
    return m
