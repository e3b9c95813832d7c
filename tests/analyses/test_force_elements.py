"""Every kind of force on a machine whose motion is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from scipy.special import gamma

import linkwright as lw

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def block(mass=2.0, x=1.0, v=0.0, gravity=(0, 0)):
    """A block on a rail along x."""
    m = lw.PlanarModel("block", gravity=gravity)
    body = m.body("block", mass, 1.0, position=(x, 0), velocity=(v, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), body.at(0, 0, angle=0)))
    m.fix(body.x, x)
    m.fix(body.vx, v)
    return m, body


# -- springs with laws of the user ----------------------------------------------------------------------------------------


def test_a_spring_whose_stiffness_is_a_law():
    """k(l) = 3 l^2 with no free length: x'' = -3 x^3/m, of period 4 A^-1 sqrt(2 m/3) int_0^1 (1 - s^4)^(-1/2) ds."""
    m, body = block(mass=2.0, x=0.8)
    m.add(lw.Spring("s", m.ground.at(0, 1), body.at(0, 1), k=lambda x: 3 * x * x))
    quarter = np.sqrt(2 * 2.0 / 3) / 0.8 * np.sqrt(np.pi) * gamma(0.25) / (4 * gamma(0.75))
    d = lw.dynamics(m, t_eval=[0, 2 * quarter, 4 * quarter], **TIGHT)
    assert d["block.x"] == pytest.approx([0.8, -0.8, 0.8], abs=1e-8)


def test_a_damper_whose_coefficient_is_a_law():
    """c(v) = 0.6 |v|: v = v0/(1 + 0.6 v0 t/m); the actuator's text does nothing."""
    m, body = block(mass=2.0, x=1.0, v=3.0)
    m.add(lw.Spring("s", m.ground.at(-5, 0), body.at(0, 0), c=lambda v: 0.6 * lw.absolute(v), force="0*l + 0*v*t"))
    d = lw.dynamics(m, t_eval=[0, 1, 4], **TIGHT)
    assert d["block.vx"] == pytest.approx(3 / (1 + 0.6 * 3 * d.t / 2), abs=1e-9)
    assert d["block.x"] == pytest.approx(1 + 2 / 0.6 * np.log(1 + 0.6 * 3 * d.t / 2), abs=1e-9)


def test_an_actuator_of_time():
    """f = 5 sin(2 t) pulls the block toward the wall: x'' = -f/m."""
    m, body = block(mass=2.0, x=4.0)
    m.add(lw.Spring("s", m.ground.at(0, 0), body.at(0, 0), force=lambda x, v, t: 5 * lw.sin(2 * t)))
    d = lw.dynamics(m, t_eval=[0, 1.3], **TIGHT)
    assert d["block.vx"][1] == pytest.approx(-5 / 2 * (1 - np.cos(2.6)) / 2, abs=1e-9)


# -- forces and torques in ground and body axes ---------------------------------------------------------------------------


def test_forces_in_ground_axes_on_a_turning_body():
    """A ball that spins: a force at its centre in ground axes moves it straight, one in body axes does not."""
    m = lw.SpatialModel("ball")
    for name in ("a", "b"):
        body = m.body(name, 2.0, (1, 1, 1), omega=(0, 0, 1.0))
        m.add(lw.PointForce(f"F{name}", body.at(0, 0, 0), (4, 0, 0), frame="ground" if name == "a" else "body"))
    d = lw.dynamics(m, t_eval=[0, 1.5], **TIGHT)
    assert [d["a.x"][1], d["a.y"][1]] == pytest.approx([1.5**2, 0], abs=1e-10)
    assert [d["b.vx"][1], d["b.vy"][1]] == pytest.approx([2 * np.sin(1.5), 2 * (1 - np.cos(1.5))], abs=1e-9)


