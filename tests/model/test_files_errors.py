"""Wrong and hostile files: every error says where and what mends it; nothing runs, nothing takes long."""

import time

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from linkwright.errors import ModelError
from linkwright.examples import EXAMPLES
from linkwright.model.files import FileError, dumps, load, loads
from linkwright.model.files.nodes import LARGEST_FILE

START = "linkwright: 1\nmodel: planar\nparameters: {r: 0.2}\nbodies:\n  crank: {mass: 1}\n  rod: {mass: 2}\n"
JOINT = START + "elements:\n  A: {type: Revolute, P: [ground, 0, 0], Q: [crank, r, 0]}\n"  # the element is in line 8

WRONG = [  # text, line, column, words of the cause, words of the remedy
    ("", 1, 1, "empty", "linkwright: 1"),
    ("model: planar", 1, 1, "no model file", "linkwright: 1"),
    ("[1, 2]", 1, 1, "no model file", "linkwright: 1"),
    ("linkwright: 2\nmodel: planar", 1, 13, "format version 2; this Linkwright reads up to 1", "newer Linkwright"),
    ("linkwright: 99\nwhatever: new", 1, 13, "format version 99", "newer Linkwright"),
    ("linkwright: 0.5", 1, 13, "version of the format cannot be 0.5", "linkwright: 1"),
    ("linkwright: one", 1, 13, "cannot be 'one'", "linkwright: 1"),
    ("linkwright: 1", 1, 1, "'model' must be planar or spatial", "model: planar"),
    ("linkwright: 1\nmodel: plannar", 2, 8, "planar or spatial", "did you mean 'planar'?"),
    ("linkwright: 1\nmodel: planar\nbodys: {}", 3, 1, "no 'bodys'", "did you mean 'bodies'?"),
    ("linkwright: 1\nmodel: planar\nname: [1]", 3, 7, "must be a text, not a list", "quotes"),
    ("linkwright: 1\nmodel: planar\ngravity: 9.81", 3, 10, "must be a list, not 9.81", "[a, b"),
    ("linkwright: 1\nmodel: planar\ngravity: [0, 0, -9.81]", 3, 10, "needs 2 numbers, not 3", "2"),
    ("linkwright: 1\nmodel: planar\ngravity: [0, -1e999]", 3, 14, "too large", "exponent"),
    ("linkwright: 1\nmodel: planar\ngravity: [0, -1e60]", 3, 14, "is -1e+60: beyond 1e+50", "unit"),
    ("linkwright: 1\nmodel: planar\nparameters: {r: 1e155}", 3, 17, "is 1e+155: beyond 1e+50", "unit"),
    (START + "  coupler: {mass: 1e40*1e20}", 7, 19, "is 1e+60: beyond 1e+50", "numbers"),
    ("linkwright: 1\nmodel: planar\nparameters: {r: '2*q'}", 3, 20, "the name 'q' is not known", ""),
    ("linkwright: 1\nmodel: planar\nparameters: {2r: 1}", 3, 14, "cannot be the name of a parameter", "another name"),
    ("linkwright: 1\nmodel: planar\nparameters: {pi: 1}", 3, 14, "meaning of its own", "another name"),
    (START + "  coupler: {mas: 1}", 7, 13, "no 'mas'", "did you mean 'mass'?"),
    (START + "  coupler: {mass: -1}", 7, 19, "the mass is -1", "zero or more"),
    (START + "  coupler: {mass: 1 + q}", 7, 23, "the name 'q' is not known", "known are"),
    (START + '  coupler: {mass: "1 + q"}', 7, 24, "the name 'q' is not known", "known are"),
    (START + "  coupler: {mass: rod.x}", 7, 19, "mass depends on 'rod.x'", "parameters only"),
    (START + "  coupler: {position: [1]}", 7, 23, "position needs 2 numbers, not 1", "2"),
    (START + "  coupler: {orientation: [1, 0, 0, 0]}", 7, 13, "no 'orientation'", ""),
    (START + "  a.b: {mass: 1}", 7, 3, "cannot be the name of a body", "another name"),
    (START + "  r: {mass: 1}", 7, 3, "taken by a parameter", "unique"),
    (START + "  ground: {mass: 1}", 7, 11, "ground has a shape and nothing else", ""),
    (START + "  rod: {mass: 3}", 7, 3, "the key 'rod' is here twice; first in line 6", "remove one"),
    (START + "elements:\n  A: {type: Revolut}", 8, 13, "'Revolut' is no type of element", "did you mean 'Revolute'?"),
    (START + "elements:\n  A: {P: crank}", 8, 6, "an element needs a type", "type: Revolute"),
    (START + "elements:\n  A: {type: Revolute, P: [ground, 0, 0]}", 8, 6, "a Revolute needs Q", "give Q"),
    (START + "elements:\n  A: {type: Revolute, P: crank, Q: rod, k: 3}", 8, 41, "a Revolute has no 'k'", "known are"),
    (START + "elements:\n  A: {type: Revolute, P: crnk, Q: rod}", 8, 26, "there is no body 'crnk'", "did you mean 'crank'"),
    (START + "elements:\n  A: {type: Revolute, P: [crank, 0], Q: rod}", 8, 26, "[body, x, y], not 2 items", ""),
    (START + "elements:\n  A: {type: Revolute, P: crank, Q: crank}", 8, 6, "both ends are on the body 'crank'", "two"),
    (START + "elements:\n  A: {type: Translational, P: crank, Q: rod}", 8, 31, "no direction", "angle: 0"),
    (START + "elements:\n  A: {type: Distance, P: crank, Q: rod, length: -r}", 8, 6, "the distance is negative", "positive"),
    (START + "elements:\n  A: {type: Distance, P: crank, Q: rod, length: }", 8, 49, "a value is missing", "colon"),
    (JOINT + "  d: {type: Driver, quantity: A.angel, motion: t}", 9, 31, "'A.angel' is not known", "did you mean 'A.angle'"),
    (JOINT + "  d: {type: Driver, quantity: A.angle, motion: 2*pi*tt}", 9, 53, "the name 'tt' is not known", ""),
    (JOINT + "  d: {type: Driver, quantity: A.angle, motion: sin(2*t}", 9, 55, "')' was expected, not the end", "brackets"),
    (JOINT + "  d: {type: Driver, quantity: A.angle, motion: (2*t}", 9, 52, "')' was expected", "brackets"),
    (JOINT + "  d: {type: Driver, quantity: A.angle, motion: {type: Harmonik}}", 9, 55, "no type of motion", "'Harmonic'"),
    (JOINT + "  d: {type: Driver, quantity: A.angle, motion: {type: Harmonic, omega: 1}}", 9, 48, "needs amplitude", ""),
    (JOINT + "  d: {type: Driver, quantity: A.angle, motion: {type: Table, x: [0, 0], y: [1, 2]}}", 9, 48, "at least 3", ""),
    (JOINT + "  f: {type: Friction, joint: B}", 9, 30, "there is no joint 'B'", ""),
    (JOINT + "  f: {type: PointForce, point: rod, force: [1, 2], frame: world}", 9, 59, "cannot be 'world'", "ground"),
    (JOINT + "  f: {type: Spring, P: crank, Q: rod, k: 1 + x}", 9, 46, "the name 'x' is not known", ""),
    (
        JOINT + "  p: {type: PointFollower, point: rod, curve: {body: crank, polar: 1 + betha}}",
        9,
        47,
        "'betha' is not",
        "alpha",
    ),
    (JOINT + "fixed: {crank.omeha: 3}", 9, 9, "the name 'crank.omeha' is not known", "did you mean 'crank.omega'?"),
    (START + "  wheel: {mass: 1, shape: {bx: 1}}", 7, 27, "is not known", "box, circle, polygon"),
    (START + "  ground: {shape: {circle: -1}}", 7, 19, "sizes must be positive", "plain numbers"),
    ("linkwright: 1e999", 1, 13, "version of the format cannot be inf", "linkwright: 1"),
    (START + "  tabs:\n\t{}", 8, 1, "no YAML", "indents"),
    ("linkwright: 1\n---\nlinkwright: 1", 2, 1, "second document", "one file is one machine"),
    ("linkwright: 1\nmodel: 'planar", 2, 15, "no YAML", "brackets"),
    ("linkwright: 1\n? [a]\n: 1", 2, 3, "a key must be a text", ""),
    ("linkwright: 1\nname: \x07", 2, 7, "no YAML", ""),
]


