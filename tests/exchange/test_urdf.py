"""Robots from URDF: what the words of the format mean, checked against closed forms."""

import subprocess
import sys
from math import cos, pi, sin

import numpy as np
import pytest

import linkwright as lw

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.25 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.03" izz="0.04"/></inertial>
    <visual><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.1 0.1"/></geometry></visual>
  </link>
  <link name="fore">
    <inertial><origin xyz="0.2 0 0"/><mass value="1.5"/><inertia ixx="0.01" iyy="0.02" izz="0.02"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="50" velocity="3"/><dynamics damping="0.3" friction="0.2"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="fore"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""


def robot(tmp_path, text, **options):
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return lw.load(path, **options)


def links(*names, mass=1.0):
    inertial = f'<inertial><mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    return "".join(f'<link name="{n}">{inertial}</link>' for n in names)


def joint(name, kind, parent, child, more=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def test_mass_matrix_and_gravity_of_a_two_link_arm(tmp_path):
    """M and the gravity torques of the textbook's planar arm; about +y a positive angle lowers the arm."""
    m = robot(tmp_path, ARM)
    js = lw.joint_space(m)
    assert js.names == ["shoulder", "elbow"]
    q1, q2 = 0.4, -0.9
    m1, m2, l1, c1, c2, J1, J2, g = 2, 1.5, 0.5, 0.25, 0.2, 0.03, 0.02, 9.81
    a = J1 + m1 * c1**2 + J2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * cos(q2))
    b = J2 + m2 * (c2**2 + l1 * c2 * cos(q2))
    np.testing.assert_allclose(js.M([q1, q2]), [[a, b], [b, J2 + m2 * c2**2]], rtol=1e-13)
    fore = -g * m2 * c2 * cos(q1 + q2)
    np.testing.assert_allclose(js.h([q1, q2], [0, 0]), [fore - g * (m1 * c1 + m2 * l1) * cos(q1), fore], rtol=1e-13)


def test_what_belongs_to_joints(tmp_path):
    m = robot(tmp_path, ARM)
    assert list(m.bodies) == ["ground", "base", "upper", "fore"]
    assert m.gravity == (0, 0, -9.81)
    assert (m["shoulder damping"].c, m["shoulder friction"].level) == (0.3, 0.2)
    assert (m["shoulder limits"].lower, m["shoulder limits"].upper) == (-1, 2)
    assert "elbow limits" not in m
    assert m["upper"].shape == [{"box": (0.5, 0.1, 0.1), "at": (0.25, 0, 0)}]
    assert m.notes == [
        "limits of effort have no counterpart here: shoulder",
        "limits of velocity have no counterpart here: shoulder",
    ]
    assert "shoulder limits" not in robot(tmp_path, ARM, limits=False)
    assert lw.check(m).dof == 2
    assert lw.check(robot(tmp_path, ARM, floating=True)).dof == 8


def test_damping_takes_energy_as_it_says(tmp_path):
    """tau = -c omega along the joint: the acceleration differs by -M^-1 (c omega, 0)."""
    m = robot(tmp_path, ARM, limits=False).without("shoulder friction")
    js, free = lw.joint_space(m), m.without("shoulder damping")
    m["upper"].guess(omega=(0, 2.0, 0))
    m["fore"].guess(omega=(0, 2.0, 0), velocity=(0, 0, -1.0))
    free["upper"].guess(omega=(0, 2.0, 0))
    free["fore"].guess(omega=(0, 2.0, 0), velocity=(0, 0, -1.0))
    a, b = (lw.dynamics(x, t_end=1e-3, steps=1) for x in (m, free))
    difference = [a[f"{j}.alpha"][0] - b[f"{j}.alpha"][0] for j in ("shoulder", "elbow")]
    np.testing.assert_allclose(difference, np.linalg.solve(js.M([0, 0]), [-0.3 * 2.0, 0]), rtol=1e-9)


def test_roll_pitch_yaw_are_about_fixed_axes_and_the_axis_is_x_by_default(tmp_path):
    """R = Rz(yaw) Ry(pitch) Rx(roll)."""
    r, p, y = 0.3, -0.5, 1.1
    at = f'<origin xyz="1 2 3" rpy="{r} {p} {y}"/>'
    m = robot(tmp_path, f'<robot name="r">{links("a", "b")}{joint("j", "revolute", "a", "b", at)}</robot>')
    Rx = np.array([[1, 0, 0], [0, cos(r), -sin(r)], [0, sin(r), cos(r)]])
    Ry = np.array([[cos(p), 0, sin(p)], [0, 1, 0], [-sin(p), 0, cos(p)]])
    Rz = np.array([[cos(y), -sin(y), 0], [sin(y), cos(y), 0], [0, 0, 1]])
    q = 0.7
    turned = np.array([[1, 0, 0], [0, cos(q), -sin(q)], [0, sin(q), cos(q)]])
    place, A = lw.joint_space(m).poses([q])["b"]
    np.testing.assert_allclose(place, [1, 2, 3], rtol=1e-14)
    np.testing.assert_allclose(A, Rz @ Ry @ Rx @ turned, atol=1e-15)


