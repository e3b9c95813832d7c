"""Impacts on the way: one after another where several are due at once, and where they end in rest."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwright.analyses import trouble
from linkwright.analyses.impact import Rebound, rebound
from linkwright.analyses.mechanical import LoadedMachine
from linkwright.errors import IntegrationError
from linkwright.graph import Scalar
from linkwright.system.forces import LEVELS

RESTING = 1e-9  # a flight between two impacts that takes less than this part of the span is none
CROWD, CROWD_SPAN = 60, 1e-7  # so many impacts within this part of the span have no end
TOUCH = 1e-10  # gaps below this part of the machine's size are closed
LATE = 1e-8  # an impact that was missed is seen when the bodies overlap by so much
OVERLAP = 1e-6  # more than this the bodies are within each other
STILL = 1e-10  # rates of a gap below this part of the machine's velocities are none


@dataclass
class Bounces:
    """The impacts of a run; `events` is the run's list of what happened."""

    machine: LoadedMachine
    events: list[tuple[float, str]]
    span: float = 0.0
    recent: list[tuple[float, str]] = field(default_factory=list)

    def watched(self, y: np.ndarray, t: float) -> list[Scalar]:
        """Functions that fall through zero where bodies meet: the gaps, and again a little later, and later still.

        Two crossings within a moment are not seen as such: bodies that are about to rest could slip through each other.
        """
        m = self.machine
        gaps = [i.gap for i in m.system.loads.impacts]
        if not gaps:
            return []
        args = m.load_args(y[: m.nq], y[m.nq : m.nq + m.nv], t, y[m.nq + m.nv : -1])
        size = np.linalg.norm(m.system.gaps(*args, np.zeros(m.nv))[1] * m.scale, axis=1)
        size = 10 ** np.round(np.log10(np.where(size > 0, size, m.length)))  # round: the code is the same next time
        return [gap + level * float(x) for level in (0.0, LATE, OVERLAP) for gap, x in zip(gaps, size, strict=True)]

    def after(self, t: float, y: np.ndarray, k: int | None = None) -> tuple[np.ndarray, float]:
        """The state after the impact that the k-th of `watched` tells of, and after all that follow at once; the shortest
        flight after one of them.

        Raises where the bodies rest on each other, or are within each other.
        """
        flight = np.inf
        level, k = (0, self._due(t, y)) if k is None else divmod(k, len(self.machine.system.loads.impacts))
        if level == LEVELS - 1:
            raise trouble.rests(t, [self._name(k or 0)])
        while k is not None:
            y, last = self._struck(t, y, k)
            flight = min(flight, last)
            k = self._due(t, y)
        return y, flight

    def _struck(self, t: float, y: np.ndarray, k: int) -> tuple[np.ndarray, float]:
        nq, nv = self.machine.nq, self.machine.nv
        name = self._name(k)
        self.events.append((t, name))
        self.recent = [x for x in self.recent if t - x[0] < CROWD_SPAN * self.span] + [(t, name)]
        back = self._rebound(t, y, k)
        y = y.copy()
        y[nq : nq + nv] = back.v
        y[-1] += back.energy
        if back.flight < RESTING * self.span:
            raise trouble.rests(t, [name])
        if len(self.recent) > CROWD:
            raise trouble.rests(t, list(dict.fromkeys(n for _, n in self.recent)))
        return y, back.flight

    def _rebound(self, t: float, y: np.ndarray, k: int) -> Rebound:
        nq, nv = self.machine.nq, self.machine.nv
        return rebound(self.machine, k, y[:nq], y[nq : nq + nv], t, y[nq + nv : -1])

    def _due(self, t: float, y: np.ndarray) -> int | None:
        """An impact that is due now: bodies that touch and close in on each other; no event tells of it."""
        m = self.machine
        q, v, turns = y[: m.nq], y[m.nq : m.nq + m.nv], y[m.nq + m.nv : -1]
        args = m.load_args(q, v, t, turns)
        gap, G, rate, _, _ = m.system.gaps(*args, np.zeros(m.nv))
        size = np.linalg.norm(G * m.scale, axis=1)
        if (gap < -10 * OVERLAP * size).any():
            k = int(np.argmin(gap / np.where(size > 0, size, 1.0)))
            raise IntegrationError(
                f"the bodies of {self._name(k)} are within each other by {-gap[k]:.3g} at t = {t:.9g}", time=t,
                element=self._name(k), remedy="begin with them apart, or give the contact a stiffness k",
            )  # fmt: skip
        near = gap <= TOUCH * size
        if not near.any():
            return None
        still = STILL * size * np.abs(v / m.scale).max(initial=0.0)
        closing = np.flatnonzero(near & (rate < -still))
        if len(closing):
            return int(closing[np.argmin(rate[closing])])
        _, _, _, second, _ = m.system.gaps(*args, m.solve(q, v, t, turns).vdot)
        pressed = np.flatnonzero(near & (rate <= still) & (second < 0))
        if len(pressed):
            raise trouble.rests(t, [self._name(int(k)) for k in pressed])
        return None

    def _name(self, k: int) -> str:
        return self.machine.system.loads.impacts[k].element
