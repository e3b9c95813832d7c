"""The problems as robotics programs take them: links on joints of one freedom from ground outwards, loops closed by points
that coincide, springs between points. Each program translates this one description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import benchmark_machines as machines
from benchmarks import dynamics
from benchmarks.programs.problems import G
from benchmarks.programs.setting import Kept

Vector = tuple[float, float, float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
WORLD = "world"


@dataclass(frozen=True)
class Link:
    """`at`: its joint in the parent's frame; `turn`: angle and axis of its frame there; `com`, `J`: the mass centre in its
    frame, and the moments of inertia about it; `rate`: of the joint at the start. Its frame has its origin in the joint."""

    name: str
    parent: str
    axis: Vector
    at: Vector
    com: Vector
    mass: float
    J: Vector
    rate: float = 0.0
    slides: bool = False
    turn: tuple[float, Vector] = (0.0, Z)


@dataclass(frozen=True)
class Pin:
    """A point of one link is a point of another, or of the world."""

    a: str
    P: Vector
    b: str
    Q: Vector


@dataclass(frozen=True)
class Spring:
    a: str
    P: Vector
    b: str
    Q: Vector
    k: float
    c: float
    length: float


@dataclass(frozen=True)
class Tree:
    """Looked at: a point `P` of `link`, its components `which`; or, where it is None, the joint's coordinate + `offset`."""

    links: tuple[Link, ...]
    gravity: Vector
    link: str
    P: Vector | None = None
    which: tuple[int, ...] = (0, 1)
    offset: float = 0.0
    pins: tuple[Pin, ...] = ()
    springs: tuple[Spring, ...] = ()


def chain(n: int) -> Tree:
    thin = (1e-3, 1 / 12, 1 / 12)
    names = [WORLD, *(f"rod{k}" for k in range(n))]
    links = tuple(
        Link(names[k + 1], names[k], Z, (float(k > 0), 0.0, 0.0), (0.5, 0.0, 0.0), 1.0, thin) for k in range(n)
    )  # fmt: skip
    return Tree(links, (0.0, -G, 0.0), names[min(5, n)], X)


def slider_crank() -> Tree:
    """At the start the crank is upright and the rod does not turn; the slider moves as the pin does."""
    r, L, w = dynamics.CRANK, dynamics.ROD, dynamics.OMEGA
    beta = float(np.arcsin(r / L))
    J = (0.01,) * 3
    links = (
        Link("crank", WORLD, Z, (0.0, 0.0, 0.0), (0.0, r / 2, 0.0), 1.0, J, rate=w),
        Link("rod", "crank", Z, (0.0, r, 0.0), (L / 2, 0.0, 0.0), 2.0, (0.05,) * 3, rate=-w, turn=(-beta, Z)),
        Link("slider", WORLD, X, (L * float(np.cos(beta)), 0.0, 0.0), (0.0,) * 3, 1.0, J, rate=-w * r, slides=True),
    )
    pins = (Pin("rod", (L, 0.0, 0.0), "slider", (0.0, 0.0, 0.0)),)
    return Tree(links, (0.0, -G, 0.0), "crank", offset=np.pi / 2, pins=pins)


def four_bars(n: int) -> Tree:
    links, pins = [], []
    for i in range(n + 1):
        upright = (1 / 12, 1e-3, 1 / 12)
        links.append(Link(f"c{i}", WORLD, Z, (float(i), 0.0, 0.0), (0.0, 0.5, 0.0), 1.0, upright, rate=-1.0))
        if i < n:
            links.append(Link(f"k{i}", f"c{i}", Z, Y, (0.5, 0.0, 0.0), 1.0, (1e-3, 1 / 12, 1 / 12), rate=1.0))
            pins.append(Pin(f"k{i}", X, f"c{i + 1}", Y))
    return Tree(tuple(links), (0.0, -G, 0.0), "c0", offset=np.pi / 2, pins=tuple(pins))


def bricard() -> Tree:
    """The sixth hinge is two points of its axis: one equation too many, and one more that the ring has anyway."""
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    links = []
    for k, axis in enumerate((Y, Z, X, Y, Z)):
        along = P[k + 1] - P[k]
        J = np.where(along != 0, 0.01 / 6, 1.01 / 12)
        at = P[k] - (P[k - 1] if k else 0)
        links.append(Link(f"rod{k}", f"rod{k - 1}" if k else WORLD, axis, tuple(at), tuple(along / 2), 1.0, tuple(J)))
    pins = (Pin("rod4", Y, WORLD, Z), Pin("rod4", (1.0, 1.0, 0.0), WORLD, (1.0, 0.0, 1.0)))
    return Tree(tuple(links), (0.0, -G, 0.0), "rod1", (0.0, -1.0, 0.0), which=(0, 1, 2), pins=pins)


