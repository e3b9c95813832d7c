"""Ropes over pulleys and belts against closed forms: lengths, tensions, tackles, slack; in the plane, in space, in loops."""

from math import acos, asin, pi, sqrt

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.machine.times import Times
from looped_runs import simulated

G = 10.0
TILT = ((1, 2, -2), 0.8)
T = np.asarray(lw.SpatialModel("t").ground.at(0, 0, 0, rotation=TILT).rotation, dtype=float)


def hanging(*masses, at, m=None):
    """Weights that do not turn, in the plane."""
    m = m or lw.PlanarModel("weights", gravity=(0, -G))
    out = []
    for k, (mass, place) in enumerate(zip(masses, at, strict=True)):
        out.append(m.body(f"w{k}", mass=mass, position=place))
        m.add(lw.Translational(f"rail {k}", m.ground.at(*place, angle=pi / 2), out[-1].at(0, 0, angle=pi / 2)))
    return m, out


# -- ropes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_shortest_way_round_a_pulley(side):
    """From P to Q round a circle: two tangents sqrt(d^2 - R^2), and the arc that is left of the angle between P and Q."""
    rng, R = np.random.default_rng(3), 0.3
    m = lw.PlanarModel("way")
    x, y = m.parameter("x", 0.0), m.parameter("y", 0.0)
    b = m.body("b", 1.0, 1.0, position=(1, 0))
    m.add(lw.Fixed("weld", m.ground.at(x, y), b.at(0, 0)))
    m.add(lw.Rope("rope", [m.ground.at(-1, -0.5), m.ground.at(0, 0), b.at(0, 0)], radii=(0, side * R, 0), length=1.0, k=1.0))
    for _ in range(5):
        Q = rng.uniform(0.5, 1.5) * np.array([np.cos(a := rng.uniform(0, 0.4)), -np.sin(a)])
        m.set(x=Q[0], y=Q[1])
        d1, d2 = sqrt(1.25), float(np.hypot(*Q))
        P = np.array([-1, -0.5])
        turn = acos(P @ Q / (d1 * d2))  # over the top; under the pulley the rest of the full turn
        over = turn if P[0] * Q[1] - P[1] * Q[0] < 0 else 2 * pi - turn
        angle = over if side < 0 else 2 * pi - over
        wrap = angle - acos(R / d1) - acos(R / d2)
        expected = sqrt(d1**2 - R**2) + sqrt(d2**2 - R**2) + R * wrap
        e = lw.equilibrium(m)
        if wrap > 0:
            assert abs(e["rope.tension"] - (expected - 1.0)) < 1e-12
            assert abs(e["rope.wrap"] - wrap) < 1e-12
        else:
            assert any("does not touch one of its pulleys" in note for note in e.audit.notes)


def test_a_pulley_with_inertia():
    """Two ropes on one drum: a = (m2 - m1) g/(m1 + m2 + J/R^2), and tensions m (g -+ a)."""
    R, J = 0.1, 0.02
    m, (a, b) = hanging(1.0, 3.0, at=[(-R, -3), (R, -3)])
    drum = m.body("drum", mass=1.0, inertia=J)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), drum.at(0, 0)))
    m.add(lw.Rope("left", [a.at(0, 0), drum.at(0, 0)], radii=(0, -R)))
    m.add(lw.Rope("right", [drum.at(0, 0), b.at(0, 0)], radii=(-R, 0)))
    d = lw.dynamics(m, t_end=1.0, steps=4)
    acceleration = 2 * G / (4 + J / R**2)
    assert np.allclose(d["w0.ay"], acceleration, rtol=1e-9)
    assert np.allclose([d["left.tension"], d["right.tension"]], [[G + acceleration] * 5, [3 * (G - acceleration)] * 5])
    assert np.allclose(d[A.angle], -acceleration * d.t**2 / 2 / R, atol=1e-8)  # more than a turn
    assert abs(d[A.angle][-1]) > 2 * pi
    assert np.allclose(d["A.fy"], 1.0 * G + d["left.tension"] + d["right.tension"])


