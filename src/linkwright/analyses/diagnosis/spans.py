"""Lengths that cannot span: a closed loop of links between points, one of which is longer than all others together, or a
guide that they do not reach."""

from __future__ import annotations

import numpy as np

from linkwright.analyses.machine.machine import Machine
from linkwright.model import Cylindrical, Distance, Element, Point, PointOnLine, Revolute, Spherical, Translational

PINS = (Revolute, Spherical, Distance)  # joints that hold points together, or apart by a length
GUIDES = (Translational, Cylindrical, PointOnLine)  # joints that let a point slide along a line
CLEAR = 1e-9  # of the longest


def cannot_span(machine: Machine, elements: tuple[str, ...]) -> str:
    """In words, where these elements make one loop whose longest link, or way to a guide, is longer than the others reach;
    else ""."""
    links, longest, others = _reach(machine, elements)
    if not links or links[longest] <= others * (1 + CLEAR):
        return ""
    rest = [n for n in links if n != longest]
    names = " and ".join(rest) if len(links) < 4 else "the others"
    digits = 4 if far_from_spanning(machine, elements) else 10
    reach = f"{'reaches' if len(links) == 2 else 'reach'} {others:.{digits}g} m at most"
    is_guide = isinstance(machine.model.elements.get(longest), GUIDES)
    length = f"{links[longest]:.{digits}g} m"
    return f"{longest} {f'is {length} away' if is_guide else f'spans {length}'}, {names} {reach}"


def far_from_spanning(machine: Machine, elements: tuple[str, ...]) -> bool:
    """Whether the longest link is longer than the others reach by more than a thousandth: lengths are what is wrong then."""
    links, longest, others = _reach(machine, elements)
    return bool(links) and links[longest] > 1.001 * others


def _reach(machine: Machine, elements: tuple[str, ...]) -> tuple[dict[str, float], str, float]:
    """The links of a loop, the longest of them, and how far the others reach; no links where there is no loop. Along a guide
    links reach as far as they like: only the way across it must be spanned."""
    own = [machine.model.elements[n] for n in elements]
    guides = [e for e in own if isinstance(e, GUIDES)]
    links = loop(machine, own) if not guides else to_guide(machine, own, guides[0]) if len(guides) == 1 else {}
    if len(links) < 2:
        return {}, "", 0.0
    longest = guides[0].name if guides else max(links, key=lambda name: links[name])
    return links, longest, sum(x for name, x in links.items() if name != longest)


def loop(machine: Machine, elements: list[Element]) -> dict[str, float]:
    """The links of a loop by name and length: bodies between two pins, rods; none where the elements make no such loop."""
    ends, links = _ends(machine, elements)
    if len(ends) != len(elements) or any(len(points) != 2 for points in ends.values()):
        return {}
    return {name: x for name, x in {**links, **_bodies(ends)}.items() if x > 0}


def to_guide(machine: Machine, elements: list[Element], guide: Element) -> dict[str, float]:
    """The same of a loop with one guide: the way across it between the pins of the two bodies that it joins, by the guide's
    name, and the links that are to reach there. A body that turns on the guide is a link itself."""
    assert isinstance(guide, GUIDES)
    ends, links = _ends(machine, [e for e in elements if e is not guide])
    P, Q = (guide.line, guide.point) if isinstance(guide, PointOnLine) else (guide.P, guide.Q)
    joined = {X.body.name for X in (P, Q)}
    counts = [len(points) == 2 - (name in joined) for name, points in ends.items()]
    if len(ends) != len(elements) or not all(counts):
        return {}
    from_line, to_line = (_across(machine, X, ends[X.body.name][0]) for X in (P, Q))
    if isinstance(guide, PointOnLine):
        links[Q.body.name] = float(np.linalg.norm(ends[Q.body.name][0] - _own(machine, Q)))
        to_line = np.full_like(from_line, machine.model.value(guide.offset))
    elif isinstance(guide, Cylindrical):
        links[Q.body.name], to_line = float(np.linalg.norm(to_line)), np.zeros(2)
    links |= _bodies({name: points for name, points in ends.items() if name not in joined})
    return {guide.name: float(np.linalg.norm(to_line - from_line)), **{name: x for name, x in links.items() if x > 0}}


def _ends(machine: Machine, elements: list[Element]) -> tuple[dict[str, list[np.ndarray]], dict[str, float]]:
    """Places of pins by body, and rods by name and length; none where there is another kind of joint among them."""
    ends: dict[str, list[np.ndarray]] = {}
    links: dict[str, float] = {}
    for e in elements:
        if not isinstance(e, PINS):
            return {}, {}
        if isinstance(e, Distance):
            links[e.name] = machine.model.value(e.length)
        for P in (e.P, e.Q):
            ends.setdefault(P.body.name, []).append(_own(machine, P))
    return ends, links


def _bodies(ends: dict[str, list[np.ndarray]]) -> dict[str, float]:
    return {"the ground" if body == "ground" else body: float(np.linalg.norm(b - a)) for body, (a, b) in ends.items()}


def _own(machine: Machine, P: Point) -> np.ndarray:
    return np.array([machine.model.value(x) for x in P.s])


def _across(machine: Machine, line: Point, pin: np.ndarray) -> np.ndarray:
    """Where a pin is, across a line of the same body: by the axes of the line's frame."""
    d, value = pin - _own(machine, line), machine.model.value
    if len(d) == 2:
        angle = 0.0 if line.angle is None else value(line.angle)
        return np.array([np.cos(angle) * d[1] - np.sin(angle) * d[0]])
    A = np.array([[value(x) for x in row] for row in line.rotation]) if line.rotation else np.eye(3)
    return np.asarray((A.T @ d)[:2])
