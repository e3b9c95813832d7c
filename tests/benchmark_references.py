"""The public benchmarks in one or two coordinates, written by hand: references that share nothing with the package.

Each function gives numbers good to about 1e-10, by scipy's integrators at tight tolerances or by elliptic functions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk, ellipkinc

G = 9.81


def unit_pendulum(t: np.ndarray) -> np.ndarray:
    """x, y, u, v, lam of the index-3 pendulum (m = g = L = 1) from (1, 0, 0, 1), by elliptic functions.

    The energy 1/2 makes 120 degrees the amplitude: theta = 2 asin(k sn(t + t0, k)), k = sin 60.
    """
    m = 0.75
    k = np.sqrt(m)
    t0 = ellipkinc(np.arcsin(np.sin(np.pi / 4) / k), m)
    sn, cn, dn, _ = ellipj(np.asarray(t) + t0, m)
    theta, rate = 2 * np.arcsin(k * sn), 2 * k * cn
    x, y = np.sin(theta), -np.cos(theta)
    del dn
    return np.array([x, y, rate * np.cos(theta), rate * np.sin(theta), rate**2 - y])


def swinging_bar(t: np.ndarray) -> np.ndarray:
    """x, y of the mass of A01: from rest at (-1, 0), theta = 2 asin(sin(45) sn(K - w t))."""
    sn, *_ = ellipj(ellipk(0.5) - np.sqrt(G) * np.asarray(t), 0.5)
    theta = 2 * np.arcsin(np.sqrt(0.5) * sn)
    return np.array([-np.sin(theta), -np.cos(theta)])


def heavy_top(t: np.ndarray) -> np.ndarray:
    """The mass centre of the heavy top: axis d and angular momentum h about the fixed point, d' = h x d/J, h' = d x W."""
    J1, J3, weight = 0.234375 + 15.0, 0.46875, np.array([0, 0, -15 * G])
    d, w = np.array([0.0, 1.0, 0.0]), np.array([0, 150.0, -4.61538])
    h = np.array([J1 * w[0], J3 * w[1], J1 * w[2]])

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([np.cross(y[3:], y[:3]) / J1, np.cross(y[:3], weight)])

    run = solve_ivp(rate, (0, t[-1]), [*d, *h], method="DOP853", t_eval=t, rtol=1e-12, atol=1e-12)
    return np.asarray(run.y[:3])


def flyball(t: np.ndarray) -> np.ndarray:
    """alpha, s of A05."""
    run = solve_ivp(flyball_rates, (0, t[-1]), FLYBALL, method="Radau", t_eval=t, rtol=1e-10, atol=1e-13)
    return np.asarray(run.y[:2])


FLYBALL = (np.pi / 6, 0.5, 0.0, 0.0)


def flyball_rates(_: float, y: np.ndarray) -> np.ndarray:
    """Of alpha, s and their rates: the balls move alike, so that the angular momentum about the shaft gives its speed."""
    k, c, m_rod, m_tip, m_s = 8e5, 4e4, 0.3, 5.0, 3.0
    axial, across = m_rod * 2e-4 / 12, m_rod * (1 + 1e-4) / 12
    hinge = across + m_rod * 0.25 + m_tip
    fixed = 0.3 * 2e-4 / 12 + 3 * 0.02 / 12

    def Iz(a: float) -> tuple[float, float]:
        C, S = np.cos(a), np.sin(a)
        rod = axial * S**2 + across * C**2 + m_rod * (0.05 + 0.5 * C) ** 2 + m_tip * (0.05 + C) ** 2
        slope = 2 * (axial - across) * S * C - m_rod * (0.05 + 0.5 * C) * S - 2 * m_tip * (0.05 + C) * S
        return fixed + 2 * rod, 2 * slope

    momentum = Iz(np.pi / 6)[0] * 2 * np.pi

    a, s, va, vs = y
    C, S = np.cos(a), np.sin(a)
    dx, dz = 0.5 * C, 1 - 0.5 * S - s
    length = np.hypot(dx, dz)
    la, ls = (-0.5 * S * dx - 0.5 * C * dz) / length, -dz / length
    f = k * (length - 0.5) + c * (la * va + ls * vs)
    spin, slope = Iz(a)
    weight = G * (m_rod * 0.5 + m_tip) * C  # of one rod, that turns it down
    return np.array([va, vs, (0.25 * slope * (momentum / spin) ** 2 + weight - f * la) / hinge, -G - 2 * f * ls / m_s])


def spatial_slider_crank(t: np.ndarray) -> np.ndarray:
    """theta, s of the falling slider-crank in space by conservation of energy: theta' = sqrt(2 (E - V)/M)."""
    A = np.array([0, 0.1, 0.12])

    def geometry(theta: complex) -> tuple[np.ndarray, ...]:
        """B, C and the axes of the rod: along it, normal to it and to x, and the third."""
        B = A + 0.08 * np.array([0 * theta, -np.sin(theta), np.cos(theta)])
        C = np.array([np.sqrt(0.09 - B[1] ** 2 - B[2] ** 2), 0 * theta, 0 * theta])
        u = (C - B) / 0.3
        v = np.array([0 * theta, -u[2], u[1]]) / np.sqrt(u[1] ** 2 + u[2] ** 2)
        return B, C, u, v, np.cross(u, v)

    def mass_and_potential(theta: float) -> tuple[float, float]:
        h = 1e-30  # complex step: derivatives to the last digit
        B, C, u, v, w = geometry(theta + 1j * h)
        dB, dC, du, dv, dw = (x.imag / h for x in (B, C, u, v, w))
        spin = 0.5 * sum(np.cross(x.real, dx) for x, dx in ((u, du), (v, dv), (w, dw)))
        along = spin @ u.real
        turning = 4e-4 * along**2 + 4e-3 * (spin @ spin - along**2)
        centre = 0.5 * (dB + dC)
        M = 1e-4 + 0.12 * 0.04**2 + 0.5 * centre @ centre + turning + 2.0 * dC @ dC
        return M, G * (0.12 * 0.5 * (A + B.real)[2] + 0.5 * 0.5 * (B.real + C.real)[2])

    M0, V0 = mass_and_potential(0.0)
    E = 0.5 * M0 * 36 + V0

    def rate(_: float, y: np.ndarray) -> list[float]:
        M, V = mass_and_potential(y[0])
        return [np.sqrt(2 * (E - V) / M)]

    theta = solve_ivp(rate, (0, t[-1]), [0.0], method="DOP853", t_eval=t, rtol=1e-12, atol=1e-12).y[0]
    return np.array([theta, [geometry(x)[1][0].real for x in theta]])


