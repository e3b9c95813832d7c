"""Impacts of bodies that rub: impulses across the gap, in machines with closed forms."""

from itertools import product

import numpy as np
import pytest

import linkwright as lw

G, R, J = 10.0, 0.1, 0.004  # a solid ball of one kilogram: J = 2/5 m R^2


def thrown(space=False, gravity=0.0):
    """A ball 0.3 above the floor, which it meets with spin at the angle that v, w give."""
    given = {"e": 0.7, "mu": 0.2, "v": 2.0, "w": 0.0}
    if space:
        m = lw.SpatialModel("thrown", gravity=(0, 0, -gravity))
        e, mu, v, w = (m.parameter(n, x) for n, x in given.items())
        spin = (0.8 * w, -0.6 * w, 0)  # about an axle across the way: w > 0 turns its lower side forward
        ball = m.body("ball", 1.0, (J, J, J), position=(0, 0, 0.4), velocity=(0.6 * v, 0.8 * v, -3.0), omega=spin)
        m.add(lw.Contact("floor", ball.at(0, 0, 0), m.ground.at(0, 0, 0), radii=(R, 0), restitution=e, mu=mu))
        return m
    m = lw.PlanarModel("thrown", gravity=(0, -gravity))
    e, mu, v, w = (m.parameter(n, x) for n, x in given.items())
    ball = m.body("ball", 1.0, J, position=(0, 0.4), velocity=(v, -3.0), omega=w)
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), radii=(R, 0), restitution=e, mu=mu))
    return m


@pytest.mark.parametrize("space", [False, True])
def test_a_ball_with_spin(space):
    """The impulse across is mu (1 + e) m v_n against the sliding s = v + R w, or 2/7 m s, which ends it: it rolls then."""
    m = thrown(space)
    for mu, w in ((0.2, 0.0), (0.2, 50.0), (0.1, -80.0), (0.9, 20.0), (0.9, -80.0)):
        m.set(mu=mu, w=w)
        d = lw.dynamics(m, t_end=0.2, steps=2)
        s = 2.0 + R * w
        impulse = -np.sign(s) * min(mu * 1.7 * 3.0, abs(s) * 2 / 7)
        way, up = ((0.6, 0.8, 0), "vz") if space else ((1.0, 0.0), "vy")
        axle = (0.8, -0.6, 0.0)  # of the body as of the ground: it turns about that alone
        along = sum(a * d[f"ball.{c}"][-1] for a, c in zip(way, ("vx", "vy", "vz"), strict=False))
        spin = (
            d["ball.omega"][-1]
            if not space
            else sum(a * x for a, x in zip(axle, (d[f"ball.w{c}"][-1] for c in "xyz"), strict=True))
        )
        assert along == pytest.approx(2.0 + impulse, rel=1e-12)
        assert spin == pytest.approx(w + impulse * R / J, rel=1e-9, abs=1e-9)
        assert d[f"ball.{up}"][-1] == pytest.approx(0.7 * 3.0, rel=1e-12)
        assert d.audit.energy_error < 1e-12


@pytest.mark.parametrize(("mu", "way"), [(0.1, "slides"), (3.0, "sticks")])
def test_a_rod_hits_obliquely(mu, way):
    """A slender rod of mass 1 meets the floor by its end at the angle a: v+ = v + W p of the end, by the laws of momentum.
    Newton's law along the normal; across the sliding ends, or mu n acts against it."""
    half, a, e, v = 0.5, 0.6, 0.5, np.array([3.0, -2.0])
    J = half**2 / 3
    m = lw.PlanarModel("rod")
    c, s = np.cos(a), np.sin(a)
    rod = m.body("rod", 1.0, J, position=(0, half * s + 0.2), angle=a, velocity=tuple(v))
    m.add(lw.Contact("floor", rod.at(-half, 0), m.ground.at(0, 0, angle=0), restitution=e, mu=mu))
    d = lw.dynamics(m, t_eval=[0, 0.099, 0.1, 0.101])
    arm = np.array([-half * c, -half * s])
    W = np.eye(2) + np.outer([-arm[1], arm[0]], [-arm[1], arm[0]]) / J  # of (x, y)
    if way == "slides":
        n = -(1 + e) * v[1] / (W[1, 1] - mu * W[1, 0])
        p = np.array([-mu * n, n])
        assert (v + W @ p)[0] > 0
    else:
        p = np.linalg.solve(W, [-v[0], -(1 + e) * v[1]])
        assert abs(p[0]) < mu * p[1]
    assert [d["rod.vx"][-1], d["rod.vy"][-1]] == pytest.approx(v + p, rel=1e-12)
    assert d["rod.omega"][-1] == pytest.approx((arm[0] * p[1] - arm[1] * p[0]) / J, rel=1e-9)
    assert d["rod.vy"][0] == v[1]
    assert d.audit.energy_error < 1e-12


