"""Joint coordinates of trees: algorithm against algorithm, and against Cartesian coordinates with multipliers."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from linkwright.equations import tree as algorithms
from linkwright.equations.rotations import euler_parameters
from linkwright.equations.spatial_vectors import inverse, place
from linkwright.graph import along, evaluate, symbols

SPACE = ("Revolute", "Translational", "Cylindrical", "Spherical", "Universal", "Planar", "Screw", "Fixed", None)


def random_tree(rng, kinds, count):
    """Bodies with their mass centre in the origin, each on a random earlier one by a random joint (None: free)."""
    m = lw.SpatialModel("tree", gravity=(0.3, -0.2, -9.81))
    bodies = [m.ground]
    for k in range(count):
        kind = kinds[rng.integers(len(kinds))]
        J = np.diag(rng.uniform(0.5, 1.0, 3))
        body = m.body(f"b{k}", mass=rng.uniform(0.5, 2.0), inertia=J)
        if kind is not None:
            ends = [
                b.at(*rng.normal(size=3), rotation=(rng.normal(size=3), rng.uniform(-3, 3)))
                for b in (bodies[rng.integers(k + 1)], body)
            ]
            if rng.random() < 0.4:
                ends.reverse()  # counted from the child to the parent
            more = {"pitch": rng.uniform(0.1, 0.5)} if kind == "Screw" else {}
            m.add(getattr(lw, kind)(f"J{k}", *ends, **more))
        bodies.append(body)
    return m


def random_state(js, rng):
    q = js.neutral() + 0.0
    for at, joint in zip(js.tree.configuration(), js.tree.joint, strict=True):
        own = rng.normal(size=joint.nq)
        if joint.name in ("spherical", "free"):
            own[:4] /= np.linalg.norm(own[:4])
        q[at] = own
    return q, rng.normal(size=js.nv)


def cartesian_velocities(js, q, v):
    """(rdot, omega_b) of all bodies as traced functions of (q, v)."""
    Xup, _, _ = algorithms.joints(js.tree, q, v)
    speeds = algorithms.velocities(js.tree, q, v)
    X, out = [], []
    for k, low in enumerate(js.tree.parent):
        X.append(Xup[k] if low < 0 else Xup[k] @ X[low])
        back = inverse(js.spanning.frames[k])
        E, _ = place(back @ X[k])
        own = back @ speeds[k]
        out += [*(E.T @ own[3:]), *own[:3]]
    return out


def test_algorithms_agree_on_random_trees():
    """RNEA(ABA(tau)) = tau and M a + h = tau, compiled; M symmetric. 1e-9: condition of M up to some 1e4."""
    rng = np.random.default_rng(5)
    for _ in range(6):
        js = lw.joint_space(random_tree(rng, SPACE, 5))
        q, v = random_state(js, rng)
        tau = rng.normal(size=js.nv)
        a = js.forward(q, v, tau)
        size = 1 + np.abs(a).max()
        assert np.allclose(js.inverse(q, v, a), tau, rtol=0, atol=1e-10 * size)
        assert np.allclose(js.M(q) @ a + js.h(q, v), tau, rtol=0, atol=1e-10 * size)
        assert np.array_equal(js.M(q), js.M(q).T)


def test_accelerations_equal_those_with_multipliers():
    """The same machine in Cartesian coordinates, all joint equations with multipliers: the same accelerations to 1e-10."""
    rng = np.random.default_rng(11)
    for _ in range(6):
        model = random_tree(rng, SPACE, 4)
        js = lw.joint_space(model)
        q, v = random_state(js, rng)
        a = js.forward(q, v, np.zeros(js.nv))
        qs, vs, as_ = symbols("q", js.nq), symbols("v", js.nv), symbols("a", js.nv)
        velocity = cartesian_velocities(js, qs, vs)
        motion = dict(zip(qs, algorithms.rates(js.tree, qs, vs), strict=True)) | dict(zip(vs, as_, strict=True))
        state = dict(zip([*qs, *vs, *as_], [*q, *v, *a], strict=True))
        v_tree = np.array(evaluate(velocity, state), dtype=float)
        vdot_tree = np.array(evaluate(along(velocity, motion), state), dtype=float)

        machine = Machine(model)
        names = [b.name for b in js.spanning.bodies]
        order = [names.index(b.name) for b in machine.system.coordinates.bodies]
        pick = np.concatenate([np.arange(6 * k, 6 * k + 6) for k in order])
        poses = js.poses(q)
        x = np.concatenate(
            [[*poses[b.name][0], *euler_parameters(poses[b.name][1])] for b in machine.system.coordinates.bodies]
        )
        machine.settle(x, 0.0)
        Phi, B = machine.Phi_and_J(x, 0.0)
        assert np.abs(Phi).max() < 1e-9
        u = v_tree[pick]
        assert np.abs(B @ u).max() < 1e-9
        M, Q = [], []
        for k, b in enumerate(machine.system.coordinates.bodies):
            J, w = b.inertia_matrix(), u[6 * k + 3 : 6 * k + 6]
            M += [b.mass] * 3 + list(np.diag(J))
            Q += [b.mass * g for g in (0.3, -0.2, -9.81)] + list(-np.cross(w, J @ w))
        n, r = len(M), len(B)
        K = np.block([[np.diag(M), B.T], [B, np.zeros((r, r))]])
        rhs = np.concatenate([Q, machine.gamma(x, u, 0.0)])
        vdot = np.linalg.lstsq(K, rhs, rcond=None)[0][:n]
        assert np.allclose(vdot, vdot_tree[pick], rtol=0, atol=1e-10 * (1 + np.abs(vdot).max()))


def test_planar_double_pendulum_closed_form():
    """Two point masses on massless links, angles from the first body to the second: textbook mass matrix."""
    m = lw.PlanarModel("double", gravity=(0, -9.81))
    one, two = m.body("one", mass=2.0, com=(0.7, 0)), m.body("two", mass=3.0, com=(0.5, 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), one.at(0, 0)))
    m.add(lw.Revolute("B", two.at(0, 0), one.at(0.7, 0)))  # counted from two to one: the sign turns
    js = lw.joint_space(m)
    a, b = 0.3, -1.1
    c = np.cos(b)  # relative angle of two against one is -q_B
    m11 = 2 * 0.49 + 3 * (0.49 + 0.25 + 2 * 0.35 * c)
    m12 = -3 * (0.25 + 0.35 * c)
    assert np.allclose(js.M([a, b]), [[m11, m12], [m12, 3 * 0.25]], rtol=1e-14, atol=0)
    tip = a - b
    gravity = 9.81 * np.array([2 * 0.7 * np.cos(a) + 3 * (0.7 * np.cos(a) + 0.5 * np.cos(tip)), -3 * 0.5 * np.cos(tip)])
    assert np.allclose(js.h([a, b], [0, 0]), gravity, rtol=1e-14, atol=0)


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_configuration_and_poses_are_inverse(seed):
    """From joint coordinates to Cartesian ones and back."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, SPACE, 4)
    js = lw.joint_space(model)
    q, _ = random_state(js, rng)

    class Cartesian(dict):
        pass

    channels = Cartesian()
    for name, (r, A) in js.poses(q).items():
        channels.update(
            zip([f"{name}.{c}" for c in ("x", "y", "z", "e0", "e1", "e2", "e3")], [*r, *euler_parameters(A)], strict=True)
        )
    again = js.poses(js.configuration(channels))
    for name, (r, A) in js.poses(q).items():
        assert np.allclose(again[name][0], r, atol=1e-9)
        assert np.allclose(again[name][1], A, atol=1e-9)


