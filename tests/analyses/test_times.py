"""Output times are output times only: a run begins at t_start and ends at t_end, whatever they are."""

from __future__ import annotations

from math import cos

import numpy as np
import pytest

import linkwright as lw
from looped_runs import rope

OUTPUT = [0.5, 1.0]


def oscillator(space: bool = False) -> lw.Model:
    """x'' = -x from x = 1 at rest."""
    m = lw.SpatialModel("oscillator", gravity=(0, 0, 0)) if space else lw.PlanarModel("oscillator", gravity=(0, 0))
    if space:
        b = m.body("b", mass=1, inertia=(1, 1, 1), position=(1, 0, 0))
        along = {"rotation": ((0, 1, 0), np.pi / 2)}
        m.add(lw.Translational("rail", m.ground.at(0, 0, 0, **along), b.at(0, 0, 0, **along)))
    else:
        b = m.body("b", mass=1, inertia=1, position=(1, 0))
        m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("k", b.x, lambda x, v, t: -x))
    return m


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_output_times_do_not_move_the_start_of_a_simulation(space, formulation):
    d = lw.dynamics(oscillator(space), t_eval=OUTPUT, formulation=formulation)
    assert d.t.tolist() == OUTPUT
    # the error of a run at the default tolerance 1e-8
    assert d["b.x"] == pytest.approx([cos(t) for t in OUTPUT], abs=1e-7)
    assert d.energy.balance == pytest.approx([0, 0], abs=1e-7)


def test_second_order_methods_begin_at_the_start_too():
    d = lw.dynamics(oscillator(), t_eval=OUTPUT, method="generalized-alpha", rtol=1e-6)
    assert d.t.tolist() == OUTPUT
    assert d["b.x"] == pytest.approx([cos(t) for t in OUTPUT], abs=1e-5)  # an order-two method at rtol = 1e-6


def test_large_machines_begin_at_the_start_too():
    m = rope(60)
    whole = lw.dynamics(m, t_end=0.02, steps=2)
    late = lw.dynamics(m, t_eval=[0.01, 0.02])
    assert late.t.tolist() == [0.01, 0.02]
    for name in ("b3.x", "b59.y"):
        assert late[name] == pytest.approx(whole[name][1:], abs=1e-9)  # the same steps, other output


def test_a_run_goes_on_to_its_end_after_the_last_output():
    """An event after the last output time, before t_end, still happens: x = 0 at pi/2."""
    d = lw.dynamics(oscillator(), t_end=2.0, t_eval=[0.5], events={"middle": "b.x"})
    assert d.t.tolist() == [0.5]
    assert [name for _, name in d.events] == ["middle"]
    assert d.events[0][0] == pytest.approx(np.pi / 2, abs=1e-7)


@pytest.mark.parametrize("analysis", [lw.kinematics, lw.inverse_dynamics])
def test_driven_machines_are_assembled_at_the_start(analysis):
    """A dyad drawn bent upwards at t = 0 reaches t = 2 bent upwards, whatever the estimates are nearest to there."""
    m = lw.PlanarModel("dyad", gravity=(0, -9.81))
    crank = m.body("crank", mass=1, inertia=0.1, position=(0.5, 0))
    rod = m.body("rod", mass=1, inertia=0.1, position=(1.5, 0.5), angle=-0.6)
    slider = m.body("slider", mass=1, inertia=0.1, position=(2.2, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.5, 0)))
    m.add(lw.Revolute("B", crank.at(0.5, 0), rod.at(-1, 0)))
    m.add(lw.Revolute("C", rod.at(1, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Driver("motor", pin.angle, "3*t"))
    whole, late = analysis(m, t_end=2.0, steps=20), analysis(m, t_eval=[1.5, 2.0])
    assert late.t.tolist() == [1.5, 2.0]
    for name in ("slider.x", "rod.angle", "crank.angle", "slider.ax"):
        assert late[name] == pytest.approx(whole[name][[15, 20]], abs=1e-9)  # both are converged to rounding


@pytest.mark.parametrize("analysis", [lw.kinematics, lw.inverse_dynamics, lw.dynamics])
@pytest.mark.parametrize(("span", "late"), [({"t_end": 1.0}, 1.5), ({"t_start": 0.4, "t_end": 1.0}, 0.1), ({}, -0.5)])
def test_output_outside_the_run_is_an_error_that_names_it(analysis, span, late):
    with pytest.raises(lw.ModelError, match=f"output time {late:g} s lies outside the run") as caught:
        analysis(oscillator(), t_eval=sorted([0.5, late]), **span)
    assert "t_start" in caught.value.remedy


def test_output_times_that_miss_the_end_by_rounding_are_taken():
    t = np.cumsum(np.full(10, 0.1))
    t[-1] = np.nextafter(1.0, 2.0)
    assert lw.dynamics(oscillator(), t_end=1.0, t_eval=t)["b.x"][-1] == pytest.approx(cos(1.0), abs=1e-7)


@pytest.mark.parametrize("analysis", [lw.kinematics, lw.inverse_dynamics, lw.dynamics])
@pytest.mark.parametrize(
    ("span", "named", "said"),
    [
        ({"t_end": -1.0}, "t_end", "from 0 s to -1 s goes nowhere"),
        ({"t_start": 2.0, "t_end": 2.0}, "t_end", "from 2 s to 2 s goes nowhere"),
        ({"t_end": 1.0, "steps": 2.5}, "steps", "no 2.5 steps"),
        ({"t_start": 1e9, "t_end": 1e9 + 1e-6, "steps": 100}, "steps", "shorter than double precision can tell"),
        ({"t_eval": [0.0, np.nan]}, "t_eval", "finite and growing"),
        ({"t_eval": [1.0, 0.5]}, "t_eval", "finite and growing"),
        ({"t_end": "x"}, "t_end", "'x' is not a number"),
        ({"t_end": 1.0, "t_start": "x"}, "t_start", "'x' is not a number"),
        ({"t_end": [1.0, 2.0]}, "t_end", r"\[1.0, 2.0\] is no time"),
        ({"t_eval": "x"}, "t_eval", "'x' are no times"),
        ({"t_eval": [[0.0], [1.0, 2.0]]}, "t_eval", "are no times"),
        ({"t_end": True}, "t_end", "True is not a number"),
        ({"t_end": 1.0, "steps": True}, "steps", "True is not a whole number"),
    ],
)
def test_times_that_are_none_are_told_by_the_argument_that_says_them(analysis, span, named, said):
    with pytest.raises(lw.ModelError, match=said) as caught:
        analysis(oscillator(), **span)
    assert caught.value.element == (named,)
    assert caught.value.remedy
