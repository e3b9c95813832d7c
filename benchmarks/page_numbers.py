"""Numbers of pages beside those of the analyses here: python -m benchmarks.page_numbers [EXAMPLE ...]

Of every example the live page is opened in Chromium, and each channel compared with that of the analysis at the same
tolerance over a second (or to its end): the largest difference, by the largest value of the channel's unit (torques by
forces at the machine's lengths, accelerations by gravity where these are more). Where that is more than 1e-9 of a
simulation, also how many roundings of the start a step it is worth: starts that are 10,000 roundings away, and runs in
proportion, tell what one does to that channel along the motion, and each step rounds anew. It ends with 1 where a page is
further off than both 1e-9 and four of them a step. All examples take some two minutes. Needs Playwright, Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.examples import EXAMPLES

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from shaken import a_rounding, by_channel

SAME, ROUNDINGS, PATIENCE = 1e-9, 4, 60_000
FLAGS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def compared(browser: Any, name: str, path: Path) -> tuple[str, bool]:
    """A line about an example, and whether its page tells what the analysis does."""
    chosen = EXAMPLES[name]
    m, times = chosen.load(), {"t_end": min(chosen.t_end, 1.0), "steps": 50}
    lw.page(m, path, analysis=chosen.analysis, autoplay=False, **times)
    page = browser.new_page(viewport={"width": 480, "height": 360})
    page.set_default_timeout(PATIENCE)
    page.goto(path.as_uri())
    page.evaluate("linkwright.ready")
    said = page.evaluate("linkwright.message")
    found = page.evaluate("Object.fromEntries(linkwright.channels.map((c) => [c, Array.from(linkwright.channel(c))]))")
    page.close()
    result = getattr(lw, chosen.analysis)(m, **times)
    if said or set(found) != set(result.channels):
        return f"{name:30} {said or 'other channels'}", False
    off = by_channel(lambda c: np.array(found[c]), result)
    worst = max(off, key=lambda c: off[c])
    line = f"{name:30} {chosen.analysis:16} {off[worst]:8.1e}  {worst}"
    far = [c for c in off if off[c] > SAME]
    if not far or chosen.analysis != "dynamics":
        return line, not far
    condition = a_rounding(m, result, **times)
    worth = max(off[c] / max(condition[c], 1e-300) for c in far) / result.audit.steps
    return f"{line}, {worth:.2g} roundings a step ({condition[worst]:.1e} each)", worth <= ROUNDINGS


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("no Chromium was found: install it, or put it on the path")
    names, fine = sys.argv[1:] or list(EXAMPLES), 0
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name in names:
            line, same = compared(browser, name, Path(folder) / "page.html")
            print(line if same else f"{line}  DIFFERS", flush=True)
            fine += same
        browser.close()
    print(f"{fine} of {len(names)} pages tell the numbers of the analyses")
    sys.exit(fine != len(names))


if __name__ == "__main__":
    main()
