"""The live page of a machine in space in hands: what `test_live_hands` asks of one in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from page.live_pages import Show, assert_same, channels, pull, put, solved
from page.pixels import decoded, inked, pixels

pytestmark = pytest.mark.browser


def pendulum() -> lw.SpatialModel:
    """In the x-y plane of space, about its z axis."""
    m = lw.SpatialModel("pendulum", gravity=(0, -9.81, 0))
    l = m.parameter("l", 0.5)  # noqa: E741
    arm = m.body("arm", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(l, 0, 0))
    pin = m.add(lw.Revolute("A", m.ground.at(0, 0, 0), arm.at(-l, 0, 0)))
    m.fix(pin.angle, 0.0)
    return m


def test_time_follows_the_mouse(show: Show) -> None:
    """The slider drawn along its rail as far as it goes: the time is that at which it is there, of those that are near."""
    m = EXAMPLES["spatial-slider-crank"].load()
    opened = solved(show(lw.page(m, t_end=1.0, autoplay=False)))
    x = lw.kinematics(m, t_end=1.0, steps=200)["slider.x"]
    opened.go(0.3)
    place = "Object.values(linkwright.place('slider'))"
    (before,), (after,) = (opened.along([k / 200], f"() => {place}") for k in (60, int(x.argmax())))
    opened.go(0.3)
    way = np.subtract(after[0], before[0])
    pull(opened, "slider", tuple(400 * way / np.hypot(*way)))
    opened.page.mouse.up()
    assert x[round(200 * opened.time())] > x.max() - 0.01 * np.ptp(x)


def test_a_spring_pulls_what_is_let_go(show: Show) -> None:
    """The arm, which falls, is held up where the mouse is: it stays there, but for the stretch of the spring."""
    opened = solved(show(lw.page(pendulum(), t_end=2.0, steps=50, autoplay=False)))
    mouse = pull(opened, "arm", (0, 30))
    away = f"Math.hypot(linkwright.place('arm').x - {mouse[0]}, linkwright.place('arm').y - {mouse[1]})"
    opened.until(f"{away} < 12")
    opened.page.wait_for_timeout(300)
    assert opened.page.evaluate(away) < 12
    opened.page.mouse.up()
    opened.until(f"{away} > 30")
    assert opened.complaints == []


def test_the_start_is_placed_and_shared(show: Show) -> None:
    """The run begins where the arm was put, as it does here from there; whoever opens the link sees the same; undo."""
    m = pendulum()
    opened = solved(show(lw.page(m, t_end=0.3, steps=30, autoplay=False)))
    opened.page.locator("#drags").select_option("place")
    pull(opened, "arm", (-20, 60))
    opened.page.mouse.up()
    opened.until("'A.angle' in linkwright.state")
    assert put(opened, l=0.4) == ""
    angle = opened.page.evaluate("linkwright.state['A.angle']")
    assert abs(angle) > 0.1
    m.set(l=0.4)
    m.fix(m["A"].angle, angle)
    assert_same(opened, lw.dynamics(m, t_end=0.3, steps=30))
    placed, address = channels(opened), opened.page.url
    opened.page.locator("#undo").click()
    opened.until("linkwright.parameters.l === 0.5")
    opened.page.evaluate("linkwright.reset()")
    assert opened.page.evaluate("[linkwright.state, location.hash]") == [{}, ""]
    opened.page.goto(address)
    opened.page.reload()
    solved(opened)
    assert all((values == placed[name]).all() for name, values in channels(opened).items())


def test_files_and_keys(show: Show, tmp_path: Any) -> None:
    """Numbers, model and picture are kept; whoever wants no motion gets none until a key asks for it."""
    m = EXAMPLES["spatial-slider-crank"].load()
    opened = solved(show(lw.page(m, t_end=1.0, steps=20), accept_downloads=True, reduced_motion="reduce"))
    assert opened.time() == 0
    put(opened, l=0.31)
    for kind in ("csv", "yaml", "png"):
        with opened.page.expect_download() as download:
            opened.page.locator("#export").select_option(kind)
        download.value.save_as(tmp_path / f"file.{kind}")
    lines = (tmp_path / "file.csv").read_text().splitlines()
    column = lines[0].split(",").index("slider.x")
    m.set(l=0.31)
    x = [float(line.split(",")[column]) for line in lines[1:]]
    np.testing.assert_allclose(x, lw.kinematics(m, t_end=1.0, steps=20)["slider.x"], rtol=0, atol=1e-12)  # of 0.3 m
    assert lw.load(tmp_path / "file.yaml").parameters["l"] == 0.31
    view, picture = opened.page.locator("#view"), decoded((tmp_path / "file.png").read_bytes())
    width, height = (view.evaluate(f"(e) => e.client{side}") for side in ("Width", "Height"))
    assert picture.shape == (2 * height, 2 * width, 3)
    assert inked(picture) == pytest.approx(inked(pixels(view)), rel=0.3)  # the machine, not its names alone
    opened.page.locator("#stage").focus()
    opened.page.keyboard.press("End")
    assert opened.time() == 1.0
    seen = opened.page.evaluate("linkwright.place('slider')")
    opened.page.keyboard.press("d")  # the camera turns
    assert opened.page.evaluate("linkwright.place('slider')") != seen
    opened.page.keyboard.press(" ")
    opened.until("document.getElementById('play').ariaLabel === 'Pause'")
