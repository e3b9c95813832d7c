"""The page of machines in the plane, in a real browser."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.examples import example
from linkwright.results import Audit
from page.pixels import inked, pixels
from view.sample_machines import gears_and_cam, quick_return, slider_crank

pytestmark = pytest.mark.browser
Show = Callable[..., Any]


@pytest.fixture(scope="module")
def crank() -> lw.Result:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=200)
    r.describe(m)
    return r


@pytest.fixture
def still(crank: lw.Result, show: Show) -> Any:
    """The slider-crank, open and at rest."""
    return show(crank.animate(autoplay=False, check="one degree of freedom"))


@pytest.mark.parametrize("make", [slider_crank, quick_return, gears_and_cam])
def test_machines_are_drawn(make: Callable[[], lw.Model], show: Show) -> None:
    m = make()
    opened = show(lw.kinematics(m, t_end=1.0, steps=60).animate(model=m, autoplay=False))
    assert 0.01 < inked(pixels(opened.page.locator("#view"))) < 0.5
    bodies = {b for b in m.bodies if b != "ground"}
    drawn = opened.page.locator("g.body[data-name]").evaluate_all("all => all.map(g => g.dataset.name)")
    assert set(drawn) == bodies
    assert all(opened.page.locator(f'g.body[data-name="{b}"]').bounding_box()["width"] > 5 for b in bodies)


def test_the_slider_of_time_moves_the_machine(still: Any, crank: lw.Result) -> None:
    for t in (0.0, 0.2, 0.5, 0.875):
        still.go(t)
        x, y = still.place("slider")
        # poses are kept with seven digits
        assert x == pytest.approx(np.interp(t, crank.t, crank["slider.x"]), rel=1e-6)
        assert y == pytest.approx(0.0, abs=1e-6)
    # on the screen too: right end of the stroke against the left one (5.5 and 1.5 of a picture 9.5 wide)
    right = still.page.locator('g.body[data-name="slider"]').bounding_box()["x"]
    still.go(0.375)
    left = still.page.locator('g.body[data-name="slider"]').bounding_box()["x"]
    assert right - left > 200


def test_between_frames_the_motion_is_interpolated(still: Any, crank: lw.Result) -> None:
    still.go(0.2025)
    x, _ = still.place("slider")
    between = (crank["slider.x"][40] + crank["slider.x"][41]) / 2
    assert x == pytest.approx(between, rel=1e-6)


def test_the_cursor_of_the_plots_follows_and_leads(still: Any) -> None:
    cursor = still.page.locator("#plots .cursor").first

    def at() -> float:
        return float(cursor.bounding_box()["x"])

    still.go(0.0)
    start = at()
    still.go(1.0)
    end = at()
    still.go(0.25)
    assert at() == pytest.approx(start + 0.25 * (end - start), abs=0.1)  # pixels
    box = still.page.locator("#plots svg.plot").first.bounding_box()
    still.page.mouse.click((start + end) / 2, box["y"] + box["height"] / 2)
    assert still.time() == pytest.approx(0.5, abs=0.005)
    assert at() == pytest.approx((start + end) / 2, abs=1.0)


def test_channels_are_chosen_by_name(still: Any) -> None:
    page = still.page
    assert page.locator("#plots svg.plot").count() == 2  # metres and metres a second
    page.locator("#choose summary").click()
    page.locator("#search").fill("rod.ome")
    shown = page.locator("#channels label:visible")
    assert shown.all_inner_texts() == ["rod.omega"]
    shown.locator("input").check()
    assert page.locator("#plots svg.plot").count() == 3
    assert "rod.omega" in page.locator("#plots").inner_text()
    shown.locator("input").uncheck()
    assert page.locator("#plots svg.plot").count() == 2


def test_picking_a_body_shows_its_numbers(still: Any, crank: lw.Result) -> None:
    still.go(0.5)
    box = still.page.locator('g.body[data-name="rod"]').bounding_box()
    still.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    rows = dict(row.split("\t")[:2] for row in still.page.locator("#selection tr").all_inner_texts())
    for channel in ("rod.x", "rod.angle", "rod.vy"):
        # six digits are shown, seven are kept
        assert float(rows[channel]) == pytest.approx(np.interp(0.5, crank.t, crank[channel]), rel=2e-5, abs=1e-5)
    still.go(0.6)
    later = dict(row.split("\t")[:2] for row in still.page.locator("#selection tr").all_inner_texts())
    assert float(later["rod.x"]) == pytest.approx(np.interp(0.6, crank.t, crank["rod.x"]), rel=2e-5)
    assert still.page.locator("g.selected").get_attribute("data-name") == "rod"
    still.page.locator("#selection button", has_text="Trace the point").click()
    assert still.page.locator("path.trace.own").count() == 1


def test_joints_are_picked_by_keyboard_and_from_the_list(still: Any) -> None:
    still.page.locator('g.joint[aria-label="Revolute B"]').focus()
    still.page.keyboard.press("Enter")
    assert "B Revolute · crank – rod" in still.page.locator("#selection").inner_text()
    still.page.locator("#parts button", has_text="guide").click()
    assert "guide.displacement" in still.page.locator("#selection").inner_text()


def test_keys(still: Any) -> None:
    page = still.page
    page.locator("#stage").focus()
    page.keyboard.press("ArrowRight")
    assert still.time() == pytest.approx(1 / 200, abs=1e-9)
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert still.time() == pytest.approx(10 / 200, abs=1e-9)
    page.keyboard.press("End")
    assert still.time() == 1.0
    page.keyboard.press("Home")
    assert still.time() == 0.0
    left = page.locator('g.body[data-name="rod"]').bounding_box()
    page.keyboard.press("d")
    assert page.locator('g.body[data-name="rod"]').bounding_box()["x"] == pytest.approx(left["x"] + 40, abs=0.5)
    page.keyboard.press("PageUp")
    assert page.locator('g.body[data-name="rod"]').bounding_box()["width"] == pytest.approx(1.25 * left["width"], rel=1e-3)
    page.keyboard.press("0")
    assert page.locator('g.body[data-name="rod"]').bounding_box() == pytest.approx(left, abs=0.5)
    before = page.locator("#speed").input_value()
    page.keyboard.press("+")
    assert int(page.locator("#speed").input_value()) == int(before) + 1
    page.keyboard.press("-")
    assert page.locator("#speed").input_value() == before
    page.keyboard.press("Space")
    assert page.locator("#play").get_attribute("aria-label") == "Pause"
    still.until("document.getElementById('time').value > 0.02")
    page.keyboard.press("Space")
    stopped = still.time()
    page.wait_for_timeout(120)
    assert still.time() == stopped


# Done when the time has jumped back.
AROUND = """new Promise(done => {
    let before = 0;
    const look = () => {
        const t = Number(document.getElementById('time').value);
        if (t < before) done();
        before = t;
        requestAnimationFrame(look);
    };
    look();
})"""


def test_it_plays_by_itself_and_goes_around(crank: lw.Result, show: Show) -> None:
    opened = show(crank.animate())
    opened.until("document.getElementById('time').value > 0.01")
    opened.page.locator("#speed").select_option(label="5×")
    opened.page.evaluate(AROUND)
    assert opened.complaints == []


def test_whoever_wants_no_motion_gets_none(crank: lw.Result, show: Show) -> None:
    opened = show(crank.animate(), reduced_motion="reduce")
    opened.page.wait_for_timeout(150)
    assert opened.time() == 0.0


def test_dark_and_light(still: Any, crank: lw.Result, show: Show) -> None:
    def brightness(opened: Any) -> float:
        return float(np.median(pixels(opened.page.locator("#view"))))

    assert brightness(still) > 200
    dark = show(crank.animate(autoplay=False), color_scheme="dark")
    assert brightness(dark) < 60
    assert inked(pixels(dark.page.locator("#view"))) > 0.01
    dark.page.locator("#theme").click()
    assert brightness(dark) > 200


def test_on_a_telephone(crank: lw.Result, show: Show) -> None:
    opened = show(crank.animate(autoplay=False), 390, 780, is_mobile=True, has_touch=True, device_scale_factor=2)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for button in ("#play", "#back", "#forward"):
        box = page.locator(button).bounding_box()
        assert min(box["width"], box["height"]) >= 40  # large enough for a thumb
        assert 0 <= box["x"] <= 390 - box["width"]
        assert box["y"] + box["height"] <= 780  # without scrolling
    assert page.locator("#time").bounding_box()["width"] > 250
    page.locator("#forward").tap()
    assert opened.time() == pytest.approx(1 / 200, abs=1e-9)
    page.locator('g.body[data-name="slider"]').tap(position={"x": 3, "y": 3})  # beside the pin
    assert "slider" in page.locator("#selection .what").inner_text()


def test_the_numbers_are_where_the_machine_has_most_room(show: Show) -> None:
    """Beside it where the window is wider than high, in a frame of the manual and on a telephone that lies: below it, it had
    a third of the height. Below it on upright screens, and where a flat machine would have no width beside them."""
    bar = lw.PlanarModel("bar")
    beam = bar.body("beam", position=(1, 0), shape={"box": (2, 0.05)})
    pin = bar.add(lw.Revolute("A", bar.ground.at(0, 0), beam.at(-1, 0)))
    bar.add(lw.Driver("d", pin.angle, "0.1*sin(t)"))
    flat = show(lw.kinematics(bar, t_end=1.0, steps=4).animate(autoplay=False), 736, 620)
    opened = show(lw.kinematics(quick_return(), t_end=0.5, steps=4).animate(autoplay=False), 736, 620)

    def below(page: Any) -> bool:
        stage, numbers = (page.page.locator(x).bounding_box() for x in ("#stage", "#numbers"))
        return bool(numbers["y"] >= stage["y"] + stage["height"])

    assert below(flat)
    for width, height in [(736, 620), (740, 360)]:
        opened.resize(width, height)
        header, stage, numbers, footer = (
            opened.page.locator(x).bounding_box() for x in ("header", "#stage", "#numbers", "footer")
        )
        assert stage["x"] + stage["width"] < numbers["x"] < numbers["x"] + numbers["width"] <= width
        assert header["height"] + stage["height"] + footer["height"] == pytest.approx(height, abs=2)
        root = "document.documentElement.scroll"
        assert opened.page.evaluate(f"{root}Width <= innerWidth && {root}Height <= innerHeight")
    opened.resize(390, 780)
    assert below(opened)


def test_forces_are_drawn_to_scale(show: Show) -> None:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=20)
    ones = np.ones_like(r.t)
    forces = {"B.fx": 300 * ones, "B.fy": 400 * ones, "C.fx": 0 * ones, "C.fy": -250 * ones}
    held = lw.Result(m.name, r.t, {**{c: r[c] for c in r}, **forces}, r.audit, source=m)
    opened = show(held.animate(autoplay=False))

    def drawn() -> list[tuple[float, float]]:
        paths = opened.page.locator("path.force").evaluate_all("all => all.map(p => p.getAttribute('d'))")
        ends = [[float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", path)[:4]] for path in paths]
        return [(n[2] - n[0], n[3] - n[1]) for n in ends]

    (bx, by), (cx, cy) = drawn()
    assert math.hypot(bx, by) / math.hypot(cx, cy) == pytest.approx(math.sqrt(2), rel=1e-3)  # compressed at first
    opened.page.locator("#law").select_option("linear")
    (bx, by), (cx, cy) = drawn()
    assert math.hypot(bx, by) / math.hypot(cx, cy) == pytest.approx(2, rel=1e-3)
    assert by / bx == pytest.approx(-4 / 3, rel=1e-3)  # up on the screen is minus
    assert (cx, cy > 0) == (pytest.approx(0, abs=1e-6), True)
    assert "500 N" in opened.page.locator("#force-scale").inner_text()
    opened.page.locator("#forces").uncheck()
    assert not opened.page.locator("path.force").first.is_visible()


def test_arrows_are_the_forces_of_the_machine(show: Show) -> None:
    """Every arrow of a compressor under its gas is its force times one scale, and starts at its joint."""
    chosen = example("slider-crank")
    i = lw.inverse_dynamics(chosen.load(), t_end=1.0, steps=20)
    opened = show(i.animate(autoplay=False))
    opened.page.locator("#law").select_option("linear")
    opened.go(0.6)
    paths = opened.page.locator("path.force").evaluate_all("all => all.map(p => p.getAttribute('d'))")
    drawn = [[float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", path)[:4]] if path else [0] * 4 for path in paths]
    assert opened.page.locator("path.force.applied").count() == 1
    k = 12  # t = 0.6, the gas at work
    forces = [*[(i[f"{n}.fx"][k], i[f"{n}.fy"][k]) for n in ("A", "B", "C", "guide")], (i["gas.force"][k], 0.0)]
    largest = max(float(np.hypot(i[f"{n}.fx"], i[f"{n}.fy"]).max()) for n in ("A", "B", "C", "guide"))
    largest = max(largest, float(np.abs(i["gas.force"]).max()))
    scale = 0.15 * min(opened.page.locator("#view").bounding_box()[side] for side in ("width", "height")) / largest
    for (x, y, tip_x, tip_y), (fx, fy) in zip(drawn, forces, strict=True):
        if math.hypot(fx, fy) * scale > 2:  # shorter ones are left out
            assert (tip_x - x, y - tip_y) == pytest.approx((fx * scale, fy * scale), abs=0.5)  # pixels
    assert abs(i["gas.force"][k]) * scale > 10
    pin = opened.page.locator('g.joint[data-name="C"] circle').bounding_box()
    view = opened.page.locator("#machine").bounding_box()
    assert drawn[2][0] + view["x"] == pytest.approx(pin["x"] + pin["width"] / 2, abs=1)
    assert drawn[2][1] + view["y"] == pytest.approx(pin["y"] + pin["height"] / 2, abs=1)


def arc(path: str) -> tuple[float, float, float]:
    """Of an arc drawn from above its middle on: middle x and y, and the turn, counter-clockwise positive, as SVG has it."""
    x, y, radius, _, _, large, clockwise, tip_x, tip_y = [float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", path)[:9]]
    turn = math.atan2(x - tip_x, y + radius - tip_y) % math.tau  # from straight up
    turn = turn - math.tau if clockwise else turn
    assert (abs(turn) > math.pi) == bool(large)
    return x, y + radius, turn


def test_torques_are_drawn_to_scale(show: Show) -> None:
    m = slider_crank()
    r = lw.kinematics(m, t_end=1.0, steps=20)
    ones = np.ones_like(r.t)
    given = {"A.fx": 0 * ones, "A.fy": 0 * ones, "A.torque": 40 * r.t, "C.fx": 0 * ones, "C.fy": 0 * ones}
    given |= {"C.torque": -30 * ones, "motor.torque": 20 * ones}
    held = lw.Result(m.name, r.t, {**{c: r[c] for c in r}, **given}, r.audit, source=m)
    opened = show(held.animate(autoplay=False))
    opened.page.locator("#law").select_option("linear")
    opened.go(1.0)
    paths = opened.page.locator("path.torque").evaluate_all("all => all.map(p => p.getAttribute('d'))")
    a, c, motor = map(arc, paths)
    full = 1.5 * math.pi  # of the largest, 40 N m
    assert [x[2] for x in (a, c, motor)] == pytest.approx([full, -30 / 40 * full, 20 / 40 * full], rel=1e-4)
    assert motor[:2] == pytest.approx(a[:2], abs=1e-3)  # about the same pin, one around the other
    view, pin = (opened.page.locator(x).bounding_box() for x in ("#machine", 'g.joint[data-name="C"] circle'))
    assert c[0] + view["x"] == pytest.approx(pin["x"] + pin["width"] / 2, abs=1)
    assert c[1] + view["y"] == pytest.approx(pin["y"] + pin["height"] / 2, abs=1)
    assert opened.page.locator("path.torque.applied").count() == 1
    text = opened.page.locator("#force-scale").inner_text()
    assert "40 N m" in text
    assert "forces: none" in text
    opened.go(0.5)
    assert arc(opened.page.locator("path.torque").first.get_attribute("d"))[2] == pytest.approx(full / 2, rel=1e-4)
    opened.page.locator("#forces").uncheck()
    assert not opened.page.locator("path.torque").first.is_visible()


def test_the_view_holds_the_longest_arrows_and_rings_go_around_each_other(show: Show) -> None:
    """A column with a push up at its top, and torques about one pin, told at places on either body."""
    m = lw.PlanarModel("column")
    column, arm = m.body("column", mass=1, inertia=1, position=(0, 1)), m.body("arm", mass=1, inertia=1, position=(0.3, 2))
    foot = m.add(lw.Fixed("foot", m.ground.at(0, 0), column.at(0, -1)))
    m.add(lw.Revolute("pin", arm.at(-0.3, 0), column.at(0, 1)))
    m.add(lw.Revolute("top", column.at(0, 1), arm.at(-0.3, 0)))
    t = np.array([0.0, 1.0])
    channels = {f"{b.name}.{c}": 0 * t + x for b, at in ((column, (0, 1, 0)), (arm, (0.3, 2, 0)))
                for c, x in zip(("x", "y", "angle"), at, strict=True)}  # fmt: skip
    for name in ("pin", "top", foot.name):
        channels |= {f"{name}.fx": 0 * t, f"{name}.fy": 0 * t + (name == "top"), f"{name}.torque": 1 + 0 * t}
    opened = show(lw.Result(m.name, t, channels, Audit(), source=m).animate(autoplay=False))
    view = opened.page.locator("#machine").bounding_box()
    path = opened.page.locator("path.force").evaluate_all("all => all.map(p => p.getAttribute('d')).find(Boolean)")
    _, y, _, tip_y = (float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", path)[:4])
    assert y - tip_y == pytest.approx(0.15 * min(view["width"], view["height"]), rel=1e-3)
    assert tip_y > 2  # it was cut off at zero
    foot_arc, pin, top = opened.page.locator("path.torque").evaluate_all("all => all.map(p => p.getAttribute('d'))")
    radius = [float(re.search(r"A([\d.]+)", path)[1]) for path in (pin, top, foot_arc)]  # type: ignore[index]
    assert arc(pin)[:2] == pytest.approx(arc(top)[:2], abs=1e-3)
    assert radius[1] > radius[0] + 5
    assert radius[2] == pytest.approx(radius[0])


def test_arrows_are_picked_but_joints_under_them_first(show: Show) -> None:
    i = lw.inverse_dynamics(example("slider-crank").load(), t_end=1.0, steps=20)
    opened = show(i.animate(autoplay=False))
    opened.go(0.8)
    page, view = opened.page, opened.page.locator("#machine").bounding_box()
    x, y, _ = arc(page.locator("path.torque").get_attribute("d"))
    # the arc's first point is straight above the pin
    start = [float(n) for n in re.findall(r"-?[\d.]+", page.locator("path.torque").get_attribute("d"))[:2]]
    page.mouse.click(view["x"] + start[0], view["y"] + start[1])
    assert "motor Driver" in page.locator("#selection .what").inner_text()
    assert "selected" in page.locator("path.torque").get_attribute("class")
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in page.locator("#selection tr").all_inner_texts()}
    value, unit = rows["motor.torque"]
    assert float(value) == pytest.approx(i["motor.torque"][16] / 1e3, rel=2e-5)
    assert unit == "kN m"
    page.mouse.click(view["x"] + x, view["y"] + y)
    assert "A Revolute" in page.locator("#selection .what").inner_text()
    assert opened.complaints == []


def test_gears_turn_against_each_other(show: Show) -> None:
    m = gears_and_cam()
    opened = show(lw.kinematics(m, t_end=1.0, steps=40).animate(model=m, autoplay=False))

    def turn(body: str) -> float:
        matrix = opened.page.locator(f'g.body[data-name="{body}"]').get_attribute("transform")
        c, s = map(float, matrix.removeprefix("matrix(").split()[:2])
        return math.atan2(s, c)

    start = turn("wheel")
    opened.go(0.2)
    assert turn("pinion") == pytest.approx(0.4 * math.pi, abs=1e-6)
    assert turn("wheel") - start == pytest.approx(-0.2 * math.pi, abs=1e-6)


def test_names_are_never_markup(show: Show) -> None:
    m = lw.PlanarModel('<img src=x onerror="window.bad=1">')
    arm = m.body('<b onclick="x">"&\'', mass=1)
    pin = m.add(lw.Revolute("</script><script>bad=1</script>", m.ground.at(0, 0), arm.at(-1, 0)))
    m.add(lw.Driver("motor", pin.angle, "t"))
    opened = show(lw.kinematics(m, t_end=1.0, steps=4).animate(model=m, check="<script>window.bad=1</script>"))
    for button in opened.page.locator("#parts button").all():
        button.click()
    assert opened.page.evaluate("window.bad") is None
    assert opened.page.locator("img, b[onclick]").count() == 0
    assert opened.page.locator("h1").inner_text() == m.name
    assert opened.complaints == []


def test_a_configuration_is_shown_at_rest(show: Show) -> None:
    m = slider_crank()
    opened = show(lw.assemble(m).animate(model=m))
    assert inked(pixels(opened.page.locator("#view"))) > 0.01
    opened.page.keyboard.press("Space")
    opened.page.keyboard.press("ArrowRight")
    assert opened.complaints == []


def test_texts_are_there(still: Any) -> None:
    still.page.locator("#check-box summary").click()
    assert still.page.locator("#check").inner_text() == "one degree of freedom"
    assert "analysis: kinematics" in still.page.locator("#audit").text_content()
    assert "slider-crank" in still.page.locator("#model").text_content()


def test_a_floor_that_nothing_else_shows_is_drawn_under_what_may_touch_it(show: Show) -> None:
    """Under the whole flight, sloping as the contact says; contacts have no other sign."""
    m = lw.PlanarModel("ball", gravity=(0, -9.81))
    ball = m.body("ball", mass=1.0, inertia=0.1, position=(0, 1), velocity=(1, 0), shape={"circle": 0.1})
    m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=-0.1), radii=(0.1, 0), restitution=0.5))
    d = lw.dynamics(m, t_end=1.0, steps=20)
    opened = show(d.animate(autoplay=False))
    floor = opened.page.locator('[data-layer=ground] g[data-name="floor"]')
    assert floor.locator(".hatch").count() == 1
    seen, view = floor.bounding_box(), opened.page.locator("#view").bounding_box()
    assert seen["x"] >= view["x"]
    assert seen["x"] + seen["width"] <= view["x"] + view["width"]
    for time in (0.0, 0.45, 1.0):
        opened.go(time)
        own = opened.page.locator('g.body[data-name="ball"]').bounding_box()
        assert seen["x"] < own["x"]
        assert own["x"] + own["width"] < seen["x"] + seen["width"]
        assert own["y"] + own["height"] < seen["y"] + seen["height"]
    assert opened.page.locator("g.joint").count() == 0
    assert opened.page.locator("#labels text:visible").all_text_contents() == ["ball"]
    opened.page.locator("#parts").get_by_role("button", name="floor", exact=True).click()
    assert opened.page.locator("#labels text.wanted").all_text_contents() == ["floor"]
    assert opened.complaints == []
