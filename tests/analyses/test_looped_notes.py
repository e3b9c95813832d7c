"""What runs of large machines tell beside the motion, and why they end: the words of machines compiled as a whole."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from looped_runs import rope, simulated, span
from planar_machines import rocker


def tells(m, t_end=0.1):
    """Channels in their order and all notes, which are given back."""
    whole, found = lw.dynamics(m, t_end, 2, rtol=1e-10), simulated(m, span(t_end, 2))
    assert list(found.channels) == list(whole.channels)
    assert sorted(found.audit.notes) == sorted(whole.audit.notes)
    return found.audit.notes


def test_friction_comes_after_all_other_efforts():
    m = rope(2)
    m.add(lw.Friction("rub", m["J0"], mu=0.1, radius=0.02, stick=False))
    m.add(lw.Spring("spring", m.ground.at(0, 1), m["b1"].at(0, 0), k=10.0, length=0.5))
    assert tells(m) == []


def test_joints_assembled_the_other_way_round():
    m = lw.SpatialModel("antiparallel", gravity=(0, -9.81, 0))
    a = m.body("a", 1.0, (0.1, 0.2, 0.3), position=(0.5, 0, 0), orientation=((1, 0, 0), np.pi))
    b = m.body("b", 1.0, (0.1, 0.2, 0.3), position=(1.5, 0, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(-0.5, 0, 0)))
    m.add(lw.Cylindrical("B", a.at(0.5, 0, 0), b.at(-0.5, 0, 0)))
    notes = tells(m)
    assert [note.split()[0] for note in notes] == ["A", "B"]
    again = simulated(m, span(0.1, 2), start=simulated(m, span(0.1, 2)))  # told once
    assert again.audit.notes == []


def test_a_spring_through_its_own_end():
    m = lw.PlanarModel("through")
    a = m.body("a", 1.0, 0.1, position=(1, 0), velocity=(-20.0, 0))
    m.add(lw.Translational("slide", m.ground.at(0, 0, angle=0), a.at(0, 0, angle=0)))
    m.add(lw.Spring("S", m.ground.at(0, 0), a.at(0, 0), k=10.0, length=0.1))
    whole, found = lw.dynamics(m, 0.1, 2), simulated(m, span(0.1, 2, 1e-8))
    assert found.audit.notes == whole.audit.notes
    assert "the ends of S pass through each other" in found.audit.notes[0]


def test_light_bodies_cost_no_digits():
    """A rod without mass between two arms: the proximal iteration converges and leaves no note, nor at rest."""
    m = rope(2)
    rod, end = m.body("rod", position=(2.5, 0)), m.body("end", 1.0, 0.1, position=(3.5, 0))
    m.add(lw.Revolute("C", m["b1"].at(0.5, 0), rod.at(-0.5, 0)))
    m.add(lw.Revolute("D", rod.at(0.5, 0), end.at(-0.5, 0)))
    assert tells(m) == []
    for k, b in enumerate((m["b0"], m["b1"], rod, end)):
        b.guess(position=(0, -k - 0.5), angle=-np.pi / 2)
    assert tells(m) == []


def test_stability_that_rules_the_steps():
    m = lw.PlanarModel("damped")
    a = m.body("a", 1e-3, 1e-4, position=(1, 0), velocity=(1.0, 0))
    m.add(lw.Bushing("B", m.ground.at(0, 0), a.at(0, 0), k=(1.0, 1.0, 1.0), c=(100.0, 100.0, 100.0)))
    told = [
        lw.dynamics(m, 0.5, 1, method="dop853", rtol=1e-4).audit.notes,
        simulated(m, replace(span(0.5, 1, 1e-4), method="dop853")).audit.notes,
    ]
    assert told[0] == told[1]
    assert "stability limited the steps of dop853" in told[0][0]


def test_a_machine_that_locks_up():
    """A driven rocker: it ends where coupler and follower, 1 and 1.2 long, fold over each other. There the crank of length 1
    and the base of 1.1 make a triangle with 0.2."""
    m = rocker()
    errors = []
    for run in (lambda: lw.dynamics(m, 3.0, 3), lambda: simulated(m, span(3.0, 3, 1e-8))):
        with pytest.raises(lw.SingularityError, match="locks up") as error:
            run()
        errors.append(error.value)
    whole, found = errors
    assert (found.kind, found.driver, found.element) == (whole.kind, "motor", whole.element)
    angle = 2 * np.pi - np.arccos((1 + 1.1**2 - 0.2**2) / 2.2)
    assert found.time == pytest.approx((angle - np.pi / 2) / 2, abs=1e-6)  # steps end as near to it as 1e-8 asks
    assert len(found.partial.t) == len(whole.partial.t)


def test_a_motion_without_a_value():
    m = rope(2)
    m.add(lw.Driver("D", m["J0"].angle, "sqrt(0.05 - t)"))
    with pytest.raises(lw.ModelError, match=r"the motion has no finite value at t = 0\.05") as error:
        simulated(m, span(0.1, 2))
    assert error.value.element == ("D",)
