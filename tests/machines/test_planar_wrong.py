"""Descriptions that make no sense: ModelError that names the element, before anything runs."""

import numpy as np
import pytest

import linkwright as lw


def pair() -> tuple[lw.PlanarModel, object, object]:
    m = lw.PlanarModel()
    return m, m.body("a", position=(1, 0)), m.body("b", position=(2, 0))


CORNER = lw.Curve.polar(lambda a: 1 + lw.absolute(lw.sin(a)))
WRONG = {
    "zero length": lambda m, a, b: lw.Distance("E", a.at(0, 0), b.at(0, 0), 0),
    "zero link": lambda m, a, b: lw.RevoluteRevolute("E", a.at(0, 0), b.at(0, 0), 0.0),
    "negative length": lambda m, a, b: lw.Distance("E", a.at(0, 0), b.at(0, 0), -1),
    "no direction": lambda m, a, b: lw.Translational("E", a.at(0, 0), b.at(0, 0)),
    "one body": lambda m, a, b: lw.Revolute("E", a.at(0, 0), a.at(1, 0)),
    "radii of zero sum": lambda m, a, b: lw.Gear("E", a.at(0, 0), b.at(0, 0), (1, -1)),
    "radius zero": lambda m, a, b: lw.Gear("E", a.at(0, 0), b.at(0, 0), (0, 1)),
    "pinion of no radius": lambda m, a, b: lw.RackPinion("E", a.at(0, 0, angle=0), b.at(0, 0), 0),
    "three radii": lambda m, a, b: lw.Gear("E", a.at(0, 0), b.at(0, 0), (1, 2, 3)),
    "curve with a corner": lambda m, a, b: lw.CamFlat("E", a.curve(CORNER), b.at(0, 0, angle=0)),
    "curve that does not close": lambda m, a, b: lw.CamFlat(
        "E", a.curve(lw.Curve.parametric("cos(alpha)", "sin(alpha) + 0.1*alpha", closed=True)), b.at(0, 0, angle=0)
    ),
    "curve that stands still": lambda m, a, b: lw.PointFollower(
        "E", b.at(0, 0), a.curve(lw.Curve.parametric("alpha**3", "alpha**3", start=-1, end=1, closed=False))
    ),
    "curve of nothing": lambda m, a, b: lw.PointFollower("E", b.at(0, 0), a.curve(lw.Curve.polar("0/0*alpha"))),
    "driven distance of zero": lambda m, a, b: lw.Driver("E", lw.distance(a.at(0, 0), b.at(0, 0)), 0.0),
    "driver of a velocity": lambda m, a, b: lw.Driver("E", a.vx, "t"),
    "driver of nothing": lambda m, a, b: lw.Driver("E", 3.0, "t"),
    "NaN in a motion": lambda m, a, b: lw.Driver("E", a.x, float("nan")),
    "infinite length": lambda m, a, b: lw.Distance("E", a.at(0, 0), b.at(0, 0), float("inf")),
    "a word for a length": lambda m, a, b: lw.Distance("E", a.at(0, 0), b.at(0, 0), "long"),
    "an array for a length": lambda m, a, b: lw.Distance("E", a.at(0, 0), b.at(0, 0), np.array([1.0, 2.0])),
    "unknown quantity": lambda m, a, b: lw.Driver("E", "a.anlge", "t"),
    "motion of a position": lambda m, a, b: lw.Driver("E", a.x, "b.x"),
    "coupler of nothing": lambda m, a, b: lw.Coupler("E", {}),
    "table with one point": lambda m, a, b: lw.Driver("E", a.x, lw.Table([0], [1])),
    "rise of no duration": lambda m, a, b: lw.Driver("E", a.x, lw.Cycloid(1, 0)),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_elements(what):
    m, a, b = pair()
    with pytest.raises(lw.ModelError) as caught:
        m.add(WRONG[what](m, a, b))
    error = caught.value
    assert error.remedy
    if "curve of nothing" not in what and "table" not in what:
        assert "E" in error.element
    assert "E" not in m  # nothing half done


def test_wrong_points():
    m, a, _ = pair()
    with pytest.raises(lw.ModelError, match="coincide") as caught:
        a.frame((1, 1), (1, 1))
    assert caught.value.element == ("a",)
    for bad in ((1,), (1, 2, 3), (float("nan"), 0), ("x", 0), (None, 0), ([1, 2], 3)):
        with pytest.raises(lw.ModelError) as caught:
            a.at(*bad)
        assert caught.value.element == ("a",)
    for bad in ({"position": (1,)}, {"position": (1, np.nan)}, {"angle": "north east"}, {"mass": -1}, {"angle": (1, 2)}):
        with pytest.raises(lw.ModelError) as caught:
            m.body("c", **bad)
        assert caught.value.element == ("c",)


def test_unknown_and_taken_names():
    m, a, b = pair()
    pin = m.add(lw.Revolute("pin", a.at(0, 0), b.at(0, 0)))
    with pytest.raises(lw.ModelError, match="taken"):
        m.add(lw.Revolute("pin", a.at(0, 0), b.at(0, 0)))
    with pytest.raises(lw.ModelError) as caught:
        m["pim"]
    assert "pin" in caught.value.remedy
    with pytest.raises(lw.ModelError) as caught:
        m.add(lw.Driver("motor", "pin.angel", "t"))
    assert "angle" in caught.value.remedy
    with pytest.raises(lw.ModelError) as caught:
        m.set(lenght=1)
    assert caught.value.element == ("lenght",)
    assert pin.name == "pin"


def test_a_parameter_that_makes_nonsense_is_refused_before_anything_runs():
    m, a, b = pair()
    L = m.parameter("L", 1.0)
    m.add(lw.Distance("rod", a.at(0, 0), b.at(0, 0), L - 0.5))
    with pytest.raises(lw.ModelError) as caught:
        m.set(L=0.5)
    assert caught.value.element == ("rod",)
    assert m.parameters["L"] == 1.0
