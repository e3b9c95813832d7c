"""Machines from MJCF: what the words of the format mean, checked against closed forms."""

from math import cos, pi, sin

import numpy as np
import pytest

import linkwright as lw
from linkwright.exchange.mjcf_start import POSE
from linkwright.exchange.pose_inertia import PoseInertia


def scene(tmp_path, text, **options):
    path = tmp_path / "scene.xml"
    path.write_text(f'<mujoco model="m">{text}</mujoco>' if "<mujoco" not in text else text, encoding="utf-8")
    return lw.load(path, **options)


def body(tmp_path, text, more=""):
    return scene(tmp_path, f'{more}<worldbody><body name="b">{text}</body></worldbody>')


BALL = '<geom size="0.1" mass="2"/>'


def test_a_pendulum_in_degrees(tmp_path):
    """M = J + m l^2 + armature, k (q - springref) and c from the file; range and springref are in degrees."""
    text = (
        '<joint name="j" axis="0 1 0" pos="0 0 1" range="-90 45" damping="0.2" stiffness="3" springref="30" armature="0.4"/>'
    )
    m = body(tmp_path, text + BALL)
    np.testing.assert_allclose(lw.joint_space(m).M([0.3]), [[0.4 * 2 * 0.01 + 2]], rtol=1e-14)
    spring, stop = m["j spring"], m["j limits"]
    assert (spring.k, spring.c, spring.angle) == (3, 0.2, pytest.approx(pi / 6))
    assert (stop.lower, stop.upper) == pytest.approx((-pi / 2, pi / 4))
    assert m["j armature"].J == 0.4
    d = lw.dynamics(m, t_end=1e-3, steps=1)
    assert d["j.alpha"][0] == pytest.approx(3 * pi / 6 / (2.008 + 0.4), rel=1e-9)


