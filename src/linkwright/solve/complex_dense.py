"""Dense complex systems in native code: matrices by rows, real and imaginary parts apart."""

from __future__ import annotations

from linkwright.compile import Array, Ints, i64, isfinite, native
from linkwright.solve.dense import dot


@native
def complex_lu_factor(n: i64, R: Array, I: Array, pivots: Ints) -> i64:  # noqa: E741
    """P (R + i I) = L U in place, with partial pivoting. 0, or k + 1 if no pivot was found in column k."""
    for k in range(n):
        best = k
        most = abs(R[k * n + k]) + abs(I[k * n + k])
        for i in range(k + 1, n):
            size = abs(R[i * n + k]) + abs(I[i * n + k])
            if size > most:
                most = size
                best = i
        pivots[k] = best
        if most == 0.0 or not isfinite(most):
            return k + 1
        if best != k:
            for j in range(n):
                x = R[k * n + j]
                R[k * n + j] = R[best * n + j]
                R[best * n + j] = x
                x = I[k * n + j]
                I[k * n + j] = I[best * n + j]
                I[best * n + j] = x
        square = R[k * n + k] ** 2 + I[k * n + k] ** 2
        a = R[k * n + k] / square
        b = -I[k * n + k] / square
        for i in range(k + 1, n):
            if R[i * n + k] != 0.0 or I[i * n + k] != 0.0:
                p = R[i * n + k] * a - I[i * n + k] * b
                q = R[i * n + k] * b + I[i * n + k] * a
                R[i * n + k] = p
                I[i * n + k] = q
                for j in range(k + 1, n):
                    R[i * n + j] -= p * R[k * n + j] - q * I[k * n + j]
                    I[i * n + j] -= p * I[k * n + j] + q * R[k * n + j]
    return 0


@native
def complex_lu_solve(n: i64, R: Array, I: Array, pivots: Ints, x: Array, y: Array) -> None:  # noqa: E741
    """Overwrites x + i y by (R + i I)^-1 (x + i y)."""
    for k in range(n):
        p = pivots[k]
        a = x[k]
        x[k] = x[p]
        x[p] = a
        a = y[k]
        y[k] = y[p]
        y[p] = a
    for i in range(n):
        re = R[i * n :]
        im = I[i * n :]
        a = dot(i, re, x) - dot(i, im, y)
        y[i] -= dot(i, re, y) + dot(i, im, x)
        x[i] -= a
    for i in range(n - 1, -1, -1):
        re = R[i * n + i + 1 :]
        im = I[i * n + i + 1 :]
        u = x[i + 1 :]
        v = y[i + 1 :]
        count = n - 1 - i
        a = x[i] - (dot(count, re, u) - dot(count, im, v))
        b = y[i] - (dot(count, re, v) + dot(count, im, u))
        c = R[i * n + i]
        d = I[i * n + i]
        square = c * c + d * d
        x[i] = (a * c + b * d) / square
        y[i] = (b * c - a * d) / square
