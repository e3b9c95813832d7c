"""Friction that sticks, in the page: break-away and capture are events as in `lw.dynamics`, motions between are the same."""

from __future__ import annotations

import math
from typing import Any

import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from page.live_pages import Show, assert_alike, channels, numbers, put
from page.test_live_impacts import assert_events, lifted

pytestmark = pytest.mark.browser


def on_a_belt() -> lw.PlanarModel:
    """A block on a spring, carried along by a driven belt until it slips, and caught again; the belt's own guide rubs, too,
    by a motion that is prescribed."""
    m = lw.PlanarModel("stick-slip", gravity=(0, -9.81))
    mu = m.parameter("mu", 0.5)
    belt = m.body("belt", mass=1.0, inertia=1.0)
    block = m.body("block", mass=1.0, inertia=0.1, velocity=(0.1, 0))
    bed = m.add(lw.Translational("bed", m.ground.at(0, 0, angle=0), belt.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", belt.x, "0.1*t"))
    top = m.add(lw.Translational("top", belt.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", m.ground.at(-1, 0), block.at(0, 0), k=200, length=1.0))
    m.add(lw.Friction("rub", top, mu=0.2, mu_static=mu))
    m.add(lw.Friction("drag", bed, mu=0.1))
    return m


def thrown() -> lw.SpatialModel:
    """A ball in space that strikes an inclined floor, slides along it in two directions, and rolls in the end."""
    m = lw.SpatialModel("ball", gravity=(1, 0, -9.81))
    mu = m.parameter("mu", 0.3)
    ball = m.body("ball", mass=1.0, inertia=(0.004,) * 3, position=(0, 0, 0.15), velocity=(1, 0.5, 0))
    m.add(lw.Contact("floor", ball.at(0, 0, 0), m.ground.at(0, 0, 0), radii=(0.1, 0), mu=mu, restitution=0.2))
    return m


def smooth_and_struck() -> lw.PlanarModel:
    """Friction that creeps, beside impacts."""
    m = lw.PlanarModel("arm", gravity=(0, -9.81))
    e = m.parameter("e", 0.4)
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.add(lw.Friction("f", pin, mu=0.4, radius=0.1, stick=False))
    m.add(lw.Contact("floor", arm.at(0.5, 0), m.ground.at(0, -0.6, angle=0), restitution=e))
    return m


def wedged() -> lw.SpatialModel:
    """An arm in space, turned down onto a floor, where its tip can neither sink nor slide: forces are not unique, and the
    least of them would have more friction than there is."""
    m = lw.SpatialModel("arm", gravity=(0, 0, 0))
    mu = m.parameter("mu", 0.3)
    arm = m.body("arm", mass=1.0, inertia=(0.1,) * 3, position=(0.5, 0, 0))
    across = ((1, 0, 0), math.pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=across), arm.at(-0.5, 0, 0, rotation=across)))
    m.add(lw.Torque("turn", arm, (0, 8, 0)))
    m.add(lw.Contact("floor", arm.at(0.5, 0, 0), m.ground.at(0, 0, -0.96), restitution=0.2, mu=mu))
    return m


def guided() -> lw.SpatialModel:
    """A ball guided across a floor and up at 45 degrees: friction and pressure do the same to it, and the least of both
    would be too much friction for so little pressure."""
    m = lw.SpatialModel("guided", gravity=(0, -8, -6))
    mu = m.parameter("mu", 0.5)
    carriage = m.body("carriage", mass=1.0, inertia=(1, 1, 1))
    ball = m.body("ball", mass=1.0, inertia=(1, 1, 1), velocity=(1, 0, 0))
    along, up = ((0, 1, 0), math.pi / 2), ((1, 0, 0), -math.pi / 4)
    m.add(lw.Translational("rail", m.ground.at(0, 0, 0, rotation=along), carriage.at(0, 0, 0, rotation=along)))
    m.add(lw.Translational("guide", carriage.at(0, 0, 0, rotation=up), ball.at(0, 0, 0, rotation=up)))
    m.add(lw.Contact("floor", ball.at(0, 0, 0), m.ground.at(0, 0, -0.1), radii=(0.1, 0), restitution=0.0, mu=mu))
    return m


def row() -> lw.PlanarModel:
    """A level row of links on each other's centres of percussion: only the first turns, the others' joint sticks."""
    m = lw.PlanarModel("row", gravity=(0, -9.81))
    mu, end = m.parameter("mu", 0.3), m.ground.at(0, 0)
    for k in range(4):
        link = m.body(f"link {k}", mass=1.0, inertia=0.01, position=(0.2 * k + 0.1, 0))
        m.add(lw.Revolute(f"pin {k}", end, link.at(-0.1, 0)))
        end = link.at(0.1, 0)
    m.add(lw.Friction("rub", m["pin 3"], mu=mu, radius=0.05))
    m.add(lw.Stop("end", m["pin 0"].angle, lower=-0.1, restitution=0.0))
    return m


@pytest.mark.parametrize(
    ("make", "change", "happens"),
    [
        (row, {"mu": 0.2}, ("end rests",)),
        (on_a_belt, {"mu": 0.4}, ("rub slips", "rub sticks")),
        (wedged, {"mu": 0.2}, ("floor rests", "floor sticks")),
        (guided, {"mu": 0.4}, ("floor sticks",)),
        (thrown, {"mu": 0.1}, ("floor", "floor rests", "floor sticks")),
        (smooth_and_struck, {"e": 0.2}, ("floor rests",)),
        (EXAMPLES["tipping-block"].load, {"mu": 0.2}, ("left slips", "right slips")),
    ],
)  # fmt: skip
def test_friction_as_here(show: Show, make: Any, change: dict[str, float], happens: tuple[str, ...]) -> None:
    """To 1e-9 over more than a second: the same modes, decided at the same times."""
    m = make()
    opened = numbers(show, m, analysis="dynamics", t_end=1.2, steps=40)
    seen = set[str]()
    for values in ({}, change):
        assert put(opened, **values) == ""
        m.set(**values)
        d = lw.dynamics(m, t_end=1.2, steps=40)
        seen |= {name for _, name in d.events}
        assert_events(opened, d)
        assert_alike(opened, d)
    assert seen.issuperset(happens)


@pytest.mark.parametrize(
    ("make", "change", "t_end", "happens"),
    [
        (lifted, {"F": 50.0}, 1.2, "s parts"),
        (on_a_belt, {"mu": 0.4}, 1.2, "rub sticks"),
        (EXAMPLES["gripper"].load, {"mu": 0.3}, 1.4, "left pad slips"),  # more contacts stick than hold the part
    ],
)  # fmt: skip
def test_modes_that_are_not_compiled(
    show: Show, monkeypatch: pytest.MonkeyPatch, make: Any, change: dict[str, float], t_end: float, happens: str
) -> None:
    """Whatever is closed and stuck: the page computes it from the motion with nothing closed, where it has no equations."""
    monkeypatch.setattr("linkwright.live.dynamic.MOST_MODES", 1)
    m = make()
    opened = numbers(show, m, analysis="dynamics", t_end=t_end, steps=40)
    assert put(opened, **change) == ""
    m.set(**change)
    d = lw.dynamics(m, t_end=t_end, steps=40)
    assert happens in [name for _, name in d.events]
    assert_events(opened, d)
    assert_alike(opened, d)


def test_a_box_that_slides_on_four_corners_stops_as_a_whole(show: Show) -> None:
    """All at once, after v |v|/(2 mu g); which corner is the first to be at rest is rounding."""
    m = lw.SpatialModel("box", gravity=(0, 0, -10))
    mu = m.parameter("mu", 0.5)
    box = m.body("box", mass=1.0, inertia=(0.02,) * 3, position=(0, 0, 0.1), velocity=(0.5, 0.3, 0))
    for k, (x, y) in enumerate(((-0.2, -0.2), (-0.2, 0.2), (0.2, -0.2), (0.2, 0.2))):
        m.add(lw.Contact(f"c{k}", box.at(x, y, -0.1), m.ground.at(0, 0, 0), mu=mu, restitution=0.0))
    opened = numbers(show, m, analysis="dynamics", t_end=0.6, steps=20)
    for given in (0.4, 0.25):
        assert put(opened, mu=given) == ""
        end = math.hypot(0.5, 0.3) / (given * 10)
        names = [name for t, name in opened.page.evaluate("linkwright.events") if abs(t - end) < 1e-6]
        assert {f"c{k} sticks" for k in range(4)} <= set(names)
        for axis, v in (("x", 0.5), ("y", 0.3)):
            assert opened.page.evaluate(f"linkwright.channel('box.{axis}')")[-1] == pytest.approx(v * end / 2, abs=1e-7)


def test_pads_stop_with_the_hand(show: Show) -> None:
    """A gripper that cannot hold its part: both pads come to rest at once, where the hand stops, in the page as here. After
    that their friction is not unique, and forces are not compared."""
    m = EXAMPLES["gripper"].load()
    m.set(mu=0.3)
    opened, d = numbers(show, m, analysis="dynamics", t_end=1.6, steps=32), lw.dynamics(m, t_end=1.6, steps=32)
    told = opened.page.evaluate("linkwright.events")
    assert [name for _, name in told] == [name for _, name in d.events]
    # the lift begins without acceleration: when friction exceeds its bound is rounding
    assert [t for t, _ in told] == pytest.approx([t for t, _ in d.events], abs=1e-7)
    assert [t for t, name in told if t > 1 and name.endswith("pad sticks")] == pytest.approx([1.5, 1.5], abs=1e-9)
    own = channels(opened)
    for name in ("part.x", "part.y", "part.vy", "left.x", "right.x", "hand.y"):
        assert own[name] == pytest.approx(d[name], abs=1e-9), name