def box(mu, v=3.0, e=0.4):
    """On two feet 0.3 to either side and 0.2 below its centre, falling flat and moving to the right."""
    m = lw.PlanarModel("box")
    b = m.body("box", 1.0, 0.02, position=(0, 0.5), velocity=(v, -3.0))
    for name, x in (("left", -0.3), ("right", 0.3)):
        m.add(lw.Contact(name, b.at(x, -0.2), m.ground.at(0, 0, angle=0), restitution=e, mu=mu))
    return m


def test_a_box_on_two_feet_at_once():
    """Both feet obey Newton's law, so it stays flat; the front foot takes more of the blow, and friction is mu (1 + e) m v_n
    of both together."""
    d = lw.dynamics(box(0.3), t_end=0.2, steps=2)
    assert [n for _, n in d.events] == ["left", "right"]
    assert d["box.vy"][-1] == pytest.approx(1.2, rel=1e-12)
    assert d["box.vx"][-1] == pytest.approx(3.0 - 0.3 * 1.4 * 3.0, rel=1e-12)
    assert d["box.omega"][-1] == pytest.approx(0.0, abs=1e-12)


def test_a_box_that_trips():
    """Beyond mu = b/h the front foot takes all of the blow: n = (1 + e) v_n/(1 + (b - mu h) b/J) by mu n against the
    sliding, and it turns forward."""
    mu = 1.6
    d = lw.dynamics(box(mu, 12.0), t_end=0.11, steps=2)
    n = 1.4 * 3.0 / (1 + (0.3 - mu * 0.2) * 0.3 / 0.02)
    turn = (0.3 - mu * 0.2) * n / 0.02
    assert turn < 0 < 12.0 - mu * n + 0.2 * turn  # forward, and the foot still slides
    assert d["box.vx"][-1] == pytest.approx(12.0 - mu * n, rel=1e-9)
    assert d["box.omega"][-1] == pytest.approx(turn, rel=1e-9)


@pytest.mark.parametrize("space", [False, True])
def test_a_ball_that_bounces_ends_rolling(space):
    """Whatever impacts and friction do, momentum about points of the floor stays: m R v - J w, so it rolls at
    v - (v + R w) 2/7."""
    m = thrown(space, gravity=G)
    m.set(w=-60.0, mu=0.15, e=0.5)
    d = lw.dynamics(m, t_end=3.0, steps=3)
    told = [n for _, n in d.events]
    assert told.count("floor") > 15
    assert {"floor rests", "floor sticks"} <= set(told)
    want = 2.0 - (2.0 - R * 60.0) * 2 / 7
    assert d["ball.vx"][-1] == pytest.approx(want * (0.6 if space else 1.0), rel=1e-8)
    assert d.audit.energy_error < 1e-8


def box_on_floor(orientation, **start):
    m = lw.SpatialModel("box", gravity=(0, 0, -9.81))
    e = np.array(orientation)
    b = m.body("box", mass=1.0, inertia=(0.02, 0.03, 0.025), shape={"box": (0.3, 0.2, 0.15)},
               orientation=tuple(e / np.linalg.norm(e)), **start)  # fmt: skip
    m.add(lw.Contact("floor", b, m.ground.at(0, 0, 0), restitution=0.3, mu=0.4))
    return m


