"""MJCF that gymnasium and dm_control ship, against MuJoCo itself (dependency group `peers`), to 1e-9 of the largest value;
every one of them by `python -m benchmarks --only robots`."""

import numpy as np
import pytest

import linkwright as lw
from robots_of_others import against_mujoco, mjcf_files

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is a peer, installed by `pip install --group peers`")
FEW = {"ant", "half_cheetah", "fish", "quadruped", "manipulator", "pusher", "cartpole"}
FILES = [f for f in mjcf_files() if f.stem in FEW and f.parent.name in ("assets", "suite")]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parts[-4]}-{f.stem}")
def test_a_scene_moves_as_in_mujoco(file):
    assert max(against_mujoco(file).values()) < 1e-9


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
