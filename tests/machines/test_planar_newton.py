"""Newton's method, determinants and ranks of Haug's chapters 3 to 5, on the equations the models give.

Iterates and determinants are reproduced step by step: derived Jacobians, full steps, nothing of the product's safeguards.
"""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.machine.machine import Machine
from planar_machines import double_pendulum, dyad


def newton(m, q, steps, t=0.0):
    """The iterates q0, q1, ... and the largest residual at each."""
    machine = Machine(m, t)
    q, seen, residuals = np.array(q, dtype=float), [], []
    for _ in range(steps + 1):
        Phi, J = machine.Phi_and_J(q, t)
        seen.append(q)
        residuals.append(np.abs(Phi).max())
        q = q - np.linalg.lstsq(J, Phi, rcond=None)[0]
    return np.array(seen), np.array(residuals)


# -- one unknown --------------------------------------------------------------------------------------------------------


def one_unknown(t):
    """Example 4.3.1, l^2 = 1/2: (q - cos t)^2 + sin^2 t - 1/2 = 0 for the place q of a slider."""
    m = lw.PlanarModel("one unknown")
    s = m.body("s")
    m.add(lw.Constraint("rod", (s.x - cos(t)) ** 2 + sin(t) ** 2 - 0.5))
    return m


def test_newton_on_a_regular_root():
    x = newton(one_unknown(0.0), (2, 0, 0), 4)[0][:, 0]
    np.testing.assert_allclose(x, [2, 1.75, 1.708333333333, 1.707107843137, 1.707106781187], rtol=1e-12)
    # errors e(k+1) = c e(k)^2 with c = 1/(2 (q - 1)) -> 1/sqrt(2) (the book prints 0.06)
    e = x[:4] - (1 + sqrt(0.5))
    np.testing.assert_allclose(e[1:] / e[:-1] ** 2, 0.5 / (x[:3] - 1), rtol=1e-9)


def test_newton_on_a_fold():
    x = newton(one_unknown(pi / 4), (1, 0, 0), 12)[0][:, 0]
    # rounding of 1e-16 over a slope of 1e-4
    np.testing.assert_allclose(x - sqrt(0.5), 0.292893218813 * 0.5 ** np.arange(13), rtol=1e-11, atol=2e-12)


def test_newton_without_a_root():
    x = newton(one_unknown(3 * pi / 8), (1, 0, 0), 4)[0][:, 0]
    # each step multiplies rounding by about f f''/f'^2, at most some hundred here
    np.testing.assert_allclose(x, [1, 0.404978601105, -7.535092839162, -3.553878144875, -1.540690985091], rtol=1e-10)


# -- machines -----------------------------------------------------------------------------------------------------------


def test_newton_on_the_double_pendulum():
    # example 3.6.2, from [0.5, -0.8660, 5 pi/3, 1.5, -1, 6.14]
    m = double_pendulum()
    machine = Machine(m)
    iterates, residuals = newton(m, machine.estimate(), 3)
    np.testing.assert_allclose(residuals[:3], [1.02e-2, 3.84e-5, 1.5e-11], rtol=0.01)
    for q in iterates:
        assert np.linalg.det(machine.Phi_and_J(q, 0.0)[1]) == pytest.approx(-cos(q[5]), rel=1e-12)
    np.testing.assert_allclose(iterates[-1][[3, 5]], [1.490984766568, 6.148806649418], rtol=1e-12)


def four_bar_by_its_angles():
    """Example 3.5.2: angles of crank 4, coupler 6 and follower 6, and the coupler's centre, in one body each."""
    m = lw.PlanarModel("four-bar")
    b1, b2, b3 = (m.body(f"b{k}") for k in (1, 2, 3))
    m.add(lw.Constraint("x", b2.x - 4 * lw.cos(b1.angle) - 3 * lw.cos(b2.angle)))
    m.add(lw.Constraint("y", b2.y - 4 * lw.sin(b1.angle) - 3 * lw.sin(b2.angle)))
    m.add(lw.Constraint("u", b2.x + 3 * lw.cos(b2.angle) - 4 - 6 * lw.cos(b3.angle)))
    m.add(lw.Constraint("v", b2.y + 3 * lw.sin(b2.angle) - 6 * lw.sin(b3.angle)))
    m.add(lw.Driver("motor", b1.angle, "pi*t"))
    return m