def one_freedom(
    t: np.ndarray, mass_and_potential: Callable[[float], tuple[float, float, float, float]], q: float, rate: float
) -> np.ndarray:
    """q of M q'' + M' q'^2/2 + V' = 0; the function gives M, M', V, V'."""

    def f(_: float, y: np.ndarray) -> list[float]:
        M, dM, _V, dV = mass_and_potential(y[0])
        return [y[1], -(0.5 * dM * y[1] ** 2 + dV) / M]

    return np.asarray(solve_ivp(f, (0, t[-1]), [q, rate], method="DOP853", t_eval=t, rtol=1e-12, atol=1e-12).y[0])


def windows(t: np.ndarray, n: int) -> np.ndarray:
    """The angle of the cranks of A02 while all windows stay parallelograms: n + 1 cranks, n couplers."""
    inertia, weight = (n + 1) / 3 + n, ((n + 1) / 2 + n) * G
    return one_freedom(t, lambda q: (inertia, 0.0, weight * np.sin(q), weight * np.cos(q)), np.pi / 2, -1.0)


def equal_links(t: np.ndarray, slider: float) -> np.ndarray:
    """The crank's angle of the slider-crank with equal links on its symmetric branch: x = 2 cos, rod at -theta."""

    def terms(q: float) -> tuple[float, float, float, float]:
        s, c = np.sin(q), np.cos(q)
        # crank about its pivot 1/3; rod: centre (1.5 c, 0.5 s), turning at -1; slider 2 c
        M = 1 / 3 + 2.25 * s**2 + 0.25 * c**2 + 1 / 12 + 4 * slider * s**2
        return M, (4 + 8 * slider) * s * c, G * s, G * c

    return one_freedom(t, terms, np.pi / 4, 4 / (2 * np.sin(np.pi / 4)))


