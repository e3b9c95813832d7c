"""What the classes of elements say of themselves, as Markdown: made from their declared fields and docstrings."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields
from functools import cache
from importlib import import_module
from pathlib import Path

import sections

import linkwright as lw
from linkwright.model import Element, Joint, Motion, kinds
from linkwright.model.body_fields import PointKind
from linkwright.model.fields import LawKind
from linkwright.model.plain_fields import ChoiceKind, Kind, NumberKind, NumbersKind

PAGES = Path(__file__).resolve().parents[1] / "elements"

SIGNS = {"positive": "more than zero", "nonnegative": "zero or more", "nonzero": "not zero", "": ""}


@cache
def groups() -> dict[str, list[str]]:
    """The public classes of each group, in the order of the package."""
    kinds = ("joints", "pairs", "constraints", "drivers", "motions", "forces", "drives")
    found: dict[str, list[str]] = {k: [] for k in kinds}
    for name in lw.__all__:
        thing = getattr(lw, name)
        if not isinstance(thing, type):
            continue
        if issubclass(thing, Motion):
            found["motions"].append(name)
        elif thing is lw.Driver:
            found["drivers"].append(name)
        elif issubclass(thing, Element):
            found[GROUP_OF[thing.__module__.rpartition(".")[2]]].append(name)
    return found


GROUP_OF = {
    "joints": "joints", "spatial_joints": "joints", "composite_joints": "joints", "pairs": "pairs", "ropes": "pairs",
    "constraints": "constraints", "balance": "constraints", "forces": "forces", "contacts": "forces", "drives": "drives",
}  # fmt: skip


def page_of(name: str) -> str:
    """The file name of a class's page, without ending: PointOnLine -> point-on-line."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def listing(group: str) -> str:
    """A table of a group's pages, and their table of contents."""
    names = groups()[group]
    rows = [f"| [{n}]({page_of(n)}.md) | {first_sentence(getattr(lw, n))} | {where(getattr(lw, n))} |" for n in names]
    toc = "\n".join(page_of(n) for n in names)
    table = "\n".join(["| element | what it is | where |", "|---|---|---|", *rows])
    return f"{table}\n\n```{{toctree}}\n:hidden:\n\n{toc}\n```"


def first_sentence(cls: type) -> str:
    return escape(sections.parse(cls.__doc__ or "").summary.removesuffix(".")).replace("|", "\\|")


def escape(text: str) -> str:
    """A docstring as Markdown: what is no mark-up stays as it is written."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([*<|$\[\]])", r"\\\1", p) for p in parts)


def where(cls: type) -> str:
    if not issubclass(cls, Element):
        return "plane and space"
    return {(2,): "plane", (3,): "space"}.get(tuple(cls.dimensions), "plane and space")


def signature(cls: type) -> str:
    """Revolute(name, P, Q), with the defaults."""
    given = []
    for f in fields(cls):
        default = "" if f.default is MISSING else f"={f.default!r}"
        given.append(f"{f.name}{default}")
    return f"{cls.__name__}({', '.join(given)})"


def element(name: str) -> str:
    """Signature, docstring, data and coordinates of a class."""
    cls = getattr(lw, name)
    doc = sections.parse(inspect.getdoc(cls) or "")
    body = "\n\n".join([paragraphs(doc.summary), paragraphs(doc.text), *source_of(doc)]).strip()
    parts = [f"````{{py:class}} linkwright.{signature(cls)}\n\n{body}\n````"]
    meant = {name: entry.text for entry in doc.entries("Parameters") for name in entry.names}
    if issubclass(cls, Element):
        facts = [f"**Where** {where(cls)}."]
        if cls.channels:
            coordinates = ", ".join(f"`.{c}`" for c in cls.channels)
            facts.append(f"**Coordinates** {coordinates}: quantities to drive, to act on, to read.")
        elif issubclass(cls, Joint):
            facts.append("**Coordinates** none of its own.")
        parts.append(" ".join(facts))
        rows = [(n, told(k), default(cls, n)) for n, k in kinds(cls).items()]
    else:
        rows = [(f.name, MOTION_DATA.get(f.type, str(f.type)), default(cls, f.name)) for f in fields(cls)]
    table = ["| data | what it may be | if not given | what it is |", "|---|---|---|---|"]
    for n, what, d in rows:
        table.append(f"| `{n}` | {what} | {d} | {escape(' '.join(meant[n].split()))} |")
    parts.append("\n".join(table))
    return "\n\n".join(parts)


def docstring(text: str) -> str:
    """All of a docstring in numpydoc's form: its sections as lists, its examples as code."""
    doc = sections.parse(text)
    out = [paragraphs(doc.summary), *([paragraphs(doc.text)] if doc.text else [])]
    for section in sections.LISTS:
        if section not in doc.sections:
            continue
        rows = []
        for entry in doc.entries(section):
            kind = f" ({escape(entry.kind)})" if entry.kind else ""
            rows.append(f"- `{entry.head}`{kind}: {escape(' '.join(entry.text.split()))}")
        out.append("\n".join([f"**{section}**", "", *rows]))
    out += source_of(doc)
    if "Examples" in doc.sections:
        out.append(f"```pycon\n{doc.sections['Examples']}\n```")
    return "\n\n".join(out)


