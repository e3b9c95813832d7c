"""Machines on pages of the manual: each in a frame, as a live page; printed results beside ours.

Live pages are written where `LIVE` says, which the build of the manual sets; the tests, which set nothing, make none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import describe

import linkwright as lw
from linkwright.examples import EXAMPLES, GROUPS, Example, example


@dataclass
class Live:
    """Where live pages go, and what is there already."""

    folder: Path | None = None


LIVE = Live()
BUDGET = {2: 250_000, 3: 1_200_000}  # bytes of a live page, by dimension; the manual is not built with a larger one


def machine(name: str, page: str) -> str:
    """An example: what it is, how to have it, its live page."""
    chosen = example(name)
    doc = ast.get_docstring(ast.parse(chosen.python)) or ""
    have = f'`linkwright run {chosen.name} --plot`, or `example("{chosen.name}").load()` of `linkwright.examples`.'

    def write(path: Path) -> None:
        model = chosen.load()
        made = lw.page(
            model, path, analysis=chosen.analysis, t_end=chosen.t_end, steps=chosen.steps, channels=chosen.plot,
            trace=chosen.points(model), autoplay=False,
        )  # fmt: skip
        if (size := len(made.text.encode())) > BUDGET[model.dimension]:
            raise ValueError(f"the live page of {chosen.name} has {size:,} bytes, more than {BUDGET[model.dimension]:,}")

    return f"{describe.paragraphs(doc)}\n\n{have}\n\n{frame(chosen.name, chosen.title, page, write)}"


def frame(name: str, title: str, page: str, write: Any) -> str:
    """A live page within the page; `write` makes it."""
    if LIVE.folder is not None and not (path := LIVE.folder / f"{name}.html").exists():
        LIVE.folder.mkdir(parents=True, exist_ok=True)
        write(path)
    up = "" if Path(page).is_absolute() else "../" * page.count("/")
    source = f"{up}machines/{name}.html"
    shown = f'<iframe class="live" src="{source}" title="{title}" loading="lazy"></iframe>'
    alone = f'<figcaption><a href="{source}">on a page of its own</a></figcaption>'
    return f'```{{raw}} html\n<figure class="live">{shown}\n{alone}</figure>\n```'


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def listing(group: str) -> str:
    """The machines of a group as a table: names lead to their sections, whose headings are the titles."""
    rows = [f"| {_linked(e, group)} | {e.title} | {e.source} |" for e in GROUPS[group]]
    return "\n".join(["| machine | | from |", "|---|---|---|", *rows])


def _linked(chosen: Example, group: str) -> str:
    return f"[`{chosen.name}`](gallery/{group}.md#{chosen.name})"


def missing(text: str, group: str) -> list[str]:
    """Machines of a group that a page does not show under a heading of their name."""
    shown = set(re.findall(r"^```\{machine\} ([\w-]+)$", text, re.MULTILINE))
    return [e.name for e in GROUPS[group] if e.name not in shown or f"\n## {e.name}\n" not in text]


def beside(rows: Iterable[tuple[str, str, Any, str]]) -> str:
    """Printed results and ours: what, as printed, our number, why they differ."""
    lines = ["| | printed | here | |", "|---|---|---|---|"]
    lines += [f"| {what} | {printed} | {_number(ours)} | {why} |" for what, printed, ours, why in rows]
    return "\n".join(lines)


def _number(x: Any) -> str:
    return x if isinstance(x, str) else f"{float(x):.6g}"


__all__ = ["EXAMPLES", "LIVE", "beside", "frame", "listing", "machine", "missing", "slug"]
