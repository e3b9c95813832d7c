"""Dynamics: the motion of a machine under forces (Haug 6.3, 7.3, 11.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics import partition
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.formulation import cheapest
from linkwright.analyses.dynamics.looped import simulate as looped
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.second_order import SecondOrder
from linkwright.analyses.dynamics.stiffest import rounding
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.dynamics.whole import Answers, Whole, first_state
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.named import by_name
from linkwright.analyses.machine.prescribed import check_prescribed
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.recorded import recorded
from linkwright.analyses.machine.safety import Kept, joined, judged
from linkwright.analyses.machine.spring_ends import passed_through
from linkwright.analyses.machine.times import Times
from linkwright.analyses.machine.turn_counts import SIMULATED, check_turns
from linkwright.analyses.motion.inverse_dynamics import with_forces
from linkwright.analyses.motion.kinematics import Progress
from linkwright.errors import IntegrationError, ModelError
from linkwright.model import Model, a_model
from linkwright.results.motion import Energy, MotionAudit, MotionResult, Violation


@by_name
@recorded
def dynamics(
    model: Model,
    t_end: float | None = None,
    steps: int | None = None,
    *,
    t_start: float = 0.0,
    t_eval: Any = None,
    rtol: float | None = None,
    atol: float | None = None,
    method: str = "auto",
    formulation: str = "newton-euler",
    constraints: str = "projection",
    gains: tuple[float, float] | None = None,
    constraint_tol: float = 1e-8,
    start: Any = None,
    events: Mapping[str, Any] | None = None,
    max_step: float = np.inf,
    first_step: float | None = None,
    max_steps: int | None = None,
    options: dict[str, Any] | None = None,
    dense_output: bool = False,
    progress: Progress | None = None,
) -> MotionResult:
    """Simulate a machine from t_start to t_end, with output at `steps` + 1 times or at the times t_eval.

    The run begins at t_start (0 by default), whatever the output times are; without t_end it ends at the last of t_eval.

    method: "dopri5", "dop853", "adams", "rk4" (needs first_step), "radau", "generalized-alpha", "hht"; "auto" begins with an
    explicit method and changes to "radau" where the machine turns out stiff; the audit says so.
    formulation: "newton-euler", "euler-parameters", "mixed", "kane" (Kane's equations on a spanning tree of joints), "joint"
    (the tree's joint coordinates; loops, drivers and what else constrains as equations on them), "auto" (of newton-euler and
    joint the one with fewer operations).
    constraints: "projection" (states are brought back to the constraints after each step), "partitioning" (independent
    coordinates are integrated, the others follow; chosen anew where the choice goes bad), "stabilization" (Baumgarte,
    `gains` alpha and beta), "direct" (nothing is done: errors grow), "hybrid" (Park: stabilised by small gains, corrected
    as by partitioning where an error exceeds `constraint_tol`), "augmented" (projection, and an augmented Lagrangian that
    dependent rows and singular positions do not disturb; chosen where these occur). Of generalized-alpha and hht: "ggl"
    (positions and velocities hold; their default), "index-3" (positions only).
    rtol, atol: by default 1e-8 and 1e-10; 1e-5 and 1e-7 for generalized-alpha and hht, whose order is two.
    events: names and quantities to watch for zeros, accelerations ("bar.ax") and reactions ("pin.fy") included; `.events`
    lists when they passed zero; `Watch(quantity, direction, stop, change)` says more.
    options: the method's own, such as {"rho_inf": 0.9} of generalized-alpha.
    dense_output: `.sol(t)` gives coordinates and velocities by channel at any time of the run.
    progress: called a few times a second with the time and the part that is done (0 to 1). A KeyboardInterrupt, by Ctrl-C or
    raised by `progress`, comes out as `Interrupted` and carries the result so far as `.partial`.

    Machines of 50 bodies and more are compiled in loops over their elements; the audit says so. Where an option or an
    element asks for the machine as a whole, it is compiled so, some 0.1 s a body, and the audit says why. Beyond 300 bodies
    a formulation asked for by name is answered by the bodies' own equations, which give the same motion.

    Initial positions are assembled, initial velocities completed: those given are kept as far as the joints allow,
    `model.fix` makes them exact. `start`: a configuration, an equilibrium, a result or values by channel to go on from;
    velocities that it tells are kept as far as the joints allow, those that it does not tell count after them.
    """
    times = Times.of(t_end, steps, t_start, t_eval, "dynamics")
    asked = {
        "rtol": rtol, "atol": atol, "method": method, "formulation": formulation, "constraints": constraints, "gains": gains,
        "constraint_tol": constraint_tol, "events": events, "max_step": max_step, "first_step": first_step,
        "max_steps": max_steps, "options": options, "dense_output": dense_output, "progress": progress,
    }  # fmt: skip
    run_options = Options.checked(times, asked)
    if looped.is_large(a_model(model)):
        found, reason = looped.attempt(model, run_options, start)
        if found is not None:
            return found
        run_options = run_options.because(reason)
    return _whole(model, run_options, start)


def _whole(model: Model, options: Options, start: Any) -> MotionResult:
    """The motion of a machine that is compiled as a whole."""
    times, watches = options.times, options.watches
    machine = LoadedMachine(model, times.start)
    machine.follow([w.asked(machine) for w in watches], times.start)
    if not machine.nv:
        raise ModelError("nothing is there that could move", element=model.name, remedy="give it a body: model.body(...)")
    check_prescribed(machine.geometry, times.path)
    turning = check_turns(machine.geometry, times.path, SIMULATED)
    begin = initial_state(machine, times.start, start)
    course = Course(times)
    if options.formulation == "auto" and not options.second_order:
        options = options.formulated(*cheapest(machine, begin.q, begin.t))
    kind = SecondOrder if options.second_order else Whole
    equations: Whole = kind.of(machine, begin, options, course)
    course.why += options.why
    run = Run(equations, course, first_state(machine, begin))
    failure = run.run()
    with run.telling(failure):
        out, wrong = result(machine, run)
    out.audit.notes += [*turning, *begin.notes, *passed_through(model, out)]
    return run.finished(out, failure or wrong)


def result(machine: LoadedMachine, run: Run[Whole]) -> tuple[MotionResult, IntegrationError | None]:
    """Channels, reactions, energy and errors of a run; and why it is no motion of the machine, where it is none."""
    course, equations = run.course, run.equations
    t, y = course.shown()
    answers = equations.answers(course)
    audit = _audit(course, equations, answers)
    out, forces = with_forces(machine, States.of(machine, t, y), answers.vdot, audit, answers.pressing)
    T, V, _ = forces.energy.T
    looks = _looks(machine, course)
    out.energy = Energy(T, V, y[:, -1], looks.energy_error)
    Phi, rate = forces.violation()
    out.violation = Violation(np.abs(Phi).max(axis=1, initial=0.0), np.abs(rate).max(axis=1, initial=0.0))
    audit.position_error = float(out.violation.position.max(initial=0.0))
    audit.velocity_error = float(out.violation.velocity.max(initial=0.0))
    audit.energy_error = out.energy.error
    allowed = equations.treatment.allowed(run.options.rtol, course.counters["steps"])
    notes, wrong = judged(joined(looks, forces.kept(y[:, -1])), machine.system.row_names, allowed)
    audit.notes += notes
    return out, wrong


def _audit(course: Course, last: Whole, answers: Answers) -> MotionAudit:
    c, names = course.counters, [last.base.system.row_names[k] for k in last.dropped]
    notes = [f"dependent constraints, the motion is the same without: {', '.join(names)}"] if names else []
    notes += [*last.treatment.notes(), *trouble.ruled(last.method, c), *trouble.missed(course.missed)]
    notes += rounding(last.machine, course.pieces[-1].t, course.pieces[-1].y, c["steps"], c["rounded"])
    return course.audit(
        last.method, notes=notes, formulation=last.formulation, constraints=last.treatment.name,
        why="; ".join([*course.why, *partition.told(course.partitions)]), smallest_pivot=answers.pivot,
    )  # fmt: skip


def _looks(machine: LoadedMachine, course: Course) -> Kept:
    """What was kept at the looks of the audit."""
    t, y = course.looked()
    states = States.of(machine, t, y)
    return Forces(machine, states, np.zeros_like(states.v)).kept(y[:, -1])


__all__ = ["IntegrationError", "Watch", "dynamics"]
