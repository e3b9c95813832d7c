"""Initial value problems for the tests of the integrators: traced functions, each with what is known of its solution."""

from __future__ import annotations

from functools import cache

import numpy as np

from linkwright.compile import Function
from linkwright.graph import cos, exp, jacobian, sqrt, symbol, symbols
from linkwright.solve.integrate import Solution, integrate


def problem(name, n, law, *, parameters=0):
    """(f, jac) of y' = law(t, y[, p])."""
    t, y, p = symbol("t"), symbols("y", n), symbols("p", parameters)
    ydot = law(t, y, p) if parameters else law(t, y)
    inputs = {"t": [t], "y": y} | ({"p": p} if parameters else {})
    f = Function(name, inputs, {"ydot": np.array(ydot, dtype=object)})
    return f, Function(f"{name}_jac", inputs, {"J": dense(ydot, y)})


def dense(roots, wrt):
    """The Jacobian as an object array."""
    return np.asarray(jacobian(list(roots), list(wrt)).dense(), dtype=object)


@cache
def oscillator():
    return problem("oscillator", 2, lambda t, y: [y[1], -y[0]])


@cache
def growth():
    return problem("growth", 1, lambda t, y: [y[0]])


@cache
def bump():
    """Not linear, not autonomous; y = (exp(sin t), sin t) for y(0) = (1, 0)."""
    return problem("bump", 2, lambda t, y: [y[0] * cos(t), cos(t) * y[0] * exp(-y[1])])


def bump_solution(t):
    t = np.asarray(t)
    return np.stack([np.exp(np.sin(t)), np.sin(t)], axis=-1)


@cache
def kepler():
    """Eccentricity 0.6, period 2 pi, from the nearest point; energy -1/2."""

    def law(t, y):
        r3 = sqrt(y[0] ** 2 + y[1] ** 2) ** 3
        return [y[2], y[3], -y[0] / r3, -y[1] / r3]

    return problem("kepler", 4, law)


KEPLER_START = np.array([0.4, 0.0, 0.0, 2.0])


@cache
def arenstorf():
    """The restricted three-body problem; the orbit of Hairer, Norsett and Wanner I, II.0 is closed."""
    mu = 0.012277471

    def law(t, y):
        a = sqrt((y[0] + mu) ** 2 + y[1] ** 2) ** 3
        b = sqrt((y[0] - (1 - mu)) ** 2 + y[1] ** 2) ** 3
        return [
            y[2],
            y[3],
            y[0] + 2 * y[3] - (1 - mu) * (y[0] + mu) / a - mu * (y[0] - (1 - mu)) / b,
            y[1] - 2 * y[2] - (1 - mu) * y[1] / a - mu * y[1] / b,
        ]

    return problem("arenstorf", 4, law)


ARENSTORF_START = np.array([0.994, 0.0, 0.0, -2.00158510637908252240537862224])
ARENSTORF_PERIOD = 17.0652165601579625588917206249


@cache
def van_der_pol():
    """Stiff, epsilon = 1e-6 (Hairer and Wanner II, IV.10)."""
    return problem("van_der_pol", 2, lambda t, y: [y[1], ((1 - y[0] ** 2) * y[1] - y[0]) * 1e6])


@cache
def robertson():
    def law(t, y):
        a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return [-a + b, a - b - c, c]

    return problem("robertson", 3, law)


@cache
def pendulum():
    """The index-3 pendulum m = g = L = 1: residual, matrices, retraction for the state (x, y, u, v, u', v', lam)."""
    t, q, v, a = symbol("t"), symbols("q", 2), symbols("v", 2), symbols("a", 2)
    lam, d = symbols("lam", 1), symbols("d", 2)
    inputs = {"t": [t], "y": np.concatenate([q, v, a, lam]), "d": d}
    M, Q, Phi_v = np.eye(2), np.array([0.0, -1.0]), np.array([[q[0], q[1]]], dtype=object)
    R = M @ a + Phi_v.T @ lam - Q
    Phi = [0.5 * (q[0] ** 2 + q[1] ** 2 - 1)]
    residual = Function("pendulum", inputs, {"R": R, "Phi": Phi, "Phi_dot": Phi_v @ v})
    matrices = Function("pendulum_matrices", inputs, {"M": M, "R_v": dense(R, v), "R_d": dense(R, q), "Phi_v": Phi_v})
    return residual, matrices, Function("pendulum_retract", inputs, {"q": q + d})


PENDULUM_START = np.array([1.0, 0.0, 0.0, 1.0, -1.0, -1.0, 1.0])


@cache
def angle_pendulum():
    """The same pendulum by its angle from the x axis: y = (phi, omega)."""
    return problem("angle_pendulum", 2, lambda t, y: [y[1], -cos(y[0])])


def pendulum_state(y):
    """(x, y, u, v, lam) from angle and rate; lam is the tension."""
    phi, omega = y[..., 0], y[..., 1]
    c, s = np.cos(phi), np.sin(phi)
    return np.stack([c, s, -omega * s, omega * c, omega**2 - s], axis=-1)


def run_pendulum(t_end, **options) -> Solution:
    residual, matrices, retract = pendulum()
    kind = {k: options.pop(k) for k in ("rho_inf", "alpha", "stabilised", "adaptive") if k in options}
    method = options.pop("method", "generalized-alpha")
    return integrate(
        residual, (0.0, t_end), PENDULUM_START, method=method, jac=matrices, project=retract, sizes=(2, 2, 1),
        options={**kind, **options.pop("options", {})}, **options,
    )  # fmt: skip
