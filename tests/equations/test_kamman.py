"""Kamman's tree: the six-body example, the free-body oracle on any tree, and the tie to joint coordinates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from linkwright import graph
from linkwright.equations import kamman, tree
from linkwright.equations.joint_models import KINDS
from linkwright.equations.rotations import euler_parameters
from linkwright.equations.spatial_vectors import inverse, mass_centre_inertia, place, plucker, rigid_body_inertia, rotation_p
from linkwright.errors import ModelError

L = (0, 1, 2, 2, 1, 5)
DIGITS = 2e-11  # the example is recorded to 12 significant digits


def symmetric(xx, yy, zz, xy, xz, yz):
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


MASSES = [4, 2, 1.5, 1, 2.5, 1.2]
INERTIAS = np.array(
    [
        symmetric(0.5, 0.6, 0.4, 0.02, 0, 0.03),
        symmetric(0.2, 0.3, 0.25, 0, 0.01, 0),
        symmetric(0.1, 0.15, 0.12, 0, 0, 0.01),
        symmetric(0.08, 0.06, 0.09, 0.005, 0, 0),
        symmetric(0.3, 0.28, 0.35, 0, 0, -0.02),
        symmetric(0.11, 0.09, 0.1, 0, 0.01, 0),
    ]
)
EULER = np.array(
    [
        np.array([1, 2, 2, 4]) / 5,
        np.array([2, -4, 5, 6]) / 9,
        np.array([1, 1, -3, 5]) / 6,
        np.array([-2, 2, 4, 5]) / 7,
        np.array([1, 5, -5, 7]) / 10,
        np.array([-1, 2, 2, 4]) / 5,
    ]
)
r = np.array([[0.1, 0, 0.05], [0, 0.2, 0], [0.15, -0.05, 0], [0, 0.1, 0.1], [-0.1, 0.1, 0.2], [0.05, 0, -0.1]])
q = np.array([[0, 0, 0], [0.5, 0.1, 0], [0.3, 0, 0.2], [-0.2, 0.4, 0], [0, -0.5, 0.1], [0.25, 0, 0.25]])
s = np.array([[1, -1, 0.5], [0.05, 0, 0.02], [0, 0.1, -0.03], [0.04, 0.02, 0], [-0.06, 0, 0.08], [0.01, 0.03, 0.05]])
omega = np.array([[1, -0.5, 0.2], [0.3, 0.8, -1], [-1.2, 0.4, 0.6], [0.5, 0.5, -0.25], [0, 1.5, 0.7], [-0.8, 0.2, 1.1]])
sd = np.array([[0.5, 0, -0.2], [0.1, -0.3, 0], [0, 0.2, 0.4], [-0.25, 0.15, 0], [0.3, 0.1, -0.1], [0.05, -0.2, 0.35]])
F = np.array([[3, 0, -39.24], [0, 2, -19.62], [1, -1, -14.715], [0, 0, -9.81], [-2, 1, -24.525], [0.5, 0.5, -11.772]])
M = np.array([[1, 0.5, -0.2], [0, 0.3, 0.1], [-0.1, 0, 0.2], [0.05, 0.05, 0], [0.4, -0.3, 0.1], [0, 0.1, -0.1]])
x = np.concatenate([EULER.ravel(), s.ravel()])
y = np.concatenate([omega.ravel(), sd.ravel()])
EXAMPLE = (L, MASSES, INERTIAS, r, q, x, y, F, M)


def test_connection_array():
    assert kamman.steps_down(L) == [0, 1, 2, 2, 1, 2]
    assert kamman.path(L, 6) == [1, 5, 6]


def test_worked_example_positions_velocities_and_rates():
    p = [
        [1.076, -0.92, 0.482],
        [0.978345679012, -0.443209876543, 0.27249382716],
        [1.03192592593, -0.581851851852, 0.557925925926],
        [0.684105316201, -0.375817586294, 0.153899722852],
        [1.5624, -1.368, 0.4568],
        [1.5364, -1.7216, 0.142],
    ]
    v = [
        [0.5454, -0.038, -0.1772],
        [0.902790123457, -0.00876543209877, 0.0552716049383],
        [1.09241975309, -0.118135802469, 0.177790123457],
        [0.612071302595, -0.0137903754094, 0.0497024439405],
        [0.18576, -0.0748, -0.87248],
        [0.12136, -0.10864, -1.1716],
    ]
    rates = [
        [0.54, -0.02, -0.17, -0.04],
        [0.1, 0.461111111111, -0.177777777778, 0.422222222222],
        [-0.35, 0.416666666667, 0.383333333333, 0.216666666667],
        [0, 0.285714285714, -0.232142857143, 0.0714285714286],
        [0.55, 0.49, 0.32, -0.2],
        [-0.14, 0.03, 0.58, -0.34],
    ]
    assert_allclose(kamman.positions(L, r, q, x), p, rtol=DIGITS)
    assert_allclose([V @ y for V in kamman.partial_velocities(L, r, q, x)], v, rtol=DIGITS)
    xdot = kamman.kinematics(L, x, y)
    assert_allclose(xdot[:24].reshape(6, 4), rates, rtol=DIGITS, atol=1e-15)
    assert_allclose(xdot[24:], sd.ravel())


def test_worked_example_equations():
    A, f = kamman.equations(*EXAMPLE)
    assert np.trace(A) == pytest.approx(83.1886, rel=1e-12)
    assert np.linalg.norm(A) == pytest.approx(30.7737035435, rel=DIGITS)
    sign, logarithm = np.linalg.slogdet(A)
    assert sign == 1
    assert logarithm == pytest.approx(-20.1121453599, rel=DIGITS)
    assert_allclose(f[:3], [15.8337062623, 19.329510653, -11.0488145578], rtol=DIGITS)
    assert_allclose(f[18:21], [2.8431507228, -0.716629884908, -118.414306857], rtol=DIGITS)


def test_worked_example_accelerations():
    wd = [
        [1.92586874948, 0.738281263087, -0.482871094732],
        [-0.226052104208, 0.919666666667, 0.281042084168],
        [-0.908, -0.257877094972, 1.94815642458],
        [0.615837696335, 0.771596858639, 0.0555555555556],
        [1.20566666667, -1.05532786885, 0.225409836066],
        [0.0871559633028, 1.14555555556, -1.01871559633],
    ]
    sdd = [
        [0.740814775777, 0.105417077645, -9.60387282385],
        [0.36203025244, 1.52365496575, -0.257704755951],
        [-1.61860049636, -0.790823016558, 1.55778245156],
        [-1.06890455202, -0.370085475039, 0.426506902589],
        [-0.558018149076, 0.131442106537, -0.434353884186],
        [-0.287249612139, 0.873658954429, 0.773131950903],
    ]
    ydot = kamman.accelerations(*EXAMPLE)
    assert_allclose(ydot[:18].reshape(6, 3), wd, rtol=DIGITS)
    assert_allclose(ydot[18:].reshape(6, 3), sdd, rtol=2e-10)  # small ones are differences of gravity


def random_system(seed, n=5):
    rng = np.random.default_rng(seed)
    low = [0] + [int(rng.integers(0, k + 1)) for k in range(1, n)]  # several bodies may stand on the ground
    B = rng.normal(size=(n, 3, 3))
    inertias = B @ B.transpose(0, 2, 1) + 0.2 * np.eye(3)
    euler = rng.normal(size=(n, 4))
    euler /= np.linalg.norm(euler, axis=1)[:, None]
    state = np.concatenate([euler.ravel(), rng.normal(size=3 * n)])
    vectors = rng.normal(size=(4, n, 3))
    return (low, rng.uniform(0.5, 3, n), inertias, vectors[0], vectors[1], state, rng.normal(size=6 * n), *vectors[2:])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_any_tree_moves_as_free_bodies(seed):
    """All degrees of freedom are free, so that every body obeys its own Newton-Euler equations, whatever the tree."""
    low, masses, inertias, r, q, x, y, F, M = system = random_system(seed)
    A, _ = kamman.equations(*system)
    assert_allclose(A, A.T, atol=1e-12 * np.abs(A).max())
    assert np.linalg.eigvalsh(A)[0] > 0
    ydot = kamman.accelerations(*system)
    V, Vd = kamman.partial_velocities(low, r, q, x), kamman.partial_velocity_rates(low, r, q, x, y)
    tolerance = 1e-14 * np.linalg.cond(A)
    for k in range(len(low)):
        w, wd = y[3 * k : 3 * k + 3], ydot[3 * k : 3 * k + 3]
        assert_allclose(V[k] @ ydot + Vd[k] @ y, F[k] / masses[k], rtol=tolerance, atol=tolerance)
        assert_allclose(inertias[k] @ wd, M[k] - np.cross(w, inertias[k] @ w), rtol=tolerance, atol=tolerance)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_partial_velocities_are_derivatives_of_positions(seed):
    low, _, _, r, q, x, y, _, _ = random_system(seed, n=4)
    X, Y = graph.symbols("x", x.size), graph.symbols("y", y.size)
    values = dict(zip([*X, *Y], [*x, *y], strict=True))
    xdot = dict(zip(X, kamman.kinematics(low, X, Y), strict=True))
    v = graph.along(list(kamman.positions(low, r, q, X).ravel()), xdot)
    ours = np.ravel([V @ y for V in kamman.partial_velocities(low, r, q, x)])
    assert_allclose(graph.evaluate(v, values), ours, atol=1e-12)  # rounding of a few dozen products of order 1
    a = graph.along(v, xdot)  # ydot = 0
    ours = np.ravel([Vd @ y for Vd in kamman.partial_velocity_rates(low, r, q, x, y)])
    assert_allclose(graph.evaluate(a, values), ours, atol=1e-12 * max(1, np.abs(ours).max()))


def test_traced_equations_agree_with_the_reference():
    low, masses, inertias, r, q, x, y, F, M = EXAMPLE
    X, Y = graph.symbols("x", x.size), graph.symbols("y", y.size)
    FS, MS = graph.symbols("F", 6, 3), graph.symbols("M", 6, 3)
    names, numbers = [*X, *Y, *FS.flat, *MS.flat], [*x, *y, *F.flat, *M.flat]
    values = dict(zip(names, numbers, strict=True))
    A, f = kamman.equations(low, masses, inertias, r, q, X, Y, FS, MS)
    A_ref, f_ref = kamman.equations(*EXAMPLE)
    assert_allclose(np.reshape(graph.evaluate(list(A.flat), values), A.shape), A_ref, atol=1e-12)
    assert_allclose(graph.evaluate(list(f), values), f_ref, rtol=1e-12, atol=1e-12)
    ydot = kamman.accelerations(low, masses, inertias, r, q, X, Y, FS, MS)
    assert_allclose(graph.evaluate(list(ydot), values), kamman.accelerations(*EXAMPLE), rtol=1e-12, atol=1e-12)


# -- restricted by joints ---------------------------------------------------------------------------------------


def jointed(seed):
    """A tree with joints, its state, and what Kamman's functions need of it."""
    rng = np.random.default_rng(seed)
    names = ("Revolute", "Cylindrical", "Spherical", "Translational", "Universal", "Planar", "Screw")
    joints = [KINDS[name].given(*((0.3, 0.0) if name == "Screw" else ())) for name in names]
    n = len(joints)

    def unit():
        p = rng.normal(size=4)
        return p / np.linalg.norm(p)

    inertias = []
    for _ in joints:
        B = rng.normal(size=(3, 3))
        inertias.append(rigid_body_inertia(rng.uniform(0.5, 2), 0.5 * rng.normal(size=3), B @ B.T + np.eye(3)))
    parent = (-1, *(int(rng.integers(-1, i)) for i in range(1, n)))
    X = tuple(plucker(rotation_p(unit()), rng.normal(size=3)) for _ in joints)
    t = tree.Tree(parent, joints, X, tuple(inertias), gravity=(0.0, 0.0, 0.0))
    qs = np.concatenate([unit() if joint.nq == 4 else rng.normal(size=joint.nq) for joint in joints])
    return t, qs, rng.normal(size=t.nv), rng


