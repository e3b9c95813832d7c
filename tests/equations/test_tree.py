"""Trees in joint coordinates: the three algorithms against each other, against closed forms and against energy."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from linkwright import graph
from linkwright.equations import tree, two_body
from linkwright.equations.arrays import array
from linkwright.equations.joint_models import FREE, KINDS, Joint, Slide, neutral
from linkwright.equations.spatial_vectors import (
    crm,
    inverse,
    mass_centre_inertia,
    place,
    plucker,
    rigid_body_inertia,
    rotation,
    rotation_p,
    rotation_z,
    translation,
)
from linkwright.errors import ModelError

REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, PLANAR, SPHERICAL, FIXED = (
    KINDS[name] for name in ("Revolute", "Translational", "Cylindrical", "Universal", "Planar", "Spherical", "Fixed")
)
SCREW = KINDS["Screw"].given(0.3, 0.0)
JOINTS = (REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, PLANAR, SPHERICAL, FREE[3], FIXED, SCREW)
seeds = st.integers(0, 2**32 - 1)
NO_INERTIA = np.zeros((6, 6))


def configuration(joint, rng):
    q = rng.normal(size=joint.nq)
    if joint.nq > joint.nv:
        q[:4] /= np.linalg.norm(q[:4])
    return q


def random_inertia(rng):
    B = rng.normal(size=(3, 3))
    return rigid_body_inertia(rng.uniform(0.5, 2), 0.5 * rng.normal(size=3), B @ B.T + 0.5 * np.eye(3))


def random_tree(seed, joints=JOINTS):
    """A tree with every joint type in random order and branching, and a state, joint forces and external forces."""
    rng = np.random.default_rng(seed)
    order = [joints[k] for k in rng.permutation(len(joints))]
    parent = (-1, *(int(rng.integers(-1, i)) for i in range(1, len(order))))
    X = tuple(plucker(rotation_p(configuration(SPHERICAL, rng)), rng.normal(size=3)) for _ in order)
    t = tree.Tree(parent, tuple(order), X, tuple(random_inertia(rng) for _ in order))
    q = np.concatenate([configuration(joint, rng) for joint in order])
    return t, q, rng.normal(size=t.nv), rng.normal(size=t.nv), rng.normal(size=(len(order), 6))


# -- joint models ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_axes_and_velocity_product_are_derivatives_of_the_transform(joint):
    """dXJ/dt = -(S v) x XJ, and cJ = dS/dt v."""
    rng = np.random.default_rng(3)
    q, v = graph.symbols("q", joint.nq), graph.symbols("v", joint.nv)
    numbers_q, numbers_v = configuration(joint, rng), rng.normal(size=joint.nv)
    values = dict(zip([*q, *v], [*numbers_q, *numbers_v], strict=True))
    motion = dict(zip(q, joint.rates(q, v), strict=True))
    XJ, S, cJ = joint.model(q, v)
    dX = np.reshape(graph.evaluate(graph.along(list(XJ.flat), motion), values), (6, 6))
    dS = np.reshape(graph.evaluate(graph.along(list(S.flat), motion), values), S.shape)
    X_n, S_n, c_n = joint.model(numbers_q, numbers_v)
    assert_allclose(dX, -crm(S_n @ numbers_v) @ X_n, atol=1e-13)  # products of a few numbers of order one
    assert_allclose(c_n, dS @ numbers_v, atol=1e-13)
    assert_allclose(graph.evaluate(list(cJ), values), c_n, atol=1e-13)


def textbook(joint, q, v):
    """S and cJ as the book has them (Featherstone, table 4.1; universal joint: 4.4, planar: the velocity in moved axes)."""
    e = np.eye(6)
    match joint.name:
        case "screw":
            return e[:, [2]] + 0.3 * e[:, [5]], np.zeros(6)
        case "universal":
            arm = array([-graph.sin(q[1]), -graph.cos(q[1]), 0.0])
            return array(np.column_stack([[*arm, 0, 0, 0], e[:, 2]])), v[0] * v[1] * array([arm[1], -arm[0], 0, 0, 0, 0])
        case "planar":
            c, s = graph.cos(q[2]), graph.sin(q[2])
            ux, uy = c * v[0] + s * v[1], c * v[1] - s * v[0]
            S = array(np.column_stack([[0, 0, 0, c, -s, 0], [0, 0, 0, s, c, 0], e[:, 2]]))
            return S, array([0, 0, 0, v[2] * uy, -v[2] * ux, 0])
    columns = {"revolute": [2], "prismatic": [5], "cylindrical": [2, 5], "spherical": [0, 1, 2], "free": range(6)}
    return e[:, list(columns.get(joint.name, []))], np.zeros(6)


class ByHand(Joint):
    def axes(self, q, v):
        return textbook(self, q, v)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_derived_axes_take_no_more_operations_than_those_by_hand(joint):
    """In the dynamics of two bodies, both ways: inverse and forward."""
    rng = np.random.default_rng(7)
    X, inertia = plucker(rotation_p(configuration(SPHERICAL, rng)), rng.normal(size=3)), random_inertia(rng)
    counts = []
    for kind in (joint, ByHand(joint.name, joint.motions)):
        t = tree.Tree((-1, 0), (kind, kind), (X, X), (inertia, inertia))
        q, v, u = (graph.symbols(name, n) for name, n in (("q", t.nq), ("v", t.nv), ("u", t.nv)))
        counts.append([graph.operations(list(f(t, q, v, u))) for f in (tree.rnea, tree.aba)])
    assert (np.array(counts[0]) <= counts[1]).all(), counts


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_axes_and_velocity_product_are_those_of_the_book(joint):
    rng = np.random.default_rng(4)
    q, v = configuration(joint, rng), rng.normal(size=joint.nv)
    S, cJ = joint.axes(q, v)
    expected_S, expected_c = textbook(joint, q, v)
    assert S.shape == (6, joint.nv)
    assert_allclose(S, expected_S, atol=1e-15)
    assert_allclose(cJ, expected_c, atol=1e-15)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_coordinates_are_read_off_the_place(joint, backward):
    """There and back, whole turns as those of a neighbour; Euler parameters of the moved frame are those of E."""
    rng = np.random.default_rng(5)
    joint = joint.reversed() if backward else joint
    q = configuration(joint, rng)
    q[[k for k, x in enumerate(joint.angles) if x]] += 6 * np.pi
    E, r = joint.place(q)
    assert_allclose(rotation_p(joint.turn(q)), E, atol=1e-14)
    near = q + rng.uniform(-3, 3, joint.nq)
    assert_allclose(joint.coordinates(E, r, near, q[:4] if joint.rolls else ()), q, atol=1e-13)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_freedoms_stand_still_in_one_of_the_frames(joint):
    """S v across the joint from axes that are constant in the first or in the moved frame."""
    rng = np.random.default_rng(6)
    q, v = configuration(joint, rng), rng.normal(size=joint.nv)
    E, _ = joint.place(q)
    omega, velocity = np.zeros(3), np.zeros(3)  # in moved axes
    for motion, moved, axis, about_moved in joint.freedoms():
        assert about_moved or isinstance(motion, Slide)  # the moved origin stays on the axes of all turns
        own = (axis if moved else E @ axis) * v[joint.speeds(motion)]
        if isinstance(motion, Slide):
            velocity += motion.pitch * own
        else:
            omega += own
    S, _ = joint.axes(q, v)
    if not joint.rolls:
        assert_allclose(S @ v, [*omega, *velocity], atol=1e-14)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_a_joint_is_plain_data(joint):
    again = pickle.loads(pickle.dumps(joint))
    assert (again.name, again.motions, again.fields) == (joint.name, joint.motions, joint.fields)


@pytest.mark.parametrize("joint", [j for j in JOINTS if j is not UNIVERSAL], ids=lambda joint: joint.name)
def test_neutral_configuration_does_not_move(joint):
    XJ, _, _ = joint.model(neutral(joint), np.zeros(joint.nv))
    assert_allclose(XJ, np.eye(6), atol=1e-15)


def test_arms_of_a_universal_joint_stay_perpendicular():
    rng = np.random.default_rng(0)
    _, S, _ = UNIVERSAL.model(rng.normal(size=2), np.zeros(2))
    assert S[:3, 0] @ S[:3, 1] == pytest.approx(0, abs=1e-15)
    assert_allclose(S[:3, 1], [0, 0, 1])
    X, _, _ = UNIVERSAL.model(np.zeros(2), np.zeros(2))
    assert_allclose(place(X)[0].T @ [0, 0, 1], [0, 1, 0], atol=1e-15)  # the second arm starts along y


# -- algorithms against each other ----------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_newton_euler_undoes_articulated_bodies(seed):
    t, q, v, tau, f_ext = random_tree(seed)
    a = tree.aba(t, q, v, tau, f_ext)
    again = tree.rnea(t, q, v, a, f_ext)
    assert_allclose(again, tau, atol=1e-10)  # forces of order 100 cancel: 1e-12 is seen


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_inertia_matrix(seed):
    """Its columns are differences of Newton-Euler forces, it is symmetric and positive definite, and H a + C = tau."""
    t, q, v, tau, f_ext = random_tree(seed)
    H, C = tree.crba(t, q), tree.bias(t, q, v, f_ext)
    columns = np.column_stack([tree.rnea(t, q, v, e, f_ext) - C for e in np.eye(t.nv)])
    assert_allclose(H, columns, atol=1e-11 * np.abs(C).max())
    assert (H == H.T).all()
    assert np.linalg.eigvalsh(H)[0] > 0
    a = tree.aba(t, q, v, tau, f_ext)
    assert_allclose(a, np.linalg.solve(H, tau - C), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_traced_algorithms_agree_with_plain_numbers(seed):
    t, q, v, tau, f_ext = random_tree(seed)
    Q, V, W, F = graph.symbols("q", t.nq), graph.symbols("v", t.nv), graph.symbols("w", t.nv), graph.symbols("f", 9, 6)
    values = dict(zip([*Q, *V, *W, *F.flat], [*q, *v, *tau, *f_ext.flat], strict=True))

    def number(traced):
        return np.reshape(graph.evaluate(list(traced.flat), values), traced.shape)

    assert_allclose(number(tree.aba(t, Q, V, W, F)), tree.aba(t, q, v, tau, f_ext), rtol=1e-11, atol=1e-11)
    assert_allclose(number(tree.rnea(t, Q, V, W, F)), tree.rnea(t, q, v, tau, f_ext), rtol=1e-11, atol=1e-11)
    assert_allclose(number(tree.crba(t, Q)), tree.crba(t, q), atol=1e-12)


@settings(max_examples=5, deadline=None)
@given(seeds)
def test_power_balance(seed):
    """d/dt (kinetic + potential energy) is the power of joint forces and of external forces."""
    t, q, v, tau, f_ext = random_tree(seed)
    a = tree.aba(t, q, v, tau, f_ext)
    Q, V = graph.symbols("q", t.nq), graph.symbols("v", t.nv)
    Xup, _, _ = tree.joints(t, Q, V)
    kinetic = 0.5 * (V @ tree.crba(t, Q) @ V)
    potential, X0 = 0.0, []
    for low, X, I6 in zip(t.parent, Xup, t.inertia, strict=True):
        X0.append(X if low < 0 else X @ X0[low])
        E, o = place(X0[-1])
        m, c, _ = mass_centre_inertia(I6)
        potential = potential - m * (np.array(t.gravity) @ (o + E.T @ c))
    motion = dict(zip([*Q, *V], [*tree.rates(t, Q, V), *a], strict=True))
    values = dict(zip([*Q, *V], [*q, *v], strict=True))
    (power,) = graph.evaluate(graph.along([kinetic + potential], motion), values)
    given_power = v @ tau + sum(f @ u for f, u in zip(f_ext, tree.velocities(t, q, v), strict=True))
    (energy,) = graph.evaluate([kinetic], values)
    assert power == pytest.approx(given_power, abs=1e-11 * (abs(energy) + 1) * (np.abs(a).max() + 1))


# -- closed forms ---------------------------------------------------------------------------------------------------


def test_pendulum():
    """theta'' = -(g/l) sin(theta) of a point at the end of a massless rod, hanging down at theta = 0."""
    horizontal = rotation(np.array([[0.0, 0, -1], [1, 0, 0], [0, -1, 0]]))  # joint x down, joint z along -y
    t = tree.Tree((-1,), (REVOLUTE,), (horizontal,), (rigid_body_inertia(2.0, (0.7, 0, 0), np.zeros((3, 3))),))
    theta = 0.4
    assert tree.aba(t, [theta], [5.0], [0.0])[0] == pytest.approx(-9.81 / 0.7 * np.sin(theta), rel=1e-14)
    assert tree.crba(t, [theta])[0, 0] == pytest.approx(2 * 0.7**2, rel=1e-14)


def test_double_pendulum_in_the_plane():
    """Two points on massless rods; joint angles relative; the textbook's equations in absolute angles."""
    m1, m2, l1, l2, g = 1.0, 2.0, 0.8, 0.5, 9.81
    down = rotation(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))  # joint x along -y
    I1, I2 = (rigid_body_inertia(m, (length, 0, 0), np.zeros((3, 3))) for m, length in ((m1, l1), (m2, l2)))
    t = tree.Tree((-1, 0), (REVOLUTE, REVOLUTE), (down, translation((l1, 0, 0))), (I1, I2), gravity=(0.0, -g, 0.0))
    a, b, w1, w2 = 0.6, 1.1, 0.9, -1.7  # absolute angles and rates
    d = a - b
    H = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2 * np.cos(d)], [m2 * l1 * l2 * np.cos(d), m2 * l2**2]])
    rhs = [
        -m2 * l1 * l2 * np.sin(d) * w2**2 - (m1 + m2) * g * l1 * np.sin(a),
        m2 * l1 * l2 * np.sin(d) * w1**2 - m2 * g * l2 * np.sin(b),
    ]
    first, second = np.linalg.solve(H, rhs)
    assert_allclose(tree.aba(t, [a, b - a], [w1, w2 - w1], [0, 0]), [first, second - first], rtol=1e-13)


