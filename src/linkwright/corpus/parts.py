"""Machines that several entries begin with."""

from __future__ import annotations

from collections.abc import Callable
from math import acos, atan2, cos, hypot, pi, sin
from typing import Any

import linkwright as lw

EARTH = (0.0, -9.81)


def plane(name: str) -> Callable[[], Any]:
    """What makes a model in the plane, empty as yet."""
    return lambda: lw.PlanarModel(name, gravity=EARTH)


def space(name: str) -> Callable[[], Any]:
    """The same in space."""
    return lambda: lw.SpatialModel(name, gravity=(0.0, 0.0, -9.81))


def pendulum(name: str = "pendulum", **body: Any) -> Any:
    """A bar on a pin at its end."""
    m = lw.PlanarModel(name, gravity=EARTH)
    arm = m.body("arm", **{"mass": 1.0, "inertia": 0.08, "position": (0.5, 0.0), **body})
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    return m


def four_bar(
    crank: float = 1.0, coupler: float = 3.0, rocker: float = 2.5, base: float = 3.0, angle: float = 1.0, motion: Any = None
) -> Any:
    """Pins A (ground, crank), B (crank, coupler), C (coupler, rocker), D (rocker, ground), the ends of the bodies."""
    m = lw.PlanarModel("four-bar", gravity=EARTH)
    B = crank * cos(angle), crank * sin(angle)
    dx, dy = base - B[0], -B[1]
    d = hypot(dx, dy)
    turn = acos(max(-1.0, min(1.0, (coupler**2 + d**2 - rocker**2) / (2 * coupler * d))))
    phi = atan2(dy, dx) + turn
    C = B[0] + coupler * cos(phi), B[1] + coupler * sin(phi)
    psi = atan2(C[1], C[0] - base)
    bodies = (
        ("crank", crank, (0.0, 0.0), angle), ("coupler", coupler, B, phi), ("rocker", rocker, (base, 0.0), psi),
    )  # fmt: skip
    a, b, c = (
        m.body(n, mass=length, inertia=length**3 / 12, com=(length / 2, 0), position=p, angle=q)
        for n, length, p, q in bodies
    )
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", a.at(crank, 0), b.at(0, 0)))
    m.add(lw.Revolute("C", b.at(coupler, 0), c.at(rocker, 0)))
    m.add(lw.Revolute("D", m.ground.at(base, 0), c.at(0, 0)))
    if motion is not None:
        m.add(lw.Driver("motor", m["A"].angle, motion))
    return m


def slider_crank(crank: float = 0.2, rod: float = 0.5, angle: float = 1.0, motion: Any = None) -> Any:
    """Pins A, B, C and the guide of the slider."""
    m = lw.PlanarModel("slider-crank", gravity=EARTH)
    B = crank * cos(angle), crank * sin(angle)
    x = B[0] + (rod**2 - B[1] ** 2) ** 0.5
    a = m.body("crank", mass=1.0, inertia=0.004, com=(crank / 2, 0), angle=angle)
    b = m.body("rod", mass=2.0, inertia=0.04, com=(rod / 2, 0), position=B, angle=atan2(-B[1], x - B[0]))
    s = m.body("slider", mass=1.0, inertia=0.001, position=(x, 0.0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", a.at(crank, 0), b.at(0, 0)))
    m.add(lw.Revolute("C", b.at(rod, 0), s.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), s.at(0, 0, angle=0)))
    if motion is not None:
        m.add(lw.Driver("motor", m["A"].angle, motion))
    return m


def shaft(name: str = "shaft") -> Any:
    """A body in space, long along z, and nothing that holds it."""
    m = lw.SpatialModel(name, gravity=(0.0, 0.0, -9.81))
    m.body("shaft", mass=2.0, inertia=(0.2, 0.2, 0.01))
    return m


def hinged() -> Any:
    """The shaft on a hinge A."""
    m = shaft()
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), m["shaft"].at(0, 0, 0)))
    return m


def crank_and_rod(angle: float) -> Any:
    """In space: a crank on A, a slider in its guide, and a rod between them that is no body."""
    m = space("crank and rod")()
    x = 0.2 * cos(angle) + (0.5**2 - (0.2 * sin(angle)) ** 2) ** 0.5
    crank = m.body("crank", mass=1.0, inertia=(0.004, 0.004, 0.004), orientation=((0.0, 0.0, 1.0), angle))
    slider = m.body("slider", mass=1.0, inertia=(0.001, 0.001, 0.001), position=(x, 0.0, 0.0))
    along = ((0.0, 1.0, 0.0), pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), crank.at(0, 0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, 0, rotation=along), slider.at(0, 0, 0, rotation=along)))
    m.add(lw.Distance("rod", crank.at(0.2, 0, 0), slider.at(0, 0, 0), length=0.5))
    return m


def parallel_cranks(angle: float, motion: str) -> Any:
    """In space: two cranks on A and B, held parallel by a rod as long as their pins are apart."""
    m = space("parallel cranks")()
    for name, pin, x in (("crank", "A", 0.0), ("rocker", "B", 2.0)):
        body = m.body(name, 1.0, (0.1, 0.1, 0.1), position=(x, 0, 0), orientation=((0.0, 0.0, 1.0), angle))
        m.add(lw.Revolute(pin, m.ground.at(x, 0, 0), body.at(0, 0, 0)))
    m.add(lw.Distance("coupler", m["crank"].at(1, 0, 0), m["rocker"].at(1, 0, 0), length=2.0))
    m.add(lw.Driver("motor", m["A"].angle, motion))
    return m


def gear_pair(distance: float = 0.3, radii: tuple[float, float] = (0.1, 0.2)) -> Any:
    m = lw.PlanarModel("gears", gravity=EARTH)
    one, two = m.body("one", 1.0, 0.005), m.body("two", 4.0, 0.08, position=(distance, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), one.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(distance, 0), two.at(0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0), two.at(0, 0), radii=radii))
    return m


def cam(rho: str, roller: float | None = None, height: float = 1.2) -> Any:
    """A disc with an outline, and a tappet above it with a flat face or a roller."""
    return follower(lw.Curve.polar(rho), roller, height)


def follower(outline: Any, roller: float | None = None, height: float = 1.2) -> Any:
    """The same with any outline."""
    m = lw.PlanarModel("cam", gravity=EARTH)
    disc, tappet = m.body("disc", 1.0, 0.5), m.body("tappet", 0.5, 0.1, position=(0, height))
    m.add(lw.Revolute("A", m.ground.at(0, 0), disc.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle="pi/2"), tappet.at(0, 0, angle="pi/2")))
    if roller is None:
        m.add(lw.CamFlat("contact", disc.curve(outline), tappet.at(0, 0, angle=0)))
    else:
        m.add(lw.CamFollower("contact", disc.curve(outline), tappet.curve(lw.Curve.polar(f"{roller}"))))
    return m
