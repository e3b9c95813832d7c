"""Joints of the plane and of space, as data: the name, then the point or frame on each of the two bodies.

In space the axis of a joint is the z axis of its frames; in the plane a direction is that of a directed point. Joints that
exist in space only are in `spatial_joints` and `composite_joints`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.model.elements import Joint
from linkwright.model.fields import Number, OnAxis, OnPoint
from linkwright.model.plain_fields import ChoiceKind
from linkwright.model.values import norm
from linkwright.options import AxesOfPins, words

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True, eq=False, repr=False)
class Revolute(Joint):
    """A revolute joint (pin, hinge): P and Q coincide; in space their z axes stay parallel.

    It leaves one relative rotation, the coordinate `angle`, counted from the direction of P to that of Q: x axes in space;
    the axes of the bodies where points of the plane have no angle.

    Parameters
    ----------
    P, Q : Point
        The pin on the first and on the second body.

    References
    ----------
    Haug (3.3.10), (9.4.22).

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum")
    >>> arm = m.body("arm", position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> lw.check(m).dof
    1
    """

    P: OnPoint
    Q: OnPoint

    channels = ("angle",)


@dataclass(frozen=True, eq=False, repr=False)
class Translational(Joint):
    """A translational (prismatic) joint: Q stays on the line of P, and the bodies do not rotate relative to each other.

    It leaves the coordinate `displacement`. The line is the direction of the directed points in the plane; in space it is
    the z axes, and the x axes stay parallel.

    Parameters
    ----------
    P, Q : Point
        The line on the first and on the second body: directed points in the plane, frames in space.

    References
    ----------
    Haug (3.3.13), (9.4.24).

    Examples
    --------
    >>> m = lw.PlanarModel("slider")
    >>> slider = m.body("slider", position=(0.3, 0.1))
    >>> guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    >>> round(lw.assemble(m)["guide.displacement"], 6)
    0.3
    """

    P: OnAxis
    Q: OnAxis

    channels = ("displacement",)


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(Joint):
    """A weld: the two frames coincide; a point of the plane without angle is taken along the axes of its body.

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body.

    Examples
    --------
    >>> m = lw.PlanarModel("bracket")
    >>> plate = m.body("plate", position=(1, 0.1))
    >>> weld = m.add(lw.Fixed("weld", m.ground.at(1, 0), plate.at(0, 0)))
    >>> lw.check(m).dof
    0
    """

    P: OnPoint
    Q: OnPoint


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Joint):
    """A massless rod with a pin (in space a ball) at each end: P and Q keep their distance.

    Parameters
    ----------
    P, Q : Point
        The ends of the rod on the first and on the second body.
    length : number or expression of parameters
        The distance [m], positive.

    References
    ----------
    Haug (3.3.7), (9.4.8).

    Examples
    --------
    >>> m = lw.PlanarModel("rod")
    >>> bob = m.body("bob", position=(0.9, 0.1))
    >>> rod = m.add(lw.Distance("rod", m.ground.at(0, 0), bob.at(0, 0), length=1.0))
    >>> c = lw.assemble(m)
    >>> round(c["bob.x"] ** 2 + c["bob.y"] ** 2, 9)
    1.0
    """

    P: OnPoint
    Q: OnPoint
    length: Number

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        check_length(model.value(values["length"]))


def check_length(length: float) -> None:
    """A distance must be positive: at zero its equation has no derivative."""
    if length == 0:
        raise ModelError(
            "the distance is zero", remedy="points that coincide are a Revolute joint, in space a Spherical one"
        )
    if length < 0:
        raise ModelError(f"the distance is negative: {length:g}", remedy="give a positive length")


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteRevolute(Distance):
    """A massless link with a revolute joint at each end; in the plane an alias of `Distance`.

    In space the pins are along the z axes of the frames.

    Parameters
    ----------
    P, Q : Point
        The pin on the first and on the second body.
    length : number or expression of parameters
        Length of the link [m], positive.
    axes : {"parallel", "orthogonal"}
        How the pins are to each other, in space; orthogonal ones intersect.

    References
    ----------
    Haug (3.3.15), (9.4.30), (9.4.31).

    Examples
    --------
    >>> m = lw.SpatialModel("two pins")
    >>> arm = m.body("arm", position=(0.6, 0.4, 0))
    >>> link = m.add(lw.RevoluteRevolute("link", m.ground.at(0, 0, 0), arm.at(0, 0, 0), length=0.7))
    >>> lw.check(m).dof
    2
    """

    axes: Annotated[AxesOfPins, ChoiceKind(words=words("AxesOfPins"))] = "parallel"


@dataclass(frozen=True, eq=False, repr=False)
class PointOnLine(Joint):
    """A point on a straight line (a pin in a slot; in space "in-line"): the point stays on the line of a directed point.

    It leaves the coordinate `displacement` along the line and all relative rotation. In space the line is the z axis of the
    frame, and `Strut` is an alias.

    Parameters
    ----------
    line : Point
        The line on the first body: a directed point in the plane, a frame in space.
    point : Point
        The point on the second body.
    offset : number or expression of parameters
        Signed distance of the point from the line [m], positive to the left; in the plane only.

    References
    ----------
    Haug (3.3.16).

    Examples
    --------
    >>> m = lw.PlanarModel("slot")
    >>> arm = m.body("arm", position=(0.4, 0.2))
    >>> slot = m.add(lw.PointOnLine("slot", m.ground.at(0, 0, angle=0), arm.at(0, 0), offset=0.1))
    >>> round(lw.assemble(m)["arm.y"], 9)
    0.1
    """

    line: OnAxis
    point: OnPoint
    offset: Number = 0.0

    channels = ("displacement",)

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if model.dimension == 3 and model.value(values["offset"]) != 0:
            raise ModelError("a line in space has no offset", remedy="move the origin of the line's frame")


@dataclass(frozen=True, eq=False, repr=False)
class Orientation(Joint):
    """No relative rotation: the axes of the two frames stay parallel; the points are free.

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body.

    Examples
    --------
    >>> m = lw.SpatialModel("level")
    >>> table = m.body("table", position=(0, 0, 1))
    >>> level = m.add(lw.Orientation("level", m.ground.at(0, 0, 0), table.at(0, 0, 0)))
    >>> lw.check(m).dof
    3
    """

    P: OnPoint
    Q: OnPoint


def check_gears(radii: tuple[float, float]) -> None:
    """Two pitch circles must roll on each other."""
    if 0.0 in radii:
        raise ModelError("a gear has radius zero", remedy="give the radii of the pitch circles")
    if abs(sum(radii)) <= 1e-12 * norm(radii):
        raise ModelError(
            "the radii add up to zero: the gears would turn about one centre", remedy="use a Coupler or other radii"
        )
