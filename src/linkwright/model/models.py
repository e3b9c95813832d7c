"""The two kinds of models, in the plane and in space, and how bodies are added to each."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

from linkwright.arguments import typed
from linkwright.errors import ModelError
from linkwright.model.balance import Balance
from linkwright.model.bodies import Body
from linkwright.model.given import Components, Drawn, RotationLike, Solid, Value
from linkwright.model.joints import Orientation
from linkwright.model.model import Model
from linkwright.model.values import is_some

FOLLOWS = 1e-6  # how much assembly trusts the place of a point without mass, beside 1


class _OfPoints(Model):
    """What models in the plane and in space have alike: point masses."""

    @typed
    def point(
        self,
        name: str,
        mass: Value = 0.0,
        *,
        position: Components | None = None,
        velocity: Components | None = None,
        shape: Drawn | None = None,
    ) -> Body:
        """Add a point mass: a body without a moment of inertia, whose turning, which does not matter, is held.

        That is done by an `Orientation` named "NAME turn", which bears nothing as long as forces act at the point itself.
        Without mass it is a node where springs meet: a `Balance` named "NAME balance" moves it so that their sum is zero.

        Parameters
        ----------
        name : str
            Name of the body.
        mass : number or expression of parameters
            The mass [kg].
        position, velocity : numbers, optional
            Estimates, as of `body` [m, m/s].
        shape : mapping, or several, optional
            What is drawn.

        Returns
        -------
        Body
            The body; springs, ropes, forces and joints that hold points take hold of it at its origin.

        Examples
        --------
        >>> m = lw.PlanarModel("a stone on a rubber band", gravity=(0, -9.81))
        >>> stone = m.point("stone", 1.0, position=(0, -1))
        >>> band = m.add(lw.Spring("band", m.ground.at(0, 0), stone.at(0, 0), k=100, length=1.0))
        >>> lw.check(m).dof, round(lw.equilibrium(m)["stone.y"], 9)
        (2, -1.0981)
        """
        turn, balance = f"{name} turn", f"{name} balance"
        for own, what in ((turn, "turning"), (balance, "balance")):
            if own in self:
                raise ModelError(
                    f"{own!r} holds its {what}, and is there already", element=name, remedy="give the point another name"
                )
        # where masses begin is what is meant: nodes follow
        given: object = mass
        weight = {"weight": FOLLOWS} if isinstance(given, Real) and not given else {}
        body = self._add_body(name, mass=mass, position=position, velocity=velocity, shape=shape, **weight)
        origin = (0.0,) * self.dimension
        self.add(Orientation(turn, self.ground.at(*origin), body.at(*origin)))
        if not is_some(body.mass):
            self.add(Balance(balance, body.at(*origin)))
        return body


class PlanarModel(_OfPoints):
    """A machine in the x-y plane, y up.

    Parameters
    ----------
    name : str
        Name of the machine.
    gravity : two numbers or expressions of parameters, optional
        The acceleration of free fall [m/s^2], such as (0, -9.81); zero unless given.

    Examples
    --------
    >>> m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> arm = m.body("arm", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> pin = m.add(lw.Revolute("A", m.ground.at(0, 0), arm.at(-0.5, 0)))
    >>> m
    <PlanarModel 'pendulum': 1 bodies, 1 elements>
    """

    dimension = 2

    def body(
        self,
        name: str,
        mass: Value | Solid = 0.0,
        inertia: Value = 0.0,
        *,
        com: Components | None = None,
        position: Components | None = None,
        angle: Value = 0.0,
        velocity: Components | None = None,
        omega: Value = 0.0,
        weight: Value = 1.0,
        shape: Drawn | None = None,
    ) -> Body:
        """Add a body.

        Position, angle, velocity and omega are estimates: assembly and the initial velocities come as near to them as the
        joints allow; `fix` makes some exact.

        Parameters
        ----------
        name : str
            Name of the body.
        mass : number, expression of parameters, or solid
            The mass [kg]; or a solid of `lw.shapes`, which has inertia and mass centre, too.
        inertia : number or expression of parameters
            The moment of inertia about the mass centre [kg m^2].
        com : two numbers, optional
            The mass centre in body axes [m]; by default the origin.
        position : two numbers, optional
            Estimate of the position of the origin [m].
        angle : number
            Estimate of the angle [rad].
        velocity : two numbers, optional
            Estimate of the velocity of the origin [m/s].
        omega : number
            Estimate of the angular velocity [rad/s].
        weight : number
            How much assembly weighs the estimates of this body, relative to 1 of others.
        shape : mapping, or several, optional
            What is drawn, such as {"box": (0.5, 0.04)}.

        Returns
        -------
        Body
            The body.

        Examples
        --------
        >>> m = lw.PlanarModel("m")
        >>> m.body("rod", lw.shapes.bar(0.5, mass=2)).mass
        2.0
        """
        return self._add_body(
            name, mass=mass, inertia=inertia, com=com, shape=shape, position=position, angle=angle, velocity=velocity,
            omega=omega, weight=weight,
        )  # fmt: skip


class SpatialModel(_OfPoints):
    """A machine in space, z up.

    Parameters
    ----------
    name : str
        Name of the machine.
    gravity : three numbers or expressions of parameters, optional
        The acceleration of free fall [m/s^2], such as (0, 0, -9.81); zero unless given.

    Examples
    --------
    >>> m = lw.SpatialModel("gyroscope", gravity=(0, 0, -9.81))
    >>> rotor = m.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2), omega=(0, 0, 100))
    >>> pivot = m.add(lw.Spherical("pivot", m.ground.at(0, 0, 0), rotor.at(0, 0, -0.2)))
    >>> m
    <SpatialModel 'gyroscope': 1 bodies, 1 elements>
    """

    dimension = 3

    def body(
        self,
        name: str,
        mass: Value | Solid = 0.0,
        inertia: Value | Components | Sequence[Components] = 0.0,
        *,
        com: Components | None = None,
        position: Components | None = None,
        orientation: RotationLike | None = None,
        velocity: Components | None = None,
        omega: Components | None = None,
        weight: Value = 1.0,
        shape: Drawn | None = None,
    ) -> Body:
        """Add a body.

        Position, orientation, velocity and omega are estimates: assembly and the initial velocities come as near to them as
        the joints allow; `fix` makes some exact.

        Parameters
        ----------
        name : str
            Name of the body.
        mass : number, expression of parameters, or solid
            The mass [kg]; or a solid of `lw.shapes`, which has inertia and mass centre, too.
        inertia : three numbers, or a 3 x 3 matrix
            The inertia about the mass centre in body axes [kg m^2].
        com : three numbers, optional
            The mass centre in body axes [m]; by default the origin.
        position : three numbers, optional
            Estimate of the position of the origin [m].
        orientation : Euler parameters, 3 x 3 matrix, (axis, angle) or scipy Rotation, optional
            Estimate of the orientation.
        velocity : three numbers, optional
            Estimate of the velocity of the origin [m/s].
        omega : three numbers, optional
            Estimate of the angular velocity in body axes [rad/s].
        weight : number
            How much assembly weighs the estimates of this body, relative to 1 of others.
        shape : mapping, or several, optional
            What is drawn, such as {"box": (0.5, 0.1, 0.1)}.

        Returns
        -------
        Body
            The body.

        Examples
        --------
        >>> m = lw.SpatialModel("m")
        >>> m.body("crate", lw.shapes.box(1, 1, 1, mass=6)).inertia_matrix().diagonal()
        array([1., 1., 1.])
        """
        return self._add_body(
            name, mass=mass, inertia=inertia, com=com, shape=shape, position=position, orientation=orientation,
            velocity=velocity, omega=omega, weight=weight,
        )  # fmt: skip
