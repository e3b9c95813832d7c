"""Haug's small examples of chapter 9 in space, as machines."""

import numpy as np
import pytest

import linkwright as lw


def test_frame_of_three_points():
    """Problem 9.1.8's points: here z runs from P toward Q, x toward R; the problem has x toward Q."""
    m = lw.SpatialModel("points")
    frame = m.ground.frame((1, 1, 1), (2, 1, 0), (2, 2, 0))
    C = np.array(frame.rotation, dtype=float)
    a = np.sqrt(0.5)
    np.testing.assert_allclose(C[:, 2], (a, 0, -a), atol=1e-15)
    np.testing.assert_allclose(C[:, 0], (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(C[:, 1], np.cross((a, 0, -a), (0, 1, 0)), atol=1e-15)


def test_a_point_on_a_turning_body():
    """Example 9.2.5: s' = (1, 1, 1) on a body that turns about z with phi(t) = t^2."""
    m = lw.SpatialModel("turning")
    b = m.body("b")
    J = m.add(lw.Revolute("J", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Driver("motor", J.angle, "t**2"))
    k = lw.kinematics(m, t_end=3, steps=30)
    P = b.at(1, 1, 1)
    phi, rate = k.t**2, 2 * k.t
    c, s = np.cos(phi), np.sin(phi)
    np.testing.assert_allclose(k[lw.component(P, "vx")], (-c - s) * rate, atol=1e-12)
    np.testing.assert_allclose(k[lw.component(P, "vy")], (c - s) * rate, atol=1e-12)
    np.testing.assert_allclose(k[lw.component(P, "vz")], 0, atol=1e-14)
    np.testing.assert_allclose(k["b.alphaz"], 2, atol=1e-12)


# -- the oblique pendulum, 9.4.1-9.4.5 ------------------------------------------------------------------------------------

A = np.sqrt(0.5)


def pendulum(good, s=0.7, phi=0.6):
    """A body that turns about and slides along the y axis; cylindrical by a good and by a bad set of four dot products."""
    m = lw.SpatialModel("oblique pendulum")
    half = np.radians(135) / 2
    b = m.body("b", position=(-0.58, 0, 0.4), orientation=_product((np.cos(phi / 2), 0, np.sin(phi / 2), 0),
                                                                  (np.cos(half), 0, 0, np.sin(half))))  # fmt: skip
    g = m.ground
    origin, P = g.at(0, 0, 0), b.at(0, -1, 0)
    f1, h1 = g.vector(1, 0, 0), g.vector(0, 0, 1)
    f2, g2, h2 = b.vector(A, -A, 0), b.vector(A, A, 0), b.vector(0, 0, 1)
    if good:
        m.add(lw.DP1("d1", f2, f1))
        m.add(lw.DP1("d2", f2, h1))
    else:
        m.add(lw.DP2("d1", g2, P, origin))
        m.add(lw.DP2("d2", h2, P, origin))
    m.add(lw.DP2("d3", f1, origin, P))
    m.add(lw.DP2("d4", h1, origin, P))
    m.add(lw.Driver("slide", lw.component(P, "y"), s))
    m.add(lw.Driver("turn", lw.angle(g.vector(1, 0, 0), b.vector(A, A, 0), g.vector(0, 1, 0)), phi + np.pi))
    return m


def _product(p, q):
    (a, *u), (b, *v) = p, q
    u, v = np.array(u), np.array(v)
    return (a * b - u @ v, *(a * v + b * u + np.cross(u, v)))


@pytest.mark.parametrize("good", [True, False])
def test_oblique_pendulum(good):
    c = lw.assemble(pendulum(good))
    r, p = [c[f"b.{x}"] for x in "xyz"], np.array([c[f"b.e{n}"] for n in range(4)])
    np.testing.assert_allclose(r, (-0.5836004101, -0.0071067812, 0.3992625219), atol=1e-10)
    np.testing.assert_allclose(p * np.sign(p[0]), (0.3655914467, 0.2730250704, 0.113090687, 0.882615829), atol=1e-10)


def test_oblique_pendulum_at_the_origin():
    """With the points together the bad set holds at any orientation: it loses equations. The good one does not."""
    good, bad = lw.check(pendulum(True, s=0.0)), lw.check(pendulum(False, s=0.0))
    assert (good.rank, good.findings) == (6, [])
    assert not bad.ok
    assert bad.dof > 0
    assert {"d1", "d2"} <= {name for f in bad.findings for name in f.elements}


# -- counting ---------------------------------------------------------------------------------------------------------------


def test_a_link_modelled_or_left_out():
    """Example 9.4.4: a ball-ended link as a distance leaves 5 freedoms; as a body it also has its own spin."""
    m = lw.SpatialModel("composite")
    b = m.body("b", position=(0.6, 0.8, 0))
    m.add(lw.Distance("link", m.ground.at(0, 0, 0), b.at(0, 0, 0), 1.0))
    assert lw.check(m).dof == 5
    m = lw.SpatialModel("explicit")
    b, link = m.body("b", position=(0.6, 0.8, 0)), m.body("link", position=(0.3, 0.4, 0), orientation=((0, 0, 1), 0.9273))
    m.add(lw.Spherical("A", m.ground.at(0, 0, 0), link.at(-0.5, 0, 0)))
    m.add(lw.Spherical("B", link.at(0.5, 0, 0), b.at(0, 0, 0)))
    report = lw.check(m)
    assert report.dof == 6
    [spin] = [f for f in report.findings if f.code == "spin"]
    assert spin.elements == ("link", "A", "B")
    assert report.ok


def test_only_idle_spins_are_said():
    """Not the swing of a pendulum, nor that of a door on two hinges, nor a rod with a universal joint."""
    m = lw.SpatialModel("others")
    g = m.ground
    pendulum, door, rod = m.body("pendulum"), m.body("door", position=(0.5, 0, 1)), m.body("rod", position=(0.5, 3, 0))
    m.add(lw.Spherical("P", g.at(0, 0, 1), pendulum.at(0, 0, 1)))
    m.add(lw.Revolute("lower", g.at(0, 0, 0.2), door.at(-0.5, 0, -0.8)))
    m.add(lw.Revolute("upper", g.at(0, 0, 1.8), door.at(-0.5, 0, 0.8)))
    m.add(lw.Spherical("A", g.at(0, 3, 0), rod.at(-0.5, 0, 0)))
    m.add(lw.Universal("B", rod.at(0.5, 0, 0), m.body("end", position=(1, 3, 0)).frame((0, 0, 0), (0, 1, 0))))
    assert not [f for f in lw.check(m).findings if f.code == "spin"]


def flat(kind):
    """Example 9.4.12: a planar slider-crank in space with composite couplers; crank 0.2, coupler 0.6."""
    m = lw.SpatialModel(kind)
    crank = m.body("crank", position=(0, 0, 0), orientation=((0, 0, 1), 0.7))
    slider = m.body("slider", position=(0.74, 0, 0))
    J = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), crank.at(0, 0, 0)))
    held = {"distance": ("y", "z", "e1", "e2", "e3"), "ball": ("y", "e1", "e2", "e3"), "pins": ("y",)}[kind]
    for c in held:
        m.add(lw.Constraint(f"hold_{c}", getattr(slider, c)))
    ends = crank.at(0.2, 0, 0), slider.at(0, 0, 0)
    if kind == "distance":
        m.add(lw.Distance("coupler", *ends, 0.6))
    elif kind == "ball":
        m.add(lw.RevoluteSpherical("coupler", *ends, 0.6))
    else:
        m.add(lw.RevoluteRevolute("coupler", *ends, 0.6))
        m.add(lw.Constraint("hold_A", lw.component(slider.at(0.1, 0, 0), "y")))
    return m, J


