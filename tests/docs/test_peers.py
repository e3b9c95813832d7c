"""The page of the recorded race, and what the command shows of it, say what the record says."""

import json

import numpy as np
import pytest
from benchmarks.programs import race, report
from benchmarks.programs.linkwright_runs import MACHINES
from benchmarks.programs.setting import Run
from benchmarks.programs.trees import TREES, kept

import linkwright as lw

RECORDED = json.loads(report.RECORDED.read_text(encoding="utf-8"))


def test_the_page_is_that_of_the_record():
    assert report.PAGE.read_text(encoding="utf-8") == report.page(RECORDED)


def test_the_shipped_figures_are_those_of_the_record():
    assert json.loads(report.SHIPPED.read_text(encoding="utf-8")) == report.summary(RECORDED)


def test_problems_and_programs_are_all_there():
    places = RECORDED["programs"]["places"]
    assert {p["program"] for p in places} >= {
        "Linkwright",
        "MuJoCo",
        "Exudyn",
        "Pinocchio",
        "Drake",
        "Simbody",
        "DART",
        "PyDy",
    }
    assert {p["problem"] for p in places} >= {"chain-1", "chain-1000", "andrews", "bricard", "flyball", "car axis"}


def test_each_program_makes_two_runs_when_it_is_its_turn():
    """The second one counts: the other program's run is in the caches when the first one begins."""
    made = []

    def point(program, seconds):
        return race.Point("any", program, "h", False, 1e-9, 0.0, 0.0, seconds), Run(lambda: made.append(program))

    places = race.raced([point("one", 1e-3), point("other", 1e-3), point("one", 2e-3)], 1e-6)
    assert made == ["one", "one", "other", "other"] * race.REPETITIONS
    assert [(p.program, p.setting) for p in places] == [("one", "h"), ("other", "h")]


@pytest.mark.parametrize("name", [n for n in TREES if n != "chain-1000"])
def test_the_trees_given_to_other_programs_begin_closed_and_move_so(name):
    """A millionth of a second at the rates of the start opens no joint: gaps grow with its square only."""
    tree, h = TREES[name](), 1e-6
    begin = {link.name: (0.0, link.rate) for link in tree.links}
    after = {k: (h * rate, rate) for k, (_, rate) in begin.items()}
    for state, most in ((begin, 1e-15), (after, 100 * h**2)):  # accelerations of points are below 200 m/s^2
        assert (kept(tree, state).gap or 0.0) <= most


@pytest.mark.parametrize("name", ["chain-10", "slider-crank"])
def test_gaps_and_energy_are_those_of_linkwright(name):
    """The formulas that judge every program, on a motion of which the kinetic and potential energy are known otherwise."""
    m, tree = MACHINES[name][0](), TREES[name]()
    d = lw.dynamics(m, t_end=0.3, steps=1, rtol=1e-4)
    if isinstance(m, lw.PlanarModel):
        turned = {b: d[f"{b}.angle"][-1] - d[f"{b}.angle"][0] for b in m.bodies if b != "ground"}
        spin = {b: d[f"{b}.omega"][-1] for b in turned}
    else:  # about z, by less than half a turn
        turned = {b: 2 * np.arcsin(d[f"{b}.e3"][-1]) for b in m.bodies if b != "ground"}
        spin = {b: d[f"{b}.wz"][-1] for b in turned}
    state = {}
    for link in tree.links:
        q, v = turned[link.name] - turned.get(link.parent, 0.0), spin[link.name] - spin.get(link.parent, 0.0)
        state[link.name] = (d["slider.x"][-1] - d["slider.x"][0], d["slider.vx"][-1]) if link.slides else (q, v)
    found = kept(tree, state)
    assert (found.gap or 0.0) < 1e-12  # of the projection after the last step
    # of some 10 J in either formula
    assert found.drift == pytest.approx(np.ptp(d.energy.total), abs=1e-11)
