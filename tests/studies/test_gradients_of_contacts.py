"""Gradients while contacts press and friction sticks: against closed forms, through capture, break-away and rest."""

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwright as lw
from linkwright.examples import example

g = 10.0


def differences(f, at):
    """df / d each of `at`, by name: central, extrapolated once."""
    out = {}
    for name, x in at.items():
        rough, fine = ((f(**{**at, name: x + h}) - f(**{**at, name: x - h})) / (2 * h) for h in (1e-3, 5e-4))
        out[name] = (4 * fine - rough) / 3
    return out


def slope(m, key, t_end, rtol=1e-9):
    return lw.gradient(m, lw.final(key), list(m.parameters), t_end=t_end, rtol=rtol)[1]


def test_a_slide_that_breaks_away():
    """Of a force r t: from t0 = mu_s g / r on vdot = r t - mu g."""
    m = lw.PlanarModel("push", gravity=(0, -g))
    mu, static, r = (m.parameter(name, x) for name, x in (("mu", 0.3), ("static", 0.4), ("r", 3.0)))
    b = m.body("b", mass=1.0, inertia=0.1)
    slide = m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Friction("rubs", slide, mu=mu, mu_static=static))
    m.add(lw.Force("push", slide, lambda x, v, t: r * t))
    t, t0 = 2.0, 0.4 * g / 3.0
    found = slope(m, "b.vx", t)
    expected = {
        "mu": -g * (t - t0), "static": -g / 3.0 * (3.0 * t0 - 0.3 * g), "r": (t**2 - t0**2) / 2 + t0 / 3.0 * (3.0 * t0 - 3.0)
    }  # fmt: skip
    assert found == pytest.approx(expected, rel=1e-6)
    assert slope(m, "rubs.force", 1.0) == pytest.approx({"mu": 0, "static": 0, "r": -1.0}, abs=1e-9)  # while it sticks


def sliding(mu, static, v0, r, t=2.5):
    """Where a block is that slides, is captured, and is pushed off by a force r t."""
    captured = brentq(lambda s: v0 - mu * g * s + r * s**2 / 2, 0, mu * g / r)
    off = static * g / r
    place = v0 * captured - mu * g * captured**2 / 2 + r * captured**3 / 6
    return place + r * (t**3 - off**3) / 6 - r * off**2 * (t - off) / 2 - mu * g * (t - off) ** 2 / 2


def test_a_block_on_two_feet():
    """Both feet are captured at once, their forces are then not unique, one after the other gives all it has."""
    at = {"mu": 0.3, "static": 0.35, "v0": 1.0, "r": 2.0}
    m = lw.PlanarModel("block", gravity=(0, -g))
    p = {name: m.parameter(name, x) for name, x in at.items()}
    b = m.body("b", mass=1.0, inertia=0.02, position=(0, 0.05), velocity=(p["v0"], 0))
    for k, x in enumerate((-0.1, 0.1)):
        m.add(
            lw.Contact(
                f"foot {k}", b.at(x, -0.05), m.ground.at(0, 0, angle=0), mu=p["mu"], mu_static=p["static"], restitution=0
            )
        )
    m.add(lw.PointForce("push", b.at(0, 0), (lambda t: p["r"] * t, 0.0)))
    assert slope(m, "b.x", 2.5) == pytest.approx(differences(sliding, at), rel=1e-6)


