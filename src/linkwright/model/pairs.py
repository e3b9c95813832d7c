"""Higher pairs: gears, racks, cams, slots, and couplers of joint coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.model.elements import Element, Joint
from linkwright.model.fields import Maybe, NonNegative, NonZero, Number, OnAxis, OnCurve, OnPoint, Positive, Real, Terms
from linkwright.model.joints import check_gears
from linkwright.model.plain_fields import NumbersKind, TruthKind
from linkwright.model.quantities import Coordinate
from linkwright.model.values import is_some

if TYPE_CHECKING:
    from linkwright.model.model import Model


def _check_angle(name: str, angle: float) -> None:
    if abs(angle) >= pi / 2:
        raise ModelError(f"its {name} is {angle:g} rad", remedy="give radians, below a quarter turn: 0.349 rad or '20 deg'")


@dataclass(frozen=True, eq=False, repr=False)
class Gear(Joint):
    """A pair of gears: their pitch circles roll on each other.

    Other joints must keep the centres apart by |Ri + Rj|. In space the gears turn about the z axes of the frames, which may
    be inclined: bevel gears. Inclined teeth push the gears apart and along their axes: the pressure and helix angles change
    the loads of bearings, not the motion. With a stiffness `k` the teeth are elastic, and may have backlash.

    Parameters
    ----------
    centre_i, centre_j : Point
        The centre of the gear on the first and on the second body.
    radii : two numbers or expressions of parameters
        The pitch radii (Ri, Rj) [m]; a ring gear has a negative radius.
    phase : number or expression of parameters, optional
        The phase of the meshing teeth [rad]; by default that of the assembled machine.
    pressure_angle : number or expression of parameters
        The pressure angle in the normal plane [rad]: the teeth push the gears apart.
    helix_angle : number or expression of parameters
        The helix angle at the pitch circle [rad], positive where the first gear is right-handed; not of bevel gears.
    k, c : number or expression of parameters
        The stiffness [N/m] and the damping [N s/m] of the teeth along the pitch circles; without k they are rigid.
    backlash : number or expression of parameters
        How far the pitch circles may slip between the flanks [m]; it needs k.

    References
    ----------
    Haug (3.4.1) to (3.4.7).

    Examples
    --------
    >>> m = lw.PlanarModel("gears")
    >>> a, b = m.body("a"), m.body("b", position=(0.3, 0))
    >>> A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    >>> B = m.add(lw.Revolute("B", m.ground.at(0.3, 0), b.at(0, 0)))
    >>> mesh = m.add(lw.Gear("mesh", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.2)))
    >>> motor = m.add(lw.Driver("motor", A.angle, "t"))
    >>> round(float(lw.kinematics(m, t_end=1.0, steps=1)["B.omega"][-1]), 9)
    -0.5
    """

    centre_i: OnPoint
    centre_j: OnPoint
    radii: Annotated[tuple[Real, Real], NumbersKind(size=2)]
    phase: Maybe = None
    pressure_angle: NonNegative = 0.0
    helix_angle: Number = 0.0
    k: NonNegative = 0.0
    c: NonNegative = 0.0
    backlash: NonNegative = 0.0

    @property
    def elastic(self) -> bool:
        """Whether its teeth are springs rather than a constraint."""
        return is_some(self.k)

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        Ri, Rj = (model.value(R) for R in values["radii"])
        check_gears((Ri, Rj))
        for name in ("pressure_angle", "helix_angle"):
            _check_angle(name, model.value(values[name]))
        if not self.elastic and (is_some(self.c) or is_some(self.backlash)):
            what = "backlash" if is_some(self.backlash) else "damping"
            raise ModelError(f"rigid teeth have no {what}", remedy="give the stiffness of the teeth, k=, in N/m")


@dataclass(frozen=True, eq=False, repr=False)
class RackPinion(Joint):
    """A rack and pinion: the pitch circle of the pinion rolls on the pitch line of the rack.

    In the plane the pair also keeps the centre of the pinion at its distance from the line. In space the z axes of both
    frames are along the axis of the pinion, the pitch line is the x axis of the rack's frame, and other joints keep the
    distance.

    Parameters
    ----------
    rack : Point
        The pitch line on the first body: a directed point in the plane, a frame in space.
    centre : Point
        The centre of the pinion on the second body.
    radius : number or expression of parameters
        The pitch radius [m]; positive: the pinion is to the left of the line.
    phase : number or expression of parameters, optional
        The phase [rad]; by default that of the assembled machine.
    pressure_angle : number or expression of parameters
        In space: the pressure angle [rad], by which the teeth push the pinion off the rack, into its bearings.

    References
    ----------
    Haug (3.4.8) to (3.4.13).

    Examples
    --------
    >>> m = lw.PlanarModel("rack")
    >>> pinion = m.body("pinion", position=(0, 0.1))
    >>> rack = m.add(lw.RackPinion("rack", m.ground.at(0, 0, angle=0), pinion.at(0, 0), radius=0.1))
    >>> lw.check(m).dof
    1
    """

    rack: OnAxis
    centre: OnPoint
    radius: NonZero
    phase: Maybe = None
    pressure_angle: NonNegative = 0.0

    elastic = False

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        _check_angle("pressure_angle", model.value(values["pressure_angle"]))
        if model.dimension == 2 and is_some(values["pressure_angle"]):
            raise ModelError(
                "in the plane the pair keeps the distance itself, and its teeth load no bearing",
                remedy="leave pressure_angle= out, or model the machine in space",
            )


@dataclass(frozen=True, eq=False, repr=False)
class Rolling(Element):
    """A wheel that touches a plane and rolls on it without slipping.

    Channels: the force of the plane on the wheel, fx fy (fz), and where it touches, px py (pz).

    Parameters
    ----------
    wheel : Point
        The centre of the wheel; in space a frame, whose z axis is the axle of a thin disc.
    plane : Point
        In the plane a directed point, with the wheel to the left of it; in space a frame, z along the normal.
    radius : number or expression of parameters
        The radius [m], positive.
    ball : bool
        In space: whether it is a ball rather than a disc.

    Examples
    --------
    >>> m = lw.PlanarModel("wheel")
    >>> wheel = m.body("wheel", mass=1.0, inertia=0.1, position=(0, 0.5), omega=-2.0)
    >>> m.fix(wheel.omega, -2.0)
    >>> road = m.add(lw.Rolling("road", wheel.at(0, 0), m.ground.at(0, 0, angle=0), radius=0.5))
    >>> round(float(lw.dynamics(m, t_end=1.0, steps=1)["wheel.x"][-1]), 6)
    1.0
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
    """A cam and a follower: two outlines touch. The coordinates `alpha_i`, `alpha_j` tell where.

    Parameters
    ----------
    curve_i, curve_j : CurveOn
        The outlines on the first and on the second body, from `body.curve`.
    estimate : two numbers or expressions of parameters, optional
        Estimates (alpha_i, alpha_j) of the parameters of both curves at the start.

    References
    ----------
    Haug (3.4.18).

    Examples
    --------
    >>> m = lw.PlanarModel("two discs")
    >>> a, b = m.body("a"), m.body("b", position=(0.31, 0))
    >>> discs = a.curve(lw.Curve.polar(0.1)), b.curve(lw.Curve.polar(0.2))
    >>> contact = m.add(lw.CamFollower("contact", *discs, estimate=(0.0, 3.14)))
    >>> round(lw.assemble(m)[lw.distance(a.at(0, 0), b.at(0, 0))], 9)
    0.3
    """

    curve_i: OnCurve
    curve_j: OnCurve
    estimate: Annotated[tuple[Real, Real] | None, NumbersKind(optional=True, size=2)] = None

    dimensions = (2,)
    channels = ("alpha_i", "alpha_j")

    alpha_i = Coordinate("The parameter of the first outline at the contact.")
    alpha_j = Coordinate("The parameter of the second outline at the contact.")


