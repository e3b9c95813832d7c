"""What `check` finds odd about a machine that closes, and how its report and other answers show themselves."""

from __future__ import annotations

import re

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ModelError


def codes(m):
    return {f.code for f in lw.check(m).findings} - {"free"}


def finding(m, code):
    return next(f for f in lw.check(m).findings if f.code == code)


# -- inertia ---------------------------------------------------------------------------------------------------------------


def wheel(**properties):
    m = lw.PlanarModel("wheel")
    body = m.body("wheel", **properties)
    m.add(lw.Revolute("A", m.ground.at(0, 0), body.at(0, 0)))
    return m


def test_what_check_says_of_inertia_is_what_dynamics_does():
    for properties in ({"mass": 1.0, "com": (0.2, 0)}, {"mass": 1.0, "inertia": 0.1}, {"inertia": 0.1}):
        assert codes(wheel(**properties)) == set()
        lw.dynamics(wheel(**properties), t_end=0.1, steps=1)
    m = wheel(mass=1.0)
    with pytest.raises(ModelError, match=r"wheel\.omega"):
        lw.dynamics(m, t_end=0.1, steps=1)
    assert "wheel.omega" in finding(m, "no-inertia").text
    assert codes(wheel()) == set()  # without any mass nobody means dynamics
    m.add(lw.Driver("motor", m["A"].angle, "t"))
    assert codes(m) == set()


@pytest.mark.parametrize(
    "options", [{}, {"formulation": "joint"}, {"formulation": "mixed"}, {"method": "hht"}, {"method": "radau"}]
)
@pytest.mark.parametrize("driven", [False, True])
def test_a_body_that_is_held_at_its_mass_centre_has_no_inertia_there(driven, options):
    """m d^2 less m d^2 is not zero to the last digit, and there was no larger inertia to see that by: runs came to
    "a dead point" after 1e-16 s, or to joints that do not close. With an arm of 1e-5 m there is inertia."""
    m = lw.PlanarModel("wheel", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=1.0, position=(0.6, 0.15)) if driven else m.ground
    if driven:
        hinge = m.add(lw.Revolute("hinge", m.ground.at(0, 0), arm.at(-0.6, -0.15)))
        m.add(lw.Driver("drive", hinge.angle, "t"))
    m.parameter("off", 0.0)
    body = m.body("wheel", mass=2.0, inertia=0.0, position=(1, 0), com=("0.3 + off", 0.1), angle=0.4)
    pin = m.add(lw.Revolute("pin", arm.at(0.6, 0.15), body.at(0.3, 0.1)))
    m.add(lw.TorsionSpring("spring", pin, k=3.0))
    with pytest.raises(ModelError, match=r"acceleration of wheel\.omega: no inertia there \(a turn about the mass centre"):
        lw.dynamics(m, t_end=0.1, steps=1, **options)
    assert finding(m, "no-inertia").elements == ("wheel",)
    m.set(off=1e-5)
    assert "no-inertia" not in codes(m)


def test_a_thin_rod_on_a_ball():
    """It turns about its own axis without inertia."""
    m = lw.SpatialModel("rod")
    rod = m.body("rod", mass=1.0, inertia=(0, 0.1, 0.1), position=(1, 0, 0))
    m.add(lw.Spherical("A", m.ground.at(0, 0, 0), rod.at(-1, 0, 0)))
    assert "rod.wx" in finding(m, "no-inertia").text
    with pytest.raises(ModelError, match=r"rod\.wx"):
        lw.dynamics(m, t_end=0.1, steps=1)


def test_a_rotor_may_have_the_moment_about_its_axis_only():
    m = lw.SpatialModel("rotor")
    rotor = m.body("rotor", mass=1.0, inertia=(0, 0, 1))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), rotor.at(0, 0, 0)))
    assert lw.check(m).findings[0].code == "free"
    m.add(lw.Driver("motor", m["A"].angle, "100*t"))
    assert codes(m) == set()


def test_a_rotor_on_an_arm_that_turns_needs_all_of_them():
    m = lw.SpatialModel("gyroscope")
    arm = m.body("arm", 1.0, (1, 1, 1))
    rotor = m.body("rotor", 1.0, (0, 0, 1), orientation=((1, 0, 0), np.pi / 2))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), arm.at(0, 0, 0)))
    m.add(lw.Revolute("B", arm.at(0, 0, 0, rotation=((1, 0, 0), np.pi / 2)), rotor.at(0, 0, 0)))
    assert "inertia-implausible" in codes(m)


