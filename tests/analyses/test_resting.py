"""Impacts that come to rest: their last time, the contact held after it with its reaction, and where it parts again."""

import numpy as np
import pytest

import linkwright as lw

G = 9.81


def ball(e, height=1.0, **more):
    """Dropped onto the ground, in the plane."""
    m = lw.PlanarModel("ball", gravity=(0, -G))
    b = m.body("ball", 2.0, 0.1, position=(0, height + 0.1), velocity=(0.3, 0))
    m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), restitution=e, **more))
    return m


def door(e, lower=-0.5, k=0.0):
    m = lw.PlanarModel("door", gravity=(0, -G))
    bar = m.body("bar", 1.0, 1 / 12, position=(0.5, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0)))
    m.add(lw.Stop("stop", pin.angle, lower=lower, restitution=e, k=k))
    return m


def at(d, name):
    return [t for t, n in d.events if n == name]


@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("options", [{}, {"method": "radau"}, {"method": "adams"}], ids=["auto", "radau", "adams"])
def test_a_ball_comes_to_rest(e, options):
    """Impacts end at sqrt(2h/g) (1 + e)/(1 - e): the limit of a geometric series, as near as impacts are located."""
    d = lw.dynamics(ball(e), t_end=6.0, steps=60, **options)
    end = np.sqrt(2 / G) * (1 + e) / (1 - e)
    assert at(d, "floor rests") == pytest.approx([end], abs=1e-8)
    lies = d.t > end
    assert lies.sum() > 10
    assert d["ball.y"][lies] == pytest.approx(0.1, abs=1e-9)
    assert d["ball.x"] == pytest.approx(0.3 * d.t, abs=1e-8)  # it slides on
    assert d["floor.force"][lies] == pytest.approx(2.0 * G, rel=1e-12)
    assert (d["floor.force"][~lies] == 0).all()
    assert d["ball.ay"][lies] == pytest.approx(0.0, abs=1e-12)
    assert d["ball.ay"][~lies] == pytest.approx(-G)
    assert d.audit.energy_error < 1e-7


@pytest.mark.parametrize(
    "options",
    [{}, {"formulation": "joint"}, {"formulation": "kane"}, {"constraints": "partitioning"}, {"constraints": "hybrid"},
     {"constraints": "stabilization"}, {"constraints": "augmented"}, {"formulation": "euler-parameters"},
     {"method": "generalized-alpha", "rtol": 1e-8}, {"method": "hht", "rtol": 1e-8}],
    ids=str,
)  # fmt: skip
def test_a_door_on_its_stop(options):
    """Lies there with the moment of its weight, all of which the pin carries."""
    d = lw.dynamics(door(0.5), t_end=3.0, steps=30, **options)
    assert len(at(d, "stop rests")) == 1
    lies = d.t > at(d, "stop rests")[0]
    assert d["bar.angle"][lies] == pytest.approx(-0.5, abs=1e-7)
    assert d["bar.omega"][lies] == pytest.approx(0.0, abs=1e-7)
    assert d["stop.torque"][lies] == pytest.approx(0.5 * G * np.cos(0.5), rel=1e-6)
    assert (d["stop.force"] == d["stop.torque"]).all()
    assert d.unit("stop.torque") == d.unit("stop.force") == "N m"
    assert d["pin.fy"][lies] == pytest.approx(G, rel=1e-6)
    assert max(np.abs(x).max() for x in d.imbalance.values()) < 1e-6


