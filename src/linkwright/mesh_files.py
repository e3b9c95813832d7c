"""Meshes of triangles from files: STL and OBJ read here, others by trimesh. Nothing but the file itself is opened."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import LinkwrightError, ModelError

LARGEST_FILE = 500_000_000  # bytes
SUFFIXES = (".stl", ".obj", ".glb", ".ply", ".dae", ".msh")

Mesh = tuple[np.ndarray, np.ndarray]  # vertices n x 3 [m], triangles k x 3
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])


def read_mesh(path: Path) -> Mesh:
    """Vertices and triangles of a file, as it has them; ModelError if there are none."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ModelError(f"meshes are not read from {suffix or 'such files'}", element=str(path), remedy=f"give {_some()}")
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ModelError(
            f"the mesh cannot be read: {error.strerror or error}", element=str(path), remedy="check the name"
        ) from None
    if len(data) > LARGEST_FILE:
        raise ModelError("the mesh is larger than 500 MB", element=str(path), remedy="simplify it")
    try:
        vertices, faces = {".stl": _stl, ".obj": _obj, ".msh": _msh}.get(suffix, _others)(data, suffix)
    except LinkwrightError as error:
        raise ModelError(error.cause, element=str(path), remedy=error.remedy) from error
    except (ValueError, IndexError, OverflowError) as error:
        raise _wrong(path, str(error)) from error
    if not len(faces) or not np.isfinite(vertices).all() or faces.min() < 0 or faces.max() >= len(vertices):
        raise _wrong(path, "it has no triangles, or some without a place")
    return vertices, faces


def _some() -> str:
    return ", ".join(s[1:].upper() for s in SUFFIXES)


def _wrong(path: Path, why: str) -> ModelError:
    return ModelError(
        f"this is no mesh of the kind its name says: {why}",
        element=str(path),
        remedy="export it again, as binary STL or OBJ",
    )


def _apart(corners: np.ndarray) -> Mesh:
    """Triangles given by their corners (k x 3 x 3), which share no vertices."""
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


def _stl(data: bytes, suffix: str) -> Mesh:
    """Binary files may begin with `solid` as texts do: the length decides. It is believed, not the count in the file."""
    count = (len(data) - 84) // 50
    told = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if data[:5] != b"solid" or told == count:
        if count <= 0:
            raise ValueError("it is too short")
        return _apart(np.frombuffer(data, _TRIANGLE, count, offset=84)["corners"].astype(float))
    corners = [row.split()[1:4] for row in data.decode("utf-8", "replace").splitlines() if row.lstrip().startswith("vertex")]
    if len(corners) % 3:
        raise ValueError("a triangle has not three corners")
    return _apart(np.array(corners, dtype=float).reshape(-1, 3, 3))


def _obj(data: bytes, suffix: str) -> Mesh:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for row in data.decode("utf-8", "replace").splitlines():
        words = row.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append([float(x) for x in words[1:4]])
        elif words[0] == "f":
            own = [int(w.split("/")[0]) for w in words[1:]]
            own = [k - 1 if k > 0 else len(vertices) + k for k in own]  # negative: counted from the last
            faces += [(own[0], own[k], own[k + 1]) for k in range(1, len(own) - 1)]
    return np.array(vertices, dtype=float).reshape(-1, 3), np.array(faces, dtype=int).reshape(-1, 3)


def _msh(data: bytes, suffix: str) -> Mesh:
    """MuJoCo's own: four counts, then vertices, normals and texture coordinates as floats, triangles as integers."""
    if len(data) < 16:
        raise ValueError("it is too short")
    vertices, normals, places, faces = (int(n) for n in np.frombuffer(data, "<i4", 4))
    if min(vertices, normals, places, faces) < 0 or len(data) != 16 + 12 * (vertices + normals + faces) + 8 * places:
        raise ValueError("its length is not what it says")
    x = np.frombuffer(data, "<f4", 3 * vertices, offset=16).astype(float)
    k = np.frombuffer(data, "<i4", 3 * faces, offset=len(data) - 12 * faces)
    return x.reshape(-1, 3), k.reshape(-1, 3).astype(int)


def _others(data: bytes, suffix: str) -> Mesh:
    try:
        import trimesh
    except ImportError:
        raise ModelError(
            f"{suffix[1:].upper()} is read by trimesh, which is not installed",
            remedy='python -m pip install "linkwright[full]", or give the mesh as STL or OBJ',
        ) from None
    try:
        found: Any = trimesh.load(BytesIO(data), file_type=suffix[1:], force="mesh", process=False)
    except Exception as error:  # whatever a reader of someone else's makes of a broken file
        if suffix == ".dae" and isinstance(error, ImportError | ValueError | KeyError):
            raise ModelError(
                "COLLADA cannot be read here", remedy="install pycollada, or give the mesh as STL or OBJ"
            ) from error
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return np.asarray(found.vertices, dtype=float), np.asarray(found.faces, dtype=int)


def coarse(mesh: Mesh, most: int) -> Mesh:
    """A mesh of at most `most` triangles that looks like it, for pictures: vertices in one cell of a grid become one."""
    vertices, faces = mesh
    low, size = vertices.min(axis=0), max(float(np.ptp(vertices, axis=0).max()), 1e-12)
    cells = 1 << 20 if len(faces) <= most else int(np.sqrt(most))
    while True:
        at = np.floor((vertices - low) / size * cells).astype(np.int64)
        number = (at[:, 0] * (cells + 1) + at[:, 1]) * (cells + 1) + at[:, 2]
        _, which = np.unique(number, return_inverse=True)
        which = which.reshape(-1)
        count = np.bincount(which)
        middle = np.column_stack([np.bincount(which, vertices[:, k]) / count for k in range(3)])
        T = which[faces]
        T = T[(T[:, 0] != T[:, 1]) & (T[:, 1] != T[:, 2]) & (T[:, 0] != T[:, 2])]
        if len(T) <= most or cells < 2:
            return middle, T
        cells = int(cells * min(0.9, np.sqrt(most / len(T))))
