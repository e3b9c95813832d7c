"""Events of accelerations, reactions and forces, against closed forms: located to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import linkwright as lw
from linkwright.errors import ModelError

G, R = 10.0, 0.8
TIGHT = {"rtol": 1e-12, "atol": 1e-14}
PULL = "rod.fx*bob.x + rod.fy*bob.y"  # of a rod on its bob, outward: negative while it pulls


def swung(ratio, hold=None, dimension=2):
    """A bob of 2 kg at the lowest point of a circle of radius R, thrown with the speed sqrt(ratio g R)."""
    v = float(np.sqrt(ratio * G * R))
    m = (lw.PlanarModel if dimension == 2 else lw.SpatialModel)("bob", gravity=(0, -G) if dimension == 2 else (0, -G, 0))
    more = (0,) * (dimension - 2)
    inertia = 0.1 if dimension == 2 else (0.1, 0.1, 0.1)
    bob = m.body("bob", 2.0, inertia, position=(0, -R, *more), velocity=(v, 0, *more))
    if hold is None:
        m.add(lw.Distance("rod", m.ground.at(0, 0, *more), bob.at(0, 0, *more), R))
    else:
        m.add(hold(m, bob))
    m.fix(bob.vx, v)
    return m


def slack(ratio):
    """Where and when the rod's force m v^2/R + m g cos(theta) is zero: cos(theta) = (2 - ratio)/3."""
    theta = np.arccos((2 - ratio) / 3)
    time = quad(lambda x: np.sqrt(R / (G * (ratio - 2 * (1 - np.cos(x))))), 0, theta, epsabs=1e-14, epsrel=1e-13)[0]
    return theta, time


@pytest.mark.parametrize("method", ["dop853", "adams", "radau"])
def test_a_rod_goes_slack(method):
    """Time and place of a force that passes zero."""
    theta, t = slack(3.5)
    stop = lw.Watch(PULL, direction=1, stop=True)
    tolerance = TIGHT if method != "radau" else {"rtol": 1e-10, "atol": 1e-12}
    d = lw.dynamics(swung(3.5), t_end=2.0, steps=4, method=method, events={"slack": stop}, **tolerance)
    assert [name for _, name in d.events] == ["slack"]
    assert d.t[-1] == pytest.approx(t, abs=1e-10)
    assert d["bob.y"][-1] == pytest.approx(-R * np.cos(theta), abs=1e-10)
    force = [d["rod.fx"][-1], d["rod.fy"][-1]]
    assert force == pytest.approx([0, 0], abs=1e-10)  # what the result shows is zero there


@pytest.mark.parametrize("formulation", ["kane", "joint", "euler-parameters", "mixed"])
def test_each_formulation_finds_it(formulation):
    """In space; joint coordinates have no multipliers of the tree, "mixed" is solved from Python there."""
    hold = lambda m, bob: lw.Revolute("rod", m.ground.at(0, 0, 0), bob.at(0, R, 0))  # noqa: E731
    m = swung(3.5, hold, dimension=3)
    # a body that turns: with J = 0.1 about its centre, v^2 m' = v0^2 m' - 2 m g R (1 - cos), m' = m + J/R^2
    part = 1 / (1 + 0.1 / (2 * R * R))
    cos = (2 * part - 3.5) / (1 + 2 * part)
    theta = np.arccos(cos)
    rate = lambda x: np.sqrt(R / (G * (3.5 - 2 * part * (1 - np.cos(x)))))  # noqa: E731
    t = quad(rate, 0, theta, epsabs=1e-14, epsrel=1e-13)[0]
    events = {"slack": lw.Watch(lambda s: s["rod.fx"] * s["bob.x"] + s["rod.fy"] * s["bob.y"])}
    d = lw.dynamics(m, t_eval=[0, t + 0.01], formulation=formulation, events=events, rtol=1e-11, atol=1e-13)
    assert [x for x, _ in d.events] == pytest.approx([t], abs=1e-10)


def test_a_block_leaves_a_loop():
    """On a rail bent to a circle the block is pressed outward; it leaves where its normal force passes zero."""
    rail = lw.Curve.parametric(lambda a: R * lw.sin(a), lambda a: -R * lw.cos(a), start=0, end=2 * np.pi, closed=True)
    m = swung(4.0, lambda m, bob: lw.PointFollower("rail", bob.at(0, 0), m.ground.curve(rail), estimate=0.0))
    theta, t = slack(4.0)
    events = {"leaves": lw.Watch("rail.fx*bob.x + rail.fy*bob.y", stop=True)}
    d = lw.dynamics(m, t_end=2.0, steps=4, events=events, **TIGHT)
    assert d.t[-1] == pytest.approx(t, abs=1e-10)
    assert np.arctan2(d["bob.x"][-1], -d["bob.y"][-1]) == pytest.approx(theta, abs=1e-10)