def tackle(k=0.0):
    """Five parts of the rope carry the block: from it over a fixed pulley, its own, another fixed, its own, a last one."""
    r = 0.05
    m, (block, hand) = hanging(40.0, 0.0, at=[(0, -2), (8 * r, -1)])
    fixed = [m.ground.at(x, 0) for x in (0, 4 * r, 7 * r)]
    own = [block.at(x, 0) for x in (2 * r, 5.5 * r)]
    points = [block.at(-r, 0), fixed[0], own[0], fixed[1], own[1], fixed[2], hand.at(0, 0)]
    m.add(lw.Rope("rope", points, radii=(0, -r, r, -r, r, -r, 0), k=k))
    return m


def test_a_block_and_tackle():
    """Strands are all but vertical: the pull is a fifth of the weight, the block moves a fifth as fast."""
    m = tackle()
    m.add(lw.Driver("hand", m["w1"].y, "-1 - 0.4*t"))
    i = lw.inverse_dynamics(m, t_end=0.5, steps=2)
    k = lw.kinematics(m, t_end=0.5, steps=2)
    # strands lean by at most r/2 over 2 m: cosines differ from one by 1e-4
    assert np.allclose(k["w0.vy"], 0.08, rtol=1e-3)
    assert np.allclose(i["rope.tension"], 80.0, rtol=1e-3)
    assert np.allclose(i["hand.force"] * -0.4, 400.0 * k["w0.vy"], rtol=1e-3)  # power in is power out
    assert np.allclose(i["hand.force"] * -0.4 - 400.0 * k["w0.vy"], i["w0.ay"] * 40 * k["w0.vy"], atol=1e-9)  # and exactly


def test_a_drum_in_space_winds_its_rope():
    """About an oblique axis: the weight rises by R times the turns, over several of them."""
    R = 0.1
    m = lw.SpatialModel("winch", gravity=tuple(T @ (0, -G, 0)))
    drum = m.body("drum", 1.0, (0.1, 0.1, 0.1), orientation=TILT)
    load = m.body("load", 5.0, (0.1, 0.1, 0.1), position=T @ (R, -3, 0), orientation=TILT)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=TILT), drum.at(0, 0, 0)))
    up = m.ground.frame(T @ (R, 0, 0), T @ (R, 1, 0), T @ (R, 0, 1))
    rail = m.add(lw.Translational("rail", up, load.frame((0, 0, 0), (0, 1, 0), (0, 0, 1))))
    m.add(lw.Rope("rope", [load.at(0, 0, 0), drum.at(0, 0, 0)], radii=(0, R)))
    m.add(lw.Driver("motor", A.angle, "8*t"))
    i = lw.inverse_dynamics(m, t_end=3.0, steps=30)
    assert np.allclose(i[rail.displacement] - i[rail.displacement][0], 0.8 * i.t, atol=1e-9)
    assert np.allclose(i["rope.tension"], 50.0, rtol=1e-9)
    assert np.allclose(i["motor.torque"], 50.0 * R, rtol=1e-9)


def test_a_rope_that_would_push_is_told_and_an_elastic_one_goes_slack():
    """A weight thrown up on a rope; with stiffness it falls freely and is caught: m g (h + x) = k x^2/2."""
    h, k = 0.5, 1e3
    m, (w,) = hanging(2.0, at=[(0, -1)])
    rope = m.add(lw.Rope("rope", [m.ground.at(0, 0), w.at(0, 0)]))
    m.add(lw.Force("lift", w.y, 50.0))
    d = lw.dynamics(m, t_end=0.1, steps=2)
    assert any("rope would have to push, by up to 30 N, first at t = 0" in note for note in d.audit.notes)
    assert np.allclose(d["rope.tension"], -30.0)
    assert not rope.elastic
    m, (w,) = hanging(2.0, at=[(0, -0.5)])
    m.add(lw.Rope("rope", [m.ground.at(0, 0), w.at(0, 0)], length=1.0, k=k))
    d = lw.dynamics(m, t_end=0.6, steps=600, rtol=1e-10)
    free = d.t < sqrt(2 * h / G) - 1e-9
    assert not d["rope.tension"][free].any()
    x = (2 * G + sqrt((2 * G) ** 2 + 2 * k * 2 * G * h)) / k
    assert abs(d["w0.y"].min() + 1 + x) < 1e-5
    assert d.audit.energy_error < 1e-9
    assert not d.audit.notes


