"""Motions of drivers: exact derivatives, published peak values, smooth joints to the dwells."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright import graph
from linkwright.equations import motions

t = graph.symbol("t")
RISES = [motions.cycloidal, motions.modified_sine]


def derivatives(f, times):
    """f, f', f'' at the given times, by the graph."""
    fd = graph.along([f], {t: 1.0})
    fdd = graph.along(fd, {t: 1.0})
    values = graph.evaluate([f, *fd, *fdd], {t: times})
    return [np.broadcast_to(np.asarray(x, float), np.shape(times)) for x in values]


def test_polynomial():
    f, fd, fdd = derivatives(motions.polynomial(t, [1.0, -2.0, 0.5, 3.0]), 0.7)
    assert f == pytest.approx(1 - 1.4 + 0.5 * 0.49 + 3 * 0.343, rel=1e-14)
    assert fd == pytest.approx(-2 + 0.7 + 9 * 0.49, rel=1e-14)
    assert fdd == pytest.approx(1 + 18 * 0.7, rel=1e-14)
    assert motions.polynomial(t, []) == 0.0
    assert motions.polynomial(0.5, [1.0, 2.0]) == 2.0


@settings(max_examples=25, deadline=None)
@given(st.floats(-3, 3), st.floats(0.1, 5), st.floats(-3, 3), st.floats(-2, 2), st.floats(0, 4))
def test_harmonic(amplitude, omega, phase, offset, time):
    f, fd, fdd = derivatives(motions.harmonic(t, amplitude, omega, phase, offset), time)
    assert f == pytest.approx(offset + amplitude * np.sin(omega * time + phase), abs=1e-13)
    assert fd == pytest.approx(amplitude * omega * np.cos(omega * time + phase), abs=1e-12)
    assert fdd == pytest.approx(-(omega**2) * (float(f) - offset), abs=1e-12)  # f'' = -omega^2 (f - offset)


@pytest.mark.parametrize(
    ("shape", "velocity", "acceleration"),
    [(motions.cycloidal, 2.0, 6.283), (motions.modified_sine, 1.760, 5.528)],
)
def test_published_peaks(shape, velocity, acceleration):
    """Factors of height/duration and height/duration^2, as printed in cam tables: four digits."""
    _, fd, fdd = derivatives(shape(t), np.linspace(0, 1, 8001))
    assert fd.max() == pytest.approx(velocity, abs=5e-4)
    assert fdd.max() == pytest.approx(acceleration, abs=5e-4)
    assert fdd.min() == pytest.approx(-acceleration, abs=5e-4)


def test_modified_sine_published_coefficients():
    """The three pieces with the constants that cam tables print, eight digits; the tolerance is their rounding."""
    x = np.array([0.05, 0.12, 0.3, 0.5, 0.8, 0.9, 0.99])
    line = 0.43990085 * x
    ends = line - 0.0350062 * np.sin(4 * np.pi * x)
    middle = 0.28004957 + line - 0.31505577 * np.cos(4 * np.pi / 3 * x - np.pi / 6)
    expected = np.where(x < 1 / 8, ends, np.where(x < 7 / 8, middle, 0.56009915 + ends))
    np.testing.assert_allclose(derivatives(motions.modified_sine(t), x)[0], expected, rtol=0, atol=3e-8)


@pytest.mark.parametrize("shape", RISES)
def test_rises_are_symmetric_and_complete(shape):
    x = np.linspace(0, 1, 201)
    f, fd, fdd = derivatives(shape(t), x)
    # rounding of 1 - x in the arguments
    np.testing.assert_allclose(f + f[::-1], 1, rtol=0, atol=1e-15)
    np.testing.assert_allclose(fd, fd[::-1], rtol=0, atol=1e-14)
    np.testing.assert_allclose(fdd, -fdd[::-1], rtol=0, atol=1e-13)
    assert (np.diff(f) > 0).all()


