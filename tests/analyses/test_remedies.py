"""Remedies as data: tried on a copy before they are offered, made in another copy by `apply`, told by errors and files."""

import json
import os
import pickle
import sys
from dataclasses import fields
from math import cos, hypot, sin
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.cli import codes, main
from linkwright.model import changes
from planar_machines import four_bar, slider_crank
from terminal import all_of


def finding(report, code):
    return next(f for f in report.findings if f.code == code)


def door():
    m = lw.SpatialModel("door")
    leaf = m.body("leaf")
    for name, z in (("low", 0), ("high", 2)):
        m.add(lw.Revolute(name, m.ground.at(0, 0, z), leaf.at(0, 0, z)))
    return m


def test_every_remedy_of_a_door_leaves_one_hinge_of_freedom_and_fewer_redundancies():
    m = door()
    before = m.content()
    found = finding(lw.check(m), "redundant")
    assert len(found.fixes) >= 3
    for fix in found.fixes:
        mended = lw.check(fix.apply(m))
        assert (mended.dof, mended.redundant_count) == (1, 0)
        assert fix.outcome == mended.summary
    assert m.content() == before  # tried on copies only
    assert found.effect
    assert found.why


def test_a_remedy_that_does_not_help_is_not_offered():
    """A four-bar in space: no single pin may become a ball without a body turning about the line of its pins; with one
    cylinder and one ball the three redundant equations are gone."""
    m = lw.embed(four_bar())
    report = lw.check(m)
    assert report.redundant_count == 3
    fixes = finding(report, "redundant").fixes
    assert fixes
    for fix in fixes:
        mended = lw.check(fix.apply(m))
        assert mended.redundant_count < 3
        assert (mended.mobility, mended.dof) == (report.mobility, report.dof)


def test_findings_about_the_same_have_the_same_remedies():
    one, two, *_ = [f for f in lw.check(door()).findings if f.code == "redundant"]
    assert one.fixes is two.fixes


def test_the_length_that_fits_is_measured():
    """A rod to a crank pin: where the estimates have the crank, the rod must be as long as they are apart."""
    m = lw.PlanarModel("rod")
    arm = m.body("arm", angle=0.5)
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Distance("rod", arm.at(0.3, 0), m.ground.at(1, 0), length=3.0))
    found = finding(lw.check(m), "contradiction")
    for fix in found.fixes:
        assert lw.check(fix.apply(m)).closed
    lengths = [fix.apply(m)["rod"].length for fix in found.fixes if "length" in fix.text]
    assert any(abs(float(x) - hypot(1 - 0.3 * cos(0.5), 0.3 * sin(0.5))) < 1e-9 for x in lengths)


def test_errors_carry_findings_and_survive_a_pickle():
    m = lw.PlanarModel("two lengths")
    bob = m.body("bob", position=(0.6, 0.8))
    m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    m.add(lw.Distance("tie", m.ground.at(0, 0), bob.at(0, 0), length=1.2))
    with pytest.raises(lw.AssemblyError) as caught:
        lw.kinematics(m, t_end=1.0, steps=2)
    [found] = [f for f in caught.value.findings if f.code == "contradiction"]
    assert "tie" in found.elements
    assert found.fixes
    again = pickle.loads(pickle.dumps(caught.value))
    assert [f.code for f in again.findings] == [f.code for f in caught.value.findings]
    assert again.findings[0].fixes[0].text == caught.value.findings[0].fixes[0].text
    with pytest.raises(lw.ModelError) as caught:
        lw.kinematics(slider_crank(motion=None), t_end=1.0, steps=2)
    [free] = caught.value.findings
    assert free.code == "free"
    for fix in free.fixes:
        assert lw.check(fix.apply(slider_crank(motion=None))).dof == 0
    with pytest.raises(lw.ArgumentError) as caught:
        lw.kinematics(m, t_ende=1.0)
    assert caught.value.findings == []


