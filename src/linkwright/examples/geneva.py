"""Geneva drive: a pin on the crank enters a slot of the wheel and turns it by a quarter; then the wheel stands.

The pin enters and leaves along the slot: the wheel begins and ends at rest. In between it has the angle of the line from the
wheel's axle to the pin. The front wall of the slot drives, the rear wall brakes.
"""

from math import cos, pi, sin

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("geneva drive")
    play = m.parameter("play", 2e-5)  # of the pin in the slot, on each side [m]
    m.parameter("rpm", 60)  # of the crank
    C, r = 0.1, 0.006  # distance of the axles, radius of the pin [m]
    a = round(C * sin(pi / 4), 6)  # of the pin from the crank's axle; the wheel is as large
    crank = m.body("crank", 0.2, 1e-4, angle=pi, shape={"capsule": (a, r), "at": (a / 2, 0)})
    wheel = m.body("wheel", 0.3, 2e-4, position=(C, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    B = m.add(lw.Revolute("B", m.ground.at(C, 0), wheel.at(0, 0)))
    walls, outline = [], []
    for k in range(4):
        c, s = round(cos(pi * (2 * k + 1) / 4), 9), round(sin(pi * (2 * k + 1) / 4), 9)
        for side in (-1, 1):
            x, y = -side * s * (r + play), side * c * (r + play)
            ends = [(a * c - side * s * r, a * s + side * c * r), (0.02 * c - side * s * r, 0.02 * s + side * c * r)]
            outline += [(round(x, 4), round(y, 4)) for x, y in (ends if side < 0 else ends[::-1])]
            walls.append({"segment": [(0.02 * c + x, 0.02 * s + y), (a * c + x, a * s + y)]})
    wheel.shape = {"polygon": outline}
    m.add(lw.Contact("pin", crank.surface({"circle": r, "at": (a, 0)}), wheel.surface(walls), restitution=0))
    m.add(lw.TorsionSpring("bearing", B.angle, c=2e-4))  # what drags at the wheel
    m.add(lw.Driver("motor", A.angle, "pi + 2*pi*rpm/60*t"))
    return m
