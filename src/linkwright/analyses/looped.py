"""Dynamics of large machines: equations compiled by shapes of elements and called in loops, solved sparsely.

Nothing here takes more than linear time in the number of bodies. Initial positions are the estimates, moved to where the
joints close; initial velocities are completed as those of small machines are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.analyses.looped_held import SmallestReactions, held
from linkwright.analyses.looped_outputs import outputs
from linkwright.analyses.looped_start import estimate, positions, velocities, velocity_estimate
from linkwright.errors import CompileError, IntegrationError, Interrupted
from linkwright.model import Model
from linkwright.results.motion import Energy, MotionAudit, MotionResult, Violation
from linkwright.solve.integrate import INTERRUPTED, Control, Integrator
from linkwright.solve.methods import method as find_method
from linkwright.system.looped import LoopedFlow, LoopedSystem
from linkwright.system.looped.solving import LOST

LARGE = 50  # bodies: from here on compiling the machine as a whole takes longer than most runs
WHOLE = 150  # bodies: up to here a machine that cannot be looped is compiled as a whole instead
HEALTHY = 1e-8  # pivots below this: rows depend on each other, or something has no inertia


@dataclass(frozen=True)
class Span:
    """When and how exactly, as `dynamics` was asked."""

    times: np.ndarray
    method: str
    rtol: float
    atol: float
    max_step: float
    first_step: float | None
    max_steps: int | None
    tick: Any = None
    options: dict[str, Any] | None = None


def is_large(model: Model) -> bool:
    return len(model.bodies) - 1 >= LARGE


def attempt(model: Model, span: Span, start: Any, asked: Sequence[str]) -> tuple[MotionResult | None, str]:
    """The motion; or None and the reason, where the machine must be compiled as a whole and is not too large for that.

    `asked`: names of options of the run that loops do not have.
    """
    try:
        if asked:
            raise _declined(f"what {', '.join(asked)} ask{'s' if len(asked) == 1 else ''} for", asked)
        return simulate(model, span, start), ""
    except CompileError as error:
        count = len(model.bodies) - 1
        if count > WHOLE:
            error.cause = f"{error.cause} (a machine of {count} bodies is compiled in loops)"
            error.remedy = f"leave it out; machines of up to {WHOLE} bodies are compiled as a whole where they need it"
            raise
        return None, f"compiled as a whole: {error.cause}"


def _declined(cause: str, element: Any = ()) -> CompileError:
    return CompileError(f"{cause}: not available in loops", element=element, remedy="compile the machine as a whole")


def simulate(model: Model, span: Span, start: Any = None) -> MotionResult:
    """The motion of a machine; `CompileError` where it needs what loops do not have."""
    clock = perf_counter()
    system, switched = _system(model)
    t0 = float(span.times[0])
    q, moved = positions(system, estimate(model, start), t0)
    v, changed = velocities(system, q, velocity_estimate(model, start), t0, start is not None)
    system.settle(q, t0)
    pivot = system.accelerations(q, v, t0)[2]
    why = []
    if pivot < HEALTHY:
        system = held(system, q, t0)
        why.append("solved by a proximal method: joints depend on each other, or bodies have no inertia")
    flow = LoopedFlow(system)
    method = span.method if span.method != "auto" else "dop853" if span.rtol < 1e-5 else "dopri5"
    if find_method(method).implicit:
        raise _declined(f"method={method!r}", "method")
    weight = np.ones(flow.ny)
    weight[system.nq + system.nv :] = 0.0
    integrator = Integrator(
        flow.motion, flow.state(q, v), t0, method=method, project=flow.projection, options=span.options,
        control=Control(span.rtol, span.atol, weight, span.first_step, span.max_step, span.max_steps),
    )  # fmt: skip
    built = perf_counter() - clock
    solution = integrator.run(float(span.times[-1]), t_eval=span.times, tick=span.tick)
    audit = MotionAudit(
        "dynamics", method, formulation="newton-euler", constraints="projection", steps=solution.steps,
        rejected=solution.rejected, evaluations=solution.nfev,
        why="; ".join(
            [f"compiled in loops over {len(system.at.bodies)} bodies", *why, f"building and compiling took {built:.2f} s"]
        ),
        smallest_pivot=pivot,
    )  # fmt: skip
    audit.notes += [*moved, *changed, *switched]
    out = _result(system, solution.t, solution.y, audit)
    audit.wall_seconds = perf_counter() - clock
    if solution.status == INTERRUPTED:
        raise Interrupted(float(solution.t_last), out)
    if not solution.success:
        raise _failed(solution, out)
    return out


def _system(model: Model) -> tuple[LoopedSystem, list[str]]:
    """And notes on its laws."""
    if model.fixed:
        raise _declined("estimates that are fixed", [str(q) for q in model.fixed])
    system = LoopedSystem(model)
    switched = [name for g in system.at.groups if g.element is not None and g.loads.switches for name in g.names]
    if not switched:
        return system, []
    if len(system.at.bodies) <= WHOLE:
        raise _declined("a law that switches", switched[:5])
    names = ", ".join(switched[:5]) + (f" and {len(switched) - 5} more" if len(switched) > 5 else "")
    return system, [f"laws that switch, not located as events: small steps lead over them ({names})"]


def _failed(solution: Any, out: MotionResult) -> IntegrationError:
    error = IntegrationError(
        solution.message, time=solution.t_last, remedy="look at the last state in `.partial`; the machine may be stiff"
    )
    error.partial = out
    return error


# -- the result ------------------------------------------------------------------------------------------------------------
def _result(system: LoopedSystem, t: np.ndarray, y: np.ndarray, audit: MotionAudit) -> MotionResult:
    nq, nv = system.nq, system.nv
    q, v, turns = y[:, :nq], y[:, nq : nq + nv], y[:, nq + nv : -1]
    vdot, lam = np.empty((len(t), nv)), np.empty((len(t), system.rows))
    position, velocity, unsure = np.empty(len(t)), np.empty(len(t)), 0.0
    smallest = SmallestReactions(system) if system.held else None
    for k in range(len(t)):
        system.turns[:] = turns[k]
        at = q[k], v[k], float(t[k])
        vdot[k], lam[k], pivot = system.accelerations(*at)
        if smallest is not None:
            unsure = max(unsure, system.rest)
            lam[k] = smallest(*at, vdot[k], k in (0, len(t) // 2, len(t) - 1))
        else:
            audit.smallest_pivot = min(audit.smallest_pivot, pivot)
        position[k] = np.abs(system.Phi(q[k], float(t[k]))).max(initial=0.0)
        velocity[k] = np.abs(system.drift(*at)).max(initial=0.0)
    audit.points = len(t)
    audit.notes += smallest.notes() if smallest is not None else []
    if unsure > LOST:
        audit.notes.append(f"accelerations are known to {unsure:.1g} of the largest only: joints come near to dependence")
    told = outputs(system, t, q, v, vdot, lam, turns, () if smallest is None else smallest.elements)
    out = MotionResult(system.model.name, t, told.channels, audit, told.evaluate, source=system.model)
    out.places = told.places
    out.energy = Energy(told.kinetic, told.potential, y[:, -1])
    out.violation = Violation(position, velocity)
    audit.position_error, audit.velocity_error = float(position.max(initial=0.0)), float(velocity.max(initial=0.0))
    size = np.abs(told.kinetic).max(initial=0.0) + np.abs(y[:, -1]).max(initial=0.0)
    size += np.ptp(told.potential) + 1e-9 * np.abs(told.potential).max() if len(t) else 0.0
    audit.energy_error = float(np.abs(out.energy.balance).max(initial=0.0) / size) if size > 0 else 0.0
    return out
