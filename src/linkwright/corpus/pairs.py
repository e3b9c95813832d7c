"""Cams and gears."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import linkwright as lw
from linkwright.corpus.entries import broken, healthy
from linkwright.corpus.parts import cam, follower, gear_pair, plane, space


@broken("cam-concave", "contact", "flatten")
def flat_face_on_a_hollow_cam() -> Any:
    return cam("1 + 0.2*cos(3*alpha)")


@broken("cam-concave", "contact", "")
def flat_face_on_an_eccentric_oval() -> Any:
    return cam("1 + 0.4*cos(2*alpha)", height=1.4)


@broken("roller-too-large", "contact", "roller")
def roller_wider_than_the_hollow() -> Any:
    return cam("1 + 0.2*cos(3*alpha)", roller=1.5, height=2.6)


@broken("roller-too-large", "contact", "roller")
def roller_a_little_too_wide() -> Any:
    return cam("1 + 0.3*cos(3*alpha)", roller=0.3, height=1.6)


@broken("gear-distance", "mesh", "move B")
def gears_too_far_apart() -> Any:
    return gear_pair(0.35)


@broken("gear-distance", "mesh", "radii")
def gears_too_close() -> Any:
    return gear_pair(0.28)


@broken("gear-distance", "mesh", "radii", on=space("gears"))
def gears_in_space_too_far_apart(m: Any) -> None:
    one, two = (m.body(n, 1.0, (0.01, 0.01, 0.01), position=(x, 0, 0)) for n, x in (("one", 0), ("two", 0.4)))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), one.at(0, 0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0.4, 0, 0), two.at(0, 0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0, 0), two.at(0, 0, 0), radii=(0.1, 0.2)))


@broken("gear-distance", "mesh", "radius", on=space("rack"))
def pinion_beside_its_rack(m: Any) -> None:
    rack, pinion = m.body("rack", 1.0, (0.1, 0.1, 0.1)), m.body("pinion", 1.0, (0.01, 0.01, 0.01), position=(0, 0.15, 0))
    along = ((0.0, 1.0, 0.0), pi / 2)
    m.add(lw.Translational("slide", m.ground.at(0, 0, 0, rotation=along), rack.at(0, 0, 0, rotation=along)))
    m.add(lw.Revolute("A", m.ground.at(0, 0.15, 0), pinion.at(0, 0, 0)))
    m.add(lw.RackPinion("mesh", rack.at(0, 0, 0), pinion.at(0, 0, 0), radius=0.1))


@broken("overlap", "floor", "stiffness", on=plane("ball"))
def ball_within_its_floor(m: Any) -> None:
    ball = m.body("ball", mass=1.0, inertia=0.01, position=(0, 0.08))
    m.add(lw.Contact("floor", ball.surface({"circle": 0.1}), m.ground.at(0, 0, angle=0), restitution=0.5))


@broken("gear-loose", "mesh", "Distance", on=plane("planet"))
def planet_without_a_carrier(m: Any) -> None:
    sun, planet = m.body("sun", 1.0, 0.01), m.body("planet", 1.0, 0.01, position=(0.3, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), sun.at(0, 0)))
    m.add(lw.Gear("mesh", sun.at(0, 0), planet.at(0, 0), radii=(0.2, 0.1)))


@broken("gear-loose", "mesh", "Distance", on=plane("gears"))
def gear_on_a_slide(m: Any) -> None:
    one, two = m.body("one", 1.0, 0.01), m.body("two", 1.0, 0.01, position=(0.3, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), one.at(0, 0)))
    m.add(lw.PointOnLine("slot", m.ground.at(0, 0, angle=0), two.at(0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0), two.at(0, 0), radii=(0.2, 0.1)))


def ellipse() -> Any:
    return lw.Curve.parametric("1.1*cos(alpha)", "0.9*sin(alpha)", end=2 * pi, closed=True)


def turned(m: Any, speed: float) -> Any:
    m.add(lw.Driver("motor", m["A"].angle, f"{speed}*t"))
    return m


def driven_cam(speed: float, roller: float | None = None) -> Any:
    """A cam with a lift of 0.2 m, turned at a constant speed; the tappet weighs 0.5 kg."""
    return turned(cam("1 + 0.1*cos(alpha)", roller=roller, height=1.2 if roller is None else 1.4), speed)


@broken("lift-off", "contact", "press", t_end=1.0)
def tappet_that_leaves_a_fast_cam() -> Any:
    """0.1 m at 15 rad/s is 22 m/s^2: more than gravity brings back."""
    return driven_cam(15.0)


@broken("lift-off", "contact", "slower", t_end=1.0)
def roller_that_leaves_a_fast_cam() -> Any:
    return driven_cam(20.0, roller=0.3)


@healthy(t_end=1.0)
def tappet_on_a_slow_cam() -> Any:
    """0.1 m at 5 rad/s is 2.5 m/s^2."""
    return driven_cam(5.0)


@broken("lift-off", "contact", "press", t_end=1.0)
def tappet_that_leaves_an_ellipse() -> Any:
    """Its support is sqrt(1.1^2 cos^2 + 0.9^2 sin^2): at its largest, 10 rad/s bring 100 * 0.4 / 1.1 m/s^2."""
    return turned(follower(ellipse()), 10.0)


@broken("lift-off", "contact", "slower", t_end=1.0)
def roller_that_leaves_a_cam_of_measured_points() -> Any:
    """Given clockwise, as some measuring machines do."""
    a = [-2 * pi * k / 24 for k in range(25)]
    points = [[(1 + 0.1 * cos(x)) * f(x) for x in a] for f in (cos, sin)]
    return turned(follower(lw.Curve.table(*points), roller=0.3, height=1.4), 20.0)


def wave(speed: float) -> Any:
    """A roller on a wave that slides below it."""
    m = lw.PlanarModel("wave", gravity=(0, -9.81))
    plate, tappet = m.body("plate", 1.0, 0.5), m.body("tappet", 0.5, 0.1, position=(0, 0.4))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), plate.at(0, 0, angle=0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle="pi/2"), tappet.at(0, 0, angle="pi/2")))
    profile = lw.Curve.parametric("alpha", "0.1*cos(2*alpha)", start=-6, end=6)
    on = plate.curve(profile), tappet.curve(lw.Curve.polar(0.3))
    m.add(lw.CamFollower("contact", *on, estimate=(0.0, -pi / 2)))
    m.add(lw.Driver("motor", plate.x, f"{speed}*t"))
    return m


@broken("lift-off", "contact", "press", t_end=0.5)
def roller_that_leaves_a_wave() -> Any:
    """Over a crest its centre bends by 0.4/(1 + 0.4*0.3) per metre: at 6 m/s that is 12.9 m/s^2."""
    return wave(6.0)


@healthy(t_end=0.5)
def roller_on_a_slow_wave() -> Any:
    return wave(2.0)


@healthy(t_end=1.0)
def tappet_on_a_slow_ellipse() -> Any:
    return turned(follower(ellipse()), 3.0)


@broken("gear-loose", "mesh", "Distance", on=space("gears"))
def gear_on_a_table_in_space(m: Any) -> None:
    one, two = (m.body(n, 1.0, (0.01, 0.01, 0.01), position=(x, 0, 0)) for n, x in (("one", 0), ("two", 0.3)))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), one.at(0, 0, 0)))
    m.add(lw.Planar("table", m.ground.at(0, 0, 0), two.at(0, 0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0, 0), two.at(0, 0, 0), radii=(0.1, 0.2)))


@broken("gear-loose", "mesh", "Distance", on=plane("gears"))
def gear_on_an_arm_in_line_with_it(m: Any) -> None:
    """The centres part to second order only where they stand."""
    one, two = m.body("one", 1.0, 0.1), m.body("two", 1.0, 0.1, position=(0.3, 0))
    arm = m.body("arm", 1.0, 0.1, position=(1, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), one.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(1, 0), arm.at(0, 0)))
    m.add(lw.Revolute("C", arm.at(-0.7, 0), two.at(0, 0)))
    m.add(lw.Gear("mesh", one.at(0, 0), two.at(0, 0), radii=(0.1, 0.2)))


@broken("gear-distance", "mesh", "radii 0.1 and 0.2")
def wheel_taken_for_a_ring() -> Any:
    return gear_pair(radii=(0.1, -0.2))


@broken("gear-distance", "outer", "radii 0.05 and -0.2", on=plane("planet"))
def ring_too_large_for_its_planet(m: Any) -> None:
    """The planet has one radius: that of its mesh with the sun."""
    sun, arm = m.body("sun", 1.0, 0.01), m.body("arm", 1.0, 0.02)
    planet = m.body("planet", 0.2, 0.001, position=(0.15, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), sun.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Revolute("C", arm.at(0.15, 0), planet.at(0, 0)))
    m.add(lw.Gear("inner", sun.at(0, 0), planet.at(0, 0), radii=(0.1, 0.05)))
    m.add(lw.Gear("outer", planet.at(0, 0), m.ground.at(0, 0), radii=(0.05, -0.22)))
