"""Joint coordinates and Kane's equations against Cartesian ones with all multipliers, on random machines of all joints."""

import numpy as np
import pytest

import linkwright as lw
from fuzz.linkages import KINDS, random_tree
from linkwright import size_policy
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.reactions import Forces
from linkwright.equations import joint_models
from linkwright.equations.joint_models import Joint, Slide, Turn
from linkwright.graph import evaluate
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_form import JointFlow
from linkwright.system.kane import Kane
from linkwright.system.motion import Flow
from loaded_machines import admissible
from loop_machines import chain, four_bars, spatial_loops


def add_loops(m, bodies, rng, count):
    """Rods as long as they are, springs, and a driver."""
    c = lw.assemble(m)
    for k in range(count):
        b = bodies[-1 - k]
        P = rng.normal(size=3)
        length = float(np.linalg.norm([c[f"{b.name}.{x}"] for x in "xyz"] - P))
        m.add(lw.Distance(f"rod{k}", m.ground.at(*P), b.at(0, 0, 0), length))
    m.add(lw.Spring("spring", m.ground.at(1, 1, 1), bodies[0].at(0.1, 0.2, 0.3), k=20, length=0.5, c=2))


def accelerations(model, rng):
    """At a random velocity that the joints allow: vdot by multipliers, in joint coordinates, by Kane; the multipliers."""
    machine = LoadedMachine(model)
    s = machine.system
    q = machine.estimate()
    machine.settle(q, 0.0)
    Phi, J = machine.Phi_and_J(q, 0.0)
    assert np.abs(Phi).max(initial=0.0) < 1e-10
    v = rng.normal(size=s.nv)
    v -= np.linalg.lstsq(J, J @ v, rcond=None)[0]
    expected = machine.solve(q, v, 0.0)

    joints = JointCoordinates(s, q, machine.model)
    theta = joints.read(q)
    u = joints.read_speeds(q, v, theta)
    flow = JointFlow(s, joints, range(len(s.rows)))
    known = dict(zip(flow.y, [*theta, *u, *machine.turns, 0.0], strict=True)) | machine.model.parameter_values()
    udot = np.array(evaluate(flow.speed_rates, known), dtype=float)
    places = dict(zip([*joints.q, *joints.v], [*theta, *u], strict=True)) | machine.model.parameter_values()
    back = np.array(evaluate([joints.cartesian[x] for x in [*s.coordinates.q, *s.coordinates.v]], places), dtype=float)
    vdot = np.array(evaluate(joints.rates_of_v(list(udot)), places), dtype=float)

    kane = Kane(s, range(len(s.rows)))
    Q = [x - h for x, h in zip(s.loads.Q, s.inertia.h, strict=True)]
    found, lam = kane.solve(Q)
    state = dict(zip([*s.inputs["q"], *s.inputs["v"], *s.inputs["turns"]], [*q, *v, *machine.turns], strict=True))
    state |= machine.model.parameter_values()
    by_kane = np.array(evaluate([*found, *lam], state), dtype=float)
    assert np.allclose(back, [*q, *v], rtol=0, atol=1e-12 * (1 + np.abs(v).max()))  # there and back
    forces = np.array([reactions(machine, q, v, a) for a in (expected.vdot, vdot, by_kane[: s.nv])])
    return expected, vdot, by_kane[: s.nv], by_kane[s.nv :], forces, joints


def reactions(machine, q, v, vdot):
    """Of all joints, as a run gives them: from the accelerations, whatever formulation they are of."""
    channels = Forces(machine, States(np.zeros(1), q[None], v[None], machine.turns[None]), vdot[None]).channels()
    return np.array([x[0] for x in channels.values()])


def check(expected, vdot, kane, lam, forces):
    """1e-10 of the largest acceleration, multiplier and reaction: rounding times the condition, some 1e4 in these machines.

    forces: reactions with the accelerations by multipliers, in joint coordinates, by Kane.
    """
    size = 1 + np.abs(expected.vdot).max()
    largest = size + np.abs(forces[0]).max(initial=0.0)
    assert np.abs(forces[1:] - forces[0]).max(initial=0.0) < 1e-10 * largest
    assert np.abs(vdot - expected.vdot).max() < 1e-10 * size
    assert np.abs(kane - expected.vdot).max() < 1e-10 * size
    assert np.abs(lam - expected.lam).max(initial=0.0) < 1e-10 * (size + np.abs(expected.lam).max(initial=0.0))


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: "free" if k is None else k.__name__)
def test_every_joint_on_a_tree(kind):
    """Two of the kind on a free or hinged body."""
    rng = np.random.default_rng(KINDS.index(kind))
    model, _ = random_tree(rng, [lw.Revolute, kind, kind])
    *found, joints = accelerations(model, rng)
    check(*found)
    assert not joints.spanning.loops


@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed):
    rng = np.random.default_rng(seed)
    model, _ = random_tree(rng, [KINDS[k] for k in rng.integers(len(KINDS), size=6)])
    check(*accelerations(model, rng)[:-1])


