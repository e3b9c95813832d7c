"""Examples of every kind on the page: light, dark, on a telephone. Pictures go to build/screenshots, to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from page.pixels import decoded, inked

pytestmark = pytest.mark.browser
PICTURES = Path(__file__).resolve().parents[2] / "build" / "screenshots"


SHOWN = ("slider-crank", "valve-lifter", "governor", "jansen", "bicycle", "geneva", "delta-robot")


@pytest.mark.parametrize("name", SHOWN)
def test_example(name: str, show: Callable[..., Any]) -> None:
    chosen = EXAMPLES[name]
    model = chosen.load()
    massive = any(b.mass for b in model.bodies.values())
    analyse = lw.dynamics if chosen.analysis == "dynamics" else lw.inverse_dynamics if massive else lw.kinematics
    result = analyse(model, t_end=min(chosen.t_end, 2.0), steps=60)
    points = chosen.points(model)
    opened = show(result.animate(model=model, trace=points, channels=list(chosen.plot), check="fine", autoplay=False))
    page = opened.page
    opened.go(0.3 * result.t[-1])
    PICTURES.mkdir(parents=True, exist_ok=True)
    light = photographed(page, PICTURES / f"{name}-light.png")
    page.locator("#theme").click()
    dark = photographed(page, PICTURES / f"{name}-dark.png")
    page.set_viewport_size({"width": 390, "height": 780})
    opened.until("document.getElementById('view').clientWidth < 390")
    phone = photographed(page, PICTURES / f"{name}-phone.png")
    assert np.median(light) > 200
    assert np.median(dark) < 60
    for picture in (light, dark, phone):
        assert inked(picture) > 0.008
        assert fills(picture)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator("#forces-label").is_visible() == massive
    assert opened.complaints == []


def photographed(page: Any, path: Path) -> np.ndarray:
    """The whole page as a file; of it the stage."""
    found, box = decoded(page.screenshot(path=path)), page.locator("#view").bounding_box()
    x, y = round(box["x"]), round(box["y"])
    return found[y : y + round(box["height"]), x : x + round(box["width"])]


def fills(picture: np.ndarray) -> bool:
    """The machine is neither lost in the view nor cut off: what is drawn firmly spans a third of its width or height."""
    flat = picture.reshape(-1, 3)
    codes = flat @ [65536, 256, 1]
    common = flat[np.bincount(codes).argmax() == codes][0]
    firm = np.abs(picture - common).max(axis=2) > 60
    rows, columns = np.flatnonzero(firm.sum(axis=1) > 3), np.flatnonzero(firm.sum(axis=0) > 3)
    return bool(np.ptp(rows) > picture.shape[0] / 3 or np.ptp(columns) > picture.shape[1] / 3)