def places(t, Xup):
    """For each body the rotation A to ground axes and the place of its origin."""
    X0 = []
    for low, X in zip(t.parent, Xup, strict=True):
        X0.append(X if low < 0 else X @ X0[low])
    return [(E.T, o) for E, o in map(place, X0)]


def kamman_speeds(t, qs, v):
    """y of a tree's state: omega' of all, sdot' of all, from velocities in body coordinates."""
    Xup, _, _ = tree.joints(t, qs, v)
    V = tree.velocities(t, qs, v)
    sdot = []
    for low, X, Vi in zip(t.parent, Xup, V, strict=True):
        in_parent = inverse(X) @ Vi  # the body's velocity field at the parent's origin, in the parent's axes
        across = in_parent if low < 0 else in_parent - V[low]
        _, o = place(X)
        sdot.append(across[3:] + np.cross(across[:3], o))
    return np.concatenate([*(Vi[:3] for Vi in V), *sdot])


@pytest.mark.parametrize("seed", range(5))
def test_restriction_by_joints_gives_the_joint_space_equations(seed):
    """y = H u makes H^T A H the matrix of the composite-rigid-body algorithm, and the articulated-body accelerations
    with the same loads leave H^T (f - A ydot) zero."""
    t, qs, u, rng = jointed(seed)
    n = len(t.parent)
    low = [p + 1 for p in t.parent]
    masses, centres, inertias = zip(*map(mass_centre_inertia, t.inertia), strict=True)
    Xup, _, _ = tree.joints(t, qs, u)
    at = places(t, Xup)
    euler = [euler_parameters(A)[[1, 2, 3, 0]] for A, _ in at]
    x = np.concatenate([*euler, *(place(X)[1] for X in Xup)])
    H = np.column_stack([kamman_speeds(t, qs, e) for e in np.eye(t.nv)])
    y = H @ u
    loads, moments = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    A, f = kamman.equations(low, masses, inertias, centres, np.zeros((n, 3)), x, y, loads, moments)
    joint_space = tree.crba(t, qs)
    assert_allclose(H.T @ A @ H, joint_space, atol=1e-12 * np.abs(joint_space).max())

    # the force at the mass centre in ground axes, as a 6-D force at the body's origin in body axes
    in_body = [R.T @ load for (R, _), load in zip(at, loads, strict=True)]
    f_ext = [np.concatenate([m + np.cross(c, g), g]) for m, c, g in zip(moments, centres, in_body, strict=True)]
    udot = tree.aba(t, qs, u, np.zeros(t.nv), f_ext)
    Q, U = graph.symbols("q", t.nq), graph.symbols("u", t.nv)
    motion = dict(zip([*Q, *U], [*tree.rates(t, Q, U), *udot], strict=True))
    ydot = graph.along(list(kamman_speeds(t, Q, U)), motion)
    ydot = np.array(graph.evaluate(ydot, dict(zip([*Q, *U], [*qs, *u], strict=True))))
    residual = H.T @ (f - A @ ydot)
    assert_allclose(residual, 0, atol=1e-13 * np.linalg.cond(joint_space) * max(1, np.abs(f).max()))


def test_wrong_numbering_and_sizes_are_named():
    with pytest.raises(ModelError, match="not numbered below it"):
        kamman.path((0, 3, 1), 2)
    with pytest.raises(ModelError, match="x has 41 numbers; 42 are needed"):
        kamman.kinematics(L, x[:-1], y)


def test_what_leaves_no_answer_is_told():
    wrong = [
        (1, np.zeros(6), "no mass"), (1, [np.nan] * 6, "masses holds what is no finite number"),
        (5, np.concatenate([5 * x[:4], x[4:]]), "body 1 are not of unit length"),
    ]  # fmt: skip
    for at, value, told in wrong:
        with pytest.raises(ModelError, match=told):
            kamman.accelerations(*EXAMPLE[:at], value, *EXAMPLE[at + 1 :])
