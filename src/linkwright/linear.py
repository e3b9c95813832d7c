"""Linear algebra of finite matrices: LAPACK and SuperLU, which must not see an infinity.

Some of their iterations never end on a matrix that holds one, and a call that does not end cannot be interrupted. So every
factorisation of the package goes through here, under the names that numpy and scipy have for it; what is not finite is
refused by `NotFiniteError`, which the analyses tell by the names of the elements that it comes from. Whoever has a way to
go on where a matrix is singular may go it here too: the error is a `LinAlgError`, and a RuntimeError as SuperLU's are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.later import lapack, scipy_linalg

LinAlgError = np.linalg.LinAlgError


class NotFiniteError(LinkwrightError, LinAlgError, RuntimeError):
    """A matrix that is to be factorised holds an infinity, or what is no number."""


def finite(*arrays: Any) -> None:
    """NotFiniteError if one of the arrays, dense or sparse, is not."""
    for a in arrays:
        if not np.isfinite(getattr(a, "data", a) if hasattr(a, "tocsc") else a).all():
            raise NotFiniteError(
                "some of its numbers are not finite, or so large that their products are not",
                remedy="check for lengths, masses and laws that are far too large or too small: a slip of units?",
            )


# -- numpy's ----------------------------------------------------------------------------------------------------------


def solve(a: Any, b: Any) -> np.ndarray:
    """The right-hand side may be anything: elimination hands on what is not finite, for whoever asked to tell."""
    finite(a)
    return np.asarray(np.linalg.solve(a, b))


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    finite(a, b)
    return np.linalg.lstsq(a, b, rcond=rcond)


def inv(a: Any) -> np.ndarray:
    finite(a)
    return np.asarray(np.linalg.inv(a))


def pinv(a: Any, rcond: float = 1e-15) -> np.ndarray:
    finite(a)
    return np.asarray(np.linalg.pinv(a, rcond=rcond))


def svd(a: Any, full_matrices: bool = True) -> Any:
    finite(a)
    return np.linalg.svd(a, full_matrices=full_matrices)


def singular_values(a: Any) -> np.ndarray:
    finite(a)
    return np.asarray(np.linalg.svd(a, compute_uv=False))


def eig(a: Any) -> Any:
    finite(a)
    return np.linalg.eig(a)


def eigvals(a: Any) -> np.ndarray:
    finite(a)
    return np.asarray(np.linalg.eigvals(a))


def roots(polynomial: Any) -> np.ndarray:
    """By the eigenvalues of its companion matrix."""
    finite(polynomial)
    return np.asarray(np.roots(polynomial))


def eigh(a: Any) -> Any:
    finite(a)
    return np.linalg.eigh(a)


def eigvalsh(a: Any) -> np.ndarray:
    finite(a)
    return np.asarray(np.linalg.eigvalsh(a))


def det(a: Any) -> float:
    finite(a)
    return float(np.linalg.det(a))


def slogdet(a: Any) -> Any:
    finite(a)
    return np.linalg.slogdet(a)


def cond(a: Any) -> float:
    finite(a)
    return float(np.linalg.cond(a))


def matrix_rank(a: Any, tol: float) -> int:
    finite(a)
    return int(np.linalg.matrix_rank(a, tol=tol))


# -- scipy's, imported when first used --------------------------------------------------------------------------------


SMALL = 40  # rows and columns, up to which reflections in numpy take less than a millisecond: scipy's LAPACK takes 5 to load


def pivoted_qr(a: Any, mode: Any = "full") -> Any:
    """(Q, R, order), or (R, order) with mode="r"."""
    finite(a)
    if mode != "economic" or not min(a.shape):
        return scipy_linalg().qr(a, mode=mode, pivoting=True, check_finite=False)
    if max(a.shape) <= SMALL:
        return _reflected(np.array(a, dtype=float))
    own, k = lapack(), min(a.shape)
    factors, order, tau, _, _ = own.dgeqp3(a, lwork=int(own.dgeqp3(a, lwork=-1)[3][0]))
    Q, _, _ = own.dorgqr(factors[:, :k], tau, lwork=int(own.dorgqr(factors[:, :k], tau, lwork=-1)[1][0]))
    return Q, np.triu(factors[:k]), order - 1


def _reflected(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As LAPACK does it, by Householder's reflections: the longest column of what is left comes next."""
    (m, n), k = a.shape, min(a.shape)
    Q, order = np.eye(m), np.arange(n)
    for i in range(k):
        j = i + int(np.argmax(np.einsum("ij,ij->j", a[i:, i:], a[i:, i:])))
        a[:, [i, j]], order[[i, j]] = a[:, [j, i]], order[[j, i]]
        size = np.abs(a[i:, i]).max()
        if size and i < m - 1:
            v = a[i:, i] / size  # of what is left by rounding alone the square might underflow
            v[0] += np.copysign(np.sqrt(v @ v), v[0])
            along = v / (0.5 * (v @ v))
            a[i:, i:] -= np.outer(v, along @ a[i:, i:])
            Q[:, i:] -= np.outer(Q[:, i:] @ v, along)
    return Q[:, :k], np.triu(a[:k]), order


