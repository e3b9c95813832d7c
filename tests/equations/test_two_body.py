"""Featherstone's two-body problem: his equations, a worked example, and four other ways to the same answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from linkwright import graph
from linkwright.equations import two_body
from linkwright.equations.arrays import tilde
from linkwright.errors import ModelError

EXAMPLE = {
    "m1": 2.0,
    "I1": np.array([[0.4, 0.05, 0], [0.05, 0.5, -0.02], [0, -0.02, 0.6]]),
    "m2": 3.0,
    "I2": np.array([[0.3, 0.02, 0], [0.02, 0.25, -0.01], [0, -0.01, 0.2]]),
    "r1": np.array([0.5, 0.1, -0.2]),
    "r2": np.array([-0.4, 0.2, 0.1]),
    "s": np.array([0, 0.6, 0.8]),
}
FORCE = {"f": np.array([10.0, -5, 3]), "n": np.array([1, 2, -1.5])}
DIGITS = 1e-11  # the example is recorded to 12 significant digits

seeds = st.integers(0, 2**32 - 1)


def problem(seed):
    rng = np.random.default_rng(seed)

    def inertia():
        B = rng.normal(size=(3, 3))
        return B @ B.T + 0.1 * np.eye(3)

    data = {"m1": rng.uniform(0.1, 5), "I1": inertia(), "m2": rng.uniform(0.1, 5), "I2": inertia()}
    data |= {"r1": rng.normal(size=3), "r2": rng.normal(size=3), "s": rng.normal(size=3)}
    return data, {"f": rng.normal(size=3), "n": rng.normal(size=3)}


def matrix(data):
    A, B, C, D = two_body.inertia(**data)
    return np.block([[A, B], [C, D]])


def test_worked_example():
    J, K, sigma = two_body.joint_terms(**{k: EXAMPLE[k] for k in ("m2", "I2", "r1", "r2", "s")})
    assert_allclose(J, [[0.45, 0.26, 0.12], [0.26, 0.76, -0.07], [0.12, -0.07, 0.8]], atol=1e-14)
    assert_allclose(K, [[0.45, 0.14, 0.36], [0.56, 1.42, -0.19], [0.27, -0.04, 1.34]], atol=1e-14)
    assert sigma == pytest.approx(0.7184, rel=1e-14)
    A, B, _, D = two_body.inertia(**EXAMPLE)
    A_ref = [
        [4.87472160356, -0.400890868597, 0.300668151448],
        [-0.400890868597, 3.71714922049, 0.962138084633],
        [0.300668151448, 0.962138084633, 4.27839643653],
    ]
    B_ref = [
        [-0.155345211581, -1.19231625835, -0.137639198218],
        [0.40289532294, -0.935412026726, 1.2995545657],
        [0.0728285077951, -1.99844097996, 1.05033407572],
    ]
    D_ref = [
        [0.807371937639, -0.0224721603563, 0.267327394209],
        [-0.0224721603563, 2.76792873051, -1.14115812918],
        [0.267327394209, -1.14115812918, 1.73118040089],
    ]
    assert_allclose(A, A_ref, rtol=DIGITS)
    assert_allclose(B, B_ref, rtol=DIGITS)
    assert_allclose(D, D_ref, rtol=DIGITS)
    eigenvalues = [0.6313608784, 0.8425959266, 1.305189471, 2.962824219, 5.222125826, 7.212652009]
    assert_allclose(np.linalg.eigvalsh(matrix(EXAMPLE)), eigenvalues, rtol=1e-9)  # recorded to 10 digits


def test_worked_example_accelerations_and_joint_force():
    a1, wd1, alpha = two_body.accelerations(**EXAMPLE, **FORCE)
    assert_allclose(a1, [2.74118812296, -1.29860184313, 2.12172901123], rtol=DIGITS)
    assert_allclose(wd1, [1.99167832032, 3.41863633258, 0.984963251089], rtol=DIGITS)
    assert alpha == pytest.approx(-3.082189636, rel=1e-9)  # recorded to 10 digits
    a2, wd2 = two_body.second_body(EXAMPLE["r1"], EXAMPLE["r2"], EXAMPLE["s"], a1, wd1, alpha)
    assert_allclose(a2, [1.50587458469, -0.800932104577, -0.414486007486], rtol=DIGITS)
    assert_allclose(wd2, [1.99167832032, 1.56932255098, -1.48078845771], rtol=DIGITS)
    f2, nP = two_body.joint_force(EXAMPLE["m2"], EXAMPLE["I2"], EXAMPLE["r2"], a2, wd2)
    assert_allclose(f2, [4.51762375408, -2.40279631373, -1.24345802246], rtol=DIGITS)
    assert_allclose(nP, [0.637301920234, 0.492592922304, -0.369444691728], rtol=DIGITS)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_inertia_is_symmetric_and_positive_definite(seed):
    data, _ = problem(seed)
    M = matrix(data)
    assert_allclose(M, M.T, atol=1e-12 * np.abs(M).max())
    assert np.linalg.eigvalsh(M)[0] > 0


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_six_dimensional_vectors_give_the_same(seed):
    data, load = problem(seed)
    linear_first = [3, 4, 5, 0, 1, 2]
    M = two_body.spatial_inertia(**data)[np.ix_(linear_first, linear_first)]
    assert_allclose(M, matrix(data), atol=1e-12 * np.abs(M).max())
    ours, theirs = two_body.accelerations(**data, **load), two_body.spatial_accelerations(**data, **load)
    scale = np.linalg.cond(M)  # what a solve may lose
    for x, y in zip(ours, theirs, strict=True):
        assert_allclose(x, y, rtol=1e-14 * scale, atol=1e-14 * scale)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_cartesian_coordinates_with_five_multipliers_give_the_same(seed):
    data, load = problem(seed)
    m1, I1, m2, I2, r1, r2, s = data.values()
    _, _, Vt = np.linalg.svd(s.reshape(1, 3))
    across = Vt[1:]  # two directions across the axis
    rows = np.zeros((5, 12))  # columns a1, wd1, a2, wd2
    rows[:3] = np.hstack([np.eye(3), -tilde(r1), -np.eye(3), tilde(r2)])  # (5), (6), (14)
    rows[3:] = np.hstack([np.zeros((2, 3)), across, np.zeros((2, 3)), -across])  # (15)
    M = np.zeros((12, 12))
    M[:3, :3], M[3:6, 3:6], M[6:9, 6:9], M[9:, 9:] = m1 * np.eye(3), I1, m2 * np.eye(3), I2
    K = np.block([[M, rows.T], [rows, np.zeros((5, 5))]])
    x = np.linalg.solve(K, [*load["f"], *load["n"], *np.zeros(11)])
    a1, wd1, alpha = two_body.accelerations(**data, **load)
    a2, wd2 = two_body.second_body(r1, r2, s, a1, wd1, alpha)
    tolerance = 1e-14 * np.linalg.cond(K)
    assert_allclose(np.concatenate([a1, wd1, a2, wd2]), x[:12], rtol=tolerance, atol=tolerance)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_projection_on_seven_free_coordinates_gives_the_same(seed):
    data, load = problem(seed)
    m1, I1, m2, I2, r1, r2, s = data.values()
    one, zero = np.eye(3), np.zeros((3, 3))
    H = np.block(  # (a1, wd1, alpha) to (a1, wd1, a2, wd2), by (17) and (18)
        [
            [one, zero, np.zeros((3, 1))],
            [zero, one, np.zeros((3, 1))],
            [one, tilde(r2 - r1), np.cross(r2, s).reshape(3, 1)],
            [zero, one, s.reshape(3, 1)],
        ]
    )
    M = np.zeros((12, 12))
    M[:3, :3], M[3:6, 3:6], M[6:9, 6:9], M[9:, 9:] = m1 * one, I1, m2 * one, I2
    x = np.linalg.solve(H.T @ M @ H, H.T @ [*load["f"], *load["n"], *np.zeros(6)])
    tolerance = 1e-14 * np.linalg.cond(H.T @ M @ H)
    a1, wd1, alpha = two_body.accelerations(**data, **load)
    assert_allclose([*a1, *wd1, alpha], x, rtol=tolerance, atol=tolerance)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_momentum_balance_and_free_hinge(seed):
    data, load = problem(seed)
    m1, I1, m2, I2, r1, r2, s = data.values()
    a1, wd1, alpha = two_body.accelerations(**data, **load)
    a2, wd2 = two_body.second_body(r1, r2, s, a1, wd1, alpha)
    tolerance = 1e-13 * np.linalg.cond(matrix(data)) * 10
    assert_allclose(m1 * a1 + m2 * a2, load["f"], atol=tolerance)
    assert_allclose(I1 @ wd1 + I2 @ wd2 + np.cross(r1 - r2, m2 * a2), load["n"], atol=tolerance)
    _, nP = two_body.joint_force(m2, I2, r2, a2, wd2)
    assert s @ nP == pytest.approx(0, abs=tolerance)
    J = I2 - m2 * tilde(r2) @ tilde(r2)
    alpha_19 = -(s @ (I2 @ wd1 - m2 * np.cross(r2, a1 + np.cross(r2 - r1, wd1)))) / (s @ J @ s)
    alpha_21 = -(s @ (J @ wd1 - m2 * np.cross(r2, a1 - np.cross(r1, wd1)))) / (s @ J @ s)
    assert [alpha_19, alpha_21] == pytest.approx([alpha, alpha], rel=1e-10, abs=tolerance)


def test_mass_centre_on_the_axis_leaves_the_translation_alone():
    data = EXAMPLE | {"r2": -0.7 * EXAMPLE["s"]}
    A, _, _, _ = two_body.inertia(**data)
    assert_allclose(A, 5 * np.eye(3), atol=1e-14)


def test_a_vanishing_second_body_leaves_the_first():
    M = matrix(EXAMPLE | {"m2": 1e-13, "I2": 1e-13 * np.eye(3)})
    alone = np.zeros((6, 6))
    alone[:3, :3], alone[3:, 3:] = 2 * np.eye(3), EXAMPLE["I1"]
    assert_allclose(M, alone, atol=1e-12)


def test_length_of_the_axis_scales_the_joint_acceleration_only():
    a1, wd1, alpha = two_body.accelerations(**EXAMPLE, **FORCE)
    b1, vd1, beta = two_body.accelerations(**EXAMPLE | {"s": 4 * EXAMPLE["s"]}, **FORCE)
    assert_allclose([*b1, *vd1, 4 * beta], [*a1, *wd1, alpha], rtol=1e-13)


def test_traced_scalars_give_the_same():
    symbols, values = {}, {}
    for name, value in (EXAMPLE | FORCE).items():
        symbols[name] = graph.symbols(name, *np.shape(value)) if np.ndim(value) else graph.symbol(name)
        values.update(zip(np.ravel(symbols[name]), np.ravel(value), strict=True))
    a1, wd1, alpha = two_body.accelerations(**symbols)
    b1, vd1, beta = two_body.accelerations(**EXAMPLE, **FORCE)
    assert_allclose(graph.evaluate([*a1, *wd1, alpha], values), [*b1, *vd1, beta], rtol=1e-12)


def test_an_axis_of_zero_length_is_named():
    with pytest.raises(ModelError, match="no inertia about the joint axis") as caught:
        two_body.inertia(**EXAMPLE | {"s": (0, 0, 0)})
    assert "axis that is not zero" in caught.value.remedy


@pytest.mark.parametrize(
    ("change", "element", "cause"),
    [
        ({"m1": -1.0}, ("m1",), "m1 is -1.0"),
        ({"m2": np.nan}, ("m2",), "m2 is nan"),
        ({"I2": np.zeros((2, 2))}, ("I2",), r"the shape \(2, 2\), not \(3, 3\)"),
        ({"r1": (1.0, 2.0)}, ("r1",), r"the shape \(2,\), not \(3,\)"),
        ({"n": (0.0, 0.0, np.inf)}, ("n",), "n is"),
        ({"m1": 0.0, "I1": np.zeros((3, 3)), "r2": (0.0, 0.0, 0.0)}, ("m1", "I1"), "no inertia against some acceleration"),
        ({"m2": 0.0, "I2": np.zeros((3, 3))}, (), "no inertia about the joint axis"),
    ],
)
@pytest.mark.parametrize("solution", ["accelerations", "spatial_accelerations"])
def test_wrong_arguments_are_named(solution, change, element, cause):
    arguments = {"m1": 2.0, "I1": np.eye(3), "m2": 1.0, "I2": np.eye(3), "r1": (1.0, 0.0, 0.0), "r2": (0.0, 1.0, 0.0)}
    arguments |= {"s": (0.0, 0.0, 1.0), "f": (1.0, 0.0, 0.0), "n": (0.0, 0.0, 1.0), **change}
    with pytest.raises(ModelError, match=cause) as error:
        getattr(two_body, solution)(**arguments)
    assert error.value.element == element
    assert error.value.remedy
