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
from linkwright.regularisation import HAIR, LEAST_SQUARES
from linkwright.saddle import Saddle
from linkwright.solve.blas import single_threaded
from linkwright.solve.rank import is_sparse, row_lengths
from linkwright.solve.smallest import Smallest

Matrix: TypeAlias = Any  # a numpy array or a scipy sparse matrix


class Rows(Protocol):
    """Equations on coordinates q that are changed by displacements d."""

    scale: np.ndarray  # the size of each displacement

    def equations(self, q: np.ndarray) -> tuple[np.ndarray, Matrix]:
        """Phi and its derivative by displacements, which may be sparse."""

    def retract(self, q: np.ndarray, d: np.ndarray) -> np.ndarray: ...


class Problem(Rows, Protocol):
    """Equations whose nearest solution is looked for."""

    def curvature(self, q: np.ndarray, lam: np.ndarray) -> Matrix | None:
        """sum of lam_k Phi_k''; None where it is not to be had."""

    def convex_curvature(self, q: np.ndarray, lam: np.ndarray) -> Matrix:
        """Of large problems: by relative displacements, without what makes single equations bend down."""

    def sizes(self, J: np.ndarray) -> np.ndarray:
        """By what the equations are divided when their violations are compared."""

    def tangent(self, q: np.ndarray) -> Matrix:
        """dq/dd."""

    def bend(self, q: np.ndarray, g: np.ndarray) -> np.ndarray:
        """sum of g_k times the second derivative of q_k by displacements: a diagonal matrix, its diagonal."""


@dataclass(frozen=True)
class Found:
    """The end of the search; ``closed``: whether the equations hold there; ``notes``: what is to be known."""

    q: np.ndarray
    closed: bool
    residual: np.ndarray
    iterations: int
    notes: tuple[str, ...] = ()


STEPS = 60  # of Newton's method until it is given up: a few are usual, many where estimates are far off
NEAR = 0.05  # relative: steps of large problems up to which estimates are near enough for Newton's method alone
PARTS = (0.03, 0.1, 0.3)  # of a convex model that are added to one that is not
STIFF = 1e4  # what violations cost, by the largest weight, where a minimum is looked for
# The equations hold where the Newton correction that would mend them is below this, relative to the scales.
CLOSED = 1e-10
# Residuals of estimates below this, relative to the scales, are rounding: the nearest configuration is the estimate itself.
HELD = 1e-15


