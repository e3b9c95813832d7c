"""Impacts of several contacts at one time: the law itself against enumeration, and machines with known answers."""

from itertools import chain, combinations

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.contact.collision import collision, one_sided

G = 9.81


# -- the law -------------------------------------------------------------------------------------------------------------


def enumerated(W, q):
    """p >= 0, W p + q >= 0, p.(W p + q) = 0 by trying all sets of contacts that push."""
    n = len(q)
    for own in chain.from_iterable(combinations(range(n), k) for k in range(n + 1)):
        p, own = np.zeros(n), list(own)
        p[own] = np.linalg.lstsq(W[np.ix_(own, own)], -q[own], rcond=1e-12)[0] if own else []
        if p.min() > -1e-10 and (W @ p + q).min() > -1e-10:
            return p
    raise AssertionError("no solution")


@pytest.mark.parametrize("seed", range(20))
def test_one_sided_impulses_are_those_of_enumeration(seed):
    """Up to five gaps of three displacements: often dependent, then W p is unique and p is not."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(rng.integers(1, 6), 3))
    W, q = rows @ rows.T, rows @ rng.normal(size=3)
    p = one_sided(W, q, np.ones(len(q), dtype=bool))
    assert (p >= 0).all()
    assert W @ p == pytest.approx(W @ enumerated(W, q), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_a_collision_parts_all_and_makes_no_energy(seed):
    """Afterwards nothing closes in; with e = 1 the kinetic energy is the same, with less it is less: v = v0 + B^T p,
    W = B B^T for unit masses."""
    rng = np.random.default_rng(seed)
    B, v = rng.normal(size=(4, 6)), rng.normal(size=6)
    for e in (np.zeros(4), np.full(4, 0.5), np.ones(4)):
        found = collision(B @ B.T, B @ v, e)
        after = v + found.p @ B
        assert found.ended
        assert B @ after == pytest.approx(found.rates, abs=1e-12)
        assert found.rates.min() > -1e-8 * np.abs(B @ v).max()
        lost = v @ v - after @ after
        assert lost == pytest.approx(0.0, abs=1e-7) if e[0] == 1 else lost > -1e-12


# -- Newton's cradle -----------------------------------------------------------------------------------------------------


def cradle(count=5, e=1.0, lifted=1, space=False):
    m = lw.SpatialModel("cradle", gravity=(0, 0, -G)) if space else lw.PlanarModel("cradle", gravity=(0, -G))
    r, L, a = 0.02, 0.2, -0.3

    def at(x, y):
        return (x, 0.0, y) if space else (x, y)

    for k in range(count):
        turn = a if k < lifted else 0.0
        turned = {"orientation": ((0, 1, 0), -turn)} if space else {"angle": turn}
        inertia = (4e-5,) * 3 if space else 4e-5
        b = m.body(f"b{k}", 0.1, inertia, position=at(2 * r * k + L * np.sin(turn), -L * np.cos(turn)), **turned)
        axis = {"rotation": ((1, 0, 0), -np.pi / 2)} if space else {}
        m.add(lw.Revolute(f"pin{k}", m.ground.at(*at(2 * r * k, 0), **axis), b.at(*at(0, L), **axis)))
        if k:
            P, Q = m[f"b{k - 1}"].at(*at(0, 0)), b.at(*at(0, 0))
            m.add(lw.Contact(f"c{k}", P, Q, radii=(r, r), on="sphere", restitution=e))
    return m


def speeds(m, d, k):
    """Of the balls after the first impact, by the greatest."""
    name = "wy" if m.dimension == 3 else "omega"
    w = np.array([d[f"{b}.{name}"][k] for b in m.bodies if b != "ground"])
    return w / w[np.argmax(np.abs(w))]


@pytest.mark.parametrize("lifted", [1, 2, 3])
@pytest.mark.parametrize("space", [False, True])
def test_as_many_balls_leave_as_came(lifted, space):
    m = cradle(lifted=lifted, space=space)
    d = lw.dynamics(m, t_end=0.3, steps=3)
    assert {n for _, n in d.events} == {"c1", "c2", "c3", "c4"}
    assert speeds(m, d, -1) == pytest.approx([0] * (5 - lifted) + [1] * lifted, abs=1e-9)
    assert d.audit.energy_error < 1e-7


def test_the_shock_runs_to_and_fro():
    """Ball 0 comes back to where it was after a period of the pendulum, and those in between stay where they are."""
    d = lw.dynamics(cradle(), t_end=2.0, steps=200)
    assert len([n for _, n in d.events if n == "c2"]) == 4
    assert [np.abs(d[f"b{k}.angle"]).max() for k in range(5)] == pytest.approx([0.3, 0, 0, 0, 0.3], abs=1e-3)


def test_less_than_full_restitution():
    """Free balls of one mass in a row: of two the parts (1 - e)/2 and (1 + e)/2 of the speed; three share as two do, pair
    after pair, until none follows faster than the next."""
    e = 0.8
    v = np.array([1.0, 0.0, 0.0])
    for k in (0, 1, 0):
        pair = v[k : k + 2].copy()
        v[k : k + 2] = pair.mean() + e * 0.5 * np.array([pair[1] - pair[0], pair[0] - pair[1]])
    assert v[0] < v[1] < v[2]  # no more
    m = row(3, e)
    d = lw.dynamics(m, t_eval=[0, 1.0])
    assert [d[f"b{k}.vx"][-1] for k in range(3)] == pytest.approx(v * 3.0, rel=1e-9)


def test_plastic_balls_go_on_together():
    m = cradle(e=0.0)
    assert speeds(m, lw.dynamics(m, t_end=0.23, steps=3), -1) == pytest.approx([1] * 5, abs=1e-8)


def row(count, e):
    """Free balls that touch, but for the first, which comes with 3 m/s."""
    m = lw.PlanarModel("row")
    for k in range(count):
        m.body(f"b{k}", 1.0, 0.1, position=(2.0 * k - (k == 0), 0), velocity=(3.0 * (k == 0), 0))
        if k:
            P, Q = m[f"b{k - 1}"].at(0, 0), m[f"b{k}"].at(0, 0)
            m.add(lw.Contact(f"c{k}", P, Q, radii=(1, 1), on="sphere", restitution=e))
    return m


def test_a_long_row_in_loops():
    """Sixty balls, evaluated in loops over them: the last one leaves with the speed of the first."""
    d = lw.dynamics(row(60, 1.0), t_eval=[0, 1.0])
    assert d.events[0] == (pytest.approx(1 / 3, abs=1e-9), "c1")
    assert len(d.events) == 59
    assert d["b59.vx"][-1] == pytest.approx(3.0, rel=1e-12)
    assert max(abs(d[f"b{k}.vx"][-1]) for k in range(59)) < 1e-12


# -- several contacts ------------------------------------------------------------------------------------------------------


def test_a_box_that_falls_flat_stays_flat():
    """Both corners are struck at once: it bounces as a ball does, and rests after sqrt(2h/g) (1 + e)/(1 - e)."""
    m = lw.PlanarModel("box", gravity=(0, -G))
    box = m.body("box", 1.0, 0.1, position=(0, 1.0))
    for k, x in enumerate((-0.3, 0.3)):
        m.add(lw.Contact(f"c{k}", box.at(x, -0.2), m.ground.at(0, 0, angle=0), restitution=0.5))
    d = lw.dynamics(m, t_end=2.0, steps=20)
    assert np.abs(d["box.angle"]).max() < 1e-12
    rest = [t for t, n in d.events if n == "c0 rests"]
    assert rest == pytest.approx([np.sqrt(1.6 / G) * 3], abs=1e-5)
    assert [d["c0.force"][-1], d["c1.force"][-1]] == pytest.approx([G / 2, G / 2], rel=1e-9)


def test_a_ball_comes_to_rest_in_a_groove():
    """Held by both sides: N0 sin a0 = N1 sin a1, N0 cos a0 + N1 cos a1 = m g."""
    m = lw.PlanarModel("groove", gravity=(0, -G))
    b = m.body("b", 1.0, 0.1, position=(0.1, 1.0))
    for k, a in enumerate((0.5, -0.7)):
        m.add(lw.Contact(f"w{k}", b.at(0, 0), m.ground.at(0, 0, angle=a), radii=(0.1, 0), restitution=0.5))
    d = lw.dynamics(m, t_end=3.0, steps=3)
    want = [G * np.sin(0.7) / np.sin(1.2), G * np.sin(0.5) / np.sin(1.2)]
    assert [d["w0.force"][-1], d["w1.force"][-1]] == pytest.approx(want, rel=1e-9)
    assert np.hypot(d["b.vx"][-1], d["b.vy"][-1]) < 1e-9
    assert d.audit.energy_error < 1e-8


# -- what pushes into a stop ------------------------------------------------------------------------------------------------


def pushed():
    m = lw.PlanarModel("push")
    block = m.body("block", 1.0, 1.0)
    guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Stop("bump", guide.displacement, upper=0.2, restitution=0.5))
    return m, guide


@pytest.mark.parametrize("bodies", [0, 55])
def test_a_driver_that_pushes_into_a_stop_is_named(bodies):
    m, guide = pushed()
    m.add(lw.Driver("push", guide.displacement, "0.3*t"))
    for k in range(bodies):
        m.body(f"free{k}", 1.0, 1.0, position=(k, 1))
    with pytest.raises(lw.IntegrationError, match="the driver push pushes the bodies of bump into each other") as caught:
        lw.dynamics(m, t_end=1.0, steps=10)
    assert caught.value.element == ("bump", "push")
    assert caught.value.time == pytest.approx(2 / 3, abs=1e-6)
    assert "Force" in caught.value.remedy
    assert caught.value.partial["block.x"][-1] == pytest.approx(0.18, abs=0.03)


def test_a_controller_that_pushes_into_a_stop_presses():
    """kp (0.3 t - 0.2) + kd 0.3 with t = 2."""
    m, guide = pushed()
    m.add(lw.PID("push", guide, "0.3*t", kp=100, kd=20))
    d = lw.dynamics(m, t_end=2.0, steps=4)
    assert d["bump.force"][-1] == pytest.approx(-(100 * 0.4 + 20 * 0.3), rel=1e-9)
    assert d["block.x"][-1] == pytest.approx(0.2, abs=1e-9)
