"""Derivatives by a virtual rotation against two others: through the Euler parameters, and by turning the frame."""

import numpy as np
import pytest
from euler_oracle import G, matrix
from hypothesis import given, settings
from scipy.linalg import expm

from linkwright.errors import TraceError
from linkwright.graph import (
    along,
    atan2,
    cos,
    evaluate,
    exp,
    frame,
    jacobian,
    rotation_gradient,
    rotation_jacobian,
    rotation_rates,
    sin,
    sqrt,
    symbol,
    symbols,
    tilde,
    where,
)
from strategies import seeds, unit_quaternions, vectors

P, Q = symbols("p", 4), symbols("q", 4)
R1, R2 = symbols("r1", 3), symbols("r2", 3)
A1, A2 = frame(matrix(P)), frame(matrix(Q))


def random_functions(random, A, B):
    """Smooth functions of one or two rotation matrices, from dot products to a mixture of everything."""
    a, b, c = random.normal(size=(3, 3))
    s = A @ a - B @ b
    angle = atan2((A @ a) @ (B @ b), 3 + (A @ c)[0])
    return [
        (A @ a) @ (B @ b),
        s @ s,
        sqrt(s @ s + 1) * sin(A[0, 1] + 2 * B[2, 0]),
        angle + exp(A[1, 1] * 0.3) * cos(B @ c)[2],
        where((A @ c)[1] > 0, (A @ a)[0] ** 3, (B @ b)[1] * (A @ a)[2]),
    ]


@given(unit_quaternions, unit_quaternions, seeds)
def test_against_the_way_through_the_euler_parameters(p, q, random):
    """A virtual rotation moves p by G^T dpi / 2, so that d f/d pi = (d f/d p) G^T / 2, for any extension off |p| = 1."""
    at = {**dict(zip(P, p, strict=True)), **dict(zip(Q, q, strict=True))}
    roots = random_functions(random, A1, A2)
    by_p = np.array(evaluate(list(jacobian(roots, list(P)).dense().flat), at), dtype=float).reshape(-1, 4)
    expected = by_p @ G(p).T / 2
    found = np.array([evaluate(rotation_gradient(f, A1), at) for f in roots], dtype=float)
    # unit length to rounding: the two ways differ by that times the second derivative, all of order ten here
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(by_p).max())


@given(unit_quaternions, unit_quaternions, seeds)
def test_against_turning_the_frame(p, q, random):
    """Central differences of f(A exp(h n~)) in the three body axes: error about h^2 = 1e-10, rounding 1e-16/h = 1e-11."""
    h = 1e-5
    entries = symbols("a", 3, 3)  # the entries as plain symbols, to be given turned values
    roots = random_functions(random, entries, A2)
    start = matrix(p).astype(float)
    at = dict(zip(Q, q, strict=True))

    def values(A):
        return np.array(evaluate(roots, {**at, **dict(zip(entries.flat, A.flat, strict=True))}), dtype=float)

    axes = np.eye(3)
    turned = [[start @ expm(s * h * tilde(n).astype(float)) for s in (1, -1)] for n in axes]
    expected = np.array([(values(ahead) - values(behind)) / (2 * h) for ahead, behind in turned]).T
    known = {**at, **dict(zip(entries.flat, start.flat, strict=True))}
    found = np.array([evaluate(rotation_gradient(f, entries), known) for f in roots], dtype=float)
    np.testing.assert_allclose(found, expected, atol=1e-7 * (1 + np.abs(found).max()))


@given(unit_quaternions, unit_quaternions, vectors(3), vectors(3), vectors(3), vectors(3), seeds)
@settings(max_examples=25)
def test_jacobian_times_velocity_is_the_rate(p, q, v1, v2, omega1, omega2, random):
    """Phi_q v = Phi' along the motion with body-frame angular velocities, for two bodies at once."""
    at = {s: float(value) for s, value in zip([*P, *Q, *R1, *R2], [*p, *q, *random.normal(size=6)], strict=True)}
    d = R2 + A2 @ random.normal(size=3) - R1 - A1 @ random.normal(size=3)
    roots = [*d, d @ d, (A1[:, 0] @ d), *random_functions(random, A1, A2)]
    J = rotation_jacobian(roots, [R1, R2], [A1, A2])
    assert J.shape == (len(roots), 12)
    numbers = np.array([float(v) for v in evaluate(list(J.dense().flat), at)]).reshape(J.shape)
    rates = {**dict(zip(R1, v1, strict=True)), **dict(zip(R2, v2, strict=True))}
    rates |= {**rotation_rates(A1, omega1), **rotation_rates(A2, omega2)}
    found = np.array(evaluate(along(roots, rates), at), dtype=float)
    scale = 1e-12 * (1 + np.abs(numbers).max())
    np.testing.assert_allclose(found, numbers @ np.concatenate([v1, omega1, v2, omega2]), atol=scale)
    # row by row the columns are those of the single-frame gradient
    for row, f in enumerate(roots):
        np.testing.assert_allclose(
            np.array(evaluate(rotation_gradient(f, A2), at), dtype=float), numbers[row, 9:], atol=scale
        )


