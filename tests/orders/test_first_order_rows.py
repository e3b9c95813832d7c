"""Generalised alpha and HHT on states and constraints on velocities: order 2 against closed forms, and agreement."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.dynamics.whole.flows import derivative_of, flow_of
from linkwright.analyses.machine.mechanical import LoadedMachine

METHODS = [(method, constraints) for method in ("generalized-alpha", "hht") for constraints in ("ggl", "index-3")]
FIXED = {"options": {"adaptive": False}, "rtol": 1e-8, "atol": 1e-10}
MASS, INERTIA, ARM, SPEED, TURN = 2.0, 0.3, 0.5, 1.5, 0.8
R, L, K, J, VOLTAGE = 2.0, 0.5, 0.4, 0.05, 12.0


def sleigh(space):
    """Chaplygin's: a blade at the origin of a body whose mass centre is ARM ahead of it; it cannot move sideways."""
    if space:
        m = lw.SpatialModel("sleigh", gravity=(0, 0, 0))
        b = m.body(
            "sleigh", mass=MASS, inertia=(0.1, 0.2, INERTIA), com=(ARM, 0, 0), velocity=(SPEED, 0, 0), omega=(0, 0, TURN)
        )
        m.add(lw.Planar("ice", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
        side = sum(lw.dot(b.vector(0, 1, 0), m.ground.vector(*e)) * v for e, v in (((1, 0, 0), b.vx), ((0, 1, 0), b.vy)))
    else:
        m = lw.PlanarModel("sleigh", gravity=(0, 0))
        b = m.body("sleigh", mass=MASS, inertia=INERTIA, com=(ARM, 0), velocity=(SPEED, 0), omega=TURN)
        side = -lw.sin(b.angle) * b.vx + lw.cos(b.angle) * b.vy
    m.add(lw.Constraint("blade", side))
    return m


def speeds_of_sleigh(t):
    """u' = a w^2, (I + m a^2) w' = -m a u w: on the ellipse m u^2 + (I + m a^2) w^2 = 2 T, w = W / cosh(...)."""
    total = INERTIA + MASS * ARM**2
    top = np.sqrt(SPEED**2 + total / MASS * TURN**2)  # u as all energy is in it
    rate = MASS * ARM * top / total
    phase = np.arctanh(SPEED / top) + rate * np.asarray(t)
    return top * np.tanh(phase), np.sqrt(MASS / total) * top / np.cosh(phase)


def motor(space):
    """A rotor on a direct-current motor with inductance, from rest."""
    if space:
        m = lw.SpatialModel("motor", gravity=(0, 0, 0))
        rotor = m.body("rotor", mass=1.0, inertia=(0.1, 0.1, J))
        pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), rotor.at(0, 0, 0)))
    else:
        m = lw.PlanarModel("motor", gravity=(0, 0))
        rotor = m.body("rotor", mass=1.0, inertia=J)
        pin = m.add(lw.Revolute("pin", m.ground.at(0, 0), rotor.at(0, 0)))
    m.add(lw.Motor("drive", pin, voltage=VOLTAGE, k=K, resistance=R, inductance=L))
    return m


def motor_at(t):
    """Current and speed by the exponential of the matrix."""
    A = np.array([[-R / L, -K / L], [K / J, 0.0]])
    rest = np.linalg.solve(A, [-VOLTAGE / L, 0.0])
    values, vectors = np.linalg.eig(A)
    return rest + (vectors @ (np.exp(values * t) * np.linalg.solve(vectors, -rest.astype(complex)))).real


def order(errors, counts):
    return -np.polyfit(np.log(counts), np.log(errors), 1)[0]


@pytest.mark.parametrize(("method", "constraints"), METHODS)
@pytest.mark.parametrize("space", [False, True])
def test_order_on_a_sleigh(space, method, constraints):
    counts, found = (100, 200, 400), []
    for n in counts:
        d = lw.dynamics(sleigh(space), t_eval=[0, 0.5, 1.0], method=method, constraints=constraints,
                        first_step=1 / n, max_step=1 / n, **FIXED)  # fmt: skip
        u, w = speeds_of_sleigh(d.t)
        turning = d["sleigh.wz" if space else "sleigh.omega"]
        forward = np.hypot(d["sleigh.vx"], d["sleigh.vy"])
        found.append([np.abs(turning - w).max(), np.abs(forward - u).max()])
    assert order(found, counts) == pytest.approx([2, 2], abs=0.15)
    assert np.max(found[-1]) < 1e-4