def test_newton_converges_quadratically_on_the_four_bar():
    # problem 4.5.3 at t = 1/3 from [pi/3, 5, 4, 0.2, 0.9]; y2* = 4.01229 (printed 4.01222)
    used = [2, 3, 4, 5, 8]  # phi1, x2, y2, phi2, phi3
    q0 = np.zeros(9)
    q0[used] = [pi / 3, 5, 4, 0.2, 0.9]
    iterates = newton(four_bar_by_its_angles(), q0, 5, 1 / 3)[0][:, used]
    exact = [pi / 3, 4.949489742783, 4.012289773726, 0.1837618661442, 0.8634356850524]
    np.testing.assert_allclose(iterates[-1], exact, rtol=1e-12)
    errors = np.linalg.norm(iterates - iterates[-1], axis=1)
    np.testing.assert_allclose(errors[:3], [6.5597e-2, 2.8768e-3, 1.3816e-6], rtol=1e-4)
    assert errors[3] == pytest.approx(3.341e-13, abs=5e-15)  # differences of numbers about 5, known to 9e-16
    np.testing.assert_allclose(errors[2] / errors[1] ** 2, 0.17, atol=0.005)


def test_determinants():
    # example 3.1.1: a pendulum x = sin f, y = -cos f, determinant 1 always
    m = lw.PlanarModel("pendulum")
    b = m.body("b", position=(0, -1))
    m.add(lw.Constraint("x", b.x - lw.sin(b.angle)))
    m.add(lw.Constraint("y", b.y + lw.cos(b.angle)))
    m.add(lw.Driver("motor", b.angle, "t**2"))
    k = lw.kinematics(m, t_end=3, steps=12)
    np.testing.assert_allclose(k["b.x"], np.sin(k.t**2), atol=1e-12)
    np.testing.assert_allclose(k["b.y"], -np.cos(k.t**2), atol=1e-12)
    machine = Machine(m)
    for x, y, f in zip(k["b.x"], k["b.y"], k["b.angle"], strict=True):
        assert np.linalg.det(machine.Phi_and_J(np.array([x, y, f]), 0.0)[1]) == pytest.approx(1, rel=1e-14)
    # example 3.1.2: -l sin phi2
    k = lw.kinematics(dyad(), t_eval=[0, 0.7])
    q = np.array([k[f"{body}.{c}"][1] for body in ("crank", "coupler") for c in ("x", "y", "angle")])
    J = Machine(dyad()).Phi_and_J(q, 0.7)[1]
    assert np.linalg.det(J) == pytest.approx(-1.8934052845205, rel=1e-12)
    assert np.linalg.det(J) == pytest.approx(-2 * sin(q[5]), rel=1e-13)


# -- rank ---------------------------------------------------------------------------------------------------------------


def parallelogram_of_the_book():
    """Example 4.6.1 in its five coordinates phi1, x2, y2, phi2, phi3; the rest of the bodies' are unused."""
    m = lw.PlanarModel("parallelogram")
    b1, b2, b3 = (m.body(f"b{k}") for k in (1, 2, 3))
    m.add(lw.Constraint("1", b2.x - lw.cos(b1.angle) - lw.cos(b2.angle)))
    m.add(lw.Constraint("2", b2.y - lw.sin(b1.angle) - lw.sin(b2.angle)))
    m.add(lw.Constraint("3", b2.x - lw.cos(b3.angle) - 1))
    m.add(lw.Constraint("4", b2.y - lw.sin(b3.angle)))
    m.add(lw.Constraint("5", (b2.x + lw.cos(b2.angle) - 2) ** 2 + (b2.y + lw.sin(b2.angle)) ** 2 - 1))
    return m


def test_rank_of_the_parallelogram():
    machine = Machine(parallelogram_of_the_book())

    def parts(phi):
        q = np.zeros(9)
        q[[2, 3, 4, 5, 8]] = [phi, 1 + cos(phi), sin(phi), 0, phi]
        Phi, J = machine.Phi_and_J(q, 0.0)
        assert np.abs(Phi).max() < 1e-15
        return np.linalg.svd(J[:, [2, 3, 4, 5, 8]])

    U, s, _ = parts(pi / 3)
    assert s[-1] < 1e-15
    assert s[-2] > 0.1
    left = np.array([1, sqrt(3), -2, -2 * sqrt(3), 1]) / (2 * sqrt(3))
    np.testing.assert_allclose(U[:, -1] / U[-1, -1], left / left[-1], atol=1e-12)
    for flat in (0.0, pi):
        assert (parts(flat)[1] > 1e-12).sum() == 3
    s = parts(1e-3)[1]
    assert s[-2] == pytest.approx(1.449e-3, rel=5e-4)
    assert s[-1] < 1e-15
    report = lw.check(parallelogram_of_the_book())
    assert report.redundant == [["1", "2", "3", "4", "5"]]


