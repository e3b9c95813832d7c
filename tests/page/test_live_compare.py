"""Settings beside each other in the live page, plots that zoom and phase plots, films."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from page.conftest import Opened
from page.live_pages import Show, crank, solved

pytestmark = pytest.mark.browser


def points(opened: Opened, selector: str) -> np.ndarray:
    """Of the path of a plot, in its own axes."""
    d = opened.page.locator(selector).first.get_attribute("d")
    return np.array([[float(x) for x in p.split()] for p in d.removeprefix("M").split("L")])


def test_the_setting_before_and_plots(show: Show) -> None:
    """A slider moved in many small steps is compared with what was shown before the first of them."""
    m = crank(driven=True)
    opened = solved(show(lw.page(m, t_end=1.0, steps=40, channels=["slider.x"], autoplay=False)))
    page, line = opened.page, "#plots svg.plot path[stroke]"
    first = points(opened, line)
    assert page.locator("#plots .ghost").count() == 0
    page.locator("#compare").check()
    slider = page.locator('.tune input[type="range"][data-name="r"]')
    for value in (0.21, 0.22, 0.23):
        slider.evaluate("(e, x) => { e.value = x; e.dispatchEvent(new Event('input')); }", value)
        opened.until(f"linkwright.parameters.r === {value} && document.getElementById('stage').ariaBusy === 'false'")
    before, now = points(opened, "#plots .ghost"), points(opened, line)
    rise = np.ptp(now[:, 1]) / np.ptp(
        before[:, 1]
    )  # the stroke is twice the crank, but for the buffer nothing is in its way
    assert rise == pytest.approx(0.23 / 0.2, rel=1e-2)
    assert np.ptp(before[:, 1]) < np.ptp(first[:, 1])  # in the same axes as the larger one
    old = lw.kinematics(m, t_eval=[0, 0.3])
    m.set(r=0.23)
    new = lw.kinematics(m, t_eval=[0, 0.3])
    opened.go(0.3)
    ghost = page.locator("g.ghost > g").nth(2).get_attribute("transform").removeprefix("matrix(").removesuffix(")").split()
    assert float(ghost[4]) == pytest.approx(old["slider.x"][-1], abs=1e-4)
    assert opened.place("slider")[0] == pytest.approx(new["slider.x"][-1], abs=1e-4)
    page.locator("#compare").uncheck()
    assert page.locator("g.ghost").count() == 0
    zooms(opened, line)
    phases(opened, line)
    assert opened.complaints == []


def zooms(opened: Opened, line: str) -> None:
    """The wheel zooms in time about the pointer, shift chooses a span, keys do, a double click shows all again."""
    page, plot = opened.page, opened.page.locator("#plots svg.plot").first
    whole, box = points(opened, line), plot.bounding_box()
    middle = (box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.move(*middle)
    page.mouse.wheel(0, -100)
    opened.until("!document.getElementById('whole').hidden")
    assert len(points(opened, line)) == pytest.approx(len(whole) / 1.3, abs=3)
    page.locator("#whole").click()
    assert (points(opened, line) == whole).all()
    left, width = box["x"] + box["width"] * 46 / 360, box["width"] * 306 / 360
    page.keyboard.down("Shift")
    page.mouse.move(left + 0.25 * width, middle[1])
    page.mouse.down()
    page.mouse.move(left + 0.5 * width, middle[1], steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    shown = [float(x) for x in page.locator("#plots svg.plot text[text-anchor=middle]").all_text_contents()]
    assert 0.25 <= min(shown) <= 0.3
    assert 0.45 <= max(shown) <= 0.5
    page.locator("#plots svg.plot").first.dblclick(position={"x": 100, "y": 40})
    assert (points(opened, line) == whole).all()
    plot.focus()
    page.keyboard.press("+")
    assert len(points(opened, line)) < len(whole)
    assert page.evaluate("document.activeElement.matches('svg.plot')")
    page.keyboard.press("0")
    assert (points(opened, line) == whole).all()


def phases(opened: Opened, line: str) -> None:
    """The slider over the crank's sine: a press on the curve goes to the time at which the machine is there."""
    page = opened.page
    page.locator("#against").select_option("crank.x")
    curve, label = points(opened, line), page.locator("#plots svg.plot").first.get_attribute("aria-label")
    assert label == "slider.x over crank.x"
    x = np.array(page.evaluate("Array.from(linkwright.channel('crank.x'))"))
    assert np.corrcoef(curve[:, 0], x)[0, 1] == pytest.approx(1, abs=1e-6)
    box = page.locator("#plots svg.plot").first.bounding_box()
    scale = box["width"] / 360
    page.mouse.click(box["x"] + scale * curve[10, 0], box["y"] + scale * curve[10, 1])
    at = page.evaluate("linkwright.channel('crank.x')[Math.round(40 * Number(document.getElementById('time').value))]")
    assert at == pytest.approx(x[10], abs=0.02)
    dot = page.locator("#plots circle.now").first.get_attribute("transform")
    place = [float(v) for v in dot.removeprefix("translate(").removesuffix(")").split()]
    assert place == pytest.approx(curve[10], abs=6)  # pixels: the crank passes each x twice
    page.locator("#against").select_option("")


@pytest.mark.parametrize("kind", ["plane", "space"])
def test_a_film(show: Show, tmp_path: Path, kind: str) -> None:
    """A GIF whose pictures differ as the machine moves; where the browser records, a WebM."""
    image = pytest.importorskip("PIL.Image")
    m: Any = lw.PlanarModel("arm") if kind == "plane" else lw.SpatialModel("arm")
    at = (0.5, 0) if kind == "plane" else (0.5, 0, 0)
    arm = m.body("arm", mass=1.0, position=at, **({"inertia": 0.1} if kind == "plane" else {"inertia": (0.1, 0.1, 0.1)}))
    pin = m.add(lw.Revolute("A", m.ground.at(*[0] * len(at)), arm.at(-0.5, *[0] * (len(at) - 1))))
    m.add(lw.Driver("turn", pin.angle, "2*pi*t"))
    opened = solved(show(lw.page(m, t_end=1.0, steps=20, autoplay=False), 600, 500, accept_downloads=True))
    opened.page.locator("#speed").select_option(label="2×")  # ten pictures
    for end in ("gif", "webm") if kind == "plane" else ("gif",):
        with opened.page.expect_download() as download:
            opened.page.locator("#export").select_option(end)
        download.value.save_as(tmp_path / f"film.{end}")
    film = image.open(BytesIO((tmp_path / "film.gif").read_bytes()))
    assert film.n_frames == 10
    assert film.info["duration"] == 50
    pictures = []
    for k in range(film.n_frames):
        film.seek(k)
        pictures.append(np.asarray(film.convert("RGB"), dtype=float))
    assert np.abs(pictures[5] - pictures[0]).max() > 60  # half a turn apart
    if kind == "plane":
        assert (tmp_path / "film.webm").read_bytes().startswith(b"\x1a\x45\xdf\xa3")  # EBML
    assert opened.time() == 0.0
    assert opened.complaints == []