@pytest.mark.parametrize("method", ["auto", "radau", "hht"])
def test_a_rope_at_its_length_is_drawn_taut(method):
    """By a force of 15 t: x'' + 2 g x' + K x = 15 t, K = k cos^2. At first it is taut or slack by less than rounding, and
    has either law."""
    m = lw.PlanarModel("rope", gravity=(0, 0))
    b = m.body("b", mass=1.0, inertia=0.1, position=(0.37, 0))
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Rope("rope", [m.ground.at(-1.1, 0.3), b.at(0, 0)], radii=(0, 0), k=2e4, c=20))
    m.add(lw.Force("pull", guide, lambda s, v, t: 15 * t))
    d = lw.dynamics(m, t_end=0.2, steps=10, method=method, rtol=1e-7)
    square = 1.47**2 / (1.47**2 + 0.3**2)
    K, g = 2e4 * square, 10 * square
    w, lag = np.sqrt(K - g * g), 2 * g / K
    x = 15 / K * (d.t - lag + np.exp(-g * d.t) * (lag * np.cos(w * d.t) + (g * lag - 1) / w * np.sin(w * d.t)))
    assert d["b.x"] - 0.37 == pytest.approx(x, abs=1e-7)  # as exact as asked for; the rope turns by 3e-5 of itself


def test_a_rope_that_is_drawn_into_its_pulley_is_told():
    """A mass that an elastic rope pulls up, 0.3 m below a pulley of 0.2 m."""
    m = lw.PlanarModel("hoist", gravity=(0, -1.0))
    b = m.body("b", mass=1.0, inertia=0.1, position=(0.1, -0.5))
    m.add(lw.Translational("rail", m.ground.at(0.1, 0, angle=pi / 2), b.at(0, 0, angle=pi / 2)))
    way = b.at(0, 0), m.ground.at(0, 0, angle=0), m.ground.at(-0.3, -1)
    m.add(lw.Rope("rope", way, radii=(0, 0.2, 0), length=0.9, k=100.0))
    with pytest.raises(lw.IntegrationError, match="rope is drawn into a pulley at t = ") as caught:
        lw.dynamics(m, t_end=2.0, steps=1000)
    assert caught.value.element == ("rope",)
    partial = caught.value.partial
    assert 0.2 < np.hypot(partial["b.x"], partial["b.y"])[-1] < 0.22  # until it is there: steps of 2 ms at 7 m/s


def wound_arm(space, side, R, x, k, load):
    """An arm of 1 kg m^2 on a pin; an elastic rope from its tip, 1 m out, round a pulley about that pin, stretched by x."""
    z = (0,) if space else ()
    m = lw.SpatialModel("arm") if space else lw.PlanarModel("arm")
    arm = m.body("arm", 1.0, (1.0, 1.0, 1.0) if space else 1.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0, *z), arm.at(0, 0, *z)))
    way = [m.ground.at(-1, 0, *z), m.ground.at(0, 0, *z), arm.at(1, 0, *z)]
    length = 2 * sqrt(1 - R**2) + R * (pi - 2 * acos(R)) - x
    m.add(lw.Rope("rope", way, radii=(0, side * R, 0), k=k, length=length))
    m.add(lw.Torque("load", arm, (0, 0, load) if space else load))
    return m