def test_a_free_plate_is_still_implausible():
    m = lw.SpatialModel("plate")
    m.body("plate", mass=1.0, inertia=(1, 1, 3))
    assert codes(m) == {"inertia-implausible"}


# -- islands ---------------------------------------------------------------------------------------------------------------


def two_islands():
    m = lw.PlanarModel("islands")
    held = m.body("held", 1.0, 1.0)
    a, b = m.body("a", 1.0, 1.0), m.body("b", 1.0, 1.0, position=(1, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), held.at(0, 0)))
    m.add(lw.Revolute("B", a.at(1, 0), b.at(0, 0)))
    return m


def test_bodies_joined_only_to_each_other():
    m = two_islands()
    found = finding(m, "island")
    assert found.elements == ("a", "b")
    assert lw.check(m).ok  # it may be meant
    assert lw.check(m).verdict == "nothing is wrong, something is odd"


@pytest.mark.parametrize(
    "tie",
    [
        lambda m: lw.Spring("tie", m.ground.at(0, 0), m["b"].at(0, 0), k=1.0, length=1.0),
        lambda m: lw.Spring("tie", m["held"].at(0, 0), m["b"].at(0, 0), k=1.0, length=1.0),
        lambda m: lw.Force("tie", m["a"].x, lambda x, v, t: -x),
        lambda m: lw.Constraint("tie", m["a"].y, 0),
        lambda m: lw.Distance("tie", m["b"].at(0.5, 0), m["held"].at(0, 0), length=1.5),
    ],
)
def test_what_holds_them(tie):
    m = two_islands()
    m.add(tie(m))
    assert "island" not in codes(m)


def test_a_force_between_the_two_holds_neither():
    m = two_islands()
    m.add(lw.TorsionSpring("spring", m["B"], k=1.0))
    assert finding(m, "island").elements == ("a", "b")


def test_a_single_body_that_flies_is_no_island():
    m = lw.SpatialModel("stone", gravity=(0, 0, -9.81))
    m.body("stone", 1.0, (1, 1, 1))
    assert codes(m) == set()


# -- cams ------------------------------------------------------------------------------------------------------------------


def cam(rho, follower, height):
    m = lw.PlanarModel("cam")
    disc, tappet = m.body("disc", 1.0, 1.0), m.body("tappet", 1.0, 1.0, position=(0, height))
    m.add(lw.Revolute("A", m.ground.at(0, 0), disc.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=np.pi / 2), tappet.at(0, 0, angle=np.pi / 2)))
    m.add(follower(disc.curve(lw.Curve.polar(rho)), tappet))
    return m


def flat(outline, tappet):
    return lw.CamFlat("contact", outline, tappet.at(0, 0, angle=0))


def roller(radius):
    return lambda outline, tappet: lw.CamFollower("contact", outline, tappet.curve(lw.Curve.polar(f"{radius}")))


# rho = 1 + e cos(3 alpha) is convex while rho^2 + 2 rho'^2 - rho rho'' > 0, at alpha = pi/3 while 1 - e > 9 e
@pytest.mark.parametrize(("e", "expected"), [(0.099, set()), (0.101, {"cam-concave"}), (0.3, {"cam-concave"})])
def test_flat_faces_on_hollow_outlines(e, expected):
    assert codes(cam(f"1 + {e}*cos(3*alpha)", flat, 1.0)) == expected


def test_the_outline_may_run_either_way():
    m = cam("1 + 0.05*cos(3*alpha)", flat, 1.0)
    backwards = lw.Curve.parametric("cos(alpha)", "-sin(alpha)", end=2 * np.pi, closed=True)
    again = lw.PlanarModel("backwards")
    disc, tappet = again.body("disc"), again.body("tappet", position=(0, 1))
    again.add(lw.Revolute("A", again.ground.at(0, 0), disc.at(0, 0)))
    again.add(lw.Translational("guide", again.ground.at(0, 0, angle=np.pi / 2), tappet.at(0, 0, angle=np.pi / 2)))
    again.add(flat(disc.curve(backwards), tappet))
    assert codes(m) == codes(again) == set()


# at alpha = pi/3 the hollow of 1 + 0.3 cos(3 alpha) has the radius 0.7^3/(0.7 * 2.7 - 0.49) = 0.245
@pytest.mark.parametrize(("radius", "expected"), [(0.24, set()), (0.25, {"roller-too-large"}), (1.0, {"roller-too-large"})])
def test_rollers_and_hollows(radius, expected):
    m = cam("1 + 0.3*cos(3*alpha)", roller(radius), 1.0 + radius)
    assert codes(m) == expected
    if expected:
        assert "0.245" in finding(m, "roller-too-large").text


