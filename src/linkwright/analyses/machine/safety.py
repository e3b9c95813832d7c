"""The safety net of every run: whether energy, constraints and invariants are kept as its tolerances allow.

A run that left its constraints, or whose energy or momentum does not add up, is not returned as if nothing were: gross
errors end in an `IntegrationError` that carries the result, mild ones in a note. What is looked at are states spread
over the run, whatever the output times are, and the output itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from linkwright.analyses.machine.invariants import Drift
from linkwright.errors import IntegrationError

# Constraint errors of a treatment that corrects them, as a part of the machine's length (or in radians): a correction leaves
# the square of the error of a step. More than MILD times rtol is told; more than GROSS times rtol: no motion of the machine.
MILD, GROSS = 1e2, 1e4
SLOW = 1e-3  # a machine that moves less than this part of its length within a run counts as moving so fast
LEAST = 1e-8  # no error below this is told: what rounding makes of ill-conditioned machines
APART = 1e-2  # whatever the treatment: joints have come apart by constraint drift
# The energy balance, relative to the energies at hand: each step may add an error of the order of rtol.
ENERGY_MILD, ENERGY_GROSS = 1e2, 1e5
ENERGY_LEAST, WRONG = 1e-6, 0.02


@dataclass(frozen=True)
class Kept:
    """Of states a run went through: energies [J], the work of what has no potential, and relative constraint errors.

    position: the displacement that would mend the worst row, by typical lengths or radians; velocity: likewise, by the
    largest speed of the run. row: the number of the worst row at each state. least: energies [J] below this are none, see
    `work.least_energy`; a machine that stands has nothing but rounding to compare rounding with.
    """

    t: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    work: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    row: np.ndarray
    least: float = 0.0

    @classmethod
    def of(
        cls, t: np.ndarray, energies: np.ndarray, work: np.ndarray, errors: tuple[np.ndarray, np.ndarray], rows: np.ndarray,
        speeds: np.ndarray, least: float = 0.0,
    ) -> Kept:  # fmt: skip
        """energies: kinetic and potential; errors: |Phi| and |dPhi/dt|, a row a state; rows: by what a displacement of a
        typical length, or a radian, changes each equation; speeds: velocities by typical lengths, a row a state."""
        if not len(rows):
            none = np.zeros(len(t))
            return cls(t, energies[0], energies[1], work, none, none, none.astype(int), least)
        speed = max(np.abs(speeds).max(initial=0.0), SLOW / max(float(np.ptp(t)), 1e-300))
        Phi, rate = errors[0] / np.maximum(rows, 1e-300), errors[1] / np.maximum(rows * speed, 1e-300)
        worst = np.argmax(np.maximum(Phi, rate), axis=1)
        return cls(t, energies[0], energies[1], work, Phi.max(axis=1), rate.max(axis=1), worst, least)

    def at(self, chosen: np.ndarray) -> Kept:
        return Kept(**{name: getattr(self, name)[chosen] for name in OF_STATES}, least=self.least)

    @property
    def balance(self) -> np.ndarray:
        """Zero but for errors: kinetic + potential - work is constant."""
        total = self.kinetic + self.potential - self.work
        return np.asarray(total - total[:1])

    @property
    def size(self) -> float:
        """The energies at hand: what was kinetic, what was done, what was exchanged with the potential."""
        if not len(self.t):
            return 0.0
        kinetic, potential, work = (float(np.abs(x).max()) for x in (self.kinetic, self.potential, self.work))
        size = kinetic + work + float(np.ptp(self.potential)) + 1e-9 * potential if kinetic or potential else 0.0
        return max(size, self.least)

    @property
    def energy_error(self) -> float:
        """The largest balance by the energies at hand; zero where nothing has mass and nothing is strained."""
        return float(np.abs(self.balance).max(initial=0.0)) / self.size if self.size else 0.0


OF_STATES = [f.name for f in fields(Kept) if f.name != "least"]


def joined(*parts: Kept) -> Kept:
    """All states of the parts, in the order of time."""
    order = np.argsort(np.concatenate([p.t for p in parts]), kind="stable")
    arrays = {name: np.concatenate([getattr(p, name) for p in parts])[order] for name in OF_STATES}
    return Kept(**arrays, least=max(p.least for p in parts))


@dataclass(frozen=True)
class Allowed:
    """What a run's tolerances allow. corrects: which levels of the constraints its treatment brings back."""

    rtol: float
    steps: int
    positions: bool = True
    velocities: bool = True

    def constraint(self, corrected: bool) -> tuple[float, float]:
        """(mild, gross) relative errors of constraints."""
        if not corrected:
            return APART, APART
        return max(MILD * self.rtol, LEAST), min(max(GROSS * self.rtol, 1e3 * LEAST), APART)

    def energy(self) -> tuple[float, float]:
        each = self.rtol * max(self.steps, 1)
        return max(ENERGY_MILD * each, ENERGY_LEAST), max(ENERGY_GROSS * each, WRONG)


def judged(
    kept: Kept, rows: list[str], allowed: Allowed, drifts: Sequence[Drift] = ()
) -> tuple[list[str], IntegrationError | None]:
    """Notes for the audit, or the error that the run is to end in; `rows`: names of the constraint equations; `drifts`: what
    else should be zero."""
    notes: list[str] = []
    for values, corrected, what in (
        (kept.position, allowed.positions, "position"), (kept.velocity, allowed.velocities, "velocity")
    ):  # fmt: skip
        mild, gross = allowed.constraint(corrected)
        if not values.max(initial=0.0) > mild:
            continue
        k = int(np.argmax(values > max(gross, mild))) if (values > gross).any() else int(np.argmax(values))
        name = rows[int(kept.row[k])]
        said = f"the {what} of {name} is off by {values[k]:.2g} (relative) at t = {kept.t[k]:.6g}"
        if values[k] > gross and (what == "position" or corrected):
            return notes, _lost(f"{said}: the joints have come apart", float(kept.t[k]), name.rsplit(".", 1)[0])
        if corrected:
            notes.append(f"{said}: more than the tolerance {allowed.rtol:g} allows")
    error, (mild, gross) = kept.energy_error, allowed.energy()
    if error > mild:
        k = int(np.argmax(np.abs(kept.balance) > mild * kept.size))
        said = f"the energy balance is off by {error:.2g} of the energies at hand, first at t = {kept.t[k]:.6g}"
        if error > gross:
            return notes, _lost(f"{said}: this is no motion of the machine", float(kept.t[k]), ())
        notes.append(f"{said}: more than the tolerance {allowed.rtol:g} allows, tighter tolerances may be needed")
    for drift in drifts:  # they add up from step to step as the energy does
        error = float(drift.values.max(initial=0.0))
        if not error > mild:
            continue
        k = int(np.argmax(drift.values > mild))
        said = f"{drift.what} is off by {error:.2g} (relative), first at t = {drift.t[k]:.6g}"
        if error > gross:
            return notes, _lost(f"{said}: this is no motion of the machine", float(drift.t[k]), drift.element or ())
        notes.append(f"{said}: more than the tolerance {allowed.rtol:g} allows, tighter tolerances may be needed")
    return notes, None


def _lost(cause: str, t: float, element: str | tuple[str, ...]) -> IntegrationError:
    return IntegrationError(
        cause, time=t, element=element,
        remedy="tighter tolerances, constraints='projection', or another formulation; `.partial` is the motion so far",
    )  # fmt: skip
