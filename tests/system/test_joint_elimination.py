"""Motion in joint coordinates, found in the speeds or by bodies: the same accelerations, multipliers and projections.

Tolerance 1e-10 of the largest value: rounding times the condition of these machines, some 1e4.
"""

import numpy as np
import pytest

import linkwright as lw
from fuzz.linkages import KINDS, random_tree
from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.examples import example
from linkwright.graph import evaluate
from linkwright.model import TIME
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.joint_elimination import ByBodies, InSpeeds
from linkwright.system.joint_form import JointFlow
from loaded_machines import admissible, random_machine
from random_planar import LOOPS, Recipe, build

TOLERANCE = 1e-10


class Both:
    """A machine at a state with random speeds that its joints allow, and its motion found in both ways."""

    def __init__(self, model, seed=0, gains=(), **options):
        self.rng, self.gains = np.random.default_rng(seed), list(gains)
        self.machine = m = LoadedMachine(model)
        self.q = initial_state(m, 0.0).q
        self.v = admissible(m, self.q, self.rng)
        s, self.joints = m.system, JointCoordinates(m.system, self.q)
        self.theta = self.joints.read(self.q)
        self.u = self.joints.read_speeds(self.q, self.v, self.theta)
        every = range(len(s.rows))
        self.flows = [JointFlow(s, self.joints, every, by_bodies=how, **options) for how in (False, True)]
        assert [type(flow.elimination) for flow in self.flows] == [InSpeeds, ByBodies]
        for flow in self.flows:  # expressions in place of compiled functions: a machine is asked but once
            flow._function = lambda name, inputs, outputs, often=False, flow=flow: {
                k: flow._in_state(x) for k, x in outputs.items()
            }

    def asked(self, function, theta=None, u=None):
        """What both say, one after the other; health is a measure of either one's own."""
        out = []
        for flow in self.flows:
            state = [*(self.theta if theta is None else theta), *(self.u if u is None else u), *self.machine.turns, 0.0]
            values = dict(zip(flow.y, state, strict=True)) | {TIME: 0.0}
            values |= dict(zip(flow.system.inputs["b"], self.machine.b, strict=True))
            values |= dict(zip(flow.inputs["gains"], self.gains, strict=True))
            values |= dict.fromkeys(flow.flags.symbols, 1.0)
            wanted = [x for k, own in function(flow).items() for x in own if k != "health"]
            out.append(np.array(evaluate(wanted, values), dtype=float))
        return out

    def agree(self):
        """In motion, accelerations and reactions, and in the projection of a state that is off a little; gives vdot."""
        s, j = self.machine.system, self.joints

        def told(flow):
            response = flow.response
            return flow.function("response", vdot=[response[x] for x in s.vdot], lam=[response[x] for x in s.lam])

        near(*self.asked(lambda flow: flow.motion))
        vdot, _ = near(*self.asked(told))
        off = np.array(j.retracted(list(self.theta), list(1e-3 * self.rng.normal(size=j.nv))), dtype=float)
        fast = self.u + 1e-3 * self.rng.normal(size=j.nv)
        projected, _ = near(*self.asked(lambda flow: flow.projection, off, fast))
        assert np.abs(projected[: j.nq + j.nv] - [*off, *fast]).max() > 1e-5
        return vdot[: s.nv]


def near(one, other):
    assert len(one) == len(other)
    assert np.isfinite(one).all()
    assert np.abs(one - other).max(initial=0.0) < TOLERANCE * (1 + np.abs(one).max(initial=0.0))
    return one, other


def expected(both):
    """vdot by the rank-revealing solution of the bodies' equations."""
    return both.machine.solve(both.q, both.v, 0.0, both.machine.turns).vdot


def rods(seed, kinds):
    """A tree in space with a rod to the ground and a spring."""
    rng = np.random.default_rng(seed)
    m, bodies = random_tree(rng, kinds)
    c, P = lw.assemble(m), rng.normal(size=3)
    length = float(np.linalg.norm([c[f"{bodies[-1].name}.{x}"] for x in "xyz"] - P))
    m.add(lw.Distance("rod", m.ground.at(*P), bodies[-1].at(0, 0, 0), length))
    m.add(lw.Spring("spring", m.ground.at(1, 1, 1), bodies[0].at(0.1, 0.2, 0.3), k=20, length=0.5, c=2))
    return m


@pytest.mark.parametrize("kinds", [KINDS[:3], KINDS[5:2:-1], KINDS[-3:]])
def test_every_joint(kinds):
    both = Both(rods(KINDS.index(kinds[0]), kinds))
    near(both.agree(), expected(both))


@pytest.mark.parametrize(("dimension", "seed"), [(2, 0), (2, 1), (3, 0)])
def test_random_machines(dimension, seed):
    """A loop of bodies with springs, a law and a force that turns with its body."""
    both = Both(random_machine(dimension, np.random.default_rng(seed), bodies=4), seed)
    near(both.agree(), expected(both))


def test_curves_and_a_driver():
    """Curve parameters have no mass and are held by their rows; a driver works."""
    both = Both(example("valve-lifter").build())
    near(both.agree(), expected(both))


