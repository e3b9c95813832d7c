"""What is drawn after `later_drawn`, from streams of its own: bevel gears, racks with inclined teeth, ropes over several
pulleys and drums, rises, laws in plain Python, forms of bushings in space, contacts by the law of an impact; and last of all
nodes without mass, of which nothing else may take hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fuzz.loads_drawn import FORCE, added
from fuzz.loads_drawn import bushing as drawn_bushing
from fuzz.loads_drawn import force as drawn_force
from fuzz.places import Place
from fuzz.rare import FORMS, way
from fuzz.sketch import Item, Num, Part


def _bevel(g: Any, name: str) -> Item | None:
    """Two gears on a third body, about axes that meet."""
    if g.n == 2 or g.flavour == "driven":
        return None
    x, base = g.x, g.other("")
    apex = g.near(base if base != "ground" else g.parts[0].name)
    between = x.uniform(0.8, 1.8)  # of the axes [rad]
    Ri, Rj = (float(R) for R in x.uniform(0.4, 0.8, 2))
    ends = []
    for k, (R, other) in enumerate(((Ri, Rj), (Rj, Ri))):
        # the pitch cone's half angle: tan = sin/(other/R + cos)
        away = R * (other / R + np.cos(between)) / np.sin(between)
        axis = apex @ Place.of((between * k, 0, 0)) @ Place.of((0, 0, 0), (0, 0, away))
        body = g.body()
        ends.append((body, g.joint("Revolute", base, body, axis, f"{name}j{k}").ends[1][1]))
    numbers = {"Ri": Num(Ri, L=1), "Rj": Num(Rj, L=1)}
    if g.s.random() < 0.5:
        numbers["pressure_angle"] = Num(x.uniform(0.2, 0.45))
    if g.s.random() < 0.3:
        numbers |= {"k": Num(x.uniform(500, 5000), M=1, T=-2), "c": Num(x.uniform(0, 5), M=1, T=-1)}
    else:
        g.dof -= 1
    return Item("Gear", name, tuple(ends), numbers)


def _inclined_rack(g: Any, name: str) -> bool:
    """A rack in space whose teeth push the pinion off."""
    for k, item in enumerate(g.items):
        if item.kind == "RackPinion" and g.n == 3:
            g.items[k] = replace(item, numbers={**item.numbers, "pressure_angle": Num(g.x.uniform(0.2, 0.45))})
            return True
    return False


def _pulleys(g: Any, name: str) -> Item | None:
    """A rope over two or three pulleys or eyes, ends on drums or at points; in space a pulley between eyes."""
    x, s = g.x, g.s
    count = int(s.integers(4, 6))
    names = [str(name) for name in s.choice([*[p.name for p in g.parts], "ground"], size=count)]
    if len(set(names)) < 2 or s.random() < 0.6:
        return None
    at = g.near(next(n for n in names if n != "ground"))
    heading, sense = float(x.uniform(-3, 3)), 1.0
    plane = at.R if g.n == 3 else np.eye(3)
    frames, headings = [Place(plane, at.r)], []
    for _ in range(count - 1):
        headings.append(heading)
        r = frames[-1].r + plane @ (np.array([np.cos(heading), np.sin(heading), 0.0]) * x.uniform(0.7, 1.2))
        frames.append(Place(plane, r))
        sense = float(s.choice((-1, 1)))
        heading += sense * float(x.uniform(0.6, 1.6))
    turns = [0.0, *[np.sign(b - a) for a, b in itertools.pairwise(headings)], 0.0]
    radii = [float(t * x.uniform(0.05, 0.15)) for t in turns]
    if g.n == 3:  # neighbours would have to stay parallel
        one = 1 + int(s.integers(count - 2))
        radii = [R if k == one else 0.0 for k, R in enumerate(radii)]
        aside = x.normal(size=count) * 0.1
        aside[one] = 0.0
        frames = [Place(f.R, f.r + f.R[:, 2] * a) for f, a in zip(frames, aside, strict=True)]
    else:
        radii = [0.0 if R and s.random() < 0.2 else R for R in radii]
        for end in (0, -1):
            if names[end] != "ground" and s.random() < 0.4:
                radii[end] = float(x.uniform(0.05, 0.15) * s.choice((-1, 1)))
    numbers = {f"r{k}": Num(R, L=1) for k, R in enumerate(radii)}
    now, _ = way(frames, radii)
    if g.dof > 1 and g.flavour != "driven" and s.random() < 0.4:
        g.dof -= 1
    else:
        numbers |= {"k": Num(x.uniform(20, 200), M=1, T=-2), "c": Num(x.uniform(0, 1), M=1, T=-1)}
        numbers["length"] = Num(now - x.uniform(-0.05, 0.3), L=1)
    return Item("Rope", name, tuple(zip(names, frames, strict=True)), numbers)


def _rise(g: Any, name: str) -> bool:
    """A driver that rises from rest to rest, in place of a law."""
    for k, item in enumerate(g.items):
        if item.kind == "Driver" and item.words["motion"] in ("harmonic", "law"):
            x, motion = g.x, str(g.s.choice(("cycloid", "modified sine")))
            numbers = {"duration": Num(x.uniform(0.05, 0.4), T=1), "start": Num(x.uniform(0.0, 0.15), T=1)}
            g.items[k] = replace(item, numbers={**item.numbers, **numbers}, words={**item.words, "motion": motion})
            return True
    return False


def _plain_law(g: Any, name: str) -> Item:
    """A force whose law is plain Python."""
    return replace(drawn_force(g, name), kind="PlainForce")


def _full_bushing(g: Any, name: str) -> Item | None:
    """A bushing in space by one of its forms, with full matrices."""
    if g.n == 2:
        return None
    x, item = g.x, drawn_bushing(g, name)
    numbers = dict(item.numbers)
    for K in "kc" if g.s.random() < 0.7 else "":
        size = np.sqrt([numbers[f"{K}{m}"].value for m in range(6)])
        full = np.corrcoef(x.normal(size=(6, 9))) * np.outer(size, size)  # positive definite, with this diagonal
        for a, b in itertools.combinations(range(6), 2):
            numbers[f"{K}{a}{b}"] = Num(float(full[a, b]), L=(a > 2) + (b > 2), M=1, T=-2 if K == "k" else -1)
    return replace(item, numbers=numbers, words={"form": str(g.s.choice(list(FORMS)))})


def _by_impact(g: Any, name: str) -> bool:
    """A contact that damps by the speed of its impact (Lankarani and Nikravesh)."""
    for k, item in enumerate(g.items):
        if item.kind == "Contact" and item.words["law"] != "linear":
            numbers = {n: q for n, q in item.numbers.items() if n != "c"} | {"restitution": Num(g.x.uniform(0.3, 0.95))}
            g.items[k] = replace(item, numbers=numbers, words={**item.words, "law": "lankarani-nikravesh"})
            return True
    return False


def _node(g: Any, name: str) -> bool:
    """A node without mass between springs, in balance as it is drawn."""
    s, x = g.s, g.x
    if s.random() < 0.75:
        return False
    node = f"b{len(g.parts)}"
    zero, count = np.zeros(3), g.n + 1 + int(s.integers(2))
    bodies = [p.name for p in g.parts]
    names = [str(s.choice(bodies)), *map(str, s.choice([*bodies, "ground"], size=count - 1))]
    flat = np.array([1.0, 1.0, g.n == 3])
    first = g.near(names[0])
    outward = x.normal(size=3) * flat
    r = first.r + outward / np.linalg.norm(outward) * x.uniform(0.4, 1.0)
    pulls = [(first.r - r) / np.linalg.norm(first.r - r) * x.uniform(2, 10)]
    pulls += [u / np.linalg.norm(u) * x.uniform(2, 10) for u in (x.normal(size=3) * flat for _ in range(count - 2))]
    pulls.append(-np.sum(pulls, axis=0))
    dampers = s.random() < 0.3
    for k, (body, F) in enumerate(zip(names, pulls, strict=True)):
        T = float(np.linalg.norm(F))
        away, stiffness = (float(v) for v in x.uniform((0.4, 10), (1.2, 50)))
        away = away if k else float(np.linalg.norm(first.r - r))
        stiffness = max(stiffness, T / (0.7 * away))  # it pulls by T as it is drawn: pushed nodes have several balances
        numbers = {
            "k": Num(stiffness, M=1, T=-2), "length": Num(away - T / stiffness, L=1), "a": Num(0.0, **FORCE),
            "c": Num(float(x.uniform(0.2, 2)) if dampers and k <= g.n else 0.0, M=1, T=-1), "w": Num(1.0, T=-1),
        }  # fmt: skip
        ends = (body, Place(np.eye(3), r + F / T * away)), (node, Place(np.eye(3), r))
        g.items.append(Item("Spring", f"{name}s{k}", ends, numbers, {"law": "plain"}))
    g.items.append(Item("Node", name, ((node, Place(np.eye(3), r)),)))
    g.parts.append(Part(node, Place(np.eye(3), r), 0.0, np.zeros((3, 3)), zero, zero, zero))
    return True


# each adds something to a machine that is being grown; whether it fitted
RARE: dict[str, Callable[[Any, str], bool]] = {
    **{draw.__name__[1:]: added(draw) for draw in (_bevel, _pulleys, _plain_law, _full_bushing)},
    **{draw.__name__[1:]: draw for draw in (_inclined_rack, _rise, _by_impact)},
}
NODES: dict[str, Callable[[Any, str], bool]] = {"node": _node}
