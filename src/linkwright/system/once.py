"""What follows from the structure of a machine: made once, and kept by what has that structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")


class Once:
    """Something that keeps what is made of it."""

    def made(self, key: object, make: Callable[[], Made]) -> Made:
        """What follows from its structure, by what it is."""
        known: dict[object, Any] = self.__dict__.setdefault("_made", {})
        if key not in known:
            known[key] = make()
        found: Made = known[key]
        return found