@pytest.mark.parametrize("kind", ["distance", "ball", "pins"])
def test_flat_slider_crank(kind):
    m, J = flat(kind)
    report = lw.check(m)
    assert (report.equations, report.rank, report.dof, report.redundant) == (11, 11, 1, [])
    m.add(lw.Driver("motor", J.angle, "0.7 + 3*t"))
    k = lw.kinematics(m, t_eval=[0, 1])
    got = [k[f"slider.{c}"][0] for c in ("x", "vx", "ax")]
    np.testing.assert_allclose(got, (0.738971289718, -0.487429410994, -1.49850500134), rtol=1e-11)


def test_driven_distance():
    """A crank driven by the length of a strut, 1.5 + 0.2 sin t: angle, speed and acceleration."""
    m = lw.SpatialModel("strut")
    crank = m.body("crank", orientation=((0, 0, 1), 0.8))
    J = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), crank.at(0, 0, 0)))
    m.add(lw.Driver("strut", lw.distance(crank.at(1, 0, 0), m.ground.at(2, 0, 0)), "1.5 + 0.2*sin(t)"))
    k = lw.kinematics(m, t_eval=[0, 0.8, 2])
    np.testing.assert_allclose(np.array([k["A.angle"], k[J.omega], k["crank.alphaz"]]).T, STRUT, atol=2e-13)


