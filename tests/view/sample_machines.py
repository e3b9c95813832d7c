"""Machines to look at: published dimensions where there are some."""

from __future__ import annotations

import math

import linkwright as lw


def slider_crank() -> lw.PlanarModel:
    """Haug section 5.2: crank 2, rod 3.5."""
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    crank = m.body("crank", mass=200, inertia=450, angle=math.pi / 4)
    rod = m.body("rod", mass=35, inertia=35, position=(3, 0.7), angle=-0.4)
    slider = m.body("slider", mass=25, inertia=0.02, position=(4.6, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(2, 0), rod.at(-1.75, 0)))
    m.add(lw.Revolute("C", rod.at(1.75, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Spring("return", m.ground.at(7.5, 0), slider.at(0, 0), k=100, length=2))
    m.add(lw.Driver("motor", pin.angle, "pi/4 + 2*pi*t"))
    return m


def quick_return() -> lw.PlanarModel:
    """Haug section 5.4: rocker 4, crank 1.5 about (0, 2), link 1.9, ram on y = 4."""
    m = lw.PlanarModel("quick-return")
    rocker = m.body("rocker", mass=100, inertia=100, position=(0.92, 1.77), angle=1.09)
    crank = m.body("crank", mass=1000, inertia=2000, position=(0, 2), angle=0.44)
    block = m.body("block", mass=5, inertia=0.05, position=(1.36, 2.62), angle=1.09)
    link = m.body("link", mass=30, inertia=10, position=(0.92, 3.77), angle=-0.24)
    ram = m.body("ram", mass=50, inertia=1.5, position=(0, 4))
    m.add(lw.Revolute("A", m.ground.at(0, 0), rocker.at(-2, 0)))
    pin = m.add(lw.Revolute("B", m.ground.at(0, 2), crank.at(0, 0)))
    m.add(lw.Revolute("C", crank.at(1.5, 0), block.at(0, 0)))
    m.add(lw.Revolute("D", rocker.at(2, 0), link.at(0.95, 0)))
    m.add(lw.Revolute("E", link.at(-0.95, 0), ram.at(0, 0)))
    m.add(lw.Translational("slot", rocker.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Translational("ways", m.ground.at(-3, 4, angle=0), ram.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", pin.angle, "0.44 + 2*pi*t"))
    return m


def gears_and_cam() -> lw.PlanarModel:
    """A pair of gears, the second carries a cam (an eccentric circle) that lifts a flat follower."""
    m = lw.PlanarModel("gears and cam")
    pinion = m.body("pinion", mass=1, inertia=0.01)
    wheel = m.body("wheel", mass=4, inertia=0.1, position=(0.3, 0))
    valve = m.body("valve", mass=1, position=(0.3, 0.1), angle=0)
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), pinion.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0.3, 0), wheel.at(0, 0)))
    m.add(lw.Gear("mesh", pinion.at(0, 0), wheel.at(0, 0), radii=(0.1, 0.2)))
    m.add(lw.Translational("stem", m.ground.at(0.3, 0.25, angle=math.pi / 2), valve.at(0, 0.15, angle=math.pi / 2)))
    outline = lw.Curve.parametric("0.03 + 0.06*cos(alpha)", "0.06*sin(alpha)", start=0, end=2 * math.pi, closed=True)
    m.add(lw.CamFlat("cam", wheel.curve(outline), valve.at(0, 0, angle=0), estimate=math.pi / 2))
    m.add(lw.Driver("motor", pin.angle, "2*pi*t"))
    return m


def spatial_slider_crank() -> lw.SpatialModel:
    """Haug section 10.2: crank 0.08 about the x axis at (0, 0.1, 0.12), rod 0.3, slider along x."""
    m = lw.SpatialModel("spatial slider-crank", gravity=(0, 0, -9.81))
    crank = m.body("crank", mass=1, inertia=(1, 1, 1), position=(0, 0.1, 0.12), orientation=((1, 0, 0), 1.58))
    rod = m.body("rod", mass=1, inertia=(1, 1, 1), position=(0.1, 0.05, 0.1), orientation=_parameters(-0.21, 0.40, -0.1))
    slider = m.body("slider", mass=1, inertia=(1, 1, 1), position=(0.2, 0, 0))
    A = m.add(
        lw.Revolute(
            "A",
            m.ground.frame((0, 0.1, 0.12), (1, 0.1, 0.12), (0, 0.1, 1.12)),
            crank.frame((0, 0, 0), (1, 0, 0), (0, 0, 1)),
        )
    )
    m.add(lw.Spherical("B", crank.at(0, 0.08, 0), rod.at(-0.15, 0, 0)))
    m.add(lw.Universal("C", rod.frame((0.15, 0, 0), (0.15, 1, 0)), slider.frame((0, 0, 0), (0, 0, 1))))
    m.add(lw.Translational("D", m.ground.frame((0.2, 0, 0), (1.2, 0, 0)), slider.frame((0, 0, 0), (1, 0, 0))))
    m.add(lw.Driver("motor", A.angle, "pi/2 + 2*pi*t"))
    return m


def _parameters(e1: float, e2: float, e3: float) -> tuple[float, float, float, float]:
    return math.sqrt(1 - e1 * e1 - e2 * e2 - e3 * e3), e1, e2, e3
