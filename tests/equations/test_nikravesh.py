"""Nikravesh's problems 11.1 to 11.7: Euler parameters in the equations of motion, as the model's equations have them."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.equations import rotations

P = np.array([0.5, 0.7, -0.5, 0.1])
J = np.array([[2, 0.3, 0], [0.3, 3, -0.2], [0, -0.2, 4.0]])
W = np.array([1, -2, 0.5])
N = np.array([5.0, 7, 1])
# his L is G here, his G is E
L, G = (np.asarray(f(P), dtype=float) for f in (rotations.G, rotations.E))
A = np.asarray(rotations.A(P), dtype=float)
PD = 0.5 * L.T @ W


@pytest.fixture(scope="module")
def free():
    """A free body under a moment n' = s' x f' of a force at a point (problem 11.6)."""
    m = lw.SpatialModel("free")
    body = m.body("body", 1.5, J.tolist(), orientation=P, omega=W)
    m.add(lw.Torque("n", body, N, frame="body"))
    return lw.equations(m, "euler-parameters").at()


def test_inertia_by_euler_parameters(free):
    """11.1, 11.2: J* = 4 L^T J' L = 4 G^T J G, J* p = 0, rank 3; the inverse of [J* p; p^T 0]."""
    J_star = np.asarray(free.M)[3:, 3:]
    np.testing.assert_allclose(J_star, 4 * L.T @ J @ L, atol=1e-14)
    np.testing.assert_allclose(J_star, 4 * G.T @ (A @ J @ A.T) @ G, atol=1e-14)
    np.testing.assert_allclose(J_star @ P, 0, atol=1e-14)
    assert np.linalg.matrix_rank(J_star) == 3
    K = np.block([[J_star, P[:, None]], [P, 0.0]])
    inverse = np.block([[0.25 * L.T @ np.linalg.inv(J) @ L, P[:, None]], [P, 0.0]])
    np.testing.assert_allclose(K @ inverse, np.eye(5), atol=1e-14)


def test_accelerations_and_the_multiplier(free):
    """11.3 to 11.5: pddot = L^T J'^-1 (n' - L H pdot)/2 - (pdot.pdot) p, sigma = 2 omega'.J' omega'."""
    L_dot = np.asarray(rotations.G(PD), dtype=float)
    H = 4 * L_dot.T @ J @ L
    np.testing.assert_allclose(L @ H @ PD, np.cross(W, J @ W), atol=1e-14)
    solved = free.solve()
    found = np.array([solved[f"body.e{k}''"] for k in range(4)])
    np.testing.assert_allclose(
        found, [-1.112561544992, -0.573312818336, 1.079641341256, 1.849204159593], rtol=1e-11
    )  # fmt: skip
    np.testing.assert_allclose(found, 0.5 * L.T @ np.linalg.solve(J, N - L @ H @ PD) - PD @ PD * P, atol=1e-14)
    # the normalisation is counted once here, p.p - 1; his sigma belongs to half of it
    sigma = 2 * solved["lam(body.normalisation)"]
    assert sigma == pytest.approx(28.4, rel=1e-13)
    assert sigma == pytest.approx(8 * PD @ L.T @ J @ L @ PD, rel=1e-13)
    J_star = np.asarray(free.M)[3:, 3:]
    assert 0.5 * PD @ J_star @ PD == pytest.approx(7.1, rel=1e-13)
    np.testing.assert_allclose(W @ J @ W / 2, 7.1, rtol=1e-13)


def test_moment_of_a_force_at_a_point():
    """11.6: f' = (3, -2, -1) at s' = (1, -1, 2) gives n' = (5, 7, 1), n = (-3.56, -3.8, 6.92)."""
    m = lw.SpatialModel("force")
    body = m.body("body", 1.5, J.tolist(), orientation=P)
    m.add(lw.PointForce("f", body.at(1, -1, 2), (3, -2, -1), frame="body"))
    Q = np.asarray(lw.equations(m).at().Q)
    np.testing.assert_allclose(A, [[0.48, -0.8, -0.36], [-0.6, 0, -0.8], [0.64, 0.6, -0.48]], atol=1e-15)
    np.testing.assert_allclose(Q[3:], N, atol=1e-14)
    np.testing.assert_allclose(A @ Q[3:], [-3.56, -3.8, 6.92], atol=1e-14)
    np.testing.assert_allclose(Q[:3], A @ [3, -2, -1], atol=1e-14)


def test_forces_of_a_spherical_joint():
    """11.7: f_i = lam, n_i' = s_i' x A_i^T lam; f_j = -lam, n_j' = -s_j' x A_j^T lam; gamma# = -w_i~ sdot_i + w_j~ sdot_j.

    His equation is i minus j and his forces are +Phi_q^T lam: here j minus i and -Phi_q^T lam, which is the same.
    """
    rng = np.random.default_rng(5)
    m = lw.SpatialModel("ball")
    bodies, s = [], rng.normal(size=(2, 3))
    for k in "ij":
        p = rng.normal(size=4)
        bodies.append(m.body(k, position=rng.normal(size=3), orientation=p / np.linalg.norm(p), omega=rng.normal(size=3)))
    m.add(lw.Spherical("ball", bodies[0].at(*s[0]), bodies[1].at(*s[1])))
    equations = lw.equations(m)
    q = equations.machine.estimate()
    v = rng.normal(size=12)
    at = equations.at((q, v))
    lam = rng.normal(size=3)
    force = -np.asarray(at.Phi_rotation).T @ lam
    gamma = np.zeros(3)
    for k, sign in enumerate((1, -1)):
        A_k = np.asarray(rotations.A(q[7 * k + 3 : 7 * k + 7]), dtype=float)
        np.testing.assert_allclose(force[6 * k : 6 * k + 3], sign * lam, atol=1e-14)
        np.testing.assert_allclose(force[6 * k + 3 : 6 * k + 6], sign * np.cross(s[k], A_k.T @ lam), atol=1e-13)
        omega = A_k @ v[6 * k + 3 : 6 * k + 6]
        gamma += -sign * np.cross(omega, np.cross(omega, A_k @ s[k]))
    np.testing.assert_allclose(np.asarray(at.gamma_sharp), -gamma, atol=1e-13)
