"""Tables against scipy's splines, over many periods, and what they refuse."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from linkwright.errors import TraceError
from linkwright.graph import Table, along, evaluate, gradient, symbol
from strategies import numbers, seeds

u = symbol("u")


def derivatives(table, at):
    """The value and three derivatives, all through the graph."""
    roots = [table(u)]
    for _ in range(3):
        roots += along(roots[-1:], {u: 1.0})
    return [np.broadcast_to(v, np.shape(at)) for v in evaluate(roots, {u: np.asarray(at)})]


@given(seeds, st.integers(4, 12), st.booleans())
def test_cubic_against_scipy(random, n, periodic):
    x = np.cumsum(random.uniform(0.2, 1.0, n))
    y = random.normal(size=n)
    if periodic:
        y[-1] = y[0]
    table = Table.through(x, y, periodic=periodic)
    spline = CubicSpline(x, y, bc_type="periodic" if periodic else "not-a-knot")
    at = random.uniform(x[0] - 0.5, x[-1] + 0.5, 50)  # also outside: the end polynomials go on, or it repeats
    for order, found in enumerate(derivatives(table, at)):
        # the same polynomials, the same interval: only the order of summation differs
        np.testing.assert_allclose(found, spline(at, order), rtol=1e-12, atol=1e-11 * np.abs(spline.c[3 - order]).max())


@given(seeds, st.integers(2, 8))
def test_linear_against_numpy(random, n):
    x, y = np.cumsum(random.uniform(0.2, 1.0, n)), random.normal(size=n)
    table = Table.through(x, y, kind="linear")
    at = random.uniform(x[0], x[-1], 30)
    value, slope, *more = derivatives(table, at)
    np.testing.assert_allclose(value, np.interp(at, x, y), rtol=1e-13, atol=1e-14)
    k = np.searchsorted(x, at, side="right") - 1
    np.testing.assert_allclose(slope, (np.diff(y) / np.diff(x))[k], rtol=1e-14)
    assert (np.array(more) == 0.0).all()


@given(seeds, st.integers(-1000, 1000))
def test_many_periods_away(random, periods):
    x = np.linspace(-0.3, 1.7, 9)  # a period of 2 that does not start at zero
    y = random.normal(size=9)
    y[-1] = y[0]
    table = Table.through(x, y, periodic=True)
    at = random.uniform(-0.3, 1.7, 20)
    # 2000 away an argument has lost 3 digits, and the third derivative jumps at the knots: leave out their vicinity
    at = at[np.abs(at[:, None] - x).min(axis=1) > 1e-6]
    here, there = derivatives(table, at), derivatives(table, at + 2.0 * periods)
    for a, b in zip(here, there, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12 * 2000 * np.abs(here).max())


def test_the_seam_of_a_periodic_table_is_smooth():
    x = np.linspace(0, 2 * np.pi, 13)
    table = Table.through(x, np.sin(x), periodic=True)
    for seam in (0.0, 2 * np.pi, -2 * np.pi, 20 * np.pi):
        before, after = derivatives(table, seam - 1e-9), derivatives(table, seam + 1e-9)
        for order in range(3):  # twice continuously differentiable: over 2e-9 it changes by that times a bounded slope
            assert float(before[order]) == pytest.approx(float(after[order]), abs=1e-8)


@given(numbers)
def test_a_cubic_is_reproduced(value):
    x = np.linspace(-2, 2, 7)
    table = Table.through(x, x**3 - x)
    found = [float(v) for v in derivatives(table, value)]
    assert found == pytest.approx([value**3 - value, 3 * value**2 - 1, 6 * value, 6.0], rel=1e-12, abs=1e-12)


def test_derivatives_beyond_the_degree_are_structural_zeros():
    line = Table.through([0, 1, 3], [0, 1, 0], kind="linear")
    (slope,) = along([line(u)], {u: 1.0})
    assert along([slope], {u: 1.0}) == [0.0]
    assert gradient(slope, [u]) == {}
    cubic = Table.through([0, 1, 2, 3], [0, 1, 0, 2])
    assert cubic.at(u, 4) == 0.0
    assert cubic.at(u, 3) is not cubic.at(u, 2)


def test_equal_tables_are_one():
    a, b = (Table.through([0, 1, 2], [0, 1, 4]) for _ in range(2))
    assert a == b
    assert hash(a) == hash(b)
    assert a(u) is b(u)
    assert pickle.loads(pickle.dumps(a(u))) is a(u)
    assert a != Table.through([0, 1, 2], [0, 1, 5])
    assert Table([0, 1], [[1.0]]) != Table([0, 1], [[1.0]], periodic=True)


def test_a_table_does_not_change_under_the_graph():
    table = Table.through([0, 1, 2], [0, 1, 4])
    with pytest.raises(ValueError, match="read-only"):
        table.coefficients[0, 0] = 1.0


def test_on_numbers_and_arrays():
    table = Table.through([0, 1, 2], [0, 1, 4])
    assert table(1.5) == pytest.approx(2.25, rel=1e-15)
    assert type(table(1.5)) is float
    assert table(np.array([[0.0, 2.0]])).tolist() == [[0.0, pytest.approx(4.0)]]
    assert table(np.array([u], dtype=object))[0] is table(u)


@pytest.mark.parametrize(
    ("x", "y", "options", "cause"),
    [
        ([0, 1, 2, 3], [1, 2, 0, 1.1], {"periodic": True}, "must close: it starts at 1 and ends at 1.1"),
        ([0, 1, 1, 2], [1, 2, 3, 4], {}, r"must grow: x\[1\] = 1, x\[2\] = 1"),
        ([0, 2, 1], [1, 2, 3], {"kind": "linear"}, r"must grow: x\[1\] = 2, x\[2\] = 1"),
        ([0, 1], [1, 2], {}, "at least 3"),
        ([0, 1, 2], [1, 2], {}, r"equal length.*\(3,\) and \(2,\)"),
        ([[0, 1, 2]], [[1, 2, 3]], {}, "two rows of equal length"),
        ([0, 1, np.nan], [1, 2, 3], {}, "NaN or infinity"),
        ([0, 1, 2], [1, np.inf, 3], {}, "NaN or infinity"),
        ([0, 1, 2], [1, 2, 3], {"kind": "quintic"}, "unknown kind of table 'quintic'"),
    ],
)
def test_what_a_table_refuses(x, y, options, cause):
    with pytest.raises(TraceError, match=cause) as info:
        Table.through(x, y, **options)
    assert info.value.remedy
