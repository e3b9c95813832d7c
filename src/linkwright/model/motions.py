"""Motions of drivers as data: what they are; their formulas f(t) are written among the equations.

A motion may also be a number, an expression of t, a text ("2*pi*t") or a Python function of t.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from linkwright import graph
from linkwright.calls import Answering
from linkwright.errors import ModelError, TraceError
from linkwright.graph import Scalar
from linkwright.model.quantities import written
from linkwright.model.values import as_scalar, is_sequence


@dataclass(frozen=True, eq=False, repr=False)
class Motion(metaclass=Answering):
    """Base of the motions that have a name. Their numbers may be expressions of parameters."""

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if is_sequence(value):
                object.__setattr__(self, f.name, tuple(as_scalar(x, f.name) for x in value))
            elif f.type not in ("bool", "str"):
                object.__setattr__(self, f.name, as_scalar(value, f.name))

    def numbers(self) -> list[tuple[str, Scalar]]:
        """All its numbers, with their names."""
        found: list[tuple[str, Scalar]] = []
        for f in fields(self):
            value = getattr(self, f.name)
            if not isinstance(value, bool | str):
                found += [(f.name, x) for x in (value if isinstance(value, tuple) else (value,))]
        return found

    def __repr__(self) -> str:
        def shown(value: Any) -> str:
            if isinstance(value, tuple):
                return f"({', '.join(map(written, value[:6]))}{', ...' if len(value) > 6 else ''})"
            return repr(value) if isinstance(value, bool | str) else written(value)

        return f"{type(self).__name__}({', '.join(f'{f.name}={shown(getattr(self, f.name))}' for f in fields(self))})"


@dataclass(frozen=True, eq=False, repr=False)
class Polynomial(Motion):
    """c0 + c1 t + c2 t^2 + ..."""

    coefficients: tuple[Scalar, ...]

    def __post_init__(self) -> None:
        if not is_sequence(self.coefficients) or not len(self.coefficients):
            raise ModelError("a polynomial needs a sequence of coefficients", remedy="write Polynomial((c0, c1, c2))")
        Motion.__post_init__(self)


@dataclass(frozen=True, eq=False, repr=False)
class Harmonic(Motion):
    """offset + amplitude sin(omega t + phase), omega in rad/s."""

    amplitude: Scalar
    omega: Scalar
    phase: Scalar = 0.0
    offset: Scalar = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Rise(Motion):
    """From `offset` up by `height` within `duration` from the time `start`; at rest before and after."""

    height: Scalar
    duration: Scalar
    start: Scalar = 0.0
    offset: Scalar = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Cycloid(Rise):
    """A cycloidal rise: the acceleration is a full sine wave."""


@dataclass(frozen=True, eq=False, repr=False)
class ModifiedSine(Rise):
    """A modified-sine rise: the acceleration is made of a fast quarter sine, a slow half one, a fast quarter one."""


@dataclass(frozen=True, eq=False, repr=False)
class Table(Motion):
    """Through the points (x, y): a cubic spline, or straight lines with kind="linear".

    Periodic: the last point repeats the first one period later. It can be called, so it may stand wherever a function
    of one argument may: as a motion, in a force law, as the radius of a polar curve.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    periodic: bool = False
    kind: str = "cubic"

    def __post_init__(self) -> None:
        Motion.__post_init__(self)
        try:
            spline = graph.Table.through(self.x, self.y, periodic=self.periodic, kind=self.kind)
        except TraceError as error:
            raise ModelError(error.cause, remedy=error.remedy) from error
        object.__setattr__(self, "_spline", spline)

    @property
    def spline(self) -> graph.Table:
        """The look-up itself."""
        found: graph.Table = self._spline  # type: ignore[attr-defined]
        return found

    def __call__(self, x: Any) -> Any:
        return self.spline(x)