@pytest.mark.parametrize("seed", range(4))
def test_random_loops_in_space(seed):
    rng = np.random.default_rng(10 + seed)
    model, bodies = random_tree(rng, [lw.Revolute, lw.Spherical, lw.Cylindrical, KINDS[seed], lw.Universal])
    add_loops(model, bodies, rng, 2)
    *found, joints = accelerations(model, rng)
    check(*found)
    assert [e.name for e in joints.spanning.loops] == ["rod0", "rod1"]


@pytest.mark.parametrize("seed", range(4))
def test_random_loops_in_the_plane(seed):
    """Chains of revolutes and sliders and a cut joint; some joints the other way round."""
    rng = np.random.default_rng(20 + seed)
    m = lw.PlanarModel("loops", gravity=(0.3, -9.81))
    before, place, angle = m.ground, np.zeros(2), 0.0
    bodies = []
    for k in range(5):
        r, phi = rng.normal(size=2), rng.uniform(-7, 7)  # whole turns, too
        b = m.body(f"b{k}", mass=1 + rng.random(), inertia=0.5, com=rng.normal(size=2) * 0.2, position=r, angle=phi)
        P, line = rng.normal(size=2), rng.uniform(-3, 3)

        def at(body, origin, turn, P=P, line=line):
            c, s = np.cos(turn), np.sin(turn)
            return body.at(*(np.array([[c, s], [-s, c]]) @ (P - origin)), angle=line - turn)

        ends = [at(before, place, angle), at(b, r, phi)]
        ends = ends[::-1] if rng.random() < 0.5 else ends
        m.add((lw.Translational if k == 2 else lw.Revolute)(f"J{k}", *ends))
        before, place, angle = b, r, phi
        bodies.append(b)
    last = m.add(lw.Revolute("cut", m.ground.at(*place), before.at(0, 0)))
    m.add(lw.Spring("spring", m.ground.at(3, 0), bodies[1].at(0.2, 0.1), k=30, length=1.0, c=1.0))
    m.add(lw.TorsionSpring("coil", last, k=2.0))
    *found, joints = accelerations(m, rng)
    check(*found)
    assert len(joints.spanning.loops) == 1  # one cut joint, whichever


def test_joints_assembled_the_other_way_round_hold_as_constraints():
    """A hinge with antiparallel axes satisfies its equations, but is none of a tree's: a free body and five rows."""
    m = lw.SpatialModel("antiparallel", gravity=(0, -9.81, 0))
    a = m.body("a", mass=1, inertia=(0.1, 0.2, 0.3), position=(0.5, 0, 0), orientation=((1, 0, 0), np.pi))
    m.add(lw.Revolute("A", m.ground.at(0, 0, 0), a.at(-0.5, 0, 0)))
    *found, joints = accelerations(m, np.random.default_rng(1))
    check(*found)
    assert joints.spanning.joints == ("",)
    assert [e.name for e in joints.spanning.loops] == ["A"]


def test_fewer_operations_than_with_multipliers():
    """What joint coordinates are for, counted on a tree of hinges."""
    from linkwright.graph import operations
    from linkwright.system.motion import Flow

    model, _ = random_tree(np.random.default_rng(3), [lw.Revolute] * 6)
    s = LoadedMachine(model).system
    flow = JointFlow(s, JointCoordinates(s, s.estimate(s.model)), range(len(s.rows)))
    assert operations(flow.speed_rates) < operations(Flow(s, range(len(s.rows))).solution[0])


def test_operations_of_kanes_equations_grow_with_the_number_of_bodies():
    """Of a chain: R^T M R is full, but is eliminated joint by joint. For twice as many bodies hardly more than twice the
    operations; its own elimination would take eight times as many."""
    from linkwright.graph import operations
    from linkwright.system.motion import Flow

    counts = []
    for n in (12, 24):
        s = LoadedMachine(chain(n)).system
        counts.append(operations(Flow(s, range(len(s.rows)), "kane").solution[0]))
    assert counts[1] < 2.1 * counts[0]


def test_an_open_tree_needs_no_mass_matrix_in_joint_coordinates():
    """Neither for its motion nor for its projection: it is full for a chain, and its factors take the cube of the bodies."""
    s = LoadedMachine(chain(3)).system
    flow = JointFlow(s, JointCoordinates(s, s.estimate(s.model)), range(len(s.rows)))
    assert flow.motion.outputs["lam"] == (0,)
    assert flow.projection.outputs["y"] == (len(flow.y),)
    assert "saddle" not in vars(flow.elimination)


def test_long_closed_chain():
    """Few rows on many speeds: Kane's equations are eliminated joint by joint, the loop's rows after that."""
    from linkwright.system.projected import Recursive

    model = chain(10, closed=True)
    s = LoadedMachine(model).system
    kane = Kane(s, range(len(s.rows)))
    assert isinstance(kane._projected, Recursive)
    assert len(kane.loop_rows) == 2
    check(*accelerations(model, np.random.default_rng(2))[:-1])


