"""Written by hand for numba: a loop over the bodies, textbook rows, block elimination of B M^-1 B^T from the ground out.

B M^-1 B^T is block tridiagonal with blocks of 5 x 5; each diagonal block is factored by Cholesky.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from benchmarks.chain import GRAVITY, HALF, INERTIA, MASS, ROWS, STATE, Chain
from benchmarks.peers.common import Peer
from benchmarks.timing import clock

INVERSE = 1 / np.array([MASS, MASS, MASS, *INERTIA])
JX, JY, JZ = (float(j) for j in INERTIA)
njit = njit(error_model="numpy")  # fastmath changed no figure


@njit
def rotation_matrix(p, A):
    e0, e1, e2, e3 = p[0], p[1], p[2], p[3]
    A[0, 0] = 2 * (e0 * e0 + e1 * e1) - 1
    A[0, 1] = 2 * (e1 * e2 - e0 * e3)
    A[0, 2] = 2 * (e1 * e3 + e0 * e2)
    A[1, 0] = 2 * (e1 * e2 + e0 * e3)
    A[1, 1] = 2 * (e0 * e0 + e2 * e2) - 1
    A[1, 2] = 2 * (e2 * e3 - e0 * e1)
    A[2, 0] = 2 * (e1 * e3 - e0 * e2)
    A[2, 1] = 2 * (e2 * e3 + e0 * e1)
    A[2, 2] = 2 * (e0 * e0 + e3 * e3) - 1


@njit
def dot(A, i, B, j):
    """Column i of A with column j of B."""
    return A[0, i] * B[0, j] + A[1, i] * B[1, j] + A[2, i] * B[2, j]


@njit
def joint(A, w, A0, w0, B, B0, gamma):
    """Rows by the body (B), by the body before it (B0), and gamma."""
    B[:] = 0.0
    B0[:] = 0.0
    for k in range(3):  # the points coincide
        B[k, k] = 1.0
        B[k, 4] = HALF * A[k, 2]
        B[k, 5] = -HALF * A[k, 1]
        B0[k, k] = -1.0
        B0[k, 4] = HALF * A0[k, 2]
        B0[k, 5] = -HALF * A0[k, 1]
        # w x (w x e_x) in body axes, of either body
        turn = A[k, 0] * -(w[1] * w[1] + w[2] * w[2]) + A[k, 1] * (w[0] * w[1]) + A[k, 2] * (w[0] * w[2])
        turn0 = A0[k, 0] * -(w0[1] * w0[1] + w0[2] * w0[2]) + A0[k, 1] * (w0[0] * w0[1]) + A0[k, 2] * (w0[0] * w0[2])
        gamma[k] = HALF * (turn + turn0)
    xx, xy, xz = dot(A, 0, A0, 0), dot(A, 0, A0, 1), dot(A, 0, A0, 2)
    yx, yy, yz = dot(A, 1, A0, 0), dot(A, 1, A0, 1), dot(A, 1, A0, 2)
    zx, zy, zz = dot(A, 2, A0, 0), dot(A, 2, A0, 1), dot(A, 2, A0, 2)
    # y of the body is normal to x of the one before, and to z of it
    B[3, 3], B[3, 5] = zx, -xx
    B[4, 3], B[4, 5] = zz, -xz
    B0[3, 4], B0[3, 5] = -yz, yy
    B0[4, 3], B0[4, 4] = -yy, yx
    # in axes of the body: dy = w x e_y, ddy = w x (w x e_y); of the one before: likewise of e_x and e_z
    ddy = (w[0] * w[1], -(w[0] * w[0] + w[2] * w[2]), w[1] * w[2])
    ddx0 = (-(w0[1] * w0[1] + w0[2] * w0[2]), w0[0] * w0[1], w0[0] * w0[2])
    ddz0 = (w0[0] * w0[2], w0[1] * w0[2], -(w0[0] * w0[0] + w0[1] * w0[1]))
    dydx = (w[0] * (w0[2] * zy - w0[1] * zz)) - (w[2] * (w0[2] * xy - w0[1] * xz))
    dydz = (w[0] * (w0[1] * zx - w0[0] * zy)) - (w[2] * (w0[1] * xx - w0[0] * xy))
    gamma[3] = -(ddy[0] * xx + ddy[1] * yx + ddy[2] * zx + 2 * dydx + yx * ddx0[0] + yy * ddx0[1] + yz * ddx0[2])
    gamma[4] = -(ddy[0] * xz + ddy[1] * yz + ddy[2] * zz + 2 * dydz + yx * ddz0[0] + yy * ddz0[1] + yz * ddz0[2])


@njit
def cholesky(S):
    """In place, lower; the diagonal is inverted."""
    for j in range(ROWS):
        d = S[j, j]
        for k in range(j):
            d -= S[j, k] * S[j, k]
        d = 1 / np.sqrt(d)
        S[j, j] = d
        for i in range(j + 1, ROWS):
            s = S[i, j]
            for k in range(j):
                s -= S[i, k] * S[j, k]
            S[i, j] = s * d


@njit
def lower_solve(L, b):
    for i in range(ROWS):
        s = b[i]
        for k in range(i):
            s -= L[i, k] * b[k]
        b[i] = s * L[i, i]


@njit
def upper_solve(L, b):
    for i in range(ROWS - 1, -1, -1):
        s = b[i]
        for k in range(i + 1, ROWS):
            s -= L[k, i] * b[k]
        b[i] = s * L[i, i]


@njit
def chain(x, out, A, B, B0, L, C):
    """x (13N) to out (11N); the rest is work space."""
    n = x.size // STATE
    a, lam = out[: 6 * n], out[6 * n :]
    for i in range(n):  # A[0] is the ground's
        s = x[STATE * i : STATE * (i + 1)]
        w = s[10:13]
        rotation_matrix(s[3:7], A[i + 1])
        y = lam[ROWS * i : ROWS * (i + 1)]
        w0 = x[STATE * i - 3 : STATE * i] if i else np.zeros(3)
        joint(A[i + 1], w, A[i], w0, B[i], B0[i], y)
        Q = a[6 * i : 6 * (i + 1)]
        Q[0], Q[1], Q[2] = 0.0, 0.0, -MASS * GRAVITY
        Q[3], Q[4], Q[5] = (JY - JZ) * w[1] * w[2], (JZ - JX) * w[2] * w[0], (JX - JY) * w[0] * w[1]
        for r in range(ROWS):  # S lam = B M^-1 Q - gamma
            y[r] = -y[r]
            for k in range(6):
                y[r] += B[i, r, k] * INVERSE[k] * Q[k]
            for c in range(r + 1):
                t = 0.0
                for k in range(6):
                    t += B[i, r, k] * INVERSE[k] * B[i, c, k]
                L[i, r, c] = t
        if i:
            for r in range(ROWS):
                for k in range(6):
                    y[r] += B0[i, r, k] * INVERSE[k] * a[6 * i - 6 + k]
                for c in range(ROWS):
                    t = 0.0
                    for k in range(6):
                        t += B0[i, r, k] * INVERSE[k] * B[i - 1, c, k]
                    C[i, r, c] = t
                lower_solve(L[i - 1], C[i, r])
            for r in range(ROWS):
                for c in range(r + 1):
                    t = 0.0
                    for k in range(6):
                        t += B0[i, r, k] * INVERSE[k] * B0[i, c, k]
                    for k in range(ROWS):
                        t -= C[i, r, k] * C[i, c, k]
                    L[i, r, c] += t
                for k in range(ROWS):
                    y[r] -= C[i, r, k] * lam[ROWS * i - ROWS + k]
        cholesky(L[i])
        lower_solve(L[i], y)
    for i in range(n - 1, -1, -1):
        y = lam[ROWS * i : ROWS * (i + 1)]
        if i + 1 < n:
            for r in range(ROWS):
                for k in range(ROWS):
                    y[k] -= C[i + 1, r, k] * lam[ROWS * (i + 1) + r]
        upper_solve(L[i], y)
    for i in range(n):
        for k in range(6):
            f = a[6 * i + k]
            for r in range(ROWS):
                f -= B[i, r, k] * lam[ROWS * i + r]
            if i + 1 < n:
                for r in range(ROWS):
                    f -= B0[i + 1, r, k] * lam[ROWS * (i + 1) + r]
            a[6 * i + k] = f * INVERSE[k]


@njit
def repeat(count, x, out, A, B, B0, L, C):
    for _ in range(count):
        chain(x, out, A, B, B0, L, C)


@njit
def each(X, out, A, B, B0, L, C):
    for k in range(X.shape[0]):
        chain(X[k], out[k], A, B, B0, L, C)


class Numba(Peer):
    rows_first = True
    note = "written by hand, not from the graph"

    def __init__(self, n: int) -> None:
        A = np.zeros((n + 1, 3, 3))
        A[0] = np.eye(3)
        self._work = (A, *(np.zeros((n, *s)) for s in ((ROWS, 6), (ROWS, 6), (ROWS, ROWS), (ROWS, ROWS))))
        self._out = np.empty((6 + ROWS) * n)
        x = np.tile(np.eye(STATE)[3], n)
        for function in (rotation_matrix, dot, joint, cholesky, lower_solve, upper_solve, chain, repeat, each):
            function._reset_overloads() if hasattr(function, "_reset_overloads") else function.overloads.clear()
        start = clock()
        self.call(x)
        self.compile_seconds = clock() - start
        repeat(1, x, self._out, *self._work)

    def call(self, x: np.ndarray) -> np.ndarray:
        chain(x, self._out, *self._work)
        return self._out

    def batch(self, X: np.ndarray) -> np.ndarray:
        out = np.empty((len(X), self._out.size))
        each(X, out, *self._work)
        return out

    def native_loop(self, x: Any, count: int) -> float:
        start = clock()
        repeat(count, x, self._out, *self._work)
        return clock() - start


def build(traced: Chain) -> Peer:
    return Numba(traced.n)
