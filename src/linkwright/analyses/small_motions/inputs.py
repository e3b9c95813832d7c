"""Inputs of small motions: more of a force or torque, more of a motor's voltage, another target of a controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.analyses.small_motions.about_motion import Moment
from linkwright.system.shaped_mechanics import ShapedMechanics


@dataclass(frozen=True)
class Inputs:
    """A column for each: the generalised forces of one unit, the rates of states, and by channel what it is at once."""

    names: list[str]
    forces: np.ndarray
    rates: np.ndarray
    channels: list[str]
    channels_at_once: np.ndarray

    def at_once(self, outputs: list[Any]) -> np.ndarray:
        """Of outputs (rows) by inputs: what does not wait for the machine to move."""
        out = np.zeros((len(outputs), len(self.names)))
        for k, y in enumerate(outputs):
            if isinstance(y, str) and y in self.channels:
                out[k] = self.channels_at_once[self.channels.index(y)]
        return out


TARGET = ".target"


@dataclass(frozen=True)
class Target:
    """The target of a controller: `number` of its effort among the inputs; the effort of a unit of the target, at once and
    by its rate; the rates of states, and the channels that change at once beside the effort's."""

    number: int
    by: float
    by_rate: float
    rates: np.ndarray
    channels: dict[str, float]


def target_of(at: Moment, name: str, inputs: Inputs) -> Target | None:
    """The target of a controller, NAME.target; None where there is no such."""
    system: Any = at.machine.system
    own = name.removesuffix(TARGET)
    if not name.endswith(TARGET) or isinstance(system, ShapedMechanics) or own not in system.setpoints:
        return None
    numbers = system.setpoint_numbers(*at.machine.load_args(at.q, at.v, at.t))[0][list(system.setpoints).index(own)]
    growing = {f"{own}.integral.rate": float(x) for x in numbers[2:] if x}
    return Target(inputs.names.index(own), numbers[0], numbers[1], numbers[2:], {f"{own}.error": 1.0, **growing})


def targets(at: Moment) -> list[str]:
    system: Any = at.machine.system
    return [] if isinstance(system, ShapedMechanics) else [name + TARGET for name in system.setpoints]


def inputs_of(at: Moment) -> Inputs:
    machine: Any = at.machine
    system, names = machine.system, list(machine.system.actuators)
    channels, args = list(system.effort_channels), machine.load_args(at.q, at.v, at.t)
    none = np.zeros((int(machine.states.sum()), len(names)))
    if not names:
        return Inputs([], np.zeros((machine.nv, 0)), none, [], np.zeros((0, 0)))
    if isinstance(system, ShapedMechanics):  # it has no motors, nor states
        own = [[float(c in (f"{n}.force", f"{n}.torque")) for n in names] for c in channels]
        return Inputs(names, system.actuator_units(*args), none, channels, np.array(own))
    forces, rates = system.units(*args)
    return Inputs(names, forces, rates, channels, system.units_at_once(*args)[0])