def test_ref_is_the_value_in_the_pose_of_the_file(tmp_path):
    m = body(tmp_path, '<joint name="x" type="slide" axis="1 0 0" ref="0.5"/><joint name="h" ref="90" axis="0 0 2"/>' + BALL)
    c = lw.assemble(m)
    assert (c["x.displacement"], c["h.angle"], c["b.x"]) == pytest.approx((0.5, pi / 2, 0), abs=1e-12)
    place, A = lw.joint_space(m).poses([0.7, 0.0])["b"]
    np.testing.assert_allclose(place, [0.2, 0, 0], atol=1e-14)
    np.testing.assert_allclose(A, [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-14)


def test_joints_of_a_body_act_in_order(tmp_path):
    """The second axis is carried by the first: A = Rz(a) Ry(b)."""
    m = body(tmp_path, '<joint axis="0 0 1" name="a"/><joint axis="0 1 0" name="b1"/>' + BALL)
    a, b = 0.4, -0.7
    Rz = np.array([[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]])
    Ry = np.array([[cos(b), 0, sin(b)], [0, 1, 0], [-sin(b), 0, cos(b)]])
    np.testing.assert_allclose(lw.joint_space(m).poses([a, b])["b"][1], Rz @ Ry, atol=1e-14)


@pytest.mark.parametrize(
    ("attributes", "axis"),
    [
        ('euler="90 0 90"', (0, 0, 1)),  # turning axes: x by Rx(90) Rz(90) is z
        ('quat="2 0 0 0"', (1, 0, 0)),
        ('axisangle="0 0 3 90"', (0, 1, 0)),
        ('xyaxes="0 2 0 -1 1 0"', (0, 1, 0)),
        ('zaxis="1 0 0"', (0, 0, -1)),
    ],
)
def test_orientations(tmp_path, attributes, axis):
    """Where the x axis of a body points."""
    m = scene(tmp_path, f'<worldbody><body name="b" {attributes}><geom size="1"/></body></worldbody>')
    c = lw.assemble(m)
    A = np.array(lw.joint_space(m).poses([])["b"][1])
    np.testing.assert_allclose(A[:, 0], axis, atol=1e-12)
    assert abs(c["b.e0"]) <= 1


def test_fixed_axes_of_euler_angles(tmp_path):
    more = '<compiler angle="radian" eulerseq="XYZ"/>'
    m = scene(tmp_path, f'{more}<worldbody><body name="b" euler="{pi / 2} 0 {pi / 2}"><geom size="1"/></body></worldbody>')
    np.testing.assert_allclose(lw.joint_space(m).poses([])["b"][1][:, 0], [0, 1, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("geom", "mass", "inertia"),
    [
        ('type="sphere" size="0.5" density="3"', pi / 2, (pi / 20,) * 3),
        ('type="box" size="1 2 3" mass="6"', 6, (26, 20, 10)),
        ('type="cylinder" size="1 2" mass="12"', 12, (19, 19, 6)),
        ('type="ellipsoid" size="1 2 3" mass="5"', 5, (13, 10, 5)),
        ('type="capsule" size="1 1.5" mass="13"', 13, (9 * 12 / 12 + 4 * (0.4 + 2.25 + 9 / 8), 24.1, 9 / 2 + 1.6)),
        ('type="capsule" fromto="0 0 -1.5 0 0 1.5" size="1" mass="13"', 13, (24.1, 24.1, 6.1)),
        ('type="plane" size="1 1 1"', 0, (0, 0, 0)),
    ],
)
def test_inertia_of_geoms(tmp_path, geom, mass, inertia):
    m = scene(tmp_path, f'<worldbody><body name="b"><geom {geom}/></body></worldbody>')
    assert m["b"].mass == pytest.approx(mass, rel=1e-14)
    np.testing.assert_allclose(m["b"].inertia_matrix(), np.diag(inertia), rtol=1e-13, atol=1e-13)


def test_default_classes_nest_and_children_inherit(tmp_path):
    text = """<default><joint damping="1"/><default class="arm"><joint damping="2" armature="3"/>
      <default class="hand"><joint damping="4"/></default></default></default>
    <worldbody><body name="a" childclass="arm"><joint name="j"/><geom size="1"/>
      <body name="b"><joint name="k" class="hand"/><geom size="1"/>
        <body name="c" childclass="main"><joint name="l"/><geom size="1"/></body></body></body></worldbody>"""
    m = scene(tmp_path, text)
    assert [m[f"{n} damping"].c for n in "jkl"] == [2, 4, 1]
    assert [f"{n} armature" in m for n in "jkl"] == [True, True, False]
    assert m["k armature"].J == 3


def test_frames_and_includes(tmp_path):
    (tmp_path / "part.xml").write_text(
        '<mujocoinclude><body name="b"><joint name="j" pos="0 0 0"/><geom size="1"/></body></mujocoinclude>'
    )
    m = scene(tmp_path, '<worldbody><frame pos="1 0 0" euler="0 0 90"><include file="part.xml"/></frame></worldbody>')
    place, A = lw.joint_space(m).poses([0])["b"]
    np.testing.assert_allclose(place, [1, 0, 0], atol=1e-14)
    np.testing.assert_allclose(A[:, 0], [0, 1, 0], atol=1e-14)


FOUR_BAR = """<option gravity="0 0 0"/><worldbody>
  <body name="crank"><joint name="A" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/>
    <body name="rod" pos="0 0 1"><joint name="B" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 2 0 0" size="0.05"/></body></body>
  <body name="rocker" pos="2 0 0"><joint name="D" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/></body>
</worldbody><equality>{}</equality>"""


def test_a_connect_closes_a_loop(tmp_path):
    """A parallelogram: crank and rocker turn alike, the rod does not turn."""
    m = scene(tmp_path, FOUR_BAR.format('<connect name="C" body1="rod" body2="rocker" anchor="2 0 0"/>'))
    assert type(m["C"]) is lw.Spherical
    assert m["C"].Q.s == pytest.approx((0, 0, 1))
    assert lw.check(m).dof == 1
    m.add(lw.Driver("d", m["A"].angle, "0.5*t"))
    k = lw.kinematics(m, t_end=1.0, steps=4)
    np.testing.assert_allclose(k["D.angle"], k["A.angle"], atol=1e-10)
    np.testing.assert_allclose(k["B.angle"], -k["A.angle"], atol=1e-10)


def test_welds_joints_and_tendons_are_tied(tmp_path):
    m = scene(tmp_path, FOUR_BAR.format('<weld body1="crank" body2="rocker"/>'))
    assert m["equality 1"].P.s == pytest.approx((2, 0, 0))
    assert lw.check(m).dof == 1  # the rod alone
    m = scene(
        tmp_path,
        FOUR_BAR.format('<joint joint1="B" joint2="A" polycoef="0.1 2"/><joint joint1="D" joint2="A" polycoef="0 1 3"/>'),
    )
    m.add(lw.Driver("d", m["A"].angle, 0.2))
    c = lw.assemble(m)
    assert (c["B.angle"], c["D.angle"]) == pytest.approx((0.1 + 0.4, 0.2 + 3 * 0.04), abs=1e-10)
    tendon = '<tendon><fixed name="T"><joint joint="A" coef="2"/><joint joint="B" coef="-1"/></fixed></tendon>'
    m = scene(tmp_path, FOUR_BAR.format('<tendon tendon1="T"/>') + tendon)
    m.add(lw.Driver("d", m["A"].angle, 0.2))
    assert lw.assemble(m)["B.angle"] == pytest.approx(0.4, abs=1e-10)


def disc(tmp_path, actuators, joint="", more=""):
    """A disc of J = 2 about z, with actuators."""
    geom = '<geom type="box" size="1 1 1" mass="3" contype="0" conaffinity="0"/>'
    body = f'<body name="b"><joint name="j" {joint}/>{geom}</body>'
    text = f'<option gravity="0 0 0"/><worldbody>{body}</worldbody>{more}<actuator>{actuators}</actuator>'
    return scene(tmp_path, text)


@pytest.mark.parametrize(
    ("actuator", "force"),  # what it gives the joint at s = 0, v = 0.1 and ctrl = 0.5
    [
        ('<motor name="a" joint="j" gear="5"/>', 5 * 0.5),
        ('<motor name="a" joint="j" gear="5" ctrlrange="-1 0.2"/>', 5 * 0.2),
        ('<motor name="a" joint="j" gear="5" ctrlrange="-1 0.2" ctrllimited="false"/>', 5 * 0.5),
        ('<motor name="a" joint="j" gear="5" forcerange="-1 0.3"/>', 5 * 0.3),
        ('<motor name="a" joint="j" gear="5" damping="0.2"/>', 5 * 0.5 - 25 * 0.2 * 0.1),
        ('<motor name="a" joint="j" armature="1" gear="2"/>', 2 * 0.5 * 2 / (2 + 4)),
        ('<position name="a" joint="j" kp="10" kv="2" gear="3"/>', 3 * (10 * 0.5 - 2 * 3 * 0.1)),
        # of kp and the inertia behind the gear, J/9
        ('<position name="a" joint="j" kp="10" dampratio="0.7" gear="3"/>', 15 - 9 * 0.7 * 2 * (10 * 2 / 9) ** 0.5 * 0.1),
        ('<position name="a" joint="j" kp="10" inheritrange="0.5"/>', 10 * 0.35),  # half of the range, +-0.7
        ('<velocity name="a" joint="j" kv="4"/>', 4 * (0.5 - 0.1)),
        ('<damper name="a" joint="j" kv="4" ctrlrange="0 1"/>', -4 * 0.1 * 0.5),
        ('<general name="a" joint="j" gainprm="2" biastype="affine" biasprm="1 0 -3"/>', 2 * 0.5 + 1 - 3 * 0.1),
        ('<general name="a" joint="j" gaintype="affine" gainprm="2 0 5"/>', (2 + 5 * 0.1) * 0.5),
        ('<dcmotor name="a" joint="j" motorconst="0.2 0.8" resistance="2" gear="3"/>', 3 * 0.4 * (0.5 - 0.4 * 0.3) / 2),
        ('<pid name="a" joint="j" kp="10" ki="3" kv="2"/>', 10 * 0.5 - 2 * 0.1),
        ('<motor name="a" joint="j" gear="100"/>', 7.0),  # all that the joint allows
    ],
)
def test_actuators_are_forces_with_a_parameter(tmp_path, actuator, force):
    m = disc(tmp_path, actuator, joint='range="-0.7 0.7" actuatorfrcrange="-7 7"' if 'gear="100' in actuator else _RANGE)
    m.set(ctrl_a=0.5)
    m["b"].guess(omega=(0, 0, 0.1))
    assert not m.notes
    assert lw.dynamics(m, t_end=1e-3, steps=1)["j.alpha"][0] == pytest.approx(force / 2, rel=1e-9)


_RANGE = 'range="-40.107045659 40.107045659"'  # +-0.7 rad


def test_actuators_whose_force_follows_the_control_signal(tmp_path):
    """A filter, u' = (ctrl - u)/T, and an integrator, u' = ctrl up to its range, with a joint that is held."""
    actuators = (
        '<cylinder name="c" joint="j" timeconst="0.5" area="2"/><intvelocity name="i" joint="j" kp="3" actrange="-9 0.04"/>'
    )
    m = disc(tmp_path, actuators)
    m.add(lw.Driver("held", m["j"].angle, 0.0))
    m.set(ctrl_c=0.4, ctrl_i=0.1)
    d = lw.inverse_dynamics(m, t_end=1.0, steps=4)
    u = 0.4 * (1 - np.exp(-d.t / 0.5))
    np.testing.assert_allclose(d["held.torque"], -(2 * u + 3 * np.minimum(0.1 * d.t, 0.04)), atol=1e-6)
    assert not m.notes


def test_an_activation_at_the_end_of_its_range_comes_back_at_once(tmp_path):
    """u' = ctrl, of which the control signal is a sine here: it does not wind up beyond the range."""
    m = disc(tmp_path, '<intvelocity name="i" joint="j" kp="3" actrange="-1 0.5"/>')
    assert not m.notes
    rate = m["act_i"].rate
    m = m.without("j", "i", "act_i")
    u = m.state("act_i", rate.replace("ctrl_i", "sin(t)"))
    d = lw.dynamics(m, t_eval=[0.5, 2.0, np.pi, 4.0])
    held = 0.5  # from acos(0.5) to pi; then it falls
    np.testing.assert_allclose(d[u], [1 - cos(0.5), held, held, held - 1 - cos(4.0)], atol=1e-6)


def test_a_ball_turns_no_further_than_its_range(tmp_path):
    """About any axis; what is left of its motion is that along the limit."""
    body = (
        '<body name="b"><joint name="k" type="ball" range="0 40"/><geom type="box" size="0.1 0.2 0.3" pos="0 0 0.3"/></body>'
    )
    m = scene(tmp_path, f"<worldbody>{body}</worldbody>")
    m["b"].guess(omega=(1.0, 0.7, 0.2))
    d = lw.dynamics(m, t_end=1.0, steps=50)
    theta = 2 * np.arccos(np.abs(d["b.e0"]))
    assert theta.max() == pytest.approx(np.radians(40), abs=1e-6)
    assert any(name == "k limits" for _, name in d.events)


def test_thrust_at_a_site_and_weight_that_is_compensated(tmp_path):
    """A drone: force along and torque about the z axis of a site, which is the body's x; a part of the weight is carried."""
    body = '<body name="b" gravcomp="0.25"><freejoint/><geom type="box" size="1 1 1" mass="3"/>'
    site = '<site name="s" pos="0 0.1 0" zaxis="1 0 0"/></body>'
    thrust = '<motor name="rotor" site="s" gear="0 0 2 0 0 0.5"/>'
    m = scene(tmp_path, f"<worldbody>{body}{site}</worldbody><actuator>{thrust}</actuator>")
    m.set(ctrl_rotor=3)
    d = lw.dynamics(m, t_end=1e-3, steps=1)
    found = [d[f"b.{c}"][0] for c in ("ax", "ay", "az", "alphax", "alphay", "alphaz")]
    np.testing.assert_allclose(found, [2.0, 0, -0.75 * 9.81, 1.5 / 2, 0, -0.6 / 2], atol=1e-12)


def test_springs_told_by_a_time_constant(tmp_path):
    """Of the inertia that the joint feels, with what is armature elsewhere: here of an actuator, J = 2 + 9 * 0.5."""
    m = disc(tmp_path, '<motor joint="j" gear="3" armature="0.5"/>', joint='springdamper="0.1 0.5"')
    spring, J = m["j spring"], 6.5
    assert (spring.k, spring.c) == pytest.approx((J / (0.1 * 0.5) ** 2, 2 * J / 0.1))


def test_the_inertia_of_a_pose_is_the_mass_matrix(tmp_path):
    """Summed over bodies in plain numbers, with a free root, a ball and two joints of a body, against the recursion."""
    inner = '<body name="c" pos="0.2 0 0.3"><joint name="k" type="slide" axis="1 1 0"/><joint name="l" axis="1 0 0"/>'
    text = (
        '<body name="a" pos="0.1 0.2 0.3" euler="20 30 40"><joint name="h" type="ball"/>'
        '<geom type="box" size="1 2 3" pos="1 0 0"/>'
        f'<body name="b" pos="0 0.4 0"><joint name="j" axis="0 1 1" pos="0.1 0 0"/>{BALL}{inner}{BALL}</body></body></body>'
    )
    m = scene(tmp_path, f"<worldbody>{text}</worldbody>")
    js = lw.joint_space(m)
    M, found = js.M(js.neutral()), PoseInertia(m)
    assert sorted(found.number) == ["j", "k", "l"]
    own = [found.number[n] for n in "jkl"]
    theirs = [js.names.index(n) for n in "jkl"]
    np.testing.assert_allclose(found.M[np.ix_(own, own)], M[np.ix_(theirs, theirs)], rtol=1e-12, atol=1e-15)
    inverse = np.linalg.inv(M)
    for name, k in zip("jkl", theirs, strict=True):
        assert found.moved(name) == pytest.approx(M[k, k], rel=1e-12)
        assert found.felt({name: 2.0}) == pytest.approx(0.25 / inverse[k, k], rel=1e-11)


def test_ranges_of_several_actuators_of_a_joint(tmp_path):
    """Their sum is kept within it; told where a share is not known."""
    motors = '<motor name="a" joint="j" gear="3"/><motor name="c" joint="j" gear="-1"/>'
    m = disc(tmp_path, motors, joint='actuatorfrcrange="-1 0.8"')
    assert not m.notes
    for a, b, force in ((0.5, 0.2, 0.8), (0.1, 0.2, 0.1), (-0.4, 0.2, -1.0)):
        m.set(ctrl_a=a, ctrl_c=b)
        assert lw.dynamics(m, t_end=1e-3, steps=1)["j.alpha"][0] == pytest.approx(force / 2, rel=1e-9)
    m = disc(tmp_path, f'{motors}<muscle joint="j"/>', joint='actuatorfrcrange="-1 1"')
    assert m.notes == [
        "actuators with other laws (muscles, adhesion, plugins, ...) are not carried over: actuator 3",
        "the range of what all actuators give a joint or tendon (actuatorfrcrange) is not carried over: j",
    ]


KEYED = """<compiler angle="radian"/><worldbody><body name="b" pos="1 0 0">
  <joint name="j" axis="0 0 1" pos="-1 0 0" ref="0.1" range="0 2"/><geom size="0.1"/>
  <body name="c" pos="1 0 0"><joint name="s" type="slide" axis="1 0 0"/><geom size="0.1"/></body></body></worldbody>
  <actuator><motor name="m" joint="j"/><intvelocity name="i" joint="s"/></actuator>
  <keyframe><key name="home" qpos="{}" qvel="2 0.3" ctrl="4 5" act="6"/><key/></keyframe>"""


def test_a_model_begins_at_a_keyframe(tmp_path):
    """The slider at r = 2 + 0.5 on an arm that has turned by 90 degrees, from its 0.1 in the file."""
    m = scene(tmp_path, KEYED.format(f"{pi / 2 + 0.1!r} 0.5"), keyframe="home")
    d = lw.dynamics(m, t_end=1e-6, steps=1)
    found = [d[n][0] for n in ("j.angle", "s.displacement", "c.x", "c.y", "c.vx", "c.vy", "c.wz", "act_i")]
    np.testing.assert_allclose(found, [pi / 2 + 0.1, 0.5, 0, 2.5, -2.5 * 2, 0.3, 2, 6], atol=1e-12)
    assert (m.parameters["ctrl_m"], m.parameters["ctrl_i"]) == (4, 5)
    assert m["j limits"].upper == 2  # within them here
    assert [n for n in m.notes if "keyframe" in n] == [f"keyframes that it does not begin at ({POSE}): number 1"]
    assert scene(tmp_path, KEYED.format("0.1 0"), keyframe=1).parameters["ctrl_m"] == 0


@pytest.mark.parametrize(
    ("qpos", "keyframe", "cause", "remedy"),
    [
        ("1 2", "hone", "the file has no keyframe 'hone'", "did you mean 'home'?"),
        ("1 2", 2, "the file has no keyframe 2", "there are 2, counted from 0"),
        ("1", "home", "'qpos' has too few numbers", "one for each coordinate"),
        ("1 2 3", "home", "'qpos' has 1 numbers too many", "one for each coordinate"),
    ],
)
def test_keyframes_that_do_not_fit(tmp_path, qpos, keyframe, cause, remedy):
    with pytest.raises(lw.ModelError, match=cause) as caught:
        scene(tmp_path, KEYED.format(qpos), keyframe=keyframe)
    assert remedy in caught.value.remedy


def test_compiler_bounds_and_scales_masses(tmp_path):
    m = scene(
        tmp_path,
        '<compiler settotalmass="10"/><worldbody><body name="a"><geom size="1" mass="1"/></body>'
        '<body name="b"><geom size="1" mass="3"/></body></worldbody>',
    )
    assert (m["a"].mass, m["b"].mass) == (2.5, 7.5)
    np.testing.assert_allclose(m["b"].inertia_matrix(), 3 * np.eye(3), rtol=1e-14)


def test_what_has_no_counterpart_is_named(tmp_path):
    m = scene(
        tmp_path,
        '<option density="1000"/><worldbody><light name="sun"/><body name="b"><freejoint/>'
        '<geom name="g" size="1"/></body></worldbody><keyframe><key name="home"/></keyframe>',
    )
    for text in (
        "fluid are not carried over: density",
        "not drawn: sun",
        "not carried over: g",
        "to begin at a keyframe): home",
    ):
        assert any(text in note for note in m.notes), text
    assert lw.check(m).dof == 6


@pytest.mark.parametrize(
    ("text", "cause", "remedy"),
    [
        ('<worldbody><body><joint tipe="hinge"/></body></worldbody>', "<joint> has no attribute 'tipe'", "'type'"),
        ('<worldbody><body><joint type="hing"/></body></worldbody>', "is 'hing'", "did you mean 'hinge'?"),
        ('<worldbody><body><geom/></body></worldbody>', "a sphere has 1 positive sizes", "radii"),
        (
            '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 -7"/></asset><worldbody><body>'
            '<geom type="mesh" mesh="m"/></body></worldbody>',
            "names the vertex -7",
            "there are 4",
        ),
        (
            '<asset><mesh name="m" vertex="0 0 0 1"/></asset><worldbody><body>'
            '<geom type="mesh" mesh="m"/></body></worldbody>',
            "'vertex' of <mesh> has 4 numbers",
            "three for each",
        ),
        ('<worldbody><body><joint damping=""/></body></worldbody>', "'damping' of <joint> is empty", "leave it out"),
        ('<compiler angel="radian"/><worldbody><body/></worldbody>', "<compiler> has no attribute 'angel'", "'angle'"),
        ('<option gravty="0 0 0"/><worldbody><body/></worldbody>', "<option> has no attribute 'gravty'", "'gravity'"),
        ('<worldbody><body/></worldbody><tendon><fixed stifness="1"/></tendon>', "no attribute 'stifness'", "'stiffness'"),
        ('<worldbody><body/></worldbody><equality><weld bodi1="a"/></equality>', "no attribute 'bodi1'", "'body1'"),
        ('<worldbody><body/></worldbody><actuator><motor jiont="j"/></actuator>', "no attribute 'jiont'", "'joint'"),
        ('<worldbody><body><bodi/></body></worldbody>', "has no tag 'bodi'", "'body'"),
        ('<worldbody><body><geom class="x" size="1"/></body></worldbody>', "there is no class 'x'", "main"),
        ('<worldbody><body><replicate count="0"/></body></worldbody>', "'count' of <replicate> is 0", "one or more"),
        ('<worldbody><replicate count="1e9"><body/></replicate></worldbody>', "is replicated has more than", "a model"),
        ('<worldbody><replicat count="1"><body/></replicat></worldbody>', "has no tag 'replicat'", "'replicate'"),
        ('<worldbody><composite type="cable"/></worldbody>', "<composite> is not read: it makes a cable", "leave it out"),
        ('<worldbody><flexcomp name="c"/></worldbody>', "<flexcomp> is not read: it makes a body that bends", "leave"),
        ('<worldbody><attach model="x"/></worldbody>', "there is no model 'x' among the assets", ""),
        ('<worldbody><body euler="1 0 0" quat="1 0 0 0"/></worldbody>', "told twice", "leave one"),
        ('<worldbody><body quat="0 0 0 0"/></worldbody>', "has no length", "component"),
        ('<worldbody><body name="a"/><body name="a"/></worldbody>', "a second body of the name 'a'", "unique"),
        ('<worldbody><body name="a"><body><freejoint/></body></body></worldbody>', "a free joint is of a body in", "move"),
        ('<worldbody><include file="../other.xml"/></worldbody>', "outside of the folders", "below"),
        ('<worldbody><include file="scene.xml"/></worldbody>', "includes itself", "remove"),
        ('<worldbody><body name="a"/></worldbody><equality><weld body1="aa"/></equality>', "there is no body 'aa'", "'a'"),
        ('<worldbody><body name="a"/></worldbody><actuator><motor joint="k"/></actuator>', "there is no joint 'k'", ""),
        ('<worldbody/>', "no <worldbody> with anything in it", "includes"),
        ('<compiler coordinate="global"/><worldbody><body/></worldbody>', "global coordinates", "MuJoCo"),
    ],
)  # fmt: skip
def test_errors(tmp_path, text, cause, remedy):
    with pytest.raises(lw.FileError) as caught:
        scene(tmp_path, text)
    assert cause in caught.value.cause
    assert remedy in caught.value.remedy
    assert caught.value.line >= 1


def test_replicated_bodies_stand_around(tmp_path):
    """Three bodies at 0, 90 and 180 degrees, each with its own motor; the place of one is that of the one before, moved."""
    m = scene(
        tmp_path,
        '<worldbody><replicate count="3" euler="0 0 90" sep="-"><body name="b" pos="2 0 0"><joint name="j"/><geom size="1"/>'
        '</body></replicate></worldbody><actuator><motor name="m" joint="j"/></actuator>',
    )
    assert list(m.bodies) == ["ground", "b-0", "b-1", "b-2"]
    c = lw.assemble(m)
    np.testing.assert_allclose([[c[f"b-{k}.{x}"] for x in "xy"] for k in range(3)], [[2, 0], [0, 2], [-2, 0]], atol=1e-12)
    assert [e.quantity.data for n, e in m.elements.items() if n.startswith("m-")] == [f"j-{k}.angle" for k in range(3)]
    assert {"ctrl_m_0", "ctrl_m_1", "ctrl_m_2"} <= set(m.parameters)


def test_models_are_attached_with_what_belongs_to_them(tmp_path):
    (tmp_path / "arm.xml").write_text(
        '<mujoco><default><geom density="500"/><default class="q"><joint damping="3"/></default></default><worldbody>'
        '<body name="arm" pos="0 0 1"><joint name="j" class="q"/><geom size="0.1"/></body>'
        '<body name="other"><joint name="z"/><geom size="1"/></body></worldbody>'
        '<actuator><motor name="m" joint="j"/><motor name="mz" joint="z"/></actuator></mujoco>'
    )
    m = scene(
        tmp_path,
        '<asset><model name="a" file="arm.xml"/></asset><worldbody><frame pos="1 0 0"><attach model="a" body="arm" '
        'prefix="l_"/></frame><body name="c"><geom size="1"/><attach model="a" body="arm" prefix="r_"/></body></worldbody>',
    )
    assert list(m.bodies) == ["ground", "l_arm", "c", "r_arm"]
    assert m["l_arm"].mass == pytest.approx(500 * 4 / 3 * pi * 1e-3)
    assert m["c"].mass == pytest.approx(1000 * 4 / 3 * pi)
    assert (m["l_j damping"].c, m["r_j damping"].c) == (3, 3)
    assert [n for n in m.parameters if n.startswith("ctrl")] == ["ctrl_l_m", "ctrl_r_m"]
    assert [lw.assemble(m)[f"l_arm.{x}"] for x in "xyz"] == pytest.approx([1, 0, 1])
    outside = '<asset><model name="a" file="../arm.xml"/></asset><worldbody><attach model="a"/></worldbody>'
    with pytest.raises(lw.FileError, match="outside of the folders"):
        scene(tmp_path, outside)
    with pytest.raises(lw.FileError, match="attaches itself"):
        scene(tmp_path, outside.replace("../arm.xml", "scene.xml"))
    with pytest.raises(lw.FileError, match="another 'angle' of <compiler>"):
        scene(tmp_path, '<compiler angle="radian"/>' + outside.replace("../", ""))


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('<!DOCTYPE m [<!ENTITY a "ha">]><mujoco model="&a;"><worldbody><body/></worldbody></mujoco>', "document types"),
        ('<!DOCTYPE m SYSTEM "file:///etc/passwd"><mujoco><worldbody/></mujoco>', "document types"),
        ("<mujoco><worldbody>" + "<body>" * 500 + "</body>" * 500 + "</worldbody></mujoco>", "nested deeper than"),
        ("<mujoco><worldbody><body></worldbody></mujoco>", "this is no XML"),
        ('<mujoco><worldbody>\n<include file="/etc/passwd"/></worldbody></mujoco>', "outside of the folders"),
        ('<mujoco><worldbody>\n<body><geom size="nan"/></body></worldbody></mujoco>', "no number that can be used"),
    ],
)
def test_hostile_files(tmp_path, text, cause):
    with pytest.raises(lw.FileError) as caught:
        scene(tmp_path, text)
    assert cause in caught.value.cause
    assert caught.value.line == (2 if "\n" in text else 1)


