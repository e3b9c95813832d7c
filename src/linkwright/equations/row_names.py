"""What the names of equations say: `hinge.fh` is the row `fh` of the element `hinge`."""

from __future__ import annotations

_PLANE = {
    "x": "the points coincide along x",
    "y": "the points coincide along y",
    "normal": "no distance across the line",
    "angle": "no turn against each other",
    "length": "the distance is as given",
    "rolling": "the pitch lines roll without slip",
    "tangent": "the outlines touch with one tangent",
}
_SPACE = {
    "x": "the points coincide along x of the ground",
    "y": "the points coincide along y of the ground",
    "z": "the points coincide along z of the ground",
    "length": _PLANE["length"],
    "rolling": _PLANE["rolling"],
    "pitch": "the nut advances with its turn",
    "twist": "no turn about the shafts against each other",
}
_AXES = {"f": "x", "g": "y", "h": "z"}


def meaning(row: str, dimension: int) -> str:
    """Of a row's own name, such as "fh"; "" where there is nothing to say."""
    names = _PLANE if dimension == 2 else _SPACE
    if row in names or dimension == 2 or len(row) != 2:
        return names.get(row, "")
    i, j = row[0], row[1]
    if j == "d" and i in _AXES:
        return f"no distance between the points along the first frame's {_AXES[i]} axis ({i})"
    if i == "d" and j in _AXES:
        return f"no distance between the points along the second frame's {_AXES[j]} axis ({j})"
    if i in _AXES and j in _AXES:
        return f"the first frame's {_AXES[i]} axis ({i}) is at right angles to the second's {_AXES[j]} axis ({j})"
    return ""