def test_inertia_is_given_in_the_axes_of_its_origin(tmp_path):
    inertial = '<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><mass value="3"/><inertia ixx="1" iyy="2" izz="3"/>'
    a = robot(tmp_path, f'<robot name="r"><link name="a"><inertial>{inertial}</inertial></link></robot>')["a"]
    np.testing.assert_allclose(a.inertia_matrix(), np.diag([2, 1, 3]), atol=1e-15)
    assert (a.mass, a.com) == (3, (0, 0, 1))


@pytest.mark.parametrize(
    ("kind", "element", "dof"),
    [
        ("revolute", lw.Revolute, 1),
        ("continuous", lw.Revolute, 1),
        ("prismatic", lw.Translational, 1),
        ("fixed", lw.Fixed, 0),
        ("planar", lw.Planar, 3),
        ("floating", None, 6),
    ],
)
def test_every_kind_of_joint(tmp_path, kind, element, dof):
    m = robot(
        tmp_path,
        f'<robot name="r">{links("a", "b")}{joint("j", kind, "a", "b", "<axis xyz=" + repr("0 3 4") + "/>")}</robot>',
    )
    assert lw.check(m).dof == dof
    if element is None:
        assert m.notes == ["floating joints leave their child free, and are no element here: j"]
    else:
        assert type(m["j"]) is element
    if kind == "planar":  # moves normal to the axis
        assert np.allclose([row[2] for row in m["j"].P.rotation], [0, 0.6, 0.8])


def test_mimic_follows_through_chains(tmp_path):
    """q_b = 2 q_a + 0.1 and q_c = -q_b: the pose of the file has q_a = 0."""
    x = '<axis xyz="0 0 1"/>'
    m = robot(
        tmp_path,
        f'<robot name="r">{links("w", "a", "b", "c")}'
        + joint("jc", "prismatic", "w", "c", x + '<mimic joint="jb" multiplier="-1"/>')
        + joint("jb", "revolute", "w", "b", x + '<mimic joint="ja" multiplier="2" offset="0.1"/>')
        + joint("ja", "revolute", "w", "a", x)
        + "</robot>",
    )
    assert lw.check(m).dof == 1
    c = lw.assemble(m)
    assert (c["ja.angle"], c["jb.angle"], c["jc.displacement"]) == pytest.approx((0, 0.1, -0.1), abs=1e-12)
    m.add(lw.Driver("d", m["ja"].angle, 0.3))
    c = lw.assemble(m)
    assert (c["jb.angle"], c["jc.displacement"]) == pytest.approx((0.7, -0.7), abs=1e-12)


def test_names_are_kept_where_they_can_be(tmp_path):
    m = robot(
        tmp_path,
        f'<robot name="r">{links("base.1", "arm", "tip/0 left")}'
        + joint("arm", "fixed", "base.1", "arm")
        + joint("j", "fixed", "arm", "tip/0 left")
        + "</robot>",
    )
    assert list(m.bodies) == ["ground", "base_1", "arm", "tip/0 left"]
    assert type(m["arm_joint"]) is lw.Fixed
    changed = "the link 'base.1' is 'base_1', the joint 'arm' is 'arm_joint'"
    assert m.notes == [f"names that are taken or cannot be names here: {changed}"]


def test_what_has_no_counterpart_is_named(tmp_path):
    text = ARM.replace("</robot>", '<transmission name="t1"/><gazebo reference="upper"/><horn/></robot>')
    notes = robot(tmp_path, text).notes
    assert {"<transmission> has no counterpart here: t1", "<gazebo> has no counterpart here: upper"} < set(notes)
    assert any(n.startswith("<horn> has no counterpart") for n in notes)


def test_limits_that_the_pose_is_at_or_beyond_are_noted(tmp_path):
    m = robot(tmp_path, ARM.replace('lower="-1"', 'lower="0"'))
    assert "shoulder limits" not in m
    assert any("at or beyond" in n and "shoulder" in n for n in m.notes)


