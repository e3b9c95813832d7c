"""Charts: the coordinates an integrator runs in, and the bodies' states y = (q, v, turns, work) that all others speak of.

A run, its events, impacts and output know bodies' states only. A chart takes them to the states of the integrator and back;
`Charted` is an integrator that is asked in bodies' states, whatever the chart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from linkwright.compile.called_back import Raised
from linkwright.solve.integrate import Control, Integrator
from linkwright.solve.solution import Solution

# Joint coordinates of machines that turn are smoother than places of their bodies, so steps of the same tolerance are
# longer, and the places up to ten times further off: bars and four-bars after tens of turns. A tenth of the tolerance makes
# up for it at a third more steps; a fifth for dopri5, whose steps are the more careful ones (its `safety`). Bars, four-bars,
# slider-cranks and chains are then off by what those in the bodies' coordinates are, or less, after 1 to 20 s.
SMOOTHER, SMOOTHER_BY_METHOD = 0.1, {"dopri5": 0.2}
STOPS = 8  # at which the integrator stopped: the states of a stretch that is repeated, and what came between


class Chart(ABC):
    """The coordinates x of an integrator. Where the integrator stopped both states are remembered, x and the bodies' one, so
    that going to and fro loses no digits and no turns. ``cap``: how much of the size of a number of x counts, see `Control`;
    ``is_kept``: whether the states x of the output are kept, too."""

    cap: np.ndarray
    is_kept = True

    def __init__(self) -> None:
        self._begin: list[tuple[np.ndarray, np.ndarray]] = []
        self._stops: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=STOPS)
        self._near: np.ndarray | None = None

    @abstractmethod
    def read(self, y: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        """The state x of a bodies' one; whole turns and signs as those of the state `near`."""

    @abstractmethod
    def bodies(self, x: np.ndarray) -> np.ndarray:
        """Bodies' states, a row each."""

    @property
    def told(self) -> Callable[[np.ndarray], np.ndarray] | None:
        """The function `bodies`, for what outlives the run; None where nothing is to be done, so that it can be pickled."""
        return self.bodies

    def own(self, y: np.ndarray) -> np.ndarray:
        """The state x of a bodies' one; that of a stop is known exactly."""
        for known, x in (*self._begin, *self._stops):
            if known is y or np.array_equal(known, y):
                return x
        self._near = self.read(y, self._near)
        return self._near

    def begun(self, y: np.ndarray) -> Self:
        """The same chart with no memory but of the state y, from which a run begins: whatever was run before, and is run
        beside it, the run is the same."""
        new = copy(self)
        new._begin = [(y, self.read(y, None))]
        new.again()
        return new

    def again(self) -> None:
        """Forget all but where the run begins."""
        self._stops, self._near = deque(maxlen=STOPS), self._begin[0][1]

    def stopped(self, x: np.ndarray, known: np.ndarray | None = None) -> np.ndarray:
        """The bodies' state where the integrator stopped, if it is not `known`."""
        y: np.ndarray = self.bodies(x[None])[0] if known is None else known
        self._near = x.copy()
        self._stops.append((y, self._near))
        return y

    def control(self, given: Control, weight: np.ndarray, method: str = "") -> Control:
        """The step control for states x, which end in the work as y does. `weight`: which of their numbers rule the steps;
        `method`: the method that takes the steps."""
        atol = given.atol
        if isinstance(atol, np.ndarray):
            atol = np.array([*np.full(len(weight) - 1, atol[0]), atol[-1]])
        part = SMOOTHER_BY_METHOD.get(method, SMOOTHER)
        rtol, atol = part * given.rtol, part * np.asarray(atol)
        return replace(given, rtol=rtol, atol=atol, weight=weight, cap=self.cap)


class OfBodies(Chart):
    """The bodies' own coordinates."""

    told = None

    def read(self, y: np.ndarray, near: np.ndarray | None) -> np.ndarray:
        return y

    def own(self, y: np.ndarray) -> np.ndarray:
        return y

    def begun(self, y: np.ndarray) -> Self:
        return self

    def again(self) -> None:
        pass

    def bodies(self, x: np.ndarray) -> np.ndarray:
        return x

    def stopped(self, x: np.ndarray, known: np.ndarray | None = None) -> np.ndarray:
        return x

    def control(self, given: Control, weight: np.ndarray, method: str = "") -> Control:
        return replace(given, weight=weight)