def test_a_rope_round_a_pulley_in_space_by_a_method_of_second_order(monkeypatch):
    """Of many bodies, too: the angle of the rope round its pulley has no derivatives by shapes, which such a method needs of
    large machines, so the machine is compiled as a whole. theta = M (1 - cos w t), as below; 1e-3: of order two."""
    monkeypatch.setattr("linkwright.size_policy.LOOPED", 1)
    R, k, M, x = 0.2, 100.0, 0.5, 1.7
    m = wound_arm(True, -1.0, R, x, k, -k * R * (x + R * M))
    d = lw.dynamics(m, t_end=0.5, steps=4, method="generalized-alpha")
    assert np.allclose(-d["A.angle"], M * (1 - np.cos(R * sqrt(k) * d.t)), atol=1e-3)
    assert "angles round pulleys in space" in d.audit.why


@pytest.mark.parametrize(
    ("space", "side", "sense", "looped"),
    [(False, 1.0, 1.0, False), (False, -1.0, -1.0, False), (True, -1.0, 1.0, False), (False, 1.0, -1.0, True)],
)
def test_a_rope_that_is_wound_over_whole_turns(space, side, sense, looped, monkeypatch):
    """The arc changes by R theta, so the arm swings as J theta'' = load - k R (x + R theta): about the angle where both are
    alike, by as much to either side. There it has wound the rope up, or off and on round the other side, by more than a
    turn; a run that goes on from its middle has the turns from there."""
    if looped:
        monkeypatch.setattr("linkwright.size_policy.LOOPED", 1)
    R, k, middle, x = 0.2, 100.0, 4.0 * sense, 1.7
    m = wound_arm(space, side, R, x, k, side * k * R * (x + R * middle))
    half, whole = (pi / (R * sqrt(k)), 2 * pi / (R * sqrt(k)))
    d = lw.dynamics(m, t_end=whole, steps=8, rtol=1e-10)
    theta = middle * (1 - np.cos(R * sqrt(k) * d.t))
    assert np.allclose(side * d["arm.angle" if not space else "A.angle"], theta, atol=1e-7)
    assert np.allclose(d["rope.wrap"], pi - 2 * acos(R) + theta, atol=1e-7)
    assert np.allclose(d["rope.tension"], k * (x + R * theta), atol=1e-4)
    assert any("does not touch" in note for note in d.audit.notes) is (sense < 0)
    first = lw.dynamics(m, t_end=half, steps=1, rtol=1e-10)
    then = lw.dynamics(m, t_start=half, t_end=whole, steps=4, rtol=1e-10, start=first)
    assert np.allclose(then["rope.tension"], d["rope.tension"][4:], atol=1e-4)


@pytest.mark.parametrize(
    ("space", "kind"),
    [(False, "elastic rope"), (True, "rope of a length"), (True, "elastic belt"), (False, "belt of a phase"),
     (True, "gear of a phase"), (True, "elastic gear")],
)  # fmt: skip
def test_a_run_that_goes_on_has_the_turns_of_drums_pulleys_and_gears(space, kind):
    """Two wheels at rest, one of them under a torque: three turns later they go on as if nothing were."""
    z, J = ((0,), (0.1, 0.1, 0.1)) if space else ((), 0.1)
    m = lw.SpatialModel("wheels") if space else lw.PlanarModel("wheels")
    a, b = m.body("a", 1.0, J), m.body("b", 1.0, J, position=(1, 0, *z))
    m.add(lw.Revolute("A", m.ground.at(0, 0, *z), a.at(0, 0, *z)))
    m.add(lw.Revolute("B", m.ground.at(1, 0, *z), b.at(0, 0, *z)))
    i, j = a.at(0, 0, *z), b.at(0, 0, *z)
    given = {"k": 1e4, "c": 1e2} if kind.startswith("elastic") else {"length": 1.0} if "rope" in kind else {"phase": 0.0}
    if "gear" in kind:
        m.add(lw.Gear("pair", i, j, radii=(0.4, 0.6), **given))
    elif "belt" in kind:
        m.add(lw.Belt("pair", i, j, radii=(0.1, 0.2), **given))
    else:
        m.add(lw.Rope("pair", [i, j], radii=(0.1, 0.1), **given))
    m.add(lw.Torque("load", a, (0, 0, -30.0) if space else -30.0))
    first = lw.dynamics(m, t_end=0.6, steps=1)
    assert abs(first["A.angle"][-1]) > 6 * pi
    then = lw.dynamics(m, t_start=0.6, t_end=0.8, steps=1, start=first)
    whole = lw.dynamics(m, t_eval=[0.6, 0.8])
    for name in ("A.angle", "B.omega", "pair.force" if "belt" in kind else "pair.tension" if "rope" in kind else "pair.fy"):
        # rtol 1e-8 of angles up to 100 rad, times 1e4 N/m
        assert then[name] == pytest.approx(whole[name], abs=1e-2 if name.startswith("pair") else 1e-5), name


