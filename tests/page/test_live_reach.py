"""A crank that cannot turn right round: the page shows how far it goes, both ways, and says where and why it ends."""

from __future__ import annotations

from math import acos, atan2, cos, hypot, pi, sin

import numpy as np
import pytest

import linkwright as lw
from page.live_pages import Show, channels, crank, numbers, put, solved

pytestmark = pytest.mark.browser

CRANK, LINK, BASE = 3.0, 3.0, 4.0  # crank and base are together longer than the other two links: it rocks
MOST = acos((CRANK**2 + BASE**2 - (2 * LINK) ** 2) / (2 * CRANK * BASE))  # where coupler and follower are in line
START = 1.5
FIRST, LAST = (-MOST - START) / (2 * pi), (MOST - START) / (2 * pi)  # a turn takes a second


def rocking() -> lw.PlanarModel:
    m = lw.PlanarModel("rocking", gravity=(0, -9.81))
    r = m.parameter("r", CRANK)
    bx, by = CRANK * cos(START), CRANK * sin(START)
    away = hypot(BASE - bx, by)
    lean = atan2(-by, BASE - bx) + acos(away / (2 * LINK))
    cx, cy = bx + LINK * cos(lean), by + LINK * sin(lean)
    own = m.body("crank", mass=1.0, inertia=1.0, position=(bx / 2, by / 2), angle=START)
    coupler = m.body("coupler", mass=1.0, inertia=1.0, position=((bx + cx) / 2, (by + cy) / 2), angle=lean)
    follower = m.body("follower", mass=1.0, inertia=1.0, position=((BASE + cx) / 2, cy / 2), angle=atan2(cy, cx - BASE))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0), own.at(-r / 2, 0)))
    m.add(lw.Revolute("B", own.at(r / 2, 0), coupler.at(-LINK / 2, 0)))
    m.add(lw.Revolute("C", coupler.at(LINK / 2, 0), follower.at(LINK / 2, 0)))
    m.add(lw.Revolute("D", follower.at(-LINK / 2, 0), m.ground.at(BASE, 0)))
    m.add(lw.Driver("motor", pin.angle, "1.5 + 2*pi*t"))
    return m


@pytest.mark.parametrize("analysis", ["kinematics", "inverse_dynamics"])
def test_the_whole_reachable_range_is_shown(show: Show, analysis: str) -> None:
    """Both ends are dead points, whose times follow from the triangle; steps end within 1e-10 of them."""
    opened = numbers(show, rocking(), analysis=analysis, t_end=1.0, steps=100)
    times = np.array(opened.page.evaluate("Array.from(linkwright.times)"))
    assert times[[0, -1]] == pytest.approx([FIRST, LAST], abs=1e-9)
    assert (np.diff(times) > 0).all()
    assert np.abs(np.diff(times)).max() <= 0.01 + 1e-12
    found = channels(opened)
    assert found["crank.angle"] == pytest.approx(START + 2 * pi * times, abs=1e-9)
    for end in (0, -1):  # coupler and follower are in line there; their angle changes with the root of the time
        assert abs(sin(found["coupler.angle"][end] - found["follower.angle"][end])) < 1e-4
    assert float(opened.page.locator("#time").get_attribute("min")) == pytest.approx(FIRST, abs=1e-9)
    box = opened.page.locator("#trouble")
    with pytest.raises(lw.SingularityError) as caught:
        lw.kinematics(rocking(), t_end=1.0, steps=100)
    assert caught.value.cause.rpartition(" t = ")[0] in box.inner_text()
    told = opened.page.locator("#reach").inner_text()
    assert told.startswith("It is shown as far as it goes, there and back: from t = -0.56")
    assert "where A, B, C, D, motor lock it as well, to t = 0.087" in told
    assert "stale" not in (opened.page.locator("#stage").get_attribute("class") or "")
    assert opened.page.evaluate("linkwright.message").startswith("A, B, C, D, motor: the machine locks up at t = ")


def test_it_plays_there_and_back(show: Show) -> None:
    opened = solved(show(lw.page(rocking(), t_end=1.0, steps=100, autoplay=False), 480, 360))
    watch = """(done) => {
        const slider = document.getElementById('time'), out = [];
        const on = () => {
            out.push(+slider.value);
            if (out.length < 400 && out.at(-1) > Math.max(...out) - 0.05) requestAnimationFrame(on); else done(out);
        };
        on();
    }"""
    opened.go(LAST - 0.05)
    opened.page.locator("#play").click()
    seen = np.array(opened.page.evaluate(f"new Promise({watch})"))
    opened.page.locator("#play").click()
    assert seen.max() > LAST - 0.03
    assert np.abs(np.diff(seen)).max() < 0.2  # never from one end to the other
    assert seen[-1] < seen.max() - 0.05


def test_forces_and_plots_are_scaled_where_it_moves(show: Show) -> None:
    """At a dead point forces of a prescribed motion grow without bounds: what is drawn is not all nothing beside them."""
    opened = solved(show(lw.page(rocking(), analysis="inverse_dynamics", t_end=1.0, steps=100, autoplay=False)))
    opened.go((FIRST + LAST) / 2)
    boxes = [arrow.bounding_box() for arrow in opened.page.locator("#machine path.force").all()]
    lengths = [box["height"] + box["width"] for box in boxes if box]
    assert max(lengths) > 20  # pixels


def test_a_lock_up_that_is_slid_into_and_out_of(show: Show) -> None:
    opened = numbers(show, crank(driven=True), t_end=1.0, steps=50)
    last = channels(opened)
    assert "locks up" in put(opened, r=0.5, l=0.42)
    assert "The picture is older." in opened.page.locator("#trouble").inner_text()
    assert all(np.array_equal(last[name], values) for name, values in channels(opened).items())
    opened.page.locator("#show-reach").click()
    assert opened.page.locator("#reach").is_visible()
    times = opened.page.evaluate("Array.from(linkwright.times)")
    assert times[0] < 0 < times[-1] < 1
    assert put(opened, r=0.2, l=0.5) == ""
    assert not opened.page.locator("#reach").is_visible()
    assert opened.page.evaluate("Array.from(linkwright.times)") == pytest.approx(np.linspace(0, 1, 51), abs=1e-15)
    ticks = opened.page.locator("#plots svg.plot text").all_text_contents()
    assert not [x for x in ticks if "e" in x]  # the curve of before is not scaled by its dead points
