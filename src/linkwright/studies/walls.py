"""Walls: where designs cease to work. How one lies next to a design, and whether the design is the best along it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import nnls

from linkwright.studies.search import Search

# Of the bounds' distance: from how far inside a wall is felt, how far to each side, and how exactly (of what was found).
INSIDE, ASIDE, FELT = 1e-3, 1e-2, 1e-3
NEXT_TO = 1e-4  # of the bounds' distance: a value this near to its bound is at it
SIDEWAYS = 0.01  # part of the goal's slope that may be left along a wall


def moved(x: np.ndarray, direction: np.ndarray, far: float) -> np.ndarray:
    """A design in this direction, within the bounds."""
    return np.asarray(np.clip(x + far * direction, 0.0, 1.0))


def outward(search: Search, x: np.ndarray, wall: np.ndarray) -> np.ndarray | None:
    """The direction, of length 1, in which designs next to x cease to work, as they do at `wall`: a plane n . (y - c) = d is
    met from c along the k-th value at d/n_k. None where it cannot be felt."""
    towards = wall - x
    c = moved(x, towards / np.linalg.norm(towards), -INSIDE)
    if search(c).error is not None:
        return None
    inverse = np.array([_nearest(search, c, k) for k in range(len(x))])
    size = float(np.linalg.norm(inverse))
    return inverse / size if size > 0 else None


def _nearest(search: Search, c: np.ndarray, k: int) -> float:
    """One over the distance at which the wall is met along the k-th value, signed; 0 where it is not."""
    met = [side / far for side in (1.0, -1.0) if (far := _distance(search, c, k, side)) is not None]
    return max(met, key=abs, default=0.0)


def _distance(search: Search, c: np.ndarray, k: int, side: float) -> float | None:
    def works(far: float) -> bool:
        y = c.copy()
        y[k] += side * far
        return search(y).error is None

    near, far = 0.0, min(ASIDE, float(1.0 - c[k] if side > 0 else c[k]))
    if far <= 0 or works(far):
        return None
    while far - near > FELT * far:
        middle = 0.5 * (near + far)
        near, far = (middle, far) if works(middle) else (near, middle)
    return far


def is_best_along(x: np.ndarray, slope: np.ndarray, normals: Sequence[np.ndarray]) -> bool:
    """Whether nothing that is allowed makes the goal better next to x (Karush, Kuhn and Tucker): its slope, reversed, is a
    sum of the outward normals with factors that are not negative. `normals`: of walls and limits; bounds are added."""
    A = np.array([*normals, *_bounds(x)]).T
    left = nnls(A, -slope)[1]
    return bool(left <= SIDEWAYS * np.linalg.norm(slope))


def _bounds(x: np.ndarray) -> Iterator[np.ndarray]:
    for k, value in enumerate(x):
        if min(value, 1.0 - value) < NEXT_TO:
            yield np.where(np.arange(len(x)) == k, -1.0 if value < 0.5 else 1.0, 0.0)
