"""Sparse factors in a fixed order against dense solutions; large machines against the same machines solved densely."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

from linkwright.compile.sparse_lu import Plan, parity, sparse_factor, sparse_solve
from linkwright.regularisation import RANK
from linkwright.saddle import Saddle
from linkwright.solve import nearest, rank
from strategies import seeds


def random_matrix(rng, n, density=0.15):
    """Regular and sparse, with rows of very different size."""
    A = sp.random(n, n, density, random_state=rng, data_rvs=lambda k: rng.normal(size=k))
    A = A + sp.eye(n, format="csr")[rng.permutation(n)]
    return (sp.diags(10.0 ** rng.uniform(-3, 3, size=n)) @ A).tocsc()


def factorised(plan, A_values, rows, n):
    LU, scale, work, measure = np.zeros(plan.size), np.zeros(n), np.zeros(n), np.zeros(3)
    code = sparse_factor(n, len(rows), plan.ints, A_values, LU, scale, work, measure)
    assert not work.any()
    return code, LU, scale, work, measure


def of_array(A, rows, columns):
    return Plan.small(A.toarray(), rows, columns)


BOTH = pytest.mark.parametrize("made", [Plan.at, of_array])


@BOTH
@settings(max_examples=40)
@given(seeds)
def test_factors_solve(made, rng):
    n = int(rng.integers(1, 40))
    A = random_matrix(rng, n)
    if np.linalg.cond(A.toarray() / abs(A).max(axis=1).toarray()) > 1e6:
        return
    places = A.tocoo()
    # one nonzero belongs to a row that is left out
    rows = np.append(places.row, -1).astype(np.int64)
    columns, values = np.append(places.col, 0).astype(np.int64), np.append(places.data, 7.0)
    plan = made(A, rows, columns)
    code, LU, scale, work, measure = factorised(plan, values, rows, n)
    assert code == 0
    b, x = rng.normal(size=n + 3), np.zeros(n)
    chosen = rng.permutation(n + 3)[:n].astype(np.int64)
    sparse_solve(n, plan.ints, LU, scale, chosen, b, work, x)
    wanted = np.linalg.solve(A.toarray(), b[chosen])
    np.testing.assert_allclose(x, wanted, atol=1e-8 * np.abs(wanted).max())
    assert measure[2] == np.linalg.slogdet(A.toarray())[0]
    assert 0 < measure[0] <= measure[1]
    # another matrix of the same pattern, not far from the first
    near = values * (1 + 0.01 * rng.uniform(-1, 1, size=len(values)))
    code, LU, scale, work, _ = factorised(plan, near, rows, n)
    if code == 0:
        sparse_solve(n, plan.ints, LU, scale, chosen, b, work, x)
        B = sp.csc_matrix((near[:-1], (rows[:-1], columns[:-1])), shape=(n, n)).toarray()
        np.testing.assert_allclose(B @ x, b[chosen], atol=1e-7 * np.abs(B).max() * np.abs(x).max())


@BOTH
def test_a_pivot_that_vanishes_is_said(made):
    """The plan takes the diagonal; the next matrix has nothing there."""
    A = sp.csc_matrix(np.array([[1.0, 0.1], [0.1, 1.0]]))
    rows, columns = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    plan = made(A, rows, columns)
    code, *_, measure = factorised(plan, np.array([0.0, 1.0, 1.0, 0.0]), rows, 2)
    assert code > 0
    assert (measure[0], measure[2]) == (0, 0)


@BOTH
def test_a_singular_matrix_has_no_plan(made):
    rows, columns = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    with pytest.raises(RuntimeError):
        made(sp.csc_matrix(np.ones((2, 2))), rows, columns)


@settings(max_examples=30)
@given(seeds)
def test_parity(rng):
    p = rng.permutation(int(rng.integers(1, 20)))
    assert parity(p) == round(np.linalg.det(np.eye(len(p))[p]))


@settings(max_examples=30)
@given(seeds)
def test_regularity_by_sparse_factors(rng):
    n = 30
    A = random_matrix(rng, n)
    scale = np.ones(n)
    S = A.toarray() / np.linalg.norm(A.toarray(), axis=1)[:, None]
    assert rank.is_regular(A, scale) == (np.linalg.svd(S, compute_uv=False)[-1] > RANK)
    twice = A.tolil()
    twice[0] = 3.0 * twice[1]
    assert not rank.is_regular(twice.tocsc(), scale)


@settings(max_examples=20)
@given(seeds)
def test_least_displacements_agree(rng):
    """Dense and sparse: with too few rows, and with dependent ones."""
    S = rng.normal(size=(6, 10))
    S = np.vstack([S, S[0] + S[1]])
    S /= np.linalg.norm(S, axis=1)[:, None]
    d = rng.normal(size=10)
    b, c = rng.normal(size=10), S @ d
    H = np.diag(rng.uniform(0.5, 2, size=10))
    np.testing.assert_allclose(nearest._least(sp.csr_matrix(S), c), nearest._least(S, c), atol=1e-8)
    sparse, dense = Saddle(sp.csr_matrix(H), sp.csr_matrix(S))(b, c)[0], Saddle(H, S)(b, c)[0]
    np.testing.assert_allclose(sparse, dense, atol=1e-8)
    np.testing.assert_allclose(nearest._damped(sp.csr_matrix(H), 0.1, b), nearest._damped(H, 0.1, b), rtol=1e-12)