def test_a_box_that_falls_over_an_edge_rests_on_both_its_ends():
    """It rocks from end to end of the edge, less and less. Where the one end comes to rest the other is below the floor by
    rounding, and bounces by less than that: it rests, too, and does not sink in until it strikes anew."""
    m = box_on_floor((-0.003601859, -0.046819157, 0.995933174, 0.076890222), position=(-0.111138, 0.038788, 0.089471),
                     velocity=(-0.0416, 0.4015, -0.3916), omega=(4.5116, -0.0187, 0.0005))  # fmt: skip
    d = lw.dynamics(m, t_end=0.03, steps=6)
    assert len(d.events) < 150
    assert d.energy.error < 1e-9
    assert {name for t, name in d.events if name.endswith("rests")} >= {"floor.2 rests", "floor.6 rests"}
    assert (np.diff(d.energy.total) < 1e-9).all()


def test_a_box_that_rocks_to_rest():
    """On two edges by turns, while its corners slide a little: sticking and slipping too slow to tell ends in rest."""
    m = box_on_floor((0.695287224, -0.695251409, 0.128839909, -0.128846546), position=(-0.259396, -0.013987, 0.100004),
                     velocity=(-0.0013, -0.0033, 0.0027), omega=(0.0357, 0.0, 0.0))  # fmt: skip
    d = lw.dynamics(m, t_end=0.02, steps=2)
    assert d["box.z"][-1] == pytest.approx(0.1, abs=1e-10)
    assert max(abs(d[f"box.{v}"][-1]) for v in ("vx", "vy", "vz", "wx", "wy", "wz")) < 1e-9


def test_a_box_that_slides_to_rest_stands_on_all_its_corners():
    """Two of them part by rounding just before it stops. On a diagonal alone it crept, at 1e-10 m/s and ever faster, and its
    friction was told not to be unique after three seconds."""
    m = lw.SpatialModel("box", gravity=(0, 0, -10))
    b = m.body("b", 1.0, (0.02,) * 3, position=(0, 0, 0.15), velocity=(0.2001, 0.1, 0), omega=(0.3, 0.2, 0.3))
    for k, (x, y) in enumerate(product((-0.2, 0.2), repeat=2)):
        m.add(lw.Contact(f"c{k}", b.at(x, y, -0.1), m.ground.at(0, 0, 0), restitution=0.0, mu=0.5))
    d = lw.dynamics(m, t_eval=[0, 0.2, 5.0])
    assert {name for _, name in d.events[-4:]} == {f"c{k} sticks" for k in range(4)}
    assert max(abs(d[f"b.{v}"][1:]).max() for v in ("vx", "vy", "vz", "wx", "wy", "wz")) < 1e-15
    assert np.ptp([d[f"b.{x}"][1:] for x in "xyz"], axis=1) == pytest.approx([0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize(("mu", "e"), [(0.31, 0.3), (0.5, 0.43), (0.8, 0.2), (1.0, 0.6)])
def test_a_tip_that_jams_goes_back_as_its_restitution_says(space, mu, e):
    """An arm on a pin, turned down onto a floor that it meets steeply: one freedom, so that after a blow it turns with e
    times its speed, and comes to rest as a ball does, (1 + e)/(1 - e) times as late as the first blow. With mu above
    0.28/0.96 no impulses along and across the floor obey Coulomb's law with that, which is told; large ones that hold each
    other would, but for rounding."""
    m = lw.PlanarModel("arm", gravity=(0, 0))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.add(lw.Torque("turn", arm, -1.4))
    m.add(lw.Contact("floor", arm.at(0.5, 0), m.ground.at(0, -0.96, angle=0), restitution=e, mu=mu))
    d = lw.dynamics(lw.embed(m) if space else m, t_end=6.0, steps=3)
    first = np.sqrt(2 * np.arcsin(0.96) / 4)  # 1.4 N m on 0.1 + 0.25 kg m^2
    times = {name: t for t, name in reversed(d.events)}
    assert times["floor"] == pytest.approx(first, rel=1e-8)
    assert times["floor rests"] == pytest.approx(first * (1 + e) / (1 - e), rel=1e-6)
    assert d.audit.energy_error < 1e-8
    assert any("no impulses were found that obey the law of friction" in note for note in d.audit.notes)
