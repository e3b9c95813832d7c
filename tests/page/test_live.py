"""The live page in a real browser, served as by `linkwright view` (some by a real one): sliders move the machine."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linkwright as lw
from linkwright.cli.live import LiveServer
from linkwright.cli.workbench import Workbench
from linkwright.examples import EXAMPLES
from page.conftest import PATIENCE, Opened
from page.live_server import FOUR_BAR, Live, served, serving
from page.pixels import changed, inked, pixels

pytestmark = pytest.mark.browser
Visit = Callable[..., Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "bar.yaml"
    path.write_text(FOUR_BAR)
    return path


def move(opened: Opened, name: str, value: float) -> None:
    """Move a slider as a hand would: set it and let it tell."""
    slider = opened.page.locator(f'input[type=range][data-name="{name}"]')
    slider.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", value)


def box(opened: Opened, name: str) -> Any:
    return opened.page.locator(f'input[type=number][data-name="{name}"]')


def plotted(opened: Opened) -> str:
    return str(opened.page.locator("#plots svg path[stroke]").first.get_attribute("d"))


def follower_length(opened: Opened) -> float:
    """Between the pins C and D as they are drawn."""
    path = opened.page.locator('g.body[data-name="follower"] path').first.get_attribute("d")
    ends = [tuple(map(float, p.split())) for p in path.removeprefix("M").removesuffix("Z").split("L")]
    return math.dist(ends[0], ends[1])


def settled(opened: Opened) -> None:
    """Until all that was asked for is answered and shown."""
    opened.until("document.getElementById('stage').ariaBusy !== 'true'")


def test_a_slider_moves_the_machine_and_the_plots(file: Path, visit: Visit) -> None:
    m = lw.load(file)
    with served(file, 100) as live:
        opened = visit(live)
        assert opened.complaints == []
        assert inked(pixels(opened.page.locator("#view"))) > 0.01
        opened.go(0.4)
        assert "no objection" in opened.page.locator("#check").text_content()
        assert "type: Driver" in opened.page.locator("#model").text_content()
        place, curve, picture = opened.place("follower"), plotted(opened), pixels(opened.page.locator("#view"))
        assert follower_length(opened) == pytest.approx(3, rel=1e-5)
        move(opened, "c", 3.5)
        opened.until("document.querySelector('input[type=number][data-name=c]').value === '3.5'")
        opened.until(f"document.querySelector('#plots svg path[stroke]').getAttribute('d') !== {curve!r}")
        assert follower_length(opened) == pytest.approx(3.5, rel=1e-5)
        m.set(c=3.5)
        k = lw.kinematics(m, t_end=1.0, steps=100)
        now = k.at(0.4)  # the clock stands still while the machine changes
        assert opened.time() == pytest.approx(0.4)
        assert opened.place("follower") == pytest.approx((now["follower.x"], now["follower.y"]), abs=1e-4)
        assert opened.place("follower") != pytest.approx(place, abs=1e-2)
        assert changed(picture, pixels(opened.page.locator("#view"))) > 0.005
        opened.page.locator("#reset").click()
        opened.until(f"document.querySelector('#plots svg path[stroke]').getAttribute('d') === {curve!r}")
        assert opened.place("follower") == pytest.approx(place, abs=1e-6)
        assert opened.complaints == []
        assert all(url.startswith(f"http://127.0.0.1:{live.port}/") for url in opened.requests)


def test_what_cannot_be_and_the_way_back(file: Path, visit: Visit) -> None:
    with served(file, 60) as live:
        opened = visit(live)
        trouble = opened.page.locator("#trouble")
        assert not trouble.is_visible()
        move(opened, "c", 1.5)  # locks up: the motion until then is shown
        trouble.wait_for()
        assert "locks up at t = " in trouble.inner_text()
        assert "Remedy:" in trouble.inner_text()
        assert float(opened.page.locator("#time").get_attribute("max")) < 0.5
        assert "stale" not in (opened.page.locator("#stage").get_attribute("class") or "")
        box(opened, "a").fill("20")  # cannot be assembled: the old picture stays, pale
        opened.until("document.getElementById('trouble').textContent.includes('cannot be closed')")
        assert "stale" in opened.page.locator("#stage").get_attribute("class")
        assert opened.page.locator('input[type=range][data-name="a"]').input_value() == "20"  # the slider makes room
        opened.page.locator("#reset").click()
        trouble.wait_for(state="hidden")
        assert opened.page.locator("#time").get_attribute("max") == "1"
        assert opened.page.locator("#stage").get_attribute("class") == ""
        assert opened.complaints == []


def test_saving_keeps_the_comments(file: Path, visit: Visit) -> None:
    with served(file, 40) as live:
        opened = visit(live)
        assert opened.page.locator("#save").is_disabled()
        move(opened, "c", 3.2)
        opened.page.locator("#save").click()
        opened.until("document.getElementById('said').textContent === 'saved to bar.yaml'")
        assert file.read_text() == FOUR_BAR.replace("c:   3 ", "c:   3.2 ")
        assert opened.page.locator("#save").is_disabled()
        assert opened.page.locator("#reset").is_disabled()  # the file is as it is shown
        file.write_text(FOUR_BAR)
        move(opened, "c", 3.4)
        opened.page.locator("#save").click()
        opened.page.locator("#trouble").wait_for()
        assert "has changed on the disk" in opened.page.locator("#trouble").inner_text()
        assert file.read_text() == FOUR_BAR
        # a refusal is an answer, not a fault of the page; the browser mentions it
        assert all("409" in c for c in opened.complaints)


def test_the_page_solves_and_the_server_saves(file: Path, visit: Visit) -> None:
    """Nothing is asked of the server but the page and, on request, to write the file."""
    m = lw.load(file)
    with serving(file, "--steps", "100", here=False) as live:
        opened = visit(live)
        opened.page.evaluate("linkwright.ready")
        move(opened, "c", 3.5)
        opened.until("linkwright.parameters.c === 3.5 && document.getElementById('stage').ariaBusy === 'false'")
        assert follower_length(opened) == pytest.approx(3.5, rel=1e-5)
        m.set(c=3.5)
        k = lw.kinematics(m, t_end=1.0, steps=100)
        opened.until(f"Math.abs(linkwright.channel('follower.x')[40] - {k['follower.x'][40]}) < 1e-9")
        assert [url for url in opened.requests if url.endswith(("solve", "save"))] == []
        opened.page.locator("#save").click()
        opened.until("document.getElementById('said').textContent === 'saved to bar.yaml'")
        assert file.read_text() == FOUR_BAR.replace("c:   3 ", "c:   3.5 ")
        assert opened.page.locator("#save").is_disabled()
        assert opened.page.evaluate("linkwright.state") == {}  # the file is as it is shown
        assert opened.complaints == []


# Answers of the solver come late; counts how many are awaited at once.
LATE = """(delay) => {
    window.underWay = window.most = 0;
    const asked = window.fetch;
    window.fetch = async (what, how) => {
        window.most = Math.max(window.most, ++window.underWay);
        const answer = await asked(what, how);
        if (what === "solve") await new Promise(go => setTimeout(go, delay));
        --window.underWay;
        return answer;
    };
}"""


def test_the_answer_to_a_save_is_not_wiped_out_by_an_earlier_wish(file: Path, visit: Visit) -> None:
    with served(file, 40) as live:
        opened = visit(live)
        opened.page.evaluate(LATE, 500)
        move(opened, "c", 3.2)
        opened.page.locator("#save").click()
        opened.until("document.getElementById('said').textContent === 'saved to bar.yaml'")
        file.write_text(FOUR_BAR)
        move(opened, "c", 3.4)
        opened.page.locator("#save").click()
        opened.until("window.underWay === 0 && document.getElementById('trouble').textContent")
        settled(opened)
        assert opened.page.evaluate("window.most") == 1
        assert opened.page.locator("#trouble").is_visible()
        assert "has changed on the disk" in opened.page.locator("#trouble").inner_text()


def test_a_save_writes_what_was_shown_when_it_was_asked_for(file: Path, visit: Visit) -> None:
    with served(file, 40) as live:
        opened = visit(live)
        opened.page.evaluate(LATE, 900)
        move(opened, "c", 3.2)
        opened.page.locator("#save").click()
        move(opened, "c", 3.4)
        opened.until("document.getElementById('said').textContent.startsWith('solving')")  # whoever waits knows for what
        settled(opened)
        assert file.read_text() == FOUR_BAR.replace("c:   3 ", "c:   3.2 ")
        assert follower_length(opened) == pytest.approx(3.4, rel=1e-5)
        assert opened.page.locator("#save").is_enabled()  # 3.4 is not saved
        opened.page.locator("#reset").click()
        settled(opened)
        assert follower_length(opened) == pytest.approx(3.2, rel=1e-5)
        assert opened.page.evaluate("window.most") == 1
        assert opened.complaints == []


def test_an_answer_that_cannot_be_shown_does_not_end_the_page(file: Path, visit: Visit) -> None:
    with served(file, 40) as live:
        opened = visit(live)
        opened.page.route("**/solve", lambda route: route.fulfill(json={"motion": {}, "milliseconds": 1.0}), times=1)
        move(opened, "c", 3.2)
        settled(opened)
        assert len(opened.complaints) == 1  # the browser tells
        move(opened, "c", 3.4)
        settled(opened)
        assert follower_length(opened) == pytest.approx(3.4, rel=1e-5)
        assert len(opened.complaints) == 1


def test_by_keyboard(file: Path, visit: Visit) -> None:
    with served(file, 40) as live:
        opened = visit(live)
        slider = opened.page.get_by_label("c", exact=True)
        slider.focus()
        opened.page.keyboard.press("ArrowRight")
        opened.until("document.querySelector('input[type=number][data-name=c]').value === '3.002'")
        assert opened.time() == 0.0  # the key was the slider's, not the clock's
        opened.page.keyboard.press("Tab")
        opened.page.keyboard.press("Control+a")
        opened.page.keyboard.type("2.75")
        opened.until("Math.abs(document.querySelector('input[type=range][data-name=c]').value - 2.75) < 2e-3")
        box(opened, "c").fill("")  # no number yet: nothing is asked, and the value comes back
        opened.page.keyboard.press("Tab")
        assert box(opened, "c").input_value() == "2.75"
        assert opened.complaints == []


# Moves a slider at every frame of the screen for a second; how many answers came, and how long each took.
DRAG = """new Promise(done => {
    const slider = document.querySelector('input[type=range][data-name=c]'), start = performance.now();
    performance.clearResourceTimings();
    const step = (now) => {
        slider.value = 3 + 0.4 * Math.sin((now - start) / 150);
        slider.dispatchEvent(new Event('input'));
        if (now - start < 1000) requestAnimationFrame(step);
        else setTimeout(() => done(performance.getEntriesByType('resource').map(e => e.duration)), 200);
    };
    requestAnimationFrame(step);
})"""

BURST = """() => {
    const slider = document.querySelector('input[type=range][data-name=c]');
    const fetch = window.fetch;
    window.asked = 0;
    window.fetch = (...words) => { ++window.asked; return fetch(...words); };
    for (const value of [3.0, 2.9, 3.1, 3.2, 3.3]) { slider.value = value; slider.dispatchEvent(new Event('input')); }
}"""


def test_it_keeps_up_with_the_pointer(visit: Visit, file: Path) -> None:
    """On a quiet computer 40 to 60 answers a second; others work here too: one of a few tries.

    What is newest is always what is shown.
    """
    with served(file, 200) as live:
        opened = visit(live)

        def keeps_up() -> bool:
            durations = opened.page.evaluate(DRAG)
            settled(opened)
            print(f"{len(durations)} answers in a second, median {statistics.median(durations or [0]):.1f} ms")
            return len(durations) >= 6 and statistics.median(durations) < 150

        assert any(keeps_up() for _ in range(5))
        opened.page.evaluate(BURST)
        settled(opened)
        assert opened.page.evaluate("window.asked") == 1  # for the last of them alone
        assert follower_length(opened) == pytest.approx(3.3, rel=1e-5)
        assert opened.complaints == []


def test_selection_traces_and_switches_outlive_a_move(file: Path, visit: Visit) -> None:
    with served(file, 40) as live:
        opened = visit(live)
        spot = opened.page.locator('g.body[data-name="coupler"]').bounding_box()
        opened.page.mouse.click(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
        opened.page.locator("#selection button", has_text="Trace the point").click()
        opened.page.locator("#names").uncheck()
        before = opened.page.locator("path.trace.own").get_attribute("d")
        move(opened, "c", 3.4)
        opened.until(f"document.querySelector('path.trace.own').getAttribute('d') !== {before!r}")
        assert opened.page.locator("path.trace.own").count() == 1
        assert opened.page.locator("g.selected").get_attribute("data-name") == "coupler"
        assert not opened.page.locator("#labels text").first.is_visible()


def test_in_space(visit: Visit) -> None:
    with served("spatial-slider-crank", 40) as live:
        opened = visit(live, webgl=True)
        canvas = opened.page.locator("#view canvas")
        before = pixels(canvas)
        name = opened.page.locator("input[type=range][data-name]").first.get_attribute("data-name")
        labels = opened.page.locator(".label3d").count()
        move(opened, name, 1.1 * float(box(opened, name).input_value()))
        settled(opened)
        assert changed(before, pixels(canvas)) > 0.002
        assert opened.page.locator(".label3d").count() == labels
        opened.page.locator("#reset").click()
        settled(opened)
        assert opened.page.locator("#reset").is_disabled()
        assert changed(before, pixels(canvas)) < 0.002  # as it was
        assert "linkwright new" in opened.page.locator("#tune-box").inner_text()  # an example has no file to save to
        assert opened.complaints == []


def test_without_parameters(tmp_path: Path, visit: Visit) -> None:
    text = FOUR_BAR.replace("a/2", "1").replace("c/2", "1.5")
    start, end = text.index("parameters:"), text.index("bodies:")
    (tmp_path / "bar.yaml").write_text(text[:start] + text[end:])
    with served(tmp_path / "bar.yaml", 20) as live:
        opened = visit(live)
        assert "The model has no parameters" in opened.page.locator("#tune-box").inner_text()
        assert opened.page.locator("#save").count() == 0
        assert opened.complaints == []


def test_a_machine_that_does_not_close_is_shown_as_estimated(tmp_path: Path, visit: Visit) -> None:
    path = tmp_path / "bar.yaml"
    path.write_text(FOUR_BAR.replace("a: 2.0 ", "a: 20.0 "))
    with served(path, 20) as live:
        opened = visit(live)
        assert "cannot be closed" in opened.page.locator("#trouble").inner_text()
        box(opened, "a").fill("2")
        opened.page.locator("#trouble").wait_for(state="hidden")
        assert opened.page.locator("#time").get_attribute("max") == "1"
        assert opened.complaints == []


def test_closing_the_page_ends_the_server_and_loading_it_anew_does_not(file: Path, visit: Visit) -> None:
    server = LiveServer(Workbench(lw.load(file), str(file), steps=20), grace=0.4)
    server.start()
    try:
        opened = visit(Live(None, server.port, f"/{server.link}/"))  # type: ignore[arg-type]
        opened.page.reload()
        opened.until("document.getElementById('clock')?.textContent")
        opened.page.wait_for_timeout(600)  # longer than the server waits for a page to come back
        assert not server.ended.is_set()
        move(opened, "c", 3.1)
        settled(opened)
        assert follower_length(opened) == pytest.approx(3.1, rel=1e-5)
        with opened.page.expect_event("close"):
            opened.page.close(run_before_unload=True)
        assert server.ended.wait(PATIENCE)
    finally:
        server.close()


def test_a_server_that_has_gone_is_told(file: Path, visit: Visit) -> None:
    with serving(file, "--steps", "20") as live:
        opened = visit(live)
        assert live.stop()[0] == 0
        move(opened, "c", 3.1)
        opened.page.locator("#trouble").wait_for()
        assert "the server has ended. The picture is older." in opened.page.locator("#trouble").inner_text()


def test_a_result_moves_and_has_no_sliders(visit: Visit, tmp_path: Path) -> None:
    lw.kinematics(EXAMPLES["four-bar"].load(), t_end=1.0, steps=60).save(tmp_path / "run.nc")
    with serving(tmp_path / "run.nc") as live:
        opened = visit(live)
        assert opened.page.locator("#tune-box").count() == 0
        assert opened.page.locator("#trouble").is_hidden()
        assert opened.page.locator("#stage path").count() > 3  # it is drawn
        assert opened.complaints == []
        opened.page.goto("about:blank")
        assert live.process.wait(60) == 0  # closing the page ends it