@single_threaded
def nearest(problem: Problem, q0: np.ndarray, weight: np.ndarray) -> Found:
    """The configuration nearest to q0 in which the equations hold; ``weight`` (of each coordinate) says how much its
    estimate counts."""
    begin = regular_start(problem, q0)
    if begin is None:
        return Found(q0, False, problem.equations(q0)[0], 0)
    Phi, J = problem.equations(q0)
    if begin is q0 and np.abs(Phi / _lengths(problem, J)).max(initial=0.0) < HELD:
        return Found(q0, True, Phi, 0)
    if is_sparse(J) and (quick := polish(problem, begin, q0, weight, most=NEAR)).closed:
        return quick
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
    """The configuration where |Phi|^2 is least, each equation by its size: the limit of the penalty's solution as r grows
    (Haug 4.3).

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


def _scaled(problem: Rows, q: np.ndarray) -> tuple[np.ndarray, Matrix, np.ndarray]:
    """Phi and its derivative by relative displacements, rows of length one; and what their lengths were."""
    Phi, J = problem.equations(q)
    lengths = _lengths(problem, J)
    return Phi / lengths, _relative(J, problem.scale, lengths), lengths


def _lengths(problem: Rows, J: Matrix) -> np.ndarray:
    """The lengths of the rows, by relative displacements; one where a row vanishes."""
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


def polish(
    problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray, used: int = 0, most: float = np.inf
) -> Found:  # fmt: skip
    """Newton on the conditions of the nearest point: [H J^T; J 0] (d, lam) = (-gradient, -Phi), in least squares. `most`: a
    step that is longer ends it, not closed."""
    size = np.inf
    for _ in range(STEPS):
        used += 1
        F, S, lengths = _scaled(problem, q)
        if not _finite(F, S):
            break
        gradient, H = _distance_model(problem, q, q0, weight)
        d = _newton(problem, q, q0, weight, H, S, lengths, gradient, F)
        longest = float(np.abs(d).max(initial=0.0))
        if longest > most:
            return Found(q, False, F, used)
        if longest > 0.5:
            d *= 0.5 / longest
        q = problem.retract(q, d * problem.scale)
        if longest < 1e-13 or (longest < 1e-10 and longest > 0.5 * size):
            break
        size = longest
    return close(problem, q, used)


def _newton(
    problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray, H: Matrix, S: Matrix, lengths: np.ndarray,
    gradient: np.ndarray, F: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """One step of Newton's method. Without second derivatives the method converges too, but slowly; with them only where
    they keep the minimum a minimum along all displacements that violate nothing."""
    if is_sparse(S):
        H = _convex(problem, q, q0, weight, H, S, Smallest(S)(-gradient) / lengths)
    elif (Z := _free(S)).shape[1]:  # else the equations alone decide
        bent = _bent(problem, q, q0, weight, H, linear.lstsq(S.T, -gradient, rcond=1e-10)[0] / lengths)
        H = bent if bent is not None and float(linear.eigvalsh(Z.T @ bent @ Z)[0]) > 0 else H
    return Saddle(H, S)(-gradient, -F)[0]


def _convex(
    problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray, H: Matrix, S: Matrix, lam: np.ndarray
) -> Matrix:
    """H with as much of the second derivatives as keeps the minimum: a large problem has no basis of what violates nothing,
    so that is looked for among all displacements, with violations made costly."""
    bent = _bent(problem, q, q0, weight, H, lam)
    if bent is None:
        return H
    costly = STIFF * float(abs(bent).max()) * (S.T @ S)
    if linear.is_positive(bent + costly):
        return bent
    convex = H + problem.convex_curvature(q, lam)
    tries = (bent + part * (convex - bent) for part in PARTS)
    return next((found for found in tries if linear.is_positive(found + costly)), convex)


def _bent(
    problem: Problem, q: np.ndarray, q0: np.ndarray, weight: np.ndarray, H: Matrix, lam: np.ndarray
) -> Matrix | None:  # fmt: skip
    """H with the second derivatives of the equations, times lam, and of the coordinates; None where they are not known."""
    C = problem.curvature(q, lam)
    if C is None:
        return None
    own = problem.bend(q, weight * (q - q0)) * problem.scale**2
    if not is_sparse(H):
        return H + C * np.outer(problem.scale, problem.scale) + np.diag(own)
    size = sparse.diags_array(problem.scale)
    return H + size @ C @ size + sparse.diags_array(own)


def _free(S: np.ndarray) -> np.ndarray:
    """A basis of the displacements that violate nothing."""
    if not len(S):
        return np.eye(S.shape[1])
    _, s, Vt = linear.svd(S, full_matrices=True)
    free: np.ndarray = Vt[int((s > LEAST_SQUARES).sum()) :].T
    return free


def close(problem: Rows, q: np.ndarray, used: int = 0) -> Found:
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
    """(H + damping diag H)^-1 b; where a coordinate is held by nothing, with a little more of it."""
    more = damping * (H.diagonal() + 1e-12)
    if not is_sparse(H):
        return np.asarray(linear.lstsq(H + np.diag(more), b, rcond=None)[0])
    least = HAIR * max(1.0, float(H.diagonal().max(initial=0.0)))
    for _ in range(4):
        try:
            return np.asarray(linear.splu((H + sparse.diags_array(more)).tocsc()).solve(b))
        except RuntimeError:  # exactly singular
            more, least = more + least, 1e3 * least
    return np.zeros(len(b))


def _least(S: Matrix, b: np.ndarray) -> np.ndarray:
    """The smallest d that satisfies S d = b best."""
    return Smallest(S).reaching(b) if is_sparse(S) else np.asarray(linear.lstsq(S, b, rcond=LEAST_SQUARES)[0])


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
