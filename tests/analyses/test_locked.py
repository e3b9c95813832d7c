"""Machines that are locked where they start: said as such by every analysis, unlike drivers that are wrong everywhere."""

from __future__ import annotations

import re

import numpy as np
import pytest

import linkwright as lw

ANALYSES = {
    "kinematics": lambda m: lw.kinematics(m, t_end=0.5, steps=5),
    "inverse dynamics": lambda m: lw.inverse_dynamics(m, t_end=0.5, steps=5),
    "dynamics": lambda m: lw.dynamics(m, t_end=0.5, steps=5),
}


def four_bar(motion="t", angles=(0.0, 0.5, 0.5)):
    """Crank 4 on a ground of 4, coupler and rocker 6. With the crank on the ground two pins are on top of each other:
    coupler and rocker turn about them, and the crank cannot move, whatever their angle but 0 and pi."""
    m = lw.PlanarModel("4-6-6")
    crank = m.body("crank", 1.0, 1.0, angle=angles[0])
    coupler = m.body("coupler", 1.0, 1.0, position=(4, 0), angle=angles[1])
    rocker = m.body("rocker", 1.0, 1.0, position=(4, 0), angle=angles[2])
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(4, 0), coupler.at(0, 0)))
    m.add(lw.Revolute("C", coupler.at(6, 0), rocker.at(6, 0)))
    m.add(lw.Revolute("D", rocker.at(0, 0), m.ground.at(4, 0)))
    if motion is not None:
        m.add(lw.Driver("motor", crank.angle, motion))
    return m


def slider_crank(motion, angle=0.0):
    """Crank 1 and rod 2; the slider is driven. At angle 0 they are in line: a dead point, x = 3."""
    m = lw.PlanarModel("slider-crank")
    s = np.sin(angle)
    crank = m.body("crank", 1.0, 1.0, angle=angle)
    rod = m.body("rod", 1.0, 1.0, position=(np.cos(angle), s), angle=-np.arcsin(s / 2))
    slider = m.body("slider", 1.0, 1.0, position=(np.cos(angle) + np.sqrt(4 - s * s), 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(1, 0), rod.at(0, 0)))
    m.add(lw.Revolute("C", rod.at(2, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", slider.x, motion))
    return m


# the second begins at rest: its speed and its acceleration are zero at the start
@pytest.mark.parametrize("motion", ["t", lw.Cycloid(height=1.0, duration=2.0)])
def test_a_four_bar_on_a_branch_that_its_driver_does_not_move(motion):
    m = four_bar(motion)
    report = lw.check(m)
    assert not report.ok
    assert [f.code for f in report.findings] == ["locked-start"]
    assert (report.rank, report.dof, report.mobility, report.redundant) == (9, 0, 1, [])
    assert "motor" in report.findings[0].elements
    [note] = lw.assemble(m).audit.notes
    assert note == report.findings[0].text
    for name in ("kinematics", "inverse dynamics"):
        with pytest.raises(lw.SingularityError, match="locked where it starts") as caught:
            ANALYSES[name](m)
        assert (caught.value.kind, caught.value.time, caught.value.driver) == ("lock-up", 0.0, "motor")
        assert "add a Driver" not in str(caught.value)


def test_dynamics_of_it():
    with pytest.raises(lw.SingularityError, match="locked where it starts"):
        ANALYSES["dynamics"](four_bar())


def test_the_position_that_is_proposed_is_not_locked():
    """The remedy names angles at which the driver moves the machine."""
    remedy = lw.check(four_bar()).findings[0].why
    names = ("crank", "coupler", "rocker")
    start = [float(re.search(rf"{name} at \(.*?\) with angle ([-.\d]+)", remedy)[1]) for name in names]
    m = four_bar(f"{start[0]} + t", start)
    k = lw.kinematics(m, t_end=0.2, steps=4)
    # coupler and rocker are of one length: the distance of their far ends is 2 * 4 sin(angle/2), seen from the middle
    base = 8 * np.sin(k["crank.angle"] / 2)
    opening = k["coupler.angle"] - k["rocker.angle"]
    assert 12 * np.abs(np.sin(opening / 2)) == pytest.approx(base, abs=1e-9)
    assert lw.check(m).ok


def test_a_driver_that_holds_still_is_no_lock_up():
    """Coupler and rocker do turn then, and are not driven."""
    with pytest.raises(lw.ModelError, match=r"1 degree of freedom .* not driven; motor drives what the joints") as caught:
        ANALYSES["kinematics"](four_bar(0.0))
    assert "remove motor" in caught.value.remedy
    assert "rocker.angle" in caught.value.remedy


def test_without_a_driver_one_is_asked_for():
    with pytest.raises(lw.ModelError, match="not driven") as caught:
        ANALYSES["kinematics"](four_bar(None))
    assert caught.value.element == ("4-6-6",)


@pytest.mark.parametrize("motion", ["3 - 0.1*t", "3 + 0.1*t"])
@pytest.mark.parametrize("analysis", ANALYSES)
def test_a_slider_driven_from_its_dead_point(analysis, motion):
    m = slider_crank(motion)
    with pytest.raises(lw.SingularityError, match="dead point") as caught:
        ANALYSES[analysis](m)
    error = caught.value
    assert (error.kind, error.driver) == ("lock-up", "motor")
    assert "A.angle" in error.remedy
    assert [f.code for f in lw.check(m).findings] == ["locked-start"]


def test_a_slider_that_stands_at_its_dead_point_for_a_moment():
    """It may pass either way, with a finite speed."""
    m = slider_crank("3 - 0.5*t**2")
    assert "locked-start" not in [f.code for f in lw.check(m).findings]
    with pytest.raises(lw.SingularityError) as caught:
        ANALYSES["kinematics"](m)
    assert caught.value.kind == "bifurcation"
    # x = cos a + sqrt(4 - sin^2 a) = 3 - a^2/2 - a^2/4 + ...: a = +-sqrt(2/3) t
    assert sorted(b["crank.omega"] for b in caught.value.branches) == pytest.approx([-np.sqrt(2 / 3), np.sqrt(2 / 3)])


def test_a_driver_of_what_never_moves():
    m = lw.PlanarModel("pin")
    arm = m.body("arm", 1.0, 1.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Driver("motor", lw.distance(m.ground.at(0, 0), arm.at(1, 0)), "1 + 0.1*t"))
    assert "redundant-driver" in [f.code for f in lw.check(m).findings]
    with pytest.raises(lw.ModelError, match="motor drives what the joints already hold") as caught:
        ANALYSES["kinematics"](m)
    assert "good to drive: A.angle" in caught.value.remedy


def test_elements_are_named_once():
    m = slider_crank("2.9 + 0.1*t", angle=np.arccos((2.9**2 + 1 - 4) / (2 * 2.9)))
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(m, t_end=2.0, steps=10)
    assert caught.value.time == pytest.approx(1.0, abs=1e-8)
    for name in caught.value.element:
        assert str(caught.value).split("\n")[0].split().count(f"{name},") <= 1
    assert "(" not in caught.value.cause


def test_in_space():
    """The same four-bar, put into space: its hinges are redundant there, and it is locked all the same."""
    m = lw.embed(four_bar())
    report = lw.check(m)
    assert "locked-start" in [f.code for f in report.findings]
    assert "redundant-driver" not in [f.code for f in report.findings]
    with pytest.raises(lw.SingularityError, match="locked where it starts"):
        ANALYSES["kinematics"](m)