def test_free_body_obeys_newton_and_euler():
    rng = np.random.default_rng(1)
    B = rng.normal(size=(3, 3))
    m, J = 2.5, B @ B.T + np.eye(3)
    t = tree.Tree((-1,), (FREE[3],), (np.eye(6),), (rigid_body_inertia(m, np.zeros(3), J),))
    q, v, force = configuration(FREE[3], rng), rng.normal(size=6), rng.normal(size=6)
    a = tree.aba(t, q, v, np.zeros(6), [force])
    omega, u = v[:3], v[3:]
    A = rotation_p(q[:4]).T
    assert_allclose(J @ a[:3], force[:3] - np.cross(omega, J @ omega), atol=1e-13)
    in_ground = A @ (a[3:] + np.cross(omega, u))  # d/dt (A u)
    assert_allclose(m * in_ground, A @ force[3:] + m * np.array(t.gravity), atol=1e-12)


def test_articulated_inertia_is_featherstones_two_body_matrix():
    rng = np.random.default_rng(5)
    B1, B2 = rng.normal(size=(2, 3, 3))
    I1, I2 = B1 @ B1.T + np.eye(3), B2 @ B2.T + np.eye(3)
    m1, m2, theta = 1.5, 0.8, 0.9
    E = rotation_p(configuration(SPHERICAL, rng))  # the joint's frame in body 1, whose z is the axis
    r1, c2 = rng.normal(size=3), rng.normal(size=3)  # C1 to P; C2 in body 2
    t = tree.Tree(
        (-1, 0),
        (FREE[3], REVOLUTE),
        (np.eye(6), plucker(E, r1)),
        (rigid_body_inertia(m1, np.zeros(3), I1), rigid_body_inertia(m2, c2, I2)),
    )
    A2 = (rotation_z(theta) @ E).T  # body 2 to body 1 axes
    data = (m1, I1, m2, A2 @ I2 @ A2.T, r1, -A2 @ c2, E.T @ [0, 0, 1])
    IA = tree.articulated_inertias(t, [1, 0, 0, 0, 0, 0, 0, theta])[0]
    assert_allclose(IA, two_body.spatial_inertia(*data), atol=1e-12)
    f, n = rng.normal(size=3), rng.normal(size=3)
    still = tree.Tree(t.parent, t.joint, t.Xtree, t.inertia, gravity=(0.0, 0.0, 0.0))
    a = tree.aba(still, [1, 0, 0, 0, 0, 0, 0, theta], np.zeros(7), np.zeros(7), [np.concatenate([n, f]), np.zeros(6)])
    a1, wd1, alpha = two_body.accelerations(*data, f, n)
    assert_allclose(a, [*wd1, *a1, alpha], rtol=1e-11, atol=1e-12)


