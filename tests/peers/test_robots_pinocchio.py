"""URDF that example-robot-data ships, against Pinocchio's own reader (dependency group `peers`); every one of them with
LINKWRIGHT_EVERY_ROBOT=1.

Masses, positions, bias forces and accelerations at a random state, to 1e-9 of the largest value: both sides are right to
rounding times the condition of the mass matrix.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

pin = pytest.importorskip("pinocchio", reason="Pinocchio is a peer, installed by `pip install --group peers`")
ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
FEW = {"panda", "ur5_robot", "solo12", "double_pendulum", "icub_reduced", "alex_psyonic_hands", "tiago_pro", "baxter"}
EVERY = bool(os.environ.get("LINKWRIGHT_EVERY_ROBOT"))  # all of them take two minutes
FILES = sorted(f for f in ROBOTS.glob("**/*.urdf") if EVERY or f.stem in FEW)
WRONG = {  # files that are not right, and why not
    "alex_psyonic_hands.urdf": "there is no joint 'index_q1'",
    "romeo_laas_small.urdf": "a principal moment of inertia is negative",
    "ur3.urdf": "the robot has no <link>",
}
LIGHT = {"romeo.urdf"}  # joints that carry nothing: no program gives accelerations

pytestmark = pytest.mark.skipif(not FILES, reason="example-robot-data is not installed")


def joints_of(js, other, model):
    """Pinocchio's number of each joint of ours; a name with a dot, or that a link has, too, is another one here."""
    names = {}
    for name in other.names:
        ours = name.replace(".", "_")
        names[f"{ours}_joint" if ours in model.bodies else ours] = other.getJointId(name)
    return [(k, names[name]) for k, name in enumerate(js.spanning.joints) if js.tree.joint[k].nv]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_a_robot_moves_as_in_pinocchio(file):
    if file.name in WRONG:
        with pytest.raises(lw.FileError, match=WRONG[file.name]):
            lw.load(file)
        return
    model, other = lw.load(file), pin.buildModelFromUrdf(str(file))
    ties = [n for n, e in model.elements.items() if isinstance(e, lw.Coupler | lw.Constraint)]  # it takes mimics for free
    js, data = lw.joint_space(model.without(*ties)), other.createData()
    rng = np.random.default_rng(1)
    q, v, u = np.zeros(js.nq), np.zeros(js.nv), np.zeros(js.nv)
    theirs_q, theirs_v, theirs_u = pin.neutral(other).copy(), np.zeros(other.nv), np.zeros(other.nv)
    order = np.zeros(js.nv, dtype=int)
    for k, number in joints_of(js, other, model):
        own, speed, joint = js.tree.configuration()[k], js.tree.speeds()[k], other.joints[number]
        x, v[speed], u[speed] = rng.uniform(-2, 2), rng.normal(), rng.normal()
        q[own] = x
        theirs_q[joint.idx_q : joint.idx_q + joint.nq] = x if joint.nq == 1 else (np.cos(x), np.sin(x))
        order[speed] = joint.idx_v
    theirs_v[order], theirs_u[order] = v, u

    masses = sum(model.value(b.mass) for b in model.bodies.values())
    assert masses == pytest.approx(sum(x.mass for x in other.inertias), rel=1e-12)
    pin.framesForwardKinematics(other, data, theirs_q)
    poses = js.poses(q)
    for frame in (f for f in other.frames if f.type == pin.FrameType.BODY):
        place = data.oMf[other.getFrameId(frame.name, pin.FrameType.BODY)]
        r, A = poses[{"ground": "ground_link"}.get(frame.name, frame.name.replace(".", "_"))]
        np.testing.assert_allclose(r, place.translation, atol=1e-9)
        np.testing.assert_allclose(A, place.rotation, atol=1e-9)
    h = np.array(pin.rnea(other, data, theirs_q, theirs_v, np.zeros(other.nv)))[order]
    np.testing.assert_allclose(js.h(q, v), h, rtol=0, atol=1e-9 * max(1, np.abs(h).max(initial=0)))
    if file.name not in LIGHT:
        a = np.array(pin.aba(other, data, theirs_q, theirs_v, theirs_u))[order]
        np.testing.assert_allclose(js.forward(q, v, u), a, rtol=0, atol=1e-9 * max(1, np.abs(a).max(initial=0)))


@pytest.mark.parametrize("name", ["panda.urdf", "tiago_pro.urdf", "baxter.urdf"])
def test_mimics_tie_joints_as_in_pinocchio(name):
    """The mass matrix of the joints that move by themselves: G^T M G with the rates G of the couplers."""
    file = next(f for f in FILES if f.name == name)
    model, other = lw.load(file), pin.buildModelFromUrdf(str(file), mimic=True)
    ties = [e for e in model.elements.values() if isinstance(e, lw.Coupler)]
    js = lw.joint_space(model.without(*(e.name for e in ties)))
    at = {name: k for k, name in enumerate(js.names)}
    G, free = np.eye(js.nv), list(range(js.nv))
    for e in ties:
        (own, _), (master, factor) = ((q.data.rpartition(".")[0], f) for q, f in e.terms)
        G[at[own]] = -factor * G[at[master]]
        free.remove(at[own])
    ours = G[:, free].T @ js.M(js.neutral()) @ G[:, free]
    numbers = {n.replace(".", "_"): other.joints[other.getJointId(n)] for n in other.names}
    order = [numbers[js.names[k]].idx_v for k in free]
    data = other.createData()
    M = np.array(pin.crba(other, data, pin.neutral(other)))
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(ours, M[np.ix_(order, order)], rtol=0, atol=1e-9 * np.abs(M).max())
