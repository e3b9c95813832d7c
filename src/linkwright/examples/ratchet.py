"""Ratchet and pawl: the pawl slides over the teeth one way and falls into the next gap; the other way it holds.

The wheel is turned clockwise for 0.3 s, then the other way with the same torque.
"""

from math import atan2, cos, hypot, pi, sin

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("ratchet", gravity=(0, -9.81))
    m.parameter("torque", 0.06)  # of the drive [N m]
    drag = m.parameter("drag", 0.01)  # of the bearing [N m s]
    R, h, count, r = 0.05, 0.008, 10, 0.002  # wheel, teeth, how many of them, tip of the pawl [m]
    teeth = []
    for k in range(count):
        root, tip = 2 * pi * k / count, 2 * pi * (k + 1) / count
        teeth.append((round((R - h) * cos(root), 6), round((R - h) * sin(root), 6) + 0.0))
        teeth.append((round(R * cos(tip), 6), round(R * sin(tip), 6) + 0.0))
    wheel = m.body("wheel", 0.5, 6e-4, shape={"polygon": teeth})
    (px, py), (tx, ty) = (-0.045, 0.07), (-0.004, 0.047)  # pivot and tip
    L, turn = round(hypot(tx - px, ty - py), 6), round(atan2(ty - py, tx - px), 6)
    pawl = m.body(
        "pawl", 0.03, 5e-6, position=((px + tx) / 2, (py + ty) / 2), angle=turn, shape={"capsule": (L, r)}
    )  # fmt: skip
    axle = m.add(lw.Revolute("axle", m.ground.at(0, 0), wheel.at(0, 0)))
    pivot = m.add(lw.Revolute("pivot", m.ground.at(px, py), pawl.at(-L / 2, 0)))
    m.add(lw.TorsionSpring("spring", pivot.angle, k=0.05, angle=turn - 0.5, c=1e-4))
    m.add(lw.TorsionSpring("bearing", axle.angle, c=drag))
    m.add(lw.Contact("teeth", pawl.surface({"circle": r, "at": (L / 2, 0)}), wheel.surface(), restitution=0))
    m.add(lw.Force("drive", axle.angle, "where(t < 0.3, -torque, torque)"))
    return m
