"""Links between two joints, as joints: a rod or a slotted bar whose own mass is left out (Haug 9.4)."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.model.fields import OnAxis, OnPoint, Positive
from linkwright.model.spatial_joints import SpatialJoint


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteSpherical(SpatialJoint):
    """A massless link with a revolute joint on the first body and a spherical joint on the second.

    Parameters
    ----------
    frame : Point
        The frame on the first body, z along the pin.
    point : Point
        The centre of the ball on the second body.
    length : number or expression of parameters
        Length of the link [m], positive.

    References
    ----------
    Haug (9.4.29).

    Examples
    --------
    >>> m = lw.SpatialModel("link")
    >>> hub = m.body("hub", position=(0.5, 0, 0))
    >>> link = m.add(lw.RevoluteSpherical("link", m.ground.at(0, 0, 0), hub.at(0, 0, 0), length=0.5))
    >>> lw.check(m).dof
    4
    """

    frame: OnAxis
    point: OnPoint
    length: Positive


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteCylindrical(SpatialJoint):
    """A massless coupler with a revolute joint on the first body and a cylindrical joint on the second.

    It leaves the coordinate `displacement`.

    Parameters
    ----------
    P, Q : Point
        The frame on the first body, z along the pin, and on the second, z along the cylinder.

    References
    ----------
    Haug (9.4.32).

    Examples
    --------
    >>> m = lw.SpatialModel("coupler")
    >>> across = ((0, 1, 0), 3.141592653589793 / 2)  # z turned into x
    >>> rail = m.body("rail", position=(0.1, 0, 0))
    >>> joint = m.add(lw.RevoluteCylindrical("J", m.ground.at(0, 0, 0), rail.at(0, 0, 0, rotation=across)))
    >>> lw.check(m).dof
    3
    """

    P: OnAxis
    Q: OnAxis

    channels = ("displacement",)


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteTranslational(SpatialJoint):
    """A massless coupler with a revolute joint on the first body and a translational joint on the second.

    The x axis of the second frame stays parallel to the pin. It leaves the coordinate `displacement`. In the plane the same
    joint is `PointOnLine`.

    Parameters
    ----------
    P, Q : Point
        The frame on the first body, z along the pin, and on the second, z along the slide and x along the pin.

    References
    ----------
    Haug (9.4.33).

    Examples
    --------
    >>> m = lw.SpatialModel("coupler")
    >>> rail = m.body("rail", position=(0.1, 0, 0))
    >>> axes = ((0, 0, 1), (0, -1, 0), (1, 0, 0))  # columns: the frame's x along z, its z along x
    >>> joint = m.add(lw.RevoluteTranslational("J", m.ground.at(0, 0, 0), rail.at(0, 0, 0, rotation=axes)))
    >>> lw.check(m).dof
    2
    """

    P: OnAxis
    Q: OnAxis

    channels = ("displacement",)


@dataclass(frozen=True, eq=False, repr=False)
class Strut(SpatialJoint):
    """The point of the second body stays on the z axis of the first: an alias of `PointOnLine` in space.

    It leaves the coordinate `displacement`.

    Parameters
    ----------
    frame : Point
        The frame on the first body, z along the strut.
    point : Point
        The point on the second body.

    References
    ----------
    Haug (9.4.34).

    Examples
    --------
    >>> m = lw.SpatialModel("leg")
    >>> wheel = m.body("wheel", position=(0.05, 0, -0.3))
    >>> leg = m.add(lw.Strut("leg", m.ground.at(0, 0, 0), wheel.at(0, 0, 0)))
    >>> lw.check(m).dof
    4
    """

    frame: OnAxis
    point: OnPoint

    channels = ("displacement",)
