"""Dynamics of large machines: equations compiled by shapes of elements and called in loops, solved sparsely.

Nothing here takes more than linear time in the number of bodies. Initial positions are the estimates, moved to where the
joints close; initial velocities are completed as those of small machines are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.analyses.assembly.assemble import the_other_way_round
from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.looped.held import SmallestReactions
from linkwright.analyses.dynamics.looped.impact import WHOLE
from linkwright.analyses.dynamics.looped.kept import lent, output_symbols
from linkwright.analyses.dynamics.looped.outputs import outputs
from linkwright.analyses.dynamics.looped.run import LoopedRun
from linkwright.analyses.dynamics.looped.sparse_newton import has_derivatives
from linkwright.analyses.dynamics.looped.start import (
    estimate,
    go_on,
    positions,
    velocities,
    velocity_estimate,
    velocity_fixes,
    wind,
)
from linkwright.analyses.dynamics.watch import Watch
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.joint_rates import JointRates
from linkwright.analyses.machine.machine import reader
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.prescribed import check_prescribed
from linkwright.analyses.machine.safety import judged
from linkwright.analyses.machine.spring_ends import passed_through
from linkwright.analyses.machine.times import Times
from linkwright.analyses.machine.turn_counts import SIMULATED, check_turns
from linkwright.errors import CompileError, IntegrationError, Interrupted, LinkwrightError
from linkwright.graph import Expr
from linkwright.model import Model
from linkwright.results.motion import Energy, MotionAudit, MotionResult, Violation
from linkwright.solve.drive import EVENTS_A_STEP
from linkwright.solve.integrate import Control
from linkwright.solve.methods import method as find_method
from linkwright.system.bushings import SEAM, seams
from linkwright.system.drives import only_as_a_whole
from linkwright.system.geometry import Geometry
from linkwright.system.laws import tell
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.over_states import errors
from linkwright.system.looped.solving import LOST
from linkwright.system.spanning_tree import spanning_tree
from linkwright.system.whole_turns import position_fixes, said_turns, unwound

LARGE = 50  # bodies: from here on compiling the machine as a whole takes longer than most runs
FORMULATED = 300  # where a formulation was asked for by name: ten seconds and more
CONSTRAINTS = ("projection", "augmented", "stabilization", "direct")  # treatments that loops have
DENSE = 400  # joint coordinates and speeds from which on implicit methods take sparse factors in the bodies' coordinates
ROOM = 250_000_000  # numbers at most that the events of a step may take (most of it is never touched)


@dataclass(frozen=True)
class Span:
    """When and how exactly, as `dynamics` was asked."""

    times: Times
    method: str
    rtol: float
    atol: float
    max_step: float
    first_step: float | None
    max_steps: int | None
    tick: Any = None
    options: dict[str, Any] | None = None
    watches: Sequence[Watch] = ()
    dense_output: bool = False
    formulation: str = "newton-euler"  # or "joint", "auto"
    constraints: str = "projection"  # or "augmented", "stabilization", "direct"
    gains: tuple[float, float] = (0.0, 0.0)


def is_large(model: Model) -> bool:
    return len(model.bodies) - 1 >= LARGE


def attempt(model: Model, span: Span, start: Any, asked: Sequence[str]) -> tuple[MotionResult | None, str]:
    """The motion; or None and the reason, where the machine must be compiled as a whole.

    `asked`: names of options of the run that loops do not have. A formulation is a way to write the same equations: of a
    machine that is too large to be written so, the motion is found by the bodies' own equations, and `why` says so.
    """
    count, instead = len(model.bodies) - 1, ""
    if list(asked) == ["formulation"] and count > FORMULATED:
        instead = (
            f"newton-euler in loops in place of {span.formulation}, which is compiled as a whole up to {FORMULATED} bodies: "
            "the same motion, by the bodies' own equations"
        )
        asked, span = (), replace(span, formulation="newton-euler")
    try:
        if whole := only_as_a_whole(model):
            raise _declined("states and inertia along quantities", whole)
        if asked:
            raise _declined(f"what {', '.join(asked)} ask{'s' if len(asked) == 1 else ''} for", asked)
        return simulate(model, span, start, instead), ""
    except CompileError as error:
        dear = f" (a machine of {count} bodies takes some {0.1 * count:.0f} s for it)" if count > WHOLE else ""
        return None, f"compiled as a whole: {error.cause}{dear}"


def _declined(cause: str, element: Any = ()) -> CompileError:
    return CompileError(f"{cause}: not available in loops", element=element, remedy="compile the machine as a whole")


def simulate(model: Model, span: Span, start: Any = None, why: str = "") -> MotionResult:
    """The motion of a machine; `CompileError` where it needs what loops do not have. `why`: what the audit says first."""
    watched, back = _traced(model, span.watches), not span.dense_output  # which goes on asking for joint coordinates
    with lent(model, True, watched, back) as system:
        if _is_roomy(system):
            return _simulated(system, span, start, why, [])
        names = list(dict.fromkeys(system.at.switched))
    some = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    note = f"laws that switch, too many to be located as events: small steps lead over them ({some})"
    with lent(model, False, watched, back) as system:
        return _simulated(system, span, start, why, [note])


def _simulated(system: LoopedSystem, span: Span, start: Any, why: str, notes: list[str]) -> MotionResult:
    """The motion of a machine with its equations."""
    clock, model = perf_counter(), system.model
    if system.at.laws is not None:
        tell(system.at.laws.elements)
    geometry = Geometry(model, system.coordinates)
    check_prescribed(geometry, span.times.path)
    notes += check_turns(geometry, span.times.path, SIMULATED)
    run, changed = _begin(system, span, start)
    run.why[:0] = filter(None, [why])
    built = perf_counter() - clock
    failure = run.run(span.times)
    audit = _audit(run, built)
    audit.notes += [*changed, *notes, *trouble.ruled(run.method, run.counters), *trouble.missed(run.missed)]
    try:
        out, opposite, wrong = _result(run, audit)
    except LinkwrightError as error:  # a law that has raised may go on raising: the first reason is the one to tell
        if run.interrupted:
            raise Interrupted(float(run.shown()[0][-1]), None) from error
        if failure is None:
            raise
        raise failure from failure.__cause__ or error
    failure = failure or wrong
    audit.notes += [the_other_way_round(model, name) for name in opposite] if start is None else []
    audit.notes += passed_through(model, out)
    out.events, out.sol = list(run.events), run.sol
    if run.interrupted:
        raise Interrupted(float(out.t[-1]), out)
    if failure is not None:
        failure.partial = out
        raise failure
    return out


def _begin(system: LoopedSystem, span: Span, start: Any) -> tuple[LoopedRun, list[str]]:
    """A run from a consistent state, its machine code made; and what had to be changed for that."""
    if system.at.extra:
        q, v, changed = _on_curves(system, span.times.start, start)
        return _run(system, span, q, v), changed
    model, t = system.model, span.times.start
    again = start is not None  # a state to go on from has left what is fixed
    if again:
        go_on(system, start)
    q, fixes = estimate(model, start), {} if again else position_fixes(model)
    said = {} if again else said_turns(system.coordinates, model, q, t, fixed=True)
    q = q if again else unwound(Geometry(model, system.coordinates), q, t, fixes)
    q, moved = positions(system, q, t, fixes, said)
    guess, told = velocity_estimate(model, start)
    v, changed = velocities(system, q, guess, t, told, {} if again else velocity_fixes(model))
    wind(system, start)  # where the machine is closed: estimates may be whole turns from there
    system.settle(q, t)
    return _run(system, span, q, v), [*moved, *changed]


def _on_curves(system: LoopedSystem, t: float, start: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """A consistent state of a machine with curves, by shapes of elements; its turns and phases are the loops', too."""
    machine = LoadedMachine(system.model, t, by_shapes=True)
    begin = initial_state(machine, t, start)
    known, wound = dict(zip(machine.system.turn_names, machine.turns, strict=True)), seams(system.model, reader(start))
    for k, name in enumerate(system.at.turn_names):
        system.turns[k] = wound.get(name, 0.0) if name.endswith(SEAM) else known.get(name, 0.0)
    system.settle(begin.q, t, phases=True)
    return begin.q, begin.v, begin.notes