# -- belts ---------------------------------------------------------------------------------------------------------------


def belted(space=False, radii=(0.1, 0.2), E=1.0, driven=True, load=-3.0, **belt):
    m = lw.SpatialModel("belt") if space else lw.PlanarModel("belt")
    z = (0,) if space else ()
    inertia = (0.1, 0.1, 0.2) if space else 0.2
    a, b = m.body("a", 1.0, inertia), m.body("b", 2.0, inertia, position=(E, 0, *z))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, *z), a.at(0, 0, *z)))
    m.add(lw.Revolute("B", m.ground.at(E, 0, *z), b.at(0, 0, *z)))
    m.add(lw.Belt("belt", a.at(0, 0, *z), b.at(0, 0, *z), radii=radii, **belt))
    m.add(lw.Torque("load", b, (0, 0, load) if space else load))
    if driven:
        m.add(lw.Driver("motor", A.angle, "3*t"))
    return m


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("crossed", [False, True])
def test_ratio_tensions_and_bearings(space, crossed):
    """Strands at T0 +- F/2, inclined by asin((R_j -+ R_i)/E) against the line of centres: the bearings bear both."""
    T0, sense = 100.0, -1 if crossed else 1
    m = belted(space, crossed=crossed, pretension=T0)
    i = lw.inverse_dynamics(m, t_end=10.0, steps=5)
    assert np.allclose(i["B.omega"], sense * 1.5, rtol=1e-12)
    F = 3.0 / 0.2
    assert np.allclose(i["belt.force"], -sense * F, rtol=1e-9)  # the second strand is tight: it pulls b forward
    assert np.allclose([i["belt.tension_1"], i["belt.tension_2"]], [[T0 - sense * F / 2] * 6, [T0 + sense * F / 2] * 6])
    beta = asin((0.2 - sense * 0.1) / 1.0) if not crossed else asin(0.3)
    pull = 2 * T0 * np.cos(beta)
    assert np.allclose([i["A.fx"], i["B.fx"]], [[-pull] * 6, [pull] * 6], rtol=1e-9)
    assert np.allclose(np.abs(i["A.fy"]), F * np.sin(beta), rtol=1e-9)
    assert np.allclose(i["motor.torque"], sense * 3.0 / 2, rtol=1e-9)
    assert np.allclose(i["belt.torque" if not space else "belt.tz"], 3.0, rtol=1e-9)
    assert not i.audit.notes


