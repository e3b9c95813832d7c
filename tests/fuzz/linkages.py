"""Shapes that tests ask for: linkages of one freedom in space, trees, and tangles of joints, which are no machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import linkwright as lw
from fuzz.kinds import JOINTS
from fuzz.places import HERE, Place
from fuzz.render import model
from fuzz.sketch import Item, Num, Part, Sketch

AMPLITUDE = 0.03  # of the driven crank [rad]


def linkage(rng: np.random.Generator, loops: int = 1) -> Sketch:
    """A crank, then loop by loop a coupler and an output: one freedom. Couplers and outputs are of random kinds."""
    names, items = ["crank"], [_joint(rng, "Revolute", "A", "ground", "crank")]
    before = "crank"
    for n in range(loops):
        coupler, out = f"coupler{n}", f"out{n}"
        P, Q = (Place(HERE.R, r) for r in rng.normal(size=(2, 3)) + 2 * rng.normal(size=3))
        names.append(out)
        if rng.random() < 0.3:  # massless
            length = {"length": Num(float(np.linalg.norm(Q.r - P.r)), L=1)}
            items.append(Item("Distance", f"B{n}", ((before, P), (out, Q)), length))
        else:
            names.append(coupler)
            across = Place(Place.random(rng, 3).R, Q.r)
            items.append(Item("Spherical", f"B{n}", ((before, P), (coupler, P))))
            items.append(Item("Universal", f"C{n}", ((coupler, across), (out, across @ Place.of((np.pi / 2, 0, 0))))))
        kind = ("Revolute", "Translational", "Screw")[rng.integers(3)]
        items.append(_joint(rng, kind, f"D{n}", "ground", out))
        before = out
    start = (items[0].ends[0][1].inverse @ items[0].ends[1][1]).angle
    numbers = {"c0": Num(start), "c1": Num(AMPLITUDE, T=-1), "c2": Num(0.0, T=-2), "w": Num(1.0, T=-1)}
    motor = Item("Driver", "motor", (), numbers, {"channel": "angle", "motion": "law"}, ("A",))
    return _sketch(rng, names, [*items, motor])


def tangle(rng: np.random.Generator, bodies: int = 3, joints: int = 5) -> Sketch:
    """Bodies in random places with random joints of all kinds between them: all its equations hold."""
    names, kinds = [f"b{n}" for n in range(bodies)], [name for name, kind in JOINTS.items() if 3 in kind.rows]
    items = []
    for n in range(joints):
        i, j = rng.choice([*names, "ground"], size=2, replace=False)
        items.append(_joint(rng, kinds[rng.integers(len(kinds))], f"J{n}", str(i), str(j)))
    return _sketch(rng, names, items)


KINDS = (
    lw.Revolute, lw.Translational, lw.Cylindrical, lw.Spherical, lw.Universal, lw.Planar, lw.Screw, lw.Fixed, None,
)  # fmt: skip


def random_tree(rng: np.random.Generator, kinds: Sequence[Any]) -> tuple[Any, list[Any]]:
    """A model in space and its bodies, each on an earlier one (None: free), in random orientations, joints either way round
    and at their neutral positions."""
    names = [f"b{k}" for k in range(len(kinds))]
    items = []
    for k, kind in enumerate(kinds):
        ends = [str(rng.choice(["ground", *names[:k]])), names[k]]
        if rng.random() < 0.5:
            ends.reverse()
        if kind is not None:
            at, across = Place.random(rng, 3), Place.of((np.pi / 2, 0, 0)) if kind is lw.Universal else HERE
            pitch = {"pitch": Num(0.3, L=1)} if kind is lw.Screw else {}
            items.append(Item(kind.__name__, f"J{k}", ((ends[0], at), (ends[1], at @ across)), pitch))
    zero, parts = np.zeros(3), []
    for name in names:
        inertia, com = np.diag(rng.uniform(0.5, 1, 3)), rng.normal(size=3) * 0.3
        parts.append(Part(name, Place.random(rng, 3), float(rng.uniform(1, 2)), inertia, com, zero, zero))
    m = model(Sketch(3, tuple(parts), tuple(items), np.array([0.5, 0.2, -9.81])), "tree", parameters=False)
    return m, [m[name] for name in names]


def _joint(rng: np.random.Generator, kind: str, name: str, i: str, j: str) -> Item:
    at, (relative, numbers) = Place.random(rng, 3), JOINTS[kind].lies(rng, 3)
    return Item(kind, name, ((i, at), (j, at @ relative)), numbers)


def _sketch(rng: np.random.Generator, names: list[str], items: list[Item]) -> Sketch:
    zero = np.zeros(3)
    parts = [Part(name, Place.random(rng, 3), 1.0, np.eye(3), zero, zero, zero) for name in names]
    return Sketch(3, tuple(parts), tuple(items), zero)


__all__ = ["AMPLITUDE", "KINDS", "linkage", "random_tree", "tangle"]
