"""What a result computes when it is first read: most of what a run could tell nobody asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

T = TypeVar("T")
Read = Callable[[str], np.ndarray | Mapping[str, np.ndarray]]  # of a group: columns, with a row a time; or values by name


class Computed(Mapping[str, np.ndarray]):
    """Values by name. layout: of every name, in their order, the group that it is of, and its column if that is an array.

    The layout is that of a machine, made once for all of its results; reading one of a group computes all of it, once.
    """

    def __init__(self, layout: Mapping[str, tuple[str, int | None]], read: Read) -> None:
        self._layout, self._read = layout, read
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        group, column = self._layout[name]
        if group not in self._found:
            self._found[group] = self._read(group)
        values: np.ndarray = self._found[group][name] if column is None else self._found[group][:, column]
        return values

    def __contains__(self, name: object) -> bool:
        return name in self._layout

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout)

    def __len__(self) -> int:
        return len(self._layout)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, and what is pickled, has all of them: the machine that computes does not travel."""
        return dict, (dict(self),)


class Parts(Protocol):
    """How attributes of something are computed, by their names."""

    def get(self, name: str) -> Callable[[], Any] | None: ...

    def __iter__(self) -> Iterator[str]: ...


class Later(Generic[T]):
    """An attribute that is computed when it is first read, where the `_later` of its owner says how; else it has the value
    of the class.

    What is assigned takes its place, as of any other attribute.
    """

    def __init__(self, otherwise: T) -> None:
        self._otherwise = otherwise

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        parts: Parts | None = None if instance is None else instance._later
        make = None if parts is None else parts.get(self._name)
        if make is None:
            return self._otherwise
        value: T = make()
        instance.__dict__[self._name] = value
        return value


class Once(Generic[T]):
    """A function that is called at most once, however often it is asked."""

    def __init__(self, make: Callable[..., T]) -> None:
        self._make: Callable[..., T] | None = make

    def __call__(self, *args: Any) -> T:
        if self._make is not None:
            self._value = self._make(*args)
            self._make = None
        return self._value
