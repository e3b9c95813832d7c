"""Haug's chapter 12: machines of chapter 10 with masses and forces, and the automobile."""

from __future__ import annotations

from math import cos, log, pi, radians, sin
from typing import Any

import numpy as np
import spatial_machines

import linkwright as lw

PSI = 6894.757293168  # [Pa]


def weigh(m: lw.SpatialModel, table: dict[str, tuple[float, Any]]) -> lw.SpatialModel:
    """Give bodies their mass and principal moments."""
    for name, (mass, J) in table.items():
        m[name].mass = mass
        m[name].inertia = tuple(tuple(J[i] if i == k else 0.0 for k in range(3)) for i in range(3))
    return m


def light_slider_crank(driven: bool = True) -> lw.SpatialModel:
    """Project 12.1: the rod a distance; the crank starts at 90 degrees and turns about -x."""
    m = spatial_machines.short_slider_crank(0.3, driver="pi/2 - 2*pi*t" if driven else None)
    weigh(m, {"crank": (0.12, (1e-4, 1e-5, 1e-4)), "slider": (2.0, (1e-4,) * 3)})
    m["crank"].guess(orientation=((1, 0, 0), pi / 2))
    if not driven:
        m.fix(m["A"].angle, pi / 2)
    return m


# moments about z: printed zero, and those of slender links
PRINTED = {"one": (4, 2, 0), "two": (12.4, 0.01, 0), "three": (4.54, 0.01, 0)}
MENDED = {"one": (4, 2, 2), "two": (12.4, 0.01, 12.4), "three": (4.54, 0.01, 4.54)}


def four_bar(model: int, g: float = 9.81, moments: Any = None, driven: bool = True, length: float = 12.2) -> lw.SpatialModel:
    """12.3: model 1 with a link of 1 kg, model 2 with a distance (12.2 m) in its place."""
    driver = "pi*t" if driven else None
    m = spatial_machines.four_bar(driver) if model == 1 else spatial_machines.short_four_bar(length, driver)
    m.gravity = (0, 0, -g)
    masses = {"one": 2.0, "two": 1.0, "three": 1.0}
    weigh(m, {name: (masses[name], J) for name, J in (moments or PRINTED).items() if name in m.bodies})
    if not driven:
        m.fix(m["A"].angle, 0.0)
    return m


def compressor(tilt: float = 30.0, psi: float = 0.0, driver: Any = "20*pi*t") -> lw.SpatialModel:
    """12.4: gas pushes on a piston while it goes down; tilt of the disk in degrees, largest pressure in psi."""
    d = radians(tilt)
    m = spatial_machines.compressor((cos(d), -sin(d)), driver)
    m["disk"].guess(orientation=((1, 0, 0), -d))
    weigh(m, {"rotor": (10, (0.1, 0.01, 0.1)), "disk": (2, (0.04, 0.08, 0.04))})
    weigh(m, {f"piston{k}": (1.5, (0.002,) * 3) for k in range(1, 7)})
    if psi:
        largest, bottom, top, opens = psi * PSI * pi * 0.05**2, -1 - 0.2 * sin(d), -1 + 0.2 * sin(d), 0.08 * sin(d)

        def gas(y: Any, v: Any, t: Any) -> Any:
            """Boyle's law at a ratio of 5 until the valve opens, then down to nothing."""
            s = y - bottom
            squeezed = largest * opens / lw.maximum(s, opens) - largest / 5
            released = 0.4 * largest * (1 - lw.cos(pi * s / opens))
            return lw.where(v < 0, lw.where(y < top, lw.where(s >= opens, squeezed, released), 0.0), 0.0)

        for k in range(1, 7):
            m.add(lw.Force(f"gas{k}", m[f"piston{k}"].y, gas))
    return m


def mean_torque(psi: float) -> float:
    """The work of six pistons over a turn."""
    return 6 * psi * PSI * pi * 0.05**2 * 0.2 * (0.08 + 0.2 * log(5) - 0.16) / (2 * pi)


