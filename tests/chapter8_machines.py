"""Haug's chapter 8: machines of chapter 5 with masses, forces and initial motion."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
import planar_machines
from loaded_machines import slider_crank


def weigh(m: lw.PlanarModel, table: dict[str, tuple[Any, Any]]) -> lw.PlanarModel:
    """Give bodies their mass and inertia."""
    for name, (mass, J) in table.items():
        m[name].mass, m[name].inertia = m.scalar(mass, "mass"), m.scalar(J, "inertia")
    return m


def engine(J1: float = 450.0) -> lw.PlanarModel:
    """8.2 with gas force, gravity along +x, a constant torque, from the inner dead centre at 30 rad/s."""
    m = slider_crank(gas=True, driven=False, gravity=(9.81, 0))
    m["crank"].inertia = m.parameter("J", J1)
    m["crank"].guess(angle=pi, omega=30)
    m["rod"].guess(position=(-0.25, 0), angle=0)
    m["slider"].guess(position=(1.5, 0))
    m.add(lw.Torque("T", m["crank"], 41450))
    return m


# the leftward pass of the ram at x = -4, right after the cut
AFTER_THE_CUT = 2.9954669726672


def cutting_force(x: Any, v: Any, t: Any) -> Any:
    """A trapezoid of 1.04 MJ for the curve that is lost in print: 200 kN from 1.2 to -3.8, only to the left."""
    part = lw.maximum(0, lw.minimum(1, lw.minimum((1.4 - x) / 0.2, (x + 4) / 0.2)))
    return lw.where(v < 0, 2e5 * part, 0.0)


def shaper(cut: bool = False, motion: Any = f"{AFTER_THE_CUT} + 2*pi*t", gravity: Any = (0, 0)) -> lw.PlanarModel:
    """8.3: masses of table 8.3.1; parameters J of the crank and m of the ram."""
    m = planar_machines.quick_return(motion=motion)
    m.gravity = gravity
    J, mass = m.parameter("J", 2000.0), m.parameter("m", 50.0)
    table = {"rocker": (100, 100), "crank": (1000, J), "block": (5, 0.05), "link": (30, 10), "ram": (mass, 1.5)}
    weigh(m, table)
    m["crank"].guess(angle=AFTER_THE_CUT)
    m["rocker"].guess(position=(-1.1, 1.65), angle=2.16)
    m["block"].guess(position=(-1.48, 2.22), angle=2.16)
    m["link"].guess(position=(-3.1, 3.65), angle=-0.37)
    m["ram"].guess(position=(-4, 4))
    if cut:
        m.add(lw.Force("cut", m["ram"].x, cutting_force))
    return m


def coil(k: float = 200.0) -> lw.PlanarModel:
    """8.4: six masses of 2.5 kg on springs of 0.2 m in a row."""
    m = lw.PlanarModel("coil")
    stiffness = m.parameter("k", k)
    before = m.ground.at(0, 0)
    for j in range(1, 7):
        body = m.body(f"b{j}", 2.5, 1.0, position=(0.2 * j, 0))
        m.add(lw.Translational(f"T{j}", m.ground.at(0, 0, angle=0), body.at(0, 0, angle=0)))
        m.add(lw.Spring(f"S{j}", before, body.at(0, 0), k=stiffness, length=0.2))
        before = body.at(0, 0)
    return m


def struck_coil(k: float = 50.0, contact: float = 1e5, damper: float = 0.0) -> lw.PlanarModel:
    """8.4: a block of 100 kg at 0.1 m/s meets the coil; contact while they overlap, its damper may pull."""
    m = coil(k)
    block = m.body("block", 100.0, 1.0, position=(1.2, 0), velocity=(-0.1, 0))
    m.add(lw.Translational("T", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    stiff = m.parameter("kc", contact)

    def hit(s: Any, v: Any, t: Any) -> Any:
        return lw.where(s < 0, -stiff * s - damper * v, 0.0)

    m.add(lw.Force("hit", block.x - m["b6"].x, hit))
    return m


def valve_lifter(installed: float, e: float = 0.25) -> lw.PlanarModel:
    """8.5 in cm, g, s (forces in dyn): spring of free length 9 cm, `installed` cm long when the valve is shut."""
    m = planar_machines.valve_lifter(e).without("motor")
    weigh(m, {"cam": (30, 15), "follower": (120, 2250), "rocker": (150, 1800), "stem": (60, 800)})
    speed, k = m.parameter("rpm", 3000.0), m.parameter("k", 25.0)  # k in N/cm: 1e5 dyn/cm
    # the stem falls by the lift: a spring under its upper end is pressed further
    m.add(lw.Spring("spring", m.ground.at(12, 31 - installed), m["stem"].at(-7.5, 0), k=k * 1e5, length=9))
    m.add(lw.Driver("motor", m["B"].angle, lambda t: 2 * pi * speed / 60 * t))
    return m