def test_in_space_and_on_a_sphere():
    """A ball on the ground, and one that comes to rest on top of it: each carries what is above."""
    m = lw.SpatialModel("two", gravity=(0, 0, -G))
    for k, (mass, z) in enumerate(((2.0, 0.5), (1.0, 1.6))):
        b = m.body(f"b{k}", mass, (0.1, 0.1, 0.1), position=(0, 0, z))
        m.add(lw.Translational(f"guide{k}", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Contact("floor", m["b0"].at(0, 0, 0), m.ground.at(0, 0, 0), radii=(0.1, 0), restitution=0.2))
    m.add(lw.Contact("top", m["b1"].at(0, 0, 0), m["b0"].at(0, 0, 0), radii=(0.1, 0.1), on="sphere", restitution=0.4))
    d = lw.dynamics(m, t_end=4.0, steps=4)
    assert d["b0.z"][-1] == pytest.approx(0.1, abs=1e-9)
    assert d["b1.z"][-1] == pytest.approx(0.3, abs=1e-9)
    assert d["floor.force"][-1] == pytest.approx(3.0 * G, rel=1e-9)
    assert d["top.force"][-1] == pytest.approx(G, rel=1e-9)


def test_a_box_on_two_corners():
    """Lands with one corner first, and stands: each corner carries its part of the weight, by the lever rule."""
    m = lw.PlanarModel("box", gravity=(0, -G))
    box = m.body("box", 3.0, 0.05, position=(0, 0.5), angle=0.1)
    for k, x in enumerate((-0.3, 0.1)):
        m.add(lw.Contact(f"c{k}", box.at(x, -0.1), m.ground.at(0, 0, angle=0), restitution=0.4))
    d = lw.dynamics(m, t_end=3.0, steps=30)
    assert d["box.angle"][-1] == pytest.approx(0.0, abs=1e-8)
    assert d["box.y"][-1] == pytest.approx(0.1, abs=1e-8)
    assert [d["c0.force"][-1], d["c1.force"][-1]] == pytest.approx([3.0 * G * 0.25, 3.0 * G * 0.75], rel=1e-8)


def test_a_ball_that_lies_there_from_the_start():
    d = lw.dynamics(ball(0.5, height=0.0), t_end=1.0, steps=4)
    assert at(d, "floor rests") == [0.0]
    assert d["floor.force"] == pytest.approx(2.0 * G, rel=1e-12)


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_it_parts_where_it_would_be_pulled(formulation):
    """On a table that goes up and down as A sin(w t), a body parts where the table falls faster than g: A w^2 sin = g; it
    flies as a stone does, and comes to rest again."""
    A, w = 0.02, 30.0
    m = lw.PlanarModel("table", gravity=(0, -G))
    table, b = m.body("table", 1.0, 0.1), m.body("b", 2.0, 0.1)
    for x in (table, b):
        m.add(lw.Translational(f"guide of {x.name}", m.ground.at(0, 0, angle=np.pi / 2), x.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Driver("motor", table.y, f"{A}*sin({w}*t)"))
    m.add(lw.Contact("on", b.at(0, 0), table.at(0, 0, angle=0), restitution=0.0))
    d = lw.dynamics(m, t_eval=np.linspace(0, 0.2, 401), formulation=formulation, rtol=1e-10)
    part = np.arcsin(G / (A * w**2)) / w
    assert at(d, "on parts")[0] == pytest.approx(part, abs=1e-9)
    assert d["on.force"][0] == 0  # the table begins with a blow, before which nothing presses
    lies = (d.t > 0) & (d.t < part - 1e-6)
    assert d["on.force"][lies] == pytest.approx(2.0 * (G - A * w**2 * np.sin(w * d.t[lies])), abs=1e-6)
    land = next(t for t in at(d, "on") if t > part)  # at the start the table takes it along by an impact
    flies = (d.t > part) & (d.t < land)
    s = d.t[flies] - part
    assert flies.sum() > 50
    assert d["b.y"][flies] == pytest.approx(G / w**2 + A * w * np.cos(w * part) * s - 0.5 * G * s**2, abs=1e-9)
    assert A * np.sin(w * land) == pytest.approx(
        G / w**2 + A * w * np.cos(w * part) * (land - part) - 0.5 * G * (land - part) ** 2, abs=1e-8
    )
    assert at(d, "on rests")[1] == pytest.approx(land, abs=1e-9)
    assert (d["on.force"] > -1e-9).all()
    assert d.audit.energy_error < 1e-6


def test_a_law_that_jumps_pulls_it_off():
    """From t = 1 on a force lifts it: no force passes zero on the way."""
    m = ball(0.0, height=0.0)
    m.add(lw.Force("lift", m["ball"].y, lambda s, v, t: lw.where(t < 1.0, 0.0, 50.0)))
    d = lw.dynamics(m, t_eval=[0, 0.5, 1.5])
    assert at(d, "floor parts") == pytest.approx([1.0], abs=1e-9)
    assert d["ball.y"][-1] == pytest.approx(0.1 + 0.5 * (25.0 - G) * 0.25, rel=1e-9)
    assert d["floor.force"].tolist() == pytest.approx([2 * G, 2 * G, 0.0])


def test_a_kick():
    """A change of the state takes a ball off the ground, and it comes to rest again."""
    kick = lw.Watch("t - 2", change=lambda s: {"ball.vy": 1.0})
    d = lw.dynamics(ball(0.5, height=0.1), t_end=4.0, steps=40, events={"kick": kick})
    assert at(d, "floor parts") == pytest.approx([2.0], abs=1e-12)
    assert at(d, "floor rests")[1] == pytest.approx(2.0 + 2 / G * 2, abs=1e-5)  # flights 2 v/g (1 + e + ...)
    assert d["ball.y"][-1] == pytest.approx(0.1, abs=1e-9)


def test_an_impact_elsewhere_opens_a_contact():
    """A seesaw's short arm lies on a stop; a ball that falls on the long arm lifts it off."""
    m = lw.PlanarModel("seesaw", gravity=(0, -G))
    beam, b = m.body("beam", 1.0, 0.1, position=(0, 0)), m.body("ball", 1.0, 0.01, position=(0.8, 0.5))
    pin = m.add(lw.Revolute("pin", m.ground.at(0.1, 0), beam.at(0.1, 0)))
    m.add(lw.Translational("guide", m.ground.at(0.8, 0, angle=np.pi / 2), b.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Stop("stop", pin.angle, upper=0.0, restitution=0.0))
    m.add(lw.Contact("hit", b.at(0, 0), beam.at(0, 0, angle=0), restitution=0.5))
    d = lw.dynamics(m, t_end=0.4, steps=40)
    fall = np.sqrt(2 * 0.5 / G)
    assert at(d, "stop rests")[0] == 0.0
    assert d["stop.force"][0] == pytest.approx(-0.1 * G, rel=1e-9)  # against the angle
    assert at(d, "hit")[0] == pytest.approx(fall, abs=1e-9)
    assert at(d, "stop parts") == pytest.approx([fall], abs=1e-9)
    # speed of approach v at the arm 0.7, inertia of the beam about its pin 0.11: omega = -(1 + e) v/(0.7 + 0.11/0.7)
    after = d.t > fall
    v = G * fall
    assert d["beam.omega"][after][0] == pytest.approx(-1.5 * v * 0.7 / (0.49 + 0.11), rel=0.05)


@pytest.mark.filterwarnings("ignore:the law of law cannot be traced")
def test_with_a_law_in_plain_python():
    m = ball(0.5)
    m.add(lw.Force("law", m["ball"].x, lambda s, v, t: -1.0 if s > 0 else 1.0))
    d = lw.dynamics(m, t_eval=[0.0, 2.0], method="dopri5", rtol=1e-6)
    assert d["floor.force"][-1] == pytest.approx(2.0 * G, rel=1e-9)


def test_large_machines():
    """Fifty bodies and more: what comes to rest does so in loops, too."""
    m = door(0.5)
    for k in range(50):
        m.body(f"free{k}", 1.0, 0.1, position=(k, 3))
    d = lw.dynamics(m, t_end=1.0, steps=2)
    assert d["stop.force"][-1] == pytest.approx(0.5 * G * np.cos(0.5), rel=1e-6)
    assert "loops" in d.audit.why
    assert [name for _, name in d.events][-1] == "stop rests"


def test_elastic_impacts_do_not_rest():
    d = lw.dynamics(ball(1.0), t_end=20.0, steps=20)
    assert not at(d, "floor rests")
    assert len(at(d, "floor")) == int((20.0 / np.sqrt(2 / G) + 1) / 2)


@pytest.mark.parametrize("law", [False, True])
@pytest.mark.filterwarnings("ignore:the law of law cannot be traced")
def test_the_force_of_a_contact_is_watched(law):
    """It jumps from zero where the door comes to rest, and passes 1 N m again where a growing force lifts the door; a
    reaction jumps with it."""
    m = door(0.0)
    m.add(lw.Torque("lift", m["bar"], lambda t: 2.0 * t))
    if law:
        m.add(lw.Force("law", m["bar"].x, lambda s, v, t: 0.0 if s > 0 else 1.0))
    d = lw.dynamics(m, t_end=2.5, steps=10, events={"push": "stop.force - 1", "pin": "pin.fy - 9"})
    rests, parts = at(d, "stop rests")[0], at(d, "stop parts")[0]
    weight = 0.5 * G * np.cos(0.5)
    assert parts == pytest.approx(weight / 2, abs=1e-8)
    assert at(d, "push") == pytest.approx([rests, (weight - 1) / 2], abs=1e-8)
    assert rests in at(d, "pin")


@pytest.mark.parametrize("looped", [False, True])
def test_a_force_that_sets_in_lifts_a_ball_that_rests(monkeypatch, looped):
    """From t = 0.7 on a = 25/2 - 9.81 upwards; a contact pushes only."""
    if looped:
        monkeypatch.setattr("linkwright.size_policy.LOOPED", 1)
    m = lw.PlanarModel("lift", gravity=(0, -9.81))
    ball = m.body("ball", mass=2.0, inertia=0.1, position=(3, 0.1))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), restitution=0.0))
    m.add(lw.Force("lift", ball.y, "where(t > 0.7, 25, 0)"))
    d = lw.dynamics(m, t_end=1.0, steps=10)
    assert d.events[-1] == (pytest.approx(0.7, abs=1e-12), "floor parts")
    assert d["ball.y"][-1] == pytest.approx((25 / 2 - 9.81) * 0.3**2 / 2, abs=1e-9)
    assert d["floor.force"][-1] == 0


