"""Angles beyond half a turn wherever a quantity may stand, and estimates that are whole turns off."""

import numpy as np
import pytest

import linkwright as lw

TURN = 2 * np.pi
KINDS = {"Revolute": {}, "Cylindrical": {}, "Screw": {"pitch": 0.1}}


def hinged(kind="Revolute"):
    m = lw.SpatialModel("hinged")
    b = m.body("b", 1.0, (1.0, 1.0, 1.0))
    return m, b, m.add(getattr(lw, kind)("J", m.ground.at(0, 0, 0), b.at(0, 0, 0), **KINDS[kind]))


def about(m, b):
    return lw.angle(m.ground.vector(1, 0, 0), b.vector(1, 0, 0), m.ground.vector(0, 0, 1))


# -- space ---------------------------------------------------------------------------------------------------------------

HELD = {
    "fix": lambda m, b, j: m.fix(j.angle, 10.0),
    "fix an expression": lambda m, b, j: m.fix(2 * j.angle + 1, 21.0),
    "Constraint": lambda m, b, j: m.add(lw.Constraint("C", j.angle, 10.0)),
    "Constraint of an expression": lambda m, b, j: m.add(lw.Constraint("C", j.angle**2, 100.0)),
    "Driver of an expression": lambda m, b, j: m.add(lw.Driver("C", 1 - j.angle, "-9 - t")),
    "parameter": lambda m, b, j: m.add(lw.Constraint("C", j.angle, 2 * m.parameter("p", 5.0))),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("held", HELD)
def test_angles_beyond_half_a_turn(kind, held):
    m, b, j = hinged(kind)
    if held == "Constraint of an expression":
        m.fix(j.angle, 10.0)  # which of the roots
    HELD[held](m, b, j)
    c = lw.assemble(m)
    assert c["J.angle"] == pytest.approx(10.0, abs=1e-9)
    assert abs(c["b.e3"]) == pytest.approx(abs(np.sin(5.0)), abs=1e-9)
    if kind == "Screw":
        assert c["b.z"] == pytest.approx(1.0, abs=1e-9)  # 0.1 m/rad


def test_a_screw_whose_slide_is_driven_has_turned_as_far_as_it_says():
    m, _, j = hinged("Screw")
    m.add(lw.Driver("push", j.displacement, "2 + t"))
    k = lw.kinematics(m, t_end=1.0, steps=2)
    np.testing.assert_allclose(k["J.angle"], [20, 25, 30], atol=1e-9)


def test_couplers_pass_turns_on():
    """A gearbox of couplers: 20 rad go in, 40 and -80 come out."""
    m, _, j = hinged()
    c, d = (m.body(name, 1.0, (1.0, 1.0, 1.0)) for name in "cd")
    K, L = (m.add(lw.Revolute(n, m.ground.at(0, 0, 0), x.at(0, 0, 0))) for n, x in (("K", c), ("L", d)))
    m.add(lw.Coupler("second", {K.angle: 2, L.angle: 1}, value=0.0))
    m.add(lw.Coupler("first", {j.angle: 1, K.angle: -0.5}, value=0.0))
    m.add(lw.Driver("motor", j.angle, "20 + t"))
    k = lw.kinematics(m, t_end=1.0, steps=2)
    np.testing.assert_allclose(k["K.angle"], [40, 41, 42], atol=1e-9)
    np.testing.assert_allclose(k["L.angle"], [-80, -82, -84], atol=1e-9)


@pytest.mark.parametrize("theta", [0.0, 1.0, 2.0, 3.0, 20.0])
def test_gears_with_a_phase_mesh_wherever_one_is_driven(theta):
    """R_i = 3 R_j, marks opposite each other at zero: the small one is at pi - 3 theta, whole turns aside."""
    m, b, j = hinged()
    c = m.body("c", 1.0, (1.0, 1.0, 1.0), position=(4, 0, 0))
    m.add(lw.Revolute("K", m.ground.at(4, 0, 0), c.at(0, 0, 0)))
    m.add(lw.Gear("gears", b.at(0, 0, 0), c.at(0, 0, 0), radii=(3.0, 1.0), phase=0.0))
    m.add(lw.Driver("motor", j.angle, f"{theta} + t"))
    k = lw.kinematics(m, t_end=8.0, steps=16)
    np.testing.assert_allclose(np.exp(1j * k["K.angle"]), -np.exp(-3j * (theta + k.t)), atol=1e-9)
    np.testing.assert_allclose(np.diff(k["K.angle"]), -1.5, atol=1e-9)


@pytest.mark.parametrize("value", [0.5, 3.5, -7.0])
def test_an_angle_between_vectors_may_be_fixed(value):
    m, b, _ = hinged()
    m.fix(about(m, b), value)
    c = lw.assemble(m)
    assert c[about(m, b)] == pytest.approx(value, abs=1e-9)
    assert np.exp(1j * c["J.angle"]) == pytest.approx(np.exp(1j * value), abs=1e-9)
    d = lw.dynamics(m, t_end=0.1, steps=1)
    assert np.exp(1j * d["J.angle"][0]) == pytest.approx(np.exp(1j * value), abs=1e-9)


def test_the_rate_of_an_angle_between_vectors_may_be_fixed():
    m, b, _ = hinged()
    m.fix(lw.rate(about(m, b)), 5.5)
    np.testing.assert_allclose(lw.dynamics(m, t_end=1.0, steps=2)["J.angle"], [0, 2.75, 5.5], atol=1e-6)


def test_events_springs_and_rest_beyond_half_a_turn():
    """Wound up by 10 rad, k/J = 1: it swings by 10 cos t about its free angle, 7 rad."""
    m, b, j = hinged()
    m.add(lw.TorsionSpring("coil", j, k=1.0, angle=7.0))
    e = lw.equilibrium(m)
    assert (e["J.angle"], e.stability) == (pytest.approx(7.0, abs=1e-9), "stable")
    m.fix(j.angle, 17.0)
    d = lw.dynamics(m, t_end=np.pi, steps=4, rtol=1e-9, events={"at 12": j.angle - 12.0, "by vectors": about(m, b) - 5.0})
    np.testing.assert_allclose(d["J.angle"], 7 + 10 * np.cos(d.t), atol=1e-6)
    assert [t for t, name in d.events if name == "at 12"] == [pytest.approx(np.arccos(0.5), abs=1e-6)]
    again = lw.dynamics(m, t_end=1.0, steps=2, start=d, rtol=1e-9)
    np.testing.assert_allclose(again["J.angle"], 7 - 10 * np.cos(again.t), atol=1e-6)


def many(held):
    m = lw.SpatialModel("many", gravity=(0, 0, 0))
    for k in range(60):
        b = m.body(f"b{k}", 1.0, (1.0, 1.0, 1.0), position=(k, 0, 0))
        held(m, b, m.add(lw.Revolute(f"J{k}", m.ground.at(k, 0, 0), b.at(0, 0, 0))), k)
    return m


@pytest.mark.parametrize("how", ["fix", "Constraint", "Driver"])
def test_large_machines_count_alike(how):
    def held(m, b, j, k):
        if how == "fix":
            m.fix(2 * j.angle, 0.4 * k)
        else:
            m.add(getattr(lw, how)(f"C{k}", 2 * j.angle, 0.4 * k))

    d = lw.dynamics(many(held), t_end=0.1, steps=1)
    np.testing.assert_allclose([d[f"J{k}.angle"] for k in range(60)], np.tile(0.2 * np.arange(60)[:, None], 2), atol=1e-9)


# -- the plane -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["Fixed", "Orientation"])
@pytest.mark.parametrize("turns", [0, 1, -3])
def test_bodies_welded_as_they_stand_stay(kind, turns):
    """Frames at 3 rad and -3 rad on bodies at 0 and 6 - 2 pi (and whole turns more): they coincide as they are."""
    m = lw.PlanarModel("weld", gravity=(0, 0))
    a, b = m.body("a", 1.0, 1.0, angle=0.0), m.body("b", 1.0, 1.0, angle=6 - TURN + turns * TURN)
    m.add(getattr(lw, kind)("weld", a.at(0, 0, angle=3.0), b.at(0, 0, angle=-3.0)))
    c = lw.assemble(m)
    assert (c["a.angle"], c["b.angle"]) == pytest.approx((0.0, 6 - TURN + turns * TURN), abs=1e-12)
    m.fix(a.omega, 1.0)
    for options in ({}, {"formulation": "joint"}, {"constraints": "stabilization"}):
        d = lw.dynamics(m, t_end=7.0, steps=2, **options)
        np.testing.assert_allclose(d["a.angle"], d.t, atol=1e-6)  # rtol
        np.testing.assert_allclose(d["b.angle"] - d["a.angle"], 6 - TURN + turns * TURN, atol=1e-6)


def four_bar(off, hold):
    m = lw.PlanarModel("four-bar")
    crank = m.body("crank", position=(0.5, 0), angle=0.5 + off)
    rod, rocker = m.body("rod", position=(2, 1), angle=0.2), m.body("rocker", position=(3.5, 0.8), angle=1.4)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.5, 0)))
    m.add(lw.Revolute("B", crank.at(0.5, 0), rod.at(-1.5, 0)))
    m.add(lw.Revolute("C", rod.at(1.5, 0), rocker.at(1, 0)))
    m.add(lw.Revolute("D", m.ground.at(3.5, 0), rocker.at(-1, 0)))
    hold(m, A, crank)
    return m


@pytest.mark.parametrize("hold", [
    lambda m, A, crank: m.add(lw.Driver("d", A.angle, "0.5 + t")),
    lambda m, A, crank: m.fix(A.angle, 0.5),
    lambda m, A, crank: m.add(lw.Constraint("c", 3 * crank.angle, 1.5)),
], ids=["Driver", "fix", "Constraint"])  # fmt: skip
def test_an_estimate_that_is_whole_turns_off_is_as_good(hold):
    """The machine is assembled as from the plain estimate, not turned round and into another branch."""
    plain = lw.assemble(four_bar(0.0, hold))
    for off in (TURN, -3 * TURN):
        c = lw.assemble(four_bar(off, hold))
        for name in ("crank", "rod", "rocker"):
            assert c[f"{name}.angle"] == pytest.approx(plain[f"{name}.angle"], abs=1e-9)
