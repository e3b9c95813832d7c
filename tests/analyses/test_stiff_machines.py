"""Stiff machines: recognised on the way, integrated by Radau, and what is not stiff left alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from benchmark_machines import flyball
from loaded_machines import bar_pendulum


def governor(times):
    """Height of the slider of IFToMM A05 from Lagrange's equations of its two symmetric freedoms, alpha and s.

    The angular momentum about the shaft stays: L = Iz(alpha) omega, T = (Iz omega^2 + 2 Ih alpha'^2 + m s'^2)/2.
    """
    M, c, k, d = 5.3, 5.15 / 5.3, 8e5, 4e4
    Jx, Jt = 0.3 * 2e-4 / 12, 0.3 * (1 + 1e-4) / 12 + 0.3 * (c - 0.5) ** 2 + 5 * (1 - c) ** 2

    def Iz(a):
        return (
            0.3 * 2e-4 / 12
            + 3 * 0.02 / 12
            + 2 * (Jx * np.sin(a) ** 2 + Jt * np.cos(a) ** 2 + M * (0.05 + c * np.cos(a)) ** 2)
        )

    L = 2 * np.pi * Iz(np.pi / 6)

    def f(t, y):
        a, s, da, ds = y
        x, z = 0.5 * np.cos(a), 1 - 0.5 * np.sin(a) - s
        length = np.hypot(x, z)
        l_a, l_s = (-x * 0.5 * np.sin(a) - z * 0.5 * np.cos(a)) / length, -z / length
        F = k * (length - 0.5) + d * (l_a * da + l_s * ds)
        Iz_a = 4 * (Jx - Jt) * np.sin(a) * np.cos(a) - 4 * M * (0.05 + c * np.cos(a)) * c * np.sin(a)
        spin = 0.5 * (L / Iz(a)) ** 2 * Iz_a
        return [
            da,
            ds,
            (spin + 2 * M * 9.81 * c * np.cos(a) - 2 * F * l_a) / (2 * (Jt + M * c * c)),
            -9.81 - 2 * F * l_s / 3,
        ]

    start = [np.pi / 6, 0.5, 0, 0]
    return solve_ivp(f, (0, times[-1]), start, method="Radau", t_eval=times, rtol=1e-9, atol=1e-11).y[1]


def test_the_stiff_governor_is_recognised():
    """IFToMM A05: k = 8e5, c = 4e4 against a motion of seconds. The audit says what was chosen and why."""
    d = lw.dynamics(flyball(), t_eval=[0, 1, 2])
    assert d["slider.z"][1:] == pytest.approx(governor([1.0, 2.0]), abs=2e-8)  # both at tolerances of 1e-8 to 1e-9
    assert d.audit.method == "radau"
    assert "the machine is stiff" in d.audit.why
    assert d.audit.steps < 2000
    assert d.violation.position.max() < 1e-12
    assert d.audit.energy_error < 1e-8


def stiff_pair():
    """A damped stiff spring (rates of about 1e3/s) beside a slow oscillation of both masses on a soft one."""
    m = lw.PlanarModel("stiff")
    a = m.body("a", 1.0, 1.0, position=(1, 0))
    b = m.body("b", 1.0, 1.0, position=(1.01, 1))
    m.add(lw.Translational("A", m.ground.at(0, 0, angle=0), a.at(0, 0, angle=0)))
    m.add(lw.Translational("B", m.ground.at(0, 1, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Force("slow", a.x, lambda s, v, t: -1.0 * s))
    m.add(lw.Force("stiff", b.x - a.x, lambda s, v, t: -1e6 * s - 1e4 * v))
    return m


def test_a_stiff_spring():
    """Exact by eigenvalues of the 4 x 4 system."""
    d = lw.dynamics(stiff_pair(), t_eval=[0, 3.0, 30.0])
    A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-1 - 1e6, 1e6, -1e4, 1e4], [1e6, -1e6, 1e4, -1e4]])
    w, V = np.linalg.eig(A)
    at = np.linalg.solve(V, [1, 1.01, 0, 0])
    exact = [(V @ (np.exp(w * t) * at)).real[0] for t in (3.0, 30.0)]
    assert d["a.x"][1:] == pytest.approx(exact, abs=1e-6)
    assert d.audit.method == "radau"
    assert d.audit.steps < 3000  # an explicit method takes 30 s * 2e4/s / 6 = 1e5


def test_what_is_not_stiff_keeps_its_method():
    """Long runs of a pendulum that goes round, and of a fast oscillation that is what the motion is."""
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 800.0])
    assert d.audit.method == "dop853"
    assert d.audit.steps > 6000
    m = lw.PlanarModel("fast")
    body = m.body("body", 1.0, 1.0, position=(1e-2, 0))
    m.add(lw.Force("spring", body.x, lambda s, v, t: -1e6 * s))
    d = lw.dynamics(m, t_eval=[0, 4.0], rtol=1e-7)
    assert d.audit.method == "dop853"


def test_a_short_run_of_a_stiff_machine_ends_as_it_began():
    d = lw.dynamics(stiff_pair(), t_eval=[0, 0.02])
    assert d.audit.method == "dop853"
    assert d.audit.why == "dop853 for the tolerance 1e-08"
