"""Peaucellier's cell: eight links that turn a circle into an exact straight line, by inversion.

The crank moves the near corner of a rhombus on a circle through the fixed point; the far corner moves on a line.
"""

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("Peaucellier's cell")
    L, a, r = m.parameter("L", 1), m.parameter("a", 0.5), m.parameter("r", 0.35)  # long arms, rhombus, crank
    fixed, crank_pivot = m.ground.at(0, 0), m.ground.at(r, 0)
    crank = m.body("crank", position=(1.5 * r, 0), shape={"box": (r, 0.04)})
    motor = m.add(lw.Revolute("K", crank_pivot, crank.at(-r / 2, 0)))
    up = m.body("upper arm", position=(0.443, 0.232), angle=0.4825)
    low = m.body("lower arm", position=(0.443, -0.232), angle=-0.4825)
    near = [
        m.body("near upper", position=(0.793, 0.232), angle=1.19),
        m.body("near lower", position=(0.793, -0.232), angle=-1.19),
    ]
    far = [
        m.body("far upper", position=(0.979, 0.232), angle=-1.19),
        m.body("far lower", position=(0.979, -0.232), angle=1.19),
    ]
    for name, arm in (("O1", up), ("O2", low)):
        m.add(lw.Revolute(name, fixed, arm.at(-L / 2, 0)))
    for side, arm, inner, outer in (("1", up, near[0], far[0]), ("2", low, near[1], far[1])):
        m.add(lw.Revolute(f"P{side}", crank.at(r / 2, 0), inner.at(-a / 2, 0)))
        m.add(lw.Revolute(f"A{side}", arm.at(L / 2, 0), inner.at(a / 2, 0)))
        m.add(lw.Revolute(f"B{side}", arm.at(L / 2, 0), outer.at(-a / 2, 0)))
    m.add(lw.Revolute("Q", far[0].at(a / 2, 0), far[1].at(a / 2, 0)))
    m.add(lw.Driver("motor", motor.angle, "0.9*sin(2*pi*t)"))
    return m
