"""Stiff machines: recognised on the way, integrated by Radau, and what is not stiff left alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import linkwright as lw
from benchmark_machines import flyball
from loaded_machines import bar_pendulum


def test_the_stiff_governor_is_recognised():
    """IFToMM A05: k = 8e5, c = 4e4 against a motion of seconds. The audit says what was chosen and why."""
    d = lw.dynamics(flyball(), t_eval=[0, 1, 2])
    explicit = lw.dynamics(flyball(), t_eval=[0, 1, 2], method="dop853")
    assert d["slider.z"][1:] == pytest.approx(explicit["slider.z"][1:], abs=1e-8)
    assert d.audit.method == "radau"
    assert "the machine is stiff" in d.audit.why
    assert d.audit.steps < 0.4 * explicit.audit.steps
    assert d.violation.position.max() < 1e-12
    assert d.audit.energy_error < 1e-8


def stiff_pair(m=None):
    """A damped stiff spring (rates of about 1e3/s) beside a slow oscillation of both masses on a soft one."""
    m = m or lw.PlanarModel("stiff")
    a = m.body("a", 1.0, 1.0, position=(1, 0))
    b = m.body("b", 1.0, 1.0, position=(1.01, 1))
    m.add(lw.Translational("A", m.ground.at(0, 0, angle=0), a.at(0, 0, angle=0)))
    m.add(lw.Translational("B", m.ground.at(0, 1, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("slow", a.x, lambda s, v, t: -1.0 * s))
    m.add(lw.Force("stiff", b.x - a.x, lambda s, v, t: -1e6 * s - 1e4 * v))
    return m


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_a_stiff_spring(formulation):
    """Exact by eigenvalues of the 4 x 4 system."""
    d = lw.dynamics(stiff_pair(), t_eval=[0, 3.0, 30.0], formulation=formulation)
    assert d["a.x"][1:] == pytest.approx([exact(3.0), exact(30.0)], abs=1e-6)
    assert d.audit.method == "radau"
    assert d.audit.steps < 3000  # an explicit method takes 30 s * 2e4/s / 6 = 1e5


def exact(t):
    """a.x of the stiff pair, by eigenvalues of its 4 x 4 system."""
    A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-1 - 1e6, 1e6, -1e4, 1e4], [1e6, -1e6, 1e4, -1e4]])
    w, V = np.linalg.eig(A)
    at = np.linalg.solve(V, [1, 1.01, 0, 0])
    return (V @ (np.exp(w * t) * at)).real[0]


@pytest.mark.parametrize("method", ["auto", "radau"])
def test_large_machines(method):
    """The pair beside fifty links at rest: recognised in loops, and gone on with in joint coordinates."""
    m = lw.PlanarModel("stiff", gravity=(0, -9.81))
    end = m.ground.at(0, -5)
    for k in range(50):
        link = m.body(f"link{k}", 1.0, 0.1, position=(0, -5.5 - k))
        m.add(lw.Revolute(f"J{k}", end, link.at(0, 0.5)))
        end = link.at(0, -0.5)
    d = lw.dynamics(stiff_pair(m), t_eval=[0, 3.0], method=method)
    assert d["a.x"][1] == pytest.approx(exact(3.0), abs=1e-6)
    assert (d.audit.method, d.audit.formulation) == ("radau", "joint")
    assert ("the machine is stiff" if method == "auto" else "in joint coordinates for radau") in d.audit.why
    assert d.audit.steps < 3000
    assert d.audit.jacobians > 0


def test_what_is_not_stiff_keeps_its_method():
    """Long runs of a pendulum that goes round, and of a fast oscillation that is what the motion is."""
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 800.0])
    assert d.audit.method == "dop853"
    assert d.audit.steps > 6000
    m = lw.PlanarModel("fast")
    body = m.body("body", 1.0, 1.0, position=(1e-2, 0))
    m.add(lw.Force("spring", body.x, lambda s, v, t: -1e6 * s))
    d = lw.dynamics(m, t_eval=[0, 4.0], rtol=1e-7)
    assert d.audit.method == "dop853"


def test_a_short_run_of_a_stiff_machine_ends_as_it_began():
    d = lw.dynamics(stiff_pair(), t_eval=[0, 0.02])
    assert d.audit.method == "dop853"
    assert d.audit.why == "dop853 for the tolerance 1e-08"


def held_bar(c):
    """A bar held against its weight by k = 1e7 N m, rates of c/J = 4 c/s and sqrt(k/J) = 6.6e3/s."""
    m = lw.PlanarModel("held", gravity=(0, -9.81))
    bar = m.body("bar", 2.0, 0.05, com=(0.3, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), bar.at(0, 0)))
    m.add(lw.TorsionSpring("k", pin, k=1e7, c=c))
    return m


@pytest.mark.parametrize("c", [1e2, 1e4, 1e6])
def test_a_stiff_machine_near_its_rest(c):
    """It sinks by m g l/k. What is left of the motion are errors, as fast as they can be: it is stiff all the same."""
    d = lw.dynamics(held_bar(c), t_end=10.0, steps=1, max_steps=5000)
    assert d["bar.angle"][-1] == pytest.approx(-2 * 9.81 * 0.3 / 1e7, abs=1e-9)
    assert d.audit.method == "radau"


def test_a_run_whose_steps_stability_ruled_says_so():
    d = lw.dynamics(held_bar(1e6), t_end=0.01, steps=1, method="dopri5")
    assert d.audit.steps > 0.01 * 4.3e6 / 3.4  # the method is stable up to h c/J = 3.3
    assert any("stability limited the steps of dopri5" in note for note in d.audit.notes)


@pytest.mark.parametrize("method", ["radau", "auto"])
@pytest.mark.parametrize("k", [1e10, 1e12, 1e14, 1e16])
def test_a_mass_set_down_on_a_very_stiff_spring(method, k):
    """The force of a spring of 1e12 N/m is known to 1e-4 N in a place of 1 m: no reason for ever shorter steps."""
    m = lw.PlanarModel("block", gravity=(0, -9.81))
    block = m.body("block", mass=1.0, inertia=1.0, position=(0, 1))
    up = np.pi / 2
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=up), block.at(0, 0, angle=up)))
    m.add(lw.Spring("s", m.ground.at(0, 0), block.at(0, 0), k=k, length=1.0, c=2 * np.sqrt(k)))
    d = lw.dynamics(m, t_end=1.0, steps=4, method=method, max_steps=2000)
    assert d["block.y"][-1] == pytest.approx(1 - 9.81 / k, abs=1e-15)


@pytest.mark.parametrize("k", [1e11, 1e13])
def test_a_pendulum_on_a_very_stiff_spring(k):
    """It swings as on a rigid rod, from the horizontal to the lowest point in K(sin 45 deg) sqrt(l/g). Where rounding is
    more than the tolerances, that is told, with the name of the spring."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bob = m.body("bob", mass=1.0, inertia=1.0, position=(1, 0))
    m.add(lw.Spring("s", m.ground.at(0, 0), bob.at(0, 0), k=k, length=1.0, c=2 * np.sqrt(k)))
    d = lw.dynamics(m, t_end=ellipk(0.5) / np.sqrt(9.81), steps=1, max_steps=20000)
    assert d["bob.x"][-1] == pytest.approx(0, abs=1e-5)  # k eps moves the bob at each of 1e4 steps
    told = [note for note in d.audit.notes if "times the stiffness of s" in note]
    assert bool(told) == (k > 1e12)


@pytest.mark.parametrize("method", ["auto", "radau"])
@pytest.mark.parametrize(
    ("k", "decay"), [(1e10, 1e-4), (1e10, 1e-6), (1e11, 1e-5), (1e12, 1e-5), (1e14, 1e-4), (1e14, 1e-8)]
)
def test_a_body_at_the_origin_on_a_stiff_spring_from_far(k, decay, method):
    """Its own coordinate is next to nothing, but the spring tells a length of 1 m: its force is as rough as the last digit
    of that. It settles at -m g / k, to a few such digits, in a bounded number of steps (2 million once, or without end)."""
    m = lw.PlanarModel("stiff", gravity=(0, -9.81))
    b = m.body("b", 1.0, 1.0)
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=np.pi / 2), b.at(0, 0, angle=np.pi / 2)))
    m.add(lw.Spring("spring", m.ground.at(0, 1), b.at(0, 0), k=k, length=1.0, c=decay * k))
    d = lw.dynamics(m, t_eval=[0, 1.0], method=method)
    assert d["b.y"][-1] == pytest.approx(-9.81 / k, abs=4 * np.finfo(float).eps)
    assert d.audit.method == "radau"
    assert d.audit.steps < 2000
