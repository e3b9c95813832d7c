"""Haug's chapter 12: machines of chapter 10 with masses and forces, and the automobile."""

from __future__ import annotations

from math import cos, log, pi, radians, sin
from typing import Any

import numpy as np
import spatial_machines

import linkwright as lw
from linkwright.examples import automobile as ready_automobile
from linkwright.examples import automobile_bars

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


def automobile(bars: bool = False) -> lw.SpatialModel:
    """12.5, the ready machine, standing: parameters lane, turn [m] of the steering rack; Izz of the chassis."""
    m = (automobile_bars if bars else ready_automobile).build()
    m.set(lane=0.0, v=0.0)
    return m


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
