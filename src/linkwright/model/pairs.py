"""Higher pairs: gears, racks, cams, slots, and couplers of joint coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.elements import Element, Joint
from linkwright.model.fields import (
    Maybe,
    NonZero,
    NumbersKind,
    OnAxis,
    OnCurve,
    OnPoint,
    Positive,
    Real,
    Terms,
    TruthKind,
)
from linkwright.model.joints import check_gears

if TYPE_CHECKING:
    from linkwright.model.model import Model


@dataclass(frozen=True, eq=False, repr=False)
class Gear(Joint):
    """Two gears of pitch radii (Ri, Rj) [m]; a ring gear has a negative radius (Haug 3.4.1-7).

    Other joints must keep the centres apart by |Ri + Rj|. `phase` [rad]: None takes that of the assembled machine.
    In space the gears turn about the z axes of the frames, which may be inclined: bevel gears.
    """

    centre_i: OnPoint
    centre_j: OnPoint
    radii: Annotated[tuple[Real, Real], NumbersKind(size=2)]
    phase: Maybe = None

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        Ri, Rj = (model.value(R) for R in values["radii"])
        check_gears((Ri, Rj))


@dataclass(frozen=True, eq=False, repr=False)
class RackPinion(Joint):
    """A pinion of pitch radius `radius` [m] on a rack, whose pitch line is a directed point (Haug 3.4.8-13).

    Positive radius: the pinion is to the left of the line. It keeps the centre at its distance from the line itself.
    In space the z axes of both frames are along the pinion's axis, the pitch line is the x axis of the rack's frame, and
    other joints keep the distance.
    """

    rack: OnAxis
    centre: OnPoint
    radius: NonZero
    phase: Maybe = None


@dataclass(frozen=True, eq=False, repr=False)
class Rolling(Element):
    """A wheel of a `radius` [m] that touches a plane and rolls on it without slipping.

    In the plane the wheel is a point, its centre, and the plane a directed point, with the wheel to the left of it. In space
    the plane's normal is the z axis of its frame; the wheel is a thin disc whose axle is the z axis of its frame, or, with
    ball=True, a ball. Channels: the force of the plane on the wheel, fx fy (fz), and where it touches, px py (pz).
    """

    wheel: OnPoint
    plane: OnAxis
    radius: Positive
    ball: Annotated[bool, TruthKind()] = False

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if self.wheel.body.is_ground:
            raise ModelError("its wheel is the ground", remedy="give the wheel first, then the plane")
        if self.ball and model.dimension == 2:
            raise ModelError("in the plane there is no ball", remedy="leave ball= out: a wheel is a circle")


@dataclass(frozen=True, eq=False, repr=False)
class CamFollower(Joint):
    """Two outlines that touch (Haug 3.4.18). `estimate`: of both parameters at the start, (alpha_i, alpha_j)."""

    curve_i: OnCurve
    curve_j: OnCurve
    estimate: Annotated[tuple[Real, Real] | None, NumbersKind(optional=True, size=2)] = None

    dimensions = (2,)
    channels = ("alpha_i", "alpha_j")

    @property
    def alpha_i(self) -> Expr:
        """The parameter of the first outline at the contact."""
        return self.coordinate("alpha_i")

    @property
    def alpha_j(self) -> Expr:
        """The parameter of the second outline at the contact."""
        return self.coordinate("alpha_j")


class _OneCurve(Joint):
    """Base of pairs with one unknown parameter."""

    channels = ("alpha",)

    @property
    def alpha(self) -> Expr:
        """The parameter of the curve at the contact."""
        return self.coordinate("alpha")


@dataclass(frozen=True, eq=False, repr=False)
class CamFlat(_OneCurve):
    """An outline on a flat face, the line of a directed point (Haug 3.4.24)."""

    curve: OnCurve
    face: OnAxis
    estimate: Maybe = None

    dimensions = (2,)


@dataclass(frozen=True, eq=False, repr=False)
class PointFollower(_OneCurve):
    """A pin in a slot, or a bead on a rail: the point stays on the curve (Haug 3.4.31)."""

    point: OnPoint
    curve: OnCurve
    estimate: Maybe = None


@dataclass(frozen=True, eq=False, repr=False)
class Coupler(Element):
    """Coordinates in fixed proportion: the sum of factor * quantity is `value`; {A.angle: 1, B.angle: 2}.

    value=None takes the sum as it is in the assembled machine.
    """

    terms: Terms
    value: Maybe = 0.0

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        quantities = [id(q) for q, _ in values["terms"]]
        if len(set(quantities)) < len(quantities):
            raise ModelError("a quantity occurs twice", remedy="give each once, with the sum of its factors")