def five_bar_with_ground(phi, joint="pin", driver=False):
    """Example 5.1.1 with ground as a body, as the book counts: 15 coordinates; matrices of its own revolutes."""
    m = lw.PlanarModel("five-bar")
    frame, bar = m.body("frame"), m.body("bar", position=(cos(phi), sin(phi)))
    for c in ("x", "y", "angle"):
        m.add(lw.Constraint(f"ground_{c}", getattr(frame, c)))
    for k in range(3):
        own = m.body(f"b{k + 1}", position=(k, 0), angle=phi)
        m.add(lw.Revolute(f"G{k + 1}", frame.at(k, 0), own.at(0, 0)))
        if k == 2 and joint == "slot":
            m.add(lw.PointOnLine("T3", bar.at(0, 0, angle=0), own.at(1, 0)))
        else:
            m.add(lw.Revolute(f"T{k + 1}", own.at(1, 0), bar.at(k, 0)))
    if driver:
        m.add(lw.Driver("motor", m["b1"].angle, phi))
    return m


@pytest.mark.parametrize(
    ("phi", "joint", "driver", "shape", "rank"),
    [
        (1.0, "pin", False, (15, 15), 14), (0.0, "pin", False, (15, 15), 13), (1.0, "pin", True, (16, 15), 15),
        (1.0, "slot", False, (14, 15), 14), (pi / 2, "slot", False, (14, 15), 13),
    ],
)  # fmt: skip
def test_rank_of_the_five_bar(phi, joint, driver, shape, rank):
    machine = Machine(five_bar_with_ground(phi, joint, driver))
    Phi, J = machine.Phi_and_J(machine.estimate(), 0.0)
    assert np.abs(Phi).max() < 1e-15
    s = np.linalg.svd(J, compute_uv=False)
    assert J.shape == shape
    assert (s > 1e-12).sum() == rank
    if (phi, joint, driver) == (1.0, "pin", False):
        np.testing.assert_allclose(s[rank - 2 : rank], [0.397998, 0.313314], atol=6e-7)


# -- near and beyond a lock-up --------------------------------------------------------------------------------------------


def slider_crank_with_ground(L):
    """Section 5.2, model 1, with ground as a body, as the book has it."""
    m = lw.PlanarModel("slider-crank")
    frame, crank = m.body("frame"), m.body("crank", angle=0.5)
    rod, slider = m.body("rod", position=(3, 1), angle=-0.4), m.body("slider", position=(5, 0))
    m.add(lw.Revolute("A", frame.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", crank.at(2, 0), rod.at(-L / 2, 0)))
    m.add(lw.Revolute("C", rod.at(L / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", frame.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    for c in ("x", "y", "angle"):
        m.add(lw.Constraint(f"ground_{c}", getattr(frame, c)))
    m.add(lw.Driver("motor", crank.angle, "pi/4 + 2*pi*t"))
    return m


def test_condition_grows_toward_the_lock_up():
    m = slider_crank_with_ground(1.9)
    k = lw.kinematics(m, t_eval=[0, 0.074, 0.07445])
    machine = Machine(m)
    names = machine.system.coordinates.q_names
    found = [
        np.linalg.cond(machine.Phi_and_J(np.array([k[n][j] for n in names]), t)[1]) for j, t in enumerate(k.t)
    ]  # fmt: skip
    np.testing.assert_allclose(found, [23, 175, 1249], atol=0.5)


def test_beyond_the_lock_up_nothing_closes():
    """The driver is named, and what is left open is the limit of the penalty method, 4.43792e-3, whatever its weight."""
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(slider_crank_with_ground(1.9), 0.08)
    error = caught.value
    assert error.feasible is False
    assert "motor asks for 1.28805" in error.cause
    assert max(error.residuals.values()) == pytest.approx(4.43792e-3, abs=6e-9)