def _run(system: LoopedSystem, span: Span, q: np.ndarray, v: np.ndarray) -> LoopedRun:
    """From this state, its machine code made."""
    t, method = span.times.start, span.method
    if method == "auto":
        method = "dop853" if span.rtol < 1e-5 else "dopri5"
    implicit, asked = find_method(method).implicit, span.formulation == "joint"
    numbers = _joint_numbers(system) if implicit else 0
    sparse = numbers > DENSE and not asked and has_derivatives(system)
    run = LoopedRun(
        system, q, v, t, method=method, watches=list(span.watches), tick=span.tick, options=span.options,
        control=Control(span.rtol, span.atol, None, span.first_step, span.max_step, span.max_steps),
        dense_output=span.dense_output, in_joints=asked or (implicit and not sparse), adapts=span.method == "auto",
        constraints=span.constraints, gains=span.gains,
    )  # fmt: skip
    if sparse:
        run.why.append(f"newton-euler for {method}, by sparse factors: dense ones are of {numbers} joint coordinates")
    elif implicit and numbers > DENSE:
        run.why.append(f"the factors of {method} are dense: of {numbers} numbers in a state they take seconds")
    if implicit and not asked and not sparse:
        run.why.append(f"in joint coordinates for {method}: its factors are dense, and those are the fewest")
    elif span.formulation == "auto":
        run.why.append("newton-euler in loops: joint coordinates have the same factors, and more to evaluate")
    for code in (run.flow.motion, run.flow.projection):
        code.address  # noqa: B018  machine code is made here
    return run


