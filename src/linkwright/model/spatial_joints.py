"""Joints that exist in space only, as data: their axes are the z axes of the frames on the two bodies."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.model.elements import Joint
from linkwright.model.fields import Number, OnAxis, OnPoint
from linkwright.model.quantities import Coordinate


class SpatialJoint(Joint):
    """Base of the joints that exist in space only."""

    dimensions = (3,)


@dataclass(frozen=True, eq=False, repr=False)
class Cylindrical(SpatialJoint):
    """A cylindrical joint: the z axes stay on one line, along and about which the second body moves.

    It leaves the coordinates `angle` and `displacement`.

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body, z along the axis.

    References
    ----------
    Haug (9.4.23).

    Examples
    --------
    >>> m = lw.SpatialModel("sleeve")
    >>> sleeve = m.body("sleeve", position=(0, 0, 0.2))
    >>> joint = m.add(lw.Cylindrical("C", m.ground.at(0, 0, 0), sleeve.at(0, 0, 0)))
    >>> lw.check(m).dof, joint.channels
    (2, ('angle', 'displacement'))
    """

    P: OnAxis
    Q: OnAxis

    channels = ("angle", "displacement")


@dataclass(frozen=True, eq=False, repr=False)
class Spherical(SpatialJoint):
    """A spherical joint (ball and socket): P and Q coincide.

    Parameters
    ----------
    P, Q : Point
        The centre of the ball on the first and on the second body.

    References
    ----------
    Haug (9.4.18).

    Examples
    --------
    >>> m = lw.SpatialModel("spherical pendulum")
    >>> bob = m.body("bob", position=(0, 0, -1))
    >>> ball = m.add(lw.Spherical("S", m.ground.at(0, 0, 0), bob.at(0, 0, 1)))
    >>> lw.check(m).dof
    3
    """

    P: OnPoint
    Q: OnPoint

    pivot = "ball"


@dataclass(frozen=True, eq=False, repr=False)
class Universal(SpatialJoint):
    """A universal joint (Hooke, Cardan): P and Q coincide, and the arms of the cross, the z axes, are at right angles.

    The coordinate `angle_i` turns the cross about the arm of the first body, `angle_j` the second body about its own arm;
    each is zero where an arm lies along the x axis of the other body's frame.

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body, z along the arm of the cross that turns in it.

    References
    ----------
    Haug (9.4.19).

    Examples
    --------
    >>> m = lw.SpatialModel("shaft")
    >>> shaft = m.body("shaft")
    >>> across = ((0, 1, 0), 3.141592653589793 / 2)  # z turned into x
    >>> cross = m.add(lw.Universal("U", m.ground.at(0, 0, 0), shaft.at(0, 0, 0, rotation=across)))
    >>> lw.check(m).dof
    2
    """

    P: OnAxis
    Q: OnAxis

    channels = ("angle_i", "angle_j")
    pivot = "cross"

    angle_i = Coordinate("The rotation of the cross relative to the first body [rad].")
    angle_j = Coordinate("The rotation of the second body relative to the cross [rad].")


@dataclass(frozen=True, eq=False, repr=False)
class ConstantVelocity(SpatialJoint):
    """A constant-velocity joint: P and Q coincide, and both shafts, the z axes, turn by equal angles.

    The coordinates `angle_x` and `angle_y` are the tilt of the second shaft about the x and the y axis of the first frame.

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body, z along the shaft.

    Examples
    --------
    >>> m = lw.SpatialModel("half shaft")
    >>> shaft = m.body("shaft")
    >>> joint = m.add(lw.ConstantVelocity("CV", m.ground.at(0, 0, 0), shaft.at(0, 0, 0)))
    >>> lw.check(m).dof, joint.channels
    (2, ('angle_x', 'angle_y'))
    """

    P: OnAxis
    Q: OnAxis

    channels = ("angle_x", "angle_y")
    pivot = "ball"

    angle_x = Coordinate("The tilt of the second shaft as seen along the x axis of the first frame [rad].")
    angle_y = Coordinate("The tilt of the second shaft as seen along the y axis of the first frame [rad].")


@dataclass(frozen=True, eq=False, repr=False)
class Screw(SpatialJoint):
    """A screw: a cylindrical joint with displacement = pitch (angle - start).

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body, z along the axis.
    pitch : number or expression of parameters
        Advance per radian [m/rad]: a lead per turn divided by 2 pi.
    start : number or expression of parameters
        The angle at which P and Q coincide [rad].

    References
    ----------
    Haug (9.4.25).

    Examples
    --------
    >>> m = lw.SpatialModel("jack")
    >>> nut = m.body("nut")
    >>> screw = m.add(lw.Screw("S", m.ground.at(0, 0, 0), nut.at(0, 0, 0), pitch=0.01))
    >>> motor = m.add(lw.Driver("motor", screw.angle, 2.0))
    >>> round(lw.assemble(m)["nut.z"], 9)
    0.02
    """

    P: OnAxis
    Q: OnAxis
    pitch: Number
    start: Number = 0.0

    channels = ("angle", "displacement")


@dataclass(frozen=True, eq=False, repr=False)
class Planar(SpatialJoint):
    """A planar joint: Q stays in the plane through P whose normal is the z axis of P, and turns about that normal only.

    It leaves `angle` and the displacements along the x and y axis of P, `displacement_x` and `displacement_y`.

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body, z along the normal.

    Examples
    --------
    >>> m = lw.SpatialModel("puck")
    >>> puck = m.body("puck")
    >>> ice = m.add(lw.Planar("ice", m.ground.at(0, 0, 0), puck.at(0, 0, 0)))
    >>> lw.check(m).dof
    3
    """

    P: OnAxis
    Q: OnAxis

    channels = ("angle", "displacement_x", "displacement_y")

    displacement_x = Coordinate("How far the second body has moved along the x axis of the first frame [m].")
    displacement_y = Coordinate("How far the second body has moved along the y axis of the first frame [m].")


@dataclass(frozen=True, eq=False, repr=False)
class PointOnPlane(SpatialJoint):
    """A point on a plane ("in-plane"): the point keeps its distance from the plane of a frame, normal to its z axis.

    Parameters
    ----------
    plane : Point
        The frame on the first body, z along the normal.
    point : Point
        The point on the second body.
    offset : number or expression of parameters
        Signed distance along the normal [m].

    Examples
    --------
    >>> m = lw.SpatialModel("foot")
    >>> foot = m.body("foot", position=(0, 0, 0.2))
    >>> floor = m.add(lw.PointOnPlane("floor", m.ground.at(0, 0, 0), foot.at(0, 0, 0)))
    >>> lw.check(m).dof
    5
    """

    plane: OnAxis
    point: OnPoint
    offset: Number = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class ParallelAxes(SpatialJoint):
    """The z axes stay parallel ("parallel-1").

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body.

    References
    ----------
    Haug (9.4.9).

    Examples
    --------
    >>> m = lw.SpatialModel("mast")
    >>> mast = m.body("mast")
    >>> upright = m.add(lw.ParallelAxes("upright", m.ground.at(0, 0, 0), mast.at(0, 0, 0)))
    >>> lw.check(m).dof
    4
    """

    P: OnAxis
    Q: OnAxis


@dataclass(frozen=True, eq=False, repr=False)
class PerpendicularAxes(SpatialJoint):
    """The z axes stay at right angles ("dot-1"): a `DP1` of the two axes with f = 0.

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body.

    References
    ----------
    Haug (9.4.3).

    Examples
    --------
    >>> m = lw.SpatialModel("level arm")
    >>> arm = m.body("arm")
    >>> along = ((0, 1, 0), 3.141592653589793 / 2)  # z turned into x
    >>> level = m.add(lw.PerpendicularAxes("level", m.ground.at(0, 0, 0), arm.at(0, 0, 0, rotation=along)))
    >>> lw.check(m).dof
    5
    """

    P: OnAxis
    Q: OnAxis
