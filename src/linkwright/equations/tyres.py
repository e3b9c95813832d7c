"""Laws of tyres on a level road, as functions of scalars.

A wheel's centre has the headway V_x and goes across at V_y; where it touches the road its rim slips along by
V_sx = V_x - Omega r. Headway counts as a crawl at least: else the slightest motion of a wheel at rest would be any slip, and
the force would jump with it.

With a relaxation length sigma the tyre is pulled aside by u before it slips (Pacejka, Tire and Vehicle Dynamics, 5.4, 7.2),
at the speeds V_s of the rim at the road, along and across. In terms of the forces f = C u / sigma that it would bear,

    f' = C V_s / sigma - (|V_x| + |C V_s| |f|^4 / (mu N)^5) f / sigma,

so that a wheel that rolls steadily with the slip s = V_s/|V_x| bears f = C s (1 - (|f|/(mu N))^5), nearly the lesser of
C s and mu N, and one at rest is a spring of the stiffness C/sigma whose force never passes mu N. It creeps next to nothing
under a load that is well below mu N: the fifth power sees to that. The rubber damps as it does vertically: f + (c/k) f' is
what the road does.
"""

from __future__ import annotations

import numpy as np

from linkwright.equations.rotations import Vector, cross
from linkwright.graph import Scalar, absolute, atan2, maximum, minimum, sqrt, where

LEAST_LOAD = 0.01  # of C/mu: a tyre that bears less slips as if it bore so much, so that its rate stays finite
NEXT_TO_NOTHING = 1e-40  # N^2: keeps slopes finite where a tyre that bears nothing, or stands, begins to slide


def directions(axle: Vector) -> tuple[np.ndarray, np.ndarray]:
    """(heading, side) of a wheel, level unit vectors: the axle's level part, and a quarter turn ahead of it."""
    level = sqrt(axle[0] * axle[0] + axle[1] * axle[1])
    side = np.array([axle[0] / level, axle[1] / level, 0.0], dtype=object)
    return np.array(cross((0.0, 0.0, 1.0), side), dtype=object), side


def headway(forward: Scalar, crawl: Scalar) -> Scalar:
    """|forward|, below the crawl (forward^2 + crawl^2)/(2 crawl), which meets it with the same slope and is never zero."""
    size = absolute(forward)
    return where(size > crawl, size, (forward * forward + crawl * crawl) / (2.0 * crawl))  # type: ignore[no-any-return]


def slip_angle(forward: Scalar, across: Scalar, crawl: Scalar) -> Scalar:
    """Between the heading of a wheel and the velocity of its centre [rad]."""
    return atan2(across, headway(forward, crawl))  # type: ignore[no-any-return]


def steady(
    forward: Scalar, across: Scalar, slipping: Scalar, crawl: Scalar, stiffness: tuple[Scalar, Scalar], most: Scalar
) -> tuple[Scalar, Scalar]:
    """(along, across) the forces without relaxation, at most `most` together (Haug 12.5.1-3, with a slip along the heading).

    stiffness: by slip along [N], by slip angle [N/rad]; the first may be a plain zero.
    """
    aside = stiffness[1] * slip_angle(forward, across, crawl)
    if type(stiffness[0]) is float and stiffness[0] == 0.0:
        return 0.0, -maximum(-most, minimum(most, aside))
    return limited(stiffness[0] * slipping / headway(forward, crawl), aside, most)


def limited(along: Scalar, aside: Scalar, most: Scalar) -> tuple[Scalar, Scalar]:
    """The opposite of a force, in the same direction but at most so large."""
    square = along * along + aside * aside
    sliding = square > most * most
    share = where(sliding, most / sqrt(square + NEXT_TO_NOTHING), 1.0)
    return -share * along, -share * aside


def relaxing(
    f: tuple[Scalar, Scalar], speeds: tuple[Scalar, Scalar], forward: Scalar, stiffness: tuple[Scalar, Scalar],
    sigma: Scalar, most: Scalar,
) -> tuple[Scalar, Scalar]:  # fmt: skip
    """The rates of the forces f that the tyre would bear, along and across."""
    pulled = stiffness[0] * speeds[0], stiffness[1] * speeds[1]
    size2 = pulled[0] * pulled[0] + pulled[1] * pulled[1]
    size = sqrt(size2 + NEXT_TO_NOTHING) - sqrt(NEXT_TO_NOTHING)  # exactly zero at rest
    bears = maximum(most, LEAST_LOAD * (stiffness[0] + stiffness[1]))
    near = (f[0] * f[0] + f[1] * f[1]) / (bears * bears)  # one where it slides
    decay = absolute(forward) + size / bears * near * near
    return (pulled[0] - decay * f[0]) / sigma, (pulled[1] - decay * f[1]) / sigma
