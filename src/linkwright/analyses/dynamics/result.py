"""The result of a run, whichever back end it ran on: channels, reactions, energy, errors, and what its audit says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwright.analyses.dynamics.bounces import Bounces
from linkwright.analyses.dynamics.crept import crept, driving, overloaded
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.machine.invariants import kept_invariants
from linkwright.analyses.machine.safety import infinite, judged
from linkwright.analyses.machine.spring_ends import passed_through
from linkwright.analyses.motion.inverse_dynamics import notes_on, with_forces
from linkwright.errors import IntegrationError
from linkwright.results.computed import Once
from linkwright.results.motion import Energy, MotionResult, Violation


def result(run: Run[Any], notes: Sequence[str] = ()) -> tuple[MotionResult, IntegrationError | None, list[str]]:
    """And why it is no motion of the machine, where it is none; or why one may doubt it. `notes`: what else is to be said.

    What is told of every run (whether energy and constraints were kept) is computed here, the rest when it is read.
    """
    course, equations = run.course, run.equations
    t, y = course.visited()
    shown = course.shown_rows(t)
    every = equations.forces(t, y)
    kept = every.kept(y[:, -1])
    forces = every.at(shown, lambda: equations.answers(course))
    audit = equations.audit(course)
    out = with_forces(forces, audit)
    energy_error = Once(lambda: kept.energy_error(course.looked_rows(t)))
    out._compute_later(
        energy=lambda: Energy(forces.energy[:, 0], forces.energy[:, 1], y[shown, -1], energy_error()),
        violation=lambda: Violation(*(x[shown] for x in kept.errors)),
    )
    # what an event changes is changed from outside
    drifts = [] if any(w.change is not None for w in run.watches) else kept_invariants(every, kept.most.lengths)
    allowed = equations.treatment.allowed(run.options.rtol, audit.steps)
    drifts = [*drifts, *crept(course, run.bounces), *overloaded(course, run.bounces), *driving(course, run.bounces)]
    judgement, wrong = judged(kept, equations.row_names, allowed, drifts, equations.left_out)
    wrong = wrong or infinite(t, y)
    told = _not_unique(run.bounces)

    def complete(out: MotionResult) -> None:
        audit.energy_error, audit.smallest_pivot = energy_error(), forces.answers.pivot
        audit.position_error, audit.velocity_error = (float(x[shown].max()) for x in kept.errors)
        ends = passed_through(forces.machine.elements, forces.machine.value, out)
        audit.notes += [*notes_on(forces, out), *told, *judgement, *notes, *ends]

    out._complete_later(Once(complete))
    if not equations.answers_later(course):
        forces.answers  # noqa: B018  it may raise
    if forces.at_once:
        out._compute_now()
    return out, wrong, judgement


def _not_unique(bounces: Bounces) -> list[str]:
    """Notes on forces of contacts and friction that Coulomb's law leaves open, or that were not found exactly."""
    sticking, rough = ", ".join(bounces.modes.shared), ", ".join(bounces.rough)
    out = [f"friction and contact forces not unique while they stick (the least within bounds are given): {sticking}"]
    more = [f"impacts at once of {rough}: no impulses were found that obey the law of friction to 1e-6"]
    return [*(out if sticking else []), *(more if rough else [])]
