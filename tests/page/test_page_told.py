"""Numbers as the page tells them: with prefixes, rounding as zero, what moves to listeners; the page folded, on paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.results import Audit
from page.live_pages import crank
from view.sample_machines import slider_crank

pytestmark = pytest.mark.browser
Show = Callable[..., Any]


def weight() -> lw.Result:
    """A weight on a pin, with numbers of many sizes."""
    m = lw.PlanarModel("weight")
    ball = m.body("ball", mass=1.0, position=(0, -1))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), ball.at(0, 1)))
    t = np.array([0.0, 1.0])
    values = {
        "ball.x": 1e-17, "ball.y": -1.0, "ball.angle": 0.0, "ball.vx": 3e-15, "ball.vy": 0.002 * t,
        "pin.fx": 4e-12, "pin.fy": 228e3 + t, "pin.torque": -2e-11,
    }  # fmt: skip
    return lw.Result(m.name, t, {c: 0 * t + x for c, x in values.items()}, Audit(), source=m)


def test_numbers_have_prefixes_and_rounding_is_zero(show: Show) -> None:
    opened = show(weight().animate(autoplay=False, channels=["pin.fy", "ball.x"]))
    opened.go(1.0)
    told = {}
    for name in ("ball", "pin"):
        opened.page.locator("#parts button", has_text=name).click()
        rows = opened.page.locator("#selection tr").all_inner_texts()
        told |= {row.split("\t")[0]: row.split("\t")[1:] for row in rows}
    assert told["pin.fy"] == ["228.001", "kN"]
    assert told["pin.fx"] == ["0", "N"]  # of 228 kN
    assert told["pin.torque"] == ["0", "N m"]  # of forces and lengths: there is no other torque to judge it by
    assert told["ball.x"] == ["0", "m"]
    assert told["ball.y"] == ["-1", "m"]
    assert told["ball.vx"] == ["0", "m/s"]
    assert told["ball.vy"] == ["2", "mm/s"]
    legend = opened.page.locator("#plots .legend").all_inner_texts()
    assert [" ".join(x.split()) for x in legend] == ["pin.fy 228.001 kN", "ball.x 0 m"]
    ticks = opened.page.locator("#plots svg text[text-anchor=end]").all_text_contents()
    assert not any("e-" in x for x in ticks)
    assert "228" in ticks  # of the axis, in kN


def test_an_angle_that_only_rounds_is_zero(show: Show) -> None:
    """Where there is no other angle to judge it by, it is judged by a radian."""
    m = lw.PlanarModel("rail")
    m.body("bead", mass=1.0, inertia=0.1)
    t = np.array([0.0, 1.0])
    channels = {"bead.x": t, "bead.y": 0 * t, "bead.angle": -7.4e-19 * t}
    opened = show(lw.Result("rail", t, channels, Audit(), source=m).animate(autoplay=False, channels=["bead.angle"]))
    opened.go(1.0)
    assert opened.page.locator("#plots .legend").inner_text().split() == ["bead.angle", "0", "rad"]


def test_what_moves_is_told(show: Show) -> None:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=100)
    opened = show(r.animate(model=m, channels=["slider.x", "crank.angle"], autoplay=False))
    page, told = opened.page, "document.getElementById('told').textContent"
    assert page.locator("#told").get_attribute("aria-live") == "polite"
    assert "3 bodies, crank, rod, slider; 4 joints, A between ground and crank" in page.locator("#stage").get_attribute(
        "aria-label"
    )
    for time in (0.25, 0.75):
        opened.go(time)
        opened.until(f"{told}.startsWith('At {time:.3f} s: slider.x')")
        k = round(100 * time)
        way = "rising" if r["slider.x"][k + 1] > r["slider.x"][k] else "falling"
        said = page.evaluate(told)
        assert f"slider.x {r['slider.x'][k]:.3g} m and {way}" in said
        assert said.endswith("rad and rising")  # the crank
    page.locator("#play").click()
    opened.until(f"{told}.startsWith('It moves')")
    page.locator("#play").click()
    opened.until(f"{told}.startsWith('At ')")


def test_numbers_fold_away_and_the_stage_takes_their_room(show: Show) -> None:
    m = slider_crank()
    opened = show(lw.kinematics(m, t_end=1.0, steps=4).animate(model=m, autoplay=False))
    page, width = opened.page, "document.getElementById('view').clientWidth"
    before = page.evaluate(width)
    page.locator("#fold").click()
    opened.until(f"{width} > {before} + 300")
    assert page.locator("#fold").get_attribute("aria-expanded") == "false"
    assert not page.locator("#numbers").is_visible()
    page.keyboard.press("p")
    opened.until(f"{width} === {before}")
    assert page.locator("#numbers").is_visible()
    opened.resize(390, 844)
    page.locator("#fold").click()
    opened.until("document.getElementById('stage').clientHeight > 500")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_paper_there_is_the_machine_and_nothing_to_press(show: Show) -> None:
    """As it stands and when, by which values; in the colours of paper, whatever those of the screen are."""
    opened = show(lw.page(crank(driven=True), t_end=1.0, steps=4, autoplay=False), color_scheme="dark")
    opened.page.emulate_media(media="print")
    numbers = ".tune input[type=number]"
    for what in ("#play", "#time", ".speed", "#switches", "#fold", "#parts", ".tune input[type=range]", "#audit-box"):
        assert not opened.page.locator(what).first.is_visible(), what
    for what in ("#machine", "#scale", "#plots svg.plot", "#clock", numbers):
        assert opened.page.locator(what).first.is_visible(), what
    assert opened.page.locator(numbers).first.input_value() == "0.2"
    style = "getComputedStyle(document.getElementById('stage'))"
    assert opened.page.evaluate(f"{style}.backgroundColor") == "rgb(255, 255, 255)"
    assert float(opened.page.evaluate(f"{style}.getPropertyValue('--shade')")) == 0.16
