"""The form that each switched law has: flags that stay between two events, set where the integration starts anew.

Kinks have no form; their flags mute them: a kink is watched for the sake of accuracy alone, and where it is at rest (drag v
|v| on a body that is held) its sign is that of rounding, which changes again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from random import Random
from typing import Any, Protocol

import numpy as np

# (t, y, flags) -> the arguments of a flow's functions
Inputs = Callable[[float, np.ndarray, np.ndarray], tuple[np.ndarray, ...]]
Functions = Callable[..., tuple[np.ndarray, ...]]


# (y, displacements, velocities) -> y after these were added
Nudge = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
AT_REST, SLOWEST = 1e-12, 1e-15  # of the machine's lengths: displacements, and those of a moment, that are none
HELD = 1e-3  # of a function next to zero: by less it does not move
OVER = 1e-6  # of a moment: a state goes on by less
LOOKS = 4  # ways in which a state is changed by so little


class Movable(Protocol):
    """A machine, traced as a whole or in loops."""

    @property
    def nq(self) -> int: ...

    @property
    def nv(self) -> int: ...

    def retract(self, q: np.ndarray, d: np.ndarray) -> np.ndarray: ...


def nudged(machine: Movable, y: np.ndarray, d: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The state y = (q, v, ...) after displacements d, with velocities that are greater by w."""
    nq, nv = machine.nq, machine.nv
    return np.concatenate([machine.retract(y[:nq], d), y[nq : nq + nv] + w, y[nq + nv :]])


