"""What a run is judged by: its energies and its constraint errors over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, repr=False)
class Energy:
    """The energies of a machine over time [J].

    Attributes
    ----------
    kinetic : numpy.ndarray
        The kinetic energy.
    potential : numpy.ndarray
        The potential energy, of gravity and springs.
    work : numpy.ndarray
        The work of all other forces since the start.
    total : numpy.ndarray
        kinetic + potential.
    balance : numpy.ndarray
        The change of total - work since the first time: zero but for integration errors.
    error : float
        The largest balance, relative to the energies at hand.
    """

    kinetic: np.ndarray
    potential: np.ndarray
    work: np.ndarray
    audited: float | None = None  # the error over the whole run, whatever its output times are

    @property
    def total(self) -> np.ndarray:
        """kinetic + potential."""
        out: np.ndarray = self.kinetic + self.potential
        return out

    @property
    def balance(self) -> np.ndarray:
        """The change of total - work since the first time."""
        total = self.total - self.work
        out: np.ndarray = total - total[:1]
        return out

    @property
    def error(self) -> float:
        """The largest balance, relative to the energies at hand; zero where nothing has mass and nothing is strained."""
        if self.audited is not None:
            return self.audited
        kinetic, potential, work = (np.abs(x).max(initial=0.0) for x in (self.kinetic, self.potential, self.work))
        if not kinetic and not potential:
            return 0.0
        size = kinetic + work + (np.ptp(self.potential) if len(self.potential) else 0.0) + 1e-9 * potential
        return float(np.abs(self.balance).max(initial=0.0) / size)

    def __repr__(self) -> str:
        told = [f"error {self.error:.3g}"]
        if len(self.kinetic):
            own = {name: getattr(self, name) for name in ("kinetic", "potential", "work")}
            told = [*(f"{name} {x.min():.4g} to {x.max():.4g} J" for name, x in own.items()), *told]
        return f"<energy at {len(self.kinetic)} times: {', '.join(told)}>"


@dataclass(frozen=True, repr=False)
class Violation:
    """The constraint errors over time, in the units of the equations.

    Attributes
    ----------
    position, velocity : numpy.ndarray
        The largest residual of the position equations, and of the velocity equations.
    """

    position: np.ndarray
    velocity: np.ndarray

    def __repr__(self) -> str:
        position, velocity = (x.max(initial=0.0) for x in (self.position, self.velocity))
        return f"<constraint errors at {len(self.position)} times: position {position:.3g}, velocity {velocity:.3g} at most>"
