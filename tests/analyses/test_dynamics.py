"""Simulations against closed forms and independent references; conservation; switched laws; trouble that is explained."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.errors import ModelError
from loaded_machines import bar_pendulum, slider_crank, spatial_slider_crank

# -- closed forms and references ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dop853", "dopri5", "adams", "radau"])
def test_pendulum_over_the_top(method):
    """C11 by elliptic functions: revolution of 1.36776320202865 s; angles, rates and pin forces."""
    d = lw.dynamics(bar_pendulum(), t_eval=[0, 0.25, 0.5, 1, 2, 10], rtol=1e-10, atol=1e-12, method=method)
    # errors of the phase grow with time: bounds a few hundred times the tolerance
    assert d["bar.angle"][1:] == pytest.approx(
        [6.17811273926706, 7.24705462564183, 8.97621720837182, 13.9729216040128, 50.9516358533416], abs=1e-6
    )
    assert d["bar.angle"][1:4] == pytest.approx([6.17811273926706, 7.24705462564183, 8.97621720837182], abs=2e-8)
    assert d["bar.omega"][1:4] == pytest.approx([5.12900741327221, 3.56040018475420, 4.28742073245006], abs=1e-7)
    # lam = minus the force on the bar, the first body; channels act on the second, ground
    assert d["pin.fx"][:4] == pytest.approx([0, 53.8580566818804, 7.56617041721206, -27.3768367115663], abs=2e-6)
    assert d["pin.fy"][:4] == pytest.approx(
        [-98.5768352087149, -10.5849222961915, 5.99169609576026, 8.27095717622768], abs=2e-6
    )
    assert d.energy.total == pytest.approx([33.0178901391433] * 6, abs=1e-6)
    assert d.violation.position.max() < 1e-12
    assert d.audit.method == method


def test_generalised_alpha_has_order_two_in_all_it_computes():
    """Fixed steps of 2 and 1 ms on C11: errors of angle, rate and pin force at t = 1 fall by four."""
    exact = {"bar.angle": 8.97621720837182, "bar.omega": 4.28742073245006, "pin.fx": -27.3768367115663}

    def errors(h):
        d = lw.dynamics(
            bar_pendulum(), t_eval=[0, 1.0], method="generalized-alpha", first_step=h, options={"adaptive": False}
        )
        assert d.violation.position[-1] < 1e-10
        return np.array([abs(d[c][-1] - x) for c, x in exact.items()])

    ratio = errors(2e-3) / errors(1e-3)
    assert ratio == pytest.approx([4, 4, 4], rel=0.1)  # higher terms of the error


def test_generalised_alpha_on_a_stiff_machine():
    """A damped stiff spring beside a slow motion: steps are those of the slow motion; driven time laws are met."""
    m = lw.PlanarModel("stiff")
    a = m.body("a", 1.0, 1.0, position=(1, 0))
    b = m.body("b", 1.0, 1.0, position=(1.01, 1))
    m.add(lw.Translational("A", m.ground.at(0, 0, angle=0), a.at(0, 0, angle=0)))
    m.add(lw.Translational("B", m.ground.at(0, 1, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.Spring("slow", m.ground.at(0, 0), a.at(0, 0), k=1.0))
    m.add(lw.Force("stiff", b.x - a.x, lambda s, v, t: -1e6 * s - 1e3 * v))
    d = lw.dynamics(m, t_eval=[0, np.pi], method="generalized-alpha", rtol=1e-5, atol=1e-7)
    assert d["a.x"][1] == pytest.approx(1.005 * np.cos(np.pi / np.sqrt(2)), abs=2e-3)  # both masses on one soft spring
    assert d.audit.steps < 3000


def test_small_pendulum():
    """C12: m = l = 1, phi'(0) = 1."""
    d = lw.dynamics(bar_pendulum(1.0, 1.0), t_eval=[0, 1, 5, 10], rtol=1e-11, atol=1e-12)
    assert d["bar.angle"][1:] == pytest.approx([4.87485286554619, 4.99839342133341, 5.07666203888026], abs=1e-9)
    assert d["bar.omega"][1:] == pytest.approx([-0.897902630447983, 0.634238512596131, -0.185595743493547], abs=1e-9)
    assert d["pin.fx"][1] == pytest.approx(1.30481305937058, abs=1e-8)
    assert d["pin.fy"][1] == pytest.approx(-10.4131174490916, abs=1e-8)


