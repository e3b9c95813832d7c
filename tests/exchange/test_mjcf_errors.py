"""What is wrong in MJCF is told with its line and the nearest right word; files are hostile input."""

import numpy as np
import pytest
from mjcf_scenes import scene

import linkwright as lw


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
