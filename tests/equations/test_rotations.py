"""Euler parameters and frames: the identities of Haug 9.3, the worked examples of 9.1-9.3, conversions there and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spatial_setting import Rx, Ry, close, evaluate, random_rotation, tilde, unit

from linkwright import graph
from linkwright.equations import rotations
from linkwright.equations.rotations import A_h, B, E, G, Pose
from linkwright.errors import ModelError
from linkwright.model.points import joint_frame

A = rotations.A
I3, I4 = np.eye(3), np.eye(4)
X_FIRST = [2, 0, 1]  # of a joint's frame, z toward Q: the body's, x toward Q and y toward R


def frame_of(P, Q, R):
    return np.array(joint_frame(P, Q, R, float))


@pytest.fixture
def rng():
    return np.random.default_rng(9)


# -- identities of the Euler parameters (Haug 9.3.18-9.3.37) --------------------------------------------------


def test_identities_of_E_and_G(rng):
    for _ in range(10):
        p, w, a = unit(rng.normal(size=4)), rng.normal(size=3), rng.normal(size=3)
        pd = rotations.euler_rates(p, w)
        om = A(p) @ w
        Ed, Gd = E(pd), G(pd)  # E and G are linear in p
        close(E(p) @ G(p).T, A(p))
        close(A_h(p), A(p))
        close(A(p).T @ A(p), I3)
        for M in (E(p), G(p)):
            close(M @ M.T, I3)
            close(M.T @ M, I4 - np.outer(p, p))
            close(M @ p, np.zeros(3))
        close(E(p) @ Gd.T, Ed @ G(p).T)
        close(rotations.omega_b(p, pd), w)
        close(2 * E(p) @ pd, om)
        close(0.5 * E(p).T @ om, pd)
        close(p @ pd, 0)
        close(2 * G(p) @ Gd.T, tilde(w))
        close(Gd @ pd, np.zeros(3))
        close(tilde(A(p) @ a), A(p) @ tilde(a) @ A(p).T)
        b = rng.normal(size=3)
        close(tilde(a) @ tilde(b), np.outer(b, a) - (a @ b) * I3)


def test_derivatives_of_A_are_those_of_the_book(rng):
    p, w, wd = (graph.symbols(s, n) for s, n in (("p", 4), ("w", 3), ("wd", 3)))
    pd = rotations.euler_rates(p, w)
    rates = {**dict(zip(p, pd, strict=True)), **dict(zip(w, wd, strict=True))}
    Ad = graph.along(list(A(p).flat), rates)
    Add = graph.along(Ad, rates)
    pdd = graph.along(list(pd), rates)
    values = {}
    for s, n in ((p, 4), (w, 3), (wd, 3)):
        values.update(zip(s, unit(rng.normal(size=n)) if n == 4 else rng.normal(size=n), strict=True))
    pn, wn, wdn = (evaluate(s, values) for s in (p, w, wd))
    An = A(pn)
    close(evaluate(Ad, values).reshape(3, 3), An @ tilde(wn))
    close(evaluate(Ad, values).reshape(3, 3), tilde(An @ wn) @ An)
    close(evaluate(Add, values).reshape(3, 3), An @ (tilde(wdn) + tilde(wn) @ tilde(wn)))
    close(evaluate(pdd, values), 0.5 * G(pn).T @ wdn - 0.25 * (wn @ wn) * pn)
    close(2 * G(pn) @ evaluate(pdd, values), wdn)


def test_B_is_the_derivative_of_the_homogeneous_A(rng):
    p, s = graph.symbols("p", 4), rng.normal(size=3)
    values = dict(zip(p, unit(rng.normal(size=4)), strict=True))
    pn = evaluate(p, values)
    by_h = evaluate(graph.jacobian(list(A_h(p) @ s), p).dense(), values)
    by_polynomial = evaluate(graph.jacobian(list(A(p) @ s), p).dense(), values)
    close(by_h, B(pn, s))
    close(by_polynomial, B(pn, s) + 2 * np.outer(s, pn))
    close(B(pn, s), -2 * A(pn) @ tilde(s) @ G(pn) + 2 * np.outer(A(pn) @ s, pn))
    close(A_h(3 * pn), 9 * A_h(pn))


# -- conversions ----------------------------------------------------------------------------------------------

parameters = st.lists(st.floats(-1, 1), min_size=4, max_size=4).map(np.array).filter(lambda p: p @ p > 1e-3)


@settings(max_examples=60, deadline=None)
@given(parameters)
def test_euler_parameters_there_and_back(p):
    p = unit(p)
    back = rotations.euler_parameters(A(p), near=p)
    close(back, p, 4e-15)  # the pivot is at least 1/2, nothing cancels
    assert rotations.euler_parameters(A(p))[0] >= 0


@settings(max_examples=40, deadline=None)
@given(parameters, st.floats(-7, 7))
def test_axis_and_angle_turn_about_the_axis(a, chi):
    axis = a[:3] if np.linalg.norm(a[:3]) > 1e-2 else np.array([0.0, 0, 1])
    R = A(rotations.from_axis_angle(3 * axis, chi))
    close(R @ axis, axis)
    close(np.trace(R), 1 + 2 * np.cos(chi))
    u = unit(axis)
    close(R - R.T, 2 * np.sin(chi) * tilde(u))  # the sense of the turn


def test_published_orientations():
    # Problem 9.1.8, body frame from three points; printed to 12 digits
    F = frame_of((1, 1, 1), (2, 1, 0), (2, 2, 0))[:, X_FIRST]
    close(F.T, [[0.707106781187, 0, -0.707106781187], [0, 1, 0], [0.707106781187, 0, 0.707106781187]], 1e-11)
    close(rotations.euler_parameters(F), [0.923879532511, 0, 0.382683432365, 0], 1e-11)
    # Problem 9.2.1-2: f along a, h along a x b
    M = frame_of((0, 0, 0), (1, 1, 1), (1, 1, 0))[:, X_FIRST]
    expected = [
        [0.57735026919, 0.408248290464, -0.707106781187],
        [0.57735026919, 0.408248290464, 0.707106781187],
        [0.57735026919, -0.816496580928, 0],
    ]
    close(M, expected, 1e-11)
    close(rotations.euler_parameters(M), [0.704556342611, -0.540625096237, -0.455768038939, 0.060003000647], 1e-11)
    # Figs 9.2.3-4: the order of two quarter turns matters
    close(rotations.euler_parameters(Rx(np.pi / 2) @ Ry(np.pi / 2)), [0.5, 0.5, 0.5, 0.5])
    close(rotations.euler_parameters(Ry(np.pi / 2) @ Rx(np.pi / 2)), [0.5, 0.5, 0.5, -0.5])
    # Example 9.2.1 at phi = 0.5
    c, s, q = np.cos(0.5), np.sin(0.5), np.sqrt(0.5)
    M = np.column_stack([[q * c, q * c, s], [-q * s, -q * s, c], [q, -q, 0]])
    close(rotations.euler_parameters(M), [0.566025514253, 0.699919572163, 0.100561386744, 0.423810237269], 1e-11)


def test_scalar_and_vector_product_example():
    # Examples 9.1.3-5
    a, b = (1.0, 2.0, 3.0), (-1.0, 1.0, -1.0)
    assert rotations.dot(a, b) == -2
    assert list(rotations.cross(a, b)) == [-5, -2, 3]
    theta = np.arctan2(np.linalg.norm(rotations.cross(a, b)), rotations.dot(a, b))
    close(theta, 1.88452421326, 1e-11)
    close(2 * np.pi - theta, 4.39866109392, 1e-11)


def test_a_third_of_a_turn_about_the_diagonal_permutes_the_axes():
    # Problem 9.3.2 (the book repeats a vector)
    for k, expected in ((0, (1, 0, 0)), (1, (0, 1, 0)), (2, (0, 0, 1))):
        close(A(rotations.from_axis_angle((1, 1, 1), 2 * np.pi * k / 3)) @ [1.0, 0, 0], expected)


def test_half_turn_has_no_scalar_part():
    p = np.array([0, 0.6, 0, 0.8])
    M = [[-0.28, 0, 0.96], [0, -1, 0], [0.96, 0, 0.28]]
    close(A(p), M)
    close(rotations.euler_parameters(M, near=p), p)
    close(rotations.euler_parameters(M, near=-p), -p)


def test_point_of_a_turning_body():
    # Example 9.2.5: s' = (1, 1, 1), turning by phi about z
    phi, phid = graph.symbol("phi"), graph.symbol("phid")
    P = Pose(np.zeros(3), rotations.from_axis_angle((0, 0, 1), phi)).point((1, 1, 1))
    v = graph.along(list(P), {phi: phid})
    a = graph.along(v, {phi: phid})
    values = {phi: 0.7, phid: 1.3}
    c, s = np.cos(0.7), np.sin(0.7)
    close(evaluate(v, values), np.array([-c - s, c - s, 0]) * 1.3)
    close(evaluate(a, values), np.array([s - c, -c - s, 0]) * 1.3**2)


def test_moments_in_three_kinds_of_components():
    # Nikravesh problem 11.6
    p, s, f = np.array([0.5, 0.7, -0.5, 0.1]), np.array([1.0, -1, 2]), np.array([3.0, -2, -1])
    close(A(p), [[0.48, -0.8, -0.36], [-0.6, 0, -0.8], [0.64, 0.6, -0.48]])
    n_b = np.cross(s, f)
    n = A(p) @ n_b
    close(n_b, [5, 7, 1])
    close(n, [-3.56, -3.8, 6.92])
    n_star = rotations.moment_star(n_b, p)
    close(rotations.moment_star_of_global(n, p), n_star)
    close(p @ n_star, 0)
    close(rotations.moment_body(n_star, p), n_b)
    close(rotations.moment_global(n_star, p), n)
    w = np.array([0.3, -1.1, 0.4])
    close(rotations.euler_rates(p, w) @ n_star, w @ n_b)  # the same power


# -- frames from points ---------------------------------------------------------------------------------------


def test_joint_frame_has_z_toward_Q_and_x_in_the_plane_of_R(rng):
    for _ in range(5):
        P, Q, R = rng.normal(size=(3, 3))
        C = frame_of(P, Q, R)
        close(C.T @ C, I3)
        close(np.linalg.det(C), 1)
        close(np.cross(C[:, 2], unit(Q - P)), np.zeros(3))
        assert C[:, 2] @ (Q - P) > 0
        close(C[:, 1] @ (R - P), 0)
        assert C[:, 0] @ (R - P) > 0


def test_frames_of_traced_points_agree_with_numbers(rng):
    points = [graph.symbols(s, 3) for s in "PQR"]
    numbers = rng.normal(size=(3, 3))
    values = {s: x for symbols, row in zip(points, numbers, strict=True) for s, x in zip(symbols, row, strict=True)}
    traced = joint_frame(*points, lambda x: float(evaluate([x], values)[0]))
    close(evaluate(np.array(traced, dtype=object), values), frame_of(*numbers))


def test_orthonormalise_mends_rounding_and_refuses_more(rng):
    M = random_rotation(rng)
    mended = rotations.orthonormalise(np.round(M, 7))
    close(mended.T @ mended, I3, 1e-15 * 4)
    close(mended, M, 2e-7)  # within the rounding of seven digits
    with pytest.raises(ModelError, match="is not a rotation"):
        rotations.orthonormalise(np.round(M, 3))
    with pytest.raises(ModelError, match="left-handed"):
        rotations.orthonormalise(M @ np.diag([1, 1, -1]))
    with pytest.raises(ModelError, match="three rows"):
        rotations.orthonormalise(np.eye(2))
    with pytest.raises(ModelError, match="three rows"):
        rotations.orthonormalise(np.full((3, 3), np.nan))


def test_zero_axis_is_refused():
    with pytest.raises(ModelError, match="zero vector"):
        rotations.from_axis_angle((0, 0, 0), 1.0)


# -- pose -----------------------------------------------------------------------------------------------------


def test_pose_places_points_and_directions(rng):
    r, p, s = rng.normal(size=3), unit(rng.normal(size=4)), rng.normal(size=3)
    close(Pose(r, p).point(s), r + A(p) @ s)
    close(Pose(r, p).vector(s), A(p) @ s)


def test_pose_holds_its_matrix_for_rotation_derivatives(rng):
    r, p = graph.symbols("r", 3), graph.symbols("p", 4)
    pose, s = Pose(r, p), rng.normal(size=3)
    J = graph.rotation_jacobian(list(pose.point(s)), [r], [pose.A]).dense()
    values = dict(zip([*r, *p], [*rng.normal(size=3), *unit(rng.normal(size=4))], strict=True))
    An = A(evaluate(p, values))
    close(evaluate(J, values), np.hstack([I3, -An @ tilde(s)]))
