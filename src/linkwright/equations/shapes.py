"""Mass properties of homogeneous shapes, in the plane (Haug table 6.1.1) and in space (table 11.2.1), and of meshes.

Each shape takes its dimensions [m] and either mass= [kg] or density= [kg/m^3; kg/m^2 in the plane; kg/m of rods]; all but
polygon and mesh may be expressions of parameters.
The place of the frame's origin is said with each shape; `MassProperties.moved` puts it elsewhere. In space: point, rod,
box, cylinder, tube, sphere, hollow_sphere, hemisphere, cone, mesh. In the plane: bar, rectangle, isosceles, polygon,
disc, semidisc, ring.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.arguments import numeric
from linkwright.equations.inertia import MassProperties
from linkwright.errors import ModelError
from linkwright.graph import Expr, Scalar

_AXES = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}  # where components computed for the axis z go


def _mass(shape: str, size: Scalar, mass: Scalar | None, density: Scalar | None, **dimensions: Scalar) -> Scalar:
    """The mass, from itself or from density and size, once the dimensions have been looked at."""
    for name, value in dimensions.items():
        if type(value) is not Expr and not value >= 0:
            raise ModelError(
                f"{name} = {value:g} of the {shape} is negative", element=shape, remedy="give a length of zero or more"
            )
    if (mass is None) == (density is None):
        raise ModelError(f"the {shape} needs either a mass or a density", element=shape, remedy="give mass= or density=")
    return density * size if mass is None else mass  # type: ignore[operator]


def _inner(shape: str, inner: Scalar, outer: Scalar) -> None:
    if type(inner) is not Expr and type(outer) is not Expr and not 0 <= inner < outer:
        raise ModelError(
            f"the inner radius {inner:g} of the {shape} is not below the outer one, {outer:g}",
            element=shape,
            remedy="give the outer radius first",
        )


def _solid(mass: Scalar, moments: tuple[Scalar, Scalar, Scalar], axis: str = "z", height: Scalar = 0.0) -> MassProperties:
    """A solid of revolution (or box) from its moments with z as the axis; the mass centre at `height` on the axis."""
    if axis not in _AXES:
        raise ModelError(f"there is no axis {axis!r}", remedy='the axis of a shape is "x", "y" or "z"')
    com, J = np.zeros(3, dtype=object), np.zeros((3, 3), dtype=object)
    for k, to in enumerate(_AXES[axis]):
        J[to, to] = moments[k]
    com["xyz".index(axis)] = height
    return MassProperties(mass, _plain(com), _plain(J))


def _plain(x: np.ndarray) -> np.ndarray:
    """An array of floats, where nothing in it is an expression of parameters."""
    return x if any(type(e) is Expr for e in x.flat) else x.astype(float)


# -- in space -------------------------------------------------------------------------------------------------


@numeric
def point(*, mass: Scalar) -> MassProperties:
    """A point mass, at the origin."""
    return _solid(mass, (0.0, 0.0, 0.0))


@numeric
def rod(length: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, axis: str = "x") -> MassProperties:
    """A thin rod along the axis, centred."""
    m = _mass("rod", length, mass, density, length=length)
    J = m * length**2 / 12
    return _solid(m, (J, J, 0.0), axis)


@numeric
def box(a: Scalar, b: Scalar, c: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """A box with edges a, b, c along x, y, z, centred."""
    m = _mass("box", a * b * c, mass, density, a=a, b=b, c=c)
    return _solid(m, (m * (b**2 + c**2) / 12, m * (a**2 + c**2) / 12, m * (a**2 + b**2) / 12))


@numeric
def cylinder(
    radius: Scalar, height: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, axis: str = "z"
) -> MassProperties:
    """A solid cylinder, centred; of no height a thin disc."""
    return tube(radius, 0.0, height, mass=mass, density=density, axis=axis)


@numeric
def tube(
    outer: Scalar,
    inner: Scalar,
    height: Scalar,
    *,
    mass: Scalar | None = None,
    density: Scalar | None = None,
    axis: str = "z",
) -> MassProperties:
    """A hollow cylinder, centred: m (3 R1^2 + 3 R2^2 + h^2)/12 across (not 1/2 as printed), m (R1^2 + R2^2)/2 along."""
    m = _mass("tube", np.pi * (outer**2 - inner**2) * height, mass, density, outer=outer, inner=inner, height=height)
    _inner("tube", inner, outer)
    across = m * (3 * outer**2 + 3 * inner**2 + height**2) / 12
    return _solid(m, (across, across, m * (outer**2 + inner**2) / 2), axis)


@numeric
def sphere(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """A solid ball, centred."""
    return hollow_sphere(radius, 0.0, mass=mass, density=density)


@numeric
def hollow_sphere(
    outer: Scalar, inner: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None
) -> MassProperties:
    """A ball with a concentric hollow: (2/5) m (R1^5 - R2^5)/(R1^3 - R2^3)."""
    _inner("sphere", inner, outer)
    m = _mass("sphere", 4 / 3 * np.pi * (outer**3 - inner**3), mass, density, inner=inner)
    J = 0.4 * m * (outer**5 - inner**5) / (outer**3 - inner**3)
    return _solid(m, (J, J, J))


@numeric
def hemisphere(
    radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, axis: str = "z"
) -> MassProperties:
    """Half a ball; the flat face at the origin, the dome along the axis: mass centre at 3 R/8."""
    m = _mass("hemisphere", 2 / 3 * np.pi * radius**3, mass, density, radius=radius)
    across = 83 / 320 * m * radius**2
    return _solid(m, (across, across, 0.4 * m * radius**2), axis, 3 * radius / 8)


@numeric
def cone(
    radius: Scalar, height: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None, axis: str = "z"
) -> MassProperties:
    """A cone; the base at the origin, the tip along the axis: mass centre at h/4."""
    m = _mass("cone", np.pi * radius**2 * height / 3, mass, density, radius=radius, height=height)
    across = 3 / 80 * m * (4 * radius**2 + height**2)
    return _solid(m, (across, across, 0.3 * m * radius**2), axis, height / 4)


# -- in the plane ---------------------------------------------------------------------------------------------


@numeric
def bar(length: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """A thin bar in the plane, centred."""
    m = _mass("bar", length, mass, density, length=length)
    return MassProperties(m, np.zeros(2), m * length**2 / 12)


@numeric
def rectangle(a: Scalar, b: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """A plate with edges a and b, centred."""
    m = _mass("rectangle", a * b, mass, density, a=a, b=b)
    return MassProperties(m, np.zeros(2), m * (a**2 + b**2) / 12)


@numeric
def isosceles(base: Scalar, height: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """An isosceles triangle; the middle of the base at the origin, the tip on +y: mass centre at h/3."""
    m = _mass("triangle", base * height / 2, mass, density, base=base, height=height)
    return MassProperties(m, _plain(np.array([0.0, height / 3], dtype=object)), m * (base**2 / 24 + height**2 / 18))


@numeric
def polygon(corners: Any, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """A plate with straight edges, its corners (x, y) in order counterclockwise, where they are."""
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
    m = _mass("polygon", area, mass, density)
    return MassProperties(m, com + shift, m * (second / area - com @ com))


@numeric
def disc(
    radius: Scalar, *, inner: Scalar = 0.0, mass: Scalar | None = None, density: Scalar | None = None
) -> MassProperties:
    """A round plate, centred, with a concentric hole if `inner` is given."""
    _inner("disc", inner, radius)
    m = _mass("disc", np.pi * (radius**2 - inner**2), mass, density)
    return MassProperties(m, np.zeros(2), m * (radius**2 + inner**2) / 2)


@numeric
def semidisc(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """Half a disc; the middle of its diameter at the origin, the arc toward +y: mass centre at 4 R/(3 pi)."""
    m = _mass("semidisc", np.pi * radius**2 / 2, mass, density, radius=radius)
    return MassProperties(
        m, _plain(np.array([0.0, 4 * radius / (3 * np.pi)], dtype=object)), m * radius**2 * (0.5 - 16 / (9 * np.pi**2))
    )


@numeric
def ring(radius: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """A thin ring, centred; its density is per length."""
    m = _mass("ring", 2 * np.pi * radius, mass, density, radius=radius)
    return MassProperties(m, np.zeros(2), m * radius**2)


# -- meshes ---------------------------------------------------------------------------------------------------


@numeric
def mesh(vertices: Any, faces: Any, *, mass: Scalar | None = None, density: Scalar | None = None) -> MassProperties:
    """The solid within a closed mesh of triangles, each listed counterclockwise as seen from outside.

    Each triangle makes a tetrahedron with a point near the middle, of volume det(a, b, c)/6, which is negative where
    the surface is seen from behind; the sum is exact. Vertices at one place count as one. Shells within the outer one,
    turned inward, are voids.
    """
    P, T = _checked_mesh(vertices, faces)
    shift = P.mean(axis=0)
    a, b, c = (P[T[:, k]] - shift for k in range(3))
    V = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = V.sum()
    extent = float(np.ptp(P, axis=0).max())
    if not abs(volume) > 1e-12 * extent**3:
        raise ModelError("the mesh encloses no volume", element="mesh", remedy="give a closed surface around a solid")
    if volume < 0:
        raise ModelError(
            f"the mesh is inside out: its volume is {volume:g}",
            element="mesh",
            remedy="list the corners of every triangle counterclockwise as seen from outside (reverse them all)",
        )
    s = a + b + c
    com = (V[:, None] * s).sum(axis=0) / (4 * volume)
    second = sum(np.einsum("i,ij,ik->jk", V, u, u) for u in (a, b, c, s)) / 20  # int x x^T dV of a tetrahedron
    second = second / volume - np.outer(com, com)
    m = _mass("mesh", volume, mass, density)
    return MassProperties(m, com + shift, m * (np.trace(second) * np.eye(3) - second))


def _checked_mesh(vertices: Any, faces: Any) -> tuple[np.ndarray, np.ndarray]:
    P, T = np.asarray(vertices, dtype=float), np.asarray(faces, dtype=int)
    if P.ndim != 2 or P.shape[1] != 3 or T.ndim != 2 or T.shape[1] != 3:
        raise ModelError(
            f"vertices and faces have the shapes {P.shape} and {T.shape}",
            element="mesh",
            remedy="give n x 3 coordinates and k x 3 vertex numbers; split faces with more corners into triangles",
        )
    if T.size and not (T.min() >= 0 and T.max() < len(P)):
        raise ModelError(
            f"a face names vertex {T.max() if T.max() >= len(P) else T.min()}; there are {len(P)}",
            element="mesh",
            remedy="number vertices from 0",
        )
    P, same = np.unique(P, axis=0, return_inverse=True)
    T = same.reshape(-1)[T]
    edges = np.concatenate([T[:, [0, 1]], T[:, [1, 2]], T[:, [2, 0]]])
    number = edges[:, 0] * len(P) + edges[:, 1]
    reverse = edges[:, 1] * len(P) + edges[:, 0]
    twice = len(number) - len(np.unique(number))
    alone = np.flatnonzero(~np.isin(number, reverse))
    if twice:
        raise ModelError(
            f"{twice} edges of the mesh are run through more than once in the same direction: neighbouring triangles "
            "disagree about which side is outside, or more than two meet",
            element="mesh",
            remedy="list the corners of every triangle counterclockwise as seen from outside; remove doubled triangles",
        )
    if len(alone):
        first = " to ".join(_text(corner) for corner in P[edges[alone[0]]])
        raise ModelError(
            f"the mesh is open: {len(alone)} edges belong to one triangle only, the first from {first}",
            element="mesh",
            remedy="close the hole; a surface has no inside unless every edge belongs to two triangles",
        )
    return P, T


def _text(point: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:g}" for x in point) + ")"
