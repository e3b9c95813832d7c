"""Friction that follows from reactions, in large machines: against those compiled as a whole, and by its work."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.model.quantities import POSITIONS, VELOCITIES
from looped_runs import chain, rope, simulated, span


def same(m, t_end, tolerance=1e-9):
    """In bodies' coordinates, which is given back, and in joints' ones."""
    whole, one = lw.dynamics(m, t_end, 3, rtol=1e-11), span(t_end, 3, 1e-11)
    for formulation in ("joint", "newton-euler"):
        found = simulated(m, replace(one, formulation=formulation))
        assert list(found.channels) == list(whole.channels)
        for name in whole.channels:
            assert np.abs(found[name] - whole[name]).max() < tolerance * (1 + np.abs(whole[name]).max()), name
        assert np.abs(found.energy.work - whole.energy.work).max() < 1e-9 * (1 + np.abs(whole.energy.work).max())
        assert found.audit.energy_error < 1e-8
    return found


def test_friction_on_a_body_without_mass():
    """Its joints hold it, and what they bear is unique: friction follows from that."""
    m = rope(2)
    m["b0"].guess(omega=1.0)
    rod, end = m.body("rod", position=(2.5, 0)), m.body("end", 1.0, 0.1, position=(3.5, 0))
    m.add(lw.Revolute("C", m["b1"].at(0.5, 0), rod.at(-0.5, 0)))
    m.add(lw.Revolute("D", rod.at(0.5, 0), end.at(-0.5, 0)))
    m.add(lw.Friction("rub", m["J1"], mu=0.2, radius=0.05, transition=0.1, stick=False))
    found = same(m, 0.1)
    assert "proximal" in found.audit.why


def test_pins_and_a_slide():
    """Coulomb, static and viscous; a motor turns the crank of one, so that friction changes its torque and nothing else."""
    m = rope(2)
    m.add(lw.Friction("pin", m.elements["J0"], mu=0.3, radius=0.05, transition=0.05, stick=False))
    m.add(
        lw.Friction("damped", m.elements["J1"], mu=0.2, mu_static=0.3, radius=0.1, transition=0.1, viscous=0.02, stick=False)
    )
    crank = m.body("crank", mass=1.0, inertia=0.1, position=(0, 2))
    slider = m.body("slider", mass=2.0, inertia=0.2, position=(0.5, 2), velocity=(0.3, 0))
    A = m.add(lw.Revolute("A", m.ground.at(0, 2), crank.at(0, 0)))
    m.add(lw.Translational("S", crank.at(0, 0, angle=0.0), slider.at(0, 0, angle=0.0)))
    m.add(lw.Driver("motor", A.angle, "2*t"))
    m.add(lw.Friction("turning", A, mu=0.4, radius=0.2, stick=False))
    m.add(lw.Friction("rubbing", m.elements["S"], mu=0.25, transition=0.02, stick=False))
    found = same(m, 0.2)
    assert found["turning.torque"][-1] < 0 < found["motor.torque"][-1]


def test_hinges_balls_and_crosses_in_space():
    m = chain(1)
    ball, cross = (m.body(n, mass=1.0, inertia=(0.1, 0.2, 0.3), position=(k + 1.5, 0, 0)) for k, n in enumerate("bc"))
    m.add(lw.Spherical("ball", m["b0"].at(0.5, 0, 0), ball.at(-0.5, 0, 0)))
    across = ((0, 1, 0), np.pi / 2)
    m.add(lw.Universal("cross", ball.at(0.5, 0, 0), cross.at(-0.5, 0, 0, rotation=across)))
    for name, of in (("f0", "J0"), ("f1", "ball"), ("f2", "cross")):
        m.add(lw.Friction(name, m.elements[of], mu=0.3, radius=0.05, transition=0.2, stick=False))
    same(m, 0.15)


def test_a_large_machine_rubs():
    """Two hundred links fall with friction in all their pins: the energy that is lost is the work of friction."""
    m = rope(size_policy.WHOLE + 50)
    for k in range(size_policy.WHOLE + 50):
        m.add(lw.Friction(f"f{k}", m.elements[f"J{k}"], mu=0.3, radius=0.05, transition=0.1, stick=False))
    d = lw.dynamics(m, 0.05, 2)
    assert "compiled in loops" in d.audit.why
    assert d.energy.work[-1] < -1e-3
    assert d.audit.energy_error < 1e-9
    k = 100  # at most mu N times the radius
    N = np.hypot(d[f"J{k}.fx"][-1], d[f"J{k}.fy"][-1])
    assert abs(d[f"f{k}.torque"][-1]) <= 0.3 * 0.05 * N * (1 + 1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_friction_of_dependent_joints(dimension):
    """Two pins in one place share the load, and so the friction. Of reactions 1e-8 of the weight: what rounding leaves,
    1e-16 by what rows yield, 1e-8 as a whole."""
    if dimension == 2:
        m = rope(2)
        pins = [m.elements["J1"], m.add(lw.Revolute("again", m["b0"].at(0.5, 0), m["b1"].at(-0.5, 0)))]
    else:
        m = lw.SpatialModel("door", gravity=(0, -9.81, 0))
        leaf = m.body("leaf", 10.0, (1.0, 2.0, 3.0), position=(0.5, 0, 1))
        pins = [
            m.add(lw.Revolute(f"hinge{k}", m.ground.at(0, 0, z), leaf.at(-0.5, 0, z - 1))) for k, z in enumerate((0.5, 1.5))
        ]
    for k, pin in enumerate(pins):
        m.add(lw.Friction(f"f{k}", pin, mu=0.3, radius=0.05, transition=0.2, stick=False))
    whole, found = lw.dynamics(m, 0.4, 4, rtol=1e-10), simulated(m, span(0.4, 4))
    moving = {f"{b}.{c}" for b in m.bodies for c in (*POSITIONS[dimension], *VELOCITIES[dimension])}
    for name in whole.channels:
        size = 1e-9 * (1 + np.abs(whole[name]).max()) if name in moving else 1e-8 * 100
        assert np.abs(found[name] - whole[name]).max() < size, name
    assert found.energy.work[-1] == pytest.approx(whole.energy.work[-1], abs=1e-8)
    assert found.energy.work[-1] < -1e-2
    assert any("not unique" in note for note in found.audit.notes)
