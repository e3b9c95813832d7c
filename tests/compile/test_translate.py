"""The native language: machine code against the same source run by Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright.compile import (
    Array,
    Code,
    Function,
    Ints,
    Pointers,
    f64,
    i64,
    isfinite,
    native,
    power,
    sqrt,
    time_calls,
)
from linkwright.compile.native import cos, exp, floor, log, sin
from linkwright.errors import ArgumentError
from linkwright.graph import symbols
from strategies import seeds

SCALE = 3
GAIN = 0.125


def agree(function, *args, rounding=0.0):
    """Result and arrays of both, equal up to `rounding` times the largest number: products may be fused with sums."""
    copies = [[a.copy() if isinstance(a, np.ndarray) else a for a in args] for _ in range(2)]
    results = [function(*copies[0]), function.python(*copies[1])]
    assert (results[0] is None) == (results[1] is None)
    changed = [pair for pair in zip(*copies, strict=True) if isinstance(pair[0], np.ndarray)]
    for found, expected in [*changed, *([] if results[0] is None else [results])]:
        bound = rounding * np.max(np.abs(expected), initial=0.0) if rounding else 0.0
        np.testing.assert_allclose(found, expected, rtol=0, atol=bound)
    return results[0]


# -- linear algebra -----------------------------------------------------------------------------------------------


@native
def swap(a: Array, b: Array, n: i64) -> None:
    for i in range(n):
        kept = a[i]
        a[i] = b[i]
        b[i] = kept


@native
def largest_below(A: Array, n: i64, k: i64) -> i64:
    """The row of the largest number in column k, from row k on."""
    best = k
    for i in range(k + 1, n):
        if abs(A[i * n + k]) > abs(A[best * n + k]):
            best = i
    return best


@native
def solve(A: Array, b: Array, n: i64, order: Ints) -> i64:
    """A x = b by elimination with pivoting, x in b; the number of the column without pivot + 1, or 0."""
    for k in range(n):
        p = largest_below(A, n, k)
        order[k] = p
        if not abs(A[p * n + k]) > 0.0:
            return k + 1
        if p != k:
            swap(A[k * n :], A[p * n :], n)
            swap(b[k:], b[p:], 1)
        for i in range(k + 1, n):
            f = A[i * n + k] / A[k * n + k]
            b[i] -= f * b[k]
            for j in range(k, n):
                A[i * n + j] -= f * A[k * n + j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= A[i * n + j] * b[j]
        b[i] /= A[i * n + i]
    return 0


@given(seeds, st.integers(1, 7))
def test_elimination_with_pivoting(random, n):
    A = random.normal(size=(n, n))
    x = random.normal(size=n)
    b = A @ x
    order = np.zeros(n, dtype=np.int64)
    assert agree(solve, A.ravel().copy(), b, n, order, rounding=1e-14 * np.linalg.cond(A) ** 2) == 0
    solve(A.ravel().copy(), b, n, order)
    assert np.abs(b - x).max() <= 1e-13 * np.linalg.cond(A)


def test_a_singular_matrix_is_told():
    A = np.array([1.0, 2.0, 2.0, 4.0])
    assert agree(solve, A, np.ones(2), 2, np.zeros(2, dtype=np.int64)) == 2


# -- control flow -----------------------------------------------------------------------------------------------------


@native
def collatz(n: i64) -> i64:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps >= 1000:
            break
    return steps


@native
def sieve(n: i64, composite: Ints) -> i64:
    found = 0
    for i in range(2, n):
        if composite[i]:
            continue
        found += 1
        for j in range(i * i, n, 3):
            if (j - i * i) % i != 0:
                continue
            composite[j] = 1
        for j in range(i + i, n):
            if j % i:
                continue
            composite[j] = 1
    return found


@native
def first_above(x: Array, n: i64, level: f64) -> i64:
    """The guard protects the access: x[n] is not there."""
    i = 0
    while i < n and x[i] <= level:
        i += 1
    return i


@native
def guarded(x: Array, i: i64, n: i64) -> i64:
    return 1 if (i < 0 or i >= n) or x[i] > 0.0 else 0


@native
def band(a: f64, b: f64, c: f64) -> i64:
    return (a < b <= c) + 2 * (a == b != c) + 4 * (not a < b < c)


@native
def nested_loops(n: i64) -> i64:
    total = 0
    for i in range(n):
        for j in range(n, 0, -2):
            if j == i:
                break
            if (i + j) % 3 == 0:
                continue
            k = 0
            while True:
                k += 1
                if k > j or k * k > 20:
                    break
            total += i * j + k
        i = 100  # as in Python: the loop goes on with its own count
    return total


@native
def early(x: f64) -> f64:
    if x > 1.0:
        return 1.0
    if x < -1.0:
        return -1.0
    return x


@native
def factorial(n: i64) -> i64:
    return 1 if n <= 1 else n * factorial(n - 1)


def test_loops_and_branches():
    assert agree(collatz, 27) == 111
    assert agree(sieve, 100, np.zeros(100, dtype=np.int64)) == 25
    for n in range(9):
        agree(nested_loops, n)
    assert [agree(early, x) for x in (-3.0, 0.25, 7.0)] == [-1.0, 0.25, 1.0]
    assert agree(factorial, 20) == math.factorial(20)


def test_conditions_stop_early():
    x = np.array([1.0, 2.0, 3.0])
    assert [agree(first_above, x, 3, level) for level in (0.0, 1.5, 9.0)] == [0, 1, 3]
    assert agree(first_above, np.empty(0), 0, 0.0) == 0
    # without the guard this address lies outside the process
    assert guarded(x, 2**50, 3) == 1
    assert guarded(x, -(2**50), 3) == 1
    assert agree(guarded, -x, 1, 3) == 0


@native
def counted(calls: Ints, value: i64) -> i64:
    calls[0] += 1
    return value


@native
def chained(calls: Ints, a: i64, b: i64, c: i64) -> i64:
    return 1 if counted(calls, a) < counted(calls, b) < counted(calls, c) else 0


@native
def bumped(calls: Ints, x: Ints) -> None:
    x[counted(calls, 1)] += 5


def test_each_part_is_evaluated_once_and_only_if_needed():
    for values, calls in (((1, 2, 3), 3), ((2, 1, 3), 2), ((1, 2, 2), 3)):
        count = np.zeros(1, dtype=np.int64)
        assert agree(chained, count, *values) == (values[0] < values[1] < values[2])
        chained(count, *values)
        assert count[0] == calls
    count, x = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    agree(bumped, count, x)
    bumped(count, x)
    assert (count[0], x.tolist()) == (1, [0, 5])


@given(*[st.sampled_from([0.0, 1.0, 2.0, math.inf, math.nan])] * 3)
def test_chained_comparisons(a, b, c):
    agree(band, a, b, c)


# -- numbers ----------------------------------------------------------------------------------------------------------


@native
def whole(a: i64, b: i64, out: Ints) -> None:
    out[0] = a + b
    out[1] = a - b * SCALE
    out[2] = -a
    out[3] = abs(a)
    out[4] = min(a, b, 3)
    out[5] = max(a, -b)
    out[6] = a**2
    out[7] = 0 if b == 0 else a // b
    out[8] = 0 if b == 0 else a % b
    out[9] = (a < b) + (a <= b) + (a == b) + (a != b) + (a > b) + (a >= b)
    out[10] = int(a)


@given(st.integers(-(2**20), 2**20), st.integers(-50, 50))
def test_whole_numbers(a, b):
    agree(whole, a, b, np.zeros(11, dtype=np.int64))


@native
def real(a: f64, b: f64, k: i64, out: Array) -> None:
    half: f64 = 1 / 2
    out[0] = a + k
    out[1] = k - a * GAIN
    out[2] = a / b
    out[3] = abs(-a)
    out[4] = min(a, b)
    out[5] = max(a, k, b)
    out[6] = float(k) / 3
    out[7] = int(a)
    out[8] = isfinite(a / b)
    out[9] = a**2 + half
    out[10] = sqrt(abs(a))
    out[11] = floor(a)


@given(st.integers(-4000, 4000), st.integers(1, 4000), st.integers(-9, 9))
def test_real_numbers(a, b, k):
    agree(real, a / 64, b / 64, k, np.zeros(12), rounding=1e-16)


@native
def transcendental(x: f64, out: Array) -> None:
    out[0] = sin(x)
    out[1] = cos(x)
    out[2] = exp(x)
    out[3] = log(2.5 + sin(x))
    out[4] = power(2.5 + cos(x), x)
    out[5] = (1.5 + cos(x)) ** 1.75


@given(st.floats(-4, 4))
def test_functions(x):
    found, expected = np.zeros(6), np.zeros(6)
    transcendental(x, found)
    transcendental.python(x, expected)
    # a few ulp: the argument of the outer function is rounded, too, and the power multiplies that by its exponent
    assert (np.abs(found - expected) <= 4e-15 * np.maximum(np.abs(expected), 0.1)).all()


@native
def extremes(a: f64, b: f64, out: Array) -> None:
    out[0] = min(a, b)
    out[1] = max(a, b)
    out[2] = isfinite(a)
    out[3] = a < b
    out[4] = a != b
    out[5] = not a >= b


@given(*[st.sampled_from([0.0, -0.0, 1.0, math.inf, -math.inf, math.nan])] * 2)
def test_nan_and_infinity_compare_as_in_python(a, b):
    agree(extremes, a, b, np.zeros(6))


def test_a_division_by_zero_is_infinite():
    out = np.zeros(12)
    real(1.0, 0.0, 1, out)
    assert (out[2], out[8]) == (np.inf, 0.0)


# -- arrays, traced functions --------------------------------------------------------------------------------------------


@native
def gather(n: i64, index: Ints, x: Array, out: Array) -> f64:
    tail = out[1:]
    total = 0.0
    for i in range(n):
        tail[i] = x[index[i]]
        total += tail[i]
    out[0] = total
    return total


def test_slices_and_whole_arrays():
    index, x = np.array([2, 0, 1, 2]), np.array([0.5, 1.5, 4.0])
    out = np.zeros(5)
    assert agree(gather, 4, index, x, out) == 10.0
    gather(4, index, x, out)
    assert out.tolist() == [10.0, 4.0, 0.5, 1.5, 4.0]


@native
def newton(f: Code, ins: Pointers, outs: Pointers, tolerance: f64) -> i64:
    x = ins[0]
    for k in range(30):
        f(ins, outs)
        step = outs[0][0] / outs[1][0]
        x[0] -= step
        if abs(step) < tolerance:
            return k
    return -1


def test_newtons_method_around_a_traced_function():
    (x,), (c,) = symbols("x", 1), symbols("c", 1)
    # code of one kind for native loops and for calls from Python, so that products and sums are fused in both
    f = Function("root", {"x": [x], "c": [c]}, {"r": [x * x - c], "slope": [2 * x]}, often=True)

    def python_f(ins, outs):
        for out, result in zip(outs, f(*ins), strict=True):
            out[...] = result

    results = []
    for run, code in ((newton, f), (newton.python, python_f), (newton, f.address)):
        ins, outs = [np.array([1.0]), np.array([2.0])], [np.empty(1), np.empty(1)]
        results.append((run(code, ins, outs, 1e-12), ins[0][0]))
    assert results[0] == results[1] == results[2]
    assert results[0][1] == pytest.approx(math.sqrt(2), abs=2e-16)


def test_the_cost_of_a_call_without_python():
    (x,) = symbols("x", 1)
    f = Function("cheap", {"x": [x]}, {"y": [x + 1.0]})
    # 20,000 calls take some 30 us, so that the ten or so which entering the loop costs do not hide the proportion
    short, long = (min(time_calls(f, n, [1.0]) for _ in range(5)) for n in (20_000, 2_000_000))
    assert 20 * short < long < 500 * short  # in proportion: a hundred times as many calls
    assert long / 2_000_000 < 1e-6  # a call from Python takes over a microsecond


# -- calls from Python ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((3, np.arange(3), np.zeros(3)), "takes 4 arguments, got 3"),
        ((3, np.arange(3), [0.0] * 3, np.zeros(4)), "float64"),
        ((3, np.arange(3.0), np.zeros(3), np.zeros(4)), "int64"),
        ((3, np.arange(6)[::2], np.zeros(3), np.zeros(4)), "contiguous"),
        ((2.5, np.arange(3), np.zeros(3), np.zeros(4)), "type i64 got 2.5"),
    ],
)
def test_wrong_arguments(args, words):
    with pytest.raises(ArgumentError, match=words) as caught:
        gather(*args)
    assert caught.value.element == ("gather",)


def test_numpys_numbers_are_numbers():
    assert factorial(np.int32(5)) == 120
    assert early(np.float32(0.5)) == 0.5
    with pytest.raises(ArgumentError, match="type f64 got None"):
        early(None)
