"""States where the motion is prescribed or steady: motors whose currents follow from it."""

import numpy as np
import pytest

import linkwright as lw


def driven(motion, L=0.05, voltage="12*sin(3*t)", gravity=(0, -9.81)):
    m = lw.PlanarModel("arm", gravity=gravity)
    arm = m.body("arm", 1.0, 0.1, com=(0.2, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(0, 0)))
    m.add(lw.Motor("motor", pin, voltage=voltage, k=0.1, resistance=1.0, inductance=L, ratio=3.0))
    if motion:
        m.add(lw.Driver("drive", pin.angle, motion))
    return m


def test_inverse_dynamics_integrates_the_current():
    """L di/dt = V - R i - k n w at constant w: i = (V - k n w)/R (1 - exp(-R t/L)); the driver adds what the motor lacks."""
    w, i_end = 2.0, 12.0 - 0.1 * 3 * 2.0
    i = lw.inverse_dynamics(driven("2*t", voltage=12.0, gravity=(0, 0)), t_end=0.3, steps=3)
    current = i_end * (1 - np.exp(-i.t / 0.05))
    assert np.allclose(i["motor.current"], current, rtol=1e-10, atol=1e-12)
    assert np.allclose(i["motor.torque"] + i["drive.torque"], 0.0, atol=1e-12)
    assert np.allclose(i["motor.power"], 12.0 * current, rtol=1e-10)
    assert w == pytest.approx(i["A.omega"][-1])


@pytest.mark.parametrize("L", [0.05, 1e-6])
def test_it_agrees_with_dynamics(L):
    """Also where the current follows at once, which is stiff."""
    m = driven("sin(2*t)", L)
    i = lw.inverse_dynamics(m, t_end=2.0, steps=4)
    d = lw.dynamics(m, t_end=2.0, steps=4, rtol=1e-10, atol=1e-12, method="dop853" if L > 1e-3 else "radau")
    for name in ("motor.current", "drive.torque", "A.fx"):
        assert np.allclose(i[name], d[name], rtol=0, atol=1e-7 * (1 + np.abs(d[name]).max())), name


def test_it_goes_on_from_a_state():
    m = driven("sin(2*t)")
    whole = lw.inverse_dynamics(m, t_eval=[0.0, 0.5, 1.0])
    half = lw.dynamics(m, t_eval=[0.0, 0.5], rtol=1e-11, atol=1e-13)
    rest = lw.inverse_dynamics(m, t_start=0.5, t_eval=[0.5, 1.0], start=half)
    assert np.allclose(rest["motor.current"], whole["motor.current"][1:], rtol=1e-8)


def test_a_rate_that_jumps_is_told():
    """Within a step it is met by halving: as well as the last step is short."""
    m = driven("sin(2*t)")
    z = m.state("z", lambda z, t: lw.where(t > 0.7123, 1.0, 0.0))
    i = lw.inverse_dynamics(m, t_end=2.0, steps=2)
    assert abs(i[z][-1] - (2.0 - 0.7123)) < 1e-3
    assert any("states along the motion are known to" in note for note in i.audit.notes)


def test_steady_speed_of_a_motor():
    """c w = n k i and R i = V - n k w: w = n k V/(R c + (n k)^2)."""
    m = driven("", voltage=12.0, gravity=(0, 0))
    m.add(lw.Force("drag", m["A"].angle, lambda s, v, t: -0.2 * v))
    s = lw.steady(m)
    assert abs(s["arm.omega"] - 0.3 * 12 / (0.2 + 0.3**2)) < 1e-8
    assert abs(s["motor.current"] - 0.2 * s["arm.omega"] / 0.3) < 1e-8
    values = lw.linearize(m, s).eigenvalues
    A = np.array([[-0.2, 0.3], [-0.3 / 0.05, -1 / 0.05]]) / np.array([[0.14, 0.14], [1, 1]])  # of speed and current
    for expected in np.linalg.eigvals(A):
        assert np.abs(values - expected).min() < 1e-6