def pivoted_qr_raw(a: Any) -> Any:
    """As LAPACK's dgeqp3 gives it: (factors, order from 1, ...)."""
    finite(a)
    return lapack().dgeqp3(a)


def solve_triangular(a: Any, b: Any) -> np.ndarray:
    finite(a)
    return np.asarray(scipy_linalg().solve_triangular(a, b, check_finite=False))


def cholesky(a: Any) -> np.ndarray:
    finite(a)
    return np.asarray(scipy_linalg().cholesky(a, check_finite=False))


def solve_positive(a: Any, b: Any) -> np.ndarray:
    """Of a positive definite matrix."""
    finite(a)
    return np.asarray(scipy_linalg().solve(a, b, assume_a="pos", check_finite=False))


def solve_regular(a: Any, b: Any, least: float) -> np.ndarray | None:
    """By LU factors, or None where the reciprocal condition number is not above `least`."""
    finite(a)
    own = lapack()
    lu, pivots, failed = own.dgetrf(a)
    if failed or not own.dgecon(lu, np.linalg.norm(a, 1))[0] > least:
        return None
    return np.asarray(own.dgetrs(lu, pivots, b)[0])


def is_well_conditioned(a: Any, least: float) -> bool:
    """Whether a symmetric matrix is surely positive definite, its least eigenvalue above `least` of the largest: by Cholesky
    factors and their norms, of which the reciprocal condition number is not above that by eigenvalues."""
    finite(a)
    if not len(a):
        return True
    own = lapack()
    factors, failed = own.dpotrf(a)
    return not failed and bool(own.dpocon(factors, np.linalg.norm(a, 1))[0] > 10 * least)  # dpocon estimates, to a factor


def generalized_eigh(a: Any, b: Any) -> Any:
    finite(a, b)
    return scipy_linalg().eigh(a, b, check_finite=False)


def generalized_eig(a: Any, b: Any) -> Any:
    finite(a, b)
    return scipy_linalg().eig(a, b, check_finite=False)


def splu(a: Any, **options: Any) -> Any:
    """Sparse factors; RuntimeError where the matrix is singular."""
    from scipy.sparse.linalg import splu as splu_

    scipy_linalg()  # factors use its BLAS, too
    finite(a)
    return splu_(a, **options)


def is_positive(a: Any) -> bool:
    """Whether a symmetric sparse matrix is positive definite: by the signs of its pivots, taken from the diagonal."""
    try:
        found = splu(a.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except NotFiniteError:
        raise
    except RuntimeError:
        return False
    return bool((found.perm_r == found.perm_c).all() and (found.U.diagonal() > 0).all())
