"""What is known not to hold yet, so that a campaign does not tell it again and again: take a line away when it is mended."""

from __future__ import annotations

from collections.abc import Callable

from fuzz.sketch import Sketch

# by invariant: of which machines it is not asked
KNOWN: dict[str, Callable[[Sketch], bool]] = {}
