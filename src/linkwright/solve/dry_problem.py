"""The problem of `dry_modes`: contacts that touch and slots of dry friction at one instant, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import linear

GRADIENTS = 1000  # steps at most
STILL = 1e-9  # accelerations below this, by the largest, are none
TIGHT = 2e-10  # friction that exceeds its bound by less does not
RANK = 1e-9  # singular values of responses below this part of the largest are none
HELD = 1e-7  # of the compliance it has by itself: a slot with less is held by others
PRESSED = 1e-12  # forces of contacts below this, by the largest, are none


@dataclass(frozen=True, eq=False)
class Inconsistent:
    """No forces of contacts and friction agree with the motion: `slots` that slide are in its way."""

    slots: list[int]


@dataclass(frozen=True, eq=False)
class Rubbing:
    """A slot. rows: of its speeds. press: the row of its contact, or -1. slides: the unit vector of its motion; None at
    rest. given: further forces along its speeds (viscous)."""

    rows: np.ndarray
    mu: float
    static: float
    level: float
    press: int = -1
    slides: np.ndarray | None = None
    given: np.ndarray | float = 0.0


@dataclass(frozen=True, eq=False)
class Problem:
    """own: the compliance of each row by itself, the unit of its forces. contacts: the rows of gaps that touch. loads: N of
    all slots under forces x (of contacts' slots it is not asked). reactions: by row a multiplier of the joints without x,
    what x adds to it, and the compliance of its row by itself. none: accelerations, by their units, that are rounding."""

    r0: np.ndarray
    W: np.ndarray
    own: np.ndarray
    contacts: list[int]
    slots: list[Rubbing]
    loads: Callable[[np.ndarray], np.ndarray]
    reactions: tuple[np.ndarray, np.ndarray, np.ndarray]
    none: float = 0.0

    def held(self, k: int, x: np.ndarray, N: np.ndarray) -> float:
        """The most that a slot holds at rest."""
        s = self.slots[k]
        return float(s.static * (x[s.press] if s.press >= 0 else N[k]) + s.level)

    @cached_property
    def largest(self) -> float:
        """The largest of the accelerations, by their units: those without these forces, and those that slots which slide
        make. Where nothing but friction moves the machine the first are rounding, which must not decide what begins to
        move."""
        N = self.loads(np.zeros(len(self.r0)))
        made = [
            (s.level + float(np.linalg.norm(s.given)) + (s.mu * N[k] if s.press < 0 else 0.0))
            * np.sqrt(self.own[s.rows].max())
            for k, s in enumerate(self.slots)
            if s.slides is not None
        ]
        return max(float(np.abs(self.r0 / np.sqrt(self.own)).max(initial=0.0)), *made, 0.0) or 1.0


@dataclass
class Found:
    """x; closed: rows of contacts that press; idle: of those that touch and do not; stuck: slots; begun: the motions that
    begin, by slot; full: slots at rest that give all they can, and what they resist. unique: whether x is; else weights: how
    much compliance a slot has, and offsets: what it has beyond what it takes on so."""

    x: np.ndarray
    r: np.ndarray
    closed: list[int] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)
    stuck: list[int] = field(default_factory=list)
    begun: dict[int, np.ndarray] = field(default_factory=dict)
    full: dict[int, np.ndarray] = field(default_factory=dict)
    unique: bool = True
    weights: dict[int, float] = field(default_factory=dict)
    offsets: dict[int, np.ndarray] = field(default_factory=dict)

    def numbered(self, names: Sequence[int]) -> Found:
        """The same with the k-th slot called names[k]."""

        def named(by_slot: dict[int, Any]) -> dict[int, Any]:
            return {names[k]: x for k, x in by_slot.items()}

        return replace(
            self, stuck=[names[k] for k in self.stuck], begun=named(self.begun), full=named(self.full),
            weights=named(self.weights), offsets=named(self.offsets),
        )  # fmt: skip


def answers(W: np.ndarray, own: np.ndarray, rows: np.ndarray, held: np.ndarray) -> np.ndarray:
    """The response of each row when `rows` are pushed by one in their units and others are held."""
    d = 1 / np.sqrt(own)
    scaled = W * np.outer(d, d)
    push = scaled[:, rows]
    if len(held):
        push = push - scaled[:, held] @ (linear.pinv(scaled[np.ix_(held, held)][None], rcond=RANK)[0] @ push[held])
    return np.asarray(push / d[:, None])


def mobility(W: np.ndarray, own: np.ndarray, rows: np.ndarray, held: np.ndarray) -> np.ndarray:
    """The compliances of `rows` while others are held, by those that they have by themselves."""
    return np.asarray(np.diag(answers(W, own, rows, held)[rows]) / np.sqrt(own[rows]))


def round_scale(p: Problem, slots: list[int]) -> np.ndarray:
    """The units of forces, one for all speeds of a slot: circles stay circles."""
    return np.concatenate([np.full(len(p.slots[k].rows), 1 / np.sqrt(p.own[p.slots[k].rows].max())) for k in slots])


def in_balls(
    W: np.ndarray, r: np.ndarray, x: np.ndarray, parts: list[tuple[int, int]], radii: list[float]
) -> np.ndarray:  # fmt: skip
    """The least of x W x / 2 + r x with every part within its radius: accelerated projected gradients with restarts."""
    step = 1 / max(float(linear.eigvalsh(W)[-1]), 1e-300)
    size = max(np.abs(r).max(initial=0.0), 1e-300)

    def projected(x: np.ndarray) -> np.ndarray:
        out = x.copy()
        for (a, b), radius in zip(parts, radii, strict=True):
            length = float(np.linalg.norm(x[a:b]))
            if length > radius:
                out[a:b] *= radius / length
        return out

    x = projected(x)
    ahead, pace = x, 1.0
    for _ in range(GRADIENTS):
        new = projected(ahead - step * (W @ ahead + r))
        if np.abs(new - ahead).max() <= 1e-12 * size * step:
            return new
        if (ahead - new) @ (new - x) > 0:  # it turns: begin anew
            ahead, pace = new, 1.0
        else:
            faster = 0.5 * (1 + np.sqrt(1 + 4 * pace * pace))
            ahead, pace = new + (pace - 1) / faster * (new - x), faster
        x = new
    return x


def unit(m: int, row: int, size: float) -> np.ndarray:
    out = np.zeros(m)
    out[row] = size
    return out


def pulls(p: Problem, closed: list[int], x: np.ndarray) -> bool:
    size = np.abs(x * np.sqrt(p.own)).max(initial=0.0)
    return any(x[k] * np.sqrt(p.own[k]) < -PRESSED * size for k in closed)