def test_a_driver_that_begins_to_brake():
    """x = a sin(w t) against a damped spring: its force (k - m w^2) a sin(w t) + c w a cos(w t) is zero once a half turn."""
    m = lw.PlanarModel("shaker")
    block = m.body("block", 2.0, 1.0)
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", guide.displacement, "0.1*sin(5*t)"))
    m.add(lw.Spring("spring", m.ground.at(-1, 0), block.at(0, 0), k=80.0, length=1.0, c=6.0))
    events = {"brakes": "motor.force", "pulls": "spring.force", "peak": "block.ax + 1.25"}
    d = lw.dynamics(m, t_end=1.2, steps=3, events=events)
    found = {name: [t for t, n in d.events if n == name] for name in events}
    half = np.pi / 5
    for name, stiffness in (("brakes", 80 - 50), ("pulls", 80)):
        first = (np.pi - np.arctan2(30, stiffness)) / 5
        assert found[name] == pytest.approx([first, first + half], abs=1e-10), name
    assert found["peak"] == pytest.approx([half / 6, 5 * half / 6], abs=1e-10)


def test_an_acceleration_by_each_way_to_write_it():
    """x = cos(w t): x'' = -w^2 cos(w t) passes -w^2/2 at pi/(3 w), then at 5 pi/(3 w)."""
    m = lw.PlanarModel("oscillator")
    block = m.body("block", 2.0, 1.0, position=(1, 0))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Force("spring", block.x, lambda s, v, t: -18 * s))
    half = m.parameter("half", 4.5)
    ways = {
        "text": "block.ax + half", "function": lambda s: s["block.ax"] + half, "rate": lw.rate(block.vx) + half,
        "joint": lw.rate(lw.rate(guide.displacement)) + half, "force": "spring.force/2 + half",
    }  # fmt: skip
    d = lw.dynamics(m, t_end=2.0, steps=2, events=ways, **TIGHT)
    for way in ways:
        assert [t for t, n in d.events if n == way] == pytest.approx([np.pi / 9, 5 * np.pi / 9], abs=1e-10), way


def test_a_law_in_plain_python():
    """As above with a law that cannot be traced: the equations of motion are solved from Python."""
    m = lw.PlanarModel("oscillator")
    block = m.body("block", 2.0, 1.0, position=(1, 0))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Force("spring", block.x, lambda s: -18 * s if s > 0 else -20 * s))
    with pytest.warns(UserWarning, match="cannot be traced"):
        d = lw.dynamics(m, t_end=0.5, steps=1, events={"a": "block.ax + 4.5", "f": "spring.force + 9"}, **TIGHT)
    assert [t for t, _ in d.events] == pytest.approx([np.pi / 9] * 2, abs=1e-10)