@given(unit_quaternions, vectors(3), seeds)
def test_second_rate_is_that_of_a_steady_rotation(p, omega, random):
    """Twice along a constant body-frame omega: the second derivative of f(A exp(t omega~)) at t = 0."""
    a, b = random.normal(size=(2, 3))
    roots = [(A1 @ a) @ b, ((A1 @ a) @ b) ** 2]
    at = dict(zip(P, p, strict=True))
    rates = rotation_rates(A1, omega)
    found = np.array(evaluate(along(along(roots, rates), rates), at), dtype=float)
    A, W = matrix(p).astype(float), tilde(omega).astype(float)
    f, df, ddf = (b @ A @ np.linalg.matrix_power(W, k) @ a for k in range(3))  # d^k/dt^k of A exp(t W) is A W^k
    np.testing.assert_allclose(
        found, [ddf, 2 * df * df + 2 * f * ddf], rtol=1e-12, atol=1e-12 * (1 + omega @ omega) * (a @ a) * (b @ b)
    )


@given(unit_quaternions, vectors(3))
def test_rates_of_the_entries(p, omega):
    """A' = A omega'~ (Haug 9.2.46), and it keeps A orthogonal: A^T A' is skew."""
    at = dict(zip(P, p, strict=True))
    rates = rotation_rates(A1, omega)
    dA = np.array(evaluate([rates.get(e, 0.0) for e in A1.flat], at), dtype=float).reshape(3, 3)
    A = matrix(p).astype(float)
    np.testing.assert_allclose(dA, A @ np.cross(np.eye(3), omega), atol=1e-14)
    np.testing.assert_allclose(A.T @ dA + dA.T @ A, 0.0, atol=1e-14)


def test_no_trace_of_the_parameters():
    """The derivative of a dot product of body-fixed directions holds entries of A only: the 3 x 4 matrices are gone."""
    entries = symbols("a", 3, 3)
    f = entries[:, 0] @ np.array([1.0, 0.0, 0.0])
    found = rotation_gradient(f, entries)
    # d (A x)_1 = (A (dpi x x))_1 = dpi_3 A_12 - dpi_2 A_13
    assert found[0] == 0.0
    assert found[1] is -entries[0, 2]
    assert found[2] is entries[0, 1]


def test_what_does_not_turn_has_no_columns():
    J = rotation_jacobian([R1[0] + 1.0, (A1 @ np.array([0.0, 0.0, 1.0]))[0]], [R1, R2], [A1, A2])
    assert {j for i, j in J.pattern if i == 0} == {0}
    assert {j for i, j in J.pattern if i == 1} == {3, 4}  # not about its own axis
    fixed = frame(np.eye(3))
    assert rotation_gradient(A1[0, 0], fixed) == [0.0, 0.0, 0.0]
    assert rotation_rates(fixed, symbols("w", 3)) == {}


@pytest.mark.parametrize("use", [lambda A: rotation_rates(A, [0, 0, 1.0]), lambda A: rotation_gradient(A[0, 1], A)])
def test_a_rotation_about_a_fixed_axis_is_refused(use):
    """cos(phi) stands in two places and 1 in a third: a derivative through them would be silently wrong."""
    phi = symbol("phi")
    A = np.array([[cos(phi), -sin(phi), 0.0], [sin(phi), cos(phi), 0.0], [0.0, 0.0, 1.0]], dtype=object)
    with pytest.raises(TraceError, match="equal or constant") as info:
        use(frame(A))
    assert "Euler parameters" in info.value.remedy


@given(vectors(3), vectors(3))
def test_tilde_is_the_cross_product(a, b):
    assert (tilde(a).astype(float) @ b == np.cross(a, b)).all()


def test_frame_holds_its_entries():
    assert all(e.op == "hold" for e in A1.flat)
    entries = symbols("a", 3, 3)
    assert all(a is b for a, b in zip(frame(entries).flat, entries.flat, strict=True))
