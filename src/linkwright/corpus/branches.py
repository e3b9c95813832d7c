"""Machines that close as another mechanism than was meant."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import cam, four_bar, pendulum, plane, shaft, slider_crank, space


@broken("wrong-root", "guide", "estimate slider", on=slider_crank)
def slider_turned_round(m: Any) -> None:
    m["slider"].guess(angle=3.0)


@broken("wrong-root", "slide", "half a turn", on=plane("slide"))
def block_turned_round_in_its_guide(m: Any) -> None:
    block = m.body("block", 1.0, 0.1, angle=3.1)
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))


@broken("wrong-root", "mesh", "", on=plane("planet gear"))
def gear_on_the_far_side(m: Any) -> None:
    planet = m.body("planet", 1.0, 0.5, position=(-2.8, -0.9), angle=0.9)
    m.add(lw.Distance("arm", m.ground.at(0, 0), planet.at(0, 0), 3))
    m.add(lw.Gear("mesh", m.ground.at(0, 0), planet.at(0, 0), (2, 1), 0.0))
    m.add(lw.Driver("motor", planet.angle, "0.9 + t"))


@broken("antiparallel", "hinge", "half a turn", on=lambda: shaft("door"))
def hinge_upside_down(m: Any) -> None:
    m["shaft"].guess(orientation=((1, 0, 0), 3.0))
    m.add(lw.Revolute("hinge", m.ground.at(0, 0, 0), m["shaft"].at(0, 0, 0)))


@broken("antiparallel", "tube", "half a turn", on=lambda: shaft("telescope"))
def cylinder_upside_down(m: Any) -> None:
    m["shaft"].guess(orientation=((0, 1, 0), 3.0))
    m.add(lw.Cylindrical("tube", m.ground.at(0, 0, 0), m["shaft"].at(0, 0, 0)))


@broken("other-branch", "C", "branch", on=lambda: four_bar(1.0, 3.0, 2.5, 3.0, angle=1.0, motion="1 + t"))
def four_bar_that_closes_crossed(m: Any) -> None:
    m["coupler"].guess(angle=1.1)
    m["rocker"].guess(angle=0.6)


@broken("whole-turns", "spring", "estimate arm", on=lambda: pendulum(angle=2 * pi, position=(0.5, 0.0)))
def torsion_spring_wound_by_a_turn(m: Any) -> None:
    m.add(lw.TorsionSpring("spring", m["A"], k=10.0))


@broken("whole-turns", "spring", "estimate arm", on=lambda: pendulum(angle=-4 * pi + 0.1, position=(0.5, 0.0)))
def torsion_spring_wound_by_two_turns_backwards(m: Any) -> None:
    m.add(lw.TorsionSpring("spring", m["A"], k=10.0, angle=0.0))


@broken(
    "wrong-root", "contact", "", also="estimates contradiction", on=lambda: cam("1 + 0.1*cos(alpha)", roller=0.3, height=0.7)
)
def roller_inside_its_cam(m: Any) -> None:
    """Held at a height at which the roller touches the outline from inside."""
    m.add(lw.Constraint("lift", m["tappet"].y, 0.7))


@broken("antiparallel", "guide", "half a turn", on=space("slide"))
def block_in_space_turned_round_in_its_guide(m: Any) -> None:
    block = m.body("block", 1.0, (0.1, 0.1, 0.1), orientation=((0, 0, 1), 3.0))
    along = ((0.0, 1.0, 0.0), pi / 2)
    m.add(lw.Translational("guide", m.ground.at(0, 0, 0, rotation=along), block.at(0, 0, 0, rotation=along)))


@broken("wrong-root", "teeth", "z along the pinion's axis", on=space("rack"))
def rack_framed_along_its_line(m: Any) -> None:
    """The z axis of a rack's frame is along the pinion's, its x axis along the pitch line."""
    pinion = m.body("pinion", 1.0, (0.1, 0.1, 0.1))
    rack = m.body("rack", 1.0, (0.1, 0.1, 0.1), position=(0, -0.25, 0))
    along = ((0.0, 1.0, 0.0), pi / 2)
    m.add(lw.Revolute("shaft", m.ground.at(0, 0, 0), pinion.at(0, 0, 0)))
    m.add(lw.Translational("slide", m.ground.at(0, -0.25, 0, rotation=along), rack.at(0, 0, 0, rotation=along)))
    m.add(lw.RackPinion("teeth", rack.at(0, 0, 0, rotation=along), pinion.at(0, 0, 0), radius=0.25))
