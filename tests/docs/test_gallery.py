"""The gallery shows every ready machine, under a heading that is its name, so that links find it."""

import sys
from pathlib import Path

import pytest

from linkwright.examples import GROUPS

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
import gallery  # noqa: E402
import living  # noqa: E402


@pytest.mark.parametrize("group", GROUPS)
def test_every_machine_has_its_section(group):
    assert gallery.missing((DOCS / "gallery" / f"{group}.md").read_text(encoding="utf-8"), group) == []
    assert f"```{{gallery}} {group}\n" in (DOCS / "gallery.md").read_text(encoding="utf-8")


def test_a_live_page_is_framed_and_written_only_by_the_build(tmp_path, monkeypatch):
    text = "```python\nm = lw.PlanarModel('m')\n```\n```{live} m, t_end=2.0\nA pendulum\n```\n"
    framed = living.Page("course/one.md").expand(text)
    assert 'src="../machines/one-1.html" title="A pendulum"' in framed
    written = []
    monkeypatch.setattr(gallery.LIVE, "folder", tmp_path / "machines")
    monkeypatch.setattr(living.linkwright, "page", lambda m, path, **options: written.append((m.name, path.name, options)))
    living.Page("course/one.md").expand(text)
    assert written == [("m", "one-1.html", {"autoplay": False, "t_end": 2.0})]


def test_printed_results_stand_beside_ours():
    table = living.Page("p").expand("```{beside}\nlength | 0.33 | 1 / 3 | rounded\nword | yes | 'no' |\n```\n")
    assert "| length | 0.33 | 0.333333 | rounded |\n| word | yes | no |  |" in table


def test_curves_over_a_parameter_leave_out_what_failed():
    drawn = living.Page("p").expand('```{curves} ("l", [1, 2, 3]), ("a", [float("nan"), 1, 2]), ("b", [-1, 0, 1])\n```\n')
    assert drawn.count('<circle class="curve"') == 5
    assert drawn.count('<line class="thin"') == 1  # zero lies inside
