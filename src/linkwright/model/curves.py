"""Curves on bodies, as data: outlines of cams, slots, rails.

A curve is a point that moves with a parameter alpha in [start, end]. Its functions are Python functions of alpha,
texts ("5/4 - cos(3*alpha)/4"), tables or numbers, and may use the model's parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import graph
from linkwright.arguments import typed
from linkwright.calls import Answering
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.model.given import Law
from linkwright.model.motions import Table
from linkwright.model.values import argument_symbol, as_scalar, is_sequence, parameter_name
from linkwright.options import CurveForm

if TYPE_CHECKING:
    from linkwright.model.model import Model

ALPHA = argument_symbol("alpha")
SAMPLES = 720
LOOKS = 180  # at an outline, for the sense in which it runs
TOLERANCE = 1e-6  # of the curve's size: gaps that a table of seven digits has are let pass


@dataclass(frozen=True, eq=False)
class Curve(metaclass=Answering):
    """A curve with a parameter alpha in [start, end], made by `Curve.polar`, `Curve.parametric` or `Curve.table`.

    Parameters
    ----------
    form : {"polar", "parametric"}
        Polar: the point is rho(alpha) (cos alpha, sin alpha).
    functions : laws of alpha
        (rho,), (x, y) or (x, y, z).
    start, end : float
        The range of alpha.
    closed : bool
        Whether end and start are the same place; alpha may then grow over many turns.

    Examples
    --------
    >>> lw.Curve.polar("5/4 - cos(3*alpha)/4").closed
    True
    """

    form: CurveForm
    functions: tuple[Law, ...]
    start: float
    end: float
    closed: bool

    @staticmethod
    @typed
    def polar(rho: Law, *, start: float = 0.0, end: float = 2 * pi, closed: bool | None = None) -> Curve:
        """Make the outline rho(alpha) (cos alpha, sin alpha).

        Parameters
        ----------
        rho : law of alpha
            The radius [m].
        start, end : float
            The range of alpha [rad].
        closed : bool, optional
            By default whether the range is a whole turn.

        Returns
        -------
        Curve
            The curve.

        References
        ----------
        Haug (3.4.15).
        """
        start, end = _interval(start, end)
        turn = abs(end - start - 2 * pi) < 1e-9
        return Curve("polar", (_function(rho, "rho"),), start, end, turn if closed is None else bool(closed))

    @staticmethod
    @typed
    def parametric(
        x: Law, y: Law, z: Law | None = None, *, start: float = 0.0, end: float = 1.0, closed: bool = False
    ) -> Curve:
        """Make the curve (x(alpha), y(alpha)), in space with z(alpha).

        Parameters
        ----------
        x, y : law of alpha
            The coordinates [m].
        z : law of alpha, optional
            The third coordinate, in space [m].
        start, end : float
            The range of alpha.
        closed : bool
            Whether end and start are the same place.

        Returns
        -------
        Curve
            The curve.
        """
        given = {"x": x, "y": y} if z is None else {"x": x, "y": y, "z": z}
        functions = tuple(_function(f, name) for name, f in given.items())
        return Curve("parametric", functions, *_interval(start, end), bool(closed))

    @staticmethod
    @typed
    def table(
        x: ArrayLike | None = None,
        y: ArrayLike | None = None,
        z: ArrayLike | None = None,
        *,
        alpha: ArrayLike | None = None,
        rho: ArrayLike | None = None,
        closed: bool | None = None,
    ) -> Curve:
        """Make a cubic spline through points (x, y) or (x, y, z), or a polar outline through (alpha, rho).

        Parameters
        ----------
        x, y, z : numbers, optional
            The points [m].
        alpha : numbers, optional
            The parameter at the points; by default the length along the polygon.
        rho : numbers, optional
            The radius at each alpha [m].
        closed : bool, optional
            Whether the spline is periodic; by default whether the last point repeats the first.

        Returns
        -------
        Curve
            The curve.
        """
        if rho is not None:
            if x is not None or y is not None or alpha is None:
                raise ModelError(
                    "a polar table needs alpha and rho, and nothing else", remedy="Curve.table(alpha=..., rho=...)"
                )
            a, r = _column(alpha, "alpha"), _column(rho, "rho")
            turn = abs(a[-1] - a[0] - 2 * pi) < 1e-6
            closed = turn if closed is None else bool(closed)
            return Curve("polar", (Table(a, r, closed),), a[0], a[-1], closed)
        if x is None or y is None:
            raise ModelError("a table needs x and y", remedy="Curve.table(x, y) or Curve.table(alpha=..., rho=...)")
        columns = [_column(c, name) for c, name in ((x, "x"), (y, "y"), (z, "z")) if c is not None]
        if len({len(c) for c in columns}) > 1:
            raise ModelError(f"the columns have {', '.join(str(len(c)) for c in columns)} numbers", remedy="make them equal")
        points = np.array(columns)
        if alpha is None:
            alpha = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points), axis=0))])
        a = _column(alpha, "alpha")
        if closed is None:
            closed = bool(np.abs(points[:, -1] - points[:, 0]).max() <= 1e-9 * np.ptp(points, axis=1).max())
        return Curve("parametric", tuple(Table(a, c, closed) for c in columns), a[0], a[-1], closed)

    @property
    def dimension(self) -> int:
        """2, or 3 of a curve in space."""
        return max(2, len(self.functions))

    def point(self, alpha: Scalar, trace: Callable[[Any, Scalar], Scalar]) -> tuple[Scalar, ...]:
        """Give the point at alpha in the axes of the curve.

        Parameters
        ----------
        alpha : number or expression
            The parameter.
        trace : function
            `trace(function, alpha)` makes an expression of a function of the curve.

        Returns
        -------
        tuple
            Its coordinates [m].
        """
        if self.form == "polar":
            rho = trace(self.functions[0], alpha)
            return rho * graph.cos(alpha), rho * graph.sin(alpha)
        return tuple(trace(f, alpha) for f in self.functions)

    def __repr__(self) -> str:
        return f"Curve.{self.form}({', '.join(map(_shown, self.functions))}{', closed=True' if self.closed else ''})"


def _shown(function: Any) -> str:
    return getattr(function, "__name__", repr(function))


def _function(f: Any, name: str) -> Any:
    return f if callable(f) or isinstance(f, str) else as_scalar(f, name)


def _interval(start: Any, end: Any) -> tuple[float, float]:
    a, b = as_scalar(start, "start"), as_scalar(end, "end")
    if isinstance(a, Expr) or isinstance(b, Expr) or not a < b:
        raise ModelError(
            f"the curve's parameter must grow from start to end, not from {start} to {end}", remedy="exchange them"
        )
    return a, b


def _column(values: Any, name: str) -> tuple[float, ...]:
    if not is_sequence(values) or len(values) < 3:
        raise ModelError(f"{name} of a table needs at least three numbers", remedy="give a sequence of numbers")
    out = tuple(as_scalar(v, name) for v in values)
    if any(type(v) is Expr for v in out):
        raise ModelError(f"{name} of a table must be plain numbers", remedy="a table cannot depend on parameters")
    return out  # type: ignore[return-value]


# -- is it a proper curve? ------------------------------------------------------------------------------------------------


def check_curve(curve: Curve, model: Model) -> None:
    """ModelError where the curve, for the parameters as they are, jumps, has a corner, stands still or does not close.

    Curvature may jump: that is how cams are made. Found on a grid, and by halving where something changes fast.
    """
    functions = curve.point(ALPHA, lambda f, alpha: model.trace(f, {"alpha": alpha}))
    tangents = graph.along(functions, {ALPHA: 1.0})
    for s in graph.free_symbols(functions):
        if s is not ALPHA and not parameter_name(s):
            raise ModelError(f"the curve depends on {s.data!r}", remedy="a curve may use alpha and parameters only")
    for f in functions:
        model.order(f)  # all its parameters are this model's
    sample = _sampler([*functions, *tangents], model)
    n = len(functions)
    grid = np.linspace(curve.start, curve.end, SAMPLES + 1)
    # The last point is taken from inside: a periodic table is back at its start there.
    grid[-1] = np.nextafter(curve.end, curve.start)
    values = sample(grid)
    if not np.isfinite(values).all():
        k = int(np.argmin(np.isfinite(values).all(axis=0)))
        raise ModelError(f"the curve is not finite at alpha = {grid[k]:.6g}", remedy="check its formula there")
    size = float(np.ptp(values[:n], axis=1).max()) or float(np.abs(values[:n]).max())
    speed = np.linalg.norm(values[n:], axis=0)
    if size == 0 or speed.min() <= 1e-9 * speed.max():
        k = int(speed.argmin())
        raise ModelError(
            f"the curve stands still at alpha = {grid[k]:.6g}: it has no tangent there", remedy="choose another parameter"
        )
    parts = (("jumps", values[:n], size, slice(0, n)), ("has a corner", values[n:], float(speed.max()), slice(n, None)))
    for what, part, scale, rows in parts:
        if (at := _jump(lambda a, rows=rows: sample(a)[rows], grid, part, scale)) is not None:  # type: ignore[misc]
            raise ModelError(f"the curve {what} at alpha = {at:.6g}", remedy="make it smooth there, or use two curves")
    if curve.closed:
        for what, part, scale, _ in parts:
            gap = float(np.linalg.norm(part[:, -1] - part[:, 0])) / scale
            if gap > TOLERANCE:
                cause = "does not close" if what == "jumps" else "closes with a corner"
                raise ModelError(
                    f"the curve {cause}: end and start differ by {gap:.2g} of its size",
                    remedy="mend it, or say closed=False",
                )


def sense_of(curve: Curve, model: Model) -> int:
    """The sense in which a closed outline of the plane runs: 1 counter-clockwise, what it bounds is then on its left; -1
    clockwise; 0 of an open one, of which nothing says where the matter is."""
    if not curve.closed:
        return 0
    points = curve.point(ALPHA, lambda f, alpha: model.trace(f, {"alpha": alpha}))
    x, y = _sampler(points, model)(np.linspace(curve.start, curve.end, LOOKS + 1)[:-1])
    return int(np.sign(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))))


def _sampler(roots: Sequence[Scalar], model: Model) -> Callable[[np.ndarray], np.ndarray]:
    parameters = model.parameter_values()

    def sample(alpha: np.ndarray) -> np.ndarray:
        values = graph.evaluate(roots, {**parameters, ALPHA: alpha})
        return np.array([np.broadcast_to(np.asarray(v, dtype=float), alpha.shape) for v in values])

    return sample


def _jump(sample: Callable[[np.ndarray], np.ndarray], grid: np.ndarray, values: np.ndarray, scale: float) -> float | None:
    """Where a component jumps: halve each interval toward its larger change; what does not shrink is a jump."""
    a, b, left, right = grid[:-1], grid[1:], values[:, :-1], values[:, 1:]
    for _ in range(30):
        keep = np.linalg.norm(right - left, axis=0) > TOLERANCE * scale
        if not keep.any():
            return None
        a, b, left, right = a[keep], b[keep], left[:, keep], right[:, keep]
        middle = (a + b) / 2
        value = sample(middle)
        lower = np.linalg.norm(value - left, axis=0) > np.linalg.norm(right - value, axis=0)
        a, b = np.where(lower, a, middle), np.where(lower, middle, b)
        left, right = np.where(lower, left, value), np.where(lower, value, right)
    return float(a[0])
