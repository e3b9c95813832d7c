"""Tyres with slip along and across, with and without relaxation: closed forms, braking, parking."""

from math import pi, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwright as lw

R, K, G, LOAD, C, MU = 0.3, 2e5, 10.0, 4000.0, 5e4, 0.9
AXLE = ((1, 0, 0), pi / 2)  # z turned into -y: the wheel heads along x and turns about y


def rolling(spin, speed=10.0, across=0.0, mass=LOAD / G, gravity=(0, 0, -G), **tyre):
    """A wheel whose speed is prescribed, at a height at which it bears LOAD; spin [rad/s] about y."""
    m = lw.SpatialModel("wheel", gravity=gravity)
    z = R - LOAD / K
    hub = m.body("hub", mass=mass, inertia=(1, 1, 1), position=(0, 0, z))
    wheel = m.body("wheel", mass=0.0, inertia=(0.5, 1.0, 0.5), position=(0, 0, z))
    m.add(lw.Orientation("level", m.ground.at(0, 0, 0), hub.at(0, 0, 0)))
    axle = m.add(lw.Revolute("axle", hub.at(0, 0, 0, rotation=AXLE), wheel.at(0, 0, 0, rotation=AXLE)))
    for axis, motion in (("x", f"{speed}*t"), ("y", f"{across}*t"), ("z", z)):
        m.add(lw.Driver(f"drive {axis}", hub.coordinate(axis), motion))
    m.add(lw.Driver("spin", axle.angle, f"{-spin}*t"))
    m.add(lw.Tyre("tyre", wheel.at(0, 0, 0, rotation=AXLE), radius=R, k=K, cornering=C, longitudinal=1.5 * C, mu=MU, **tyre))
    return m


def test_steady_slip():
    """Fx = C kappa, Fy = -C alpha, together at most mu N; driving pushes onward, braking back."""
    r = R - LOAD / K
    for kappa, across in ((0.02, 0.0), (-0.02, 0.0), (0.01, 0.2), (0.5, 3.0)):
        i = lw.inverse_dynamics(rolling((1 + kappa) * 10 / r, across=across, crawl=1e-6), t_end=1.0, steps=1)
        F = np.array([1.5 * C * kappa, -C * np.arctan2(across, 10)])
        F *= min(1.0, MU * LOAD / np.linalg.norm(F))
        assert np.allclose([i["tyre.fx"][-1], i["tyre.fy"][-1], i["tyre.fz"][-1]], [*F, LOAD], rtol=1e-9)
        assert np.allclose(i["tyre.slip_ratio"], kappa, rtol=1e-9)
        # the driver of the spin bears the moment of the force at the road, about -y as the axle is
        assert np.allclose(i["spin.torque"], -F[0] * r, rtol=1e-9)


def test_relaxation_over_a_length():
    """Far below mu N the force grows as C s (1 - exp(-x/sigma)); in the end f = C s (1 - (f/(mu N))^5)."""
    r, sigma = R - LOAD / K, 0.4
    for kappa in (0.003, 0.03, 0.3):
        d = lw.dynamics(rolling((1 + kappa) * 10 / r, relaxation=sigma), t_end=1.0, steps=100, rtol=1e-10)
        pull = 1.5 * C * kappa
        end = brentq(lambda f, pull=pull: f - pull * (1 - (f / (MU * LOAD)) ** 5), 0, MU * LOAD)
        assert abs(d["tyre.fx"][-1] - end) < 1e-8 * end
        assert d.audit.energy_error < 1e-8
        if kappa == 0.003:  # (f/(mu N))^5 is 1e-6
            assert np.allclose(d["tyre.fx"], pull * (1 - np.exp(-10 * d.t / sigma)), rtol=1e-5, atol=1e-6)


def car(mass=400.0, speed=20.0, push=0.0, **tyre):
    """A quarter of a car: it goes along x only, its wheel turns freely on it."""
    m = lw.SpatialModel("quarter car", gravity=(0, 0, -G))
    z = R - mass * G / K
    hub = m.body("hub", mass=mass, inertia=(1, 1, 1), position=(0, 0, z), velocity=(speed, 0, 0))
    wheel = m.body("wheel", mass=0.0, inertia=(0.5, 1.0, 0.5), position=(0, 0, z), velocity=(speed, 0, 0),
                   omega=(0, speed / z, 0))  # fmt: skip
    m.add(lw.Orientation("level", m.ground.at(0, 0, 0), hub.at(0, 0, 0)))
    m.add(lw.PointOnPlane("lane", m.ground.frame((0, 0, 0), (0, 1, 0)), hub.at(0, 0, 0)))
    axle = m.add(lw.Revolute("axle", hub.at(0, 0, 0, rotation=AXLE), wheel.at(0, 0, 0, rotation=AXLE)))
    m.add(
        lw.Tyre("tyre", wheel.at(0, 0, 0, rotation=AXLE), radius=R, k=K, c=2e3, cornering=C, longitudinal=C, mu=MU, **tyre)
    )
    if push:
        m.add(lw.Force("push", hub.x, push))
    return m, axle


