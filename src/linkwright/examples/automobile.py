"""An automobile that changes its lane (Haug 1989, section 12.5, model 1): struts, trailing arms, a steering rack.

y is forward, x to the right, z up. The book's tables with their repairs: the struts' axes are fixed in the wheels, the
lower arms are 0.3227 m long, the chassis has 1399 kg m^2 about z where 139.9 is printed, which no body has. Tyres and the
curve of the rack are lost in print and chosen here. It starts in its equilibrium at 55 mph.
"""

from math import cos, pi, sin
from typing import Any

import numpy as np

import linkwright as lw

Places = dict[str, tuple[float, float, float, float, float, float]]

# where a side's bodies are in equilibrium, for the right side: x, y, z, e1, e2, e3
STANDING: Places = {
    "chassis": (0, 0, 0.5438204725, -0.0026554789, 0, 0),
    "rack": (0, 1.265491584, 0.1622941432, -0.0026554789, 0, 0),
    "front": (0.6016549164, 1.178777535, 0.3437554661, -0.0006891456, -0.0034077929, -6.21328e-05),
    "rear": (0.5800265119, -1.289112378, 0.2622782957, -0.0104554199, -0.0020900111, 5.55e-06),
}
SIDES = ((1, "right"), (-1, "left"))


def steering(lane: Any, turn: Any) -> Any:
    """Way of the rack: a smooth lane change between 0.5 and 2.5 s, or into a circle by a quintic ramp of one second."""

    def rack(t: Any) -> Any:
        X = pi * (t - 0.5)
        wave = lane * 4 / (3 * 3**0.5) * lw.sin(X) * (1 - lw.cos(X))
        s = lw.where(t < 0.5, 0.0, lw.where(t < 1.5, t - 0.5, 1.0))
        return lw.where(t < 0.5, 0.0, lw.where(t < 2.5, wave, 0.0)) + turn * (10 * s**3 - 15 * s**4 + 6 * s**5)

    return rack


def build(standing: Places | None = None, bars: bool = False) -> lw.SpatialModel:
    m = lw.SpatialModel("automobile with stabiliser bars" if bars else "automobile", gravity=(0, 0, -9.81))
    lane = m.parameter("lane", 0.002)  # way of the rack in a lane change [m]
    turn = m.parameter("turn", 0)  # and into a circle [m]
    Izz = m.parameter("Izz", 1399)  # of the chassis [kg m^2]
    v = m.parameter("v", 24.5872)  # speed [m/s]: 55 mph

    def body(name: str, mass: float, J: Any, shape: Any, side: int = 1) -> Any:
        x, y, z, e1, e2, e3 = (standing or STANDING)[name.removesuffix(" left").removesuffix(" right")]
        e0 = (1 - e1**2 - e2**2 - e3**2) ** 0.5
        turned = (e0, e1, side * e2, side * e3)
        return m.body(name, mass, J, position=(side * x, y, z), orientation=turned, velocity=(0, v, 0), shape=shape)

    box = [{"box": (1.3, 3.9, 0.45), "at": (0, -0.1, -0.05)}, {"box": (1.2, 1.8, 0.4), "at": (0, -0.4, 0.37)}]
    chassis = body("chassis", 1247.5, (1240.1, 209.6, Izz), box)
    rack = body("rack", 0.1, (0.01, 0.01, 0.01), {"cylinder": (0.02, 0.61), "axis": (1, 0, 0)})
    tyre = {"cylinder": (0.279, 0.16), "axis": (1, 0, 0)}
    for side, name in SIDES:
        front = {**tyre, "at": (side * 0.09, 0, -0.0832)}
        corner(m, side, name, body(f"front {name}", 37.6, (1, 0.5, 1), front, side))
        trailing(m, side, name, body(f"rear {name}", 43, (0.67, 1.5, 1.2), tyre, side))
    if bars:
        stabiliser(m, body("front bar", 1, (0.1, 0.01, 0.01), {"cylinder": (0.015, 1), "axis": (1, 0, 0)}), *FRONT_BAR)
        stabiliser(m, body("rear bar", 1, (0.1, 0.01, 0.01), {"cylinder": (0.015, 0.8), "axis": (1, 0, 0)}), *REAR_BAR)
    rail = chassis.frame((0, 1.2675, -0.3748), (1, 1.2675, -0.3748), (0, 2.2675, -0.3748))
    guide = m.add(lw.Translational("guide", rail, rack.frame((0, 0, 0), (1, 0, 0), (0, 1, 0))))
    m.add(lw.Driver("steering", guide.displacement, steering(lane, turn)))
    return m