def bricard(t: np.ndarray, thin: bool = False) -> np.ndarray:
    """P3 of A04 over time. All angles follow the first; mass and potential as Chebyshev series of it."""
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    axes = np.eye(3)[[1, 2, 0, 1, 2, 0]]  # y z x y z x
    along, across = (0.0, 1 / 12) if thin else (0.01 / 6, 1.01 / 12)

    def poses(q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rotation and shift of each rod from the start: the joints before it, one after the other."""
        out, A, r = [], np.eye(3), np.zeros(3)
        for k in range(5):
            turn = Rotation.from_rotvec(q[k] * axes[k]).as_matrix()
            A, r = A @ turn, r + A @ (P[k] - turn @ P[k])
            out.append((A, r))
        return out

    def closing(q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Residual of the sixth joint, its derivative, and how angular velocities of rods come from those of joints."""
        at = poses(q)
        A, r = at[-1]
        before = [np.eye(3), *[x for x, _ in at[:-1]]]
        world = np.array([before[k] @ axes[k] for k in range(5)])
        places = np.array([(at[k][0] @ P[k] + at[k][1]) for k in range(5)])
        end, h = A @ P[5] + r, A @ axes[5]
        J = np.array([[*np.cross(w, end - x), *np.cross(w, h)] for w, x in zip(world, places, strict=True)]).T
        return np.concatenate([end - P[5], h - axes[5]]), J, world

    def solved(q1: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q = np.array([q1, *q[1:]])
        for _ in range(8):
            R, J, world = closing(q)
            q[1:] -= np.linalg.lstsq(J[:, 1:], R, rcond=1e-9)[0]
        rates = np.array([1.0, *np.linalg.lstsq(J[:, 1:], -J[:, 0], rcond=1e-9)[0]])
        return q, rates, world

    def terms(q: np.ndarray, rates: np.ndarray, world: np.ndarray) -> tuple[float, float, np.ndarray]:
        at, M, V = poses(q), 0.0, 0.0
        w, v_joint, here = np.zeros(3), np.zeros(3), P[0]
        for k, (A, r) in enumerate(at):
            w = w + rates[k] * world[k]
            end, centre = A @ P[k + 1] + r, A @ (0.5 * (P[k] + P[k + 1])) + r
            v = v_joint + np.cross(w, centre - here)
            u = A @ (P[k + 1] - P[k])
            M += v @ v + along * (w @ u) ** 2 + across * (w @ w - (w @ u) ** 2)
            V += G * centre[1]
            v_joint, here = v_joint + np.cross(w, end - here), end
        return M, V, at[1][0] @ P[2] + at[1][1]

    middle, half, n = 0.5 * np.pi, 0.5 * np.pi + 0.05, 60
    nodes = middle - half * np.cos(np.pi * (np.arange(n) + 0.5) / n)
    table, q = [], np.zeros(5)
    for start in np.linspace(0, nodes[0], 4):
        q, *_ = solved(start, q)
    for node in nodes:
        q, rates, world = solved(node, q)
        M, V, P3 = terms(q, rates, world)
        table.append([M, V, *P3])
    M, V, *place = (Chebyshev.fit(nodes, y, n - 1, domain=[middle - half, middle + half]) for y in np.array(table).T)
    dM, dV = M.deriv(), V.deriv()
    q1 = one_freedom(t, lambda x: (M(x), dM(x), V(x), dV(x)), 0.0, 0.0)
    return np.array([f(q1) for f in place])
