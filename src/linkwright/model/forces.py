"""Forces, as data. A coefficient may be a number, an expression, a text or a Python function of the law's arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr
from linkwright.model.elements import Element, Joint
from linkwright.model.fields import (
    Angle,
    ComponentsKind,
    LawKind,
    Maybe,
    NonNegative,
    NonZero,
    Number,
    OnBody,
    OnJoint,
    OnPoint,
    Position,
    Positive,
    Real,
    SquareMatrix,
)
from linkwright.model.given import Law
from linkwright.model.plain_fields import ChoiceKind, MatrixKind, NumberKind, TruthKind
from linkwright.options import BushingForm, ForceFrame, words

if TYPE_CHECKING:
    from linkwright.model.model import Model


def check_static(model: Model, values: dict[str, Any]) -> None:
    """Friction at rest is at least that of motion."""
    static = values.get("mu_static")
    if static is not None and model.value(static) < model.value(values["mu"]):
        raise ModelError("mu_static is less than mu", remedy="friction at rest is at least that of motion")


Frame = Annotated[ForceFrame, ChoiceKind(words=words("ForceFrame"))]


@dataclass(frozen=True, eq=False, repr=False)
class Spring(Element):
    """A translational spring-damper-actuator: it pulls P and Q together by f = k (l - length) + c v + force.

    l is the distance of the points [m], v its rate; tension is positive.

    Parameters
    ----------
    P, Q : Point
        The ends on the first and on the second body.
    k : law of l
        The stiffness [N/m].
    length : number or expression of parameters
        The free length [m].
    c : law of v
        The damping [N s/m].
    force : law of l, v, t
        The force of the actuator [N].

    References
    ----------
    Haug (6.2.6), (11.4.1).

    Examples
    --------
    >>> m = lw.PlanarModel("weight on a spring", gravity=(0, -10))
    >>> bob = m.body("bob", mass=2.0, inertia=0.1, position=(0, -1))
    >>> spring = m.add(lw.Spring("spring", m.ground.at(0, 0), bob.at(0, 0), k=100, length=1.0))
    >>> guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle="pi/2"), bob.at(0, 0, angle="pi/2")))
    >>> round(lw.equilibrium(m)["bob.y"], 6)
    -1.2
    """

    P: OnPoint
    Q: OnPoint
    k: Annotated[Law, LawKind(arguments=("l",))] = 0.0
    length: NonNegative = 0.0
    c: Annotated[Law, LawKind(arguments=("v",))] = 0.0
    force: Annotated[Law, LawKind(arguments=("l", "v", "t"))] = 0.0

    between = 2


@dataclass(frozen=True, eq=False, repr=False)
class TorsionSpring(Element):
    """A rotational spring-damper-actuator: the torque k (theta - angle) + c omega + torque against the growth of an angle.

    Parameters
    ----------
    quantity : Joint or expression of angles
        The angle theta [rad]; of a joint its coordinate `angle`.
    k : law of theta
        The stiffness [N m/rad].
    angle : number or expression of parameters
        The free angle [rad].
    c : law of omega
        The damping [N m s/rad].
    torque : law of theta, omega, t
        The torque of the actuator [N m].

    References
    ----------
    Haug (6.2.16), (11.4.12).

    Examples
    --------
    >>> m = lw.PlanarModel("balance wheel")
    >>> wheel = m.body("wheel", mass=0.1, inertia=1e-4)
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), wheel.at(0, 0)))
    >>> hairspring = m.add(lw.TorsionSpring("hairspring", pin, k=0.01))
    >>> round(float(lw.linearize(m).frequencies[0]), 6)  # sqrt(k/J)/(2 pi)
    1.591549
    """

    quantity: Angle
    k: Annotated[Law, LawKind(arguments=("theta",))] = 0.0
    angle: Number = 0.0
    c: Annotated[Law, LawKind(arguments=("omega",))] = 0.0
    torque: Annotated[Law, LawKind(arguments=("theta", "omega", "t"))] = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Force(Element):
    """A law F(s, v, t) that acts along a position quantity s, in the sense of its growth.

    Its work is F ds: a force [N] along a length, a torque [N m] along an angle. A joint stands for its own coordinate.

    Parameters
    ----------
    quantity : expression of positions, or Joint
        The quantity s; of a joint its own coordinate.
    law : law of s, v, t
        F [N or N m]; v is the rate of s. Other quantities of the model may occur in it.

    Examples
    --------
    >>> m = lw.PlanarModel("slider")
    >>> slider = m.body("slider", mass=1.0)
    >>> guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    >>> gas = m.add(lw.Force("gas", slider.x, lambda x, v, t: 5 * lw.exp(-x) - 2))
    >>> round(lw.equilibrium(m)["slider.x"], 6)  # log(5/2)
    0.916291
    """

    quantity: Position
    law: Annotated[Law, LawKind(arguments=("s", "v", "t"))]


@dataclass(frozen=True, eq=False, repr=False)
class Attraction(Element):
    """Attraction of two points by the inverse square of their distance: gravity of planets and moons, charges.

    The force strength/r^2 pulls P and Q together; its potential energy is -strength/r.

    Parameters
    ----------
    P, Q : Point
        A point of the first and of the second body, such as their mass centres.
    strength : number or expression of parameters
        What the force is times r^2 [N m^2]: G m M of two masses; negative where they repel each other.

    Examples
    --------
    >>> m = lw.PlanarModel("satellite")
    >>> moon = m.body("moon", mass=2.0, inertia=0.1, position=(1, 0), velocity=(0, 3))
    >>> earth = m.add(lw.Attraction("earth", m.ground.at(0, 0), moon.at(0, 0), 9 * 2.0))
    >>> d = lw.dynamics(m, t_end=2 * 3.141592653589793 / 3, steps=1)  # a circle: v^2 = strength/(m r)
    >>> round(float(d["moon.x"][-1]), 6)
    1.0
    """

    P: OnPoint
    Q: OnPoint
    strength: NonZero

    between = 2


@dataclass(frozen=True, eq=False, repr=False)
class PointForce(Element):
    """A force at a point.

    Parameters
    ----------
    point : Point
        Where it acts.
    force : laws of t
        Its components [N], two in the plane, three in space.
    frame : {"ground", "body"}
        The axes of the components.

    Examples
    --------
    >>> m = lw.PlanarModel("rocket")
    >>> rocket = m.body("rocket", mass=2.0, inertia=1.0)
    >>> thrust = m.add(lw.PointForce("thrust", rocket.at(0, 0), (0, 6.0), frame="body"))
    >>> round(float(lw.dynamics(m, t_end=1.0, steps=1)["rocket.vy"][-1]), 9)
    3.0
    """

    point: OnPoint
    force: Annotated[tuple[Law, ...], ComponentsKind()]
    frame: Frame = "ground"


@dataclass(frozen=True, eq=False, repr=False)
class Torque(Element):
    """A torque on a body.

    `Torque(name, joint, law)` is the `Force` along the joint's angle, a law of (angle, omega, t).

    Parameters
    ----------
    body : Body, or Joint
        The body it acts on; or a joint, along whose angle it acts.
    torque : law of t, or three
        The torque [N m] in the plane, its components in space.
    frame : {"ground", "body"}
        The axes of the components.

    Examples
    --------
    >>> m = lw.PlanarModel("disc")
    >>> disc = m.body("disc", mass=1.0, inertia=0.5)
    >>> spin = m.add(lw.Torque("spin", disc, 2.0))
    >>> round(float(lw.dynamics(m, t_end=1.0, steps=1)["disc.omega"][-1]), 9)
    4.0
    """

    body: OnBody
    torque: Annotated[Law | tuple[Law, ...], ComponentsKind(torque=True)]
    frame: Frame = "ground"

    def __new__(cls, name: str = "", body: Any = None, torque: Any = None, frame: str = "ground") -> Any:
        if isinstance(body, Joint) or type(body) is Expr:
            return Force(name, body.angle if isinstance(body, Joint) else body, torque)
        return super().__new__(cls)


@dataclass(frozen=True, eq=False, repr=False)
class Bushing(Element):
    """A bushing: forces and torques -k d - c d', d the displacements and rotations of the frame Q from P, in axes of P.

    Parameters
    ----------
    P, Q : Point
        The frame on the first and on the second body.
    k : matrix or its diagonal
        The stiffness, by (x, y, angle) in the plane, by (x, y, z, about x, about y, about z) in space [N/m, N m/rad].
    c : matrix or its diagonal, optional
        The damping, likewise [N s/m, N m s/rad]; none by default.
    form : {"auto", "axes", "twist", "rotation vector", "cardan"}
        How large rotations in space are measured: "axes", one large rotation about any axis, up to half a turn; "twist",
        any number of turns about z; "rotation vector"; "cardan", angles about x, y and z in turn; "auto" takes "twist"
        about the one axis without stiffness, or the only one with stiffness, and else "axes".

    Examples
    --------
    >>> m = lw.PlanarModel("mount", gravity=(0, -10))
    >>> engine = m.body("engine", mass=100.0, inertia=5.0)
    >>> mount = m.add(lw.Bushing("mount", m.ground.at(0, 0), engine.at(0, 0), k=(1e5, 1e5, 1e3)))
    >>> round(lw.equilibrium(m)["engine.y"], 9)
    -0.01
    """

    P: OnPoint
    Q: OnPoint
    k: SquareMatrix
    c: Annotated[tuple[tuple[Real, ...], ...] | None, MatrixKind(optional=True)] = None
    form: Annotated[BushingForm, ChoiceKind(words=words("BushingForm"))] = "auto"

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if self.form != "auto" and model.dimension == 2:
            raise ModelError(f"in the plane there is no form {self.form!r}", remedy="leave form= out: there is one angle")


@dataclass(frozen=True, eq=False, repr=False)
class Friction(Element):
    """Friction in a joint, driven by the reaction N of the joint: Coulomb's mu N, up to mu_static N at rest, and viscous.

    In a simulation a joint that comes to rest sticks: it stays where it is until the force that holds it would exceed
    mu_static N + level. In a spherical or constant-velocity joint the friction torque is opposed to the relative angular
    velocity; a universal joint has two pins, the arms of its cross.

    Parameters
    ----------
    joint : Joint or str
        The joint, or its name.
    mu : number or expression of parameters
        The coefficient of sliding friction [1].
    mu_static : number or expression of parameters, optional
        The coefficient at rest, at least `mu` [1]; by default `mu`.
    viscous : number or expression of parameters
        The viscous coefficient [N s/m or N m s/rad].
    radius : number or expression of parameters, optional
        The radius of the pin or ball [m], which makes a torque of the friction force.
    level : number or expression of parameters
        Friction that does not depend on the reaction [N or N m].
    transition : number or expression of parameters
        The speed below which friction is regularised: it grows with the speed [m/s or rad/s]. With `stick` it is so only
        where the motion is prescribed.
    stribeck : number or expression of parameters, optional
        The speed v_s over which sliding friction falls from mu_static to mu, mu + (mu_static - mu) exp(-(v/v_s)^2)
        [m/s or rad/s]; by default at once.
    stick : bool
        Whether it sticks at rest, with break-away and capture as events; False: the smooth law, which creeps.

    Examples
    --------
    >>> m = lw.PlanarModel("slide", gravity=(0, -10))
    >>> block = m.body("block", mass=1.0, inertia=0.1, velocity=(3, 0))
    >>> guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), block.at(0, 0, angle=0)))
    >>> friction = m.add(lw.Friction("friction", guide, mu=0.2))
    >>> d = lw.dynamics(m, t_end=2.0, steps=2)
    >>> [round(float(v), 9) for v in d["block.vx"]]  # 3 - mu g t, then it sticks
    [3.0, 1.0, 0.0]
    >>> [(round(t, 9), name) for t, name in d.events]
    [(1.5, 'friction sticks')]
    """

    joint: OnJoint
    mu: NonNegative = 0.0
    mu_static: Maybe = None
    viscous: NonNegative = 0.0
    radius: Annotated[Real | None, NumberKind(optional=True, sign="positive")] = None
    level: NonNegative = 0.0
    transition: Positive = 1e-3
    stribeck: Annotated[Real | None, NumberKind(optional=True, sign="positive")] = None
    stick: Annotated[bool, TruthKind()] = True

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        check_static(model, values)
        channels = model.elements[self.joint].channels
        presses = not (type(self.mu) is float and self.mu == 0 and self.mu_static is None)
        if presses and self.radius is None and "displacement" not in channels:
            raise ModelError("friction in a turning joint needs the radius of its pin", remedy="give radius=, in metres")
