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
from linkwright.options import TableKind, words


@dataclass(frozen=True, eq=False, repr=False)
class Motion(metaclass=Answering):
    """Base of the motions that have a name. Their numbers may be expressions of parameters."""

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if is_sequence(value):
                object.__setattr__(self, f.name, tuple(as_scalar(x, f.name) for x in value))
            elif f.type != "bool" and not words(str(f.type)):
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
    """A polynomial of time: c0 + c1 t + c2 t^2 + ...

    Parameters
    ----------
    coefficients : numbers or expressions of parameters
        (c0, c1, c2, ...).

    Examples
    --------
    >>> lw.Polynomial((0, 1.5, -0.2))
    Polynomial(coefficients=(0, 1.5, -0.2))
    """

    coefficients: tuple[Scalar, ...]

    def __post_init__(self) -> None:
        if not is_sequence(self.coefficients) or not len(self.coefficients):
            raise ModelError("a polynomial needs a sequence of coefficients", remedy="write Polynomial((c0, c1, c2))")
        Motion.__post_init__(self)


@dataclass(frozen=True, eq=False, repr=False)
class Harmonic(Motion):
    """A harmonic motion: offset + amplitude sin(omega t + phase).

    Parameters
    ----------
    amplitude : number or expression of parameters
        The amplitude, in the unit of what is driven [m or rad].
    omega : number or expression of parameters
        The angular frequency [rad/s].
    phase : number or expression of parameters
        The phase at t = 0 [rad].
    offset : number or expression of parameters
        The mean [m or rad].

    Examples
    --------
    >>> lw.Harmonic(0.1, omega=6.0)
    Harmonic(amplitude=0.1, omega=6, phase=0, offset=0)
    """

    amplitude: Scalar
    omega: Scalar
    phase: Scalar = 0.0
    offset: Scalar = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Rise(Motion):
    """Base of the motions from rest to rest: from `offset` by `height` within `duration` from the time `start` on."""

    height: Scalar
    duration: Scalar
    start: Scalar = 0.0
    offset: Scalar = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Cycloid(Rise):
    """A cycloidal rise from rest to rest: its acceleration is one full sine wave.

    Parameters
    ----------
    height : number or expression of parameters
        The rise, in the unit of what is driven [m or rad].
    duration : number or expression of parameters
        How long it takes [s], positive.
    start : number or expression of parameters
        The time at which it begins [s].
    offset : number or expression of parameters
        The value before it begins [m or rad].

    Examples
    --------
    >>> m = lw.PlanarModel("gate")
    >>> gate = m.body("gate")
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), gate.at(0, 0)))
    >>> motor = m.add(lw.Driver("motor", pin.angle, lw.Cycloid(1.2, duration=2.0)))
    >>> round(float(lw.kinematics(m, t_end=2.0, steps=2)["gate.angle"][1]), 9)  # half way
    0.6
    """


@dataclass(frozen=True, eq=False, repr=False)
class ModifiedSine(Rise):
    """A modified-sine rise from rest to rest: its acceleration is a fast quarter, a slow half and a fast quarter sine wave.

    Parameters
    ----------
    height : number or expression of parameters
        The rise, in the unit of what is driven [m or rad].
    duration : number or expression of parameters
        How long it takes [s], positive.
    start : number or expression of parameters
        The time at which it begins [s].
    offset : number or expression of parameters
        The value before it begins [m or rad].

    Examples
    --------
    >>> lw.ModifiedSine(0.02, duration=0.5, start=1.0)
    ModifiedSine(height=0.02, duration=0.5, start=1, offset=0)
    """


@dataclass(frozen=True, eq=False, repr=False)
class Table(Motion):
    """A table of points (x, y), interpolated by a cubic spline or linearly.

    It can be called: it may stand wherever a function of one argument may, as a motion, in a force law, as the radius of a
    polar curve.

    Parameters
    ----------
    x, y : numbers
        The points; x grows.
    periodic : bool
        Whether the last point repeats the first one period later.
    kind : {"cubic", "linear"}
        The interpolation.

    Examples
    --------
    >>> gas = lw.Table((0.0, 1.0, 2.0), (0.0, 10.0, 40.0), kind="linear")
    >>> gas(1.5)
    25.0
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    periodic: bool = False
    kind: TableKind = "cubic"

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