# -- a joint of several freedoms is a chain of simple joints with massless bodies between -----------------------------

ACROSS = rotation(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]))  # z along the old y
X_AXIS = rotation(np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]))  # z along the old x
Y_AXIS = rotation(np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]))  # z along the old y

CHAINS = [
    (CYLINDRICAL, [(REVOLUTE, np.eye(6)), (PRISMATIC, np.eye(6))], [0, 1]),
    (UNIVERSAL, [(REVOLUTE, np.eye(6)), (REVOLUTE, ACROSS)], [0, 1]),
    (PLANAR, [(PRISMATIC, X_AXIS), (PRISMATIC, Y_AXIS @ inverse(X_AXIS)), (REVOLUTE, inverse(Y_AXIS))], [0, 1, 2]),
]


@pytest.mark.parametrize(("joint", "chain", "order"), CHAINS, ids=lambda x: getattr(x, "name", ""))
def test_joint_is_a_chain_of_simple_ones(joint, chain, order):
    rng = np.random.default_rng(8)
    X, I6 = plucker(rotation_p(configuration(SPHERICAL, rng)), rng.normal(size=3)), random_inertia(rng)
    whole = tree.Tree((-1,), (joint,), (X,), (I6,))
    n = len(chain)
    parts = tree.Tree(
        tuple(range(-1, n - 1)),
        tuple(simple for simple, _ in chain),
        tuple(Xk @ X if k == 0 else Xk for k, (_, Xk) in enumerate(chain)),
        tuple([NO_INERTIA] * (n - 1) + [I6]),
    )
    q, v, tau = rng.normal(size=(3, joint.nv))
    assert_allclose(tree.rnea(whole, q, v, tau), tree.rnea(parts, q, v, tau), atol=1e-12)
    assert_allclose(tree.aba(whole, q, v, tau), tree.aba(parts, q, v, tau), rtol=1e-11, atol=1e-11)


