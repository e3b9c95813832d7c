"""A real browser for the tests of the page; without one they are left out, and the summary of the run says so."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
        place = label.get_attribute("data-place")
        corner = self.page.locator("#labels").bounding_box()
        x, y = map(float, place.split())
        return corner["x"] + x, corner["y"] + y

    def place(self, body: str) -> tuple[float, float]:
        """Where a body of the plane is drawn: the shift in its matrix."""
        matrix = self.page.locator(f'g.body[data-name="{body}"]').first.get_attribute("transform")
        numbers = matrix.removeprefix("matrix(").removesuffix(")").split()
        return float(numbers[4]), float(numbers[5])


@pytest.fixture
def show(browser: Callable[[bool], Any], tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Open an animation in a new window; nothing on the way may go wrong."""
    contexts = []

    def opening(animation: Any, width: int = 1200, height: int = 760, **settings: Any) -> Opened:
        path = tmp_path / f"page{len(contexts)}.html"
        text = getattr(animation, "text", animation)
        path.write_text(text, encoding="utf-8")
        context = browser("Three.js" in text).new_context(
            viewport={"width": width, "height": height}, offline=True, **settings
        )
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.on("console", lambda m: opened.complaints.append(m.text) if m.type in ("error", "warning") else None)
        opened.page.on("pageerror", lambda e: opened.complaints.append(str(e)))
        # a thread that solves what takes long is made from what is in the page
        opened.page.on("request", lambda r: opened.requests.append(r.url) if not r.url.startswith("blob:") else None)
        opened.page.goto(path.as_uri())
        opened.until("document.getElementById('clock')?.textContent || document.querySelector('iframe')")
        assert opened.complaints == []
        assert opened.requests == [path.as_uri()]  # the page asks for nothing but itself
        return opened

    yield opening
    for context in contexts:
        context.close()
