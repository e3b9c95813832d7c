"""Laws with kinks on bodies that are held: there the sign of what decides is that of rounding."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw


def held() -> tuple[lw.Model, lw.Element]:
    """A bar on a pin that a rod holds level."""
    m = lw.PlanarModel("held", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=0.1, com=(0.3, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Distance("rod", m.ground.at(0.5, -1), a.at(0.5, 0), 1.0))
    return m, A


def stands(m: lw.Model, **options: object) -> None:
    d = lw.dynamics(m, t_end=1.0, steps=2, **options)
    assert np.abs(d["a.angle"]).max() < 1e-12
    assert d.audit.switches == 0  # nothing happens
    assert d.audit.energy_error < 1e-9
    assert d.audit.steps < 50


LAWS = ["linear", "hertz", "hunt-crossley"]


@pytest.mark.parametrize("law", LAWS)
def test_an_open_stop_that_damps(law):
    m, A = held()
    m.add(lw.Stop("stop", A.angle, lower=-0.1, upper=0.1, k=1e3, c=4.0, law=law))
    stands(m)


@pytest.mark.parametrize("law", LAWS)
def test_an_open_contact_that_damps(law):
    m, _ = held()
    m.add(lw.Contact("floor", m.bodies["a"].at(1, 0), m.ground.at(0, -0.5, angle=0), radii=(0.1, 0), k=2e4, c=2.0, law=law))
    stands(m)


def test_held_by_a_driver():
    m = lw.PlanarModel("driven", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=0.1, com=(0.3, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Driver("D", A.angle, 0))
    m.add(lw.Stop("stop", A.angle, lower=-0.1, upper=0.1, k=1e3, c=4.0))
    stands(m)


@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
@pytest.mark.parametrize(
    "law", [lambda s, v: -v * abs(v), lambda s, v: -lw.maximum(v, 0.0), lambda s, v: -100 * lw.maximum(s, 0.0)]
)
def test_laws_of_ones_own(law, formulation):
    """Quadratic drag, a damper of one way, a slack spring exactly where it becomes taut."""
    m, A = held()
    m.add(lw.Force("law", A.angle, law))
    stands(m, formulation=formulation)


def test_beside_a_body_that_moves():
    """Its events are found as without; what is held adds none."""
    m, A = held()
    m.add(lw.Force("drag", A.angle, lambda s, v: -v * abs(v)))
    ball = m.body("ball", mass=1, inertia=0.1, position=(3, 0.5))
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, -0.5, angle=0), radii=(0.1, 0), k=1e3))
    d = lw.dynamics(m, t_end=1.0, steps=2)
    fall, omega = np.sqrt(2 * 0.9 / 9.81), np.sqrt(1e3)
    # in contact: y'' = -g - k y/m from y = 0 with y' = -sqrt(2 g h), until y = 0 again
    lasts = 2 * (np.pi - np.arctan2(np.sqrt(2 * 9.81 * 0.9), 9.81 / omega)) / omega
    assert d.audit.switches == 2
    after = 1.0 - fall - lasts
    height = np.sqrt(2 * 9.81 * 0.9) * after - 0.5 * 9.81 * after**2 - 0.4
    assert d["ball.y"][-1] == pytest.approx(height, abs=1e-6)
    assert np.abs(d["a.angle"]).max() < 1e-12


def test_in_a_large_machine():
    m, A = held()
    m.add(lw.Force("drag", A.angle, lambda s, v: -v * abs(v)))
    m.add(lw.Stop("stop", A.angle, lower=-0.1, upper=0.1, k=1e3, c=4.0))
    for k in range(50):
        b = m.body(f"p{k}", mass=1, inertia=0.1, com=(0.3, 0), position=(3 + 0.1 * k, 0))
        m.add(lw.Revolute(f"P{k}", m.ground.at(3 + 0.1 * k, 0), b.at(0, 0)))
    d = lw.dynamics(m, t_end=0.3, steps=2)
    assert d.audit.switches == 0
    assert np.abs(d["a.angle"]).max() < 1e-12


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_the_work_of_contacts_that_damp(law, rtol):
    """A ball that bounces: kinetic and stored energy less the work of the damper is constant."""
    m = lw.PlanarModel("drop", gravity=(0, -9.81))
    b = m.body("ball", mass=1, inertia=0.01, position=(0, 0.15), velocity=(0.3, 0))
    m.add(lw.Contact("floor", b.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.1, 0), k=2e4, c=2.0, law=law))
    d = lw.dynamics(m, t_end=1.0, steps=4, rtol=rtol, atol=rtol / 100)
    assert d.audit.energy_error < 10 * rtol * d.audit.steps  # an error of the order of rtol each step
    assert not d.audit.notes