def test_torques_in_ground_and_body_axes():
    """A ball has one moment about all axes: J w' = n in ground axes, whatever it does; a top spun about its own axis."""
    m = lw.SpatialModel("bodies")
    ball = m.body("ball", 1.0, (2, 2, 2), orientation=((1, 2, 3), 0.8), omega=(0.3, -0.2, 0.1))
    top = m.body("top", 1.0, (1, 1, 0.5), position=(3, 0, 0), orientation=((1, 0, 0), 0.4))
    m.add(lw.Torque("in ground axes", ball, (0.5, 0, lambda t: lw.cos(t))))
    m.add(lw.Torque("in its own", top, (0, 0, 0.2), frame="body"))
    d = lw.dynamics(m, t_eval=[0, 2.0], **TIGHT)

    def momentum(k):
        p = [d[f"ball.e{i}"][k] for i in range(4)]
        return 2 * np.array(lw.moment_global(lw.moment_star([d[f"ball.w{c}"][k] for c in "xyz"], p), p), dtype=float)

    assert momentum(1) - momentum(0) == pytest.approx([1.0, 0, np.sin(2.0)], abs=1e-9)
    assert [d[f"top.w{c}"][1] for c in "xyz"] == pytest.approx([0, 0, 0.8], abs=1e-10)


def test_a_force_off_the_centre_in_ground_axes():
    """Its moment follows the body: a bar on a free pin at its centre, pulled at its end, swings as a pendulum."""
    m = lw.SpatialModel("bar")
    bar = m.body("bar", 1.0, (0.5, 0.7, 0.7), orientation=((0, 0, 1), np.pi / 2))
    m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), bar.at(0, 0, 0)))
    m.add(lw.PointForce("pull", bar.at(2, 0, 0), (3, 0, 0)))
    period = 4 * 1.8540746773013719 * np.sqrt(0.7 / 6)  # amplitude of 90 degrees
    d = lw.dynamics(m, t_eval=[0, period / 2, period], **TIGHT)
    assert d["pin.angle"] == pytest.approx(np.array([1, -1, 1]) * np.pi / 2, abs=1e-8)


# -- bushing --------------------------------------------------------------------------------------------------------------


def test_a_bushing_with_a_full_matrix():
    """Frequencies of a body on a 6 x 6 stiffness at its mass centre: K x = w^2 M x."""
    rng = np.random.default_rng(3)
    L = rng.normal(size=(6, 6)) * np.array([10, 10, 10, 1, 1, 1])[:, None]
    K = L @ L.T + np.diag([50, 50, 50, 1, 1, 1])
    m = lw.SpatialModel("block")
    body = m.body("block", 2.0, (0.4, 0.5, 0.6))
    m.add(lw.Bushing("mount", m.ground.at(0, 0, 0), body.at(0, 0, 0), k=K.tolist()))
    squares = scipy.linalg.eigh(K, np.diag([2, 2, 2, 0.4, 0.5, 0.6]), eigvals_only=True)
    assert (2 * np.pi * lw.linearize(m).frequencies) ** 2 == pytest.approx(squares, rel=1e-9)
    # and at rest under a small load it gives way by K^-1 F; turns are small: an error of their square
    F = 1e-4 * np.array([1.0, -2.0, 0.5])
    m.add(lw.PointForce("load", body.at(0, 0, 0), F.tolist()))
    e = lw.equilibrium(m)
    x = np.linalg.solve(K, [*F, 0, 0, 0])
    assert [e[f"block.{c}"] for c in "xyz"] == pytest.approx(x[:3], abs=1e-9)
    assert [2 * e[f"block.e{k}"] for k in (1, 2, 3)] == pytest.approx(x[3:], abs=1e-9)


def test_a_bushing_turned_far_comes_back():
    """Half a turn is not at rest: from 2.5 rad about an axis of its own it goes back to where it is not turned."""
    m = lw.SpatialModel("block")
    body = m.body("block", 1.0, (1, 1, 1), orientation=((1, 2, 2), 2.5))
    m.add(lw.Bushing("mount", m.ground.at(0, 0, 0), body.at(0, 0, 0), k=(1, 1, 1, 4, 4, 4), form="rotation vector"))
    alpha = [lw.dynamics(m, t_eval=[0, 1e-3])[f"block.alpha{c}"][0] for c in "xyz"]
    assert alpha == pytest.approx(-4 * 2.5 * np.array([1, 2, 2]) / 3, rel=1e-12)  # three equal stiffnesses: k theta
    e = lw.equilibrium(m)
    assert abs(e["block.e0"]) == pytest.approx(1, abs=1e-12)
    assert e.stability == "stable"


