"""Drivers: constraints whose constant is a function C(t); nu and gamma of Haug's table 3.5.1, errors mended."""

import numpy as np
import pytest
from planar_oracle import Relative, Traced, check, check_identity, kinematics

from linkwright import graph
from linkwright.equations import planar_constraints as pc
from linkwright.equations.plane import GROUND, Pose, unit

SEEDS = [1, 2, 3]


def C(t):
    """A motion with every derivative different, positive; its constants multiply without rounding."""
    return 2 + graph.sin(1.25 * t) + 0.125 * t * t


def rates(t):
    """C, C', C'' by hand."""
    return (
        2 + np.sin(1.25 * t) + 0.125 * t * t,
        1.25 * np.cos(1.25 * t) + 0.25 * t,
        -1.5625 * np.sin(1.25 * t) + 0.25,
    )


def data(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-2, 2, (3, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_absolute_drivers(seed):
    s, centre, _ = data(seed)
    a, b = s

    def equations(i, t):
        P = i.point(s)
        return [
            pc.absolute_x(P, C(t)),
            pc.absolute_y(P, C(t)),
            pc.absolute_angle(i.phi, C(t)),
            pc.absolute_distance(P, centre, C(t)),
        ]

    def oracle(i, t):
        c, cd, cdd = rates(t)
        d, v = i.P(s) - centre, i.v(s)
        J = [
            [1, 0, -a * i.s - b * i.c],
            [0, 1, a * i.c - b * i.s],
            [0, 0, 1],
            2 * np.array([*d, s @ i.B.T @ d]),
        ]
        gamma = [
            (a * i.c - b * i.s) * i.fd**2 + cdd,
            (a * i.s + b * i.c) * i.fd**2 + cdd,
            cdd,
            -2 * (v @ v - s @ i.A.T @ d * i.fd**2) + 2 * c * cdd + 2 * cd**2,
        ]
        return J, [cd, cd, cd, 2 * c * cd], gamma

    check(equations, oracle, 1, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_relative_drivers(seed):
    s_i, s_j, _ = data(seed)
    theta_i, theta_j = 0.3, -0.8

    def equations(i, j, t):
        P_i, P_j = i.point(s_i), j.point(s_j)
        return [
            pc.relative_x(P_i, P_j, C(t)),
            pc.relative_y(P_i, P_j, C(t)),
            pc.relative_angle(i.phi, j.phi, C(t)),
            pc.relative_distance(P_i, P_j, C(t)),
            pc.revolute_angle(i.phi, j.phi, theta_i, theta_j) - C(t),
        ]

    def oracle(i, j, t):
        c, cd, cdd = rates(t)
        D, Dd = i.P(s_i) - j.P(s_j), i.v(s_i) - j.v(s_j)
        centripetal = i.A @ s_i * i.fd**2 - j.A @ s_j * j.fd**2
        x, y = (np.array([*-e, -(i.B @ s_i) @ e, *e, (j.B @ s_j) @ e]) for e in np.eye(2))
        turn = [0, 0, -1, 0, 0, 1]
        J = [x, y, turn, 2 * np.array([*D, s_i @ i.B.T @ D, *-D, -s_j @ j.B.T @ D]), turn]
        gamma = [
            *(-centripetal + cdd),
            cdd,
            -2 * (Dd @ Dd - centripetal @ D) + 2 * c * cdd + 2 * cd**2,
            cdd,
        ]
        return J, [cd, cd, cd, 2 * c * cd, cd], gamma

    check(equations, oracle, 2, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_translational_distance_driver(seed):
    """The complete Jacobian and gamma (3.5.13 drops terms that vanish only beside the joint)."""
    s_i, s_j, v_i = data(seed)
    length = np.hypot(*v_i)

    def equations(i, j, t):
        return pc.displacement(i.point(s_i), i.vector(unit(v_i)), j.point(s_j)) - C(t)

    def oracle(i, j, t):
        _, cd, cdd = rates(t)
        ij = Relative(i, j)
        J = [
            *(-v_i @ i.A.T), v_i @ i.B.T @ ij.dr - v_i @ ij.B @ s_j,
            *(v_i @ i.A.T), v_i @ ij.B @ s_j,
        ]  # fmt: skip
        gamma = v_i @ (i.A.T @ ij.dr * i.fd**2 - 2 * i.B.T @ ij.drd * i.fd + ij.A @ s_j * ij.w**2) + length * cdd
        return np.array(J) / length, cd, gamma / length

    check(equations, oracle, 2, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_distance_as_a_quantity_moves_as_its_square_does(seed):
    """|d| - C has the velocities and accelerations of d.d - C^2 wherever |d| = C > 0: same rows but for 2 C."""
    s_i, s_j, _ = data(seed)
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-2, 2, (2, 6))
    symbols, rates_of = graph.symbols("q", 6), graph.symbols("qd", 6)

    i, j = Pose(symbols[:2], symbols[2]), Pose(symbols[3:5], symbols[5])
    square = pc.relative_distance(i.point(s_i), j.point(s_j), 0.0)
    length = pc.distance(i.point(s_i), j.point(s_j))
    along = dict(zip(symbols, rates_of, strict=True))
    values = {**dict(zip(symbols, q, strict=True)), **dict(zip(rates_of, qd, strict=True))}
    s, sd = ([f, *graph.along([f], along)] for f in (square, length))
    (s0, s1, s2), (d0, d1, d2) = (graph.evaluate([*f, *graph.along(f[1:], along)], values) for f in (s, sd))
    assert [s0, s1, s2] == pytest.approx([d0**2, 2 * d0 * d1, 2 * d1**2 + 2 * d0 * d2], rel=1e-12)


def test_second_derivative_along_the_motion():
    s_i, s_j, v_i = data(7)

    def equations(i, j, t):
        P_i, P_j = i.point(s_i), j.point(s_j)
        return [
            pc.relative_distance(P_i, P_j, C(t)),
            pc.displacement(P_i, i.vector(v_i), P_j) - C(t),
            pc.distance(P_i, P_j) - C(t),
            pc.relative_angle(i.phi, j.phi, C(t)),
        ]

    check_identity(equations, 2)


def test_excavator():
    """Two hydraulic cylinders of given length move boom and stick (Haug, example 3.5.3), t = 0 and t = 1."""
    root = np.sqrt(3)

    def equations(one, two, t):
        return [
            *pc.revolute(GROUND.point((0, 0)), one.point((0, 0))),
            *pc.revolute(one.point((2 * root, 0)), two.point((0, 0))),
            pc.relative_distance(GROUND.point((0.5, -0.5)), one.point((root, 0)), 1.8 + t / 5),
            pc.relative_distance(one.point((root, 1)), two.point((0, 0.5)), 1.9 + t / 10),
        ]

    traced = Traced(equations, 2)
    q, qd, qdd = kinematics(traced, [0, 0, 0.7, 2.7, 2.2, 0.5], 0.0)
    # published digits of an mpmath solution; the tolerance is their rounding
    assert q[[2, 5]] == pytest.approx([0.6790532746283, 0.4811839863247], rel=1e-12)
    assert qd[[2, 5]] == pytest.approx([0.2956087488529, 0.09506359166551], rel=1e-12)
    assert qdd[[2, 5]] == pytest.approx([0.02351732710066, 0.02654648277259], rel=1e-11)
    q, qd, qdd = kinematics(traced, [0, 0, 1.0, 1.9, 2.9, 0.6], 1.0)
    assert q == pytest.approx([0, 0, 0.9909670945586, 1.897915761656, 2.897915761656, 0.5926961501284], rel=1e-12, abs=1e-15)
    assert qd[[2, 5]] == pytest.approx([0.3336230624913, 0.1320420102197], rel=1e-12)
    assert qdd[[2, 5]] == pytest.approx([0.05657086711809, 0.05161133329236], rel=1e-11)
