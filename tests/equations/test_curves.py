"""Curves: tangents against formulas, tables against the curves they sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright import graph
from linkwright.equations import curves
from linkwright.graph.table import Table

TURN = 2 * np.pi
a = graph.symbol("a")


def numbers(vector, at):
    return np.array([float(x) for x in graph.evaluate(list(vector), {a: at})])


def cam_radius(alpha):
    """5/4 - cos(3 alpha)/4 on [0, 2 pi/3], 1 elsewhere (Haug, example 3.4.3)."""
    return graph.where((alpha >= 0) & (alpha <= TURN / 3), 1.25 - graph.cos(3 * alpha) / 4, 1.0)


# -- tangents -----------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.floats(0.1, 10), st.floats(-20, 20), st.floats(-3, 3), st.floats(-3, 3))
def test_circle(radius, alpha, x, y):
    # rounding of coordinates up to 13
    circle = curves.polar(lambda _: radius, (x, y))
    np.testing.assert_allclose(
        numbers(circle(a), alpha), [x + radius * np.cos(alpha), y + radius * np.sin(alpha)], atol=1e-14
    )
    g = numbers(curves.tangent(circle, a), alpha)
    np.testing.assert_allclose(g, radius * np.array([-np.sin(alpha), np.cos(alpha)]), rtol=0, atol=3e-14)


def test_geometry_takes_plain_numbers_and_expressions():
    circle = curves.polar(lambda _: 2.0)
    assert [float(x) for x in curves.tangent(circle, 0.0)] == [0.0, 2.0]
    t = graph.symbol("t")
    by_time = curves.tangent(circle, 3 * t)  # at alpha = 3 t, still by alpha
    assert graph.evaluate(list(by_time), {t: np.pi / 6}) == pytest.approx([-2.0, 0.0], abs=1e-15)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 2.0, 3.0, 5.5])
def test_cam(alpha):
    lobe = alpha <= TURN / 3
    rho, rho_a = (1.25 - np.cos(3 * alpha) / 4, 0.75 * np.sin(3 * alpha)) if lobe else (1.0, 0.0)
    u, n = np.array([np.cos(alpha), np.sin(alpha)]), np.array([-np.sin(alpha), np.cos(alpha)])
    for turns in (0, -2, 3):  # the formula of one turn, repeated
        cam = curves.polar(curves.repeated(cam_radius, 0.0, TURN))
        np.testing.assert_allclose(numbers(cam(a), alpha + TURN * turns), rho * u, rtol=0, atol=1e-13)
        np.testing.assert_allclose(
            numbers(curves.tangent(cam, a), alpha + TURN * turns), rho_a * u + rho * n, rtol=0, atol=1e-13
        )


# -- tables ------------------------------------------------------------------------------------------------------------


def errors(n):
    """Largest error of the point, and of the tangent, of a splined ellipse with n intervals."""
    knots = np.linspace(0, TURN, n + 1)
    x, y = (Table.through(knots, values, periodic=True) for values in (2 * np.cos(knots), np.sin(knots)))
    table = curves.parametric(x, y)
    s = np.linspace(-TURN, 2 * TURN, 997)
    point = np.array(graph.evaluate(list(table(a)), {a: s})) - [2 * np.cos(s), np.sin(s)]
    slope = np.array(graph.evaluate(list(curves.tangent(table, a)), {a: s})) - [-2 * np.sin(s), np.cos(s)]
    return np.abs(point).max(), np.abs(slope).max()


def test_a_closed_table_converges_with_the_order_of_cubic_splines():
    (p1, s1), (p2, s2) = errors(20), errors(40)
    assert np.log2(p1 / p2) == pytest.approx(4, abs=0.2)  # asymptotic orders, not yet exact at 20 intervals
    assert np.log2(s1 / s2) == pytest.approx(3, abs=0.2)


@pytest.mark.parametrize("closed", [True, False])
def test_a_tabulated_radius(closed):
    knots = np.linspace(0, TURN, 13)
    rho = 2 + 0.3 * np.cos(2 * knots)
    path = curves.polar(Table.through(knots, rho, periodic=closed))
    for k in range(13):
        point = numbers(path(a), knots[k])
        np.testing.assert_allclose(point, rho[k] * np.array([np.cos(knots[k]), np.sin(knots[k])]), rtol=0, atol=3e-14)
