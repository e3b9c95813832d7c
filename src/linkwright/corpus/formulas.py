"""Formulas without a value or with a corner where they are used, and laws that feed energy in."""

from __future__ import annotations

from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import hinged, pendulum, plane, slider_crank


@broken("undefined", "motor", "", on=pendulum)
def motor_with_a_pole(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "0.1/(0.5 - t)"))


@broken("undefined", "motor", "", on=pendulum)
def motor_with_a_root_of_a_negative_number(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "sqrt(0.25 - t)"))


@broken("undefined", "motor", "", on=pendulum)
def motor_without_a_value_at_the_start(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "log(t)"))


@broken("estimates", "block", "estimate", on=plane("path"))
def path_without_a_value_at_the_estimate(m: Any) -> None:
    b = m.body("block", 1.0, 0.1, position=(-1, 0))
    m.add(lw.Constraint("path", b.y - lw.sqrt(b.x), 0.0))


@broken("undefined", "push", "remove push", on=slider_crank)
def force_without_a_value_at_the_start(m: Any) -> None:
    m.add(lw.Force("push", m["slider"].x, lambda x, v, t: 1 / lw.sqrt(x - 5)))


@broken("corner", "motor", "smoothly", on=pendulum)
def motor_that_changes_its_speed_at_once(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, lambda t: lw.where(t < 0.4, t, 0.4 + 3 * (t - 0.4))))


@broken("corner", "motor", "smoothly", on=pendulum)
def motor_that_jumps(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, lambda t: lw.where(t < 0.4, 0.0, 0.5)))


@broken("corner", "motor", "smoothly", on=pendulum)
def motor_with_a_linear_table(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, lw.Table((0, 0.3, 0.6, 1.5), (0, 0.1, 0.6, 0.7), kind="linear")))


@broken("rough-table", "motor", "smooth", on=pendulum)
def motor_with_a_measured_table(m: Any) -> None:
    x = tuple(0.05 * k for k in range(21))
    noise = (0, 3, -2, 4, -3, 2, -4, 3, -1, 2, -3, 4, -2, 3, -4, 1, -2, 3, -3, 2, 0)
    y = tuple(0.5 * t + 1e-3 * n for t, n in zip(x, noise, strict=True))
    m.add(lw.Driver("motor", m["A"].angle, lw.Table(x, y)))


@broken("feeds-energy", "drag", "sign", on=slider_crank)
def drag_with_the_wrong_sign(m: Any) -> None:
    m.add(lw.Force("drag", m["slider"].x, lambda x, v, t: 5.0 * v))


@broken("feeds-energy", "damper", "sign", on=pendulum)
def damper_with_a_negative_constant(m: Any) -> None:
    m.add(lw.Spring("damper", m.ground.at(1, 1), m["arm"].at(0.5, 0), k=10.0, length=1.0, c=-2.0))


@broken("feeds-energy", "spring", "sign", on=pendulum)
def torsion_damper_with_a_negative_constant(m: Any) -> None:
    m.add(lw.TorsionSpring("spring", m["A"], k=10.0, c=-0.5))


@broken("feeds-energy", "control", "sign", on=pendulum)
def controller_that_pushes_away(m: Any) -> None:
    m.add(lw.PID("control", m["A"], 0.3, kp=20.0, kd=-2.0))


@broken("undefined", "path", "estimate", on=plane("path"))
def path_with_an_infinite_slope_at_the_estimate(m: Any) -> None:
    b = m.body("block", 1.0, 0.1)
    m.add(lw.Constraint("path", b.y - lw.sqrt(b.x), 0.0))


@broken("undefined", "damper", "remove damper", on=pendulum)
def damper_without_a_value_at_rest(m: Any) -> None:
    m.add(lw.Spring("damper", m.ground.at(1, 1), m["arm"].at(0.5, 0), k=10.0, length=1.0, c=lambda v: 1 / v))


@broken("undefined", "jet", "remove jet", on=hinged)
def force_in_space_without_a_value_at_the_start(m: Any) -> None:
    m.add(lw.PointForce("jet", m["shaft"].at(0, 0, 0.1), (1.0, "1/t", 0.0)))


@broken("corner", "motor", "smoothly", on=hinged)
def motor_in_space_that_starts_at_once(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, lambda t: lw.where(t < 0.4, 0.0, t - 0.4)))


@broken("feeds-energy", "spring", "sign", on=hinged)
def torsion_damper_in_space_with_a_negative_constant(m: Any) -> None:
    m.add(lw.TorsionSpring("spring", m["A"], k=10.0, c=-0.5))


@broken("feeds-energy", "servo", "turn the sign of kp", on=pendulum)
def servo_that_runs_away_from_its_target(m: Any) -> None:
    m.add(lw.PID("servo", m["A"], 1.0, kp=-10.0, kd=1.0))
