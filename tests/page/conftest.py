"""A real browser for the tests of the page; without one they are left out, and the summary of the run says so."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--headless=new", "--no-sandbox", "--hide-scrollbars", "--mute-audio", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions",
]  # fmt: skip
PLANE = ["--disable-gpu"]
SPACE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-rasterization"]  # WebGL without a card
PATIENCE = 60  # seconds: waiting ends with what is waited for, and the computer may have much else to do


@pytest.fixture(scope="session")
def browser() -> Iterator[Callable[[bool], Any]]:
    """Gives a running browser, with WebGL (slower) or without; each is started when first asked for."""
    sync = pytest.importorskip("playwright.sync_api", reason="no Playwright: the page is not tested in a browser")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no browser was found: the page is not tested in one (install chromium)")
    running: dict[bool, Any] = {}
    with sync.sync_playwright() as playwright:

        def start(webgl: bool) -> Any:
            if webgl not in running:
                flags = FLAGS + (SPACE if webgl else PLANE)
                running[webgl] = playwright.chromium.launch(executable_path=found, args=flags, timeout=1000 * PATIENCE)
            return running[webgl]

        yield start
        for one in running.values():
            one.close()


@dataclass
class Opened:
    """A page in the browser, and what it complained about."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    key: tuple[Any, ...] = ()

    @cached_property
    def listeners(self) -> dict[str, Callable[[Any], None]]:
        return {"console": self._told, "pageerror": lambda e: self.complaints.append(str(e)), "request": self._asked}

    def _told(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith("blob:"):  # a thread that solves what takes long is made from what is in the page
            self.requests.append(request.url)

    def go(self, time: float) -> None:
        """Move the time slider as a hand would: set it and let it tell."""
        self.page.locator("#time").evaluate("(e, t) => { e.value = t; e.dispatchEvent(new Event('input')); }", time)

    def along(self, times: Any, *functions: str) -> list[list[Any]]:
        """What functions of the page give at each of these times: one question for all of them."""
        step = "const e = document.getElementById('time'); e.value = t; e.dispatchEvent(new Event('input'));"
        asked = f"(times) => times.map((t) => {{ {step} return [{', '.join(functions)}].map((f) => f()); }})"
        found: list[list[Any]] = self.page.evaluate(asked, [float(t) for t in times])
        return found

    def until(self, condition: str) -> None:
        """Wait for something to become true. (Playwright's own waiting evaluates text in the page, which forbids that.)"""
        end = time.monotonic() + PATIENCE
        while not self.page.evaluate(f"Boolean({condition})"):
            assert time.monotonic() < end, condition
            self.page.wait_for_timeout(20)

    def resize(self, width: int, height: int) -> None:
        """Make the window another screen; what is drawn follows at the next frame."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.until(f"innerWidth === {width} && innerHeight === {height}")
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def time(self) -> float:
        return float(self.page.locator("#time").input_value())

    def spot(self, name: str) -> tuple[float, float]:
        """Where on the screen the thing is whose name is shown."""
        label = self.page.locator("#labels text").filter(has_text=re.compile(f"^{re.escape(name)}$"))
        x, y = label.evaluate("(t) => t.place")
        corner = self.page.locator("#labels").bounding_box()
        return corner["x"] + x, corner["y"] + y

    def place(self, body: str) -> tuple[float, float]:
        """Where a body of the plane is drawn: the shift in its matrix."""
        matrix = self.page.locator(f'g.body[data-name="{body}"]').first.get_attribute("transform")
        numbers = matrix.removeprefix("matrix(").removesuffix(")").split()
        return float(numbers[4]), float(numbers[5])


class Windows:
    """Windows of the browser, kept from test to test: a new one costs ten times what a page of a machine in the plane does.

    Each setting has its own. One that is given back shows an empty page, without cookies and whatever was pressed, routed or
    pretended in it.
    """

    def __init__(self, browser: Callable[[bool], Any], empty: Path) -> None:
        empty.write_text("<!DOCTYPE html><title>empty</title>")
        self.browser, self.empty, self.idle = browser, empty.as_uri(), dict[tuple[Any, ...], list[Any]]()

    def taken(self, webgl: bool, width: int, height: int, **settings: Any) -> Opened:
        key = (webgl, *sorted(settings.items()))
        if self.idle.get(key):
            page = self.idle[key].pop()
            page.set_viewport_size({"width": width, "height": height})
        else:
            context = self.browser(webgl).new_context(viewport={"width": width, "height": height}, **settings)
            context.set_default_timeout(1000 * PATIENCE)
            page = context.new_page()
        opened = Opened(page, key=key)
        for event, heard in opened.listeners.items():
            page.on(event, heard)
        return opened

    def give_back(self, opened: Opened) -> None:
        page, context = opened.page, opened.page.context
        for event, heard in opened.listeners.items():
            page.remove_listener(event, heard)
        if page.is_closed():
            context.close()
            return
        for other in context.pages:
            if other is not page:
                other.close()
        page.mouse.up()
        page.unroute_all()
        page.goto(self.empty)
        page.mouse.move(0, 0)
        page.emulate_media(media="null")
        context.clear_cookies()
        self.idle.setdefault(opened.key, []).append(page)


@pytest.fixture(scope="session")
def windows(browser: Callable[[bool], Any], tmp_path_factory: pytest.TempPathFactory) -> Windows:
    return Windows(browser, tmp_path_factory.mktemp("windows") / "empty.html")


@pytest.fixture
def show(windows: Windows, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Open an animation in a window; nothing on the way may go wrong. Machines in space have a smaller one: without a
    graphics card every pixel of them costs."""
    used: list[Opened] = []

    def opening(animation: Any, width: int = 0, height: int = 0, **settings: Any) -> Opened:
        path = tmp_path / f"page{len(used)}.html"
        text = getattr(animation, "text", animation)
        path.write_text(text, encoding="utf-8")
        space = "Three.js" in text
        usual = (900, 600) if space else (1200, 760)
        opened = windows.taken(space, width or usual[0], height or usual[1], offline=True, **settings)
        used.append(opened)
        opened.page.goto(path.as_uri())
        opened.until("document.getElementById('clock')?.textContent || document.querySelector('iframe')")
        assert opened.complaints == []
        assert opened.requests == [path.as_uri()]  # the page asks for nothing but itself
        return opened

    yield opening
    asked = {url.partition("#")[0].partition("?")[0] for opened in used for url in opened.requests}
    for opened in used:
        windows.give_back(opened)
    assert all(url.startswith(("file:", "data:", "about:")) for url in asked), asked  # nor for anything while it is used


@pytest.fixture
def visit(windows: Windows) -> Iterator[Callable[..., Opened]]:
    """Open the page of a server, which has a `url`; what it complains about and asks for is told."""
    used: list[Opened] = []

    def opening(server: Any, webgl: bool = False) -> Opened:
        opened = windows.taken(webgl, 1200, 900, reduced_motion="reduce")
        used.append(opened)
        opened.page.goto(server.url)
        opened.until("document.getElementById('clock')?.textContent")
        return opened

    yield opening
    for opened in used:
        windows.give_back(opened)
