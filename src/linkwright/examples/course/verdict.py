"""What is said to an answer: whether it is right, and to a wrong one what it looks like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

# what happens to anybody's numbers: how a wrong answer is to the right one, and what it looks like
SLIPS = (
    (-1.0, "The size is right, the sign is not."),
    (180 / pi, "That is in degrees; radians are asked for."),
    (pi / 180, "Was an angle turned from degrees into radians twice?"),
    (2 * pi, "2 pi too large: turns or radians?"),
    (1 / (2 * pi), "2 pi too small: turns or radians?"),
    (1000.0, "A thousand times too large: millimetres or metres?"),
    (0.001, "A thousand times too small: millimetres or metres?"),
    (2.0, "Twice what it should be: a half is missing."),
    (0.5, "Half of what it should be."),
)


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right (`bool(verdict)`), and what there is to say."""

    ok: bool
    text: str

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return ("Right. " if self.ok else "Not yet. ") + self.text

    __repr__ = __str__


def right(text: str) -> Verdict:
    return Verdict(True, text)


def wrong(text: str) -> Verdict:
    return Verdict(False, text)


def same(given: Any, expected: Any, close: float) -> bool:
    a, b = np.atleast_1d(np.asarray(given, dtype=float)), np.atleast_1d(np.asarray(expected, dtype=float))
    return a.shape == b.shape and bool(np.abs(a - b).max() <= close * np.abs(b).max())


def numbers(given: Any, expected: Any, because: str, traps: Sequence[tuple[Any, str]], close: float = 2e-3) -> Verdict:
    """Compare a number, or several: with the right one, with errors that suggest themselves, with common slips."""
    shape = np.shape(expected)
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if values.shape != shape or not np.isfinite(values).all():
        asked = "a number" if shape == () else f"{shape[0]} numbers"
        return wrong(f"The answer is {asked}, not {given!r}.")
    if same(values, expected, close):
        return right(because)
    near = min(close, 2e-2)  # a wide answer has no wide errors
    for value, hint in traps:
        if same(values, value, near):
            return wrong(hint)
    for factor, hint in SLIPS:
        if same(values, factor * np.asarray(expected, dtype=float), near):
            return wrong(hint)
    if shape == ():
        return wrong("It is too large." if abs(values) > abs(expected) else "It is too small.")
    off = [k + 1 for k in range(shape[0]) if not same(values[k], expected[k], close)]
    return wrong(f"Of these numbers, look again at the {', '.join(map(_nth, off))}.")


def _nth(k: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(k, f"{k}th")
