"""The integration methods: what each is made of and how its steps are controlled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import numpy as np

from linkwright.compile import Native
from linkwright.errors import ArgumentError
from linkwright.solve import adams, generalized_alpha, implicit, runge_kutta, tableaus
from linkwright.solve.drive import loops
from linkwright.words import choices


@dataclass(frozen=True)
class Method:
    """`error_order` + 1 is the power of h in the error estimate; `degree` that of its interpolant as a polynomial.

    A factor of the step is between `least` and `most`; `beta` is the integral part of the control (Hairer and Wanner II,
    IV.2), 0 for none.
    """

    name: str
    loops: tuple[Native, Native]
    order: int
    error_order: int
    degree: int
    coefficients: Callable[..., np.ndarray]
    room: Callable[[int], int]
    pivots: Callable[[int], int] = field(default=lambda n: 0)
    stages: int = 0
    safety: float = 0.9
    least: float = 0.2
    most: float = 10.0
    beta: float = 0.0
    fixed: bool = False
    implicit: bool = False
    second_order: bool = False

    @property
    def run(self) -> Native:
        """The loop of the method."""
        return self.loops[0]

    @property
    def quiet(self) -> Native:
        """The loop of the method for problems without events."""
        return self.loops[1]

    def constants(self, options: Mapping[str, Any]) -> np.ndarray:
        """The coefficients of the method, with options of its own."""
        known = list(signature(self.coefficients).parameters)
        for name in options:
            if name not in known:
                raise ArgumentError(
                    f"has no option {name!r}", element=self.name, remedy=f"there are: {', '.join(known) or 'none'}"
                )
        return self.coefficients(**options)


def _rows(count: int) -> Callable[[int], int]:
    return lambda n: count * n


_rk4 = loops(runge_kutta.begin, runge_kutta.fixed_step, runge_kutta.interpolate_hermite)
_dopri5 = loops(runge_kutta.begin, runge_kutta.step, runge_kutta.interpolate_dopri5, runge_kutta.again)
_dop853 = loops(runge_kutta.begin, runge_kutta.step, runge_kutta.interpolate_dop853, runge_kutta.again)
_adams = loops(adams.begin, adams.step, adams.interpolate)
_radau = loops(implicit.begin, implicit.step, implicit.interpolate)
_alpha = loops(generalized_alpha.begin, generalized_alpha.step, generalized_alpha.interpolate)

RK4 = Method("rk4", _rk4, 4, 4, 3, tableaus.rk4, _rows(runge_kutta.ROOM), stages=4, fixed=True)
# With a safety of 0.85 no more steps are attempted than with 0.9, for fewer are rejected, and the error is about half.
DOPRI5 = Method(
    "dopri5", _dopri5, 5, 4, 4, tableaus.dopri5, _rows(runge_kutta.ROOM), stages=6, beta=0.04, most=10.0, safety=0.85
)  # fmt: skip
DOP853 = Method("dop853", _dop853, 8, 7, 7, tableaus.dop853, _rows(runge_kutta.ROOM), stages=12, least=0.333, most=6.0)
ADAMS = Method("adams", _adams, 12, 1, 13, adams.constants, adams.room)
RADAU = Method(
    "radau", _radau, 5, 3, 3, implicit.constants, implicit.room, pivots=lambda n: 2 * n, implicit=True
)  # fmt: skip
GENERALIZED_ALPHA = Method(
    "generalized-alpha", _alpha, 2, 2, 3, generalized_alpha.constants, generalized_alpha.room,
    pivots=generalized_alpha.pivots, least=0.2, most=3.0, implicit=True, second_order=True,
)  # fmt: skip

HHT = replace(GENERALIZED_ALPHA, name="hht", coefficients=generalized_alpha.hht_constants)

METHODS = {m.name: m for m in (RK4, DOPRI5, DOP853, ADAMS, RADAU, GENERALIZED_ALPHA, HHT)}


def method(name: str | Method) -> Method:
    """The method of this name, as in the table; scipy's names RK45, DOP853, Radau are understood too."""
    if isinstance(name, Method):
        return name
    key = {"rk45": "dopri5"}.get(str(name).lower(), str(name).lower())
    try:
        return METHODS[key]
    except KeyError:
        raise ArgumentError(
            f"there is no integration method {name!r}", element="method", remedy=choices(str(name), list(METHODS))
        ) from None
