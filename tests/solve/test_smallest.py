"""Smallest solutions by sparse factors against singular values."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from linkwright.solve.smallest import Smallest


def rows(m, n, dependent, seed):
    """Sparse rows of length one, the last `dependent` of them combinations of two others."""
    rng = np.random.default_rng(seed)
    S = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.2) + np.eye(m, n)
    for k in range(dependent):
        S[-1 - k] = rng.normal() * S[k] + S[k + 1]
    return S / np.linalg.norm(S, axis=1)[:, None]


@pytest.mark.parametrize(("m", "n", "dependent"), [(40, 60, 0), (60, 60, 0), (50, 60, 7), (80, 60, 30)])
def test_the_smallest_solution_and_what_it_leaves_open(m, n, dependent):
    S = rows(m, n, dependent, seed=m)
    effort = S.T @ np.random.default_rng(1).normal(size=m)
    fit = Smallest(csr_array(S))
    # least singular values that count are some 1e-2: 1e-12 is their condition times rounding
    np.testing.assert_allclose(fit(effort), np.linalg.pinv(S.T, rcond=1e-8) @ effort, atol=1e-12, rtol=0)
    U, s, _ = np.linalg.svd(S)
    rank = int((s > 1e-8).sum())
    assert rank < m or not dependent
    np.testing.assert_array_equal(fit.undetermined(), (np.abs(U[:, rank:]) > 1e-8).any(axis=1))


def test_badly_conditioned_rows():
    """Second differences of a long row: the least singular value is 4e-6; rounding over it 2e-11, times sqrt(n)."""
    n = 1000
    S = (np.eye(n, n + 2) - 2 * np.eye(n, n + 2, k=1) + np.eye(n, n + 2, k=2)) / np.sqrt(6)
    x = np.random.default_rng(2).normal(size=n)
    fit = Smallest(csr_array(S))
    np.testing.assert_allclose(fit(S.T @ x), x, atol=1e-9, rtol=0)
    assert not fit.undetermined().any()
