"""Unsymmetric elimination in straight-line code."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkwright.graph import evaluate, operations, symbols
from linkwright.graph.gauss import determinant, gauss, pivot_order
from strategies import seeds


@given(seeds, st.integers(1, 9))
def test_against_numpy(rng, n):
    pattern = rng.random((n, n)) < 0.4
    pattern[rng.permutation(n), np.arange(n)] = True  # structurally regular
    A = np.where(pattern, rng.normal(size=(n, n)), 0.0)
    if np.linalg.cond(A) > 1e4:
        return
    places = [(int(i), int(j)) for i, j in zip(*np.nonzero(pattern), strict=True)]
    order = pivot_order(places, A[None])
    if order is None:  # no entry is large enough: the caller does without
        return
    names = symbols("a", len(places))
    b = rng.normal(size=(2, n))
    x = gauss(dict(zip(places, names, strict=True)), b.tolist(), order)
    values = {s: A[p] for s, p in zip(names, places, strict=True)}
    for found, right in zip(x, b, strict=True):
        np.testing.assert_allclose(
            np.array(evaluate(found, values), dtype=float), np.linalg.solve(A, right), rtol=1e-8, atol=1e-8
        )
    (det,) = evaluate([determinant(dict(zip(places, names, strict=True)), order)], values)
    np.testing.assert_allclose(abs(float(det)), abs(np.linalg.det(A)), rtol=1e-8)


def test_pivots_hold_in_every_sample():
    # the diagonal vanishes in one of two samples: the other entries are taken
    samples = np.array([[[1.0, 0.9], [0.9, 0.0]], [[0.0, 1.0], [1.0, 1.0]]])
    places = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert set(pivot_order(places, samples)) == {(0, 1), (1, 0)}
    assert pivot_order(places, np.array([[[1.0, 1.0], [1.0, 1.0]]])) is None
    assert pivot_order([(0, 0)], np.zeros((1, 1, 1))) is None


def test_sparse_matrices_take_few_operations():
    # a triangular matrix in disguise is solved without elimination
    n = 8
    a = symbols("a", 2 * n - 1)
    order = np.random.default_rng(0).permutation(n)
    A = {(int(order[k]), k): a[k] for k in range(n)} | {(int(order[k]), k - 1): a[n + k - 1] for k in range(1, n)}
    numbers = np.zeros((1, n, n))
    for i, j in A:
        numbers[0, i, j] = 1.0
    [x] = gauss(A, [list(symbols("b", n))], pivot_order(list(A), numbers))
    assert operations(x) <= 5 * n
