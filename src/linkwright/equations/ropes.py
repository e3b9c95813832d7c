"""Ropes and belts: how long they are along their way round pulleys.

The radius r of a pulley is positive where the rope runs round it counter-clockwise (about its axis), negative clockwise;
zero is a point. Between pulleys i and j, E apart, the rope is straight along u with the length t:

    t = sqrt(E^2 - rho^2),      rho = r_j - r_i,      E = t u + rho u_perp,

as it leaves i at the normal -u_perp r_i/|r_i| and comes to j likewise. u is turned against E by -beta, beta = atan2(rho, t).
On a drum that grips it the arc from the tangent point to a mark of the drum is r times the angle between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from linkwright.equations.basic_constraints import continuous
from linkwright.equations.rotations import dot
from linkwright.graph import Scalar, atan2, sqrt, where

MIDDLE_WRAP = 0.75 * pi  # of the range in which a wrapped angle begins: a rope on a pulley wraps more than zero


@dataclass(frozen=True, eq=False)
class Span:
    """A straight part: its length, its direction in the plane of the pulleys (a unit vector), and the angle beta."""

    length: Scalar
    direction: np.ndarray
    beta: Scalar


def span(E: np.ndarray, E_perp: np.ndarray, aside: Scalar, r_i: Scalar, r_j: Scalar) -> Span:
    """Of the part E of the line of centres in the plane of the pulleys, E_perp a quarter turn ahead; `aside`: the rest.

    Real where the centres are farther apart than |r_j - r_i|: the pulleys do not lie in each other.
    """
    rho = r_j - r_i
    square = dot(E, E)
    t = sqrt(square - rho * rho)
    u = np.array([(t * x - rho * y) / square for x, y in zip(E, E_perp, strict=True)], dtype=object)
    length = t if type(aside) is float and aside == 0.0 else sqrt(t * t + aside * aside)
    return Span(length, u, atan2(rho, t))


def wrap(sine: Scalar, cosine: Scalar, reference: Scalar) -> Scalar:
    """The angle by which a rope turns round a pulley, of its sine and cosine [rad]: that nearest to a reference, the angle
    an instant before; from -45 to 315 degrees where there is none, which zero stands for."""
    return continuous(atan2(sine, cosine), where(reference == 0.0, MIDDLE_WRAP, reference))  # type: ignore[no-any-return]


def wound(r: Scalar, alpha: Scalar, beta: Scalar) -> Scalar:
    """What a rope gains in length where it leaves a drum, alpha the angle of E from the drum's mark: r (alpha - beta) [m].

    Where it comes to a drum it gains the opposite.
    """
    return r * (alpha - beta)