class _OneCurve(Joint):
    """Base of pairs with one unknown parameter."""

    channels = ("alpha",)

    alpha = Coordinate("The parameter of the curve at the contact.")


@dataclass(frozen=True, eq=False, repr=False)
class CamFlat(_OneCurve):
    """A cam on a flat face: an outline touches the line of a directed point. The coordinate `alpha` tells where.

    Parameters
    ----------
    curve : CurveOn
        The outline on the first body, from `body.curve`.
    face : Point
        The face on the second body: a directed point.
    estimate : number or expression of parameters, optional
        Estimate of the parameter of the curve at the start.

    References
    ----------
    Haug (3.4.24).

    Examples
    --------
    >>> m = lw.PlanarModel("tappet")
    >>> cam, tappet = m.body("cam"), m.body("tappet", position=(0, 0.1))
    >>> A = m.add(lw.Revolute("A", m.ground.at(0, 0), cam.at(0, 0)))
    >>> guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle="pi/2"), tappet.at(0, 0, angle="pi/2")))
    >>> disc = cam.curve(lw.Curve.polar(0.1), at=(0.02, 0))
    >>> face = m.add(lw.CamFlat("face", disc, tappet.at(0, 0, angle=0), estimate=1.5))
    >>> motor = m.add(lw.Driver("motor", A.angle, "t"))
    >>> k = lw.kinematics(m, t_eval=[0.0, 0.5])
    >>> bool(abs(k["tappet.y"][1] - (0.1 + 0.02 * lw.sin(0.5))) < 1e-9)
    True
    """

    curve: OnCurve
    face: OnAxis
    estimate: Maybe = None

    dimensions = (2,)


