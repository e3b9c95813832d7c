"""What is drawn after all else: inertia along coordinates, attraction, contacts that press and rub, Stribeck's decay.

They have a stream of random numbers of their own: a machine without them is what it would be if there were none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fuzz.loads_drawn import added, ends_apart, moving_joint, pair
from fuzz.places import Place
from fuzz.sketch import Item, Num


def _inertia(g: Any, name: str) -> Item | None:
    found, x = moving_joint(g), g.x
    if found is None:
        return None
    L = 2 if found[1] == "angle" else 0
    return Item("Inertia", name, (), {"J": Num(x.uniform(0.1, 1.0), M=1, L=L)}, {"channel": found[1]}, (found[0],))


def _attraction(g: Any, name: str) -> Item:
    x = g.x
    strength = Num(float(x.uniform(0.5, 3) * x.choice((-1, 1))), L=3, M=1, T=-2)
    return Item("Attraction", name, ends_apart(g), {"strength": strength})


def _pressing(g: Any, name: str) -> Item:
    """A ball in a plane that gives way, on which it rubs by the smooth law."""
    (a, b), x = pair(g), g.x
    b = "ground" if a == b else b
    P, turned = g.near(a), Place.random(x, g.n)
    R, depth = x.uniform(0.1, 0.3), x.uniform(-0.05, 0.03)
    normal = turned.R[:, 1 if g.n == 2 else 2]
    numbers = {
        "Ri": Num(R, L=1), "Rj": Num(0.0, L=1), "k": Num(x.uniform(200, 2000), M=1, T=-2),
        "c": Num(x.uniform(0, 5), M=1, T=-1), "mu": Num(x.uniform(0.1, 0.6)),
        "transition": Num(x.uniform(0.1, 0.3), L=1, T=-1),
    }  # fmt: skip
    ends = (a, P), (b, Place(turned.R, P.r - normal * (R - depth)))
    return Item("Contact", name, ends, numbers, {"on": "plane", "law": "linear"})


def _stribeck(g: Any, name: str) -> bool:
    """Sliding friction that falls over a speed, in place of one that falls at once."""
    for k, item in enumerate(g.items):
        if item.kind == "DryFriction" and "mu_static" in item.numbers:
            turns = g.items[[x.name for x in g.items].index(item.of[0])].kind != "Translational"
            speed = Num(g.x.uniform(0.1, 0.5), L=0 if turns else 1, T=-1)
            g.items[k] = replace(item, numbers={**item.numbers, "stribeck": speed})
            return True
    return False


# each adds something to a machine that is being grown; whether it fitted
LATER_DRAWN: dict[str, Callable[[Any, str], bool]] = {
    "stribeck": _stribeck,
    **{draw.__name__[1:]: added(draw) for draw in (_inertia, _attraction, _pressing)},
}