def test_a_ball_that_slides_then_rolls():
    """It rolls from t1 = 2 v0 / (7 mu g) on with 5 v0 / 7: x = 5 v0 t / 7 + v0 t1 / 7."""
    m = lw.PlanarModel("ball", gravity=(0, -g))
    mu, v0, R = (m.parameter(name, x) for name, x in (("mu", 0.3), ("v0", 1.0), ("R", 0.1)))
    b = m.body("b", mass=1.0, inertia=0.4 * R * R, position=(0, R), velocity=(v0, 0))
    m.add(lw.Contact("lane", b.at(0, 0), m.ground.at(0, 0, angle=0), radii=(R, 0), mu=mu, restitution=0))
    t1 = 2 / (7 * 0.3 * g)
    assert slope(m, "b.x", 1.0) == pytest.approx({"mu": -t1 / 7 / 0.3, "v0": 5 / 7 + 2 * t1 / 7, "R": 0.0}, abs=1e-7)
    assert slope(m, "b.omega", 1.0) == pytest.approx({"mu": 0.0, "v0": -50 / 7, "R": 500 / 7}, abs=1e-6)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_blows_that_stick(restitution):
    """A disc that falls from h: the blow makes it roll with 5 v0 / 7, at t1 = sqrt(2 (h - R) / g)."""
    m = lw.PlanarModel("fall", gravity=(0, -g))
    h, v0 = m.parameter("h", 0.3), m.parameter("v0", 1.0)
    b = m.body("b", mass=1.0, inertia=0.004, position=(0, h), velocity=(v0, 0))
    m.add(lw.Contact("c", b.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), mu=0.5, restitution=restitution))
    t1, t = np.sqrt(2 * 0.2 / g), 0.35
    assert slope(m, "b.x", t) == pytest.approx({"h": 2 / 7 / (g * t1), "v0": t1 + 5 / 7 * (t - t1)}, rel=1e-7)
    assert slope(m, "b.omega", t) == pytest.approx({"h": 0.0, "v0": -50 / 7}, abs=1e-7)


def test_the_end_of_many_bounces():
    """On a slope a without friction bounces do not change the motion along it; with friction on the level the momentum that
    it takes is mu g t, however the floor pushes."""
    m = lw.PlanarModel("slope", gravity=(0, -g))
    h, vx, e = m.parameter("h", 1.0), m.parameter("vx", 1.0), m.parameter("e", 0.5)
    b = m.body("b", mass=1.0, inertia=1.0, position=(0, h), velocity=(vx, 0))
    m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0.1), restitution=e))
    c, s = np.cos(0.1), np.sin(0.1)
    assert slope(m, "b.x", 3.0, 1e-8) == pytest.approx({"h": c * s, "vx": 3 * c * c, "e": 0.0}, abs=1e-6)

    m = lw.PlanarModel("level", gravity=(0, -g))
    mu, e = m.parameter("mu", 0.05), m.parameter("e", 0.3)
    b = m.body("b", mass=1.0, inertia=1.0, position=(0, 1), velocity=(3, 0))
    m.add(lw.Constraint("upright", b.angle))
    m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0), restitution=e, mu=mu))
    assert slope(m, "b.vx", 3.0, 1e-8) == pytest.approx({"mu": -30.0, "e": 0.0}, abs=1e-4)


def test_break_away_in_two_directions():
    """Of a force (r t, 1/2 + r t^2): integrated apart, from its first direction on, with r a little larger and smaller."""
    m = lw.SpatialModel("plate", gravity=(0, 0, -g))
    r, mu = m.parameter("r", 2.0), m.parameter("mu", 0.3)
    b = m.body("b", mass=1.0, inertia=(0.1, 0.2, 0.15))
    m.add(lw.Contact("c", b.at(0, 0, 0), m.ground.at(0, 0, 0), mu=mu, mu_static=0.35, restitution=0))
    m.add(lw.PointForce("push", b.at(0, 0, 0), (lambda t: r * t, lambda t: 0.5 + r * t * t, 0.0)))
    assert slope(m, "b.x", 2.0, 1e-8)["r"] == pytest.approx(0.64130625, abs=1e-7)
    assert slope(m, "b.y", 2.0, 1e-8)["r"] == pytest.approx(1.00978778, abs=1e-7)