# -- automobile (12.5): y forward, x to the right, z up -------------------------------------------------------------------

SPEED = 24.5872  # 55 mph [m/s]
X_AXIS, Y_AXIS, Z_AXIS = np.eye(3)


def steering(lane: Any, turn: Any) -> Any:
    """Rack displacement: a smooth lane change between 0.5 and 2.5 s, or into a circle by a quintic ramp of one second."""

    def rack(t: Any) -> Any:
        X = pi * (t - 0.5)
        wave = lane * 4 / (3 * 3**0.5) * lw.sin(X) * (1 - lw.cos(X))
        s = lw.where(t < 0.5, 0.0, lw.where(t < 1.5, t - 0.5, 1.0))
        return lw.where(t < 0.5, 0.0, lw.where(t < 2.5, wave, 0.0)) + turn * (10 * s**3 - 15 * s**4 + 6 * s**5)

    return rack


def _corner(m: lw.SpatialModel, side: int, name: str) -> None:
    """A front wheel on a strut and a lower arm, with its tie rod."""
    chassis, rack = m["chassis"], m["rack"]
    top, foot = np.array([side * 0.5011, 1.1162, 0.1998]), np.array([side * 0.3312, 1.2212, -0.3928])
    along = np.array([side * -0.238, -0.151, 0.9595])
    wheel = m.body(f"front {name}", 37.6, (1, 0.5, 1), position=(side * 0.6017, 1.1788, 0.3438))
    m.add(lw.Strut(f"strut {name}", wheel.frame((0, 0, 0), along), chassis.at(*top)))
    axis = np.array([side * (0.322 - 0.33), 0.8675 - 1.1735, -0.3893 + 0.3923])
    arm = chassis.frame(foot, foot + axis)
    m.add(lw.RevoluteSpherical(f"arm {name}", arm, wheel.at(side * 0.0507, 0.0321, -0.2044), length=0.3227))
    m.add(lw.Distance(f"tie rod {name}", wheel.at(side * 0.07, 0.155, -0.186), rack.at(side * 0.305, 0, 0), 0.3742))
    m.add(lw.Spring(f"spring {name}", chassis.at(*top), wheel.at(0, 0, 0), k=38600, c=150, length=0.4992))
    _tyre(m, f"front tyre {name}", wheel, (side * 0.09, 0, -0.0832))


def _trailing(m: lw.SpatialModel, side: int, name: str) -> None:
    """A rear wheel on a semi-trailing arm."""
    chassis = m["chassis"]
    wheel = m.body(f"rear {name}", 43, (0.67, 1.5, 1.2), position=(side * 0.58, -1.2891, 0.2623))
    axis = np.array([side * -cos(pi / 12), -sin(pi / 12), 0])  # printed with four digits
    P, Q = np.array([side * 0.2026, -1.0095, -0.285]), np.array([side * -0.3774, 0.278, 0.0093])
    m.add(lw.Revolute(f"pivot {name}", chassis.frame(P, P + axis), wheel.frame(Q, Q + axis)))
    ends = chassis.at(side * 0.58, -1.2875, 0.2), wheel.at(0, 0, 0)
    m.add(lw.Spring(f"rear spring {name}", *ends, k=38600, c=200, length=0.5641))
    _tyre(m, f"rear tyre {name}", wheel, (0, 0, 0))


def _tyre(m: lw.SpatialModel, name: str, wheel: Any, spindle: Any) -> None:
    P = np.array(spindle, dtype=float)
    frame = wheel.frame(P, P + np.array([1.0, 0, 0]))  # the axle along the wheel's x axis
    m.add(lw.Tyre(name, frame, radius=0.279, k=2e5, cornering=45e3, mu=0.8))


