"""Names on the stage, in a real browser: none over another, none that jumps about, none that cannot be had."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from view.sample_machines import quick_return, spatial_slider_crank

pytestmark = pytest.mark.browser
Show = Callable[..., Any]

# Of each name that is shown: the text, its box, and the place it belongs to, all in the axes of the stage.
NAMES = """() => {
    const stage = document.getElementById('labels').getBoundingClientRect();
    return [...document.querySelectorAll('#labels text')].filter(t => t.style.display !== 'none').map(t => {
        const r = t.getBoundingClientRect(), [x, y] = t.place;
        return [t.textContent, [r.left - stage.left, r.top - stage.top, r.right - stage.left, r.bottom - stage.top], [x, y]];
    });
}"""
OVER = """() => {
    const stage = document.getElementById('labels').getBoundingClientRect();
    return [...document.querySelectorAll('.over')].map(e => e.getBoundingClientRect()).filter(r => r.width)
        .map(r => [r.left - stage.left, r.top - stage.top, r.right - stage.left, r.bottom - stage.top]);
}"""


def meet(a: list[float], b: list[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def run(name: str) -> lw.Result:
    chosen = example(name)
    model = chosen.load()
    massive = any(b.mass for b in model.bodies.values())
    analyse = lw.dynamics if chosen.analysis == "dynamics" else lw.inverse_dynamics if massive else lw.kinematics
    result = analyse(model, t_end=min(chosen.t_end, 1.0), steps=24)
    result.describe(model)
    return result


@pytest.mark.parametrize("name", ["slider-crank", "quick-return", "jansen", "governor", "spatial-slider-crank"])
def test_no_name_lies_over_another(name: str, show: Show) -> None:
    """On a desk and on a telephone."""
    result = run(name)
    opened = show(result.animate(autoplay=False))
    bodies = {b["name"] for b in (result.drawing or {})["bodies"]} - {"ground"}
    for width, height in ((1200, 760), (390, 780)):
        opened.resize(width, height)
        stage = opened.page.locator("#labels").bounding_box()
        shown: list[int] = []
        for time, (names, over) in zip(result.t[::3], opened.along(result.t[::3], NAMES, OVER), strict=True):
            boxes = [box for _, box, _ in names]
            assert not [(a, b) for a, b in itertools.combinations(boxes, 2) if meet(a, b)], (width, time)
            assert not [(a, b) for a in boxes for b in over if meet(a, b)], (width, time)
            for box in boxes:
                assert box[0] >= 0 <= box[1]
                assert box[2] <= stage["width"]
                assert box[3] <= stage["height"]
            shown.append(len(bodies & {text for text, _, _ in names}))
        assert min(shown) >= 0.75 * len(bodies), width  # bodies come before joints
    assert opened.complaints == []


def test_names_stay_where_they_were(show: Show) -> None:
    """Over a turn in 120 frames a name moves with its body, and seldom changes sides."""
    m = quick_return()
    r = lw.kinematics(m, t_end=1.0, steps=120)
    opened = show(r.animate(model=m, autoplay=False))
    jumps = frames = 0
    before: dict[str, tuple[float, float]] = {}
    for (names,) in opened.along(r.t, NAMES):
        now = {text: (box[0] - x, box[1] - y) for text, box, (x, y) in names}
        for text in now.keys() & before.keys():
            frames += 1
            jumps += abs(now[text][0] - before[text][0]) + abs(now[text][1] - before[text][1]) > 2  # pixels
        before = now
    assert frames > 1000
    assert jumps < 0.03 * frames


def test_a_hidden_name_is_shown_on_what_is_picked_or_pointed_at(show: Show) -> None:
    result = run("jansen")  # with 26 joints: only bodies have names
    opened = show(result.animate(autoplay=False))
    page = opened.page

    def names() -> set[str]:
        return {part for text, _, _ in page.evaluate(NAMES) for part in text.split(", ")}

    assert "left G" not in names()
    page.locator("#parts").get_by_role("button", name="left G", exact=True).click()
    assert "left G" in names()
    page.locator("#parts").get_by_role("button", name="crank", exact=True).click()
    assert "left G" not in names()
    pin = page.locator('g.joint[data-name="right D"] .pin').bounding_box()
    page.mouse.move(pin["x"] + pin["width"] / 2, pin["y"] + pin["height"] / 2)
    assert "right D" in names()
    page.mouse.move(5, 5)
    assert "right D" not in names()
    assert opened.complaints == []


def test_names_in_space_are_those_of_bodies_and_joints(show: Show) -> None:
    m = spatial_slider_crank()
    opened = show(lw.kinematics(m, t_end=1.0, steps=20).animate(model=m, autoplay=False))
    assert {text for text, _, _ in opened.page.evaluate(NAMES)} == {
        "crank",
        "rod",
        "slider",
        "A",
        "B",
        "C, D",
        "x",
        "y",
        "z",
    }
    opened.page.locator("#names").uncheck()
    assert {text for text, _, _ in opened.page.evaluate(NAMES)} == {"x", "y", "z"}
    opened.page.locator("#names").check()
    opened.page.mouse.move(*opened.spot("A"))
    assert opened.page.locator("#labels text.wanted").all_text_contents() == ["A"]
    assert opened.complaints == []


def test_names_stand_amid_what_they_name(show: Show) -> None:
    """A spring has its name at its middle, a body on one joint amid its given shape, wherever its origin is."""
    m = lw.PlanarModel("buffer")
    block = m.body("block", mass=1.0, position=(1, 0), shape={"box": (0.4, 0.5), "at": (0.2, 0)})
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    m.add(lw.Spring("spring", m.ground.at(0, 0), block.at(0, 0), k=10.0, length=1.0))
    m.add(lw.Driver("motor", block.x, "1 + 0.1*t"))
    opened = show(lw.kinematics(m, t_end=1.0, steps=4).animate(model=m, autoplay=False))
    for name, drawn in (("block", 'g.body[data-name="block"]'), ("spring", '#machine g.joint[data-name="spring"]')):
        box = opened.page.locator(drawn).first.bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert opened.spot(name) == pytest.approx(middle, abs=2), name  # pixels


def test_on_a_telephone_joints_have_no_names_far_away(show: Show) -> None:
    """Of a coil spring's seven bodies some names need a line that leads to them; springs and guides have none."""
    model = example("coil-spring").load()
    opened = show(lw.dynamics(model, t_end=0.1, steps=1).animate(autoplay=False), 390, 844)
    names = opened.page.evaluate(NAMES)
    bodies = {name for name in model.bodies if name != "ground"}
    assert bodies <= {text for text, _, _ in names}
    for text, (left, top, right, bottom), (x, y) in names:
        away = np.hypot(max(left - x, x - right, 0), max(top - y, y - bottom, 0))
        assert text in bodies or away < 16, text  # pixels: no line leads to it
