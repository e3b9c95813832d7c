"""Gears, bevel gears, racks, couplers and curves in space, over many turns, against closed forms."""

import numpy as np
import pytest

import linkwright as lw

TILT = ((1, 2, -2), 0.8)  # all machines stand obliquely in space
T = np.asarray(lw.SpatialModel("t").ground.at(0, 0, 0, rotation=TILT).rotation, dtype=float)


def axis(m, body, at, along, x):
    """A frame with z along a direction, all in the oblique axes of the machine."""
    at, along, x = (np.asarray(v, dtype=float) for v in (at, along, x))
    if body is m.ground:
        at, along, x = T @ at, T @ along, T @ x
    return body.frame(at, at + along, at + x)


def pivoted(m, name, at, along, x, base=None):
    """A body on a revolute joint about `along` through `at`; its axes are those of the machine."""
    body = m.body(name, position=T @ np.asarray(at, dtype=float), orientation=TILT)
    base = base or m.ground
    own = at if base is m.ground else np.asarray(at)
    J = m.add(lw.Revolute(f"J_{name}", axis(m, base, own, along, x), axis(m, body, (0, 0, 0), along, x)))
    return body, J


X, Y, Z = np.eye(3)


@pytest.mark.parametrize("radii", [(1.0, 1.0), (0.2, 0.7)])
def test_bevel_gears(radii):
    """Shafts at right angles, axes pointing from the apex to the gears: R_i theta_i + R_j theta_j stays."""
    m = lw.SpatialModel("bevel")
    i, A = pivoted(m, "i", (0, 0, 0), X, Y)
    j, B = pivoted(m, "j", (0, 0, 0), Z, X)
    m.add(lw.Gear("mesh", axis(m, i, (0, 0, 0), X, Y), axis(m, j, (0, 0, 0), Z, X), radii=radii))
    m.add(lw.Driver("motor", A.angle, "2*pi*t + 0.1*sin(t)"))
    report = lw.check(m)
    assert (report.dof, report.redundant) == (0, [])
    k = lw.kinematics(m, t_end=100, steps=2000)
    ratio = -radii[0] / radii[1]
    np.testing.assert_allclose(k["J_j.angle"] - k["J_j.angle"][0], ratio * k["J_i.angle"], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(k[B.omega], ratio * k[A.omega], rtol=1e-12)
    np.testing.assert_allclose(k["j.alphaz"], ratio * -0.1 * np.sin(k.t), atol=1e-11)


def test_bevel_gears_at_an_obtuse_angle():
    """The law does not depend on the angle between the shafts."""
    along = np.array([np.cos(2.0), 0, np.sin(2.0)])
    m = lw.SpatialModel("bevel")
    i, A = pivoted(m, "i", (0, 0, 0), X, Y)
    j, B = pivoted(m, "j", (0, 0, 0), along, Y)
    m.add(lw.Gear("mesh", axis(m, i, (0, 0, 0), X, Y), axis(m, j, (0, 0, 0), along, Y), radii=(0.3, 0.5)))
    m.add(lw.Driver("motor", A.angle, "3*t"))
    k = lw.kinematics(m, t_end=20, steps=200)
    np.testing.assert_allclose(k[B.omega], -0.6 * 3, rtol=1e-12)


def test_differential():
    """Two suns and a planet on a cage: the cage turns with their mean, the planet with half their difference."""
    m = lw.SpatialModel("differential")
    left, A = pivoted(m, "left", (0, 0, 0), X, Y)
    right, B = pivoted(m, "right", (0, 0, 0), X, Y)
    cage, C = pivoted(m, "cage", (0, 0, 0), X, Y)
    planet, D = pivoted(m, "planet", (0, 0, 0), Z, X, base=cage)
    for sun, along in ((left, -X), (right, X)):
        m.add(lw.Gear(f"mesh {sun.name}", axis(m, sun, (0, 0, 0), along, Y), axis(m, planet, (0, 0, 0), Z, X), radii=(1, 1)))
    m.add(lw.Driver("motor", A.angle, "5*t"))
    m.add(lw.Driver("brake", B.angle, "sin(2*t)"))
    report = lw.check(m)
    assert (report.dof, report.redundant) == (0, [])
    k = lw.kinematics(m, t_end=30, steps=600)
    w = 5.0, 2 * np.cos(2 * k.t)
    np.testing.assert_allclose(k[C.omega], (w[0] + w[1]) / 2, atol=1e-12)
    np.testing.assert_allclose(k["J_cage.angle"], (5 * k.t + np.sin(2 * k.t)) / 2, atol=1e-11)
    np.testing.assert_allclose(k[D.omega], (w[0] - w[1]) / 2, atol=1e-12)


def test_planetary_gear_with_a_ring():
    """Willis: (w_ring - w_arm)/(w_sun - w_arm) = -R_sun/R_ring; sun and ring driven, the arm between."""
    Rs, Rp = 0.3, 0.2
    Rr = Rs + 2 * Rp
    m = lw.SpatialModel("planetary gear")
    A, B = (pivoted(m, name, (0, 0, 0), Z, X)[1] for name in ("sun", "ring"))
    arm, C = pivoted(m, "arm", (0, 0, 0), Z, X)
    pivoted(m, "planet", (Rs + Rp, 0, 0), Z, X, base=arm)
    middle = {name: axis(m, m[name], (0, 0, 0), Z, X) for name in ("sun", "ring", "planet")}
    m.add(lw.Gear("inner", middle["sun"], middle["planet"], radii=(Rs, Rp)))
    m.add(lw.Gear("outer", middle["ring"], middle["planet"], radii=(-Rr, Rp)))
    m.add(lw.Driver("motor", A.angle, "7*t"))
    m.add(lw.Driver("second", B.angle, "-2*t"))
    assert lw.check(m).ok
    k = lw.kinematics(m, t_end=40, steps=800)
    wanted = (Rs * 7 + Rr * -2) / (Rs + Rr)
    np.testing.assert_allclose(k[C.omega], wanted, rtol=1e-12)
    np.testing.assert_allclose(k["J_arm.angle"], wanted * k.t, atol=1e-11)


def test_gears_too_far_apart_in_space():
    m = lw.SpatialModel("train")
    a, _ = pivoted(m, "a", (0, 0, 0), Z, X)
    b, _ = pivoted(m, "b", (0.32, 0, 0.7), Z, X)  # also along the axes, which does not matter
    m.add(lw.Gear("mesh", axis(m, a, (0, 0, 0), Z, X), axis(m, b, (0, 0, 0), Z, X), radii=(0.2, 0.1)))
    [found] = [f for f in lw.check(m).findings if f.code == "gear-distance"]
    assert found.elements == ("mesh",)
    assert "0.32 m apart" in found.text
    assert "0.3" in found.text.split("ask for")[1]


def test_rack_and_pinion():
    """A pinion on a carriage along an oblique rack, a hundred turns: it rolls."""
    R = 0.05
    m = lw.SpatialModel("rack")
    carriage = m.body("carriage", position=T @ (0, R, 0), orientation=TILT)
    G = m.add(lw.Translational("G", axis(m, m.ground, (0, R, 0), X, Y), axis(m, carriage, (0, 0, 0), X, Y)))
    pinion = m.body("pinion", position=T @ (0, R, 0), orientation=TILT)
    J = m.add(lw.Revolute("J", axis(m, carriage, (0, 0, 0), Z, X), axis(m, pinion, (0, 0, 0), Z, X)))
    m.add(lw.RackPinion("mesh", axis(m, m.ground, (0, 0, 0), Z, X), axis(m, pinion, (0, 0, 0), Z, X), radius=R))
    m.add(lw.Driver("pull", G.displacement, "0.3*t + 0.01*sin(t)"))
    report = lw.check(m)
    assert (report.dof, report.redundant) == (0, [])
    k = lw.kinematics(m, t_end=100, steps=1000)
    np.testing.assert_allclose(k["J.angle"] - k["J.angle"][0], -k["G.displacement"] / R, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(k[J.omega], -(0.3 + 0.01 * np.cos(k.t)) / R, rtol=1e-12)


def test_a_rack_whose_frames_do_not_fit_is_said():
    """Its z axis along the pitch line, as that of a slide, instead of along the pinion's axis."""
    m = lw.SpatialModel("rack")
    rack, pinion = m.body("rack", orientation=TILT), m.body("pinion", position=T @ (0, 0.2, 0), orientation=TILT)
    m.add(lw.Translational("G", axis(m, m.ground, (0, 0, 0), X, Y), axis(m, rack, (0, 0, 0), X, Y)))
    m.add(lw.Revolute("J", axis(m, m.ground, (0, 0.2, 0), Z, X), axis(m, pinion, (0, 0, 0), Z, X)))
    m.add(lw.RackPinion("mesh", axis(m, rack, (0, 0, 0), X, Y), axis(m, pinion, (0, 0, 0), Z, X), radius=0.2))
    report = lw.check(m)
    [found] = [f for f in report.findings if f.code == "wrong-root"]
    assert not report.ok
    assert found.elements == ("mesh",)
    assert "z axes of its frames, along the pinion's axis, are not parallel" in found.text


def test_a_rack_at_another_distance_than_the_radius_is_said():
    """The pair in space keeps no distance: the pinion's pivot is 0.2 m from the pitch line, at any place along both."""
    m = lw.SpatialModel("rack")
    R = m.parameter("R", 0.2)
    rack, pinion = m.body("rack", orientation=TILT), m.body("pinion", position=T @ (0, 0.2, 0), orientation=TILT)
    m.add(lw.Translational("G", axis(m, m.ground, (0, 0, 0), X, Y), axis(m, rack, (0, 0, 0), X, Y)))
    m.add(lw.Revolute("J", axis(m, m.ground, (0, 0.2, 0), Z, X), axis(m, pinion, (0, 0, 0), Z, X)))
    m.add(lw.RackPinion("mesh", axis(m, rack, (0.4, 0, 0.1), Z, X), axis(m, pinion, (0, 0, 0.3), Z, X), radius=R))
    assert lw.check(m).ok
    for radius, remedy in ((0.25, "other joints must keep that distance"), (-0.2, "give radius=0.2")):
        m.set(R=radius)
        report = lw.check(m)
        assert not report.ok
        [found] = [f for f in report.findings if f.code == "gear-distance"]
        assert found.elements == ("mesh",)
        assert "is 0.2 m from the rack's pitch line" in found.text
        assert remedy in found.remedy


def test_coupler_of_three_joint_coordinates():
    """A hoist: two drums of different size, each on its motor, and a block that rises with both."""
    m = lw.SpatialModel("hoist")
    _, A = pivoted(m, "one", (0, 0, 1), X, Y)
    _, B = pivoted(m, "two", (1, 0, 1), X, Y)
    block = m.body("block", orientation=TILT)
    G = m.add(lw.Translational("G", axis(m, m.ground, (0, 0, 0), Z, X), axis(m, block, (0, 0, 0), Z, X)))
    m.add(lw.Coupler("rope", {A.angle: 0.1, B.angle: -0.05, G.displacement: -2}, 0.0))
    m.add(lw.Driver("first", A.angle, "4*t"))
    m.add(lw.Driver("second", B.angle, "t**2"))
    k = lw.kinematics(m, t_end=30, steps=300)
    np.testing.assert_allclose(k["G.displacement"], (0.4 * k.t - 0.05 * k.t**2) / 2, atol=1e-11)
    np.testing.assert_allclose(k[G.velocity], (0.4 - 0.1 * k.t) / 2, atol=1e-12)


def test_bead_on_a_moving_helix():
    """The rail turns about its axis while the bead is held to a plane through it: it climbs by the lead, and not evenly."""
    a, lead = 0.2, 0.05
    m = lw.SpatialModel("helix")
    rail, J = pivoted(m, "rail", (0, 0, 0), Z, X)
    bead = m.body("bead", position=T @ (a, 0, 0), orientation=TILT)
    helix = lw.Curve.parametric(f"{a}*cos(alpha)", f"{a}*sin(alpha)", f"{lead}*alpha", start=-100, end=100, closed=False)
    contact = m.add(lw.PointFollower("contact", bead.at(0, 0, 0), rail.curve(helix), estimate=0))
    m.add(lw.Orientation("level", axis(m, m.ground, (0, 0, 0), Z, X), axis(m, bead, (0, 0, 0), Z, X)))
    m.add(lw.PointOnPlane("plane", axis(m, m.ground, (0, 0, 0), Y, X), bead.at(0, 0, 0)))
    m.add(lw.Driver("motor", J.angle, "-t**2"))
    k = lw.kinematics(m, t_end=6, steps=120)
    z = T[:, 2] @ np.array([k[f"bead.{c}"] for c in "xyz"])
    np.testing.assert_allclose(z, lead * k.t**2, atol=1e-12)
    np.testing.assert_allclose(k[contact.alpha], k.t**2, atol=1e-11)
    v, acceleration = (T[:, 2] @ np.array([k[f"bead.{c}{x}"] for x in "xyz"]) for c in "va")
    np.testing.assert_allclose(v, 2 * lead * k.t, atol=1e-12)
    np.testing.assert_allclose(acceleration, 2 * lead, atol=1e-10)