def four_bar(mass=1.0, friction=False):
    """On a crank; mass: of the coupler."""
    m = lw.PlanarModel("four-bar", gravity=(0.3, -9.81))
    a = m.body("a", 1.0, 0.1, position=(0, 0.5), angle=np.pi / 2)
    b = m.body("b", mass, 0.1 * mass, position=(0.7, 1.1), angle=0.4)
    c = m.body("c", 1.0, 0.1, position=(2.0, 0.6), angle=2.0)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(-0.5, 0)))
    B = m.add(lw.Revolute("B", a.at(0.5, 0), b.at(-0.7, 0)))
    m.add(lw.Revolute("C", b.at(0.7, 0), c.at(0.5, 0)))
    m.add(lw.Revolute("D", c.at(-0.5, 0), m.ground.at(2.2, 0)))
    if friction:
        m.add(lw.Friction("rub A", A, mu=0.2, radius=0.05, stick=False))
        m.add(lw.Friction("rub B", B, mu=0.1, radius=0.05, viscous=0.01, stick=False))
    return m


def test_a_coupler_without_mass():
    both = Both(four_bar(mass=0.0))
    near(both.agree(), expected(both))


def test_friction_of_joints_inside_and_outside_the_tree():
    """The reactions make it: by bodies they come with the solution, in the speeds joint by joint after it."""
    both = Both(four_bar(friction=True))
    near(both.agree(), expected(both))


def test_rows_that_yield():
    """A second pin where one is: by bodies all rows are regularised, in the speeds those of loops; the motion is that of
    one pin. Reactions of the two pins are not unique and are not compared."""
    m = four_bar()
    m.add(lw.Revolute("D again", m["c"].at(-0.5, 0), m.ground.at(2.2, 0)))
    machine = LoadedMachine(m)
    both = Both(m, gains=machine.compliances(initial_state(machine, 0.0).q, 0.0), compliant=True)
    found = both.asked(lambda flow: flow.function("a", vdot=flow.joints.rates_of_v(flow.solution[0])))
    near(found[0], expected(both))
    near(*found)


def test_stabilised_rows():
    """Off the rows, where gains make accelerations of their own."""
    both = Both(four_bar(), gains=[20.0, 20.0], stabilised=True)
    off = both.theta + 1e-3 * both.rng.normal(size=both.joints.nq)
    motion, _ = near(*both.asked(lambda flow: flow.motion, off))
    plain = Both(four_bar()).asked(lambda flow: flow.motion, off)[0]
    assert np.abs(motion - plain).max() > 0.1


@pytest.mark.parametrize(
    "model", [four_bar(), rods(3, [lw.Revolute, lw.Universal]), example("valve-lifter").build()], ids=lambda m: m.name
)
def test_partitions(model):
    """With each choice of dependent speeds the others stay as they are."""
    machine = LoadedMachine(model)
    q = initial_state(machine, 0.0).q
    joints = JointCoordinates(machine.system, q)
    theta = joints.read(q)
    flow = JointFlow(machine.system, joints, range(len(machine.system.rows)))
    J = machine.Phi_and_J(q, 0.0)[1][flow.rows] @ joints.partial_velocities(q, theta)
    rng, tried = np.random.default_rng(1), 0
    for _ in range(12):
        own = rng.permutation(joints.nv)[: len(J)]
        if np.linalg.cond(J[:, own]) > 1e4 or tried == 2:
            continue
        marks, tried = np.zeros(joints.nv), tried + 1
        marks[own] = 1.0
        both = Both(model, gains=marks, partitioned=True)
        both.agree()
        off = both.u + 1e-3 * rng.normal(size=joints.nv)
        y = both.asked(lambda flow: flow.projection, u=off)[1]
        assert np.abs(y[joints.nq : joints.nq + joints.nv] - off)[marks == 0].max(initial=0.0) < 1e-14
    assert tried


def test_speeds_of_bodies_and_bodies_of_speeds():
    """E R = 1: joints read back what they did."""
    m, _ = random_tree(np.random.default_rng(4), KINDS)
    machine = LoadedMachine(m)
    q = machine.estimate()
    joints = JointCoordinates(machine.system, q)
    theta = joints.read(q)
    known = dict(zip([*joints.q, *joints.v], [*theta, *np.zeros(joints.nv)], strict=True)) | machine.model.parameter_values()
    R = joints.partial_velocities(q, theta)
    back = [evaluate(joints.speeds_of(list(column)), known) for column in R.T]
    assert np.abs(np.array(back, dtype=float).T - np.eye(joints.nv)).max() < 1e-13
    assert np.abs(machine.Phi_and_J(q, 0.0)[1] @ R).max() < 1e-13  # all joints are the tree's


@pytest.mark.parametrize("kind", LOOPS)
def test_every_kind_of_loop_in_the_plane(kind):
    """Between a bar and the ground, or the slide that hangs on it."""
    both = Both(with_mass(build(Recipe((-1, 0, 1), ("revolute", "translational", "revolute"), ((kind, 2, -1),), 3))))
    near(both.agree(), expected(both))


def with_mass(m):
    m.gravity = (0.3, -9.81)
    for k, body in enumerate(m.bodies.values()):
        if not body.is_ground:
            body.mass, body.inertia, body.com = 1.0 + 0.1 * k, 0.2, (0.1, 0.05)
    return m
