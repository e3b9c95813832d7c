"""Contacts, stops and tyres, as data: forces that act while something is pressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.model.elements import Element
from linkwright.model.fields import Maybe, NonNegative, Number, OnAxis, OnShape, Position, Positive, Real
from linkwright.model.forces import check_static
from linkwright.model.plain_fields import ChoiceKind, NumberKind, NumbersKind
from linkwright.model.touching import ShapeOn, check_sharp
from linkwright.model.values import is_some
from linkwright.options import ContactLaw, Surface, words

if TYPE_CHECKING:
    from linkwright.model.model import Model

LawOfContact = Annotated[ContactLaw, ChoiceKind(words=words("ContactLaw"))]
Restitution = Annotated[Real | None, NumberKind(optional=True, sign="nonnegative")]


def _check_contact(model: Model, law: str, values: dict[str, Any]) -> None:
    restitution = values.get("restitution")
    if restitution is not None and model.value(restitution) > 1:
        raise ModelError("the restitution is more than one", remedy="give 0 (no rebound) to 1 (full rebound)")
    if law == "lankarani-nikravesh" and restitution is None:
        raise ModelError("this law needs a coefficient of restitution", remedy="give restitution=, from 0 to 1")


def _check_pushes(values: dict[str, Any]) -> None:
    if values.get("restitution") is None and not is_some(values["k"]) and not is_some(values["c"]):
        raise ModelError(
            "it pushes nothing: it has no stiffness, no damping and no restitution",
            remedy="give restitution=, 0 to 1, where it is hard, or k= where it yields",
        )


class _Pushes:
    """What contacts and stops share: they push by a stiffness, or by impacts."""

    k: NonNegative
    law: LawOfContact
    restitution: Restitution

    def _takes_units(self, field: str) -> bool:
        return field not in ("k", "c") or self.law == "linear"

    @property
    def strikes(self) -> bool:
        """Whether it is an impact, and a constraint at rest: it has a restitution and no stiffness."""
        return self.restitution is not None and not is_some(self.k)


@dataclass(frozen=True, eq=False, repr=False)
class Contact(_Pushes, Element):
    """Contact of a point, sphere or shape P with a plane, sphere or shape Q: a force pushes where they overlap by d [m].

    With `restitution` and without k the contact is an impact. Impacts that follow each other ever faster end in a contact
    that stays closed, with the force NAME.force, until that force would pull. With `mu` it rubs, in impacts as in rest.

    Parameters
    ----------
    P, Q : Point, ShapeOn or Body
        The centre on the first body, and the plane or the centre on the second; or shapes, `body.surface(...)`; or a body
        for its own shape.
    radii : two numbers or expressions of parameters
        The radii of the spheres about P and Q [m], and what rounds shapes further; negative at Q: the inside of a sphere.
    on : {"plane", "sphere"}
        What is at a point Q; the outward normal of a plane is the z axis of Q, in the plane the left of its direction.
    k, c : number or expression of parameters
        The stiffness and the damping of the law, of the linear one [N/m] and [N s/m].
    law : {"linear", "hertz", "hunt-crossley", "lankarani-nikravesh"}
        k d + c d'; k d^exponent; (k + c d') d^exponent; the same with c from the restitution and the speed of impact.
    exponent : number or expression of parameters
        The exponent of the laws that have one [1].
    restitution : number or expression of parameters, optional
        The coefficient of restitution, 0 to 1 [1].
    mu : number or expression of parameters
        The coefficient of sliding friction [1]. Without k the contact sticks at rest, with k friction is smooth.
    mu_static : number or expression of parameters, optional
        The coefficient at rest, at least `mu` [1]; by default `mu`.
    transition : number or expression of parameters
        With k: the speed below which friction grows with the speed [m/s]. It holds nothing at rest, loads creep.

    Examples
    --------
    >>> m = lw.PlanarModel("ball", gravity=(0, -10))
    >>> ball = m.body("ball", mass=1.0, inertia=0.1, position=(0, 1))
    >>> floor = m.add(lw.Contact("floor", ball.at(0, 0), m.ground.at(0, 0, angle=0), radii=(0.2, 0), k=1e4))
    >>> round(lw.equilibrium(m)["ball.y"], 6)  # radius - m g/k
    0.199
    """

    P: OnShape
    Q: OnShape
    radii: Annotated[tuple[Real, Real], NumbersKind(size=2)] = (0.0, 0.0)
    on: Annotated[Surface, ChoiceKind(words=words("Surface"))] = "plane"
    k: NonNegative = 0.0
    c: NonNegative = 0.0
    law: LawOfContact = "linear"
    exponent: Positive = 1.5
    restitution: Restitution = None
    mu: NonNegative = 0.0
    mu_static: Maybe = None
    transition: Positive = 1e-3

    between = 2

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        _check_contact(model, self.law, values)
        check_static(model, values)
        rubs = values.get("mu_static") is not None or type(values["mu"]) is not float or values["mu"] > 0
        stiff = type(values["k"]) is not float or values["k"] > 0
        if rubs and not stiff and values.get("restitution") is None:
            raise ModelError(
                "friction needs a contact that presses: one with a restitution that closes, or with a stiffness k",
                remedy="give restitution=, 0 to 1, or k=; or leave mu= out",
            )
        shaped = isinstance(self.P, ShapeOn), isinstance(self.Q, ShapeOn)
        at_plane = self.on == "plane" and not shaped[1]
        if at_plane and not self.Q.directed:  # type: ignore[union-attr]
            raise ModelError("the plane at Q has no direction", remedy="give angle=: body.at(x, y, angle=0)")
        radii = [model.value(r) for r in values["radii"]]
        inside = radii[1] < 0 and self.on == "sphere" and not any(shaped) and radii[0] < -radii[1]
        points = not any(shaped) and not at_plane
        if radii[0] < 0 or (radii[1] < 0 and not inside) or (points and sum(radii) == 0):
            raise ModelError(f"the radii {radii[0]:g} and {radii[1]:g} make no contact", remedy="give positive radii")
        check_sharp(self.P, self.Q, (radii[0], radii[1]), at_plane, model.value)
        _check_pushes(values)


@dataclass(frozen=True, eq=False, repr=False)
class Stop(_Pushes, Element):
    """Stops of a position quantity: a contact force beyond `lower` and `upper`, with the laws of `Contact`.

    Channels: force; along an angle it is a torque, and called torque, too.

    Parameters
    ----------
    quantity : expression of positions
        The quantity that is stopped.
    lower, upper : number or expression of parameters, optional
        Where the stops are; at least one of them [m or rad].
    k, c : number or expression of parameters
        The stiffness and the damping of the law, of the linear one [N/m or N m/rad] and [N s/m or N m s/rad].
    law : {"linear", "hertz", "hunt-crossley", "lankarani-nikravesh"}
        The law of the force; see `Contact`.
    exponent : number or expression of parameters
        The exponent of the laws that have one [1].
    restitution : number or expression of parameters, optional
        The coefficient of restitution, 0 to 1 [1]; without k the stop is an impact.

    Examples
    --------
    >>> m = lw.PlanarModel("buffer", gravity=(10, 0))
    >>> slider = m.body("slider", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> guide = m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    >>> stop = m.add(lw.Stop("stop", guide.displacement, upper=1.0, k=1e4))
    >>> round(lw.equilibrium(m)["slider.x"], 6)
    1.001
    """

    quantity: Position
    lower: Maybe = None
    upper: Maybe = None
    k: NonNegative = 0.0
    c: NonNegative = 0.0
    law: LawOfContact = "linear"
    exponent: Positive = 1.5
    restitution: Restitution = None

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        _check_contact(model, self.law, values)
        lower, upper = values.get("lower"), values.get("upper")
        if lower is None and upper is None:
            raise ModelError("it stops nothing", remedy="give lower=, upper= or both")
        if lower is not None and upper is not None and model.value(lower) >= model.value(upper):
            raise ModelError("the lower stop is not below the upper one", remedy="exchange them")
        _check_pushes(values)


@dataclass(frozen=True, eq=False, repr=False)
class Tyre(Element):
    """A tyre on a level road: a vertical force k d + c d' while it is compressed by d > 0, forces across and along by slip.

    The lateral force is `cornering` times the slip angle, the longitudinal one `longitudinal` times the slip of the rim; at
    most mu times the vertical force together. With a `relaxation` length both follow the slip as the wheel rolls on, and at
    rest the tyre is a spring: a car may start, brake, stop and park.

    Parameters
    ----------
    wheel : Point
        The frame at the centre of the wheel, z along the axle; for slip along the heading on the body that turns.
    radius : number or expression of parameters
        The free radius [m].
    k, c : number or expression of parameters
        The vertical stiffness [N/m] and damping [N s/m].
    cornering : number or expression of parameters
        The cornering stiffness [N/rad].
    mu : number or expression of parameters
        The coefficient of friction [1].
    height : number or expression of parameters
        The height of the road [m].
    longitudinal : number or expression of parameters
        The longitudinal stiffness [N]: the force by the slip of the rim over the headway.
    relaxation : number or expression of parameters
        The relaxation length [m]; zero: forces follow the slip at once.
    crawl : number or expression of parameters, optional
        Without relaxation: the headway that slips count from at least [m/s]; by default a radius a second.

    References
    ----------
    Haug (12.5.1) to (12.5.3); Pacejka, Tire and Vehicle Dynamics, 5.4 and 7.2.

    Examples
    --------
    >>> m = lw.SpatialModel("wheel", gravity=(0, 0, -10))
    >>> axle = ((1, 0, 0), 3.141592653589793 / 2)  # z turned into -y
    >>> wheel = m.body("wheel", mass=20.0, inertia=(1, 2, 1), position=(0, 0, 0.3))
    >>> road = m.add(lw.Translational("rail", m.ground.at(0, 0, 0), wheel.at(0, 0, 0)))
    >>> tyre = m.add(lw.Tyre("tyre", wheel.at(0, 0, 0, rotation=axle), radius=0.3, k=2e5))
    >>> round(lw.equilibrium(m)["wheel.z"], 6)
    0.299
    """

    wheel: OnAxis
    radius: Positive
    k: Positive
    c: NonNegative = 0.0
    cornering: NonNegative = 0.0
    mu: NonNegative = 0.8
    height: Number = 0.0
    longitudinal: NonNegative = 0.0
    relaxation: NonNegative = 0.0
    crawl: Annotated[Real | None, NumberKind(optional=True, sign="positive")] = None

    dimensions = (3,)

    @property
    def states(self) -> Mapping[str, Scalar]:
        """Of a tyre that relaxes: the slips that it feels, along and across."""
        stiffness = {"relaxed_along": self.longitudinal, "relaxed_across": self.cornering}
        felt = {f"{self.name}.{name}": 0.0 for name, C in stiffness.items() if is_some(C)}
        return felt if is_some(self.relaxation) else {}

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if not is_some(self.relaxation):
            return
        if self.crawl is not None:
            raise ModelError("a tyre that relaxes needs no crawl", remedy="leave crawl= out")
        for name in ("longitudinal", "cornering", "relaxation"):
            if type(values[name]) is Expr and model.value(values[name]) == 0:
                raise ModelError(f"its {name} is a parameter whose value is zero", remedy=f"leave {name}= out, or let it be")
