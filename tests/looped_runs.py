"""Simulations in loops over elements beside those of the machine compiled as a whole."""

from dataclasses import replace

import numpy as np

import linkwright as lw
from linkwright.analyses.dynamics.looped.simulate import simulate
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.machine.times import Times


def span(t_end, steps, rtol=1e-10):
    return Options(Times.of(t_end, steps, 0.0, None), rtol=rtol, atol=1e-2 * rtol)


def closed(system, q, t=0.0, tolerance=1e-12, most=20):
    """q moved until |Phi| <= tolerance by Newton's method, and how many steps it took; at most `most`."""
    q = np.array(q, dtype=float)
    for step in range(most):
        Phi = system.Phi(q, t)
        if (np.abs(Phi) <= tolerance).all():
            return q, step
        q = system.retract(q, system.nearest(q, t, 0.0, -Phi)[0])
    return q, most


def fitting(system, q, v, t=0.0):
    """v changed so that J v = nu."""
    return v + system.nearest(q, t, 0.0, system.nu(q, t) - system.Phi_v(q, t) @ v)[0]


def simulated(model, options, start=None):
    """The result in loops, whatever the size of the machine."""
    return simulate(model, options, start).result


def agree(model, t_end, tolerance):
    """Every channel to a part of its largest value; energies, reactions about another point, quantities, audit, too; with
    bodies' coordinates as the state, which is given back, and with joints' ones."""
    whole = lw.dynamics(model, t_end, 6, rtol=1e-10)
    in_joints, found = (simulated(model, replace(span(t_end, 6), formulation=f)) for f in ("joint", "newton-euler"))
    assert (in_joints.audit.formulation, found.audit.formulation) == ("joint", "newton-euler")
    for x in (in_joints, found):
        compare(model, whole, x, tolerance)
    return whole, found


def compare(model, whole, found, tolerance):
    assert list(found.channels) == list(whole.channels)
    for name in whole.channels:
        size = 1 + np.abs(whole[name]).max()
        assert np.abs(found[name] - whole[name]).max() < tolerance * size, name
    for mine, other in zip(
        (found.energy.kinetic, found.energy.potential, found.energy.work),
        (whole.energy.kinetic, whole.energy.potential, whole.energy.work), strict=True,
    ):  # fmt: skip
        assert np.abs(mine - other).max() < tolerance * (1 + np.abs(other).max())
    assert list(found.imbalance) == list(whole.imbalance)
    largest = max(np.abs(x).max() for x in found.reaction(next(iter(whole.places))).values()) if whole.places else 0.0
    assert max(np.abs(x).max() for x in found.imbalance.values()) < tolerance * (1 + largest)
    assert list(found.places) == list(whole.places)
    joint = list(whole.places)[-1]
    point = (0.1, -0.2, 0.3)[: model.dimension]
    for c, values in whole.reaction(joint, at=point).items():
        assert np.allclose(found.reaction(joint, at=point)[c], values, rtol=0, atol=tolerance * (1 + np.abs(values).max()))
    assert found.audit.energy_error < 1e-8
    assert max(found.audit.position_error, found.audit.velocity_error) < 1e-9


def chain(n, gravity=(0, 0, -9.81)):
    """Stretched out along x, axes in turn along two skew directions."""
    m = lw.SpatialModel("chain", gravity=gravity)
    before, at = m.ground, (0.0, 0.0, 0.0)
    for k in range(n):
        b = m.body(f"b{k}", mass=1 + 0.1 * (k % 3), inertia=(0.01, 0.1, 0.1), position=(k + 0.5, 0, 0))
        turn = ((1, 0, 0), 0.3 + 0.9 * (k % 2))
        m.add(lw.Revolute(f"J{k}", before.at(*at, rotation=turn), b.at(-0.5, 0, 0, rotation=turn)))
        before, at = b, (0.5, 0, 0)
    return m


def rope(n):
    """A planar chain that begins stretched out along x."""
    m = lw.PlanarModel("rope", gravity=(0, -9.81))
    end = m.ground.at(0, 0)
    for k in range(n):
        b = m.body(f"b{k}", mass=1, inertia=0.1, position=(k + 0.5, 0))
        m.add(lw.Revolute(f"J{k}", end, b.at(-0.5, 0)))
        end = b.at(0.5, 0)
    return m
