"""Numbers that look like slips: units, degrees, gravity, stiffness, parameters."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import four_bar, pendulum, shaft, slider_crank


@broken("gravity", "", "(0.0, -9.81)")
def gravity_that_points_up() -> Any:
    m = pendulum()
    m.gravity = (0, 9.81)
    return m


@broken("gravity", "", "(0.0, 0.0, -9.81)")
def gravity_up_in_space() -> Any:
    m = _hinged()
    m.gravity = (0, 0, 9.81)
    return m


@broken("gravity", "", "(0.0, 0.0, -9.81)")
def gravity_along_the_axis_of_a_pendulum() -> Any:
    m = lw.SpatialModel("pendulum", gravity=(0, -9.81, 0))
    arm = m.body("arm", 1.0, (0.01, 0.1, 0.1), position=(0.5, 0, 0))
    across = ((1.0, 0.0, 0.0), pi / 2)  # the hinge lies along y
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=across), arm.at(-0.5, 0, 0, rotation=across)))
    return m


@broken("gravity", "", "-9.81")
def gravity_in_millimetres() -> Any:
    m = pendulum()
    m.gravity = (0, -9810)
    return m


@broken("gravity", "", "-9.81")
def gravity_sideways() -> Any:
    m = pendulum()
    m.gravity = (-9.81, 0)
    return m


def _hinged() -> Any:
    m = shaft()
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), m["shaft"].at(0, 0, 0)))
    return m


@broken("degrees", "crank", "degrees")
def crank_angle_in_degrees() -> Any:
    m = slider_crank()
    m["crank"].guess(angle=60.0)
    return m


@broken("degrees", "motor", "degrees", also="contradiction")
def motor_that_begins_at_90_degrees() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, "90 + t"))
    return m


@broken("degrees", "motor", "degrees")
def motor_that_swings_by_30_degrees() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, lw.Harmonic(amplitude=30.0, omega=2.0)))
    return m


@broken("degrees", "slide", "degrees")
def guide_at_45_degrees() -> Any:
    m = lw.PlanarModel("slide", gravity=(0, -9.81))
    block = m.body("block", 1.0, 0.1)
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=45.0), block.at(0, 0, angle=0)))
    return m


@broken("degrees", "spring", "degrees")
def torsion_spring_free_at_90_degrees() -> Any:
    m = pendulum()
    m.add(lw.TorsionSpring("spring", m["A"], k=10.0, angle=90.0))
    return m


@broken("mixed-units", "coupler", "0.001", also="contradiction")
def coupler_in_millimetres() -> Any:
    m = four_bar(0.1, 0.3, 0.25, 0.3)
    new = m.without("C")
    new.add(lw.Revolute("C", new["coupler"].at(300, 0), new["rocker"].at(0.25, 0)))
    return new


@broken("mixed-units", "tie", "0.001", also="contradiction")
def rod_in_millimetres() -> Any:
    m = slider_crank()
    m.add(lw.Distance("tie", m.ground.at(0, 0.4), m["rod"].at(0.25, 0), length=450.0))
    return m


@broken("mixed-units", "last", "0.001")
def last_arm_in_millimetres() -> Any:
    m = pendulum()
    mid, last = m.body("mid", 1.0, 0.08, position=(1.5, 0)), m.body("last", 1.0, 0.08, position=(502, 0))
    m.add(lw.Revolute("B", m["arm"].at(0.5, 0), mid.at(-0.5, 0)))
    m.add(lw.Revolute("C", mid.at(0.5, 0), last.at(-500, 0)))
    return m


@broken("inertia-units", "arm", "1e-06")
def inertia_in_kg_mm2() -> Any:
    return pendulum(inertia=80000.0)


@broken("inertia-units", "shaft", "1e-06")
def shaft_inertia_in_kg_mm2() -> Any:
    m = lw.SpatialModel("shaft", gravity=(0, 0, -9.81))
    body = m.body("shaft", mass=2.0, inertia=(2e5, 2e5, 1e4))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), body.at(0, 0, 0.5)))
    return m


@broken("density", "bolt", "mass of bolt by 0.001")
def bolt_weighed_in_grams() -> Any:
    """A steel bolt of 40 g with the inertia of that: the mass was typed in grams."""
    m = lw.SpatialModel("bolt", gravity=(0, 0, -9.81))
    body = m.body("bolt", mass=40.0, inertia=(4e-6, 4e-6, 7e-7))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), body.at(0, 0, 0.03)))
    return m


@broken("stiff-spring", "spring", "Distance")
def spring_as_stiff_as_a_rod() -> Any:
    m = pendulum()
    m.add(lw.Spring("spring", m.ground.at(1, 1), m["arm"].at(0.5, 0), k=1e12, length=1.0))
    return m


@broken("stiff-spring", "spring", "0.001")
def spring_between_light_parts() -> Any:
    m = lw.SpatialModel("parts", gravity=(0, 0, -9.81))
    a, b = (m.body(n, 1e-3, (1e-6, 1e-6, 1e-6), position=(x, 0, 0)) for n, x in (("a", 0), ("b", 1)))
    m.add(lw.Spring("spring", a.at(0, 0, 0), b.at(0, 0, 0), k=1e9, length=1.0))
    return m


@broken("unused-parameter", "r", "remove r")
def parameter_that_does_nothing() -> Any:
    m = pendulum()
    m.parameter("r", 0.5)
    return m


@broken("unused-parameter", "stiffness", "remove stiffness")
def parameter_beside_its_number() -> Any:
    m = pendulum()
    m.parameter("stiffness", 100.0)
    m.add(lw.Spring("spring", m.ground.at(1, 1), m["arm"].at(0.5, 0), k=100.0, length=1.0))
    return m


@broken("density", "pin", "0.001")
def pin_in_grams_and_its_inertia_too_small() -> Any:
    m = lw.SpatialModel("pin", gravity=(0, 0, -9.81))
    body = m.body("pin", mass=12.0, inertia=(5e-7, 5e-7, 2e-7))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), body.at(0, 0, 0.01)))
    return m


@broken("mixed-units", "rod", "0.001")
def rod_in_millimetres_between_crank_and_slider() -> Any:
    """Two lengths only: that the bodies are estimated within a metre tells which is odd."""
    m = slider_crank().without("B", "C")
    m.add(lw.Revolute("B", m["crank"].at(0.2, 0), m["rod"].at(-250, 0)))
    m.add(lw.Revolute("C", m["rod"].at(250, 0), m["slider"].at(0, 0)))
    return m


@broken("gravity", "", "set gravity")
def gravity_along_the_pin_of_an_upright_arm() -> Any:
    m = lw.SpatialModel("arm", gravity=(0, -9.81, 0))
    arm = m.body("arm", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.5))
    across = ((1.0, 0.0, 0.0), pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=across), arm.at(0, 0, -0.5, rotation=across)))
    return m


@broken("degrees", "motor", "degrees")
def motor_that_swings_by_45_in_a_formula() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, "45*sin(2*t)"))
    return m


@broken("mixed-units", "crank", "0.001")
def crank_in_millimetres_before_a_slider() -> Any:
    """It closes, a hundred metres from where the bodies are estimated."""
    m = slider_crank().without("B")
    m.add(lw.Revolute("B", m["crank"].at(200, 0), m["rod"].at(0, 0)))
    return m
