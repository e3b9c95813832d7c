"""Mass properties of homogeneous plates in the plane (Haug table 6.1.1): see `linkwright.equations.shapes`."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.equations.inertia import MassProperties
from linkwright.equations.solids import check_inner, floats, mass_of, shape
from linkwright.errors import ModelError
from linkwright.graph import Scalar


@shape("kg/m")
def bar(length: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Give a thin bar in the plane, centred.

    Parameters
    ----------
    length : number or expression of parameters
        Its length [m].

    Examples
    --------
    >>> lw.shapes.bar(1.0, mass=12.0).inertia
    1.0
    """
    m = mass_of("bar", length, mass, density, length=length)
    return MassProperties(m, np.zeros(2), m * length**2 / 12)


@shape("kg/m^2")
def rectangle(a: Scalar, b: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Give a rectangular plate in the plane, centred.

    Parameters
    ----------
    a, b : number or expression of parameters
        The edges along x, y [m].

    Examples
    --------
    >>> lw.shapes.rectangle(3, 4, mass=12.0).inertia
    25.0
    """
    m = mass_of("rectangle", a * b, mass, density, a=a, b=b)
    return MassProperties(m, np.zeros(2), m * (a**2 + b**2) / 12)


@shape("kg/m^2")
def isosceles(base: Scalar, height: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Give an isosceles triangle: the middle of the base at the origin, the tip on +y, the mass centre at h/3.

    Parameters
    ----------
    base, height : number or expression of parameters
        Its dimensions [m].

    Examples
    --------
    >>> lw.shapes.isosceles(1.0, 3.0, mass=1.0).com
    array([0., 1.])
    """
    m = mass_of("triangle", base * height / 2, mass, density, base=base, height=height)
    return MassProperties(m, floats(np.array([0.0, height / 3], dtype=object)), m * (base**2 / 24 + height**2 / 18))


@shape("kg/m^2")
def polygon(corners: Any, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Give a plate with straight edges, where its corners are.

    Parameters
    ----------
    corners : pairs of numbers
        The corners (x, y) in order, counterclockwise [m].

    Examples
    --------
    >>> lw.shapes.polygon([(0, 0), (2, 0), (2, 2), (0, 2)], mass=3.0).com
    array([1., 1.])
    """
    P = np.asarray(corners, dtype=float)
    shift = P.mean(axis=0)
    a, b = P - shift, np.roll(P - shift, -1, axis=0)
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]  # twice the signed area of the triangle (origin, a, b)
    area = cross.sum() / 2
    if not area > 0:
        raise ModelError(
            f"the polygon has the area {area:g}", element="polygon", remedy="list three or more corners counterclockwise"
        )
    com = (cross[:, None] * (a + b)).sum(axis=0) / (6 * area)
    second = (cross * ((a * a).sum(1) + (a * b).sum(1) + (b * b).sum(1))).sum() / 12
    m = mass_of("polygon", area, mass, density)
    return MassProperties(m, com + shift, m * (second / area - com @ com))


@shape("kg/m^2")
def disc(
    radius: Scalar, *, inner: Scalar = 0.0, mass: Scalar | None = None, density: Scalar | None = None
) -> MassProperties:
    """Give a round plate in the plane, centred.

    Parameters
    ----------
    radius : number or expression of parameters
        Its radius [m].
    inner : number or expression of parameters
        The radius of a concentric hole [m].

    Examples
    --------
    >>> lw.shapes.disc(2.0, mass=1.0).inertia
    2.0
    """
    check_inner("disc", inner, radius)
    m = mass_of("disc", np.pi * (radius**2 - inner**2), mass, density)
    return MassProperties(m, np.zeros(2), m * (radius**2 + inner**2) / 2)


@shape("kg/m^2")
def semidisc(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Give half a disc: the middle of its diameter at the origin, the arc toward +y, the mass centre at 4 R/(3 pi).

    Parameters
    ----------
    radius : number or expression of parameters
        Its radius [m].

    Examples
    --------
    >>> lw.shapes.semidisc(1.0, mass=1.0).com.round(6)
    array([0.      , 0.424413])
    """
    m = mass_of("semidisc", np.pi * radius**2 / 2, mass, density, radius=radius)
    return MassProperties(
        m, floats(np.array([0.0, 4 * radius / (3 * np.pi)], dtype=object)), m * radius**2 * (0.5 - 16 / (9 * np.pi**2))
    )


@shape("kg/m")
def ring(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Give a thin ring in the plane, centred.

    Parameters
    ----------
    radius : number or expression of parameters
        Its radius [m].

    Examples
    --------
    >>> lw.shapes.ring(2.0, mass=1.0).inertia
    4.0
    """
    m = mass_of("ring", 2 * np.pi * radius, mass, density, radius=radius)
    return MassProperties(m, np.zeros(2), m * radius**2)
