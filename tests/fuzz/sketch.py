"""A machine as plain data in world axes, closed as it stands; and the same machine described otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from fuzz.places import MIRROR, Place


class Num(NamedTuple):
    """A number with the powers of length, mass and time in its unit."""

    value: float
    L: int = 0
    M: int = 0
    T: int = 0


class Units(NamedTuple):
    """How large the units of a sketch are: all numbers of the drawing are multiplied by them."""

    L: float = 1.0
    M: float = 1.0
    T: float = 1.0

    def of(self, L: int = 0, M: int = 0, T: int = 0) -> float:
        return float(self.L**L * self.M**M * self.T**T)


DRAWN = Units()


@dataclass(frozen=True)
class Part:
    """A body: its frame, mass, inertia about the mass centre and mass centre in body axes, velocities in world axes."""

    name: str
    place: Place
    mass: float
    inertia: np.ndarray
    com: np.ndarray
    v: np.ndarray
    w: np.ndarray


@dataclass(frozen=True)
class Item:
    """An element: its ends are frames of bodies, told in the world. `of`: the joints whose coordinates it works along."""

    kind: str
    name: str
    ends: tuple[tuple[str, Place], ...] = ()
    numbers: Mapping[str, Num] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    of: tuple[str, ...] = ()

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(body for body, _ in self.ends)

    def value(self, name: str) -> float:
        return self.numbers[name].value


@dataclass(frozen=True)
class Sketch:
    dimension: int
    parts: tuple[Part, ...]
    items: tuple[Item, ...]
    gravity: np.ndarray
    units: Units = DRAWN
    swapped: frozenset[str] = frozenset()  # joints that are given with their ends exchanged
    is_mirrored: bool = False

    def __getitem__(self, name: str) -> Any:
        return next(x for x in (*self.items, *self.parts) if x.name == name)

    def of_kind(self, *kinds: str) -> list[Item]:
        return [x for x in self.items if x.kind in kinds]

    @property
    def time(self) -> float:
        return self.units.T

    # -- the same machine, described otherwise --------------------------------------------------------------------------
    def moved(self, by: Place) -> Sketch:
        R = by.R
        parts = [replace(p, place=by @ p.place, v=R @ p.v, w=R @ p.w) for p in self.parts]
        items = [replace(x, ends=tuple((b, by @ f) for b, f in x.ends)) for x in self.items]
        return replace(self, parts=tuple(parts), items=tuple(items), gravity=R @ self.gravity)

    def mirrored(self) -> Sketch:
        S = MIRROR
        parts = [
            replace(p, place=p.place.mirrored, v=S @ p.v, w=-S @ p.w, com=S @ p.com, inertia=S @ p.inertia @ S)
            for p in self.parts
        ]
        items = [replace(x, ends=tuple((b, f.mirrored) for b, f in x.ends)) for x in self.items]
        return replace(
            self, parts=tuple(parts), items=tuple(items), gravity=S @ self.gravity, is_mirrored=not self.is_mirrored
        )

    def reordered(self, rng: np.random.Generator) -> Sketch:
        """Joints stay before what refers to them."""
        parts, first = list(self.parts), [x for x in self.items if not x.of]
        rest = [x for x in self.items if x.of]
        for these in (parts, first, rest):
            rng.shuffle(these)  # type: ignore[arg-type]
        return replace(self, parts=tuple(parts), items=(*first, *rest))

    def with_swapped(self, names: Iterable[str]) -> Sketch:
        return replace(self, swapped=self.swapped ^ frozenset(names))

    def with_origins(self, own: Mapping[str, Place]) -> Sketch:
        """Bodies with other origins and axes, given in the old ones."""
        parts = []
        for p in self.parts:
            to = own[p.name]
            arm = p.place.R @ to.r
            parts.append(
                replace(
                    p, place=p.place @ to, com=to.R.T @ (p.com - to.r), inertia=to.R.T @ p.inertia @ to.R,
                    v=p.v + np.cross(p.w, arm),
                )
            )  # fmt: skip
        return replace(self, parts=tuple(parts))

    def rescaled(self, to: Units) -> Sketch:
        L, M, T = to
        parts = [
            replace(p, place=p.place.scaled(L), mass=p.mass * M, inertia=p.inertia * M * L**2, com=p.com * L, v=p.v * L / T,
                    w=p.w / T)
            for p in self.parts
        ]  # fmt: skip
        items = [
            replace(
                x, ends=tuple((b, f.scaled(L)) for b, f in x.ends),
                numbers={n: q._replace(value=q.value * to.of(q.L, q.M, q.T)) for n, q in x.numbers.items()},
            )
            for x in self.items
        ]  # fmt: skip
        units = Units(self.units.L * L, self.units.M * M, self.units.T * T)
        return replace(self, parts=tuple(parts), items=tuple(items), gravity=self.gravity * L / T**2, units=units)

    def without(self, *names: str) -> Sketch:
        return replace(self, items=tuple(x for x in self.items if x.name not in names))

    def extended(self, *items: Item) -> Sketch:
        return replace(self, items=(*self.items, *items))
