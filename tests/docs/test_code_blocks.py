"""The Python in the documentation runs: each page's blocks in order, in one namespace."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


def blocks(text):
    """(line of its first statement, code) of every block."""
    return [(text.count("\n", 0, m.start(1)) + 1, m[1]) for m in BLOCK.finditer(text)]


def test_blocks_are_found():
    page = "a\n```python\nx = 1\n```\nb\n```text\nno\n```\n```python\ny = x\nz = y\n```\n"
    assert blocks(page) == [(3, "x = 1\n"), (10, "y = x\nz = y\n")]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what a page writes does not stay
    found = blocks(page.read_text(encoding="utf-8"))
    namespace = {"__name__": "__main__"}
    for line, code in found:
        # padded, so that a traceback names the line of the page
        exec(compile("\n" * (line - 1) + code, str(page), "exec"), namespace)
