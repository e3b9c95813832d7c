"""The result of a run, whichever back end it ran on: channels, reactions, energy, errors, and what its audit says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from linkwright.analyses.dynamics.contact.bounces import Bounces
from linkwright.analyses.dynamics.contact.crept import crept, driving, overloaded
from linkwright.analyses.dynamics.contact.gone_through import gone_through, passed_through
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.machine.invariants import kept_invariants
from linkwright.analyses.machine.mechanical import States
from linkwright.analyses.machine.safety import Allowed, Kept, infinite, judged
from linkwright.analyses.machine.told import ForcesAlong
from linkwright.analyses.motion.with_forces import WithForces, notes_on
from linkwright.errors import IntegrationError
from linkwright.model import Driver
from linkwright.results.balances import Energy, Violation
from linkwright.results.motion import MotionResult

# Least relative pivot, the square of the distance to a singular position: nearer than 1e-6, rounding of positions divided by
# that distance is seen in velocities. Whether a prescribed motion branches there is for `crossing` to say.
SINGULAR = 1e-12


def result(run: Run[Any], notes: Sequence[str] = ()) -> tuple[MotionResult, IntegrationError | None, list[str]]:
    """The result of a run; why it is no motion of the machine, where it is none; and why one may doubt it. `notes`: what
    else is to be said.

    What is told of every run (whether energy and constraints were kept) is computed here, the rest when it is read.
    """
    course, equations = run.course, run.equations
    found = Found(run, notes)
    forces = found.every.at(found.shown, lambda: equations.answers(course))
    audit, parts = equations.audit(course), OfRun()
    parts.forces, parts.audit, parts.found, audit.points = forces, audit, lambda: found, len(forces.states.t)
    out = MotionResult._made_of(forces.machine.model, forces.states.t, parts, parts.complete)
    judgement, wrong = found.judged()
    if not equations.answers_later(course):
        forces.answers  # noqa: B018  it may raise
    if forces.at_once:
        out._compute_now()
    if any(isinstance(e, Driver) for e in forces.machine.model.elements.values()) and forces.answers.pivot < SINGULAR:
        return out, wrong, [*judgement, "the equations are singular at a time of output"]
    return out, wrong, judgement


class OfRun(WithForces):
    """The parts of a run's result that are computed when they are read. forces: at the states that are shown; found: gives
    the checks of the run."""

    names = (*WithForces.names, "energy", "violation")
    found: Callable[[], Found]
    _complete = False

    def energy(self) -> Energy:
        return self.found().energy(self.forces)

    def violation(self) -> Violation:
        return self.found().violation()

    def complete(self, out: MotionResult) -> None:
        """Complete the audit, once, whichever copy of the result it is asked of."""
        if not self._complete:
            self.found().complete(out, self.forces)
            self._complete = True


class Found:
    """The checks of a run: how well energy, constraints and invariants were kept, and what is to be said of that."""

    def __init__(self, run: Run[Any], notes: Sequence[str]) -> None:
        self.run, self.notes = run, notes
        self.t, self.y = run.course.visited()
        self.shown = run.course.shown_rows(self.t)
        self.every = run.equations.forces(self.t, self.y)
        self.judgement: list[str] = []

    @cached_property
    def kept(self) -> Kept:
        found: Kept = self.every.kept(self.y[:, -1])
        return found

    @cached_property
    def energy_error(self) -> float:
        return self.kept.energy_error(self.run.course.looked_rows(self.t))

    def judged(self) -> tuple[list[str], IntegrationError | None]:
        """Doubts about the run; and why it is no motion of the machine, where it is none."""
        run, kept = self.run, self.kept
        # what an event changes is changed from outside
        changed = any(w.change is not None for w in run.watches)
        drifts = [] if changed else kept_invariants(self.every, kept.most.lengths)
        drifts = [*drifts, *(x for told in (crept, overloaded, driving) for x in told(run.course, run.bounces))]
        names, without = run.equations.row_names, run.equations.left_out
        looked, machine = run.course.looked_rows(self.t), self.every.machine
        self.judgement, wrong = judged(kept, names, allowed(run), drifts, without, looked)
        if wrong is not None and wrong.time is not None and without:  # what is off may be what one of them contradicts
            wrong = run.equations.contradicted(wrong.time, self.y[self.t.searchsorted(wrong.time)]) or wrong
        wrong = wrong or infinite(self.t, self.y)
        if wrong is None:
            notes, wrong = gone_through(machine, States.of(machine, self.t, self.y), looked)
            self.judgement += notes
        return self.judgement, wrong

    def energy(self, forces: ForcesAlong) -> Energy:
        return Energy(forces.energy[:, 0], forces.energy[:, 1], self.y[self.shown, -1], self.energy_error)

    def violation(self) -> Violation:
        return Violation(*(x[self.shown] for x in self.kept.errors))

    def complete(self, out: MotionResult, forces: ForcesAlong) -> None:
        audit: Any = out._audit
        audit.energy_error, audit.smallest_pivot = self.energy_error, forces.answers.pivot
        audit.position_error, audit.velocity_error = (float(x[self.shown].max()) for x in self.kept.errors)
        ends = passed_through(forces.machine.elements, forces.machine.value, out)
        told = _not_unique(self.run.bounces)
        audit.notes += [*notes_on(forces, out), *told, *self.judgement, *self.notes, *ends]


def allowed(run: Run[Any]) -> Allowed:
    """The errors that the tolerances of a run allow."""
    found: Allowed = run.equations.treatment.allowed(run.options.rtol, run.course.counters["steps"])
    return found


def _not_unique(bounces: Bounces) -> list[str]:
    """Notes on forces of contacts and friction that Coulomb's law leaves open, or that were not found exactly."""
    sticking, rough = ", ".join(bounces.modes.shared), ", ".join(bounces.rough)
    out = [f"friction and contact forces not unique while they stick (the least within bounds are given): {sticking}"]
    more = [f"impacts at once of {rough}: no impulses were found that obey the law of friction to 1e-6"]
    return [*(out if sticking else []), *(more if rough else [])]
