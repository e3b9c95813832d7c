"""An outside oracle, where it is installed (dependency group `peers`): SUNDIALS' IDA on equations written by hand.

Constraints are stabilised as Gear, Gupta and Leimkuhler do, to index 2:
q' = v - G^T mu, M v' = f - G^T lam, g = 0, G v + g_t = 0.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from benchmark_machines import car_axis, flyball, squeezer, unit_pendulum
from benchmark_references import FLYBALL, flyball_rates

ida = pytest.importorskip("sksundae.ida", reason="SUNDIALS is a peer, installed by `pip install --group peers`")


def constrained(motion, q, v, lam, t_end, rtol=1e-9, atol=1e-10):
    """q, v, lam at t_end. motion(t, q, v): M, f, G, g and the velocity residual G v + g_t."""
    n, m = len(q), len(lam)

    def residual(t, y, yp, res):
        q, v, lam, mu = y[:n], y[n : 2 * n], y[2 * n : 2 * n + m], y[2 * n + m :]
        M, f, G, g, rate = motion(t, q, v)
        res[:n] = yp[:n] - v + G.T @ mu
        res[n : 2 * n] = M @ yp[n : 2 * n] - f + G.T @ lam
        res[2 * n : 2 * n + m] = g
        res[2 * n + m :] = rate

    M, f, G, _, _ = motion(0.0, np.asarray(q), np.asarray(v))
    y = np.concatenate([q, v, lam, np.zeros(m)])
    yp = np.concatenate([v, np.linalg.solve(M, f - G.T @ lam), np.zeros(2 * m)])
    # multipliers are left out of the error control: they have no memory
    weights = np.concatenate([np.full(2 * n, atol), np.full(2 * m, 1e3)])
    solver = ida.IDA(residual, algebraic_idx=range(2 * n, 2 * n + 2 * m), rtol=rtol, atol=weights, max_num_steps=200_000)
    out = solver.solve(np.array([0.0, t_end]), y, yp)
    assert out.success, out.message
    end = out.y[-1]
    return end[:n], end[n : 2 * n], end[2 * n : 2 * n + m]


def test_pendulum():
    def motion(t, q, v):
        return np.eye(2), np.array([0, -1.0]), q[None], np.array([0.5 * (q @ q - 1)]), np.array([q @ v])

    q, v, lam = constrained(motion, [1.0, 0.0], [0.0, 1.0], [1.0], 5.0)
    d = lw.dynamics(unit_pendulum(), t_eval=[0, 5.0], rtol=1e-11, atol=1e-12)
    assert [d["bob.x"][1], d["bob.y"][1]] == pytest.approx(q, abs=1e-7)  # IDA's error at this tolerance
    assert [d["bob.vx"][1], d["bob.vy"][1]] == pytest.approx(v, abs=1e-7)
    assert -d["bar.force"][1] == pytest.approx(lam[0], abs=1e-6)


def test_car_axis():
    k = 10 * 0.01**2 / 2

    def motion(t, q, v):
        yb, yb1 = 0.1 * np.sin(10 * t), np.cos(10 * t)
        xb = np.sqrt(1 - yb * yb)
        xb1 = -yb * yb1 / xb
        left, right = q[:2], q[2:] - [xb, yb]
        Ll, Lr = np.linalg.norm(left), np.linalg.norm(right)
        f = np.concatenate([(0.5 - Ll) / Ll * left, (0.5 - Lr) / Lr * right]) - [0, k, 0, k]
        d = q[:2] - q[2:]
        G = np.array([[xb, yb, 0, 0], [2 * d[0], 2 * d[1], -2 * d[0], -2 * d[1]]])
        rate = G @ v + [q[0] * xb1 + q[1] * yb1, 0]
        # lam of the test set acts as + G^T lam
        return k * np.eye(4), f, -G, np.array([q[0] * xb + q[1] * yb, d @ d - 1]), rate

    q, v, lam = constrained(motion, [0, 0.5, 1, 0.5], [-0.5, 0, -0.5, 0], [0.0, 0.0], 3.0)
    d = lw.dynamics(car_axis(), t_eval=[0, 3], rtol=1e-10, atol=1e-12)
    assert [d[c][1] for c in ("l.x", "l.y", "r.x", "r.y")] == pytest.approx(q, abs=1e-6)
    assert [d[c][1] for c in ("l.vx", "l.vy", "r.vx", "r.vy")] == pytest.approx(v, abs=1e-5)
    along = sum((d[f"r.{c}"][1] - d[f"l.{c}"][1]) * d[f"bar.f{c}"][1] for c in "xy")
    assert [d["axis.force"][1], along / 2] == pytest.approx(lam, rel=1e-4)


# Andrews' squeezer in its seven angles. A place is a sum of arms (length, direction); a direction is a constant and the
# sum of some angles: beta 0, Theta 1, gamma 2, Phi 3, delta 4, Omega 5, epsilon 6.
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
UP, DOWN = np.pi / 2, -np.pi / 2
F = [(0.007, 0, (0,))]
G_, H = [(0.04, 0, (4,))], [(0.04, DOWN, (6,))]
BODIES = [  # m, I, the angles that turn it, mass centre
    (0.04325, 2.194e-6, (0,), [(0.00092, 0, (0,))]),
    (0.00365, 4.410e-7, (0, 1), [*F, (-0.0115, 0, (0, 1))]),
    (0.02373, 5.255e-6, (2,), [(0.01874, DOWN, (2,)), (0.01043, 0, (2,))]),
    (0.07050, 1.169e-5, (4,), [(0.02308, 0, (4,)), (0.00916, UP, (4,))]),
    (0.00706, 5.667e-7, (3, 4), [*G_, (0.00579, DOWN, (3, 4))]),
    (0.05498, 1.912e-5, (6,), [(0.01228, DOWN, (6,)), (-0.00449, 0, (6,))]),
    (0.00706, 5.667e-7, (5, 6), [*H, (0.00579, 0, (5, 6))]),
]
TO_E = [[*F, (-0.028, 0, (0, 1))], [(0.035, DOWN, (2,))], [*G_, (0.02, DOWN, (3, 4))], [*H, (0.02, 0, (5, 6))]]
PIVOTS = np.array([(0, 0), B, A, A])


def place(arms, q, v):
    """Place, its derivative by the angles, and the part of its acceleration that comes from v alone."""
    r, J, a = np.zeros(2), np.zeros((2, 7)), np.zeros(2)
    for length, constant, angles in arms:
        angles = list(angles)
        phi, rate = constant + q[angles].sum(), v[angles].sum()
        e = length * np.array([np.cos(phi), np.sin(phi)])
        r += e
        J[:, angles] += np.array([-e[1], e[0]])[:, None]
        a -= rate**2 * e
    return r, J, a


def andrews(t, q, v):
    M, f = np.zeros((7, 7)), np.zeros(7)
    f[0] += 0.033
    for m, inertia, angles, arms in BODIES:
        _, J, a = place(arms, q, v)
        w = np.zeros(7)
        w[list(angles)] = 1.0
        M += m * J.T @ J + inertia * np.outer(w, w)
        f -= m * J.T @ a
    d, J, _ = place([(0.018, DOWN, (2,)), (0.02, 0, (2,))], q, v)
    d = d + B - C
    length = np.linalg.norm(d)
    f -= 4530 * (length - 0.07785) / length * J.T @ d
    ends = [place(arms, q, v) for arms in TO_E]
    E, J_E = [P + x[0] for P, x in zip(PIVOTS, ends, strict=True)], [x[1] for x in ends]
    G = np.vstack([J_E[0] - J_E[k] for k in (1, 2, 3)])
    return M, f, G, np.concatenate([E[0] - E[k] for k in (1, 2, 3)]), G @ v


def test_squeezer():
    start = [-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
             -0.222668390165885885, 1.23054744454982119]  # fmt: skip
    lam = [98.5668703962411, -6.12268834425566, 0, 0, 0, 0]
    # a third of the published run: IDA needs ever more steps as the machine speeds up
    q, v, lam = constrained(andrews, start, np.zeros(7), lam, 0.01, rtol=1e-8, atol=1e-9)
    d = lw.dynamics(squeezer(), t_eval=[0, 0.01], rtol=1e-10, atol=1e-12)
    found = [d[f"{b}.angle"][1] for b in ("OF", "BDE", "AG", "AH")]
    assert found == pytest.approx(q[[0, 2, 4, 6]], rel=2e-6)
    rates = [d[f"{b}.omega"][1] for b in ("OF", "BDE", "AG", "AH")]
    assert rates == pytest.approx(v[[0, 2, 4, 6]], rel=2e-5)
    assert [d["E4.fx"][1], d["E4.fy"][1]] == pytest.approx(lam[2:4], rel=1e-4)


def test_flyball():
    """The stiff governor as an implicit system of two coordinates."""

    def residual(t, y, yp, res):
        res[:] = yp - flyball_rates(t, y)

    solver = ida.IDA(residual, rtol=1e-10, atol=1e-12, max_num_steps=200_000)
    start = np.array(FLYBALL)
    out = solver.solve(np.array([0, 0.5, 1.0]), start, flyball_rates(0.0, start))
    d = lw.dynamics(flyball(), t_eval=[0, 0.5, 1.0])
    assert d["slider.z"] == pytest.approx(out.y[:, 1], abs=1e-8)
