"""Machines with more equations than they need: they assemble, move, and what is redundant is named."""

import numpy as np
import pytest

import linkwright as lw

# -- a four-bar from four revolutes -------------------------------------------------------------------------------------

POINTS = ((0.0, 0.0), (1.0, 0.0), (2.5, 1.5), (2.0, 0.0))  # a crank that can turn


def four_revolutes(driver=None, tilt=((1, 2, -1), 0.9)):
    """Links in a plane, which lies in space as `tilt` says."""
    m = lw.SpatialModel("four revolutes")
    from scipy.spatial.transform import Rotation

    T = Rotation.from_rotvec(tilt[1] * np.array(tilt[0]) / np.linalg.norm(tilt[0]))
    ends = []
    for k in range(3):
        a, b = np.array(POINTS[k]), np.array(POINTS[k + 1])
        turn = np.arctan2(*(b - a)[::-1])
        body = m.body(f"link{k}", position=T.apply([*a, 0]), orientation=T * Rotation.from_rotvec([0, 0, turn]))
        ends.append((body.at(0, 0, 0), body.at(np.linalg.norm(b - a), 0, 0)))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0, rotation=T), ends[0][0]))
    m.add(lw.Revolute("B", ends[0][1], ends[1][0]))
    m.add(lw.Revolute("C", ends[1][1], ends[2][0]))
    m.add(lw.Revolute("D", ends[2][1], m.ground.at(*T.apply([2, 0, 0]), rotation=T)))
    if driver:
        m.add(lw.Driver("motor", A.angle, driver))
    return m


def test_four_revolutes_are_counted():
    report = lw.check(four_revolutes(tilt=((0, 0, 1), 0.0)))
    assert (report.coordinates, report.equations, report.rank) == (18, 20, 17)
    assert (report.dof, report.redundant_count) == (1, 3)
    # in the plane of the links nothing is redundant: what is concerns shifts along, and tilts of, the axes
    names = {name for group in report.redundant for name in group}
    assert names <= {f"{joint}.{row}" for joint in "ABCD" for row in ("z", "fh", "gh")}
    assert {name[0] for name in names} == set("ABCD")
    assert report.ok
    assert [f.code for f in report.findings] == ["redundant"] * 3 + ["free"]
    assert all(f.elements for f in report.findings[:3])


def test_four_revolutes_anywhere_in_space():
    report = lw.check(four_revolutes())
    assert (report.dof, report.redundant_count) == (1, 3)


def test_four_revolutes_move():
    """As the planar four-bar does: the loop of the four points closes, over ten turns of the crank."""
    k = lw.kinematics(four_revolutes("2*pi*t"), t_end=10, steps=2000)
    a, b, c = (np.linalg.norm(np.subtract(POINTS[n + 1], POINTS[n])) for n in range(3))
    crank = 2 * np.pi * k.t
    # link angles in the plane, from the joint angles
    coupler = crank + k["B.angle"]
    rocker = coupler + k["C.angle"]
    x = a * np.cos(crank) + b * np.cos(coupler) + c * np.cos(rocker)
    y = a * np.sin(crank) + b * np.sin(coupler) + c * np.sin(rocker)
    np.testing.assert_allclose(x, 2, atol=1e-12)
    np.testing.assert_allclose(y, 0, atol=1e-12)
    # the last joint sees ground come back: the angles add up to nothing
    np.testing.assert_allclose(np.sin(rocker + k["D.angle"]), 0, atol=1e-11)
    assert k.audit.position_error < 1e-12


# -- Bricard's loop -----------------------------------------------------------------------------------------------------

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
AXES = {"x": ((0, 1, 0), np.pi / 2), "y": ((1, 0, 0), -np.pi / 2), "z": None}  # turns z onto them


def bricard(driver=None):
    """Six revolutes along edges of a cube; five rods and ground."""
    m = lw.SpatialModel("Bricard")
    centres = (CORNERS[:-1] + CORNERS[1:]) / 2
    rods = [m.body(f"rod{k}", position=c) for k, c in enumerate(centres, 1)]
    links = [(m.ground, np.zeros(3)), *zip(rods, centres, strict=True), (m.ground, np.zeros(3))]
    for k, axis in enumerate("yzxyzx"):
        ends = [body.at(*(CORNERS[k] - centre), rotation=AXES[axis]) for body, centre in links[k : k + 2]]
        m.add(lw.Revolute(f"R{k + 1}", *ends))
    if driver:
        m.add(lw.Driver("motor", m["R1"].angle, driver))
    return m


def test_bricard_is_mobile_against_the_count():
    report = lw.check(bricard())
    assert report.coordinates - report.equations == 0  # Gruebler
    assert (report.rank, report.dof, report.mobility, report.redundant_count) == (29, 1, 1, 1)
    assert {name.split(".")[0] for name in report.redundant[0]} == {f"R{k}" for k in range(1, 7)}
    assert lw.check(bricard("0")).dof == 0


def test_bricard_moves():
    """Every other angle is the same; neighbours obey sin a + sin b + sin a sin b = 0."""
    k = lw.kinematics(bricard("t"), t_end=3.6, steps=720)
    a, b = (np.array([k[f"R{n}.angle"] for n in odd]) for odd in ((1, 3, 5), (2, 4, 6)))
    # the three equal angles meet their common value to rounding times the condition of the chosen equations
    np.testing.assert_allclose(a - k.t, 0, atol=1e-10)
    np.testing.assert_allclose(np.sin(b), -np.sin(k.t) / (1 + np.sin(k.t)) + 0 * b, atol=1e-10)
    assert k.audit.position_error < 1e-11
    # velocity: cos b bdot (1 + sin a) = -cos a (1 + sin b)
    bdot = k[bricard_rate("R2")]
    wanted = -np.cos(k.t) * (1 + np.sin(b[0])) / (np.cos(b[0]) * (1 + np.sin(k.t)))
    np.testing.assert_allclose(bdot, wanted, atol=1e-9)


