"""Machines that are singular or locked where they start."""

from __future__ import annotations

from math import acos, cos, pi, sin
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import crank_and_rod, four_bar, parallel_cranks, plane, slider_crank, space


@broken("singular-start", "A B C D", "away")
def flat_parallelogram() -> Any:
    return four_bar(1, 2, 1, 2, angle=0.0, motion="t")


@broken("singular-start", "A B C D", "away")
def flat_kite() -> Any:
    return four_bar(1, 1, 2, 2, angle=pi, motion="pi + t")


@broken("locked-start", "A B C push", "drive", on=lambda: slider_crank(angle=0.0))
def slider_pushed_at_its_dead_point(m: Any) -> None:
    m.add(lw.Driver("push", m["slider"].x, "0.7 + t"))


@broken("locked-start", "A B C D motor", "", on=plane("4-6-6"))
def two_pins_on_top_of_each_other(m: Any) -> None:
    first = m.body("crank", 1.0, 1.0)
    coupler, rocker = (m.body(name, 1.0, 1.0, position=(4, 0), angle=0.5) for name in ("coupler", "rocker"))
    m.add(lw.Revolute("A", m.ground.at(0, 0), first.at(0, 0)))
    m.add(lw.Revolute("B", first.at(4, 0), coupler.at(0, 0)))
    m.add(lw.Revolute("C", coupler.at(6, 0), rocker.at(6, 0)))
    m.add(lw.Revolute("D", rocker.at(0, 0), m.ground.at(4, 0)))
    m.add(lw.Driver("motor", first.angle, "t"))


@broken("locked-start", "A B C D motor", "")
def toggle_driven_at_its_knee() -> Any:
    """Coupler and rocker in line, the pins B and D as far apart as both are long: the crank cannot push on."""
    angle = acos(0.6)
    return four_bar(1.0, 0.9, 2.6**0.5 - 0.9, 2.0, angle=angle, motion=f"{angle!r} - t")


@broken("near-dead-point", "A B C push", "drive", on=lambda: slider_crank(angle=2e-4))
def slider_pushed_next_to_its_dead_point(m: Any) -> None:
    m.add(lw.Driver("push", m["slider"].x, f"{lw.assemble(m)['slider.x']!r} - t"))


@broken("near-dead-point", "A B C D swing", "", on=lambda: four_bar(1.0, 2.0, 2.0, 2.5, angle=acos(0.75) + 1e-4))
def rocker_driven_next_to_its_end(m: Any) -> None:
    """Crank and coupler all but in line: from A to C it is as far as both are long."""
    m.add(lw.Driver("swing", m["D"].angle, f"{lw.assemble(m)['D.angle']!r} + t"))


@broken("singular-start", "A B coupler", "away")
def parallel_cranks_in_line_in_space() -> Any:
    return parallel_cranks(0.0, "t")


@broken("locked-start", "A rod push", "drive", on=lambda: crank_and_rod(0.0))
def slider_in_space_pushed_at_its_dead_point(m: Any) -> None:
    m.add(lw.Driver("push", m["slider"].x, "0.7 + t"))


@broken("near-dead-point", "A rod push", "drive", on=lambda: crank_and_rod(2e-4))
def slider_in_space_pushed_next_to_its_dead_point(m: Any) -> None:
    m.add(lw.Driver("push", m["slider"].x, f"{lw.assemble(m)['slider.x']!r} - t"))


@broken("singular-start", "leg0 leg1 leg2 leg3 leg4", "start a little away", on=space("hexapod"))
def platform_on_legs_of_one_hyperboloid(m: Any) -> None:
    """Legs between two regular hexagons are lines of one regulus: no more than three of them hold the plate."""
    plate = m.body("plate", 5.0, (1.0, 1.0, 1.9), position=(0, 0, 1))
    for k in range(5):
        a, b = pi * k / 3, pi * k / 3 + 0.5
        foot, head = m.ground.at(cos(a), sin(a), 0), plate.at(0.5 * cos(b), 0.5 * sin(b), 0)
        length = (1.25 - cos(0.5) + 1.0) ** 0.5
        m.add(lw.Driver(f"leg{k}", lw.distance(foot, head), f"{length!r} + 0.05*t"))
