"""Absurd numbers: machines are closed to the precision of their own size, and what is far off is named."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import linear
from linkwright.analyses.machine.named import by_name
from linkwright.linear import NotFiniteError

sys.path.append(str(Path(__file__).parent.parent / "properties"))
import hostile


def chain(dimension, away):
    """Two bodies on hinges, the first estimated far away."""
    if dimension == 2:
        m = lw.PlanarModel("chain", gravity=(0, -9.81))
        c, d = m.body("c", mass=1, inertia=1, position=(away, 0)), m.body("d", mass=1, inertia=1, position=(0.5, 0.1))
        rest = (0.0,)
    else:
        m = lw.SpatialModel("chain", gravity=(0, 0, -9.81))
        J = (1, 1, 1)
        c, d = m.body("c", mass=1, inertia=J, position=(away, 0, 0)), m.body("d", mass=1, inertia=J, position=(0.5, 0.1, 0))
        rest = (0.0, 0.0)
    m.add(lw.Revolute("A", m.ground.at(0, *rest), c.at(-0.1, *rest)))
    m.add(lw.Revolute("B", c.at(0.1, *rest), d.at(-0.2, *rest)))
    return m


def gaps(m, found):
    """How far c is from its hinge on ground [m]: 0.1 by the description."""
    return np.linalg.norm([found[f"c.{k}"] for k in "xyz"[: m.dimension]]) - 0.1


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("away", [1e12, 1e20, 1e40, 1e49])
def test_the_joints_close_and_the_estimate_is_named(dimension, away):
    m = chain(dimension, away)
    found = lw.assemble(m)
    assert abs(gaps(m, found)) < 1e-10 * 0.4  # assembly closes to 1e-10 of the machine's size, 0.4 m
    assert any("that of c is far beyond the size of the machine" in note for note in found.audit.notes)
    report = lw.check(m)
    assert report.rank == (4 if dimension == 2 else 10)
    assert [f.elements for f in report.findings if f.code == "estimates"] == [("c",)]


@pytest.mark.parametrize("away", [3.0, 1e6])
def test_estimates_that_are_only_bad_are_not_named(away):
    assert not lw.assemble(chain(2, away)).audit.notes


def test_a_machine_that_is_far_away_itself_is_not_named():
    m = lw.PlanarModel("far", gravity=(0, -9.81))
    b = m.body("b", mass=1, inertia=1, position=(1e12, 0))
    m.add(lw.Revolute("A", m.ground.at(1e12, 0), b.at(-1, 0)))
    assert not lw.assemble(m).audit.notes


def test_a_body_beyond_all_bounds_is_refused():
    m = lw.PlanarModel("far")
    with pytest.raises(lw.ModelError, match=r"^b: a component of position is 1e\+160: beyond 1e\+50"):
        m.body("b", mass=1, inertia=1, position=(1e160, 0))


def heavy():
    """Each number can be calculated with, though nothing is like it."""
    m = lw.PlanarModel("heavy", gravity=(0, -9.81))
    b = m.body("star", mass=1e50, inertia=1e50, com=(1e50, 0), position=(1e50, 0))
    m.body("pebble", mass=1, inertia=1)
    m.add(lw.Revolute("A", m.ground.at(0, 0), b.at(-1e50, 0)))
    m.add(lw.Spring("s", m.ground.at(0, 0), b.at(1e50, 1e50), k=1e50, length=1.0))
    return m


@pytest.mark.parametrize("name", ["check", "assemble", "equilibrium", "linearize", "dynamics"])
def test_numbers_at_the_bound_end_in_an_answer_or_in_words(name):
    more = {"t_end": 1.0, "steps": 2} if name == "dynamics" else {}
    assert not hostile.trouble(lambda: getattr(lw, name)(heavy(), **more), within=60.0)  # equations are compiled here


def test_matrices_that_are_not_finite_are_told_by_name():
    @by_name
    def analysis(model, matrix):
        return linear.inv(matrix)

    with pytest.raises(NotFiniteError) as error:
        analysis(heavy(), np.full((2, 2), np.inf))
    assert error.value.element == ("star", "A", "s")
    with pytest.raises(lw.LinkwrightError, match="it has no answer here") as singular:
        analysis(chain(2, 1.0), np.zeros((2, 2)))
    assert singular.value.element == ("chain",)
