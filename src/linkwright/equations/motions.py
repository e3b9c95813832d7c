"""Motions f(t) of drivers, as traced functions; f' and f'' are derived from the graph.

Rises go from 0 to 1 while x goes from 0 to 1; `rise` gives them their timing and height. They join dwells with
continuous f, f' and f''.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi

from linkwright.graph import Scalar, Table, cos, sin, where


def polynomial(t: Scalar, coefficients: Sequence[Scalar]) -> Scalar:
    """c0 + c1 t + c2 t^2 + ..."""
    f: Scalar = 0.0
    for c in reversed(coefficients):
        f = f * t + c
    return f


def harmonic(t: Scalar, amplitude: Scalar, omega: Scalar, phase: Scalar = 0.0, offset: Scalar = 0.0) -> Scalar:
    """offset + amplitude sin(omega t + phase), omega in rad/s."""
    wave: Scalar = sin(omega * t + phase)
    return offset + amplitude * wave


def table(t: Scalar, through: Table) -> Scalar:
    """A look-up: a cubic spline has continuous f', f''; outside its ends the last cubic goes on, unless periodic."""
    return through.at(t)


def cycloidal(x: Scalar) -> Scalar:
    """x - sin(2 pi x)/(2 pi), 0 <= x <= 1: acceleration a full sine wave, largest 2 pi = 6.283."""
    wave: Scalar = sin(2 * pi * x)
    return x - wave / (2 * pi)


def modified_sine(x: Scalar) -> Scalar:
    """The modified-sine rise, 0 <= x <= 1: velocity at most 4 pi/(4 + pi) = 1.760, acceleration 4 pi^2/(4 + pi) = 5.528.

    Its acceleration is a quarter of a fast sine up to x = 1/8, half a sine three times slower to 7/8, and again a
    quarter of the fast one; it is continuous, the jerk jumps at both places.
    """
    fast = sin(4 * pi * x) / 4
    slow = 2 - 9 / 4 * cos(4 * pi / 3 * x - pi / 6)
    shape: Scalar = where(x < 1 / 8, -fast, where(x < 7 / 8, slow, 4 - fast))
    return (pi * x + shape) / (4 + pi)


def rise(t: Scalar, shape: Callable[[Scalar], Scalar], start: Scalar, duration: Scalar, height: Scalar) -> Scalar:
    """0 up to `start`, then height * shape over `duration` > 0, then `height`: dwell, rise, dwell.

    A sum of rises, some of negative height, is a programme of rises, dwells and returns.
    """
    moving = height * shape((t - start) / duration)
    f: Scalar = where(t < start, 0.0, where(t < start + duration, moving, height))
    return f
