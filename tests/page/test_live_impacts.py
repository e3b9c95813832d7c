"""Impacts and stops in the page: events and motions as `lw.dynamics` has them, contacts that rest and open again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from page.conftest import Opened
from page.live_pages import Show, assert_alike, channels, numbers, pull, put, solved

pytestmark = pytest.mark.browser


def assert_events(opened: Opened, result: Any) -> None:
    """The same names in the same order, at times equal to rounding: of a parabola's zero."""
    own = opened.page.evaluate("linkwright.events")
    assert [name for _, name in own] == [name for _, name in result.events]
    assert [t for t, _ in own] == pytest.approx([t for t, _ in result.events], rel=1e-9)


def stopped_crank() -> lw.PlanarModel:
    """A slider-crank between stops: its impacts end in a stop that holds it."""
    m = lw.PlanarModel("crank", gravity=(0, -9.81))
    r, e = m.parameter("r", 0.2), m.parameter("e", 0.5)
    wheel = m.body("crank", mass=1.0, inertia=0.01, position=(r / 2, 0.0))
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(r + 0.25, 0.0))
    slider = m.body("slider", mass=1.0, position=(r + 0.5, 0.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), wheel.at(-r / 2, 0)))
    m.add(lw.Revolute("B", wheel.at(r / 2, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Stop("stop", slider.x, 0.45, 0.68, restitution=e))
    m.fix(pin.angle, 0.7)
    m.fix(wheel.omega, 12.0)
    return m


def lifted() -> lw.PlanarModel:
    """A weight that comes to rest on a stop, under laws that switch; a force that grows lifts it off again."""
    m = lw.PlanarModel("lifted", gravity=(0, -9.81))
    F, e = m.parameter("F", 30.0), m.parameter("e", 0.3)
    b = m.body("b", mass=1.0, inertia=0.02, position=(0, 0.3))
    m.add(lw.Translational("g", m.ground.at(0, 0, angle=1.5707963267948966), b.at(0, 0, angle=1.5707963267948966)))
    m.add(lw.Stop("s", b.y, 0.0, restitution=e))
    m.add(lw.Force("f", b.y, lambda x, v, t: lw.where(t < 0.8, 0.0, F * (t - 0.8)) + lw.where(x > 0.2, -50 * (x - 0.2), 0)))
    return m


def twice() -> lw.PlanarModel:
    """One stop said twice: both rest, and share the weight."""
    m = lw.PlanarModel("twice", gravity=(0, -9.81))
    e = m.parameter("e", 0.3)
    b = m.body("b", mass=1.0, inertia=0.02, position=(0, 0.3))
    m.add(lw.Translational("g", m.ground.at(0, 0, angle="90 deg"), b.at(0, 0, angle="90 deg")))
    m.add(lw.Stop("s", b.y, 0.0, restitution=e))
    m.add(lw.Stop("again", b.y, 0.0, restitution=e))
    return m


def balls() -> lw.SpatialModel:
    """In space: an arm on a ball joint strikes the floor, and a ball that lies on it."""
    m = lw.SpatialModel("balls", gravity=(0, 0, -9.81))
    e, h = m.parameter("e", 0.4), m.parameter("h", 0.5)
    arm = m.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.5, 0, h))
    ball = m.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.02, 0.2))
    m.add(lw.Spherical("A", m.ground.at(0, 0, h), arm.at(-0.5, 0, 0)))
    m.add(lw.Contact("floor", arm.at(0.5, 0, 0), m.ground.at(0, 0, 0), radii=(0.1, 0), restitution=e))
    m.add(lw.Contact("under", ball.at(0, 0, 0), m.ground.at(0, 0, 0), radii=(0.1, 0), restitution=e))
    m.add(lw.Contact("both", arm.at(0, 0, 0), ball.at(0, 0, 0), radii=(0.15, 0.1), on="sphere", restitution=e))
    return m


@pytest.mark.parametrize(
    ("make", "change", "happens"),
    [
        (stopped_crank, {"e": 0.0, "r": 0.19}, "stop rests"),
        (lifted, {"F": 50.0}, "s parts"),
        (balls, {"e": 0.2}, "both"),
        (twice, {"e": 0.0}, "again rests"),
    ],
)  # fmt: skip
def test_impacts_as_here(show: Show, make: Any, change: dict[str, float], happens: str) -> None:
    m = make()
    opened = numbers(show, m, t_end=1.2, steps=40)
    for values in ({}, change):
        assert put(opened, **values) == ""
        m.set(**values)
        d = lw.dynamics(m, t_end=1.2, steps=40)
        assert happens in [name for _, name in d.events]
        assert_events(opened, d)
        assert_alike(opened, d)


