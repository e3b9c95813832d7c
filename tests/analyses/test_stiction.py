"""Dry friction that sticks, in joints: at rest is at rest, break-away and capture are events, against closed forms."""

from math import atan, cos, pi, sin, sqrt

import numpy as np
import pytest

import linkwright as lw

G = 10.0


def incline(a, speed=0.0, **friction):
    m = lw.PlanarModel("incline", gravity=(0, -G))
    block = m.body("block", mass=2.0, inertia=0.1, angle=a, velocity=(speed * cos(a), speed * sin(a)))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=a), block.at(0, 0, angle=0)))
    m.add(lw.Friction("rub", guide, **{"mu": 0.3, "mu_static": 0.4, **friction}))
    return m


def test_a_block_below_the_angle_of_repose_does_not_creep():
    d = lw.dynamics(incline(atan(0.39)), t_end=100.0, steps=10)
    assert np.abs(d["guide.displacement"]).max() < 1e-12  # what is asked for; it is zero but for rounding
    assert np.abs(d["rub.force"] - 2 * G * sin(atan(0.39))).max() < 1e-12  # it carries the weight, all of the time
    assert not d.events
    assert d.audit.sticks == d.audit.slips == 0  # it begins so, nothing happens


@pytest.mark.parametrize("constraints", ["projection", "stabilization", "hybrid", "direct"])
def test_a_block_in_space_does_not_creep(constraints):
    """To what is asked for. Steps as long as the stability of stabilised rows allows let rounding grow to 1e-10."""
    a = atan(0.29)
    m = lw.SpatialModel("incline", gravity=(G * sin(a), 0, -G * cos(a)))
    block, along = m.body("block", 2.0, (0.1, 0.1, 0.1)), {"rotation": ((0, 1, 0), np.pi / 2)}
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, 0, **along), block.at(0, 0, 0, **along)))
    m.add(lw.Friction("rub", guide, mu=0.2, mu_static=0.3))
    d = lw.dynamics(m, t_end=100.0, steps=20, constraints=constraints)
    assert np.abs(d["guide.displacement"]).max() < 1e-12


@pytest.mark.parametrize("formulation", ["newton-euler", "joint", "kane"])
def test_a_block_above_it_slides_with_mu_at_once(formulation):
    a = atan(0.41)
    d = lw.dynamics(incline(a), t_end=1.0, steps=4, formulation=formulation)
    assert d["guide.displacement"] == pytest.approx(-0.5 * G * (sin(a) - 0.3 * cos(a)) * d.t**2, abs=1e-9)
    assert d["rub.force"] == pytest.approx(0.3 * 2 * G * cos(a), rel=1e-9)  # from the first instant on
    assert d.audit.energy_error < 1e-9


def test_a_block_that_goes_up_is_captured_and_stays():
    d = lw.dynamics(incline(0.3, speed=3.0), t_end=2.0, steps=8)
    stop = 3.0 / (G * (sin(0.3) + 0.3 * cos(0.3)))
    assert [(round(t, 9), name) for t, name in d.events] == [(round(stop, 9), "rub sticks")]
    assert (d.audit.sticks, d.audit.slips) == (1, 0)
    assert d["guide.displacement"][-1] == pytest.approx(1.5 * stop, rel=1e-9)
    assert np.abs(d["block.vx"][d.t > stop]).max() < 1e-40  # of an acceleration of 1e-50: the interpolant's rounding
    assert d.audit.energy_error < 1e-9  # with the work of friction


def test_the_smooth_law_stays_available():
    """It creeps at v_t artanh(p), p = 0.35/0.4, a little faster as mu falls from mu_static."""
    d = lw.dynamics(incline(atan(0.35), stick=False, transition=1e-4), t_end=1.0, steps=2)
    assert -1e-3 < d["guide.displacement"][-1] < -1e-4


