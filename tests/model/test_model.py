"""Building a machine: names, parameters, copies, equality, what is printed."""

import pickle
import sys

import numpy as np
import pytest

import linkwright.model as lw
from linkwright.errors import ModelError
from linkwright.graph import evaluate, exp, symbol


def refused(build, *, element=None, cause="", remedy=""):
    """The ModelError that build() raises, checked by its parts."""
    with pytest.raises(ModelError) as caught:
        build()
    error = caught.value
    assert cause in error.cause, error
    assert remedy in error.remedy, error
    assert error.remedy, f"no remedy for: {error}"
    if element is not None:
        assert error.element == ((element,) if isinstance(element, str) else element), error
    return error


def slider_crank():
    m = lw.PlanarModel("slider-crank", gravity=(0, -9.81))
    r = m.parameter("r", 0.2)
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0.1, 0.0), angle=0.0)
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(0.45, 0.0))
    slider = m.body("slider", mass=1.0, position=(0.7, 0.0))
    ground = m.ground

    pin = m.add(lw.Revolute("A", ground.at(0, 0), crank.at(-r / 2, 0)))
    m.add(lw.Revolute("B", crank.at(r / 2, 0), rod.at(-0.25, 0)))
    m.add(lw.Revolute("C", rod.at(0.25, 0), slider.at(0, 0)))
    m.add(lw.Translational("guide", ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))

    m.add(lw.Spring("return", ground.at(1, 0), slider.at(0, 0), k=100, length=0.3, c=2))
    m.add(lw.Force("gas", slider.x, lambda x, v, t: -1e4 * exp(-x)))
    m.add(lw.Driver("motor", pin.angle, "2*pi*t"))
    return m


def test_slider_crank_as_in_the_manual():
    m = slider_crank()
    assert list(m.bodies) == ["ground", "crank", "rod", "slider"]
    assert list(m.elements) == ["A", "B", "C", "guide", "return", "gas", "motor"]
    assert m.gravity == (0.0, -9.81)
    assert [b.name for b in m["B"].bodies] == ["crank", "rod"]
    assert m.value(m["B"].P.s[0]) == 0.1
    m.set(r=0.25)
    assert m.value(m["B"].P.s[0]) == 0.125
    s, v = symbol("s"), symbol("v")
    law = m.trace(m["gas"].law, {"s": s, "v": v, "t": lw.TIME})
    assert evaluate([law], {s: 2.0})[0] == pytest.approx(-1e4 * np.exp(-2.0), rel=1e-15)
    assert evaluate([m.trace(m["motor"].motion)], {lw.TIME: 0.25})[0] == pytest.approx(np.pi / 2, rel=1e-15)
    assert m.validate() == []


def test_gravity_is_zero_unless_given():
    assert lw.PlanarModel().gravity == (0.0, 0.0)
    assert lw.SpatialModel().gravity == (0.0, 0.0, 0.0)
    m = lw.SpatialModel("m")
    g = m.parameter("g", 9.81)
    m.gravity = (0, 0, -g)
    assert m.value(m.gravity[2]) == -9.81
    refused(lambda: lw.PlanarModel("m", gravity=(0, 0, -9.81)), element="m", cause="gravity: it needs 2 numbers, not 3")


# -- names -------------------------------------------------------------------------------------------------------------


def test_names_are_unique_over_everything():
    m = slider_crank()
    rod = m["rod"]
    refused(lambda: m.body("crank"), element="crank", cause="'crank' is taken by a body")
    refused(lambda: m.body("A"), element="A", cause="'A' is taken by an element")
    refused(lambda: m.parameter("A", 1), element="A", cause="'A' is taken by an element")
    refused(lambda: m.body("r"), element="r", cause="'r' is taken by a parameter")
    refused(lambda: m.add(lw.Torque("rod", rod, 1.0)), element="rod", cause="'rod' is taken by a body")
    refused(lambda: m.body("ground"), element="ground", remedy="m.ground")
    assert len(m.elements) == 7


def test_unknown_names_suggest_the_nearest():
    m = slider_crank()
    refused(lambda: m["crnak"], element="crnak", cause="no 'crnak' in 'slider-crank'", remedy="did you mean 'crank'?")
    refused(lambda: m["Slider"], remedy="did you mean 'slider'?")
    refused(lambda: m["zzz"], remedy="known are: ground, crank, rod")
    refused(lambda: m.set(R=1.0), element="R", remedy="did you mean 'r'?")
    refused(lambda: m.without("moter"), element="moter", remedy="did you mean 'motor'?")
    refused(lambda: lw.PlanarModel().set(r=1), remedy="nothing to name")


