"""Runs in joint coordinates whose accelerations are found by bodies, as those of machines with many loops are.

Tolerance 1e-9 of the largest value of a channel, as between formulations: runs at rtol 1e-11 whose local errors differ.
"""

import numpy as np
import pytest

import linkwright as lw
from benchmark_machines import bricard
from linkwright.examples import example
from linkwright.system import joint_form, loop_cost
from loop_machines import four_bars

TOLERANCE = 1e-9


@pytest.fixture(autouse=True)
def by_bodies(monkeypatch):
    """Whatever the size; none is solved in the speeds."""
    monkeypatch.setattr(loop_cost, "ENTRY", 1e9)
    monkeypatch.setattr(joint_form, "InSpeeds", None)


def agree(make, t_end, **options):
    told = {"t_eval": [0.0, t_end], "rtol": 1e-11, "atol": 1e-13}
    base = lw.dynamics(make(), **told, **{k: x for k, x in options.items() if k == "events"})
    run = lw.dynamics(make(), formulation="joint", **told, **options)
    assert run.audit.formulation == "joint"
    assert list(run.channels) == list(base.channels)
    for x in base.channels:
        assert np.abs(run[x] - base[x]).max() < TOLERANCE * (1 + np.abs(base[x]).max()), x
    assert run.energy.work == pytest.approx(base.energy.work, abs=TOLERANCE * (1 + np.abs(base.energy.work).max()))
    return base, run


def leaning():
    return four_bars(1, lean=0.3)


def rubbing():
    m = leaning()
    m.add(lw.Friction("rub", m["a0_foot"], mu=0.2, radius=0.05, stick=False))
    m.add(lw.Friction("rub too", m["b0_head"], mu=0.1, radius=0.05, viscous=0.01, stick=False))
    return m


@pytest.mark.parametrize(
    "options",
    [
        {"method": "radau"}, {"constraints": "partitioning"}, {"constraints": "hybrid"}, {"constraints": "augmented"},
        {"constraints": "direct"}, {"constraints": "stabilization"},
    ],
    ids=lambda x: "-".join(x.values()),
)  # fmt: skip
def test_treatments_and_methods(options):
    _, run = agree(leaning, 0.1, **options)
    assert run.audit.position_error < 1e-9


def test_dependent_rows():
    """Bricard's mechanism moves though its rows are rank-deficient: all of them are regularised."""
    agree(bricard, 0.1)


def test_friction_and_events_of_reactions():
    base, run = agree(rubbing, 0.6, events={"reaction": "a0_foot.fx", "falling": "b0_head.fy"})
    assert len(base.events) > 1
    assert [name for _, name in run.events] == [name for _, name in base.events]
    assert [t for t, _ in run.events] == pytest.approx([t for t, _ in base.events], abs=1e-8)
    assert run.energy.work[-1] < -1e-4


@pytest.mark.parametrize(("name", "t_end"), [("valve-lifter", 0.02), ("spatial-slider-crank", 0.1)])
def test_curves_drivers_and_space(name, t_end):
    agree(example(name).build, t_end)
