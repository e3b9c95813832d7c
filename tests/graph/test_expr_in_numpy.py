"""Traced scalars in numpy: its functions, arrays of them, not a number and infinity."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright.errors import TraceError
from linkwright.graph import (
    Expr,
    cos,
    evaluate,
    maximum,
    minimum,
    sin,
    sqrt,
    symbol,
    symbols,
)
from linkwright.graph import arithmetic as arithmetic_module

x, y = symbol("x"), symbol("y")


@pytest.mark.parametrize(
    ("numpys", "ours"),
    [
        (lambda: np.sin(x), lambda: sin(x)),
        (lambda: np.cos(x * 2), lambda: cos(2 * x)),
        (lambda: np.arctan2(x, y), lambda: arithmetic_module.apply("atan2", x, y)),
        (lambda: np.arctan2(x, 1.0), lambda: arithmetic_module.apply("atan2", x, 1.0)),
        (lambda: np.maximum(x, 0.0), lambda: maximum(x, 0.0)),
        (lambda: np.minimum(np.float64(3), x), lambda: minimum(3.0, x)),
        (lambda: np.square(x), lambda: x * x),
        (lambda: np.abs(x), lambda: abs(x)),
        (lambda: np.sqrt(np.array(x)), lambda: sqrt(x)),
        (lambda: np.float64(2) * x, lambda: 2 * x),
        (lambda: np.float64(2) - x, lambda: 2 - x),
        (lambda: x / np.float64(2), lambda: x / 2),
        (lambda: np.float64(2) ** x, lambda: 2**x),
        (lambda: np.float64(2) < x, lambda: x > 2),
        (lambda: np.array(2.0) * x, lambda: 2 * x),
        (lambda: np.degrees(x), lambda: x * (180 / np.pi)),
    ],
)
def test_numpy_functions_of_a_traced_scalar(numpys, ours):
    assert type(numpys()) is Expr
    assert numpys() is ours()


def test_numpy_sign_has_its_three_values():
    assert evaluate([np.sign(x)], {x: np.array([-2.0, 0.0, 3.0])})[0].tolist() == [-1.0, 0.0, 1.0]


def test_arrays_of_traced_scalars():
    a, b, A = symbols("a", 3), symbols("b", 3), symbols("A", 3, 3)
    assert a @ b is a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    assert np.dot(a, b) is a @ b
    assert np.cross(a, b)[2] is a[0] * b[1] - a[1] * b[0]
    assert (A @ a)[1] is A[1, 0] * a[0] + A[1, 1] * a[1] + A[1, 2] * a[2]
    assert (A @ np.array([0.0, 1.0, 0.0]))[2] is A[2, 1]  # structural zeros vanish in a matrix product
    assert (np.array([1.0, 2.0, 3.0]) * x)[2] is 3 * x
    assert (x * np.ones((2, 3))).shape == (2, 3)
    assert (A + a)[2, 1] is A[2, 1] + a[1]
    assert np.sin(a)[1] is sin(a[1])
    assert np.maximum(x, np.array([1.0, 2.0]))[1] is maximum(x, 2.0)
    assert np.linalg.norm(a) is sqrt(a @ a)


def test_numpy_compares_arrays_only_of_numbers():
    """numpy asks for the truth of each comparison in an array: refused, at the user's line."""
    with pytest.raises(TraceError, match=re.escape(__file__)):
        symbols("a", 2) > 0  # noqa: B015


def test_arrays_change_in_place():
    a = symbols("a", 2).copy()
    first = a[0]
    a += x
    a *= 2
    assert a[0] is (first + x) * 2
    a -= a
    assert all(type(v) is float and v == 0.0 for v in a)


def test_a_float_array_does_not_take_a_traced_value_silently():
    plain = np.zeros(2)
    with pytest.raises(TraceError):
        plain[0] = x
    with pytest.raises(TraceError):
        plain += x


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 0.5, 1e308]), min_size=2, max_size=2))
def test_nan_and_infinity_as_in_numpy(values):
    a, b = values
    cases = [
        (x + y, np.add), (x - y, np.subtract), (x * y, np.multiply), (x / y, np.divide),
        (minimum(x, y), np.minimum), (maximum(x, y), np.maximum), (np.arctan2(x, y), np.arctan2), (x**y, np.power),
    ]  # fmt: skip
    with np.errstate(all="ignore"):
        for traced, function in cases:
            # min, max of (0, -0) may give either zero
            np.testing.assert_array_equal(evaluate([traced], {x: a, y: b})[0], function(np.float64(a), np.float64(b)))
        for name in ("sin", "sqrt", "exp", "log", "arcsin", "arctan", "tanh", "sign", "floor", "absolute"):
            found = evaluate([getattr(np, name)(x)], {x: a})[0]
            np.testing.assert_allclose(found, getattr(np, name)(np.float64(a)), rtol=4e-16)
        assert bool(evaluate([x < y], {x: a, y: b})[0]) == (a < b)
        assert bool(evaluate([x == y], {x: a, y: b})[0]) == (a == b)
        assert bool(evaluate([x != y], {x: a, y: b})[0]) == (a != b)