class Switching:
    """The switches of a flow in a chart. `moment`: a time so short that the state hardly changes; `nudge`, by `scale`: see
    `_quiet`."""

    def __init__(self, flow: Any, inputs: Inputs, moment: float, nudge: Nudge, scale: np.ndarray) -> None:
        self.flow, self.inputs, self.moment, self.nudge, self.scale = flow, inputs, moment, nudge, scale

    @cached_property
    def functions(self) -> Any:
        return self.flow.events([])

    def element(self, k: int) -> str:
        return str(self.flow.flags.switches[k].element)

    @cached_property
    def kinks(self) -> np.ndarray:
        """Which switches are kinks: no condition of a law."""
        return np.array([s.condition is None for s in self.flow.flags.switches], dtype=bool)

    @cached_property
    def _speeds(self) -> Any:
        memories = self.flow.system.loads.memories
        return self.flow.function("speeds of impact", depth=[x.depth for x in memories], speed=[x.speed for x in memories])

    def remembered(self, t: float, y: np.ndarray, flags: np.ndarray, fired: int = -1) -> np.ndarray:
        """y with the speeds of impact of the contacts that begin here: that of a switch, or at the start all that touch and
        of which no state to go on from tells it."""
        system = self.flow.system
        if not system.loads.memories:
            return y
        y = y.copy()
        depth, speed = self._speeds(*self.inputs(t, y, flags))
        names = list(system.geometry.turns)
        for k, memory in enumerate(system.loads.memories):
            at = names.index(memory.name) - len(names) - 1
            begins = depth[k] >= 0 and y[at] == 0 if fired < 0 else self.flow.flags.switches[fired].g is memory.depth
            if begins and speed[k] > 0:
                y[at] = speed[k]
        return y

    def across(self, t: float, y: np.ndarray, flags: np.ndarray, fired: int) -> np.ndarray:
        """y on the far side of a zero that it has come to, where its function moves no more on that side: a state that is
        held at its limit. The event may be a rounding before it, where the law would let the state go on."""
        if self.kinks[fired]:
            return y
        changed = flags.copy()
        changed[fired] = beyond = 1.0 - flags[fired]
        now, later = (x[fired] for x in self._ahead(t, y, changed, self.moment))
        if (now > 0) == (beyond > 0.5) or abs(later - now) > HELD * abs(now):
            return y
        step = 1e-12 * OVER * self.moment
        while step < OVER * self.moment:
            over = self.moved(t, y, flags, step)
            if (self.functions(*self.inputs(t, over, changed))[0][fired] > 0) == (beyond > 0.5):
                return over
            step *= 2.0
        return y

    def after(self, t: float, y: np.ndarray, flags: np.ndarray, fired: int = -1) -> np.ndarray:
        """The values of the conditions right after (t, y): where a function is zero, by its sign a moment later.

        `fired`: the switch whose event this is; it changes, unless it only touches zero.
        """
        if not len(flags):
            return flags
        flags = np.where(self.kinks, 0.0, flags)
        if fired >= 0 and not self.kinks[fired]:
            flags[fired] = 1.0 - flags[fired]
        for _ in range(3):  # the moment later depends on the flags
            now, later = self._ahead(t, y, flags, self.moment)
            near = np.abs(now) <= 2 * np.abs(later - now)
            new = np.where(self.kinks, 0.0, np.where(near, later > 0, now > 0)).astype(float)
            if (new == flags).all():
                break
            flags = new
        return np.where(self._quiet(t, y, flags, now, later), 1.0, flags) if self.kinks.any() else flags

    def _quiet(self, t: float, y: np.ndarray, flags: np.ndarray, now: np.ndarray, later: np.ndarray) -> np.ndarray:
        """Which kinks are zero, and stay so for a moment, but for motions too small to count."""
        return np.asarray(self.kinks & (np.maximum(np.abs(now), np.abs(later)) <= self._response(t, y, flags, now)))

    def _response(self, t: float, y: np.ndarray, flags: np.ndarray, now: np.ndarray) -> np.ndarray:
        """The amounts by which the functions change with motions too small to count."""
        lot, response = Random(0), np.zeros(len(now))  # Python's own: numpy's take longer to import than all of this
        for _ in range(LOOKS):
            d = self.scale * np.array(lot.choices([-1.0, 1.0], k=len(self.scale)))
            near = self.nudge(y, AT_REST * d, SLOWEST / self.moment * d)
            response = np.maximum(response, np.abs(self.functions(*self.inputs(t, near, flags))[0] - now))
        return response

    def mistaken(self, t: float, y: np.ndarray, flags: np.ndarray, fired: int, lasted: float) -> np.ndarray:
        """Flags that a stretch ended with the wrong sign: they were wrong from its start.

        The one whose event ended the stretch is zero there: it is judged a moment before, within the time it lasted. What is
        zero but for motions too small to count has no form to be wrong.
        """
        if not len(flags):
            return np.zeros(0, dtype=bool)
        now, later = self._ahead(t, y, flags, self.moment)
        size = np.abs(now)
        sure = size > 2 * np.abs(later - now)
        wrong = sure & ((now > 0) != (flags > 0.5)) & ~self.kinks
        if fired >= 0 and not self.kinks[fired]:
            before = self._ahead(t, y, flags, -min(self.moment, 0.1 * lasted))[1][fired]
            wrong[fired] = abs(before) > 10 * abs(now[fired]) and (before > 0) != (flags[fired] > 0.5)
            size[fired] = abs(before)
        return np.asarray(wrong & (size > self._response(t, y, flags, now))) if wrong.any() else wrong

    def soon(
        self, functions: Functions, t: float, y: np.ndarray, flags: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Other functions of the state now and a moment later."""
        return self._ahead(t, y, flags, self.moment, functions)

    def _ahead(
        self, t: float, y: np.ndarray, flags: np.ndarray, h: float, functions: Functions | None = None
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """The functions now and h later, by a step of order two: some only touch zero at first order."""
        g = functions or self.functions
        return g(*self.inputs(t, y, flags))[0], g(*self.inputs(t + h, self.moved(t, y, flags, h), flags))[0]

    def moved(self, t: float, y: np.ndarray, flags: np.ndarray, h: float) -> np.ndarray:
        """The state h later, by a step of order two."""
        f = self.flow.motion
        first = f(*self.inputs(t, y, flags))[0]
        second = f(*self.inputs(t + h, y + h * first, flags))[0]
        return np.asarray(y + 0.5 * h * (first + second))
