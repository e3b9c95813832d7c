"""The register of machines: each is a short function that builds it, with what `check` is to say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

GROUPS = (
    "redundant", "conflicts", "assembly", "singular", "ahead", "drivers", "bodies", "branches", "numbers", "pairs",
    "formulas", "healthy",
)  # fmt: skip
_ENTRIES: dict[str, Entry] = {}


@dataclass(frozen=True)
class Entry:
    """A machine: how it is built, the code that is expected ("" of a healthy one), the culprits, words of a remedy that must
    be offered, other codes that are right to be said, and how long its motion is followed."""

    name: str
    group: str
    build: Callable[[], Any]
    code: str = ""
    elements: frozenset[str] = frozenset()
    fix: str = ""
    also: frozenset[str] = frozenset()
    t_end: float | None = None


Builder: TypeAlias = Callable[[], Any]


def broken(
    code: str, elements: str, fix: str = "", also: str = "", t_end: float | None = None
) -> Callable[[Builder], Builder]:  # fmt: skip
    """Register the function below as a broken machine."""

    def register(build: Builder) -> Builder:
        group = build.__module__.rpartition(".")[2]
        name = build.__name__.replace("_", " ").strip()
        _ENTRIES[name] = Entry(name, group, build, code, frozenset(elements.split()), fix, frozenset(also.split()), t_end)
        return build

    return register


def healthy(build: Builder) -> Builder:
    """Register the function below as a machine that nothing is wrong with."""
    broken("", "")(build)
    return build


def healthy_until(t_end: float) -> Callable[[Builder], Builder]:
    """The same of a machine whose motion is followed."""
    return broken("", "", t_end=t_end)


def entries() -> list[Entry]:
    """All machines, by group."""
    for group in GROUPS:
        import_module(f"linkwright.corpus.{group}")
    return sorted(_ENTRIES.values(), key=lambda e: GROUPS.index(e.group))