def flyball() -> Tree:
    model = machines.flyball()
    c = 5.15 / 5.3
    slim = 0.3 * 1.0001 / 12
    links = [
        Link("shaft", WORLD, Z, (0.0, 0.0, 0.5), (0.0,) * 3, 0.3, (slim, slim, 0.3 * 2e-4 / 12), rate=2 * np.pi),
        Link("slider", "shaft", Z, (0.0,) * 3, (0.0,) * 3, 3.0, (0.005,) * 3, slides=True),
    ]
    springs = []
    for name, side in (("right", 1), ("left", -1)):
        angle = np.pi / 6 if side > 0 else np.pi - np.pi / 6
        J = tuple(model.value(row[i]) for i, row in enumerate(model[name].inertia))
        links.append(Link(name, "shaft", Y, (0.05 * side, 0.0, 0.5), (c, 0.0, 0.0), 5.3, J, turn=(angle, Y)))
        springs.append(Spring("slider", (0.05 * side, 0.0, 0.0), name, (0.5, 0.0, 0.0), 8e5, 4e4, 0.5))
    return Tree(tuple(links), (0.0, 0.0, -G), "slider", offset=0.5, springs=tuple(springs))


def spatial_slider_crank() -> Tree:
    """The universal joint is two hinges with a cross of next to no mass between them, the ball joint a pin."""
    A, B, C = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
    u = (C - B) / 0.3
    across = np.cross(X, u) / np.linalg.norm(np.cross(X, u))
    turned = Rotation.from_matrix(np.array([u, across, np.cross(u, across)]).T).as_rotvec()
    angle = float(np.linalg.norm(turned))
    vB, vC = np.cross((6.0, 0, 0), B - A), np.array([0.24, 0, 0])  # x of C: sqrt(0.3^2 - y^2 - z^2) of B
    rates = np.linalg.lstsq(np.column_stack([np.cross(X, B - C), np.cross(across, B - C)]), vB - vC)[0]
    light = (1e-8, (1e-10,) * 3)
    links = (
        Link("crank", WORLD, X, tuple(A), (0.0, 0.0, 0.04), 0.12, (1e-4,) * 3, rate=6.0),
        Link("slider", WORLD, X, tuple(C), (0.0,) * 3, 2.0, (1e-3,) * 3, rate=0.24, slides=True),
        Link("cross", "slider", X, (0.0,) * 3, (0.0,) * 3, *light, rate=float(rates[0])),
        Link("rod", "cross", Y, (0.0,) * 3, (-0.15, 0.0, 0.0), 0.5, (4e-4, 4e-3, 4e-3), rate=float(rates[1]),
             turn=(angle, tuple(turned / angle))),
    )  # fmt: skip
    pins = (Pin("rod", (-0.3, 0.0, 0.0), "crank", (0.0, 0.0, 0.08)),)
    return Tree(links, (0.0, 0.0, -G), "slider", offset=0.2, pins=pins)


TREES: dict[str, Callable[[], Tree]] = {
    **{f"chain-{n}": (lambda n=n: chain(n)) for n in (1, 10, 100, 1000)},
    "slider-crank": slider_crank,
    "four-bars-1": lambda: four_bars(1),
    "four-bars-40": lambda: four_bars(40),
    "bricard": bricard,
    "flyball": flyball,
    "spatial slider-crank": spatial_slider_crank,
}


def kept(tree: Tree, state: dict[str, tuple[float, float]]) -> Kept:
    """Of the tree in this state: every joint's coordinate and rate."""
    gap, energy = _at(tree, state)
    if tree.springs:  # with dampers
        return Kept(gap, None)
    return Kept(gap, abs(energy - _at(tree, {link.name: (0.0, link.rate) for link in tree.links})[1]))


def _at(tree: Tree, state: dict[str, tuple[float, float]]) -> tuple[float | None, float]:
    """The largest gap, the energy without springs; from ground outwards."""
    at: dict[str, tuple[np.ndarray, ...]] = {WORLD: (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))}
    g, energy = np.array(tree.gravity), 0.0
    for link in tree.links:
        R, r, w, v = at[link.parent]
        q, rate = state[link.name]
        arm, R, axis = R @ np.array(link.at), R @ rotation(link.turn), np.array(link.axis)
        r, v = r + arm, v + np.cross(w, arm)
        if link.slides:
            along = R @ axis
            r, v = r + q * along, v + np.cross(w, q * along) + rate * along
        else:
            R = R @ rotation((q, link.axis))
            w = w + rate * (R @ axis)
        at[link.name] = R, r, w, v
        c, local = R @ np.array(link.com), R.T @ w
        vc = v + np.cross(w, c)
        energy += 0.5 * (link.mass * vc @ vc + local @ (np.array(link.J) * local)) - link.mass * g @ (r + c)
    place = lambda body, p: at[body][1] + at[body][0] @ np.array(p)  # noqa: E731
    gaps = [float(np.linalg.norm(place(p.a, p.P) - place(p.b, p.Q))) for p in tree.pins]
    return max(gaps, default=None), float(energy)


def rotation(turn: tuple[float, Vector]) -> np.ndarray:
    """About an axis of the frame by an angle."""
    return Rotation.from_rotvec(turn[0] * np.array(turn[1])).as_matrix()
