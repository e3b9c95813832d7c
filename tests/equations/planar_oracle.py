"""What the tests of the planar equations share: random states, derived quantities, and a small Newton iteration."""

from __future__ import annotations

from dataclasses import dataclass

import mpmath
import numpy as np

from linkwright import graph
from linkwright.equations.plane import Pose

R = np.array([[0.0, -1.0], [1.0, 0.0]])


@dataclass
class Body:
    """A body's state in numbers, with the book's symbols: fd = phidot, B = dA/dphi = R A."""

    q: np.ndarray
    qd: np.ndarray

    def __post_init__(self):
        self.r, self.f = self.q[:2], self.q[2]
        self.rd, self.fd = self.qd[:2], self.qd[2]
        c, s = np.cos(self.f), np.sin(self.f)
        self.c, self.s = c, s
        self.A = np.array([[c, -s], [s, c]])
        self.B = R @ self.A

    def P(self, s):
        return self.r + self.A @ s

    def v(self, s):
        return self.rd + self.B @ s * self.fd


class Relative:
    """A_ij, B_ij and the differences of two bodies (Haug 2.4.12 and the like)."""

    def __init__(self, i, j):
        self.A = i.A.T @ j.A
        self.B = i.A.T @ j.B
        self.dr, self.drd, self.w = j.r - i.r, j.rd - i.rd, j.fd - i.fd


class Traced:
    """Position equations of some bodies and curve parameters as graphs, with everything derived from them."""

    def __init__(self, equations, bodies, parameters=0):
        self.q = graph.symbols("q", 3 * bodies + parameters)
        self.qd = graph.symbols("qd", len(self.q))
        self.t = graph.symbol("t")
        poses = [Pose(self.q[3 * k : 3 * k + 2], self.q[3 * k + 2]) for k in range(bodies)]
        Phi = equations(*poses, *self.q[3 * bodies :], self.t)
        self.Phi = list(Phi) if isinstance(Phi, list) else [Phi]
        self.Phi_q = graph.jacobian(self.Phi, list(self.q)).dense()
        self.nu = [-x for x in graph.along(self.Phi, {self.t: 1.0})]
        rates = dict(zip([*self.q, self.t], [*self.qd, 1.0], strict=True))
        self.gamma = [-x for x in graph.along(graph.along(self.Phi, rates), rates)]

    def at(self, q, qd, t):
        """Phi, Phi_q, nu, gamma in numbers; q and qd may hold a batch along their last axis."""
        values = self.values(q, qd, t)
        shape = np.broadcast_shapes(np.shape(q[0]), np.shape(t))

        def numbers(roots, *dims):
            flat = graph.evaluate(list(roots), values)
            return np.array([np.broadcast_to(np.asarray(x, float), shape) for x in flat]).reshape(*dims, *shape)

        m, n = self.Phi_q.shape
        return (
            numbers(self.Phi, m),
            numbers(self.Phi_q.ravel(), m, n),
            numbers(self.nu, m),
            numbers(self.gamma, m),
        )

    def values(self, q, qd, t):
        return {**dict(zip(self.q, q, strict=True)), **dict(zip(self.qd, qd, strict=True)), self.t: t}


def agree(derived, oracle):
    """Equal but for rounding: 1e-12 of the largest entry, states and data being of order one."""
    scale = max(1.0, np.abs(oracle).max())
    np.testing.assert_allclose(derived, oracle, rtol=0, atol=1e-12 * scale)


def check(equations, oracle, bodies, seed, parameters=0, states=25):
    """Derived Jacobian, nu and gamma against hand-written ones, on random states off the manifold.

    oracle(*bodies, alphas, alpha_rates, t) -> Phi_q (rows as lists), nu, gamma.
    """
    rng = np.random.default_rng([seed, 77])
    traced = Traced(equations, bodies, parameters)
    n = len(traced.q)
    q, qd = rng.uniform(-3, 3, (n, states)), rng.uniform(-3, 3, (n, states))
    t = rng.uniform(0.2, 2, states)
    _, Phi_q, nu, gamma = traced.at(q, qd, t)
    for k in range(states):
        parts = [Body(q[3 * b : 3 * b + 3, k], qd[3 * b : 3 * b + 3, k]) for b in range(bodies)]
        J, nu_k, gamma_k = oracle(*parts, *q[3 * bodies :, k], *qd[3 * bodies :, k], t[k])
        agree(Phi_q[..., k], np.atleast_2d(np.asarray(J, float)))
        agree(nu[:, k], np.broadcast_to(np.asarray(nu_k, float), nu[:, k].shape))
        agree(gamma[:, k], np.atleast_1d(np.asarray(gamma_k, float)))


MPMATH = {
    "sin": mpmath.sin, "cos": mpmath.cos, "sqrt": mpmath.sqrt, "exp": mpmath.exp, "atan2": mpmath.atan2,
    "where": lambda c, a, b: a if c else b, "floor": mpmath.floor, "rint": mpmath.nint,
}  # fmt: skip


def check_identity(equations, bodies, parameters=0, seed=0):
    """Phi_q qd - nu and -gamma are the first two derivatives of Phi(q + e qd, t + e) at e = 0, to 20 of 50 digits.

    Constants that derivatives multiply must do so without rounding, for those products are folded in doubles.
    """
    rng = np.random.default_rng([seed, 78])
    traced = Traced(equations, bodies, parameters)
    with mpmath.workdps(50):
        q, qd = ([mpmath.mpf(x) for x in rng.uniform(-2, 2, len(traced.q))] for _ in range(2))
        t = mpmath.mpf(rng.uniform(0.3, 1))

        def evaluate(roots, e=0):
            moved = [x + e * v for x, v in zip(q, qd, strict=True)]
            return graph.evaluate(list(roots), traced.values(moved, qd, t + e), MPMATH)

        J, nu, gamma = (evaluate(x) for x in (traced.Phi_q.ravel(), traced.nu, traced.gamma))
        for k, row in enumerate(traced.Phi):
            first = mpmath.diff(lambda e, row=row: evaluate([row], e)[0], 0)
            second = mpmath.diff(lambda e, row=row: evaluate([row], e)[0], 0, 2)
            Jqd = mpmath.fdot(J[k * len(q) : (k + 1) * len(q)], qd)
            assert abs(Jqd - nu[k] - first) < 1e-20
            assert abs(gamma[k] + second) < 1e-20


def kinematics(traced, q, t):
    """Position by Newton from the estimate q, then velocity and acceleration."""
    q = np.array(q, dtype=float)
    qd = np.zeros_like(q)
    for _ in range(30):
        Phi, Phi_q, nu, _ = traced.at(q, qd, t)
        step = np.linalg.solve(Phi_q, -Phi)
        q += step
        if np.abs(step).max() < 1e-15:
            break
    Phi, Phi_q, nu, _ = traced.at(q, qd, t)
    assert np.abs(Phi).max() < 1e-14
    qd = np.linalg.solve(Phi_q, nu)
    return q, qd, np.linalg.solve(Phi_q, traced.at(q, qd, t)[3])
