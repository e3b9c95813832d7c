"""The nearest point to an estimate on which equations hold: minimise |q - q0|^2 subject to Phi(q) = 0.

As the book's assembly (Haug 4.3): first a penalty r |Phi|^2 that grows, which is robust far away; then Newton on the
optimality conditions, which is exact. Both work with dependent, too few and too many equations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from linkwright import linear, size_policy
from linkwright.later import sparse
from linkwright.regularisation import HAIR, LEAST_SQUARES, SADDLE
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import is_sparse, row_lengths

Matrix: TypeAlias = Any  # a numpy array or a scipy sparse matrix


class Problem(Protocol):
    """Equations on coordinates q that are changed by displacements d."""

    scale: np.ndarray  # the size of each displacement

    def equations(self, q: np.ndarray) -> tuple[np.ndarray, Matrix]:
        """Phi and its derivative by displacements, which may be sparse."""

    def curvature(self, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """sum of lam_k Phi_k''."""

    def sizes(self, J: np.ndarray) -> np.ndarray:
        """By what the equations are divided when their violations are compared."""

    def retract(self, q: np.ndarray, d: np.ndarray) -> np.ndarray: ...

    def tangent(self, q: np.ndarray) -> Matrix:
        """dq/dd."""


@dataclass(frozen=True)
class Found:
    """Where the search ended; ``closed``: whether the equations hold there; ``notes``: what is to be known."""

    q: np.ndarray
    closed: bool
    residual: np.ndarray
    iterations: int
    notes: tuple[str, ...] = ()


# The equations hold where the Newton correction that would mend them is below this, relative to the scales.
CLOSED = 1e-10
# Residuals of estimates below this, relative to the scales, are rounding: the nearest configuration is the estimate itself.
HELD = 1e-15


@single_threaded
def nearest(problem: Problem, q0: np.ndarray, weight: np.ndarray) -> Found:
    """From q0; ``weight`` (of each coordinate) says how much its estimate counts."""
    begin = regular_start(problem, q0)
    if begin is None:
        return Found(q0, False, problem.equations(q0)[0], 0)
    Phi, J = problem.equations(q0)
    if begin is q0 and np.abs(Phi / _lengths(problem, J)).max(initial=0.0) < HELD:
        return Found(q0, True, Phi, 0)
    start, used = penalty(problem, begin, q0, weight)
    found = polish(problem, start, q0, weight, used)
    if found.closed:
        return found
    # Newton's method does not converge where there is no solution: the residual is that of the least violation
    q, more = penalty(problem, start, start, 0.0 * weight)
    q, still_more = least_violated(problem, q)
    return Found(q, False, problem.equations(q)[0], found.iterations + more + still_more)


def regular_start(problem: Problem, q0: np.ndarray) -> np.ndarray | None:
    """q0, or a place near it where the equations and their derivatives are finite; None if there is none.

    An angle of two vectors one of which points along the axis has no derivative, and an estimate may well be such.
    """
    if _finite(*problem.equations(q0)):
        return q0
    rng, q = np.random.default_rng(0), q0
    for size in (1e-4, 1e-3, 1e-2, 1e-1, 0.3):
        if _finite(*problem.equations(q)):
            return q
        q = problem.retract(q0, size * rng.normal(size=len(problem.scale)) * problem.scale)
    return None


def penalty(problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, int]:
    """Gauss-Newton with trust in small steps on |q - q0|^2 + r |Phi|^2, r = 1, 100, ..."""
    used = 0
    for r in (1.0, 1e2, 1e4, 1e6, 1e8):
        damping = 1e-3
        # rows of comparable size, the same throughout a stage: their lengths change with q and may vanish
        lengths = _lengths(problem, problem.equations(q)[1])
        value, *parts = _penalty_value(problem, q, q0, weight, r, lengths)
        for _ in range(30):
            used += 1
            gradient, H = _penalty_model(problem, q, q0, weight, r, *parts)
            d = _damped(H, damping, -gradient)
            longest = np.abs(d).max(initial=0.0)
            d *= min(1.0, 0.5 / longest) if longest > 0 else 1.0  # at most half a length or half a radian
            trial = problem.retract(q, d * problem.scale)
            new, *new_parts = _penalty_value(problem, trial, q0, weight, r, lengths)
            if new < value and _finite(*new_parts):
                small = value - new <= 1e-10 * value or np.abs(d).max(initial=0.0) < 1e-9
                q, value, parts, damping = trial, new, new_parts, damping / 5
                if small:
                    break
            else:
                damping *= 8
                if damping > 1e8:
                    break
    return q, used


def least_violated(problem: Problem, q: np.ndarray) -> tuple[np.ndarray, int]:
    """Where |Phi|^2 is least, each equation by its size: the limit of the penalty's solution as r grows (Haug 4.3).

    Newton with the curvature of the equations, which decides where they have no solution; steps that do not help are damped.
    """
    if len(problem.scale) > size_policy.SPARSE:
        return q, 0
    size = problem.sizes(problem.equations(q)[1])
    used, damping = 0, 1e-3
    value = _violation(problem, q, size)
    for _ in range(60):
        used += 1
        Phi, J = problem.equations(q)
        if not _finite(Phi, J):
            break
        Phi, S = Phi / size, J * problem.scale / size[:, None]
        H = S.T @ S + problem.curvature(q, Phi / size) * np.outer(problem.scale, problem.scale)
        # of its own size: where lengths are millimetres H is large, and along free motions it is zero
        large = float(np.abs(H).max(initial=0.0)) or 1.0
        H += (damping * large + max(0.0, -2 * float(linear.eigvalsh(H)[0]))) * np.eye(len(H))
        d = linear.solve(H, -S.T @ Phi)
        longest = float(np.abs(d).max(initial=0.0))
        trial = problem.retract(q, d * min(1.0, 0.5 / max(longest, 1e-300)) * problem.scale)
        new = _violation(problem, trial, size)
        if new < value * (1 + 1e-14):
            q, value, damping = trial, new, max(damping / 10, 1e-12)
        else:
            damping *= 10
        if longest < 1e-12 or damping > 1e8:
            break
    return q, used


def _violation(problem: Problem, q: np.ndarray, size: np.ndarray) -> float:
    Phi = problem.equations(q)[0] / size
    return float(Phi @ Phi)


def _scaled(problem: Problem, q: np.ndarray) -> tuple[np.ndarray, Matrix, np.ndarray]:
    """Phi and its derivative by relative displacements, rows of length one; and what their lengths were."""
    Phi, J = problem.equations(q)
    lengths = _lengths(problem, J)
    return Phi / lengths, _relative(J, problem.scale, lengths), lengths


def _lengths(problem: Problem, J: Matrix) -> np.ndarray:
    """Of the rows, by relative displacements; one where a row vanishes."""
    lengths = row_lengths(J, problem.scale)
    return np.where(lengths > 1e-12, lengths, 1.0)


def _relative(J: Matrix, scale: np.ndarray, lengths: np.ndarray) -> Matrix:
    """The derivative by relative displacements, rows divided by their lengths."""
    if not is_sparse(J):
        return _lean(J * scale / lengths[:, None])
    J = J.tocsr()
    data = J.data * scale[J.indices] / np.repeat(lengths, np.diff(J.indptr))
    return sparse.csr_matrix((data, J.indices, J.indptr), shape=J.shape)


def _penalty_value(
    problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray, r: float, lengths: np.ndarray
) -> tuple[float, np.ndarray, Matrix]:
    Phi, J = problem.equations(q)
    Phi, J = Phi / lengths, _relative(J, problem.scale, lengths)
    return float(weight @ (q - q0) ** 2 + r * Phi @ Phi), Phi, J


def _penalty_model(
    problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray, r: float, Phi: np.ndarray, J: Matrix
) -> tuple[np.ndarray, Matrix]:
    gradient, H = _distance_model(problem, q, q0, weight)
    return gradient + r * (J.T @ Phi), H + r * (J.T @ J)


def _distance_model(problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, Matrix]:
    """Half the gradient and half the Hessian of weight . (q - q0)^2 by relative displacements."""
    root = np.sqrt(weight)
    N = problem.tangent(q)
    if is_sparse(N):
        N = sparse.csr_matrix(sparse.diags(root) @ N @ sparse.diags(problem.scale))
    else:
        N = _lean(root[:, None] * N * problem.scale)
    return N.T @ (root * (q - q0)), N.T @ N


def polish(problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray, used: int = 0) -> Found:
    """Newton on the conditions of the nearest point: [H J^T; J 0] (d, lam) = (-gradient, -Phi), in least squares."""
    size = np.inf
    for _ in range(40):
        used += 1
        F, S, lengths = _scaled(problem, q)
        if not _finite(F, S):
            break
        gradient, H = _distance_model(problem, q, q0, weight)
        Z = _free(S)
        if Z.shape[1]:  # else the equations alone decide
            lam = linear.lstsq(S.T, -gradient, rcond=LEAST_SQUARES)[0]
            C = problem.curvature(q, lam / lengths) * np.outer(problem.scale, problem.scale)
            # without it the method converges too, but slowly; with it only where it keeps the minimum a minimum
            H = H + C if float(linear.eigvalsh(Z.T @ (H + C) @ Z)[0]) > 0 else H
        d = _saddle(H, S, -gradient, -F)
        longest = float(np.abs(d).max(initial=0.0))
        if longest > 0.5:
            d *= 0.5 / longest
        q = problem.retract(q, d * problem.scale)
        if longest < 1e-13 or (longest < 1e-10 and longest > 0.5 * size):
            break
        size = longest
    return close(problem, q, used)


def _free(S: Matrix) -> np.ndarray:
    """A basis of the displacements that violate nothing; not for large machines, which do without the curvature."""
    if is_sparse(S):
        return np.zeros((S.shape[1], 0))
    if not len(S):
        return np.eye(S.shape[1])
    _, s, Vt = linear.svd(S, full_matrices=True)
    free: np.ndarray = Vt[int((s > LEAST_SQUARES).sum()) :].T
    return free


def close(problem: Problem, q: np.ndarray, used: int = 0) -> Found:
    """Newton with the least displacement on Phi = 0 alone, and the verdict."""
    correction, nearest_by, best = np.inf, np.inf, q
    for _ in range(30):
        Phi, S, _ = _scaled(problem, q)
        if not _finite(Phi, S):
            break
        d = _least(S, -Phi)
        used += 1
        new = float(np.abs(d).max(initial=0.0))
        if new < nearest_by:
            nearest_by, best = new, q
        if new <= 1e-14 or (new < 1e-12 and new >= 0.5 * correction):
            correction = new
            break
        if not np.isfinite(new):
            break
        q = problem.retract(q, d * min(1.0, 0.5 / new) * problem.scale)
        correction = new
    if correction > nearest_by and nearest_by < CLOSED:  # at a cusp steps grow from where they were smallest
        q, correction = best, nearest_by
    Phi = _scaled(problem, q)[0]
    # What least squares cannot mend is inconsistent: it stays in the residual.
    closed = bool(np.isfinite(Phi).all() and np.abs(Phi).max(initial=0.0) < CLOSED and correction < 1e-6)
    return Found(q, closed, problem.equations(q)[0], used)


# -- dense, or sparse and regularised by a hair where the machine is large ------------------------------------------------


def _finite(Phi: np.ndarray, J: Matrix) -> bool:
    """Whether the equations can be solved for a step here: at a cusp their derivatives are infinite."""
    return bool(np.isfinite(Phi).all() and np.isfinite(J.data if is_sparse(J) else J).all())


def _lean(M: np.ndarray) -> Matrix:
    return sparse.csr_matrix(M) if M.shape[1] > size_policy.SPARSE else M


def _damped(H: Matrix, damping: float, b: np.ndarray) -> np.ndarray:
    """(H + damping diag H)^-1 b."""
    more = damping * (H.diagonal() + 1e-12)
    if is_sparse(H):
        try:
            return np.asarray(linear.splu((H + sparse.diags(more)).tocsc()).solve(b))
        except RuntimeError:  # exactly singular: a coordinate that nothing holds
            more = more + HAIR * max(1.0, float(more.max(initial=0.0)) / max(damping, HAIR))
            return np.asarray(linear.splu((H + sparse.diags(more)).tocsc()).solve(b))
    return np.asarray(linear.lstsq(H + np.diag(more), b, rcond=None)[0])


def _least(S: Matrix, b: np.ndarray) -> np.ndarray:
    """The smallest d that satisfies S d = b best."""
    if is_sparse(S):
        normal = S @ S.T + HAIR * sparse.identity(S.shape[0])
        return np.asarray(S.T @ linear.splu(normal.tocsc()).solve(b))
    return np.asarray(linear.lstsq(S, b, rcond=LEAST_SQUARES)[0])


def _saddle(H: Matrix, S: Matrix, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """d of [H S^T; S 0] (d, lam) = (b, c)."""
    n, m = H.shape[0], S.shape[0]
    if is_sparse(S):
        one = sparse.identity
        K = sparse.bmat([[H + 1e-12 * one(n), S.T], [S, -HAIR * one(m)]], format="csc")
        return np.asarray(linear.splu(K).solve(np.concatenate([b, c]))[:n])
    # in millimetres squares of lengths are large beside rows of one
    size = max(1.0, 1e-4 * float(np.abs(H).max(initial=0.0)))
    dense = np.block([[H / size + 1e-12 * np.eye(n), S.T], [S, np.zeros((m, m))]])
    return np.asarray(linear.lstsq(dense, np.concatenate([b / size, c]), rcond=SADDLE)[0][:n])


@single_threaded
def solutions(
    problem: Problem, start: Callable[[int], np.ndarray], tries: int, same: Callable[[np.ndarray, np.ndarray], bool]
) -> list[np.ndarray]:
    """Distinct solutions found from many starts, in the order of finding."""
    return [q for q, _ in counted(problem, start, tries, same)]


def counted(
    problem: Problem, start: Callable[[int], np.ndarray], tries: int, same: Callable[[np.ndarray, np.ndarray], bool]
) -> list[tuple[np.ndarray, int]]:
    """The same with how often each was found."""
    found: list[np.ndarray] = []
    met: list[int] = []
    for k in range(tries):
        q0 = regular_start(problem, start(k))
        if q0 is None:
            continue
        q, _ = penalty(problem, q0, q0, np.zeros(len(q0)) + 1e-6)
        end = close(problem, q)
        if not end.closed:
            continue
        known = next((n for n, other in enumerate(found) if same(end.q, other)), None)
        if known is None:
            found.append(end.q)
            met.append(1)
        else:
            met[known] += 1
    return list(zip(found, met, strict=True))
