"""Constraints that are said twice, and go together."""

from __future__ import annotations

from math import pi
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import four_bar, pendulum, shaft, slider_crank

ALONG_X = ((0.0, 1.0, 0.0), pi / 2)


@broken("redundant", "low high", "PointOnLine")
def door_on_two_hinges() -> Any:
    m = shaft()
    for name, z in (("low", -0.5), ("high", 0.5)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))
    return m


@broken("redundant", "one two three", "remove")
def shaft_in_three_bearings() -> Any:
    m = shaft()
    for name, z in (("one", -0.5), ("two", 0.0), ("three", 0.5)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))
    return m


@broken("redundant", "A again", "remove")
def pin_said_twice() -> Any:
    m = pendulum()
    m.add(lw.Revolute("again", m.ground.at(0, 0), m["arm"].at(-0.5, 0)))
    return m


@broken("redundant", "guide guide2", "remove")
def slider_in_two_guides() -> Any:
    m = slider_crank()
    m.add(lw.Translational("guide2", m.ground.at(0.1, 0, angle=0), m["slider"].at(0.1, 0, angle=0)))
    return m


@broken("redundant", "A B C D", "replace")
def four_bar_in_space() -> Any:
    """What Modelica calls a planar loop: its pins hold it in its plane three times over."""
    return lw.embed(four_bar())


@broken("redundant", "A B C guide", "replace")
def slider_crank_in_space() -> Any:
    return lw.embed(slider_crank())


@broken("redundant", "A B C D P Q", "replace")
def parallelogram_with_a_third_bar() -> Any:
    m = four_bar(1, 2, 1, 2, angle=1.0)
    third = m.body("third", 1.0, 0.1, position=(1, 0), angle=1.0)
    m.add(lw.Revolute("P", m.ground.at(1, 0), third.at(0, 0)))
    m.add(lw.Revolute("Q", m["coupler"].at(1, 0), third.at(1, 0)))
    return m


@broken("redundant", "left right", "remove")
def swing_on_two_pins_with_a_welded_load() -> Any:
    """A frame on two revolutes with a lumped mass fixed to it: five of its equations are too many."""
    m = shaft("frame")
    load = m.body("load", 1.0, (0.01, 0.01, 0.01), position=(0.3, 0, 0))
    m.add(lw.Fixed("weld", m["shaft"].at(0.3, 0, 0), load.at(0, 0, 0)))
    for name, z in (("left", -0.4), ("right", 0.4)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))
    return m


@broken("redundant", "weld weld2", "remove")
def welded_twice() -> Any:
    m = shaft()
    for name, z in (("weld", -0.5), ("weld2", 0.5)):
        m.add(lw.Fixed(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))
    return m


@broken("redundant", "rod rod2", "remove")
def rod_beside_a_rod() -> Any:
    m = lw.PlanarModel("rods", gravity=(0, -9.81))
    bob = m.body("bob", 1.0, 0.1, position=(0.6, 0.8))
    m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    m.add(lw.Distance("rod2", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    return m


@broken("redundant", "slide level", "remove level")
def orientation_held_by_a_guide_and_again() -> Any:
    m = lw.PlanarModel("slide", gravity=(0, -9.81))
    block = m.body("block", 1.0, 0.1)
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Constraint("level", block.angle))
    return m


@broken("redundant", "table stop", "remove stop")
def puck_on_a_table_with_a_point_on_it() -> Any:
    m = shaft("puck")
    m.add(lw.Planar("table", m.ground.at(0, 0, 0), m["shaft"].at(0, 0, 0)))
    m.add(lw.PointOnPlane("stop", m.ground.at(0, 0, 0), m["shaft"].at(0.1, 0, 0)))
    return m


@broken("redundant", "left right", "")
def drawer_on_two_rails() -> Any:
    m = lw.SpatialModel("drawer", gravity=(0, 0, -9.81))
    drawer = m.body("drawer", 3.0, (0.1, 0.1, 0.2))
    for name, y in (("left", -0.2), ("right", 0.2)):
        m.add(lw.Translational(name, m.ground.at(0, y, 0, rotation=ALONG_X), drawer.at(0, y, 0, rotation=ALONG_X)))
    return m


@broken("redundant", "A1 B1 C1 D1", "")
def scott_russell_with_a_slot_too_many() -> Any:
    """A straight-line linkage whose end is also held on the line that it follows by itself."""
    m = lw.PlanarModel("Scott-Russell", gravity=(0, -9.81))
    arm, bar = m.body("arm", 1.0, 0.1, angle=0.6), m.body("bar", 2.0, 0.2, position=(0.8253356149, 0.5646424734), angle=-0.6)
    end = m.body("end", 0.5, 0.01, position=(1.6506712298, 0.0))
    m.add(lw.Revolute("A1", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Revolute("B1", arm.at(1, 0), bar.at(0, 0)))
    m.add(lw.PointOnLine("C1", m.ground.at(0, 0, angle=0), bar.at(1, 0)))
    m.add(lw.PointOnLine("D1", m.ground.at(0, 0, angle="pi/2"), bar.at(-1, 0)))
    m.add(lw.Revolute("E1", bar.at(1, 0), end.at(0, 0)))
    return m


@broken("redundant", "weld pin", "remove pin")
def bracket_welded_and_pinned() -> Any:
    m = pendulum().without("A")
    m.add(lw.Fixed("weld", m.ground.at(0, 0), m["arm"].at(-0.5, 0)))
    m.add(lw.Revolute("pin", m.ground.at(1, 0), m["arm"].at(0.5, 0)))
    return m


@broken("redundant", "A rope", "remove rope")
def rope_from_the_hinge_to_the_end() -> Any:
    m = pendulum()
    m.add(lw.Distance("rope", m.ground.at(0, 0), m["arm"].at(0.5, 0), length=1.0))
    return m