class Charted:
    """An integrator of states x that is asked in bodies' states. ``own``: the states x of the last output, if they are kept;
    ``watching``: the functions of its events, at bodies' states; ``raised``: what was raised by the functions that it calls
    in Python."""

    flags_at = 4  # among the inputs of its functions

    def __init__(self, chart: Chart, inside: Integrator, watching: Any = None, raised: Raised | None = None) -> None:
        self.chart, self.inside, self.watching, self.raised = chart, inside, watching, raised
        self.own: np.ndarray | None = None
        self.standing: Any = None  # arrays for a run that is made again

    def set_flags(self, flags: np.ndarray) -> None:
        self.inside.ins[self.flags_at][:] = flags

    def limit(self, steps: int | None) -> None:
        self.inside.max_steps = steps

    @property
    def t(self) -> float:
        return self.inside.t

    @property
    def y(self) -> np.ndarray:
        return self.chart.stopped(self.inside.y.copy())

    @property
    def next_step(self) -> float:
        return self.inside.next_step

    @property
    def weight(self) -> np.ndarray:
        """The weights by which the numbers of x rule the steps; the work has none."""
        weight = np.array(self.inside.control.weight)
        weight[-1] = 0.0
        return weight

    @property
    def signs(self) -> np.ndarray:
        return self.inside.signs

    @property
    def missed(self) -> np.ndarray:
        return self.inside.missed

    def again(self, flags: np.ndarray) -> None:
        """Go back to where the integrator was made, for another run from there."""
        self.inside.again()
        self.set_flags(flags)

    def restart(self, t: float, y: np.ndarray, **options: Any) -> None:
        self.inside.restart(t, self.chart.own(y), **options)

    def go_on(self, fired: Sequence[int]) -> None:
        self.inside.go_on(fired)

    def run(self, t_end: float, t_eval: np.ndarray, looks: np.ndarray, **options: Any) -> Solution:
        """Integrate to t_end at most, or to a terminal event; see `Integrator.run`."""
        s, bodies = self.inside.run(t_end, t_eval=t_eval, looks=looks, **options), self.chart.bodies
        self.own = s.y if self.chart.is_kept else None
        if self.chart.told is None:
            return s
        y = bodies(s.y)
        shown = len(y) > 0 and np.array_equal(s.y[-1], s.y_last, equal_nan=True)  # as it is at the end of a run
        last = self.chart.stopped(s.y_last, y[-1].copy() if shown else None)
        return replace(s, y=y, y_events=[bodies(x) for x in s.y_events], y_last=last)


# Integrators that wait for the next run of a machine from the same start: making one takes longer than many a run.


class Waiting:
    """The integrator that a finished run has left for the next one, if there is one; of runs at the same time the others
    make their own. last: the equations of the last run, which are those of the next one with the same output times; again:
    how to make that run again, where it was smooth."""

    smooth = True

    def __init__(self) -> None:
        self._left: deque[Charted] = deque(maxlen=1)
        self.last: Any = None
        self.again: Any = None

    def taken(self) -> Charted | None:
        try:
            return self._left.pop()
        except IndexError:
            return None

    def leave(self, integrator: Charted) -> None:
        self._left.append(integrator)


@dataclass
class Idle:
    """The integrator of one run: `known` has waited for it; it is left in `waiting` when the run is over."""

    waiting: Waiting | None = None
    known: Charted | None = None
    used: Charted | None = field(default=None, init=False)

    def taken(self) -> Charted | None:
        self.used, self.known = self.known, None
        return self.used

    def take(self, made: Charted) -> None:
        """Keep an integrator that was made; one that calls back to Python, or has a course of its own, cannot run again."""
        if type(made) is Charted and made.raised is None:
            self.used = made

    def leave(self) -> None:
        left = self.used or self.known
        if self.waiting is not None and left is not None:
            self.waiting.leave(left)