def test_loops_are_named():
    m = lw.PlanarModel("loop")
    a, b = m.body("a", mass=1.0, inertia=1.0), m.body("b", mass=1.0, inertia=1.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    m.add(lw.Revolute("B", a.at(1, 0), b.at(0, 0)))
    m.add(lw.Revolute("C", b.at(1, 0), m.ground.at(1, 1)))
    with pytest.raises(lw.ModelError, match="no tree") as error:
        lw.joint_space(m)
    assert error.value.element == ("B",)  # a and b are both carried by the ground, B closes the loop


def test_arguments_that_are_no_numbers_are_named():
    m = lw.PlanarModel("pendulum")
    m.add(lw.Revolute("A", m.ground.at(0, 0), m.body("bob", mass=1.0, inertia=0.1).at(-1, 0)))
    js = lw.joint_space(m)
    for wrong in ("fast", None, [1j], [[0.0], [1.0, 2.0]]):
        with pytest.raises(lw.LinkwrightError, match="'tau'") as error:
            js.forward([0.0], [0.0], wrong)
        assert error.value.element == ("pendulum: forward",)


def test_what_leaves_no_answer_is_told():
    m = lw.SpatialModel("ball")
    bob = m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    m.add(lw.Spherical("A", m.ground.at(0, 0, 0), bob.at(-1, 0, 0)))
    js, at_rest = lw.joint_space(m), np.zeros(3)
    with pytest.raises(lw.ModelError, match="unit length") as error:
        js.forward([2.0, 0, 0, 0], at_rest, at_rest)
    assert error.value.element == ("A",)
    for ask in (js.forward, js.inverse):
        with pytest.raises(lw.ModelError, match="not all numbers given are finite"):
            ask([1.0, 0, 0, 0], at_rest, [np.nan, 0, 0])
    light = lw.PlanarModel("light")
    light.add(lw.Revolute("A", light.ground.at(0, 0), light.body("bob").at(-1, 0)))
    with pytest.raises(lw.ModelError, match="nothing that has inertia"):
        lw.joint_space(light).forward([0.0], [0.0], [1.0])
    with pytest.raises(lw.ModelError, match="no model"):
        lw.joint_space("ball")


def test_joint_coordinates_are_pickled_and_copied():
    """Trees of all kinds of joints, counted either way."""
    rng = np.random.default_rng(5)
    joints = lw.joint_space(random_tree(rng, SPACE, 60)).tree.joint
    assert len({(j.name, j.opposite) for j in joints}) == 9 + 4  # those of one axis are counted either way
    for j, same in zip(joints, pickle.loads(pickle.dumps(joints)), strict=True):
        q, v = rng.normal(size=j.nq), rng.normal(size=j.nv)
        np.testing.assert_array_equal(np.column_stack(same.model(q, v)[:2]), np.column_stack(j.model(q, v)[:2]))
    js = lw.joint_space(random_tree(rng, SPACE, 3))
    q, v = random_state(js, rng)
    M = js.M(q)
    for again in (pickle.loads(pickle.dumps(js)), copy.deepcopy(js)):
        assert again.names == js.names
        np.testing.assert_array_equal(again.M(q), M)
