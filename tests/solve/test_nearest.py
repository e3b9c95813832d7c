"""The nearest point on which equations hold, without machines."""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

from linkwright.solve.nearest import close, least_violated, nearest, polish, solutions


class Curve:
    """One equation f(x) = 0 with its derivatives."""

    def __init__(self, f, J, H, n):
        self.f, self.J, self.H = f, J, H
        self.scale = np.ones(n)

    def equations(self, q):
        return np.atleast_1d(self.f(q)), np.atleast_2d(self.J(q))

    def curvature(self, q, lam):
        return lam[0] * self.H(q)

    def sizes(self, J):
        return np.ones(len(J))

    def retract(self, q, d):
        return q + d

    def tangent(self, q):
        return np.eye(len(self.scale))

    def bend(self, q, g):
        return np.zeros(len(self.scale))


ellipse = Curve(
    lambda q: q[0] ** 2 / 4 + q[1] ** 2 - 1, lambda q: [q[0] / 2, 2 * q[1]], lambda q: np.diag([0.5, 2.0]), 2
)  # fmt: skip


@pytest.mark.parametrize("q0", [(3.0, 0.5), (0.1, 0.2), (-1.0, 2.0), (0.5, -3.0)])
def test_nearest_point_of_an_ellipse(q0):
    found = nearest(ellipse, np.array(q0), np.ones(2))
    assert found.closed
    # brute force
    a = np.linspace(0, 2 * pi, 200001)
    points = np.array([2 * np.cos(a), np.sin(a)])
    best = points[:, np.argmin(((points.T - q0) ** 2).sum(axis=1))]
    np.testing.assert_allclose(found.q, best, atol=1e-4)
    # the normal goes through q0
    normal = np.array([found.q[0] / 2, 2 * found.q[1]])
    d = np.array(q0) - found.q
    assert abs(normal[0] * d[1] - normal[1] * d[0]) < 1e-10


def test_weights_pull():
    even = nearest(ellipse, np.array([3.0, 3.0]), np.ones(2)).q
    first = nearest(ellipse, np.array([1.5, 3.0]), np.array([1e6, 1.0])).q
    assert first[0] == pytest.approx(1.5, abs=1e-4)
    assert even[0] < 2


def one_unknown(t):
    """Haug's example 4.3.1: (q - cos t)^2 + sin^2 t - 1/2."""
    return Curve(
        lambda q: (q[0] - cos(t)) ** 2 + sin(t) ** 2 - 0.5, lambda q: [2 * (q[0] - cos(t))], lambda q: np.eye(1) * 2, 1
    )


def test_newton_of_the_book():
    # case 1: t = 0, from 2: converges to 1 + sqrt(1/2)
    assert close(one_unknown(0.0), np.array([2.0])).q[0] == pytest.approx(1.707106781187, rel=1e-12)
    # case 3: no root; what is left is least at q = cos t, sqrt(2)/4
    found = nearest(one_unknown(3 * pi / 8), np.array([1.0]), np.ones(1))
    assert not found.closed
    assert found.q[0] == pytest.approx(0.38268343236509, abs=1e-5)
    assert found.residual[0] == pytest.approx(sqrt(2) / 4, rel=1e-9)


def test_dependent_and_inconsistent_rows():
    twice = Curve(
        lambda q: np.array([q[0] - 1, 2 * q[0] - 2]), lambda q: np.array([[1.0, 0], [2.0, 0]]), lambda q: np.zeros((2, 2)), 2
    )
    found = nearest(twice, np.array([3.0, 4.0]), np.ones(2))
    assert found.closed
    np.testing.assert_allclose(found.q, [1, 4], atol=1e-12)
    against = Curve(
        lambda q: np.array([q[0] - 1, q[0] - 2]), lambda q: np.array([[1.0, 0], [1.0, 0]]), lambda q: np.zeros((2, 2)), 2
    )
    found = nearest(against, np.array([3.0, 4.0]), np.ones(2))
    assert not found.closed
    np.testing.assert_allclose(np.abs(found.residual), 0.5, atol=1e-6)


def test_all_solutions():
    crossing = Curve(
        lambda q: np.array([q[0] ** 2 + q[1] ** 2 - 2, q[0] - q[1]]),
        lambda q: np.array([[2 * q[0], 2 * q[1]], [1, -1]]),
        lambda q: 2 * np.eye(2),
        2,
    )
    rng = np.random.default_rng(0)
    found = solutions(crossing, lambda k: rng.normal(size=2) * 2, 30, lambda a, b: bool(np.abs(a - b).max() < 1e-6))
    np.testing.assert_allclose(sorted(q[0] for q in found), [-1, 1], atol=1e-10)


def test_polish_from_the_solution_stays():
    q = np.array([2 * cos(0.3), sin(0.3)])
    found = polish(ellipse, q, q, np.ones(2))
    np.testing.assert_allclose(found.q, q, atol=1e-12)


def test_least_violated_where_lengths_are_large():
    """Two equations that contradict each other and leave a motion free, in millimetres: the damping is of their size."""

    class Parallels:
        scale = np.array([1e4, 1e4])

        def equations(self, q):
            return np.array([q[0] + q[1] - 1e3, q[0] + q[1] - 2e3]), np.ones((2, 2))

        def curvature(self, q, lam):
            return np.zeros((2, 2))

        def sizes(self, J):
            return np.ones(2)

        def retract(self, q, d):
            return q + d

    q, _ = least_violated(Parallels(), np.array([2e5, 1e5]))  # many steps away, with less damping at each
    assert q.sum() == pytest.approx(1.5e3)
