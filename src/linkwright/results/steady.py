"""Answers about motions that do not change."""

from __future__ import annotations

from typing import Any

from linkwright.results.result import Configuration


class Steady(Configuration):
    """A steady motion at one instant: positions, velocities, accelerations, reactions.

    turning: the angular velocity [rad/s] of the axes in which nothing changes, a number in the plane, three in space.
    residual: the largest acceleration in these axes, as radians or lengths of the machine by s^2.
    """

    turning: Any = 0.0
    residual: float = 0.0