STRUT = [(0.8127555613687, 0.2065591117977, -0.0128525669563), (0.9584969926548, 0.1399214655747, -0.1459558849291),
         (0.9969846587901, -0.08333756422852, -0.1824608769618)]  # fmt: skip


def test_basic_constraints_with_a_motion_are_drivers():
    """ME751's D, DP2 and CD with f(t): the strut above, a slide along a moving axis, a lift by its height in ground."""
    m = lw.SpatialModel("basic drivers")
    crank = m.body("crank", orientation=((0, 0, 1), 0.8))
    J = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), crank.at(0, 0, 0)))
    m.add(lw.D("strut", crank.at(1, 0, 0), m.ground.at(2, 0, 0), "(1.5 + 0.2*sin(t))**2"))
    slide = m.body("slide", position=(0.5, 0.5, 0), orientation=((0, 0, 1), 0.8))
    along = ((0, 1, 0), np.pi / 2)
    T = m.add(lw.Translational("T", crank.at(0, 0, 0, rotation=along), slide.at(0, 0, 0, rotation=along)))
    m.add(lw.DP2("push", crank.vector(2, 0, 0), crank.at(0, 0, 0), slide.at(0, 0, 0), "2*(0.7 + 0.1*t**2)"))
    lift = m.body("lift", position=(3, 0, 0), orientation=((1, 1, 0), 0.7))
    m.add(lw.Translational("G", m.ground.at(3, 0, 0), lift.at(0, 0, 0)))
    m.add(lw.CD("raise", (0, 0, 4), m.ground.at(0, 0, 0), lift.at(0, 0, 0.5), "4*(0.5 + sin(2*t))"))
    report = lw.check(m)
    assert (report.dof, report.redundant) == (0, [])
    k = lw.kinematics(m, t_eval=[0, 0.8, 2])
    np.testing.assert_allclose(np.array([k["A.angle"], k[J.omega], k["crank.alphaz"]]).T, STRUT, atol=2e-13)
    np.testing.assert_allclose(k["T.displacement"], 0.7 + 0.1 * k.t**2, rtol=1e-13)
    np.testing.assert_allclose(k[T.velocity], 0.2 * k.t, atol=1e-13)
    np.testing.assert_allclose(k["lift.z"], np.sin(2 * k.t), atol=1e-13)
    np.testing.assert_allclose(k["lift.az"], -4 * np.sin(2 * k.t), atol=1e-12)


