"""Laws that cannot be traced, in joint coordinates: the motion is solved from Python, and is that of Cartesian coordinates.

Tolerance 1e-9 of the largest value of a channel, as between formulations: runs at rtol 1e-11 whose local errors differ.
"""

import math

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.whole.careful import CarefulMotion
from loop_machines import four_bars

pytestmark = pytest.mark.filterwarnings("ignore:the law of law cannot be traced")
TOLERANCE = 1e-9


def branch(s, v=0.0, t=0.0):
    """A spring that is stiffer on one side: a branch in Python, continuous with its first derivative."""
    return -20.0 * s - (30.0 * s**2 if s > 0 else 0.0) - 0.3 * v


def four_bar():
    """Leaning, with the law along the coupler's place."""
    m = four_bars(1, lean=0.3)
    m.add(lw.Force("law", m["c0"].x, branch))
    return m


def arm():
    """In space: a ball and a hinge, and a rod that closes a loop."""
    m = lw.SpatialModel("arm", gravity=(0, 0.5, -9.81))
    a = m.body("a", 1.0, (0.02, 0.03, 0.04), com=(0.1, 0, 0.02), omega=(0, 0, 1.0))
    b = m.body("b", 1.0, (0.02, 0.03, 0.04), position=(0.5, 0, 0))
    m.add(lw.Spherical("ball", m.ground.at(0, 0, 0), a.at(0, 0, 0)))
    m.add(lw.Revolute("hinge", a.at(0.5, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Distance("rod", m.ground.at(1, 1, 0), b.at(0.3, 0, 0), np.hypot(0.2, 1.0)))
    m.add(lw.Force("law", b.x, branch))
    return m


def agree(make, t_end=0.2, **options):
    told = {"t_eval": [0.0, 0.5 * t_end, t_end], "rtol": 1e-11, "atol": 1e-13, **options}
    base, run = (lw.dynamics(make(), formulation=f, **told) for f in ("newton-euler", "joint"))
    assert run.audit.formulation == "joint"
    assert "in place of" not in run.audit.why
    assert list(run.channels) == list(base.channels)
    for x in base.channels:
        assert np.abs(run[x] - base[x]).max() < TOLERANCE * (1 + np.abs(base[x]).max()), x
    assert run.energy.work == pytest.approx(base.energy.work, abs=TOLERANCE * (1 + np.abs(base.energy.work).max()))
    assert run.audit.energy_error < 1e-8
    assert run.audit.position_error < 1e-10
    return base, run


@pytest.mark.parametrize("make", [four_bar, arm])
def test_loops(make):
    base, _ = agree(make)
    assert np.abs(base.energy.work).max() > 0.01  # the law does work


@pytest.mark.parametrize("options", [{"constraints": "partitioning"}, {"constraints": "stabilization"}, {"method": "radau"}])
def test_treatments_and_methods(options):
    agree(four_bar, 0.1, **options)


def test_events_of_accelerations_and_reactions():
    """They are found from Python, too, at states of joints."""
    watched = {"slower": "c0.ax", "reaction": "a0_foot.fx"}
    base, run = agree(four_bar, 0.6, events=watched)
    assert {name for _, name in base.events} == set(watched)
    assert [name for _, name in run.events] == [name for _, name in base.events]
    assert [t for t, _ in run.events] == pytest.approx([t for t, _ in base.events], abs=1e-8)


def test_impacts_and_friction():
    def make():
        m = four_bar()
        m.add(lw.Friction("rub", m["a0_foot"], mu=0.2, radius=0.05, stick=False))
        m.add(lw.Contact("stop", m["c0"].at(-0.5, 0), m.ground.at(-0.32, 0, angle=-np.pi / 2), restitution=0.5))
        return m

    base, run = agree(make, 0.12)
    assert [name for _, name in run.events] == [name for _, name in base.events] == ["stop"]


def test_an_error_in_the_law_names_it():
    """At the time where it is, with what was reached before."""

    def law(s, v, t):
        if t > 0.05:
            raise ZeroDivisionError("no such force")
        return -1.0 if s > 0 else 1.0

    m = four_bars(1, lean=0.3)
    m.add(lw.Force("law", m["c0"].x, law))
    with pytest.raises(lw.IntegrationError) as error:
        lw.dynamics(m, 0.2, 20, formulation="joint")
    assert error.value.element == ("law",)
    assert error.value.time == pytest.approx(0.05, abs=0.01)
    assert error.value.partial.t[-1] <= 0.06


def test_an_interrupt_carries_what_was_reached(monkeypatch):
    calls, original = [], CarefulMotion._called

    def called(self, t, *state):
        calls.append(float(t[0]))
        if len(calls) > 300:
            raise KeyboardInterrupt
        return original(self, t, *state)

    monkeypatch.setattr(CarefulMotion, "_called", called)
    with pytest.raises(lw.Interrupted) as stopped:
        lw.dynamics(four_bar(), 100.0, 100000, formulation="joint")
    assert 0 < stopped.value.partial.t[-1] <= max(calls)
    assert stopped.value.partial.audit.formulation == "joint"


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_stop_beside_a_law_in_python_is_met_as_beside_one_that_is_traced(method):
    """Within a step the stop's law has the form it began with, however the motion is solved: the same steps. With a kink
    in it what that makes was taken for rounding, up to 5e-6 of the motion."""

    def swing(sine):
        m = lw.PlanarModel("swing", gravity=(0, -9.81))
        b = m.body("b", mass=1.0, inertia=0.3, omega=2.0)
        J = m.add(lw.Revolute("J", m.ground.at(0, 0), b.at(-0.2, 0)))
        m.add(lw.Stop("stop", J.angle, lower=-0.1, upper=0.1, k=60, c=0.5))
        m.add(lw.Force("law", J.angle, lambda s, v, t: sine(3 * t + 1) - 0.3 * v - 2 * s))
        return lw.dynamics(m, t_end=1.0, steps=2, rtol=1e-9, atol=1e-11, method=method)

    traced, plain = swing(lw.sin), swing(math.sin)
    assert plain["b.angle"] == pytest.approx(traced["b.angle"], abs=1e-10)  # a tenth of the tolerance
    assert plain.audit.switches == traced.audit.switches == 7
    assert plain.audit.rejected <= 1.1 * traced.audit.rejected
    assert not [note for note in plain.audit.notes if "rounding" in note]
