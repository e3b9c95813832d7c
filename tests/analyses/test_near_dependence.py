"""Rows that are nearly dependent hold: their regularisation must not let a locked machine creep."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples.bricard import build


def locked(difference: float) -> lw.Model:
    """Two wheels with mass centres off their pins, geared to each other, and coupled by a ratio that differs a little."""
    m = lw.PlanarModel("locked", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=0.1, com=(0.3, 0), angle=0.5)
    b = m.body("b", mass=1, inertia=0.1, com=(0.3, 0), position=(1.8, 0), angle=0.3)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    B = m.add(lw.Revolute("B", m.ground.at(1.8, 0), b.at(0, 0)))
    m.add(lw.Gear("G", a.at(0, 0), b.at(0, 0), radii=(0.8, 1)))
    m.add(lw.Coupler("D", {A.angle: 0.8, B.angle: 1 + difference}, value=None))
    return m


def stands(m: lw.Model, **options: object) -> lw.Result:
    d = lw.dynamics(m, t_end=0.3, steps=3, **options)
    # angles are known to rounding over the difference of the ratios, 1e-16/1e-6
    assert np.abs(d["A.angle"] - 0.5).max() < 1e-9
    assert np.abs(d["B.angle"] - 0.3).max() < 1e-9
    assert d.audit.energy_error < 1e-6
    return d


@pytest.mark.parametrize("formulation", ["newton-euler", "joint", "kane"])
@pytest.mark.parametrize("difference", [1e-3, 1e-4, 1e-5, 1e-6])
def test_wheels_locked_by_a_small_difference_of_ratios_stand(difference, formulation):
    stands(locked(difference), formulation=formulation)


@pytest.mark.parametrize(
    "options",
    [{"constraints": "augmented"}, {"constraints": "partitioning"}, {"constraints": "direct"}, {"method": "radau"}],
)
def test_whatever_the_method_and_the_treatment_of_constraints(options):
    stands(locked(1e-5), **options)


def test_in_space():
    stands(lw.embed(locked(1e-5)))


def test_beside_a_body_that_falls_and_it_is_said_how_it_was_solved():
    m = locked(1e-5)
    m.body("stone", mass=1, inertia=0.1, position=(5, 0))
    d = stands(m)
    assert d["stone.y"][-1] == pytest.approx(-0.5 * 9.81 * 0.3**2, abs=1e-9)
    assert "nearly dependent" in d.audit.why


def test_in_a_large_machine():
    m = locked(1e-5)
    for k in range(50):
        b = m.body(f"p{k}", mass=1, inertia=0.1, com=(0.3, 0), position=(3 + 0.1 * k, 0))
        m.add(lw.Revolute(f"P{k}", m.ground.at(3 + 0.1 * k, 0), b.at(0, 0)))
    stands(m)


def test_dependent_rows_are_solved_by_compiled_equations():
    """The third rod of a parallelogram adds nothing: the rows are regularised, and no rank-revealing solution is needed."""
    m = lw.PlanarModel("parallelogram", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.1, position=(0, -1))
    for k, x in enumerate((-1.0, 0.0, 1.0)):
        m.add(lw.Distance(f"rod{k}", m.ground.at(x + 0.6, -0.2), bar.at(x, 0), 1.0))
    d = lw.dynamics(m, t_end=0.5, steps=2)
    assert d.audit.notes[0].startswith("dependent constraints")
    assert "nearly dependent" not in d.audit.why


@pytest.mark.parametrize("formulation", ["newton-euler", "kane"])
def test_care_is_taken_for_as_long_as_it_is_needed(formulation):
    """A parallelogram that turns steadily, let go 1e-5 rad before it lies flat: no force is needed, no energy lost."""
    angle = -1e-5
    m = lw.PlanarModel("flat", gravity=(0, 0))
    a = m.body("a", mass=1, inertia=0.1, angle=angle, omega=1.0)
    b = m.body("b", mass=1, inertia=0.1, position=(np.cos(angle), np.sin(angle)), velocity=(-np.sin(angle), np.cos(angle)))
    e = m.body("e", mass=1, inertia=0.1, position=(2, 0), angle=angle, omega=1.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", a.at(1, 0), b.at(0, 0)))
    m.add(lw.Revolute("C", b.at(2, 0), e.at(1, 0)))
    m.add(lw.Revolute("D", m.ground.at(2, 0), e.at(0, 0)))
    d = lw.dynamics(m, t_end=20.0, steps=4, formulation=formulation)
    # the speed at which it passes is known to rounding over the distance, 1e-16/1e-5, and to rtol = 1e-8 a step
    assert np.abs(d["a.angle"] - angle - d.t).max() < 1e-6
    assert np.abs(d["a.alpha"][1:]).max() < 1e-9
    assert abs(d["a.alpha"][0]) < 1e-5  # velocities known to 1e-16/1e-5, divided by the distance once more
    assert "compiled again" in d.audit.why


def level_bead(L: float) -> lw.Model:
    """On a ring, held level twice; L: metres in a unit of length."""
    m = lw.PlanarModel("bead", gravity=(0, -9.81 * L))
    b = m.body("bead", mass=1, inertia=0.1 * L**2, position=(L, 0))
    for name in "ab":
        m.add(lw.Orientation(f"level {name}", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.PointFollower("wire", b.at(0, 0), m.ground.curve(lw.Curve.polar(L)), estimate=0.0))
    return m


@pytest.mark.parametrize("L", [1e-3, 1e3, 1e6])
def test_what_rows_along_curves_yield_does_not_depend_on_units(L):
    """The parameter of a curve has no inertia: that of a typical mass along the curve goes with the square of the length."""
    metres = lw.dynamics(level_bead(1.0), t_end=1.0, steps=1)
    other = lw.dynamics(level_bead(L), t_end=1.0, steps=1, atol=1e-10 * L)
    # rtol 1e-8 of each step; atol holds for angles and lengths alike, so steps are not the same
    assert other["bead.x"][-1] / L == pytest.approx(metres["bead.x"][-1], abs=1e-8)


def test_a_law_in_plain_python_costs_no_steps_where_rows_are_dependent():
    """Bricard's ring: within a step its joints are open, and rows that are dependent where they are closed are so no more.
    Taken for conditions they would hold it."""
    steps = []
    for law in (lambda a, w, t: -lw.sin(a), lambda a, w, t: -math.sin(a)):
        m = build()
        m.add(lw.Torque("spring", next(e for e in m.elements.values() if isinstance(e, lw.Revolute)), law))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that it is called from Python
            d = lw.dynamics(m, t_end=1.0, steps=1, rtol=1e-6, formulation="newton-euler")
        steps.append(d.audit.steps)
    assert steps[1] <= 2 * steps[0]