@pytest.mark.parametrize("shape", RISES)
@settings(max_examples=20, deadline=None)
@given(st.floats(-2, 2), st.floats(0.05, 4), st.floats(-3, 3))
def test_rise_joins_its_dwells_smoothly(shape, start, duration, height):
    f = motions.rise(t, shape, start, duration, height)
    fractions = np.array([0, 1 / 8, 7 / 8, 1])  # every place where the formula changes
    step = 1e-7
    before, after = (derivatives(f, start + duration * (fractions + side * step)) for side in (-1, 1))
    scales = [1, duration, duration**2]  # derivatives by t, made comparable
    for left, right, scale in zip(before, after, scales, strict=True):
        # over 2e-7 a smooth f, f', f'' of peak rates 2, 6, 70 (jerk) moves by 2e-5 at most, besides rounding of t
        np.testing.assert_allclose(left * scale, right * scale, rtol=0, atol=3e-5 * abs(height) + 1e-12)
    values = derivatives(f, np.array([start - 1, start + duration + 1]))
    np.testing.assert_array_equal(values[0], [0, height])
    np.testing.assert_array_equal(values[1:], 0)


@pytest.mark.parametrize("shape", RISES)
def test_integrated_acceleration_gives_the_rise(shape):
    """f(1) = integral of (1 - x) f''(x), f'(1) = integral of f'' = 0; Gauss-Legendre on each smooth piece."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    height = speed = 0.0
    for lo, hi in [(0, 1 / 8), (1 / 8, 7 / 8), (7 / 8, 1)]:
        x, w = lo + (hi - lo) * (nodes + 1) / 2, weights * (hi - lo) / 2
        fdd = derivatives(shape(t), x)[2]
        height, speed = height + w @ ((1 - x) * fdd), speed + w @ fdd
    assert height == pytest.approx(1.0, abs=1e-13)
    assert speed == pytest.approx(0.0, abs=1e-13)


def test_a_sum_of_rises_is_a_programme():
    f = motions.rise(t, motions.cycloidal, 0.0, 1.0, 2.0) + motions.rise(t, motions.modified_sine, 1.5, 0.5, -2.0)
    position, *_ = derivatives(f, np.array([-1.0, 0.5, 1.0, 1.2, 1.75, 2.0, 3.0]))
    np.testing.assert_allclose(position, [0, 1, 2, 2, 1, 0, 0], rtol=0, atol=1e-15)
    assert motions.rise(0.5, motions.modified_sine, 0.0, 1.0, 2.0) == pytest.approx(1.0)  # plain numbers, too


def test_rise_with_traced_timing():
    """Start, duration and height may be parameters of the design."""
    start, duration, height = (graph.symbol(x) for x in ("start", "duration", "height"))
    f = motions.rise(t, motions.cycloidal, start, duration, height)
    values = {t: 1.3, start: 1.0, duration: 2.0, height: 0.4}
    assert graph.evaluate([f], values)[0] == pytest.approx(0.4 * (0.15 - np.sin(0.3 * np.pi) / (2 * np.pi)), rel=1e-14)
    (by_height,) = graph.gradient(f, [height]).values()
    assert graph.evaluate([by_height], values)[0] == pytest.approx(0.15 - np.sin(0.3 * np.pi) / (2 * np.pi), rel=1e-14)


def test_table_of_a_cubic_is_the_cubic():
    """A not-a-knot spline reproduces a cubic, with both derivatives, and goes on beyond its ends."""
    x = np.linspace(0, 2, 6)
    f, fd, fdd = derivatives(motions.table(t, graph.Table.through(x, x**3 - x)), np.array([0.33, 1.9, 2.5]))
    times = np.array([0.33, 1.9, 2.5])
    np.testing.assert_allclose(f, times**3 - times, rtol=0, atol=1e-13)
    np.testing.assert_allclose(fd, 3 * times**2 - 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fdd, 6 * times, rtol=0, atol=1e-11)


def test_periodic_table_repeats_with_its_derivatives():
    x = np.linspace(0, 2, 9)
    f = motions.table(t, graph.Table.through(x, np.sin(np.pi * x), periodic=True))
    for one, later in zip(derivatives(f, 0.37), derivatives(f, 0.37 + 6.0), strict=True):
        assert later == pytest.approx(one, abs=1e-12)
