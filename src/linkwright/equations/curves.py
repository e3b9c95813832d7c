"""Outlines and slots: points and tangents from the curve alone.

A `Path` maps the parameter alpha to a point (x', y') in the axes of the body that carries the curve. Tangents are
derived from its graph. Closed outlines are run through counter-clockwise; the sense indicators of cams rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from linkwright.equations.plane import Vector, direction, vector
from linkwright.graph import Scalar, along, floor, substitute, symbol

Path: TypeAlias = Callable[[Scalar], Vector]
Function: TypeAlias = Callable[[Scalar], Any]


# -- paths -----------------------------------------------------------------------------------------------------------


def polar(rho: Function, centre: Sequence[Scalar] = (0.0, 0.0)) -> Path:
    """s_Q' + rho(alpha) u(alpha) (Haug 3.4.15); rho may be a Python function of a traced scalar or a `Table`."""
    return lambda alpha: vector(centre) + rho(alpha) * direction(alpha)


def parametric(x: Function, y: Function) -> Path:
    """(x(alpha), y(alpha)): what polar form cannot say, such as a straight slot (Haug, problem 3.4.10)."""
    return lambda alpha: vector((x(alpha), y(alpha)))


def repeated(function: Callable[[Scalar], Any], start: float, period: float) -> Callable[[Scalar], Any]:
    """The function on [start, start + period), repeated: a formula for one turn made good for any number of turns."""
    return lambda alpha: function(alpha - period * floor((alpha - start) / period))


# -- geometry --------------------------------------------------------------------------------------------------------


def derivative(path: Path, alpha: Scalar, order: int = 1) -> Vector:
    """The order-th derivative of the path by its parameter, at alpha."""
    a = symbol("parameter of a curve")
    entries: Sequence[Scalar] = list(path(a))
    for _ in range(order):
        entries = along(entries, {a: 1.0})
    return vector(substitute(entries, {a: alpha}))


def tangent(path: Path, alpha: Scalar) -> Vector:
    """g' = d(path)/d(alpha), not normalised (Haug 3.4.17)."""
    return derivative(path, alpha)
