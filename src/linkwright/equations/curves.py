"""Outlines and slots: points, tangents and curvature from the curve alone, and what is wrong with a curve.

A `Path` maps the parameter alpha to a point (x', y') in the axes of the body that carries the curve. Tangents are
derived from its graph. Closed outlines are run through counter-clockwise; the sense indicators of cams rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from linkwright.equations.plane import Vector, direction, dot, rotate90, vector
from linkwright.graph import Expr, Scalar, Table, along, evaluate, floor, sqrt, substitute, symbol

Path: TypeAlias = Callable[[Scalar], Vector]
Function: TypeAlias = Callable[[Scalar], Any]
Values: TypeAlias = Mapping[Expr, float]  # of the design parameters a curve depends on


# -- paths -----------------------------------------------------------------------------------------------------------


def polar(rho: Function, centre: Sequence[Scalar] = (0.0, 0.0)) -> Path:
    """s_Q' + rho(alpha) u(alpha) (Haug 3.4.15); rho may be a Python function of a traced scalar or a `Table`."""
    return lambda alpha: vector(centre) + rho(alpha) * direction(alpha)


def parametric(x: Function, y: Function) -> Path:
    """(x(alpha), y(alpha)): what polar form cannot say, such as a straight slot (Haug, problem 3.4.10)."""
    return lambda alpha: vector((x(alpha), y(alpha)))


def tabulated(alpha: Sequence[float], x: Sequence[float], y: Sequence[float], closed: bool = False) -> Path:
    """A cubic spline through points; closed: the last repeats the first, and slope and curvature fit there, too."""
    return parametric(Table.through(alpha, x, periodic=closed), Table.through(alpha, y, periodic=closed))


def tabulated_polar(alpha: Sequence[float], rho: Sequence[float], closed: bool = False) -> Path:
    """A polar outline whose radius is a cubic spline; closed: alpha spans one turn, the last radius repeats the first."""
    return polar(Table.through(alpha, rho, periodic=closed))


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


def curvature(path: Path, alpha: Scalar) -> Scalar:
    """kappa = g_perp.g_alpha/|g|^3 [1/m]: positive where the curve bends to the left (a convex outline)."""
    g, g_a = derivative(path, alpha), derivative(path, alpha, 2)
    length: Scalar = sqrt(dot(g, g))
    return dot(rotate90(g), g_a) / (length * length * length)


def curvature_range(
    path: Path, start: float, end: float, intervals: int = 720, values: Values | None = None
) -> tuple[float, float]:
    """The least and the largest curvature on a grid. A roller must be smaller than 1/|least| where least < 0."""
    a = symbol("parameter of a curve")
    grid = np.linspace(start, end, intervals + 1)
    kappa = np.broadcast_to(evaluate([curvature(path, a)], {**(values or {}), a: grid})[0], grid.shape)
    return float(kappa.min()), float(kappa.max())


# -- what is wrong with a curve -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Defect:
    """One fault of a curve. ``size``: the jump, relative to the largest value; for "irregular" |tangent|, too."""

    code: str  # "gap", "kink", "bend" (point, slope, second derivative jump), "irregular", "undefined"
    alpha: float
    size: float
    text: str
    remedy: str


_JUMPS = (
    ("gap", "the curve is interrupted", "make the pieces meet"),
    ("kink", "the tangent jumps", "round the corner, or use a smooth (cubic) table"),
    ("bend", "the second derivative jumps, and with it accelerations", "join the pieces with equal curvature"),
)
_SEAM = ("the end does not meet the start", "the tangent at the end differs from that at the start",
         "the second derivative at the end differs from that at the start")  # fmt: skip


def defects(
    path: Path, start: float, end: float, *, closed: bool, intervals: int = 720, values: Values | None = None
) -> list[Defect]:
    """Everything that is wrong with a curve on [start, end], by place; an empty list if it is twice smooth and regular.

    Numeric, on a grid: a jump is found wherever it lies, a vanishing tangent if it vanishes on the grid or is a local
    least between its points.
    """
    sample = _Sampler(path, values or {})
    grid = np.linspace(start, _just_before(start, end), intervals + 1)
    sampled = sample(grid)
    if not np.isfinite(sampled).all():
        at = float(grid[~np.isfinite(sampled).all(axis=(0, 1))][0])
        return [
            Defect("undefined", at, np.inf, f"the curve or its derivatives are not finite at {at:g}", "mend the formula")
        ]
    scale = _scales(sampled)
    found = [*_jumps(sample, grid, sampled, scale), *_irregular(sample, grid, sampled, scale[1])]
    if closed:
        found += _seam(sample, start, end, scale)
    return sorted(found, key=lambda d: d.alpha)


