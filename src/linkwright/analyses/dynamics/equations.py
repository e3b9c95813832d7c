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

from linkwright.analyses.dynamics.bounces import Bounces
from linkwright.analyses.dynamics.chart import Charted
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.jumps import Jumps
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.switching import Switching
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine.moving import MovingMachine
from linkwright.analyses.machine.told import Answers, ForcesAlong
from linkwright.errors import IntegrationError, LinkwrightError
from linkwright.results.motion import MotionAudit
from linkwright.solve.integrate import Events
from linkwright.solve.solution import Solution
from linkwright.system.forces import LEVELS

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