def _joint_numbers(system: LoopedSystem) -> int:
    """Of a state in joint coordinates."""
    tree = spanning_tree(system.model).tree
    return tree.nq + tree.nv + 2 * len(system.at.extra) + system.at.nturns + 1


def _audit(run: LoopedRun, built: float) -> MotionAudit:
    c, formulation = run.counters, "newton-euler" if run.view is None else "joint"
    bodies = len(run.system.at.bodies)
    why = [f"compiled in loops over {bodies} bodies", *run.why, f"building and compiling took {built:.2f} s"]
    return MotionAudit(
        "dynamics", run.method, formulation=formulation, constraints=run.constraints, steps=c["steps"],
        rejected=c["rejected"], evaluations=c["nfev"], jacobians=c["njev"], switches=c["switches"],
        smallest_pivot=run.pivot, why="; ".join(why),
    )  # fmt: skip


def _is_roomy(system: LoopedSystem) -> bool:
    """Whether there is room for the events of laws that switch."""
    return not system.at.nflags or EVENTS_A_STEP * (system.at.nflags + len(system.watched)) * system.at.ny <= ROOM


def _traced(model: Model, watches: Sequence[Watch]) -> dict[str, Expr]:
    """What is watched: in terms of positions and velocities, or of outputs, too."""
    plain = {w.name: w.of_states(model) for w in watches}
    outputs = output_symbols(model) if any(x is None for x in plain.values()) else {}
    return {w.name: w.of_outputs(model, outputs) if x is None else x
            for w, x in zip(watches, plain.values(), strict=True)}  # fmt: skip


# -- the result ------------------------------------------------------------------------------------------------------------
def _result(run: LoopedRun, audit: MotionAudit) -> tuple[MotionResult, list[str], IntegrationError | None]:
    """And the elements that begin assembled the other way round; and why it is no motion of the machine, if so."""
    system, (t, y) = run.system, run.shown()
    nq, nv = system.nq, system.nv
    q, v, turns = y[:, :nq], y[:, nq : nq + nv], y[:, nq + nv : -1]
    vdot, lam = np.empty((len(t), nv)), np.empty((len(t), system.rows))
    position, velocity = (np.abs(x).max(axis=1, initial=0.0) for x in errors(system, t, y))
    unsure = 0.0
    rubs = bool(system.at.rubs)  # the multipliers that make the friction are the ones to tell
    smallest = SmallestReactions(system) if system.held and (run.dependent or not rubs) else None
    for k in range(len(t)):
        system.turns[:] = turns[k]
        at = q[k], v[k], float(t[k])
        vdot[k], lam[k], pivot = system.accelerations(*at)
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
        why = "a joint is all but self-locking by friction" if system.at.rubs else "joints come near to dependence"
        audit.notes.append(f"accelerations are known to {unsure:.1g} of the largest only: {why}")
    told = outputs(system, t, q, v, vdot, lam, turns, () if smallest is None else smallest.elements)
    rates = JointRates(system.model, t, told.channels)
    out = MotionResult(system.model.name, t, told.channels, audit, told.evaluate, source=system.model, derived=rates)
    out.places = told.places
    kept = run.kept()
    looks = run.times.is_look(kept.t)
    looks[0] = True
    out.energy = Energy(told.kinetic, told.potential, y[:, -1], kept.at(looks).energy_error)
    out.violation = Violation(position, velocity)
    audit.position_error, audit.velocity_error = float(position.max(initial=0.0)), float(velocity.max(initial=0.0))
    audit.energy_error = out.energy.error
    notes, wrong = judged(kept, system.row_names, run.allowed)
    audit.notes += notes
    return out, told.opposite, wrong
