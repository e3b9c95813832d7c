"""Curves: in every form, and whether they are smooth, regular and closed."""

import numpy as np
import pytest

import linkwright.model as lw
from linkwright.errors import ModelError
from linkwright.graph import absolute, cos, evaluate, sin, symbol, where

TURN = 2 * np.pi
alpha = symbol("alpha")


def machine():
    m = lw.PlanarModel("m")
    m.parameter("a", 0.25)
    m.body("cam")
    m.body("follower")
    return m


def use(curve, m=None):
    m = m or machine()
    return m.add(lw.PointFollower("slot", m["follower"].at(0, 0), m["cam"].curve(curve)))


def points(curve, values, m=None):
    m = m or machine()
    traced = curve.point(alpha, lambda f, x: m.trace(f, {"alpha": x}))
    return np.array(evaluate(traced, {alpha: values, m["a"]: m.parameters["a"]}))


def test_the_same_outline_in_every_form():
    grid = np.linspace(0, TURN, 401)
    rho = 1.25 - 0.25 * np.cos(3 * grid)
    exact = rho * np.array([np.cos(grid), np.sin(grid)])
    m = machine()
    forms = [
        lw.Curve.polar(lambda x: 1.25 - 0.25 * cos(3 * x)),
        lw.Curve.polar("5/4 - cos(3*alpha)/4"),
        lw.Curve.polar("5/4 - a*cos(3*alpha)"),
        lw.Curve.polar(lambda x: 1.25 - m["a"] * cos(3 * x)),
        lw.Curve.parametric(
            "(5/4 - cos(3*alpha)/4)*cos(alpha)", lambda x: (1.25 - 0.25 * cos(3 * x)) * sin(x), end=TURN, closed=True
        ),
        lw.Curve.table(alpha=grid, rho=rho),
        lw.Curve.table(*exact, alpha=grid, closed=True),
        lw.Curve.polar(lw.Table(grid, rho, periodic=True)),
    ]
    between = np.linspace(0.1, 6, 50)
    wanted = (1.25 - 0.25 * np.cos(3 * between)) * np.array([np.cos(between), np.sin(between)])
    for curve in forms:
        assert curve.closed
        use(curve)
        # Cubic splines with a step of 0.016: error of the order of the step to the fourth power.
        np.testing.assert_allclose(points(curve, between, m), wanted, atol=1e-6)


def test_cam_whose_curvature_jumps_is_accepted():
    # Haug's example 3.4.3: slope continuous, curvature not.
    rho = lambda x: where(x < TURN / 3, 5 / 4 - cos(3 * x) / 4, 1.0)  # noqa: E731
    assert use(lw.Curve.polar(rho)).curve.curve.closed


def test_table_by_polygon_length():
    x, y = [0, 3, 3, 7], [0, 4, 5, 8]
    c = lw.Curve.table(x, y)
    assert (c.start, c.end, c.closed) == (0.0, 11.0, False)
    np.testing.assert_allclose(points(c, np.array([0.0, 5.0, 6.0, 11.0])), [x, y], atol=1e-14)


def test_open_curves_and_constants():
    use(lw.Curve.parametric("alpha", 0.0, start=-1, end=1))
    use(lw.Curve.polar(2.0))
    use(lw.Curve.polar(2.0, end=np.pi))
    assert not lw.Curve.polar(2.0, end=np.pi).closed


@pytest.mark.parametrize(
    ("curve", "cause"),
    [
        (lw.Curve.polar(lambda x: 1 + absolute(sin(x - 1))), "has a corner at alpha = 1"),
        (lw.Curve.polar(lambda x: where(x < 2, 1.0, 1.1)), "jumps at alpha = 2"),
        (lw.Curve.polar("where(alpha < 3, 1, 1 + (alpha - 3)*(2*pi - alpha)/50)"), "has a corner at alpha = 3"),
        (lw.Curve.polar("1 + alpha/10"), "does not close"),
        (lw.Curve.polar(lambda x: 1 + x * (TURN - x) / 50), "closes with a corner"),
        (lw.Curve.polar("1/(alpha - pi)"), "not finite at alpha = 3.14159"),
        (lw.Curve.polar("log(alpha - 1)"), "not finite at alpha = 0"),
        (lw.Curve.polar(0.0), "stands still"),
        (lw.Curve.parametric("alpha**2", "alpha**2", start=-1), "stands still at alpha = 0"),
        (lw.Curve.parametric("alpha", "t"), "depends on 't'"),
        (lw.Curve.parametric("alpha", "cam.x"), "depends on 'cam.x'"),
        (lw.Curve.parametric("alpha", "beta"), "'beta' is not known"),
        (lw.Curve.parametric("alpha", 0, lambda x: x), "space curve"),
        (lw.Curve.polar(lambda x: 1 if x > 0 else 2), "truth of a traced value"),
    ],
)
def test_bad_curves_are_named_before_anything_runs(curve, cause):
    with pytest.raises(ModelError) as caught:
        use(curve)
    assert caught.value.element == ("slot",)
    assert cause in caught.value.cause
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: lw.Curve.polar(1.0, start=1, end=1), "must grow"),
        (lambda: lw.Curve.polar(None), "rho must be a number"),
        (lambda: lw.Curve.table([0, 1], [0, 1]), "at least three"),
        (lambda: lw.Curve.table([0, 1, 2], [0, 1]), "at least three"),
        (lambda: lw.Curve.table([0, 1, 2], [0, 1, 2, 3]), "have 3, 4 numbers"),
        (lambda: lw.Curve.table([0, 1, 2], [0, 1, float("nan")]), "y is nan"),
        (lambda: lw.Curve.table([0, 0, 1], [0, 0, 1]), "must grow"),
        (lambda: lw.Curve.table([0, 1, 2]), "needs x and y"),
        (lambda: lw.Curve.table(rho=[1, 2, 3]), "alpha and rho"),
        (lambda: lw.Curve.table(alpha=[0, 3, TURN], rho=[1, 2, 1.5]), "must close"),
        (lambda: machine()["cam"].curve("circle"), "is no curve"),
    ],
)
def test_bad_data(build, words):
    with pytest.raises(ModelError) as caught:
        build()
    assert words in caught.value.cause
    assert caught.value.remedy


def test_a_parameter_that_spoils_a_curve_is_refused():
    m = machine()
    use(lw.Curve.polar("1 + (a - 0.25)*alpha"), m)
    with pytest.raises(ModelError, match="does not close"):
        m.set(a=0.3)
    assert m.parameters["a"] == 0.25
