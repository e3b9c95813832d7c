"""MJCF that gymnasium and dm_control ship, against MuJoCo itself (dependency group `peers`); every one of them with
LINKWRIGHT_EVERY_ROBOT=1.

Masses, positions, mass matrix (armature included) and accelerations without constraints, springs and dampers at a random
state, to 1e-9 of the largest value: both sides are right to rounding times the condition of the mass matrix.
"""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is a peer, installed by `pip install --group peers`")


def shipped(package, folder):
    found = importlib.util.find_spec(package)
    return sorted((Path(found.origin).parent / folder).glob("*.xml")) if found else []


FEW = {"ant", "half_cheetah", "fish", "quadruped", "manipulator", "pusher", "cartpole"}
EVERY = bool(os.environ.get("LINKWRIGHT_EVERY_ROBOT"))
FILES = [f for f in shipped("gymnasium", "envs/mujoco/assets") + shipped("dm_control", "suite") if EVERY or f.stem in FEW]
EMPTY = {"lqr.xml"}  # a scene that a program fills


def number_of(other, name, body, used):
    """MuJoCo's joint: by name; one without by its body, in order."""
    for word in (name, name.removesuffix("_joint")):
        if word and (k := mujoco.mj_name2id(other, mujoco.mjtObj.mjOBJ_JOINT, word)) >= 0:
            return k
    owner = other.body(name.rsplit(" ", 1)[0] if name else body)
    return next(k for k in range(owner.jntadr[0], owner.jntadr[0] + owner.jntnum[0]) if k not in used)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parts[-4]}-{f.stem}")
def test_a_scene_moves_as_in_mujoco(file):
    model, other = lw.load(file), mujoco.MjModel.from_xml_path(str(file))
    if file.name in EMPTY:
        assert len(model.bodies) == 1
        return
    js, data = lw.joint_space(model.without(*ties(model))), mujoco.MjData(other)
    q, v, T, bias, used = js.neutral(), np.zeros(js.nv), np.zeros((other.nv, js.nv)), np.zeros(other.nv), set()
    rng = np.random.default_rng(1)
    for k, joint in enumerate(js.tree.joint):
        if not joint.nv:
            continue
        number = number_of(other, js.spanning.joints[k], js.spanning.bodies[k].name, used)
        used.add(number)
        at_q, at_v, own = other.jnt_qposadr[number], other.jnt_dofadr[number], js.tree.speeds()[k]
        v[own] = rng.normal(size=joint.nv)
        p = rng.normal(size=4)
        p /= np.linalg.norm(p)
        if joint.nv == 1:
            q[js.tree.configuration()[k]] = data.qpos[at_q] = rng.uniform(-1, 1)
            T[at_v, own] = 1
        elif joint.name == "spherical":
            q[js.tree.configuration()[k]] = data.qpos[at_q : at_q + 4] = p
            T[at_v : at_v + 3, own] = np.eye(3)
        else:  # its velocities are in ground axes, ours in those of the body
            r, A = rng.normal(size=3), np.zeros(9)
            mujoco.mju_quat2Mat(A, p)
            A = A.reshape(3, 3)
            q[js.tree.configuration()[k]] = [*p, *r]
            data.qpos[at_q : at_q + 7] = [*r, *p]
            T[at_v : at_v + 3, own.start + 3 : own.stop], T[at_v + 3 : at_v + 6, own.start : own.start + 3] = A, np.eye(3)
            bias[at_v : at_v + 3] = A @ np.cross(v[own][:3], v[own][3:])
    data.qvel[:] = T @ v
    off = mujoco.mjtDisableBit
    for flag in (off.mjDSBL_CONSTRAINT, off.mjDSBL_ACTUATION, off.mjDSBL_SPRING, off.mjDSBL_DAMPER):
        other.opt.disableflags |= int(flag)
    other.opt.density = other.opt.viscosity = 0
    mujoco.mj_forward(other, data)

    assert sum(model.value(b.mass) for b in model.bodies.values()) == pytest.approx(other.body_mass.sum(), rel=1e-12)
    poses = js.poses(q)
    for k in range(1, other.nbody):
        if (name := other.body(k).name) in poses:
            np.testing.assert_allclose(poses[name][0], data.xpos[k], atol=1e-9)
            np.testing.assert_allclose(poses[name][1], data.xmat[k].reshape(3, 3), atol=1e-9)
    M = js.M(q)
    for e in model.elements.values():
        if isinstance(e, lw.Inertia):
            k = js.names.index(e.quantity.data.rpartition(".")[0])
            M[k, k] += e.J
    a = T @ np.linalg.solve(M, -js.h(q, v)) + bias
    np.testing.assert_allclose(a, data.qacc, rtol=0, atol=1e-9 * max(1, np.abs(data.qacc).max()))


def ties(model):
    """Elements that are no joints of the tree."""
    return [n for n, e in model.elements.items() if isinstance(e, lw.Coupler | lw.Constraint) or n.startswith("equality")]


def test_springs_dampers_armature_and_motors_act_as_in_mujoco(tmp_path):
    """Accelerations of a chain with all of them, ball joint included, by `lw.dynamics` at the start."""
    path = tmp_path / "chain.xml"
    path.write_text("""<mujoco><compiler angle="radian"/><worldbody>
      <body name="a" pos="0 0 1"><joint name="x" type="slide" axis="1 0 1" stiffness="30" springref="0.2"
        damping="2" ref="0.1"/>
        <joint name="h" axis="0 1 0" pos="0.1 0 0" stiffness="4" damping="0.5" armature="0.3" ref="0.2"/>
        <geom type="box" size="0.1 0.2 0.3" density="500" euler="0.3 0.1 0"/>
        <body name="b" pos="0.4 0 0" quat="1 0.2 0 0"><joint name="k" axis="1 1 0" damping="0.1"/>
          <geom type="capsule" fromto="0 0 0 0.3 0.1 0" size="0.05"/>
          <body name="c" pos="0.3 0 0"><joint name="ball" type="ball" pos="0 0 0.1" damping="0.05"/>
            <inertial pos="0 0.1 0" mass="0.4"
              fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/></body></body></body></worldbody>
      <tendon><fixed name="t" stiffness="7" damping="0.2"><joint joint="h" coef="1"/>
        <joint joint="k" coef="-2"/></fixed></tendon>
      <actuator><motor name="m" joint="k" gear="3"/><position name="p" joint="x" kp="5" kv="1"/></actuator></mujoco>""")
    model, other = lw.load(path), mujoco.MjModel.from_xml_path(str(path))
    model.set(ctrl_m=0.7, ctrl_p=0.3)
    data = mujoco.MjData(other)
    data.ctrl[:] = 0.7, 0.3
    speeds = {"x": 0.3, "h": -0.4, "k": 0.8}
    data.qvel[:] = [*speeds.values(), 0.2, -0.3, 0.5]
    model.fix(model["x"].velocity, 0.3)
    for name in ("h", "k"):
        model.fix(model[name].omega, speeds[name])
    mujoco.mj_forward(other, data)
    velocity = np.zeros(6)
    mujoco.mj_objectVelocity(other, data, mujoco.mjtObj.mjOBJ_XBODY, other.body("c").id, velocity, 1)
    for axis, w in zip("xyz", velocity[:3], strict=True):
        model.fix(model["c"].coordinate(f"w{axis}"), w)
    d = lw.dynamics(model, t_end=1e-4, steps=1)
    ours = [d["x.acceleration"][0], d["h.alpha"][0], d["k.alpha"][0]]
    np.testing.assert_allclose(ours, data.qacc[:3], rtol=1e-8)
