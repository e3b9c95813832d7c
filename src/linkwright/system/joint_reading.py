"""Joint coordinates read off a configuration (numbers), and a tree of joints that can be as it has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.equations import rotations
from linkwright.equations.joint_models import Joint, neutral
from linkwright.equations.rotations import euler_parameters
from linkwright.equations.spatial_vectors import inverse, place, plucker, rotation_z
from linkwright.model import Model
from linkwright.system.quantities import ends
from linkwright.system.spanning_tree import Spanning, spanning_tree

FITS = 1e-6  # how well a joint's own transform must meet the assembled one
TURN = 2 * np.pi


def coordinates(joint: Joint, X: np.ndarray, near: np.ndarray | None = None) -> np.ndarray | None:
    """The coordinates with which a joint's transform is X: read off the matrix, then checked; None if there are none. Whole
    turns and signs as those of `near`; by default the fewest, or what the advance of a screw tells of."""
    E, r = (np.asarray(x, dtype=float) for x in place(X))
    p: Sequence[float] = list(euler_parameters(E.T, None if near is None else near[:4])) if joint.rolls else ()
    told = _by_advance(joint, r[2])
    told = near if told is None else told
    found = np.array(joint.coordinates(E, r, neutral(joint) if told is None else told, p), dtype=float)
    X_found = np.asarray(joint.model(found, np.zeros(joint.nv))[0], dtype=float)
    return found if np.abs(X_found - X).max(initial=0.0) < FITS else None


def _by_advance(joint: Joint, z: float) -> np.ndarray | None:
    """The angle that the advance of a screw tells of; None of other joints, and where it has no pitch."""
    if joint.nq != 1:
        return None
    start, end = (float(joint.place(np.array([x]))[1][2]) for x in (0.0, TURN))
    return np.array([TURN * (z - start) / (end - start)]) if end != start else None


def body_transform(values: Sequence[float] | np.ndarray, space: bool) -> np.ndarray:
    """X from the ground to a body at (r, p), or at (x, y, angle)."""
    if space:
        return np.asarray(plucker(np.asarray(rotations.A(values[3:]), dtype=float).T, values[:3]), dtype=float)
    return np.asarray(plucker(rotation_z(values[2]), [values[0], values[1], 0.0]), dtype=float)


def transforms(spanning: Spanning, slices: Sequence[tuple[slice, slice]], q: np.ndarray, space: bool) -> list[np.ndarray]:
    """X from the ground to each body's tree frame."""
    return [frame @ body_transform(q[at], space) for frame, (at, _) in zip(spanning.frames, slices, strict=True)]


def across(spanning: Spanning, X: Sequence[np.ndarray], k: int) -> np.ndarray:
    """The transform of a joint, from the frames of the two bodies it joins."""
    low = spanning.tree.parent[k]
    base = spanning.tree.Xtree[k] @ (np.eye(6) if low < 0 else X[low])
    return np.asarray(X[k] @ inverse(base), dtype=float)


def fitted(
    model: Model, slices: Mapping[str, tuple[slice, slice]], q: np.ndarray
) -> tuple[Spanning, list[np.ndarray], set[str]]:
    """A spanning tree of joints that can be as the configuration has them, their coordinates, and the joints that cannot."""
    unfit = set[str]()
    while True:
        spanning = spanning_tree(model, without=unfit)
        own = [slices[b.name] for b in spanning.bodies]
        X = transforms(spanning, own, q, model.dimension == 3)
        found = [coordinates(joint, across(spanning, X, k)) for k, joint in enumerate(spanning.tree.joint)]
        wrong = {name for name, theta in zip(spanning.joints, found, strict=True) if theta is None}
        if not wrong:
            return spanning, [theta for theta in found if theta is not None], unfit
        unfit |= wrong


def planar_offset(model: Model, spanning: Spanning, k: int, value: Callable[[Any], Any] | None = None) -> Any:
    """The angle of a planar body against the one below it, its joint's own angle aside; a number by default."""
    name = spanning.joints[k]
    if not name:
        return 0.0
    value = value or model.value
    angles = {P.body.name: 0.0 if P.angle is None else value(P.angle) for P in ends(model.elements[name])}
    own = angles.pop(spanning.bodies[k].name)
    return next(iter(angles.values())) - own


def planar_turns(model: Model, spanning: Spanning, k: int, turned: float) -> float:
    """The whole turns in the angle of a planar body against the one below, where its joint cannot have made them."""
    if spanning.tree.joint[k].turns:
        return 0.0
    return TURN * round(float(turned - planar_offset(model, spanning, k)) / TURN)
