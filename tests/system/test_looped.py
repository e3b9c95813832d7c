"""Machines compiled element by element against the same machines compiled as a whole, and against extended precision."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from looped_machines import SPATIAL, add_body, agree, chain, close, curves, spatial_joint, state, turned, whole

import linkwright as lw
from linkwright.graph import evaluate
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped import groups as grouping
from linkwright.system.looped.over_states import solutions
from linkwright.system.mass import inertia


@pytest.mark.parametrize("kind", [*SPATIAL, "Distance", "RevoluteSpherical", "RevoluteRevolute", "Screw"])
def test_every_spatial_joint_by_loops_is_that_of_the_whole(kind):
    rng = np.random.default_rng(5)
    m = lw.SpatialModel("two", gravity=(0.1, 0.2, -9.81))
    a, b, c = (add_body(m, k, rng) for k in range(3))
    for name, first, second in (("A", m.ground, a), ("B", a, b), ("C", b, c)):
        m.add(spatial_joint(kind, name, first.at(*rng.normal(size=3), rotation=turned(rng)),
                            second.at(*rng.normal(size=3), rotation=turned(rng))))  # fmt: skip
    looped = agree(m, *state(m, rng))
    assert len(looped.at.groups) == 2  # one function for the joint on ground, one for both between bodies


def test_many_states_at_once_are_those_one_after_the_other():
    """Accelerations and multipliers to the last bit; the balance and the lengths of rows as matrices say them."""
    rng = np.random.default_rng(8)
    m = chain(5)[0]
    looped, states = LoopedSystem(m), [state(m, rng) for _ in range(3)]
    t, y = np.array([0.0, 0.2, 0.5]), np.array([[*q, *v, *looped.turns, 0.0] for q, v in states])
    vdot, lam, residual, pivot = solutions(looped, t, y)
    pivots, size = [], rng.uniform(0.5, 2.0, looped.nv)
    for k, (q, v) in enumerate(states):
        own, forces, measure = looped.accelerations(q, v, t[k])
        pivots.append(measure)
        assert np.array_equal(vdot[k], own)
        assert np.array_equal(lam[k], forces)
        M, J, force, _ = looped.terms(q, v, t[k])
        rest, largest = M @ own + J.T @ forces - force, np.abs(force).max() + np.abs(J.T @ forces).max()
        assert np.abs(residual[k] - rest).max() < 1e-13 * largest
        lengths = np.linalg.norm((J * size).toarray(), axis=1)
        np.testing.assert_allclose(looped.row_lengths(q, t[k], size), lengths, rtol=1e-14)
    assert pivot == min(pivots)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=6, deadline=None)
def test_random_spatial_machines_with_loops(seed):
    rng = np.random.default_rng(seed)
    m = lw.SpatialModel("random", gravity=(0, 0, -9.81))
    bodies = [m.ground]
    for k in range(int(rng.integers(2, 6))):
        body = add_body(m, k, rng)
        parent = bodies[rng.integers(len(bodies))]
        kind = SPATIAL[rng.integers(len(SPATIAL))]
        m.add(spatial_joint(kind, f"j{k}", parent.at(*rng.normal(size=3), rotation=turned(rng)),
                            body.at(*rng.normal(size=3))))  # fmt: skip
        bodies.append(body)
    i, j = rng.choice(len(bodies), 2, replace=False)  # at most one row: cannot over-constrain much
    m.add(lw.Distance("loop", bodies[i].at(*rng.normal(size=3)), bodies[j].at(*rng.normal(size=3)), 1.3))
    m.add(lw.Spring("spring", bodies[i].at(0.3, 0, 0), bodies[j].at(0, 0.2, 0), k=20, length=0.4, c=1.5))
    q, v = state(m, rng)
    if np.linalg.cond(whole(m, q, v, 0.3)[-1]) < 1e6:  # else lam is hardly unique
        agree(m, q, v)


def test_planar_machine_of_everything():
    rng = np.random.default_rng(2)
    m = lw.PlanarModel("everything", gravity=(0, -9.81))
    r = m.parameter("r", 0.3)
    b = [add_body(m, k, rng) for k in range(7)]
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), b[0].at(-r, 0)))
    B = m.add(lw.Revolute("B", b[0].at(r, 0.1), b[1].at(-0.4, 0)))
    m.add(lw.Translational("C", b[1].at(0.4, 0, angle=0.3), b[2].at(0.1, 0, angle=-0.2)))
    m.add(lw.PointOnLine("D", b[2].at(0, 0, angle=1.0), b[3].at(0.2, 0.3), offset=0.1))
    m.add(lw.Distance("E", b[3].at(0.2, 0), b[4].at(0, 0.3), 0.9))
    m.add(lw.Gear("G", b[4].at(0, 0), b[5].at(0, 0), radii=(0.2, 0.3), phase=0.1))
    m.add(lw.RackPinion("R", m.ground.at(0, 0, angle=0.1), b[6].at(0, 0), radius=0.2, phase=0.0))
    m.add(lw.Driver("motor", A.angle, "2*pi*t + r"))
    m.add(lw.Driver("slow", b[5].x, lw.Harmonic(0.3, 2.0)))
    m.add(lw.Coupler("belt", {b[3].angle: 1.0, b[4].angle: -2.0}, value=0.2))
    m.add(lw.Constraint("sum", b[2].x + 0.5 * b[3].y, value=0.2))
    m.add(lw.Spring("s1", m.ground.at(1, 0), b[2].at(0.1, 0), k=100, length=0.3, c=2))
    m.add(lw.Spring("s2", b[1].at(1, 0), b[3].at(0.1, 0), k=lambda d: 80 + d * d, length=r, c="3 + v*v", force="sin(t)"))
    m.add(lw.TorsionSpring("s3", B, k=5, angle=0.2, c=0.1))
    m.add(lw.Force("f", b[2].x, lambda s, v, t: -3 * v + lw.sin(s) * t))
    m.add(lw.PointForce("p", b[3].at(0.1, 0.2), (1.0, "2*t")))
    m.add(lw.Torque("n", b[4], "3*cos(t)"))
    m.add(lw.Bushing("u", b[3].at(0, 0.1), b[5].at(0.2, 0), k=(10, 20, 3), c=(0.1, 0.2, 0.3)))
    agree(m, *state(m, rng))


def test_spatial_forces_and_drivers():
    rng = np.random.default_rng(3)
    m = lw.SpatialModel("forces", gravity=(0, 0, -9.81))
    b = [add_body(m, k, rng) for k in range(4)]
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), b[0].at(0.1, 0.2, 0.3, rotation=turned(rng))))
    B = m.add(lw.Cylindrical("B", b[0].at(0.5, 0, 0, rotation=turned(rng)), b[1].at(0, 0, 0.1)))
    m.add(lw.Spherical("C", b[1].at(0.5, 0, 0), b[2].at(0, 0, 0.1)))
    m.add(lw.Driver("motor", A.angle, lambda t: 0.1 * t * t))
    m.add(lw.Driver("stroke", B.displacement, "0.2*sin(t)"))
    m.add(lw.TorsionSpring("k", B, k=3.0, c=0.2))
    m.add(lw.Force("d", lw.distance(b[2].at(0, 1, 0), b[3].at(0.2, 0, 0)), lambda s, v: -2 * v))
    m.add(lw.Torque("n", b[3], (1, "t", 0.0), frame="body"))
    m.add(lw.PointForce("p", b[3].at(0.1, 0.2, 0.3), (0, 1, "2*t"), frame="body"))
    m.add(lw.Bushing("u", b[2].at(0, 0.1, 0), b[3].at(0.2, 0, 0), k=(10, 20, 3, 1, 2, 3)))
    agree(m, *state(m, rng))


def in_extended_precision(looped, q, v):
    """(vdot, lam) of a chain: terms and a banded solve with partial pivoting, all in longdouble (64-bit mantissa)."""
    F, W, N = np.longdouble, 44, len(looped.at.bodies)  # 21 below the diagonal; pivoting doubles that above
    start = {**{k: 11 * k for k in range(N)}, **{N + k: 11 * k + 6 for k in range(N)}}
    band, right = np.zeros((11 * N, 2 * W + 1), dtype=F), np.zeros(11 * N, dtype=F)  # entry i, j at band[i, j - i + W]

    def values(group, roots):
        inputs, numbers = group.inputs(), np.array([[looped.at.bodies.index(b) for b in bs] for bs in group.bodies])
        given = {s: group.numbers[:, c].astype(F) for c, s in enumerate(inputs["b"])}
        for j in range(group.width):
            given |= {s: q[7 * numbers[:, j] + c].astype(F) for c, s in enumerate(inputs[f"q{j}"])}
            given |= {s: v[6 * numbers[:, j] + c].astype(F) for c, s in enumerate(inputs[f"v{j}"])}
        found = [np.broadcast_to(np.asarray(x, dtype=F), len(numbers)) for x in evaluate(roots, given)]
        return numbers, np.array(found).reshape(len(roots), len(numbers))

    def put(i, j, x):
        band[i, j - i + W] = x

    from linkwright.graph import along

    for group in looped.at.masses:
        mass = inertia(group.standin.own, group.coordinates)
        numbers, M = values(group, list(mass.M.entries.values()))
        _, Q = values(group, [a - b for a, b in zip(group.loads.Q, mass.h, strict=True)])
        for m, (k,) in enumerate(numbers):
            right[start[k] : start[k] + 6] = Q[:, m]
            for (i, j), x in zip(mass.M.entries, M[:, m], strict=True):
                put(start[k] + i, start[k] + j, x)
    for group in looped.at.groups:
        rates = group.coordinates.rates
        numbers, gamma = values(group, [-d for d in along(along(group.residuals, rates), rates)])
        blocks = [values(group, block)[1].reshape(5, 6, -1) for block in group.J]
        for m, around in enumerate(numbers):
            row = start[N + group.members[m]]
            right[row : row + 5] = gamma[:, m]
            for k, block in zip(around, blocks, strict=True):
                for i, j in np.ndindex(5, 6):
                    put(row + i, start[k] + j, block[i, j, m])
                    put(start[k] + j, row + i, block[i, j, m])
    n = 11 * N
    for k in range(n):
        rows, columns = np.arange(k, min(n, k + 22)), np.arange(k, min(n, k + W))
        p = k + int(np.argmax(np.abs(band[rows, k - rows + W])))
        if p != k:
            band[k, columns - k + W], band[p, columns - p + W] = band[p, columns - p + W], band[k, columns - k + W].copy()
            right[[k, p]] = right[[p, k]]
        for i in rows[1:]:
            if band[i, k - i + W] != 0:
                factor = band[i, k - i + W] / band[k, W]
                band[i, columns - i + W] -= factor * band[k, columns - k + W]
                right[i] -= factor * right[k]
    x = np.zeros(n, dtype=F)
    for k in range(n - 1, -1, -1):
        columns = np.arange(k + 1, min(n, k + W))
        x[k] = (right[k] - band[k, columns - k + W] @ x[columns]) / band[k, W]
    by_body = x.reshape(N, 11)
    return by_body[:, :6].ravel(), by_body[:, 6:].ravel()


def test_a_chain_of_a_thousand_bodies_keeps_its_digits():
    m, q, v = chain(1000, spread=0.1)
    looped = LoopedSystem(m)
    vdot, lam, measure = looped.accelerations(q, v)
    exact, exact_lam = in_extended_precision(looped, q, v)
    # The requirement is 1e-9; measured 1e-14. The oracle itself is good to about 1e-17.
    assert np.abs(vdot - exact).max() <= 1e-12 * np.abs(exact).max()
    assert np.abs(lam - exact_lam).max() <= 1e-12 * np.abs(exact_lam).max()
    assert measure > 1e-3


def test_work_and_memory_grow_with_the_chain_alone():
    short, long = (LoopedSystem(chain(N)[0]) for N in (10, 80))
    assert short.ldl.fill == long.ldl.fill == 0
    assert [len(s.at.groups) + len(s.at.masses) for s in (short, long)] == [4, 4]
    assert len({id(f) for f in long.at.scripts["factor"].functions}) <= 6
    per_body = [s.arena.size / len(s.at.bodies) for s in (short, long)]
    assert per_body[1] <= 1.05 * per_body[0]


def ladder(N):
    """A planar chain of N four-bar loops, each standing on the one before, assembled: rails go up, rungs across."""
    m = lw.PlanarModel("ladder", gravity=(0, -9.81))
    rng = np.random.default_rng(0)
    left, right = m.ground.at(0, 0), m.ground.at(1, 0)
    q = []
    for k in range(N):
        a, c, rung = (m.body(f"{name}{k}", mass=1 + rng.random(), inertia=0.1 + rng.random()) for name in "acr")
        m.add(lw.Revolute(f"A{k}", left, a.at(0, -0.5)))
        m.add(lw.Revolute(f"C{k}", right, c.at(0, -0.5)))
        m.add(lw.Revolute(f"B{k}", a.at(0, 0.5), rung.at(-0.5, 0)))
        m.add(lw.Revolute(f"D{k}", c.at(0, 0.5), rung.at(0.5, 0)))
        left, right = rung.at(-0.5, 0), rung.at(0.5, 0)
        q += [0, k + 0.5, 0, 1, k + 0.5, 0, 0.5, k + 1, 0]
    return m, np.array(q, dtype=float)


def test_a_chain_of_loops_fills_in_linearly_and_is_right():
    m, q = ladder(6)
    v = np.random.default_rng(1).normal(size=len(q))
    agree(m, q, v)
    fills = [LoopedSystem(ladder(N)[0]).ldl.fill for N in (10, 20, 40)]
    assert fills[2] - fills[1] == 2 * (fills[1] - fills[0])


def test_dependent_rows_are_noticed_and_the_accelerations_still_right():
    m, q, v = chain(5)
    single = LoopedSystem(m).accelerations(q, v)[0]
    e = m.elements["j3"]
    m.add(lw.Revolute("again", e.P, e.Q))
    doubled = LoopedSystem(m)
    vdot, lam, measure = doubled.accelerations(q, v)
    assert measure < 1e-10
    assert np.abs(vdot - single).max() <= 1e-9 * np.abs(single).max()  # vdot is unique; the fallback holds ten digits
    M, J, right, _ = doubled.terms(q, v)
    assert np.abs(M @ vdot + J.T @ lam - right).max() <= 1e-9 * np.abs(right).max()


@pytest.mark.parametrize("light", ["inner", "outer"])
def test_a_body_without_mass_is_carried_by_its_joints(light):
    m = lw.PlanarModel("massless", gravity=(0, -9.81))
    heavy = {"mass": 2.0, "inertia": 0.1}
    inner, outer = (
        m.body("inner", **({} if light == "inner" else heavy)),
        m.body("outer", **({} if light == "outer" else heavy)),
    )
    m.add(lw.Revolute("A", m.ground.at(0, 0), inner.at(-1, 0)))
    m.add(lw.Fixed("B", inner.at(0, 0), outer.at(0, 0)))
    q = np.array([1, 0, 0, 1, 0, 0.0])
    vdot, _, measure = LoopedSystem(m).accelerations(q, np.zeros(6))
    # The tip is eliminated first: if it has no mass there is no pivot; the inner one has got the tip's inertia by then.
    assert (measure < 1e-10) == (light == "outer")
    alpha = -2.0 * 9.81 * 1.0 / (0.1 + 2.0)  # moment of the weight about A over the inertia about A
    assert vdot[[2, 5, 1, 4]] == pytest.approx(alpha, rel=1e-9)


def test_new_values_of_parameters_are_taken_over():
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    length, mass = m.parameter("length", 1.0), m.parameter("mass", 1.0)
    bob = m.body("bob", mass=mass, inertia=mass * length * length / 12)
    m.add(lw.Revolute("A", m.ground.at(0, 0), bob.at(-length / 2, 0)))
    looped = LoopedSystem(m)
    for value in (1.0, 0.4):
        m.set(length=value, mass=3.0 * value)
        looped.adopt(m)
        vdot, _, _ = looped.accelerations([value / 2, 0, 0], np.zeros(3))
        assert vdot[2] == pytest.approx(-1.5 * 9.81 / value, rel=1e-13)  # a rod held level at one end: 3 g / (2 l)


def test_phases_are_those_of_the_assembled_machine():
    m = lw.PlanarModel("gears")
    a, b = m.body("a", mass=1, inertia=1), m.body("b", mass=1, inertia=1)
    m.add(lw.Gear("G", a.at(0, 0), b.at(0, 0), radii=(0.2, 0.3)))
    looped = LoopedSystem(m)
    q = np.array([0, 0, 0.4, 0.5, 0, -1.1])
    assert abs(looped.Phi(q)[0]) > 0.01
    looped.settle(q, phases=True)
    assert abs(looped.Phi(q)[0]) < 1e-15


def test_joints_with_many_patterns_of_zeros_share_a_function(monkeypatch):
    monkeypatch.setattr(grouping, "VARIANTS", 2)
    rng = np.random.default_rng(6)
    m = lw.SpatialModel("zeros", gravity=(0, 0, -9.81))
    before = m.ground
    for k in range(5):
        body = add_body(m, 1, rng) if k == 0 else m.body(f"c{k}", mass=1 + rng.random(), inertia=(1, 2, 3))
        P = [rng.normal() if k >> bit & 1 else 0.0 for bit in range(3)]
        m.add(lw.Spherical(f"j{k}", before.at(*P), body.at(*[rng.normal() if k % 3 == i else 0.0 for i in range(3)])))
        before = body
    looped = agree(m, *state(m, rng))
    assert len(looped.at.groups) == 2  # on ground, and all the others in spite of their zeros


@pytest.mark.parametrize("dimension", [2, 3])
def test_curves(dimension):
    """Parameters of curves are unknowns without inertia; of outlines that differ in numbers alone there is one function."""
    m = curves(dimension)
    rng = np.random.default_rng(4)
    looped = agree(m, *state(m, rng))
    assert looped.nv == (3 if dimension == 2 else 6) * 4 + (9 if dimension == 2 else 3)
    m.set(r=1.4)
    looped.adopt(m)
    q, v = state(m, rng)
    close(looped.Phi(q, 0.3), whole(m, q, v, 0.3)[1])


def test_laws_in_plain_python_are_called():
    """The same machine with a law that cannot be traced, and with it traced."""
    found = []
    for law in (lambda s, v, t: 3 * s - v * t, lambda s, v, t: float(3 * s) - v * t):
        m = lw.PlanarModel("odd")
        a, b = (m.body(name, mass=1, inertia=1) for name in "ab")
        m.add(lw.Force("x", a.x, law))
        m.add(lw.Force("y", b.x, law))
        found.append(LoopedSystem(m).accelerations(*state(m, np.random.default_rng(2)), 0.3)[0])
    assert np.array_equal(*found)
