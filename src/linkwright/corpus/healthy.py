"""Machines that nothing is wrong with, some of which look as if: alarms here are false."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import healthy
from linkwright.corpus.parts import cam, four_bar, gear_pair, pendulum, shaft, slider_crank


@healthy
def plain_pendulum() -> Any:
    return pendulum()


@healthy
def plain_four_bar() -> Any:
    return four_bar(motion="1 + t")


@healthy
def plain_slider_crank() -> Any:
    return slider_crank(motion="1 + t")


@healthy
def crank_estimated_in_radians_beyond_a_turn() -> Any:
    m = slider_crank(angle=1.0)
    m["crank"].guess(angle=1.0 + 2 * pi)
    return m


@healthy
def door_on_a_ball_and_a_slot() -> Any:
    m = shaft()
    m.add(lw.Spherical("low", m.ground.at(0, 0, -0.5), m["shaft"].at(0, 0, -0.5)))
    m.add(lw.PointOnLine("high", m.ground.at(0, 0, 0.5), m["shaft"].at(0, 0, 0.5)))
    return m


@healthy
def stone_that_flies() -> Any:
    m = lw.SpatialModel("stone", gravity=(0, 0, -9.81))
    m.body("stone", 1.0, (0.01, 0.01, 0.01), velocity=(1, 0, 5))
    return m


@healthy
def machine_without_gravity() -> Any:
    m = pendulum()
    m.gravity = (0, 0)
    return m


@healthy
def machine_on_the_moon() -> Any:
    m = pendulum()
    m.gravity = (0, -1.62)
    return m


@healthy
def machine_on_a_slope() -> Any:
    m = pendulum()
    m.gravity = (9.81 * 0.5, -9.81 * 0.75**0.5)
    return m


@healthy
def massless_rod_between_masses() -> Any:
    m = lw.PlanarModel("rod", gravity=(0, -9.81))
    a, b = m.body("a", 1.0, 0.1), m.body("b", 1.0, 0.1, position=(1, 0))
    m.add(lw.Distance("rod", a.at(0, 0), b.at(0, 0), length=1.0))
    m.add(lw.Spring("hang", m.ground.at(0, 1), a.at(0, 0), k=100.0, length=1.0))
    return m


@healthy
def linkage_without_any_mass() -> Any:
    m = lw.PlanarModel("linkage")
    a, b = m.body("a", angle=0.5), m.body("b", position=(0.9, 0.5))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", a.at(1, 0), b.at(0, 0)))
    m.add(lw.PointOnLine("C", m.ground.at(0, 0, angle=0), b.at(2, 0)))
    m.add(lw.Driver("motor", m["A"].angle, "0.5 + t"))
    return m


@healthy
def gears_in_mesh() -> Any:
    return gear_pair()


@healthy
def internal_gear() -> Any:
    m = lw.PlanarModel("ring", gravity=(0, -9.81))
    ring, pinion = m.body("ring", 1.0, 0.1), m.body("pinion", 1.0, 0.01, position=(0.2, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), ring.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0.2, 0), pinion.at(0, 0)))
    m.add(lw.Gear("mesh", ring.at(0, 0), pinion.at(0, 0), radii=(0.3, -0.1)))
    return m


@healthy
def planet_on_a_carrier() -> Any:
    m = lw.PlanarModel("planet", gravity=(0, -9.81))
    sun, planet, arm = m.body("sun", 1.0, 0.01), m.body("planet", 1.0, 0.01, position=(0.3, 0)), m.body("arm", 1.0, 0.05)
    m.add(lw.Revolute("A", m.ground.at(0, 0), sun.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Revolute("C", arm.at(0.3, 0), planet.at(0, 0)))
    m.add(lw.Gear("mesh", sun.at(0, 0), planet.at(0, 0), radii=(0.2, 0.1)))
    return m


@healthy
def convex_cam() -> Any:
    return cam("1 + 0.05*cos(2*alpha)", height=1.05)


@healthy
def roller_that_fits_its_hollow() -> Any:
    return cam("1 + 0.3*cos(3*alpha)", roller=0.2, height=1.5)


@healthy
def damped_oscillator() -> Any:
    m = lw.PlanarModel("oscillator", gravity=(0, -9.81))
    block = m.body("block", 1.0, 0.1, position=(0.3, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", m.ground.at(-1, 0), block.at(0, 0), k=200.0, length=1.0, c=3.0))
    return m


@healthy
def drag_against_the_speed() -> Any:
    m = slider_crank()
    m.add(lw.Force("drag", m["slider"].x, lambda x, v, t: -5.0 * v - 2.0 * x))
    return m


@healthy
def motor_with_a_falling_characteristic() -> Any:
    m = slider_crank()
    m.add(lw.Force("torque", m["A"].angle, lambda a, w, t: 2.0 - 0.1 * w))
    return m


@healthy
def motor_with_a_smooth_table() -> Any:
    m = pendulum()
    x = tuple(0.1 * k for k in range(11))
    m.add(lw.Driver("motor", m["A"].angle, lw.Table(x, tuple(0.3 * t * t for t in x))))
    return m


@healthy
def motor_that_runs_fast() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, "90*t"))
    return m


@healthy
def cycloidal_rise() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, lw.Cycloid(height=1.0, duration=1.0)))
    return m


@healthy
def parameters_that_are_used() -> Any:
    m = lw.PlanarModel("crank", gravity=(0, -9.81))
    r, k = m.parameter("r", 0.4), m.parameter("k", 50.0)
    arm = m.body("arm", 1.0, 0.05, position=(r / 2, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-r / 2, 0)))
    m.add(lw.TorsionSpring("spring", m["A"], k=k, c=0.1))
    return m


@healthy
def heavy_flywheel() -> Any:
    m = lw.SpatialModel("flywheel", gravity=(0, 0, -9.81))
    wheel = m.body("wheel", mass=120.0, inertia=(4.0, 4.0, 7.5))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), wheel.at(0, 0, 0)))
    return m


@healthy
def rotor_with_one_moment_only() -> Any:
    m = lw.SpatialModel("rotor", gravity=(0, 0, -9.81))
    rotor = m.body("rotor", mass=1.0, inertia=(0, 0, 0.1))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), rotor.at(0, 0, 0)))
    return m


@healthy
def spatial_slider_crank_without_redundancy() -> Any:
    m = lw.SpatialModel("slider-crank", gravity=(0, 0, -9.81))
    crank = m.body("crank", 1.0, (0.01, 0.02, 0.02), orientation=((0, 0, 1), 0.5))
    slider = m.body("slider", 1.0, (0.01, 0.01, 0.01), position=(0.65, 0, 0))
    along = ((0.0, 1.0, 0.0), pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), crank.at(0, 0, 0)))
    m.add(lw.Distance("rod", crank.at(0.2, 0, 0), slider.at(0, 0, 0), length=0.5))
    m.add(lw.Translational("guide", m.ground.at(0, 0, 0, rotation=along), slider.at(0, 0, 0, rotation=along)))
    m.add(lw.Driver("motor", m["A"].angle, "0.5 + t"))
    return m


@healthy
def wheel_that_rolls() -> Any:
    m = lw.PlanarModel("wheel", gravity=(0, -9.81))
    wheel = m.body("wheel", 1.0, 0.02, position=(0, 0.2))
    m.add(lw.Rolling("contact", wheel.at(0, 0), m.ground.at(0, 0, angle=0), radius=0.2))
    return m


@healthy
def large_crane() -> Any:
    m = lw.PlanarModel("crane", gravity=(0, -9.81))
    boom = m.body("boom", 8000.0, 1.5e6, position=(20, 15), angle=0.6)
    hook = m.body("hook", 200.0, 20.0, position=(41, 10))
    m.add(lw.Revolute("foot", m.ground.at(0, 0), boom.at(-25, 0)))
    m.add(lw.Distance("rope", boom.at(25, 0), hook.at(0, 0.5), length=20.0))
    m.add(lw.Distance("stay", m.ground.at(0, 40), boom.at(20, 0), length=40.0))
    return m


@healthy
def watch_movement() -> Any:
    """Millimetres and milligrams, given in metres and kilograms."""
    m = lw.PlanarModel("watch", gravity=(0, -9.81))
    balance = m.body("balance", 5e-4, 1.5e-9)
    m.add(lw.Revolute("staff", m.ground.at(0, 0), balance.at(0, 0)))
    m.add(lw.TorsionSpring("hairspring", m["staff"], k=1e-6, c=1e-10))
    return m


@healthy
def satellite_with_a_panel() -> Any:
    """Joined to nothing, without weight and with masses: it is meant to fly."""
    m = lw.SpatialModel("satellite")
    bus, panel = m.body("bus", 100.0, (10.0, 12.0, 14.0)), m.body("panel", 5.0, (1.0, 0.1, 1.05), position=(0, 1.5, 0))
    m.add(lw.Revolute("hinge", bus.at(0, 0.5, 0), panel.at(0, -1, 0)))
    return m


@healthy
def eccentric_of_a_press() -> Any:
    """A throw of a millimetre on a rod of half a metre: small, and right."""
    return slider_crank(0.001, 0.5, angle=pi / 2, motion="pi/2 + 10*t")


@healthy
def motor_that_swings_and_turns_in_a_formula() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, "0.5*sin(40*t) + 20*t"))
    return m


@healthy
def robot_with_upright_axes() -> Any:
    """Gravity does nothing about its axes, and that is what they are upright for."""
    m = lw.SpatialModel("robot", gravity=(0, 0, -9.81))
    one, two = (m.body(n, 5.0, (0.1, 0.1, 0.1), position=(x, 0, 0.5)) for n, x in (("one", 0.2), ("two", 0.6)))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0.5), one.at(-0.2, 0, 0)))
    m.add(lw.Revolute("B", one.at(0.2, 0, 0), two.at(-0.2, 0, 0)))
    return m


@healthy
def suspension_with_two_wishbones() -> Any:
    m = lw.PlanarModel("suspension", gravity=(0, -9.81))
    hub, low = m.body("hub", 20.0, 0.5, position=(0.7, 0)), m.body("low", 5.0, 0.1, position=(0.35, -0.1))
    high = m.body("high", 4.0, 0.1, position=(0.4, 0.15))
    m.add(lw.Revolute("A", m.ground.at(0, -0.1), low.at(-0.35, 0)))
    m.add(lw.Revolute("B", low.at(0.35, 0), hub.at(0, -0.1)))
    m.add(lw.Revolute("C", m.ground.at(0.1, 0.15), high.at(-0.3, 0)))
    m.add(lw.Revolute("D", high.at(0.3, 0), hub.at(0, 0.15)))
    m.add(lw.Spring("coil", m.ground.at(0.3, 0.5), low.at(0.1, 0), k=3e4, length=0.7, c=2000))
    return m


@healthy
def balance_of_a_watch() -> Any:
    """Grams and millimetres, written in kilograms and metres."""
    m = lw.PlanarModel("watch")
    wheel = m.body("wheel", 5e-5, 1.2e-9)
    m.add(lw.Revolute("staff", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.TorsionSpring("hairspring", m["staff"], k=7e-7))
    return m


@healthy
def rotor_of_a_wind_turbine() -> Any:
    m = lw.SpatialModel("turbine", gravity=(0, 0, -9.81))
    level = ((1.0, 0.0, 0.0), pi / 2)
    rotor = m.body("rotor", 3000.0, (8e5, 8e5, 1.6e6), position=(0, 0, 80), orientation=level)
    m.add(lw.Revolute("hub", m.ground.at(0, 0, 80, rotation=level), rotor.at(0, 0, 0)))
    m.add(lw.Torque("wind", m["hub"], lambda a, w, t: 1e5 - 2e4 * w))
    return m
