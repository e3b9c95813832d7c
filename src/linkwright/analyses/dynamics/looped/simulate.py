"""Dynamics of large machines: equations compiled by shapes of elements and called in loops, solved sparsely.

Nothing here takes more than linear time in the number of bodies. Initial positions are the estimates, moved to where the
joints close; initial velocities are completed as those of small machines are.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from linkwright import size_policy
from linkwright.analyses.assembly.overlaps import refuse_overlaps
from linkwright.analyses.assembly.start import Start, initial_state
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.looped.equations import Looped
from linkwright.analyses.dynamics.looped.held import SmallestReactions
from linkwright.analyses.dynamics.looped.kept import lent, output_symbols
from linkwright.analyses.dynamics.looped.machine import LoopedMachine
from linkwright.analyses.dynamics.looped.outputs import outputs
from linkwright.analyses.dynamics.looped.sampled import Sampled
from linkwright.analyses.dynamics.looped.second_order import LoopedSecondOrder
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.run import Run
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.invariants import Drift, kept_invariants
from linkwright.analyses.machine.joint_rates import JointRates, rate_places
from linkwright.analyses.machine.prescribed import check_prescribed
from linkwright.analyses.machine.safety import judged
from linkwright.analyses.machine.slack import slack
from linkwright.analyses.machine.spring_ends import passed_through
from linkwright.analyses.machine.turn_counts import SIMULATED, check_turns
from linkwright.analyses.motion.lift_off import pulls
from linkwright.errors import CompileError, IntegrationError
from linkwright.graph import Expr
from linkwright.model import Model
from linkwright.model.marks import Lately
from linkwright.regularisation import LOST
from linkwright.results.motion import Energy, MotionAudit, MotionResult, Violation
from linkwright.solve.drive import EVENTS_A_STEP
from linkwright.system.drives import only_as_a_whole
from linkwright.system.geometry import Geometry
from linkwright.system.laws import tell
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.over_states import errors
from linkwright.system.slots import has_slots

_BEGUN: Lately[tuple[LoopedMachine, Start]] = Lately(4)  # where runs of large machines began
CONSTRAINTS = ("projection", "augmented", "stabilization", "direct")  # treatments that loops have


def is_large(model: Model) -> bool:
    return size_policy.is_looped(len(model.bodies) - 1)


def refuses(model: Model, options: Options) -> str:
    """Why loops cannot do what is asked; "" where they can, as far as that can be told beforehand."""
    asked = {
        "formulation": options.formulation not in ("newton-euler", "joint", "auto"),
        "constraints": options.constraints not in CONSTRAINTS and not options.second_order,
    }  # fmt: skip
    names = [name for name, given in asked.items() if given]
    if only_as_a_whole(model):
        return "states and inertia along quantities: not available in loops"
    if dry := has_slots(model):
        return f"friction that sticks ({', '.join(dry[:5])}{', ...' if len(dry) > 5 else ''}): not available in loops"
    return f"what {', '.join(names)} ask{'s' if len(names) == 1 else ''} for: not available in loops" if names else ""


def attempt(model: Model, options: Options, start: Any) -> tuple[MotionResult | None, str]:
    """The motion; or None and the reason, where the machine must be compiled as a whole.

    A formulation is a way to write the same equations: of a machine that is too large to be written so, the motion is found
    by the bodies' own equations, and the audit says so.
    """
    count, own = len(model.bodies) - 1, replace(options, formulation="newton-euler")
    reason = refuses(model, options)
    if reason and count > size_policy.WHOLE_BY_NAME and not refuses(model, own):
        options, reason = own.because(
            f"newton-euler in loops in place of {options.formulation}, which is compiled as a whole up to "
            f"{size_policy.WHOLE_BY_NAME} bodies: the same motion, by the bodies' own equations"
        ), ""  # fmt: skip
    if not reason:
        try:
            return simulate(model, options, start), ""
        except CompileError as error:  # an element, or what happens to it on the way
            reason = error.cause
    return None, f"compiled as a whole: {reason}{size_policy.cost_as_a_whole(count)}"


def simulate(model: Model, options: Options, start: Any = None) -> MotionResult:
    """The motion of a machine; `CompileError` where it needs what loops do not have."""
    watched, back = _traced(model, options.watches), not options.dense_output  # which goes on asking for joint coordinates
    with lent(model, True, watched, back) as system:
        if _is_roomy(system):
            return _simulated(system, options, start, [])
        names = list(dict.fromkeys(system.at.switched))
    some = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    note = f"laws that switch, too many to be located as events: small steps lead over them ({some})"
    with lent(model, False, watched, back) as system:
        return _simulated(system, options, start, [note])


def _simulated(system: LoopedSystem, options: Options, start: Any, notes: list[str]) -> MotionResult:
    """The motion of a machine with its equations."""
    clock, model = perf_counter(), system.model
    if system.at.laws is not None:
        tell(system.at.laws.elements)
    geometry = Geometry(model, system.coordinates)
    check_prescribed(geometry, options.times.path)
    notes += check_turns(geometry, options.times.path, SIMULATED)
    run, changed = _begin(system, options, start)
    built = perf_counter() - clock
    failure = run.run()
    course, last = run.course, run.equations
    why = [size_policy.why_looped(len(last.system.at.bodies)), *course.why]
    audit = course.audit(
        last.method, formulation=last.chart.formulation, constraints=last.treatment.name, smallest_pivot=last.pivot,
        why="; ".join([*why, f"building and compiling took {built:.2f} s"]),
    )  # fmt: skip
    audit.notes += [*changed, *notes, *trouble.ruled(last.method, course.counters), *trouble.missed(course.missed)]
    elements = model.elements.values()
    with run.telling(failure):
        out, wrong = _result(last, course, audit)
    lifted = (x.note for x in pulls(model, out.t, out))
    audit.notes += [*passed_through(elements, model.value, out), *slack(elements, out.t, out), *lifted]
    return run.finished(out, failure or wrong)


def _begin(system: LoopedSystem, options: Options, start: Any) -> tuple[Run[Looped], list[str]]:
    """A run from a consistent state, its machine code made; and what had to be changed for that."""
    t, model = options.times.start, system.model

    def begun() -> tuple[LoopedMachine, Start]:
        machine = LoopedMachine(model, t, system)
        found = initial_state(machine, t, start)
        return copy(machine), found

    own, begin = begun() if start is not None else _BEGUN.made(model, t, begun)
    machine = own.using(system)
    machine.tell(begin, start)
    refuse_overlaps(machine, begin.q, begin.t)
    return _run(machine, options, begin), begin.notes


def _run(machine: LoopedMachine, options: Options, begin: Start) -> Run[Looped]:
    """From this state, its machine code made."""
    course = Course(options.times, why=list(options.why))
    kind = LoopedSecondOrder if options.second_order else Looped
    equations = kind.of(machine, (begin.q, begin.v), options, course)
    for code in (equations.flow.motion, equations.flow.projection):
        code.address  # noqa: B018  machine code is made here
    return Run(equations, course, equations.flow.state(begin.q, begin.v))


def _is_roomy(system: LoopedSystem) -> bool:
    """Whether there is room for the events of laws that switch."""
    numbers = EVENTS_A_STEP * (system.at.nflags + len(system.watched)) * system.at.ny
    return not system.at.nflags or numbers <= size_policy.EVENT_ROOM


def _traced(model: Model, watches: Sequence[Watch]) -> dict[str, Expr]:
    """What is watched: in terms of positions and velocities, or of outputs, too."""
    plain = {w.name: w.of_states(model) for w in watches}
    outputs = output_symbols(model) if any(x is None for x in plain.values()) else {}
    return {w.name: w.of_outputs(model, outputs) if x is None else x
            for w, x in zip(watches, plain.values(), strict=True)}  # fmt: skip


# -- the result ------------------------------------------------------------------------------------------------------------
def _result(last: Looped, course: Course, audit: MotionAudit) -> tuple[MotionResult, IntegrationError | None]:
    """And why it is no motion of the machine, if so."""
    system, (t, y) = last.system, course.shown()
    nq, nv = system.nq, system.nv
    q, v, turns = y[:, :nq], y[:, nq : nq + nv], y[:, nq + nv : -1]
    vdot, lam = np.empty((len(t), nv)), np.empty((len(t), system.rows))
    position, velocity = (np.abs(x).max(axis=1, initial=0.0) for x in errors(system, t, y))
    unsure = 0.0
    rubs = bool(system.at.rubs)  # the multipliers that make the friction are the ones to tell
    own = last.accelerations_of(course)  # of the method's own states, where it has such
    solves = own is not None or (system.held and (last.dependent or not rubs))
    smallest = SmallestReactions(system) if solves else None
    for k in range(len(t)):
        system.turns[:] = turns[k]
        at = q[k], v[k], float(t[k])
        vdot[k], lam[k], pivot = system.accelerations(*at)
        if own is not None and own[k] is not None:
            vdot[k] = own[k]
        unsure = max(unsure, system.rest * float(np.abs(vdot[k]).max()))
        if smallest is not None:
            least = smallest(*at, vdot[k], k in (0, len(t) // 2, len(t) - 1))
            lam[k] = lam[k] if rubs else least
        else:
            audit.smallest_pivot = min(audit.smallest_pivot, pivot)
    audit.points = len(t)
    audit.notes += smallest.notes() if smallest is not None else []
    unsure /= max(float(np.abs(vdot).max(initial=0.0)), *(abs(system.model.value(g)) for g in system.model.gravity), 1e-300)
    if unsure > LOST:
        why = "a joint is all but self-locking by friction" if system.at.rubs else "the constraints become nearly dependent"
        audit.notes.append(f"accelerations are known to {unsure:.1g} of the largest only: {why}")
    told = outputs(system, t, q, v, vdot, lam, turns, () if smallest is None else smallest.elements)
    rates = JointRates(system.model, t, told.channels, rate_places(system.model.elements.values()))
    out = MotionResult(system.model.name, t, told.channels, audit, told.evaluate, source=system.model, derived=rates)
    out.places = told.places
    kept = last.kept(course)
    looks = course.times.is_look(kept.t)
    looks[0] = True
    out.energy = Energy(told.kinetic, told.potential, y[:, -1], kept.energy_error(looks))
    out.violation = Violation(position, velocity)
    audit.position_error, audit.velocity_error = float(position.max(initial=0.0)), float(velocity.max(initial=0.0))
    audit.energy_error = out.energy.error
    notes, wrong = judged(
        kept, system.row_names, last.treatment.allowed(last.options.rtol, course.counters["steps"]),
        _drifts(last, course, kept.kinetic),
    )  # fmt: skip
    audit.notes += notes
    return out, wrong


def _drifts(last: Looped, course: Course, kinetic: np.ndarray) -> list[Drift]:
    """What an event changes is changed from outside."""
    if any(w.change is not None for w in last.watches):
        return []
    return kept_invariants(Sampled.of(last.machine, *course.visited(), kinetic))
