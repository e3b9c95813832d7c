"""Points that are followed: names, channels, paths; the numbers of the grid, round links, a view that goes along."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from page.live_pages import Show, crank, pull, put, solved

pytestmark = pytest.mark.browser

SEEN = "getComputedStyle(document.querySelector('g.body[data-name=frame]')).display"


def channel(opened: Any, name: str) -> np.ndarray:
    return np.array(opened.page.evaluate("(n) => Array.from(linkwright.channel(n))", name))


def test_a_point_with_a_name_has_channels(show: Show) -> None:
    """They are those of the point as the analysis here has them, to rounding; after a move of a slider, too."""
    m = crank(driven=True)
    P = m["rod"].at(0.1, 0.05)
    opened = solved(show(lw.page(m, t_end=1.0, steps=50, trace={"tip": P}, channels=["tip.x"], autoplay=False)))
    for r in (0.2, 0.25):
        assert put(opened, r=r) == ""
        m.set(r=r)
        k = lw.kinematics(m, t_end=1.0, steps=50)
        for what in ("x", "y", "vx", "vy", "ax", "ay"):
            own = k[lw.component(P, what)]
            assert channel(opened, f"tip.{what}") == pytest.approx(own, abs=1e-9 * np.abs(own).max())
        assert channel(opened, "tip.speed") == pytest.approx(
            np.hypot(k[lw.component(P, "vx")], k[lw.component(P, "vy")]), abs=1e-8
        )
    assert "tip.x" in opened.page.locator("#plots").inner_text()
    assert opened.page.locator("#labels text").filter(has_text=re.compile("^tip$")).is_visible()
    assert opened.page.locator("path.trace.own").count() == 1
    opened.page.locator("#parts button", has_text="tip").click()
    told = opened.page.locator("#selection").inner_text()
    assert "point of rod (0.1, 0.05)" in told
    assert "tip.speed" in told


def test_in_space_rates_of_rotation_are_those_of_the_body(show: Show) -> None:
    m = lw.SpatialModel("top", gravity=(0, 0, 0))
    top = m.body("top", mass=1.0, inertia=(1, 2, 3), position=(0, 0, 0), velocity=(0.1, 0, 0), omega=(1, 2, 3))
    P = top.at(0.3, -0.2, 0.5)
    d = lw.dynamics(m, t_end=0.5, steps=20)
    opened = solved(show(lw.page(m, t_end=0.5, steps=20, trace=[P], autoplay=False), 480, 360))
    for what in ("x", "z", "vx", "vy", "vz", "ax", "az"):
        own = d[lw.component(P, what)]
        assert channel(opened, f"P.{what}") == pytest.approx(own, abs=1e-8)


def test_points_without_a_name_get_a_letter_that_is_free(show: Show) -> None:
    m = crank(driven=True)
    m.body("P", mass=1.0, inertia=1.0, position=(0.9, 0.2))
    m.add(lw.Fixed("hold", m.ground.at(0.9, 0.2), m["P"].at(0, 0)))
    opened = solved(show(lw.page(m, steps=20, trace=[m["rod"].at(0.1, 0)], autoplay=False)))
    assert "Q.speed" in opened.page.evaluate("linkwright.channels")
    box = opened.page.locator('g.body[data-name="crank"]').bounding_box()
    opened.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    opened.page.locator("#selection button", has_text="Trace the point").click()
    assert "R.ax" in opened.page.evaluate("linkwright.channels")
    assert put(opened, r=0.22) == ""
    assert "R.ax" in opened.page.evaluate("linkwright.channels")
    assert opened.page.locator("#channels label", has_text="R.speed").count() == 1


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        ({"rod": 0}, "is no point to follow"),
        ({"B": None}, "an element has the name of a point"),
        ({" ": None}, "cannot be the name of a point"),
    ],
)
def test_names_that_points_cannot_have(trace: dict[str, Any], words: str) -> None:
    m = crank(driven=True)
    with pytest.raises(lw.ModelError, match=words):
        lw.page(m, trace={n: m["rod"].at(0, 0) if p is None else p for n, p in trace.items()})


def test_the_grid_has_numbers(show: Show) -> None:
    """At the edges, in the unit of the ruler, where the lines are; names keep off them."""
    opened = solved(show(lw.page(crank(driven=True), steps=20, autoplay=False)))
    numbers = opened.page.locator("#machine .numbers text")
    told = {e.text_content(): e.bounding_box() for e in numbers.all() if e.get_attribute("text-anchor") == "middle"}
    assert opened.page.locator("#scale").inner_text().endswith("mm")
    assert {"0", "200", "400"} <= set(told)
    a, b = told["200"], told["400"]
    assert a["y"] == pytest.approx(b["y"], abs=0.5)
    ruler = opened.page.locator("#scale svg").bounding_box()["width"] - 2
    step = int(opened.page.locator("#scale").inner_text().split()[0])
    assert b["x"] + b["width"] / 2 - a["x"] - a["width"] / 2 == pytest.approx(200 / step * ruler, abs=1)
    boxes = [e.bounding_box() for e in opened.page.locator("#labels text").all() if e.is_visible()]
    for one in told.values():
        for other in boxes:
            apart = one["x"] > other["x"] + other["width"] or other["x"] > one["x"] + one["width"]
            assert apart or one["y"] > other["y"] + other["height"] or other["y"] > one["y"] + one["height"]


def test_boxes_that_are_links_go_round_their_pins(show: Show) -> None:
    m = lw.PlanarModel("links")
    arm = m.body("arm", mass=1, inertia=1, position=(0.5, 0), shape={"box": (1.0, 0.1)})
    bob = m.body("bob", mass=1, inertia=1, position=(1, -0.2), shape={"box": (0.2, 0.3)})
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.add(lw.Revolute("B", arm.at(0.5, 0), bob.at(0, 0.1)))
    page = show(lw.dynamics(m, t_end=0.1, steps=4).animate(autoplay=False)).page
    shape = page.locator('g.body[data-name="arm"] path.solid').first.get_attribute("d")
    assert shape.count("A0.05 0.05 0 0 1") == 2
    assert "A" not in page.locator('g.body[data-name="bob"] path.solid').first.get_attribute("d")


def cart(held: bool = False) -> lw.PlanarModel:
    m = lw.PlanarModel("cart", gravity=(0, -9.81))
    frame = m.body("frame", mass=5, inertia=1, position=(0, 0.3), velocity=(6, 0), shape={"box": (1.7, 0.6)})
    if held:
        m.add(lw.Translational("rail", m.ground.at(0, 0.3, angle=0), frame.at(0, 0, angle=0)))
    else:
        for x in (-0.8, 0.8):
            m.add(lw.Contact(f"foot {x > 0}", frame.at(x, -0.3), m.ground.at(0, 0, angle=0), restitution=0))
    return m


def test_the_view_goes_along_with_what_travels(show: Show) -> None:
    """A block that slides ten times its length stays where it is on the screen, and the grid goes by; one on a rail is
    seen with all of its rail."""
    where = "() => document.querySelector('g.body[data-name=frame]').getBoundingClientRect().x"
    wide = "() => document.querySelector('g.body[data-name=frame]').getBoundingClientRect().width"
    labels = "() => [...document.querySelectorAll('.numbers text')].reduce((m, e) => Math.max(m, +e.textContent || 0), 0)"
    opened = solved(show(lw.page(cart(), t_end=3.0, steps=60, autoplay=False)))
    (x, w, first), (y, _, last) = opened.along([0.1, 2.9], where, wide, labels)
    assert y == pytest.approx(x, abs=1)
    assert w > 250
    assert last - first > 10
    opened = solved(show(lw.page(cart(held=True), t_end=3.0, steps=60, autoplay=False)))
    (x, w, _), (y, _, _) = opened.along([0.1, 2.9], where, wide, labels)
    assert y - x > 400
    assert w < 150


def test_a_point_at_a_joint_shares_its_name(show: Show) -> None:
    """And has no dot of its own, which would hide the joint."""
    m = crank(driven=True)
    opened = solved(show(lw.page(m, steps=20, trace=[m["crank"].at(0.1, 0)], autoplay=False)))
    assert opened.page.locator("#labels text").filter(has_text=re.compile("^B, P$")).count() == 1
    assert opened.page.locator("#machine .followed").count() == 0
    assert "P.x" in opened.page.evaluate("linkwright.channels")


def test_what_is_let_go_stays_in_sight(show: Show) -> None:
    """After a pull time goes on beyond the run, and a stone without weight flies on: the view goes along, until the run is
    shown again."""
    m = lw.PlanarModel("stone", gravity=(0, 0))
    m.body("stone", mass=1.0, inertia=1.0, velocity=(1, 0), shape={"circle": 0.1})
    opened = solved(show(lw.page(m, t_end=1.0, steps=50, autoplay=False)))
    first = opened.page.evaluate("linkwright.place('stone')")
    opened.page.locator("#speed").select_option(label="5×")
    pull(opened, "stone", (10, 0))
    opened.page.mouse.up()
    opened.until("parseFloat(document.getElementById('clock').textContent) > 6")
    view, stone = (opened.page.locator(at).bounding_box() for at in ("#view", 'g.body[data-name="stone"]'))
    assert view["x"] < stone["x"]
    assert stone["x"] + stone["width"] < view["x"] + view["width"]
    opened.go(0.0)
    assert opened.page.evaluate("linkwright.place('stone')") == pytest.approx(first, abs=0.5)
