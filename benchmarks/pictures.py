"""What a picture of a moving page costs the browser's main thread: python -m benchmarks.pictures [EXAMPLE ...]

Processor time a picture (script, style and layout, all of it with painting) on the screen of a laptop, and four times that
on the screen of a telephone: Chromium's own throttle spins by the clock on the wall, and so counts what else the computer
does. Machines in space are drawn a few pixels large, since without a card the processor draws them; the page's clock goes on
by a sixtieth of a second a picture, however long it took. 16.7 ms make sixty pictures a second. Needs Playwright, Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import linkwright as lw
from linkwright.examples import EXAMPLES

MACHINES = (
    "four-bar", "slider-crank", "jansen", "v6-engine", "planetary-gear", "gripper", "ratchet", "geneva",
    "governor", "stewart-platform", "bicycle", "spatial-slider-crank", "air-compressor-15", "automobile", "automobile-bars",
)  # fmt: skip
SCREENS = {"laptop": (1280, 800, 1, 1), "telephone": (390, 844, 3, 4)}  # width, height, pixel ratio, slower by
PICTURES = 60
FLAGS = {
    2: ["--disable-gpu"],
    3: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-rasterization"],  # WebGL without a card
}
CLOCK = """
let time = 0;
const picture = requestAnimationFrame.bind(window), on = () => { pictures++; time += 1000 / 60; picture(on); };
window.pictures = 0;
performance.now = () => time;
window.requestAnimationFrame = (f) => picture(() => f(time));
picture(on);
Object.defineProperty(window, "devicePixelRatio", { value: 0.02 });
const gl = WebGL2RenderingContext.prototype, told = gl.getParameter, NAME = 0x9246;  // of what draws: any card
gl.getParameter = function (what) { return what === NAME ? "card" : told.call(this, what); };
"""


def cost(browser: Any, path: Path, screen: tuple[int, int, int, int]) -> dict[str, float]:
    """Milliseconds a picture by what they are spent on, and layouts a picture."""
    width, height, ratio, slower = screen
    context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=ratio)
    page = context.new_page()
    page.set_default_timeout(200_000)  # whatever else the computer does
    page.add_init_script(CLOCK)
    page.goto(path.as_uri())
    page.evaluate("linkwright.ready")
    tools = context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now() -> dict[str, float]:
        found = {x["name"]: x["value"] for x in tools.send("Performance.getMetrics")["metrics"]}
        return {**found, "pictures": page.evaluate("pictures")}

    def after(count: int) -> dict[str, float]:
        while page.evaluate("pictures") < count:
            page.wait_for_timeout(50)
        return now()

    before = after(PICTURES // 2)  # compiled by then
    end = after(int(before["pictures"]) + PICTURES)
    spent = {name: value - before[name] for name, value in end.items()}
    context.close()
    each = 1000 * slower / max(spent["pictures"], 1)
    return {
        "script": each * spent["ScriptDuration"],
        "layout": each * (spent["RecalcStyleDuration"] + spent["LayoutDuration"]),
        "all": each * spent["TaskDuration"],
        "layouts": spent["LayoutCount"] / max(spent["pictures"], 1),
    }


def main(names: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    print(f"{'':22}" + "".join(f"{screen:>34}" for screen in SCREENS))
    print(f"{'ms a picture':22}" + f"{'script':>10}{'layout':>8}{'all':>8}{'layouts':>8}" * len(SCREENS))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        for name in names:
            example, m = EXAMPLES[name], EXAMPLES[name].load()
            path = Path(folder) / "page.html"
            options = {"steps": example.steps, "channels": example.plot, "trace": example.points(m)}  # as in the manual
            lw.page(m, path, analysis=example.analysis, t_end=example.t_end, **options)
            flags = ["--headless=new", "--no-sandbox", *FLAGS[m.dimension]]
            browser = playwright.chromium.launch(executable_path=found, args=flags)
            told = [cost(browser, path, screen) for screen in SCREENS.values()]
            browser.close()
            print(
                f"{name:22}"
                + "".join(f"{c['script']:10.2f}{c['layout']:8.2f}{c['all']:8.2f}{c['layouts']:8.1f}" for c in told),
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:] or list(MACHINES))