@pytest.mark.parametrize("seed", [1])
def test_full_and_recursive_elimination_are_one(seed, monkeypatch):
    """Whichever of the two is cheaper is taken; here both, on a tree with rods in space."""
    from linkwright.system import kane

    found = []
    for small in (1, 100):
        rng = np.random.default_rng(10 + seed)
        monkeypatch.setattr(kane, "SMALL", small)
        monkeypatch.setattr(kane, "MANY", 10.0)
        model, bodies = random_tree(rng, [lw.Revolute, lw.Spherical, lw.Cylindrical, KINDS[seed], lw.Universal])
        add_loops(model, bodies, rng, 2)
        found.append(accelerations(model, rng)[:-1])
        check(*found[-1])


@pytest.mark.parametrize(("make", "count"), [(four_bars, 30), (four_bars, 45), (spatial_loops, 4)])
def test_many_loops_on_a_tree(make, count):
    """Accelerations in joint coordinates and by Kane, and the reactions they make, against dense equations of all bodies."""
    model = make(count)
    machine = LoadedMachine(model)
    s, q = machine.system, lw.assemble(model).q
    v = admissible(machine, q, np.random.default_rng(1))
    dense = machine.solve(q, v, 0.0)
    joints = JointCoordinates(s, q, machine.model)
    theta = joints.read(q)
    flow = JointFlow(s, joints, range(len(s.rows)))
    state = [*theta, *joints.read_speeds(q, v, theta), *machine.turns, 0.0]
    known = dict(zip(flow.y, state, strict=True)) | machine.model.parameter_values()
    vdot = np.array(evaluate(flow._in_state(joints.rates_of_v(flow.solution[0])), known), dtype=float)
    by_kane = Flow(s, range(len(s.rows)), "kane").solution
    state = dict(zip([*s.inputs["q"], *s.inputs["v"], *s.inputs["turns"]], [*q, *v, *machine.turns], strict=True))
    state |= machine.model.parameter_values()
    kane = np.array(evaluate([*by_kane[0], *by_kane[1]], state), dtype=float)
    forces = np.array([reactions(machine, q, v, a) for a in (dense.vdot, vdot, kane[: s.nv])])
    check(dense, vdot, kane[: s.nv], kane[s.nv :], forces)


def test_kane_says_where_it_brings_forces_into_evidence(monkeypatch):
    """Loops that make its own equations dear, here by a low limit: the same motion, and the audit says how."""

    told = {"t_eval": [0.0, 0.05], "rtol": 1e-11, "atol": 1e-13, "formulation": "kane"}
    own = lw.dynamics(four_bars(1, lean=0.3), **told)
    monkeypatch.setattr(size_policy, "PROJECTED_OPERATIONS", 1)
    run = lw.dynamics(four_bars(1, lean=0.3), **told)
    assert run.audit.formulation == own.audit.formulation == "kane"
    assert "forces of all joints in evidence" in run.audit.why
    assert "in evidence" not in own.audit.why
    for x in own.channels:
        assert np.abs(run[x] - own[x]).max() < 1e-9 * (1 + np.abs(own[x]).max()), x


@pytest.mark.parametrize("carried", [False, True], ids=["slot below", "slot carried"])
def test_a_kind_of_joint_is_one_row(monkeypatch, carried):
    """A pin in a slot, in the plane: all that trees need of it follows from its place, a slide and a turn."""
    m = lw.PlanarModel("slotted", gravity=(0.5, -9.81))
    a = m.body("a", mass=1.0, inertia=0.2, position=(0.3, 0.4), angle=0.7, com=(0.1, 0.05))
    b = m.body("b", mass=1.0, inertia=0.2, position=(0.3, 0.4))
    slot = (a.at(-0.2, 0, angle=0.0), m.ground.at(0.3, 0.4)) if carried else (m.ground.at(0, 0.4, angle=0.0), a.at(0, 0))
    m.add(lw.PointOnLine("slot", *slot))
    m.add(lw.Revolute("pin", a.at(0, 0), b.at(0, 0)))
    rng = np.random.default_rng(2)
    assert accelerations(m, rng)[-1].spanning.joints == ("", "pin")  # closed by a row
    monkeypatch.setitem(joint_models.KINDS, "PointOnLine", Joint("slotted pin", (Slide(0, 0), Turn(1))))
    *found, joints = accelerations(m, rng)
    assert joints.spanning.joints == ("slot", "pin")
    assert joints.nv == 3
    check(*found)


@pytest.mark.parametrize("backward", [False, True])
def test_the_pitch_of_a_screw_may_be_another_one_later(backward):
    """What was traced for one value of a parameter serves the next."""
    m = lw.SpatialModel("screw", gravity=(0.4, 0, -9.81))
    pitch = m.parameter("pitch", 0.3)
    nut = m.body("nut", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.1, 0, 0))
    arm = m.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0))
    ends = [m.ground.at(0, 0, 0), nut.at(0, 0, 0)]
    m.add(lw.Screw("thread", *(ends[::-1] if backward else ends), pitch=pitch))
    m.add(lw.Spherical("ball", nut.at(0.5, 0, 0), arm.at(-0.5, 0, 0)))
    for value in (0.3, -0.7):
        m.set(pitch=value)
        *found, _ = accelerations(m, np.random.default_rng(2))
        check(*found)