# -- what is shown ---------------------------------------------------------------------------------------------------------


def door():
    m = lw.SpatialModel("door <1>")
    body = m.body("door")
    for name, z in (("low", 0), ("high", 2)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), body.at(0, 0, z)))
    return m


def test_a_report_shows_itself():
    report = lw.check(door())
    assert repr(report) == str(report)
    assert "Report(" not in repr(report)
    page = report._repr_html_()
    assert page.count("<tr>") == len(report.findings)
    assert "door &lt;1&gt;" in page
    assert str(report.findings[0]).startswith("[redundant] ")


def test_names_of_equations_are_explained():
    report = lw.check(door())
    assert report.rows["fh"] == "the first frame's x axis (f) is at right angles to the second's z axis (h)"
    assert "  .gh: the first frame's y axis (g)" in str(report)
    assert "  .x: " not in str(report)  # speaks for itself


def test_every_row_of_every_joint_has_a_meaning():
    from linkwright.equations import row_names, spatial_joints

    for names in spatial_joints.NAMES.values():
        assert all(row_names.meaning(name, 3) for name in names)
    for name in ("x", "y", "normal", "angle", "length", "rolling", "tangent"):
        assert row_names.meaning(name, 2)


def test_other_answers_show_themselves():
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bob = m.body("wheel", mass=1.0, inertia=0.5, com=(0, -0.2))
    m.add(lw.Revolute("A", m.ground.at(0, 0), bob.at(0, 0)))
    e = lw.equilibrium(m)
    assert repr(e) == "<stable equilibrium of 'pendulum' at t = 0: 7 channels>"
    assert "wheel.angle" in str(lw.assemble(m))
    assert "dop853" in repr(lw.dynamics(m, t_end=0.1, steps=1).audit)
    assert "eigenvalue" in repr(lw.linearize(m, e))
    at = lw.equations(m).at()
    assert "wheel.angle" in repr(at.Phi_q)
    assert "A.x" in repr(at.Phi)
    assert "2 constraints" in repr(at)
    assert repr(lw.joint_space(m)) == "<joint space of 'pendulum': A>"


def test_something_is_always_good_to_drive():
    """A body on a ball at its origin: its coordinates do not move; what is proposed drives all three freedoms."""
    m = lw.SpatialModel("ball")
    body = m.body("body")
    m.add(lw.Spherical("S", m.ground.at(0, 0, 0), body.at(0, 0, 0)))
    names = re.findall(r"body\(.*?\)\.\w", finding(m, "free").remedy)
    assert len(names) == 3
    for k, name in enumerate(names):
        at = float(lw.assemble(m)[name])
        m.add(lw.Driver(f"d{k}", name, f"{at} + 0.1*sin(t)"))
    report = lw.check(m)
    assert (report.dof, report.redundant) == (0, [])
    assert lw.kinematics(m, t_end=0.1, steps=2).t[-1] == 0.1


# -- assemblies ------------------------------------------------------------------------------------------------------------


def test_assemblies_never_claim_to_be_all():
    m = lw.PlanarModel("dyad")
    a, b = m.body("a", position=(0.5, 0.5)), m.body("b", position=(1.5, 0.5))
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.7, 0)))
    m.add(lw.Revolute("B", a.at(0.7, 0), b.at(-0.7, 0)))
    m.add(lw.Revolute("C", b.at(0.7, 0), m.ground.at(2, 0)))
    found = lw.assemblies(m, tries=20)
    assert isinstance(found, list)
    assert len(found) == len(found.met) == 2
    assert sum(found.met) <= found.tries == 20
    assert "there may be others" in found.note
    assert found.note in repr(found)
    assert (found.unmet, "likely" in found.note) == (0, False)
    assert "there may be others" in lw.assemblies(m, tries=1).note


def test_those_met_once_tell_of_others():
    """Chao's estimate: f1 (f1 - 1)/(2 (f2 + 1)) of f1 met once and f2 met twice."""
    found = type(lw.assemblies(lw.PlanarModel("nothing"), tries=1))([], [], 3)
    assert found.unmet == 0
    found.met = [1, 1, 1, 1, 2, 5]
    assert found.unmet == round(4 * 3 / (2 * 2))
    assert "4 of them were found only once, 3 more at least are likely" in found.note
