"""Random machines in space, kept as global poses and frames, so that one machine can be described in many ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import linkwright as lw


@dataclass(frozen=True)
class Place:
    """A frame in the world: rotation and position."""

    R: Rotation
    r: np.ndarray

    def __matmul__(self, other: Place) -> Place:
        return Place(self.R * other.R, self.r + self.R.apply(other.r))

    @property
    def inverse(self) -> Place:
        return Place(self.R.inv(), -self.R.inv().apply(self.r))

    @classmethod
    def random(cls, rng: np.random.Generator, size: float = 1.0) -> Place:
        return cls(Rotation.random(rng=rng), size * rng.normal(size=3))


HERE = Place(Rotation.identity(), np.zeros(3))


@dataclass(frozen=True)
class Link:
    """A joint: its class, the bodies ("ground" too), its frames in the world, further arguments."""

    kind: type
    name: str
    i: str
    j: str
    at_i: Place
    at_j: Place
    more: dict[str, Any] = field(default_factory=dict)


@dataclass
class Sketch:
    bodies: dict[str, Place]
    links: list[Link]
    driven: str = ""  # the revolute joint whose angle is driven
    amplitude: float = 0.3

    def model(
        self,
        move: Place = HERE,
        origins: dict[str, Place] | None = None,
        order: np.random.Generator | None = None,
        swapped: tuple[str, ...] = (),
        doubled: tuple[str, ...] = (),
    ) -> lw.SpatialModel:
        """Moved as a whole; bodies with other origins and axes (own frame in the old one); elements and bodies in another
        order; joints with their ends exchanged; joints a second time."""
        m = lw.SpatialModel("random machine")
        places = {n: move @ p @ (origins or {}).get(n, HERE) for n, p in self.bodies.items()}
        names, links = list(places), list(self.links)
        if order is not None:
            order.shuffle(names)
            order.shuffle(links)
        for n in names:
            m.body(n, position=places[n].r, orientation=places[n].R)
        places["ground"] = HERE

        def at(body: str, frame: Place) -> lw.Point:
            local = places[body].inverse @ (move @ frame)
            return m[body].at(*local.r, rotation=local.R)

        for link in links:
            ends = [at(link.i, link.at_i), at(link.j, link.at_j)]
            m.add(link.kind(link.name, *(ends[::-1] if link.name in swapped else ends), **link.more))
            if link.name in doubled:
                m.add(link.kind(f"{link.name} again", *ends, **link.more))
        if self.driven:
            joint = m[self.driven]
            quantity = joint.coordinate(joint.channels[0])
            link = next(link for link in self.links if link.name == self.driven)
            start = (link.at_i.inverse @ link.at_j).R.as_rotvec()[2]
            sign = -1 if self.driven in swapped else 1
            m.add(lw.Driver("motor", quantity, f"{float(sign * start)!r} + {sign * self.amplitude!r}*sin(t)"))
        return m


def turned(p: Place, rotvec: Any, shift: Any = (0, 0, 0)) -> Place:
    return p @ Place(Rotation.from_rotvec(rotvec), np.asarray(shift, dtype=float))


def linkage(rng: np.random.Generator, loops: int = 1) -> Sketch:
    """A crank, then loop by loop a coupler and an output: one freedom. Couplers and outputs are of random kinds."""
    bodies = {"crank": Place.random(rng)}
    pivot = Place(Rotation.random(rng=rng), rng.normal(size=3))
    links = [Link(lw.Revolute, "A", "ground", "crank", pivot, turned(pivot, (0, 0, rng.uniform(-1, 1))))]
    before = "crank"
    for n in range(loops):
        coupler, out = f"coupler{n}", f"out{n}"
        P, Q = rng.normal(size=(2, 3)) + 2 * rng.normal(size=3)
        bodies[out] = Place.random(rng)
        if rng.random() < 0.3:  # massless
            length = float(np.linalg.norm(Q - P))
            links.append(Link(lw.Distance, f"B{n}", before, out, Place(HERE.R, P), Place(HERE.R, Q), {"length": length}))
        else:
            bodies[coupler] = Place.random(rng)
            at = Place(Rotation.random(rng=rng), Q)
            links.append(Link(lw.Spherical, f"B{n}", before, coupler, Place(HERE.R, P), Place(HERE.R, P)))
            links.append(Link(lw.Universal, f"C{n}", coupler, out, at, turned(at, (np.pi / 2, 0, 0))))
        base = Place(Rotation.random(rng=rng), rng.normal(size=3))
        kind = (lw.Revolute, lw.Translational, lw.Screw)[rng.integers(3)]
        turn = 0.0 if kind is lw.Translational else rng.uniform(-1, 1)
        shift = 0.0 if kind is lw.Revolute else 0.4 if kind is lw.Translational else 0.3 * turn
        more = {"pitch": 0.3} if kind is lw.Screw else {}
        links.append(Link(kind, f"D{n}", "ground", out, base, turned(base, (0, 0, turn), (0, 0, shift)), more))
        before = out
    return Sketch(bodies, links, driven="A", amplitude=0.03)


# every joint: how j lies in i, further arguments; a shift is a fraction of the frames' distance
PAIRS: dict[type, tuple[tuple[float, ...], tuple[float, ...], dict[str, Any]]] = {
    lw.Revolute: ((0, 0, 0.4), (0, 0, 0), {}),
    lw.Translational: ((0, 0, 0), (0, 0, 0.4), {}),
    lw.Cylindrical: ((0, 0, 0.4), (0, 0, 0.4), {}),
    lw.Spherical: ((0.4, -0.3, 0.2), (0, 0, 0), {}),
    lw.Universal: ((np.pi / 2, 0, 0), (0, 0, 0), {}),
    lw.ConstantVelocity: ((0.3, 0.4, 0), (0, 0, 0), {}),
    lw.Screw: ((0, 0, 0.5), (0, 0, 0.1), {"pitch": 0.2}),
    lw.Planar: ((0, 0, 0.5), (0.3, 0.2, 0), {}),
    lw.Fixed: ((0, 0, 0), (0, 0, 0), {}),
    lw.Distance: ((0.4, -0.3, 0.2), (0.3, 0, 0.4), {"length": 0.5}),
    lw.RevoluteSpherical: ((0.4, -0.3, 0.2), (0.3, 0.4, 0), {"length": 0.5}),
    lw.RevoluteRevolute: ((0, 0, 0.3), (0.3, 0.4, 0), {"length": 0.5}),
    lw.RevoluteCylindrical: ((0, np.pi / 2, 0), (0.5, 0, 0), {}),
    lw.RevoluteTranslational: ((0, -np.pi / 2, 0), (0.5, 0, 0), {}),
    lw.Strut: ((0.4, -0.3, 0.2), (0, 0, 0.4), {}),
    lw.PointOnPlane: ((0.4, -0.3, 0.2), (0.2, 0.3, 0), {}),
    lw.ParallelAxes: ((0, 0, 0.3), (0.2, 0.3, 0), {}),
    lw.PerpendicularAxes: ((np.pi / 2, 0, 0), (0.2, 0.3, 0), {}),
}


def tangle(rng: np.random.Generator, bodies: int = 3, joints: int = 5) -> Sketch:
    """Bodies in random places with random joints of all kinds between them: no machine, but all its equations hold."""
    names = [f"b{n}" for n in range(bodies)]
    places = {n: Place.random(rng) for n in names}
    kinds = list(PAIRS)
    links = []
    for n in range(joints):
        i, j = rng.choice([*names, "ground"], size=2, replace=False)
        kind = kinds[rng.integers(len(kinds))]
        turn, shift, more = PAIRS[kind]
        at = Place.random(rng)
        links.append(Link(kind, f"J{n}", str(i), str(j), at, turned(at, turn, shift), more))
    return Sketch(places, links)
