"""Gears, racks, cams and slots: derived Jacobians and right-hand sides against the textbook's (Haug 3.4, errors mended)."""

import numpy as np
import pytest
from planar_oracle import Relative, check, check_identity

from linkwright import graph
from linkwright.equations import curves, higher_pairs
from linkwright.equations.plane import unit

SEEDS = [1, 2, 3]
pi = np.pi


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("R_i", "R_j"), [(1.5, 0.7), (-2.0, 0.6), (0.4, -1.9)])
def test_gear(seed, R_i, R_j):
    s_i, s_j = np.random.default_rng(seed).uniform(-2, 2, (2, 2))
    th_i, th_j = 0.4, -1.1
    phase = higher_pairs.gear_phase_of_marks(R_i, th_i, R_j, th_j)

    def equations(i, j, t):
        return higher_pairs.gear(i.point(s_i), i.phi, R_i, j.point(s_j), j.phi, R_j, phase)

    def oracle(i, j, t):
        theta = (R_i * (i.f + th_i) + R_j * (j.f + th_j) - R_j * pi) / (R_i + R_j)
        u, u_perp = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
        E, Ed = j.P(s_j) - i.P(s_i), j.v(s_j) - i.v(s_i)
        thd = (R_i * i.fd + R_j * j.fd) / (R_i + R_j)
        J = [
            *-u_perp, -s_i @ i.B.T @ u_perp - E @ u * R_i / (R_i + R_j),
            *u_perp, s_j @ j.B.T @ u_perp - E @ u * R_j / (R_i + R_j),
        ]  # fmt: skip
        gamma = 2 * Ed @ u * thd + (j.A @ s_j * j.fd**2 - i.A @ s_i * i.fd**2) @ u_perp + E @ u_perp * thd**2
        return J, 0, gamma

    check(equations, oracle, 2, seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("R_j", [0.7, -0.7])
def test_rack_pinion(seed, R_j):
    """With a unit vector along the rack, |v| = 1 in the book's rows."""
    rng = np.random.default_rng(seed)
    s_i, s_j = rng.uniform(-2, 2, (2, 2))
    v_i = np.array(unit(rng.uniform(-2, 2, 2)), float)

    def equations(i, j, t):
        return higher_pairs.rack_pinion(i.point(s_i), i.vector(v_i), i.phi, j.point(s_j), j.phi, R_j, 0.3)

    def oracle(i, j, t):
        ij = Relative(i, j)
        row_1 = [
            *(-v_i @ i.A.T), v_i @ i.B.T @ ij.dr - v_i @ ij.B @ s_j - R_j,
            *(v_i @ i.A.T), v_i @ ij.B @ s_j + R_j,
        ]  # fmt: skip
        row_2 = [
            *(-v_i @ i.B.T), -v_i @ i.A.T @ ij.dr - v_i @ ij.A @ s_j,
            *(v_i @ i.B.T), v_i @ ij.A @ s_j,
        ]  # fmt: skip
        gamma = [
            v_i @ (i.A.T @ ij.dr * i.fd**2 - 2 * i.B.T @ ij.drd * i.fd + ij.A @ s_j * ij.w**2),
            v_i @ (2 * i.A.T @ ij.drd * i.fd + i.B.T @ ij.dr * i.fd**2 - ij.B @ s_j * ij.w**2),
        ]
        return [row_1, row_2], 0, gamma

    check(equations, oracle, 2, seed)


class Outline:
    """rho = c0 + c1 cos(2 a + c2) + c3 sin(3 a) about s_Q', with the book's formulas for a', g', g'_a, g'_aa (3.4.15-17)."""

    def __init__(self, rng):
        self.c = [2.0, *rng.uniform(-0.3, 0.3, 3)]
        self.s_Q = rng.uniform(-1, 1, 2)
        self.path = curves.polar(self.rho, self.s_Q)

    def rho(self, a):
        c = self.c
        return c[0] + c[1] * graph.cos(2 * a + c[2]) + c[3] * graph.sin(3 * a)

    def at(self, a):
        _, c1, c2, c3 = self.c
        x, y = 2 * a + c2, 3 * a
        rho = self.c[0] + c1 * np.cos(x) + c3 * np.sin(y)
        rho_a = -2 * c1 * np.sin(x) + 3 * c3 * np.cos(y)
        rho_aa = -4 * c1 * np.cos(x) - 9 * c3 * np.sin(y)
        rho_aaa = 8 * c1 * np.sin(x) - 27 * c3 * np.cos(y)
        u, n = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
        p = self.s_Q + rho * u
        g = rho_a * u + rho * n
        g_a = rho_aa * u + 2 * rho_a * n - rho * u
        g_aa = rho_aaa * u + 3 * rho_aa * n - 3 * rho_a * u - rho * n
        return p, g, g_a, g_aa


def test_derivatives_of_an_outline():
    outline = Outline(np.random.default_rng(5))
    a = graph.symbol("a")
    for value in (-7.0, 0.3, 2.2, 11.0):
        for order, expected in enumerate(outline.at(value)):
            got = graph.evaluate(list(curves.derivative(outline.path, a, order)), {a: value})
            np.testing.assert_allclose(
                got, expected, rtol=0, atol=1e-12
            )  # rounding of arguments near 10 and factors near 30


@pytest.mark.parametrize("seed", SEEDS)
def test_cam_follower(seed):
    rng = np.random.default_rng(seed)
    one, two = Outline(rng), Outline(rng)

    def equations(i, j, a_i, a_j, t):
        return higher_pairs.cam_follower(
            i.point(one.path(a_i)),
            i.vector(curves.tangent(one.path, a_i)),
            j.point(two.path(a_j)),
            j.vector(curves.tangent(two.path, a_j)),
        )

    def oracle(i, j, a_i, a_j, ad_i, ad_j, t):
        (p_i, g_i, ga_i, gaa_i), (p_j, g_j, ga_j, gaa_j) = one.at(a_i), two.at(a_j)
        ij = Relative(i, j)
        A, B, w = ij.A, ij.B, ij.w
        top = np.column_stack([np.eye(2), i.B @ p_i, -np.eye(2), -j.B @ p_j, i.A @ g_i, -j.A @ g_j])
        row_3 = [0, 0, -g_i @ A @ g_j, 0, 0, g_i @ A @ g_j, -ga_i @ B @ g_j, -g_i @ B @ ga_j]
        gamma = (
            i.A @ p_i * i.fd**2 - j.A @ p_j * j.fd**2
            - i.A @ ga_i * ad_i**2 + j.A @ ga_j * ad_j**2
            - 2 * i.B @ g_i * i.fd * ad_i + 2 * j.B @ g_j * j.fd * ad_j
        )  # fmt: skip
        gamma_3 = (
            gaa_i @ B @ g_j * ad_i**2 + g_i @ B @ gaa_j * ad_j**2 + 2 * ga_i @ B @ ga_j * ad_i * ad_j
            - 2 * (ga_i @ A @ g_j * ad_i + g_i @ A @ ga_j * ad_j) * w - g_i @ B @ g_j * w**2
        )  # fmt: skip
        return [*top, row_3], 0, [*gamma, gamma_3]

    check(equations, oracle, 2, seed, parameters=2)


@pytest.mark.parametrize("seed", SEEDS)
def test_cam_flat(seed):
    rng = np.random.default_rng(seed)
    outline, s_j = Outline(rng), rng.uniform(-2, 2, 2)
    u = np.array(unit(rng.uniform(-2, 2, 2)), float)

    def equations(i, j, a, t):
        P, g = i.point(outline.path(a)), i.vector(curves.tangent(outline.path, a))
        return higher_pairs.cam_flat(P, g, j.point(s_j), j.vector(u))

    def oracle(i, j, a, ad, t):
        p, g, ga, gaa = outline.at(a)
        ij = Relative(i, j)
        A, B, w = ij.A, ij.B, ij.w
        P, Pd = i.P(p), i.rd + i.B @ p * i.fd + i.A @ g * ad
        row_1 = [*(u @ j.B.T), p @ A @ u, *(-u @ j.B.T), -(P - j.r) @ j.A @ u, g @ B @ u]
        row_2 = [0, 0, g @ A @ u, 0, 0, -g @ A @ u, ga @ B @ u]
        gamma = [
            2 * (Pd - j.rd) @ j.A @ u * j.fd + p @ B @ u * i.fd**2 + (P - j.r) @ j.B @ u * j.fd**2
            - ga @ B @ u * ad**2 - 2 * g @ A @ u * ad * i.fd,
            g @ B @ u * w**2 - gaa @ B @ u * ad**2 + 2 * ga @ A @ u * w * ad,
        ]  # fmt: skip
        return [row_1, row_2], 0, gamma

    check(equations, oracle, 2, seed, parameters=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_point_follower(seed):
    rng = np.random.default_rng(seed)
    outline, s_i = Outline(rng), rng.uniform(-2, 2, 2)

    def equations(i, j, a, t):
        return higher_pairs.point_follower(i.point(s_i), j.point(outline.path(a)))

    def oracle(i, j, a, ad, t):
        p, g, ga, _ = outline.at(a)
        J = np.column_stack([np.eye(2), i.B @ s_i, -np.eye(2), -j.B @ p, -j.A @ g])
        gamma = i.A @ s_i * i.fd**2 - j.A @ p * j.fd**2 + j.A @ ga * ad**2 + 2 * j.B @ g * j.fd * ad
        return J, 0, gamma

    check(equations, oracle, 2, seed, parameters=1)


def test_second_derivative_along_the_motion():
    s = [0.25, -0.75]
    path = curves.polar(lambda a: 2 + 0.25 * graph.cos(3 * a), (0.5, 0.25))
    other = curves.parametric(lambda a: a - 0.5 * graph.sin(a), lambda a: graph.exp(0.25 * a))

    def contact(i, j, a, b, t):
        P_i, g_i = i.point(path(a)), i.vector(curves.tangent(path, a))
        P_j, g_j = j.point(other(b)), j.vector(curves.tangent(other, b))
        return [
            higher_pairs.gear(i.point(s), i.phi, 1.5, j.point(s), j.phi, 0.5, 0.1),
            *higher_pairs.rack_pinion(i.point(s), i.vector((0.0, 1.0)), i.phi, j.point(s), j.phi, 0.5, 0.1),
            *higher_pairs.cam_follower(P_i, g_i, P_j, g_j),
            *higher_pairs.cam_flat(P_i, g_i, j.point(s), j.vector((1.0, 0.0))),
            *higher_pairs.point_follower(i.point(s), P_j),
            higher_pairs.coupler([(1.0, i.phi), (-0.5, j.phi * j.phi), (2.0, a)], t * t),
        ]

    check_identity(contact, 2, 2)
