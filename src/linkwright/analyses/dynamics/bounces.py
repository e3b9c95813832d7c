"""Impacts during a run: one after another where several are due at once, and where they end: in contacts that are held.

Impacts of a restitution below one follow each other without end in a time that does end (Zeno). Where what is left of them
is too small to be seen the contact is closed: its gap becomes an equation, until the bodies would have to pull.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.analyses.assembly.overlaps import within
from linkwright.analyses.dynamics.collision import Collision, collision
from linkwright.analyses.dynamics.impact import Jump, Responses, flight, jump
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.moving import MovingMachine
from linkwright.graph import Scalar
from linkwright.system.forces import LEVELS

RESTING = 1e-9  # a flight between two impacts that takes less than this part of the span is none
LOW = 1e-12  # nor is one that rises less than this part of the machine's size: what impacts are left err by no more
CROWD, CROWD_SPAN = 60, 1e-7  # so many impacts within this part of the span have no end
TOUCH = 1e-10  # gaps below this part of the machine's size are closed
LATE = 1e-8  # an impact that was missed is seen when the bodies overlap by so much
OVERLAP = 1e-6  # more than this the bodies are within each other
STILL = 1e-10  # rates of a gap below this part of the machine's velocities are none
PULL = 1e-12  # of the largest reaction: a contact that pulls by less is at zero, but for rounding
ROUNDS = 100  # of impacts, and of contacts that close and open, at one time


@dataclass
class Bounces:
    """The impacts of a run; `events` is the run's list of what happened. held: contacts that are closed now, by the numbers
    of their impacts; `machine` is the one in which they are, `base` that without."""

    base: MovingMachine
    events: list[tuple[float, str]]
    span: float = 0.0
    recent: list[tuple[float, str]] = field(default_factory=list)
    held: tuple[int, ...] = ()
    accelerate: Callable[[float, np.ndarray], np.ndarray | None] | None = None  # a fast way to accelerations, if it may
    mass: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.machine: Any = self.base

    def watched(self, y: np.ndarray, t: float) -> list[Scalar]:
        """Functions that fall through zero where bodies meet: the gaps, and again a little later, and later still.

        Two crossings within a moment are not seen as such: bodies that are about to rest could slip through each other.
        Of contacts that are closed: the force, which falls through zero where they open.
        """
        if not self.base.impacts:
            return []
        m = self.machine
        gaps = [i.gap for i in m.system.loads.impacts]
        out = [gap + float(x) for own in self.levels(t, y) for gap, x in zip(gaps, own, strict=True)]
        for k in self.held:
            out[k :: len(gaps)] = [m.system.press(k), 1.0, 1.0]
        return out

    def levels(self, t: float, y: np.ndarray) -> np.ndarray:
        """What is added to the gaps, a row a level."""
        size = np.linalg.norm(self._gaps(t, y)[1] * self.base.scale, axis=1)
        size = 10 ** np.round(np.log10(np.where(size > 0, size, self.base.length)))  # round: the code is the same next time
        return np.outer([0.0, LATE, OVERLAP], size)

    def after(self, t: float, y: np.ndarray, k: int | None = None) -> tuple[np.ndarray, float]:
        """The state after the impact that the k-th of `watched` tells of, and after all that follow at once; the shortest
        flight after one of them. Contacts may have closed, and opened, meanwhile: see `held`.

        Raises where the bodies are within each other, or impacts have no end.
        """
        flight, count = np.inf, len(self.base.impacts)
        if k is None:
            self._part(t, y)
        else:
            level, k = divmod(k, count)
            if k in self.held:
                self._hold(t, [x for x in self.held if x != k])
                return y, flight
            if level == LEVELS - 1:
                raise trouble.rests(t, [self.element(k)])
            y, flight = self._struck(t, y, k)
        for _ in range(ROUNDS):
            due = self._due(t, y)
            if due is None:
                return y, flight
            if isinstance(due, list):
                y = self._rest(t, y, due)
            else:
                y, last = self._struck(t, y, due)
                flight = min(flight, last)
        raise trouble.rests(t, self._crowd())

    # -- impacts -------------------------------------------------------------------------------------------------------
    def _struck(self, t: float, y: np.ndarray, k: int) -> tuple[np.ndarray, float]:
        """The state after an impact, which all contacts that touch take part in (`collision`), and the shortest flight that
        follows; none, where it was the last that could be seen."""
        gap, G, rate, _, e = self._gaps(t, y)
        size, still = self._sizes(y, G)
        near = gap <= TOUCH * size
        near[[k, *self.held]] = True
        if rate[k] >= -still[k]:  # they touch, but for rounding
            return y, np.inf
        at = np.flatnonzero(near)
        y, found = self._collided(t, y, at, G, rate, e)
        self._count(t, [int(at[j]) for j in found.order])
        parted = [int(c) for c, r in zip(at, found.rates, strict=True) if r > still[c]]
        self._hold(t, [c for c in self.held if c not in parted])
        y = self._pressed(t, y, [int(c) for c in at if c not in parted and c not in self.held])
        return self._last(t, y, parted, k)

    def _pressed(self, t: float, y: np.ndarray, still: list[int]) -> np.ndarray:
        """The state where contacts that do not move are closed, if something presses them."""
        pressed = [c for c in still if self._presses(t, y)[c]] if still else []
        return self._rest(t, y, pressed) if pressed else y

    def _last(self, t: float, y: np.ndarray, parted: list[int], k: int) -> tuple[np.ndarray, float]:
        """Contacts whose flight after an impact is too short or too low to be seen are closed: each may bring down others
        that it carries. The state, and the shortest flight of the others; k: the contact whose impact it was."""
        crowded = len(self.recent) > CROWD
        while parted:
            _, G, rate, second, e = self._gaps(t, y, self._accelerations(t, y))
            size, _ = self._sizes(y, G)
            flights = {c: flight(max(float(rate[c]), 0.0), float(second[c])) for c in parted}
            low = {c for c, (time, height) in flights.items() if time < RESTING * self.span or height < LOW * size[c]}
            low = {c for c in low | ({k} if crowded else set()) if c in flights and np.isfinite(flights[c][0])}
            if endless := [c for c in low if e[c] >= 1]:
                raise trouble.rests(t, list(dict.fromkeys(self.element(c) for c in endless)))
            if not low:
                if crowded and k in flights:
                    raise trouble.rests(t, self._crowd())
                return y, min(time for time, _ in flights.values())
            y = self._rest(t, y, sorted(low))
            parted = [c for c in parted if c not in low]
        return y, np.inf

    def _count(self, t: float, struck: list[int]) -> None:
        new = [(t, self.name(c)) for c in struck]
        self.events += new
        self.recent = [x for x in self.recent if t - x[0] < CROWD_SPAN * self.span] + new

    def _crowd(self) -> list[str]:
        """The elements of the last impacts."""
        names = {self.name(k): self.element(k) for k in range(len(self.base.impacts))}
        return list(dict.fromkeys(names[n] for _, n in self.recent[-CROWD:]))

    def _collided(
        self, t: float, y: np.ndarray, at: np.ndarray, G: np.ndarray, rate: np.ndarray, e: np.ndarray
    ) -> tuple[np.ndarray, Collision]:
        """The state after impulses along the gaps of the contacts `at`; joints answer by impulses of their own."""
        responses = Responses(self.base, y, t, G[at])
        stuck = [
            int(c) for c, is_held in zip(at, responses.locked(self._mass(t, y)), strict=True) if is_held and rate[c] < 0
        ]
        if stuck:
            raise trouble.jammed(t, self.element(stuck[0]), responses.holding_drivers(list(at).index(stuck[0])))
        found = collision(responses.W, rate[at], e[at])
        return self._with(y, responses.after(found.p)), found

    def _with(self, y: np.ndarray, after: Jump) -> np.ndarray:
        nq, nv = self.machine.nq, self.machine.nv
        return np.concatenate([y[:nq], after.v, y[nq + nv : -1], [y[-1] + after.energy]])

    def _due(self, t: float, y: np.ndarray) -> int | list[int] | None:
        """An impact that is due now: bodies that touch and close in on each other, no event tells of it; or contacts that
        close, as bodies that touch are pressed together."""
        gap, G, rate, _, _ = self._gaps(t, y)
        size, still = self._sizes(y, G)
        if (gap < -10 * OVERLAP * size).any():
            k = int(np.argmin(gap / np.where(size > 0, size, 1.0)))
            raise within(t, self.element(k), float(-gap[k]))
        near = gap <= TOUCH * size
        near[list(self.held)] = False
        if not near.any():
            return None
        closing = np.flatnonzero(near & (rate < -still))
        if len(closing):
            return int(closing[np.argmin(rate[closing])])
        slow = near & (rate <= still)
        if not slow.any():
            return None
        pressed = np.flatnonzero(slow & self._presses(t, y))
        return [int(k) for k in pressed] if len(pressed) else None

    # -- contacts that are closed ----------------------------------------------------------------------------------------
    def _rest(self, t: float, y: np.ndarray, more: list[int]) -> np.ndarray:
        """The state with further contacts closed; those that would pull open at once."""
        before = self.held
        self._hold(t, [*self.held, *more], told=False)
        y = self._with(y, jump(self.machine, y, t))
        self.check(t, y, told=False)
        self._tell(t, before)
        return y

    def check(self, t: float, y: np.ndarray, told: bool = True) -> None:
        """Contacts that pull open, the one that pulls most first."""
        while self.held:
            if not self._opens(t, -self.machine.solve(*self._split(t, y)).lam, told):
                return

    def _opens(self, t: float, forces: np.ndarray, told: bool = True) -> bool:
        """Whether a contact has opened: the one whose row has the least of the forces, if that pulls."""
        own = forces[-len(self.held) :]
        if not own.min() < -PULL * np.abs(forces).max():
            return False
        self._hold(t, [x for x in self.held if x != self.held[int(np.argmin(own))]], told)
        return True

    def _part(self, t: float, y: np.ndarray) -> None:
        """After a change of the state: contacts whose bodies are apart, or part, are open."""
        if self.held:
            gap, G, rate, _, _ = self._gaps(t, y)
            size, still = self._sizes(y, G)
            self._hold(t, [k for k in self.held if gap[k] <= TOUCH * size[k] and abs(rate[k]) <= still[k]])

    def _hold(self, t: float, held: list[int], told: bool = True) -> None:
        before, self.held = self.held, tuple(sorted(held))
        if self.held != before:
            self.machine = self.base.holding(self.held)
            if told:
                self._tell(t, before)

    def _tell(self, t: float, before: tuple[int, ...]) -> None:
        self.events += [(t, f"{self.name(k)} rests") for k in self.held if k not in before]
        self.events += [(t, f"{self.name(k)} parts") for k in before if k not in self.held]

    # -- numbers -----------------------------------------------------------------------------------------------------------
    def _split(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
        q, v, turns = self.base.split(y)
        return q, v, t, turns

    def _gaps(self, t: float, y: np.ndarray, vdot: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        return self.base.gaps(*self._split(t, y), vdot)

    def _sizes(self, y: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By contact: what a displacement of the machine's size does to the gap, and the rate that is none."""
        m = self.base
        size = np.linalg.norm(G * m.scale, axis=1)
        return size, STILL * size * np.abs(y[m.nq : m.nq + m.nv] / m.scale).max(initial=0.0)

    def _mass(self, t: float, y: np.ndarray) -> np.ndarray:
        """By displacement, roughly: it is looked at once."""
        if self.mass is None:
            q, v, _, turns = self._split(t, y)
            own = self.base.masses_and_rows(q, v, t, turns)[0].diagonal()
            self.mass = np.where(own > 0, own, float(own.max(initial=0.0)) or 1.0)
        return self.mass

    def _presses(self, t: float, y: np.ndarray) -> np.ndarray:
        """By contact, whether accelerations bring the bodies together, more than by rounding."""
        vdot = self._accelerations(t, y)
        _, G, _, second, _ = self._gaps(t, y, vdot)
        size, _ = self._sizes(y, G)
        return np.asarray(second < -STILL * size * np.abs(vdot / self.base.scale).max(initial=0.0))

    def _accelerations(self, t: float, y: np.ndarray) -> np.ndarray:
        quick = None if self.accelerate is None else self.accelerate(t, y)
        found: np.ndarray = self.machine.solve(*self._split(t, y)).vdot if quick is None else quick
        return found

    def name(self, k: int) -> str:
        """Of its events."""
        return self.base.impacts[k]

    def element(self, k: int) -> str:
        """The contact or stop it belongs to."""
        name, elements = self.name(k), self.base.model.elements
        return name if name in elements else name.rpartition(".")[0]
