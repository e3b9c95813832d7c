"""Objects that keep what is derived from their structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")


class Once:
    """An object that keeps what is derived from its structure."""

    def made(self, key: object, make: Callable[[], Made]) -> Made:
        """The thing of this key, made when it is asked for first."""
        known: dict[object, Any] = self.__dict__.setdefault("_made", {})
        if key not in known:
            known[key] = make()
        found: Made = known[key]
        return found