def seam(path: Path, start: float, end: float, values: Values | None = None) -> list[Defect]:
    """How a closed curve fails to close: gaps in point, slope and second derivative between end and start."""
    sample = _Sampler(path, values or {})
    return _seam(sample, start, end, _scales(sample(np.linspace(start, end, 721))))


def _just_before(start: float, end: float) -> float:
    # A repeated function is back at its start at `end`; how it arrives there is seen a little earlier.
    return end - 1e-12 * (end - start)


class _Sampler:
    """Point, first and second derivative on an array of parameters: shape (3 orders, 2 components, n)."""

    def __init__(self, path: Path, values: Values) -> None:
        self.values = values
        self.a = symbol("parameter of a curve")
        self.roots = [e for order in range(3) for e in derivative(path, self.a, order)]

    def __call__(self, alpha: np.ndarray) -> np.ndarray:
        rows = [
            np.broadcast_to(np.asarray(v, dtype=float), alpha.shape)
            for v in evaluate(self.roots, {**self.values, self.a: alpha})
        ]
        return np.array(rows).reshape(3, 2, -1)


def _scales(values: np.ndarray) -> np.ndarray:
    """The size of the curve and of its derivatives; of no derivative less than of the one before, spread over it."""
    extent = np.hypot(*np.ptp(values[0], axis=1))
    lengths = np.hypot(values[:, 0], values[:, 1]).max(axis=1)
    return np.array([extent or 1.0, lengths[1] or 1.0, max(lengths[2], lengths[1]) or 1.0])


_TOLERANCE = 1e-6  # of the scale: far above rounding (1e-16) and what a smooth curve changes over a bisected interval (1e-9)


def _jumps(sample: _Sampler, grid: np.ndarray, values: np.ndarray, scale: np.ndarray) -> list[Defect]:
    """Halve every interval towards its larger change, many times: what does not shrink is a jump."""
    found: list[Defect] = []
    taken: set[int] = set()
    for order, (code, text, remedy) in enumerate(_JUMPS):
        a, b, left, right = grid[:-1], grid[1:], values[order, :, :-1], values[order, :, 1:]
        for _ in range(24):
            middle = (a + b) / 2
            centre = sample(middle)[order]
            first = np.hypot(*(centre - left)) > np.hypot(*(right - centre))
            a, b = np.where(first, a, middle), np.where(first, middle, b)
            left, right = np.where(first, left, centre), np.where(first, centre, right)
        size = np.hypot(*(right - left)) / scale[order]
        for k in np.flatnonzero(size > _TOLERANCE):
            if int(k) not in taken:  # a gap is a kink, too: name the worst only
                taken.add(int(k))
                found.append(Defect(code, float(b[k]), float(size[k]), f"{text} at {b[k]:g}", remedy))
    return found


def _irregular(sample: _Sampler, grid: np.ndarray, values: np.ndarray, scale: float) -> list[Defect]:
    """Places where the tangent vanishes: local least values of |g|, refined by halving around them."""
    speed = np.hypot(*values[1])
    padded = np.concatenate([[np.inf], speed, [np.inf]])
    least = np.flatnonzero((speed <= padded[:-2]) & (speed <= padded[2:]) & (speed < 0.1 * scale))
    found: list[Defect] = []
    for k in least[np.diff(least, prepend=-2) > 1]:  # one of a whole stretch is enough
        at, step = float(grid[k]), float(grid[1] - grid[0])
        for _ in range(40):
            near = np.clip(np.array([at - step / 2, at, at + step / 2]), grid[0], grid[-1])
            at, step = float(near[np.argmin(np.hypot(*sample(near)[1]))]), step / 2
        size = float(np.hypot(*sample(np.array([at]))[1])[0] / scale)
        if size < _TOLERANCE:
            text = f"the tangent vanishes at {at:g}, where the parameter says nothing of the place"
            found.append(Defect("irregular", at, size, text, "choose a parameter that moves along the curve everywhere"))
    return found


def _seam(sample: _Sampler, start: float, end: float, scale: np.ndarray) -> list[Defect]:
    values = sample(np.array([start, _just_before(start, end)]))
    sizes = np.hypot(*np.moveaxis(values[..., 1] - values[..., 0], 1, 0)) / scale
    return [
        Defect(code, end, float(size), f"{text} ({size:.2g} of the curve's scale)", "close the curve smoothly")
        for (code, _, _), text, size in zip(_JUMPS, _SEAM, sizes, strict=True)
        if size > _TOLERANCE
    ]
