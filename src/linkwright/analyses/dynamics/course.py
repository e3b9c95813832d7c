"""The course of a run, which is what changes while it goes on: its output, events, counts, and what the audit is to say."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.chart import Chart, Charted
from linkwright.analyses.dynamics.stiffness import Stiffness, Way
from linkwright.analyses.machine.times import Times, merged
from linkwright.errors import ArgumentError
from linkwright.results.motion import MotionAudit
from linkwright.solve.solution import Interpolant, Solution
from linkwright.system.held import NO_MODE, Mode

COUNTED = ("steps", "rejected", "nfev", "njev", "stiff", "rounded")


@dataclass(frozen=True)
class Piece:
    """Output of one call of the integrator. mode: of contacts and dry friction; own: the states of `chart`, where they are
    kept."""

    t: np.ndarray
    y: np.ndarray
    mode: Mode = NO_MODE
    chart: Chart | None = None
    own: np.ndarray | None = None

    def without_last(self) -> Piece:
        return self.first(len(self.t) - 1)

    def first(self, count: int) -> Piece:
        return replace(self, t=self.t[:count], y=self.y[:count], own=None if self.own is None else self.own[:count])


@dataclass(frozen=True)
class Stretch:
    """A part of a run within which no law changes its form, kept for whoever goes along it once more, as derivatives do.
    told: takes states of the interpolant to bodies' states, where those are others; mode: what is closed and what sticks."""

    sol: Interpolant
    told: Callable[[np.ndarray], np.ndarray] | None
    flags: np.ndarray
    mode: Mode
    end: float

    def states(self, t: np.ndarray) -> np.ndarray:
        """Bodies' states, a row a time."""
        found = self.sol(t)
        return found if self.told is None else self.told(found)


@dataclass(frozen=True)
class Break:
    """The end of a stretch: the number of the event among those watched (-1: at the start); states, flags and modes before
    and after it."""

    t: float
    fired: int
    before: np.ndarray
    after: np.ndarray
    flags: tuple[np.ndarray, np.ndarray]
    modes: tuple[Mode, Mode]


# How long a run will still take: said, once, to whoever waits for one that will take long and asked for no progress.

FIRST, LONG = 5.0, 120.0  # seconds of the processor: after so many a run is asked, and told where so many or more are left
ENDLESS = 1e10  # seconds
UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"))


@dataclass
class Pace:
    """The clock of a run: since when it is looked at, and from which time of the motion on."""

    since: tuple[float, float] | None = None
    said: bool = False

    def look(self, name: str, times: Times, t: float, steps: int, fastest: Callable[[], tuple[str, ...]]) -> None:
        """Warn where the run of a model will take long. fastest: names the elements whose forces answer fastest."""
        if self.since is None:
            self.since = process_time(), t
            return
        spent, way, left = process_time() - self.since[0], t - self.since[1], times.end - t
        if self.said or spent < FIRST or spent * left <= LONG * way:
            return
        self.said = True
        more = (
            f"{_said(spent * left / way)} more, some {steps * times.span / (t - times.start):.1g} steps"
            if way
            else "for ever"
        )
        names = fastest()
        why = f": {', '.join(names)} makes the fastest motion, which every step follows" if names else ""
        warnings.warn(
            f"{name} has come to t = {t:.3g} of {times.end:.6g} in {spent:.0f} s; at this pace it takes {more}{why}. "
            "End it by Ctrl-C, which keeps what is there; progress= tells how far a run is.",
            stacklevel=2,
        )


def _said(seconds: float) -> str:
    for unit, name in UNITS:
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} seconds"


# So many times so many steps within this part of the whole span: at that rate a run takes 2e10 steps.
COUNTS, EACH, NO_WAY = 50, 400, 1e-6


