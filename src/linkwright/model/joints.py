"""Joints, as data. Each is named first, then the point or frame on each of its two bodies.

In space the axis of a joint is the z axis of its frames; in the plane a direction is that of a directed point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.elements import Joint
from linkwright.model.fields import ChoiceKind, Number, OnAxis, OnPoint, Positive
from linkwright.model.values import norm

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True, eq=False, repr=False)
class Revolute(Joint):
    """A pin (Haug 3.3.10, 9.4.22): P and Q coincide; in space their z axes are parallel. Leaves one turn, `angle`.

    The angle is counted from the direction of P to that of Q: x axes in space; body axes if the points have none.
    """

    P: OnPoint
    Q: OnPoint

    channels = ("angle",)


@dataclass(frozen=True, eq=False, repr=False)
class Translational(Joint):
    """A slide (Haug 3.3.13, 9.4.24): Q stays on the line of P and the bodies do not turn. Leaves `displacement`.

    The line is the direction of the directed points in the plane, the z axes in space, whose x axes stay parallel.
    """

    P: OnAxis
    Q: OnAxis

    channels = ("displacement",)


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(Joint):
    """A weld: the two points or frames coincide. A point of the plane without angle is taken along its body's axes."""

    P: OnPoint
    Q: OnPoint


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Joint):
    """A massless rod of the given length [m] with a pin or ball at each end (Haug 3.3.7, 9.4.8)."""

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
    """A massless link with a pin at each end, in the plane the same as Distance (Haug 3.3.15, 9.4.30-31).

    In space its pins are along the z axes of the frames: axes="parallel", or "orthogonal" and intersecting.
    """

    axes: Annotated[str, ChoiceKind(words=("parallel", "orthogonal"))] = "parallel"


@dataclass(frozen=True, eq=False, repr=False)
class PointOnLine(Joint):
    """A pin in a straight slot (Haug 3.3.16; in space in-line): the point stays on the line of a directed point.

    In space the line is the frame's z axis. In the plane it may stay at a signed `offset` [m], positive to the left.
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
    """No relative turning: the axes of the two frames stay parallel; the points are free."""

    P: OnPoint
    Q: OnPoint


class SpatialJoint(Joint):
    """Base of the joints that exist in space only."""

    dimensions = (3,)


@dataclass(frozen=True, eq=False, repr=False)
class Cylindrical(SpatialJoint):
    """The z axes stay on one line (Haug 9.4.23): slides and turns."""

    P: OnAxis
    Q: OnAxis

    channels = ("angle", "displacement")


@dataclass(frozen=True, eq=False, repr=False)
class Spherical(SpatialJoint):
    """A ball: P and Q coincide (Haug 9.4.18)."""

    P: OnPoint
    Q: OnPoint

    pivot = "ball"


@dataclass(frozen=True, eq=False, repr=False)
class Universal(SpatialJoint):
    """Hooke's joint (Haug 9.4.19): P and Q coincide, the arms of the cross, the frames' z axes, are at right angles.

    `angle_i` turns the cross about the arm of the first body, `angle_j` the second body about its own arm; zero where an
    arm lies along the x axis of the other body's frame.
    """

    P: OnAxis
    Q: OnAxis

    channels = ("angle_i", "angle_j")
    pivot = "cross"

    @property
    def angle_i(self) -> Expr:
        """The turn of the cross against the first body [rad]."""
        return self.coordinate("angle_i")

    @property
    def angle_j(self) -> Expr:
        """The turn of the second body against the cross [rad]."""
        return self.coordinate("angle_j")


@dataclass(frozen=True, eq=False, repr=False)
class ConstantVelocity(SpatialJoint):
    """P and Q coincide, and both shafts, the frames' z axes, turn by equal angles.

    `angle_x`, `angle_y`: how far the second shaft is tilted, as seen along the x and y axis of the first frame.
    """

    P: OnAxis
    Q: OnAxis

    channels = ("angle_x", "angle_y")
    pivot = "ball"

    @property
    def angle_x(self) -> Expr:
        """The tilt of the second shaft as seen along the x axis of the first frame [rad]."""
        return self.coordinate("angle_x")

    @property
    def angle_y(self) -> Expr:
        """The tilt of the second shaft as seen along the y axis of the first frame [rad]."""
        return self.coordinate("angle_y")


@dataclass(frozen=True, eq=False, repr=False)
class Screw(SpatialJoint):
    """Cylindrical, advancing `pitch` metres a radian (Haug 9.4.25): displacement = pitch (angle - start).

    `start` [rad] is the angle at which P and Q coincide. For a lead in metres a turn, pitch = lead/(2 pi).
    """

    P: OnAxis
    Q: OnAxis
    pitch: Number
    start: Number = 0.0

    channels = ("angle", "displacement")


@dataclass(frozen=True, eq=False, repr=False)
class Planar(SpatialJoint):
    """Q stays in the plane through P whose normal is the z axis of P, and turns about that normal only.

    Leaves `angle` and the shifts along the x and y axis of P, `displacement_x` and `displacement_y`.
    """

    P: OnAxis
    Q: OnAxis

    channels = ("angle", "displacement_x", "displacement_y")

    @property
    def displacement_x(self) -> Expr:
        """How far the second body has moved along the x axis of the first frame [m]."""
        return self.coordinate("displacement_x")

    @property
    def displacement_y(self) -> Expr:
        """How far the second body has moved along the y axis of the first frame [m]."""
        return self.coordinate("displacement_y")


@dataclass(frozen=True, eq=False, repr=False)
class PointOnPlane(SpatialJoint):
    """In-plane: the point stays in the plane of the frame (normal z), at a signed `offset` [m] along the normal."""

    plane: OnAxis
    point: OnPoint
    offset: Number = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class ParallelAxes(SpatialJoint):
    """The z axes stay parallel (parallel-1, Haug 9.4.9)."""

    P: OnAxis
    Q: OnAxis


@dataclass(frozen=True, eq=False, repr=False)
class PerpendicularAxes(SpatialJoint):
    """The z axes stay at right angles (dot-1, Haug 9.4.3)."""

    P: OnAxis
    Q: OnAxis


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteSpherical(SpatialJoint):
    """A massless link of the given length, a pin along z on the first body, a ball on the second (Haug 9.4.29)."""

    frame: OnAxis
    point: OnPoint
    length: Positive


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteCylindrical(SpatialJoint):
    """A massless coupler, pinned along z of the first body, sliding and turning on z of the second (Haug 9.4.32)."""

    P: OnAxis
    Q: OnAxis

    channels = ("displacement",)


@dataclass(frozen=True, eq=False, repr=False)
class RevoluteTranslational(SpatialJoint):
    """A massless coupler, pinned along z of the first body, sliding along z of the second (Haug 9.4.33).

    The x axis of the second frame stays parallel to the pin. In the plane this is PointOnLine.
    """

    P: OnAxis
    Q: OnAxis

    channels = ("displacement",)


@dataclass(frozen=True, eq=False, repr=False)
class Strut(SpatialJoint):
    """The point of the second body stays on the z axis of the first (Haug 9.4.34)."""

    frame: OnAxis
    point: OnPoint

    channels = ("displacement",)


def check_gears(radii: tuple[float, float]) -> None:
    """Two pitch circles must roll on each other."""
    if 0.0 in radii:
        raise ModelError("a gear has radius zero", remedy="give the radii of the pitch circles")
    if abs(sum(radii)) <= 1e-12 * norm(radii):
        raise ModelError(
            "the radii add up to zero: the gears would turn about one centre", remedy="use a Coupler or other radii"
        )
