"""A live page among strangers: hostile names, a notebook's frame, a strict policy, a browser without WebAssembly."""

from __future__ import annotations

import json

import pytest

import linkwright as lw
from linkwright.live.bundle import part
from page.live_pages import Show, channels, crank, put, solved

pytestmark = pytest.mark.browser


def test_hostile_names_inject_nothing(show: Show) -> None:
    """Markup in every name: it is shown as text; a link with markup for values does nothing."""
    evil = "</script><img src=x onerror=alert(1)>"
    m = lw.PlanarModel(evil, gravity=(0, -9.81))
    m.parameter("__proto__", 1.0)
    l = m.parameter("l", 0.5)  # noqa: E741
    arm = m.body(evil, mass=1.0, inertia=0.1, position=(l, 0))
    m.add(lw.Revolute('A"><svg onload=alert(1)>', m.ground.at(0, 0), arm.at(-l, 0)))
    opened = solved(show(lw.page(m, t_end=0.3, steps=20, trace={f"{evil} tip": arm.at(0.1, 0)})))
    opened.page.on("dialog", lambda d: opened.complaints.append(d.message))
    opened.page.evaluate("location.hash = 'l=<img src=x onerror=alert(2)>&nothing=1'")
    assert opened.page.locator("img").count() == 0
    assert put(opened, l=0.4) == ""
    assert any(evil in name for name in channels(opened))
    assert f"{evil} tip.x" in channels(opened)
    assert opened.page.evaluate("({}).polluted === undefined")
    assert opened.complaints == []


def test_in_a_frame_of_a_notebook(show: Show) -> None:
    """No address there, and no right to much else: it solves all the same, with the numbers of the result."""
    d = lw.dynamics(crank(), t_end=0.2, steps=20)
    frame = d.animate(live=True)._repr_html_()
    assert 'sandbox="allow-scripts"' in frame
    opened = show(f"<!DOCTYPE html><title>notebook</title>{frame}")
    inner = opened.page.frames[1]
    inner.evaluate("linkwright.ready")
    assert inner.evaluate("Array.from(linkwright.channel('slider.x'))") == pytest.approx(list(d["slider.x"]), abs=1e-9)
    assert inner.evaluate("async () => { await linkwright.set({ r: 0.21 }); return linkwright.message; }") == ""


def test_without_webassembly_the_recorded_motion_is_shown(show: Show) -> None:
    """An old browser: it says so, plays what was recorded, and every control that would solve is still. (The flag that
    starts a browser without it works in some versions only.)"""
    m = crank()
    text = lw.page(m, t_end=0.4, steps=40, autoplay=False).text
    opened = show(text.replace("<style>", "<script>delete window.WebAssembly;</script><style>", 1))
    opened.page.evaluate("linkwright.ready")
    assert opened.page.evaluate("typeof WebAssembly") == "undefined"
    assert "this browser has no WebAssembly" in opened.page.locator("#refused").inner_text()
    d = lw.dynamics(m, t_end=0.4, steps=40)
    opened.go(0.2)
    assert opened.place("slider") == pytest.approx((d.at(0.2)["slider.x"], 0.0), abs=1e-4)
    assert opened.complaints == []


def test_content_security_policy() -> None:
    """As strict as that of a recorded page, but for what WebAssembly and workers need."""
    text = lw.page(crank(), t_end=0.1, steps=5).text
    policy = text.partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    assert policy == (
        "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; "
        "style-src 'unsafe-inline'; img-src data: blob:"
    )
    data = json.loads(part(text, "data"))
    assert data["machine"]["refused"] == ""
