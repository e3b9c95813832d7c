"""The equations of motion: every way to write and to solve them agrees, forces do their virtual work, laws of physics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwright as lw
from linkwright.analyses.assembly.assemble import close
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.errors import ModelError
from linkwright.system.motion import Flow
from loaded_machines import admissible, random_machine, spatial_slider_crank

seeds = st.integers(0, 10**6)


def state(model, seed=1):
    machine = LoadedMachine(model)
    q = close(machine, 0.0).q
    return machine, q, admissible(machine, q, np.random.default_rng(seed))


def compiled(machine, q, v, formulation="newton-euler", t=0.0):
    """(vdot, lam of all rows, health) by the compiled function."""
    s = machine.system
    kept, _ = machine.kept_rows(q, t)
    flow = Flow(s, kept, formulation)
    y = np.concatenate([q, v, machine.turns, [0.0]])
    flags = np.zeros(len(flow.flags.symbols))
    ydot, lam, health = flow.motion(np.array([t]), y, machine.b, machine.calls(q, v, t), flags, np.zeros(0))
    every = np.zeros(len(s.rows))
    every[kept] = lam
    return ydot[s.nq : s.nq + s.nv], every, health[0]


@pytest.mark.parametrize("dimension", [2, 3])
@settings(max_examples=8)
@given(seed=seeds)
def test_formulations_agree_on_random_machines(dimension, seed):
    model = random_machine(dimension, np.random.default_rng(seed))
    machine, q, v = state(model, seed)
    sure = machine.solve(q, v, 0.3)
    size, forces = np.abs(sure.vdot).max(), np.abs(sure.lam).max()
    for formulation in ("newton-euler", "euler-parameters", "mixed"):
        at = lw.equations(model, formulation).at((q, v), 0.3)
        # the design's bound for agreement of formulations
        assert at.accelerations() == pytest.approx(sure.vdot, abs=1e-10 * size)
        assert np.asarray(at.multipliers()) == pytest.approx(sure.lam, abs=1e-10 * forces)
    for formulation in ("newton-euler", "euler-parameters"):
        vdot, lam, health = compiled(machine, q, v, formulation, 0.3)
        # pivots are not chosen by size: digits are lost as health goes to zero
        assert vdot == pytest.approx(sure.vdot, abs=1e-12 * size / health)
        assert lam == pytest.approx(sure.lam, abs=1e-12 * forces / health)


@pytest.mark.parametrize("dimension", [2, 3])
@settings(max_examples=8)
@given(seed=seeds)
def test_power_balance(dimension, seed):
    """d/dt (kinetic + potential) = power of all else: along the motion, by a central difference."""
    model = random_machine(dimension, np.random.default_rng(seed))
    machine, q, v = state(model, seed)
    vdot = machine.solve(q, v, 0.0).vdot
    h = 1e-5

    def energy(dt):
        there = machine.retract(q, dt * v + 0.5 * dt * dt * vdot)
        T, V, P = machine.terms(there, v + dt * vdot, dt).energy
        return T + V, P

    _, P = energy(0.0)
    rate = (energy(h)[0] - energy(-h)[0]) / (2 * h)
    scale = np.abs(machine.terms(q, v, 0.0).Q * v).sum() + abs(P)
    assert rate == pytest.approx(P, abs=1e-6 * scale)  # truncation h^2 and cancellation eps/h


@pytest.mark.parametrize("dimension", [2, 3])
@settings(max_examples=6)
@given(seed=seeds)
def test_conservative_forces_are_gradients(dimension, seed):
    model = random_machine(dimension, np.random.default_rng(seed), damping=False)
    machine = LoadedMachine(model)
    rng = np.random.default_rng(seed)
    q, v = machine.estimate(), np.zeros(machine.nv)
    d = rng.normal(size=machine.nv)
    h = 1e-5

    def V(x):
        return machine.terms(machine.retract(q, x * d), v, 0.0).energy[1]

    Q = machine.terms(q, v, 0.0).Q
    assert Q @ d == pytest.approx(-(V(h) - V(-h)) / (2 * h), abs=1e-6 * np.abs(Q * d).sum())


def loaded(dimension):
    """Two free bodies with one element between them at a time."""
    m = (lw.PlanarModel if dimension == 2 else lw.SpatialModel)("pair")
    rng = np.random.default_rng(5)
    pose = {"angle": 0.7} if dimension == 2 else {"orientation": ((1, 2, 3), 0.7)}
    J = 0.4 if dimension == 2 else (0.4, 0.5, 0.6)
    a = m.body("a", 1.0, J, position=rng.normal(size=dimension), **pose)
    b = m.body("b", 2.0, J, position=rng.normal(size=dimension))
    return m, a, b, rng


def elements(dimension):
    def at(body, rng):
        return body.at(*rng.normal(size=dimension), **({"angle": 0.3} if dimension == 2 else {}))

    n = 3 if dimension == 2 else 6
    return {
        "spring": lambda a, b, rng: lw.Spring("f", at(a, rng), at(b, rng), k=30, length=0.4, c=2, force="3*l - v + sin(t)"),
        "stiffening spring": lambda a, b, rng: lw.Spring(
            "f", at(a, rng), at(b, rng), k=lambda x: 10 + 4 * x, c=lambda v: 1 + v * v),
        "bushing": lambda a, b, rng: lw.Bushing("f", at(a, rng), at(b, rng), k=np.arange(1, n + 1) * 10.0, c=np.ones(n)),
        "contact": lambda a, b, rng: lw.Contact(
            "f", at(a, rng), at(b, rng), radii=(3.0, 2.0), on="sphere", k=100, c=3, law="hunt-crossley"),
        "contact on plane": lambda a, b, rng: lw.Contact(
            "f", at(a, rng), at(b, rng), radii=(9.0, 0.0), k=100, c=3, law="hertz"),
    }  # fmt: skip


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("kind", list(elements(2)))
def test_third_law(kind, dimension):
    """What an element does to two bodies has neither a resultant force nor a resultant moment about any point."""
    m, a, b, rng = loaded(dimension)
    m.add(elements(dimension)[kind](a, b, rng))
    machine = LoadedMachine(m)
    q, v = machine.estimate(), rng.normal(size=machine.nv)
    Q = machine.terms(q, v, 0.3).Q
    assert np.abs(Q).max() > 0.1  # the element does act
    force, moment = 0.0, 0.0
    for at_q, at_v in machine.system.coordinates.body_slices().values():
        r, F, n = q[at_q][:dimension], Q[at_v][:dimension], Q[at_v][dimension:]
        force = force + F
        if dimension == 2:
            moment = moment + n[0] + r[0] * F[1] - r[1] * F[0]
        else:
            moment = moment + np.array(lw.moment_global(lw.moment_star(n, q[at_q][3:]), q[at_q][3:]), float) + np.cross(r, F)
    assert np.abs(force).max() < 1e-12 * np.abs(Q).max()
    assert np.abs(moment).max() < 1e-11 * np.abs(Q).max()  # arms of a few metres


def test_springs_whose_ends_meet():
    """Haug C26: a spring of no free length has a force k d, also at d = 0; others act along the motion there."""
    m = lw.PlanarModel("block")
    block = m.body("block", 5.0, 1.0, velocity=(0.0, 2.0))
    m.add(lw.Spring("s", m.ground.at(0, 0), block.at(0, 0), k=200))
    machine = LoadedMachine(m)
    still = np.zeros(3)
    assert pytest.approx([0, 0, 0], abs=0) == machine.terms(still, still, 0.0).Q
    assert pytest.approx([-20, 40, 0], rel=1e-14) == machine.terms(np.array([0.1, -0.2, 0.0]), still, 0.0).Q
    m.add(lw.Spring("t", m.ground.at(0, 0), block.at(0, 0), k=10, length=0.5))
    machine = LoadedMachine(m)
    # moving up through the point at which the ends meet: pushed on by k length = 5
    assert pytest.approx([0, 5, 0], rel=1e-14) == machine.terms(still, np.array([0.0, 2.0, 0.0]), 0.0).Q
    assert pytest.approx([0, 0, 0], abs=0) == machine.terms(still, still, 0.0).Q


def test_point_mass_pendulum_without_inertia():
    """C40: J = 0 is allowed where the joint holds the turn; numbers of the notes."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    bob = m.body("bob", 2.0, 0.0, position=(np.cos(0.3), np.sin(0.3)), angle=0.3)
    m.add(lw.Revolute("pin", bob.at(-1, 0), m.ground.at(0, 0)))
    machine = LoadedMachine(m)
    q = close(machine, 0.0).q
    v = np.array([-np.sin(0.3), np.cos(0.3), 1.0])
    for vdot, lam in ((lambda s: (s.vdot, s.lam))(machine.solve(q, v, 0.0)), compiled(machine, q, v)[:2]):
        assert vdot[2] == pytest.approx(-9.37185095832220, rel=1e-13)
        assert lam == pytest.approx([-3.62846968575408, -1.12241720441338], rel=1e-12)


