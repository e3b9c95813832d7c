"""Docstrings in numpydoc's form, taken apart: summary, text, sections, and entries of Parameters, Returns, Raises."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

ORDER = ("Parameters", "Attributes", "Returns", "Raises", "References", "Examples")
LISTS = ("Parameters", "Attributes", "Returns", "Raises")


@dataclass(frozen=True)
class Entry:
    """`a, b : type` and the indented text below; of Raises and of one unnamed answer the type stands alone."""

    head: str
    kind: str
    text: str

    @property
    def names(self) -> list[str]:
        return [name.strip() for name in self.head.split(",")]


@dataclass(frozen=True)
class Docstring:
    summary: str
    text: str = ""
    sections: dict[str, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    def entries(self, section: str) -> list[Entry]:
        """The entries of a section: lines at the margin, each with the indented lines below it."""
        out = []
        for head, below in re.findall(r"^(\S.*)\n((?:[ ]{4}.*\n|\n)*)", self.sections.get(section, "") + "\n", re.MULTILINE):
            name, _, kind = head.partition(" : ")
            out.append(Entry(name.strip(), kind.strip(), inspect.cleandoc(below)))
        return out

    @property
    def parameters(self) -> list[str]:
        return self.names("Parameters")

    def names(self, section: str) -> list[str]:
        """All names of a section, without the stars of *args and **kwargs."""
        return [name.lstrip("*") for entry in self.entries(section) for name in entry.names]


def parse(doc: str) -> Docstring:
    """A docstring, with what is wrong with its form."""
    body = inspect.cleandoc(doc or "")
    pieces = re.split(r"^([A-Z][A-Za-z ]*)\n(-{3,})\n", body, flags=re.MULTILINE)
    head = pieces[0].strip()
    summary, _, text = head.partition("\n\n")
    faults = []
    if "\n" in summary or not summary.rstrip().endswith((".", "...")):
        faults.append(f"the summary is not one line that ends with a full stop: {summary!r}")
    sections: dict[str, str] = {}
    for name, line, content in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        if name not in ORDER or name in sections or len(line) != len(name):
            faults.append(f"the section {name!r} is not known, there twice, or underlined by {len(line)} characters")
        if not content.strip():
            faults.append(f"the section {name!r} is empty")
        sections[name] = content.strip("\n")
    if list(sections) != sorted(sections, key=lambda s: ORDER.index(s) if s in ORDER else 0):
        faults.append(f"the order of sections is {', '.join(sections)}")
    found = Docstring(summary, text.strip(), sections, tuple(faults))
    lost = [f"{s}: {e.head} has no text" for s in LISTS if s in sections for e in found.entries(s) if not e.text]
    return Docstring(summary, found.text, sections, (*faults, *lost))
