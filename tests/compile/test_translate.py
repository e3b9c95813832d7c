"""The native language: machine code against the same source run by Python."""

import math
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.compile import (
    Array,
    Code,
    Function,
    Ints,
    Native,
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
from linkwright.errors import ArgumentError, CompileError
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
    f = Function("root", {"x": [x], "c": [c]}, {"r": [x * x - c], "slope": [2 * x]})

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
    short, long = (min(time_calls(f, n, [1.0]) for _ in range(5)) for n in (2000, 200_000))
    assert 20 * short < long < 2000 * short  # in proportion
    assert long / 200_000 < 1e-6  # a call from Python takes over a microsecond


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


# -- what is not in the language --------------------------------------------------------------------------------------------


def refused(source: str, result: str = "f64") -> str:
    """The message for a function of these lines, the first of which is its line 3, after the decorator and the head."""
    with pytest.raises(CompileError) as caught:
        made(source, result)
    assert "wrong" in caught.value.element[0]
    return caught.value.cause


def made(source: str, result: str, name: str = "wrong", arguments: str = "x: Array, a: f64, k: i64") -> Native:
    lines = [f"    {line}" for line in source.splitlines()]
    text = "\n".join(["from test_translate import *", "", "@native", f"def {name}({arguments}) -> {result}:", *lines, ""])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(text)
        spec = spec_from_file_location(name, path)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        function = getattr(module, name)
        function._loaded  # noqa: B018  the source is read now, while it is there
    return function


REFUSED = {
    "import": ("import math\nreturn a", "Import is not in the language", 3),
    "with": ("with x:\n    pass\nreturn a", "With is not in the language", 3),
    "two targets": ("a, b = 1.0, 2.0\nreturn a", "Tuple is not in the language", 3),
    "list": ("return [a]", "List is not in the language", 3),
    "text": ("b = 'text'\nreturn a", "is no number", 3),
    "attribute": ("return math.sin(a)", "names a function", 3),
    "keyword": ("return early(x=a)", "by position", 3),
    "loop over an array": ("for v in x:\n    a += v\nreturn a", "range", 3),
    "loop with else": ("for i in range(3):\n    pass\nelse:\n    a = 1.0\nreturn a", "else", 3),
    "while with else": ("while a < 1.0:\n    a += 1.0\nelse:\n    a = 1.0\nreturn a", "else", 3),
    "step zero": ("for i in range(0, 3, 0):\n    pass\nreturn a", "step", 3),
    "step unknown": ("for i in range(0, 3, k):\n    pass\nreturn a", "step", 3),
    "four numbers": ("for i in range(0, 3, 1, 1):\n    pass\nreturn a", "one to three", 3),
    "another type": ("b = 1\nif a > 0.0:\n    b = a\nreturn a", "f64 where i64", 5),
    "real index": ("b = 1.0\nreturn x[a]", "index is f64", 4),
    "negative index": ("return x[-1]", "negative", 3),
    "negative slice": ("b = x[-k:]\nreturn a", "negative", 3),
    "slice from the start": ("b = x[:2]\nreturn a", "slice", 3),
    "element of a number": ("return a[0]", "a is no array", 3),
    "slice of a number": ("b = a[1:]\nreturn a", "a is no array", 3),
    "number as condition": ("return 1.0 if a else 0.0", "comparison", 3),
    "or of numbers": ("b = k or 5\nreturn a", "BoolOp is not in the language", 3),
    "shift": ("b = k << 2\nreturn a", "LShift of i64 and i64", 3),
    "floor of real": ("return a // 2.0", "FloorDiv of f64 and f64", 3),
    "is": ("return 1.0 if k is a else 0.0", "comparison", 3),
    "no result": ("if a > 0.0:\n    return a", "without a result", 3),
    "empty return": ("if a > 0.0:\n    return\nreturn a", "declared to return f64", 4),
    "two arguments": ("return sqrt(a, a)", "sqrt takes 1", 3),
    "wrong call": ("return early(a, a)", "early takes 1 arguments, got 2", 3),
    "array for number": ("return early(x)", "Array where f64", 3),
    "plain function": ("return agree(a)", "not a native function", 3),
    "no value": ("b: f64\nreturn a", "needs a value", 3),
    "calling a number": ("return a(x, x)", "f(ins, outs)", 3),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    source, words, line = REFUSED[case]
    message = refused(source)
    assert words in message
    assert f"(line {line} of the function at " in message


def test_refused_results_names_and_types():
    assert "declared to return None" in refused("return a", "None")
    assert "'unknown' is not known" in refused("return unknown + a")
    assert "unknown type 'str'" in refused("b: str = a\nreturn a")
    assert "unknown type 'complex'" in refused("return a", "complex")


def test_two_functions_of_one_name():
    def make(k):
        @native
        def constant(a: f64) -> f64:
            return a * k

        return constant

    two, three = make(2.0), make(3.0)
    assert (two(1.0), three(1.0)) == (2.0, 3.0)

    @native
    def both(a: f64) -> f64:
        return two(a) + three(a)

    with pytest.raises(CompileError, match="two native functions are called"):
        both(1.0)

    @native
    def inner(a: f64) -> f64:
        return two(a)

    @native
    def outer(a: f64) -> f64:
        return inner(a) + three(a)

    with pytest.raises(CompileError, match="two native functions are called"):
        outer(1.0)


# -- random programs ----------------------------------------------------------------------------------------------------

VARIABLES = ["a", "b", "c"]


@st.composite
def expressions(draw, depth=2):
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*VARIABLES, "x[a % 4]", "x[(b + 1) % 4]", "1", "7", "-3"]))
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    condition = draw(conditions(depth=depth - 1)) if draw(st.booleans()) else "a < b"
    return draw(
        st.sampled_from(
            [f"({left} + {right})", f"({left} - {right})", f"({left} * {right}) % 1009", f"({left}) // (abs({right}) + 1)",
             f"({left}) % -(abs({right}) + 2)", f"min({left}, {right})", f"max({left}, {right}, 2)", f"abs({left})",
             f"({left} if {condition} else {right})", f"({condition}) * 1"]
        )
    )  # fmt: skip


