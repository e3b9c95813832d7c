"""Mass properties of the solid within a closed mesh of triangles."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.arguments import numeric
from linkwright.equations.inertia import MassProperties
from linkwright.equations.solids import mass_of
from linkwright.errors import ModelError
from linkwright.graph import Scalar
from linkwright.mesh_files import coarse, read_mesh

DRAWN = 5000  # triangles of a mesh in a picture


def mesh(
    vertices: Any, faces: Any = None, *, mass: Scalar | None = None, density: Scalar | None = None, scale: float = 1.0
) -> MassProperties:
    """Give the solid within a closed mesh of triangles, of numbers or from a file.

    A body in space that is made of a file is drawn as it is there.

    Each triangle makes a tetrahedron with a point near the middle, of volume det(a, b, c)/6, which is negative where
    the surface is seen from behind; the sum is exact. Vertices at one place count as one. Shells within the outer one,
    turned inward, are voids.

    Parameters
    ----------
    vertices : n x 3 numbers, or path
        The vertices [m]; or a file: STL, OBJ, GLB, PLY, or DAE with pycollada.
    faces : k x 3 integers, optional
        The numbers of the vertices of each triangle, counterclockwise as seen from outside; not of a file.
    mass, density : number or expression of parameters
        One of them: the mass [kg] or the density [kg/m^3].
    scale : float
        What one unit of the vertices is [m]: 0.001 of millimetres.

    Returns
    -------
    MassProperties
        Mass, mass centre and inertia.

    Examples
    --------
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> lw.shapes.mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], mass=4.0).com
    array([0.25, 0.25, 0.25])
    """
    if not isinstance(vertices, str | os.PathLike):
        if faces is None:
            raise ModelError(
                "the triangles are missing", element="mesh", remedy="give vertices and faces, or the name of a file"
            )
        return _solid(vertices, faces, scale, mass=mass, density=density)
    if faces is not None:
        raise ModelError("a file has triangles of its own", element="mesh", remedy="leave faces out")
    P, T = read_mesh(Path(vertices))
    found = _solid(P, T, scale, mass=mass, density=density)
    seen, triangles = coarse((P * float(scale), T), DRAWN)
    return replace(found, drawn={"mesh": (seen.round(9), triangles)})


@numeric
def _solid(
    vertices: Any, faces: Any, scale: Scalar, *, mass: Scalar | None = None, density: Scalar | None = None
) -> MassProperties:
    P, T = _checked_mesh(vertices, faces)
    if not scale > 0:
        raise ModelError(f"the scale is {scale}", element="mesh", remedy="give a positive number, such as 0.001")
    P = P * scale
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
    m = mass_of("mesh", volume, mass, density)
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