def test_meshes_outside_are_not_opened_and_files_of_mujoco_are_read(tmp_path):
    """A tetrahedron of a corner of a cube in MuJoCo's own format: a sixth of it; its length is believed, not its counts."""
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    k = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype="<i4")
    good = np.array([4, 0, 0, 4], dtype="<i4").tobytes() + x.tobytes() + k.tobytes()
    (tmp_path / "here").mkdir()
    for folder in (tmp_path, tmp_path / "here"):
        (folder / "part.msh").write_bytes(good)
    text = (
        '<asset><mesh name="p" file="{}"/></asset><worldbody><body name="b"><geom type="mesh" mesh="p"/></body></worldbody>'
    )
    m = scene(tmp_path / "here", text.format("part.msh"))
    assert m["b"].mass == pytest.approx(1000 / 6, rel=1e-6)
    with pytest.raises(lw.FileError, match="outside of the folders"):
        scene(tmp_path / "here", text.format("../part.msh"))
    assert scene(tmp_path / "here", text.format("../part.msh"), package_dirs=tmp_path)["b"].mass > 100
    (tmp_path / "here" / "part.msh").write_bytes(good[:-1])
    with pytest.raises(lw.FileError, match="its length is not what it says"):
        scene(tmp_path / "here", text.format("part.msh"))
