"""The state that generalised alpha and HHT integrate: x = (q, v, z, vdot, z', lam), with the machine's states z beside
velocities."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwright.analyses.machine.mechanical import LoadedMachine


@dataclass(frozen=True)
class AlphaState:
    """The places of all parts in x. states: the places of z among the references of angles, which have the states among
    them."""

    nq: int
    nv: int
    states: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, machine: LoadedMachine) -> AlphaState:
        place = {name: k for k, name in enumerate(machine.system.turn_names)}
        return cls(machine.nq, machine.nv, np.array([place[name] for name in machine.model.states], dtype=np.int64))

    @property
    def nu(self) -> int:
        """Velocities and states, which the method treats alike."""
        return self.nv + len(self.states)

    def q(self, x: np.ndarray) -> np.ndarray:
        return x[: self.nq]

    def v(self, x: np.ndarray) -> np.ndarray:
        return x[self.nq : self.nq + self.nv]

    def vdot(self, x: np.ndarray) -> np.ndarray:
        return x[self.nq + self.nu : self.nq + self.nu + self.nv]

    def lam(self, x: np.ndarray) -> np.ndarray:
        return x[self.nq + 2 * self.nu :]

    def turns(self, x: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """The references of angles, with the states that are in x."""
        out = np.array(turns)
        out[self.states] = x[self.nq + self.nv : self.nq + self.nu]
        return out

    def joined(self, y: np.ndarray, vdot: np.ndarray, rates: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """x of a bodies' state y = (q, v, turns, ...) and what the equations say there; rates: of the states."""
        n = self.nq + self.nv
        return np.concatenate([y[:n], y[n:][self.states], vdot, rates, lam])
