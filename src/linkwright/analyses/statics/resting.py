"""Machines at rest on contacts and stops without stiffness: those that press are constraints, others are open.

An active set. Steps of a search end where a gap closes, and it goes on with that gap held at zero; where forces balance and
a contact pulls, the one that pulls most is opened. Friction holds nothing here, as in any equilibrium.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.statics.search import Found, Search
from linkwright.errors import AssemblyError
from linkwright.system.held import Mode

TOUCH = 1e-10  # a gap below this part of what a displacement of the machine's size does to it is closed
NEAR = 1e-7  # the same, in a state that was computed before
STAYS = 1e-7  # a rate of a gap below this part of what the fastest motion does to it is none; that of rounding [1/s]:
STILL = 1e-12
PULLS = 1e-9  # of the largest force of a contact: less is rounding
HALVINGS = 48  # of a step in which a gap closes
ROUNDS = 10  # contacts that close and open, by contact: no search that gets on needs as many

Closed = tuple[int, ...]  # contacts, by the numbers of their impacts


def held(base: LoadedMachine, closed: Closed) -> LoadedMachine:
    """The machine with these gaps held at zero, and nothing that sticks."""
    if not closed:
        return base
    n = len(base.slots)
    none = (0.0,) * n
    speeds = (0.0,) * sum(s.size for s in base.slots)
    return base.holding(Mode(closed, smooth=tuple(range(n)), senses=speeds, anchors=none, rest=none))


def _gaps(
    base: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All gaps, what a displacement of the machine's size does to each, and their rates."""
    gap, G, rate, *_ = base.gaps(t, np.concatenate([q, v, turns, [0.0]]))
    return gap, np.linalg.norm(G * base.scale, axis=1), rate


def pressing(base: LoadedMachine, q: np.ndarray, v: np.ndarray, t: float) -> Closed:
    """The contacts that touch in this state, stay so, and press."""
    if not base.impacts:
        return ()
    gap, size, rate = _gaps(base, q, v, t, base.turns)
    stays = np.abs(rate) <= size * max(STAYS * np.abs(v / base.scale).max(initial=0.0), STILL)
    closed: Closed = tuple(np.flatnonzero((np.abs(gap) <= NEAR * size) & stays).tolist())
    while (pulls := pulling(held(base, closed), closed, q, v, t, least=PULLS)) is not None:
        closed = tuple(k for k in closed if k != pulls)
    return closed


def pulling(
    machine: LoadedMachine, closed: Closed, q: np.ndarray, v: np.ndarray, t: float, least: float = -PULLS
) -> int | None:
    """Of the contacts that are closed in the machine the one that pulls most, or that presses least; least: which part of
    the largest multiplier it must press by."""
    if not closed:
        return None
    lam = machine.solve(q, v, t).lam
    pull = lam[len(lam) - len(closed) :]
    worst = int(np.argmax(pull))
    return closed[worst] if pull[worst] > -least * max(np.abs(lam).max(), 1e-290) else None


def passed(base: LoadedMachine, closed: Closed, q: np.ndarray, t: float) -> int | None:
    """Of the others the one that is passed farthest."""
    if len(closed) == len(base.impacts):
        return None
    gap, size, _ = _gaps(base, q, np.zeros(base.nv), t, base.turns)
    beyond = gap + NEAR * size
    beyond[list(closed)] = 0.0
    worst = int(np.argmin(beyond))
    return worst if beyond[worst] < 0 else None


@dataclass(frozen=True)
class Bounded(Search):
    """A search in which contacts are closed, and no other closes unseen; `base`: the machine with all of them open."""

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
        self.machine.settle(before, self.t)  # turns are counted from where it ends
        return Found(before, 1, closes=crossed[0])

    def _crossed(self, q: np.ndarray, trial: np.ndarray) -> list[int]:
        """Open gaps that are closed at the trial and were less so before."""
        still, turns = np.zeros(self.base.nv), self.machine.turns
        before, _, _ = _gaps(self.base, q, still, self.t, turns)
        after, size, _ = _gaps(self.base, trial, still, self.t, turns)
        beyond = after < np.minimum(before, 0.0) - TOUCH * size
        return [k for k in np.flatnonzero(beyond).tolist() if k not in self.closed]

    def onto(self, q: np.ndarray) -> np.ndarray:
        """q with the closed gaps at zero, where the end of a step has left them nearly so."""
        found = self.closed_again(q, np.zeros(self.machine.nv)) if self.closed else None
        return q if found is None else found

    def presses(self, q: np.ndarray) -> np.ndarray:
        """The forces of the contacts that are closed."""
        lam = self.at(q).lam
        return -lam[len(lam) - len(self.closed) :]


def rested(base: LoadedMachine, q: np.ndarray, t: float, downhill: bool) -> tuple[Bounded, Found]:
    """The search that ended, with the contacts that press, and its end; downhill: down the potential first."""
    closed: Closed = ()
    turns, used = base.turns, 0  # steps
    for _ in range(ROUNDS * (1 + len(base.impacts))):
        machine = held(base, closed)
        machine.turns = turns
        search = Bounded(machine, t, closed, base)
        q = search.onto(q)
        found = search.downhill(q) if downhill else Found(q, 0)
        if found.closes is None:
            used += found.steps
            found = search.newton(found.q)
        used += found.steps
        if found.closes is not None:
            closed, q, turns = tuple(sorted({*closed, found.closes})), found.q, machine.turns
            continue
        found = replace(found, steps=used)
        pull = -search.presses(found.q) if closed else np.zeros(0)
        if found.wrong or not (pull > PULLS * np.abs(pull).max(initial=0.0)).any():
            return search, found
        q, turns = found.q, machine.turns
        closed = tuple(k for k, own in zip(closed, pull, strict=True) if own < pull.max())
    names = sorted({base.element_of_impact(k) for k in closed}) or [base.model.name]
    return search, Found(q, used, AssemblyError(
        f"contacts close and open without end, {', '.join(names)} among them", element=names,
        remedy="begin elsewhere, give them a stiffness k, or let `dynamics` come to rest",
    ))  # fmt: skip
