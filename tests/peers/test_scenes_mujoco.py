"""MJCF that gymnasium and dm_control ship, against MuJoCo itself (dependency group `peers`), to 1e-9 of the largest value;
every one of them by `python -m benchmarks --only robots`."""

import numpy as np
import pytest

import linkwright as lw
from random_scenes import scene
from robots_of_others import against_mujoco, mjcf_files

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is a peer, installed by `pip install --group peers`")
FEW = {"ant", "half_cheetah", "fish", "quadruped", "manipulator", "pusher", "cartpole"}
FILES = [f for f in mjcf_files() if f.stem in FEW and f.parent.name in ("assets", "suite")]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parts[-4]}-{f.stem}")
def test_a_scene_moves_as_in_mujoco(file):
    assert max(against_mujoco(file).values()) < 1e-9


def state_of(other, data):
    """The state of bodies as MuJoCo has it, by channel."""
    out, words = {}, ("x", "y", "z", "e0", "e1", "e2", "e3", "vx", "vy", "vz", "wx", "wy", "wz")
    for k in range(1, other.nbody):
        v, w = np.zeros(6), np.zeros(6)
        mujoco.mj_objectVelocity(other, data, mujoco.mjtObj.mjOBJ_XBODY, k, v, 0)
        mujoco.mj_objectVelocity(other, data, mujoco.mjtObj.mjOBJ_XBODY, k, w, 1)
        values = (*data.xpos[k], *data.xquat[k], *v[3:], *w[:3])
        out |= {f"{other.body(k).name}.{c}": x for c, x in zip(words, values, strict=True)}
    return out


def key(data, words):
    """The state as a keyframe."""
    text = "".join(f' {w}="{" ".join(repr(float(x)) for x in getattr(data, w))}"' for w in words if len(getattr(data, w)))
    return f'<keyframe><key name="home"/><key name="there"{text}/></keyframe></mujoco>'


HOME = "keyframes that it does not begin at (give lw.load(..., keyframe=...) to begin at a keyframe): home"
SMOOTH = "friction of tendons is smooth, it creeps where it would stick: t0"


@pytest.mark.parametrize("seed", range(12))
def test_all_forces_of_a_random_scene_are_those_of_mujoco(tmp_path, seed):
    """Springs, dampers, tendons, actuators with their states and ranges, compensated weight: the state of a keyframe, and
    accelerations there."""
    file, text = tmp_path / "scene.xml", scene(seed)
    file.write_text(text)
    other = mujoco.MjModel.from_xml_path(str(file))
    data, rng = mujoco.MjData(other), np.random.default_rng(seed)
    other.opt.timestep = 1e-12  # forces of the current of a motor are those of the end of a step
    mujoco.mj_integratePos(other, data.qpos, 0.3 * rng.normal(size=other.nv), 1.0)
    data.qvel[:], data.act[:] = 0.5 * rng.normal(size=other.nv), rng.uniform(-1, 1, other.na)
    for k in range(other.nactuator):
        if other.actuator_actlimited[k]:
            at = other.actuator_actadr[k]
            data.act[at] = np.clip(data.act[at], *other.actuator_actrange[k])
    data.ctrl[other.actuator_ctrladr] = rng.uniform(-1, 1, other.nactuator)  # the others of a pid are rates
    several = "<pid" in text or "<dcmotor" in text
    file.write_text(text.replace("</mujoco>", key(data, ("qpos", "qvel") if several else ("qpos", "qvel", "act", "ctrl"))))
    model = lw.load(file, keyframe="there")
    assert set(model.notes) <= {HOME, SMOOTH}
    mujoco.mj_forward(other, data)
    start = {}
    for k in range(other.nactuator if several else 0):
        name = other.actuator(k).name
        model.set(**{f"ctrl_{name}": data.ctrl[other.actuator_ctrladr[k]]})
        if other.actuator_actadr[k] >= 0:
            state, gear = data.act[other.actuator_actadr[k]], other.actuator_gear[k, 0]
            word = {lw.Motor: f"{name}.current", lw.PID: f"{name}.integral"}.get(type(model[name]), f"act_{name}")
            start[word] = state / gear if word.endswith("integral") else state
    there = state_of(other, data)
    d = lw.dynamics(model, t_end=1e-6, steps=1, start=there | start if start else None)
    for channel, x in there.items():
        sign = np.sign(d[f"{channel[:-1]}0"][0] * data.body(channel[:-3]).xquat[0]) if channel[-2] == "e" else 1.0
        assert sign * d[channel][0] == pytest.approx(x, abs=1e-11), channel
    size = max(1.0, np.abs(data.qacc).max())
    for k in range(other.njnt):
        name, at = other.joint(k).name, other.jnt_dofadr[k]
        body = other.body(other.jnt_bodyid[k]).name
        channels = {
            mujoco.mjtJoint.mjJNT_HINGE: (f"{name}.alpha",), mujoco.mjtJoint.mjJNT_SLIDE: (f"{name}.acceleration",),
            mujoco.mjtJoint.mjJNT_FREE: [f"{body}.{c}" for c in ("ax", "ay", "az", "alphax", "alphay", "alphaz")],
        }.get(other.jnt_type[k], ())  # fmt: skip
        for c, channel in enumerate(channels):
            assert d[channel][0] == pytest.approx(data.qacc[at + c], abs=1e-9 * size), channel


