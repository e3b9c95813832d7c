"""What a picture of a moving page costs the browser's main thread: python -m benchmarks.pictures [EXAMPLE ...]

Processor time a picture (script, style and layout, all of it with painting) on the screen of a laptop, and on that of a
telephone with a processor four times slower. 16.7 ms make sixty pictures a second. Needs Playwright and Chromium.
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
    "governor", "stewart-platform", "bicycle", "spatial-slider-crank",
)  # fmt: skip
SCREENS = {"laptop": (1280, 800, 1), "telephone": (390, 844, 4)}  # width, height, slower by
SECONDS = 1.5
FLAGS = {
    2: ["--disable-gpu"],
    3: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-rasterization"],  # WebGL without a card
}
COUNTED = "() => { window.pictures = 0; const on = () => { pictures++; requestAnimationFrame(on); }; on(); }"


def cost(browser: Any, path: Path, screen: tuple[int, int, int]) -> dict[str, float]:
    """Milliseconds a picture by what they are spent on, and layouts a picture."""
    width, height, slower = screen
    context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=3 if slower > 1 else 1)
    page = context.new_page()
    page.goto(path.as_uri())
    page.evaluate("linkwright.ready")
    tools = context.new_cdp_session(page)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(COUNTED)

    def now() -> dict[str, float]:
        found = {x["name"]: x["value"] for x in tools.send("Performance.getMetrics")["metrics"]}
        return {**found, "pictures": page.evaluate("pictures")}

    page.wait_for_timeout(300)
    before = now()
    page.wait_for_timeout(1000 * SECONDS)
    spent = {name: value - before[name] for name, value in now().items()}
    context.close()
    count = max(spent["pictures"], 1)
    return {
        "script": 1000 * spent["ScriptDuration"] / count,
        "layout": 1000 * (spent["RecalcStyleDuration"] + spent["LayoutDuration"]) / count,
        "all": 1000 * spent["TaskDuration"] / count,
        "layouts": spent["LayoutCount"] / count,
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
            lw.page(m, path, analysis=example.analysis, t_end=example.t_end)
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