def test_a_force_that_sets_in_breaks_a_joint_away():
    """mu m g = 4.905 holds 3 N, not 8 N."""
    m = lw.PlanarModel("block", gravity=(0, -9.81))
    block = m.body("block", mass=1.0, inertia=0.1)
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Friction("friction", guide, mu=0.5))
    m.add(lw.Force("push", block.x, "where(t > 0.4, 8, 3)"))
    d = lw.dynamics(m, t_end=1.0, steps=10)
    assert d["block.x"][4] == pytest.approx(0, abs=1e-12)
    assert d["block.x"][-1] == pytest.approx((8 - 4.905) * 0.6**2 / 2, abs=1e-7)


@pytest.mark.parametrize("looped", [False, True])
@pytest.mark.parametrize("dimension", [2, 3])
def test_limits_of_a_joint_hold_both_ways_and_let_go(dimension, looped, monkeypatch):
    """An arm between two limits of its pin, driven by a torque that turns round: it lies at one, bears what the torque is,
    leaves where that changes its sign, and lies at the other."""
    if looped:
        monkeypatch.setattr("linkwright.size_policy.LOOPED", 1)
    m = lw.PlanarModel("arm") if dimension == 2 else lw.SpatialModel("arm")
    arm = m.body("arm", mass=1.0, inertia=0.5 if dimension == 2 else (0.5,) * 3)
    origin = (0,) * dimension
    pin = m.add(lw.Revolute("pin", m.ground.at(*origin), arm.at(*origin)))
    m.add(lw.Stop("limits", pin.angle, lower=-0.3, upper=0.5, restitution=0.0))
    m.add(lw.Torque("drive", pin, lambda a, w, t: 2 - 2 * t))
    d = lw.dynamics(m, t_end=4.0, steps=16)
    assert d["pin.angle"].max() <= 0.5 + 1e-9
    assert d["pin.angle"].min() >= -0.3 - 1e-9
    at = int(np.argmin(np.abs(d.t - 0.75)))
    assert d["pin.angle"][at] == pytest.approx(0.5, abs=1e-9)
    assert d["limits.force"][at] == pytest.approx(-(2 - 2 * 0.75), abs=1e-9)
    parts = next(t for t, name in d.events if name == "limits parts")
    assert parts == pytest.approx(1.0, abs=1e-9)
    assert d["pin.angle"][-1] == pytest.approx(-0.3, abs=1e-9)
    assert d["limits.force"][-1] == pytest.approx(6.0, abs=1e-9)


