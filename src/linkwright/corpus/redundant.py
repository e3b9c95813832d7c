"""Constraints that are said twice, and go together."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import four_bar, pendulum, plane, shaft, slider_crank, space

ALONG_X = ((0.0, 1.0, 0.0), pi / 2)


@broken("redundant", "low high", "PointOnLine", on=shaft)
def door_on_two_hinges(m: Any) -> None:
    for name, z in (("low", -0.5), ("high", 0.5)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))


@broken("redundant", "one two three", "remove", on=shaft)
def shaft_in_three_bearings(m: Any) -> None:
    for name, z in (("one", -0.5), ("two", 0.0), ("three", 0.5)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))


@broken("redundant", "A again", "remove", on=pendulum)
def pin_said_twice(m: Any) -> None:
    m.add(lw.Revolute("again", m.ground.at(0, 0), m["arm"].at(-0.5, 0)))


@broken("redundant", "guide guide2", "remove", on=slider_crank)
def slider_in_two_guides(m: Any) -> None:
    m.add(lw.Translational("guide2", m.ground.at(0.1, 0, angle=0), m["slider"].at(0.1, 0, angle=0)))


@broken("redundant", "A B C D", "replace")
def four_bar_in_space() -> Any:
    """What Modelica calls a planar loop: its pins hold it in its plane three times over."""
    return lw.embed(four_bar())


@broken("redundant", "A B C guide", "replace")
def slider_crank_in_space() -> Any:
    return lw.embed(slider_crank())


@broken("redundant", "A B C D P Q", "replace", on=lambda: four_bar(1, 2, 1, 2, angle=1.0))
def parallelogram_with_a_third_bar(m: Any) -> None:
    third = m.body("third", 1.0, 0.1, position=(1, 0), angle=1.0)
    m.add(lw.Revolute("P", m.ground.at(1, 0), third.at(0, 0)))
    m.add(lw.Revolute("Q", m["coupler"].at(1, 0), third.at(1, 0)))


@broken("redundant", "left right", "remove", on=lambda: shaft("frame"))
def swing_on_two_pins_with_a_welded_load(m: Any) -> None:
    """A frame on two revolutes with a lumped mass fixed to it: five of its equations are too many."""
    load = m.body("load", 1.0, (0.01, 0.01, 0.01), position=(0.3, 0, 0))
    m.add(lw.Fixed("weld", m["shaft"].at(0.3, 0, 0), load.at(0, 0, 0)))
    for name, z in (("left", -0.4), ("right", 0.4)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))


@broken("redundant", "weld weld2", "remove", on=shaft)
def welded_twice(m: Any) -> None:
    for name, z in (("weld", -0.5), ("weld2", 0.5)):
        m.add(lw.Fixed(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))


@broken("redundant", "rod rod2", "remove", on=plane("rods"))
def rod_beside_a_rod(m: Any) -> None:
    bob = m.body("bob", 1.0, 0.1, position=(0.6, 0.8))
    m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    m.add(lw.Distance("rod2", m.ground.at(0, 0), bob.at(0, 0), length=1.0))


@broken("redundant", "slide level", "remove level", on=plane("slide"))
def orientation_held_by_a_guide_and_again(m: Any) -> None:
    block = m.body("block", 1.0, 0.1)
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Constraint("level", block.angle))


@broken("redundant", "table stop", "remove stop", on=lambda: shaft("puck"))
def puck_on_a_table_with_a_point_on_it(m: Any) -> None:
    m.add(lw.Planar("table", m.ground.at(0, 0, 0), m["shaft"].at(0, 0, 0)))
    m.add(lw.PointOnPlane("stop", m.ground.at(0, 0, 0), m["shaft"].at(0.1, 0, 0)))


@broken("redundant", "left right", "", on=space("drawer"))
def drawer_on_two_rails(m: Any) -> None:
    drawer = m.body("drawer", 3.0, (0.1, 0.1, 0.2))
    for name, y in (("left", -0.2), ("right", 0.2)):
        m.add(lw.Translational(name, m.ground.at(0, y, 0, rotation=ALONG_X), drawer.at(0, y, 0, rotation=ALONG_X)))


@broken("redundant", "A1 B1 C1 D1", "", on=plane("Scott-Russell"))
def scott_russell_with_a_slot_too_many(m: Any) -> None:
    """A straight-line linkage whose end is also held on the line that it follows by itself."""
    arm, bar = m.body("arm", 1.0, 0.1, angle=0.6), m.body("bar", 2.0, 0.2, position=(0.8253356149, 0.5646424734), angle=-0.6)
    end = m.body("end", 0.5, 0.01, position=(1.6506712298, 0.0))
    m.add(lw.Revolute("A1", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Revolute("B1", arm.at(1, 0), bar.at(0, 0)))
    m.add(lw.PointOnLine("C1", m.ground.at(0, 0, angle=0), bar.at(1, 0)))
    m.add(lw.PointOnLine("D1", m.ground.at(0, 0, angle="pi/2"), bar.at(-1, 0)))
    m.add(lw.Revolute("E1", bar.at(1, 0), end.at(0, 0)))


@broken("redundant", "weld pin", "remove pin", on=lambda: pendulum().without("A"))
def bracket_welded_and_pinned(m: Any) -> None:
    m.add(lw.Fixed("weld", m.ground.at(0, 0), m["arm"].at(-0.5, 0)))
    m.add(lw.Revolute("pin", m.ground.at(1, 0), m["arm"].at(0.5, 0)))


@broken("redundant", "A rope", "remove rope", on=pendulum)
def rope_from_the_hinge_to_the_end(m: Any) -> None:
    m.add(lw.Distance("rope", m.ground.at(0, 0), m["arm"].at(0.5, 0), length=1.0))
