"""The live page under fingers: bodies dragged on a screen that is touched, in all three ways; two fingers look closer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from page.conftest import Opened
from page.live_pages import Show, channels, crank, pendulum, solved

pytestmark = pytest.mark.browser
Spot = tuple[float, float]


def fingers(opened: Opened) -> Callable[..., None]:
    """Puts fingers where they are said to be; none: all are lifted."""
    tools = opened.page.context.new_cdp_session(opened.page)
    down = 0

    def put(*spots: Spot) -> None:
        nonlocal down
        kind = "touchEnd" if len(spots) < down else "touchMove" if len(spots) == down else "touchStart"
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(spots)]
        tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        down = len(spots)

    return put


def telephone(show: Show, m: lw.Model, **options: Any) -> Opened:
    page = lw.page(m, autoplay=False, **options)
    return solved(show(page, 390, 780, has_touch=True, is_mobile=True, device_scale_factor=3))


def drag(opened: Opened, put: Callable[..., None], body: str, by: Spot) -> Spot:
    """One finger takes a body at its mass centre and moves; where it is then, still down."""
    at = opened.page.evaluate("(b) => linkwright.place(b)", body)
    for part in (0.0, 0.25, 0.5, 0.75, 1.0):
        put((at["x"] + part * by[0], at["y"] + part * by[1]))
    return at["x"] + by[0], at["y"] + by[1]


def test_time_follows_the_finger(show: Show) -> None:
    m = crank(driven=True)
    opened = telephone(show, m, t_end=1.0)
    k = lw.kinematics(m, t_end=1.0, steps=200)
    put = fingers(opened)
    drag(opened, put, "slider", (-300, 0))
    put()
    assert opened.time() == pytest.approx(float(k.t[k["slider.x"].argmin()]), abs=1e-9)
    assert opened.page.evaluate("[scrollX, scrollY, visualViewport.scale]") == [0, 0, 1]  # the page itself stays


def test_a_finger_pulls_what_is_let_go(show: Show) -> None:
    """The arm of a pendulum, drawn aside: it follows within the stretch of the spring, and swings back when let go."""
    m, _ = pendulum("pendulum")
    m["arm"].guess(position=(0, -0.5), angle=-np.pi / 2)
    opened = telephone(show, m, t_end=2.0, steps=50)
    put, start = fingers(opened), opened.page.evaluate("linkwright.place('arm').x")
    x, _ = drag(opened, put, "arm", (60, -60))
    opened.until(f"Math.abs(linkwright.place('arm').x - {x}) < 20")
    put()
    opened.until(f"linkwright.place('arm').x < {start}")
    assert opened.complaints == []


def test_a_finger_places_the_start(show: Show) -> None:
    """A second finger, on another body, does not take it away."""
    opened = telephone(show, crank(), t_end=0.3, steps=30)
    opened.page.locator("#drags").select_option("place")
    put, before = fingers(opened), channels(opened)["slider.x"][0]
    x, y = drag(opened, put, "slider", (-30, 0))
    other = opened.page.evaluate("linkwright.place('rod')")
    put((x, y), (other["x"], other["y"]))
    put((x - 8, y), (other["x"], other["y"] + 40))
    opened.until(f"Math.abs(linkwright.place('slider').x - {x - 8}) < 1")
    put()
    opened.until("'slider.x' in linkwright.state && document.getElementById('stage').ariaBusy === 'false'")
    assert channels(opened)["slider.x"][0] < before - 0.05
    assert opened.complaints == []


def test_two_fingers_look_closer(show: Show) -> None:
    """On the empty stage they zoom; one finger shifts what is seen."""
    opened = telephone(show, crank(driven=True), t_end=1.0, steps=20)
    stage, put = opened.page.locator("#stage").bounding_box(), fingers(opened)
    x, y = stage["x"] + 40, stage["y"] + stage["height"] - 60
    far = "(([p, q]) => Math.hypot(p.x - q.x, p.y - q.y))(['slider', 'crank'].map(linkwright.place))"
    before, place = opened.page.evaluate(far), opened.page.evaluate("linkwright.place('crank').x")
    put((x, y))
    put((x + 20, y))
    assert opened.page.evaluate("linkwright.place('crank').x") == pytest.approx(place + 20, abs=5)
    assert opened.page.evaluate(far) == pytest.approx(before)
    put((x + 20, y), (x + 60, y))
    put((x + 20, y), (x + 100, y))
    put()
    assert opened.page.evaluate(far) == pytest.approx(2 * before, rel=0.01)
