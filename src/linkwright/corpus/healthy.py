"""Machines that nothing is wrong with, some of which look as if: alarms here are false."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import healthy
from linkwright.corpus.parts import cam, four_bar, gear_pair, pendulum, plane, shaft, slider_crank, space


@healthy()
def plain_pendulum() -> Any:
    return pendulum()


@healthy()
def plain_four_bar() -> Any:
    return four_bar(motion="1 + t")


@healthy()
def plain_slider_crank() -> Any:
    return slider_crank(motion="1 + t")


@healthy(on=lambda: slider_crank(angle=1.0))
def crank_estimated_in_radians_beyond_a_turn(m: Any) -> None:
    m["crank"].guess(angle=1.0 + 2 * pi)


@healthy(on=shaft)
def door_on_a_ball_and_a_slot(m: Any) -> None:
    m.add(lw.Spherical("low", m.ground.at(0, 0, -0.5), m["shaft"].at(0, 0, -0.5)))
    m.add(lw.PointOnLine("high", m.ground.at(0, 0, 0.5), m["shaft"].at(0, 0, 0.5)))


@healthy(on=space("stone"))
def stone_that_flies(m: Any) -> None:
    m.body("stone", 1.0, (0.01, 0.01, 0.01), velocity=(1, 0, 5))


@healthy(on=pendulum)
def machine_without_gravity(m: Any) -> None:
    m.gravity = (0, 0)


@healthy(on=pendulum)
def machine_on_the_moon(m: Any) -> None:
    m.gravity = (0, -1.62)


@healthy(on=pendulum)
def machine_on_a_slope(m: Any) -> None:
    m.gravity = (9.81 * 0.5, -9.81 * 0.75**0.5)


@healthy(on=plane("rod"))
def massless_rod_between_masses(m: Any) -> None:
    a, b = m.body("a", 1.0, 0.1), m.body("b", 1.0, 0.1, position=(1, 0))
    m.add(lw.Distance("rod", a.at(0, 0), b.at(0, 0), length=1.0))
    m.add(lw.Spring("hang", m.ground.at(0, 1), a.at(0, 0), k=100.0, length=1.0))


@healthy(on=lambda: lw.PlanarModel("linkage"))
def linkage_without_any_mass(m: Any) -> None:
    a, b = m.body("a", angle=0.5), m.body("b", position=(0.9, 0.5))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", a.at(1, 0), b.at(0, 0)))
    m.add(lw.PointOnLine("C", m.ground.at(0, 0, angle=0), b.at(2, 0)))
    m.add(lw.Driver("motor", m["A"].angle, "0.5 + t"))


@healthy()
def gears_in_mesh() -> Any:
    return gear_pair()


@healthy(on=plane("ring"))
def internal_gear(m: Any) -> None:
    ring, pinion = m.body("ring", 1.0, 0.1), m.body("pinion", 1.0, 0.01, position=(0.2, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), ring.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0.2, 0), pinion.at(0, 0)))
    m.add(lw.Gear("mesh", ring.at(0, 0), pinion.at(0, 0), radii=(0.3, -0.1)))


@healthy(on=plane("planet"))
def planet_on_a_carrier(m: Any) -> None:
    sun, planet, arm = m.body("sun", 1.0, 0.01), m.body("planet", 1.0, 0.01, position=(0.3, 0)), m.body("arm", 1.0, 0.05)
    m.add(lw.Revolute("A", m.ground.at(0, 0), sun.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Revolute("C", arm.at(0.3, 0), planet.at(0, 0)))
    m.add(lw.Gear("mesh", sun.at(0, 0), planet.at(0, 0), radii=(0.2, 0.1)))


@healthy()
def convex_cam() -> Any:
    return cam("1 + 0.05*cos(2*alpha)", height=1.05)


@healthy()
def roller_that_fits_its_hollow() -> Any:
    return cam("1 + 0.3*cos(3*alpha)", roller=0.2, height=1.5)


@healthy(on=plane("oscillator"))
def damped_oscillator(m: Any) -> None:
    block = m.body("block", 1.0, 0.1, position=(0.3, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", m.ground.at(-1, 0), block.at(0, 0), k=200.0, length=1.0, c=3.0))


@healthy(on=slider_crank)
def drag_against_the_speed(m: Any) -> None:
    m.add(lw.Force("drag", m["slider"].x, lambda x, v, t: -5.0 * v - 2.0 * x))


@healthy(on=slider_crank)
def motor_with_a_falling_characteristic(m: Any) -> None:
    m.add(lw.Force("torque", m["A"].angle, lambda a, w, t: 2.0 - 0.1 * w))


@healthy(on=pendulum)
def motor_with_a_smooth_table(m: Any) -> None:
    x = tuple(0.1 * k for k in range(11))
    m.add(lw.Driver("motor", m["A"].angle, lw.Table(x, tuple(0.3 * t * t for t in x))))


@healthy(on=pendulum)
def motor_that_runs_fast(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "90*t"))


@healthy(on=pendulum)
def cycloidal_rise(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, lw.Cycloid(height=1.0, duration=1.0)))


@healthy(on=plane("crank"))
def parameters_that_are_used(m: Any) -> None:
    r, k = m.parameter("r", 0.4), m.parameter("k", 50.0)
    arm = m.body("arm", 1.0, 0.05, position=(r / 2, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-r / 2, 0)))
    m.add(lw.TorsionSpring("spring", m["A"], k=k, c=0.1))


@healthy(on=space("flywheel"))
def heavy_flywheel(m: Any) -> None:
    wheel = m.body("wheel", mass=120.0, inertia=(4.0, 4.0, 7.5))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), wheel.at(0, 0, 0)))


@healthy(on=space("rotor"))
def rotor_with_one_moment_only(m: Any) -> None:
    rotor = m.body("rotor", mass=1.0, inertia=(0, 0, 0.1))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), rotor.at(0, 0, 0)))


@healthy(on=space("slider-crank"))
def spatial_slider_crank_without_redundancy(m: Any) -> None:
    crank = m.body("crank", 1.0, (0.01, 0.02, 0.02), orientation=((0, 0, 1), 0.5))
    slider = m.body("slider", 1.0, (0.01, 0.01, 0.01), position=(0.65, 0, 0))
    along = ((0.0, 1.0, 0.0), pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), crank.at(0, 0, 0)))
    m.add(lw.Distance("rod", crank.at(0.2, 0, 0), slider.at(0, 0, 0), length=0.5))
    m.add(lw.Translational("guide", m.ground.at(0, 0, 0, rotation=along), slider.at(0, 0, 0, rotation=along)))
    m.add(lw.Driver("motor", m["A"].angle, "0.5 + t"))


@healthy(on=plane("wheel"))
def wheel_that_rolls(m: Any) -> None:
    wheel = m.body("wheel", 1.0, 0.02, position=(0, 0.2))
    m.add(lw.Rolling("contact", wheel.at(0, 0), m.ground.at(0, 0, angle=0), radius=0.2))


@healthy(on=plane("crane"))
def large_crane(m: Any) -> None:
    boom = m.body("boom", 8000.0, 1.5e6, position=(20, 15), angle=0.6)
    hook = m.body("hook", 200.0, 20.0, position=(41, 10))
    m.add(lw.Revolute("foot", m.ground.at(0, 0), boom.at(-25, 0)))
    m.add(lw.Distance("rope", boom.at(25, 0), hook.at(0, 0.5), length=20.0))
    m.add(lw.Distance("stay", m.ground.at(0, 40), boom.at(20, 0), length=40.0))


@healthy(on=plane("watch"))
def watch_movement(m: Any) -> None:
    """Millimetres and milligrams, given in metres and kilograms."""
    balance = m.body("balance", 5e-4, 1.5e-9)
    m.add(lw.Revolute("staff", m.ground.at(0, 0), balance.at(0, 0)))
    m.add(lw.TorsionSpring("hairspring", m["staff"], k=1e-6, c=1e-10))


@healthy(on=lambda: lw.SpatialModel("satellite"))
def satellite_with_a_panel(m: Any) -> None:
    """Joined to nothing, without weight and with masses: it is meant to fly."""
    bus, panel = m.body("bus", 100.0, (10.0, 12.0, 14.0)), m.body("panel", 5.0, (1.0, 0.1, 1.05), position=(0, 1.5, 0))
    m.add(lw.Revolute("hinge", bus.at(0, 0.5, 0), panel.at(0, -1, 0)))


@healthy()
def eccentric_of_a_press() -> Any:
    """A throw of a millimetre on a rod of half a metre: small, and right."""
    return slider_crank(0.001, 0.5, angle=pi / 2, motion="pi/2 + 10*t")


@healthy(on=pendulum)
def motor_that_swings_and_turns_in_a_formula(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "0.5*sin(40*t) + 20*t"))


@healthy(on=space("robot"))
def robot_with_upright_axes(m: Any) -> None:
    """Gravity does nothing about its axes, and that is what they are upright for."""
    one, two = (m.body(n, 5.0, (0.1, 0.1, 0.1), position=(x, 0, 0.5)) for n, x in (("one", 0.2), ("two", 0.6)))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0.5), one.at(-0.2, 0, 0)))
    m.add(lw.Revolute("B", one.at(0.2, 0, 0), two.at(-0.2, 0, 0)))


@healthy(on=plane("suspension"))
def suspension_with_two_wishbones(m: Any) -> None:
    hub, low = m.body("hub", 20.0, 0.5, position=(0.7, 0)), m.body("low", 5.0, 0.1, position=(0.35, -0.1))
    high = m.body("high", 4.0, 0.1, position=(0.4, 0.15))
    m.add(lw.Revolute("A", m.ground.at(0, -0.1), low.at(-0.35, 0)))
    m.add(lw.Revolute("B", low.at(0.35, 0), hub.at(0, -0.1)))
    m.add(lw.Revolute("C", m.ground.at(0.1, 0.15), high.at(-0.3, 0)))
    m.add(lw.Revolute("D", high.at(0.3, 0), hub.at(0, 0.15)))
    m.add(lw.Spring("coil", m.ground.at(0.3, 0.5), low.at(0.1, 0), k=3e4, length=0.7, c=2000))


@healthy(on=lambda: lw.PlanarModel("watch"))
def balance_of_a_watch(m: Any) -> None:
    """Grams and millimetres, written in kilograms and metres."""
    wheel = m.body("wheel", 5e-5, 1.2e-9)
    m.add(lw.Revolute("staff", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.TorsionSpring("hairspring", m["staff"], k=7e-7))


@healthy(on=space("turbine"))
def rotor_of_a_wind_turbine(m: Any) -> None:
    level = ((1.0, 0.0, 0.0), pi / 2)
    rotor = m.body("rotor", 3000.0, (8e5, 8e5, 1.6e6), position=(0, 0, 80), orientation=level)
    m.add(lw.Revolute("hub", m.ground.at(0, 0, 80, rotation=level), rotor.at(0, 0, 0)))
    m.add(lw.Torque("wind", m["hub"], lambda a, w, t: 1e5 - 2e4 * w))
