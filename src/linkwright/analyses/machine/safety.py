"""The safety net of every run: whether energy, constraints and invariants are kept as its tolerances allow.

A run that left its constraints, or whose energy or momentum does not add up, is not returned as if nothing were: gross
errors end in an `IntegrationError` that carries the result, mild ones in a note. What is looked at are states spread
over the run, whatever the output times are, and the output itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np

from linkwright.analyses.machine.invariants import ENERGY_LEAST, Drift
from linkwright.analyses.machine.safety_loop import Most
from linkwright.errors import IntegrationError

# Constraint errors of a treatment that corrects them, as a part of the machine's length (or in radians): a correction leaves
# the square of the error of a step. More than MILD times rtol is told; more than GROSS times rtol: no motion of the machine.
MILD, GROSS = 1e2, 1e4
SLOW = 1e-3  # a machine that moves less than this part of its length within a run counts as moving so fast
LEAST = 1e-8  # no error below this is told: what rounding makes of ill-conditioned machines
APART = 1e-2  # whatever the treatment: joints have come apart by constraint drift
# The energy balance, relative to the energies at hand: each step may add an error of the order of rtol.
ENERGY_MILD, ENERGY_GROSS = 1e2, 1e5
WRONG = 0.02
ENERGY_MOST = 0.05, 0.5  # however loose tolerances are: more is told, and half of the energies at hand is no motion


NONE, EVERY = np.zeros(0), slice(None)


@dataclass(frozen=True)
class Kept:
    """The checks of the states that a run went through: energies [J], the work of what has no potential, and relative
    constraint errors.

    position: the displacement that would mend the worst row, by typical lengths or radians; velocity: likewise, by the
    largest speed of the run. row: the number of the worst row at each state. least: energies [J] below this are none, see
    `sizes.least_energy`; a machine that stands has nothing but rounding to compare rounding with. errors: the largest
    residual of position and of velocity at each state, in the units of the equations. known: the `most` of all states, where
    native code has looked for it.
    """

    t: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    work: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    row: np.ndarray
    least: float = 0.0
    errors: tuple[np.ndarray, np.ndarray] = (NONE, NONE)
    known: Most | None = None

    @classmethod
    def of(
        cls, t: np.ndarray, energies: np.ndarray, work: np.ndarray, errors: tuple[np.ndarray, np.ndarray], rows: np.ndarray,
        speeds: np.ndarray, least: float = 0.0,
    ) -> Kept:  # fmt: skip
        """energies: kinetic and potential; errors: |Phi| and |dPhi/dt|, a row a state; rows: by what a displacement of a
        typical length, or a radian, changes each equation; speeds: velocities by typical lengths, a row a state."""
        if not len(rows):
            none = np.zeros(len(t))
            return cls(t, energies[0], energies[1], work, none, none, none.astype(int), least, (none, none))
        speed = max(np.abs(speeds).max(initial=0.0), SLOW / max(float(t[-1] - t[0]), 1e-300))
        Phi, rate = errors[0] / np.maximum(rows, 1e-300), errors[1] / np.maximum(rows * speed, 1e-300)
        worst, largest = np.argmax(np.maximum(Phi, rate), axis=1), (errors[0].max(axis=1), errors[1].max(axis=1))
        return cls(t, energies[0], energies[1], work, Phi.max(axis=1), rate.max(axis=1), worst, least, largest)

    @cached_property
    def balance(self) -> np.ndarray:
        """Zero but for errors: kinetic + potential - work is constant."""
        total = self.kinetic + self.potential - self.work
        return np.asarray(total - total[:1])

    def size(self, chosen: np.ndarray | slice = EVERY) -> float:
        """The energies at hand, at some of the states: what was kinetic, what was done, what was exchanged with the
        potential."""
        if not len(self.t):
            return 0.0
        potential = self.potential[chosen]
        kinetic, work = (float(np.abs(x[chosen]).max()) for x in (self.kinetic, self.work))
        high, low = float(potential.max()), float(potential.min())
        size = kinetic + work + (high - low) + 1e-9 * max(high, -low) if kinetic or high or low else 0.0
        return max(size, self.least)

    def energy_error(self, chosen: np.ndarray | slice = EVERY) -> float:
        """The largest balance at some of the states, by the energies at hand there; zero where nothing has mass and nothing
        is strained."""
        size = self.size(chosen)
        return float(np.abs(self.balance[chosen]).max(initial=0.0)) / size if size else 0.0

    @cached_property
    def most(self) -> Most:
        """The largest errors of all states; those of the lengths of Euler parameters may be anything."""
        if self.known is not None:
            return self.known
        position, velocity = (float(x.max(initial=0.0)) for x in (self.position, self.velocity))
        return Most(position, velocity, self.energy_error(), np.inf)


@dataclass(frozen=True)
class Allowed:
    """The errors that a run's tolerances allow. corrects: which levels of the constraints its treatment brings back."""

    rtol: float
    steps: int
    positions: bool = True
    velocities: bool = True

    def constraint(self, corrected: bool) -> tuple[float, float]:
        """(mild, gross) relative errors of constraints."""
        if not corrected:
            return APART, APART
        gross = min(max(GROSS * self.rtol, 1e3 * LEAST), APART)
        return min(max(MILD * self.rtol, LEAST), gross), gross

    def energy(self) -> tuple[float, float]:
        each = self.rtol * max(self.steps, 1)
        mild, gross = max(ENERGY_MILD * each, ENERGY_LEAST), max(ENERGY_GROSS * each, WRONG)
        return min(mild, ENERGY_MOST[0]), min(gross, ENERGY_MOST[1])