@dataclass
class Course:
    """What changes in a run. flags: the forms of switched laws; ahead: steps until a partition is looked at again; fired:
    the events at which the present stretch began; stopped: when an event ended the run; missed: what may have happened more
    often than was seen; partitions: when other independent coordinates were chosen."""

    times: Times
    flags: np.ndarray = field(default_factory=lambda: np.zeros(0))
    ahead: int = 1
    stiffness: Stiffness | None = None
    fired: list[int] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    events: list[tuple[float, str]] = field(default_factory=list)
    missed: dict[str, None] = field(default_factory=dict)
    partitions: list[float] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=lambda: dict.fromkeys((*COUNTED, "switches", "sticks", "slips"), 0))
    stretches: list[Stretch] = field(default_factory=list)  # of a run with dense output, as the breaks between them are
    breaks: list[Break] = field(default_factory=list)
    counted: list[float] = field(default_factory=list)  # when steps were counted off, to think about how to go on
    pace: Pace = field(default_factory=Pace)
    reviewed: tuple[float, int] | None = None  # when it was last thought about how to go on, after so many steps
    interrupted: bool = False
    stopped: float | None = None
    integrator: Charted = field(init=False)
    _ordered: int = 0  # so many events are in order

    def count(self, solution: Solution) -> None:
        for name in COUNTED:
            self.counters[name] += getattr(solution, name)

    def way(self, t: float) -> Way:
        """What was gone since the last review, over however many events."""
        begin, steps = self.reviewed or (self.times.start, 0)
        return Way(begin, t, self.counters["steps"] - steps)

    def review(self, t: float, name: str, fastest: Callable[[], tuple[str, ...]] | None) -> None:
        """It was thought about how to go on. fastest: where someone may wait who is to be told of a run that takes long."""
        steps = self.counters["steps"]
        self.reviewed = t, steps
        if fastest is not None:
            self.pace.look(name, self.times, t, steps, fastest)

    def makes_no_way(self, t: float) -> bool:
        """Whether the last steps took the run next to nowhere. It is asked between stretches, however short."""
        if self.counters["steps"] < EACH * len(self.counted):
            return False
        self.counted.append(t)
        return len(self.counted) > COUNTS and t - self.counted[-1 - COUNTS] < NO_WAY * self.times.span

    def happened(self, new: Sequence[tuple[float, str]]) -> None:
        """Take in further events, in order of time. Only those since the last call can come before others, so that a run of
        many stretches does not sort all of them after each."""
        new = sorted(new)
        recent = [t for t, _ in [*self.events[self._ordered :], *new[:1]]]
        while self._ordered and recent and self.events[self._ordered - 1][0] >= min(recent):
            self._ordered -= 1
        self.events[self._ordered :] = sorted([*self.events[self._ordered :], *new])
        self._ordered = len(self.events)

    def audit(self, method: str, **more: Any) -> MotionAudit:
        c = self.counters
        return MotionAudit(
            "dynamics", method, steps=c["steps"], rejected=c["rejected"], evaluations=c["nfev"], jacobians=c["njev"],
            events=len(self.events), switches=c["switches"], sticks=c["sticks"], slips=c["slips"], **more,
        )  # fmt: skip

    def cut(self, t: float) -> None:
        """Forget the output and the events from this time on, but for the start."""
        start = self.pieces[0].first(1)
        kept = [p.first(int(np.searchsorted(p.t, t))) for p in self.pieces]
        self.pieces = [p for p in kept if len(p.t)] or [start]
        self.events = [e for e in self.events if e[0] < t]

    # -- output ------------------------------------------------------------------------------------------------------------
    def modes(self) -> list[Mode]:
        """The mode of each state that is shown."""
        every = [piece.mode for piece in self.pieces for _ in piece.t]
        return [mode for mode, is_shown in zip(every, self.shown_rows(self._times()), strict=True) if is_shown]

    def _times(self) -> np.ndarray:
        """All times that were visited."""
        return np.concatenate([p.t for p in self.pieces])

    def visited(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of the output, of the start, and of the audit's looks."""
        return self._times(), np.concatenate([p.y for p in self.pieces])

    def shown_rows(self, t: np.ndarray) -> np.ndarray:
        """Which of the visited times are output: the last one where a run fails before the first output."""
        rows = self._of_output(t)
        if not rows.any():
            rows[-1] = True
        return rows

    def _of_output(self, t: np.ndarray) -> np.ndarray:
        """A look at the end of a step may fall on an output time: the output came first."""
        rows = self.times.is_shown(t)
        if self.stopped is not None:
            rows |= t == self.stopped
        rows[1:] &= t[1:] != t[:-1]
        return rows

    def looked_rows(self, t: np.ndarray) -> np.ndarray:
        """Which of the visited times the audit looks at: the start, and some on the way."""
        rows: np.ndarray = self.times.is_look(t) | ~self._of_output(t)
        rows[0] = True
        return rows

    def looked(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states that the audit looks at."""
        t, y = self.visited()
        rows = self.looked_rows(t)
        return t[rows], y[rows]

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of the output."""
        t = self._times()
        rows, at = self.shown_rows(t), np.cumsum([0, *[len(p.t) for p in self.pieces]])
        return t[rows], np.concatenate([p.y[rows[a:b]] for p, a, b in zip(self.pieces, at[:-1], at[1:], strict=True)])

    def own(self, chart: Chart | None) -> list[Any]:
        """The chart's states of what is shown. Without a chart: those that were kept, None for others."""
        rows = self.shown_rows(self._times())
        return [x for x, is_shown in zip(self._own(chart), rows, strict=True) if is_shown]

    def _own(self, chart: Chart | None) -> Iterator[Any]:
        for piece in self.pieces:
            if piece.own is not None and (chart is None or piece.chart is chart):
                yield from piece.own
            else:
                yield from (None if chart is None else chart.own(y) for y in piece.y)


# The motion of a run at any time of its span, from the interpolants of its steps.

States = Callable[[np.ndarray], np.ndarray]


class Continuous:
    """Coordinates and velocities by channel name: sol(t) for a number or an array of times.

    Between two steps it is as accurate as the steps. At an event that changes the state it gives the state after it.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._pieces: list[tuple[Interpolant, States | None]] = []

    def add(self, piece: Interpolant | None, told: States | None = None) -> None:
        """`told`: states as (q, v, ...), a row each, of the states of the integrator, where those are others."""
        if piece is not None:
            self._pieces.append((piece, told))

    @property
    def t_min(self) -> float:
        return self._pieces[0][0].t_min

    @property
    def t_max(self) -> float:
        return self._pieces[-1][0].t_max

    def __call__(self, t: float | np.ndarray) -> dict[str, np.ndarray]:
        times = np.atleast_1d(np.asarray(t, dtype=float))
        if not self._pieces or times.min(initial=np.inf) < self.t_min or times.max(initial=-np.inf) > self.t_max:
            span = f"from {self.t_min:g} to {self.t_max:g}" if self._pieces else "at no time"
            raise ArgumentError(f"the motion is known {span} only", element="t", remedy="ask for times of the run")
        begins = np.array([piece.t_min for piece, _ in self._pieces])
        which = np.searchsorted(begins, times, side="right") - 1
        out = np.empty((len(times), len(self.names)))
        for k in merged(which):
            piece, told = self._pieces[k]
            states = piece(times[which == k])
            out[which == k] = (states if told is None else told(states))[:, : len(self.names)]
        rows = out[0] if np.ndim(t) == 0 else out.T
        return dict(zip(self.names, rows, strict=True))
