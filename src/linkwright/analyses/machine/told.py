"""The outputs of a motion under forces, whichever back end evaluates them: as a whole (`reactions`), by functions of all
states at once, or in loops over elements, whose numbers are lent to one run after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from linkwright.analyses.machine.channels import Layout
from linkwright.analyses.machine.joint_rates import JointRates
from linkwright.analyses.machine.mechanical import States
from linkwright.analyses.machine.moving import MovingMachine
from linkwright.analyses.machine.safety import Kept
from linkwright.results.channels import Evaluate
from linkwright.results.motion import JointPlace
from linkwright.system.slots import Slot

FORCES = {"vx": "fx", "vy": "fy", "vz": "fz", "omega": "torque", "wx": "tx", "wy": "ty", "wz": "tz"}


@dataclass(frozen=True)
class Answers:
    """The solution at the states of the output, a row a time: accelerations; the forces of closed contacts, by impact; the
    smallest pivot; the forces of slots by speed, of a simulation: without them friction is by the smooth law."""

    vdot: np.ndarray
    pressing: np.ndarray | None = None
    pivot: float = 1.0
    rubbing: np.ndarray | None = None


def tell_slots(forces: Mapping[str, np.ndarray], slots: Sequence[Slot], rubbing: np.ndarray) -> None:
    """Put what slots rub, a column a speed, in the place of their forces by channel; elements may have several slots."""
    told = [f"{slot.element.name}.{c}" for slot in slots for c in slot.channels]
    for name in told:
        forces[name][:] = 0.0
    for name, force in zip(told, rubbing.T, strict=True):
        forces[name][:] += force


class ForcesAlong(ABC):
    """All forces along a motion, by channel, and the residuals that must be zero: the balance of each body, constraints,
    energy."""

    machine: MovingMachine
    states: States

    def __init__(self, machine: MovingMachine, states: States, vdot: np.ndarray | Callable[[], Answers]) -> None:
        """vdot: accelerations; or a function that gives them, and the forces that come with them, when they are needed."""
        self.machine, self.states, self._solved = machine, states, vdot

    @cached_property
    def answers(self) -> Answers:
        return self._solved() if callable(self._solved) else Answers(self._solved)

    @property
    def vdot(self) -> np.ndarray:
        return self.answers.vdot

    @property
    @abstractmethod
    def at_once(self) -> bool:
        """Whether nothing can be computed later: laws in plain Python may raise, or what computes is lent to other runs."""

    @abstractmethod
    def at(self, chosen: np.ndarray | slice, answers: Callable[[], Answers]) -> Self:
        """The forces at some of the states, with accelerations; what was evaluated is not evaluated again."""

    # -- by channel ----------------------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def layout(self) -> Layout:
        """The channels of results, in order: the group that computes each ("q", "v", "a", "joints", "forces"), and its
        column there, if it is an array."""

    @abstractmethod
    def joint_channels(self) -> Mapping[str, np.ndarray]:
        """The coordinates of all joints."""

    @abstractmethod
    def channels(self) -> Mapping[str, np.ndarray]:
        """Reactions of all joints and drivers, and the forces of force elements."""

    @abstractmethod
    def places(self) -> dict[str, JointPlace]:
        """Where each joint acts."""

    @abstractmethod
    def evaluator(self) -> Evaluate:
        """A function that evaluates any other quantity, on request."""

    @abstractmethod
    def rates_of_joints(self, channels: Mapping[str, np.ndarray]) -> JointRates | None:
        """Speeds and accelerations of joints; `channels`: of the bodies."""

    @abstractmethod
    def notes(self) -> list[str]:
        """Which reactions are not unique, and how well all is known."""

    # -- what must hold ------------------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def energy(self) -> np.ndarray:
        """Kinetic energy, potential energy, and what else is known of them; a row a time."""

    @abstractmethod
    def kept(self, work: np.ndarray) -> Kept:
        """Energy and constraint errors at the states, for the safety net."""

    @abstractmethod
    def residual(self) -> np.ndarray:
        """M vdot + h - Q - (friction) + Phi_v^T lam, by time and displacement: zero where all bodies are in balance."""

    @property
    def balanced(self) -> list[str]:
        """The names in `imbalance`."""
        names = [name.rpartition(".") for name in self.machine.system.coordinates.v_names]
        return [f"{body}.{FORCES.get(c, c)}" for body, _, c in names]

    def imbalance(self) -> dict[str, np.ndarray]:
        """`residual` by name: forces in ground axes; torques about the body's origin, in space in body axes."""
        return dict(zip(self.balanced, self.residual().T, strict=True))

    # -- for invariants ------------------------------------------------------------------------------------------------
    @abstractmethod
    def mass_by(self, x: np.ndarray) -> np.ndarray:
        """M x at each time."""

    @abstractmethod
    def rows_by(self, d: np.ndarray) -> np.ndarray:
        """The changes of the rows by displacements d, at each time."""

    @property
    @abstractmethod
    def row_sizes(self) -> np.ndarray:
        """The change of each row by a displacement of typical size, at each time."""
