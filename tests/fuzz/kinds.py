"""The joints: how their second frame lies in the first, what numbers they have, and what a change of description does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fuzz.places import Place
from fuzz.sketch import Num

Rng = np.random.Generator
Lies = Callable[[Rng, int], tuple[Place, dict[str, Num]]]


@dataclass(frozen=True)
class Kind:
    """rows: equations by dimension, less the unknowns the joint brings along; coordinates: what can be driven.

    symmetric: with its ends exchanged it is the same joint. mirror: numbers that change their sign in a mirror.
    """

    lies: Lies
    rows: dict[int, int]
    coordinates: tuple[str, ...] = ()
    symmetric: bool = True
    mirror: dict[int, tuple[str, ...]] | None = None
    weight: float = 1.0  # how often it is drawn


def _any_turn(x: Rng, n: int) -> np.ndarray:
    return np.array([0.0, 0.0, x.uniform(-1, 1)]) if n == 2 else x.uniform(-0.7, 0.7, 3)


def _any_shift(x: Rng, n: int) -> np.ndarray:
    a = x.uniform(-2, 2)
    flat = np.array([np.cos(a), np.sin(a), 0.0]) if n == 2 else x.normal(size=3)
    return np.asarray(flat / np.linalg.norm(flat) * x.uniform(0.5, 1.5))


def _along(n: int) -> np.ndarray:
    """The axis of a slide: x in the plane, z in space."""
    return np.array([1.0, 0, 0]) if n == 2 else np.array([0, 0, 1.0])


def _revolute(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of((0, 0, x.uniform(-1, 1))), {}


def _translational(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of((0, 0, 0), x.uniform(-0.6, 0.6) * _along(n)), {}


def _cylindrical(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of((0, 0, x.uniform(-1, 1)), (0, 0, x.uniform(-0.6, 0.6))), {}


def _fixed(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of(), {}


def _spherical(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of(_any_turn(x, n)), {}


def _universal(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    """Arms at right angles: the second frame's z axis across the first's."""
    first = Place.of((0, 0, x.uniform(-0.6, 0.6)))  # the cross turns about the arm of i
    return first @ Place.of((np.pi / 2, 0, 0)) @ Place.of((0, 0, x.uniform(-0.6, 0.6))), {}


def _constant_velocity(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of((x.uniform(-0.6, 0.6), x.uniform(-0.6, 0.6), 0)), {}


def _screw(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    pitch, start, angle = x.uniform(0.1, 0.4) * x.choice((-1, 1)), x.uniform(-0.5, 0.5), x.uniform(-1, 1)
    return Place.of((0, 0, angle), (0, 0, pitch * (angle - start))), {"pitch": Num(pitch, L=1), "start": Num(start)}


def _planar(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of((0, 0, x.uniform(-1, 1)), (*x.uniform(-0.6, 0.6, 2), 0)), {}


def _distance(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    shift = _any_shift(x, n)
    return Place.of(_any_turn(x, n), shift), {"length": Num(float(np.linalg.norm(shift)), L=1)}


def _point_on_line(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    shift, offset = x.uniform(-0.6, 0.6) * _along(n), x.uniform(-0.4, 0.4)
    if n == 2:
        return Place.of(_any_turn(x, n), shift + np.array([0, offset, 0])), {"offset": Num(offset, L=1)}
    return Place.of(_any_turn(x, n), shift), {}


def _orientation(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of((0, 0, 0), _any_shift(x, n)), {}


def _point_on_plane(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    offset = x.uniform(-0.4, 0.4)
    return Place.of(_any_turn(x, n), (*x.uniform(-0.6, 0.6, 2), offset)), {"offset": Num(offset, L=1)}


def _parallel(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of((0, 0, x.uniform(-1, 1)), _any_shift(x, n)), {}


def _perpendicular(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    place, _ = _universal(x, n)
    return Place(place.R, _any_shift(x, n)), {}


def _revolute_spherical(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    """The rod is across the pin, the z axis of the first frame."""
    a, length = x.uniform(-2, 2), x.uniform(0.5, 1.5)
    shift = (length * np.cos(a), length * np.sin(a), 0)
    return Place.of(_any_turn(x, n), shift), {"length": Num(length, L=1)}


def _revolute_revolute(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    if n == 2:
        return _distance(x, n)
    place, numbers = _revolute_spherical(x, n)
    return Place.of((0, 0, x.uniform(-1, 1)), place.r), numbers


def _revolute_cylindrical(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    """The second axis meets the first at right angles: it lies in the first frame's xy plane, through its origin."""
    a = x.uniform(-2, 2)
    axes = Place.of((0, 0, a)) @ Place.of((0, np.pi / 2, 0)) @ Place.of((0, 0, x.uniform(-1, 1)))
    return Place(axes.R, axes.R @ (0, 0, x.uniform(-0.6, 0.6))), {}


