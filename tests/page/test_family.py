"""The page of a family: ghosts stand where their own runs have their bodies."""

import numpy as np
import pytest

import linkwright as lw


def pendulum():
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    length = m.parameter("length", 1.0)
    bob = m.body("bob", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), bob.at(-length, 0)))
    return m


def place_of(node):
    numbers = node.get_attribute("transform").removeprefix("matrix(").removesuffix(")").split()
    return [float(x) for x in numbers[4:]]


def test_ghosts_move_as_their_own_runs(show):
    m, options = pendulum(), {"t_end": 1.0, "steps": 40}
    opened = show(lw.family(m, {"length": [0.6, 1.4]}, channels=["bob.y"], **options))
    ghosts = opened.page.locator("[data-layer=ghosts] .ghost")
    assert [ghosts.nth(k).get_attribute("data-ghost") for k in range(2)] == ["length = 0.6", "length = 1.4"]
    assert opened.page.locator(".plot .ghost").count() == 2
    for t, row in ((0.0, 0), (0.5, 20), (1.0, 40)):
        opened.go(t)
        for k, length in enumerate((0.6, 1.4)):
            m.set(length=length)
            d = lw.dynamics(m, **options)
            # numbers of the page have seven digits
            assert place_of(ghosts.nth(k)) == pytest.approx([d["bob.x"][row], d["bob.y"][row]], abs=1e-6)
    assert opened.complaints == []


def test_all_of_the_family_is_in_sight(show):
    opened = show(lw.family(pendulum(), {"length": [3.0]}, t_end=0.1, steps=2))
    seen, stage = (opened.page.locator(x).bounding_box() for x in ("[data-layer=ghosts]", "#machine"))
    assert seen["x"] + seen["width"] <= stage["x"] + stage["width"]


def test_of_many_points_some_are_drawn():
    page = lw.family(pendulum(), {"length": np.linspace(0.5, 1.5, 200)}, t_end=0.1, steps=2, most=3)
    assert page.text.count('"label":') == 3
    assert '"label":"length = 0.5"' in page.text
    assert '"label":"length = 1.5"' in page.text


@pytest.mark.parametrize(("change", "words"), [
    ({"analysis": "equilibrium"}, "has no motion"), ({"most": 0}, "0 is not a whole number"),
    ({"most": 2.5}, "2.5 is not a whole"), ({"values": {}}, "nothing varies"),
    ({"values": {"lenght": [1.0]}}, "nothing called 'lenght'"),
])  # fmt: skip
def test_bad_input(change, words):
    ask = {"values": {"length": [0.9]}, "t_end": 0.1, "steps": 2, **change}
    with pytest.raises(lw.ModelError, match=words):
        lw.family(pendulum(), ask.pop("values"), **ask)


def test_in_space_it_is_refused():
    m = lw.SpatialModel("ball")
    r = m.parameter("r", 1.0)
    m.body("b", mass=r, inertia=(1, 1, 1))
    with pytest.raises(lw.ModelError, match="drawn in the plane"):
        lw.family(m, {"r": [2.0]}, t_end=0.1, steps=1)


def test_a_machine_that_locks_up_is_told_and_left_out():
    m = lw.PlanarModel("four-bar")
    a = m.parameter("a", 0.3)
    crank, coupler = m.body("crank", position=(0.15, 0)), m.body("coupler", position=(0.7, 0.6), angle=0.6)
    rocker = m.body("rocker", position=(1, 0.4), angle=1.6)
    A = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-a / 2, 0)))
    m.add(lw.Revolute("B", crank.at(a / 2, 0), coupler.at(-0.45, -0.3)))
    m.add(lw.Revolute("C", coupler.at(0.45, -0.3), rocker.at(0.4, 0)))
    m.add(lw.Revolute("D", m.ground.at(1, 0), rocker.at(-0.4, 0)))
    m.add(lw.Driver("motor", A.angle, "2*pi*t"))
    page = lw.family(m, {"a": [0.25, 0.75]}, analysis="kinematics", t_end=1.0, steps=50)
    assert page.text.count('"label":') == 1
    assert "no ghost at a = 0.75" in page.text
