"""Quantities: symbols that are named by their definitions, arithmetic on them, and what a model knows of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwright.model as lw
from linkwright.errors import ModelError
from linkwright.graph import Expr, evaluate, free_symbols, sin, symbol
from linkwright.model import quantities as q


def refused(build, cause, remedy="", element=None):
    with pytest.raises(ModelError) as caught:
        build()
    assert cause in caught.value.cause
    assert remedy in caught.value.remedy
    assert caught.value.remedy
    if element is not None:
        assert caught.value.element == (element,)


def machine():
    m = lw.PlanarModel("m")
    m.parameter("r", 0.2)
    m.body("crank")
    m.body("rod")
    m.add(lw.Revolute("A", m.ground.at(0, 0), m["crank"].at(0, 0)))
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), m["rod"].at(0, 0, angle=0)))
    return m


@pytest.fixture
def m():
    return machine()


def test_names_are_definitions(m):
    crank, r = m["crank"], m["r"]
    P, Q = crank.at(r / 2, 0), m.ground.at(1, 0)
    named = {
        "crank.x": crank.x,
        "crank.angle": crank.angle,
        "crank.omega": crank.omega,
        "A.angle": m["A"].angle,
        "guide.displacement": m["guide"].displacement,
        "rate(A.angle)": m["A"].omega,
        "rate(guide.displacement)": m["guide"].velocity,
        "distance(crank(r * 0.5, 0), ground(1, 0))": lw.distance(P, Q),
        "crank(r * 0.5, 0).x": lw.component(P, "x"),
        "crank(r * 0.5, 0).vy": lw.component(P, "vy"),
        "dot(vector(crank, 1, 0), vector(ground, 0, 1))": lw.dot(crank.vector(1, 0), m.ground.vector(0, 1)),
        "angle(vector(ground, 1, 0), vector(crank, 0, 1))": lw.angle(m.ground.at(0, 0, angle=0), crank.vector(0, 1)),
    }
    for name, found in named.items():
        assert found.op == "symbol"
        assert found.data == name
        assert m.definition(found).name == name
        assert m.trace(name) is found  # the name is also the formula
    assert isinstance(m.quantities["crank.x"], q.BodyCoordinate)
    assert m.quantities["A.angle"].joint == "A"
    assert m.quantities["distance(crank(r * 0.5, 0), ground(1, 0))"].P is P


def test_definitions_are_found_again_from_names_alone(m):
    names = ["crank.x", "A.angle", "distance(crank(0.1, 0), ground(1, 0))", "rate(rod.x - crank.x * 2)", "crank(1, 2).x"]
    symbols = [m.trace(n) for n in names]
    fresh = m.copy()
    fresh.quantities.clear()
    for s in symbols:
        assert type(fresh.definition(s)) is type(m.definition(s))
        assert fresh.definition(s).name == s.data


def test_arithmetic_gives_expressions(m):
    e = 2 * m["crank"].x + sin(m["A"].angle) * m["r"]
    assert isinstance(e, Expr)
    assert {s.data for s in free_symbols([e])} == {"crank.x", "A.angle", "parameter:r"}
    assert m.order(e) == 0
    assert m.order(e + m["crank"].vx) == 1
    assert m.order(m["r"] * lw.TIME) == -1
    values = {m["crank"].x: 1.0, m["A"].angle: 0.0, m["r"]: 0.2}
    assert evaluate([e], values)[0] == 2.0


def test_a_quantity_is_of_this_model(m):
    other = lw.PlanarModel("other")
    x = other.body("piston").x
    pin = lw.Revolute("P", other.ground.at(0, 0), other["piston"].at(0, 0))
    refused(lambda: m.add(lw.Driver("d", x, 0.0)), "no quantity 'piston.x'", element="d")
    refused(lambda: other.add(lw.Driver("d", pin.angle, 0.0)), "joint 'P' has not been added", "add it before", element="d")
    other.add(pin)
    other.add(lw.Driver("d", pin.angle, 0.0))
    refused(lambda: lw.distance(m.ground.at(0, 0), other.ground.at(0, 0)), "two models")


def test_what_has_no_such_quantity(m):
    refused(lambda: m["crank"].z, "a body in the plane has no 'z'", element="crank")
    refused(lambda: m.ground.x, "ground does not move", element="ground")
    refused(lambda: m["A"].displacement, "a Revolute has no displacement", "it has angle", element="A")
    refused(lambda: m["guide"].angle, "a Translational has no angle", "it has displacement", element="guide")
    refused(lambda: lw.component(m["crank"].at(0, 0), "z"), "no component 'z'", "x, y, vx, vy", element="crank")
    refused(lambda: lw.distance(m["crank"], m.ground), "needs points", "body.at")
    refused(lambda: lw.dot(m["crank"].at(0, 0), m.ground.vector(1, 0)), "needs vectors", "body.vector")
    refused(lambda: lw.rate(m["r"]), "no quantity")
    refused(lambda: lw.angle(m["crank"].vector(1, 0), m.ground.vector(1, 0), m.ground.vector(1, 0)), "needs no axis")
    s = lw.SpatialModel("s")
    refused(lambda: s.body("b").angle, "a body in space has no 'angle'", "angle of a joint", element="b")
    assert s["b"].wx.data == "b.wx"
    assert s["b"].e0.data == "b.e0"


def test_fix(m):
    m.fix(m["crank"].angle, 0.5)
    m.fix(m["A"].omega, "2*r")
    m.fix("crank.angle", 0.7)  # the same quantity: the later value stands
    assert {k.data: m.value(v) for k, v in m.fixed.items()} == {"crank.angle": 0.7, "rate(A.angle)": 0.4}
    refused(lambda: m.fix(m["r"], 1), "does not depend on the machine")
    refused(
        lambda: m.fix("crank.agnle", 1), "'crank.agnle' is not known", "did you mean 'crank.angle'?", element="crank.agnle"
    )
    refused(lambda: m.fix(m["crank"].x, float("nan")), "nan", element="crank.x")
    refused(lambda: m.fix(lw.rate(m["crank"].vx), 1), "it is an acceleration")
    refused(lambda: m.fix(lw.rate(lw.rate(m["crank"].vx)), 1), "no velocity and no acceleration")


WORDS = [
    *("crank", "rod", "ground", "A", "A.angle", "crank.x", ".x", ".vy", "r", "t", "(", ")", ",", "1", "0", "-", "*"),
    *("distance(", "angle(", "dot(", "rate(", "vector(", "crank(", "crank(0, 1)", "vector(crank, 1, 0)"),
]


@given(st.lists(st.sampled_from(WORDS), max_size=10).map("".join))
def test_any_text_of_a_machine_is_a_scalar_or_refused(text):
    m = machine()
    try:
        value = m.trace(text)
    except ModelError:
        return
    assert isinstance(value, float | Expr)
    assert m.order(value) in (-1, 0, 1)


def test_text_of_a_machine_cannot_reach_beyond_it(m):
    hostile = [
        *("crank.model", "crank.__class__", "crank(0, 0).body", "ground.at", "crank(0, 0).__dict__", "A.name", "A"),
        *("vector(t, 1)", "crank(crank, 0)", "distance(1, 2)", "crank + 1", "crank", "rate(2)", "vector(crank)"),
    ]
    for text in hostile:
        with pytest.raises(ModelError):
            m.trace(text)


def test_a_number_of_parameters_alone_and_none_of_what_depends_on_more(m):
    r = m.parameter("own", 0.5)
    assert m.number(2.0) == 2.0
    assert m.number(4 * r) == 2.0
    assert m.number(r * lw.TIME) is None
    assert m.number(m["crank"].x) is None


def test_a_law_in_plain_python_is_no_expression_and_a_wrong_one_is_told(m):
    x = {"x": symbol("x")}
    assert m.traced(lambda x: 2 * x, x) is 2 * x["x"]
    assert m.traced(lambda x: 1.0 if x > 0 else 0.0, x) is None
    refused(lambda: m.traced("2*y", x), "'y' is not known")
    refused(lambda: m.traced(lambda x: x / None, x), "TypeError")