def test_a_torque_drives_the_car():
    """While the rim hardly slips the torque accelerates both: (m + J/r^2) a = T/r."""
    m, axle = car(relaxation=0.3)
    m.add(lw.Torque("drive", axle, -200.0))  # about -y: onward
    d = lw.dynamics(m, t_end=2.0, steps=20)
    r = R - 400 * G / K
    a = 200 / r / (400 + 1.0 / r**2)
    late = d.t > 1.0
    assert np.allclose(d["hub.ax"][late], a, rtol=1e-3)  # the slip grows by as much as the speed does: 1e-3 of it
    assert d["wheel.wy"][-1] * r > d["hub.vx"][-1]
    assert d.audit.energy_error < 1e-7


def test_braking_to_rest_and_parking():
    """With the wheel locked it slides to rest within v^2/(2 mu g), more or less by the law of slip, and stays there."""
    m, axle = car(relaxation=0.3)
    m.add(lw.Driver("locked", axle.angle, 0.0))
    for b in (m["hub"], m["wheel"]):
        b.guess(velocity=(20, 0, 0), **({"omega": (0, 0, 0)} if b.name == "wheel" else {}))
    d = lw.dynamics(m, t_end=60.0, steps=600)
    most = MU * 400 * G
    decelerated = brentq(lambda f: f - C * (1 - (f / most) ** 5), 0, most) / 400  # steady sliding at slip 1
    assert abs(d["hub.ax"][10] + decelerated) < 1e-3 * decelerated
    stop = 20 / decelerated
    assert abs(d["hub.x"].max() - 20**2 / (2 * decelerated)) < 0.2
    rest = d.t > stop + 30
    assert np.abs(d["hub.vx"][rest]).max() < 1e-5
    assert np.ptp(d["hub.x"][rest]) < 1e-5


def test_a_car_that_is_pushed_at_rest_is_a_spring_and_not_stiff():
    """Held by its locked wheel it gives way by F sigma/C and swings at sqrt(C/(sigma m)), which is what rules the steps."""
    sigma, F = 0.3, 500.0
    m, axle = car(speed=0.0, push=F, relaxation=sigma)
    m.add(lw.Driver("locked", axle.angle, 0.0))
    e = lw.equilibrium(m)
    assert abs(e["tyre.fx"] + F) < 1e-6
    period = 2 * pi * sqrt(sigma * 400 / C)
    d = lw.dynamics(m, t_end=period, steps=200)
    x = d["hub.x"]
    zeta = sqrt(C / (sigma * 400)) * (2e3 / K) / 2  # damped as the tyre is vertically: c/k
    overshoot = 1 + np.exp(-pi * zeta / sqrt(1 - zeta**2))
    assert abs(x.max() - overshoot * F * sigma / C) < 0.01 * x.max()
    assert abs(d.t[np.argmax(x)] - period / 2) < 0.05 * period
    long = lw.dynamics(m, t_end=100 * period, steps=10)
    assert long.audit.steps < 1500
    assert np.allclose(long["hub.x"][1:], F * sigma / C, rtol=0.1)  # it relaxed by as far as it swung, then does not creep
    assert np.ptp(long["hub.x"][2:]) < 1e-6


def test_a_standing_car_that_rocks_keeps_its_energy():
    """At rest a tyre that relaxes is a spring C/sigma where it meets the road: undamped, far below mu N, kinetic energy,
    weight and the springs' energy add up. With the slip of the wheels' centres a wheel lifted off within 3 s."""
    m = lw.SpatialModel("cart", gravity=(0, 0, -G))
    body = m.body("body", mass=900.0, inertia=(300, 900, 1000), position=(0, 0, 0.29), com=(0, 0, 0.5), omega=(0.2, 0, 0))
    m.add(lw.DP1("only rolls", m.ground.vector(1, 0, 0), body.vector(0, 0, 1)))
    for k, y in enumerate((0.7, -0.7)):
        wheel = body.at(0, y, 0, rotation=AXLE)
        m.add(lw.Tyre(f"t{k}", wheel, radius=R, k=K, cornering=C, longitudinal=C, mu=1e3, relaxation=0.3))
    d = lw.dynamics(m, t_end=3.0, steps=30, rtol=1e-9)
    e = [d[f"body.e{k}"] for k in range(4)]
    energy = d.energy.kinetic + 900 * G * (d["body.z"] + 0.5 * (e[0] ** 2 - e[1] ** 2 - e[2] ** 2 + e[3] ** 2))
    for k, y in enumerate((0.7, -0.7)):
        depth = R - d["body.z"] - 2 * y * (e[2] * e[3] + e[0] * e[1])
        aside = C * 0.3 * (d[f"t{k}.relaxed_across"] ** 2 + d[f"t{k}.relaxed_along"] ** 2)
        assert depth.min() > 0
        energy = energy + 0.5 * (K * depth**2 + aside)
    assert d.energy.kinetic.max() > 10 * d.energy.kinetic.min()  # it swings
    assert energy == pytest.approx(energy[0], abs=1e-7 * d.energy.kinetic[0])  # a hundred times rtol


