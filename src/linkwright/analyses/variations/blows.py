"""Impacts differentiated: M (v+ - v) = J^T Lam + G^T p + T^T s, J v+ = nu, G v+ + g_t = -e (G v + g_t).

s is the blow along the speeds T of the contact where it rubs: none, as large as mu p lets it be, or what ends these speeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.dynamics.course import Break
from linkwright.analyses.variations.frames import Frame
from linkwright.analyses.variations.nodes import Nodes
from linkwright.graph import Scalar, Sparse, jacobian, substitute, symbols
from linkwright.system.mechanics import Mechanics
from linkwright.system.slots import Slot, directions
from linkwright.system.tangents import Blocks, Tangents

# Relative: velocities after an impact that are those of this impact alone; and after the last that is seen of a sequence, in
# which the friction of those that are not seen is.
ONE, LAST = 1e-8, 1e-4


@dataclass(frozen=True)
class Law:
    """Of a blow. slot: where it rubs; sense: in which it slides to the end, 0 where it sticks; last: it is the last of a
    sequence that ends in rest, and has no restitution."""

    slot: int | None = None
    sense: float = 0.0
    last: bool = False


def blows(system: Mechanics, k: int, closes: bool) -> list[Law]:
    """The laws that the k-th impact may have. closes: the contact is closed after it."""
    slot = next((i for i, s in enumerate(system.slots) if s.impact == k), None)
    found = [Law()]
    if slot is not None:
        slides = [Law(slot, 1.0), Law(slot, -1.0)] if system.slots[slot].size == 1 else []
        found = [Law(slot), *slides, Law()]
    return [*found, *[replace(law, last=True) for law in found if closes]]


class Blow:
    """One impact at an event, by a law."""

    def __init__(self, frame: Frame, before: Nodes, broken: Break, k: int, law: Law) -> None:
        self.frame, self.before, self.broken, self.part = frame, before, broken, LAST if law.last else ONE
        self.blocks = _traced(frame.tangents, k, law)
        self.n, self.rows = frame.machine.nv, len(frame.machine.system.rows)
        self.unknowns = np.r_[: self.n, self.n + frame.kept, self.n + self.rows : self._size]
        self.equations = self.unknowns

    @property
    def _size(self) -> int:
        return self.blocks.shapes["F"][0]

    def _asked(self, x: np.ndarray) -> dict[str, np.ndarray]:
        return {name: value[0] for name, value in self.before.ask(self.blocks, x[None]).items()}

    @cached_property
    def _solution(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Velocities after it and impulses: the equations are linear in them."""
        x = np.zeros(self._size)
        by = self._asked(x)
        at = np.ix_(self.equations, self.unknowns)
        x[self.unknowns] = -linear.solve(by["F_x"][at], by["F"][self.equations])
        return x, self._asked(x)

    @property
    def is_it(self) -> bool:
        """Whether the velocities after it are those of the run."""
        m = self.frame.machine
        try:
            new = self._solution[0][: self.n]
        except np.linalg.LinAlgError:
            return False
        old, seen = m.split(self.broken.before)[1], m.split(self.broken.after)[1]
        return bool(np.abs((new - seen) / m.scale).max() <= self.part * np.abs(np.array([old, seen]) / m.scale).max())

    def changed(self, d: np.ndarray, v: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The change of the velocities after it."""
        by = self._solution[1]
        F = by["F_d"] @ d + by["F_v"] @ v + by["F_b"] @ b
        at = np.ix_(self.equations, self.unknowns)
        return np.asarray(linear.solve(by["F_x"][at], -F[self.equations])[: self.n])


def _traced(tangents: Tangents, k: int, law: Law) -> Blocks:
    found: Blocks = tangents.system.once("blows", (tangents, k, law), lambda: _blocks(tangents, k, law))
    return found


def _blocks(tangents: Tangents, k: int, law: Law) -> Blocks:
    """The equations of an impact, differentiated: balance, rows, restitution, friction."""
    s, c = tangents.system, tangents.system.coordinates
    slot: Slot | None = None if law.slot is None else s.slots[law.slot]
    unknown = symbols("blow", s.nv + len(s.rows) + 1 + (0 if slot is None else slot.size))
    new, Lam, p, across = np.split(unknown, np.cumsum([s.nv, len(s.rows), 1]))
    later = dict(zip(c.v, new, strict=True))
    impact = s.loads.impacts[k]
    G: Sparse = c.jacobian([impact.gap])
    F: list[Scalar] = [0.0] * s.nv
    for (i, j), x in s.inertia.M.entries.items():
        F[i] = F[i] + x * (new[j] - c.v[j])
    for (row, j), x in s.Phi_v.entries.items():
        F[j] = F[j] - x * Lam[row]
    for (_, j), x in G.entries.items():
        F[j] = F[j] - x * p[0]
    rate = s.rates([impact.gap])
    rows = substitute(s.row_rates(tangents.rows), later)
    F = [*F, *rows, substitute(rate, later)[0] + (0.0 if law.last else impact.restitution * rate[0])]
    if slot is not None:
        for blow, own in zip(across, directions(s, slot), strict=True):
            for j, x in own.items():
                F[j] = F[j] - x * blow
        F += _friction(slot, law.sense, p[0], list(across), later)
    F = tangents.flags.inserted(F)
    inputs: dict[str, Any] = {**tangents.inputs, "blow": unknown}
    outputs: dict[str, Any] = {
        "F": F, "F_x": jacobian(F, list(unknown)), "F_d": c.jacobian(F), "F_v": jacobian(F, list(c.v)),
        "F_b": jacobian(F, tangents.design),
    }  # fmt: skip
    return Blocks(f"{s.model.name}: impact", inputs, outputs)


def _friction(slot: Slot, sense: float, p: Scalar, across: Sequence[Scalar], later: Any) -> list[Scalar]:
    """What the blow across is: with which the speeds end, or all that it can be against them."""
    if sense == 0:
        return substitute(list(slot.speeds), later)
    return [across[0] + sense * slot.mu * p]
