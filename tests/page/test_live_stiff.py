"""A stiff machine in the page: Radau takes over there as it does here."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from page.live_pages import SAME, Show, assert_one_motion, channels, numbers, put

pytestmark = pytest.mark.browser


def stiff() -> lw.PlanarModel:
    """A bob on a stiff, damped hinge at the end of a pendulum."""
    m = lw.PlanarModel("stiff", gravity=(0, -9.81))
    k, c = m.parameter("k", 1e5), m.parameter("c", 5e3)
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    bob = m.body("bob", mass=0.5, inertia=0.01, position=(1.2, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    hinge = m.add(lw.Revolute("B", arm.at(0.5, 0), bob.at(-0.2, 0)))
    m.add(lw.TorsionSpring("s", hinge, k=k, c=c))
    return m


def test_radau_takes_over(show: Show) -> None:
    """In coordinates of joints, as here, from the same time on."""
    m = stiff()
    opened = numbers(show, m, t_end=0.5, steps=20)
    for values in ({}, {"k": 2e5}):
        assert put(opened, **values) == ""
        m.set(**values)
        d = lw.dynamics(m, t_end=0.5, steps=20)
        assert (d.audit.method, d.audit.formulation) == ("radau", "joint")
        assert "by radau" in opened.page.locator("#audit").text_content()
        assert_one_motion(opened, m, t_end=0.5, steps=20)


def test_radau_takes_over_where_the_start_was_moved_far(show: Show) -> None:
    """To the other side of the pin: coordinates of joints are found again from those of the page as it was made, by their
    places alone. (Euler parameters of both signs are one orientation, coordinates in the plane are not.)"""
    m = stiff()
    tail = m.body("tail", mass=0.2, inertia=0.01, position=(1.6, 0))
    m.add(lw.Revolute("C", m["bob"].at(0.2, 0), tail.at(-0.2, 0)))
    m.fix(m["A"].angle, 0.1)
    opened = numbers(show, m, t_end=0.2, steps=10)
    assert put(opened, **{"A.angle": 3.0}) == ""
    m.fix(m["A"].angle, 3.0)
    assert_one_motion(opened, m, t_end=0.2, steps=10)


def test_radau_takes_over_in_space(show: Show) -> None:
    """The flyball governor's stiff rods; in the bodies' coordinates it was 3e-7 apart, by another method."""
    m, options = EXAMPLES["flyball"].load(), {"t_end": 1.0, "steps": 20, "rtol": 1e-10}
    opened = numbers(show, m, **options)
    assert lw.dynamics(m, **options).audit.formulation == "joint"
    assert "by radau" in opened.page.locator("#audit").text_content()
    assert_one_motion(opened, m, **options)


def test_radau_in_coordinates_of_bodies(show: Show) -> None:
    """Where something may strike: positions and velocities to 1e-9; accelerations and forces are those times a stiffness by
    a mass, 1e6, by which rounding and tolerances grow, too, here as there: they are not compared."""
    m = stiff()
    m.add(lw.Stop("end", m["A"].angle, upper=3.0, restitution=0.5))
    opened = numbers(show, m, t_end=0.5, steps=20)
    d = lw.dynamics(m, t_end=0.5, steps=20, formulation="newton-euler")
    assert d.audit.method == "radau"
    assert "by radau" in opened.page.locator("#audit").text_content()
    own = channels(opened)
    for name in ("arm", "bob"):
        for channel in ("x", "y", "angle", "vx", "vy", "omega"):
            here = d[f"{name}.{channel}"]
            assert np.abs(own[f"{name}.{channel}"] - here).max() <= SAME * max(np.abs(here).max(), 1.0), (name, channel)
