"""Wrong and hostile files: every error has the place, and the nearest right word where there is one."""

import pytest

import linkwright as lw

LINKS = '<link name="a"/>\n<link name="b"/>\n'
JOINT = '<joint name="j" type="revolute">\n<parent link="a"/>\n<child link="b"/>\n</joint>\n'


def wrong(tmp_path, text):
    path = tmp_path / "robot.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(lw.FileError) as caught:
        lw.load(path)
    assert caught.value.file == str(path)
    return caught.value


def body(text):
    return f'<robot name="r">\n{text}</robot>'


@pytest.mark.parametrize(
    ("text", "line", "cause", "remedy"),
    [
        (body(LINKS + JOINT.replace("revolute", "revolut")), 4, "of <joint> is 'revolut'", "did you mean 'revolute'?"),
        (body(LINKS + JOINT.replace("revolute", "hinge")), 4, "is 'hinge'", "give one of revolute"),
        (body(LINKS + JOINT.replace('link="b"', 'link="bb"')), 6, "there is no link 'bb'", "did you mean 'b'"),
        (body(LINKS + JOINT.replace('<child link="b"/>', "")), 4, "<joint> has no <child>", "add <child"),
        (body(LINKS + JOINT.replace("<parent ", "<parant ")), 5, "<joint> has no tag 'parant'", "did you mean 'parent'?"),
        (body(LINKS + JOINT.replace('<parent link', '<parent lnk')), 5, "<parent> has no 'link'", "'lnk' is here"),
        (body(LINKS + JOINT.replace("</joint>", '<axis xyz="0 0 0"/></joint>')), 7, "the axis has no length", "0 0 1"),
        (body(LINKS + JOINT.replace("</joint>", '<axis xyz="0 1"/></joint>')), 7, "has 2 numbers, not 3", "blanks"),
        (body(LINKS + JOINT.replace("</joint>", '<axis xyz="0,0,1"/></joint>')), 7, "has 1 numbers", "blanks"),
        (body(LINKS + JOINT.replace("</joint>", '<mimic joint="k"/></joint>')), 7, "there is no joint 'k'", "known are: j"),
        (body(LINKS + JOINT.replace("</joint>", '<mimic joint="j"/></joint>')), 7, "in a circle", "by itself"),
        (body(LINKS), 3, "nothing carries the links 'a' and 'b'", "one tree"),
        (body(LINKS + '<link name="a"/>'), 4, "second <link>", "the first is in line 2"),
        (body(LINKS + JOINT + JOINT), 8, "second <joint>", "line 4"),
        (body(LINKS + JOINT + JOINT.replace('"j"', '"k"')), 8, "child of the joint 'j', too", "a URDF is a tree"),
        (body('<link name="a"><inertial><mass value="-1"/></inertial></link>'), 2, "the mass is -1", "zero or more"),
        (body('<link name="a"><inertial><mass value="nan"/></inertial></link>'), 2, "is 'nan', no number", "SI units"),
        (body('<link name="a"><inertial><mass value="1_0"/></inertial></link>'), 2, "is '1_0', no number", "SI units"),
        (body('<link name="a"><inertial><mass value="1e999"/></inertial></link>'), 2, "no number", "SI units"),
        (body('<link name="a"><inertial/><inertial><mass value="1"/></inertial></link>'), 2, "second <inertial>", "remove"),
        (body('<link/>'), 2, "<link> has no 'name'", "write <link name="),
        (body(""), 1, "the robot has no <link>", "add <link"),
        ("<sdf/>", 1, "begins with <robot>, not with <sdf>", "another kind"),
        (body('<xacro:include filename="x"/>'), 2, "this is a xacro file", "xacro robot.xacro"),
        ("<robot", 1, "this is no XML", "brackets"),
        ("", 1, "this is no XML", "brackets"),
        ("<robot></robots>", 1, "this is no XML: mismatched tag", "brackets"),
    ],
)  # fmt: skip
def test_errors_have_a_line_and_a_remedy(tmp_path, text, line, cause, remedy):
    error = wrong(tmp_path, text)
    assert error.line == line
    assert cause in error.cause
    assert remedy in error.remedy


LAUGHS = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<robot name="&b;"><link name="a"/></robot>'
OUTSIDE = '<!DOCTYPE robot SYSTEM "file:///etc/passwd">\n<robot name="r"><link name="a"/></robot>'


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE, LAUGHS.replace('"ha"', 'SYSTEM "file:///etc/passwd"')])
def test_document_types_and_entities_are_refused(tmp_path, text):
    assert "document types and entities are not read" in wrong(tmp_path, text).cause


def test_size_depth_and_count_are_bounded(tmp_path, monkeypatch):
    from linkwright.exchange import xml

    assert "nested deeper" in wrong(tmp_path, "<a>" * 5000).cause
    monkeypatch.setattr(xml, "MOST_TAGS", 100)
    assert "more than 100 tags" in wrong(tmp_path, body('<link name="a"/>\n' * 200)).cause
    monkeypatch.setattr(xml, "LARGEST_FILE", 100)
    assert "larger than" in wrong(tmp_path, body('<link name="a"/>\n' * 200)).cause


def test_blank_lines_before_the_declaration_are_forgiven(tmp_path):
    text = '\n \n<?xml version="1.0"?>\n<robot name="r">\n<link name="a"/>{}</robot>'
    path = tmp_path / "r.urdf"
    path.write_text(text.format(""))
    assert "a" in lw.load(path)
    assert wrong(tmp_path, text.format('\n<link name="a"/>')).line == 6


def test_a_tag_that_is_said_twice_in_the_same_words_is_one(tmp_path):
    text = '<link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>{}</joint>'
    (tmp_path / "r.urdf").write_text(body(text.format('<axis xyz="0 1 0"/><axis xyz="0 1 0"/>')))
    assert "j" in lw.load(tmp_path / "r.urdf")
    assert "second <axis>" in wrong(tmp_path, body(text.format('<axis xyz="0 1 0"/><axis xyz="0 0 1"/>'))).cause


def test_bytes_that_are_no_text_are_refused(tmp_path):
    assert "no XML" in wrong(tmp_path, b"\xff\xfe\x00\x01robot").cause
    assert "no XML" in wrong(tmp_path, b'<?xml version="1.0" encoding="klingon"?><robot/>').cause
    assert "no XML" in wrong(tmp_path, b"\x00" * 50).cause


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(lw.FileError, match="cannot be read"):
        lw.load(tmp_path / "nowhere.urdf")
    (tmp_path / "r.urdf").write_text(body('<link name="a"/>'))
    with pytest.raises(lw.ModelError, match="no folder"):
        lw.load(tmp_path / "r.urdf", package_dirs=tmp_path / "nowhere")