@pytest.mark.parametrize(("method", "constraints"), METHODS)
@pytest.mark.parametrize("space", [False, True])
def test_order_on_a_motor(space, method, constraints):
    counts, found = (50, 100, 200), []
    for n in counts:
        d = lw.dynamics(motor(space), t_eval=[0, 0.4, 1.0], method=method, constraints=constraints,
                        first_step=1 / n, max_step=1 / n, **FIXED)  # fmt: skip
        exact = np.array([motor_at(t) for t in d.t])
        speed = d["rotor.wz" if space else "rotor.omega"]
        found.append(np.abs(np.column_stack([d["drive.current"], speed]) - exact).max(axis=0))
    assert order(found, counts) == pytest.approx([2, 2], abs=0.15)
    assert d.audit.energy_error < 1e-3


@pytest.mark.parametrize(("method", "constraints"), METHODS)
def test_steps_under_control_of_the_error(method, constraints):
    """States count in the error of a step, of either kind; a control loop with limits, and a law in plain Python."""
    m = motor(False)
    pin = m.elements["pin"]
    z = m.state("filter", lambda z, t: 5.0 * (pin.omega - z))
    m.add(lw.Torque("brake", pin, lambda a, w, t: -0.01 * z))
    own = lw.dynamics(m, t_eval=[0, 0.3, 1.0], method=method, constraints=constraints, rtol=1e-6)
    best = lw.dynamics(m, t_eval=[0, 0.3, 1.0], rtol=1e-10)
    for channel in ("drive.current", "rotor.omega", "filter", "filter.rate", "rotor.alpha"):
        assert own[channel] == pytest.approx(best[channel], rel=1e-3, abs=1e-2), channel
    assert own["filter"] == pytest.approx(best["filter"], abs=2e-4)


def roll(m, wheel):
    """A wheel at the ground, by an equation between velocities; of `Rolling` it is one of positions in the plane."""
    m.add(lw.Constraint("level", wheel.y, 0.5))
    m.add(lw.Constraint("road", wheel.vx + 0.5 * wheel.omega))


@pytest.mark.parametrize("method", ["generalized-alpha", "hht"])
def test_a_controller_at_its_limits_and_a_disc_that_rolls(method):
    m = lw.PlanarModel("wheel", gravity=(0, -9.81))
    wheel = m.body("wheel", mass=2.0, inertia=0.25, position=(0, 0.5))
    roll(m, wheel)
    m.add(lw.PID("control", wheel.x, 1.0, kp=20, ki=10, kd=5, limits=(-4, 4)))
    own = lw.dynamics(m, t_end=1.0, steps=10, method=method, rtol=1e-6)
    best = lw.dynamics(m, t_end=1.0, steps=10, rtol=1e-10)
    for channel in ("wheel.x", "wheel.omega", "control.integral", "road.force"):
        assert own[channel] == pytest.approx(best[channel], abs=2e-3), channel
    assert own["wheel.vx"] == pytest.approx(-0.5 * own["wheel.omega"], abs=1e-6)


def driven_chain(count):
    """Links of a chain in the plane, the first turned by a motor; a wheel rolls at the ground beside it on a controller."""
    m = lw.PlanarModel("chain", gravity=(0, -9.81))
    last = m.ground.at(0, 0)
    for k in range(count):
        link = m.body(f"link{k}", mass=1.0, inertia=0.01, position=(0.1 + 0.2 * k, 0))
        m.add(lw.Revolute(f"pin{k}", last, link.at(-0.1, 0)))
        last = link.at(0.1, 0)
    m.add(lw.Motor("drive", m.elements["pin0"], voltage=12.0, k=0.5, resistance=2.0, inductance=0.05, ratio=20))
    wheel = m.body("wheel", mass=2.0, inertia=0.25, position=(0, 0.5))
    roll(m, wheel)
    m.add(lw.PID("control", wheel.x, 1.0, kp=20, ki=10, kd=5))
    return m


def test_inside_a_machine_of_sixty_bodies():
    m = driven_chain(59)
    own = lw.dynamics(m, t_eval=[0, 0.02, 0.05], method="generalized-alpha")
    best = lw.dynamics(m, t_eval=[0, 0.02, 0.05])
    assert "compiled as a whole" in str(own.audit)
    for channel in ("link0.angle", "drive.current", "wheel.x", "control.integral", "link58.y"):
        assert own[channel] == pytest.approx(best[channel], abs=1e-4), channel


def test_the_derivative_of_a_motion_with_states_stays_inside_its_matrices():
    """Native code puts nonzeros by these places into room for accelerations and multipliers; rates of states are apart."""
    machine = LoadedMachine(motor(True), 0.0)
    d = derivative_of(flow_of(machine.system, range(len(machine.system.rows))))
    _, nv, m, ny = d.sizes
    for pattern, width in zip(d.patterns, (nv + m, ny), strict=False):
        assert max(i for i, _ in pattern) == nv + m - 1
        assert max(j for _, j in pattern) < width
