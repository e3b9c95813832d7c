"""Kamman's unconstrained multibody system, in the notation of his text ("Equations of Motion for an Unconstrained
Multibody"): a tree of bodies, each with six degrees of freedom relative to the body below it.

    L       lower-body array: L[K-1] is the number of the body below body K, 0 the inertial frame; L(K) < K
    x       Euler parameters of all bodies, scalar last (e1, e2, e3, e4), then s' of all: 7 N numbers
    y       omega' of all bodies, then sdot' of all: 6 N numbers
    masses, inertias   m_K [kg], I'_K about the mass centre, in axes of body K
    r       r'_K, from the body's origin to its mass centre, in axes of body K
    q       q'_K, from the origin of body L(K) to the point that s'_K starts from, in axes of L(K)
    F, M    F_K at the mass centre (gravity included) in inertial components; M'_K in axes of body K

Orientations and omega' are absolute, omega' in axes of the body; s'_K is in axes of L(K), which for L(K) = 0 are the
inertial ones. R_K takes inertial components to those of body K. A body of the text has the number K, an array the
index K - 1. Scalars may be traced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.equations import rotations
from linkwright.equations.arrays import array, of_text, solve, tilde
from linkwright.errors import ModelError

UNIT = 1e-3  # by how much Euler parameters may miss the unit length


@of_text
def steps_down(L: Sequence[int]) -> list[int]:
    """Give u_K, the number of steps from each body K down to the body that stands on the inertial frame.

    Returns
    -------
    list of int
        One number for each body.
    """
    return [len(path(L, K)) - 1 for K in range(1, len(L) + 1)]


@of_text
def path(L: Sequence[int], K: int) -> list[int]:
    """Give the bodies from the lowest up to K, both included.

    Returns
    -------
    list of int
        Numbers of bodies.
    """
    if not all(0 <= low < k for k, low in enumerate(L, 1)):
        raise ModelError(
            f"the lower-body array {tuple(L)} names, for some body, one that is not numbered below it",
            remedy="number the bodies upward from the inertial frame, which is 0: L(K) < K",
        )
    bodies: list[int] = []
    while K:
        bodies.insert(0, K)
        K = L[K - 1]
    return bodies


def R_transposed(e: Any) -> np.ndarray:
    """R_K^T, body components to inertial ones, of unit Euler parameters with the scalar last."""
    return rotations.A((e[3], *e[:3]))


class _State:
    """x and y taken apart: by body number K (1, 2, ...), with RT[0] = 1 and w[0] = 0 for the inertial frame."""

    def __init__(self, L: Sequence[int], r: Any, q: Any, x: Any, y: Any) -> None:
        N = len(L)
        x, y = _sized("x", x, 7 * N), _sized("y", y, 6 * N)
        s, sd = x[4 * N :].reshape(N, 3), y[3 * N :].reshape(N, 3)
        qs = _sized("q", q, 3 * N).reshape(N, 3) + s
        self.N = N
        self.y = y
        self.e = [None, *x[: 4 * N].reshape(N, 4)]
        for K, e in enumerate(self.e[1:], 1):
            if e.dtype == float and not abs(np.linalg.norm(e) - 1) < UNIT:
                raise ModelError(
                    f"the Euler parameters {e} of body {K} are not of unit length", remedy="divide them by their length"
                )
        self.RT = [np.eye(3), *(R_transposed(e) for e in self.e[1:])]
        self.w = [np.zeros(3), *y[: 3 * N].reshape(N, 3)]
        self.sd = [None, *sd]
        self.qs = [None, *qs]
        self.r = [None, *_sized("r", r, 3 * N).reshape(N, 3)]

    def at_omega(self, K: int) -> slice:
        """The columns of omega'_K."""
        return slice(3 * K - 3, 3 * K)

    def at_sd(self, K: int) -> slice:
        """The columns of sdot'_K."""
        return slice(3 * (self.N + K) - 3, 3 * (self.N + K))


def _sized(name: str, value: Any, n: int) -> np.ndarray:
    flat = array(value).reshape(-1)
    if flat.size != n:
        raise ModelError(f"{name} has {flat.size} numbers; {n} are needed", remedy="see the module's table of arguments")
    if flat.dtype == float and not np.isfinite(flat).all():
        raise ModelError(f"{name} holds what is no finite number", remedy="see the module's table of arguments")
    return flat


@of_text
def positions(L: Sequence[int], r: Any, q: Any, x: Any) -> np.ndarray:
    """Give p_K, the positions of the mass centres.

    Returns
    -------
    numpy.ndarray
        A row for each body [m].
    """
    z = _State(L, r, q, x, np.zeros(6 * len(L)))
    rows = []
    for K in range(1, z.N + 1):
        p = z.RT[K] @ z.r[K]
        for b in path(L, K):
            p = p + z.RT[L[b - 1]] @ z.qs[b]
        rows.append(p)
    return array(rows)


