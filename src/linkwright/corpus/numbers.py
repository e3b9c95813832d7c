"""Numbers that look like slips: units, degrees, gravity, stiffness, parameters."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import four_bar, hinged, pendulum, plane, slider_crank, space


@broken("gravity", "", "(0.0, -9.81)", on=pendulum)
def gravity_that_points_up(m: Any) -> None:
    m.gravity = (0, 9.81)


@broken("gravity", "", "(0.0, 0.0, -9.81)", on=hinged)
def gravity_up_in_space(m: Any) -> None:
    m.gravity = (0, 0, 9.81)


@broken("gravity", "", "(0.0, 0.0, -9.81)", on=lambda: lw.SpatialModel("pendulum", gravity=(0, -9.81, 0)))
def gravity_along_the_axis_of_a_pendulum(m: Any) -> None:
    arm = m.body("arm", 1.0, (0.01, 0.1, 0.1), position=(0.5, 0, 0))
    across = ((1.0, 0.0, 0.0), pi / 2)  # the hinge lies along y
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=across), arm.at(-0.5, 0, 0, rotation=across)))


@broken("gravity", "", "-9.81", on=pendulum)
def gravity_in_millimetres(m: Any) -> None:
    m.gravity = (0, -9810)


@broken("gravity", "", "-9.81", on=pendulum)
def gravity_sideways(m: Any) -> None:
    m.gravity = (-9.81, 0)


@broken("degrees", "crank", "degrees", on=slider_crank)
def crank_angle_in_degrees(m: Any) -> None:
    m["crank"].guess(angle=60.0)


@broken("degrees", "motor", "degrees", also="contradiction", on=pendulum)
def motor_that_begins_at_90_degrees(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "90 + t"))


@broken("degrees", "motor", "degrees", on=pendulum)
def motor_that_swings_by_30_degrees(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, lw.Harmonic(amplitude=30.0, omega=2.0)))


@broken("degrees", "slide", "degrees", on=plane("slide"))
def guide_at_45_degrees(m: Any) -> None:
    block = m.body("block", 1.0, 0.1)
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=45.0), block.at(0, 0, angle=0)))


@broken("degrees", "spring", "degrees", on=pendulum)
def torsion_spring_free_at_90_degrees(m: Any) -> None:
    m.add(lw.TorsionSpring("spring", m["A"], k=10.0, angle=90.0))


@broken("mixed-units", "coupler", "0.001", also="contradiction")
def coupler_in_millimetres() -> Any:
    m = four_bar(0.1, 0.3, 0.25, 0.3)
    new = m.without("C")
    new.add(lw.Revolute("C", new["coupler"].at(300, 0), new["rocker"].at(0.25, 0)))
    return new


@broken("mixed-units", "tie", "0.001", also="contradiction", on=slider_crank)
def rod_in_millimetres(m: Any) -> None:
    m.add(lw.Distance("tie", m.ground.at(0, 0.4), m["rod"].at(0.25, 0), length=450.0))


@broken("mixed-units", "last", "0.001", on=pendulum)
def last_arm_in_millimetres(m: Any) -> None:
    mid, last = m.body("mid", 1.0, 0.08, position=(1.5, 0)), m.body("last", 1.0, 0.08, position=(502, 0))
    m.add(lw.Revolute("B", m["arm"].at(0.5, 0), mid.at(-0.5, 0)))
    m.add(lw.Revolute("C", mid.at(0.5, 0), last.at(-500, 0)))


@broken("inertia-units", "arm", "1e-06")
def inertia_in_kg_mm2() -> Any:
    return pendulum(inertia=80000.0)


@broken("inertia-units", "shaft", "1e-06", on=space("shaft"))
def shaft_inertia_in_kg_mm2(m: Any) -> None:
    body = m.body("shaft", mass=2.0, inertia=(2e5, 2e5, 1e4))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), body.at(0, 0, 0.5)))


@broken("density", "bolt", "mass of bolt by 0.001", on=space("bolt"))
def bolt_weighed_in_grams(m: Any) -> None:
    """A steel bolt of 40 g with the inertia of that: the mass was typed in grams."""
    body = m.body("bolt", mass=40.0, inertia=(4e-6, 4e-6, 7e-7))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), body.at(0, 0, 0.03)))


@broken("stiff-spring", "spring", "Distance", on=pendulum)
def spring_as_stiff_as_a_rod(m: Any) -> None:
    m.add(lw.Spring("spring", m.ground.at(1, 1), m["arm"].at(0.5, 0), k=1e12, length=1.0))


@broken("stiff-spring", "spring", "0.001", on=space("parts"))
def spring_between_light_parts(m: Any) -> None:
    a, b = (m.body(n, 1e-3, (1e-6, 1e-6, 1e-6), position=(x, 0, 0)) for n, x in (("a", 0), ("b", 1)))
    m.add(lw.Spring("spring", a.at(0, 0, 0), b.at(0, 0, 0), k=1e9, length=1.0))


@broken("unused-parameter", "r", "remove r", on=pendulum)
def parameter_that_does_nothing(m: Any) -> None:
    m.parameter("r", 0.5)


@broken("unused-parameter", "stiffness", "remove stiffness", on=pendulum)
def parameter_beside_its_number(m: Any) -> None:
    m.parameter("stiffness", 100.0)
    m.add(lw.Spring("spring", m.ground.at(1, 1), m["arm"].at(0.5, 0), k=100.0, length=1.0))


@broken("density", "pin", "0.001", on=space("pin"))
def pin_in_grams_and_its_inertia_too_small(m: Any) -> None:
    body = m.body("pin", mass=12.0, inertia=(5e-7, 5e-7, 2e-7))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), body.at(0, 0, 0.01)))


@broken("mixed-units", "rod", "0.001", on=lambda: slider_crank().without("B", "C"))
def rod_in_millimetres_between_crank_and_slider(m: Any) -> None:
    """Two lengths only: that the bodies are estimated within a metre tells which is odd."""
    m.add(lw.Revolute("B", m["crank"].at(0.2, 0), m["rod"].at(-250, 0)))
    m.add(lw.Revolute("C", m["rod"].at(250, 0), m["slider"].at(0, 0)))


@broken("gravity", "", "set gravity", on=lambda: lw.SpatialModel("arm", gravity=(0, -9.81, 0)))
def gravity_along_the_pin_of_an_upright_arm(m: Any) -> None:
    arm = m.body("arm", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.5))
    across = ((1.0, 0.0, 0.0), pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=across), arm.at(0, 0, -0.5, rotation=across)))


@broken("degrees", "motor", "degrees", on=pendulum)
def motor_that_swings_by_45_in_a_formula(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "45*sin(2*t)"))


@broken("mixed-units", "crank", "0.001", on=lambda: slider_crank().without("B"))
def crank_in_millimetres_before_a_slider(m: Any) -> None:
    """It closes, a hundred metres from where the bodies are estimated."""
    m.add(lw.Revolute("B", m["crank"].at(200, 0), m["rod"].at(0, 0)))
