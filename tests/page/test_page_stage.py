"""How the stage is used, in a real browser: the machine fills it, nothing hides its joints, and it stands on a floor."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from linkwright.results import Audit
from page.live_pages import solved
from page.pixels import pixels
from view.sample_machines import quick_return, slider_crank, spatial_slider_crank

pytestmark = pytest.mark.browser
Show = Callable[..., Any]
SCREENS = [(1200, 760), (390, 780), (844, 390)]

# What is free of switches and scales, and the box around all parts of the machine: left, top, right, bottom.
FREE = """() => {
    const stage = document.getElementById('view').getBoundingClientRect(), middle = (stage.top + stage.bottom) / 2;
    const over = [...document.querySelectorAll('.over')].map(e => e.getBoundingClientRect()).filter(r => r.width);
    return [stage.left, Math.max(stage.top, ...over.filter(r => r.bottom < middle).map(r => r.bottom)),
        stage.right, Math.min(stage.bottom, ...over.filter(r => r.top > middle).map(r => r.top))];
}"""
DRAWN = """() => {
    const parts = document.querySelectorAll('#machine g.body, #machine g.joint, #machine [data-layer=supports] > g');
    const boxes = [...parts].map(p => p.getBoundingClientRect()).filter(r => r.width);
    return [Math.min(...boxes.map(r => r.left)), Math.min(...boxes.map(r => r.top)),
        Math.max(...boxes.map(r => r.right)), Math.max(...boxes.map(r => r.bottom))];
}"""


def tall() -> lw.PlanarModel:
    """A mast of 6 m with a short arm on its top that goes round."""
    m = lw.PlanarModel("mast", gravity=(0, -9.81))
    mast = m.body("mast", mass=5, inertia=1, position=(0, 3))
    arm = m.body("arm", mass=1, inertia=0.1, position=(0, 6))
    m.add(lw.Fixed("foot", m.ground.at(0, 0), mast.at(0, -3)))
    top = m.add(lw.Revolute("top", mast.at(0, 3), arm.at(-0.4, 0)))
    m.add(lw.Driver("motor", top.angle, "2*pi*t"))
    return m


@pytest.mark.parametrize("make", [slider_crank, quick_return, tall])
def test_the_machine_fills_the_free_stage(make: Callable[[], lw.Model], show: Show) -> None:
    """Over the whole motion, whatever the screen; and nothing of it goes under the switches and scales."""
    m = make()
    r = lw.inverse_dynamics(m, t_end=1.0, steps=12)
    opened = show(r.animate(autoplay=False), *SCREENS[0])
    for width, height in SCREENS:
        opened.resize(width, height)
        boxes = [box for (box,) in opened.along(r.t, DRAWN)]
        low, high = np.min(boxes, axis=0)[:2], np.max(boxes, axis=0)[2:]
        free = np.array(opened.page.evaluate(FREE))
        assert max((high - low) / (free[2:] - free[:2])) > 0.75, width
        assert (low >= free[:2] - 1).all(), width  # lines have a width
        assert (high <= free[2:] + 1).all(), width


def coloured(picture: np.ndarray) -> np.ndarray:
    """Where bodies and arrows are: the floor, its grid and shadows are grey."""
    return np.ptp(picture, axis=2) > 60


@pytest.mark.parametrize("name", ["governor", "spatial-slider-crank"])
def test_the_machine_fills_the_free_stage_in_space(name: str, show: Show) -> None:
    chosen = example(name)
    m = chosen.load()
    analyse = lw.dynamics if chosen.analysis == "dynamics" else lw.inverse_dynamics
    r = analyse(m, t_end=1.0, steps=12)
    opened = show(r.animate(model=m, autoplay=False), *SCREENS[0])
    opened.page.locator("#names").uncheck()
    opened.page.evaluate("document.getElementById('scales').style.visibility = 'hidden'")
    for width, height in SCREENS:
        opened.resize(width, height)
        drawn = None
        for time in r.t[:12:4]:
            opened.go(time)
            now = coloured(pixels(opened.page.locator("#view")))
            now[:40, :300] = False  # the switches
            drawn = now if drawn is None else drawn | now
        assert drawn is not None
        rows, columns = np.flatnonzero(drawn.sum(axis=1) > 2), np.flatnonzero(drawn.sum(axis=0) > 2)
        left, top, right, bottom = opened.page.evaluate(FREE)
        assert max(np.ptp(rows) / (bottom - top), np.ptp(columns) / (right - left)) > 0.75, width
        assert columns[0] > 4, width
        assert columns[-1] < drawn.shape[1] - 5, width
        assert rows[-1] < drawn.shape[0] - 5, width


def test_the_fit_follows_the_window_until_the_user_chooses(show: Show) -> None:
    m = slider_crank()
    opened = show(lw.kinematics(m, t_end=1.0, steps=10).animate(model=m, autoplay=False))
    page = opened.page

    def share() -> float:
        low_x, low_y, high_x, high_y = page.evaluate(DRAWN)
        left, top, right, bottom = page.evaluate(FREE)
        return float(max((high_x - low_x) / (right - left), (high_y - low_y) / (bottom - top)))

    first = share()
    opened.resize(900, 500)
    assert share() == pytest.approx(first, rel=0.2)
    page.locator("#stage").focus()
    page.keyboard.press("PageDown")
    chosen = share()
    opened.resize(1200, 760)
    assert share() < chosen
    page.keyboard.press("0")
    assert share() == pytest.approx(first, rel=0.01)


def test_a_live_page_is_fitted_to_what_it_has_solved(show: Show) -> None:
    """Forces and their legend come with the first solution: the machine makes room for them, and the button to fit it finds
    nothing to do."""
    opened = solved(show(lw.page(tall(), analysis="inverse_dynamics", t_end=1.0, steps=12, autoplay=False)))
    mast = opened.page.locator('g.body[data-name="mast"]')
    seen = mast.bounding_box()
    assert seen["y"] + seen["height"] <= opened.page.evaluate(FREE)[3] + 1
    opened.page.locator("#fit").click()
    assert mast.bounding_box() == pytest.approx(seen, abs=0.5)


LAYER = """([x, y]) => document.elementsFromPoint(x, y).map(e => e.closest('[data-layer]')?.dataset.layer).filter(Boolean)"""


def test_pivots_lie_over_links_with_their_supports(show: Show) -> None:
    """A quick-return: the disc of its crank covers the pivot it turns about and the rocker behind it."""
    m = example("quick-return").load()
    r = lw.kinematics(m, t_end=1.0, steps=12)
    opened = show(r.animate(model=m, autoplay=False))
    page, u = opened.page, 0.0
    for time in r.t[::3]:
        opened.go(time)
        for name in "ABCDE":
            pin = page.locator(f'g.joint[data-name="{name}"] .pin').bounding_box()
            x, y, u = pin["x"] + pin["width"] / 2, pin["y"] + pin["height"] / 2, pin["height"]
            found = page.evaluate(LAYER, [x, y])
            assert found[0] == "joints", name
            assert "bodies" in found, name  # which it would hide
        pin = page.locator('g.joint[data-name="B"] .pin').bounding_box()
        stand = page.evaluate(LAYER, [pin["x"] + pin["width"] / 2, pin["y"] + pin["height"] + 0.2 * u])
        assert stand[0] == "supports"
        assert "bodies" in stand  # the disc
    assert page.locator("[data-layer=supports] .hatch").count() == 2  # A and B
    order = page.locator("g.body").evaluate_all("all => all.map(g => g.dataset.name)")
    assert order.index("rocker") < order.index("block")  # which slides in the rocker's slot, over it
    assert page.locator('g.body[data-name="rocker"] .slot').count() == 1


def test_guides_of_one_line_are_one(show: Show) -> None:
    """Two blocks on a line that reach each other's ways, one of them told backwards, and a third on a line beside it, whose
    rails lie along its shape."""
    m = lw.PlanarModel("blocks")
    for name, x, y, angle in (("a", 0.0, 0, 0.0), ("b", 0.02, 0, np.pi), ("c", 0.0, 1, 0.0)):
        body = m.body(name, mass=1.0, inertia=1.0, position=(x, y), angle=angle)
        guide = m.add(lw.Translational(f"guide {name}", m.ground.at(x, y, angle=angle), body.at(0, 0, angle=0)))
        m.add(lw.Driver(f"motor {name}", guide.displacement, "0.3*sin(t)"))
    m["c"].shape = {"box": (0.4, 0.2)}
    opened = show(lw.kinematics(m, t_end=3.0, steps=12).animate(model=m, autoplay=False))
    rails = opened.page.locator("[data-layer=ground] .rail").evaluate_all("all => all.map(r => r.getAttribute('d'))")
    sides = [float(re.split("[ H]", d)[1]) for d in rails]
    assert len(sides) == 2 * 2
    assert sides[0] == -sides[1] != -0.1
    assert sides[2:] == [-0.1, 0.1]


def test_small_bodies_lie_over_large_ones(show: Show) -> None:
    m = example("four-bar").load()
    opened = show(lw.kinematics(m, t_end=1.0, steps=4).animate(model=m, autoplay=False))
    order = opened.page.locator("g.body").evaluate_all("all => all.map(g => g.dataset.name)")
    assert order[0] == "coupler"  # the plate


def still(m: lw.SpatialModel, **places: tuple[float, float, float]) -> lw.Result:
    """Bodies at rest at these places."""
    t = np.array([0.0, 1.0])
    channels = {f"{n}.{c}": 0 * t + x for n, at in places.items() for c, x in zip("xyz", at, strict=True)}
    channels |= {f"{n}.{c}": 0 * t + (c == "e0") for n in places for c in ("e0", "e1", "e2", "e3")}
    return lw.Result(m.name, t, channels, Audit(), source=m)


def test_bodies_throw_shadows_on_the_floor(show: Show) -> None:
    m = lw.SpatialModel("block")
    m.body("block", shape={"box": (0.5, 0.5, 0.1)})
    m.body("below", shape={"sphere": 0.05})
    opened = show(still(m, block=(0, 0, 0.6), below=(0.6, 0.6, 0)).animate(autoplay=False))
    opened.page.locator("#names").uncheck()
    picture = pixels(opened.page.locator("#view canvas"))
    grey = (np.ptp(picture, axis=2) < 30) & (picture.max(axis=2) < 210) & (picture.min(axis=2) > 110)
    solid = grey[:-2, :-2] & grey[2:, :-2] & grey[:-2, 2:] & grey[2:, 2:]  # no line of the grid is so wide
    assert solid.mean() > 0.01


def test_a_ball_is_round(show: Show) -> None:
    m = lw.SpatialModel("ball")
    m.body("ball", shape={"sphere": 0.5})
    opened = show(still(m, ball=(0, 0, 0)).animate(autoplay=False), 1200, 760)
    opened.page.locator("#names").uncheck()
    picture = pixels(opened.page.locator("#view canvas"))
    seen = coloured(picture)
    seen[:40] = False  # the switches
    top = np.flatnonzero(seen.any(axis=1))[0]
    edge = [(f(np.flatnonzero(seen[row])), row) for row in range(top, top + 150) for f in (np.min, np.max)]  # above the axes
    x, y = np.array(edge, dtype=float).T
    a, b, c = np.linalg.lstsq(np.column_stack([2 * x, 2 * y, np.ones_like(x)]), x**2 + y**2, rcond=None)[0]  # the circle
    radius = np.sqrt(c + a**2 + b**2)
    assert radius > 150  # pixels
    # with 24 facets the outline is up to 0.86 per cent of the radius inside the circle, with 48 a quarter of that
    assert np.abs(np.hypot(x - a, y - b) - radius).max() < 0.002 * radius + 0.75  # and the raster


def test_a_mesh_is_smooth_where_it_is_round_and_sharp_at_its_edges(show: Show) -> None:
    """A cube of triangles: its three faces to be seen have one shade each."""
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    m = lw.SpatialModel("cube")
    m.body("cube", shape={"mesh": (corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])})
    opened = show(still(m, cube=(0, 0, 0)).animate(autoplay=False))
    opened.page.locator("#names").uncheck()
    picture = pixels(opened.page.locator("#view canvas"))[60:-60]
    shades = picture[coloured(picture)] // 12
    _, counts = np.unique(shades @ [65536, 256, 1], return_counts=True)
    assert np.sort(counts)[-4:].sum() > 0.85 * len(shades)


def under(opened: Any, name: str, below: int) -> set[str]:
    """What is to be pointed at in a row of the screen so far below a joint."""
    x, y = opened.spot(name)
    found: set[str] = set()
    for beside in range(-60, 61, 5):  # pixels
        opened.page.mouse.move(x + beside, y + below)
        found |= set(opened.page.locator("#labels text.wanted").all_text_contents())
    return found


def test_joints_in_ground_stand_on_the_floor(show: Show) -> None:
    """Below a bearing in the air there is a column that belongs to it, beside the crank, which would pass through it."""
    m = spatial_slider_crank()
    opened = show(lw.kinematics(m, t_end=1.0, steps=20).animate(model=m, autoplay=False))
    assert "A" in under(opened, "A", 60)
    assert "A" in under(opened, "A", 110)
    assert opened.complaints == []


DOWN = [((0, 0, -9.81), "z"), ((0, -9.81, 0), "y"), ((0, 0, 0), "z"), ((-1.6, 0, 0), "x")]


@pytest.mark.parametrize(("gravity", "up"), DOWN)
def test_the_floor_lies_below_as_gravity_says(gravity: tuple[float, float, float], up: str, show: Show) -> None:
    """Of a machine in the x-y plane gravity is along -y: the axis that stands upright is that of gravity."""
    m = lw.SpatialModel("ball", gravity=gravity)
    ball = m.body("ball", mass=1, inertia=(1, 1, 1))
    m.add(lw.Fixed("hold", m.ground.at(0, 0, 0), ball.at(0, 0, 0)))
    opened = show(still(m, ball=(0, 0, 0)).animate(autoplay=False), 400, 400)
    places = {name: opened.spot(name) for name in "xyz"}
    assert min(places, key=lambda name: places[name][1]) == up
    assert opened.complaints == []


@pytest.mark.parametrize("make", [quick_return, spatial_slider_crank])
def test_a_picture_is_laid_out_once(show: Show, make: Callable[[], lw.Model]) -> None:
    """While it plays nothing asks the browser for sizes between two changes: each answer would be another layout."""
    opened = show(lw.kinematics(make(), t_end=0.5, steps=20).animate(), 390, 700)
    tools = opened.page.context.new_cdp_session(opened.page)
    tools.send("Performance.enable")

    def layouts() -> float:
        """So far, after ten more pictures, a sixtieth of a second each, however long they take: numbers go by the clock."""
        opened.page.evaluate("""async () => {
          let time = window.last ?? performance.now();
          performance.now = () => window.last = time;
          for (let k = 0; k < 10; k++, time += 1000 / 60) await new Promise(requestAnimationFrame);
        }""")
        told = tools.send("Performance.getMetrics")["metrics"]
        return next(float(x["value"]) for x in told if x["name"] == "LayoutCount")

    first = layouts()  # names are measured once
    assert 0 < layouts() - first <= 16  # and the numbers beside them


def test_names_move_in_the_pictures_that_move_no_slider(show: Show) -> None:
    """At sixty pictures a second each of the two moves thirty times: no picture has all the work. Its clock is ours."""
    opened = show(lw.kinematics(quick_return(), t_end=0.5, steps=20).animate(), 390, 700)
    told = """async () => {
      let time = performance.now(), before = "", named = false;
      const picture = requestAnimationFrame.bind(window), slider = document.getElementById("time"), out = [];
      performance.now = () => time;
      window.requestAnimationFrame = (f) => picture(() => f(time));
      const seen = new MutationObserver(() => { named = true; });
      seen.observe(document.getElementById("labels"), { subtree: true, attributes: true });
      for (let k = 0; k < 46; k++) {
        await new Promise(picture);
        out.push([named, slider.value !== before]);
        [named, before] = [false, slider.value];
        time += 1000 / 60;
      }
      return out.slice(6);
    }"""
    pictures = opened.page.evaluate(told)
    assert not any(names and slides for names, slides in pictures)
    assert 16 <= sum(names for names, _ in pictures) <= 20  # of 40; numbers, ten times a second, shift them by a picture
    assert 18 <= sum(slides for _, slides in pictures) <= 24


def test_shadows_are_cast_in_the_pictures_that_place_no_names(show: Show) -> None:
    """They cost as much as the picture. At rest each change casts them. A shadow is what is drawn aside of the screen."""
    opened = show(lw.kinematics(spatial_slider_crank(), t_end=0.5, steps=20).animate(), 390, 700)
    told = """async () => {
      let time = performance.now(), named = false, cast = 0, aside = false;
      const picture = requestAnimationFrame.bind(window), gl = WebGL2RenderingContext.prototype, out = [];
      const { bindFramebuffer, drawElements } = gl;
      performance.now = () => time;
      window.requestAnimationFrame = (f) => picture(() => f(time));
      gl.bindFramebuffer = function (...a) { aside = Boolean(a[1]); return bindFramebuffer.apply(this, a); };
      gl.drawElements = function (...a) { cast += aside; return drawElements.apply(this, a); };
      const seen = new MutationObserver(() => { named = true; });
      seen.observe(document.getElementById("labels"), { subtree: true, attributes: true });
      for (let k = 0; k < 26; k++) {
        [named, cast] = [false, 0];
        await new Promise(picture);
        out.push([named, cast]);
        time += 1000 / 60;
      }
      document.getElementById("play").click();
      const slider = document.getElementById("time");
      const move = (t) => { slider.value = t; slider.dispatchEvent(new Event("input")); };
      return [out.slice(6), [0.1, 0.3].map((t) => { cast = 0; move(t); return cast; })];
    }"""
    pictures, still = opened.page.evaluate(told)
    assert not any(named and cast for named, cast in pictures)
    assert 12 <= sum(cast > 0 for _, cast in pictures) <= 16  # of 20: in space a third of the pictures place names
    most = max(cast for _, cast in pictures)
    assert 0 < most <= 3  # all parts of one finish at once
    assert still == [most, most]
