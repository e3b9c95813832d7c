"""The functions of a formula: on numbers, on arrays, on traced scalars; signs of zero, tanh far out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from linkwright import graph
from linkwright.graph import along, evaluate, maximum, sign, sin, sqrt, symbol, symbols, tanh, where

x, y = symbol("x"), symbol("y")
UNARY = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "absolute": abs, "floor": math.floor,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "asinh": math.asinh, "atanh": math.atanh,
    "sign": lambda v: math.copysign(1, v),
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_number_array_and_traced_scalar_agree(name):
    function, expected = getattr(graph, name), UNARY[name](0.7)
    assert function(0.7) == pytest.approx(expected, rel=4e-16)
    assert type(function(0.7)) is float
    array = function(np.array([[0.7, 0.2]]))
    assert array.dtype == float
    assert array.shape == (1, 2)
    assert array[0, 0] == function(0.7)
    assert function([0.7, x])[1] is function(x)
    assert float(evaluate([function(x)], {x: 0.7})[0]) == pytest.approx(expected, rel=4e-16)
    assert function.__name__ == name
    assert function.__doc__


def test_broadcasting_a_traced_scalar_against_an_array():
    found = where(x > 0, np.array([1.0, 2.0]), symbols("a", 2))
    assert found[1] is where(x > 0, 2.0, symbol("a[1]"))
    assert maximum(symbols("a", 2), 0.0)[0] is maximum(symbol("a[0]"), 0.0)
    assert maximum(x, np.array([3.0]))[0] is maximum(x, 3.0)
    assert sqrt(symbols("A", 2, 2)).shape == (2, 2)
    assert graph.hypot(np.array([3.0]), np.array([4.0])) == [5.0]


def test_quadrants():
    ys, xs = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, -1.0, 1.0])
    found = evaluate([graph.atan2(y, x)], {x: xs, y: ys})[0]
    assert found == pytest.approx(np.array([1, 3, -3, -1]) * np.pi / 4, rel=1e-15)


@given(st.one_of(st.floats(-30, 30), st.floats(-1e-3, 1e-3)))
def test_tanh_and_its_derivatives(value):
    """The derivative is 1 - tanh^2: right to rounding of one, though not of itself far out where it vanishes."""
    traced = tanh(x)
    first = along([traced], {x: 1.0})
    found = evaluate([traced, *first, *along(first, {x: 1.0})], {x: value})
    with mp.workdps(40):
        t = mp.tanh(mpf(value))
        exact = [t, 1 - t * t, -2 * t * (1 - t * t)]
        for f, e, tolerance in zip(found, exact, (4e-16 * abs(t), 1e-15, 2e-15), strict=True):
            assert abs(mpf(float(f)) - e) <= tolerance


def test_hyperbolic_functions_and_their_derivatives():
    """Against 40 digits, near 0 and far out; the inverses undo them, also their derivatives of first and second order."""
    pairs = [("sinh", "asinh"), ("cosh", "acosh"), ("tanh", "atanh")]
    values = np.array([1e-9, 0.03, 0.7, 2.0, 9.0])
    for direct, inverse in pairs:
        for name, places in ((direct, values), (inverse, [float(getattr(mp, direct)(v)) for v in values])):
            traced = getattr(graph, name)(x)
            first = along([traced], {x: 1.0})
            for v in map(float, places):
                if name == "acosh" and v < 1.0004:  # there 1/sqrt(x - 1) is told by the last digits of x
                    continue
                found = evaluate([traced, *first, *along(first, {x: 1.0})], {x: v})
                with mp.workdps(40):
                    exact = [mp.diff(getattr(mp, name), mpf(v), n) for n in range(3)]
                    scale = [abs(exact[0]), 1 if name == "tanh" else abs(exact[1]), max(1, abs(exact[2]))]
                    assert all(abs(mpf(float(f)) - e) <= 1e-12 * s for f, e, s in zip(found, exact, scale, strict=True))


def test_numpy_traces_hyperbolic_functions():
    for name in ("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"):
        own = getattr(graph, name.replace("arc", "a"))
        assert getattr(np, name)(x) is own(x)
        assert getattr(np, name)(np.array([x, y]))[1] is own(y)


def test_tanh_far_out():
    assert evaluate([tanh(x)], {x: np.array([-1e300, 1e300, -math.inf, math.inf])})[0].tolist() == [-1, 1, -1, 1]
    assert np.isnan(evaluate([tanh(x)], {x: math.nan})[0])


def test_sign_of_zero_and_nan():
    assert sign(0.0) == 0.0
    assert math.isnan(sign(math.nan))
    found = evaluate([sign(x)], {x: np.array([-0.0, 0.0, math.nan, math.inf, -5e-324])})[0]
    np.testing.assert_array_equal(found, [0.0, 0.0, math.nan, 1.0, -1.0])


def test_spline_is_the_table():
    points = np.linspace(0, 1, 5)
    f = graph.spline(points, points**2)
    assert f(0.3) == pytest.approx(0.09, rel=1e-13)  # a cubic spline reproduces a parabola
    assert f(x) is graph.Table.through(points, points**2)(x)
    assert f(symbols("u", 2))[1] is f(symbol("u[1]"))


def test_outside_the_domain_is_not_a_number():
    assert math.isnan(graph.sqrt(-1.0))
    assert math.isnan(graph.asin(1.5))
    assert graph.log(0.0) == -math.inf
    assert math.isnan(graph.power(-1.0, 0.5))
    assert math.isnan(evaluate([sin(sqrt(x))], {x: -1.0})[0])
