"""The register of machines: each is a short function that builds it, with what `check` is to say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

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


def broken(
    code: str, elements: str, fix: str = "", also: str = "", t_end: float | None = None, on: Callable[[], Any] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the function below as a broken machine: it builds one, or changes the one that `on` builds."""

    def register(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed() -> Any:
            model = on() if on is not None else None
            change(model)
            return model

        group = change.__module__.rpartition(".")[2]
        name = change.__name__.replace("_", " ").strip()
        build = change if on is None else changed
        _ENTRIES[name] = Entry(name, group, build, code, frozenset(elements.split()), fix, frozenset(also.split()), t_end)
        return change

    return register


def healthy(
    t_end: float | None = None, on: Callable[[], Any] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the function below as a machine that nothing is wrong with; t_end: until when its motion is followed."""
    return broken("", "", t_end=t_end, on=on)


def entries() -> list[Entry]:
    """All machines, by group."""
    for group in GROUPS:
        import_module(f"linkwright.corpus.{group}")
    return sorted(_ENTRIES.values(), key=lambda e: GROUPS.index(e.group))