LEG = next((f.with_name("tarsus_T2_2_right_body.msh") for f in mjcf_files() if f.name == "drosophila_fused.xml"), None)


@pytest.mark.skipif(LEG is None, reason="dm_control is a peer, too")
def test_who_is_right_about_an_inertia(tmp_path):
    """A leg of the fruit fly, one mesh: summed in extended precision over its triangles as MuJoCo's manual has it
    (`inertia="legacy"`: volumes without sign, from the middle of the surface and then from the centre that gives). Our
    matrix is right to rounding; MuJoCo's principal moments are, its axes are not, which is all that accelerations differ by
    in the two scenes in which that is more than 1e-9 (`benchmarks/robots.py`)."""
    mesh, file = LEG.read_bytes(), tmp_path / "leg.xml"
    (tmp_path / "leg.msh").write_bytes(mesh)
    file.write_text("""<mujoco><asset><mesh name="leg" file="leg.msh"/></asset><worldbody><body name="leg"><freejoint/>
      <geom type="mesh" mesh="leg" quat="0.940571 0.322955 0.0227168 -0.102519"/></body></worldbody></mujoco>""")
    nv, nn, nt, nf = np.frombuffer(mesh, "<i4", 4)
    vertices = np.frombuffer(mesh, "<f4", 3 * nv, 16).reshape(-1, 3).astype(np.longdouble)
    faces = np.frombuffer(mesh, "<i4", 3 * nf, 16 + 4 * (3 * nv + 3 * nn + 2 * nt)).reshape(-1, 3)

    def tetrahedra(centre):
        a, b, c = (vertices[faces[:, k]] - centre for k in range(3))
        return np.abs((a * np.cross(b, c)).sum(axis=1)) / 6, a, b, c

    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.sqrt((np.cross(b - a, c - a) ** 2).sum(axis=1))
    middle = (area[:, None] * (a + b + c)).sum(axis=0) / area.sum() / 3
    V, a, b, c = tetrahedra(middle)
    V, a, b, c = tetrahedra(middle + (V[:, None] * (a + b + c)).sum(axis=0) / V.sum() / 4)
    second = sum((V[:, None, None] * x[:, :, None] * x[:, None, :]).sum(axis=0) for x in (a, b, c, a + b + c)) / 20
    w, x, y, z = (p := np.array(["0.940571", "0.322955", "0.0227168", "-0.102519"], dtype=np.longdouble)) / np.sqrt(p @ p)
    R = np.array([[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)], [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                  [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]])  # fmt: skip
    model, other = lw.load(file), mujoco.MjModel.from_xml_path(str(file))
    exact = (R @ (np.trace(second) * np.eye(3) - second) @ R.T * (other.body_mass[1] / V.sum())).astype(float)
    A = np.zeros(9)
    mujoco.mju_quat2Mat(A, other.body_iquat[1])
    theirs = A.reshape(3, 3) * other.body_inertia[1] @ A.reshape(3, 3).T
    size = np.abs(exact).max()
    assert np.abs(model.bodies["leg"].inertia_matrix() - exact).max() < 1e-13 * size
    assert np.abs(np.sort(other.body_inertia[1]) - np.linalg.eigvalsh(exact)).max() < 1e-12 * size
    assert 1e-9 * size < np.abs(theirs - exact).max() < 2e-7 * size


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


