"""An angle that has made many turns is known as well as one that has made none: tolerances do not grow with it."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from benchmark_machines import four_bars
from benchmark_references import windows


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_parallelogram_after_twenty_turns(formulation):
    """The cranks pass their top at 1 rad/s and the bottom at 6: what is lost there is fifty times more up there, and adds
    up over the turns. With tolerances relative to 130 rad the error was 8e-4, in forty of them 2e-2."""
    t = np.linspace(0, 40, 9)
    d = lw.dynamics(four_bars(1), t_eval=t, rtol=1e-7, formulation=formulation)
    assert abs(d["c0.angle"][-1]) > 125
    assert d["c0.angle"] == pytest.approx(windows(t, 1), abs=1e-4)


def test_the_start_of_an_angle_does_not_count():
    """A pendulum whose angles are written with a hundred turns more takes the same steps, but for some at the start: the
    rounding of 630 rad is a thousandth of the tolerance, and so are errors of short steps. Were it measured by the turns the
    tolerance would be 300 times as large, and the steps of order eight half as many."""

    def swing(turns):
        m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
        bar = m.body("bar", mass=1.0, inertia=0.1, angle=2 * np.pi * turns + 2.0)
        m.add(lw.Revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0)))
        return lw.dynamics(m, t_end=3.0, steps=3, formulation="joint")

    few, many = swing(0), swing(100)
    assert abs(many.audit.steps - few.audit.steps) <= 0.1 * few.audit.steps
    assert many["bar.x"] == pytest.approx(few["bar.x"], abs=1e-9)
