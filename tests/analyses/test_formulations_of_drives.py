"""Inertia along quantities, constraints on velocities and contacts that stick in every formulation and treatment: the motion
and the reactions are those of the bodies' own equations."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import size_policy
from linkwright.system import joint_form, loop_cost

TREATMENTS = ["projection", "partitioning", "stabilization", "direct", "hybrid", "augmented"]


def four_bar():
    """Rank-one inertia across a loop, along an angle and along a product of coordinates."""
    m = lw.PlanarModel("four-bar", gravity=(0, -9.81))
    a = m.body("a", mass=1, inertia=0.1, position=(0.1, 0.2), angle=1.2)
    b = m.body("b", mass=2, inertia=0.2, position=(0.5, 0.4), angle=0.1, com=(0.1, 0.02))
    c = m.body("c", mass=1, inertia=0.1, position=(1.1, 0.2), angle=1.2)
    m.add(lw.Revolute("O", m.ground.at(0, 0), a.at(-0.2, 0)))
    m.add(lw.Revolute("A", a.at(0.2, 0), b.at(-0.5, 0)))
    m.add(lw.Revolute("B", b.at(0.5, 0), c.at(0.25, 0)))
    m.add(lw.Revolute("C", c.at(-0.25, 0), m.ground.at(1, 0)))
    m.add(lw.Inertia("flywheel", a.angle - 3 * c.angle, 0.2))
    m.add(lw.Inertia("rack", lw.sin(b.x) * b.y, 0.7))
    return m, "b"


def trailer():
    """Two blades, and a flywheel between the two."""
    m = lw.PlanarModel("trailer", gravity=(0, 0))
    a = m.body("a", mass=1.0, inertia=0.4, com=(0.3, 0), velocity=(1, 0), omega=0.7)
    b = m.body("b", mass=1.0, inertia=0.4, position=(-1, 0))
    m.add(lw.Revolute("hitch", a.at(0, 0), b.at(1, 0)))
    for body in (a, b):
        m.add(lw.Constraint(f"wheels {body.name}", -lw.sin(body.angle) * body.vx + lw.cos(body.angle) * body.vy))
    m.add(lw.Inertia("flywheel", a.angle - b.angle, 0.2))
    return m, "b"


def chain():
    m = lw.SpatialModel("chain", gravity=(0, 0, -9.81))
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.1, 0, 0.05))
    b = m.body("b", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.1, 0, 0.05))
    lean = {"rotation": ((1, 1, 0), 0.7)}
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0, **lean), a.at(0, 0, 0, **lean)))
    m.add(lw.Spherical("ball", a.at(0.3, 0, 0), b.at(-0.2, 0, 0)))
    m.add(lw.Inertia("rotor", pin, 0.4))
    m.add(lw.Inertia("rack", b.x * b.z - b.y, 0.7))
    return m, "b"


def rolling():
    """A disc on the ground and a ball on a table that turns with its flywheel."""
    m = lw.SpatialModel("rolling", gravity=(0, 0.3, -9.81))
    disc = m.body(
        "disc", mass=1, inertia=(0.0625, 0.0625, 0.125), position=(3, 0, 0.5 * np.cos(0.3)),
        orientation=((1, 0, 0), np.pi / 2 - 0.3), omega=(0.3, 0, 3.0),
    )  # fmt: skip
    m.add(lw.Rolling("on ground", disc.at(0, 0, 0), m.ground.at(0, 0, 0), radius=0.5))
    table = m.body("table", mass=1, inertia=(0.1, 0.1, 0.9), omega=(0, 0, 1.2))
    axle = m.add(lw.Revolute("axle", m.ground.at(0, 0, 0), table.at(0, 0, 0)))
    ball = m.body("ball", mass=1, inertia=(0.02, 0.02, 0.02), position=(0.2, 0, 0.25), velocity=(0.1, 0.2, 0))
    m.add(lw.Rolling("on table", ball.at(0, 0, 0), table.at(0, 0, 0), radius=0.25, ball=True))
    m.add(lw.Inertia("flywheel", axle, 0.2))
    return m, "ball"


def pivot():
    """A ball joint that is captured by its friction."""
    m = lw.SpatialModel("pivot", gravity=(0, 0, -9.81))
    b = m.body("b", mass=1, inertia=(0.1, 0.1, 0.01), com=(0.01, 0, 0), omega=(0, 0, 1.0))
    ball = m.add(lw.Spherical("ball", m.ground.at(0, 0, 0), b.at(0, 0, 0)))
    m.add(lw.Friction("rubs", ball, mu=0.3, radius=0.1))
    return m, "b"


def block():
    """It slides on two corners and comes to rest."""
    m = lw.PlanarModel("block", gravity=(0, -10))
    b = m.body("b", mass=1, inertia=0.02, position=(0, 0.1), velocity=(0.5, 0))
    for k, x in enumerate((-0.1, 0.1)):
        m.add(lw.Contact(f"foot {k}", b.at(x, -0.1), m.ground.at(0, 0, angle=0), mu=0.4, restitution=0))
    return m, "b"


def agrees(d, own, body):
    for c in own:
        if c.startswith((f"{body}.", "wheels", "on ")) or c.endswith((".fx", ".fy", ".torque")):
            assert d[c] == pytest.approx(own[c], abs=2e-7 * (1 + np.abs(own[c]).max())), c


@pytest.mark.parametrize("machine", [four_bar, trailer, chain, rolling, pivot, block])
def test_formulations(machine):
    m, body = machine()
    own = lw.dynamics(m, t_end=0.2, steps=4)
    further = [] if m.dimension == 2 else ["euler-parameters"] if machine is pivot else ["euler-parameters", "mixed"]
    for formulation in ("kane", "joint", *further):
        d = lw.dynamics(m, t_end=0.2, steps=4, formulation=formulation)
        assert d.audit.formulation == formulation
        assert [name for _, name in d.events] == [name for _, name in own.events]
        agrees(d, own, body)


@pytest.mark.parametrize("machine", [trailer, rolling])
@pytest.mark.parametrize("formulation", ["newton-euler", "joint"])
def test_treatments(machine, formulation):
    m, body = machine()
    own = lw.dynamics(m, t_end=0.1, steps=2)
    for treatment in TREATMENTS[1:]:
        d = lw.dynamics(m, t_end=0.1, steps=2, formulation=formulation, constraints=treatment)
        assert d.audit.formulation == formulation
        assert d.audit.constraints.startswith(treatment)
        agrees(d, own, body)


@pytest.mark.parametrize("machine", [four_bar, chain, rolling])
def test_arrays(machine):
    """The matrices that `lw.equations` gives hold the same accelerations."""
    m, _ = machine()
    state = lw.dynamics(m, t_end=0.1, steps=1)
    of_bodies = lw.equations(m).at(state, 0.1).accelerations()
    for formulation in ("euler-parameters", "mixed", "kane", "joint"):
        assert lw.equations(m, formulation).at(state, 0.1).accelerations() == pytest.approx(of_bodies, abs=1e-7)


@pytest.mark.parametrize("machine", [four_bar, chain])
def test_ways_of_long_chains(machine, monkeypatch):
    """In joint coordinates by bodies, and Kane's equations with all joints in evidence, as where chains are long."""
    m, body = machine()
    own = lw.dynamics(m, t_end=0.2, steps=4)
    monkeypatch.setattr(loop_cost, "ENTRY", 1e9)
    monkeypatch.setattr(joint_form, "InSpeeds", None)
    monkeypatch.setattr(size_policy, "PROJECTED_OPERATIONS", 0)
    for formulation in ("joint", "kane"):
        agrees(lw.dynamics(m, t_end=0.2, steps=4, formulation=formulation), own, body)
