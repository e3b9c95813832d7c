"""Cam and valve (Haug 1989, sections 5.6 and 8.5): an eccentric lifts a flat follower, and a rocker opens the valve.

The ends of the valve spring are lost in print: here it is 6 cm long when the valve is shut.
"""

from math import pi

import linkwright as lw


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("valve lifter", gravity=(0, -9.81))
    e = m.parameter("e", 0.0025)  # eccentricity [m]; the valve opens by 2 e
    m.parameter("rpm", 1200)  # of the cam
    k = m.parameter("k", 2500)  # valve spring [N/m]
    ground = m.ground

    rod = [{"box": (0.3, 0.006)}, {"box": (0.006, 0.04), "at": (-0.147, 0)}]
    plate = {"polygon": [(0.055, 0.004), (0.075, 0.03), (0.075, -0.03), (0.055, -0.004)]}
    cam = m.body("cam", 0.03, 1.5e-6, position=(0, -0.0025))
    follower = m.body("follower", 0.12, 2.25e-4, position=(0, 0.16), angle=pi / 2, shape=rod)
    rocker = m.body("rocker", 0.15, 1.8e-4, position=(0.06, 0.31), shape={"box": (0.15, 0.008)})
    valve = m.body("valve", 0.06, 8e-5, position=(0.12, 0.235), angle=3 * pi / 2, shape=[{"box": (0.15, 0.006)}, plate])

    pivot = m.add(lw.Revolute("pivot", ground.at(0, e - 0.0025), cam.at(0, e)))
    m.add(lw.Revolute("C", rocker.at(0, 0), ground.at(0.06, 0.31)))
    m.add(lw.Translational("D", ground.at(0, 0.16, angle=pi / 2), follower.at(0, 0, angle=0)))
    m.add(lw.Translational("E", ground.at(0.12, 0.235, angle=-pi / 2), valve.at(0, 0, angle=0)))
    m.add(lw.PointOnLine("F", rocker.at(-0.06, 0, angle=0), follower.at(0.15, 0)))
    m.add(lw.PointOnLine("G", rocker.at(0.06, 0, angle=0), valve.at(-0.075, 0)))
    outline = cam.curve(lw.Curve.polar(0.0125))
    m.add(lw.CamFlat("contact", outline, follower.at(-0.15, 0, angle=pi / 2), estimate=pi / 2))
    m.add(lw.Spring("spring", ground.at(0.12, 0.25), valve.at(-0.075, 0), k=k, length=0.09))
    m.add(lw.Driver("shaft", pivot.angle, "2*pi*rpm/60*t"))
    return m
