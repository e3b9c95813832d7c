"""The scales of the page, in a real browser: what the legend says is what is drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from view.sample_machines import slider_crank, spatial_slider_crank

pytestmark = pytest.mark.browser
Show = Callable[..., Any]
PREFIXES = {"µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6}


def number(text: str, unit: str) -> float:
    """229 kN is 229000."""
    found = re.fullmatch(rf"([\d.]+) ([µmkM]?){unit}", text.strip())
    assert found, text
    return float(found[1]) * PREFIXES[found[2]]


def arrows(opened: Any) -> list[float]:
    """The lengths of the arrows that are drawn, in pixels."""
    paths = opened.page.locator("path.force").evaluate_all("all => all.map(p => p.getAttribute('d')).filter(Boolean)")
    ends = [[float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", path)[:4]] for path in paths]
    return [math.hypot(x1 - x0, y1 - y0) for x0, y0, x1, y1 in ends]


def legend(opened: Any, row: int, unit: str) -> list[tuple[float, float]]:
    """Of a row of the legend: the numbers, and how long their signs are."""
    references = opened.page.locator("#force-scale > .scale").nth(row).locator(".reference")
    # the sign is one pixel wider on both sides
    lengths = references.evaluate_all("all => all.map(e => e.querySelector('svg').getBoundingClientRect().width - 2)")
    return [(number(text, unit), length) for text, length in zip(references.all_inner_texts(), lengths, strict=True)]


def with_forces(**forces: float) -> lw.Result:
    """A slider-crank with given forces along y at its joints."""
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=4)
    given = {f"{name}.f{c}": 0 * r.t + (x if c == "y" else 0.0) for name, x in forces.items() for c in "xy"}
    return lw.Result(m.name, r.t, {**{c: r[c] for c in r}, **given}, r.audit, source=m)


def test_small_forces_are_seen_beside_large_ones(show: Show) -> None:
    opened = show(with_forces(A=2345.6, B=-23.456, C=200.0).animate(autoplay=False))
    assert opened.page.locator("#law").input_value() == "compressed"
    a, b, c = arrows(opened)
    assert b / a == pytest.approx(math.sqrt(0.01), rel=1e-3)
    assert b > 8  # pixels
    rows = legend(opened, 1, "N")
    assert [x for x, _ in rows] == [2350, 200, 20]  # the largest with three digits, then round numbers
    assert [length for _, length in rows][:2] == pytest.approx([a, c], rel=2e-3)
    opened.page.locator("#law").select_option("linear")
    a, c = arrows(opened)  # that of B would be shorter than a pixel
    assert c / a == pytest.approx(200 / 2345.6, rel=1e-3)
    assert legend(opened, 1, "N") == [(2350, pytest.approx(a, rel=2e-3))]
    assert opened.complaints == []


def test_rounding_is_no_force(show: Show) -> None:
    opened = show(with_forces(A=1e-30, B=3e-31).animate(autoplay=False))
    assert opened.page.locator("#force-scale").inner_text().strip() == "forces: none"
    assert opened.page.locator("path.force").count() == 0
    opened = show(with_forces(A=1e-30, B=1.0).animate(autoplay=False))
    assert [a.get_attribute("data-name") for a in opened.page.locator("path.force").all()] == ["B"]
    assert "none" not in opened.page.locator("#force-scale").inner_text()


def test_without_forces_there_is_no_legend_of_them(show: Show) -> None:
    m = slider_crank()
    opened = show(lw.kinematics(m, t_end=1.0, steps=4).animate(model=m, autoplay=False))
    assert not opened.page.locator("#force-scale").is_visible()
    assert not opened.page.locator("#forces-label").is_visible()


def test_most_arrows_of_a_compressor_are_seen_most_of_the_time(show: Show) -> None:
    """Its gas pushes in a part of the turn only; weights and inertia are a hundredth of that."""
    i = lw.inverse_dynamics(example("slider-crank").load(), t_end=1.0, steps=20)
    opened = show(i.animate(autoplay=False))
    seen = []
    for time in i.t:
        opened.go(time)
        seen.append(sum(length > 6 for length in arrows(opened)))  # pixels
    assert np.median(seen) >= 4
    opened.page.locator("#law").select_option("linear")
    opened.go(0.3)
    assert sum(length > 6 for length in arrows(opened)) == 0  # as it was


def test_the_bar_is_as_long_as_it_says(show: Show) -> None:
    """The distance of two pins of a link of 3.5 m, measured with the bar; also after zooming."""
    m = slider_crank()
    opened = show(lw.kinematics(m, t_end=1.0, steps=4).animate(model=m, autoplay=False))
    page = opened.page

    def measured() -> float:
        length = number(page.locator("#scale").inner_text(), "m")
        assert f"{length:.0e}"[0] in "125"
        bar = page.locator("#scale .bar").bounding_box()["width"] - 2
        assert 40 <= bar <= 160
        B, C = (page.locator(f'g.joint[data-name="{n}"] circle').bounding_box() for n in "BC")
        x, y = (B[side] + B[size] / 2 - C[side] - C[size] / 2 for side, size in (("x", "width"), ("y", "height")))
        return math.hypot(x, y) / bar * length

    assert measured() == pytest.approx(3.5, rel=2e-3)
    page.locator("#stage").focus()
    for _ in range(4):
        page.keyboard.press("PageDown")
        assert measured() == pytest.approx(3.5, rel=2e-3)


def test_the_grid_in_space_says_its_spacing(show: Show) -> None:
    m = spatial_slider_crank()
    opened = show(lw.inverse_dynamics(m, t_end=1.0, steps=10).animate(model=m, autoplay=False))
    assert opened.page.locator("#scale").inner_text() == "grid 50 mm"
    (_, before), *_ = legend(opened, 1, "N")
    opened.page.locator("#stage").focus()
    opened.page.keyboard.press("PageUp")
    (_, after), *_ = legend(opened, 1, "N")
    assert after == pytest.approx(1.25 * before, rel=0.01)  # arrows grow with the machine, and so does the legend
    assert opened.complaints == []
