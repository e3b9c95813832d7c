"""The textbook's Jacobians and gamma of the lower pairs (Haug 3.2 and 3.3, errors mended) against the derived ones."""

import numpy as np
import pytest
from planar_oracle import Relative, Traced, check, check_identity, kinematics

from linkwright import graph
from linkwright.equations import planar_constraints as pc
from linkwright.equations.plane import GROUND, Pose, unit

SEEDS = [1, 2, 3]


def data(seed):
    """Random s_i', s_j', v_i', v_j' and a constant."""
    rng = np.random.default_rng(seed)
    return (*rng.uniform(-2, 2, (4, 2)), rng.uniform(0.5, 2))


# -- absolute ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_absolute_distance(seed):
    s, centre, _, _, C = data(seed)

    def oracle(i, t):
        d, v = i.P(s) - centre, i.v(s)
        J = 2 * np.array([*d, s @ i.B.T @ d])
        return J, 0, -2 * (v @ v - s @ i.A.T @ d * i.fd**2)

    check(lambda i, t: pc.absolute_distance(i.point(s), centre, C), oracle, 1, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_absolute_x_y_angle(seed):
    s, *_, C = data(seed)
    a, b = s

    def oracle(i, t):
        J = [[1, 0, -a * i.s - b * i.c], [0, 1, a * i.c - b * i.s], [0, 0, 1]]
        return J, 0, [(a * i.c - b * i.s) * i.fd**2, (a * i.s + b * i.c) * i.fd**2, 0]

    def equations(i, t):
        P = i.point(s)
        return [pc.absolute_x(P, C), pc.absolute_y(P, C), pc.absolute_angle(i.phi, C)]

    check(equations, oracle, 1, seed)


# -- relative ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_relative_x_y_angle(seed):
    s_i, s_j, _, _, C = data(seed)
    (a_i, b_i), (a_j, b_j) = s_i, s_j

    def oracle(i, j, t):
        J = [
            [-1, 0, a_i * i.s + b_i * i.c, 1, 0, -a_j * j.s - b_j * j.c],
            [0, -1, -a_i * i.c + b_i * i.s, 0, 1, a_j * j.c - b_j * j.s],
            [0, 0, -1, 0, 0, 1],
        ]
        gamma = [
            -(a_i * i.c - b_i * i.s) * i.fd**2 + (a_j * j.c - b_j * j.s) * j.fd**2,
            -(a_i * i.s + b_i * i.c) * i.fd**2 + (a_j * j.s + b_j * j.c) * j.fd**2,
            0,
        ]
        return J, 0, gamma

    def equations(i, j, t):
        P_i, P_j = i.point(s_i), j.point(s_j)
        return [pc.relative_x(P_i, P_j, C), pc.relative_y(P_i, P_j, C), pc.relative_angle(i.phi, j.phi, C)]

    check(equations, oracle, 2, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_relative_distance(seed):
    s_i, s_j, _, _, C = data(seed)

    def oracle(i, j, t):
        D, Dd = i.P(s_i) - j.P(s_j), i.v(s_i) - j.v(s_j)
        J = 2 * np.array([*D, s_i @ i.B.T @ D, *-D, -s_j @ j.B.T @ D])
        return J, 0, -2 * (Dd @ Dd - (i.A @ s_i * i.fd**2 - j.A @ s_j * j.fd**2) @ D)

    check(lambda i, j, t: pc.relative_distance(i.point(s_i), j.point(s_j), C), oracle, 2, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_revolute(seed):
    s_i, s_j, *_ = data(seed)

    def oracle(i, j, t):
        J = np.column_stack([np.eye(2), i.B @ s_i, -np.eye(2), -j.B @ s_j])
        return J, 0, i.A @ s_i * i.fd**2 - j.A @ s_j * j.fd**2

    def equations(i, j, t):
        return pc.revolute(i.point(s_i), j.point(s_j))

    check(equations, oracle, 2, seed)
    traced = Traced(equations, 2)
    assert len(graph.jacobian(traced.Phi, list(traced.q)).pattern) == 8  # of 12 (Haug 4.2.5)


def translational_rows(i, j, s_i, v_i, s_j, v_j):
    """Both rows of the translational joint's Jacobian and gamma; the first serves other joints, too."""
    ij = Relative(i, j)
    row_1 = [
        *(-v_i @ i.B.T), -v_i @ i.A.T @ ij.dr - v_i @ ij.A @ s_j,
        *(v_i @ i.B.T), v_i @ ij.A @ s_j,
    ]  # fmt: skip
    row_2 = [0, 0, -v_i @ ij.A @ v_j, 0, 0, v_i @ ij.A @ v_j]
    gamma_1 = v_i @ (2 * i.A.T @ ij.drd * i.fd + i.B.T @ ij.dr * i.fd**2 - ij.B @ s_j * ij.w**2)
    gamma_2 = -v_i @ ij.B @ v_j * ij.w**2
    return np.array([row_1, row_2]), np.array([gamma_1, gamma_2])


@pytest.mark.parametrize("seed", SEEDS)
def test_translational(seed):
    """With vectors of any length: the rows scale with them, the formulas hold."""
    s_i, s_j, v_i, v_j, _ = data(seed)

    def oracle(i, j, t):
        J, gamma = translational_rows(i, j, s_i, v_i, s_j, v_j)
        return J, 0, gamma

    def equations(i, j, t):
        return pc.translational(i.point(s_i), i.vector(v_i), j.point(s_j), j.vector(v_j))

    check(equations, oracle, 2, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_revolute_translational(seed):
    s_i, s_j, v_i, _, C = data(seed)

    def oracle(i, j, t):
        J, gamma = translational_rows(i, j, s_i, v_i, s_j, v_i)
        return J[0] / np.hypot(*v_i), 0, gamma[0] / np.hypot(*v_i)

    def equations(i, j, t):
        return pc.revolute_translational(i.point(s_i), i.vector(unit(v_i)), j.point(s_j), C)

    check(equations, oracle, 2, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_fixed(seed):
    s_i, s_j, *_, C = data(seed)

    def oracle(i, j, t):
        top = np.column_stack([np.eye(2), i.B @ s_i, -np.eye(2), -j.B @ s_j])
        return [*top, [0, 0, -1, 0, 0, 1]], 0, [*(i.A @ s_i * i.fd**2 - j.A @ s_j * j.fd**2), 0]

    check(lambda i, j, t: pc.fixed(i.point(s_i), i.phi, j.point(s_j), j.phi, C), oracle, 2, seed)


S_I, S_J, V_I, V_J, CONSTANT = data(9)
ALL = {
    "absolute_distance": lambda i, j, t: pc.absolute_distance(i.point(S_I), np.array(S_J), CONSTANT),
    "absolute_x": lambda i, j, t: pc.absolute_x(i.point(S_I), CONSTANT),
    "absolute_y": lambda i, j, t: pc.absolute_y(i.point(S_I), CONSTANT),
    "relative_x": lambda i, j, t: pc.relative_x(i.point(S_I), j.point(S_J), CONSTANT),
    "relative_y": lambda i, j, t: pc.relative_y(i.point(S_I), j.point(S_J), CONSTANT),
    "relative_distance": lambda i, j, t: pc.relative_distance(i.point(S_I), j.point(S_J), CONSTANT + t),
    "revolute": lambda i, j, t: pc.revolute(i.point(S_I), j.point(S_J)),
    "translational": lambda i, j, t: pc.translational(i.point(S_I), i.vector(V_I), j.point(S_J), j.vector(V_J)),
    "revolute_translational": lambda i, j, t: pc.revolute_translational(i.point(S_I), i.vector(V_I), j.point(S_J), t * t),
    "fixed": lambda i, j, t: pc.fixed(i.point(S_I), i.phi, j.point(S_J), j.phi, CONSTANT),
    "displacement": lambda i, j, t: pc.displacement(i.point(S_I), i.vector(V_I), j.point(S_J)) - graph.sin(t),
    "distance": lambda i, j, t: pc.distance(i.point(S_I), j.point(S_J)) - graph.exp(t),
}


@pytest.mark.parametrize("name", ALL)
def test_second_derivative_along_the_motion(name):
    check_identity(ALL[name], 2)


# -- what the equations mean ---------------------------------------------------------------------------------------


def test_offset_is_positive_to_the_left_of_the_line():
    left = GROUND.point((0.3, 2.0))
    assert pc.revolute_translational(GROUND.point((0, 0)), np.array([1.0, 0.0]), left, 2.0) == 0


@pytest.mark.parametrize(("turn", "sense"), [(0.0, 1.0), (np.pi, -1.0)])
def test_translational_admits_a_body_turned_around_and_the_sense_tells(turn, sense):
    i, j = Pose((1.0, 2.0), 0.4), Pose(Pose((1.0, 2.0), 0.4).point((0.7, 0.0)), 0.4 + turn)
    v_i, v_j = i.vector((1.0, 0.0)), j.vector((1.0, 0.0))
    rows = pc.translational(i.point((0, 0)), v_i, j.point((0, 0)), v_j)
    np.testing.assert_allclose(np.array(rows, float), 0, atol=1e-15)
    assert pc.translational_sense(v_i, v_j) == pytest.approx(sense, abs=1e-15)


def test_joint_coordinates():
    i, j = Pose((0.0, 0.0), 0.3), Pose((2.0, 1.0), 0.3 + 6 * np.pi)
    assert pc.revolute_angle(i.phi, j.phi) == pytest.approx(6 * np.pi)  # three turns are not none
    assert pc.revolute_angle(i.phi, j.phi, theta_i=0.1, theta_j=0.4) == pytest.approx(6 * np.pi + 0.3)
    assert pc.distance(i.point((0, 0)), j.point((0, 0))) == pytest.approx(np.sqrt(5))
    assert pc.displacement(j.point((0, 0)), np.array([1.0, 0.0]), i.point((0, 0))) == -2.0


def test_four_bar():
    """Lengths 4, 6, 6, ground 4, phi1 = pi t at pi/3 (Haug, examples 3.3.2 and 3.5.2); 12 digits of an mpmath solution."""

    def equations(one, two, three, t):
        return [
            *pc.revolute(GROUND.point((0, 0)), one.point((-2, 0))),
            *pc.revolute(one.point((2, 0)), two.point((-3, 0))),
            *pc.revolute(two.point((3, 0)), three.point((3, 0))),
            *pc.revolute(GROUND.point((4, 0)), three.point((-3, 0))),
            pc.absolute_angle(one.phi, np.pi * t),
        ]

    estimate = [1, 1.7, 1, 5, 4, 0.2, 6, 2.3, 0.9]
    q, qd, qdd = kinematics(Traced(equations, 3), estimate, 1 / 3)
    np.testing.assert_allclose(q[3:6], [4.949489742783, 4.012289773726, 0.1837618661442], rtol=1e-12)
    np.testing.assert_allclose(q[6:], [5.949489742783, 2.280238966158, 0.8634356850524], rtol=1e-12)
    np.testing.assert_allclose(qd[3:6], [-11.21657915904, 8.07908228456, 0.6088839541735], rtol=1e-12)
    np.testing.assert_allclose(qdd[3:6], [-21.13158686714, -32.78441573926, 0.5452237655968], rtol=1e-11)
    np.testing.assert_allclose(qdd[6:], [-11.26198246605, -15.68975946596, -0.5452237655968], rtol=1e-11)


@pytest.mark.parametrize("guide", ["translational", "revolute-translational"])
def test_slider_crank(guide):
    """Crank 4, rod 6, phi1 = t = 1, with a slider body or without (Haug, examples 3.3.4 and 3.3.5)."""
    origin, x = GROUND.point((2, 0)), GROUND.vector((1, 0))

    def equations(one, two, *rest):
        *slider, t = rest
        rows = [
            *pc.revolute(GROUND.point((0, 0)), one.point((-2, 0))),
            *pc.revolute(one.point((2, 0)), two.point((-3, 0))),
            pc.absolute_angle(one.phi, t),
        ]
        if not slider:
            return [*rows, pc.revolute_translational(origin, x, two.point((3, 0)), 0.0)]
        (three,) = slider
        # the line is on the slider, as in the book
        joint = pc.translational(three.point((0, 0)), three.vector((1, 0)), origin, x)
        return [*rows, *pc.revolute(two.point((3, 0)), three.point((0, 0))), *joint]

    bodies = 3 if guide == "translational" else 2
    estimate = [1, 1.7, 1, 4.6, 1.7, -0.6, 7, 0, 0][: 3 * bodies]
    q, qd, qdd = kinematics(Traced(equations, bodies), estimate, 1.0)
    np.testing.assert_allclose(q[3:6], [4.644695951222, 1.682941969616, -0.5955699377597], rtol=1e-12)
    np.testing.assert_allclose(qd[3:6], [-4.09815878223, 1.080604611736, -0.4351159197519], rtol=1e-12)
    np.testing.assert_allclose(qdd[3:6], [-1.706863771213, -1.682941969616, 0.5493556750472], rtol=1e-11)
    if bodies == 3:
        assert [q[6], qd[6], qdd[6]] == pytest.approx([7.128182678971, -4.830433625229, -1.252518318953], rel=1e-11)
