"""The motion of a machine compiled in loops as native code: rates, projection, angles of many turns."""

import numpy as np
import pytest
from looped_machines import chain, close, state, turned

import linkwright as lw
from linkwright.compile import Code, Pointers, native
from linkwright.solve.integrate import integrate
from linkwright.system.looped import LoopedFlow, LoopedSystem
from linkwright.system.mechanics import Mechanics
from linkwright.system.motion import Flow
from looped_runs import closed, fitting


def test_native_code_runs_an_integrator_without_python():
    m, q, v = chain(4)
    looped = LoopedSystem(m)
    flow = LoopedFlow(looped)
    y = flow.state(q, v)
    out = integrate(flow.motion, (0, 0.2), y, method="rk4", first_step=1e-3, parameters=[()] * 4).y_last
    masses = np.array([b.mass for b in looped.at.bodies])

    def energy(y):
        M, _, _, _ = looped.terms(y[:28], y[28:52])
        return 0.5 * y[28:52] @ (M @ y[28:52]) + 9.81 * masses @ y[2:28:7]

    # RK4 with h = 1e-3: local error h^5, 200 steps; the energy is some 10 J
    assert energy(out) == pytest.approx(energy(y), abs=1e-8)
    assert np.abs(looped.Phi(out[:28])).max() < 1e-9


def call(code, t, y):
    outs = [np.empty(shape) for shape in code.outputs.values()]
    once(code, [np.array([t]), y], outs)
    return outs


@native
def once(f: Code, ins: Pointers, outs: Pointers) -> None:
    f(ins, outs)


def powered(m):
    """A crank driven by a motor, a damped rod on it, a free body on a spring."""
    rng = np.random.default_rng(0)
    a, b = (m.body(f"p{k}", mass=1.0, inertia=(1, 2, 3), com=(0.1, 0, 0.2)) for k in range(2))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(0.1, 0, 0)))
    B = m.add(lw.Revolute("B", a.at(0, 0.3, 0, rotation=turned(rng)), b.at(0, 0, 0.4)))
    m.add(lw.Driver("motor", A.angle, "0.5*sin(3*t)"))
    m.add(lw.TorsionSpring("damper", B, k=1.0, c=0.7))
    m.add(lw.Spring("spring", m.ground.at(1, 1, 1), b.at(0.1, 0.2, 0), k=30.0, length=0.2))
    return m


def test_the_flow_is_that_of_the_whole_machine():
    m = powered(lw.SpatialModel("powered", gravity=(0, 0, -9.81)))
    whole_flow = Flow(Mechanics(m), range(11))
    looped = LoopedSystem(m)
    flow = LoopedFlow(looped)
    rng = np.random.default_rng(1)
    q, v = state(m, rng)
    # the whole has the turns of A and B; here the joints have them, and the elements have one each: motor A's, damper B's
    y = flow.state(q, v)
    assert looped.at.turn_names == ["A.angle", "B.angle"] * 2
    both = np.concatenate([y[:28], y[-1:]])
    given = dict(zip(whole_flow.inputs, (np.array([0.4]), both), strict=False))
    known = {"b": whole_flow.system.b(m)}
    rest = [known.get(k, np.zeros(a.shape)) for k, a in whole_flow.inputs.items() if k not in given]
    ydot, lam, _ = whole_flow.motion(*given.values(), *rest)
    own, own_lam, health = call(flow.motion, 0.4, y)
    close(np.concatenate([own[:28], own[-1:]]), ydot)
    close(own[28:30], own[26:28])
    close(own_lam, lam)
    assert 0 < health[0] <= 1


def test_projection_of_the_flow_lands_on_the_constraints():
    m = powered(lw.SpatialModel("powered", gravity=(0, 0, -9.81)))
    looped = LoopedSystem(m)
    flow, t = LoopedFlow(looped), 0.4
    q, v = state(m, np.random.default_rng(1))
    q, _ = closed(looped, q, t, most=50)
    rng = np.random.default_rng(2)
    y = flow.state(looped.retract(q, 1e-5 * rng.normal(size=12)), v)
    y[-1] = 7.0
    (new,) = call(flow.projection, t, y)
    q, v = new[:14], new[14:26]
    assert np.abs(looped.Phi(q, t)).max() < 1e-13  # 1e-5 twice squared is far below rounding
    assert np.abs(looped.Phi_v(q, t) @ v - looped.nu(q, t)).max() < 1e-12
    assert np.abs(q - y[:14]).max() < 1e-3
    looped.settle(q, t)
    assert new[26:30] == pytest.approx(looped.turns, abs=1e-15)
    assert new[-1] == 7.0


def test_multi_turn_angles_follow():
    m = lw.SpatialModel("turns")
    b = m.body("b", mass=1, inertia=(1, 1, 1))
    A = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Driver("motor", A.angle, "2*pi*t"))
    looped = LoopedSystem(m)

    def at(angle):
        return np.array([0, 0, 0, np.cos(angle / 2), 0, 0, np.sin(angle / 2)])

    looped.turns[:] = 6 * np.pi  # at three turns
    looped.settle(at(0.0), 3.0)
    assert np.abs(looped.Phi(at(6 * np.pi), 3.0)).max() < 1e-12
    for t in np.arange(3.0, 4.01, 0.1):
        looped.settle(at(2 * np.pi * t), t)
        assert np.abs(looped.Phi(at(2 * np.pi * t), t)).max() < 1e-12


def test_projection_finds_the_way_back_to_the_constraints():
    m, q, _ = chain(40)
    looped = LoopedSystem(m)
    rng = np.random.default_rng(4)
    off = looped.retract(q, 1e-3 * rng.normal(size=looped.nv))
    assert np.abs(looped.Phi(off)).max() > 1e-4
    back, steps = closed(looped, off)
    assert np.abs(looped.Phi(back)).max() <= 1e-12
    assert steps <= 5  # quadratic: 1e-3, 1e-6, 1e-12
    w = fitting(looped, back, rng.normal(size=looped.nv))
    assert np.abs(looped.Phi_v(back) @ w).max() < 1e-12
    # nearest in kinetic energy: the change is orthogonal, by M, to every velocity that the joints allow
    M, J, _, _ = looped.terms(back, 0 * w)
    change = fitting(looped, back, w + np.ones_like(w)) - w - 1
    allowed = fitting(looped, back, rng.normal(size=looped.nv))
    assert abs(change @ (M @ allowed)) < 1e-10 * np.linalg.norm(M @ change)
    assert np.abs(J @ allowed).max() < 1e-12