def test_a_turn_that_nothing_determines_is_named():
    """C40: a body without inertia pinned at its mass centre."""
    m = lw.PlanarModel("spinner")
    body = m.body("disc", 2.0, 0.0)
    m.add(lw.Revolute("pin", m.ground.at(0, 0), body.at(0, 0)))
    machine = LoadedMachine(m)
    with pytest.raises(ModelError, match=r"disc\.omega") as caught:
        machine.solve(np.zeros(3), np.zeros(3), 0.0)
    assert caught.value.element == ("disc",)


def test_massless_rods_of_a_spatial_ring():
    """Thin rods have no inertia about their axes; joints hold them. Compiled and careful solution agree."""
    m = lw.SpatialModel("thin", gravity=(0, 0, -9.81))
    a = m.body("a", 1.0, (0.0, 0.1, 0.1), position=(0.5, 0, 0))
    b = m.body("b", 1.0, (0.1, 0.0, 0.1), position=(1.0, 0.5, 0))
    m.add(lw.Revolute("A", m.ground.frame((0, 0, 0), (0, 1, 0)), a.frame((-0.5, 0, 0), (-0.5, 1, 0))))
    m.add(lw.Revolute("B", a.frame((0.5, 0, 0), (1.5, 0, 0)), b.frame((0, -0.5, 0), (1, -0.5, 0))))
    machine, q, v = state(m)
    sure = machine.solve(q, v, 0.0)
    vdot, lam, _ = compiled(machine, q, v)
    assert vdot == pytest.approx(sure.vdot, abs=1e-11 * np.abs(sure.vdot).max())
    assert lam == pytest.approx(sure.lam, abs=1e-11 * np.abs(sure.lam).max())


