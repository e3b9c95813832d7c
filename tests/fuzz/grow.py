"""Random machines. The structure comes from one generator, the numbers from another: the same seed with another count of
numbers is the same structure."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.further_drawn import FURTHER
from fuzz.kinds import JOINTS, drawn
from fuzz.later_drawn import LATER_DRAWN
from fuzz.loads_drawn import LOADS
from fuzz.places import HERE, Place, turn
from fuzz.rare_drawn import NODES, RARE
from fuzz.sketch import Item, Num, Part, Sketch, Units
from fuzz.touching_drawn import NOT_DRIVEN, TOUCHING

# as drawn; a small machine in SI (a millimetre, under the same gravity); millimetres and tonnes; a large one
UNITS = (
    Units(),
    Units(),
    Units(),
    Units(1e-3, 1e-6, 1e-3**0.5),
    Units(1e3, 1e-3, 1.0),
    Units(0.05, 0.01, 0.05**0.5),
    Units(20, 5e3, 20**0.5),
)
LATER = FURTHER, TOUCHING, LATER_DRAWN, RARE, NODES
FLAVOURS = {"plain": 0.5, "driven": 0.2, "floating": 0.15, "bare": 0.15}


def grow(seed: int, count: int, dimension: int | None = None, later: int = len(LATER)) -> Sketch:
    """The machine of this seed with its `count`-th numbers. later: how many of the `LATER` draws it has, for machines of
    tests that are older than the last of them."""
    s, x = np.random.default_rng([seed]), np.random.default_rng([seed, count + 1])
    own = range(5, 5 + later)
    more = [(np.random.default_rng([seed, 0, of]), np.random.default_rng([seed, count + 1, of])) for of in own]
    n = (2 if s.random() < 0.6 else 3) if dimension is None else dimension
    return _Grower(s, x, n, more).sketch.rescaled(UNITS[int(x.integers(len(UNITS)))])


class _Grower:
    def __init__(
        self, s: np.random.Generator, x: np.random.Generator, n: int,
        more: list[tuple[np.random.Generator, np.random.Generator]],
    ) -> None:  # fmt: skip
        """`more`: structure and numbers of each of the `LATER` draws."""
        self.s, self.x, self.n = s, x, n
        self.parts: list[Part] = []
        self.items: list[Item] = []
        self.coordinates: dict[str, dict[str, float]] = {}  # of joints: channel -> value
        self.flavour = str(s.choice(list(FLAVOURS), p=list(FLAVOURS.values())))
        self.dof = 0
        self._tree(int(s.choice((1, 2, 3, 4), p=(0.35, 0.4, 0.2, 0.05))))
        if s.random() < 0.25:
            self._cell()
        self._loops()
        if self.flavour != "bare":
            self._loads()
        self._drivers()
        driven = any(item.kind == "Driver" for item in self.items)
        for draws, own in zip(LATER, more, strict=False):
            self._further({k: f for k, f in draws.items() if not (driven and k in NOT_DRIVEN)}, *own)
        weightless = self.flavour == "floating" and s.random() < 0.6
        down = np.array([0, -9.81, 0]) if n == 2 else np.array([0, 0, -9.81])
        tilted = turn((0, 0, x.uniform(-1, 1))) if s.random() < 0.3 else np.eye(3)
        if n == 3 and tilted[0, 1]:
            tilted = turn(x.uniform(-1, 1, 3))
        self.sketch = Sketch(n, tuple(self.parts), tuple(self.items), tilted @ down * (0.0 if weightless else 1.0))

    # -- bodies ------------------------------------------------------------------------------------------------------------
    def body(self, place: Place | None = None) -> str:
        s, x, n = self.s, self.x, self.n
        name = f"b{len(self.parts)}"
        drawn_place, com = Place.random(x, n), x.normal(size=3) * 0.2
        if n == 2:
            com[2] = 0.0
        if s.random() < 0.3:  # neat: axes as ground has them
            drawn_place = Place(np.eye(3), drawn_place.r)
        if s.random() < 0.4:
            com = np.zeros(3)
        points = x.normal(size=(5, 3)) * 0.3
        points -= points.mean(axis=0)
        J = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points) * x.uniform(0.5, 2)
        J = np.diag(np.diag(J)) if s.random() < 0.4 else J
        v, w = x.normal(size=3), x.normal(size=3)
        if n == 2:
            v[2], w[:2] = 0.0, 0.0
        still = s.random() < 0.25
        part = Part(name, place or drawn_place, float(x.uniform(0.5, 3)), J, com, v * (not still), w * (not still))
        self.parts.append(part)
        self.dof += 3 if n == 2 else 6
        return name

    def places(self, name: str) -> Place:
        return HERE if name == "ground" else next(p.place for p in self.parts if p.name == name)

    def near(self, name: str) -> Place:
        """A random frame in the neighbourhood of a body; sometimes its own axes."""
        at = Place.random(self.x, self.n, 0.6)
        R = self.places(name).R if self.s.random() < 0.3 else at.R
        return Place(R, self.places(name).r + at.r)

    def other(self, name: str) -> str:
        """Another body, or ground."""
        names = [p.name for p in self.parts if p.name != name]
        if self.flavour != "floating" or not names:
            names.append("ground")
        return str(self.s.choice(names))

    # -- joints ------------------------------------------------------------------------------------------------------------
    def joint(self, kind: str, i: str, j: str, at: Place | None = None, name: str = "") -> Item:
        relative, numbers = JOINTS[kind].lies(self.x, self.n)
        at = at or self.near(j if i == "ground" else i)
        item = Item(kind, name or f"J{len(self.items)}", ((i, at), (j, at @ relative)), numbers)
        axis = 0 if self.n == 2 else 2
        values = {"angle": relative.angle, "displacement": float(relative.r[axis])}
        self.coordinates[item.name] = {c: values[c] for c in JOINTS[kind].coordinates}
        self.items.append(item)
        self.dof -= JOINTS[kind].rows[self.n]
        return item

    def _tree(self, bodies: int) -> None:
        s = self.s
        for k in range(bodies):
            name = self.body()
            floating = self.flavour == "floating" and k == 0
            if floating or (k and s.random() < 0.08):
                continue  # free
            earlier = [p.name for p in self.parts[:-1]] + (["ground"] if self.flavour != "floating" else [])
            kind = drawn(s, self.n, least=1 if self.n == 2 else 3)
            assert kind is not None
            ends = [str(s.choice(earlier)), name]
            if s.random() < 0.3:
                ends.reverse()
            self.joint(kind, *ends)

    def _loops(self) -> None:
        s = self.s
        for _ in range(int(s.choice((0, 1, 2, 3), p=(0.45, 0.3, 0.15, 0.1)))):
            if len(self.parts) < 2 and self.flavour == "floating":
                return
            a = str(s.choice([p.name for p in self.parts]))
            b = self.other(a)
            if s.random() < 0.35 and self.dof > 1:
                self._special(a, b)
                continue
            kind = drawn(s, self.n, most=self.dof - 1)
            if kind is not None:
                self.joint(kind, a, b)

    def _special(self, a: str, b: str) -> None:
        """The basic constraints, pairs with curves, couplers: one equation."""
        s, x, n = self.s, self.x, self.n
        name = f"C{len(self.items)}"
        kinds = ["DP1", "DP2", "D", "CD", "Constraint"] + (["CamFollower", "CamFlat", "PointFollower"] if n == 2 else [])
        moving = [(j, c) for j, own in self.coordinates.items() for c in own]
        if len(moving) > 1:
            kinds.append("Coupler")
        kind = str(s.choice(kinds))
        P, Q = self.near(a), self.near(b if b != "ground" else a)
        self.dof -= 1
        if kind == "Coupler":
            pick = s.choice(len(moving), size=2, replace=False)
            of = [moving[k] for k in pick]
            f = {f"f{k}": Num(float(x.uniform(0.4, 2)), L=-1 if c == "displacement" else 0) for k, (_, c) in enumerate(of)}
            words = {"channels": tuple(c for _, c in of)}
            self.items.append(Item(kind, name, (), f, words, tuple(j for j, _ in of)))
            return
        if kind in ("DP1", "Constraint"):  # across each other, more or less: the row vanishes where they are parallel
            Q = Place(P.R @ turn((0, 0, x.uniform(0.8, 2.3))), Q.r)
        d, u, w = Q.r - P.r, P.R[:, 0], Q.R[:, 0]
        ends: tuple[tuple[str, Place], ...] = ((a, P), (b, Q))
        if kind in ("DP1", "Constraint"):
            self.items.append(Item(kind, name, ends, {"f": Num(float(u @ w))}))
        elif kind == "DP2":
            self.items.append(Item(kind, name, ends, {"f": Num(float(u @ d), L=1)}))
        elif kind == "D":
            self.items.append(Item(kind, name, ends, {"f": Num(float(d @ d), L=2)}))
        elif kind == "CD":
            c = Place.random(x, n)
            self.items.append(Item(kind, name, (*ends, ("ground", c)), {"f": Num(float(c.R[:, 0] @ d), L=1)}))
        else:
            self.items.append(_curved(kind, name, a, b, P, x))

    def _cell(self) -> None:
        """Two bodies on a third with a pair between them: gears, rack and pinion."""
        s, x, n = self.s, self.x, self.n
        base = self.other("")
        at = self.near(base if base != "ground" else self.parts[0].name)
        name = f"G{len(self.items)}"
        if s.random() < 0.65:
            inside = s.random() < 0.3
            D, f = x.uniform(0.6, 1.2), x.uniform(0.3, 0.7)
            radii = (D * (1 + f), -D * f) if inside else (D * f, D * (1 - f))
            centres = at, at @ Place.of((0, 0, 0), (D, 0, 0))
            ends = []
            for centre in centres:
                body = self.body()
                ends.append((body, self.joint("Revolute", base, body, centre).ends[1][1]))
            numbers = {"Ri": Num(radii[0], L=1), "Rj": Num(radii[1], L=1)}
            self.items.append(Item("Gear", name, tuple(ends), numbers))
        else:
            R = float(x.uniform(0.3, 0.8) * x.choice((-1, 1)))
            slide = at if n == 2 else at @ Place.of((0, np.pi / 2, 0))  # along the x axis of `at`
            rack, pinion = self.body(), self.body()
            self.joint("Translational", base, rack, slide)
            centre = at @ Place.of((0, 0, 0), (x.uniform(-0.5, 0.5), R, 0))
            if n == 3 or s.random() < 0.5:
                self.joint("Revolute", base, pinion, centre)
            self.items.append(Item("RackPinion", name, ((rack, at), (pinion, centre)), {"radius": Num(R, L=1)}))
        self.dof -= 1

    # -- forces and drivers ------------------------------------------------------------------------------------------------
    def _loads(self) -> None:
        for _ in range(int(self.s.choice((0, 1, 2, 3), p=(0.2, 0.4, 0.3, 0.1)))):
            item = self.s.choice(list(LOADS))
            made = LOADS[str(item)](self, f"F{len(self.items)}")
            if made is not None:
                self.items.append(made)

    def _drivers(self) -> None:
        s = self.s
        moving = [(j, c) for j, own in self.coordinates.items() for c in own]
        s.shuffle(moving)
        wanted = self.dof if self.flavour == "driven" else int(s.random() < 0.15 and self.dof > 1)
        for joint, channel in moving[: max(wanted, 0)]:
            self.items.append(driver(s, self.x, f"D{len(self.items)}", joint, channel, self.coordinates[joint][channel]))
            self.dof -= 1

    def _further(self, draws: dict[str, Any], s: np.random.Generator, x: np.random.Generator) -> None:
        own, self.s, self.x = (self.s, self.x), s, x
        left = int(s.choice((0, 1, 2), p=(0.5, 0.35, 0.15)))
        for kind in s.permutation(list(draws)):
            if left and draws[str(kind)](self, f"X{len(self.items)}"):
                left -= 1
        self.s, self.x = own


def driver(s: np.random.Generator, x: np.random.Generator, name: str, joint: str, channel: str, now: float) -> Item:
    L = 1 if channel == "displacement" else 0
    numbers = {f"c{k}": Num(float(v), L=L, T=-k) for k, v in enumerate((now, x.normal(), x.normal()))}
    numbers["w"] = Num(float(x.uniform(1, 4)), T=-1)
    words = {"channel": channel, "motion": str(s.choice(("polynomial", "harmonic", "law")))}
    return Item("Driver", name, (), numbers, words, (joint,))


def _curved(kind: str, name: str, a: str, b: str, P: Place, x: np.random.Generator) -> Item:
    """A curve on a with its own frame P, touched by something on b."""
    alpha = float(x.uniform(-1, 1))
    if kind == "PointFollower":
        A, B = float(x.uniform(0.5, 1)), float(x.uniform(0.2, 0.5))
        pin = P @ Place.of((0, 0, 0), (A * alpha, B * np.sin(2 * alpha), 0))
        numbers = {"a": Num(A, L=1), "b": Num(B, L=1), "alpha": Num(alpha)}
        return Item(kind, name, ((a, P), (b, pin)), numbers)
    if kind == "CamFollower":
        A, B, r = (float(v) for v in x.uniform((0.8, 0.6, 0.3), (1.2, 0.8, 0.5)))
        p, g = np.array([A * np.cos(alpha), B * np.sin(alpha), 0]), np.array([-A * np.sin(alpha), B * np.cos(alpha), 0])
        normal = np.array([g[1], -g[0], 0]) / np.linalg.norm(g)
        roller = P @ Place.of((0, 0, x.uniform(-1, 1)), p + r * normal)
        towards = roller.R.T @ P.R @ -normal
        numbers = {"a": Num(A, L=1), "b": Num(B, L=1), "r": Num(r, L=1), "alpha_i": Num(alpha)}
        numbers["alpha_j"] = Num(float(np.arctan2(towards[1], towards[0])))
        return Item(kind, name, ((a, P), (b, roller)), numbers)
    A, B = float(x.uniform(0.8, 1.2)), float(x.uniform(0.02, 0.1))
    rho, slope = A + B * np.cos(2 * alpha), -2 * B * np.sin(2 * alpha)
    e, n = np.array([np.cos(alpha), np.sin(alpha), 0]), np.array([-np.sin(alpha), np.cos(alpha), 0])
    g = slope * e + rho * n
    face = P @ Place.of((0, 0, float(np.arctan2(g[1], g[0]))), rho * e) @ Place.of((0, 0, 0), (x.uniform(-0.3, 0.3), 0, 0))
    numbers = {"a": Num(A, L=1), "b": Num(B, L=1), "alpha": Num(alpha)}
    return Item(kind, name, ((a, P), (b, face)), numbers)


__all__: list[Any] = ["driver", "grow"]