def test_point_mass_pendulum_swings_as_the_mathematical_one():
    """No inertia at all: period 2 K(sin^2(phi0/2)) ... = 4 K/omega0; phi0 = 90 degrees: 4 * 1.8540746773013719/sqrt(g/l)."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bob = m.body("bob", 1.0, 0.0, position=(1, 0))
    m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), 1.0))
    m.add(lw.Constraint("upright", bob.angle))
    period = 4 * 1.8540746773013719 / np.sqrt(9.81)
    d = lw.dynamics(m, t_eval=[0, period / 2, period], rtol=1e-10, atol=1e-12)
    assert d["bob.x"] == pytest.approx([1, -1, 1], abs=1e-8)
    assert d["bob.y"] == pytest.approx([0, 0, 0], abs=1e-6)  # at rest there: first order in the phase error, second in x


def test_double_pendulum():
    """C15: two uniform bars of 1 kg, 1 m, hanging, both turning at 1 rad/s."""
    m = lw.PlanarModel("double", gravity=(0, -9.81))
    a = m.body("a", 1.0, 1 / 12, position=(0, -0.5), angle=1.5 * np.pi, omega=1.0)
    b = m.body("b", 1.0, 1 / 12, position=(0, -1.5), angle=1.5 * np.pi, omega=1.0)
    m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    m.add(lw.Revolute("B", a.at(0.5, 0), b.at(-0.5, 0)))
    d = lw.dynamics(m, t_eval=[0, 1, 5, 10], rtol=1e-10, atol=1e-12)
    assert d["a.angle"][1:] == pytest.approx([4.87706767527725, 4.89701060963598, 5.05083216702262], abs=1e-8)
    assert d["b.omega"][1:] == pytest.approx([-1.38407091584079, 0.854194413582927, 0.490525169188490], abs=1e-8)


def test_slider_crank_under_gravity():
    """C14: half lengths 0.5 and 1, from rest at 45 degrees."""
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    c = np.sqrt(0.5)
    phi2 = -np.arcsin(c / 2)
    crank = m.body("crank", 3.0, 3 * 0.25 / 3, position=(c / 2, c / 2), angle=np.pi / 4)
    rod = m.body("rod", 2.0, 2 / 3, position=(c + np.cos(phi2), c / 2), angle=phi2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-0.5, 0)))
    m.add(lw.Revolute("B", crank.at(0.5, 0), rod.at(-1, 0)))
    tip = rod.at(1, 0)
    m.add(lw.PointOnLine("slide", m.ground.at(0, 0, angle=0), tip))
    d = lw.dynamics(m, t_eval=[0, 0.5, 1, 2], rtol=1e-10, atol=1e-12)
    assert d["crank.angle"][1:] == pytest.approx([-0.320438492542612, -2.99272532976727, -2.09386240605480], abs=1e-8)
    assert d["crank.omega"][1:] == pytest.approx([-5.12383396297088, -5.00082746524561, 5.80553790433819], abs=1e-7)
    assert d[lw.component(tip, "x")][2] == pytest.approx(1.00555314602982, abs=1e-8)


def test_follower_force():
    """C04: a force fixed in the body turns it round and round."""
    m = lw.PlanarModel("free")
    body = m.body("body", 10.0, 2.0)
    m.add(lw.PointForce("F", body.at(0.5, 0.2), (3, 4), frame="body"))
    d = lw.dynamics(m, t_eval=[0, 2, 5], rtol=1e-11, atol=1e-13)
    assert d["body.angle"] == pytest.approx([0, 1.4, 8.75], abs=1e-9)
    assert d["body.x"][1:] == pytest.approx([0.388737135510575, 0.0812710954542768], abs=1e-9)
    assert d["body.vy"][1:] == pytest.approx([0.899964287422365, 0.880518683783649], abs=1e-9)


def test_spring_between_two_masses():
    """C05: a harmonic oscillation about the common mass centre."""
    m = lw.PlanarModel("two")
    a, b = m.body("a", 2.0, 1.0), m.body("b", 3.0, 1.0, position=(1.2, 0))
    m.add(lw.Spring("s", a.at(0, 0), b.at(0, 0), k=100, length=1))
    d = lw.dynamics(m, t_eval=[0, 0.1, 1], rtol=1e-11, atol=1e-13)
    assert d["s.length"][1:] == pytest.approx([1.12229532279316, 0.808701821729823], abs=1e-10)
    assert d["s.force"][1] == pytest.approx(12.2295322793159, abs=1e-8)
    assert d["a.x"][1:] == pytest.approx([0.0466228063241049, 0.234778906962106], abs=1e-10)


def test_rotational_spring_damper_actuator():
    """C07."""
    m = lw.PlanarModel("two wheels")
    a, b = m.body("a", 1.0, 2.0), m.body("b", 1.0, 3.0)
    m.add(lw.Revolute("hub", m.ground.at(0, 0), a.at(0, 0)))
    pin = m.add(lw.Revolute("pin", a.at(0, 0), b.at(0, 0)))
    m.add(lw.TorsionSpring("s", pin, k=50, angle=0.1, c=1, torque="5*sin(4*t)"))
    d = lw.dynamics(m, t_eval=[0, 0.5, 2], rtol=1e-11, atol=1e-13)
    assert d["pin.angle"][1:] == pytest.approx([0.0380639437677569, -0.0984657405628397], abs=1e-10)
    assert d["a.angle"][1] == pytest.approx(-0.0228383662606541, abs=1e-10)
    assert d["b.omega"][2] - d["a.omega"][2] == pytest.approx(0.374686837182462, abs=1e-9)


def test_free_asymmetric_body():
    """Jacobi's elliptic functions: J = (1, 2, 3), omega = (1, 0, 1)."""
    m = lw.SpatialModel("free")
    m.body("body", 1.0, (1, 2, 3), omega=(1, 0, 1))
    d = lw.dynamics(m, t_eval=[0, 1, 5, 10], rtol=1e-11, atol=1e-12)
    assert [d["body.wx"][k] for k in (1, 2, 3)] == pytest.approx(
        [0.577802471812, -0.164350429765, -0.921069998444], abs=1e-9
    )
    assert d["body.wy"][3] == pytest.approx(0.389397044115, abs=1e-9)
    p = [d[f"body.e{k}"][3] for k in range(4)]
    assert p == pytest.approx([0.861441174065, 0.10734075762, 0.220947321795, -0.444498983542], abs=1e-9)


