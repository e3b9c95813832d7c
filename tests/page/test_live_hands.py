"""The live page in hands: bodies are dragged, sliders moved, links shared, steps undone, files kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from page.conftest import Opened
from page.live_pages import Show, assert_same, channels, crank, numbers, pull, put, solved

pytestmark = pytest.mark.browser


def test_time_follows_the_mouse_where_a_machine_is_driven(show: Show) -> None:
    """The slider dragged as far as it goes: the time is that at which it is there."""
    m = crank(driven=True)
    opened = solved(show(lw.page(m, t_end=1.0, autoplay=False)))
    k = lw.kinematics(m, t_end=1.0, steps=200)
    pull(opened, "slider", (-900, 0))
    opened.page.mouse.up()
    assert opened.time() == pytest.approx(float(k.t[k["slider.x"].argmin()]), abs=1e-9)


def test_a_spring_pulls_what_is_let_go(show: Show) -> None:
    """The arm of a pendulum held level, against gravity, while time passes; then it falls, and play shows the run."""
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=0.1, position=(0, -0.5), angle=-np.pi / 2)
    m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    opened = solved(show(lw.page(m, t_end=2.0, steps=50, autoplay=False)))
    pin = opened.spot("A")
    reach = opened.page.evaluate("linkwright.place('arm')")["y"] - pin[1]
    pull(opened, "arm", (reach, -reach))

    def angle() -> float:
        at = opened.page.evaluate("linkwright.place('arm')")
        return float(np.arctan2(pin[1] - at["y"], at["x"] - pin[0]))

    opened.until(f"Math.abs(linkwright.place('arm').y - {pin[1]}) < 20")  # the weight stretches the spring by g/30^2
    assert abs(angle()) < 0.2
    opened.page.mouse.up()
    opened.until(f"linkwright.place('arm').y - {pin[1]} > 30")
    opened.page.locator("#play").click()
    opened.until("document.getElementById('play').ariaLabel === 'Pause'")
    assert opened.complaints == []


def test_the_start_is_placed_by_assembly(show: Show) -> None:
    """The slider put elsewhere: all joints close there, and the run begins there, as it does here from that place."""
    m = crank()
    opened = solved(show(lw.page(m, t_end=0.3, steps=30, autoplay=False)))
    opened.page.locator("#drags").select_option("place")
    mouse = pull(opened, "slider", (-60, 0))
    at = opened.page.evaluate("linkwright.place('slider')")
    assert at["x"] == pytest.approx(mouse[0], abs=1.0)
    opened.page.mouse.up()
    opened.until("'slider.x' in linkwright.state")
    opened.page.evaluate("linkwright.set({})")
    m.fix(m["A"].angle, opened.page.evaluate("linkwright.state['A.angle']"))
    assert_same(opened, lw.dynamics(m, t_end=0.3, steps=30))


def test_sliders_links_undo_and_reset(show: Show) -> None:
    m = crank()
    opened = solved(show(lw.page(m, t_end=0.2, steps=20)))
    slider = opened.page.locator('.tune input[type="range"][data-name="r"]')
    slider.evaluate("(e) => { e.value = 0.25; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); }")
    opened.until("linkwright.channel('crank.x')[0] > 0 && linkwright.state.r === 0.25")
    assert opened.page.evaluate("linkwright.parameters") == {"r": 0.25, "l": 0.5}
    assert opened.page.evaluate("location.hash") == "#r=0.25"
    put(opened, l=0.6)
    moved = channels(opened)
    # whoever opens the link sees the same machine
    other = Opened(opened.page.context.new_page())
    other.page.goto(opened.page.url)
    other.page.evaluate("linkwright.ready")
    assert other.page.evaluate("linkwright.state") == {"r": 0.25, "l": 0.6}
    assert all((values == moved[name]).all() for name, values in channels(other).items())
    opened.page.locator("#undo").click()
    opened.until("linkwright.parameters.l === 0.5")
    opened.page.evaluate("linkwright.reset()")
    assert opened.page.evaluate("[linkwright.state, location.hash]") == [{}, ""]
    field = opened.page.locator('.tune input[type="number"][data-name="r"]')
    assert field.input_value() == "0.2"
    put(opened, r=math.pi / 15)  # the field shows what it has room for, the machine has it all
    assert field.input_value() == "0.20944"
    assert field.evaluate("e => [e.title, linkwright.parameters.r]") == [repr(math.pi / 15), math.pi / 15]


def test_files(show: Show, tmp_path: Any) -> None:
    m = crank()
    opened = solved(show(lw.page(m, t_end=0.2, steps=20), accept_downloads=True))
    put(opened, r=0.22)
    for kind in ("csv", "yaml", "svg", "png"):
        with opened.page.expect_download() as download:
            opened.page.locator("#export").select_option(kind)
        download.value.save_as(tmp_path / f"file.{kind}")
    lines = (tmp_path / "file.csv").read_text().splitlines()
    assert lines[0].split(",")[:2] == ["t", "crank.x"]
    assert len(lines) == 22
    assert lw.load(tmp_path / "file.yaml").parameters == {"r": 0.22, "l": 0.5}
    assert (tmp_path / "file.svg").read_text().startswith("<svg")
    assert (tmp_path / "file.png").read_bytes().startswith(b"\x89PNG")


def test_given_shapes_and_traces_follow_the_sliders(show: Show) -> None:
    """A rod as long as its parameter says, whatever its shape, a cam as large, a path of the point that is followed."""
    m = lw.PlanarModel("arms")
    l, r = m.parameter("l", 1.0), m.parameter("r", 0.2)  # noqa: E741
    shapes = {
        "box": {"box": (l, 0.1)}, "capsule": {"capsule": (l, 0.05)}, "segment": {"segment": [(-l / 2, 0), (l / 2, 0)]},
        "polygon": {"polygon": [(-l / 2, -0.1), (l / 2, 0), (-l / 2, 0.1)]}, "circle": {"circle": l / 2},
    }  # fmt: skip
    for k, (name, shape) in enumerate(shapes.items()):
        arm = m.body(name, position=(0, 2 * k), shape=shape)
        pin = m.add(lw.Revolute(f"pin of {name}", m.ground.at(0, 2 * k), arm.at(0, 0)))
        m.add(lw.Driver(f"motor of {name}", pin.angle, "t"))
    cam = m.body("cam", position=(3, 0))
    turn = m.add(lw.Revolute("axle", m.ground.at(3, 0), cam.at(0, 0)))
    m.add(lw.Driver("shaft", turn.angle, "t"))
    tappet = m.body("tappet", position=(3, 0.3))
    m.add(lw.Translational("guide", m.ground.at(3, 0, angle=np.pi / 2), tappet.at(0, 0, angle=np.pi / 2)))
    outline = cam.curve(lw.Curve.polar(lambda a: r * (1 + 0.3 * lw.cos(a))))
    m.add(lw.CamFlat("contact", outline, tappet.at(0, 0, angle=0), estimate=np.pi / 2))
    opened = solved(show(lw.page(m, t_end=0.1, steps=4, autoplay=False, trace=[m["box"].at(l / 2, 0)])))

    def widths() -> dict[str, float]:
        drawn = {n: opened.page.locator(f'g.body[data-name="{n}"]').bounding_box() for n in (*shapes, "cam")}
        scale = opened.page.evaluate("linkwright.place('cam').x - linkwright.place('box').x") / 3
        own = {n: box["width"] / scale for n, box in drawn.items()}
        return own | {"path": opened.page.locator("path.trace.own").evaluate("(p) => p.getBBox().height")}

    first = widths()
    assert put(opened, l=1.5, r=0.3) == ""
    after = widths()
    for name in shapes:
        assert after[name] - first[name] == pytest.approx(0.5, abs=0.03), name
    assert after["cam"] / first["cam"] == pytest.approx(1.5, rel=0.05)
    assert after["path"] / first["path"] == pytest.approx(1.5, rel=1e-3)
    assert opened.complaints == []


def test_a_picture_of_the_same_moment_writes_nothing(show: Show) -> None:
    """The browser styles and lays out each element whose attribute is set, be it to what it was."""
    opened = numbers(show, crank(), t_end=0.2, steps=20)
    opened.go(0.1)
    changes = """() => {
      const seen = new MutationObserver(() => {}), e = document.getElementById("time");
      for (const id of ["machine", "labels"]) seen.observe(document.getElementById(id), { subtree: true, attributes: true });
      const at = (t) => { e.value = t; e.dispatchEvent(new Event("input")); return seen.takeRecords().length; };
      return [at(0.1), at(0.15)];
    }"""
    same, other = opened.page.evaluate(changes)
    assert same == 0
    assert other > 0
