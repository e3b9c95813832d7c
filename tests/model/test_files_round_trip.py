"""Python to file and back loses nothing: every element, every kind of value, random machines; YAML and JSON."""

import json
import math

import hypothesis.strategies as st
import jsonschema
import pytest
from hypothesis import given, settings
from test_model_elements import PLANAR, SPATIAL, plane, space

import linkwright.model as lw
from linkwright.bounds import LARGEST
from linkwright.errors import ModelError
from linkwright.graph import exp, sin, sqrt, symbol, where
from linkwright.model.files import VERSION, FileError, dumps, load, loads, revise, schema
from linkwright.model.grammar import RESERVED
from linkwright.model.names import is_call

CHECKER = jsonschema.Draft202012Validator(schema())


def back(m, tmp_path=None):
    """The model after a trip through a text, which the schema takes."""
    text = dumps(m)
    CHECKER.validate(json.loads(dumps(m, "json")))
    again = loads(text)
    assert dumps(again) == text  # what was read is written alike
    assert loads(dumps(m, "json")) == m
    return again


def test_the_schema_is_a_schema_and_names_every_element():
    jsonschema.Draft202012Validator.check_schema(schema())
    types = schema()["$defs"]["element"]["properties"]["type"]["enum"]
    tried = {type(build(*plane()[1:])).__name__ for build in PLANAR}
    tried |= {type(build(*space()[1:])).__name__ for build in SPATIAL}
    assert tried == set(types)  # each of them makes the trip below
    for name in types:
        assert (
            schema()["$defs"][name]["description"] == " ".join(getattr(lw, name).__doc__.split())
            or "\n" in (schema()["$defs"][name]["description"])
        )


@pytest.mark.parametrize("machine", [plane, space])
def test_every_element_comes_back(machine):
    for build in PLANAR if machine is plane else SPATIAL:
        m, *bodies = machine()
        m.add(build(*bodies))
        assert back(m) == m