def test_a_force_that_grows_breaks_away_at_the_static_coefficient():
    m = incline(0.0)
    m.add(lw.PointForce("pull", m.bodies["block"].at(0, 0), ("4*t", "0")))
    d = lw.dynamics(m, t_end=3.0, steps=6)
    assert [(round(t, 6), name) for t, name in d.events] == [(2.0, "rub slips")]  # 4 t = 0.4 m g
    late = d.t[-1] - 2.0
    assert d["guide.displacement"][-1] == pytest.approx((8 - 0.3 * 20) / 2 * late**2 / 2 + 4 / 2 * late**3 / 6, rel=1e-6)


def test_a_law_that_jumps_breaks_away_at_once():
    m = incline(0.0)
    m.add(lw.PointForce("pull", m.bodies["block"].at(0, 0), ("where(t < 1, 1, 20)", "0")))
    d = lw.dynamics(m, t_end=2.0, steps=2)
    assert [name for _, name in d.events] == ["rub slips"]
    assert d.events[0][0] == pytest.approx(1.0, abs=1e-9)
    assert d["guide.displacement"][-1] == pytest.approx((20 - 6) / 2 / 2, rel=1e-8)


def test_stick_and_slip_on_a_belt_against_the_closed_form():
    """Sticking lasts 2 (x_s - x_k)/V, slipping 2 (pi - atan((x_s - x_k) w/V))/w; x_s, x_k: mu N/k at rest, in motion."""
    V, k, M, mu, static = 0.5, 40.0, 1.0, 0.2, 0.35
    m = lw.PlanarModel("belt", gravity=(0, -G))
    belt = m.body("belt", mass=5.0, inertia=1.0)
    block = m.body("block", mass=M, inertia=0.1, velocity=(V, 0))
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), belt.at(0, 0, angle=0)))
    top = m.add(lw.Translational("top", belt.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Driver("drive", rail.displacement, f"{V}*t"))
    m.add(lw.Spring("spring", m.ground.at(-10, 0), block.at(0, 0), k=k, length=10.0))
    m.add(lw.Friction("rub", top, mu=mu, mu_static=static))
    d = lw.dynamics(m, t_end=4.0, steps=10)
    w, apart = sqrt(k / M), (static - mu) * M * G / k
    stick, slip = 2 * apart / V, 2 * (pi - atan(apart * w / V)) / w
    assert [name for _, name in d.events] == ["rub slips", "rub sticks"] * 3 + ["rub slips"]
    times = [t for t, _ in d.events]
    assert times[0] == pytest.approx(static * M * G / k / V, rel=1e-9)
    assert np.diff(times) == pytest.approx([slip, stick] * 3, rel=1e-7)
    assert (d.audit.sticks, d.audit.slips) == (3, 4)
    assert d.audit.energy_error < 1e-6  # belt, spring and friction: they turn over much more than is stored


def swinging(**friction):
    m = lw.PlanarModel("balance")
    wheel = m.body("wheel", mass=1.0, inertia=0.5, angle=1.0)
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.TorsionSpring("spring", pin, k=8.0))
    m.add(lw.Friction("rub", pin, **friction))
    return m


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_swing_loses_the_same_angle_each_half_and_stops(method):
    """By 2 c/k = 0.15 each half swing of pi/w: 1, -0.85, 0.7, ..., 0.1, 0.05, where the spring pulls by less."""
    d = lw.dynamics(swinging(level=0.6), t_end=12.0, steps=12, method=method)
    assert [name for _, name in d.events] == ["rub sticks"]
    assert d.events[0][0] == pytest.approx(7 * pi / 4, rel=1e-7)  # w = sqrt(8/0.5) = 4
    assert d["A.angle"][-1] == pytest.approx(0.05, abs=1e-7)
    assert d["A.angle"][-1] == d["A.angle"][-3]
    assert d["rub.torque"][-1] == pytest.approx(0.4, abs=1e-6)


def test_methods_of_second_order_stick_too():
    d = lw.dynamics(swinging(level=0.6), t_end=8.0, steps=8, method="generalized-alpha", rtol=1e-7)
    assert [name for _, name in d.events] == ["rub sticks"]
    assert d["A.angle"][-1] == pytest.approx(0.05, abs=1e-4)
    assert d["A.angle"][-1] == pytest.approx(d["A.angle"][-2], abs=1e-12)


