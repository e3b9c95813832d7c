"""What a live page weighs, and how it is unpacked."""

from __future__ import annotations

import random
import zlib
from base64 import b64encode
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

import linkwright as lw
from linkwright.examples import EXAMPLES
from linkwright.live.bundle import lettered, packed

pytestmark = pytest.mark.browser
PLANE, SPACE = 250_000, 1_200_000  # bytes


@pytest.mark.parametrize("name", ["jansen", "newtons-cradle", "gripper", "automobile-bars"])
def test_the_largest_pages_fit(name: str) -> None:
    """The largest of the examples without contacts, with impacts, with friction that sticks, in space; all of them are
    weighed where the manual is built."""
    m = EXAMPLES[name].load()
    text = lw.page(m, analysis="dynamics", t_end=0.1, steps=200).text
    assert len(text.encode()) < (PLANE if m.dimension == 2 else SPACE)


def test_deflate(browser: Callable[[bool], Any]) -> None:
    """Every kind of block, as zlib writes them: stored, with usual codes, with codes of its own; texts that repeat
    themselves from afar, bytes that do not; nothing at all."""
    rng = random.Random(1)
    texts = [b"", b"a", bytes(range(256)) * 300, rng.randbytes(70000), bytes(rng.choice(b"abc") for _ in range(40000))]
    texts.append(texts[3][:500] + b"x" * 32000 + texts[3][:500])
    content = [(text, zlib.Z_DEFAULT_STRATEGY, level) for text in texts for level in (0, 1, 9)]
    content += [(text, zlib.Z_FIXED, 6) for text in texts]

    def deflated(text: bytes, strategy: int, level: int) -> str:
        made = zlib.compressobj(level, wbits=-15, strategy=strategy)
        return lettered(made.compress(text) + made.flush())

    assert deflated(texts[4], zlib.Z_DEFAULT_STRATEGY, 9) == packed(texts[4])
    page = browser(False).new_page()
    page.add_script_tag(content=(files("linkwright.live") / "script" / "inflate.js").read_text())
    wrong = page.evaluate(
        """(all) => all.filter(([given, wanted]) => {
          const found = inflated(given), text = atob(wanted);
          return found.length !== text.length || found.some((x, k) => x !== text.charCodeAt(k));
        }).length""",
        [[deflated(*own), b64encode(own[0]).decode()] for own in content],
    )
    page.close()
    assert wrong == 0