ARM = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
  <body name="a" pos="0 0 1"><joint name="h" axis="0 1 0"/><geom type="box" size="0.1 0.2 0.3" density="500"/>
    <site name="s1" pos="0.3 0 0.1"/><site name="s2" pos="0.3 0.1 0"/>
    <body name="b" pos="0.4 0 0"><joint name="k" axis="1 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0.1 0" size="0.05"/>
      <site name="s3" pos="0.2 0.1 0.1"/></body></body>
  <body name="c" pos="0.7 0.1 1"><freejoint/><geom type="box" size="0.1 0.1 0.2" density="300"/></body></worldbody>
  {}</mujoco>"""


@pytest.mark.parametrize(
    "ties",
    [
        '<tendon><spatial name="t" stiffness="70" damping="2" springlength="0.1"><site site="s1"/><site site="s3"/>'
        '<pulley divisor="2"/><site site="s2"/><site site="s3"/></spatial></tendon>'
        '<actuator><motor name="m" tendon="t" gear="3"/></actuator>',
        '<tendon><fixed name="t" stiffness="7" damping="0.2" springlength="0.1 0.4"><joint joint="h" coef="1"/>'
        '<joint joint="k" coef="-2"/></fixed></tendon><actuator><motor name="m" tendon="t" gear="-2"/></actuator>',
        '<actuator><general name="m" joint="h" gear="2" gainprm="3" biastype="affine" biasprm="0.5 -4 -0.3"/>'
        '<velocity name="v" joint="k" kv="1.5"/></actuator>',
    ],
    ids=["spatial tendon", "fixed tendon", "general"],
)
def test_tendons_and_actuators_act_as_in_mujoco(tmp_path, ties):
    """Accelerations at given speeds: both are right to rounding."""
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(ties))
    model, other = lw.load(path), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(other)
    other.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data.ctrl[:] = 0.7
    data.qvel[:2] = -0.4, 0.8
    mujoco.mj_forward(other, data)
    model.set(**{n: 0.7 for n in model.parameters if n.startswith("ctrl_")})
    model.fix(model["h"].omega, -0.4)
    model.fix(model["k"].omega, 0.8)
    d = lw.dynamics(model, t_end=1e-4, steps=1)
    np.testing.assert_allclose([d["h.alpha"][0], d["k.alpha"][0]], data.qacc[:2], rtol=1e-8)


@pytest.mark.parametrize(
    "tie",
    [
        '<connect body1="b" body2="c" anchor="0.3 0.1 0" {}/>',
        '<weld body1="b" body2="c" {}/>',
        '<joint joint1="k" joint2="h" polycoef="0 0.7 0.3 0 0" {}/>',
    ],
    ids=["connect", "weld", "joint"],
)
def test_equalities_hold_as_those_of_mujoco_do(tmp_path, tie):
    """MuJoCo's are soft: at an impedance of 1 - 1e-4 its accelerations are those of rigid ones to some 1e-3."""
    path = tmp_path / "arm.xml"
    stiff = 'solimp="0.9999 0.9999 0.001" solref="0.002 1"'
    path.write_text(ARM.format(f"<equality>{tie.format(stiff)}</equality>"))
    model, other = lw.load(path), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(other)
    other.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    other.opt.tolerance, other.opt.iterations = 1e-15, 500
    mujoco.mj_forward(other, data)
    d = lw.dynamics(model, t_end=1e-4, steps=1)
    np.testing.assert_allclose([d["h.alpha"][0], d["k.alpha"][0]], data.qacc[:2], rtol=5e-3, atol=1e-2)


def test_replicated_and_attached_bodies_are_those_of_mujoco(tmp_path):
    (tmp_path / "arm.xml").write_text(
        '<mujoco><default><geom density="500"/></default><worldbody><body name="arm" pos="0 0 1"><joint name="j"/>'
        '<geom size="0.1" pos="0.2 0 0"/></body></worldbody></mujoco>'
    )
    path = tmp_path / "scene.xml"
    path.write_text("""<mujoco><asset><model name="a" file="arm.xml"/></asset><worldbody>
      <frame pos="0 0 1" euler="0 40 0"><replicate count="3" offset="0 0.5 1" euler="0 0 30"><replicate count="2" sep="-"
        offset="0 1 0"><body name="b"><joint name="k"/><geom size="0.1"/></body></replicate></replicate></frame>
      <frame pos="2 0 0" euler="30 0 0"><attach model="a" body="arm" prefix="l_"/></frame></worldbody></mujoco>""")
    model, other = lw.load(path), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(other)
    mujoco.mj_forward(other, data)
    c = lw.assemble(model)
    names = [other.body(k).name for k in range(1, other.nbody)]
    assert list(model.bodies) == ["ground", *names]
    for k, name in enumerate(names, start=1):
        np.testing.assert_allclose([c[f"{name}.{x}"] for x in "xyz"], data.xpos[k], atol=1e-12)
        assert model[name].mass == pytest.approx(other.body_mass[k], rel=1e-12)