def stacked(pull, below=0.2, between=0.4):
    """A block on a block on the ground; a force pulls the lower one."""
    m = lw.PlanarModel("stacked", gravity=(0, -G))
    lower, upper = (
        m.body(n, mass=x, inertia=0.1, position=(0, y)) for n, x, y in (("lower", 3.0, 0.0), ("upper", 1.0, 0.2))
    )
    floor = m.add(lw.Translational("floor", m.ground.at(0, 0, angle=0), lower.at(0, 0, angle=0)))
    top = m.add(lw.Translational("top", lower.at(0, 0.2, angle=0), upper.at(0, 0, angle=0)))
    m.add(lw.Friction("on floor", floor, mu=below))
    m.add(lw.Friction("on block", top, mu=between))
    m.add(lw.PointForce("pull", lower.at(0, 0), (f"{pull}", "0")))
    return m


@pytest.mark.parametrize(
    ("pull", "lower", "upper"),
    [
        (7.0, 0.0, 0.0),
        (16.0, 2.0, 2.0),
        (30.0, (30 - 8 - 4) / 3, 4.0),
    ],  # at rest; as one: (F - mu M g)/M; the upper lags behind
)
def test_two_blocks_stacked(pull, lower, upper):
    d = lw.dynamics(stacked(pull), t_end=1.0, steps=2)
    assert d["lower.x"][-1] == pytest.approx(lower / 2, abs=1e-9)
    assert d["upper.x"][-1] == pytest.approx(upper / 2, abs=1e-9)


def crank(**friction):
    m = lw.PlanarModel("slider crank", gravity=(0, -G))
    bar = m.body("crank", mass=1.0, inertia=0.1, position=(0.0, 0.1), angle=pi / 2)
    rod = m.body("rod", mass=1.0, inertia=0.1, position=(0.229, 0.1), angle=-0.4115)
    slider = m.body("slider", mass=1.0, inertia=0.1, position=(0.458, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(-0.1, 0)))
    m.add(lw.Revolute("B", bar.at(0.1, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    for J in "ABC":
        m.add(lw.Friction(f"rub {J}", m[J], level=0.3, **friction))
    m.add(lw.Friction("rub D", m["D"], level=2.0, **friction))
    return m


def test_a_driven_machine_sticks_at_nothing():
    """Whatever drives it has the force: friction turns with the motion, at dead centres and where the driver dwells."""
    m = crank()
    rise = lw.Cycloid(start=0.2, duration=1.0, height=6.0, offset=pi / 2)
    m.add(lw.Driver("drive", m["A"].angle, rise))
    d = lw.dynamics(m, t_end=1.6, steps=32)
    assert not d.events
    assert d.audit.sticks == 0
    assert d["A.angle"][-1] == pytest.approx(pi / 2 + 6.0, abs=1e-8)


def test_several_that_stick_hold_by_all_they_have():
    """All four joints stick where one would do: the crank breaks away where its torque exceeds what all can hold together.

    By virtual work: T = sum of level |d angle/d crank|, less the weight's part.
    """
    m = crank()
    m.add(lw.Torque("push", m["A"], "t"))
    d = lw.dynamics(m, t_end=4.0, steps=8)
    first = next(t for t, name in d.events if name.endswith("slips"))
    rod = -0.2 * sin(pi / 2) * 0  # the crank is upright: the rod only moves along, its angle stands
    held = (
        0.3 * (1 + abs(rod - 1) + abs(rod)) + 2.0 * 0.2
    )  # A; B: crank against rod; C; the slider moves by 0.2 rad of crank
    assert first == pytest.approx(held, rel=1e-3)  # upright to 1e-4: the weight's part is as small
    assert any("not unique" in note for note in d.audit.notes)


def test_a_ball_joint_sticks_and_breaks_away_against_the_motion_that_begins():
    m = lw.SpatialModel("ball", gravity=(0, 0, -G))
    ball = m.body("ball", mass=3.0, inertia=(0.5, 0.5, 0.5))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), ball.at(0, 0, 0)))
    m.add(lw.Friction("rub", "S", mu=0.2, mu_static=0.25, radius=0.1))
    m.add(lw.Torque("push", ball, ("0.3*t", "0.4*t", "0")))  # 0.5 t against 0.75, then 0.6 N m
    d = lw.dynamics(m, t_end=2.0, steps=8)
    assert [(round(t, 6), name) for t, name in d.events] == [(1.5, "rub slips")]
    assert np.abs(d["ball.wx"][d.t < 1.5]).max() < 1e-15
    late = 0.5
    w = (0.15 * late + 0.5 * late**2 / 2) / 0.5
    assert d["ball.wx"][-1] == pytest.approx(0.6 * w, rel=1e-6)
    assert d["ball.wy"][-1] == pytest.approx(0.8 * w, rel=1e-6)
    after = d.t > 1.5
    assert d["rub.tx"][after] == pytest.approx(-0.36, rel=1e-6)
    assert d["rub.ty"][after] == pytest.approx(-0.48, rel=1e-6)


