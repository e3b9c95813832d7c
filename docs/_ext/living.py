"""Pages that run: what a page shows is computed from the page itself.

The fenced blocks of a page are taken in order, in one namespace:

    python               is run
    {raises} Error       is run, must raise that error, and is shown with its message
    {show} expression    becomes what the expression gives, as text
    {says} expression    becomes the expression, and what it gives
    {picture} things     becomes a picture of a model, or of a model and a result; its lines are the caption
    {plot} series        becomes a diagram: result, "channel", "channel", ...; its lines are the caption
    {curves} x, series   becomes a diagram over a parameter: ("k [N/m]", values), ("force", values), ...
    {element} Class      becomes what the class says of itself: signature, docstring, data, coordinates, equations
    {source} functions   becomes their source, such as planar_constraints.revolute
    {elements} group     becomes the list of the pages of a group
    {reference} module   becomes the reference of a module's public names; with no module, of what is left
    {answers}            becomes the reference of what analyses give
    {gallery} group      becomes a table of ready machines
    {machine} name       becomes a ready machine: what it is, and its live page
    {live} m, t_end=1    becomes the live page of a model, with options of lw.page; its lines are the title
    {beside}             becomes a table of printed results and ours; a line each: what | as printed | expression | why
    {broken} code        becomes a broken machine with that finding of `check`, drawn before and after a remedy
    {elsewhere} part     becomes a table of the recorded run of broken machines in other programs: summary or table

Knows nothing of Sphinx, so that tests can run pages without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import broken
import describe
import diagram
import elsewhere
import gallery
import picture
import reference

import linkwright

FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=ticks)[ \t]*$", re.MULTILINE | re.DOTALL)
LIVING = re.compile(
    r"^```\{(show|says|raises|picture|plot|curves|element|source|elements|reference|answers|gallery|machine|live|beside|broken"
    r"|elsewhere)\}",
    re.MULTILINE,
)


@dataclass
class Block:
    """A fenced block: its kind, what follows it, the line of its first statement, its text."""

    kind: str
    argument: str
    line: int
    body: str


@dataclass
class Page:
    """A page while it runs."""

    name: str
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__", "lw": linkwright})
    subject: str = ""  # the class that the page is about
    lives: int = 0  # live pages so far

    def expand(self, text: str) -> str:
        """Run the page; the text with everything computed put in."""
        return FENCE.sub(lambda m: self._block(m, text), text)

    def _block(self, m: re.Match[str], text: str) -> str:
        kind, _, argument = m["info"].strip().partition(" ")
        block = Block(kind.strip("{}"), argument.strip(), text.count("\n", 0, m.start("body")) + 1, m["body"])
        rule = RULES.get(block.kind)
        if rule is None or (kind.startswith("{") != (block.kind != "python")):
            return m[0]
        made = rule(self, block)
        return m[0] if made is None else made

    def run(self, code: str, line: int, mode: str = "exec") -> Any:
        """Run code so that a traceback names the line of the page."""
        compiled = compile("\n" * (line - 1) + code, self.name, mode, dont_inherit=True)
        return eval(compiled, self.namespace)

    def value(self, block: Block) -> Any:
        return self.run(block.argument, block.line, "eval")


def _python(page: Page, block: Block) -> None:
    page.run(block.body, block.line)


def _raises(page: Page, block: Block) -> str:
    expected = page.value(block)
    try:
        page.run(block.body, block.line)
    except expected as error:
        page.namespace["error"] = error
        return f"```python\n{block.body}```\n\n```text\n{type(error).__name__}: {error}\n```"
    raise AssertionError(f"{page.name}:{block.line}: no {block.argument} was raised")


def _show(page: Page, block: Block) -> str:
    return f"```text\n{str(page.value(block)).rstrip()}\n```"


def _picture(page: Page, block: Block) -> str:
    things = page.value(block)
    model, motion = things if isinstance(things, tuple) else (things, None)
    names = ", ".join(f"<code>{n}</code>" for n in picture.rows(model, page.subject))
    caption = f"{block.body.strip()} {f'Its equations: {names}.' if names else ''}"
    return _figure(picture.svg(model, motion, page.subject), caption)


def _plot(page: Page, block: Block) -> str:
    result, *channels = page.value(block)
    return _figure(diagram.svg(result, channels), block.body)


def _curves(page: Page, block: Block) -> str:
    x, *series = page.value(block)
    return _figure(diagram.curves(x, series), block.body)


def _figure(svg: str, caption: str) -> str:
    below = f"\n<figcaption>{caption.strip()}</figcaption>" if caption.strip() else ""
    return f'```{{raw}} html\n<figure class="drawn">{svg}{below}</figure>\n```'


def _element(page: Page, block: Block) -> str:
    page.subject = block.argument
    return describe.element(block.argument)


def _live(page: Page, block: Block) -> str:
    model, options = page.run(f"(lambda model, **options: (model, options))({block.argument})", block.line, "eval")
    page.lives += 1
    name = gallery.slug(f"{Path(page.name).stem} {page.lives}")
    title = block.body.strip()
    return gallery.frame(name, title, page.name, lambda path: linkwright.page(model, path, autoplay=False, **options))


def _beside(page: Page, block: Block) -> str:
    rows = []
    for k, line in enumerate(block.body.splitlines()):
        what, printed, ours, why = re.split(r"\s+\|\s*", line, maxsplit=3)
        rows.append((what, printed, page.run(ours, block.line + k, "eval"), why))
    return gallery.beside(rows)


RULES: dict[str, Callable[[Page, Block], str | None]] = {
    "python": _python,
    "raises": _raises,
    "show": _show,
    "says": lambda page, block: f"```python\n{block.argument}\n```\n\n{_show(page, block)}",
    "picture": _picture,
    "plot": _plot,
    "curves": _curves,
    "element": _element,
    "source": lambda page, block: describe.source(block.argument),
    "elements": lambda page, block: describe.listing(block.argument),
    "reference": lambda page, block: reference.module(block.argument) if block.argument else reference.rest(),
    "answers": lambda page, block: reference.answers(),
    "gallery": lambda page, block: gallery.listing(block.argument),
    "machine": lambda page, block: gallery.machine(block.argument, page.name),
    "live": _live,
    "beside": _beside,
    "broken": lambda page, block: broken.section(block.argument),
    "elsewhere": lambda page, block: getattr(elsewhere, block.argument)(),
}


def expand(text: str, name: str | Path) -> str:
    """The page with everything computed put in; a page that computes nothing stays as it is and is not run."""
    return Page(str(name)).expand(text) if LIVING.search(text) else text
