"""A pair of Theo Jansen's walking legs on one crank: thirteen lengths make a foot that walks on level ground.

Massless: for kinematics. All lengths are parameters [m], so that the walk can be tried out.
"""

from math import atan2, hypot
from typing import Any

import linkwright as lw

LENGTHS = {
    "a": 0.38, "b": 0.415, "c": 0.393, "d": 0.401, "e": 0.558, "f": 0.394,
    "g": 0.367, "h": 0.657, "i": 0.49, "j": 0.5, "k": 0.619, "l": 0.078, "m": 0.15,
}  # fmt: skip


def meet(P: Any, p: float, Q: Any, q: float) -> tuple[float, float]:
    """The point at distance p from P and q from Q, to the left of the way from P to Q."""
    dx, dy = Q[0] - P[0], Q[1] - P[1]
    d = hypot(dx, dy)
    x = (p * p - q * q + d * d) / (2 * d)
    y = (p * p - x * x) ** 0.5
    return P[0] + (x * dx - y * dy) / d, P[1] + (x * dy + y * dx) / d


def corner(p: Any, q: Any, side: Any) -> tuple[Any, Any]:
    """In a triangle: the corner at distance p from the origin and q from (side, 0), above the line."""
    x = (side**2 + p**2 - q**2) / (2 * side)
    return x, lw.sqrt(p**2 - x**2)


def build() -> lw.PlanarModel:
    model = lw.PlanarModel("Jansen's legs")
    s = {name: model.parameter(name, value) for name, value in LENGTHS.items()}
    crank = model.body("crank", shape={"circle": s["m"] + 0.02})
    hub = model.add(lw.Revolute("O", model.ground.at(0, 0), crank.at(0, 0)))
    for side, sign in (("left", 1), ("right", -1)):
        _leg(model, s, side, sign)
    model.add(lw.Driver("motor", hub.angle, "-2*pi*t"))
    return model


def _leg(model: lw.PlanarModel, s: dict[str, Any], side: str, sign: int) -> None:
    """One leg; the right one is the mirror image, its bodies turned so that they, too, have their triangles above."""
    P, T, K, D, G = _places(sign)
    ground, crank = model.ground, model["crank"]

    def body(name: str, start: Any, end: Any) -> Any:
        at = tuple(round(x, 4) for x in start)
        return model.body(f"{side} {name}", position=at, angle=round(atan2(end[1] - start[1], end[0] - start[0]), 4))

    def pin(name: str, p: Any, q: Any) -> None:
        model.add(lw.Revolute(f"{side} {name}", p, q))

    j, k = body("j", (LENGTHS["m"], 0), T), body("k", (LENGTHS["m"], 0), K)
    hip, c, f = body("hip", P, T), body("c", P, K), body("f", D, G)
    shank = body("shank", K, G)
    xd, yd = corner(s["d"], s["e"], s["b"])
    xf, yf = corner(s["i"], s["h"], s["g"])
    pin("A", crank.at(s["m"], 0), j.at(0, 0))
    pin("B", crank.at(s["m"], 0), k.at(0, 0))
    pin("P", ground.at(-sign * s["a"], -s["l"]), hip.at(0, 0))
    pin("Q", ground.at(-sign * s["a"], -s["l"]), c.at(0, 0))
    pin("T", j.at(s["j"], 0), hip.at(s["b"], 0))
    pin("D", hip.at(xd, sign * yd), f.at(0, 0))
    pin("K", k.at(s["k"], 0), c.at(s["c"], 0))
    pin("L", k.at(s["k"], 0), shank.at(0, 0))
    pin("G", f.at(s["f"], 0), shank.at(s["g"], 0))
    shank.shape = {"polygon": [(0, 0), (s["g"], 0), (xf, sign * yf)]}
    hip.shape = {"polygon": [(0, 0), (s["b"], 0), (xd, sign * yd)]}


def _places(sign: int) -> list[tuple[float, float]]:
    """Where the joints P, T, K, D, G are when the crank points to the right."""
    n = LENGTHS
    M = (sign * n["m"], 0.0)  # mirrored for the right leg
    P = (-n["a"], -n["l"])
    T = meet(P, n["b"], M, n["j"])
    K = meet(M, n["k"], P, n["c"])
    D = meet(P, n["d"], T, n["e"])
    G = meet(K, n["g"], D, n["f"])
    return [(sign * x, y) for x, y in (P, T, K, D, G)]