def test_capture_of_a_ball_joint():
    m = lw.SpatialModel("pivot", gravity=(0, 0, -9.81))
    mu, w = m.parameter("mu", 0.3), m.parameter("w", 1.0)
    b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), omega=(0, 0, w))
    ball = m.add(lw.Spherical("ball", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Friction("rubs", ball, mu=mu, radius=0.1))
    rate = 0.3 * 9.81 * 0.1 / 0.1  # of the speed: it turns by w^2 / (2 rate)
    turn = 1.0 / (2 * rate)
    found = slope(m, "b.e3", 1.0)
    assert found == pytest.approx({"mu": -turn / 0.3 * np.cos(turn / 2) / 2, "w": 1 / rate * np.cos(turn / 2) / 2}, rel=1e-6)


def test_a_pawl_that_slides_round_a_tip():
    """Where the tip of a tooth takes over from its face the closed contact has another curvature; then it opens. Of an
    escapement, too, where a pin leaves so fast that its row turns while the motion hardly moves. The numbers are differences
    of runs at rtol 1e-12 with torques a little larger and smaller, good to their last digit."""
    known = [
        ("ratchet", 0.11, {"pawl.angle": 0.99134545, "pawl.omega": -522.990770}),
        ("ratchet", 0.12, {"pawl.angle": -16.6458676, "pawl.omega": -2680.60500}),
        ("escapement", 0.19, {"wheel.omega": 97115.303, "balance.omega": -326.938223}),
        ("escapement", 0.46, {"balance.omega": 585.82645}),  # with three partings
    ]
    for name, t, expected in known:
        m = example(name).load()
        for channel, number in expected.items():
            found = lw.gradient(m, lw.final(channel), ["torque"], t_end=t, steps=1, rtol=1e-10)[1]
            assert found["torque"] == pytest.approx(number, rel=3e-8)


def test_what_has_none():
    """A contact that just touches, a slide that just rests: with other values they do not."""
    m = lw.PlanarModel("just", gravity=(0, -g))
    h = m.parameter("h", 0.05)
    b = m.body("b", mass=1.0, inertia=0.02, position=(0, h), velocity=(1, 0))
    m.add(lw.Contact("foot", b.at(0, -0.05), m.ground.at(0, 0, angle=0), mu=0.1, restitution=0))
    with pytest.raises(lw.ModelError, match="just touches") as error:
        slope(m, "b.x", 0.1)
    assert error.value.element == ("foot",)

    m = lw.PlanarModel("rests", gravity=(0, -g))
    v = m.parameter("v", 0.0)
    b = m.body("b", mass=1.0, inertia=0.02, velocity=(v, 0))
    slide = m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Friction("rubs", slide, mu=0.3))
    with pytest.raises(lw.ModelError, match="just rests") as error:
        slope(m, "b.x", 0.1)
    assert error.value.element == ("rubs",)


@pytest.mark.parametrize("backward", [False, True])
def test_a_contact_that_touches_from_the_start_remembers_its_speed(backward):
    """Lankarani and Nikravesh's damping is by the speed at which the contact began, here that of the start; against central
    differences: of order two, 1e-5 of speeds of 1 m/s and runs to 1e-11."""
    m = lw.PlanarModel("pressed", gravity=(0, -9.81))
    speed = m.parameter("speed", -1.0)
    ball = m.body("ball", mass=1.0, inertia=0.1, position=(0, 0.09), velocity=(0, speed))
    m.add(
        lw.Contact(
            "floor",
            ball.at(0, 0),
            m.ground.at(0, 0, angle=0),
            radii=(0.1, 0),
            k=1e4,
            restitution=0.5,
            law="lankarani-nikravesh",
        )
    )
    names = ["speed"] if not backward else ["speed", "k2", "c2"]
    if backward:  # more names than numbers: by one run backward
        k2, c2 = m.parameter("k2", 5.0), m.parameter("c2", 0.1)
        m.add(lw.Spring("up", m.ground.at(0, 1), ball.at(0, 0), k=k2, length=0.9, c=c2))
    asked = {"t_end": 0.02, "steps": 2, "rtol": 1e-11, "atol": 1e-13}
    slope = lw.gradient(m, lw.final("ball.vy"), names, **asked)[1]["speed"]
    run, h = lw.prepare(m, **asked), 1e-5
    below, above = (float(run({"speed": -1.0 + s * h})["ball.vy"][-1]) for s in (-1, 1))
    assert slope == pytest.approx((above - below) / (2 * h), rel=1e-7)