def press(motion="0.6 + 0.2*t"):
    m = lw.PlanarModel("press")
    arm, rod, block = m.body("arm"), m.body("rod", position=(0.4, 0.1)), m.body("block", position=(0.6, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Revolute("B", arm.at(0.2, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), block.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Driver("push", block.x, motion))
    return m


def test_a_lock_up_is_told_with_its_time_and_the_links_in_line():
    """Crank 0.2 and rod 0.5 are in line at x = 0.7, reached at t = 0.5."""
    m = press()
    assert lw.check(m).ok
    found = finding(lw.check(m, t_end=1.0), "lock-up")
    assert "t = 0.5 s" in found.text
    assert "block.x = 0.7" in found.text
    assert "arm and rod are in line" in found.text
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(m, t_end=1.0, steps=10)
    [same] = caught.value.findings
    assert same.text == found.text
    for fix in same.fixes:
        assert lw.kinematics(fix.apply(m), t_end=1.0, steps=10).t[-1] == 1.0


def test_changes_are_data():
    """Every change says what it does in numbers and texts, and can be read by programs in other languages."""
    made = [
        changes.Remove("rod"), changes.Put("rod", "length", 0.4), changes.Guess("arm", (0.0, 1.0), angle=0.2),
        changes.Gravity((0.0, -9.81)), changes.Unfix("arm.angle"),
        changes.Replace("A", lw.PointOnLine, (("line", changes.At("arm", (0.0, 0.0), 0.0)),)),
        changes.Add("d", lw.Driver, (("quantity", "arm.x"), ("motion", 1.0))),
    ]  # fmt: skip
    assert {type(c) for c in made} == set(changes.Change.__subclasses__())
    for change in made:
        data = json.loads(json.dumps(change.data()))
        assert data["change"] == type(change).__name__
        assert set(data) == {"change", *(f.name for f in fields(change))}


def test_remedies_of_another_machine_are_refused():
    fix = lw.check(door()).findings[0].fixes[0]
    with pytest.raises(lw.ModelError, match="high"):
        fix.apply(lw.SpatialModel("another"))


# -- the command line ------------------------------------------------------------------------------------------------------


def test_remedies_by_number(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    door().save("door.yaml")
    assert main(["check", "door.yaml"]) == codes.OK
    text = capsys.readouterr().out
    assert "    1  remove high\n       no objection, 1 free" in text
    assert main(["check", "door.yaml", "--fix", "1", "--out", "mended.yaml"]) == codes.OK
    assert "high" not in lw.load("mended.yaml")
    assert lw.check(lw.load("mended.yaml")).redundant == []
    capsys.readouterr()
    assert main(["check", "door.yaml", "--json"]) == codes.OK
    said = json.loads(capsys.readouterr().out)
    assert said["findings"][0]["fixes"][0]["fix"] == 1
    assert said["findings"][0]["effect"]
    assert main(["check", "door.yaml", "--fix", "99"]) == codes.USAGE
    assert "there is no remedy 99" in capsys.readouterr().err


def test_what_a_motion_runs_into(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    press().save("press.yaml")
    assert main(["check", "press.yaml"]) == codes.OK
    assert main(["check", "press.yaml", "--t-end", "1"]) == codes.MODEL
    assert "lock-up" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
@pytest.mark.parametrize(("typed", "made"), [("seven\n99\n1\n", True), ("\n", False), ("\x04", False)])
def test_a_remedy_is_chosen_in_the_terminal(tmp_path, monkeypatch, typed, made):
    """A real pseudo-terminal: wrong answers are asked again, Enter and the end of input choose none."""
    import pty

    monkeypatch.chdir(tmp_path)
    door().save("door.yaml")
    ours, theirs = pty.openpty()
    with open(theirs) as keys, open(os.dup(theirs), "w") as screen:
        monkeypatch.setattr("sys.stdin", keys)
        monkeypatch.setattr("sys.stdout", screen)
        os.write(ours, typed.encode())
        assert main(["check", "door.yaml"]) == codes.OK
    said = all_of(ours)
    os.close(ours)
    assert "which one shall be made, 1 to " in said
    assert Path("door-mended.yaml").exists() is made
    if made:
        assert "'seven' is none of them" in said
        assert "'99' is none of them" in said
        assert lw.check(lw.load("door-mended.yaml")).redundant == []


def test_nobody_is_asked_in_a_script(tmp_path, monkeypatch, capsys):
    """Output that is read by a program: `capsys` is no terminal."""
    monkeypatch.chdir(tmp_path)
    door().save("door.yaml")
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("asked"))
    assert main(["check", "door.yaml"]) == codes.OK
    assert "--fix N" in capsys.readouterr().out
