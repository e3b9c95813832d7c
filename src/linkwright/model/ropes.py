"""Ropes and belts over pulleys, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from linkwright.errors import ModelError
from linkwright.model.elements import Element, Joint
from linkwright.model.fields import Maybe, NonNegative, OnPoint, OnPoints, Real
from linkwright.model.plain_fields import NumberKind, NumbersKind, TruthKind
from linkwright.model.values import is_some

if TYPE_CHECKING:
    from linkwright.model.model import Model

Radii = Annotated[tuple[Real, ...] | None, NumbersKind(optional=True, size=-1)]


@dataclass(frozen=True, eq=False, repr=False)
class Rope(Element):
    """A rope from a point over pulleys to another: its length is kept, and it pulls with one tension all along.

    Pulleys on the way turn freely; at an end with a radius the rope is wound on a drum that grips it. Without stiffness the
    length is kept both ways, and a result tells where the tension would have to push; with a stiffness `k` the rope is
    elastic and goes slack. In space pulleys turn about the z axes of their frames, neighbours in parallel.

    Parameters
    ----------
    points : two or more Points
        The end on the first body, the centres of pulleys (or eyes) in their order, the end on the last.
    radii : as many numbers or expressions of parameters, optional
        The radii [m]: zero of a point or an eye, positive where the rope runs round counter-clockwise, negative clockwise.
    length : number or expression of parameters, optional
        The length [m]; by default that of the assembled machine. On drums it counts from where their x axes point.
    k, c : number or expression of parameters
        The stiffness [N/m] and the damping [N s/m] of the rope as a whole; without k its length is kept.

    Examples
    --------
    >>> m = lw.PlanarModel("Atwood's machine", gravity=(0, -10))
    >>> a = m.body("a", mass=1.0, position=(-0.1, -1))
    >>> b = m.body("b", mass=3.0, position=(0.1, -1))
    >>> for x in (a, b):
    ...     level = m.add(lw.Orientation(f"level {x.name}", m.ground.at(0, 0), x.at(0, 0)))
    >>> rope = m.add(lw.Rope("rope", [a.at(0, 0), m.ground.at(0, 0), b.at(0, 0)], radii=(0, -0.1, 0)))
    >>> d = lw.dynamics(m, t_end=0.1, steps=1)
    >>> round(float(d["rope.tension"][0]), 6)  # 2 m_a m_b g/(m_a + m_b)
    15.0
    """

    points: OnPoints
    radii: Radii = None
    length: Annotated[Real | None, NumberKind(optional=True, sign="positive")] = None
    k: NonNegative = 0.0
    c: NonNegative = 0.0

    @property
    def elastic(self) -> bool:
        """Whether it is a spring that pulls rather than a constraint."""
        return is_some(self.k)

    @property
    def turned(self) -> tuple[Real, ...]:
        """The radii, of all points."""
        return (0.0,) * len(self.points) if self.radii is None else self.radii

    def _check_ends(self) -> None:
        if len(self.bodies) < 2:
            raise ModelError(f"all of it is on the body {self.bodies[0].name!r}", remedy="give points of different bodies")

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if self.radii is not None and len(self.radii) != len(self.points):
            raise ModelError(
                f"it has {len(self.radii)} radii for {len(self.points)} points", remedy="give one for each, zero of a point"
            )
        if is_some(self.c) and not self.elastic:
            raise ModelError("a rope whose length is kept has no damping", remedy="give its stiffness, k=, in N/m")


@dataclass(frozen=True, eq=False, repr=False)
class Belt(Joint):
    """A belt or chain round two pulleys that does not slip: R_i and R_j times their turns stay alike.

    Other joints must keep the distance of the pulleys. Without stiffness the belt is a constraint; with a stiffness `k` its
    strands are springs that only pull. In space the pulleys turn about the z axes of their frames, which are parallel.

    Parameters
    ----------
    centre_i, centre_j : Point
        The centre of the pulley on the first and on the second body.
    radii : two numbers or expressions of parameters
        The radii (R_i, R_j) [m], positive.
    crossed : bool
        Whether the belt is crossed, so that the pulleys turn against each other.
    pretension : number or expression of parameters
        The tension of both strands when nothing is driven [N]: it loads the bearings.
    k, c : number or expression of parameters
        The stiffness [N/m] and the damping [N s/m] of each strand.
    length : number or expression of parameters, optional
        The length of the belt round both pulleys where its strands have the pretension [m]; by default they have it at any
        distance. It needs k.
    phase : number or expression of parameters, optional
        What (R_i alpha_i - R_j alpha_j) is held at [m], alpha the angles of the line of centres from the pulleys' x axes
        (crossed: the sum); by default that of the assembled machine.

    Examples
    --------
    >>> m = lw.PlanarModel("belt")
    >>> a, b = m.body("a"), m.body("b", position=(1, 0))
    >>> A = m.add(lw.Revolute("A", m.ground.at(0, 0), a.at(0, 0)))
    >>> B = m.add(lw.Revolute("B", m.ground.at(1, 0), b.at(0, 0)))
    >>> belt = m.add(lw.Belt("belt", a.at(0, 0), b.at(0, 0), radii=(0.1, 0.2)))
    >>> motor = m.add(lw.Driver("motor", A.angle, "t"))
    >>> round(float(lw.kinematics(m, t_end=1.0, steps=1)["B.omega"][-1]), 9)
    0.5
    """

    centre_i: OnPoint
    centre_j: OnPoint
    radii: Annotated[tuple[Real, Real], NumbersKind(size=2)]
    crossed: Annotated[bool, TruthKind()] = False
    pretension: NonNegative = 0.0
    k: NonNegative = 0.0
    c: NonNegative = 0.0
    length: Annotated[Real | None, NumberKind(optional=True, sign="positive")] = None
    phase: Maybe = None

    @property
    def elastic(self) -> bool:
        """Whether its strands are springs rather than a constraint."""
        return is_some(self.k)

    @property
    def turned(self) -> tuple[Real, Real]:
        """The radii, negative where the belt runs round clockwise."""
        return self.radii[0], -self.radii[1] if self.crossed else self.radii[1]

    def examine(self, model: Model, values: dict[str, Any]) -> None:
        if min(model.value(R) for R in values["radii"]) <= 0:
            raise ModelError(
                "a pulley's radius is not positive", remedy="give positive radii; crossed=True crosses the belt"
            )
        if not self.elastic and (is_some(self.c) or self.length is not None):
            what = "length" if self.length is not None else "damping"
            raise ModelError(f"a belt that does not stretch has no {what} of its own", remedy="give k=, in N/m")