@dataclass(frozen=True, eq=False, repr=False)
class PointFollower(_OneCurve):
    """A point on a curve (a pin in a slot, a bead on a rail). The coordinate `alpha` tells where.

    Parameters
    ----------
    point : Point
        The point on the first body.
    curve : CurveOn
        The curve on the second body, from `body.curve`.
    estimate : number or expression of parameters, optional
        Estimate of the parameter of the curve at the start.

    References
    ----------
    Haug (3.4.31).

    Examples
    --------
    >>> m = lw.PlanarModel("bead")
    >>> bead = m.body("bead", position=(0.9, 0.8))
    >>> parabola = m.ground.curve(lw.Curve.parametric("alpha", "alpha**2", start=-2, end=2))
    >>> rail = m.add(lw.PointFollower("rail", bead.at(0, 0), parabola, estimate=0.9))
    >>> c = lw.assemble(m)
    >>> bool(abs(c["bead.y"] - c["bead.x"] ** 2) < 1e-9)
    True
    """

    point: OnPoint
    curve: OnCurve
    estimate: Maybe = None


@dataclass(frozen=True, eq=False, repr=False)
class Coupler(Element):
    """A linear relation of coordinates (a belt, a differential): the sum of factor * quantity is `value`.

    Parameters
    ----------
    terms : mapping from quantity to factor
        At least two quantities with a factor each, such as {A.angle: 1, B.angle: 2}.
    value : number or expression of parameters, optional
        The sum; None takes the sum that the assembled machine has.

    Examples
    --------
    >>> m = lw.PlanarModel("belt")
    >>> a, b = m.body("a"), m.body("b", position=(1, 0))
    >>> A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    >>> B = m.add(lw.Revolute("B", m.ground.at(1, 0), b.at(0, 0)))
    >>> belt = m.add(lw.Coupler("belt", {A.angle: 1, B.angle: -2}))
    >>> motor = m.add(lw.Driver("motor", A.angle, 1.0))
    >>> round(lw.assemble(m)["b.angle"], 9)
    0.5
    """

    terms: Terms
    value: Maybe = 0.0

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        quantities = [id(q) for q, _ in values["terms"]]
        if len(set(quantities)) < len(quantities):
            raise ModelError("a quantity occurs twice", remedy="give each once, with the sum of its factors")
