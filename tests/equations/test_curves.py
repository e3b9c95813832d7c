"""Curves: tangents and curvature against formulas, tables against the curves they sample, faults found and placed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright import graph
from linkwright.equations import curves

TURN = 2 * np.pi
a = graph.symbol("a")


def numbers(vector, at):
    return np.array([float(x) for x in graph.evaluate(list(vector), {a: at})])


def cam_radius(alpha):
    """5/4 - cos(3 alpha)/4 on [0, 2 pi/3], 1 elsewhere (Haug, example 3.4.3)."""
    return graph.where((alpha >= 0) & (alpha <= TURN / 3), 1.25 - graph.cos(3 * alpha) / 4, 1.0)


def polar_curvature(rho, rho_a, rho_aa):
    return (rho**2 + 2 * rho_a**2 - rho * rho_aa) / (rho**2 + rho_a**2) ** 1.5


# -- tangent and curvature --------------------------------------------------------------------------------------------


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
    assert graph.evaluate([curves.curvature(circle, a)], {a: alpha})[0] == pytest.approx(1 / radius, rel=1e-14)


def test_geometry_takes_plain_numbers_and_expressions():
    circle = curves.polar(lambda _: 2.0)
    assert [float(x) for x in curves.tangent(circle, 0.0)] == [0.0, 2.0]
    assert float(curves.curvature(circle, 0.3)) == pytest.approx(0.5)
    t = graph.symbol("t")
    by_time = curves.tangent(circle, 3 * t)  # at alpha = 3 t, still by alpha
    assert graph.evaluate(list(by_time), {t: np.pi / 6}) == pytest.approx([-2.0, 0.0], abs=1e-15)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 2.0, 3.0, 5.5])
def test_cam(alpha):
    lobe = alpha <= TURN / 3
    rho, rho_a, rho_aa = (
        (1.25 - np.cos(3 * alpha) / 4, 0.75 * np.sin(3 * alpha), 2.25 * np.cos(3 * alpha)) if lobe else (1.0, 0.0, 0.0)
    )
    u, n = np.array([np.cos(alpha), np.sin(alpha)]), np.array([-np.sin(alpha), np.cos(alpha)])
    for turns in (0, -2, 3):  # the formula of one turn, repeated
        cam = curves.polar(curves.repeated(cam_radius, 0.0, TURN))
        np.testing.assert_allclose(numbers(cam(a), alpha + TURN * turns), rho * u, rtol=0, atol=1e-13)
        np.testing.assert_allclose(
            numbers(curves.tangent(cam, a), alpha + TURN * turns), rho_a * u + rho * n, rtol=0, atol=1e-13
        )
    kappa = graph.evaluate([curves.curvature(cam, a)], {a: alpha})[0]
    assert kappa == pytest.approx(polar_curvature(rho, rho_a, rho_aa), rel=1e-13)


def test_the_cam_is_hollow_at_the_ends_of_its_lobe():
    """Smallest hollow radius 0.8, from 1 - 9/4 = -5/4 at the ends; sharpest at the top: ((3/2)^2 + 27/8)/(3/2)^3."""
    least, largest = curves.curvature_range(curves.polar(cam_radius), 0.0, TURN / 3)
    assert -1 / least == pytest.approx(0.8, rel=1e-12)
    assert largest == pytest.approx((2.25 + 1.5 * 2.25) / 3.375, rel=1e-12)  # the top lies on the grid


def test_straight_line_has_no_curvature():
    slot = curves.parametric(lambda s: 1 + 3 * s, lambda s: 2 - s)
    assert curves.curvature(slot, a) == 0.0
    assert curves.curvature_range(slot, 0.0, 1.0) == (0.0, 0.0)
    assert curves.defects(slot, 0.0, 1.0, closed=False) == []


def test_curvature_does_not_depend_on_the_parameter():
    ellipse = curves.parametric(lambda s: 3 * graph.cos(s), lambda s: graph.sin(s))
    other = curves.parametric(lambda s: ellipse(s * s * s + s)[0], lambda s: ellipse(s * s * s + s)[1])
    for s in (0.1, 0.7, 1.2):
        kappa = graph.evaluate([curves.curvature(other, a)], {a: s})[0]
        c, d = np.cos(s**3 + s), np.sin(s**3 + s)
        assert kappa == pytest.approx(3 / (9 * d * d + c * c) ** 1.5, rel=1e-12)


# -- tables ------------------------------------------------------------------------------------------------------------


def errors(n):
    """Largest error of the point, and of the tangent, of a splined ellipse with n intervals."""
    knots = np.linspace(0, TURN, n + 1)
    table = curves.tabulated(knots, 2 * np.cos(knots), np.sin(knots), closed=True)
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
    path = curves.tabulated_polar(knots, rho, closed=closed)
    for k in range(13):
        point = numbers(path(a), knots[k])
        np.testing.assert_allclose(point, rho[k] * np.array([np.cos(knots[k]), np.sin(knots[k])]), rtol=0, atol=3e-14)
    found = [d.code for d in curves.seam(path, 0.0, TURN)]
    assert found == ([] if closed else ["kink", "bend"])  # an open spline does not know that it closes


# -- faults ------------------------------------------------------------------------------------------------------------


def codes(found):
    return [d.code for d in found]


def test_smooth_closed_curves_have_no_defects():
    circle = curves.polar(lambda _: 2.0, (5.0, 1.0))
    wavy = curves.polar(lambda s: 2 + 0.1 * graph.cos(20 * s))
    assert curves.defects(circle, 0.0, TURN, closed=True) == []
    assert curves.defects(wavy, 0.0, TURN, closed=True) == []
    assert curves.defects(curves.polar(curves.repeated(lambda s: 2 + graph.sin(s), 0.0, TURN)), 0.0, TURN, closed=True) == []


def test_the_cam_bends_at_both_ends_of_its_lobe():
    found = curves.defects(curves.polar(cam_radius), 0.0, TURN, closed=True)
    assert codes(found) == ["bend", "bend"]
    assert [d.alpha for d in found] == pytest.approx([TURN / 3, TURN], abs=1e-8)
    # rho_aa jumps by 9/4; the scale is the largest |g_a|, at the top of the lobe: 1.5 + 9/4
    assert [d.size for d in found] == pytest.approx([2.25 / 3.75] * 2, rel=1e-4)
    assert "second derivative" in found[0].text
    assert found[0].remedy


@pytest.mark.parametrize(
    ("rho", "code", "at"),
    [
        (lambda s: graph.where(s < 1.234, 1.0, 1.5), "gap", 1.234),
        (lambda s: 1 + 0.1 * graph.absolute(s - 2.345), "kink", 2.345),
        (lambda s: 1 + 0.1 * graph.maximum(s - 2.345, 0.0) ** 2, "bend", 2.345),
    ],
)
def test_a_fault_inside_is_placed(rho, code, at):
    (found,) = curves.defects(curves.polar(rho), 0.0, 3.0, closed=False)
    assert found.code == code
    assert found.alpha == pytest.approx(at, abs=1e-8)  # 24 halvings of a 720th


def test_a_spiral_does_not_close():
    spiral = curves.polar(lambda s: 1 + 0.1 * s)
    found = curves.seam(spiral, 0.0, TURN)
    assert codes(found)[0] == "gap"
    assert codes(curves.defects(spiral, 0.0, TURN, closed=True))[0] == "gap"
    assert curves.defects(spiral, 0.0, TURN, closed=False) == []


def test_a_corner_at_the_seam():
    drop = curves.polar(lambda s: 2 + graph.sin(s / 2))  # slope 1/2 at the start, -1/2 at the end
    found = curves.seam(drop, 0.0, TURN)
    assert codes(found) == ["kink", "bend"]
    # |g| is largest where rho = 3; the jump of g there is 1, along u
    assert found[0].size == pytest.approx(1 / 3, rel=1e-9)


def test_a_cusp_is_an_irregular_parameter():
    cusp = curves.parametric(lambda s: s * s * s, lambda s: s * s)
    (found,) = curves.defects(cusp, -1.0, 1.1, closed=False)
    assert found.code == "irregular"
    assert found.alpha == pytest.approx(0.0, abs=1e-6)


def test_a_point_is_no_curve():
    (found,) = curves.defects(curves.parametric(lambda s: 1.0, lambda s: 2.0), 0.0, 1.0, closed=False)
    assert found.code == "irregular"


def test_a_formula_that_fails_is_named_with_its_place():
    bad = curves.polar(lambda s: graph.sqrt(s - 1.0))
    (found,) = curves.defects(bad, 0.0, 2.0, closed=False)
    assert (found.code, found.alpha) == ("undefined", 0.0)


def test_curves_of_design_parameters():
    """A spiral's pitch as a parameter: closed only at pitch zero, and then a circle of curvature 1/2."""
    pitch = graph.symbol("pitch")
    spiral = curves.polar(lambda s: 2 + pitch * s)
    assert curves.defects(spiral, 0.0, TURN, closed=True, values={pitch: 0.0}) == []
    assert codes(curves.seam(spiral, 0.0, TURN, {pitch: 0.1}))[0] == "gap"
    assert curves.curvature_range(spiral, 0.0, TURN, values={pitch: 0.0}) == pytest.approx((0.5, 0.5))