def test_a_car_at_rest_settles_with_few_steps():
    """Three wheels without relaxation, which slip from a crawl on, and with it: few steps, no switches to and fro."""
    steps = {}
    for sigma in (0.0, 0.3):
        m = lw.SpatialModel("cart", gravity=(0, 0, -G))
        body = m.body("body", 900.0, (300, 900, 1000), position=(0, 0, 0.29))
        for k, (x, y) in enumerate([(1.2, 0.0), (-1.2, 0.7), (-1.2, -0.7)]):
            m.add(lw.Tyre(f"t{k}", body.at(x, y, 0, rotation=AXLE), radius=R, k=K, c=3e3, cornering=4.5e4, relaxation=sigma))
        d = lw.dynamics(m, t_end=1.0, steps=10)
        steps[sigma] = d.audit.steps, d.audit.switches
        assert np.abs(d["body.vy"]).max() < 1e-5
    assert steps[0.0][0] < 250
    assert steps[0.3][0] < 100
    assert steps[0.3][1] <= 6


@pytest.mark.parametrize("relaxation", [0.0, 0.3])
def test_a_car_that_rolls_on_takes_the_steps_of_its_turning_wheel(relaxation):
    """The slip follows from the speed about the axle itself: rounding of where the wheel has turned to, times the stiffness,
    ruled the steps (2,800 of them)."""
    m, _ = car(speed=15.0, relaxation=relaxation)
    free = lw.SpatialModel("wheel")
    wheel = free.body("wheel", mass=1.0, inertia=(0.5, 1.0, 0.5), omega=(0, 15 / (R - 400 * G / K), 0))
    free.add(lw.Revolute("axle", free.ground.at(0, 0, 0, rotation=AXLE), wheel.at(0, 0, 0, rotation=AXLE)))
    own, alone = (lw.dynamics(x, t_end=5.0, steps=10) for x in (m, free))
    assert own.audit.steps < 1.2 * alone.audit.steps
    assert own["hub.x"][-1] == pytest.approx(75.0, rel=1e-9)


def test_slip_of_a_wheel_that_leans_and_yaws():
    """The rim is where the road is, straight below the centre: heading . (v + omega x (road - centre)) over the headway."""
    m = lw.SpatialModel("wheel")
    lean = ((0.3, -0.2, 0.9), 0.7)
    wheel = m.body(
        "wheel", mass=1.0, inertia=(1, 2, 3), position=(1, 2, 0.25), orientation=lean, velocity=(3, -1, 0.2), omega=(1, 9, 4)
    )
    m.add(lw.Tyre("tyre", wheel.at(0, 0, 0, rotation=AXLE), radius=R, k=K, longitudinal=C, cornering=C))
    d = lw.dynamics(m, t_end=1e-3, steps=1)
    e = np.array([d[f"wheel.e{k}"][0] for k in range(4)])
    A = (2 * e[0] ** 2 - 1) * np.eye(3) + 2 * np.outer(e[1:], e[1:])
    A += 2 * e[0] * np.array([[0, -e[3], e[2]], [e[3], 0, -e[1]], [-e[2], e[1], 0]])
    axle, v, omega = A @ [0, -1, 0], np.array([3, -1, 0.2]), A @ [1, 9, 4]
    heading = np.cross([0, 0, 1], axle) / np.hypot(axle[0], axle[1])
    rim = heading @ (v + np.cross(omega, [0, 0, -0.25]))
    assert d["tyre.slip_ratio"][0] == pytest.approx(-rim / abs(heading @ v), rel=1e-12)


@pytest.mark.parametrize("method", ["auto", "radau"])
@pytest.mark.parametrize("relaxation", [0.0, 0.3])
def test_a_wheel_that_just_touches_the_road_is_driven(relaxation, method):
    """It bears nothing yet: mu N and the slip begin at zero together, which was 0/0. It sinks in and drives."""
    m, axle = car(speed=0.0, relaxation=relaxation)
    for name in ("hub", "wheel"):
        m[name].guess(position=(0, 0, R))
    m.add(lw.Torque("drive", axle, -200.0))
    d = lw.dynamics(m, t_end=1.0, steps=10, method=method, rtol=1e-6)
    assert d["tyre.fz"][0] == 0.0
    assert abs(d["hub.vx"][-1] - 200 / (R - 400 * G / K) / (400 + 1.0 / R**2)) < 0.1  # slip and swinging: a twentieth
    assert d.audit.energy_error < 1e-4  # rtol 1e-6, a hundred steps


def test_what_makes_no_sense_is_refused():
    with pytest.raises(lw.ModelError, match="needs no crawl"):
        rolling(1.0, relaxation=0.3, crawl=0.1)