def corner(m: lw.SpatialModel, side: int, name: str, wheel: Any) -> None:
    """A front wheel on a strut and a lower arm, with its tie rod."""
    chassis, rack = m["chassis"], m["rack"]
    top, foot = (side * 0.5011, 1.1162, 0.1998), (side * 0.3312, 1.2212, -0.3928)
    m.add(lw.Strut(f"strut {name}", wheel.frame((0, 0, 0), (side * -0.238, -0.151, 0.9595)), chassis.at(*top)))
    arm = chassis.frame(foot, (side * 0.3232, 0.9152, -0.3898))
    m.add(lw.RevoluteSpherical(f"arm {name}", arm, wheel.at(side * 0.0507, 0.0321, -0.2044), length=0.3227))
    m.add(lw.Distance(f"tie rod {name}", wheel.at(side * 0.07, 0.155, -0.186), rack.at(side * 0.305, 0, 0), 0.3742))
    m.add(lw.Spring(f"spring {name}", chassis.at(*top), wheel.at(0, 0, 0), k=38600, c=150, length=0.4992))
    rolling(m, f"front tyre {name}", wheel, (side * 0.09, 0, -0.0832))


def trailing(m: lw.SpatialModel, side: int, name: str, wheel: Any) -> None:
    """A rear wheel on a semi-trailing arm."""
    chassis = m["chassis"]
    axis = np.array([side * -cos(pi / 12), -sin(pi / 12), 0])  # printed with four digits
    P, Q = np.array([side * 0.2026, -1.0095, -0.285]), np.array([side * -0.3774, 0.278, 0.0093])
    m.add(lw.Revolute(f"pivot {name}", chassis.frame(P, P + axis), wheel.frame(Q, Q + axis)))
    ends = chassis.at(side * 0.58, -1.2875, 0.2), wheel.at(0, 0, 0)
    m.add(lw.Spring(f"rear spring {name}", *ends, k=38600, c=200, length=0.5641))
    rolling(m, f"rear tyre {name}", wheel, (0, 0, 0))


def rolling(m: lw.SpatialModel, name: str, wheel: Any, spindle: tuple[float, float, float]) -> None:
    x, y, z = spindle
    m.add(lw.Tyre(name, wheel.frame(spindle, (x + 1, y, z)), radius=0.279, k=2e5, cornering=45e3, mu=0.8))


# pivot on the chassis; the right end on the bar and on its wheel; stiffness and length of the springs between them
FRONT_BAR = ((0, 1.061, -0.3263), (0.509, 0.1405, 0.02), (-0.0897, 0.0168, -0.2119), 83400, 0.1011)
REAR_BAR = ((0, -1.4075, -0.1813), (0.392, 0.168, -0.0474), (-0.1832, 0.048, -0.0423), 9330, 0.0943)


def stabiliser(m: lw.SpatialModel, bar: Any, pivot: Any, end: Any, on_wheel: Any, k: float, length: float) -> None:
    """A bar across the car, pulled at by the wheels of an axle on either side."""
    x, y, z = pivot
    m.add(lw.Revolute(f"{bar.name} pivot", m["chassis"].frame(pivot, (x + 1, y, z)), bar.frame((0, 0, 0), (1, 0, 0))))
    where = bar.name.removesuffix(" bar")
    for side, name in SIDES:
        a, b = ((side * p[0], p[1], p[2]) for p in (end, on_wheel))
        m.add(lw.Spring(f"{bar.name} {name}", bar.at(*a), m[f"{where} {name}"].at(*b), k=k, length=length))