def test_fixed_joint_welds():
    rng = np.random.default_rng(2)
    I1, I2 = random_inertia(rng), random_inertia(rng)
    X = plucker(rotation_p(configuration(SPHERICAL, rng)), rng.normal(size=3))
    two = tree.Tree((-1, 0), (SPHERICAL, FIXED), (np.eye(6), X), (I1, I2))
    one = tree.Tree((-1,), (SPHERICAL,), (np.eye(6),), (I1 + X.T @ I2 @ X,))
    q, v, tau = configuration(SPHERICAL, rng), rng.normal(size=3), rng.normal(size=3)
    assert_allclose(tree.aba(two, q, v, tau), tree.aba(one, q, v, tau), rtol=1e-12, atol=1e-12)


def test_screw_of_no_pitch_is_a_hinge():
    rng = np.random.default_rng(4)
    I6 = random_inertia(rng)
    a, b = (tree.Tree((-1,), (joint,), (np.eye(6),), (I6,)) for joint in (SCREW.given(0.0, 0.0), REVOLUTE))
    assert_allclose(tree.aba(a, [0.3], [2.0], [1.0]), tree.aba(b, [0.3], [2.0], [1.0]), rtol=1e-14)


def test_cost_of_a_traced_chain_grows_with_its_length():
    """The articulated-body algorithm is linear in the number of bodies."""

    def cost(n):
        X, I6 = translation((1.0, 0, 0)), rigid_body_inertia(1.0, (0.5, 0, 0), np.diag([0.01, 0.1, 0.1]))
        t = tree.Tree(tuple(range(-1, n - 1)), (REVOLUTE,) * n, (X @ ACROSS,) * n, (I6,) * n)
        return graph.operations(list(tree.aba(t, graph.symbols("q", n), graph.symbols("v", n), graph.symbols("w", n))))

    per_body = [cost(n + 1) - cost(n) for n in (4, 8, 12)]
    assert per_body == pytest.approx([per_body[0]] * 3, rel=0.02)  # a shared subexpression more or less


# -- wrong input ----------------------------------------------------------------------------------------------------


def test_wrong_trees_are_named():
    with pytest.raises(ModelError, match="the parent of body 1 is 1") as caught:
        tree.Tree((-1, 1), (REVOLUTE, REVOLUTE), (np.eye(6),) * 2, (np.eye(6),) * 2)
    assert caught.value.element == ("body 1",)
    with pytest.raises(ModelError, match="got 1, 1, 1, 2"):
        tree.Tree((-1,), (REVOLUTE,), (np.eye(6),), (np.eye(6),) * 2)
    t = tree.Tree((-1,), (SPHERICAL,), (np.eye(6),), (np.eye(6),))
    with pytest.raises(ModelError, match="4 configuration variables and 3 speeds"):
        tree.aba(t, np.zeros(3), np.zeros(3), np.zeros(3))
