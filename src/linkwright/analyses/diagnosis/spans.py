"""Lengths that cannot span: a closed loop of links between points, one of which is longer than all others together."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.model import Distance, Element, Point, Revolute, Spherical

PINS = (Revolute, Spherical, Distance)  # joints that hold points together, or apart by a length
CLEAR = 1e-9  # of the longest


def cannot_span(machine: Machine, elements: tuple[str, ...]) -> str:
    """In words, where these elements make one loop whose longest link is longer than the others reach; else ""."""
    links, longest, others = _reach(machine, elements)
    if not links or links[longest] <= others * (1 + CLEAR):
        return ""
    names = " and ".join(n for n in links if n != longest) if len(links) < 4 else "the others"
    digits = 4 if far_from_spanning(machine, elements) else 10
    reach = f"{'reaches' if len(links) == 2 else 'reach'} {others:.{digits}g} m at most"
    return f"{longest} spans {links[longest]:.{digits}g} m, {names} {reach}"


def far_from_spanning(machine: Machine, elements: tuple[str, ...]) -> bool:
    """Whether the longest link is longer than the others reach by more than a thousandth: lengths are what is wrong then."""
    links, longest, others = _reach(machine, elements)
    return bool(links) and links[longest] > 1.001 * others


def _reach(machine: Machine, elements: tuple[str, ...]) -> tuple[dict[str, float], str, float]:
    """The links of a loop, the longest of them, and how far the others reach; no links where there is no loop."""
    links = loop(machine, [machine.model.elements[n] for n in elements])
    if len(links) < 2:
        return {}, "", 0.0
    longest = max(links, key=lambda name: links[name])
    return links, longest, sum(x for name, x in links.items() if name != longest)


def loop(machine: Machine, elements: list[Element]) -> dict[str, float]:
    """The links of a loop by name and length: bodies between two pins, rods; none where the elements make no such loop."""
    ends: dict[str, list[np.ndarray]] = {}
    links: dict[str, float] = {}
    for e in elements:
        if not isinstance(e, PINS):
            return {}
        if isinstance(e, Distance):
            links[e.name] = machine.model.value(e.length)
        for P in (e.P, e.Q):
            ends.setdefault(P.body.name, []).append(_own(machine, P))
    if len(ends) != len(elements) or any(len(points) != 2 for points in ends.values()):
        return {}
    for body, (a, b) in ends.items():
        links["the ground" if body == "ground" else body] = float(np.linalg.norm(b - a))
    return {name: x for name, x in links.items() if x > 0}


def _own(machine: Machine, P: Point) -> np.ndarray:
    return np.array([machine.model.value(x) for x in P.s])
