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

LinAlgError = np.linalg.LinAlgError


class NotFiniteError(LinkwrightError, LinAlgError, RuntimeError):
    """A matrix that is to be factorised holds an infinity, or what is no number."""


def finite(*arrays: Any) -> None:
    """NotFiniteError if one of the arrays, dense or sparse, is not."""
    for a in arrays:
        if not np.isfinite(getattr(a, "data", a) if hasattr(a, "tocsc") else a).all():
            raise NotFiniteError(
                "numbers in its equations are not finite, or so large that their products are not",
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


def pivoted_qr(a: Any, mode: Any = "full") -> Any:
    """(Q, R, order), or (R, order) with mode="r"."""
    from scipy.linalg import qr

    finite(a)
    return qr(a, mode=mode, pivoting=True, check_finite=False)


def pivoted_qr_raw(a: Any) -> Any:
    """As LAPACK's dgeqp3 gives it: (factors, order from 1, ...)."""
    from scipy.linalg.lapack import dgeqp3

    finite(a)
    return dgeqp3(a)


def solve_triangular(a: Any, b: Any) -> np.ndarray:
    from scipy.linalg import solve_triangular as solve_

    finite(a)
    return np.asarray(solve_(a, b, check_finite=False))


def cholesky(a: Any) -> np.ndarray:
    from scipy.linalg import cholesky as cholesky_

    finite(a)
    return np.asarray(cholesky_(a, check_finite=False))


def solve_positive(a: Any, b: Any) -> np.ndarray:
    """Of a positive definite matrix."""
    from scipy.linalg import solve as solve_

    finite(a)
    return np.asarray(solve_(a, b, assume_a="pos", check_finite=False))


def solve_regular(a: Any, b: Any, least: float) -> np.ndarray | None:
    """By LU factors, or None where the reciprocal condition number is not above `least`."""
    from scipy.linalg import lapack

    finite(a)
    lu, pivots, failed = lapack.dgetrf(a)
    if failed or not lapack.dgecon(lu, np.linalg.norm(a, 1))[0] > least:
        return None
    return np.asarray(lapack.dgetrs(lu, pivots, b)[0])


def generalized_eigh(a: Any, b: Any) -> Any:
    from scipy.linalg import eigh as eigh_

    finite(a, b)
    return eigh_(a, b, check_finite=False)


def generalized_eig(a: Any, b: Any) -> Any:
    from scipy.linalg import eig as eig_

    finite(a, b)
    return eig_(a, b, check_finite=False)


def splu(a: Any, **options: Any) -> Any:
    """Sparse factors; RuntimeError where the matrix is singular."""
    from scipy.sparse.linalg import splu as splu_

    finite(a)
    return splu_(a, **options)