@pytest.mark.parametrize("name", ["", " a", "a.b", "a`b", "a\nb", 3, None, "x" * 101])
def test_bad_names(name):
    m = lw.PlanarModel("m")
    refused(lambda: m.body(name), cause="name")
    refused(lambda: lw.Coupler(name, {m.body("b").x: 1, m["b"].y: 2}), cause="name")


def test_names_that_formulas_use_are_kept_for_them():
    m = lw.PlanarModel("m")
    for name in ("t", "pi", "sin", "and"):
        refused(lambda name=name: m.parameter(name, 1), element=name, cause="meaning of its own")
        refused(lambda name=name: m.body(name), element=name, cause="meaning of its own")
    refused(lambda: m.body("distance"), cause="meaning of its own")
    refused(lambda: m.parameter("a b", 1), element="a b", cause="not a word")
    refused(lambda: lw.PlanarModel(3), cause="must be text")


def test_names_that_are_no_words_work_in_formulas():
    m = lw.PlanarModel("m")
    rod = m.body("rod 1-2")
    m.add(lw.Driver("d", "2*`rod 1-2`.x", "t"))
    assert m["d"].quantity is 2 * rod.x
    q = lw.distance(rod.at(1, 0), m.ground.at(0, 0))
    assert m.trace(q.data) is q


# -- parameters ----------------------------------------------------------------------------------------------------------


def test_parameters_are_numbers_wherever_a_number_is():
    m = lw.SpatialModel("m")
    a, b = m.parameter("a", 2.0), m.parameter("b", 0.5)
    body = m.body("body", mass=a * b, inertia=(a, a, b), position=(a, 0, b), orientation=((0, 0, 1), b), omega=(0, 0, a))
    assert m.value(body.mass) == 1.0
    np.testing.assert_allclose(np.diag(body.inertia_matrix()), [2, 2, 0.5])
    d = m.add(lw.Distance("d", m.ground.at(0, 0, 0), body.at(a / 2, "2*b", 0), length=a + b))
    assert m.value(d.length) == 2.5
    m.set(a=4, b=1)
    assert m.value(d.length) == 5.0
    assert m.value(d.Q.s[1]) == 2.0
    assert dict(m.parameters) == {"a": 4.0, "b": 1.0}


def test_a_text_becomes_an_expression_of_parameters():
    m = lw.PlanarModel("m")
    a = m.parameter("a", 2.0)
    body = m.body("body")
    d = m.add(lw.Distance("d", m.ground.at(0, 0), body.at(0, 0), "3*a"))
    assert d.length is 3 * a
    refused(
        lambda: m.add(lw.Distance("e", m.ground.at(0, 0), body.at(0, 0), "3*aa")),
        element="e", cause="length: the name 'aa' is not known, at column 3", remedy="did you mean 'a'?",
    )  # fmt: skip


def test_a_bad_value_changes_nothing():
    m = lw.PlanarModel("m")
    a = m.parameter("a", 2.0)
    m.add(lw.Distance("d", m.ground.at(0, 0), m.body("body", mass=1 / a).at(0, 0), a))
    refused(lambda: m.set(a=-1.0), element="body", cause="the mass is -1")
    refused(lambda: m.set(a=0.0), element="body", cause="1 / a is inf")
    refused(lambda: m.set(a=float("nan")), element="a", cause="not a finite number")
    refused(lambda: m.set(a=a), element="a", cause="plain number")
    assert m.parameters["a"] == 2.0
    refused(lambda: m.parameter("c", "a/2"), element="c", cause="the name 'a' is not known")  # no other parameters
    refused(lambda: m.parameter("c", b"1"), element="c", cause="must be a number")
    refused(lambda: m.parameter("c", float("inf")), element="c", cause="inf")
    with pytest.raises(TypeError):
        m.parameters["a"] = 1.0


def test_directions_are_measured_again_when_parameters_change():
    m = lw.SpatialModel("m")
    a = m.parameter("a", 2.0)
    b, c = m.body("b"), m.body("c")
    m.add(lw.DP1("dot", b.vector(a, 0, 0), c.vector(1, 0, 0)))
    refused(lambda: m.set(a=0.0), element="dot", cause="u_i: the vector has no length")
    m = m.without("dot")
    m.add(lw.Revolute("pin", m["b"].frame((0, 0, 0), (0, 0, a)), m["c"].at(0, 0, 0)))
    refused(lambda: m.set(a=0.0), element="pin", cause="P: ")
    m = m.without("pin")
    m.add(lw.Spherical("ball", m["b"].at(1 / a, 0, 0), m["c"].at(0, 0, 0)))
    refused(lambda: m.set(a=0.0), element="ball", cause="P: 1 / a is inf")
    m.set(a=1.0)


