"""Mass properties of homogeneous solids in space (Haug table 11.2.1): see `linkwright.equations.shapes`."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

from linkwright.arguments import P, R, numeric
from linkwright.equations.inertia import MassProperties
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar
from linkwright.options import Axis
from linkwright.words import choices, spelled

_AXES = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}  # where components computed for the axis z go


def mass_of(shape: str, size: Scalar, mass: Scalar | None, density: Scalar | None, **dimensions: Scalar) -> Scalar:
    """The mass, from itself or from density and size, once the dimensions have been looked at."""
    for name, value in dimensions.items():
        if type(value) is not Expr and not value >= 0:
            raise ModelError(
                f"{name} = {value:g} of the {shape} is negative", element=shape, remedy="give a length of zero or more"
            )
    if (mass is None) == (density is None):
        raise ModelError(f"the {shape} needs either a mass or a density", element=shape, remedy="give mass= or density=")
    for name, given in (("mass", mass), ("density", density)):
        if given is not None and type(given) is not Expr and not given >= 0:
            raise ModelError(
                f"{name} = {given:g} of the {shape} is negative",
                element=shape,
                remedy="give zero or more; holes are taken off with -",
            )
    return density * size if mass is None else mass  # type: ignore[operator]


def check_inner(shape: str, inner: Scalar, outer: Scalar) -> None:
    if type(inner) is not Expr and type(outer) is not Expr and not 0 <= inner < outer:
        raise ModelError(
            f"the inner radius {inner:g} of the {shape} is not below the outer one, {outer:g}",
            element=shape,
            remedy="give the outer radius first",
        )


def _solid(mass: Scalar, moments: tuple[Scalar, Scalar, Scalar], axis: Axis = "z", height: Scalar = 0.0) -> MassProperties:
    """A solid of revolution (or box) from its moments with z as the axis; the mass centre at `height` on the axis."""
    axis = spelled(axis, _AXES)
    if axis not in _AXES:
        raise ModelError(f"there is no axis {axis!r}", element="axis", remedy=choices(str(axis), tuple(_AXES)))
    com, J = np.zeros(3, dtype=object), np.zeros((3, 3), dtype=object)
    for k, to in enumerate(_AXES[axis]):
        J[to, to] = moments[k]
    com["xyz".index(axis)] = height
    return MassProperties(mass, floats(com), floats(J))


def floats(x: np.ndarray) -> np.ndarray:
    """An array of floats, where nothing in it is an expression of parameters."""
    return x if any(type(e) is Expr for e in x.flat) else x.astype(float)


_GIVEN = """mass, density : number or expression of parameters
    One of them: the mass [kg] or the density [{}]."""
_AXIS = """axis : {"x", "y", "z"}
    The axis."""
_GIVES = """Returns
-------
MassProperties
    Mass, mass centre and inertia.

Examples
"""


def shape(density: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A shape of lw.shapes whose mass may be given by its density, in this unit: what all of them say is written here."""

    def completed(function: Callable[P, R]) -> Callable[P, R]:
        doc = inspect.cleandoc(function.__doc__ or "")
        given = [_GIVEN.format(density), *([_AXIS] if "axis" in inspect.signature(function).parameters else [])]
        function.__doc__ = doc.replace("\n\nExamples\n", "\n" + "\n".join([*given, "", _GIVES]), 1)
        return numeric(function)

    return completed


@numeric
def point(*, mass: Scalar) -> MassProperties:
    """Give a point mass at the origin.

    Parameters
    ----------
    mass : number or expression of parameters
        The mass [kg].

    Returns
    -------
    MassProperties
        Mass, mass centre and inertia.

    Examples
    --------
    >>> lw.shapes.point(mass=2.0).mass
    2.0
    """
    return _solid(mass, (0.0, 0.0, 0.0))


@shape("kg/m")
def rod(length: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, axis: Axis = "x") -> MassProperties:
    """Give a thin rod along the axis, centred.

    Parameters
    ----------
    length : number or expression of parameters
        Its length [m].

    Examples
    --------
    >>> lw.shapes.rod(1.0, mass=12.0).inertia.diagonal()
    array([0., 1., 1.])
    """
    m = mass_of("rod", length, mass, density, length=length)
    J = m * length**2 / 12
    return _solid(m, (J, J, 0.0), axis)