def judged(
    kept: Kept, rows: list[str], allowed: Allowed, drifts: Sequence[Drift] = (), left_out: frozenset[str] = frozenset(),
    looked: np.ndarray | slice = EVERY,
) -> tuple[list[str], IntegrationError | None]:  # fmt: skip
    """Notes for the audit, or the error that the run is to end in; `rows`: names of the constraint equations; `drifts`: what
    else should be zero; `left_out`: rows that followed from the others at the start; `looked`: the states at which a mild
    error of energy counts, the same whatever the output times are. Between the ends of steps work is interpolated."""
    notes: list[str] = []
    for values, most, corrected, what in (
        (kept.position, kept.most.position, allowed.positions, "position"),
        (kept.velocity, kept.most.velocity, allowed.velocities, "velocity"),
    ):
        mild, gross = allowed.constraint(corrected)
        if most <= mild:  # not so where something is no number
            continue
        values = np.where(np.isfinite(values), values, np.inf)  # what is no number is smaller than nothing
        k = int(np.argmax(values > max(gross, mild))) if (values > gross).any() else int(np.argmax(values))
        name = rows[int(kept.row[k])]
        said = f"the {what} of {name} is off by {values[k]:.2g} (relative) at t = {kept.t[k]:.6g}"
        if values[k] > gross and name in left_out:
            return notes, contradicts(name, float(kept.t[k]))
        if values[k] > gross and (what == "position" or corrected):
            return notes, _lost(f"{said}: the joints have come apart", float(kept.t[k]), name.rsplit(".", 1)[0])
        if corrected:
            notes.append(f"{said}: more than the tolerance {allowed.rtol:g} allows")
    error, (mild, gross) = kept.most.energy, allowed.energy()
    at = looked if mild < error <= gross else EVERY
    if error > mild and (at is EVERY or (error := kept.energy_error(at)) > mild):
        off = np.zeros(len(kept.t), dtype=bool)
        off[at] = np.abs(kept.balance[at]) > mild * kept.size(at)
        k = int(np.argmax(off))
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


def infinite(t: np.ndarray, y: np.ndarray) -> IntegrationError | None:
    """The error where a state is not finite; None where all are."""
    if isfinite(np.add.reduce(y, axis=None)):  # a sum of finite numbers may be none; one of others never is one
        return None
    bad = ~np.isfinite(y).all(axis=1)
    if not bad.any():
        return None
    time = float(t[int(np.argmax(bad))])
    return _lost(f"the motion is not finite at t = {time:.6g}: this is no motion of the machine", time, ())


def contradicts(name: str, t: float) -> IntegrationError:
    """A condition that was left out at the start, for it followed from the others, and no longer does."""
    return IntegrationError(
        f"{name} no longer holds at t = {t:.6g}: at the start it followed from the others, now it contradicts them",
        time=t, element=name.rsplit(".", 1)[0] if "." in name else name,
        remedy="a driver or joint too many: remove one of them",
    )  # fmt: skip


def _lost(cause: str, t: float, element: str | tuple[str, ...]) -> IntegrationError:
    return IntegrationError(
        cause, time=t, element=element,
        remedy="tighter tolerances, a smaller max_step, constraints='projection', or another formulation; `.partial` is the "
        "motion so far",
    )  # fmt: skip