def test_a_soft_stop_along_an_angle_tells_its_torque():
    """k times how far it is pressed in: at rest it bears the moment of the weight, driven it is what the driver adds."""
    m = door(None, k=1e3)
    rest = lw.equilibrium(m)
    assert rest["stop.torque"] == pytest.approx(1e3 * (-0.5 - rest["bar.angle"]), rel=1e-9)
    assert rest["stop.torque"] == pytest.approx(0.5 * G * np.cos(rest["bar.angle"]), rel=1e-9)
    m.add(lw.Driver("push", m["pin"].angle, "-0.6"))
    i = lw.inverse_dynamics(m, t_eval=[0.0])
    assert i["stop.torque"][0] == i["stop.force"][0] == pytest.approx(100.0, rel=1e-12)
    assert i["push.torque"][0] == pytest.approx(0.5 * G * np.cos(0.6) - 100.0, rel=1e-12)


@pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
def test_a_door_on_its_stop_by_methods_of_order_two(method):
    """It swings by its weight until it lies there: J alpha = -m g l cos(angle), in states that have no row for the stop."""
    d = lw.dynamics(door(0.5), t_end=3.0, steps=30, method=method)
    lies = d.t > at(d, "stop rests")[0]
    assert 3 < lies.sum() < 28
    assert d["bar.angle"][lies] == pytest.approx(-0.5, abs=1e-9)
    assert d["bar.alpha"][~lies] == pytest.approx(-G * 0.5 * np.cos(d["bar.angle"][~lies]) / (1 / 3), rel=1e-9)
