"""Machines at rest on contacts and stops without stiffness: those that press are constraints, others are open.

An active set. Steps of a search end where a gap closes, and it goes on with that gap held at zero; where forces balance and
a contact pulls, the one that pulls most is opened. Friction holds nothing here, as in any equilibrium.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.statics.reduced import Reduced
from linkwright.analyses.statics.search import Found, Search
from linkwright.errors import AssemblyError
from linkwright.system.held import Mode

TOUCH = 1e-10  # a gap below this part of what a displacement of the machine's size does to it is closed
PULLS = 1e-9  # of the largest force of a contact: less is rounding
HALVINGS = 48  # of a step in which a gap closes
ROUNDS = 10  # contacts that close and open, by contact: no search that gets on needs as many


def held(base: LoadedMachine, closed: tuple[int, ...]) -> LoadedMachine:
    """The machine with these gaps held at zero, without stiction."""
    n = len(base.slots)
    none = (0.0,) * n
    speeds = (0.0,) * sum(s.size for s in base.slots)
    return base.holding(Mode(closed, smooth=tuple(range(n)), senses=speeds, anchors=none, rest=none))


@dataclass(frozen=True)
class Bounded(Search):
    """A search in which some contacts are closed, and no other closes unseen; base: the machine with all of them open."""

    base: LoadedMachine = None  # type: ignore[assignment]

    def step(self, q: np.ndarray, d: np.ndarray) -> Found | None:
        trial = self.closed_again(q, d)
        if trial is None or not (crossed := self._crossed(q, trial)):
            return None if trial is None else Found(trial, 1)
        low, high, before = 0.0, 1.0, q
        for _ in range(HALVINGS):
            part = 0.5 * (low + high)
            middle = self.closed_again(q, part * d)
            if middle is None or (now := self._crossed(q, middle)):
                high, crossed = part, crossed if middle is None else now
            else:
                low, before = part, middle
        self.settle(before)
        return Found(before, 1, closes=crossed[0])

    def settle(self, q: np.ndarray) -> None:
        """By the machine with all of them open, whose constants are those of the model."""
        self.base.turns = self.machine.turns
        self.base.settle(q, self.t)
        self.machine.turns = self.base.turns

    def _crossed(self, q: np.ndarray, trial: np.ndarray) -> list[int]:
        """Open gaps that are closed at the trial and were less so before."""
        before, size = gaps(self.base, q, self.t)
        after, _ = gaps(self.base, trial, self.t)
        beyond = after < np.minimum(before, 0.0) - TOUCH * size
        return [k for k in np.flatnonzero(beyond).tolist() if k not in self.closed]

    def onto(self, q: np.ndarray) -> np.ndarray:
        """q with the closed gaps at zero, where the end of a step has left them nearly so."""
        found = self.closed_again(q, np.zeros(self.machine.nv)) if self.closed else None
        return q if found is None else found

    def presses(self, now: Reduced) -> np.ndarray:
        """The forces of the contacts that are closed."""
        return -now.lam[len(now.lam) - len(self.closed) :]


def gaps(base: LoadedMachine, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """All gaps, and what a displacement of the machine's size does to each."""
    gap, G, *_ = base.gaps(t, np.concatenate([q, np.zeros(base.nv), base.turns, [0.0]]))
    return gap, np.linalg.norm(G * base.scale, axis=1)


def rested(base: LoadedMachine, q: np.ndarray, t: float, downhill: bool) -> tuple[Bounded, Found]:
    """The search that ended, with the contacts that press, and its end; downhill: down the potential first."""
    closed: tuple[int, ...] = ()
    used = 0  # steps
    for _ in range(ROUNDS * (1 + len(base.impacts))):
        search = Bounded(held(base, closed), t, closed, base)
        q = search.onto(q)
        found = search.downhill(q) if downhill else Found(q, 0)
        if found.closes is None:
            used += found.steps
            found = search.newton(found.q)
        used += found.steps
        if found.closes is not None:
            closed, q = tuple(sorted({*closed, found.closes})), found.q
            continue
        found = replace(found, steps=used)
        pull = -search.presses(search.at(found.q)) if closed else np.zeros(0)
        if found.wrong or not (pull > PULLS * np.abs(pull).max(initial=0.0)).any():
            return search, found
        q, closed = found.q, tuple(k for k, own in zip(closed, pull, strict=True) if own < pull.max())
    names = sorted({base.element_of_impact(k) for k in closed}) or [base.model.name]
    return search, Found(q, used, AssemblyError(
        f"contacts close and open without end, {', '.join(names)} among them", element=names,
        remedy="begin elsewhere, give them a stiffness k, or let `dynamics` come to rest",
    ))  # fmt: skip
