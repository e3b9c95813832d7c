"""The reference of the public names, from signatures and docstrings: Markdown for Sphinx's Python domain."""

from __future__ import annotations

import inspect
import re
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import describe

import linkwright as lw

GROUPS = describe.groups()
ELEMENTS = {name for names in GROUPS.values() for name in names}


# The sections of the reference, by the rooms they show; what no section shows stands at the end.
API = Path(__file__).resolve().parents[1] / "api.md"
SECTIONS = re.findall(r"^```\{reference\} (\S+)$", API.read_text(encoding="utf-8"), re.MULTILINE)


# What analyses give and no user makes: no names of the package's own.
ANSWERS = (
    "linkwright.results.motion.MotionResult", "linkwright.results.motion.Equilibrium", "linkwright.results.motion.Reaction",
    "linkwright.results.motion.Energy", "linkwright.results.motion.Violation", "linkwright.results.channels.Audit",
    "linkwright.results.motion.MotionAudit", "linkwright.results.linearization.Linearization",
    "linkwright.analyses.diagnosis.report.Report", "linkwright.analyses.assembly.assemble.Assemblies",
    "linkwright.analyses.variations.sensitivity.Sensitivity", "linkwright.analyses.matrices.equations.Equations",
    "linkwright.analyses.matrices.equations_at.EquationsAt", "linkwright.analyses.matrices.joint_space.JointSpace",
)  # fmt: skip


def answers() -> str:
    """The classes of what analyses give."""
    return "\n\n".join(_entry(path.removeprefix("linkwright."), found(path)) for path in ANSWERS)


def found(path: str) -> Any:
    """The thing at a dotted path."""
    home, _, name = path.rpartition(".")
    return getattr(import_module(home), name)


def module(name: str) -> str:
    """The public names of a room of the package, or what a public module of functions offers."""
    if name in lw._MODULES:
        return _module(name, import_module(lw._MODULES[name]))
    return _entries([n for n, home in _homes().items() if fnmatch(home, name)])


def rest() -> str:
    """A section of the public names that no other section has; nothing if there is none."""
    left = [n for n, home in _homes().items() if not any(fnmatch(home, s) for s in SECTIONS)]
    return f"## More\n\n{_entries(left)}" if left else ""


def _homes() -> dict[str, str]:
    return {n: lw._HOME[n] for n in lw.__all__ if n in lw._HOME and n not in ELEMENTS}


def _entries(names: list[str]) -> str:
    return "\n\n".join(_entry(n, public(n)) for n in names)


def public(name: str) -> Any:
    """The public thing of this name; a package of the same name, imported later, does not hide it."""
    return getattr(import_module(lw._HOME[name]), name)


def _module(name: str, found: ModuleType) -> str:
    names = getattr(found, "__all__", None) or [
        n for n, f in vars(found).items() if inspect.isfunction(f) and f.__module__ == found.__name__ and n[0] != "_"
    ]
    head = describe.docstring(inspect.getdoc(found) or "")
    return "\n\n".join([head, *(_entry(f"{name}.{n}", getattr(found, n)) for n in names)])


def _entry(name: str, thing: Any) -> str:
    if isinstance(thing, type):
        kind = "exception" if issubclass(thing, BaseException) else "class"
        parts = [_doc(thing), *(_member(thing, n) for n in vars(thing) if n[0] != "_")]
        return _directive(kind, f"linkwright.{name}{_parameters(thing)}", "\n\n".join(p for p in parts if p), 5)
    return _directive("function", f"linkwright.{name}{_parameters(thing)}", _doc(thing), 5)


def _member(cls: type, name: str) -> str:
    thing = inspect.getattr_static(cls, name)
    if isinstance(thing, property):
        return _directive("property", name, _doc(thing), 4) if thing.__doc__ else ""
    if isinstance(thing, staticmethod | classmethod):
        return _directive("staticmethod", f"{name}{_parameters(getattr(cls, name))}", _doc(thing), 4)
    if inspect.isfunction(thing) and thing.__doc__:
        return _directive("method", f"{name}{_parameters(thing, bound=True)}", _doc(thing), 4)
    return ""


def _directive(kind: str, heading: str, body: str, ticks: int) -> str:
    fence = "`" * ticks
    return f"{fence}{{py:{kind}}} {heading}\n\n{body}\n{fence}"


def _doc(thing: Any) -> str:
    return describe.docstring(inspect.getdoc(thing) or "")


def _parameters(thing: Any, bound: bool = False) -> str:
    """(model, t_end=None, ...): names and defaults; types are in the source."""
    try:
        given = list(inspect.signature(thing).parameters.values())
    except (ValueError, TypeError):
        return "()"
    shown, starred = [], False
    for p in given[1:] if bound else given:
        if p.kind is p.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else f"={p.default!r}"
        shown.append(f"{mark}{p.name}{default if len(default) < 40 else '=...'}")
    return f"({', '.join(shown)})"
