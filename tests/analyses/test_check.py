"""What check says: counts, rank, freedom, dependent groups, drivers, roots."""

from math import pi

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.machine import Machine
from linkwright.solve.rank import analyse
from planar_machines import (
    excavator,
    five_bar,
    four_bar,
    four_bar_massless_follower,
    parallelogram,
    quick_return,
    quick_return_composite,
    slider_crank,
    slider_crank_massless_rod,
)


def test_counts_of_the_machines_of_chapter_5():
    # without drivers; ground is no body here, so three coordinates and equations fewer than the book's where it has one
    for build, coordinates, equations in ((slider_crank, 9, 8), (slider_crank_massless_rod, 6, 5), (four_bar, 9, 8),
                                          (four_bar_massless_follower, 6, 5), (quick_return, 15, 14),
                                          (quick_return_composite, 9, 8)):  # fmt: skip
        report = lw.check(build().without("motor"))
        assert report.ok
        assert (report.coordinates, report.equations, report.rank) == (coordinates, equations, equations)
        assert (report.dof, report.mobility, report.drivers, report.redundant) == (1, 1, 0, [])
        driven = lw.check(build())
        assert (driven.dof, driven.mobility, driven.drivers) == (0, 1, 1)
        assert driven.findings == []


def test_five_bar_redundancy():
    report = lw.check(five_bar(1.0, "pin", None))
    assert report.ok
    # count says 0, rank says 1 (without ground: 12 coordinates, 12 equations, rank 11)
    assert (report.coordinates, report.equations, report.rank, report.dof) == (12, 12, 11, 1)
    assert report.redundant_count == 1
    finding = next(f for f in report.findings if f.code == "redundant")
    assert set(finding.elements) >= {"T1", "T2", "T3"}
    assert lw.check(five_bar(1.0, "slot", None)).redundant == []
    # singular values of the book's matrix, 15 x 15 with ground: the smallest two at phi = 1
    machine = Machine(five_bar(1.0, "pin", None, 1.0))
    q = np.array([np.cos(1), np.sin(1), 0, 0, 0, 1, 1, 0, 1, 2, 0, 1.0])
    J = machine.Phi_and_J(q, 0.0)[1]
    assert analyse(J, machine.scale).rank == 11


def test_flat_start_is_singular_not_redundant():
    m = five_bar(1.0, "slot", None, 0.0)
    m["bar"].guess(position=(1, 0))
    report = lw.check(m)
    assert report.redundant == []
    assert any(f.code == "singular-start" for f in report.findings)
    assert (report.rank, report.dof) == (11, 1)


def test_parallelogram_with_one_link_more():
    # example 4.6.1: one redundant, one degree of freedom; the whole dependent set is named
    report = lw.check(parallelogram(pi / 3))
    assert (report.dof, report.redundant_count) == (1, 1)
    assert {name.split(".")[0] for name in report.redundant[0]} == {"O1", "O3", "P", "Q", "AB"}
    # at phi = 0 the rank is lower still: isolated, the report stays the same and says so
    flat = lw.check(parallelogram(0.0))
    assert (flat.dof, flat.redundant_count) == (1, 1)
    assert any(f.code == "singular-start" for f in flat.findings)
    # at 1e-3 from flat the rank is the general one
    machine = Machine(parallelogram(1e-3))
    q = close(machine, 0.0).q
    assert analyse(machine.Phi_and_J(q, 0.0)[1], machine.scale).rank == 8
    machine = Machine(parallelogram(0.0))
    assert analyse(machine.Phi_and_J(machine.estimate(), 0.0)[1], machine.scale).rank == 7


def test_doubled_joint():
    m = slider_crank()
    m.add(lw.Revolute("B again", m["crank"].at(2, 0), m["rod"].at(-1.75, 0)))
    report = lw.check(m)
    assert report.ok
    assert report.dof == 0
    assert sorted(map(sorted, report.redundant)) == [["B again.x", "B.x"], ["B again.y", "B.y"]]
    k, alone = (lw.kinematics(x, t_end=1, steps=20) for x in (m, slider_crank()))
    for name in alone.channels:
        np.testing.assert_allclose(k[name], alone[name], rtol=1e-9, atol=1e-9)


def test_too_many_drivers():
    m = slider_crank()
    m.add(lw.Driver("push", m["D"].displacement, "4.6157756811 - t"))
    report = lw.check(m)
    assert not report.ok
    finding = next(f for f in report.findings if f.code in ("redundant-driver", "contradiction"))
    assert {"motor", "push"} <= set(finding.elements)
    m = slider_crank()
    m.add(lw.Driver("stuck", m["slider"].y, "0*t"))
    report = lw.check(m)
    finding = next(f for f in report.findings if f.code == "redundant-driver")
    assert "stuck" in finding.text
    assert "D" in finding.elements