@pytest.mark.parametrize(("text", "line", "column", "cause", "remedy"), WRONG)
def test_an_error_says_where_why_and_what_mends_it(text, line, column, cause, remedy):
    with pytest.raises(FileError) as caught:
        loads(text, "machine.yaml")
    error = caught.value
    assert cause in error.cause
    assert (error.line, error.column) == (line, column), str(error)
    assert remedy in error.remedy
    assert str(error).startswith(f"machine.yaml:{line}:{column}: ")


def test_an_error_names_the_element():
    with pytest.raises(FileError) as caught:
        loads(JOINT + "  motor: {type: Driver, quantity: A.angle, motion: 2*tt}")
    assert caught.value.element == ("motor",)


def test_words_of_old_yaml_are_texts():
    m = loads(START + "  on: {mass: 1}\n  no: {mass: 1}\n  012: {mass: 1}\nelements:\n  y: {type: Fixed, P: on, Q: no}\n")
    assert list(m.bodies) == ["ground", "crank", "rod", "on", "no", "012"]
    assert m["y"].P.body is m["on"]


HOSTILE = [  # text, words of the cause
    ("linkwright: 1\nmodel: !!python/object/apply:os.system ['touch HERE']", "the tag"),
    ("linkwright: 1\nmodel: !!python/name:os.system", "the tag"),
    ("!!python/object/new:subprocess.Popen [['touch', 'HERE']]", "the tag"),
    ("linkwright: !!str 1", "the tag"),
    ("linkwright: 1\na: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]", "anchors"),
    ("linkwright: 1\nmodel: &m planar\nname: *m", "anchors"),
    ("linkwright: 1\n<<: {model: planar}", "no '<<'"),
    ("[" * 100000, "deeper"),
    ("{a: " * 100000, "deeper"),
    ("- " * 100000, "deeper"),
    ("'" * 99999, "no YAML"),
    ("linkwright: 1\nmodel: planar\nname: " + "[" * 33 + "]" * 33, "deeper"),
    ("? " * 10000, "a key must be a text"),
]
FORMULAS = [
    "__import__('os').system('touch HERE')", "crank.__class__", "crank.model", "t.__class__.__mro__", "().__class__",
    "open('HERE', 'w')", "eval('1')", "lambda: 0", "[x for x in (1,)]", "crank.at.__globals__", "9**9**9**9", "2**1e9",
    "10**400", "1e999", "(" * 5000 + "t" + ")" * 5000, "-" * 5000 + "t", "t" + "*t" * 5000, "sin(" * 100 + "t" + ")" * 100,
    "rod(0, 0).body", "crank.parameters", "exec", "r.data", "`crank`.__init__", "print(1)", "t; t", "t\nimport os", "@t",
]  # fmt: skip