# -- friction -------------------------------------------------------------------------------------------------------------


def test_coulomb_friction_slows_a_block_to_rest():
    """v = v0 - mu g t until it stops at v0^2/(2 mu g); the smooth start of the law costs about its transition speed."""
    m, _ = block(mass=3.0, x=0.0, v=2.0, gravity=(0, -10))
    m.add(lw.Friction("rub", "rail", mu=0.4, transition=1e-4, stick=False))
    d = lw.dynamics(m, t_eval=[0, 0.25, 0.4, 1.0])
    assert d["block.vx"][1:3] == pytest.approx([2 - 4 * 0.25, 2 - 4 * 0.4], abs=1e-6)
    assert d["block.x"][3] == pytest.approx(4 / 8, abs=1e-4)  # the transition speed for a second
    assert abs(d["block.vx"][3]) < 1e-4
    assert d["rub.force"][1] == pytest.approx(-0.4 * 30, rel=1e-6)
    assert d.energy.work[-1] == pytest.approx(-0.5 * 3 * 4, rel=1e-3)


@pytest.mark.parametrize(("push", "moves"), [(13.0, False), (17.0, True)])
def test_stiction(push, moves):
    """mu_s N = 15 N holds 13 N (it creeps at less than the transition speed); 17 N breaks away, against mu N = 9 N."""
    m, body = block(mass=3.0, x=0.0, gravity=(0, -10))
    m.add(lw.Friction("rub", "rail", mu=0.3, mu_static=0.5, transition=1e-4, stick=False))
    m.add(lw.Force("push", body.x, push))
    d = lw.dynamics(m, t_eval=[0, 1.0, 2.0])
    if moves:
        assert np.diff(d["block.vx"])[1] == pytest.approx((17 - 9) / 3, rel=1e-6)
    else:
        assert np.abs(d["block.vx"]).max() < 2e-4


def test_viscous_friction_in_a_pin():
    """omega = omega0 exp(-c t/J)."""
    m = lw.PlanarModel("wheel")
    wheel = m.body("wheel", 1.0, 0.5, omega=4.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.Friction("oil", "pin", viscous=0.3, stick=False))
    d = lw.dynamics(m, t_eval=[0, 2.0], **TIGHT)
    assert d["wheel.omega"][1] == pytest.approx(4 * np.exp(-0.3 * 2 / 0.5), rel=1e-9)


def test_friction_of_a_pin_under_its_own_reaction():
    """A wheel pressed by its weight W on a pin of radius rho: omega' = -mu rho W/J."""
    m = lw.PlanarModel("wheel", gravity=(0, -10))
    wheel = m.body("wheel", 3.0, 0.5, omega=4.0)
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.Friction("rub", pin, mu=0.2, radius=0.1, transition=1e-6, stick=False))
    d = lw.dynamics(m, t_eval=[0, 2.0], **TIGHT)
    assert d["wheel.omega"][1] == pytest.approx(4 - 2 * 0.2 * 0.1 * 30 / 0.5, rel=1e-9)


def toggle(mu):
    """A crank pushes a slider through a steep rod: the rod's force presses the slider on its guide."""
    m = lw.PlanarModel("toggle")
    phi, a, b = 1.2, 1.0, 1.05
    beta = np.arcsin(a * np.sin(phi) / b)
    crank = m.body("crank", 1.0, 0.1, angle=phi)
    middle = (a * np.cos(phi) + b / 2 * np.cos(beta), a * np.sin(phi) - b / 2 * np.sin(beta))
    rod = m.body("rod", 0.1, 0.01, position=middle, angle=-beta)
    slider = m.body("slider", 1.0, 0.1, position=(a * np.cos(phi) + b * np.cos(beta), 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(a, 0), rod.at(-b / 2, 0)))
    m.add(lw.Revolute("C", rod.at(b / 2, 0), slider.at(0, 0)))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Friction("rub", guide, mu=mu, transition=1e-4, stick=False))
    m.add(lw.Torque("T", crank, -10.0))
    m.fix(crank.angle, phi)
    m.fix(crank.omega, -1.0)
    return m