def test_the_manuals_slider_crank_takes_about_25_lines_and_comes_back(tmp_path):
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    r = m.parameter("r", 0.2)
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0.1, 0.0), angle=0.0)
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(0.45, 0.0))
    slider = m.body("slider", mass=1.0, position=(0.7, 0.0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-r / 2, 0)))
    m.add(lw.Revolute("B", crank.at(r / 2, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Spring("return", m.ground.at(1, 0), slider.at(0, 0), k=100, length=0.3, c=2))
    m.add(lw.Force("gas", slider.x, lambda x, v, t: -1e4 * exp(-x)))
    m.add(lw.Driver("motor", pin.angle, "2*pi*t"))
    for name in ("m.yaml", "m.yml", "m.json"):
        m.save(tmp_path / name)
        assert load(tmp_path / name) == m
    text = (tmp_path / "m.yaml").read_text()
    assert len(text.splitlines()) <= 25
    assert text.startswith(f"linkwright: {VERSION}\nmodel: planar\nname: slider-crank\n")
    assert "gas: {type: Force, quantity: slider.x, law: -10000 * exp(-s)}" in text
    assert load(tmp_path / "m.yaml")["gas"].law == "-10000 * exp(-s)"


def test_estimates_weights_fixes_shapes_and_parameters_come_back():
    m = lw.SpatialModel("all of a body", gravity=(0, 0, -9.81))
    a = m.parameter("a", 0.25)
    long = m.parameter("längste", 1e-300)
    m.gravity = (0, a, -9.81)
    m.ground.shape = {"box": [1, 2, 3], "colour": "= no formula", "hidden": True, "mesh": None}
    m.body(
        "no", mass=a, inertia=((2, 0.1, 0), (0.1, 3, a), (0, a, 4)), com=(a, 0, long), position=(1, 2, a),
        orientation=((1, 2, 3), a), velocity=(0, 0, 1e-5), omega=(1e22, 0, 0.1), weight=0.5,
        shape={"box": [a / 2, 0.1, 0.2], "width": a * 0.1},
    )  # fmt: skip
    m.body("1e3", mass=1, inertia=(1, 1, 1), orientation=(0.1, 0.7, -0.7, 0.1))
    m.body("my body: #1", mass=0.1)
    m.add(lw.Spherical("null", m["no"].at(0, 0, 0), m["1e3"].at(1, 0, 0)))
    m.add(lw.Cylindrical("true", m["1e3"].at(1, a, 0, rotation=((1, 1, 1), a)), m["my body: #1"].at(0, 0, 0)))
    m.fix(m["no"].x, a)
    m.fix(m["my body: #1"].wz, 3)
    m.fix(lw.rate(m["true"].angle) + lw.component(m["1e3"].at(0, a, 0), "vx"), 0.1)
    again = back(m)
    assert again == m
    assert again["no"].estimate.weight == 0.5
    assert again["no"].shape["width"] is m["no"].shape["width"]
    assert again.ground.shape["colour"] == "= no formula"
    assert again["1e3"].estimate.rotation == m["1e3"].estimate.rotation  # to the last bit


def test_motions_tables_and_curves_come_back():
    m, g, b, c = plane()
    a = m["a"]
    table = lw.Table((0, 0.1, 0.7, 1), (0, 1 / 3, 2, 0), periodic=True)
    for k, motion in enumerate(
        [lw.Polynomial((0, a, 2)), lw.Harmonic(a, 3, offset=1), lw.Cycloid(1, 2), lw.ModifiedSine(a * 2, 1, start=0.5),
         table, lw.Table((0, 1), (2, 3), kind="linear"), 2 * math.pi * symbol("t"), 3, "a*t"]
    ):  # fmt: skip
        m.add(lw.Driver(f"driver {k}", b.x if k % 2 else c.angle, motion))
    m.add(lw.Force("tabled", b.x, table))
    m.add(lw.Spring("by parameter", g.at(0, 0), b.at(a, 0), k=a, length=a / 3))
    outlines = [
        lw.Curve.polar("5/4 - cos(3*alpha)/4"), lw.Curve.polar(lambda x: 2 + sin(x) / 4), lw.Curve.polar(a),
        lw.Curve.polar("1 + alpha", end=2), lw.Curve.parametric("a*alpha", sin, start=-1, end=3),
        lw.Curve.table((0, 1, 0, -1, 0), (1, 0, -1, 0, 1)),
        lw.Curve.table(alpha=(0, 1, 2, 3, 2 * math.pi), rho=(1, 1.1, 1.05, 1, 1)),
    ]  # fmt: skip
    for k, outline in enumerate(outlines):
        m.add(lw.PointFollower(f"slot {k}", b.at(0, 0), c.curve(outline, at=(a, 0), angle=k * a), estimate=k))
    assert back(m) == m


def test_a_python_function_is_written_as_its_formula_or_refused_by_name(tmp_path):
    m, _g, b, c = plane()
    m.add(lw.Force("good", b.x, lambda s, v, t: where(s > 0, -10 * s - m["a"] * v, 0) * c.x))
    assert back(m) == m
    assert "where(0 < s, " in dumps(m)

    def branching(s, v, t):
        return 1.0 if s > 0 else 2.0

    m.add(lw.Force("bad", b.x, branching))
    with pytest.raises(ModelError) as caught:
        m.save(tmp_path / "m.yaml")
    assert caught.value.element == ("bad",)
    assert "law: a file cannot hold the Python function 'branching'" in caught.value.cause
    assert not list(tmp_path.iterdir())


def test_a_function_whose_formula_would_mean_something_else_is_refused():
    m, _g, b, _c = plane()
    m.parameter("s", 3.0)
    m.add(lw.Force("f", b.x, lambda x, v, t: x * m["s"]))  # the argument is called s, too
    with pytest.raises(ModelError, match="cannot be written as a formula") as caught:
        dumps(m)
    assert caught.value.element == ("f",)


def test_what_no_file_can_hold_is_refused_by_name(tmp_path):
    m, _g, b, _c = plane()
    b.shape = object()
    with pytest.raises(ModelError, match="cannot hold the shape") as caught:
        dumps(m)
    assert caught.value.element == ("b",)
    with pytest.raises(ModelError, match="does not say what it is to be"):
        m.save(tmp_path / "m.txt")


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    m = plane()[0]
    with pytest.raises(ModelError, match="cannot be written"):
        m.save(tmp_path / "nowhere" / "m.yaml")
    m.save(tmp_path / "m.yaml")
    m["b"].shape = object()
    before = (tmp_path / "m.yaml").read_bytes()
    with pytest.raises(ModelError):
        m.save(tmp_path / "m.yaml")
    assert (tmp_path / "m.yaml").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.yaml"]


def test_parameters_are_revised_in_place():
    text = (
        "linkwright: 1  # my machine\nmodel: planar\nparameters:\n  r: 0.2   # crank\n  long: -1.5e-3\n  s: 7\n"
        "bodies: {b: {mass: r}}  # r is 0.2\n"
    )
    revised = revise(text, {"s": 1e-7, "r": 0.25})
    assert revised == text.replace("r: 0.2   #", "r: 0.25   #").replace("s: 7", "s: 1.0e-07")
    assert loads(revised).parameters == {"r": 0.25, "long": -1.5e-3, "s": 1e-7}
    flow = "linkwright: 1\nmodel: planar\nparameters: {a: 1, b: 2, c: 3}\n"
    assert revise(flow, {"b": 20, "a": -10.5, "c": 1}) == flow.replace("a: 1, b: 2, c: 3", "a: -10.5, b: 20, c: 1")
    with pytest.raises(FileError, match="no parameter 'R'") as caught:
        revise(text, {"R": 1})
    assert caught.value.remedy == "did you mean 'r'?"
    with pytest.raises(FileError, match="the mass is -1"):
        revise(text, {"r": -1})


# -- random machines --------------------------------------------------------------------------------------------------------

finite = st.floats(-LARGEST, LARGEST, width=64)
small = st.floats(-1e3, 1e3)
names = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=".`"), min_size=1, max_size=12
)