def source_of(doc: sections.Docstring) -> list[str]:
    """The source in the literature, as a paragraph."""
    found = doc.sections.get("References")
    return [f"Source: {escape(' '.join(found.split()))}"] if found else []


def paragraphs(doc: str) -> str:
    """A docstring: paragraphs escaped, indented ones (formulas, tables of symbols) as they are."""
    out: list[str] = []
    for part in doc.split("\n\n"):
        lines = part.splitlines()
        if lines and all(line.startswith("    ") for line in lines):
            out.append("```text\n" + "\n".join(line[4:] for line in lines) + "\n```")
        elif lines and lines[0].startswith("|"):
            out.append(part)
        elif lines and all(re.match(r"\S+  |  ", line) for line in lines):
            out.append("```text\n" + part + "\n```")
        else:
            out.append(escape(part))
    return "\n\n".join(out)


MOTION_DATA = {
    "Scalar": "a number, or an expression of parameters",
    "tuple[Scalar, ...]": "numbers, or expressions of parameters",
    "tuple[float, ...]": "plain numbers",
    "bool": "`True` or `False`",
    "TableKind": 'one of `"cubic"`, `"linear"`',
}


def told(kind: Kind) -> str:
    """What a field may be, in the words of its kind."""
    if isinstance(kind, ChoiceKind):
        return "one of " + ", ".join(f'`"{w}"`' for w in kind.words)
    if isinstance(kind, LawKind):
        return f"a number, or a law of {', '.join(f'`{a}`' for a in kind.arguments)}: text, function, table"
    if isinstance(kind, NumbersKind) and kind.size:
        return f"{kind.size} numbers"
    if isinstance(kind, NumberKind):
        sign = SIGNS[kind.sign]
        return "a number, or an expression of parameters" + (f"; {sign}" if sign else "")
    if isinstance(kind, PointKind):
        return (
            "a directed point, `body.at(x, y, angle=...)`; in space a frame" if kind.directed else "a point, `body.at(...)`"
        )
    text = re.split(r"\. ", (type(kind).__doc__ or "").strip().split("\n\n")[0])[0]
    return escape(text[0].lower() + text[1:].rstrip(".")).replace("\n", " ")


def default(cls: type, name: str) -> str:
    found = next(f.default for f in fields(cls) if f.name == name)
    return "it must be given" if found is MISSING else "-" if found is None else f"`{found!r}`"


def source(names: str) -> str:
    """The code of functions of `linkwright.equations`, as it is in the package."""
    out = []
    for name in names.replace(",", " ").split():
        module, _, function = name.rpartition(".")
        home = import_module(f"linkwright.equations.{module}")
        code = inspect.getsource(getattr(home, function)).rstrip()
        out.append(f"```py\n# linkwright/equations/{module}.py\n{code}\n```")
    return "\n\n".join(out)
