"""Dense linear algebra in native code, for loops that must not return to Python. Matrices are stored by rows, complex ones
as their real and imaginary parts."""

from __future__ import annotations

from linkwright.compile import Array, Ints, f64, i64, isfinite, native, sqrt


@native
def lu_factor(n: i64, A: Array, pivots: Ints, measure: Array) -> i64:
    """P A = L U in place, with partial pivoting.

    measure[0], measure[1]: the smallest and the largest |pivot|; measure[2]: the sign of the determinant. Returns 0, or
    k + 1 if no pivot was found in column k.
    """
    least = 1e308
    most = 0.0
    sign = 1.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i * n + k]) > abs(A[best * n + k]):
                best = i
        pivots[k] = best
        pivot = A[best * n + k]
        if pivot == 0.0 or not isfinite(pivot):
            measure[0] = 0.0
            measure[1] = most
            measure[2] = 0.0
            return k + 1
        least = min(least, abs(pivot))
        most = max(most, abs(pivot))
        if pivot < 0.0:
            sign = -sign
        if best != k:
            sign = -sign
            for j in range(n):
                x = A[k * n + j]
                A[k * n + j] = A[best * n + j]
                A[best * n + j] = x
        for i in range(k + 1, n):
            factor = A[i * n + k] / pivot
            if factor != 0.0:
                A[i * n + k] = factor
                for j in range(k + 1, n):
                    A[i * n + j] -= factor * A[k * n + j]
    measure[0] = least
    measure[1] = most
    measure[2] = sign
    return 0


@native
def dot(count: i64, a: Array, b: Array) -> f64:
    """Four sums at a time: one alone waits for each of its additions."""
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    whole = count - count % 4
    for j in range(0, whole, 4):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
    for j in range(whole, count):
        s0 += a[j] * b[j]
    return (s0 + s1) + (s2 + s3)


@native
def lu_solve(n: i64, LU: Array, pivots: Ints, b: Array) -> None:
    """Overwrites b by A^-1 b."""
    for k in range(n):
        p = pivots[k]
        x = b[k]
        b[k] = b[p]
        b[p] = x
    for i in range(n):
        b[i] -= dot(i, LU[i * n :], b)
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - dot(n - 1 - i, LU[i * n + i + 1 :], b[i + 1 :])) / LU[i * n + i]


@native
def lu_solve_rows(n: i64, count: i64, LU: Array, pivots: Ints, B: Array) -> None:
    """Overwrites B, n rows of `count` right sides, by A^-1 B; zeros of the factors cost nothing."""
    for k in range(n):
        p = pivots[k]
        if p != k:
            for j in range(count):
                x = B[k * count + j]
                B[k * count + j] = B[p * count + j]
                B[p * count + j] = x
    for i in range(n):
        for k in range(i):
            factor = LU[i * n + k]
            if factor != 0.0:
                for j in range(count):
                    B[i * count + j] -= factor * B[k * count + j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            factor = LU[i * n + k]
            if factor != 0.0:
                for j in range(count):
                    B[i * count + j] -= factor * B[k * count + j]
        pivot = LU[i * n + i]
        for j in range(count):
            B[i * count + j] /= pivot


@native
def scatter(n: i64, count: i64, rows: Ints, columns: Ints, values: Array, A: Array) -> None:
    """A dense n x n matrix from its nonzeros; entries with a negative row are left out."""
    for k in range(n * n):
        A[k] = 0.0
    for k in range(count):
        if rows[k] >= 0:
            A[rows[k] * n + columns[k]] = values[k]


@native
def equilibrate(n: i64, A: Array, scale: Array) -> None:
    """Divide each row by its largest entry, kept in `scale`: rows of m^2, m and rad become comparable."""
    for i in range(n):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(A[i * n + j]))
        scale[i] = largest if largest > 0.0 else 1.0
        for j in range(n):
            A[i * n + j] /= scale[i]


@native
def weighted_norm(n: i64, x: Array, scale: Array) -> f64:
    """Root mean square of x/scale."""
    total = 0.0
    for i in range(n):
        total += (x[i] / scale[i]) ** 2
    return sqrt(total / max(n, 1))


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
