"""Nodes without mass, where springs meet: in balance at each instant, against closed forms."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy

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


@pytest.mark.parametrize("large", [False, True])
def test_a_node_of_four_springs_in_space(large, monkeypatch):
    """Springs of no free length: the node is where their weighted ends are, (sum k a + k x)/(sum k + k), and the mass hangs
    on the stiffness 1/(1/K + 1/k) in every direction. As a whole, and in loops."""
    if large:
        monkeypatch.setattr(size_policy, "LOOPED", 1)
    m = lw.SpatialModel("node", gravity=(0, 0, -10))
    node = m.point("node", position=(0, 0, 0.5))
    bob = m.point("bob", MASS, position=(0.2, 0.1, 0), velocity=(0.3, 0, 0))
    ends, stiffness, k = [(1, 0, 2), (-1, 0, 2), (0, 1.5, 2)], [100.0, 150.0, 50.0], 200.0
    for i, (a, own) in enumerate(zip(ends, stiffness, strict=True)):
        m.add(lw.Spring(f"s{i}", m.ground.at(*a), node.at(0, 0, 0), k=own))
    m.add(lw.Spring("last", node.at(0, 0, 0), bob.at(0, 0, 0), k=k))
    d = lw.dynamics(m, t_end=1.0, steps=10)
    assert d.audit.why.startswith("compiled in loops") == large
    K = sum(stiffness)
    one, middle = 1 / (1 / K + 1 / k), np.array(ends).T @ np.array(stiffness) / K
    w = np.sqrt(one / MASS)
    rest = middle - np.array([0, 0, MASS * 10 / one])
    for i, axis in enumerate("xyz"):
        x0, v0 = (0.2, 0.1, 0.0)[i], (0.3, 0, 0)[i]  # where the mass was put: the node gives way
        x = rest[i] + (x0 - rest[i]) * np.cos(w * d.t) + v0 / w * np.sin(w * d.t)
        assert d[f"bob.{axis}"] == pytest.approx(x, abs=1e-6)
        assert d[f"node.{axis}"] == pytest.approx((K * middle[i] + k * x) / (K + k), abs=1e-6)
    assert lw.check(m).dof == 3
    assert lw.linearize(m, lw.equilibrium(m)).frequencies == pytest.approx([w / (2 * np.pi)] * 3, rel=1e-9)


def net(space=False, damped=(), **of_last):
    """Springs with free lengths from the ground to a node, from there to a mass; dampers in some of them."""
    m = lw.SpatialModel("net", gravity=(0, 0, -10)) if space else lw.PlanarModel("net", gravity=(0, -10))

    def at(x, y, z):
        return (x, y, z) if space else (x, z)

    node = m.point("node", position=at(0.1, 0, -0.5))
    bob = m.point("bob", MASS, position=at(0.2, -0.2, -1.5), velocity=at(0.3, 0.2, 0))
    ends = [(1, 0, 0), (-1, 0, 0), (0, 0.5, 1), (0.3, 0.5, -1)][: 4 if space else 3]
    for k, end in enumerate(ends):
        c = 5.0 if k in damped else 0.0
        m.add(lw.Spring(f"s{k}", m.ground.at(*at(*end)), node.at(*at(0, 0, 0)), k=100.0 + 20 * k, length=0.5, c=c))
    m.add(lw.Spring("last", node.at(*at(0, 0, 0)), bob.at(*at(0, 0, 0)), k=80.0, length=0.4, **of_last))
    m.add(lw.PointForce("wind", node.at(*at(0, 0, 0)), at(2.0, 0, "sin(3*t)")))
    m.add(lw.Force("blow", node.x, lambda x, v, t: 3.0 - x))
    return m, [at(*end) for end in ends]


def left_at_node(m, ends, d):
    """The sum of the forces on the node, by the channels of each, by the largest of them."""
    axes = "xyz" if m.dimension == 3 else "xy"
    node, bob = (np.stack([d[f"{b}.{a}"] for a in axes]) for b in ("node", "bob"))
    total = np.zeros_like(node)
    for k, end in enumerate([*ends, bob]):
        way = (np.array(end).reshape(len(axes), -1) - node) / d[("last" if k == len(ends) else f"s{k}") + ".length"]
        total += d[("last" if k == len(ends) else f"s{k}") + ".force"] * way
    total[0] += 2.0 + d["blow.force"]
    total[-1] += np.sin(3 * d.t)
    return np.abs(total).max()


@pytest.mark.parametrize(
    ("space", "damped", "positions"),
    [
        (False, (), 2),
        (True, (), 3),
        (False, (1,), 3),
        (False, (0, 2), 4),
        (True, (0,), 4),
        (True, (2,), 4),
        (True, (0, 3), 5),
        (True, (0, 1, 2, 3), 6),
    ],
)
def test_forces_on_a_node_are_in_balance(space, damped, positions):
    """Without dampers its place follows; each damper, up to as many as there are directions, makes a place a state. With one
    in the plane, one or two in space, the part across them decides the place."""
    m, ends = net(space, damped)
    d = lw.dynamics(m, t_end=0.3, steps=10)
    assert left_at_node(m, ends, d) < 1e-5  # of forces of some 100 N, at places known to 1e-8
    assert d.audit.energy_error < 1e-8
    report = lw.check(m)
    assert (report.ok, report.dof, report.position_dof) == (True, 3 if space else 2, positions)
    assert [d[f"bob.{a}"][0] for a in "xy"] == pytest.approx([0.2, -0.2 if space else -1.5], abs=1e-6)  # as it was put


@pytest.mark.parametrize(
    "options", [{"formulation": "joint"}, {"constraints": "partitioning"}, {"method": "generalized-alpha"}]
)
def test_other_ways_agree(options):
    m, _ = net(damped=(1,))
    one, other = lw.dynamics(m, t_end=0.3, steps=2), lw.dynamics(m, t_end=0.3, steps=2, **options)
    close = 1e-4 if "method" in options else 1e-7  # of second order; of rtol 1e-8
    assert other["bob.x"] == pytest.approx(one["bob.x"], abs=close)
    assert other["node.y"] == pytest.approx(one["node.y"], abs=close)


def test_a_node_in_files_in_space_and_under_prescribed_motions(tmp_path):
    m, ends = net()
    d = lw.dynamics(m, t_end=0.3, steps=2)
    m.save(tmp_path / "net.yaml")
    assert "type: Balance" in (tmp_path / "net.yaml").read_text()
    again = lw.load(tmp_path / "net.yaml")
    assert again == m
    for other in (again, lw.embed(m)):
        assert lw.dynamics(other, t_end=0.3, steps=2)["node.x"] == pytest.approx(d["node.x"], abs=1e-8)
    for axis, motion in (("x", "0.2 + 0.1*t"), ("y", "-1.5")):
        m.add(lw.Driver(f"drive {axis}", m["bob"].coordinate(axis), motion))
    i = lw.inverse_dynamics(m, t_end=0.5, steps=5)
    assert left_at_node(m, ends, i) < 1e-9
    assert i["drive y.force"] == pytest.approx(
        MASS * 10 - i["last.force"] * (i["node.y"] + 1.5) / i["last.length"], abs=1e-9
    )


def test_derivatives_by_the_stiffness_of_a_spring_at_a_node():
    m = lw.PlanarModel("series")
    k = m.parameter("k", 100.0)
    node, bob = m.point("node", position=(0.5, 0)), m.point("bob", MASS, position=(1, 0))
    m.add(lw.Spring("soft", m.ground.at(0, 0), node.at(0, 0), k=k))
    m.add(lw.Spring("hard", node.at(0, 0), bob.at(0, 0), k=300.0))
    _, slope = lw.gradient(m, lw.final("bob.x"), ["k"], analysis="dynamics", t_end=0.4)
    one, rate = 1 / (1 / 100 + 1 / 300), (300 / 400) ** 2  # the stiffness of both, and by k
    w = np.sqrt(one / MASS)
    assert slope["k"] == pytest.approx(-np.sin(w * 0.4) * 0.4 * rate / (2 * np.sqrt(one * MASS)), rel=1e-6)


def test_an_equilibrium_tells_that_a_node_would_give_way():
    """Two springs in one line that are pressed: across their node the stiffness is 2 k (1 - length/distance) < 0."""
    m = lw.PlanarModel("pressed")
    node = m.point("node", position=(0, 0))
    for x in (-1, 1):
        m.add(lw.Spring(f"s{x}", m.ground.at(x, 0), node.at(0, 0), k=100, length=1.2))
    e = lw.equilibrium(m, method="equations")
    assert e.stability == "unstable"
    assert sorted(e.stiffness) == pytest.approx([200 * (1 - 1.2), 200])


def test_a_node_that_jumps_is_named():
    """Dampers that come to lie in one line hold it across no more: it took steps without end."""
    m = lw.PlanarModel("jump", gravity=(0, -10))
    node, bob = m.point("node", position=(0.5, -0.5)), m.point("bob", 1.0, position=(0.5, -1))
    for x in (0, 1):
        m.add(lw.Spring(f"s{x}", m.ground.at(x, 0), node.at(0, 0), k=500, length=0.3, c=3))
    m.add(lw.Spring("last", node.at(0, 0), bob.at(0, 0), k=300, length=0.3))
    with pytest.raises(
        lw.IntegrationError, match=r"the node node, which has no mass, holds it in one direction less"
    ) as caught:
        lw.dynamics(m, t_end=1.0, steps=4)
    assert "m.point('node', ...)" in caught.value.remedy


def test_a_node_that_something_else_holds_or_pushes_is_left_to_it():
    """A joint, a driver, a law that cannot be traced: the balance asks nothing."""
    for what in ("line", "driver", "python"):
        m = lw.PlanarModel("held")
        node = m.point("node", position=(0.5, 0))
        law = (lambda x: float(x) if x > 0 else 0.0) if what == "python" else 100.0
        m.add(lw.Spring("s", m.ground.at(0, 0), node.at(0, 0), k=law, length=0.3))
        if what == "line":
            m.add(lw.PointOnLine("line", m.ground.at(0, 0, angle=0), node.at(0, 0)))
        elif what == "driver":
            m.add(lw.Driver("driver", node.x, 0.5))
        assert m["node balance"].rows() == {}
    with pytest.raises(lw.ModelError, match="its node is no point without mass"):
        m.add(lw.Balance("b", m.body("heavy", mass=1.0).at(0, 0)))


def test_a_node_that_nothing_balances_is_refused_with_the_remedy():
    m = series(balanced=False)
    [found] = [f for f in lw.check(m).findings if f.code == "no-inertia"]
    assert found.elements == ("node",)
    for ask in (lambda: lw.dynamics(m, t_end=0.1, steps=1), lambda: lw.linearize(m, lw.assemble(m))):
        with pytest.raises(lw.ModelError, match=r"nothing determines the acceleration of node\.vx") as caught:
            ask()
        assert caught.value.element == ("node",)
        assert "where springs meet" in caught.value.remedy