def test_missing_drivers_and_good_choices():
    report = lw.check(excavator().without("A", "B"))
    assert report.dof == 2
    finding = next(f for f in report.findings if f.code == "free")
    assert "2 degrees" in finding.text
    names = finding.remedy.split("good to drive: ")[1].split(", ")
    assert names[:2] == ["O.angle", "J.angle"] or set(names[:2]) == {"O.angle", "J.angle"}
    report = lw.check(excavator().without("B"))
    finding = next(f for f in report.findings if f.code == "free")
    good = finding.remedy.split("good to drive: ")[1].split(", ")
    # what the first cylinder holds is no good to drive
    assert "O.angle" not in good
    assert "b1.angle" not in good
    assert "J.angle" in good
    # every suggestion works
    for name in good:
        m = excavator().without("B")
        c = lw.assemble(m)
        m.add(lw.Driver("suggested", name, c[name]))
        assert lw.check(m).dof == 0, name


def test_suggestions_at_a_dead_point():
    # slider at its end: its displacement does not move to first order, so it is not proposed there
    m = slider_crank(motion=None)
    m.fix(m["crank"].angle, 0)
    machine_free = next(f for f in lw.check(m).findings if f.code == "free")
    assert "A.angle" in machine_free.remedy


def test_translational_turned_round():
    m = slider_crank()
    m["slider"].guess(angle=3.0)
    report = lw.check(m)
    finding = next(f for f in report.findings if f.code == "wrong-root")
    assert finding.elements == ("D",)
    assert "half a turn" in finding.text


def test_gears_too_far_apart():
    m = lw.PlanarModel()
    a, b = m.body("a"), m.body("b", position=(3.2, 0))
    m.add(lw.Revolute("pin a", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("pin b", m.ground.at(3.2, 0), b.at(0, 0)))
    m.add(lw.Gear("mesh", a.at(0, 0), b.at(0, 0), (2, 1)))
    report = lw.check(m)
    finding = next(f for f in report.findings if f.code == "gear-distance")
    assert finding.elements == ("mesh",)
    assert "3.2" in finding.text
    assert not report.ok


def test_printed_report():
    text = str(lw.check(slider_crank(motion=None)))
    assert "9 coordinates, 8 equations of rank 8" in text
    assert "A.angle" in text
    report = lw.check(slider_crank())
    assert str(report).startswith("slider-crank: no objection")
    with pytest.raises(AttributeError):
        report.nonsense  # noqa: B018


@pytest.mark.parametrize("kind", [lw.PlanarModel, lw.SpatialModel])
def test_a_model_without_bodies(kind):
    report = lw.check(kind("nothing"))
    assert (report.ok, report.coordinates, report.dof, report.findings) == (True, 0, 0, [])


# -- dependent equations that contradict each other ------------------------------------------------------------------------


def two_pins(offset):
    m = lw.PlanarModel("two pins")
    arm, other = m.body("arm"), m.body("other", position=(3, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Revolute("again", m.ground.at(0, offset), arm.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(3, 0), other.at(0, 0)))
    m.add(lw.Revolute("B2", m.ground.at(3, 0), other.at(0, 0)))
    return m


def test_what_contradicts_is_not_called_harmless():
    report = lw.check(two_pins(0.1))
    [wrong] = [f for f in report.findings if f.code == "contradiction"]
    assert "A.y, again.y cannot hold together" in wrong.why
    twice = [f for f in report.findings if f.code == "redundant"]
    said = {f.text.split(": one of ")[1].removesuffix(" follows from the others"): f.remedy for f in twice}
    assert set(said) == {"A.x, again.x", "B.x, B2.x", "B.y, B2.y"}
    assert "harmless" not in said["A.x, again.x"]  # of the joints that contradict each other
    assert "harmless" in said["B.x, B2.x"]  # of others
    assert "harmless" in said["B.y, B2.y"]
    assert report.redundant_count == 4


def test_the_same_pins_in_one_place():
    report = lw.check(two_pins(0.0))
    assert report.ok
    assert [f.code for f in report.findings if f.code != "free"] == ["redundant"] * 4
    assert all("harmless" in f.remedy for f in report.findings if f.code == "redundant")
    assert str(report).count("harmless") == 2  # printed, once for each pair of pins


def test_hinges_out_of_line():
    m = lw.SpatialModel("door")
    door = m.body("door")
    m.add(lw.Revolute("low", m.ground.at(0, 0, 0), door.at(0, 0, 0)))
    m.add(lw.Revolute("high", m.ground.at(0.001, 0, 1), door.at(0, 0, 1)))
    found = lw.check(m).findings
    assert any(f.code == "contradiction" and "low.x" in f.why and "high.x" in f.why for f in found)
    assert not any("harmless" in f.remedy for f in found)
