"""What is drawn beside joints, loads and drivers: impacts, tyres, tables, rails in space, starts that are fixed.

They have streams of random numbers of their own: a machine without them is what it would be if there were none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fuzz.loads_drawn import FORCE, TORQUE, added, ends_apart, moving_joint, pair
from fuzz.places import Place
from fuzz.sketch import Item, Num

KNOTS = np.linspace(-3.0, 3.0, 13)  # of tables: beyond what arguments reach


def _impact(g: Any, name: str) -> Item:
    """A ball near a plane or another ball, a little apart."""
    a, b = pair(g)
    b = "ground" if a == b else b
    x, on = g.x, str(g.s.choice(("plane", "sphere")))
    P, turned = g.near(a), Place.random(x, g.n)
    R, gap = x.uniform(0.1, 0.3, 2), x.uniform(0.005, 0.1)
    numbers = {"Ri": Num(R[0], L=1), "Rj": Num(R[1], L=1), "restitution": Num(x.uniform(0.0, 0.95))}
    if on == "plane":
        normal = turned.R[:, 1] if g.n == 2 else turned.R[:, 2]
        Q = Place(turned.R, P.r - normal * (R[0] + gap) + turned.R[:, 0] * x.normal() * 0.2)
    else:
        Q = Place(turned.R, P.r + turned.R[:, 0] * (R.sum() + gap))
    return Item("Impact", name, ((a, P), (b, Q)), numbers, {"on": on})


def _bumper(g: Any, name: str) -> Item | None:
    """A stop of a joint that throws back."""
    found = moving_joint(g)
    if found is None or any(item.kind == "Driver" for item in g.items):  # which would push it through
        return None
    (joint, channel), x = found, g.x
    now, L = g.coordinates[joint][channel], 0 if channel == "angle" else 1
    numbers = {
        "lower": Num(now - x.uniform(0.005, 0.2), L=L), "upper": Num(now + x.uniform(0.005, 0.2), L=L),
        "restitution": Num(x.uniform(0.0, 0.95)),
    }  # fmt: skip
    return Item("Bumper", name, (), numbers, {"channel": channel}, (joint,))


def _tyre(g: Any, name: str) -> Item | None:
    """A wheel that touches the level road, with an axle that is nearly level."""
    if g.n == 2:
        return None
    x, a = g.x, str(g.s.choice([p.name for p in g.parts]))
    axle = Place.of((0, 0, x.uniform(-3, 3))) @ Place.of((np.pi / 2 + x.normal() * 0.1, 0, 0))
    centre, R = g.near(a).r, x.uniform(0.2, 0.5)
    numbers = {
        "radius": Num(R, L=1), "k": Num(x.uniform(200, 2000), M=1, T=-2), "c": Num(x.uniform(0, 5), M=1, T=-1),
        "cornering": Num(x.uniform(1, 50), **FORCE), "mu": Num(x.uniform(0.2, 1.0)),
        "height": Num(float(centre[2]) - R + x.uniform(-0.05, 0.05), L=1),
    }  # fmt: skip
    return Item("Tyre", name, ((a, Place(axle.R, centre)),), numbers)


def _tabled(g: Any, name: str) -> Item:
    """A force along a joint or a distance, by a table."""
    x, found = g.x, moving_joint(g) if g.s.random() < 0.6 else None
    turns = found is not None and found[1] == "angle"
    numbers = {"a": Num(x.normal() * 3, **(TORQUE if turns else FORCE)), "unit": Num(x.uniform(1, 2), L=0 if turns else 1)}
    numbers["start"] = Num(g.coordinates[found[0]][found[1]] if found else 1.5, L=0 if turns else 1)
    words = {"values": _values(g)}
    if found is None:
        return Item("TableForce", name, ends_apart(g), numbers, words)
    return Item("TableForce", name, (), numbers, words | {"channel": found[1]}, (found[0],))


def _values(g: Any) -> tuple[float, ...]:
    """Of a table, zero at zero; the same for all numbers of a structure: they are no parameters."""
    values = np.round(g.s.normal(size=len(KNOTS)), 3)
    return tuple(float(v) for v in values - values[KNOTS == 0])


def _tabled_driver(g: Any, name: str) -> bool:
    """A driver that follows a table, in place of a law."""
    for k, item in enumerate(g.items):
        if item.kind == "Driver" and item.words["motion"] != "polynomial":
            g.items[k] = replace(item, words={**item.words, "motion": "table", "values": _values(g)})
            return True
    return False


def _rail(g: Any, name: str) -> Item | None:
    """A bead on a curve in space: two equations."""
    if g.n == 2 or g.dof < 2 or g.flavour == "driven":
        return None
    x, a = g.x, str(g.s.choice([p.name for p in g.parts]))
    b, P, alpha = g.other(a), g.near(a), float(x.uniform(-1, 1))
    A, B, C = (float(v) for v in x.uniform((0.5, 0.2, -0.3), (1.0, 0.5, 0.3)))
    bead = P @ Place.of((0, 0, 0), (A * alpha, B * np.sin(2 * alpha), C * alpha**2))
    g.dof -= 2
    numbers = {"a": Num(A, L=1), "b": Num(B, L=1), "c": Num(C, L=1), "alpha": Num(alpha)}
    return Item("PointFollower", name, ((a, P), (b, bead)), numbers)


def _fixed(g: Any, name: str) -> Item | None:
    """A joint whose coordinate and rate at the start are exact."""
    driven = {item.of[0] for item in g.items if item.kind == "Driver"}
    free = [(j, c) for j, own in g.coordinates.items() for c in own if j not in driven]
    if not free or g.dof < 1:
        return None
    joint, channel = free[g.s.integers(len(free))]
    L = 0 if channel == "angle" else 1
    numbers = {"value": Num(g.coordinates[joint][channel], L=L), "rate": Num(g.x.normal(), L=L, T=-1)}
    return Item("Fix", name, (), numbers, {"channel": channel}, (joint,))


# each adds something to a machine that is being grown; whether it fitted
FURTHER: dict[str, Callable[[Any, str], bool]] = {
    **{draw.__name__[1:]: added(draw) for draw in (_impact, _bumper, _tyre, _tabled, _rail, _fixed)},
    "tabled driver": _tabled_driver,
}
