"""Channels that are computed when they are first read: most of what a run could tell nobody asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

Group = tuple[Sequence[str], Callable[[], Mapping[str, np.ndarray]]]


class Computed(Mapping[str, np.ndarray]):
    """Values by name, in the order of `known` and of the groups; reading one of a group computes all of it, once."""

    def __init__(self, known: Mapping[str, np.ndarray], *groups: Group) -> None:
        self._values: dict[str, np.ndarray | None] = dict(known)
        self._makers: dict[str, Callable[[], Mapping[str, np.ndarray]]] = {}
        for names, make in groups:
            self._values.update(dict.fromkeys(names))
            self._makers.update(dict.fromkeys(names, make))

    def __getitem__(self, name: str) -> np.ndarray:
        value = self._values[name]
        if value is None:
            self._values.update(self._makers[name]())
            value = self._values[name]
            assert value is not None
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, and what is pickled, has all of them: the machine that computes does not travel."""
        return dict, (dict(self),)