def test_a_revolute_joint_without_limits_is_noted(tmp_path):
    """URDF asks for them; Pinocchio refuses such a file."""
    m = robot(tmp_path, ARM.replace('<limit lower="-1" upper="2" effort="50" velocity="3"/>', ""))
    assert m.notes == ["revolute joints without <limit>, which URDF asks for, move without limits: shoulder"]


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def test_meshes_are_drawn_from_the_folders_that_may_be_read(tmp_path):
    own, package = tmp_path / "here", tmp_path / "pack"
    own.mkdir()
    package.mkdir()
    (package / "part.obj").write_text(TETRAHEDRON)
    (tmp_path / "secret.obj").write_text(TETRAHEDRON)
    shapes = "".join(
        f'<visual><origin xyz="0 0 1"/><geometry><mesh filename="{f}" scale="2 2 2"/></geometry></visual>'
        for f in (
            "package://pack/part.obj",
            "../secret.obj",
            "package://pack/../secret.obj",
            "file:///etc/passwd",
            "http://x/y.stl",
        )
    )
    text = f'<robot name="r"><link name="a">{shapes}</link></robot>'
    found = robot(own, text, package_dirs=package)
    assert len(found["a"].shape) == 1
    vertices, faces = found["a"].shape[0]["mesh"]
    assert (vertices.max(), vertices[:, 2].min(), len(faces)) == (3, 1, 4)
    note = next(n for n in found.notes if "outside" in n)
    assert note.endswith("../secret.obj, file:///etc/passwd, http://x/y.stl")
    assert any("not found" in n for n in robot(own, text).notes)


def test_unphysical_inertia_of_welded_links_moves_as_the_file_says(tmp_path):
    """A link whose moment is negative by -0.1 about x: with the one that it is welded to the sum is 0.9."""
    bad = '<link name="b"><inertial><mass value="1"/><inertia ixx="-0.1" iyy="1" izz="1"/></inertial></link>'
    body = f'<robot name="r">{links("w", "a")}{bad}' + joint("j", "continuous", "w", "a")
    m = robot(tmp_path, body + joint("weld", "fixed", "a", "b") + "</robot>")
    np.testing.assert_allclose(lw.joint_space(m).M([0]), [[0.9]], rtol=1e-14)
    assert any("welded" in n and n.endswith(": b") for n in m.notes)
    with pytest.raises(lw.FileError, match=r"negative: -0\.1"):
        robot(tmp_path, body + joint("k", "continuous", "a", "b") + "</robot>")


def test_the_command_line_runs_a_urdf_and_tells_the_notes(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    code = [sys.executable, "-m", "linkwright.cli", "run", "arm.urdf", "--analysis", "assemble"]
    done = subprocess.run(code, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "limits of effort have no counterpart here: shoulder" in done.stdout + done.stderr


def test_options_of_robots_are_refused_for_models_of_our_own(tmp_path):
    path = tmp_path / "m.yaml"
    lw.PlanarModel("m").save(path)
    with pytest.raises(lw.ModelError, match="floating= is for"):
        lw.load(path, floating=True)
    for wrong in ("yes", "False", [1], 2):
        with pytest.raises(lw.ModelError, match="is not True or False") as caught:
            lw.load(path, floating=wrong)
        assert caught.value.element == ("floating",)


def test_angles_of_long_files_stay_radians(tmp_path):
    m = robot(tmp_path, f'<robot name="r">{links("a", "b")}{joint("j", "continuous", "a", "b")}</robot>')
    m.add(lw.Driver("d", m["j"].angle, pi / 2))
    assert lw.assemble(m)["b.e1"] == pytest.approx(sin(pi / 4), abs=1e-12)


def test_robots_of_many_bodies_are_made_so_that_they_run(tmp_path, monkeypatch):
    """Friction is smooth and limits are soft, k = J/T^2 and c = 2 J/T with the inertia that the joint moves: both told."""
    monkeypatch.setattr("linkwright.size_policy.LOOPED", 3)
    m = robot(tmp_path, ARM)
    friction, stop = m["shoulder friction"], m["shoulder limits"]
    assert (friction.stick, friction.level) == (False, 0.2)
    J = lw.joint_space(m).M([0, 0])[0, 0]
    assert (stop.k, stop.c) == pytest.approx((J / 0.02**2, 2 * J / 0.02))
    assert (stop.lower, stop.upper, stop.restitution) == (-1, 2, None)
    assert [n.split(",")[0] for n in m.notes[-2:]] == ["friction is smooth", "limits are soft"]
    d = lw.dynamics(m, t_end=1.5, steps=15)  # it falls onto its stop, lower is up
    assert "loops" in d.audit.why
    assert 2 < d["shoulder.angle"].max() < 2.1
