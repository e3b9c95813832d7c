"""Shapes that are drawn, from the geometry of other programs' files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.exchange.places import Place, numbers
from linkwright.mesh_files import Mesh, coarse, read_mesh

MOST_TRIANGLES = 1500  # of a mesh in a picture
_BOX = np.array(list(product((-0.5, 0.5), repeat=3)))
_SIDES = ((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
          (1, 5, 7), (1, 7, 3))  # fmt: skip


def box(size: Sequence[float], at: Place) -> dict[str, Any]:
    """A box; one that is turned is a mesh, for the shape of a model knows no turn about its own axis."""
    if np.array_equal(at.A, np.eye(3)):
        return {"box": numbers(size), "at": numbers(at.r)}
    return drawn((_BOX * np.asarray(size), np.array(_SIDES)), at)


def cylinder(radius: float, length: float, at: Place) -> dict[str, Any]:
    return {"cylinder": (float(radius), float(length)), "at": numbers(at.r), "axis": numbers(at.A[:, 2])}


def sphere(radius: float, at: Place) -> dict[str, Any]:
    return {"sphere": float(radius), "at": numbers(at.r)}


def capsule(radius: float, length: float, at: Place) -> list[dict[str, Any]]:
    """A cylinder of this length with half a ball at each end."""
    ends = [Place(at.r + sign * 0.5 * length * at.A[:, 2], at.A) for sign in (-1, 1)]
    return [cylinder(radius, length, at), *(sphere(radius, end) for end in ends)]


def ellipsoid(radii: Sequence[float], at: Place) -> dict[str, Any]:
    turns, heights = np.arange(12) * np.pi / 6, np.arange(1, 6) * np.pi / 6
    rings = [(np.sin(h) * np.cos(a), np.sin(h) * np.sin(a), np.cos(h)) for h in heights for a in turns]
    vertices = np.array([(0, 0, 1.0), *rings, (0, 0, -1.0)])
    faces = [(0, 1 + k, 1 + (k + 1) % 12) for k in range(12)]
    for ring in range(4):
        a, b = 1 + 12 * ring, 13 + 12 * ring
        for k in range(12):
            n = (k + 1) % 12
            faces += [(a + k, b + k, b + n), (a + k, b + n, a + n)]
    faces += [(61, 49 + (k + 1) % 12, 49 + k) for k in range(12)]
    return drawn((vertices * np.asarray(radii), np.array(faces)), at)


def drawn(mesh: Mesh, at: Place) -> dict[str, Any]:
    vertices, faces = coarse(mesh, MOST_TRIANGLES)
    return {"mesh": ((vertices @ at.A.T + at.r).round(6), faces)}


def from_file(path: Path, scale: Sequence[float], at: Place) -> dict[str, Any]:
    """ModelError if the file cannot be read."""
    vertices, faces = read_mesh(path)
    return drawn((vertices * np.asarray(scale), faces), at)