def test_dependent_joints_leave_the_motion_alone():
    """A door on two hinges moves as on one; the forces of the hinges add up to that of the one."""

    def door(hinges):
        m = lw.SpatialModel("door", gravity=(0, -9.81, -1))
        leaf = m.body("leaf", 10.0, (1.0, 2.0, 3.0), position=(0.5, 0, 1))
        for k, z in enumerate(hinges):
            m.add(lw.Revolute(f"H{k}", m.ground.at(0, 0, z), leaf.at(-0.5, 0, z - 1)))
        return state(m)

    one, q, v = door([1.0])
    two, _, _ = door([0.5, 1.5])
    a, b = one.solve(q, v, 0.0), two.solve(q, v, 0.0)
    assert b.vdot == pytest.approx(a.vdot, abs=1e-12 * np.abs(a.vdot).max())
    assert a.unique
    assert not b.unique
    assert b.rank == 5
    rows = np.array(two.system.row_names)
    for axis in "xyz":
        both = b.lam[rows == f"H0.{axis}"] + b.lam[rows == f"H1.{axis}"]
        assert both == pytest.approx(a.lam[np.array(one.system.row_names) == f"H0.{axis}"], abs=1e-9)


def test_friction_meets_its_own_reaction():
    """A block pressed on a rail by its weight and by the friction's own moment-free reaction: a = F/m - mu g."""
    m = lw.PlanarModel("block", gravity=(0, -10))
    block = m.body("block", 3.0, 1.0, velocity=(1, 0))
    m.add(lw.Translational("rail", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Friction("rub", "rail", mu=0.3, transition=1e-6, stick=False))
    m.add(lw.PointForce("press", block.at(0, 0), (6.0, -12.0)))
    machine = LoadedMachine(m)
    q, v = np.zeros(3), np.array([1.0, 0.0, 0.0])
    expected = (6.0 - 0.3 * 42.0) / 3.0
    assert machine.solve(q, v, 0.0).vdot[0] == pytest.approx(expected, rel=1e-12)
    assert compiled(machine, q, v)[0][0] == pytest.approx(expected, rel=1e-12)


def test_friction_in_a_loop_is_solved_alike_both_ways():
    """Pin friction changes the reactions that make it; unrolled acceleration and plain repetition agree."""
    m = spatial_slider_crank(driven=False)
    m.add(lw.Friction("rub", "A", mu=0.2, radius=0.03, stick=False))
    m.add(lw.Friction("drag", "D", mu=0.1, viscous=0.5, stick=False))
    machine, q, v = state(m)
    sure = machine.solve(q, v, 0.0)
    vdot, lam, health = compiled(machine, q, v)
    assert vdot == pytest.approx(sure.vdot, abs=1e-9 * np.abs(sure.vdot).max() / health)
    assert lam == pytest.approx(sure.lam, abs=1e-9 * np.abs(sure.lam).max() / health)
    free, _, _ = state(spatial_slider_crank(driven=False))
    assert np.abs(sure.vdot - free.solve(q, v, 0.0).vdot).max() > 1e-3 * np.abs(sure.vdot).max()


def test_a_law_in_plain_python_is_called_and_told_once():
    m = lw.PlanarModel("spring")
    block = m.body("block", 2.0, 1.0, position=(0.5, 0))
    m.add(lw.Force("law", block.x, lambda s, v, t: -10.0 * s if s > 0 else -1.0 * s))
    machine = LoadedMachine(m)
    with pytest.warns(UserWarning, match="law of law cannot be traced"):
        assert machine.terms(np.array([0.5, 0, 0]), np.zeros(3), 0.0).Q[0] == -5.0
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # told once only
        assert machine.terms(np.array([-0.5, 0, 0]), np.zeros(3), 0.0).Q[0] == 0.5


def test_order_of_elimination_takes_chains_apart():
    """A chain of n bodies costs operations in proportion to n: no fill across the chain."""

    def operations(n):
        m = lw.PlanarModel("chain", gravity=(0, -9.81))
        before = m.ground.at(0, 0)
        for k in range(n):
            body = m.body(f"b{k}", 1.0, 0.1, position=(k + 0.5, 0))
            m.add(lw.Revolute(f"J{k}", before, body.at(-0.5, 0)))
            before = body.at(0.5, 0)
        machine = LoadedMachine(m)
        return Flow(machine.system, range(2 * n)).motion.program.operations

    ten, twenty, thirty = map(operations, (10, 20, 30))
    assert thirty - twenty == twenty - ten
