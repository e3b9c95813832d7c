"""What is drawn last: what sticks, touches, rolls, pulls along ropes and belts, and states, from streams of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fuzz.loads_drawn import FORCE, TORQUE, added, moving_joint, pair
from fuzz.places import Place, turn
from fuzz.sketch import Item, Num
from fuzz.touching import SPATIAL, outline, tangents

PINNED = ("Revolute", "Spherical", "Universal")  # a radius makes a torque of their friction


def _dry(g: Any, name: str) -> Item | None:
    """Friction that sticks, in a joint."""
    x, fit = g.x, [item for item in g.items if item.kind in (*PINNED, "Translational", "Cylindrical")]
    rubbed = {item.of[0] for item in g.items if item.kind == "Friction"}
    fit = [item for item in fit if item.name not in rubbed and item.kind != "Cylindrical"]
    if not fit:
        return None
    joint = fit[g.s.integers(len(fit))]
    turns = joint.kind in PINNED
    numbers = {"mu": Num(x.uniform(0.05, 0.4)), "level": Num(x.uniform(0.0, 2.0), **(TORQUE if turns else FORCE))}
    if g.s.random() < 0.5:
        numbers["mu_static"] = Num(numbers["mu"].value * x.uniform(1.0, 1.5))
    if g.s.random() < 0.3:
        numbers["viscous"] = Num(x.uniform(0, 0.2), M=1, T=-1, L=2 if turns else 0)
    if turns:
        numbers["radius"] = Num(x.uniform(0.05, 0.2), L=1)
    return Item("DryFriction", name, (), numbers, {}, (joint.name,))


def _rubbing(g: Any, name: str) -> Item:
    """A ball next to a plane, on which it rolls or slides where it comes to rest."""
    (a, b), x = pair(g), g.x
    b = "ground" if a == b else b
    P, turned = g.near(a), Place.random(x, g.n)
    gap = x.uniform(0.0, 0.02) if g.s.random() < 0.7 else 0.0
    R = x.uniform(0.1, 0.3)
    normal = turned.R[:, 1] if g.n == 2 else turned.R[:, 2]
    numbers = {"Ri": Num(R, L=1), "mu": Num(x.uniform(0.05, 0.6)), "restitution": Num(x.uniform(0.0, 0.5))}
    if g.s.random() < 0.5:
        numbers["mu_static"] = Num(numbers["mu"].value * x.uniform(1.0, 1.5))
    return Item("Rubbing", name, ((a, P), (b, Place(turned.R, P.r - normal * (R + gap)))), numbers, {"on": "plane"})


def _shape(g: Any, index: int) -> tuple[str, dict[str, Num]]:
    kinds = ("circle", "box", "rounded", "polygon", "capsule") if g.n == 2 else SPATIAL
    kind, x = str(g.s.choice(kinds)), g.x
    numbers = {f"{name}{index}": Num(float(v), L=1) for name, v in zip("abr", x.uniform(0.1, 0.3, 3), strict=True)}
    return kind, numbers


def _shapes(g: Any, name: str) -> Item | None:
    """Two bodies with shapes, a little apart."""
    (a, b), x = pair(g), g.x
    b = "ground" if a == b else b
    kinds, numbers = [], {}
    for index in (0, 1):
        kind, own = _shape(g, index)
        kinds.append(kind)
        numbers |= own
    if g.s.random() < 0.7:
        numbers["restitution"] = Num(x.uniform(0.0, 0.6) * (g.s.random() < 0.6))
        if g.s.random() < 0.4:
            numbers["mu"] = Num(x.uniform(0.1, 0.6))
    else:
        numbers |= {"k": Num(x.uniform(200, 2000), M=1, T=-2), "c": Num(x.uniform(0, 5), M=1, T=-1)}
    item = Item(
        "Shapes", name, ((a, g.near(a)), (b, Place.random(x, g.n))), numbers, {"shapes": tuple(kinds), "flat": g.n == 2}
    )
    if g.n == 3 and "box" in kinds:  # which lie along the axes of their bodies
        ends = [(body, Place(g.places(body).R, place.r)) for body, place in item.ends]
        item = replace(item, ends=tuple(ends))
    (_, P), (_, Q) = item.ends
    away = x.normal(size=3) * (1, 1, g.n == 3)
    away /= np.linalg.norm(away)
    (one, r), (other, s) = (outline(item, k) for k in (0, 1))
    target, low, high = x.uniform(0.002, 0.03), 0.0, 3.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        there = Q.R @ other.T + (P.r + middle * away)[:, None]
        gap = np.linalg.norm((P.R @ one.T + P.r[:, None])[:, :, None] - there[:, None, :], axis=0).min() - r - s
        low, high = (middle, high) if gap < target else (low, middle)
    return replace(item, ends=((a, P), (b, Place(Q.R, P.r + high * away))))


def _rope(g: Any, name: str) -> Item | None:
    """From a body round a pulley of another, or through an eye, to a third; with a stiffness, or of one length."""
    x, rigid = g.x, g.dof > 1 and g.flavour != "driven" and g.s.random() < 0.3
    a, b = pair(g)
    c = g.other(a)
    P, C = g.near(a), g.near(c if c != "ground" else a)
    away = [x.normal(size=3) * (1, 1, g.n == 3) for _ in range(2)]
    A, B = (C.r + v / np.linalg.norm(v) * (0.5 + x.uniform(0, 1)) for v in away)
    R = x.uniform(0.05, 0.2) if g.n == 2 else 0.0
    lines = [tangents(A, C.r, B, s * R) for s in (1, -1)]
    R *= 1 if lines[0].wrap < lines[1].wrap else -1
    now = min(lines, key=lambda line: line.wrap).length
    numbers = {"r0": Num(0.0, L=1), "r1": Num(R, L=1), "r2": Num(0.0, L=1)}
    if rigid:
        g.dof -= 1
    else:
        numbers |= {"k": Num(x.uniform(20, 200), M=1, T=-2), "length": Num(now * x.uniform(0.9, 1.02), L=1)}
        numbers["c"] = Num(x.uniform(0, 1), M=1, T=-1)
    return Item("Rope", name, ((a, Place(P.R, A)), (c, C), (b if b != a else "ground", Place(P.R, B))), numbers)


def _belt(g: Any, name: str) -> Item | None:
    """Two pulleys on a third body with a belt between them."""
    if g.flavour == "driven":
        return None
    x, base = g.x, g.other("")
    at = g.near(base if base != "ground" else g.parts[0].name)
    D, f = x.uniform(0.8, 1.4), x.uniform(0.2, 0.6)
    crossed, ends = bool(g.s.random() < 0.3), []
    for centre in (at, at @ Place.of((0, 0, 0), (D, 0, 0))):
        body = g.body()
        ends.append((body, g.joint("Revolute", base, body, centre, f"{name}j{len(ends)}").ends[1][1]))
    numbers = {"Ri": Num(0.7 * D * f, L=1), "Rj": Num(0.7 * D * (1 - f), L=1)}
    if g.s.random() < 0.5:
        numbers |= {"k": Num(x.uniform(200, 2000), M=1, T=-2), "c": Num(x.uniform(0, 2), M=1, T=-1)}
        numbers["pretension"] = Num(x.uniform(10, 50), **FORCE)
    else:
        g.dof -= 1
        if g.s.random() < 0.5:
            numbers["pretension"] = Num(x.uniform(10, 50), **FORCE)
    return Item("Belt", name, tuple(ends), numbers, {"crossed": crossed})


def _teeth(g: Any, name: str) -> bool:
    """Gears with inclined or elastic teeth in place of plain ones."""
    for k, item in enumerate(g.items):
        if item.kind == "Gear":
            x, numbers = g.x, dict(item.numbers)
            numbers["pressure_angle"] = Num(x.uniform(0.2, 0.45))
            if g.n == 3 and g.s.random() < 0.7:
                numbers["helix_angle"] = Num(x.uniform(-0.5, 0.5))
            if g.s.random() < 0.4 and g.flavour != "driven":
                numbers |= {"k": Num(x.uniform(500, 5000), M=1, T=-2), "c": Num(x.uniform(0, 5), M=1, T=-1)}
                numbers["backlash"] = Num(x.uniform(0.0, 0.01), L=1)
                g.dof += 1
            g.items[k] = replace(item, numbers=numbers)
            return True
    return False


def _wheel(g: Any, name: str) -> Item | None:
    """A tyre with slip along its heading, which may relax."""
    if g.n == 2:
        return None
    x, a = g.x, str(g.s.choice([p.name for p in g.parts]))
    axle = Place.of((0, 0, x.uniform(-3, 3))) @ Place.of((np.pi / 2 + x.normal() * 0.1, 0, 0))
    centre, R = g.near(a).r, x.uniform(0.2, 0.5)
    numbers = {
        "radius": Num(R, L=1), "k": Num(x.uniform(200, 2000), M=1, T=-2), "c": Num(x.uniform(0.1, 5), M=1, T=-1),
        "cornering": Num(x.uniform(1, 50), **FORCE), "mu": Num(x.uniform(0.2, 1.0)),
        "longitudinal": Num(x.uniform(1, 50), **FORCE),
        "height": Num(float(centre[2]) - R + x.uniform(-0.05, 0.02), L=1),
    }  # fmt: skip
    if g.s.random() < 0.5:
        numbers["relaxation"] = Num(x.uniform(0.1, 0.5), L=1)
    return Item("Wheel", name, ((a, Place(axle.R, centre)),), numbers)


def _units(channel: str) -> tuple[dict[str, int], dict[str, int], int]:
    """Of an effort along a coordinate, of a stiffness along it, and the power of length in the coordinate."""
    return (TORQUE, TORQUE, 0) if channel == "angle" else (FORCE, {**FORCE, "L": 0}, 1)


def _motor(g: Any, name: str) -> Item | None:
    found, x = moving_joint(g), g.x
    if found is None:
        return None
    effort, _, L = _units(found[1])
    power = {"L": 2, "M": 1, "T": -3}  # a current is no unit
    numbers = {
        "voltage": Num(x.normal() * 5, **power), "k": Num(x.uniform(0.2, 1.0), **effort),
        "resistance": Num(x.uniform(1, 5), **power), "ratio": Num(x.uniform(0.5, 2.0)),
    }  # fmt: skip
    if g.s.random() < 0.5:
        numbers["inductance"] = Num(x.uniform(0.1, 1.0), **{**power, "T": -2})
    if g.s.random() < 0.5:
        numbers["rotor"] = Num(x.uniform(0.05, 0.5), M=1, L=2 - 2 * L)
    return Item("Motor", name, (), numbers, {"channel": found[1]}, (found[0],))


def _pid(g: Any, name: str) -> Item | None:
    found, x = moving_joint(g), g.x
    if found is None:
        return None
    effort, per, L = _units(found[1])
    now = g.coordinates[found[0]][found[1]]
    numbers = {
        "kp": Num(x.uniform(2, 20), **per), "kd": Num(x.uniform(0, 2), **{**per, "T": -1}),
        "offset": Num(now + x.normal() * 0.2, L=L), "a": Num(x.normal() * 0.3, L=L), "w": Num(x.uniform(1, 4), T=-1),
    }  # fmt: skip
    if g.s.random() < 0.6:
        numbers["ki"] = Num(x.uniform(1, 20), **{**per, "T": -3})
    if g.s.random() < 0.5:
        numbers["most"] = Num(x.uniform(1, 4), **effort)
    return Item("PID", name, (), numbers, {"channel": found[1]}, (found[0],))


def _maxwell(g: Any, name: str) -> Item | None:
    """A spring and a damper in series along a joint: their force is a state."""
    found, x = moving_joint(g), g.x
    if found is None:
        return None
    effort, per, _ = _units(found[1])
    numbers = {"k": Num(x.uniform(5, 50), **per), "tau": Num(x.uniform(0.1, 1), T=1), "z": Num(x.normal(), **effort)}
    return Item("Maxwell", name, (), numbers, {"channel": found[1]}, (found[0],))


def _skate(g: Any, name: str) -> Item | None:
    """A blade under a body of the plane: no velocity across it."""
    if g.n == 3 or g.dof < 2 or g.flavour == "driven":
        return None
    a = str(g.s.choice([p.name for p in g.parts]))
    g.dof -= 1
    return Item("Skate", name, ((a, g.near(a)),))


def _rolling(g: Any, name: str) -> Item | None:
    rows = 2 if g.n == 2 else 3
    if g.dof <= rows or g.flavour == "driven":
        return None
    x, a = g.x, str(g.s.choice([p.name for p in g.parts]))
    b, C, R = g.other(a), g.near(a), x.uniform(0.2, 0.5)
    ball = bool(g.n == 3 and g.s.random() < 0.4)
    if g.n == 2:
        plane = Place.random(x, 2)
        touch = C.r - R * plane.R[:, 1]
    else:
        tilt = x.uniform(0.4, 1.5) if not ball else x.uniform(0, 3)  # of the axle against the normal
        plane = Place(C.R @ turn((tilt, 0, 0)), C.r)
        n, axle = plane.R[:, 2], C.R[:, 2]
        down = -n if ball else ((n @ axle) * axle - n) / np.linalg.norm((n @ axle) * axle - n)
        touch = C.r + R * down
    g.dof -= rows
    along = plane.R[:, 0] * x.normal() * 0.3
    return Item("Rolling", name, ((a, C), (b, Place(plane.R, touch + along))), {"radius": Num(R, L=1)}, {"ball": ball})


# each adds something to a machine that is being grown; whether it fitted
TOUCHING: dict[str, Callable[[Any, str], bool]] = {
    "teeth": _teeth,
    **{
        draw.__name__[1:]: added(draw)
        for draw in (_dry, _rubbing, _shapes, _rope, _belt, _wheel, _motor, _pid, _maxwell, _skate, _rolling)
    },
}
# where all that moves is driven: these need a joint that is free, or give way to nothing
NOT_DRIVEN = ("dry", "rubbing", "shapes", "rolling", "skate", "belt")
