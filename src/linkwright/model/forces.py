"""Forces, as data. A coefficient may be a number, an expression, a text or a Python function of the law's arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.elements import Element, Joint
from linkwright.model.fields import (
    Angle,
    ChoiceKind,
    ComponentsKind,
    LawKind,
    MatrixKind,
    Maybe,
    NonNegative,
    Number,
    NumberKind,
    NumbersKind,
    OnAxis,
    OnBody,
    OnJoint,
    OnPoint,
    Position,
    Positive,
    Real,
    SquareMatrix,
)

if TYPE_CHECKING:
    from linkwright.model.model import Model

Frame = Annotated[str, ChoiceKind(words=("ground", "body"))]


@dataclass(frozen=True, eq=False, repr=False)
class Spring(Element):
    """Spring, damper and actuator between two points: pulls them together by f = k (l - length) + c v + force (tension +).

    l is their distance [m], v its rate. k may be a law of l, c a law of v, force a law of (l, v, t) (Haug 6.2.6, 11.4.1).
    """

    P: OnPoint
    Q: OnPoint
    k: Annotated[Any, LawKind(arguments=("l",))] = 0.0
    length: NonNegative = 0.0
    c: Annotated[Any, LawKind(arguments=("v",))] = 0.0
    force: Annotated[Any, LawKind(arguments=("l", "v", "t"))] = 0.0

    between = 2


@dataclass(frozen=True, eq=False, repr=False)
class TorsionSpring(Element):
    """Torque n = k (theta - angle) + c omega + torque against the growth of an angle (Haug 6.2.16, 11.4.12).

    Given a joint, theta is the joint's angle. k may be a law of theta, c of omega, torque of (theta, omega, t).
    """

    quantity: Angle
    k: Annotated[Any, LawKind(arguments=("theta",))] = 0.0
    angle: Number = 0.0
    c: Annotated[Any, LawKind(arguments=("omega",))] = 0.0
    torque: Annotated[Any, LawKind(arguments=("theta", "omega", "t"))] = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Force(Element):
    """A law F(s, v, t) that acts along a position quantity s, in the sense of its growth; v is the rate of s.

    Its work is F ds: a force [N] along a length, a torque [N m] along an angle. Other quantities may occur in the law. A
    joint stands for its own coordinate.
    """

    quantity: Position
    law: Annotated[Any, LawKind(arguments=("s", "v", "t"))]


@dataclass(frozen=True, eq=False, repr=False)
class PointForce(Element):
    """A force [N] at a point, its components along ground or body axes, each a number or a law of t."""

    point: OnPoint
    force: Annotated[tuple[Any, ...], ComponentsKind()]
    frame: Frame = "ground"


@dataclass(frozen=True, eq=False, repr=False)
class Torque(Element):
    """A torque [N m] on a body: one law of t in the plane, components along ground or body axes in space.

    `Torque(name, joint, law)` is the `Force` along the joint's angle, of (angle, omega, t).
    """

    body: OnBody
    torque: Annotated[Any, ComponentsKind(torque=True)]
    frame: Frame = "ground"

    def __new__(cls, name: str = "", body: Any = None, torque: Any = None, frame: str = "ground") -> Any:
        if isinstance(body, Joint) or type(body) is Expr:
            return Force(name, body.angle if isinstance(body, Joint) else body, torque)
        return super().__new__(cls)


@dataclass(frozen=True, eq=False, repr=False)
class Bushing(Element):
    """A soft joint: forces and torques -k d - c d', d the displacements and turns of Q's frame from P's, in P's axes.

    k and c are matrices or their diagonals: (x, y, angle) in the plane; (x, y, z, about x, about y, about z) in space.
    `form` says how large turns in space are counted: "axes" (one large turn about any axis, up to half a turn), "twist" (any
    number of turns about z), "rotation vector"; "auto" takes "twist" about the one axis that is free, or the only one that
    is not, and else "axes".
    """

    P: OnPoint
    Q: OnPoint
    k: SquareMatrix
    c: Annotated[tuple[tuple[Real, ...], ...] | None, MatrixKind(optional=True)] = None
    form: Annotated[str, ChoiceKind(words=("auto", "axes", "twist", "rotation vector"))] = "auto"

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if self.form != "auto" and model.dimension == 2:
            raise ModelError(f"in the plane there is no form {self.form!r}", remedy="leave form= out: there is one angle")


@dataclass(frozen=True, eq=False, repr=False)
class Friction(Element):
    """Friction in a joint, driven by the joint's own reaction N: Coulomb mu N, at rest up to mu_static N, and viscous.

    `radius` [m] of the pin turns a force of friction into a torque; `level` [N or N m] is friction that does not depend
    on the reaction; `viscous` [N s/m or N m s]; below the speed `transition` the friction grows with the speed. In a
    spherical or constant-velocity joint the torque is against the relative angular velocity, `radius` that of the ball;
    a universal joint has two pins of the `radius`, the arms of its cross.
    """

    joint: OnJoint
    mu: NonNegative = 0.0
    mu_static: Maybe = None
    viscous: NonNegative = 0.0
    radius: Annotated[Real | None, NumberKind(optional=True, sign="positive")] = None
    level: NonNegative = 0.0
    transition: Positive = 1e-3

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        static = values.get("mu_static")
        if static is not None and model.value(static) < model.value(values["mu"]):
            raise ModelError("mu_static is less than mu", remedy="friction at rest is at least that of motion")


CONTACTS = ("linear", "hertz", "hunt-crossley", "lankarani-nikravesh")
ContactLaw = Annotated[str, ChoiceKind(words=CONTACTS)]
Restitution = Annotated[Real | None, NumberKind(optional=True, sign="nonnegative")]


def _check_contact(model: Model, law: str, values: dict[str, Any]) -> None:
    restitution = values.get("restitution")
    if restitution is not None and model.value(restitution) > 1:
        raise ModelError("the restitution is more than one", remedy="give 0 (no rebound) to 1 (full rebound)")
    if law == "lankarani-nikravesh" and restitution is None:
        raise ModelError("this law needs a coefficient of restitution", remedy="give restitution=, from 0 to 1")


@dataclass(frozen=True, eq=False, repr=False)
class Contact(Element):
    """Contact of a point or sphere about P with a plane or sphere at Q: it pushes where they overlap, by d [m].

    on="plane": the plane through Q; its outward normal is the z axis of Q's frame, in the plane the left of Q's direction.
    law: linear k d + c d'; "hertz" k d^exponent; "hunt-crossley" (k + c d') d^exponent; "lankarani-nikravesh" likewise, c
    from the restitution and the speed of impact. With `restitution` and no k the contact is an impact, or a row of them that
    comes to rest: it is then held without friction, with the force NAME.force, until it would have to pull.
    """

    P: OnPoint
    Q: OnPoint
    radii: Annotated[tuple[Real, Real], NumbersKind(size=2)] = (0.0, 0.0)
    on: Annotated[str, ChoiceKind(words=("plane", "sphere"))] = "plane"
    k: NonNegative = 0.0
    c: NonNegative = 0.0
    law: ContactLaw = "linear"
    exponent: Positive = 1.5
    restitution: Restitution = None

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        _check_contact(model, self.law, values)
        if self.on == "plane" and not self.Q.directed:
            raise ModelError("the plane at Q has no direction", remedy="give angle=: body.at(x, y, angle=0)")
        radii = [model.value(r) for r in values["radii"]]
        if min(radii) < 0 or (self.on == "sphere" and sum(radii) == 0):
            raise ModelError(f"the radii {radii[0]:g} and {radii[1]:g} make no contact", remedy="give positive radii")


@dataclass(frozen=True, eq=False, repr=False)
class Stop(Element):
    """Bump stops of a position quantity at `lower` and `upper` (either may be None); laws as for Contact."""

    quantity: Position
    lower: Maybe = None
    upper: Maybe = None
    k: NonNegative = 0.0
    c: NonNegative = 0.0
    law: ContactLaw = "linear"
    exponent: Positive = 1.5
    restitution: Restitution = None

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        _check_contact(model, self.law, values)
        lower, upper = values.get("lower"), values.get("upper")
        if lower is None and upper is None:
            raise ModelError("it stops nothing", remedy="give lower=, upper= or both")
        if lower is not None and upper is not None and model.value(lower) >= model.value(upper):
            raise ModelError("the lower stop is not below the upper one", remedy="exchange them")


@dataclass(frozen=True, eq=False, repr=False)
class Tyre(Element):
    """A wheel on the level road at `height` [m] (Haug 12.5.1-3): vertical force k d + c d' while it is pressed by d > 0.

    `wheel` is the frame at the wheel's centre with the axle along z. Lateral force: `cornering` [N/rad] times the slip
    angle, at most mu times the vertical force.
    """

    wheel: OnAxis
    radius: Positive
    k: Positive
    c: NonNegative = 0.0
    cornering: NonNegative = 0.0
    mu: NonNegative = 0.8
    height: Number = 0.0

    dimensions = (3,)