def test_steady_precession_of_a_top():
    """m = 1, l = 0.5, J1(O) = 0.3, J3 = 0.02, nutation 30 degrees: it precesses by 2 rad/s and keeps its angle."""
    m = lw.SpatialModel("top", gravity=(0, 0, -9.81))
    theta, Omega = np.pi / 6, 2.0
    w3 = (9.81 * 0.5 / Omega + 0.3 * Omega * np.cos(theta)) / 0.02
    # precession about the vertical in body axes: (0, sin, cos) Omega for a body tilted about x
    spin = (0, Omega * np.sin(theta), w3)
    top = m.body("top", 1.0, (0.05, 0.05, 0.02), com=(0, 0, 0.5), orientation=((1, 0, 0), theta), omega=spin)
    m.add(lw.Spherical("O", m.ground.at(0, 0, 0), top.at(0, 0, 0)))
    d = lw.dynamics(m, t_end=1.0, steps=10, rtol=1e-10, atol=1e-12)
    axis = [d[lw.component(top.at(0, 0, 1), c)] for c in "xyz"]
    assert axis[2] == pytest.approx(np.full(11, np.cos(theta)), abs=1e-8)
    azimuth = np.unwrap(np.arctan2(axis[1], axis[0]))
    assert azimuth - azimuth[0] == pytest.approx(Omega * d.t, abs=1e-7)


def test_spring_on_a_free_body_in_space():
    m = lw.SpatialModel("free", gravity=(0, 0, -9.81))
    body = m.body("body", 2.0, (0.05, 0.08, 0.06), position=(0.1, 0, -1), orientation=((1, 2, 3), 0.7), velocity=(0, 0.5, 0),
                  omega=(1, -2, 0.5))  # fmt: skip
    m.add(lw.Spring("s", m.ground.at(0, 0, 0), body.at(0.2, 0.1, 0.3), k=200, c=5, length=0.5))
    d = lw.dynamics(m, t_eval=[0, 1], rtol=1e-11, atol=1e-13)
    assert d["s.length"] == pytest.approx([0.841827899649, 0.576630708035], abs=1e-10)
    assert [d[f"body.{c}"][1] for c in "xyz"] == pytest.approx([-0.045452478461, 0.028839043452, -0.883295846838], abs=1e-10)


