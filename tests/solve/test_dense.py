"""Dense factorisation in native code, against numpy and the book's systems."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkwright.solve.dense import (
    complex_lu_factor,
    complex_lu_solve,
    equilibrate,
    lu_factor,
    lu_solve,
    lu_solve_rows,
    scatter,
    weighted_norm,
)
from strategies import seeds


def solved(A, b):
    A, b = np.array(A, dtype=float), np.array(b, dtype=float)
    n = len(b)
    pivots, measure = np.zeros(n, dtype=np.int64), np.zeros(3)
    failed = lu_factor(n, A.reshape(-1), pivots, measure)
    if not failed:
        lu_solve(n, A.reshape(-1), pivots, b)
    return failed, b, measure


def test_systems_of_the_book():
    # Haug, problems 4.4.1-3: x = [-5, 6, 4]/11, determinant -11
    failed, x, measure = solved([[1, 2, 1], [2, 1, 1], [0, 1, 4]], [1, 0, 2])
    assert failed == 0
    np.testing.assert_allclose(x, np.array([-5, 6, 4]) / 11, rtol=1e-14)
    assert measure[2] == -1
    # examples 4.4.1 to 4.4.3, and 4.4.5, which is factorised into L and U
    for A, b, x in (
        ([[3, 1, -1], [-1, 2, 1], [2, -3, 1]], [2, 6, -1], [1, 2, 3]),
        ([[4, -3, 5, 2], [-3, 1, 1, -6], [5, -5, 10, 0], [2, -3, 9, -7]], [-1.5, 9, 2.5, 13.5], [0.5, -1, -0.5, -2]),
        ([[2, -1, 1], [-1, 0, 2], [1, 4, -2]], [0, 5, -5], [-1, 0, 2]),
        ([[2, 1, -2], [-1, 2.5, -5], [3, -4.5, 0]], [1, -9.5, 10.5], [2, -1, 1]),
    ):
        failed, found, _ = solved(A, b)
        assert failed == 0
        np.testing.assert_allclose(found, x, rtol=1e-14, atol=1e-14)
    L, U = [[1, 0, 0], [-0.5, 1, 0], [1.5, -2, 1]], [[2, 1, -2], [0, 3, -6], [0, 0, -9.0]]
    np.testing.assert_array_equal(np.array(L) @ U, A)


@given(seeds, st.integers(1, 12))
def test_random_systems(rng, n):
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    failed, x, measure = solved(A, b)
    assert failed == 0
    np.testing.assert_allclose(A @ x, b, atol=1e-9 * np.linalg.cond(A))
    assert measure[2] == np.sign(np.linalg.det(A))
    assert 0 < measure[0] <= measure[1]


def test_no_pivot():
    assert solved([[1, 1], [1, 1]], [1, 2])[0] == 2
    assert solved([[0, 0], [0, 1]], [1, 2])[0] == 1
    assert solved([[np.nan, 0], [0, 1]], [1, 2])[0] == 1
    # a row exchange where the first pivot is zero (printed: every nonsingular matrix is LU, which is false)
    failed, x, measure = solved([[0, 1], [1, 0]], [3, 4])
    assert failed == 0
    np.testing.assert_array_equal(x, [4, 3])
    assert measure[2] == -1


def test_small_parts():
    A = np.ones(9)
    scatter(3, 3, np.array([0, 2, -1]), np.array([1, 2, 0]), np.array([5.0, 6.0, 7.0]), A)
    np.testing.assert_array_equal(A.reshape(3, 3), [[0, 5, 0], [0, 0, 0], [0, 0, 6]])
    B, scale = np.array([2.0, -4, 0, 0]), np.zeros(2)
    equilibrate(2, B, scale)
    np.testing.assert_array_equal(B, [0.5, -1, 0, 0])
    np.testing.assert_array_equal(scale, [4, 1])
    assert weighted_norm(2, np.array([3.0, 8.0]), np.array([1.0, 2.0])) == np.sqrt((9 + 16) / 2)


@given(seeds, st.integers(1, 9), st.integers(1, 5))
def test_many_right_sides_at_once(rng, n, count):
    A, B = rng.normal(size=(n, n)), rng.normal(size=(n, count))
    A[rng.random((n, n)) < 0.3] = 0.0  # zeros of the factors are passed over
    A += 3 * np.eye(n)[rng.permutation(n)]
    LU, X, pivots = A.copy().reshape(-1), B.copy().reshape(-1), np.zeros(n, dtype=np.int64)
    assert lu_factor(n, LU, pivots, np.zeros(3)) == 0
    lu_solve_rows(n, count, LU, pivots, X)
    X = X.reshape(n, count)
    assert np.abs(A @ X - B).max() <= 1e-13 * np.linalg.cond(A) * np.abs(B).max()


@given(seeds, st.integers(1, 12))
def test_complex_systems(rng, n):
    """Backward error of an elimination with partial pivoting, against numpy."""
    A = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
    A[rng.random((n, n)) < 0.3] = 0.0
    A += 3 * np.eye(n)[rng.permutation(n)]
    b = rng.normal(size=n) + 1j * rng.normal(size=n)
    R, I = (np.ascontiguousarray(x).reshape(-1) for x in (A.real, A.imag))  # noqa: E741
    x, y, pivots = b.real.copy(), b.imag.copy(), np.zeros(n, dtype=np.int64)
    assert complex_lu_factor(n, R, I, pivots) == 0
    complex_lu_solve(n, R, I, pivots, x, y)
    assert np.abs(A @ (x + 1j * y) - b).max() <= 1e-13 * np.linalg.cond(A) * np.abs(b).max()


def test_complex_systems_without_a_solution():
    R, I = np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 2.0, 2.0, 4.0])  # noqa: E741
    assert complex_lu_factor(2, R, I, np.zeros(2, dtype=np.int64)) == 2
