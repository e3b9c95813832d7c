"""Dependences and free motions by sparse factors, against singular values of the same matrices."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings

from linkwright import size_policy
from linkwright.regularisation import RANK
from linkwright.solve.dependence import Dependences, free_basis, largest_value
from linkwright.solve.rank import analyse, dependent_groups, independent_rows, left_null, rank_of, scaled
from strategies import seeds


def _blocks(rng, rows=7, columns=9, count=3):
    """Blocks that share no column, each with rows that depend on each other, rows mixed; lengths of very different size."""
    parts = [rng.normal(size=(rows, 4)) @ rng.normal(size=(4, columns)) for _ in range(count)]
    J = scipy.sparse.block_diag([*parts, np.eye(3)]).toarray()
    J = J[rng.permutation(len(J))]
    return J * 10.0 ** rng.uniform(-3, 3, len(J))[:, None], 10.0 ** rng.uniform(-1, 1, J.shape[1])


def _same_space(one, other):
    Q = np.linalg.qr(one)[0]
    assert other.shape == one.shape
    np.testing.assert_allclose(other - Q @ (Q.T @ other), 0, atol=1e-8 * np.abs(other).max())


@pytest.mark.parametrize("small", [300, 2])
@given(seeds)
@settings(max_examples=10)
def test_the_same_as_singular_values(small, rng):
    J, scale = _blocks(rng)
    reference = analyse(J, scale)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(size_policy, "PART", small)
        patch.setattr(size_policy, "SPARSE_RANK", 2)
        S = scipy.sparse.csr_array(J)
        assert rank_of(S, scale) == reference.rank == 15
        _same_space(reference.left, left_null(S, scale))
        kept, dropped = independent_rows(S, scale)
        assert (len(kept), len(dropped)) == (15, 9)
        groups = dependent_groups(S, scale)
    assert analyse(J[kept], scale).rank == 15
    assert [k for g in groups for k in g if k in dropped] == dropped.tolist()
    for group in groups:  # a row and what it is a combination of: one too many, and none of them for nothing
        assert analyse(J[group], scale).rank == len(group) - 1
        for left_out in group:
            assert analyse(J[[k for k in group if k != left_out]], scale).rank == len(group) - 1


@given(seeds)
def test_rows_that_go_first_are_kept(rng):
    J, scale = _blocks(rng)
    first = rng.random(len(J)) < 0.6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(size_policy, "SPARSE_RANK", 2)
        patch.setattr(size_policy, "PART", 2)
        kept, _ = independent_rows(scipy.sparse.csr_array(J), scale, first)
    # of those that go first as many as are independent
    assert first[kept].sum() == analyse(J[first], scale).rank


@pytest.mark.parametrize(("off", "count"), [(1e-3, 0), (1e-6, 0), (1e-7, 0), (1e-10, 1)])
def test_near_dependence_is_judged_by_singular_values(monkeypatch, off, count):
    """Of two rows that differ by `off` the smaller singular value is off / sqrt(2): none below 1e-8 of the largest."""
    monkeypatch.setattr(size_policy, "PART", 2)
    n = 40
    S = np.vstack([np.eye(n, n + 1), np.eye(1, n + 1)])
    S[n, n] = off
    s = np.linalg.svd(S, compute_uv=False)
    assert (s <= RANK * s[0]).sum() == count
    assert Dependences(S, RANK).count == count


@given(seeds)
def test_free_motions(rng):
    J, scale = _blocks(rng)
    S = scaled(J, scale)[0]
    free = free_basis(S)
    _same_space(analyse(J, scale).right / scale[:, None], free)
    np.testing.assert_allclose(free.T @ free, np.eye(free.shape[1]), atol=1e-12)
    assert free_basis(S, 5).shape == (J.shape[1], 5)


@given(seeds)
def test_largest_singular_value(rng):
    S = rng.normal(size=(8, 12))
    assert largest_value(S) == pytest.approx(np.linalg.svd(S, compute_uv=False)[0], rel=0.1)


def test_dependences_of_windows_are_those_of_the_whole(monkeypatch):
    """Rows of a chain, sums of neighbours, and one sum that goes around all of it: as many as singular values say; the
    groups are dependent, and without the rows that were dropped nothing is."""
    rng = np.random.default_rng(3)
    n = 240
    chain = np.zeros((n, n + 10))
    for k in range(n):
        chain[k, k : k + 4] = rng.normal(size=4)
    rows = [chain, 2 * chain[::3] + 0.5 * np.roll(chain, -1, axis=0)[::3], chain.sum(axis=0, keepdims=True)]
    S = np.vstack(rows)
    S /= np.linalg.norm(S, axis=1)[:, None]
    monkeypatch.setattr(size_policy, "PART", 60)
    found = Dependences(S, RANK)
    assert found.count == len(S) - np.linalg.matrix_rank(S)
    dropped = found.dropped()
    for k, others, factors in dropped:
        np.testing.assert_allclose(S[k], factors @ S[others], atol=1e-7)
    kept = np.setdiff1d(np.arange(len(S)), [k for k, _, _ in dropped])
    assert np.linalg.matrix_rank(S[kept]) == len(kept)
