"""Which numbers may be calculated with, said in one place: real ones, finite, no larger than LARGEST.

A double holds numbers up to 1.8e308, but equations of motion multiply them: m L^2 omega^2 and the squares of such terms are
usual. Up to LARGEST the product of any six numbers is finite. Nothing that is measured in SI units comes near it (the
observable universe: 1e27 m), so that a larger one is a slip, and is told where it is said: afterwards it would be an
infinity somewhere in a matrix, which nobody can trace back.
"""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any

LARGEST = 1e50
MOST_STEPS = 10**9  # points of a motion that a computer can hold or write
REMEDY = "check its unit, and where this number comes from"


def trouble(x: Any) -> str:
    """Why a real number cannot be calculated with, to be read after its name; "" if it can."""
    try:
        number = float(x)
    except OverflowError:  # an integer of hundreds of digits, too long to be shown
        return f"is larger than {LARGEST:g}: that cannot be calculated with"
    if not isfinite(number):
        return f"is {number}, not a finite number"
    if abs(number) > LARGEST:
        return f"is {number:g}: beyond {LARGEST:g} numbers cannot be calculated with"
    return ""


def is_real(x: Any) -> bool:
    """Whether it is a real number that can be calculated with; truth values are none."""
    return not isinstance(x, bool) and isinstance(x, Real) and not trouble(x)


def shown(x: Any, longest: int = 60) -> str:
    """How a message shows what a user gave, which may be anything: shortened, and without failing."""
    try:
        text = repr(x)
    except Exception:  # the object's own, or an integer of thousands of digits
        text = f"<{type(x).__name__}>"
    return text if len(text) <= longest else text[: longest - 3] + "..."