def test_a_ball_that_spins_is_captured():
    m = lw.SpatialModel("ball", gravity=(0, 0, -G))
    ball = m.body("ball", mass=3.0, inertia=(0.5, 0.5, 0.5), omega=(1, 2, 2))
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), ball.at(0, 0, 0)))
    m.add(lw.Friction("rub", "S", mu=0.2, radius=0.1))
    d = lw.dynamics(m, t_end=4.0, steps=8)
    assert [(round(t, 6), name) for t, name in d.events] == [(2.5, "rub sticks")]  # |w| J/(mu N r)
    assert np.abs([d[f"ball.w{c}"][-1] for c in "xyz"]).max() < 1e-15


def test_stribeck_falls_from_the_static_value():
    """v' = a - g (mu + (mu_s - mu) exp(-(v/v_s)^2)): at small speeds friction is still the static one."""
    m = incline(0.0, stribeck=0.5)
    m.add(lw.PointForce("pull", m.bodies["block"].at(0, 0), ("8.5", "0")))  # 0.425 m g
    d = lw.dynamics(m, t_end=0.5, steps=5)
    v = d["block.vx"]
    assert d["block.ax"] == pytest.approx(4.25 - G * (0.3 + 0.1 * np.exp(-((v / 0.5) ** 2))), abs=1e-9)


def test_events_go_on_from_a_result():
    m = incline(0.0)
    m.add(lw.PointForce("pull", m.bodies["block"].at(0, 0), ("4*t", "0")))
    half = lw.dynamics(m, t_end=1.0, steps=2)
    rest = lw.dynamics(m, t_start=1.0, t_end=3.0, steps=2, start=half)
    assert [(round(t, 6), name) for t, name in rest.events] == [(2.0, "rub slips")]


def test_a_change_of_velocity_makes_it_slide():
    m = incline(0.0)
    kick = lw.Watch("t - 1", change=lambda s: {"block.vx": 3.0})
    d = lw.dynamics(m, t_end=3.0, steps=6, events={"kick": kick})
    assert [name for _, name in d.events] == ["kick", "rub sticks"]
    assert d.events[1][0] == pytest.approx(2.0, rel=1e-9)  # 3/(mu g)


@pytest.mark.parametrize(
    ("friction", "cause"),
    [({"mu": -0.1}, "zero or more"), ({"mu": 0.3, "mu_static": 0.2}, "mu_static is less than mu"),
     ({"mu": 0.3, "stribeck": -1.0}, "positive"), ({"mu": 0.3, "stick": 1}, "it cannot be 1")],
)  # fmt: skip
def test_bad_friction_is_refused_by_name(friction, cause):
    with pytest.raises(lw.ModelError, match=cause) as error:
        incline(0.0, **{"mu_static": None, **friction})
    assert error.value.element == ("rub",)


