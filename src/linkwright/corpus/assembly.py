"""Designs that cannot be put together, and estimates that lead nowhere."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import four_bar, pendulum, plane, slider_crank, space


@broken("contradiction", "A rod", "length", on=pendulum)
def rod_that_does_not_reach(m: Any) -> None:
    m.add(lw.Distance("rod", m["arm"].at(0.5, 0), m.ground.at(3, 0), length=0.5))


@broken("contradiction", "A B C D", "move")
def four_bar_with_a_base_too_long() -> Any:
    m = four_bar(1, 1, 1, 2.5)
    return _with_base(m, 4.0)


def _with_base(m: Any, base: float) -> Any:
    """The same bars between pins of the ground that are farther apart."""
    new = m.without("D")
    new.add(lw.Revolute("D", new.ground.at(base, 0), new["rocker"].at(0, 0)))
    return new


@broken("contradiction", "A B C guide", "move", on=lambda: slider_crank().without("guide"))
def slider_guide_out_of_reach(m: Any) -> None:
    m.add(lw.Translational("guide", m.ground.at(0, 0.9, angle=0), m["slider"].at(0, 0, angle=0)))


@broken("contradiction", "A B C guide motor", "begin", on=lambda: slider_crank(0.2, 0.15, angle=0.3))
def crank_driven_where_the_rod_is_too_short(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "pi/2 + t"))


@broken("contradiction", "A B C D motor", "begin", on=four_bar)
def rocker_driven_beyond_its_swing(m: Any) -> None:
    m.add(lw.Driver("motor", m["D"].angle, "0.5 + t"))


@broken("contradiction", "a b", "length", on=plane("rods"))
def two_rods_too_short_to_meet(m: Any) -> None:
    bob = m.body("bob", 1.0, 0.1, position=(1.5, 0.5))
    m.add(lw.Distance("a", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    m.add(lw.Distance("b", m.ground.at(3, 0), bob.at(0, 0), length=1.0))


@broken("contradiction", "a b c", "length", on=space("tripod"))
def tripod_with_a_leg_too_short(m: Any) -> None:
    head = m.body("head", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 1))
    for name, x, y, length in (("a", 1.0, 0.0, 1.4), ("b", -0.5, 0.8, 1.4), ("c", -0.5, -0.8, 0.3)):
        m.add(lw.Distance(name, m.ground.at(x, y, 0), head.at(0, 0, 0), length=length))


@broken("just-reaches", "A rod", "length", on=lambda: pendulum(position=(0.5, 0.0)))
def rod_that_just_reaches(m: Any) -> None:
    m.add(lw.Distance("rod", m["arm"].at(0.5, 0), m.ground.at(3, 0), length=2.0))


@broken("just-reaches", "a b", "length", on=plane("rods"))
def two_rods_that_just_meet(m: Any) -> None:
    bob = m.body("bob", 1.0, 0.1, position=(1.0, 0.0))
    m.add(lw.Constraint("level", bob.angle))
    m.add(lw.Distance("a", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    m.add(lw.Distance("b", m.ground.at(3, 0), bob.at(0, 0), length=2.0))


@broken("not-closing", "fix(rocker.angle)", "do not fix", on=four_bar)
def two_angles_of_a_four_bar_fixed(m: Any) -> None:
    m.fix(m["crank"].angle, 1.0)
    m.fix(m["rocker"].angle, 0.5)


@broken("not-closing", "fix(arm.x)", "do not fix", on=pendulum)
def pendulum_fixed_out_of_reach(m: Any) -> None:
    m.fix(m["arm"].x, 0.8)


@broken("estimates", "block", "estimate block", on=plane("valley"))
def stone_in_a_valley(m: Any) -> None:
    block = m.body("block", 1.0, 0.1, position=(2, 0))
    m.add(lw.Constraint("stop", block.x**3 - 3 * block.x, -6))


@broken("estimates", "arm", "estimate arm", on=plane("rod"))
def estimate_in_line_with_a_rod(m: Any) -> None:
    arm = m.body("arm", 1.0, 0.1)
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Distance("rod", arm.at(0.1, 0), m.ground.at(1, 0), length=1.0))


@broken("contradiction", "A B C D", "move the end of B on crank to (1.125, 0)")
def four_bar_a_tenth_too_short() -> Any:
    m = four_bar(1, 3, 2, 5.5)
    return _with_base(m, 6.1)


@broken("contradiction", "A B bar", "move", on=plane("cranks"))
def cranks_with_a_bar_too_long(m: Any) -> None:
    """Estimated in line, where no turn brings the ends farther apart at first."""
    for name, pin, x in (("one", "A", 0.0), ("two", "B", 1.0)):
        m.add(lw.Revolute(pin, m.ground.at(x, 0), m.body(name, 1.0, 0.1, position=(x, 0)).at(0, 0)))
    m.add(lw.Distance("bar", m["one"].at(0.2, 0), m["two"].at(0.2, 0), length=1.6))


@broken("contradiction", "leg1 leg2", "lengths of your estimates", on=space("delta"))
def legs_that_are_all_too_short(m: Any) -> None:
    plate = m.body("plate", 1.0, (0.01, 0.01, 0.02), position=(0, 0, -0.5))
    for k in range(3):
        c, s = cos(2 * pi * k / 3), sin(2 * pi * k / 3)
        m.add(lw.Distance(f"leg{k}", m.ground.at(0.4 * c, 0.4 * s, 0), plate.at(0.1 * c, 0.1 * s, 0), length=0.2))


@broken("not-closing", "fix(arm.y)", "do not fix", on=pendulum)
def arm_fixed_too_high(m: Any) -> None:
    m.fix(m["arm"].y, 0.7)


@broken("contradiction", "O crankpin wrist bore", "move the end of bore on ground", on=plane("engine"))
def piston_offset_beyond_its_rod(m: Any) -> None:
    """Its pin is on the far side of the piston's axis: it could reach if the piston were turned round."""
    crank, rod = m.body("crank", 1.0, 0.01), m.body("rod", 1.0, 0.002, position=(0.03, 0))
    piston = m.body("piston", 0.5, 0.001, position=(0.1, 0.2))
    m.add(lw.Revolute("O", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("crankpin", crank.at(0.03, 0), rod.at(0, 0)))
    m.add(lw.Revolute("wrist", rod.at(0.1, 0), piston.at(0, 0.02)))
    m.add(lw.Translational("bore", m.ground.at(0, 0.2, angle=0), piston.at(0, 0, angle=0)))


@broken("contradiction", "O guide slot pos", "begin pos", on=plane("yoke"))
def yoke_asked_beyond_its_crank(m: Any) -> None:
    """Where it is nearest to closing the crank is in line with the guide: the driver seems to fight joints there."""
    crank, yoke = m.body("crank", 1.0, 0.01), m.body("yoke", 1.0, 0.01, position=(0, 0.1))
    m.add(lw.Revolute("O", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), yoke.at(0, 0, angle=0)))
    m.add(lw.PointOnLine("slot", yoke.at(0, 0, angle=pi / 2), crank.at(0.05, 0)))
    m.add(lw.Driver("pos", yoke.x, "0.08 + 0*t"))
