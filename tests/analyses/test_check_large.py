"""`check` and `assemble` of large machines: sparse and shape by shape, and the same said as of small ones."""

from contextlib import contextmanager
from dataclasses import replace
from time import process_time

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import linkwright as lw
from large_machines import chain, loops, windows
from linkwright import size_policy
from linkwright.analyses.machine import channels
from planar_machines import slider_crank
from random_planar import build, recipes


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_chain_of_a_thousand(dimension):
    """A joint a body, one freedom each. Processor time: 0.3 s in the plane, 0.9 s in space on a machine of 2026; traced as a
    whole it was 6 s and 25 s."""
    m, clock = chain(1000, dimension), process_time()
    report = lw.check(m)
    assert process_time() - clock < 5
    assert (report.dof, report.mobility, report.redundant_count) == (1000, 1000, 0)
    assert report.rank == report.equations == (2000 if dimension == 2 else 5000)
    assert [f.code for f in report.findings] == ["free"]


def test_fifteen_hundred_redundant_rows():
    """Gruebler counts six freedoms a body and five conditions a joint: 6 (2 n + 1) - 5 (3 n + 1) = 1 - 3 n; the row of
    parallelograms moves in one way, so three rows a loop are redundant. Processor time: 2 s on a machine of 2026."""
    n, clock = 500, process_time()
    report = lw.check(windows(n, 0.3))
    assert process_time() - clock < 10
    assert (report.mobility, report.redundant_count) == (1, 3 * n)
    assert report.ok
    rows = {name for group in report.redundant for name in group}
    assert not any(name.startswith("A") and name.endswith((".x", ".y")) for name in rows)  # these hold the plane's motion
    # each group is one loop of four hinges, and names no hinge elsewhere
    for group in report.redundant:
        places = {int(name.split(".")[0][1:]) for name in group}
        assert len(group) <= 12
        assert max(places) - min(places) <= 2


def test_fifty_bodies_in_the_plane():
    """The least machine that is evaluated by shapes is one of sparse factors, too; by dense ones it took 10 s and more."""
    m = chain(50, 2)
    for k in range(50):
        m.add(lw.Driver(f"D{k}", m[f"j{k}"].angle, f"{0.02 * (k % 3)} + t"))
    clock = process_time()
    report = lw.check(m)
    assert process_time() - clock < 5
    assert (report.dof, report.rank, report.equations) == (0, 150, 150)


@pytest.mark.parametrize("n", [15, 60])
def test_a_train_of_gears_is_checked_without_compiling_a_function_a_gear(monkeypatch, n):
    """Gear k turns with the first; the centres are 1 apart, the last gear too small. Both sides of where shapes begin."""
    m = lw.PlanarModel("train")
    wheels = [m.body(f"w{k}", position=(k, 0)) for k in range(n)]
    for k, w in enumerate(wheels):
        m.add(lw.Revolute(f"J{k}", m.ground.at(k, 0), w.at(0, 0)))
    for k in range(n - 1):
        m.add(lw.Gear(f"G{k}", wheels[k].at(0, 0), wheels[k + 1].at(0, 0), radii=(0.5, 0.4 if k == n - 2 else 0.5)))
    made, function = [], channels.Function
    monkeypatch.setattr(channels, "Function", lambda *args: made.append(1) or function(*args))
    report = lw.check(m)
    assert report.dof == 1
    assert [f.elements for f in report.findings if f.code == "gear-distance"] == [(f"G{n - 2}",)]
    assert not made


LARGE = {"LOOPED": 1, "SPARSE": 2, "SPARSE_RANK": 2, "PART": 4}


@contextmanager
def everything_is_large():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in LARGE.items():
            patch.setattr(size_policy, name, value)
        yield


def _said(report):
    found = [(f.code, f.elements) for f in report.findings if f.code != "redundant"]
    return report.ok, report.rank, report.dof, report.mobility, report.redundant_count, found


SMALL = {
    "loops in space": lambda: loops(2),
    "with freedom left": lambda: loops(1, driven=False),
    "redundant": lambda: windows(2, 0.4),
    "folded flat, singular": lambda: windows(1, np.pi / 2),
    "slider-crank": slider_crank,
}


@pytest.mark.parametrize("name", SMALL)
def test_small_machines_taken_for_large_ones(name):
    with everything_is_large():
        large = lw.check(SMALL[name]())
    assert _said(large) == _said(lw.check(SMALL[name]()))


@given(recipes(), st.booleans())
@settings(max_examples=4, phases=(Phase.explicit, Phase.generate))
def test_random_machines_taken_for_large_ones(recipe, doubled):
    """With a joint twice there are dependences in any case."""
    recipe = replace(recipe, doubled=doubled)
    with everything_is_large():
        large = lw.check(build(recipe))
    assert _said(large) == _said(lw.check(build(recipe)))


def test_assembly_by_shapes():
    theirs = lw.assemble(loops(2, off=0.02))
    with everything_is_large():
        mine = lw.assemble(loops(2, off=0.02))
    assert list(mine) == list(theirs)
    for name in mine:
        # without the curvature of the joints the nearest place is found a little off, if there is any freedom: here is none
        np.testing.assert_allclose(mine[name], theirs[name], atol=1e-12, err_msg=name)


def test_quantities_of_a_large_assembly():
    """What is no channel is asked of the machine as a whole."""
    m = loops(1)
    with everything_is_large():
        c = lw.assemble(m)
        got = c[m["crank"].x + 0.3 * lw.cos(m["A"].angle)]
    assert got == pytest.approx(c["crank.x"] + 0.3 * np.cos(c["A.angle"]), abs=1e-14)


def test_a_fixed_place_out_of_reach_is_told():
    """The end of the fourth bar is at most four away."""
    m = chain(60, 2)
    m.fix(m["b3"].x, 99.0)
    with pytest.raises(lw.AssemblyError):
        lw.assemble(m)
