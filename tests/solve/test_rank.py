"""Rank, null spaces and dependent groups in mixed units."""

import numpy as np
import pytest
from hypothesis import given

from linkwright import size_policy
from linkwright.graph import evaluate, symbols
from linkwright.solve import rank as ranks
from linkwright.solve.rank import analyse, dependent_groups, free_motions, independent, independent_rows, rank_of
from strategies import seeds


def test_example_of_the_book():
    # Haug, examples 2.2.4-5
    A = np.array([[1.0, 1, 1], [1, 0, 2], [0, 1, -1]])
    found = analyse(A, np.ones(3))
    assert found.rank == 2
    right, left = found.right[:, 0], found.left[:, 0]
    np.testing.assert_allclose(right / right[1], [-2, 1, 1], atol=1e-12)
    np.testing.assert_allclose(left / left[0], [1, -1, -1], atol=1e-12)
    assert dependent_groups(A, np.ones(3)) == [[0, 1, 2]]


def test_product_of_the_book():
    # Haug, problem 2.2.3, by symbols: traced matrices multiply as numbers do; rank of a product of regular matrices
    A, B = np.array([[1, 1, 0], [-1, 0, 1], [0, 1, -1]]), np.array([[1, 2, 1], [1, 3, 0], [2, 1, 0]])
    a, b = symbols("A", 3, 3), symbols("B", 3, 3)
    values = dict(zip([*a.flat, *b.flat], [*A.flat, *B.flat], strict=True))
    product = np.reshape(evaluate(list((a @ b).flat), values), (3, 3))
    np.testing.assert_array_equal(product, [[2, 5, 1], [1, -1, -1], [-1, 2, 0]])
    assert analyse(product.astype(float), np.ones(3)).rank == 3


@given(seeds)
def test_units_do_not_matter(rng):
    m, n, r = 5, 7, 3
    J = rng.normal(size=(m, r)) @ rng.normal(size=(r, n))
    row, column = 10.0 ** rng.uniform(-6, 6, m), 10.0 ** rng.uniform(-4, 4, n)
    # rows in any units, columns measured by their scale
    scaled = J * row[:, None] / column
    found = analyse(scaled, column)
    assert found.rank == r
    np.testing.assert_allclose((scaled @ found.right) / row[:, None], 0, atol=1e-9)
    np.testing.assert_allclose((found.left.T @ scaled) * column, 0, atol=1e-9 * np.abs(found.left.T * row).max())
    kept, dropped = independent_rows(scaled, column)
    assert (len(kept), len(dropped)) == (r, m - r)
    assert analyse(scaled[kept], column).rank == r


@given(seeds)
def test_elimination_for_huge_matrices_says_the_same(rng):
    J = rng.normal(size=(8, 4)) @ rng.normal(size=(4, 9))
    scale = 10.0 ** rng.uniform(-2, 2, 9)
    small = analyse(J, scale)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(size_policy, "SINGULAR_VALUES", 2)
        huge = analyse(J, scale)
    assert huge.rank == small.rank == 4
    for one, other in ((small.left, huge.left), (small.right / scale[:, None], huge.right / scale[:, None])):
        # the same space: what is orthogonal to one is orthogonal to the other
        Q = np.linalg.qr(one)[0]
        assert other.shape == one.shape
        np.testing.assert_allclose(other - Q @ (Q.T @ other), 0, atol=1e-9 * np.abs(other).max())


def test_joints_before_drivers():
    J = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    kept, dropped = independent_rows(J, np.ones(3), np.array([False, True, True]))
    assert kept.tolist() == [1, 2]
    assert dropped.tolist() == [0]
    assert dependent_groups(J, np.ones(3), np.array([False, True, True])) == [[0, 1]]


def test_nothing():
    empty = analyse(np.zeros((0, 3)), np.array([1.0, 2, 3]))
    assert empty.rank == 0
    np.testing.assert_array_equal(empty.right, np.diag([1.0, 2, 3]))
    zero = analyse(np.zeros((2, 2)), np.ones(2))
    assert zero.rank == 0
    assert zero.left.shape == (2, 2)
    assert independent_rows(np.zeros((1, 2)), np.ones(2))[0].tolist() == []


@pytest.mark.parametrize("size", [1e-6, 1e-3])
def test_near_dependence_is_independence(size):
    assert analyse(np.array([[1.0, 0], [1, size]]), np.ones(2)).rank == 2


@given(seeds)
def test_sparse_factors_say_the_same_of_the_rank(rng):
    """Of rows that are independent, that are not (singular values decide then), that are more than columns."""
    scale = 10.0 ** rng.uniform(-1, 1, 9)
    regular, poor, long = (
        rng.normal(size=(6, 9)),
        rng.normal(size=(7, 5)) @ rng.normal(size=(5, 9)),
        rng.normal(size=(11, 9)),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(size_policy, "SPARSE", 2)
        assert [independent(J, scale) for J in (regular, poor, long)] == [True, False, False]
        assert [rank_of(J, scale) for J in (regular, poor, long)] == [6, 5, 9]
        assert [len(independent_rows(J, scale)[0]) for J in (regular, poor, long)] == [6, 5, 9]


def test_a_sample_of_free_motions(monkeypatch):
    """They violate nothing, and the share that each displacement has in them is the true one, as far as a sample tells."""
    n = 400
    J = np.eye(n // 2, n) - 2 * np.eye(n // 2, n, k=3) + np.eye(n // 2, n, k=n // 2)
    scale = np.linspace(0.5, 2.0, n)
    every = free_motions(J, scale)
    monkeypatch.setattr(size_policy, "SINGULAR_VALUES", 10)
    some = free_motions(J, scale)
    assert every.shape == (n, n // 2)
    assert some.shape == (n, ranks.SAMPLE)
    np.testing.assert_allclose(J @ some, 0, atol=1e-12)
    # a sum of 60 squares of normal numbers: its root is off by a share of 1 / sqrt(120), thrice that but in one of 400
    share, sampled = np.linalg.norm(every, axis=1), np.linalg.norm(some, axis=1)
    assert np.mean(np.abs(sampled / share - 1) < 3 / np.sqrt(120)) > 0.98
