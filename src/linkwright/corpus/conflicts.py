"""Constraints that are said twice, and do not go together; drivers that fight joints or each other."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import four_bar, pendulum, plane, shaft, slider_crank


@broken("contradiction", "A again", "move", also="redundant", on=pendulum)
def two_pins_in_two_places(m: Any) -> None:
    m.add(lw.Revolute("again", m.ground.at(0, 0.1), m["arm"].at(-0.5, 0)))


@broken("contradiction", "low high", "move", also="redundant", on=shaft)
def hinges_out_of_line(m: Any) -> None:
    m.add(lw.Revolute("low", m.ground.at(0, 0, -0.5), m["shaft"].at(0, 0, -0.5)))
    m.add(lw.Revolute("high", m.ground.at(0.02, 0, 0.5), m["shaft"].at(0, 0, 0.5)))


@broken("contradiction", "one two", "value", on=plane("block"))
def held_at_two_heights(m: Any) -> None:
    block = m.body("block", 1.0, 0.1)
    m.add(lw.Constraint("one", block.y, 0.0))
    m.add(lw.Constraint("two", block.y, 0.3))


@broken("contradiction", "rod rod2", "length", on=plane("rods"))
def two_lengths_between_the_same_points(m: Any) -> None:
    bob = m.body("bob", 1.0, 0.1, position=(0.6, 0.8))
    m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    m.add(lw.Distance("rod2", m.ground.at(0, 0), bob.at(0, 0), length=1.2))


@broken("contradiction", "weld weld2", "move", also="redundant", on=lambda: pendulum().without("A"))
def welded_to_two_places(m: Any) -> None:
    m.add(lw.Fixed("weld", m.ground.at(0, 0), m["arm"].at(-0.5, 0)))
    m.add(lw.Fixed("weld2", m.ground.at(0, 0.3), m["arm"].at(-0.5, 0)))


@broken("contradiction", "slide slide2", "", also="redundant", on=plane("slide"))
def guides_at_an_angle_and_turned(m: Any) -> None:
    block = m.body("block", 1.0, 0.1)
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Translational("slide2", m.ground.at(0, 0, angle=0.2), block.at(0, 0, angle=0)))


@broken("contradiction", "motor second", "", on=pendulum)
def motors_that_ask_for_different_angles(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "t"))
    m.add(lw.Driver("second", m["arm"].angle, "0.5 + t"))


@broken("contradiction", "guide lift", "remove lift", on=slider_crank)
def driver_across_a_guide(m: Any) -> None:
    m.add(lw.Driver("lift", m["slider"].y, "0.1 + t"))


@broken("contradiction", "C D tie", "length", on=four_bar)
def tie_that_is_too_long(m: Any) -> None:
    m.add(lw.Distance("tie", m.ground.at(0, 0), m["coupler"].at(1.5, 1.0), length=12.0))


@broken("exact-fit", "low high", "move", also="redundant", on=shaft)
def hinges_rounded_to_four_digits(m: Any) -> None:
    m.add(lw.Revolute("low", m.ground.at(0.3333, 0.6667, -0.5), m["shaft"].at(0, 0, -0.5)))
    m.add(lw.Revolute("high", m.ground.at(1 / 3, 2 / 3, 0.5), m["shaft"].at(0, 0, 0.5)))
    m["shaft"].guess(position=(1 / 3, 2 / 3, 0))


@broken("exact-fit", "one two", "value", on=plane("block"))
def heights_that_differ_in_the_fifth_digit(m: Any) -> None:
    block = m.body("block", 1.0, 0.1, position=(1, 0.7071))
    m.add(lw.Constraint("one", block.y, 0.7071))
    m.add(lw.Constraint("two", block.y, 0.5**0.5))


@broken("exact-fit", "A B C D", "", also="redundant")
def four_bar_in_space_with_a_pin_that_leans() -> Any:
    """A loop in space that closes with exactly parallel pins only; one leans by a ten-thousandth of a radian."""
    m = lw.embed(four_bar())
    lean = ((1.0, 0.0, 0.0), 1e-4)
    m = m.without("D")
    m.add(lw.Revolute("D", m.ground.at(3, 0, 0, rotation=lean), m["rocker"].at(0, 0, 0)))
    return m


@broken("contradiction", "A B C D", "turn the end of C", also="redundant", on=lambda: lw.embed(four_bar()).without("C"))
def four_bar_in_space_with_a_pin_across(m: Any) -> None:
    """An aiming mechanism with the frame of one pin turned by a right angle."""
    across = ((1.0, 0.0, 0.0), pi / 2)
    m.add(lw.Revolute("C", m["coupler"].at(3, 0, 0, rotation=across), m["rocker"].at(2.5, 0, 0)))


@broken("contradiction", "weld weld2", "turn the end", also="redundant", on=lambda: pendulum().without("A"))
def welded_at_two_angles(m: Any) -> None:
    m.add(lw.Fixed("weld", m.ground.at(0, 0), m["arm"].at(-0.5, 0)))
    m.add(lw.Fixed("weld2", m.ground.at(0, 0, angle=0.1), m["arm"].at(-0.5, 0)))
