"""Independent displacements and the motions they make, against the null space by singular values."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings

from linkwright.solve.free_columns import free_columns
from linkwright.solve.rank import analyse, scaled
from strategies import seeds


def _rows(rng, dependent):
    J = scipy.sparse.random(12, 20, density=0.3, rng=rng).toarray() + np.eye(12, 20)
    J[rng.random(J.shape) < 0.1] *= 1e-9  # next to nothing: not solved for
    J = np.vstack([J, rng.normal(size=(3, 12)) @ J]) if dependent else J
    return scaled(scipy.sparse.csr_array(J), np.ones(20))[0]


@pytest.mark.parametrize("dependent", [False, True])
@given(seeds)
@settings(max_examples=20)
def test_motions_of_the_null_space(dependent, rng):
    S = _rows(rng, dependent)
    before = S.toarray()
    free = 20 - np.linalg.matrix_rank(before, tol=1e-8)
    columns, Z = free_columns(S, independent=not dependent and free == 8)
    np.testing.assert_array_equal(S.toarray(), before)
    assert len(columns) == free
    np.testing.assert_array_equal(columns, sorted(set(columns)))
    np.testing.assert_allclose(Z[columns], np.eye(free), atol=1e-9)
    np.testing.assert_allclose(S @ Z, 0, atol=1e-9 * np.abs(Z).max())
    again = free_columns(S, not dependent and free == 8, wanted=columns)
    assert again is not None
    np.testing.assert_allclose(again[1], Z, atol=1e-7 * np.abs(Z).max())


@pytest.mark.parametrize("independent", [True, False])
def test_what_does_not_determine_the_motion(independent):
    S = np.array([[1.0, -1, 0, 0], [0, 0, 1, -1]]) / np.sqrt(2)  # 0 and 1 move together, 2 and 3 do
    assert free_columns(S, independent, wanted=[0, 1]) is None
    assert free_columns(S, independent, wanted=[0]) is None
    columns, Z = free_columns(S, independent, wanted=[1, 2])
    assert columns == [1, 2]
    np.testing.assert_allclose(Z, [[1, 0], [1, 0], [0, 1], [0, 1]], atol=1e-12)


def test_nothing_free():
    columns, Z = free_columns(np.eye(3), True)
    assert columns == []
    assert Z.shape == (3, 0)
    columns, Z = free_columns(np.vstack([np.eye(3), np.eye(3)]), False)
    assert Z.shape == (3, analyse(np.eye(3), np.ones(3)).right.shape[1]) == (3, 0)
