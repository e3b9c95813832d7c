"""Pin-pallet escapement of a watch: at each swing of the balance the wheel passes half a tooth, and pays for the swing.

A tooth rests with its radial face on a pin, without moment on the balance. As the pin leaves, the tooth's tip pushes it
out, and the wheel falls on until another tooth meets the other pin. Swings settle where the barrel gives what is lost.
"""

from math import cos, pi, sin, tan

import linkwright as lw

RADIUS, TEETH, DEPTH, PIN = 0.02, 8, 0.006, 0.001  # of the wheel; radius of a pin [m]
SPAN = 1.5 * pi / TEETH  # from the line of centres to a pin, seen from the wheel: one tooth and a half between both
AWAY = round(RADIUS / cos(SPAN), 9)  # the balance's pivot, where the tangents at the pins meet


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("escapement")
    torque = m.parameter("torque", 2e-4)  # of the spring barrel, at the wheel [N m]
    J = m.parameter("J", 1e-4)  # balance [kg m^2]
    k = m.parameter("k", 0.0158)  # hairspring [N m/rad]: two swings a second
    drag = m.parameter("drag", 4e-5)  # of the balance's bearing [N m s]
    faces, outline = [], []
    for n in range(TEETH):
        c, s = cos(2 * pi * n / TEETH), sin(2 * pi * n / TEETH)
        tip, root = ((round(r * c, 9), round(r * s, 9)) for r in (RADIUS, RADIUS - DEPTH))
        faces.append({"segment": [root, tip]})
        outline += [tip, root]
    arm = round(RADIUS * tan(SPAN), 9)  # from the balance's pivot to a pin, along a tangent
    pins = [(round(side * arm * cos(SPAN), 9), round(-arm * sin(SPAN), 9)) for side in (1, -1)]
    wheel = m.body("wheel", 2e-4, 5e-8, angle=0.0, shape={"polygon": outline})
    bar = {"polygon": [(0, 0.002), pins[1], (0, -0.002), pins[0]]}
    tips = [{"circle": PIN, "at": pin} for pin in pins]
    balance = m.body("balance", 0.1, J, position=(0, AWAY), angle=0.106, shape=[bar, {"circle": 0.004}, *tips])
    axle = m.add(lw.Revolute("axle", m.ground.at(0, 0), wheel.at(0, 0)))
    pivot = m.add(lw.Revolute("pivot", m.ground.at(0, AWAY), balance.at(0, 0)))
    m.add(lw.TorsionSpring("hairspring", pivot.angle, k=k, c=drag))
    m.add(lw.Torque("barrel", wheel, torque))
    for name, pin in zip(("entry", "exit"), pins, strict=True):
        m.add(lw.Contact(name, balance.surface({"circle": PIN, "at": pin}), wheel.surface(faces), restitution=0))
    m.fix(axle.angle, 0)
    m.fix(pivot.angle, 0.106)
    return m
