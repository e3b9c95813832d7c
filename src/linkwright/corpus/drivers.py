"""Too few drivers, too many, drivers of what does not move."""

from __future__ import annotations

from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import four_bar, hinged, pendulum, plane, shaft, slider_crank


@broken("free", "", "drive", on=pendulum)
def two_arms_and_one_motor(m: Any) -> None:
    fore = m.body("fore", 1.0, 0.08, position=(1.5, 0))
    m.add(lw.Revolute("B", m["arm"].at(0.5, 0), fore.at(-0.5, 0)))
    m.add(lw.Driver("motor", m["A"].angle, "t"))


@broken("free", "", "drive")
def four_bar_without_a_motor() -> Any:
    return four_bar()


@broken("free", "", "drive", on=shaft)
def body_on_a_ball_at_its_origin(m: Any) -> None:
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), m["shaft"].at(0, 0, 0)))


@broken("free", "", "drive", on=shaft)
def cylinder_with_its_turn_driven_only(m: Any) -> None:
    c = m.add(lw.Cylindrical("C", m.ground.at(0, 0, 0), m["shaft"].at(0, 0, 0)))
    m.add(lw.Driver("motor", c.angle, "t"))


@broken("redundant-driver", "motor second", "remove", on=pendulum)
def two_motors_on_one_pin(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "t"))
    m.add(lw.Driver("second", m["arm"].angle, "t"))


@broken("redundant-driver", "low_motor high_motor", "remove", also="redundant", on=shaft)
def motors_on_both_hinges_of_a_door(m: Any) -> None:
    for name, z in (("low", -0.5), ("high", 0.5)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), m["shaft"].at(0, 0, z)))
        m.add(lw.Driver(f"{name}_motor", m[name].angle, "t"))


@broken("redundant-driver", "guide stuck", "remove stuck", on=lambda: slider_crank(motion="1 + t"))
def driver_of_what_does_not_move(m: Any) -> None:
    m.add(lw.Driver("stuck", m["slider"].y, 0.0))


@broken("redundant-driver", "weld motor", "remove motor", on=lambda: pendulum().without("A"))
def motor_on_a_welded_body(m: Any) -> None:
    m.add(lw.Fixed("weld", m.ground.at(0, 0), m["arm"].at(-0.5, 0)))
    m.add(lw.Driver("motor", m["arm"].angle, 0.0))


@broken("redundant-driver", "motor push", "remove", on=lambda: slider_crank(angle=1.0, motion="1 + t"))
def crank_and_slider_both_driven(m: Any) -> None:
    m.add(lw.Driver("push", m["slider"].x, lw.assemble(m)["slider.x"]))


@broken("redundant-driver", "motor second", "remove", on=plane("gears"))
def both_gears_driven(m: Any) -> None:
    one, two = m.body("one", 1.0, 0.005), m.body("two", 4.0, 0.08, position=(0.3, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), one.at(0, 0)))
    B = m.add(lw.Revolute("B", m.ground.at(0.3, 0), two.at(0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0), two.at(0, 0), radii=(0.1, 0.2)))
    m.add(lw.Driver("motor", A.angle, "t"))
    m.add(lw.Driver("second", B.angle, "-t/2"))


@broken("redundant-driver", "A stuck", "remove stuck", on=hinged)
def driver_of_a_height_that_a_hinge_holds(m: Any) -> None:
    m.add(lw.Driver("motor", m["A"].angle, "t"))
    m.add(lw.Driver("stuck", m["shaft"].z, 0.0))
