"""The simplest steps of scripts, on single numbers."""

from __future__ import annotations

from functools import cache

from linkwright.compile import Function
from linkwright.graph import symbols


@cache
def copied() -> Function:
    """The function that puts a number into another place."""
    x = symbols("x", 1)
    return Function("copied", {"x": x}, {"x": list(x)})


@cache
def added() -> Function:
    """The sum of two numbers."""
    x, y = symbols("x", 1), symbols("y", 1)
    return Function("added", {"x": x, "y": y}, {"x": [x[0] + y[0]]})


@cache
def weighted(factors: tuple[float, ...]) -> Function:
    """A sum of numbers, each times its factor."""
    x = symbols("x", len(factors))
    return Function(
        "sum", {f"x{k}": x[k : k + 1] for k in range(len(x))}, {"x": [sum(f * y for f, y in zip(factors, x, strict=True))]}
    )


@cache
def zeros(count: int) -> Function:
    """Zeros; the function does not look at its input."""
    return Function("zeros", {"t": symbols("t", 1)}, {"x": [0.0] * count})


@cache
def nothing() -> Function:
    """Zero inertia and force, for what has neither; the function does not look at its input."""
    return Function("nothing", {"t": symbols("t", 1)}, {"M": [0.0], "right": [0.0]})