@of_text
def kinematics(L: Sequence[int], x: Any, y: Any) -> np.ndarray:
    """Give xdot: the rates of Euler parameters, (e4 omega' + e x omega')/2 and -e.omega'/2, then sdot'.

    Returns
    -------
    numpy.ndarray
        xdot, 7 N numbers.
    """
    z = _State(L, np.zeros(3 * len(L)), np.zeros(3 * len(L)), x, y)
    rates: list[Any] = []
    for e, w in zip(z.e[1:], z.w[1:], strict=True):
        rates.extend(0.5 * (e[3] * w + tilde(e[:3]) @ w))
        rates.append(-0.5 * (e[:3] @ w))
    return array([*rates, *z.y[3 * z.N :]])


@of_text
def partial_velocities(L: Sequence[int], r: Any, q: Any, x: Any) -> list[np.ndarray]:
    """Give v_K,y of each body: the velocity of its mass centre is v_K,y y.

    Returns
    -------
    list of numpy.ndarray
        A 3 x 6N matrix for each body.
    """
    z = _State(L, r, q, x, np.zeros(6 * len(L)))
    out = []
    for K in range(1, z.N + 1):
        V = np.zeros((3, 6 * z.N), dtype=object)
        for b in path(L, K):
            a = L[b - 1]
            if a:
                V[:, z.at_omega(a)] -= z.RT[a] @ tilde(z.qs[b])
            V[:, z.at_sd(b)] += z.RT[a]
        V[:, z.at_omega(K)] -= z.RT[K] @ tilde(z.r[K])
        out.append(array(V))
    return out


@of_text
def partial_velocity_rates(L: Sequence[int], r: Any, q: Any, x: Any, y: Any) -> list[np.ndarray]:
    """Give vdot_K,y of each body: the acceleration of its mass centre is v_K,y ydot + vdot_K,y y.

    The blocks -R^T sdot'~ carry the tilde, which the text lost for K = 3 to 6.

    Returns
    -------
    list of numpy.ndarray
        A 3 x 6N matrix for each body.
    """
    z = _State(L, r, q, x, y)
    out = []
    for K in range(1, z.N + 1):
        V = np.zeros((3, 6 * z.N), dtype=object)
        for b in path(L, K):
            a = L[b - 1]
            if a:
                w = tilde(z.w[a])
                V[:, z.at_omega(a)] -= z.RT[a] @ (tilde(z.sd[b]) + w @ tilde(z.qs[b]))
                V[:, z.at_sd(b)] += z.RT[a] @ w
        V[:, z.at_omega(K)] -= z.RT[K] @ tilde(z.w[K]) @ tilde(z.r[K])
        out.append(array(V))
    return out


@of_text
def equations(
    L: Sequence[int], masses: Any, inertias: Any, r: Any, q: Any, x: Any, y: Any, F: Any, M: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Give A and f of the equations of motion A ydot = f.

        A = sum m_K v_K,y^T v_K,y + w'_K,y^T I'_K w'_K,y
        f = sum v_K,y^T (F_K - m_K vdot_K,y y) + w'_K,y^T (M'_K - omega'_K~ I'_K omega'_K)

    where w'_K,y picks omega'_K out of y.

    Returns
    -------
    A : numpy.ndarray
        6N x 6N.
    f : numpy.ndarray
        6N numbers.
    """
    z = _State(L, r, q, x, y)
    N = z.N
    masses = _sized("masses", masses, N)
    I = _sized("inertias", inertias, 9 * N).reshape(N, 3, 3)  # noqa: E741
    F, M = _sized("F", F, 3 * N).reshape(N, 3), _sized("M", M, 3 * N).reshape(N, 3)
    V, Vd = partial_velocities(L, r, q, x), partial_velocity_rates(L, r, q, x, y)
    A: Any = np.zeros((6 * N, 6 * N), dtype=object)
    f: Any = np.zeros(6 * N, dtype=object)
    for k in range(N):
        at, w = z.at_omega(k + 1), z.w[k + 1]
        A += masses[k] * (V[k].T @ V[k])
        A[at, at] += I[k]
        f += V[k].T @ (F[k] - masses[k] * (Vd[k] @ z.y))
        f[at] += M[k] - tilde(w) @ I[k] @ w
    return array(A), array(f)


@of_text
def accelerations(
    L: Sequence[int], masses: Any, inertias: Any, r: Any, q: Any, x: Any, y: Any, F: Any, M: Any
) -> np.ndarray:
    """Give ydot: the angular accelerations of all bodies in body axes, then all sddot'.

    Returns
    -------
    numpy.ndarray
        ydot, 6N numbers.
    """
    A, f = equations(L, masses, inertias, r, q, x, y, F, M)
    try:
        return solve(A, f)
    except np.linalg.LinAlgError:
        raise ModelError(
            "some body has no mass, or no inertia", remedy="all six of its motions are free: give it both"
        ) from None