def test_a_slack_strand_of_a_rigid_belt_is_told():
    i = lw.inverse_dynamics(belted(pretension=5.0), t_end=1.0, steps=1)
    assert any("belt would have to push, by up to 2.5 N" in note for note in i.audit.notes)


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("space", [False, True])
def test_the_length_of_a_belt(crossed, space):
    """Open: 2 E cos(b) + pi (R + r) + 2 b (R - r), sin(b) = (R - r)/E; crossed likewise with the sum."""
    R, r, E, k, T0 = 0.2, 0.1, 1.0, 1e4, 50.0
    b = asin((R + r if crossed else R - r) / E)
    length = 2 * E * np.cos(b) + pi * (R + r) + 2 * b * (R + r if crossed else R - r)
    m = belted(space, (r, R), E, crossed=crossed, k=k, pretension=T0, length=length - 1e-3, driven=False, load=0.0)
    e = lw.equilibrium(m)
    assert np.allclose([e["belt.tension_1"], e["belt.tension_2"]], T0 + k * 1e-3 / 2, rtol=1e-9)


def test_an_elastic_belt_vibrates_and_one_strand_goes_slack():
    """Two strands along the rim while both are taut; beyond twice the pretension one carries all."""
    k, J, T0 = 1e4, 0.2, 100.0
    lin = lw.linearize(belted(k=k, pretension=T0, driven=False, load=0.0))
    assert np.allclose(lin.frequencies[-1], sqrt(2 * k * (0.1**2 + 0.2**2) / J) / (2 * pi), rtol=1e-9)
    for load in (-10.0, -60.0):  # 50 N and 300 N along the belt
        m = belted(k=k, pretension=T0, driven=False, load=load)
        m.add(lw.TorsionSpring("coil", m["A"], k=500.0))
        e = lw.equilibrium(m)
        F = -load / 0.2
        expected = [max(T0 - F / 2, 0), F if F > 2 * T0 else T0 + F / 2]
        assert np.allclose([e["belt.tension_1"], e["belt.tension_2"]], expected, atol=1e-6)
        assert abs(e["B.fx"] - sum(expected) * sqrt(1 - 0.1**2)) < 1e-6


