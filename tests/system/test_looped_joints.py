"""Joint coordinates of large machines, joint by joint, against those that are traced for a machine as a whole."""

import numpy as np
import pytest

import linkwright as lw
from fuzz.linkages import KINDS, random_tree
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.graph import evaluate
from linkwright.system.coordinates import Coordinates
from linkwright.system.estimates import estimates
from linkwright.system.joint_coordinates import JointCoordinates
from linkwright.system.looped import LoopedFlow, LoopedSystem
from linkwright.system.looped.joints import LoopedJoints


def allowed(model, q, rng):
    """A random velocity that the joints allow."""
    J = LoopedSystem(model).Phi_v(q).toarray()
    v = rng.normal(size=J.shape[1])
    return v - np.linalg.lstsq(J, J @ v, rcond=None)[0]


def check(model, rng, q=None):
    """States there and back, positions elsewhere, rates: all as the machine as a whole has them."""
    system, q = LoopedSystem(model), estimates(model, Coordinates.of(model)) if q is None else q
    v = allowed(model, q, rng)
    joints, flow = LoopedJoints.of(system, q), LoopedFlow(system)
    x = joints.read(flow.state(q, v), joints.near)
    assert np.allclose(joints.cartesian(x[None])[0], flow.state(q, v), rtol=0, atol=1e-12 * (1 + np.abs(v).max()))

    s = LoadedMachine(model).system
    whole = JointCoordinates(s, q)
    theta = whole.read(q)
    assert np.allclose(x[: joints.ntheta], theta, rtol=0, atol=1e-12)
    assert np.allclose(x[joints.ntheta :][: joints.nu], whole.read_speeds(q, v, theta), rtol=0, atol=1e-11)

    x[: joints.ntheta] = whole_turns = np.array(evaluate(
        whole.retracted(list(theta), list(rng.normal(size=joints.nu) * 2)), {}), dtype=float)  # fmt: skip
    x[joints.ntheta :][: joints.nu] = u = rng.normal(size=joints.nu)
    there = {**dict(zip(whole.q, whole_turns, strict=True)), **dict(zip(whole.v, u, strict=True))}
    y = np.array(evaluate([whole.cartesian[c] for c in [*s.coordinates.q, *s.coordinates.v]], there), dtype=float)
    assert np.allclose(joints.cartesian(x[None])[0][: len(y)], y, rtol=0, atol=1e-12 * (1 + np.abs(y).max()))
    assert np.allclose(joints.read(joints.cartesian(x[None])[0], x), x, rtol=0, atol=1e-12 * (1 + np.abs(y).max()))

    ydot, _, health = joints.around(flow).motion(np.zeros(1), x, *[np.zeros(0)] * 4)
    q, v = y[: system.nq], y[system.nq :]
    vdot, _, _ = system.accelerations(q, v)
    moved = np.array(evaluate(whole.rates_of_v(list(ydot[joints.ntheta :][: joints.nu])), there), dtype=float)
    assert np.allclose(moved, vdot, rtol=0, atol=1e-10 * (1 + np.abs(vdot).max()))
    rates = np.array(evaluate(whole.rates, there), dtype=float)
    assert np.allclose(ydot[: joints.ntheta], rates, rtol=0, atol=1e-13 * (1 + np.abs(rates).max()))
    assert health[0] > 1e-6
    return joints


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: "free" if k is None else k.__name__)
def test_every_joint(kind):
    """Two of the kind on a hinged body, in random frames, either way round."""
    rng = np.random.default_rng(KINDS.index(kind))
    check(random_tree(rng, [lw.Revolute, kind, kind])[0], rng)


def test_a_random_tree():
    rng = np.random.default_rng(5)
    check(random_tree(rng, list(KINDS))[0], rng)


def test_a_tree_in_the_plane():
    """Hinges and slides of either direction, a weld, a free body; more than one turn."""
    rng = np.random.default_rng(4)
    m = lw.PlanarModel("tree", gravity=(0.3, -9.81))
    bodies = [m.ground]
    for k, kind in enumerate([lw.Revolute, lw.Translational, None, lw.Fixed, lw.Revolute, lw.Translational]):
        low = bodies[k // 2]
        b = m.body(f"b{k}", mass=1 + rng.random(), inertia=0.5, com=rng.normal(size=2) * 0.2, angle=3 * rng.normal())
        if kind is not None:
            ends = [low.at(*rng.normal(size=2), angle=rng.normal()), b.at(*rng.normal(size=2), angle=rng.normal())]
            m.add(kind(f"J{k}", *(ends if rng.random() < 0.5 else ends[::-1])))
        bodies.append(b)
    c = lw.assemble(m)
    q = np.array([c[f"{b.name}.{x}"] + (x == "angle") * 6 * np.pi for b in bodies[1:] for x in ("x", "y", "angle")])
    joints = check(m, rng, q)
    assert joints.nu == 7


def test_a_projection_ends_on_the_constraints():
    """A four-bar whose joint state is off: loops close to rounding, the tree's joints were never open."""
    m = lw.PlanarModel("four-bar")
    bars = [m.body(n, mass=1.0, inertia=0.1, position=p, angle=a) for n, p, a in (
        ("left", (0, 0.5), np.pi / 2), ("top", (0.6, 1.1), 0.15), ("right", (1.2, 0.6), np.pi / 2))]  # fmt: skip
    ends = [m.ground.at(0, 0), *[b.at(s, 0) for b in bars for s in (-0.5, 0.5)], m.ground.at(1.1, 0)]
    for k, (P, Q) in enumerate(zip(ends[::2], ends[1::2], strict=True)):
        m.add(lw.Revolute(f"J{k}", P, Q))
    c = lw.assemble(m)
    q = np.array([c[f"{b.name}.{x}"] for b in bars for x in ("x", "y", "angle")])
    system = LoopedSystem(m)
    joints, flow = LoopedJoints.of(system, q), LoopedFlow(system)
    x = joints.read(flow.state(q, np.zeros(9)), joints.near)
    x[:6] += 1e-4 * np.random.default_rng(1).normal(size=6)
    (y,) = joints.cartesian(x[None])
    assert np.abs(system.Phi(y[:9])).max() > 1e-5
    (closed,) = joints.around(flow).projection(np.zeros(1), x, *[np.zeros(0)] * 4)
    (y,) = joints.cartesian(closed[None])
    assert np.abs(system.Phi(y[:9])).max() < 1e-12  # the square of the square of the error, twice
    assert np.abs(system.drift(y[:9], y[9:18])).max() < 1e-12
    assert np.abs(closed - x).max() < 1e-3
