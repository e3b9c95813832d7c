"""A run from event to event: switched laws, impacts, watched quantities; what is integrated in between others say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.bounces import Bounces
from linkwright.analyses.dynamics.continuous import Continuous
from linkwright.analyses.dynamics.switching import Switching
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.times import Times
from linkwright.errors import LinkwrightError
from linkwright.solve.blas import single_threaded
from linkwright.solve.drive import FIRED
from linkwright.solve.integrate import INTERRUPTED
from linkwright.solve.solution import Solution
from linkwright.solve.stepping import EVENT
from linkwright.system.forces import LEVELS

# So many changes of laws within this part of the whole span: the machine chatters, it makes no way.
CHATTER, CHATTER_SPAN = 60, 1e-7
PATIENCE = 400  # steps until the pivots are looked at
STOPPED = LinkwrightError("an event ended the run")

Over = LinkwrightError | None  # why a run is over


class Stretches(ABC):
    """Runs once; afterwards `t`, `y` are the output and `events` what happened."""

    y0: np.ndarray
    integrator: Any
    switching: Switching
    bounces: Bounces

    def __init__(
        self, watches: list[Watch], names: list[str], max_steps: int | None, tick: Callable[[float], None] | None,
        options: dict[str, Any] | None, dense_output: bool,
    ) -> None:  # fmt: skip
        self.watches, self.max_steps, self.tick, self.options = watches, max_steps, tick, options
        self.why: list[str] = []
        self.counters = dict.fromkeys(("steps", "rejected", "nfev", "njev", "stiff", "rounded", "switches"), 0)
        self.pieces: list[tuple[np.ndarray, np.ndarray]] = []
        self.closed: list[tuple[int, ...]] = []  # for each of the pieces, the contacts that are closed in it
        self.events: list[tuple[float, str]] = []
        self.recent: list[float] = []
        self._ordered = 0  # so many events are in order
        self.missed: dict[str, None] = {}  # what may have happened more often than was seen
        self.fired: list[int] = []  # events at which the present stretch began
        self.interrupted = False
        self.stopped: float | None = None  # when an event ended the run
        self.sol = Continuous(names) if dense_output else None

    # -- what is integrated ------------------------------------------------------------------------------------------------
    @abstractmethod
    def _integrator(self, y: np.ndarray, t: float, flags: np.ndarray) -> Any:
        """With the equations as they are now; its events are watched quantities, gaps of impacts, switches."""

    @abstractmethod
    def _inputs(self, t: float, y: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, ...]:
        """The arguments of the flow's functions."""

    @abstractmethod
    def _switches(self, moment: float) -> Switching:
        """`moment`: a time so short that the state hardly changes."""

    @property
    @abstractmethod
    def _sizes(self) -> tuple[int, int]:
        """How many impacts and how many switches there are."""

    @abstractmethod
    def _changed(self, watch: Watch, t: float, y: np.ndarray) -> np.ndarray:
        """The state after the change of an event, before impacts."""

    @abstractmethod
    def _failed(self, solution: Solution, begin: float, t: float, y: np.ndarray) -> Over:
        """After a stretch without success: None where another method, partition or just more steps may do."""

    @abstractmethod
    def _singular(self, t: float, y: np.ndarray) -> bool:
        """Whether the equations are near to dependence, and others would do better."""

    @abstractmethod
    def _yield(self, t: float, y: np.ndarray, near: float) -> None:
        """Go on with rows that may become dependent."""

    def _turned_over(self, t: float, y: np.ndarray) -> None:
        """Contacts have closed or opened: other equations from here on."""
        return

    def _begun(self, t: float, y: np.ndarray) -> None:
        """What is to be done once the integrator is there."""
        return

    def _spoiled(self, solution: Solution, t: float, y: np.ndarray) -> bool:
        """Whether what was chosen for a stretch went bad within it, and the integrator was set back to its start (t, y)."""
        return False

    def _broken(self, t: float, y: np.ndarray) -> Over:
        """What ends the run though the integrator went on: joints that have come apart, a law that raised."""
        return None

    def _is_interrupted(self, solution: Solution) -> bool:
        return bool(solution.status == INTERRUPTED)

    @property
    def _cartesian(self) -> Any:
        """What takes the integrator's state to the bodies' one, if they differ."""
        return None

    def _left(self, patience: int = 0) -> int:
        """How many steps the next stretch may take."""
        patience = patience or PATIENCE
        return patience if self.max_steps is None else min(patience, self.max_steps - self.counters["steps"])

    # -- the run -----------------------------------------------------------------------------------------------------------
    @single_threaded
    def run(self, times: Times) -> Over:
        """To the end; what went wrong, if something did."""
        self.times, t, y, self.end = times, times.start, self.y0, times.end
        self.span = self.bounces.span = times.span
        self.switching = self._switches(1e-6 * self.span if self.span else 1e-9)
        self.flags = np.zeros(self._sizes[1])
        y = self.switching.remembered(t, y, self.flags)
        self._put(np.array([t]), y[None])
        try:
            y = self._struck(t, y)
            self.closed[0] = self.bounces.held
            if self.bounces.held:
                self._turned_over(t, y)
                self.flags = np.zeros(self._sizes[1])
            self.flags = self.switching.after(t, y, self.flags)
            if self.span:
                self.integrator = self._integrator(y, t, self.flags)
                self._begun(t, y)
                return self._stretches(t, y)
        except LinkwrightError as error:  # a law or a change of state
            return error
        except KeyboardInterrupt:
            self.interrupted = True
        return None

    def _stretches(self, t: float, y: np.ndarray) -> Over:
        """From event to event, with a look at the integrator's health every so many steps."""
        times = self.times.all
        while t < self.end:
            solution, undecided = self._stretch(times[np.searchsorted(times, t, side="right") :])
            if undecided:  # each value of a flag leads to the other: both laws push back
                return trouble.chatters(t, undecided)
            if not solution.success and self._singular(solution.t_last, solution.y_last):
                # from the start of the stretch: near a singular configuration digits were lost
                self._yield(t, y, solution.t_last)
                continue
            if self._spoiled(solution, t, y):
                continue
            begin, t, y = t, solution.t_last, solution.y_last
            self._collect(solution)
            if self._is_interrupted(solution):
                self.interrupted = True
                return None
            over = self._broken(t, y)
            if over is None and solution.status == EVENT and solution.terminal is not None:
                over, y = self._event(solution, t, y)
            elif over is None and not solution.success:
                over = self._failed(solution, begin, t, y)
            if over is not None:
                return None if over is STOPPED else over
        return None

    def _stretch(self, ahead: np.ndarray) -> tuple[Solution, str]:
        """To the next change of a law; where flags turn out wrong from the start, once more with the right ones.

        Also the element whose flag is wrong either way, if there is one.
        """
        it = self.integrator
        t, y, fired = it.t, it.y.copy(), np.flatnonzero(it.signs == FIRED).tolist()
        self.fired = fired
        for _ in range(6):
            solution = it.run(self.end, t_eval=ahead, tick=self.tick, dense_output=self.sol is not None)
            fired_now = -1 if solution.terminal is None else solution.terminal - self._first_switch
            lasted = solution.t_last - t
            wrong = self.switching.mistaken(solution.t_last, solution.y_last, self.flags, fired_now, lasted)
            if not np.any(wrong):
                return solution, ""
            self.flags = np.where(wrong, 1.0 - self.flags, self.flags)
            it.ins[4][:] = self.flags
            it.restart(t, y, fired=fired)
        return solution, self.switching.element(int(np.argmax(wrong)))

    def _collect(self, solution: Solution) -> None:
        self._put(solution.t, solution.y)
        if self.sol is not None:
            self.sol.add(solution.sol, self._cartesian)
        for name in ("steps", "rejected", "nfev", "njev", "stiff", "rounded"):
            self.counters[name] += getattr(solution, name)
        self.missed |= dict.fromkeys(self._event_name(int(k)) for k in np.flatnonzero(self.integrator.missed))
        new = sorted((float(t), w.name) for k, w in enumerate(self.watches) for t in solution.t_events[k])
        # what came since the last time, and what it may come before: a run of many stretches does not sort all after each
        recent = [t for t, _ in [*self.events[self._ordered :], *new[:1]]]
        while self._ordered and recent and self.events[self._ordered - 1][0] >= min(recent):
            self._ordered -= 1
        self.events[self._ordered :] = sorted([*self.events[self._ordered :], *new])
        self._ordered = len(self.events)

    # -- events ----------------------------------------------------------------------------------------------------------
    def _event_name(self, k: int) -> str:
        """Of the k-th function that the integrator watches."""
        if k < len(self.watches):
            return self.watches[k].name
        if k < self._first_switch:
            return self.bounces.name((k - len(self.watches)) % self._sizes[0])
        return self.switching.element(k - self._first_switch)

    @property
    def _first_switch(self) -> int:
        """The number of the first switch among the events: watched quantities and impacts come before."""
        return len(self.watches) + LEVELS * self._sizes[0]

    def _event(self, solution: Solution, t: float, y: np.ndarray) -> tuple[Over, np.ndarray]:
        """What a terminal event does: (None, the state after it), or STOPPED or an error where the run is over."""
        fired = solution.terminal
        assert fired is not None
        if fired < len(self.watches):
            return self._asked(self.watches[fired], solution, t, y)
        k = fired - self._first_switch
        if k < 0:
            return self._bounce(fired - len(self.watches), t, y, solution)
        self.counters["switches"] += 1
        y = self.switching.remembered(t, y, self.flags, k)
        self.flags = self.switching.after(t, y, self.flags, k)
        return self._restart(t, y, solution, self.switching.element(k)), y

    def _asked(self, watch: Watch, solution: Solution, t: float, y: np.ndarray) -> tuple[Over, np.ndarray]:
        """What a watched quantity asks for at its event."""
        held = self.bounces.held
        if watch.change is not None:
            y = self._struck(t, self._changed(watch, t, y))
        if watch.stop:
            self._stop_at(t, y)
            return STOPPED, y
        if self._anew_after(held, t, y):
            return None, y
        self.flags = self.switching.after(t, y, self.flags)
        return self._restart(t, y, solution), y

    def _anew_after(self, held: tuple[int, ...], t: float, y: np.ndarray) -> bool:
        """Where other contacts are closed than `held`: the integrator begins anew with their equations."""
        if self.bounces.held == held:
            return False
        self._turned_over(t, y)
        self.flags = self.switching.after(t, y, np.zeros(self._sizes[1]))
        self.integrator = self._integrator(y, t, self.flags)
        opened = [k for k in held if k not in self.bounces.held]
        self.integrator.signs[[len(self.watches) + k for k in opened]] = FIRED
        return True

    def _restart(self, t: float, y: np.ndarray, solution: Solution, law: str = "") -> Over:
        """Begin anew after an event; the error that ends the run where it makes no way."""
        self.recent = [x for x in self.recent if t - x < CHATTER_SPAN * self.span] + [t]
        if len(self.recent) > CHATTER:
            return trouble.chatters(t, law or self.watches[solution.terminal or 0].name)
        held = self.bounces.held
        if held:
            self.bounces.check(t, y)  # a law that has changed may pull at a contact
            if self._anew_after(held, t, y):
                return None
        self.integrator.ins[4][:] = self.flags
        also = [j for j in range(len(self.watches)) if t in solution.t_events[j]]
        self.integrator.restart(t, y, fired=[solution.terminal or 0, *also])
        return None

    def _struck(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state after impacts that are due at once."""
        return self.bounces.after(t, y)[0] if self._sizes[0] else y

    def _bounce(self, k: int, t: float, y: np.ndarray, solution: Solution) -> tuple[Over, np.ndarray]:
        """The state after an impact."""
        held = self.bounces.held
        y, flight = self.bounces.after(t, y, k)
        if self._anew_after(held, t, y):
            return None, y
        self.flags = self.switching.after(t, y, self.flags)
        self.integrator.ins[4][:] = self.flags
        step = min(0.05 * flight, 1e-2 * self.span)
        self.integrator.restart(t, y, fired=[solution.terminal or 0], first_step=step)
        return None, y

    def _stop_at(self, t: float, y: np.ndarray) -> None:
        """The place where an event ended the run is part of the output."""
        self.stopped = t
        if self.visited()[0][-1] < t:
            self._put(np.array([t]), y[None])

    # -- output ------------------------------------------------------------------------------------------------------------
    def _put(self, t: np.ndarray, y: np.ndarray) -> None:
        self.pieces.append((t, y))
        self.closed.append(self.bounces.held)

    def closed_when(self) -> dict[float, tuple[int, ...]]:
        """The contacts that are closed, by time."""
        return {float(t): held for held, (times, _) in zip(self.closed, self.pieces, strict=True) if held for t in times}

    def visited(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of the output, of the start, and of the audit's looks."""
        return np.concatenate([t for t, _ in self.pieces]), np.concatenate([y for _, y in self.pieces])

    def looked(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states that the audit looks at: the start, and some on the way."""
        t, y = self.visited()
        rows = self.times.is_look(t)
        rows[0] = True
        return t[rows], y[rows]

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of the output; the last ones there are where a run fails before the first output."""
        t, y = self.visited()
        rows = self.times.is_shown(t) | (t == self.stopped)
        rows[-1] |= not rows.any()
        return t[rows], y[rows]