def test_every_contact_that_a_run_closes_is_in_the_page(show: Show) -> None:
    """A ratchet: of its twenty faces the pawl comes to lie on a few, on two at once in the end. In its flights rounding
    decides which corner of a tooth it passes first, and so on steps: the motion is compared, not the accelerations."""
    m = EXAMPLES["ratchet"].load()
    page = lw.page(m, t_end=0.6, steps=20, autoplay=False)
    assert len(page.text) < 250_000  # the largest of the plane
    opened = solved(show(page, 480, 360))
    assert opened.page.evaluate("linkwright.message") == ""
    for torque, last in (
        (0.06, ["teeth.9 rests", "teeth.8", "teeth.8 rests"]),
        (0.045, ["teeth.6", "teeth.6 rests"]),
        (0.08, ["teeth.11 rests", "teeth.10", "teeth.10 rests"]),  # both faces at once are not compiled into the page
    ):
        assert put(opened, torque=torque) == ""  # other values lead to the faces beside
        m.set(torque=torque)
        d = lw.dynamics(m, t_end=0.6, steps=20)
        assert [name for _, name in d.events][-len(last) :] == last
        assert_events(opened, d)
        own = channels(opened)
        for name in ("wheel.angle", "pawl.angle"):
            assert np.abs(own[name] - d[name]).max() <= 1e-9 * np.abs(d[name]).max(), name


def test_a_ball_comes_to_rest_and_is_pulled(show: Show) -> None:
    """Impacts without end in a time that ends, 2 v/g e/(1 - e) after the first one; then a hand lifts the ball and lets it
    go: it falls and lies on the floor again, not below."""
    m = lw.PlanarModel("ball", gravity=(0, -10))
    h = m.parameter("h", 1.25)
    ball = m.body("ball", mass=1.0, inertia=1.0, position=(0, h))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=0.5))
    opened = solved(show(lw.page(m, t_end=2.0, steps=50, autoplay=False)))
    rests = [t for t, name in opened.page.evaluate("linkwright.events") if name == "floor rests"]
    assert rests == [pytest.approx(0.5 + 1.0, abs=1e-9)]
    assert opened.page.evaluate("linkwright.channel('floor.force').at(-1)") == pytest.approx(10.0, rel=1e-12)
    opened.go(2.0)
    floor = opened.page.evaluate("linkwright.place('ball').y")
    pull(opened, "ball", (0, -120))
    opened.until(f"linkwright.place('ball').y < {floor - 60}")
    opened.page.mouse.up()
    opened.until(f"Math.abs(linkwright.place('ball').y - {floor}) < 1e-6")
    assert opened.page.evaluate("linkwright.message") == ""


def test_a_stop_of_a_pin_tells_its_torque(show: Show) -> None:
    """A bar that lies on its stop: the moment of its weight, after another mass was put in, too."""
    m = lw.PlanarModel("door", gravity=(0, -10))
    mass = m.parameter("mass", 1.0)
    bar = m.body("bar", mass=mass, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0)))
    m.add(lw.Stop("stop", pin.angle, lower=0.0, restitution=0.0))
    opened = solved(show(lw.page(m, t_end=0.2, steps=4, autoplay=False)))
    assert put(opened, mass=3.0) == ""
    assert opened.page.evaluate("linkwright.channel('stop.torque').at(-1)") == pytest.approx(15.0, rel=1e-12)


def test_what_impacts_cannot_do_is_said(show: Show) -> None:
    """A driver that pushes into a stop; bodies within each other at the start."""
    m = lw.PlanarModel("jam")
    w = m.parameter("w", 3.0)
    arm = m.body("arm", mass=1.0, inertia=0.02, position=(0.3, 0.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.3, 0)))
    m.add(lw.Driver("motor", pin.angle, lambda t: w * t))
    m.add(lw.Stop("s", pin.angle, -1.0, 2.0, restitution=0.3))
    opened = numbers(show, m, analysis="dynamics", t_end=0.5, steps=10)
    said = put(opened, w=5.0)
    m.set(w=5.0)
    with pytest.raises(lw.IntegrationError) as caught:
        lw.dynamics(m, t_end=0.5)
    assert (
        str(caught.value.cause) == "the driver motor pushes the bodies of s into each other at t = 0.4: nothing can give way"
    )
    assert caught.value.cause in said


def held(gap: float, mu: float) -> lw.PlanarModel:
    """Two bodies that are fixed to each other touch, but for rounding."""
    m = lw.PlanarModel("held", gravity=(0, -10))
    e = m.parameter("e", 0.3)
    a = m.body("a", mass=1.0, inertia=0.1)
    b = m.body("b", mass=1.0, inertia=0.1, position=(0, 0.2))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Fixed("weld", a.at(0, 0.2), b.at(0, 0)))
    m.add(lw.Contact("skin", b.at(0, -0.1), a.at(0, 0.1 - gap, angle=0), restitution=e, mu=mu))
    m.add(lw.Torque("turn", pin, "sin(3*t)"))
    return m


@pytest.mark.parametrize("gap", [1e-15, 0.0, -1e-15])
@pytest.mark.parametrize("mu", [0.0, 0.2])
def test_a_contact_that_joints_hold_has_no_force(show: Show, gap: float, mu: float) -> None:
    """Nothing moves its gap, and no force follows from anything: the joint bears what there is."""
    m = held(gap, mu)
    opened = numbers(show, m, t_end=1.0, steps=10)
    assert put(opened, e=0.4) == ""
    m.set(e=0.4)
    d = lw.dynamics(m, t_end=1.0, steps=10)
    assert_events(opened, d)
    assert_alike(opened, d)
    assert not channels(opened)["skin.force"].any()
