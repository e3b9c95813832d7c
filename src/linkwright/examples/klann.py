"""Klann's leg (US patent 6,260,862): six bars, one crank, and a foot that walks level for half a turn.

Lengths as optimised at boim.com/Walkin8r, a metre for his hundred. Bars that carry three joints are bent: rod and leg.
"""

from math import atan2, cos, pi, sin
from typing import Any

import linkwright as lw
from linkwright.examples.jansen import corner, meet

LENGTHS = {
    "AC": 0.175, "CH": 0.388, "CF": 0.734, "HF": 0.352, "BH": 0.237, "DE": 0.341, "EF": 0.577, "FG": 0.59, "EG": 1.117,
}  # fmt: skip
LOWER, UPPER = (-0.388, -0.125), (-0.146, 0.419)  # pivots of the rockers; the crank's is the origin


def places(angle: float) -> dict[str, tuple[float, float]]:
    """Where the joints are, by circles that meet: crank C, rod's rocker H, hip F, knee E, foot G."""
    n = LENGTHS
    C = (n["AC"] * cos(angle), n["AC"] * sin(angle))
    H = meet(LOWER, n["BH"], C, n["CH"])
    F = meet(H, n["HF"], C, n["CF"])
    E = meet(F, n["EF"], UPPER, n["DE"])
    return {"C": C, "H": H, "F": F, "E": E, "G": meet(E, n["EG"], F, n["FG"])}


def build() -> lw.PlanarModel:
    m = lw.PlanarModel("Klann's leg")
    s = {name: m.parameter(name, value) for name, value in LENGTHS.items() if "G" not in name}
    at = places(pi)

    def body(name: str, p: Any, end: str) -> Any:
        q = at[end]
        return m.body(name, position=tuple(round(x, 4) for x in p), angle=round(atan2(q[1] - p[1], q[0] - p[0]), 4))

    crank = m.body("crank", angle=pi, shape={"circle": s["AC"] + 0.015})
    rod, lower = body("rod", at["C"], "H"), body("lower rocker", LOWER, "H")
    upper, leg = body("upper rocker", UPPER, "E"), body("leg", at["E"], "F")
    x, y = corner(s["CF"], s["HF"], s["CH"])
    bend = (x, -y)  # the hip, on the rod
    foot = corner(LENGTHS["EG"], LENGTHS["FG"], s["EF"])
    rod.shape = {"polygon": [(0, 0), (s["CH"], 0), bend]}
    leg.shape = {"polygon": [(0, 0), (s["EF"], 0), foot]}
    hub = m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(0, 0)))
    m.add(lw.Revolute("B", m.ground.at(*LOWER), lower.at(0, 0)))
    m.add(lw.Revolute("C", crank.at(s["AC"], 0), rod.at(0, 0)))
    m.add(lw.Revolute("D", m.ground.at(*UPPER), upper.at(0, 0)))
    m.add(lw.Revolute("E", upper.at(s["DE"], 0), leg.at(0, 0)))
    m.add(lw.Revolute("F", rod.at(*bend), leg.at(s["EF"], 0)))
    m.add(lw.Revolute("H", rod.at(s["CH"], 0), lower.at(s["BH"], 0)))
    m.add(lw.Driver("motor", hub.angle, "pi + 2*pi*t"))
    return m
