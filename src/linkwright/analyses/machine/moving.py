"""The machine as runs ask it, however its equations of motion are evaluated: as a whole, or in loops over its elements.

Matrices are numpy arrays, or sparse ones where the machine is large (`size_policy.SPARSE`). `turns` are references of angles
as a state y = (q, v, turns, work) has them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.analyses.machine.contact_space import Felt
from linkwright.analyses.machine.machine import Machine
from linkwright.system.held import Mode
from linkwright.system.slots import Slot

Response = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Solution:
    """Accelerations and multipliers. ``unique``: whether the multipliers are, or the least of many; ``undetermined``: names
    of velocities that nothing with inertia and no joint has a say in, where there are any."""

    vdot: np.ndarray
    lam: np.ndarray
    rank: int
    unique: bool
    undetermined: tuple[str, ...] = ()


class MovingMachine(Machine):
    """A machine and what acts on it."""

    @abstractmethod
    def masses_and_rows(self, t: float, y: np.ndarray) -> tuple[Any, Any, np.ndarray]:
        """M, J, nu."""

    @abstractmethod
    def solve(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray | None = None) -> Solution:
        """Accelerations and multipliers."""

    def response(self, t: float, y: np.ndarray, f: np.ndarray) -> Response | None:
        """w and mu of M w + J^T mu = f, J w = 0, and nu, where there are factors at hand; else None."""
        return None

    @property
    def row_elements(self) -> list[str]:
        """The elements of the rows of `masses_and_rows`."""
        return [row.element.name for row in self.system.rows]

    def stands(self, q: np.ndarray, look: Callable[[], bool]) -> bool:
        """Whether the ground holds it at a configuration, which takes a look; that of the last one is kept."""
        if self._standing is None or not np.array_equal(self._standing[0], q):
            self._standing = q.copy(), look()
        return self._standing[1]

    _standing: tuple[np.ndarray, bool] | None = None

    @abstractmethod
    def energy(self, t: float, y: np.ndarray) -> float:
        """The kinetic and the potential energy, added."""

    # -- impacts -------------------------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def impacts(self) -> list[str]:
        """The elements that strike, one for each gap."""

    @abstractmethod
    def gaps(self, t: float, y: np.ndarray, vdot: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        """The gaps of all impacts: the gap, its derivative by displacements (a row each), its rate, its second rate at
        accelerations vdot, the restitution."""

    def element_of_impact(self, k: int) -> str:
        """The contact or stop it belongs to."""
        name = self.impacts[k]
        return name if name in self.model.elements else name.rpartition(".")[0]

    @property
    @abstractmethod
    def own_rows(self) -> int:
        """The number of rows without those of a mode, which come after them."""

    @property
    @abstractmethod
    def slots(self) -> list[Slot]:
        """The places of dry friction."""

    @abstractmethod
    def felt(self, every: Any, t: float, y: np.ndarray) -> Felt:
        """The rows of contacts and slots, and the answer to forces along them; `every`: the machine in the mode in which all
        of them hold."""

    @abstractmethod
    def slot_numbers(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of all slots, see `Mechanics.slot_numbers`."""

    @abstractmethod
    def slot_rows(self, t: float, y: np.ndarray) -> np.ndarray:
        """The generalised force of a unit along each speed of all slots, a row each."""

    @abstractmethod
    def slot_forces(self, t: float, y: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The forces of all slots along their speeds, and the loads of those that rub, in a mode, under multipliers of its
        rows."""

    @abstractmethod
    def rubs_beside(self, dry: set[str]) -> bool:
        """Whether something has friction by the smooth law, or pushes as gears do, beside these elements."""

    @abstractmethod
    def smooth_friction(self, t: float, y: np.ndarray, lam: np.ndarray, dry: set[str]) -> np.ndarray:
        """The generalised forces of that, under multipliers of its own rows."""

    @abstractmethod
    def holding(self, mode: Mode) -> MovingMachine:
        """The same machine in a mode: gaps of closed contacts and what sticks are further equations, the last rows."""

    # -- states --------------------------------------------------------------------------------------------------------
    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, v and turns of a state."""
        return y[: self.nq], y[self.nq : self.nq + self.nv], y[self.nq + self.nv : -1]

    def solved(self, t: float, y: np.ndarray) -> Solution:
        """Accelerations and multipliers of a state."""
        q, v, turns = self.split(y)
        return self.solve(q, v, t, turns)

    def take(self, turns: np.ndarray) -> None:
        """Angles are counted from where a state has them."""
        self.turns = np.array(turns)

    @property
    def state_turns(self) -> np.ndarray:
        """References of the present configuration, for a state."""
        return self.turns

    @abstractmethod
    def rates_of_states(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray) -> np.ndarray:
        """The rates of the states that `state_names` tells, in their order."""

    @property
    def state_names(self) -> list[str]:
        """The names of those references that are states beside the mechanics; "" of the others."""
        return [name if own else "" for name, own in zip(self.system.turn_names, self.states, strict=True)]