@pytest.mark.parametrize("formulation", ["newton-euler", "euler-parameters"])
def test_spatial_slider_crank(formulation):
    """Haug 12.2, free motion from omega = -6: energy quadrature."""
    m = spatial_slider_crank(driven=False)
    m["crank"].guess(omega=(-6.0, 0, 0))
    d = lw.dynamics(m, t_eval=[0, 0.25, 0.5, 1], rtol=1e-11, atol=1e-12, formulation=formulation)
    assert d["slider.x"][1:] == pytest.approx([0.258468889327, 0.233861953919, 0.281725564639], abs=1e-9)
    assert d["slider.vx"][1:] == pytest.approx([0.587306670929, -0.319943886867, -0.396810485571], abs=1e-8)
    assert d.violation.position.max() < 1e-12
    assert d.violation.velocity.max() < 1e-11


def engine(J1=450.0):
    """Haug 8.2 with gas force, gravity along +x, a constant torque, from the inner dead centre at 30 rad/s."""
    m = slider_crank(gas=True, driven=False, gravity=(9.81, 0), J1=J1)
    m["crank"].guess(angle=np.pi, omega=30)
    m["rod"].guess(position=(-0.25, 0), angle=0)
    m["slider"].guess(position=(1.5, 0))
    m.add(lw.Torque("T", m["crank"], 41450))
    return m


@pytest.mark.parametrize("method", ["auto", "adams"])
def test_engine_with_a_switched_gas_force(method):
    """Haug 8.2, J = 450, by energy quadrature split at every kink: each change of the law is met exactly."""
    d = lw.dynamics(engine(), t_eval=[0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 2.0], rtol=1e-10, atol=1e-11, method=method)
    assert d["crank.angle"][1:] == pytest.approx(
        [3.754321142, 4.659445225, 5.861791681, 7.811704166, 10.588924761, 15.013562414, 51.10894107], rel=3e-9
    )
    assert d["crank.omega"][1:] == pytest.approx(
        [31.029007072, 28.407607434, 17.875346936, 21.216463744, 30.108418096, 27.282684292, 19.28848898], rel=1e-8
    )
    assert d["A.fx"][1:4] == pytest.approx([74052.1598, 56631.6264, 68090.2462], rel=1e-7)
    assert d.audit.switches > 20
    assert d.audit.energy_error < 1e-9


# -- motions that are known otherwise --------------------------------------------------------------------------------------


def test_inverse_dynamics_returned_as_a_force():
    """Project 8.4: the torque that a motion needs, applied, makes the motion."""
    driven = slider_crank()
    times = np.linspace(0, 1, 401)
    i = lw.inverse_dynamics(driven, t_eval=times)
    m = slider_crank(driven=False)
    m.fix(m["crank"].angle, np.pi / 4)
    m["crank"].guess(omega=2 * np.pi)
    torque = lw.spline(times, i["motor.torque"])
    m.add(lw.Torque("T", m["crank"], lambda t: torque(t)))
    d = lw.dynamics(m, t_eval=[0, 0.5, 1.0])
    assert d["crank.angle"] == pytest.approx(np.pi / 4 + 2 * np.pi * d.t, abs=1e-6)  # the spline's error


def test_driven_machine_agrees_with_kinematics():
    m = slider_crank()
    d, k = lw.dynamics(m, t_end=0.4, steps=4), lw.inverse_dynamics(m, t_end=0.4, steps=4)
    for channel in ("slider.x", "slider.vx", "slider.ax", "motor.torque", "A.fx"):
        assert d[channel] == pytest.approx(k[channel], rel=1e-9), channel


# -- starts ---------------------------------------------------------------------------------------------------------------


def test_initial_velocities_are_completed():
    """Who gives the speed of the crank gets it; rod and slider follow (Haug 6.3.4)."""
    m = slider_crank(driven=False)
    m.fix(m["crank"].angle, np.pi / 4)
    m["crank"].guess(omega=2 * np.pi)
    d = lw.dynamics(m, t_eval=[0, 1e-3])
    assert d["crank.omega"][0] == pytest.approx(2 * np.pi, rel=1e-12)
    assert d["slider.vx"][0] == pytest.approx(-12.8108406206, abs=1e-9)
    assert d["rod.omega"][0] == pytest.approx(-2.7754469683, abs=1e-9)


