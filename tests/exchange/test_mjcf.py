"""Machines from MJCF: what the words of the format mean, checked against closed forms."""

from math import cos, pi, sin

import numpy as np
import pytest
from mjcf_scenes import BALL, body, scene

import linkwright as lw
from linkwright.exchange.mjcf_start import POSE
from linkwright.exchange.pose_inertia import PoseInertia


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