def test_bricard_is_exact_where_the_chosen_equations_degenerate():
    """At 90 degrees 29 equations that were independent no longer are, 29 others stay so. The motion is even about there."""
    near = np.array([1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
    k = lw.kinematics(bricard("t"), t_eval=[0, 1, *(np.pi / 2 - near[::-1]), np.pi / 2, *(np.pi / 2 + near)])
    for c in ("rod2.alphaz", "rod3.ay", "rod3.az"):
        np.testing.assert_allclose(k[c][2:7][::-1], k[c][8:], atol=1e-11, err_msg=c)
    b = -np.arcsin(np.sin(k.t) / (1 + np.sin(k.t)))
    np.testing.assert_allclose(k["R2.angle"], b, atol=1e-13)


def bricard_rate(joint):
    return bricard()[joint].omega


def test_bricard_locks():
    """sin a = -1/2 asks for sin b = 1: R1 cannot be driven further than 210 degrees."""
    with pytest.raises(lw.SingularityError) as stop:
        lw.kinematics(bricard("t"), t_end=4, steps=400)
    assert stop.value.kind == "lock-up"
    assert stop.value.time == pytest.approx(7 * np.pi / 6, abs=1e-6)


# -- a door -------------------------------------------------------------------------------------------------------------


def door(offset=0.0, driver=None):
    """On two hinges; the upper one is off the lower one's axis by `offset`."""
    m = lw.SpatialModel("door")
    leaf = m.body("leaf", position=(0.5, 0, 1))
    m.add(lw.Revolute("lower", m.ground.at(0, 0, 0.2), leaf.at(-0.5, 0, -0.8)))
    m.add(lw.Revolute("upper", m.ground.at(0, offset, 1.8), leaf.at(-0.5, 0, 0.8)))
    if driver:
        m.add(lw.Driver("hand", m["lower"].angle, driver))
    return m


def test_door():
    report = lw.check(door())
    assert (report.equations, report.rank, report.dof, report.redundant_count) == (10, 5, 1, 5)
    assert report.ok
    for group in report.redundant:
        assert {name.split(".")[0] for name in group} == {"lower", "upper"}
    k = lw.kinematics(door(driver="t"), t_end=20, steps=200)
    np.testing.assert_allclose(k["upper.angle"], k.t, atol=1e-12)
    np.testing.assert_allclose(k["leaf.x"], 0.5 * np.cos(k.t), atol=1e-12)


def test_door_that_does_not_fit():
    report = lw.check(door(offset=0.01))
    assert not report.ok
    [wrong] = [f for f in report.findings if f.code == "contradiction"]
    assert set(wrong.elements) == {"lower", "upper"}
    with pytest.raises(lw.AssemblyError) as error:
        lw.assemble(door(offset=0.01))
    assert error.value.feasible is False
    assert set(error.value.residuals) >= {"lower", "upper"}


# -- planar joints used in space ----------------------------------------------------------------------------------------


def flat_slider_crank(good):
    """Example 10.1.1: three revolutes and a slide, or with a ball and a universal joint instead of two revolutes."""
    m = lw.SpatialModel("slider-crank")
    angle, a, b = 0.7, 0.3, 0.8
    pin = a * np.array([np.cos(angle), np.sin(angle), 0])
    slide = np.array([0, pin[1] + np.sqrt(b**2 - pin[0] ** 2), 0])
    lean = np.arctan2(*(slide - pin)[1::-1])
    crank = m.body("crank", orientation=((0, 0, 1), angle))
    rod = m.body("rod", position=pin, orientation=((0, 0, 1), lean))
    slider = m.body("slider", position=slide)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), crank.at(0, 0, 0)))
    if good:
        m.add(lw.Spherical("B", crank.at(a, 0, 0), rod.at(0, 0, 0)))
        m.add(lw.Universal("C", rod.at(b, 0, 0), slider.frame((0, 0, 0), (0, 1, 0))))
    else:
        m.add(lw.Revolute("B", crank.at(a, 0, 0), rod.at(0, 0, 0)))
        m.add(lw.Revolute("C", rod.at(b, 0, 0), slider.at(0, 0, 0)))
    m.add(
        lw.Translational("D", m.ground.frame((0, 0, 0), (0, 1, 0), (1, 0, 0)), slider.frame((0, 0, 0), (0, 1, 0), (1, 0, 0)))
    )
    return m, A


def test_a_flat_slider_crank():
    report = lw.check(flat_slider_crank(good=False)[0])
    assert (report.equations, report.rank, report.redundant_count, report.dof) == (20, 17, 3, 1)
    report = lw.check(flat_slider_crank(good=True)[0])
    assert (report.equations, report.rank, report.redundant_count, report.dof) == (17, 17, 0, 1)
    y = []
    for good in (False, True):
        m, A = flat_slider_crank(good)
        m.add(lw.Driver("motor", A.angle, "0.7 + t"))
        k = lw.kinematics(m, t_end=7, steps=140)
        y.append(k["slider.y"])
    phi = 0.7 + k.t
    np.testing.assert_allclose(y[0], 0.3 * np.sin(phi) + np.sqrt(0.64 - (0.3 * np.cos(phi)) ** 2), atol=1e-12)
    np.testing.assert_allclose(y[0], y[1], atol=1e-12)
