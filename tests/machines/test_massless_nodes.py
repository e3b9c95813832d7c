"""Nodes without mass, where springs meet: in balance at each instant, against closed forms."""

import numpy as np
import pytest

import linkwright as lw

K1, K2, MASS = 100.0, 300.0, 2.0


def series(c=0.0, balanced=True):
    """Ground, spring K1 (with a damper beside it), a node, spring K2, a mass; both on one guide."""
    m = lw.PlanarModel("series")
    node, bob = m.body("node", position=(1.3, 0)), m.body("bob", mass=MASS, inertia=0.1, position=(2.4, 0))
    for body in (node, bob):
        m.add(lw.Translational(f"guide of {body.name}", m.ground.at(0, 0, angle=0), body.at(0, 0, angle=0)))
    m.add(lw.Spring("soft", m.ground.at(0, 0), node.at(0, 0), k=K1, length=1, c=c))
    m.add(lw.Spring("hard", node.at(0, 0), bob.at(0, 0), k=K2, length=1))
    if balanced:
        m.add(lw.Constraint("balance", K1 * (node.x - 1) + c * node.vx - K2 * (bob.x - node.x - 1)))
    m.fix(bob.x, 2.4)
    return m


@pytest.mark.parametrize("options", [{}, {"formulation": "joint"}, {"constraints": "partitioning"}, {"method": "radau"}])
def test_springs_in_series(options):
    """They are one of stiffness 1/(1/k1 + 1/k2); the node divides the stretch by k2/(k1 + k2)."""
    m = series()
    d = lw.dynamics(m, t_end=2.0, steps=20, **options)
    stretch = 0.4 * np.cos(np.sqrt(1 / (1 / K1 + 1 / K2) / MASS) * d.t)
    assert d["bob.x"] - 2 == pytest.approx(stretch, abs=1e-6)  # rtol 1e-8, some hundred steps
    assert d["node.x"] - 1 == pytest.approx(stretch * K2 / (K1 + K2), abs=1e-6)
    assert d["soft.force"] == pytest.approx(d["hard.force"], abs=1e-6)
    assert d.audit.energy_error < 1e-6
    assert lw.check(m).dof == 1


def test_the_balance_acts_on_nothing():
    """Its multiplier is zero: the mass feels the spring alone."""
    d = lw.dynamics(series(), t_end=1.0, steps=5)
    assert MASS * d["bob.ax"] == pytest.approx(-d["hard.force"], abs=1e-6)


def test_small_motions_and_equilibrium_of_springs_in_series():
    m = series()
    at = lw.equilibrium(m)
    assert [at["node.x"], at["bob.x"], at.stability] == [pytest.approx(1.0), pytest.approx(2.0), "stable"]
    frequency = np.sqrt(1 / (1 / K1 + 1 / K2) / MASS) / (2 * np.pi)
    assert lw.linearize(m, at).frequencies == pytest.approx([frequency], rel=1e-9)


def test_a_damper_beside_a_spring_makes_the_node_a_state():
    """c u' + k1 u = k2 (x - u), m x'' = -k2 (x - u): a standard linear solid and a mass, by its own eigenvalues."""
    c = 20.0
    m = series(c)
    d = lw.dynamics(m, t_end=1.0, steps=10)
    A = np.array([[-(K1 + K2) / c, K2 / c, 0], [0, 0, 1], [K2 / MASS, -K2 / MASS, 0]])
    values, vectors = np.linalg.eig(A)
    start = np.array([d["node.x"][0] - 1, 0.4, 0.0])
    parts = np.linalg.solve(vectors, start.astype(complex))
    wanted = np.array([(vectors @ (parts * np.exp(values * t))).real for t in d.t])
    assert d["node.x"] - 1 == pytest.approx(wanted[:, 0], abs=1e-7)
    assert d["bob.x"] - 2 == pytest.approx(wanted[:, 1], abs=1e-7)
    assert d.audit.energy_error < 1e-7  # what the damper takes is told as work
    lin = lw.linearize(m, lw.equilibrium(m))
    assert np.sort_complex(lin.eigenvalues) == pytest.approx(np.sort_complex(values), rel=1e-9)
    report = lw.check(m)
    assert (report.dof, report.position_dof) == (1, 2)  # where the node begins is free


def test_a_node_of_four_springs_in_space():
    """Springs of no free length: the node is where their weighted ends are, (sum k a + k x)/(sum k + k), and the mass hangs
    on the stiffness 1/(1/K + 1/k) in every direction."""
    m = lw.SpatialModel("node", gravity=(0, 0, -10))
    node = m.body("node", position=(0, 0, 0.5))
    bob = m.body("bob", mass=MASS, inertia=(0.1, 0.1, 0.1), position=(0.2, 0.1, 0), velocity=(0.3, 0, 0))
    for body in (node, bob):
        m.add(lw.Orientation(f"{body.name} upright", m.ground.at(0, 0, 0), body.at(0, 0, 0)))
    ends, stiffness, k = [(1, 0, 2), (-1, 0, 2), (0, 1.5, 2)], [100.0, 150.0, 50.0], 200.0
    for i, (a, own) in enumerate(zip(ends, stiffness, strict=True)):
        m.add(lw.Spring(f"s{i}", m.ground.at(*a), node.at(0, 0, 0), k=own))
    m.add(lw.Spring("last", node.at(0, 0, 0), bob.at(0, 0, 0), k=k))
    for i, axis in enumerate("xyz"):
        at, far = getattr(node, axis), getattr(bob, axis)
        pull = sum(own * (a[i] - at) for a, own in zip(ends, stiffness, strict=True)) + k * (far - at)
        m.add(lw.Constraint(f"balance {axis}", pull))
        m.fix(far, (0.2, 0.1, 0.0)[i])
    d = lw.dynamics(m, t_end=1.0, steps=10)
    K = sum(stiffness)
    one, middle = 1 / (1 / K + 1 / k), np.array(ends).T @ np.array(stiffness) / K
    w = np.sqrt(one / MASS)
    rest = middle - np.array([0, 0, MASS * 10 / one])
    for i, axis in enumerate("xyz"):
        x0, v0 = (0.2, 0.1, 0.0)[i], (0.3, 0, 0)[i]
        x = rest[i] + (x0 - rest[i]) * np.cos(w * d.t) + v0 / w * np.sin(w * d.t)
        assert d[f"bob.{axis}"] == pytest.approx(x, abs=1e-6)
        assert d[f"node.{axis}"] == pytest.approx((K * middle[i] + k * x) / (K + k), abs=1e-6)


def test_a_node_that_nothing_balances_is_refused_with_the_remedy():
    m = series(balanced=False)
    [found] = [f for f in lw.check(m).findings if f.code == "no-inertia"]
    assert found.elements == ("node",)
    for ask in (lambda: lw.dynamics(m, t_end=0.1, steps=1), lambda: lw.linearize(m, lw.assemble(m))):
        with pytest.raises(lw.ModelError, match=r"nothing determines the acceleration of node\.vx") as caught:
            ask()
        assert caught.value.element == ("node",)
        assert "where springs meet" in caught.value.remedy