def test_a_belt_on_a_turning_arm():
    """Equal pulleys, one held: the other keeps its direction, however often the arm turns."""
    m = lw.PlanarModel("arm")
    arm, planet = m.body("arm"), m.body("planet", position=(1, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Revolute("B", arm.at(1, 0), planet.at(0, 0)))
    m.add(lw.Belt("belt", m.ground.at(0, 0), planet.at(0, 0), radii=(0.2, 0.2)))
    m.add(lw.Driver("motor", A.angle, "2*t"))
    k = lw.kinematics(m, t_end=20.0, steps=100)
    assert np.abs(k["planet.angle"]).max() < 1e-9
    assert k["arm.angle"][-1] == pytest.approx(40.0)


# -- large machines, files, refusals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0.0, 2e4])
def test_belts_and_ropes_in_loops(k):
    m = lw.PlanarModel("row", gravity=(0, -G))
    wheels = [m.body(f"b{j}", 1.0, 0.02, position=(0.5 * j, 0)) for j in range(4)]
    for j, w in enumerate(wheels):
        m.add(lw.Revolute(f"P{j}", m.ground.at(0.5 * j, 0), w.at(0, 0)))
    for j in range(3):
        m.add(lw.Belt(f"belt{j}", wheels[j].at(0, 0), wheels[j + 1].at(0, 0), (0.1, 0.1 + 0.01 * j), k=k, pretension=80.0))
    _, (w,) = hanging(2.0, at=[(1.6, -1)], m=m)
    m.add(lw.Rope("rope", [wheels[3].at(0, 0), w.at(0, 0)], radii=(-0.1, 0), k=k))
    whole = lw.dynamics(m, 0.4, 4, rtol=1e-10, formulation="newton-euler")
    loops = simulated(m, Options(Times.of(0.4, 4, 0.0, None), rtol=1e-10, atol=1e-12, formulation="newton-euler"))
    assert list(loops.channels) == list(whole.channels)
    for name in whole.channels:
        assert np.allclose(loops[name], whole[name], rtol=0, atol=1e-6 * (1 + np.abs(whole[name]).max())), name
    assert max(whole.audit.energy_error, loops.audit.energy_error) < 1e-8


def test_files_take_ropes_and_belts(tmp_path):
    m = tackle(k=1e5)
    m.add(lw.Revolute("pin", m.ground.at(3, 0), m.body("x", position=(3, 0)).at(0, 0)))
    m.add(lw.Belt("belt", m.ground.at(2, 0), m["x"].at(0, 0), radii=("100 mm", 0.2), crossed=True, k=10.0, pretension=1.0))
    m.save(tmp_path / "m.yaml")
    back = lw.load(tmp_path / "m.yaml")
    assert [repr(back[n]) for n in ("rope", "belt")] == [repr(m[n]) for n in ("rope", "belt")]


def test_what_makes_no_sense_is_refused():
    m = lw.PlanarModel("m")
    a, b = m.body("a"), m.body("b")
    for make, cause in (
        (lambda: lw.Rope("e", [a.at(0, 0)]), "two or more points"),
        (lambda: lw.Rope("e", [a.at(0, 0), a.at(1, 0)]), "all of it is on the body 'a'"),
        (lambda: lw.Rope("e", [a.at(0, 0), b.at(1, 0)], radii=(1,)), "1 radii for 2 points"),
        (lambda: lw.Rope("e", [a.at(0, 0), b.at(1, 0)], c=1.0), "no damping"),
        (lambda: lw.Rope("e", [a.at(0, 0), b.at(1, 0)], length=0), "length: it must be positive"),
        (lambda: lw.Belt("e", a.at(0, 0), b.at(1, 0), radii=(1, -1)), "radius is not positive"),
        (lambda: lw.Belt("e", a.at(0, 0), b.at(1, 0), radii=(1, 1), length=3.0), "no length of its own"),
    ):
        with pytest.raises(lw.ModelError, match=cause):
            m.add(make())
    s = lw.SpatialModel("s")
    a, b = s.body("a"), s.body("b", position=(1, 0, 0))
    s.add(lw.Rope("e", [a.at(0, 0, 0), b.frame((0, 0, 0), (1, 0, 0))], radii=(0.1, 0.1)))
    with pytest.raises(lw.ModelError, match="not parallel"):
        lw.check(s)


@pytest.mark.parametrize("k", [0.0, 1e3])
def test_a_rope_or_belt_that_begins_within_a_pulley_is_named(k):
    """From within the radius of a pulley there is no tangent to it: 0.1 m from the middle of one of 0.5 m; and a crossed
    belt, whose pulleys are 0.7 m apart with radii of 0.5 and 0.6 m."""
    m = lw.PlanarModel("within", gravity=(0, -10))
    b = m.body("b", mass=1.0, inertia=0.1, position=(0.5, 0.5))
    m.add(lw.Orientation("level", m.ground.at(0, 0), b.at(0, 0)))
    m.add(lw.Rope("rope", [b.at(0, 0), m.ground.at(0.5, 0.4), m.ground.at(-1, 0)], radii=(0, 0.5, 0), k=k))
    for ask in (lw.assemble, lambda n: lw.dynamics(n, t_end=0.1, steps=1)):
        with pytest.raises(lw.LinkwrightError, match="rope has no value where the machine is put together") as caught:
            ask(m)
        assert caught.value.element == ("rope",)
    assert ("undefined", ("rope",)) in [(f.code, f.elements) for f in lw.check(m).findings]

    n = lw.PlanarModel("crossed")
    a, c = n.body("a", mass=1.0, inertia=0.1), n.body("c", mass=1.0, inertia=0.1, position=(0.7, 0))
    for x in (a, c):
        n.add(lw.Revolute(f"pin {x.name}", n.ground.at(0.7 * (x is c), 0), x.at(0, 0)))
    n.add(lw.Belt("belt", a.at(0, 0), c.at(0, 0), radii=(0.5, 0.6), crossed=True, k=k, pretension=1.0))
    [found] = [f for f in lw.check(n).findings if f.code == "undefined"]
    assert found.elements == ("belt",)
    assert "has no way where the machine stands" in found.text