names = names.filter(lambda name: not is_call(name))
TAKEN = ("ground", "a", "q", "b", "c", "pin", "slide", "distance", "dot", "angle", "rate", "vector")


@st.composite
def machines(draw):
    """A machine with random names, numbers and expressions, and a handful of random elements."""
    plan = draw(st.booleans())
    m = (lw.PlanarModel if plan else lw.SpatialModel)(draw(names))
    n = m.dimension
    p = m.parameter("a", 2.0)
    q = m.parameter("q", draw(st.floats(0.1, 10)))

    def number():
        x = draw(small)
        return draw(
            st.sampled_from([x, x * p, p / (abs(x) + 1), sin(q) - x * p * q, sqrt(q) ** 3 + x, -q, where(p < x, q, x)])
        )

    def numbers(k=n):
        return tuple(number() for _ in range(k))

    m.gravity = numbers()
    odd = draw(st.lists(names.filter(lambda name: name not in (*RESERVED, *TAKEN)), min_size=2, max_size=2, unique=True))
    for name in ("b", "c", *odd):
        body = m.body(name, mass=abs(draw(finite)), com=numbers(), position=numbers(), velocity=numbers())
        if plan:
            body.guess(angle=number(), omega=number(), weight=draw(st.floats(0, 5)))
        else:
            axis = draw(st.tuples(small, small, small).filter(lambda v: sum(x * x for x in v) > 1e-3))
            body.guess(orientation=(axis, number()), omega=numbers())
    b, c, d, e = list(m.bodies.values())[1:]
    m.add(lw.Revolute("pin", m.ground.at(*numbers()), b.at(*numbers())))
    m.add(lw.Revolute(draw(names.filter(lambda name: name not in m)), d.at(*numbers()), e.at(*numbers())))
    joint = list(m.elements.values())[-1]
    if plan:
        m.add(lw.Translational("slide", m.ground.at(0, 0, angle=number()), c.at(*numbers(), angle=number())))
    for build in draw(
        st.lists(st.sampled_from(PLANAR if plan else SPATIAL), max_size=4, unique=True)
    ):  # a node has its name
        element = build(m.ground, b, c)
        object.__setattr__(element, "name", f"{draw(names)} {len(m.elements)}")
        m.add(element)
    m.fix(d.x * number() + lw.distance(d.at(*numbers()), e.at(*numbers())) - lw.rate(joint.angle), number())
    return m


@settings(max_examples=50)
@given(machines())
def test_random_machines_come_back(m):
    assert back(m) == m
