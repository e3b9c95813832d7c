"""The equations that a run integrates, as they are at a time, by one of the back ends (whole, second order, looped).

Equations are frozen. Where something changes on the way (contacts, a partition, the method, rows that come near to
dependence) others take their place. All states are bodies' states, y = (q, v, turns, work).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from linkwright.analyses.dynamics.chart import Charted
from linkwright.analyses.dynamics.contact.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.stiffness import Way
from linkwright.analyses.dynamics.switching import Switching
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.moving import MovingMachine
from linkwright.analyses.machine.told import Answers, ForcesAlong
from linkwright.errors import IntegrationError, LinkwrightError
from linkwright.graph import topological
from linkwright.results.motion import MotionAudit
from linkwright.solve.integrate import Events
from linkwright.solve.solution import Solution
from linkwright.system.forces import LEVELS
from linkwright.system.motion import follows_from_forces

# Steps until the pivots are looked at, and whether the machine is stiff: the first time, and from then on.
FIRST_PATIENCE, PATIENCE = 200, 400


@dataclass(frozen=True, eq=False)
class Equations(ABC):
    options: Options
    method: str
    machine: MovingMachine

    # -- what is there -----------------------------------------------------------------------------------------------------
    @property
    def names(self) -> list[str]:
        """The names of coordinates and velocities."""
        c = self.machine.system.coordinates
        return [*c.q_names, *c.v_names]

    @cached_property
    def impacts(self) -> int:
        """The number of impacts: pairs of bodies that may strike each other."""
        return len(self.machine.impacts)

    @cached_property
    def slots(self) -> int:
        """The number of slots: places of dry friction."""
        return len(self.machine.slots)

    @property
    @abstractmethod
    def switches(self) -> int:
        """The number of laws that switch."""

    @property
    def watches(self) -> Sequence[Watch]:
        return self.options.watches

    @property
    def first_switch(self) -> int:
        """The number of the first switch among the events: watched quantities, impacts and slots come before."""
        return len(self.watches) + LEVELS * self.impacts + self.slots

    @property
    def jumps(self) -> Jumps | None:
        """The watched quantities that may jump."""
        return None

    @property
    def is_compiled(self) -> bool:
        """Whether the motion is compiled, so that it can be asked what comes a moment later."""
        return True

    # -- what is asked at a state ------------------------------------------------------------------------------------------
    @abstractmethod
    def inputs(self, t: float, y: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, ...]:
        """The arguments of functions of the state."""

    @abstractmethod
    def switching(self, moment: float) -> Switching:
        """The switches of the laws. `moment`: a time so short that the state hardly changes."""

    @abstractmethod
    def bounces(self, course: Course, accelerate: Callable[[float, np.ndarray], np.ndarray | None]) -> Bounces:
        """The impacts of a run. `accelerate`: a fast way to accelerations, if it may."""

    def accelerations(self, t: float, y: np.ndarray, flags: np.ndarray, machine: Any) -> np.ndarray | None:
        """The accelerations of the machine, where there is a fast way to them."""
        return None

    @abstractmethod
    def changed(self, watch: Watch, t: float, y: np.ndarray) -> np.ndarray:
        """The state after the change of an event, before impacts."""

    def broken(self, t: float, y: np.ndarray) -> LinkwrightError | None:
        """The error that ends the run though the integrator went on: joints have come apart."""
        return None

    # -- integration -------------------------------------------------------------------------------------------------------
    @abstractmethod
    def integrator(self, course: Course, bounces: Bounces, t: float, y: np.ndarray) -> Charted:
        """The integrator from the state y on. Its events are watched quantities, gaps of impacts, margins of slots,
        switches."""

    def patience(self, course: Course) -> int | None:
        """Steps until the equations are looked at; None: as many as there are to the next output."""
        return PATIENCE if course.counters["steps"] else min(FIRST_PATIENCE, PATIENCE)

    def left(self, course: Course) -> int | None:
        """The number of steps that the next stretch may take."""
        left = [] if self.options.max_steps is None else [self.options.max_steps - course.counters["steps"]]
        patience = self.patience(course)
        return min([*([] if patience is None else [patience]), *left], default=None)

    def watched(self, code: Any, gaps: int) -> Events:
        """The events of the integrator. Of events at one time the first in order comes first: watched quantities before
        switches, which end a stretch."""
        direction = [w.direction for w in self.watches] + [-1] * gaps + [0] * self.switches
        kinks = [len(direction) - self.switches + int(k) for k in np.flatnonzero(self.switching(0.0).kinks)]
        return Events(code, direction, [w.terminal for w in self.watches] + [1] * (gaps + self.switches), kinks)

    # -- others in their place ---------------------------------------------------------------------------------------------
    @abstractmethod
    def after(self, course: Course, solution: Solution, begin: float) -> Self | LinkwrightError:
        """After a stretch from `begin` without success: the equations to go on with, or why the run is over."""

    def if_stiff(self, course: Course, way: Way, y: np.ndarray) -> Self:
        """The equations by another method, where the machine turns out stiff on the way to the state y."""
        return self

    def is_singular(self, course: Course, solution: Solution) -> bool:
        """Whether the rows are nearly dependent where a stretch ended, so that other equations would do better."""
        return False

    def regularised(self, course: Course, t: float, y: np.ndarray, near: float) -> Self:
        """Equations for a motion from (t, y) on in which rows may become dependent, as they do at the time `near`."""
        return self

    def spoiled(self, course: Course, solution: Solution, begin: float) -> bool:
        """Whether the partition of a stretch from `begin` went bad within it: the stretch is then taken once more, in fewer
        steps."""
        return False

    def touching(self, course: Course, bounces: Bounces, t: float, y: np.ndarray) -> Self:
        """The equations with the contacts that are closed now."""
        return self

    # -- output ------------------------------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def row_names(self) -> list[str]:
        """The names of the rows of the machine without closed contacts."""

    @property
    def left_out(self) -> frozenset[str]:
        """Rows that followed from the others at the start."""
        return frozenset()

    def fastest(self, t: float, y: np.ndarray) -> tuple[str, ...]:
        """The elements whose forces answer fastest; none where that is not known."""
        return ()

    def contradicted(self, t: float, y: np.ndarray) -> IntegrationError | None:
        """The error where one of these rows contradicts the others now."""
        return None

    @abstractmethod
    def audit(self, course: Course) -> MotionAudit:
        """The audit of a run that ended with these equations."""

    @abstractmethod
    def forces(self, t: np.ndarray, y: np.ndarray) -> ForcesAlong:
        """The forces at all states that were visited, without accelerations."""

    @abstractmethod
    def answers(self, course: Course) -> Answers:
        """Accelerations and forces at the states that are shown, at the end of a run."""

    def answers_later(self, course: Course) -> bool:
        """Whether the answers can be computed at any later time, when they are read."""
        return False


# Accelerations, reactions and forces that are watched may jump through zero: where a law changes its form, at impacts.

AT_START = 1e-3  # a zero that lies within this part of a moment after the start is at the start
ROUNDING = 1e-9  # one value below this part of the other is zero


class Jumps:
    """The watched quantities that may jump, and which of them do. Values are those of all events, watched quantities
    first."""

    def __init__(self, watches: Sequence[Watch], which: Sequence[int]) -> None:
        self.watches, self.which = watches, which

    @classmethod
    def of(cls, machine: LoadedMachine, watches: Sequence[Watch]) -> Jumps:
        """The quantities that follow from accelerations or multipliers, and forces of the state alone whose law changes its
        form."""
        s = machine.system
        conditions = {id(switch.condition) for switch in s.switches if switch.condition is not None}
        told = [s.told([w.traced(machine)]) for w in watches]
        jumps = [follows_from_forces(s, x) or any(id(n) in conditions for n in topological(x)) for x in told]
        return cls(watches, [k for k, may in enumerate(jumps) if may])

    def passed(self, before: np.ndarray, after: np.ndarray) -> list[int]:
        """The numbers of the quantities whose sign changes in the sense of their direction."""
        out = []
        for k in self.which:
            a, b = float(before[k]), float(after[k])
            small = min(abs(a), abs(b)) <= ROUNDING * max(abs(a), abs(b))
            if a * b < 0 and not small and self.watches[k].direction * a <= 0:
                out.append(k)
        return out

    def begin(self, now: np.ndarray, later: np.ndarray) -> list[int]:
        """The numbers of the quantities that begin at zero but for rounding, and have no sign yet: `now` at the start,
        `later` a moment after."""
        return [k for k in self.which if abs(now[k]) <= AT_START * abs(later[k] - now[k])]