@pytest.mark.parametrize("e", [0.5, 0.0])
def test_a_run_that_begins_with_a_blow_shows_the_forces_of_before(e):
    """At the first output the speed is that before the blow, and friction is against it; nothing presses yet."""
    m = lw.PlanarModel("stop", gravity=(0, -10))
    b = m.body("b", 2.0, 0.1, position=(1, 0), velocity=(-3, 0))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Friction("rub", guide, mu=0.2))
    m.add(lw.Stop("stop", guide.displacement, lower=1.0, restitution=e))
    m.add(lw.Force("push", b.x, -7.0))
    d = lw.dynamics(m, t_eval=[0, 1e-3])
    assert d["b.vx"][0] == -3.0
    assert d["rub.force"][0] == pytest.approx(0.2 * 20)
    assert d["b.ax"][0] == pytest.approx((0.2 * 20 - 7) / 2)
    assert d["stop.force"][0] == 0
    # afterwards it slides the other way, or rests and the stop holds against the push with what friction leaves
    after = d["rub.force"][1] if e else d["rub.force"][1] + d["stop.force"][1]
    assert after == pytest.approx(-4.0 if e else 7.0)


@pytest.mark.parametrize("options", [{}, {"method": "radau"}, {"formulation": "joint"}, {"method": "generalized-alpha"}])
@pytest.mark.parametrize("space", [False, True])
def test_a_load_that_grows_from_nothing_faster_than_what_holds_it(space, options):
    """10 t along and 20 t across a guide: 8 t hold it at most, 6 t rub, it begins at once with 4 t. At the start there is
    nothing to hold and nothing that holds; it stuck there, beyond its bound."""
    turn = {"rotation": ((0, 1, 0), np.pi / 2)} if space else {"angle": 0}
    m, at, J = (lw.SpatialModel("m"), (0, 0, 0), (1, 1, 1)) if space else (lw.PlanarModel("m", gravity=(0, 0)), (0, 0), 1)
    b = m.body("b", 1.0, J)
    guide = m.add(lw.Translational("guide", m.ground.at(*at, **turn), b.at(*at, **turn)))
    m.add(lw.Friction("rub", guide, mu=0.3, mu_static=0.4))
    m.add(lw.PointForce("pull", b.at(*at), ("10*t", "20*t", "0")[: len(at)]))
    d = lw.dynamics(m, t_eval=[0, 0.5, 1.0], **options)
    assert d["b.x"] == pytest.approx(
        [0, 4 * 0.125 / 6, 4 / 6], abs=1e-4 if "generalized-alpha" in options.values() else 1e-7
    )


def test_a_load_that_grows_from_nothing_slower_than_what_holds_it():
    m = lw.PlanarModel("m", gravity=(0, 0))
    b = m.body("b", 1.0, 1.0)
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Friction("rub", guide, mu=0.3, mu_static=0.6))
    m.add(lw.PointForce("pull", b.at(0, 0), ("10*t", "20*t")))
    d = lw.dynamics(m, t_end=1.0, steps=4)
    assert np.abs(d["b.x"]).max() < 1e-12
    assert d.events == []


@pytest.mark.parametrize("others", [0, 60])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_joint_that_bears_nothing_does_not_hold(dimension, others):
    """A balanced wheel without weight: mu N = 0, and a torque that begins at zero turns it, J omega = t^2 / 4."""
    if dimension == 2:
        m = lw.PlanarModel("wheel", gravity=(0, 0))
        place, J = (0.0, 0.0), 2.0
    else:
        m = lw.SpatialModel("wheel", gravity=(0, 0, 0))
        place, J = (0.0, 0.0, 0.0), (1.0, 1.0, 2.0)
    wheel = m.body("wheel", mass=1.0, inertia=J)
    pin = m.add(lw.Revolute("pin", m.ground.at(*place), wheel.at(*place)))
    m.add(lw.Friction("rub", pin, mu=0.1, radius=0.1))
    m.add(lw.Torque("motor", pin, lambda s, v, t: t / 2))
    for k in range(others):
        b = m.body(f"b{k}", mass=1.0, inertia=J)
        m.add(lw.Revolute(f"pin {k}", m.ground.at(*place), b.at(*place)))
    d = lw.dynamics(m, t_end=1.0, steps=4)
    assert d["wheel.omega" if dimension == 2 else "wheel.wz"] == pytest.approx(d.t**2 / 8, abs=1e-9)
    assert d.events == []  # it slides from the beginning