def test_euler_parameters_held_at_a_half_turn():
    """9.4.15: rows (e~ + e0 I)/2 of determinant e0/8 vanish at e0 = 0; held by a joint the body is as regular as ever."""

    def held(angle, by_parameters):
        m = lw.SpatialModel("ground")
        b = m.body("b", orientation=((1, 0, 0), angle))
        if by_parameters:
            wanted = (np.sin(angle / 2), 0, 0)
            for c in "xyz":
                m.add(lw.Constraint(c, getattr(b, c)))
            for n, e in enumerate(wanted, 1):
                m.add(lw.Constraint(f"e{n}", getattr(b, f"e{n}"), e))
        else:
            m.add(lw.Fixed("weld", m.ground.at(0, 0, 0, rotation=((1, 0, 0), angle)), b.at(0, 0, 0)))
        return lw.check(m)

    assert held(2.0, True).findings == []
    assert held(np.pi, False).findings == []
    [said] = held(np.pi, True).findings
    assert said.code == "singular-start"
    assert said.elements == ("e1",)
    assert "5 of its conditions are independent there, 6 a little away" in said.why


# -- the other root ---------------------------------------------------------------------------------------------------------


def flipped(joint, turn):
    """A body whose estimate has its axis against the frame's."""
    m = lw.SpatialModel("flipped")
    b = m.body("b", orientation=((1, 0, 0), turn))
    J = m.add(joint("J", m.ground.at(0, 0, 0), b.at(0, 0, 0), **({"pitch": 0.1} if joint is lw.Screw else {})))
    return m, J


@pytest.mark.parametrize("joint", [lw.Revolute, lw.Cylindrical, lw.Translational, lw.Planar, lw.Screw])
def test_an_antiparallel_axis_is_said(joint):
    for turn, said in ((3.0, True), (0.3, False)):
        m, _ = flipped(joint, turn)
        found = [f for f in lw.check(m).findings if f.code == "antiparallel"]
        notes = [n for n in lw.assemble(m).audit.notes if "antiparallel" in n]
        assert (len(found), len(notes)) == (said, said)
        if said:
            assert found[0].elements == ("J",)
            assert notes[0].startswith(f"J ({joint.__name__}) is assembled the other way round")
            assert found[0].remedy


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)])
def test_a_weld_is_where_it_is_described(axis):
    """Frames half a turn apart satisfy its equations, but do not coincide; also along a chain of welds."""
    m = lw.SpatialModel("weld")
    before, bodies = m.ground.at(1, 2, 3, rotation=(axis, np.pi)), [m.body("a"), m.body("b")]
    for body in bodies:
        m.add(lw.Fixed(f"weld {body.name}", before, body.at(0, 0, 0)))
        before = body.at(0.5, 0, 0, rotation=(axis, 3.0))
    found = lw.assemble(m)
    p = [[found[f"{body.name}.e{k}"] for k in range(4)] for body in bodies]
    unit = np.array(axis) / np.linalg.norm(axis)
    for own, chi in zip(p, (np.pi, np.pi + 3.0), strict=True):
        assert abs(np.dot(own, [np.cos(chi / 2), *np.sin(chi / 2) * unit])) == pytest.approx(1, abs=1e-12)
    assert any("half a turn from where weld a" in note for note in found.audit.notes)
    assert lw.check(m).ok


def test_a_slide_rolled_over_is_said():
    m = lw.SpatialModel("rolled")
    b = m.body("b", orientation=((0, 0, 1), 3.0))
    m.add(lw.Translational("J", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
    assert lw.assemble(m).audit.notes == ["J (Translational) is assembled the other way round: its axes are antiparallel"]


def test_an_antiparallel_revolute_still_turns():
    """Its angle counts about the axis on the first body."""
    m, J = flipped(lw.Revolute, 3.0)
    m.add(lw.Driver("motor", J.angle, "t"))
    k = lw.kinematics(m, t_end=20, steps=200)
    assert any("antiparallel" in n for n in k.audit.notes)
    np.testing.assert_allclose(k["J.angle"], k.t, atol=1e-12)
    np.testing.assert_allclose(k["b.wz"], -1, rtol=1e-12)