def test_friction_that_makes_its_own_reaction():
    """The friction is mu times the force on the guide that it helps to make; beyond self-locking the machine jams."""
    d = lw.dynamics(toggle(0.6), t_end=0.1, steps=2, method="radau")
    assert -d["rub.force"] == pytest.approx(0.6 * np.abs(d["guide.fy"]), rel=1e-9)
    assert d["slider.vx"].min() > 1.5
    assert d.audit.notes == []
    d = lw.dynamics(toggle(3.0), t_end=0.3, steps=6, method="radau")
    assert np.abs(d["slider.vx"][1:]).max() < 1e-4  # creeps below the transition speed
    assert -d["rub.force"] == pytest.approx(3 * np.abs(d["guide.fy"]) * np.tanh(d["slider.vx"] / 1e-4), rel=1e-9)
    assert d.audit.notes == []
    d = lw.dynamics(toggle(12.0), t_end=1e-6, steps=1)  # in motion no friction agrees with the reaction it makes
    assert "all but self-locking" in str(d.audit)
    assert "(rub)" in str(d.audit)


# -- stops and contacts ---------------------------------------------------------------------------------------------------


def test_a_bump_stop_returns_the_block():
    """Linear stop at 0: reached after 0.5 s, in contact for pi sqrt(m/k), depth v sqrt(m/k); then all is reversed."""
    m, body = block(mass=2.0, x=1.0, v=-2.0)
    m.add(lw.Stop("stop", body.x, lower=0.0, upper=5.0, k=800.0))
    half = np.pi * np.sqrt(2 / 800)
    d = lw.dynamics(m, t_eval=[0, 0.5 + half / 2, 0.5 + half, 1.0 + half], **TIGHT)
    assert d["block.x"][1:] == pytest.approx([-2 * np.sqrt(2 / 800), 0, 1], abs=1e-9)
    assert d["block.vx"][2:] == pytest.approx([2, 2], abs=1e-8)
    assert d["stop.force"][1] == pytest.approx(2 * np.sqrt(2 * 800), rel=1e-8)
    assert d.audit.switches in (
        2,
        3,
    )  # where it parts, force and gap pass zero at one time: met as one, or one after the other


def test_a_stop_at_both_ends():
    """Between two stops: a period of twice the way and twice the time in contact."""
    m, body = block(mass=2.0, x=0.5, v=2.0)
    m.add(lw.Stop("stop", body.x, lower=0.0, upper=1.0, k=800.0))
    period = 2 * (1.0 / 2.0 + np.pi * np.sqrt(2 / 800))
    d = lw.dynamics(m, t_eval=[0, period], **TIGHT)
    assert [d["block.x"][1], d["block.vx"][1]] == pytest.approx([0.5, 2.0], abs=1e-8)


def falling(law, **data):
    """A ball of 0.1 m, 2 kg, without weight, meets a floor at 3 m/s; (when it parts, at which speed, the greatest depth)."""
    m = lw.SpatialModel("ball")
    ball = m.body("ball", 2.0, (0.01, 0.01, 0.01), position=(0, 0, 0.4), velocity=(0.5, 0, -3.0))
    m.add(lw.Contact("floor", ball.at(0, 0, 0), m.ground.at(0, 0, 0), radii=(0.1, 0), k=1e5, law=law, **data))
    gap = ball.z - 0.1
    d = lw.dynamics(m, t_eval=[0, 0.3], **TIGHT, events={"gap": gap, "deepest": ball.vz})
    turn = next(t for t, name in d.events if name == "deepest")
    deepest = 0.1 - lw.dynamics(m, t_eval=[0, turn], **TIGHT)["ball.z"][-1]
    assert d["ball.vx"][-1] == pytest.approx(0.5, abs=1e-12)  # nothing rubs
    touched = [t for t, name in d.events if name == "gap"]
    assert len(touched) == 2
    return touched[1] - touched[0], d["ball.vz"][-1], deepest