def test_numbers_may_not_depend_on_time_or_state():
    m = lw.PlanarModel("m")
    b = m.body("b")
    refused(lambda: b.at(lw.TIME, 0), element="b", cause="depends on 't'", remedy="parameters only")
    refused(lambda: b.at(b.x, 0), element="b", cause="depends on 'b.x'")
    other = lw.PlanarModel("other").parameter("p", 1.0)
    refused(lambda: b.at(other, 0), element="b", cause="no parameter 'p'")


# -- the whole -----------------------------------------------------------------------------------------------------------


def test_copies_are_independent_and_equal():
    m = slider_crank()
    c = m.copy()
    assert c == m
    assert c["crank"] is not m["crank"]
    assert c["A"].Q.body is c["crank"]
    assert c["crank"].model is c
    assert type(c) is lw.PlanarModel
    c.set(r=0.3)
    assert m.parameters["r"] == 0.2
    assert c != m
    c.set(r=0.2)
    assert c == m
    c["rod"].guess(position=(0.5, 0.1))
    assert m["rod"].estimate.position == (0.45, 0.0)
    assert c != m
    refused(
        lambda: c.add(lw.Revolute("D", c.ground.at(0, 0), m["rod"].at(0, 0))),
        element="D",
        cause="'rod' belongs to another model",
    )


def test_equality_looks_at_everything():
    changes = [
        lambda m: m.fix(m["crank"].omega, 3),
        lambda m: m.parameter("extra", 1),
        lambda m: m.body("extra"),
        lambda m: m.add(lw.Torque("T", m["crank"], 1.0)),
        lambda m: setattr(m, "gravity", None),
    ]
    for change in changes:
        m = slider_crank()
        c = m.copy()
        assert c == m
        change(c)
        assert c != m
    assert slider_crank() == slider_crank()  # the gas laws are two functions of one meaning
    assert m != "slider-crank"
    with pytest.raises(TypeError):
        hash(m)


def test_without():
    m = slider_crank()
    assert list(m.without("motor", "gas").elements) == ["A", "B", "C", "guide", "return"]
    assert "motor" in m
    refused(lambda: m.without("A"), element="motor", cause="the joint 'A' has not been added")


def test_pickle():
    m = slider_crank().without("gas")
    assert pickle.loads(pickle.dumps(m)) == m


def test_printed_form():
    text = str(slider_crank())
    assert "PlanarModel 'slider-crank': 3 bodies, 7 elements" in text
    assert "  parameter  r = 0.2\n" in text
    assert "  body       rod: mass 2, at (0.45, 0)\n" in text
    assert "  joint      B: Revolute crank - rod\n" in text
    assert repr(slider_crank()["guide"]) == "Translational('guide', ground(0, 0, angle=0), slider(0, 0, angle=0))"


def test_add_takes_elements_only():
    m = lw.PlanarModel("m")
    refused(lambda: m.add("Revolute"), cause="no element")
    refused(lambda: m.add(lw.Revolute), cause="no element")


def test_implausible_inertia_is_found_and_impossible_refused():
    m = lw.SpatialModel("m")
    m.body("good", 1.0, (1, 1, 2))
    assert m.validate() == []
    m.body("odd", 1.0, (1, 1, 2.5))
    (finding,) = m.validate()
    assert (finding.code, finding.elements) == ("inertia-implausible", ("odd",))
    assert "2.5" in finding.text
    refused(lambda: m.body("a", 1, (1, 1, -1)), element="a", cause="principal moment of inertia is negative: -1")
    refused(lambda: m.body("a", 1, ((1, 2, 0), (2, 1, 0), (0, 0, 1))), element="a", cause="negative")
    refused(lambda: m.body("a", 1, ((1, 0.1, 0), (0, 1, 0), (0, 0, 1))), element="a", cause="not symmetric")
    refused(lambda: m.body("a", 1, 5.0), element="a", cause="three numbers")
    refused(lambda: m.body("a", 1, (1, 2)), element="a", cause="needs 3 numbers, not 2")
    assert "a" not in m


def test_the_value_of_a_text_is_that_of_the_expression():
    m = lw.PlanarModel("m")
    m.parameter("r", 0.2)
    assert (m.value("r"), m.value("2*r + 1"), m.value(np.int64(3))) == (0.2, 1.4, 3.0)
    for wrong in ("q", None, [1.0]):
        with pytest.raises(ModelError):
            m.value(wrong)


def test_checking_takes_as_long_as_there_are_parameters():
    """Numbers are looked up one by one: eight times as many take eight times as many calls of Python, not 64 times."""

    def calls(count):
        m = lw.PlanarModel("fleet")
        for k in range(count):
            m.body(f"b{k}", mass=m.parameter(f"m{k}", 1.0 + k), inertia=2 * m.parameter(f"J{k}", 2.0 + k))
        made = []
        sys.setprofile(lambda *_: made.append(1))
        try:
            m.validate()
        finally:
            sys.setprofile(None)
        return len(made)

    assert calls(80) < 10 * calls(10)
