"""The documentation runs: each page's blocks in order, in one namespace; what it shows is computed by the way."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))
import living  # noqa: E402

# Pages of many machines are run by `make docs` alone, where a page that fails is an error, too: they take a minute.
MANY = ("gallery", "codes", "designs.md")
WRITTEN = sorted(p for p in (ROOT / "docs").glob("**/*.md") if not {"_build", *MANY} & set(p.parts))
PAGES = [ROOT / "README.md", *WRITTEN]


def test_blocks_run_in_order_and_show_what_they_gave():
    page = living.Page("a page")
    text = "a\n```python\nx = 1\n```\nb\n```text\nno\n```\n```{show} x + 1\n```\n```python\ny = x + 2\n```\n"
    assert page.expand(text) == text.replace("```{show} x + 1\n```", "```text\n2\n```")
    assert page.namespace["y"] == 3


def test_an_error_is_shown_and_a_missing_one_is_found():
    page = living.Page("a page")
    shown = page.expand("```{raises} lw.ModelError\nlw.PlanarModel('m')['crank']\n```")
    assert shown.startswith("```python\nlw.PlanarModel('m')['crank']\n```")
    assert "ModelError: crank: there is no 'crank' in 'm'" in shown
    with pytest.raises(AssertionError, match=r"a page:2: no lw\.ModelError was raised"):
        page.expand("```{raises} lw.ModelError\nx = 1\n```")


def test_a_traceback_names_the_line_of_the_page():
    with pytest.raises(ZeroDivisionError) as caught:
        living.Page("a page").expand("a\n\n```python\nx = 1\nx / 0\n```\n")
    assert (caught.traceback[-1].frame.code.raw.co_filename, caught.traceback[-1].lineno + 1) == ("a page", 5)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what a page writes does not stay
    living.Page(str(page)).expand(page.read_text(encoding="utf-8"))
