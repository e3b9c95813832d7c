"""The functions that integrators use: laws of constraint errors, projection, exact derivatives, counted turns."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.dynamics.whole.charts import motion_jacobian
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.compile import Code, Pointers, native
from linkwright.solve.integrate import integrate
from linkwright.system.motion import Flow
from loaded_machines import admissible, random_machine


def flow_of(model, **options):
    machine = LoadedMachine(model)
    q = close(machine, 0.0).q
    kept, _ = machine.kept_rows(q, 0.0)
    return machine, q, Flow(machine.system, kept.tolist(), **options)


def state(machine, q, v):
    return np.concatenate([q, v, machine.turns, [0.0]])


def errors(machine, y):
    """Phi and its rate."""
    q, v = y[: machine.nq], y[machine.nq : machine.nq + machine.nv]
    Phi, J = machine.Phi_and_J(q, 0.0)
    return Phi, J @ v - machine.nu(q, 0.0)


@pytest.mark.parametrize("dimension", [2, 3])
def test_direct_integration_lets_errors_grow_linearly(dimension):
    """C36: Phi(t) = Phi_0 + Phi'_0 t for all joints: gamma is exact off the constraints, too."""
    machine, q, flow = flow_of(random_machine(dimension, np.random.default_rng(3)))
    rng = np.random.default_rng(4)
    off = machine.retract(q, 1e-2 * rng.normal(size=machine.nv))
    y = state(machine, off, admissible(machine, q, rng) + 0.1 * rng.normal(size=machine.nv))
    Phi, rate = errors(machine, y)
    assert np.abs(Phi).max() > 1e-3
    t = 0.05
    parameters = [machine.b, np.zeros(0), np.zeros(len(flow.flags.symbols)), np.zeros(0)]
    s = integrate(flow.motion, (0.0, t), y, method="dop853", rtol=1e-12, atol=1e-13, parameters=parameters)
    after, rate_after = errors(machine, s.y_last)
    assert after == pytest.approx(Phi + rate * t, abs=1e-10)
    assert rate_after == pytest.approx(rate, abs=1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_baumgarte_damps_them_critically(dimension):
    """C37: alpha = beta: Phi(t) = exp(-alpha t) (Phi_0 + (Phi'_0 + alpha Phi_0) t)."""
    machine, q, flow = flow_of(random_machine(dimension, np.random.default_rng(5)), stabilised=True)
    rng = np.random.default_rng(6)
    off = machine.retract(q, 1e-2 * rng.normal(size=machine.nv))
    y = state(machine, off, admissible(machine, q, rng) + 0.1 * rng.normal(size=machine.nv))
    Phi, rate = errors(machine, y)
    alpha, t = 30.0, 0.05
    parameters = [machine.b, np.zeros(0), np.zeros(len(flow.flags.symbols)), np.array([alpha, alpha])]
    s = integrate(flow.motion, (0.0, t), y, method="dop853", rtol=1e-12, atol=1e-13, parameters=parameters)
    expected = np.exp(-alpha * t) * (Phi + (rate + alpha * Phi) * t)
    assert errors(machine, s.y_last)[0] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("kind", ["mass", "partition", "compliant"])
def test_projection_leaves_the_cube_of_the_error(dimension, kind):
    """From errors of 1e-4 to rounding; displacements are the least in the metric of the mass, or of dependent ones only."""
    model = random_machine(dimension, np.random.default_rng(7))
    machine, q, flow = flow_of(model)
    if kind == "compliant":
        flow = Flow(machine.system, range(len(machine.system.rows)), compliant=True)
    if kind == "partition":
        J = machine.Phi_and_J(q, 0.0)[1]
        import scipy.linalg

        order = scipy.linalg.qr(J, mode="economic", pivoting=True)[2]
        dependent = sorted(int(j) for j in order[: len(J)])
        flow = Flow(machine.system, range(len(J)), partitioned=True)
    rng = np.random.default_rng(8)
    v = admissible(machine, q, rng)
    off = machine.retract(q, 1e-4 * rng.normal(size=machine.nv))
    y = state(machine, off, v + 1e-4 * rng.normal(size=machine.nv))
    tuning = np.array(machine.compliances(q, 0.0)) if kind == "compliant" else np.zeros(len(flow.dependent))
    if kind == "partition":
        tuning[dependent] = 1.0
    parameters = [machine.b, np.zeros(0), np.zeros(len(flow.flags.symbols)), tuning]
    (new,) = flow.projection(np.array([0.0]), y, *parameters)
    before, after = errors(machine, y), errors(machine, new)
    assert np.abs(before[0]).max() > 1e-5
    assert np.abs(after[0]).max() < 1e-9  # two steps with one factor: the square, times the error of the factor
    assert np.abs(after[1]).max() < 1e-9
    if kind == "mass":  # a single step of each, for lanes: the square
        square = errors(machine, flow.short_projection(np.array([0.0]), y, *parameters)[0])
        assert 1e-12 < np.abs(square[0]).max() < 1e-2 * np.abs(before[0]).max()
        assert np.abs(square[1]).max() < 1e-2 * np.abs(before[1]).max()
    if dimension == 3:
        for at_q, _ in machine.system.coordinates.body_slices().values():
            assert np.linalg.norm(new[at_q][3:]) == pytest.approx(1, abs=1e-15)
    if kind == "partition" and dimension == 2:
        independent = [k for k in range(machine.nv) if k not in dependent]
        assert new[independent] == pytest.approx(y[independent], abs=0)
    if kind == "mass" and dimension == 2:
        M, J = machine.terms(off, v, 0.0).M, machine.Phi_and_J(off, 0.0)[1]
        d = new[: machine.nq] - off
        free = np.linalg.svd(J)[2][len(J) :]
        assert np.abs(free @ M @ d).max() < 1e-7  # orthogonal to what is free, but for the curvature of the constraints


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("options", [{}, {"stabilised": True}])
def test_derivative_of_the_motion(dimension, options):
    """Exact against differences, with the rows of turns and work."""
    machine, q, flow = flow_of(random_machine(dimension, np.random.default_rng(9)), **options)
    y = state(machine, q, admissible(machine, q, np.random.default_rng(10)))
    gains = np.array([3.0, 4.0] if options else [])
    parameters = [machine.b, np.zeros(0), np.zeros(len(flow.flags.symbols)), gains]
    t, J = np.array([0.2]), np.empty(len(y) ** 2)
    call(motion_jacobian(flow), [t, y, *parameters], [J])
    rng = np.random.default_rng(11)
    d, h = rng.normal(size=len(y)), 1e-6
    difference = (flow.motion(t, y + h * d, *parameters)[0] - flow.motion(t, y - h * d, *parameters)[0]) / (2 * h)
    assert J.reshape(len(y), -1) @ d == pytest.approx(difference, abs=1e-6 * np.abs(difference).max())


def test_derivative_of_the_motion_with_friction():
    """Multipliers that friction depends on: the compiled motion settles them, the derivative goes through them."""
    m = lw.PlanarModel("sledge", gravity=(0, -9.81))
    body = m.body("body", 2.0, 0.5, position=(0, 0), velocity=(1.0, 0))
    rail = m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0.3), body.at(0, 0, angle=0.3)))
    m.add(lw.Friction("rub", rail, mu=0.2, transition=0.05, stick=False))
    m.add(lw.Spring("s", m.ground.at(0.5, 1.0), body.at(0.1, 0.1), k=30.0, c=1.0, length=0.4))
    machine, q, flow = flow_of(m)
    y = state(machine, q, admissible(machine, q, np.random.default_rng(1)) * 0.05)
    parameters = [machine.b, np.zeros(0), np.zeros(len(flow.flags.symbols)), np.zeros(0)]
    t, J = np.array([0.0]), np.empty(len(y) ** 2)
    call(motion_jacobian(flow), [t, y, *parameters], [J])
    h = 1e-6
    for k, column in enumerate(J.reshape(len(y), -1).T):
        e = h * np.eye(len(y))[k]
        difference = (flow.motion(t, y + e, *parameters)[0] - flow.motion(t, y - e, *parameters)[0]) / (2 * h)
        assert column == pytest.approx(difference, abs=1e-5 * (1 + np.abs(difference).max())), k


@native
def call(f: Code, ins: Pointers, outs: Pointers) -> None:
    f(ins, outs)


def test_turns_are_counted():
    """A spatial joint that turns many times: its angle goes on growing, and its torsion spring winds up."""
    m = lw.SpatialModel("rotor")
    rotor = m.body("rotor", 1.0, (1, 1, 1), omega=(0, 0, 10.0))
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), rotor.at(0, 0, 0)))
    m.add(lw.TorsionSpring("spring", pin, k=0.01))
    d = lw.dynamics(m, t_eval=[0, 1.0, 5.0], rtol=1e-10, atol=1e-12)
    assert d["pin.angle"] == pytest.approx(100 * np.sin(0.1 * d.t), abs=1e-7)
    assert d["spring.torque"] == pytest.approx(np.sin(0.1 * d.t), abs=1e-9)
    assert d.audit.energy_error < 1e-9