def automobile(bars: bool = False) -> lw.SpatialModel:
    """12.5, model 1; with stabiliser bars model 2. Tables of the book with their repairs; tyres are chosen.

    Parameters: lane, turn [m] of the steering rack; Izz of the chassis.
    """
    m = lw.SpatialModel("automobile", gravity=(0, 0, -9.81))
    rack = steering(m.parameter("lane", 0.0), m.parameter("turn", 0.0))
    Izz = m.parameter("Izz", 1399.0)
    chassis = m.body("chassis", 1247.5, (1240.1, 209.6, Izz), position=(0, 0, 0.5438))
    beam = m.body("rack", 0.1, (0.01, 0.01, 0.01), position=(0, 1.2625, 0.1623))
    P = np.array([0, 1.2675, -0.3748])
    own = beam.frame((0, 0, 0), (1, 0, 0), (0, 1, 0))
    guide = m.add(lw.Translational("guide", chassis.frame(P, P + X_AXIS, P + Y_AXIS), own))
    for side, name in ((1, "right"), (-1, "left")):
        _corner(m, side, name)
        _trailing(m, side, name)
    if bars:
        _stabiliser(m, "front", (0, 1.061, -0.3263), (0.509, 0.1405, 0.02), (-0.0897, 0.0168, -0.2119), 83400, 0.1011)
        _stabiliser(m, "rear", (0, -1.4075, -0.1813), (0.392, 0.168, -0.0474), (-0.1832, 0.048, -0.0423), 9330, 0.0943)
    m.add(lw.Driver("steering", guide.displacement, rack))
    return m


def _stabiliser(m: lw.SpatialModel, where: str, P: Any, end: Any, on_wheel: Any, k: float, length: float) -> None:
    P = np.array(P, dtype=float)
    bar = m.body(f"{where} bar", 1.0, (0.1, 0.01, 0.01), position=P + 0.5438 * Z_AXIS)
    m.add(lw.Revolute(f"{where} bar pivot", m["chassis"].frame(P, P + X_AXIS), bar.frame((0, 0, 0), (1, 0, 0))))
    mirror = np.array([-1, 1, 1])
    for sign, name in ((1, "right"), (-1, "left")):
        a, b = (np.array(x) * (mirror if sign < 0 else 1) for x in (end, on_wheel))
        m.add(lw.Spring(f"{where} bar {name}", bar.at(*a), m[f"{where} {name}"].at(*b), k=k, length=length))


def driving(e: Any, m: lw.SpatialModel, speed: float) -> dict[str, float]:
    """A state that starts in an equilibrium, moved level to the origin and heading along y, all bodies at one speed."""
    yaw = _yaw(np.array([e[f"chassis.e{k}"] for k in range(4)]))
    c, s = cos(-yaw), sin(-yaw)
    back = np.array([cos(-yaw / 2), 0, 0, sin(-yaw / 2)])
    state = {}
    for name in m.bodies:
        if name == "ground":
            continue
        x, y = e[f"{name}.x"] - e["chassis.x"], e[f"{name}.y"] - e["chassis.y"]
        p0, p = back, np.array([e[f"{name}.e{k}"] for k in range(4)])
        turned = [p0[0] * p[0] - p0[1:] @ p[1:], *(p0[0] * p[1:] + p[0] * p0[1:] + np.cross(p0[1:], p[1:]))]
        state |= {f"{name}.x": c * x - s * y, f"{name}.y": s * x + c * y, f"{name}.z": e[f"{name}.z"], f"{name}.vy": speed}
        state |= {f"{name}.e{k}": turned[k] for k in range(4)}
    return state


def _yaw(p: np.ndarray) -> Any:
    """Of A = Rz(yaw) Rx(pitch) Ry(roll)."""
    return np.arctan2(2 * (p[0] * p[3] - p[1] * p[2]), p[0] ** 2 + p[2] ** 2 - p[1] ** 2 - p[3] ** 2)


def yaw_and_roll(d: Any) -> tuple[np.ndarray, np.ndarray]:
    """Of the chassis over time."""
    p = np.array([d[f"chassis.e{k}"] for k in range(4)])
    roll = np.arctan2(2 * (p[0] * p[2] - p[1] * p[3]), p[0] ** 2 + p[3] ** 2 - p[1] ** 2 - p[2] ** 2)
    return _yaw(p), roll
