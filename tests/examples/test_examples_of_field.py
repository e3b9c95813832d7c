"""Machines of courses and benchmarks, and of today: a figure of each, published, in closed form, or of its own oracle."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import bennett, example, six_bodies

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def run(name, t_eval, **options):
    chosen = example(name)
    return getattr(lw, chosen.analysis)(chosen.load(), t_eval=t_eval, **options)


def test_the_first_of_two_bodies_feels_the_second():
    """Accelerations of Featherstone's problem: those of the 6 x 6 articulated inertia."""
    d = run("two-bodies", [0, 0.01])
    np.testing.assert_allclose([d[f"B1.a{c}"][0] for c in "xyz"], [2.74118812296, -1.29860184313, 2.12172901123], **CLOSE)
    spin = [d[f"B1.alpha{c}"][0] for c in "xyz"]
    np.testing.assert_allclose(spin, [1.99167832032, 3.41863633258, 0.984963251089], **CLOSE)
    assert d["P.alpha"][0] == pytest.approx(-3.082189636, rel=1e-9)


def test_six_bodies_of_a_tree_are_six_free_bodies():
    """Kamman's equations with all degrees of freedom: places of the text, and Euler's equations for each body."""
    m = example("six-bodies").load()
    d = lw.dynamics(m, t_eval=[0, 0.01])
    p6 = [d[lw.component(m["body 6"].at(0.05, 0, -0.1), c)][0] for c in "xyz"]
    np.testing.assert_allclose(p6, [1.5364, -1.7216, 0.142], **CLOSE)
    for k, ((_, (xx, yy, zz, xy, xz, yz), *_), (*_, omega, _, moment)) in enumerate(
        zip(six_bodies.BODIES, six_bodies.STATE, strict=True), 1
    ):
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        expected = np.linalg.solve(J, moment - np.cross(omega, J @ omega))
        np.testing.assert_allclose([d[f"body {k}.alpha{c}"][0] for c in "xyz"], expected, **CLOSE)


def test_the_driven_pendulum_takes_the_torque_of_its_equation():
    t = np.linspace(0, 3, 7)
    i = run("driven-pendulum", t)
    theta, alpha = np.pi / 4 * np.cos(2 * t), -np.pi * np.cos(2 * t)
    torque = (104.01625 + 78 * 4) * alpha + 78 * 9.81 * 2 * np.sin(theta)
    np.testing.assert_allclose(i["motor.torque"], torque, rtol=1e-9)


def test_the_double_pendulum_obeys_lagrange():
    """The two equations of the plane, integrated by another program's method, at 2 s."""
    from scipy.integrate import solve_ivp

    def rates(t, y):
        a, b, u, v = y  # angles from the vertical
        m11, m22, m12 = 104.01625 + 78 * 4 + 39 * 16, 13.008125 + 39, 39 * 4 * np.cos(a - b)
        s = 39 * 4 * np.sin(a - b)
        right = [-s * v * v - 9.81 * (78 * 2 + 39 * 4) * np.sin(a), s * u * u - 9.81 * 39 * np.sin(b)]
        return [u, v, *np.linalg.solve([[m11, m12], [m12, m22]], right)]

    y = solve_ivp(rates, (0, 2), [np.pi / 2, 0, 0, 0], method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    d = run("double-pendulum", [0, 2.0], rtol=1e-10)
    assert [d["O.angle"][-1], d["O.angle"][-1] + d["P.angle"][-1]] == pytest.approx(y[:2], abs=1e-8)


def test_the_pendulum_has_the_published_curve():
    d = run("pendulum", [0, 0.5, 4.5, 9.5])
    np.testing.assert_allclose(d["bob.x"][1:], [-0.391049, -0.963293, -0.999992], atol=6e-7)  # six digits
    np.testing.assert_allclose(d["bob.y"][1:], [-0.920370, -0.268452, -0.004021], atol=6e-7)
    assert d.audit.energy_error < 5e-5  # what the library asks for


def test_windows_stay_parallel_through_singular_positions():
    d = run("four-bar-windows", np.linspace(0, 10, 21))
    for crank in ("c1", "c2"):
        np.testing.assert_allclose(d[f"{crank}.angle"], d["c0.angle"], atol=1e-6)
    energy = 0.5 * (3 / 3 + 2) * d["c0.omega"] ** 2 + (3 / 2 + 2) * 9.81 * np.sin(d["c0.angle"])
    np.testing.assert_allclose(energy, 1.5 + 3.5 * 9.81, rtol=1e-6)


def test_the_falling_slider_crank_keeps_its_energy():
    d = run("falling-slider-crank", [0, 2.5, 5])
    assert d.energy.error < 1e-7
    assert d["crank.wx"][0] == pytest.approx(6, rel=1e-12)


def test_the_car_axis_has_the_published_digits():
    d = run("car-axis", [0, 3.0], rtol=1e-10, atol=1e-12)
    found = [d[f"{b}.{c}"][-1] for b in "lr" for c in "xy"]
    np.testing.assert_allclose(found, [0.04934557843, 0.49698946023, 1.04174252489, 0.37391102727], atol=1e-9)


def test_klanns_foot_walks_level_for_half_a_turn():
    chosen = example("klann")
    m = chosen.load()
    k = lw.kinematics(m, t_end=1.0, steps=100)
    (foot,) = chosen.points(m)
    x, y = k[lw.component(foot, "x")][:-1], k[lw.component(foot, "y")][:-1]
    down = y < y.min() + 0.03
    assert 0.4 < down.mean() < 0.6
    assert np.ptp(x[down]) == pytest.approx(np.ptp(x), rel=0.02)  # the whole of its way
    assert np.ptp(y) > 0.25  # and it is lifted


def test_bennetts_hinges_obey_his_law():
    k = run("bennett", np.linspace(0, 1, 9))
    turn = 1.2 + 2 * np.pi * k.t
    np.testing.assert_allclose(np.tan(k["hinge 2.angle"] / 2), np.tan(bennett.second(turn) / 2), rtol=1e-7)
    np.testing.assert_allclose(k["hinge 4.angle"], -k["hinge 2.angle"], atol=1e-9)