def test_hertz():
    """Depth ((n + 1) m v^2/(2 k))^(1/(n + 1)); duration 2 d/v B(1/(n + 1), 1/2)/(n + 1) ... = 2.9432 d/v for n = 3/2."""
    time, speed, depth = falling("hertz")
    greatest = (2.5 * 2.0 * 9 / (2 * 1e5)) ** 0.4
    assert depth == pytest.approx(greatest, rel=1e-8)
    assert speed == pytest.approx(3.0, rel=1e-8)
    integral = np.sqrt(np.pi) * gamma(0.4) / gamma(0.9) / 2.5  # int_0^1 (1 - s^(5/2))^(-1/2) ds
    assert time == pytest.approx(2 * greatest / 3 * integral, rel=1e-7)


def parting(a):
    """b of a - ln(1 + a) = -b - ln(1 - b): m v dv/(1 + (c/k) v) = -k d^n dd from the impact to the parting."""
    return scipy.optimize.brentq(lambda b: a - np.log1p(a) + b + np.log1p(-b), 1e-12, 1 - 1e-15, xtol=1e-15)


def test_hunt_and_crossley():
    """The speed of parting does not depend on k, m or the exponent: only on c v/k."""
    a = 1.5e4 * 3.0 / 1e5
    for exponent in (1.5, 1.1):
        _, speed, _ = falling("hunt-crossley", c=1.5e4, exponent=exponent)
        assert speed == pytest.approx(3.0 * parting(a) / a, rel=1e-7)


def test_lankarani_and_nikravesh():
    """c = 3 k (1 - e^2)/(4 v) with the speed v of this impact: for e near one the bodies part at nearly e v."""
    for e in (0.95, 0.7):
        a = 0.75 * (1 - e * e)
        _, speed, _ = falling("lankarani-nikravesh", restitution=e)
        assert speed == pytest.approx(3.0 * parting(a) / a, rel=1e-7)
        assert abs(speed / 3.0 - e) < 1.5 * (1 - e) ** 2  # as good as its derivation, for e near one


def test_each_impact_has_its_own_speed():
    """A block between two stops: every impact leaves the same fraction of the speed it came with."""
    m, body = block(mass=2.0, x=0.5, v=4.0)
    m.add(lw.Stop("walls", body.x, lower=0.0, upper=1.0, k=1e6, law="lankarani-nikravesh", restitution=0.8))
    d = lw.dynamics(m, t_eval=[0, 0.25, 0.55, 1.0], **TIGHT)
    a = 0.75 * (1 - 0.64)
    fraction = parting(a) / a
    assert d["block.vx"] == pytest.approx([4, -4 * fraction, 4 * fraction**2, -4 * fraction**3], rel=1e-7)
    assert d.audit.energy_error < 1e-8
    d = lw.dynamics(m, t_eval=[0, 0.25, 0.55, 1.0], method="generalized-alpha", rtol=1e-6)
    assert d["block.vx"] == pytest.approx([4, -4 * fraction, 4 * fraction**2, -4 * fraction**3], rel=1e-4)  # of order two


def test_two_balls_exchange_their_speeds():
    """Equal masses, head-on, elastic: the moving ball stops. On one side they only touch: nothing happens."""
    m = lw.SpatialModel("balls")
    a = m.body("a", 2.0, (0.01, 0.01, 0.01), velocity=(1.5, 0, 0))
    b = m.body("b", 2.0, (0.01, 0.01, 0.01), position=(0.5, 0, 0))
    c = m.body("c", 2.0, (0.01, 0.01, 0.01), position=(0.25, 0, 0.21))
    for other in (b, c):
        m.add(
            lw.Contact(
                f"hit {other.name}", a.at(0, 0, 0), other.at(0, 0, 0), radii=(0.1, 0.1), on="sphere", k=1e5, law="hertz"
            )
        )
    d = lw.dynamics(m, t_eval=[0, 1.0], **TIGHT)
    assert [d["a.vx"][1], d["b.vx"][1]] == pytest.approx([0, 1.5], abs=1e-8)
    assert np.abs([d[f"c.v{x}"][1] for x in "xyz"]).max() == 0


