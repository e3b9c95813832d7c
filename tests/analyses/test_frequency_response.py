"""Frequency responses against closed forms, against the state space, and about a motion."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw

OMEGA = np.array([0.5, 4.0, 5.0, 30.0])


def shaken():
    """A block on a spring and damper whose other end is driven."""
    m = lw.PlanarModel("shaken")
    base, block = m.body("base", mass=1.0, inertia=1.0), m.body("block", mass=2.0, inertia=1.0, position=(1, 0))
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), base.at(0, 0, angle=0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Spring("s", base.at(0, 0), block.at(0, 0), k=50, length=1, c=4))
    m.add(lw.Force("u", block.x, 0.0))
    m.add(lw.Driver("shaker", rail.displacement, 0.0))
    return m, block


def test_a_shaken_oscillator():
    """x = u/(k - m w^2 + i c w), and (k + i c w) times as much for a motion of the base; the force that shakes it."""
    m, block = shaken()
    lin = lw.linearize(m)
    yields = 1 / (50 - 2 * OMEGA**2 + 4j * OMEGA)
    assert lin.frequency_response("u", "block.x", OMEGA) == pytest.approx(yields)
    assert lin.frequency_response("u", block.vx, OMEGA) == pytest.approx(1j * OMEGA * yields)
    assert lin.frequency_response("u", "block.ax", OMEGA) == pytest.approx(-(OMEGA**2) * yields)
    through = (50 + 4j * OMEGA) * yields
    assert lin.frequency_response("shaker", "block.x", OMEGA) == pytest.approx(through)
    force = -(OMEGA**2) * (1 + 2 * through)  # mass times acceleration of both
    assert lin.frequency_response("shaker", "shaker.force", OMEGA) == pytest.approx(force)
    one = lin.frequency_response("u", "block.x", 4.0)
    assert isinstance(one, complex)
    assert one == pytest.approx(yields[1])
    # nothing happens at no frequency but what a spring does
    assert lin.frequency_response("u", "block.x", 0.0) == pytest.approx(1 / 50)


def test_wrong_inputs_are_named():
    m, _ = shaken()
    lin = lw.linearize(m)
    with pytest.raises(lw.ModelError, match="'v' is no input") as caught:
        lin.frequency_response("v", "block.x", 1.0)
    assert "s, u, shaker" in caught.value.remedy
    with pytest.raises(lw.ModelError, match="omega: a value is nan, not a finite number"):
        lin.frequency_response("u", "block.x", np.nan)
    with pytest.raises(lw.ModelError, match="not known"):
        lin.frequency_response("u", "block.xx", 1.0)


@pytest.mark.parametrize("speed", [0.0, 40.0])
def test_the_state_space_says_the_same(speed):
    """C (i w - A)^-1 B + D, with reactions and accelerations among the outputs, at rest and of a turning governor arm."""
    m = lw.SpatialModel("arm", gravity=(0, 0, -9.81))
    shaft = m.body("shaft", mass=1.0, inertia=(0.1, 0.1, 0.02), omega=(0, 0, speed))
    tilt = np.arccos(9.81 * 0.2 / (0.2**2 + 0.01) / speed**2) if speed else 0.0  # m g l = (m l^2 + J) Omega^2 cos
    arm = m.body("arm", mass=1.0, inertia=(0.01, 0.01, 0.0), com=(0, 0, -0.2), orientation=((0, 1, 0), -tilt))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), shaft.at(0, 0, 0)))
    hinge = m.add(lw.Revolute("hinge", shaft.frame((0, 0, 0), (0, 1, 0)), arm.frame((0, 0, 0), (0, 1, 0))))
    m.add(lw.TorsionSpring("damper", hinge, k=0.0, c=0.05))
    m.add(lw.TorsionSpring("hold", pin, k=0.0, c=0.01, torque=-0.01 * speed))
    outputs = [hinge.angle, shaft.wz, "hinge.fx", "hinge.tx", "arm.alphay", "damper.torque", "pin.fz"]
    m.fix(shaft.wz, speed)
    lin = lw.linearize(m, lw.dynamics(m, t_end=1e-3, steps=1), t=0.0, outputs=outputs)
    assert lin.residual < 1e-9
    A, B, C, D = lin.state_space
    for k, name in enumerate(lin.inputs):
        for row, y in enumerate(outputs):
            wanted = [C[row] @ np.linalg.solve(1j * w * np.eye(len(A)) - A, B[:, k]) + D[row, k] for w in OMEGA]
            assert lin.frequency_response(name, y, OMEGA) == pytest.approx(wanted, rel=1e-7, abs=1e-9)


def test_a_whirling_rotor_is_shaken():
    """Torques about x and y: (k - J_t w^2) a = T + i w J_p Omega b ..., the closed form of gyroscopic coupling."""
    Jt, Jp, k, speed = 0.02, 0.035, 500.0, 200.0
    m = lw.SpatialModel("rotor")
    disc = m.body("disc", mass=1.0, inertia=(Jt, Jt, Jp), omega=(0, 0, speed))
    m.add(lw.Spherical("bearing", m.ground.at(0, 0, 0), disc.at(0, 0, 0)))
    z = disc.vector(0, 0, 1)
    tilts = {name: lw.dot(z, m.ground.vector(*axis)) for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0)))}
    for name, tilt in tilts.items():
        m.add(lw.Force(name, tilt, lambda s, v, t: -k * s))
    lin = lw.linearize(m, lw.assemble(m))
    w = np.array([10.0, 60.0, 300.0, 500.0])
    own, cross = k - Jt * w**2, 1j * w * Jp * speed
    # z tilts along x by a turn about y: force "x" of one is a torque of one about y
    direct, coupled = own / (own**2 + cross**2), cross / (own**2 + cross**2)
    assert lin.frequency_response("x", tilts["x"], w) == pytest.approx(direct)
    assert np.abs(lin.frequency_response("x", tilts["y"], w)) == pytest.approx(np.abs(coupled))


def test_bode_draws_both():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    m, _ = shaken()
    above, below = lw.linearize(m).bode("u", "block.x")
    x, y = above.lines[0].get_data()
    assert y[0] == pytest.approx(1 / 50, rel=0.02)  # a tenth of the natural frequency: static but for a hundredth
    assert below.lines[0].get_data()[1][-1] == pytest.approx(-180, abs=5)
    assert len(x) == 600


def test_free_motions_and_resonances_at_their_own_frequency():
    """A torque on a free wheel turns it without end; a spring beside it does not mind; undamped resonance has no answer."""
    m = lw.PlanarModel("wheel")
    wheel, block = m.body("wheel", mass=1.0, inertia=0.5), m.body("block", mass=2.0, inertia=1.0, position=(1, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), wheel.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Spring("s", m.ground.at(0, 0), block.at(0, 0), k=50, length=1))
    m.add(lw.Torque("t", wheel, 0.0))
    m.add(lw.Force("u", block.x, 0.0))
    lin = lw.linearize(m)
    assert lin.frequency_response("u", "block.x", 0.0) == pytest.approx(1 / 50)
    assert lin.frequency_response("t", "wheel.angle", 0.0) == np.inf
    assert lin.frequency_response("u", "block.x", 5.0) == np.inf
    assert lin.frequency_response("t", "wheel.angle", 2.0) == pytest.approx(-1 / (0.5 * 4))


def rolling_wheel():
    """Of mass m and inertia m r^2/2, on a spring k with a damper c: it answers as a mass of 3/2 m does."""
    m = lw.PlanarModel("wheel", gravity=(0, -9.81))
    wheel = m.body("wheel", 2.0, 0.5 * 2.0 * 0.3**2, position=(0, 0.3))
    m.add(lw.Constraint("level", wheel.y, 0.3))
    m.add(lw.Constraint("road", wheel.vx + 0.3 * wheel.omega))
    m.add(lw.Force("hold", wheel.x, "-50*s - 4*v"))
    m.add(lw.Force("push", wheel.x, 0.0))
    return m


def test_a_machine_with_constraints_on_velocities():
    """x/F = 1/(k + i c w - 3/2 m w^2), the force of the road 1/2 m w^2 x."""
    lin = lw.linearize(rolling_wheel(), outputs=["wheel.x"])
    w = np.array([0.0, 2.0, 4.08, 20.0])
    want = 1 / (50 + 4j * w - 3.0 * w**2)
    assert lin.frequency_response("push", "wheel.x", w) == pytest.approx(want, rel=1e-9)
    assert lin.frequency_response("push", "road.force", w) == pytest.approx(w**2 * want, rel=1e-9, abs=1e-12)
    A, B, C, D = lin.state_space
    k = lin.inputs.index("push")
    by_states = [(C @ np.linalg.solve(1j * x * np.eye(len(A)) - A, B[:, k]) + D[:, k])[0] for x in w[1:]]
    assert want[1:] == pytest.approx(np.array(by_states), rel=1e-9)  # at no frequency it turns freely: singular
    with pytest.raises(lw.ModelError, match="no input of a machine with constraints on velocities") as caught:
        lin.frequency_response("road", "wheel.x", 1.0)
    assert "push" in caught.value.remedy


def servo(inductance, voltage=0.0):
    """A motor behind a gear pulls a block along against a spring, in space."""
    m = lw.SpatialModel("servo")
    block = m.body("block", mass=2.0, inertia=(1, 1, 1))
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, 0), block.at(0, 0, 0)))
    m.add(lw.Force("spring", rail, "-50*s"))
    m.add(lw.Motor("motor", rail, voltage=voltage, k=2.0, resistance=3.0, inductance=inductance, ratio=2, rotor=0.1))
    return m


@pytest.mark.parametrize("inductance", [0.0, 0.4])
def test_the_input_of_a_motor_is_its_voltage(inductance):
    """One volt more gives i = (1 - k n s x)/(R + L s), x = k n i/(m s^2 + k), and V i0 + V0 i of power; by the state space,
    too."""
    m, s = servo(inductance, voltage=6.0), 1j * OMEGA
    Z, kn, i0 = 3 + inductance * s, 4.0, 2.0
    x = kn / Z / (2.4 * s**2 + 50 + kn**2 * s / Z)
    i = (1 - kn * s * x) / Z
    wanted = {"block.z": x, "motor.current": i, "motor.force": kn * i, "motor.power": i0 + 6 * i, "spring.force": -50 * x}
    lin = lw.linearize(m, outputs=list(wanted))
    j = lin.inputs.index("motor")
    for k, (name, found) in enumerate(wanted.items()):
        assert lin.frequency_response("motor", name, OMEGA) == pytest.approx(found), name
        by_state = [lin.C_y[k] @ np.linalg.solve(z * np.eye(len(lin.A)) - lin.A, lin.B[:, j]) + lin.D_y[k, j] for z in s]
        assert by_state == pytest.approx(found), name


def test_states_of_machines_that_roll():
    """A wheel that a motor with inductance turns, on a spring: L J s^3 + R J s^2 + (L k R^2 + c^2) s + R k R^2 = 0, and its
    voltage as input. The blade of a sledge beside a state that follows it."""
    r, J = 0.2, 0.02 + 1.0 * 0.2**2
    m = lw.PlanarModel("wheel", gravity=(0, -9.81))
    wheel = m.body("wheel", mass=1.0, inertia=0.02, position=(0, r))
    m.add(lw.Rolling("roll", wheel.at(0, 0), m.ground.at(0, 0, angle=0), radius=r))
    m.add(lw.Motor("motor", wheel.angle, voltage=0, k=0.5, resistance=2.0, inductance=0.3))
    m.add(lw.Force("spring", wheel.x, "-5*s"))
    lin = lw.linearize(m)
    roots = np.roots([0.3 * J, 2 * J, 0.3 * 5 * r * r + 0.25, 2 * 5 * r * r])
    found = sorted((x for x in lin.eigenvalues if abs(x) > 1e-9), key=lambda x: (x.real, x.imag))
    assert found == pytest.approx(sorted(roots, key=lambda x: (x.real, x.imag)))
    s = 1j * OMEGA
    Z = 2 + 0.3 * s
    turn = 0.5 / Z / (J * s**2 + 5 * r * r + 0.25 * s / Z)
    assert lin.frequency_response("motor", "wheel.angle", OMEGA) == pytest.approx(turn)
    assert lin.frequency_response("motor", "motor.current", OMEGA) == pytest.approx((1 - 0.5 * s * turn) / Z)

    m = lw.PlanarModel("sledge")
    b = m.body("b", mass=2.0, inertia=0.3, com=(0.4, 0))
    m.add(lw.Constraint("blade", -lw.sin(b.angle) * b.vx + lw.cos(b.angle) * b.vy))
    z = m.state("z", lambda z, t: -3 * z + b.vx)
    m.add(lw.Force("pull", b.x, lambda s, v, t: -5 * s - 2 * z))
    moving = sorted(x.imag for x in lw.linearize(m).eigenvalues if abs(x) > 1e-6)
    assert moving == pytest.approx(sorted(np.roots([2, 6, 7, 15]).imag), abs=1e-9)


@pytest.mark.parametrize("rolls", [False, True])
def test_the_target_of_a_controller(rolls):
    """H = C G / (1 + C G) with C = kp + ki/s + kd s and G = 1/(m s^2); one at no frequency, where the integral stands."""
    m = lw.PlanarModel("cart", gravity=(0, 0))
    b = m.body("b", mass=2.0, inertia=0.01, position=(0, 0.1))
    if rolls:
        m.add(lw.Rolling("wheel", b.at(0, 0), m.ground.at(0, 0, angle=0), radius=0.1))
    else:
        m.add(lw.Translational("rail", m.ground.at(0, 0.1, angle=0), b.at(0, 0, angle=0)))
    m.add(lw.PID("hold", b.x, target=0.0, kp=100, ki=50, kd=30, limits=(-40, 40)))
    omega = np.array([0.0, 0.1, 1.0, 20.0])
    s, mass = 1j * omega, 2.0 + (1.0 if rolls else 0.0)
    C = 30 * s * s + 100 * s + 50
    H = C / (mass * s**3 + C)
    lin = lw.linearize(m)
    for output, expected in (("b.x", H), ("hold.error", 1 - H), ("hold.force", mass * s * s * H)):
        assert lin.frequency_response("hold.target", output, omega) == pytest.approx(expected, abs=1e-9)
    # an effort that is added to that of the controller: G / (1 + C G)
    assert lin.frequency_response("hold", "b.x", omega) == pytest.approx(s / (mass * s**3 + C), abs=1e-12)


def test_a_controller_at_its_limit_hears_no_target():
    m = lw.PlanarModel("press", gravity=(0, -10))
    b = m.body("b", mass=20.0, inertia=0.01)
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle="pi/2"), b.at(0, 0, angle="pi/2")))
    m.add(lw.Spring("rest", m.ground.at(0, -1), b.at(0, 0), k=1e4, length=1.0))
    m.add(lw.PID("hold", rail, target=1.0, kp=100, limits=(-40, 40)))
    assert lw.linearize(m).frequency_response("hold.target", "b.y", [0.0, 5.0]) == pytest.approx(0.0, abs=1e-15)
