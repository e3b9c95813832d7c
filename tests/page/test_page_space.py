"""The page of a machine in space, notebooks and reports, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from linkwright.results import Audit
from linkwright.view import report
from page.conftest import Opened
from page.pixels import changed, inked, pixels
from view.sample_machines import slider_crank, spatial_slider_crank

pytestmark = pytest.mark.browser
Show = Callable[..., Any]
DRAWN = """() => {
  const own = WebGL2RenderingContext.prototype, draw = own.drawElements;
  window.drawn = 0;
  own.drawElements = function (...x) { drawn++; return draw.apply(this, x); };
}"""


@pytest.fixture(scope="module")
def result() -> lw.Result:
    m = spatial_slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=100)
    r.describe(m)
    return r


def test_the_machine_in_space(result: lw.Result, show: Show) -> None:
    opened = show(result.animate(autoplay=False))
    canvas = opened.page.locator("#view canvas")
    opened.page.locator("#names").uncheck()
    first = pixels(canvas)
    assert 0.01 < inked(first) < 0.5
    opened.page.evaluate(DRAWN)
    opened.go(0.5)
    # crank, rod, block, floor, trace; of joints and what they stand on what is of one colour: most twice, with their shadows
    assert opened.page.evaluate("drawn") <= 40
    half = pixels(canvas)
    assert changed(first, half) > 0.005  # it moves
    opened.go(1.0)
    assert changed(first, pixels(canvas)) < 0.002  # and is back after a turn
    box = canvas.bounding_box()
    opened.page.mouse.move(box["x"] + 200, box["y"] + 300)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + 330, box["y"] + 340, steps=4)
    opened.page.mouse.up()
    turned = pixels(canvas)
    assert changed(first, turned) > 0.01  # a drag turns it
    opened.page.locator("#fit").click()
    assert changed(first, pixels(canvas)) < 0.002  # and this brings it back
    opened.page.locator("#stage").focus()
    for key in "dws":
        opened.page.keyboard.press(key)
        opened.page.keyboard.press("PageUp")
    assert changed(first, pixels(canvas)) > 0.01  # keys turn it too
    opened.page.keyboard.press("0")
    assert changed(first, pixels(canvas)) < 0.002
    assert opened.complaints == []


def test_picking_in_space(result: lw.Result, show: Show) -> None:
    opened = show(result.animate(autoplay=False))
    opened.page.mouse.click(*opened.spot("rod"))  # its middle
    assert opened.page.locator("#selection .what").inner_text().startswith("rod body")
    rows = dict(row.split("\t")[:2] for row in opened.page.locator("#selection tr").all_inner_texts())
    assert float(rows["rod.y"]) == pytest.approx(result["rod.y"][0], rel=2e-5)
    opened.page.locator("#parts").get_by_role("button", name="D", exact=True).click()
    assert "Translational · ground – slider" in opened.page.locator("#selection").inner_text()
    middle = opened.spot("slider")  # within the block is a joint
    opened.page.mouse.click(*middle)
    assert opened.page.locator("#selection .what").inner_text().startswith("slider body")
    solid = pixels(opened.page.locator("#view canvas"))
    opened.page.get_by_label("see through").check()
    assert changed(solid, pixels(opened.page.locator("#view canvas"))) > 0.002
    opened.page.mouse.click(*middle)
    assert "slider body" not in opened.page.locator("#selection .what").inner_text()
    assert opened.complaints == []


def test_space_in_the_dark_and_on_a_telephone(result: lw.Result, show: Show) -> None:
    opened = show(result.animate(autoplay=False), 390, 780, is_mobile=True, has_touch=True, color_scheme="dark")
    picture = pixels(opened.page.locator("#view canvas"))
    assert np.median(picture) < 60
    assert inked(picture) > 0.01
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_forces_in_space(result: lw.Result, show: Show) -> None:
    t = result.t
    forces = {"B.fx": 0 * t, "B.fy": 0 * t, "B.fz": 0 * t + 100}
    held = lw.Result("m", t, {**{c: result[c] for c in result}, **forces}, result.audit, drawing=result.drawing)
    opened = show(held.animate(autoplay=False))
    with_arrow = pixels(opened.page.locator("#view canvas"))
    opened.page.locator("#forces").uncheck()
    assert changed(with_arrow, pixels(opened.page.locator("#view canvas"))) > 0.001
    assert "100 N" in opened.page.locator("#force-scale").inner_text()


def test_torques_in_space(result: lw.Result, show: Show) -> None:
    t = result.t
    given = {"C.fx": 0 * t, "C.fy": 0 * t, "C.fz": 0 * t, "C.tx": 0 * t, "C.ty": 0 * t, "C.tz": 0 * t + 7}
    held = lw.Result("m", t, {**{c: result[c] for c in result}, **given}, result.audit, drawing=result.drawing)
    opened = show(held.animate(autoplay=False))
    opened.page.locator("#names").uncheck()
    canvas = opened.page.locator("#view canvas")
    with_arrow = pixels(canvas)
    opened.page.locator("#forces").uncheck()
    drawn = np.abs(with_arrow - pixels(canvas)).max(axis=2)[80:] > 40  # the switches are above
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    assert np.ptp(rows) > 5 * np.ptp(columns)  # upright
    # two heads at its upper end: from above it grows wide, is narrower, grows wide again, and goes on as a shaft
    width = drawn.sum(axis=1)[rows[0] : rows[0] + np.ptp(rows) // 2]
    wide = width > (width.max() + width[-1]) / 2
    assert np.count_nonzero(np.diff(wide.astype(int)) == 1) == 2
    assert rows[0] > 0  # not cut off
    legend = opened.page.locator("#force-scale").inner_text()
    assert "forces: none" in legend
    assert "7 N m" in legend
    assert opened.complaints == []


def test_torques_about_one_axis_stand_side_by_side(show: Show) -> None:
    """A motor of 10 N m and a spring of 4 N m about an upright axis: the shorter is seen beside the longer."""
    m = lw.SpatialModel("spindle")
    rotor = m.body("rotor", mass=1, inertia=(1, 1, 1), shape={"cylinder": (0.02, 1.0)})
    pin = m.add(lw.Revolute("pin", m.ground.at(0, 0, 0), rotor.at(0, 0, 0)))
    m.add(lw.Driver("motor", pin.angle, "t"))
    m.add(lw.TorsionSpring("spring", pin, torque=lambda a, v, t: -4.0))
    i = lw.inverse_dynamics(m, t_end=1.0, steps=4)
    assert (i["motor.torque"][0], i["spring.torque"][0]) == pytest.approx((-4.0, -4.0))
    twice = lw.Result("m", i.t, {c: i[c] * (-2.5 if c == "motor.torque" else 1) for c in i}, i.audit, source=m)
    opened = show(twice.animate(autoplay=False))
    opened.page.locator("#names").uncheck()
    canvas = opened.page.locator("#view canvas")
    with_arrows = pixels(canvas)
    opened.page.locator("#forces").uncheck()
    drawn = np.abs(with_arrows - pixels(canvas)).max(axis=2)[80:] > 40
    rows = np.flatnonzero(drawn.any(axis=1))
    shafts = np.count_nonzero(np.diff(drawn.astype(int), axis=1) == 1, axis=1)[rows]  # of each row
    assert np.median(shafts[-len(rows) // 3 :]) == 2
    assert np.median(shafts[: len(rows) // 3]) == 1
    assert opened.complaints == []


def test_an_arrow_inside_a_body_is_picked(show: Show) -> None:
    m = lw.SpatialModel("block")
    block = m.body("block", mass=1, inertia=(1, 1, 1), shape={"box": (1.0, 1.0, 1.0)})
    m.add(lw.Fixed("hold", m.ground.at(0, 0, 0), block.at(0, 0, 0)))
    t = np.array([0.0, 1.0])
    channels = {f"block.{c}": 0 * t + (c == "e0") for c in ("x", "y", "z", "e0", "e1", "e2", "e3")}
    channels |= {"hold.fx": 0 * t, "hold.fy": 0 * t, "hold.fz": 0 * t + 9}
    opened = show(lw.Result("block", t, channels, Audit(), source=m).animate(autoplay=False))
    canvas = opened.page.locator("#view canvas")
    with_arrow = pixels(canvas)
    opened.page.locator("#forces").uncheck()
    rows, columns = np.nonzero(np.abs(with_arrow - pixels(canvas)).max(axis=2)[80:] > 40)  # the switches are above
    corner, name = canvas.bounding_box(), opened.page.locator("#selection .what")
    x, y = corner["x"] + np.median(columns), corner["y"] + 80 + rows.min() + 0.3 * np.ptp(rows)
    opened.page.mouse.click(x, y)
    assert name.inner_text().startswith("block body")  # no arrow is drawn
    opened.page.locator("#forces").check()
    opened.page.mouse.click(x, y)
    assert name.inner_text().startswith("hold Fixed")


def test_numbers_and_plots_without_webgl(result: lw.Result, browser: Callable[[bool], Any], tmp_path: Path) -> None:
    """On a telephone, where names are switched off at the start; of a live page."""
    (tmp_path / "page.html").write_text(result.animate(live=True, autoplay=False).text, encoding="utf-8")
    with browser(False).new_context(viewport={"width": 390, "height": 780}, offline=True) as context:
        context.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
        opened = Opened(context.new_page())
        opened.page.on("pageerror", lambda e: opened.complaints.append(str(e)))
        opened.page.goto((tmp_path / "page.html").as_uri())
        opened.page.evaluate("linkwright.ready")
        assert "no WebGL" in opened.page.locator("#view").inner_text()
        assert opened.page.locator("#scales").is_hidden()
        assert opened.page.evaluate("isNaN(linkwright.place('rod').x)")
        for switch in ("#traces", "#fit", "#theme"):
            opened.page.locator(switch).click()
        opened.go(0.5)
        assert opened.page.locator("#clock").inner_text() == "0.500 s"
        opened.page.locator("#parts button", has_text="rod").first.click()
        rows = dict(row.split("\t")[:2] for row in opened.page.locator("#selection tr").all_inner_texts())
        assert float(rows["rod.y"]) == pytest.approx(np.interp(0.5, result.t, result["rod.y"]), rel=2e-5)
        opened.page.get_by_label("see through").check()
        assert opened.complaints == []


SHAPES = {
    "box": {"box": (0.3, 0.2, 0.1)},
    "sphere": {"sphere": 0.2},
    "cylinder": {"cylinder": (0.1, 0.4), "axis": (1, 0, 0)},
    "mesh": {"mesh": ([(0, 0, 0), (0.4, 0, 0), (0, 0.4, 0), (0, 0, 0.4)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])},
}


def test_shapes_in_space(show: Show) -> None:
    m = lw.SpatialModel("shapes")
    t = np.array([0.0, 1.0])
    channels = {}
    for k, (kind, shape) in enumerate(SHAPES.items()):
        m.body(kind, mass=1, inertia=(1, 1, 1), shape=shape)
        channels |= {f"{kind}.{c}": 0 * t for c in ("y", "z", "e1", "e2", "e3")}
        channels |= {f"{kind}.x": k + 0 * t, f"{kind}.e0": 1 + 0 * t}
    opened = show(lw.Result("shapes", t, channels, Audit(), source=m).animate(autoplay=False))
    for kind in SHAPES:  # each can be pressed near its middle (that of the mesh is a corner of it)
        x, y = opened.spot(kind)
        opened.page.mouse.click(x + 3, y - 3)
        assert opened.page.locator("#selection .what").inner_text().startswith(kind)


def test_every_joint_in_space_has_a_sign(show: Show) -> None:
    m = lw.SpatialModel("signs")
    a = m.body("a", mass=1, inertia=(1, 1, 1))
    b = m.body("b", mass=1, inertia=(1, 1, 1))
    kinds = (
        lw.Revolute,
        lw.Translational,
        lw.Cylindrical,
        lw.Spherical,
        lw.Universal,
        lw.Planar,
        lw.Fixed,
        lw.ConstantVelocity,
    )
    for k, kind in enumerate(kinds):
        m.add(kind(f"j{k}", a.at(k, 0, 0), b.at(k, 1, 0)))
    m.add(lw.Screw("screw", a.at(0, 2, 0), b.at(0, 2, 0), pitch=0.1))
    m.add(lw.Spring("spring", a.at(0, 3, 0), b.at(3, 3, 0), k=1))
    m.add(lw.Gear("gear", a.at(3, 3, 0), b.at(4, 3, 0), radii=(1, 2)))
    m.add(lw.PointOnPlane("plane", m.ground.at(0, 0, 0), b.at(0, 0, 1)))
    t = np.array([0.0, 1.0])
    channels = {f"{n}.{c}": 0 * t + (c == "e0") for n in "ab" for c in ("x", "y", "z", "e0", "e1", "e2", "e3")}
    opened = show(lw.Result("signs", t, channels, Audit(), source=m).animate(autoplay=False))
    assert inked(pixels(opened.page.locator("#view canvas"))) > 0.01


def test_a_notebook_shows_the_page_in_its_frame(show: Show) -> None:
    m = slider_crank()
    page = lw.kinematics(m, t_end=1.0, steps=20).animate(model=m, autoplay=False)
    opened = show(f"<!DOCTYPE html><title>notebook</title><body>{page._repr_html_()}</body>")
    inside = opened.page.frame_locator("iframe")
    inside.locator("g.body[data-name=rod]").wait_for()
    assert inked(pixels(opened.page.locator("iframe"))) > 0.01
    assert opened.complaints == []


def test_a_report_in_the_browser(show: Show, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    m = example("four-bar").load()
    i = lw.inverse_dynamics(m, t_end=1.0, steps=50)
    points = example("four-bar").points(m)
    report(i, tmp_path / "report.html", model=m, check=lw.check(m), trace=points, channels=["follower.angle"])
    opened = show((tmp_path / "report.html").read_text())
    inside = opened.page.frame_locator("iframe")
    inside.locator("g.body[data-name=coupler]").wait_for()
    assert inside.locator("path.force").count() == 4
    assert inside.locator("path.trace.own").count() == 1
    labels = opened.page.locator("figure").evaluate_all("all => all.map(f => f.getAttribute('aria-label'))")
    assert labels == ["follower.angle over time", "motor.torque over time"]
    assert opened.page.locator("h2").all_inner_texts() == ["Plots", "Check", "Audit", "Options", "Machine", "Versions"]
    assert opened.complaints == []
