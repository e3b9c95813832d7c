"""The mode of a looped machine: numbers that say which contacts are closed, which slots stick, how the others slide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from linkwright.compile.script import Arena
from linkwright.system.held import Mode
from linkwright.system.looped.group import Group
from linkwright.system.looped.resting import Resting
from linkwright.system.slots import Slot

if TYPE_CHECKING:
    from linkwright.system.looped.layout import Layout


KEPT = 6  # modes whose numbers are


@dataclass(frozen=True, eq=False)
class Place:
    """The places of one member whose rows hold in some modes only. rows: its rows, among those of the machine; impact, slot:
    the first of its own; inputs: of the functions of `resting`; at: its multipliers, those of the joint that it rubs in,
    then its own."""

    resting: Resting
    member: int
    nodes: list[int]
    rows: list[int]
    impact: int
    slot: int
    inputs: list[int]
    at: list[int]

    def multipliers(self, offset: int = 0) -> list[int]:
        """The places of its multipliers in the solution, or `offset` behind it."""
        return [x + offset for x in self.at]


class Modes:
    """The numbers by which the mode of a looped machine is told. closed, idle: a number an impact; active: whether something
    holds that may let go; F, N, margin: forces, loads and margins of slots; numbers, at: as of `Mechanics.slot_numbers`.
    gaps: the rows of gaps, by impact; sticks: those of slots, by slot; speeds: the first speed of each."""

    def __init__(self, arena: Arena, places: list[Place], slots: list[Slot], impacts: int, closed: int) -> None:
        """closed: where all that `write` writes begins."""
        self.places, self.slots, self.closed, self.impacts = places, slots, closed, impacts
        self.idle, self.active = closed + impacts, closed + 2 * impacts
        self.speeds = np.cumsum([0, *[s.size for s in slots]]).tolist()
        n = len(slots)
        self.F, self.N, self.margin = (arena.claim(size) for size in (self.speeds[-1], n, n))
        self.numbers, self.at = arena.claim(5 * n), arena.claim(n)
        self._written: list[tuple[Mode, np.ndarray]] = []
        self.gaps, self.sticks = [-1] * impacts, [np.zeros(0, dtype=np.int64)] * len(slots)
        for place in places:
            own = place.resting
            row = dict(zip(own.rows, place.rows, strict=True))
            for j in range(len(own.closed)):
                self.gaps[place.impact + j] = row[own.first + j]
            for k, rows in enumerate(own.slot_rows):
                self.sticks[place.slot + k] = np.array([row[i] for i in rows], dtype=np.int64)

    @classmethod
    def of(cls, at: Layout) -> Modes:
        """The modes of a layout, with slots in the order of whole machines: those of joints, then those of contacts."""
        members = sorted(((at.groups[g].members[m], g, m) for g, m in at._rest_nodes), key=lambda x: x[0])
        strikes = [(g, m) for _, g, m in members if at.resting[g].closed.size]
        rubs = [(g, m) for _, g, m in members if not at.resting[g].closed.size]
        impact, slot = dict[tuple[int, int], int](), dict[tuple[int, int], int]()
        slots: list[Slot] = []
        for g, m in [*rubs, *strikes]:
            impact[g, m] = sum(at.resting[h].closed.size for h, _ in impact)
            slot[g, m] = len(slots)
            slots += [_named(at, g, m, s, impact[g, m]) for s in at.resting[g].slots]
        impacts, size = sum(at.resting[g].closed.size for g, _ in strikes), sum(6 + s.size for s in slots)
        closed = at.arena.claim(2 * impacts + 1 + size)
        starts = closed + 2 * impacts + 1 + np.cumsum([0, *[6 + s.size for s in slots]])
        node = {at.groups[g].names[m]: k for (g, m), k in at._node.items()}
        places = []
        for _, g, m in members:
            own, nodes, name = at.resting[g], at._rest_nodes[g, m], at.groups[g].names[m]
            given = at._places(len(at.masses) + g, m, at.groups[g])
            given += [closed + impact[g, m]] if own.closed.size else []
            given += [int(starts[slot[g, m]])] if own.slots else []
            lam = [at.ldl.x[node[getattr(at.model.elements[name], "joint", name)]]] if own.is_joint else []
            rows = list(range(at._rest_rows[g, m], at._rest_rows[g, m] + len(own.rows)))
            lam.append(at.ldl.x[nodes[0]])
            places.append(Place(own, m, nodes, rows, impact[g, m], slot[g, m], given, lam))
        return cls(at.arena, places, slots, impacts, closed)

    def told(self, group: Group, member: int, channel: str, lam: int) -> list[tuple[int, float]]:
        """The places of the numbers of which a force channel is the sum, each with its factor; lam: where multipliers
        are."""
        place = next(p for p in self.places if p.resting.group is group and p.member == member)
        own, out = place.resting, list[tuple[int, float]]()
        for j, impact in enumerate(own.base.loads.impacts):
            if f"{impact.element}.{channel}" in impact.forces:
                out.append((lam + self.gaps[place.impact + j], -impact.sense))
        for k, slot in enumerate(own.slots, place.slot):
            out += [(self.F + self.speeds[k] + i, 1.0) for i, c in enumerate(slot.channels) if c == channel]
        return out

    def none(self) -> Mode:
        """The mode in which nothing is closed or sticks, and friction is by the smooth law."""
        return Mode(smooth=tuple(range(len(self.slots))))

    def every(self) -> Mode:
        """The mode in which all rows hold."""
        return Mode(tuple(range(self.impacts)), tuple(range(len(self.slots))))

    def rows(self, mode: Mode) -> list[int]:
        """The rows that hold in a mode, in the order of whole machines."""
        return [*[self.gaps[k] for k in mode.closed], *[int(i) for k in mode.stuck for i in self.sticks[k]]]

    def write(self, mode: Mode, numbers: np.ndarray) -> None:
        """Write the numbers of a mode; those of the last modes are kept."""
        known = next((x for other, x in self._written if other is mode), None)
        if known is None:
            closed = np.zeros((2, self.impacts))
            closed[0, list(mode.closed)], closed[1, list(mode.idle)] = 1.0, 1.0
            active = float(bool(mode.closed or mode.stuck))
            known = np.array([*closed.ravel(), active, *[x for own in _numbers(mode, self.slots) for x in own]])
            self._written = [(mode, known), *self._written[: KEPT - 1]]
        numbers[self.closed : self.closed + len(known)] = known


def _named(at: Layout, g: int, m: int, slot: Slot, impact: int) -> Slot:
    """A slot of the machine for that of the stand-in, whose expressions nobody looks at."""
    name, standin = at.groups[g].names[m], slot.element.name
    own = name + slot.name.removeprefix(standin)
    number = None if slot.impact is None else slot.impact + impact
    return replace(slot, element=at.model.elements[name], name=own, impact=number)  # type: ignore[arg-type]


def _numbers(mode: Mode, slots: Sequence[Slot]) -> list[list[float]]:
    """The numbers of each slot in a mode, see `Resting.mode`."""
    out, at, stuck, full, smooth, closed = [], 0, *map(set, (mode.stuck, mode.full, mode.smooth, mode.closed))
    for k, slot in enumerate(slots):
        there = k not in smooth and (slot.impact is None or slot.impact in closed)
        holds, gives = k in stuck, k in full and there
        state = holds, there and not (holds or gives), gives, k in smooth and slot.impact is None
        senses = mode.senses[at : at + slot.size] if mode.senses else (0.0,) * slot.size
        anchor, rest = (x[k] if x else 0.0 for x in (mode.anchors, mode.rest))
        out.append([*map(float, state), anchor, rest, *senses])
        at += slot.size
    return out
