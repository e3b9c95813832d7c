"""The ready machines of `linkwright.examples` as Markdown, and their animated pages."""

from __future__ import annotations

import ast
from pathlib import Path

import describe

import linkwright as lw
from linkwright.examples import EXAMPLES, Example


def markdown() -> str:
    """A section a machine: what it is, how to run it, a picture, a diagram."""
    return "\n\n".join(map(_section, EXAMPLES.values()))


def _section(example: Example) -> str:
    doc = ast.get_docstring(ast.parse(example.python)) or ""
    lines = [
        "import linkwright as lw",
        "from linkwright.examples import example",
        "",
        f'm = example("{example.name}").load()',
    ]
    shown = f"```{{picture}} m\n```\n\n{_link(example)}"
    if _can_run(example):
        lines.append(f"run = lw.{example.analysis}(m, t_end={example.t_end:g}, steps={example.steps})")
        channels = ", ".join(f'"{c}"' for c in example.plot)
        shown = f"```{{picture}} m, run\n```\n\n```{{plot}} run, {channels}\n```\n\n{_link(example)}"
    code = "\n".join(lines)
    title = example.title[0].upper() + example.title[1:]
    return f"## {title}\n\n{describe.paragraphs(doc)}\n\n```python\n{code}\n```\n\n{shown}"


def _can_run(example: Example) -> bool:
    return example.analysis in lw.__all__


def _link(example: Example) -> str:
    if not _can_run(example):
        return ""
    page = f'<a href="machines/{example.name}.html">{example.title} in motion</a>'
    return f"```{{raw}} html\n<p>{page}</p>\n```"


def animate(folder: Path) -> None:
    """Write the animated page of each machine."""
    folder.mkdir(parents=True, exist_ok=True)
    for example in filter(_can_run, EXAMPLES.values()):
        model = example.load()
        run = getattr(lw, example.analysis)(model, t_end=example.t_end, steps=example.steps)
        points = example.points(model)
        run.animate(folder / f"{example.name}.html", model=model, channels=example.plot, trace=points)
