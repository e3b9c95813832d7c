"""Answers about motions that do not change."""

from __future__ import annotations

from typing import Any

from linkwright.results.motion import WithReactions


class Steady(WithReactions):
    """The answer of `steady`: positions, velocities, accelerations and reactions of a steady motion at one instant.

    Attributes
    ----------
    places : dict
        Where joints act, by name.
    turning : number, or numpy.ndarray
        The angular velocity of the axes in which nothing changes [rad/s]: a number in the plane, three in space.
    residual : float
        The largest acceleration in these axes, as radians or lengths of the machine by s^2.

    Examples
    --------
    >>> m = lw.PlanarModel("rotor")
    >>> disc = m.body("disc", mass=1.0, inertia=0.5, omega=3.0)
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), disc.at(0, 0)))
    >>> s = lw.steady(m, {pin.omega: 3.0})
    >>> round(s["disc.omega"], 9), bool(s.residual < 1e-9)
    (3.0, True)
    """

    turning: Any = 0.0
    residual: float = 0.0
