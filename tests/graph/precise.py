"""Arithmetic for `strategies.Program`: traced, and with many digits by mpmath, with a measure of its conditioning."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from mpmath import mp, mpf

from linkwright import graph
from strategies import Program

DIGITS = 60
STEP = mpf(10) ** -14  # of central differences: error about STEP^2 = 1e-28, rounding 1e-60 / STEP^2 = 1e-32
NOISE = mpf(10) ** -18
SMOOTH = 1e-5  # examples closer than this to a kink or a jump are left out
LARGE = 1e6  # and those with larger intermediate values


class UnfitError(Exception):
    """The example sits at a kink, or grows too large to say anything."""


class Traced:
    """The arithmetic under test."""

    add, sub, mul, div, neg = operator.add, operator.sub, operator.mul, operator.truediv, operator.neg
    power, absolute, less, less_equal = operator.pow, abs, operator.lt, operator.le
    sin, cos, tan, asin, acos, atan = graph.sin, graph.cos, graph.tan, graph.asin, graph.acos, graph.atan
    atan2, sqrt, exp, log, tanh, floor = graph.atan2, graph.sqrt, graph.exp, graph.log, graph.tanh, graph.floor
    sign, minimum, maximum, where = graph.sign, graph.minimum, graph.maximum, graph.where

    @staticmethod
    def table(table: graph.Table, x: Any) -> Any:
        return table(x)


class Precise:
    """mpmath's numbers. Every result may be multiplied by (1 + NOISE d), d in [-1, 1] fixed for each step."""

    def __init__(self, seed: int | None = None) -> None:
        self.random = None if seed is None else np.random.default_rng(seed)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(type(self), "_" + name, None) or getattr(mpmath, name)

        def noisy(*args: Any) -> Any:
            y = function(*args)
            if abs(y) > LARGE:
                raise UnfitError
            return y if self.random is None else y * (1 + NOISE * mpf(self.random.uniform(-1, 1)))

        return noisy

    # A static method each: what is not here is mpmath's function of that name.
    _add, _sub, _mul, _neg = operator.add, operator.sub, operator.mul, operator.neg

    @staticmethod
    def _div(a: Any, b: Any) -> Any:
        return mpf(a) / b

    @staticmethod
    def _power(a: Any, b: Any) -> Any:
        return mpmath.power(a, b)

    @staticmethod
    def _absolute(a: Any) -> Any:
        _apart(a)
        return abs(a)

    @staticmethod
    def _sign(a: Any) -> Any:
        _apart(a)
        return mpmath.sign(a)

    @staticmethod
    def _floor(a: Any) -> Any:
        _apart(a - mpmath.nint(a))
        return mpmath.floor(a)

    @staticmethod
    def _minimum(a: Any, b: Any) -> Any:
        _apart(a - b)
        return min(a, b)

    @staticmethod
    def _maximum(a: Any, b: Any) -> Any:
        _apart(a - b)
        return max(a, b)

    @staticmethod
    def less(a: Any, b: Any) -> np.bool_:
        _apart(a - b)
        return np.bool_(a < b)  # numpy's, for Python's ~True is -2

    less_equal = less

    @staticmethod
    def where(condition: np.bool_, a: Any, b: Any) -> Any:
        return a if condition else b

    @staticmethod
    def _table(table: graph.Table, x: Any) -> Any:
        breaks = table.breaks
        if table.periodic:
            length = mpf(breaks[-1]) - mpf(breaks[0])
            x = x - length * mpmath.floor((x - mpf(breaks[0])) / length)
        _apart(min(abs(x - mpf(b)) for b in breaks))
        i = min(max(int(np.searchsorted(breaks, float(x), side="right")) - 1, 0), len(breaks) - 2)
        return sum(mpf(c) * (x - mpf(breaks[i])) ** k for k, c in enumerate(table.coefficients[:, i]))


def _apart(gap: Any) -> None:
    if abs(gap) < SMOOTH:
        raise UnfitError


class Reference:
    """Values and derivatives of a program at a point, with many digits, each with its conditioning.

    Derivatives are central differences. The conditioning of a number is how much it moves for relative changes of
    size one in the result of every step of the program: the largest of a few random patterns of changes.
    """

    def __init__(self, program: Program, at: Sequence[float]) -> None:
        self.program, self.at = program, [mpf(x) for x in at]

    def _run(self, seed: int | None, *moves: tuple[Any, Sequence[Any]]) -> list[Any]:
        x = list(self.at)
        for h, direction in moves:
            x = [a + h * mpf(d) for a, d in zip(x, direction, strict=True)]
        return self.program(Precise(seed), x)

    def _measure(self, number: Callable[[int | None], list[Any]]) -> list[tuple[Any, Any]]:
        """(value, conditioning) of each output."""
        with mp.workdps(DIGITS):
            exact = number(None)
            noisy = [number(seed) for seed in (1, 2, 3)]
            return [(x, max(abs(y[i] - x) for y in noisy) / NOISE) for i, x in enumerate(exact)]

    def values(self) -> list[tuple[Any, Any]]:
        return self._measure(lambda seed: self._run(seed))

    def derivative(self, v: Sequence[float]) -> list[tuple[Any, Any]]:
        """Along v."""

        def difference(seed: int | None) -> list[Any]:
            ahead, behind = (self._run(seed, (s * STEP, v)) for s in (1, -1))
            return [(a - b) / (2 * STEP) for a, b in zip(ahead, behind, strict=True)]

        return self._measure(difference)

    def second(self, u: Sequence[float], v: Sequence[float]) -> list[tuple[Any, Any]]:
        """Along u and v."""

        def difference(seed: int | None) -> list[Any]:
            corners = [self._run(seed, (s * STEP, u), (t * STEP, v)) for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
            return [(pp - pm - mp_ + mm) / (4 * STEP**2) for pp, pm, mp_, mm in zip(*corners, strict=True)]

        return self._measure(difference)


def assert_close(found: Sequence[Any], expected: Sequence[tuple[Any, Any]]) -> None:
    """To 1e-12 relative; where terms cancel, to 1e-14 (about 50 units of rounding) of what the conditioning allows."""
    assert len(found) == len(expected)
    for x, (exact, condition) in zip(found, expected, strict=True):
        error = abs(mpf(float(x)) - exact)
        assert error <= 1e-12 * abs(exact) + 1e-14 * condition + mpf(10) ** -20, (float(x), exact, condition)
