"""The two kinds of models, in the plane and in space, and how bodies are added to each."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.model.bodies import Body
from linkwright.model.given import Components, Drawn, RotationLike, Solid, Value
from linkwright.model.model import Model


class PlanarModel(Model):
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


class SpatialModel(Model):
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
