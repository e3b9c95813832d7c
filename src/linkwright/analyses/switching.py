"""Which form each switched law has: the flags that stay between two events, set where the integration starts anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from linkwright.compile import Function
from linkwright.system.motion import Flow

# (t, y, flags) -> the arguments of a flow's functions
Inputs = Callable[[float, np.ndarray, np.ndarray], tuple[np.ndarray, ...]]
Functions = Callable[..., tuple[np.ndarray, ...]]


class Switching:
    """The switches of a flow. `moment`: a time so short that the state hardly changes."""

    def __init__(self, flow: Flow, inputs: Inputs, moment: float) -> None:
        self.flow, self.inputs, self.moment = flow, inputs, moment

    @cached_property
    def functions(self) -> Function:
        return self.flow.events([])

    def element(self, k: int) -> str:
        return self.flow.flags.switches[k].element

    @cached_property
    def _speeds(self) -> Function:
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

    def after(self, t: float, y: np.ndarray, flags: np.ndarray, fired: int = -1) -> np.ndarray:
        """What the conditions are right after (t, y): where a function is zero, its sign a moment later.

        `fired`: the switch whose event this is; it changes, unless it only touches zero.
        """
        if not len(flags):
            return flags
        flags = flags.copy()
        if fired >= 0:
            flags[fired] = 1.0 - flags[fired]
        for _ in range(3):  # the moment later depends on the flags
            now, later = self._ahead(t, y, flags, self.moment)
            near = np.abs(now) <= 2 * np.abs(later - now)
            new = np.where(near, later > 0, now > 0).astype(float)
            if (new == flags).all():
                break
            flags = new
        return flags

    def mistaken(self, t: float, y: np.ndarray, flags: np.ndarray, fired: int, lasted: float) -> np.ndarray:
        """Flags that a stretch ended with the wrong sign: they were wrong from its start.

        The one whose event ended the stretch is zero there: it is judged a moment before, within the time it lasted.
        """
        if not len(flags):
            return np.zeros(0, dtype=bool)
        now, later = self._ahead(t, y, flags, self.moment)
        sure = np.abs(now) > 2 * np.abs(later - now)
        wrong = sure & ((now > 0) != (flags > 0.5))
        if fired >= 0:
            before = self._ahead(t, y, flags, -min(self.moment, 0.1 * lasted))[1][fired]
            wrong[fired] = abs(before) > 10 * abs(now[fired]) and (before > 0) != (flags[fired] > 0.5)
        return np.asarray(wrong)

    def soon(
        self, functions: Functions, t: float, y: np.ndarray, flags: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Other functions of the state now and a moment later."""
        return self._ahead(t, y, flags, self.moment, functions)

    def _ahead(
        self, t: float, y: np.ndarray, flags: np.ndarray, h: float, functions: Functions | None = None
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """The functions now and h later, by a step of order two: some only touch zero at first order."""
        g, f = functions or self.functions, self.flow.motion
        now = g(*self.inputs(t, y, flags))[0]
        first = f(*self.inputs(t, y, flags))[0]
        second = f(*self.inputs(t + h, y + h * first, flags))[0]
        return now, g(*self.inputs(t + h, y + 0.5 * h * (first + second), flags))[0]