@st.composite
def conditions(draw, depth=1):
    one, two = draw(expressions(depth=0)), draw(expressions(depth=0))
    simple = f"{one} {draw(st.sampled_from(['<', '<=', '==', '!=', '>', '>=']))} {two}"
    if depth <= 0 or draw(st.booleans()):
        return simple
    other = draw(conditions(depth=depth - 1))
    return draw(st.sampled_from([f"({simple} and {other})", f"({simple} or not {other})", f"{one} < {two} <= 5"]))


@st.composite
def blocks(draw, depth=2):
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 6 if depth else 2))
        name = draw(st.sampled_from(VARIABLES))
        if kind == 0:
            lines.append(f"{name} {draw(st.sampled_from(['+=', '-=', '=']))} {draw(expressions())}")
        elif kind in (1, 2):
            lines.append(f"x[{name} % 4] = ({draw(expressions())}) % 65536")
        elif kind in (3, 4):
            lines += [f"if {draw(conditions())}:", *indented(draw(blocks(depth=depth - 1)))]
            lines += ["else:", *indented(draw(blocks(depth=depth - 1)))] if draw(st.booleans()) else []
        elif kind == 5:
            leave = draw(st.sampled_from(["break", "continue", "pass"]))
            body = [f"if {draw(conditions())}:", f"    {leave}", *draw(blocks(depth=depth - 1))]
            lines += [f"for i{depth} in range({draw(st.integers(0, 4))}):", *indented(body)]
        else:
            body = [f"n{depth} += 1", *draw(blocks(depth=depth - 1))]
            lines += [f"n{depth} = 0", f"while n{depth} < 3 and {draw(conditions())}:", *indented(body)]
        lines.append(f"{name} = {name} % 100003")  # Python's numbers have no end
    return lines


def indented(lines):
    return [f"    {line}" for line in lines]


@settings(max_examples=settings.default.max_examples // 2)
@given(blocks(), *[st.integers(-50, 50)] * 3)
def test_random_functions(lines, a, b, c):
    source = "\n".join([*lines, "return a + 3 * b + 7 * c"])
    function = made(source, "i64", "random_function", "x: Ints, a: i64, b: i64, c: i64")
    agree(function, np.arange(4), a, b, c)
