"""Random forces on a machine that is being grown: for each kind a function that draws one, or None where it does not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.places import Place
from fuzz.sketch import Item, Num

FORCE, TORQUE = {"L": 1, "M": 1, "T": -2}, {"L": 2, "M": 1, "T": -2}


def pair(g: Any) -> tuple[str, str]:
    a = str(g.s.choice([p.name for p in g.parts]))
    return a, g.other(a)


def ends_apart(g: Any) -> tuple[tuple[str, Place], ...]:
    """On two bodies (if there are two), away from each other."""
    a, b = pair(g)
    if a == b:
        b = "ground"
    P, Q = g.near(a), g.near(b if b != "ground" else a)
    away = Q.r - P.r
    size = np.linalg.norm(away)
    return (a, P), (b, Place(Q.R, P.r + away / size * (0.4 + size)))


def moving_joint(g: Any) -> tuple[str, str] | None:
    moving = [(j, c) for j, own in g.coordinates.items() for c in own]
    return moving[g.s.integers(len(moving))] if moving else None


def _spring(g: Any, name: str) -> Item:
    x, ends = g.x, ends_apart(g)
    now = float(np.linalg.norm(ends[1][1].r - ends[0][1].r))
    numbers = {
        "k": Num(x.uniform(5, 50), M=1, T=-2), "length": Num(now * x.uniform(0.5, 1.2), L=1), "a": Num(x.normal(), **FORCE),
        "c": Num(x.uniform(0, 2), M=1, T=-1), "w": Num(x.uniform(1, 4), T=-1),
    }  # fmt: skip
    if g.s.random() < 0.4:
        numbers["c"] = Num(0.0)
    return Item("Spring", name, ends, numbers, {"law": str(g.s.choice(("plain", "plain", "hard")))})


def _torsion(g: Any, name: str) -> Item | None:
    turning = [j for j, own in g.coordinates.items() if "angle" in own]
    if not turning:
        return None
    joint, x = str(g.s.choice(turning)), g.x
    numbers = {
        "k": Num(x.uniform(1, 10), **TORQUE),
        "angle": Num(x.uniform(-1, 1)),
        "c": Num(x.uniform(0, 1), L=2, M=1, T=-1),
    }
    return Item("TorsionSpring", name, (), numbers, {"channel": "angle"}, (joint,))


def force(g: Any, name: str) -> Item:
    x, found = g.x, moving_joint(g) if g.s.random() < 0.6 else None
    turns = found is not None and found[1] == "angle"
    unit = TORQUE if turns else FORCE
    per = unit if turns else {**unit, "L": 0}
    numbers = {
        "a": Num(x.normal() * 3, **unit), "w": Num(x.uniform(1, 4), T=-1), "k": Num(x.uniform(0, 5), **per),
        "c": Num(x.uniform(0, 1), **{**per, "T": -1}),
    }  # fmt: skip
    if found is None:
        return Item("Force", name, ends_apart(g), numbers)
    return Item("Force", name, (), numbers, {"channel": found[1]}, (found[0],))


def _point_force(g: Any, name: str) -> Item:
    a = str(g.s.choice([p.name for p in g.parts]))
    frame = str(g.s.choice(("ground", "body")))
    ends = (a, g.near(a)), (a if frame == "body" else "ground", g.near(a))
    numbers = {"a": Num(g.x.normal() * 5, **FORCE), "w": Num(g.x.uniform(1, 4), T=-1)}
    return Item("PointForce", name, ends, numbers, {"frame": frame, "law": str(g.s.choice(("constant", "time")))})


def _torque(g: Any, name: str) -> Item:
    a = str(g.s.choice([p.name for p in g.parts]))
    frame = str(g.s.choice(("ground", "body"))) if g.n == 3 else "ground"
    ends = (a, g.near(a)), (a if frame == "body" else "ground", g.near(a))
    return Item("Torque", name, ends, {"a": Num(g.x.normal() * 3, **TORQUE)}, {"frame": frame})


def bushing(g: Any, name: str) -> Item:
    a, b = pair(g)
    if a == b:
        b = "ground"
    x, P = g.x, g.near(a)
    Q = P @ Place.of((0, 0, x.normal() * 0.05) if g.n == 2 else x.normal(size=3) * 0.05, (*x.normal(size=2) * 0.05, 0))
    size, shifts = (3, 2) if g.n == 2 else (6, 3)
    numbers = {}
    for i in range(size):
        unit = {"L": 0 if i < shifts else 2, "M": 1}
        numbers[f"k{i}"] = Num(x.uniform(20, 60), **unit, T=-2)
        numbers[f"c{i}"] = Num(x.uniform(0, 2), **unit, T=-1)
    return Item("Bushing", name, ((a, P), (b, Q)), numbers)


def _friction(g: Any, name: str) -> Item | None:
    x, turning = g.x, g.s.random() < 0.5
    kinds = ("Revolute", "Spherical", "Universal") if turning else ("Translational",)
    fit = [item.name for item in g.items if item.kind in kinds]
    if not fit:
        return None
    slow = {"T": -1} if turning else {"T": -1, "L": 1}
    numbers = {
        "mu": Num(x.uniform(0.02, 0.2)), "viscous": Num(x.uniform(0, 0.2), M=1, T=-1, L=2 if turning else 0),
        "transition": Num(0.1, **slow),
    }  # fmt: skip
    if turning:
        numbers["radius"] = Num(x.uniform(0.02, 0.1), L=1)
    return Item("Friction", name, (), numbers, {}, (str(g.s.choice(fit)),))


def _contact(g: Any, name: str) -> Item:
    a, b = pair(g)
    if a == b:
        b = "ground"
    x, law = g.x, str(g.s.choice(("linear", "hertz", "hunt-crossley")))
    on = str(g.s.choice(("plane", "sphere")))
    P, turned = g.near(a), Place.random(x, g.n)
    R, gap = x.uniform(0.1, 0.3, 2), x.uniform(-0.03, 0.1)
    power = 0.0 if law == "linear" else -0.5
    numbers = {
        "Ri": Num(R[0], L=1), "Rj": Num(R[1], L=1), "k": Num(x.uniform(200, 2000), M=1, T=-2, L=power),
        "c": Num(x.uniform(0, 5), M=1, T=-1, L=-1.5 if law == "hunt-crossley" else 0),
    }  # fmt: skip
    if on == "plane":
        normal = turned.R[:, 1] if g.n == 2 else turned.R[:, 2]
        along = turned.R[:, 0] * x.normal() * 0.2
        Q = Place(turned.R, P.r - normal * (R[0] + gap) + along)
    else:
        Q = Place(turned.R, P.r + turned.R[:, 0] * (R.sum() + gap))
    return Item("Contact", name, ((a, P), (b, Q)), numbers, {"on": on, "law": law})


def _stop(g: Any, name: str) -> Item | None:
    found = moving_joint(g)
    if found is None:
        return None
    x, (joint, channel) = g.x, found
    now, turns = g.coordinates[joint][channel], channel == "angle"
    lower, upper = now - x.uniform(0, 0.2), now + x.uniform(0, 0.2)
    L = 0 if turns else 1
    per = TORQUE if turns else {**FORCE, "L": 0}
    numbers = {"lower": Num(lower, L=L), "upper": Num(upper, L=L), "k": Num(x.uniform(20, 200), **per)}
    numbers["c"] = Num(x.uniform(0, 1), **{**per, "T": -1})
    return Item("Stop", name, (), numbers, {"channel": channel}, (joint,))


LOADS: dict[str, Callable[[Any, str], Item | None]] = {
    "spring": _spring, "torsion": _torsion, "force": force, "point force": _point_force, "torque": _torque,
    "bushing": bushing, "friction": _friction, "contact": _contact, "stop": _stop,
}  # fmt: skip


def added(draw: Callable[[Any, str], Item | None]) -> Callable[[Any, str], bool]:
    """Draws one and adds it, where it fits."""

    def add(g: Any, name: str) -> bool:
        item = draw(g, name)
        g.items += [item] if item is not None else []
        return item is not None

    return add