def test_initial_velocities_that_contradict_are_balanced_and_told():
    m = slider_crank(driven=False)
    m["crank"].guess(omega=2 * np.pi)
    m["slider"].guess(velocity=(5.0, 0))
    d = lw.dynamics(m, t_eval=[0, 1e-3])
    assert "slider.vx: 5 ->" in str(d.audit)
    m.fix(m["slider"].vx, 5.0)
    d = lw.dynamics(m, t_eval=[0, 1e-3])
    assert d["slider.vx"][0] == pytest.approx(5.0, rel=1e-12)
    m.fix(m["crank"].omega, 1.0)
    with pytest.raises(ModelError, match="no velocity satisfies"):
        lw.dynamics(m, t_eval=[0, 1e-3])


def test_initial_velocities_count_by_the_weights_of_their_bodies():
    """One freedom and two targets: least squares of crank.omega - 2 pi and (slider.vx - 5)/length, weighted."""
    found = []
    for weight in (1.0, 1e3, 1e6):
        m = slider_crank(driven=False)
        m.fix(m["crank"].angle, np.pi / 4)
        m["crank"].guess(omega=2 * np.pi)
        m["slider"].guess(velocity=(5.0, 0), weight=weight)
        d = lw.dynamics(m, t_eval=[0, 1e-3])
        found.append((d["crank.omega"][0], d["slider.vx"][0]))
    slope = -12.8108406206 / (2 * np.pi)  # slider.vx a crank.omega at this angle (the test above)
    length = LoadedMachine(slider_crank(driven=False)).length
    for weight, (omega, v) in zip((1.0, 1e3, 1e6), found, strict=True):
        best = (2 * np.pi + weight * slope * 5.0 / length**2) / (1 + weight * slope**2 / length**2)
        assert omega == pytest.approx(best, rel=1e-6)
        assert v == pytest.approx(slope * best, rel=1e-6)


def test_what_assembly_moved_is_told():
    m = slider_crank(driven=False)
    d = lw.dynamics(m, t_eval=[0, 1e-3])
    told = next(n for n in d.audit.notes if n.startswith("initial positions changed"))
    assert f"rod.angle: -0.4 -> {d['rod.angle'][0]:.6g}" in told
    k = lw.assemble(m)
    for body in ("crank", "rod", "slider"):
        m[body].guess(position=(k[f"{body}.x"], k[f"{body}.y"]), angle=k[f"{body}.angle"])
    assert not any("initial positions" in n for n in lw.dynamics(m, t_eval=[0, 1e-3]).audit.notes)


def test_going_on_from_a_result():
    whole = lw.dynamics(bar_pendulum(), t_eval=[0, 0.5, 1.0], rtol=1e-11, atol=1e-12)
    half = lw.dynamics(bar_pendulum(), t_eval=[0, 0.5], rtol=1e-11, atol=1e-12)
    rest = lw.dynamics(bar_pendulum(), t_start=0.5, t_end=1.0, steps=1, start=half, rtol=1e-11, atol=1e-12)
    assert rest["bar.angle"] == pytest.approx(whole["bar.angle"][1:], abs=1e-9)


@pytest.mark.parametrize("formulation", ["newton-euler", "joint", "kane"])
def test_the_work_of_a_driver_at_constant_speed(formulation):
    """Nothing of the motion changes but the angle; gravity on an eccentric rotor makes a torque m g e cos(60 t), whose work
    is m g e sin(60 t)."""
    m = lw.PlanarModel("rotor", gravity=(0, -9.81))
    rotor = m.body("rotor", 2.0, 0.1, com=(0.1, 0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), rotor.at(0, 0)))
    m.add(lw.Driver("motor", pin.angle, "60*t"))
    d = lw.dynamics(m, 1.0, 20, formulation=formulation)
    T = 0.5 * (0.1 + 2 * 0.1**2) * 60**2
    assert np.abs(d.energy.work - 2 * 9.81 * 0.1 * np.sin(60 * d.t)).max() < 1e-6 * T  # 1e-8 of T a step
    assert d.audit.energy_error < 1e-6