@pytest.mark.parametrize(("text", "cause"), HOSTILE)
def test_hostile_yaml_is_refused_soon(text, cause, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    started = time.process_time()
    with pytest.raises(FileError) as caught:
        loads(text)
    assert cause in caught.value.cause
    assert time.process_time() - started < 2  # a bound, not a measurement: without limits these take minutes
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_can_never_run_code(formula, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    quoted = '"' + formula.replace("\n", "\\n").replace('"', '\\"') + '"'
    started = time.process_time()
    for place in ("motion", "quantity"):
        fields = {"quantity": "A.angle", "motion": "t"} | {place: quoted}
        with pytest.raises(FileError) as caught:
            loads(JOINT + "  d: {type: Driver, " + ", ".join(f"{k}: {v}" for k, v in fields.items()) + "}")
        assert caught.value.line == 9
    with pytest.raises(FileError):
        loads(START + "  coupler: {mass: " + quoted + "}")
    assert time.process_time() - started < 2  # a bound, not a measurement
    assert not list(tmp_path.iterdir())


def test_files_that_are_too_large_or_no_text_are_refused_soon(tmp_path):
    file = tmp_path / "m.yaml"
    started = time.process_time()
    for data, cause in [
        (b"a: " + b"x" * LARGEST_FILE, "larger than 8 MB"),
        (b"linkwright: 1\nname: \xff\xfe", "not text in UTF-8"),
        (b"[" + b"1, " * 1_200_000 + b"]", "more than 200000 values"),
        (b"\x00" * 1000, "no YAML"),
    ]:
        file.write_bytes(data)
        with pytest.raises(FileError) as caught:
            load(file)
        assert cause in caught.value.cause
        assert caught.value.file == str(file)
    assert time.process_time() - started < 20  # 200 000 values are read, by far the longest of it
    with pytest.raises(FileError, match="cannot be read"):
        load(tmp_path / "none.yaml")
    with pytest.raises(FileError, match="cannot be read"):
        load(tmp_path)


def test_json_errors_have_places_too(tmp_path):
    file = tmp_path / "m.json"
    for text, line, column, cause in [
        ('{"linkwright": 1,\n}', 2, 1, "no JSON"),
        ('{"linkwright": 1,\n\t"model": "plane"}', 2, 11, "planar or spatial"),
        ("[" * 100000, 1, 1, "cannot be read"),
        ('{"linkwright": 1, "model": "planar", "model": "planar"}', 1, 38, "twice"),
        ('{"linkwright": 1, "model": "planar", "gravity": [0, NaN]}', 1, 53, ""),
    ]:
        file.write_text(text)
        with pytest.raises(FileError) as caught:
            load(file)
        assert cause in caught.value.cause
        assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)


def test_json_with_escapes_and_pairs_of_surrogates(tmp_path):
    file = tmp_path / "m.json"
    file.write_text('{"linkwright":1,"model":"planar","name":"a\\/b \\ud83d\\ude80 \\u00e9"}')
    assert load(file).name == "a/b \N{ROCKET} é"


def test_file_errors_are_model_errors():
    assert issubclass(FileError, ModelError)


@st.composite
def damaged(draw):
    """An example's file with some of its text removed, repeated, exchanged or replaced."""
    text = EXAMPLES[draw(st.sampled_from(list(EXAMPLES)))].text
    for _ in range(draw(st.integers(1, 3))):
        a = draw(st.integers(0, len(text)))
        b = min(len(text), a + draw(st.integers(0, 30)))
        bits = [
            "",
            "[",
            "{",
            ": ",
            "- ",
            "\n",
            "'",
            "t",
            "0",
            "-1e308",
            "null",
            "[]",
            "{}",
            "ground",
            "1/0",
            "where",
            "\t",
            "é",
        ]
        text = text[:a] + draw(st.sampled_from([*bits, text[a:b] * 2, text[b : b + 20]])) + text[b:]
    return text


@settings(max_examples=200)
@given(damaged())
def test_a_damaged_file_is_a_model_or_an_error_with_its_place(text):
    error = made = None
    try:
        made = loads(text)
    except FileError as caught:  # and no other
        error = caught
    if error is None:
        assert loads(dumps(made)) == made
    else:
        assert 1 <= error.line <= len(text.split("\n")) + 1
        assert error.cause
        assert error.remedy
