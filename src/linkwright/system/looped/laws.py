"""Laws in plain Python of a looped machine: one step of a script calls back into Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from linkwright.compile.called_back import CalledBack, Raised
from linkwright.compile.script import Script
from linkwright.system.laws import value_of
from linkwright.system.looped.group import Group


class Law(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[str, ...]
    element: str


def write_calls(script: Script, members: Sequence[tuple[Group, int, list[int]]], t: int, values: int) -> PythonLaws | None:
    """Write a script that computes the arguments of all laws in plain Python, then calls them at once; None where there are
    none. members: who has laws, and where their functions find their inputs; values: where those of laws are put."""
    if not members:
        return None
    first, made = script.arena.size, list[Law]()
    for group, m, places in members:
        names = [tuple(c.arguments) for c in group.calls]
        script.add(group.arguments, places, [script.arena.claim(sum(map(len, names)))])
        made += [Law(f, own, group.names[m]) for f, own in zip(group.own_laws(m), names, strict=True)]
    laws = PythonLaws(made)
    script.add(laws, [t, first], [values])
    return laws


class PythonLaws(CalledBack):
    """A function from time and the arguments of all laws, one after the other, to their values; what a law raises is kept in
    `raised`."""

    def __init__(self, laws: Sequence[Law]) -> None:
        self.laws = laws
        self.elements = list(dict.fromkeys(law.element for law in laws))
        super().__init__(self.values, [1, sum(len(law.arguments) for law in laws)], len(laws), Raised())

    def values(self, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        ends = np.cumsum([len(law.arguments) for law in self.laws])
        own = np.split(x, ends[:-1])
        given = zip(self.laws, own, strict=True)
        return np.array([value_of(law.function, law.element, law.arguments, x) for law, x in given])

    @contextmanager
    def aloud(self) -> Iterator[None]:
        """A context at whose end the error that a law has raised, or of a state that cannot be used, is raised."""
        before, self.raised = self.raised, Raised()
        try:
            yield
            found = self.raised.error or self.raised.last
        finally:
            self.raised = before
        if found is not None:
            raise found