def _revolute_translational(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    """As before, with the x axis of the second frame along the pin."""
    a = x.uniform(-2, 2)
    axes = Place.of((0, 0, a)) @ Place.of((0, -np.pi / 2, 0))  # z to -x, x to z
    return Place(axes.R, axes.R @ (0, 0, x.uniform(-0.6, 0.6))), {}


def _strut(x: Rng, n: int) -> tuple[Place, dict[str, Num]]:
    return Place.of(_any_turn(x, n), (0, 0, x.uniform(-0.6, 0.6))), {}


JOINTS: dict[str, Kind] = {
    "Revolute": Kind(_revolute, {2: 2, 3: 5}, ("angle",), weight=6),
    "Translational": Kind(_translational, {2: 2, 3: 5}, ("displacement",), weight=3),
    "Cylindrical": Kind(_cylindrical, {3: 4}, ("angle", "displacement"), weight=2),
    "Fixed": Kind(_fixed, {2: 3, 3: 6}, weight=0.5),
    "Spherical": Kind(_spherical, {3: 3}, weight=2),
    "Universal": Kind(_universal, {3: 4}, weight=2),
    "ConstantVelocity": Kind(_constant_velocity, {3: 4}),
    "Screw": Kind(_screw, {3: 5}, ("angle",), mirror={3: ("pitch", "start")}, weight=2),
    "Planar": Kind(_planar, {3: 3}),
    "Distance": Kind(_distance, {2: 1, 3: 1}, weight=2),
    "PointOnLine": Kind(_point_on_line, {2: 1, 3: 2}, ("displacement",), symmetric=False, mirror={2: ("offset",)}),
    "Orientation": Kind(_orientation, {2: 1, 3: 3}, weight=0.5),
    "PointOnPlane": Kind(_point_on_plane, {3: 1}, symmetric=False, weight=1.5),
    "ParallelAxes": Kind(_parallel, {3: 2}),
    "PerpendicularAxes": Kind(_perpendicular, {3: 1}, weight=1.5),
    "RevoluteSpherical": Kind(_revolute_spherical, {3: 2}, symmetric=False),
    "RevoluteRevolute": Kind(_revolute_revolute, {2: 1, 3: 4}),
    "RevoluteCylindrical": Kind(_revolute_cylindrical, {3: 3}, symmetric=False),
    "RevoluteTranslational": Kind(_revolute_translational, {3: 4}, symmetric=False),
    "Strut": Kind(_strut, {3: 2}, symmetric=False),
}


def drawn(s: Rng, dimension: int, most: int | None = None, least: int = 0) -> str | None:
    """A kind by its weight, with so many equations; None where there is none."""
    rows = {name: kind.rows.get(dimension) for name, kind in JOINTS.items()}
    names = [n for n, r in rows.items() if r is not None and r >= least and (most is None or r <= most)]
    if not names:
        return None
    weights = np.array([JOINTS[n].weight for n in names])
    return str(s.choice(names, p=weights / weights.sum()))