def lifted(at):
    """A block of 3 kg on a rail; from the time `at` on 50 N lift it."""
    m = lw.PlanarModel("lifted", gravity=(0, -10))
    block = m.body("block", 3.0, 1.0, velocity=(1.0, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Force("crane", block.y, lambda s, v, t: lw.where(t < at, 0.0, 50.0)))
    return m


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_a_force_that_jumps_through_zero(direction):
    """The rail's force goes from 30 N to -20 N at once: that is an event, falling, at the time of the jump."""
    events = {"lifts": lw.Watch("rail.fy", direction=direction, stop=True)}
    d = lw.dynamics(lifted(0.3), t_end=1.0, steps=4, events=events)
    if direction == 1:
        assert d.events == []
        assert d.t[-1] == 1.0
    else:
        assert d.events == [(pytest.approx(0.3, abs=1e-14), "lifts")]
        assert d["block.x"][-1] == pytest.approx(0.3, abs=1e-12)


def test_a_change_of_the_state_lets_a_force_jump():
    """At the top of a full circle the bob is slowed down to a tenth: its rod has to push, which is an event there too."""
    events = {"top": lw.Watch("bob.x", direction=-1, change=lambda s: {"bob.vx": 0.1 * s["bob.vx"]}), "pushes": PULL}
    d = lw.dynamics(swung(6.0), t_end=0.6, steps=2, events=events, **TIGHT)
    top = quad(lambda x: np.sqrt(R / (G * (6 - 2 * (1 - np.cos(x))))), 0, np.pi, epsabs=1e-14, epsrel=1e-13)[0]
    assert [name for _, name in d.events] == ["pushes", "top"]
    assert [t for t, _ in d.events] == pytest.approx([top, top], abs=1e-10)


def test_a_force_that_is_zero_at_the_start_has_not_passed_zero():
    """Released from the level of its pin a rod begins without force, and pulls from then on."""
    m = lw.PlanarModel("released", gravity=(0, -G))
    bob = m.body("bob", 2.0, 0.1, position=(0.8 * R, 0.6 * R))
    m.add(lw.Distance("rod", m.ground.at(0, 0.6 * R), bob.at(0, 0), 0.8 * R))
    d = lw.dynamics(m, t_end=0.8, steps=2, events={"slack": "rod.fx*bob.x + rod.fy*(bob.y - 0.48)", "low": "bob.vy"})
    assert [name for _, name in d.events] == ["low"]


def twice():
    """A pendulum on two pins at one place."""
    m = lw.PlanarModel("twice", gravity=(0, -10))
    bar = m.body("bar", 1.0, 0.1, position=(1.0, 0))
    for name in ("A", "B"):
        m.add(lw.Revolute(name, m.ground.at(0, 0), bar.at(-1.0, 0)))
    return m


@pytest.mark.parametrize("method", ["auto", "generalized-alpha"])
def test_reactions_that_are_not_unique_are_no_events(method):
    with pytest.raises(ModelError, match="reactions that are not unique, those of A:") as error:
        lw.dynamics(twice(), t_end=1.0, events={"e": "A.fx"}, method=method)
    assert error.value.element == ("e",)
    assert "lw.check" in error.value.remedy
    d = lw.dynamics(twice(), t_end=1.0, steps=1, events={"e": "bar.alpha"}, method=method)  # those are unique
    assert d["bar.x"][-1] < 0
    assert [n for _, n in d.events] == ["e"]


def test_what_the_state_alone_tells():
    """Events of positions, velocities and time are told apart from those that need the forces."""
    m = swung(1.0)
    bob = m["bob"]
    for quantity in (bob.x, "bob.vx - t", lambda s: s["bob.y"] + s.t, lw.rate(bob.x)):
        assert m.order(lw.Watch(quantity).of_states(m)) >= 0
    for quantity in (PULL, "bob.ax", lambda s: s["rod.fx"], lw.rate(bob.vx), "bob.w"):
        assert lw.Watch(quantity).of_states(m) is None


@pytest.mark.parametrize(
    ("watched", "said", "remedy"),
    [
        ("rod.fz", "the name 'rod.fz' is not known", "rod.f"),
        (lambda s: s["bob.a"], "there is no channel 'bob.a'", "did you mean"),
        (lambda s: s["rod.fx"] and 1, "the truth of a traced value", "where"),
        ("rate(rod.fx)", "the rate of an acceleration or of a reaction is not known", "watch what"),
        ("rate(rate(bob.vx))", "the rate of an acceleration or of a reaction is not known", "watch what"),
        (lambda s: 3.0, "an event must depend on the machine", "give a quantity"),
    ],
)
def test_what_cannot_be_watched(watched, said, remedy):
    with pytest.raises(ModelError, match=said) as error:
        lw.dynamics(swung(1.0), t_end=1.0, events={"e": watched})
    assert error.value.element == ("e",)
    assert remedy in error.value.remedy


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_force_that_the_state_tells_jumps_too(formulation):
    """A block falls by h on a spring with a damper: at t = sqrt(2 h/g) its force is c sqrt(2 g h) at once, 44.3 N."""
    m = lw.PlanarModel("block", gravity=(0, -9.81))
    block = m.body("block", 2.0, 0.1, position=(0, 1))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=np.pi / 2), block.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Contact("floor", block.at(0, 0), m.ground.at(0, 0, angle=0), k=1e4, c=10))
    events = {"hit": lw.Watch("floor.force - 40", direction=1), "fall": lw.Watch("floor.force - 40", direction=-1)}
    d = lw.dynamics(m, t_end=0.452, steps=2, events=events, formulation=formulation, **TIGHT)
    assert [name for _, name in d.events] == ["hit"]
    assert d.events[0][0] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-10)


def test_events_of_forces_are_known_after_another_analysis_of_the_model():
    """What analyses keep with the equations of a model must not stand in the place of what it tells."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=0.1, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(-0.5, 0)))
    asked = {"t_end": 0.5, "steps": 5, "events": {"pull": "A.fy - 10"}}
    fresh = lw.dynamics(m.copy(), **asked)
    lw.linearize(m)
    after = lw.dynamics(m, **asked)
    assert after.events == fresh.events
    assert len(after.events) == 1


def test_what_an_event_asks_for_is_known_before_outputs_are():
    m = lw.PlanarModel("m")
    bob = m.body("bob", mass=1.0, inertia=1.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-1, 0)))
    read = {name: lw.Watch.of("e", q).of_states(m) is not None for name, q in {
        "speed": "bob.omega - 1", "acceleration": "bob.ay", "reaction": "pin.fx",
        "called": lambda s: s["bob.x"] + s["pin.fy"], "place": lambda s: s["bob.x"] - 1,
    }.items()}  # fmt: skip
    assert read == {"speed": True, "acceleration": False, "reaction": False, "called": False, "place": True}
    with pytest.raises(lw.ModelError, match="must depend on the machine") as caught:
        lw.Watch.of("e", "2").of_states(m)
    assert caught.value.element == ("e",)
