"""Look-up in a table: a piecewise polynomial of a traced argument, with exact derivatives."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from linkwright.errors import TraceError
from linkwright.graph.expr import Expr, Scalar, node
from linkwright.options import TableKind
from linkwright.words import choices, spelled


class Table:
    """A piecewise polynomial of degree three or less.

    ``breaks`` are the n+1 ends of n intervals, ``coefficients[k, i]`` multiplies (x - breaks[i])**k. Periodic: the
    argument is taken modulo the whole length. Otherwise the first and the last polynomial go on outside.
    """

    __slots__ = ("breaks", "coefficients", "degree", "digest", "periodic")

    def __init__(self, breaks: ArrayLike, coefficients: ArrayLike, periodic: bool = False) -> None:
        self.breaks = np.array(breaks, dtype=float)
        self.coefficients = np.zeros((4, len(self.breaks) - 1))
        given = np.array(coefficients, dtype=float)
        self.coefficients[: len(given)] = given
        self.degree = max((k for k in range(4) if self.coefficients[k].any()), default=0)
        self.periodic = bool(periodic)
        for array in (self.breaks, self.coefficients):
            array.flags.writeable = False
        content = self.breaks.tobytes() + self.coefficients.tobytes() + bytes([self.periodic])
        self.digest = blake2b(content, digest_size=16).digest()

    @classmethod
    def through(cls, x: ArrayLike, y: ArrayLike, *, periodic: bool = False, kind: TableKind = "cubic") -> Table:
        """Through the points (x, y): "cubic" (twice continuously differentiable) or "linear".

        Periodic: the last point repeats the first one period later.
        """
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        least = 3 if kind == "cubic" else 2
        if x.ndim != 1 or x.shape != y.shape or len(x) < least:
            raise TraceError(
                f"a table needs two rows of equal length, at least {least}; got {x.shape} and {y.shape}",
                remedy="give x and y as one-dimensional arrays of the same length",
            )
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise TraceError("a table holds NaN or infinity", remedy="remove those points")
        if not (np.diff(x) > 0).all():
            k = int(np.argmin(np.diff(x) > 0))
            raise TraceError(
                f"the abscissas of a table must grow: x[{k}] = {x[k]:g}, x[{k + 1}] = {x[k + 1]:g}",
                remedy="sort the points and drop repeated ones",
            )
        if periodic and abs(y[-1] - y[0]) > 1e-9 * max(1.0, float(np.abs(y).max())):
            raise TraceError(
                f"a periodic table must close: it starts at {y[0]:g} and ends at {y[-1]:g}",
                remedy="repeat the first value one period later",
            )
        kind = spelled(kind, get_args(TableKind))
        if kind == "linear":
            return cls(x, [y[:-1], np.diff(y) / np.diff(x)], periodic)
        if kind != "cubic":
            raise TraceError(f"unknown kind of table {kind!r}", remedy=choices(str(kind), get_args(TableKind)))
        if periodic:
            y = np.append(y[:-1], y[0])
        from scipy.interpolate import CubicSpline  # half a second to import, and few machines have tables

        curve = CubicSpline(x, y, bc_type="periodic" if periodic else "not-a-knot")
        return cls(x, curve.c[::-1], periodic)

    def __call__(self, x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.dtype == object:
            return np.frompyfunc(self.at, 1, 1)(x)
        return self.at(x) if type(x) is Expr else self.evaluate(x)

    def at(self, x: Scalar, derivative: int = 0) -> Scalar:
        """The derivative-th derivative at a traced x."""
        if derivative > self.degree:
            return 0.0
        if type(x) is Expr:
            return node("table", (x,), (self, derivative))
        return float(self.evaluate(x, derivative))

    def evaluate(self, x: Any, derivative: int = 0) -> Any:
        """At plain numbers: the reference of the compiled look-up."""
        x = np.asarray(x, dtype=float)
        start, end = self.breaks[0], self.breaks[-1]
        if self.periodic:
            x = x - (end - start) * np.floor((x - start) / (end - start))
        i = np.clip(np.searchsorted(self.breaks, x, side="right") - 1, 0, len(self.breaks) - 2)
        d = x - self.breaks[i]
        value = np.zeros_like(d)
        for c in derived(self.coefficients, derivative)[::-1]:
            value = value * d + c[i]
        return value if value.ndim else float(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.breaks, self.coefficients, self.periodic)


def derived(coefficients: np.ndarray, times: int) -> np.ndarray:
    """The coefficients of the polynomials' derivative."""
    for _ in range(times):
        coefficients = coefficients[1:] * np.arange(1, len(coefficients))[:, None]
    return coefficients
