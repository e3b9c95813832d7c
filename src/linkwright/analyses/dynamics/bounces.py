"""Impacts during a run: one after another where several are due at once, and where they end: in contacts that are held.

Impacts of a restitution below one follow each other without end in a time that does end (Zeno). Where what is left of them
is too small to be seen the contact is closed: its gap becomes an equation, until the bodies would have to pull.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.impact import Jump, Rebound, flight, jump
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.moving import MovingMachine
from linkwright.errors import IntegrationError
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
LOCKED = 1e6  # velocities that change by more than this multiple of what strikes: nothing can give way
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
                raise trouble.rests(t, [self.name(k)])
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
        raise trouble.rests(t, list(dict.fromkeys(n for _, n in self.recent[-CROWD:])))

    # -- impacts -------------------------------------------------------------------------------------------------------
    def _struck(self, t: float, y: np.ndarray, k: int) -> tuple[np.ndarray, float]:
        """The state after one impact, and the flight that follows; none, where it was the last that could be seen."""
        name = self.name(k)
        self.events.append((t, name))
        self.recent = [x for x in self.recent if t - x[0] < CROWD_SPAN * self.span] + [(t, name)]
        gaps = self._gaps(t, y)
        back = self._rebound(t, y, k, gaps)
        while self.held and self._opens(t, back.impulses):
            back = self._rebound(t, y, k, gaps)
        y = back.y
        crowded, ends = len(self.recent) > CROWD, np.isfinite(back.flight)
        size = float(np.linalg.norm(gaps[1][k] * self.machine.scale))
        short = back.flight < RESTING * self.span
        if gaps[4][k] < 1 and ends and (short or crowded or back.height < LOW * size):
            return self._rest(t, y, [k]), np.inf
        if short or crowded:
            raise trouble.rests(t, list(dict.fromkeys(n for _, n in self.recent)))
        return y, back.flight

    def _rebound(self, t: float, y: np.ndarray, k: int, gaps: tuple[np.ndarray, ...]) -> Rebound:
        """M (v+ - v-) = J^T Lam + G^T p with J v+ = nu and G v+ + gap_t = -e (G v- + gap_t)."""
        after = self._jumped(t, y, gaps[1][k], -(1.0 + float(gaps[4][k])) * float(gaps[2][k]))
        y = self._with(y, after)
        _, _, rate, second, _ = self._gaps(t, y, self._accelerations(t, y))
        return Rebound(y, *flight(float(rate[k]), float(second[k])), after.impulses)

    def _jumped(self, t: float, y: np.ndarray, G: np.ndarray, change: float) -> Jump:
        """After an impulse p along a gap that changes its rate. As J v = nu before and after, it gives the energy
        p v.M w + p^2 w.M w/2 with v.M w = G v - nu mu and w.M w = G w, where w and mu are its response to p = 1."""
        m, (q, v, time, turns) = self.machine, self._split(t, y)
        found = m.response(q, time, turns, G)
        if found is None or not found[0] @ G > 0:
            return jump(m, y, t, G[None], change)
        w, mu, nu = found
        p = change / float(G @ w)
        if np.abs(p * w / m.scale).max() > LOCKED * abs(change) / float(np.linalg.norm(G * m.scale)):
            return jump(m, y, t, G[None], change)  # joints hold what is struck, all but
        energy = p * float(G @ v - nu @ mu) + 0.5 * p * p * float(G @ w)
        return Jump(v + p * w, energy, 0.0, -p * mu)

    def _with(self, y: np.ndarray, after: Jump) -> np.ndarray:
        nq, nv = self.machine.nq, self.machine.nv
        return np.concatenate([y[:nq], after.v, y[nq + nv : -1], [y[-1] + after.energy]])

    def _due(self, t: float, y: np.ndarray) -> int | list[int] | None:
        """An impact that is due now: bodies that touch and close in on each other, no event tells of it; or contacts that
        close, as bodies that touch are pressed together."""
        m = self.machine
        gap, G, rate, _, _ = self._gaps(t, y)
        size = np.linalg.norm(G * m.scale, axis=1)
        if (gap < -10 * OVERLAP * size).any():
            k = int(np.argmin(gap / np.where(size > 0, size, 1.0)))
            raise IntegrationError(
                f"the bodies of {self.name(k)} are within each other by {-gap[k]:.3g} at t = {t:.9g}", time=t,
                element=self.name(k), remedy="begin with them apart, or give the contact a stiffness k",
            )  # fmt: skip
        near = gap <= TOUCH * size
        near[list(self.held)] = False
        if not near.any():
            return None
        still = STILL * size * np.abs(y[m.nq : m.nq + m.nv] / m.scale).max(initial=0.0)
        closing = np.flatnonzero(near & (rate < -still))
        if len(closing):
            return int(closing[np.argmin(rate[closing])])
        slow = near & (rate <= still)
        if not slow.any():
            return None
        pressed = np.flatnonzero(slow & (self._second(t, y) < 0))
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
            m = self.base
            gap, G, rate, _, _ = self._gaps(t, y)
            size = np.linalg.norm(G * m.scale, axis=1)
            still = STILL * size * np.abs(y[m.nq : m.nq + m.nv] / m.scale).max(initial=0.0)
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

    def _second(self, t: float, y: np.ndarray) -> np.ndarray:
        """Second rates of the gaps."""
        return self._gaps(t, y, self._accelerations(t, y))[3]

    def _accelerations(self, t: float, y: np.ndarray) -> np.ndarray:
        quick = None if self.accelerate is None else self.accelerate(t, y)
        found: np.ndarray = self.machine.solve(*self._split(t, y)).vdot if quick is None else quick
        return found

    def name(self, k: int) -> str:
        return self.base.impacts[k]