@shape("kg/m^3")
def box(a: Scalar, b: Scalar, c: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Give a box, centred.

    Parameters
    ----------
    a, b, c : number or expression of parameters
        The edges along x, y, z [m].

    Examples
    --------
    >>> lw.shapes.box(1, 1, 1, mass=6.0).inertia.diagonal()
    array([1., 1., 1.])
    """
    m = mass_of("box", a * b * c, mass, density, a=a, b=b, c=c)
    return _solid(m, (m * (b**2 + c**2) / 12, m * (a**2 + c**2) / 12, m * (a**2 + b**2) / 12))


@shape("kg/m^3")
def cylinder(
    radius: Scalar, height: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, axis: Axis = "z"
) -> MassProperties:
    """Give a solid cylinder, centred; without height a thin disc.

    Parameters
    ----------
    radius, height : number or expression of parameters
        Its dimensions [m].

    Examples
    --------
    >>> lw.shapes.cylinder(1.0, 0.0, mass=4.0).inertia.diagonal()
    array([1., 1., 2.])
    """
    return tube(radius, 0.0, height, mass=mass, density=density, axis=axis)


@shape("kg/m^3")
def tube(
    outer: Scalar,
    inner: Scalar,
    height: Scalar,
    *,
    mass: Scalar | None = None,
    density: Scalar | None = None,
    axis: Axis = "z",
) -> MassProperties:
    """Give a hollow cylinder, centred: m (3 R1^2 + 3 R2^2 + h^2)/12 across, m (R1^2 + R2^2)/2 along.

    Parameters
    ----------
    outer, inner, height : number or expression of parameters
        Its dimensions [m].

    Examples
    --------
    >>> lw.shapes.tube(2.0, 1.0, 0.0, mass=4.0).inertia.diagonal()
    array([ 5.,  5., 10.])
    """
    m = mass_of("tube", np.pi * (outer**2 - inner**2) * height, mass, density, outer=outer, inner=inner, height=height)
    check_inner("tube", inner, outer)
    across = m * (3 * outer**2 + 3 * inner**2 + height**2) / 12
    return _solid(m, (across, across, m * (outer**2 + inner**2) / 2), axis)


@shape("kg/m^3")
def sphere(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Give a solid ball, centred.

    Parameters
    ----------
    radius : number or expression of parameters
        Its radius [m].

    Examples
    --------
    >>> lw.shapes.sphere(1.0, mass=5.0).inertia.diagonal()
    array([2., 2., 2.])
    """
    return hollow_sphere(radius, 0.0, mass=mass, density=density)


@shape("kg/m^3")
def hollow_sphere(
    outer: Scalar, inner: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None
) -> MassProperties:
    """Give a ball with a concentric hollow: (2/5) m (R1^5 - R2^5)/(R1^3 - R2^3).

    Parameters
    ----------
    outer, inner : number or expression of parameters
        Its radii [m].

    Examples
    --------
    >>> lw.shapes.hollow_sphere(2.0, 1.0, mass=35.0).inertia.diagonal()
    array([62., 62., 62.])
    """
    check_inner("sphere", inner, outer)
    m = mass_of("sphere", 4 / 3 * np.pi * (outer**3 - inner**3), mass, density, inner=inner)
    J = 0.4 * m * (outer**5 - inner**5) / (outer**3 - inner**3)
    return _solid(m, (J, J, J))


@shape("kg/m^3")
def hemisphere(
    radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, axis: Axis = "z"
) -> MassProperties:
    """Give half a ball: the flat face at the origin, the dome along the axis, the mass centre at 3 R/8.

    Parameters
    ----------
    radius : number or expression of parameters
        Its radius [m].

    Examples
    --------
    >>> lw.shapes.hemisphere(8.0, mass=1.0).com
    array([0., 0., 3.])
    """
    m = mass_of("hemisphere", 2 / 3 * np.pi * radius**3, mass, density, radius=radius)
    across = 83 / 320 * m * radius**2
    return _solid(m, (across, across, 0.4 * m * radius**2), axis, 3 * radius / 8)


@shape("kg/m^3")
def cone(
    radius: Scalar, height: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, axis: Axis = "z"
) -> MassProperties:
    """Give a cone: the base at the origin, the tip along the axis, the mass centre at h/4.

    Parameters
    ----------
    radius, height : number or expression of parameters
        Its dimensions [m].

    Examples
    --------
    >>> lw.shapes.cone(1.0, 4.0, mass=1.0).com
    array([0., 0., 1.])
    """
    m = mass_of("cone", np.pi * radius**2 * height / 3, mass, density, radius=radius, height=height)
    across = 3 / 80 * m * (4 * radius**2 + height**2)
    return _solid(m, (across, across, 0.3 * m * radius**2), axis, height / 4)
