"""Formulas without a value or with a corner where they are used, and laws that feed energy in."""

from __future__ import annotations

from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import hinged, pendulum, slider_crank


@broken("undefined", "motor", "")
def motor_with_a_pole() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, "0.1/(0.5 - t)"))
    return m


@broken("undefined", "motor", "")
def motor_with_a_root_of_a_negative_number() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, "sqrt(0.25 - t)"))
    return m


@broken("undefined", "motor", "")
def motor_without_a_value_at_the_start() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, "log(t)"))
    return m


@broken("estimates", "block", "estimate")
def path_without_a_value_at_the_estimate() -> Any:
    m = lw.PlanarModel("path", gravity=(0, -9.81))
    b = m.body("block", 1.0, 0.1, position=(-1, 0))
    m.add(lw.Constraint("path", b.y - lw.sqrt(b.x), 0.0))
    return m


@broken("undefined", "push", "remove push")
def force_without_a_value_at_the_start() -> Any:
    m = slider_crank()
    m.add(lw.Force("push", m["slider"].x, lambda x, v, t: 1 / lw.sqrt(x - 5)))
    return m


@broken("corner", "motor", "smoothly")
def motor_that_changes_its_speed_at_once() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, lambda t: lw.where(t < 0.4, t, 0.4 + 3 * (t - 0.4))))
    return m


@broken("corner", "motor", "smoothly")
def motor_that_jumps() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, lambda t: lw.where(t < 0.4, 0.0, 0.5)))
    return m


@broken("corner", "motor", "smoothly")
def motor_with_a_linear_table() -> Any:
    m = pendulum()
    m.add(lw.Driver("motor", m["A"].angle, lw.Table((0, 0.3, 0.6, 1.5), (0, 0.1, 0.6, 0.7), kind="linear")))
    return m


@broken("rough-table", "motor", "smooth")
def motor_with_a_measured_table() -> Any:
    m = pendulum()
    x = tuple(0.05 * k for k in range(21))
    noise = (0, 3, -2, 4, -3, 2, -4, 3, -1, 2, -3, 4, -2, 3, -4, 1, -2, 3, -3, 2, 0)
    y = tuple(0.5 * t + 1e-3 * n for t, n in zip(x, noise, strict=True))
    m.add(lw.Driver("motor", m["A"].angle, lw.Table(x, y)))
    return m


@broken("feeds-energy", "drag", "sign")
def drag_with_the_wrong_sign() -> Any:
    m = slider_crank()
    m.add(lw.Force("drag", m["slider"].x, lambda x, v, t: 5.0 * v))
    return m


@broken("feeds-energy", "damper", "sign")
def damper_with_a_negative_constant() -> Any:
    m = pendulum()
    m.add(lw.Spring("damper", m.ground.at(1, 1), m["arm"].at(0.5, 0), k=10.0, length=1.0, c=-2.0))
    return m


@broken("feeds-energy", "spring", "sign")
def torsion_damper_with_a_negative_constant() -> Any:
    m = pendulum()
    m.add(lw.TorsionSpring("spring", m["A"], k=10.0, c=-0.5))
    return m


@broken("feeds-energy", "control", "sign")
def controller_that_pushes_away() -> Any:
    m = pendulum()
    m.add(lw.PID("control", m["A"], 0.3, kp=20.0, kd=-2.0))
    return m


@broken("undefined", "path", "estimate")
def path_with_an_infinite_slope_at_the_estimate() -> Any:
    m = lw.PlanarModel("path", gravity=(0, -9.81))
    b = m.body("block", 1.0, 0.1)
    m.add(lw.Constraint("path", b.y - lw.sqrt(b.x), 0.0))
    return m


@broken("undefined", "damper", "remove damper")
def damper_without_a_value_at_rest() -> Any:
    m = pendulum()
    m.add(lw.Spring("damper", m.ground.at(1, 1), m["arm"].at(0.5, 0), k=10.0, length=1.0, c=lambda v: 1 / v))
    return m


@broken("undefined", "jet", "remove jet")
def force_in_space_without_a_value_at_the_start() -> Any:
    m = hinged()
    m.add(lw.PointForce("jet", m["shaft"].at(0, 0, 0.1), (1.0, "1/t", 0.0)))
    return m


@broken("corner", "motor", "smoothly")
def motor_in_space_that_starts_at_once() -> Any:
    m = hinged()
    m.add(lw.Driver("motor", m["A"].angle, lambda t: lw.where(t < 0.4, 0.0, t - 0.4)))
    return m


@broken("feeds-energy", "spring", "sign")
def torsion_damper_in_space_with_a_negative_constant() -> Any:
    m = hinged()
    m.add(lw.TorsionSpring("spring", m["A"], k=10.0, c=-0.5))
    return m


@broken("feeds-energy", "servo", "turn the sign of kp")
def servo_that_runs_away_from_its_target() -> Any:
    m = pendulum()
    m.add(lw.PID("servo", m["A"], 1.0, kp=-10.0, kd=1.0))
    return m
