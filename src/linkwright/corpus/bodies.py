"""Bodies that nothing holds, or that have no inertia where they move."""

from __future__ import annotations

from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken
from linkwright.corpus.parts import four_bar, hinged, pendulum, plane, space


@broken("loose", "spare", "remove spare", on=four_bar)
def part_that_was_forgotten(m: Any) -> None:
    m.body("spare", 1.0, 0.1, position=(5, 0))


@broken("loose", "spare", "fix spare", on=hinged)
def part_in_space_that_was_forgotten(m: Any) -> None:
    m.body("spare", 1.0, (0.1, 0.1, 0.1), position=(2, 0, 0))


@broken("island", "one two", "to the ground", on=pendulum)
def linkage_beside_the_machine(m: Any) -> None:
    one, two = m.body("one", 1.0, 0.1, position=(2, 0)), m.body("two", 1.0, 0.1, position=(3, 0))
    m.add(lw.Revolute("B", one.at(1, 0), two.at(0, 0)))


@broken("island", "one two", "to the ground", on=hinged)
def pair_in_space_joined_to_nothing(m: Any) -> None:
    one, two = (m.body(n, 1.0, (0.1, 0.1, 0.1), position=(x, 0, 0)) for n, x in (("one", 2), ("two", 3)))
    m.add(lw.Spherical("B", one.at(1, 0, 0), two.at(0, 0, 0)))


@broken("no-inertia", "wheel", "moment of inertia", on=plane("wheel"))
def wheel_with_its_mass_at_the_pin(m: Any) -> None:
    wheel = m.body("wheel", mass=2.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), wheel.at(0, 0)))


@broken("no-inertia", "rod", "moment of inertia", on=space("rod"))
def thin_rod_on_a_ball(m: Any) -> None:
    rod = m.body("rod", mass=1.0, inertia=(0, 0.1, 0.1), position=(1, 0, 0))
    m.add(lw.Spherical("A", m.ground.at(0, 0, 0), rod.at(-1, 0, 0)))


@broken("no-inertia", "tip", "moment of inertia", on=pendulum)
def last_link_without_mass(m: Any) -> None:
    tip = m.body("tip", position=(1.5, 0))
    m.add(lw.Revolute("B", m["arm"].at(0.5, 0), tip.at(-0.5, 0)))


@broken("no-inertia", "carriage", "mass", on=pendulum)
def carriage_without_mass(m: Any) -> None:
    """A massless body on a slide, moved by a force: other programs call it singular."""
    carriage = m.body("carriage", position=(2, 0))
    m.add(lw.Translational("rail", m.ground.at(2, 0, angle=0), carriage.at(0, 0, angle=0)))
    m.add(lw.Force("push", carriage.x, 1.0))


@broken("spin", "rod A B", "Universal", on=space("rod"))
def rod_on_two_balls(m: Any) -> None:
    rod = m.body("rod", 1.0, (0.001, 0.1, 0.1), position=(0.5, 0, 0))
    slider = m.body("slider", 1.0, (0.1, 0.1, 0.1), position=(1, 0, 0))
    along = ((0.0, 1.0, 0.0), 1.5707963267948966)
    m.add(lw.Translational("rail", m.ground.at(0, 0, 0, rotation=along), slider.at(0, 0, 0, rotation=along)))
    m.add(lw.Spherical("A", m.ground.at(0, 0, 0), rod.at(-0.5, 0, 0)))
    m.add(lw.Spherical("B", rod.at(0.5, 0, 0), slider.at(0, 0, 0)))
    m["slider"].guess(position=(0.9, 0, 0))


@broken("inertia-implausible", "plate", "moment", on=space("plate"))
def plate_that_no_mass_can_be(m: Any) -> None:
    m.body("plate", mass=1.0, inertia=(0.1, 0.1, 0.3))


@broken("inertia-implausible", "shaft", "moment", on=space("shaft"))
def shaft_with_moments_in_the_wrong_order(m: Any) -> None:
    body = m.body("shaft", mass=2.0, inertia=(0.2, 0.01, 0.01))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), body.at(0, 0, 0.3)))