def test_balls_that_meet_aside():
    """Elastic and smooth: the speeds along the line of centres at the impact are exchanged, across it they stay."""
    m = lw.PlanarModel("balls")
    a = m.body("a", 2.0, 0.01, velocity=(1.0, 0))
    b = m.body("b", 2.0, 0.01, position=(1.0, 0.1))
    m.add(lw.Contact("hit", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.1), on="sphere", k=1e9))
    d = lw.dynamics(m, t_eval=[0, 1.0], **TIGHT)
    n = np.array([np.sqrt(0.04 - 0.01), 0.1]) / 0.2
    after = n[0] * n
    # the line of centres turns by v tau/(2 R) during the contact, tau = pi sqrt(m/(2 k)) = 1e-4 s
    assert [d["b.vx"][1], d["b.vy"][1]] == pytest.approx(after, abs=5e-4)
    assert [d["a.vx"][1] + d["b.vx"][1], d["a.vy"][1] + d["b.vy"][1]] == pytest.approx([1, 0], abs=1e-9)
    assert d["a.omega"][1] == 0


def test_a_point_on_a_tilted_plane():
    """A mass slides down a smooth plane on a stiff contact: g sin(angle) along it; it rests in it by m g cos/k."""
    tilt = 0.3
    m = lw.PlanarModel("slope", gravity=(0, -10))
    depth = 2.0 * 10 * np.cos(tilt) / 1e6
    normal = np.array([-np.sin(tilt), np.cos(tilt)])
    ball = m.body("ball", 2.0, 1.0, position=-depth * normal)
    m.add(lw.Contact("slope", ball.at(0, 0), m.ground.at(0, 0, angle=tilt), k=1e6))
    m.fix(ball.x, -depth * normal[0])
    m.fix(ball.y, -depth * normal[1])
    d = lw.dynamics(m, t_eval=[0, 0.5], **TIGHT)
    way = -0.5 * 10 * np.sin(tilt) * 0.25
    assert [d["ball.x"][1], d["ball.y"][1]] == pytest.approx(
        [way * np.cos(tilt) - depth * normal[0], way * np.sin(tilt) - depth * normal[1]], abs=1e-9
    )
    assert d["slope.force"] == pytest.approx([20 * np.cos(tilt)] * 2, rel=1e-5)


@pytest.mark.parametrize("shift", [0.0, 1e-16, -1e-16])
def test_events_at_the_very_moment_at_which_a_law_changes(shift):
    """They are neither lost nor told twice, whatever rounding says which comes first; a stop among them is obeyed."""
    m, body = block(mass=1.0, x=1.0, v=-1.0)
    m.add(lw.Force("f", body.x, lambda s, v, t: lw.where(s < 0.3, -2.0 * s, 0.0)))
    passing = {"place": body.x - (0.3 + shift)}
    d = lw.dynamics(m, t_end=1.0, steps=2, events=passing)
    assert d.events == [(pytest.approx(0.7, abs=1e-12), "place")]
    assert d.audit.switches == 1
    d = lw.dynamics(m, t_end=1.0, steps=2, events={**passing, "end": lw.Watch(3 * body.x - 0.9, -1, stop=True)})
    assert sorted(name for _, name in d.events) == ["end", "place"]
    assert d.t[-1] == pytest.approx(0.7, abs=1e-12)


def test_parameters_of_a_law_that_have_the_name_of_an_argument_get_it():
    """A law of (s, v, t) that says `t` means the time, wherever it says so; others follow in their order."""
    m = lw.PlanarModel("m")
    b = m.body("b", mass=1.0, inertia=1.0, position=(2, 0), velocity=(3, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    laws = {
        "of time": lambda t: 5 * t,
        "of place and time": lambda s, t: s + 5 * t,
        "time first": lambda t, x, v: x + 10 * v + 100 * t,
        "of speed": lambda v: 7 * v,
        "in order": lambda a, b, c: a + 10 * b + 100 * c,
        "in plain Python": lambda s, t: float(s) + 5 * float(t),
    }
    for name, law in laws.items():
        m.add(lw.Force(name, b.x, law))
    with pytest.warns(UserWarning, match="cannot be traced"):
        d = lw.dynamics(m, t_start=1.0, t_end=1.1, steps=1)
    expected = {
        "of time": 5,
        "of place and time": 7,
        "time first": 132,
        "of speed": 21,
        "in order": 132,
        "in plain Python": 7,
    }
    assert {name: d[f"{name}.force"][0] for name in laws} == pytest.approx(expected, rel=1e-12)
