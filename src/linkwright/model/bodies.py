"""Rigid bodies: mass properties, estimates of where they are, and the makers of points and quantities on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright import linear
from linkwright.arguments import typed
from linkwright.calls import Answering
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar, atan2
from linkwright.model.body_numbers import components as components_of
from linkwright.model.body_numbers import of_solid, read_estimate, read_inertia
from linkwright.model.given import Components, Drawn, RotationLike, Solid, Value
from linkwright.model.names import GROUND, suggestion
from linkwright.model.orientation import Matrix, rotation_matrix
from linkwright.model.points import CurveOn, Point, Vector, joint_frame
from linkwright.model.quantities import ACCELERATIONS, POSITIONS, VELOCITIES, BodyCoordinate, Coordinate, Speed, rate
from linkwright.model.shapes import read_shapes
from linkwright.model.touching import ShapeOn, read_parts
from linkwright.model.units import OF_BODIES
from linkwright.model.values import about, is_sequence, norm

if TYPE_CHECKING:
    from linkwright.model.curves import Curve
    from linkwright.model.model import Model


class Body(metaclass=Answering):
    """A rigid body of a model, made by `model.body`.

    Its coordinates and velocities are quantities: x, y, angle, vx, vy, omega in the plane; x, y, z, e0, e1, e2, e3, vx, vy,
    vz, wx, wy, wz in space (angular velocity in body axes). Their rates ax, ay, alpha; ax, ay, az, alphax, alphay, alphaz
    can be read from results and watched.

    Parameters
    ----------
    model : Model
        The model it belongs to.
    name : str
        Its name.
    mass : number, expression of parameters, or solid
        The mass [kg]; or a solid of `lw.shapes`.
    inertia : number, or three numbers, or a 3 x 3 matrix
        The inertia about the mass centre in body axes [kg m^2].
    com : numbers, optional
        The mass centre in body axes [m].
    shape : mapping, or several, optional
        What is drawn.
    **estimates : numbers
        position, angle or orientation, velocity, omega and weight; see `PlanarModel.body`, `SpatialModel.body`.

    Examples
    --------
    >>> m = lw.PlanarModel("m")
    >>> crank = m.body("crank", mass=2.0, inertia=0.1)
    >>> crank.at(0.1, 0), crank.x + 0.1 * crank.omega
    (crank(0.1, 0), (crank.x + (crank.omega * 0.1)))
    """

    __slots__ = ("com", "estimate", "inertia", "mass", "model", "name", "shape")

    x, y, z, angle, e0, e1, e2, e3 = (Coordinate("It, as a quantity.") for _ in range(8))
    vx, vy, vz, omega, wx, wy, wz = (Coordinate("It, as a quantity.") for _ in range(7))
    ax, ay, az, alpha, alphax, alphay, alphaz = (Speed("It, as a quantity.") for _ in range(7))

    @typed
    def __init__(
        self,
        model: Model,
        name: str,
        mass: Value | Solid = 0.0,
        inertia: Any = 0.0,
        *,
        com: Components | None = None,
        shape: Drawn | None = None,
        **estimates: Any,
    ) -> None:
        self.model = model
        self.name = name
        if hasattr(mass, "inertia"):
            drawn = getattr(mass, "drawn", None)
            shape = drawn if shape is None and model.dimension == 3 else shape
            mass, inertia, com = of_solid(self.model, mass, inertia, com)
        self.mass: Scalar = model.scalar(mass, "the mass", OF_BODIES["mass"])
        self.inertia: Scalar | Matrix = read_inertia(self.model, inertia)
        self.com = components_of(self.model, com, "com")
        self.shape = shape
        self.estimate = read_estimate(self.model, **estimates)
        self.check()

    @property
    def is_ground(self) -> bool:
        """Whether it is the body that does not move."""
        return self.name == GROUND

    # -- points, vectors, curves ----------------------------------------------------------------------------------
    def at(
        self, *coordinates: Value | Components, angle: Value | None = None, rotation: RotationLike | None = None
    ) -> Point:
        """Give the point with these body coordinates.

        Parameters
        ----------
        *coordinates : numbers or expressions of parameters
            Two in the plane, three in space [m]; also as one sequence.
        angle : number or expression of parameters, optional
            In the plane: makes it a directed point, at this angle to the body's x axis [rad].
        rotation : Euler parameters, 3 x 3 matrix, (axis, angle) or scipy Rotation, optional
            In space: turns the axes of its frame from those of the body.

        Returns
        -------
        Point
            The point.
        """
        with about(self.name):
            s = components_of(self.model, _listed(coordinates), "a point", "m")
            if self.model.dimension == 2:
                if rotation is not None:
                    raise ModelError("a point in the plane has no rotation", remedy="give angle=, in radians")
                return Point(self, s, None if angle is None else self.model.scalar(angle, "the angle", "rad"))
            if angle is not None:
                raise ModelError("a point in space has no single angle", remedy="give rotation=(axis, angle)")
            C = None if rotation is None else rotation_matrix(rotation, self.model.scalar, self.model.value)
            return Point(self, s, rotation=C)

    def frame(self, P: Components, Q: Components, R: Components | None = None) -> Point:
        """Give the frame of the joint definition points P, Q, R.

        Parameters
        ----------
        P : numbers
            The origin, in body coordinates [m].
        Q : numbers
            A point on the z axis in space, on the directed line in the plane.
        R : numbers, optional
            In space: a point in the half plane of the x axis.

        Returns
        -------
        Point
            The frame; in the plane a directed point.
        """
        with about(self.name):
            p, q = components_of(self.model, P, "P", "m"), components_of(self.model, Q, "Q", "m")
            if self.model.dimension == 3:
                r = None if R is None else components_of(self.model, R, "R", "m")
                return Point(self, p, rotation=joint_frame(p, q, r, self.model.value))
            if R is not None:
                raise ModelError("a line in the plane needs P and Q only", remedy="leave R out")
            return Point(self, p, self._line_angle(p, q))

    def _line_angle(self, P: tuple[Scalar, ...], Q: tuple[Scalar, ...]) -> Scalar:
        dx, dy = Q[0] - P[0], Q[1] - P[1]
        if norm(map(self.model.value, (dx, dy))) == 0:
            raise ModelError("the points P and Q coincide: they define no line", remedy="give different points")
        angle: Scalar = atan2(dy, dx)
        return angle

    def vector(self, *components: Value | Components) -> Vector:
        """Give the vector with these body components.

        Parameters
        ----------
        *components : numbers or expressions of parameters
            Two in the plane, three in space; also as one sequence.

        Returns
        -------
        Vector
            The vector.
        """
        with about(self.name):
            v = components_of(self.model, _listed(components), "a vector")
            if norm(map(self.model.value, v)) == 0:
                raise ModelError("a vector has no length: it is no direction", remedy="give at least one component")
            return Vector(self, v)

    def curve(
        self, curve: Curve, at: Components | None = None, *, angle: Value = 0.0, rotation: RotationLike | None = None
    ) -> CurveOn:
        """Fix a curve in the body.

        Parameters
        ----------
        curve : Curve
            The curve.
        at : numbers, optional
            Where its origin is, in body coordinates [m].
        angle : number or expression of parameters
            By how much it is turned in the plane [rad].
        rotation : Euler parameters, 3 x 3 matrix, (axis, angle) or scipy Rotation, optional
            How it is turned in space.

        Returns
        -------
        CurveOn
            The curve on this body.
        """
        from linkwright.model.curves import Curve

        with about(self.name):
            if not isinstance(curve, Curve):
                raise ModelError(f"{curve!r} is no curve", remedy="make one by Curve.polar, Curve.parametric or Curve.table")
            s = components_of(self.model, at, "the place of a curve", "m")
            C = None if rotation is None else rotation_matrix(rotation, self.model.scalar, self.model.value)
            return CurveOn(self, curve, s, self.model.scalar(angle, "the angle", "rad"), C)

    def surface(self, shape: Drawn | None = None) -> ShapeOn:
        """Give shapes by which the body touches others, for `Contact`.

        Parameters
        ----------
        shape : mapping, or several, optional
            As `shape` of a body: circle, box, polygon, capsule or segment in the plane, sphere, box or capsule in space,
            with `at`, `angle` or `axis`, and a `radius` that rounds the edges; by default the body's own shape.

        Returns
        -------
        ShapeOn
            The shapes on this body.
        """
        with about(self.name):
            given = self.shape if shape is None else shape
            if given is None:
                raise ModelError("it has no shape of its own", remedy='give one, such as body.surface({"circle": 0.1})')
            own = shape is None
            return ShapeOn(self, read_parts(given, self.model.dimension, self.model.scalar, self.model.value, own), own)

    # -- quantities -----------------------------------------------------------------------------------------------
    @property
    def channels(self) -> tuple[str, ...]:
        """The names of the body's quantities."""
        d = self.model.dimension
        return () if self.is_ground else POSITIONS[d] + VELOCITIES[d]

    @typed
    def coordinate(self, channel: str) -> Expr:
        """Give the quantity of this name: body.coordinate("x") is body.x.

        Parameters
        ----------
        channel : str
            One of `channels`.

        Returns
        -------
        Expr
            The quantity.
        """
        if self.is_ground:
            raise ModelError(f"ground does not move: it has no {channel!r}", element=GROUND, remedy="take a moving body")
        if channel not in self.channels:
            remedy = (
                "take the angle of a joint, or angle(u, v, axis)"
                if channel == "angle"
                else suggestion(channel, self.channels)
            )
            where = "the plane" if self.model.dimension == 2 else "space"
            raise ModelError(f"a body in {where} has no {channel!r}", element=self.name, remedy=remedy)
        return self.model.quantity(BodyCoordinate(self, channel))

    @property
    def rates(self) -> dict[str, str]:
        """Its accelerations: by name the velocity whose rate it is."""
        d = self.model.dimension
        return {} if self.is_ground else dict(zip(ACCELERATIONS[d], VELOCITIES[d], strict=True))

    @typed
    def speed(self, channel: str) -> Expr:
        """Give the acceleration of this name: body.speed("ax").

        Parameters
        ----------
        channel : str
            One of `rates`, or of `channels`.

        Returns
        -------
        Expr
            The quantity.
        """
        if channel not in self.rates:
            return self.coordinate(channel)  # says what there is
        return rate(self.coordinate(self.rates[channel]))

    # -- data -----------------------------------------------------------------------------------------------------
    def guess(
        self,
        *,
        position: Components | None = None,
        angle: Value | None = None,
        orientation: RotationLike | None = None,
        velocity: Components | None = None,
        omega: Value | Components | None = None,
        weight: Value | None = None,
    ) -> Body:
        """Change some of the estimates.

        Parameters
        ----------
        position : numbers, optional
            Of the origin [m].
        angle : number, optional
            In the plane [rad].
        orientation : Euler parameters, 3 x 3 matrix, (axis, angle) or scipy Rotation, optional
            In space.
        velocity : numbers, optional
            Of the origin [m/s].
        omega : number or numbers, optional
            The angular velocity [rad/s], in space in body axes.
        weight : number, optional
            How much assembly weighs the estimates.

        Returns
        -------
        Body
            The body itself.
        """
        old = self.estimate
        same = {"position": old.position, "velocity": old.velocity, "omega": old.omega, "weight": old.weight}
        same["angle" if self.model.dimension == 2 else "orientation"] = old.rotation
        given = {"position": position, "angle": angle, "orientation": orientation, "velocity": velocity, "omega": omega,
                 "weight": weight}  # fmt: skip
        with about(self.name):
            self.estimate = read_estimate(self.model, **{**same, **{k: x for k, x in given.items() if x is not None}})
        return self

    def check(self) -> None:
        """Check mass, inertia, estimates and shape for the present values of the parameters.

        Raises
        ------
        ModelError
            Something is wrong.
        """
        value = self.model.value
        if value(self.mass) < 0:
            raise ModelError(f"the mass is {value(self.mass):g}", remedy="give zero or more")
        given = self.estimate
        for x in (self.com, given.position, given.rotation, given.velocity, given.omega):
            for number in x if isinstance(x, tuple) else (x,):
                value(number)
        read_shapes(self.shape, self.model.dimension, value)  # known now, not when a long run is to be written
        if not isinstance(self.inertia, tuple):
            if value(self.inertia) < 0:
                raise ModelError(f"the inertia is {value(self.inertia):g}", remedy="give zero or more")
            return
        J = self.inertia_matrix()
        if not np.allclose(J, J.T, rtol=0, atol=1e-9 * np.abs(J).max()):
            raise ModelError("the inertia matrix is not symmetric", remedy="J[i][j] and J[j][i] must be equal")
        least = linear.eigvalsh(J)[0]
        if least < -1e-9 * np.abs(J).max():
            raise ModelError(f"a principal moment of inertia is negative: {least:g}", remedy="check the products of inertia")

    def inertia_matrix(self) -> np.ndarray:
        """Give the inertia as numbers, for the present values of the parameters.

        Returns
        -------
        numpy.ndarray
            3 x 3 in space, 1 x 1 in the plane [kg m^2].
        """
        rows = self.inertia if isinstance(self.inertia, tuple) else ((self.inertia,),)
        return np.array([[self.model.value(x) for x in row] for row in rows])

    def __repr__(self) -> str:
        return f"<body {self.name!r} of {self.model.name!r}>"


def _listed(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers that were given one by one, or as one sequence."""
    return tuple(given[0]) if len(given) == 1 and is_sequence(given[0]) else given
