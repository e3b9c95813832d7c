"""Dynamics: the motion of a machine under forces (Haug 6.3, 7.3, 11.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import index
from time import perf_counter
from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.formulation import cheapest
from linkwright.analyses.dynamics.looped import simulate as looped
from linkwright.analyses.dynamics.second_order import SecondOrder
from linkwright.analyses.dynamics.simulation import Simulation
from linkwright.analyses.dynamics.watch import Watch
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
from linkwright.bounds import shown
from linkwright.errors import IntegrationError, Interrupted, LinkwrightError, ModelError
from linkwright.model import Model, a_model
from linkwright.results.motion import Energy, MotionResult, Violation
from linkwright.solve.methods import method as find_method
from linkwright.system.formulations import FORMULATIONS, ON_TREES

# Of methods for y' = f(t, y), and of those that solve for accelerations and multipliers at once.
CONSTRAINTS = ("projection", "partitioning", "stabilization", "direct", "hybrid", "augmented")
SECOND_ORDER_CONSTRAINTS = ("ggl", "index-3")
# alpha = beta [1/s]: errors decay within a tenth of a second; the hybrid method takes small ones (Haug 7.3.5)
GAINS = {"stabilization": 20.0, "hybrid": 5.0}
PROGRESS_SECONDS = 0.1  # between two calls of progress


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
    method, why = _method(method, formulation, constraints)
    gains = _gains(gains, constraints)
    second_order = method != "auto" and find_method(method).second_order
    times = Times.of(t_end, steps, t_start, t_eval, "dynamics")
    rtol = _number("rtol", rtol, 1e-5 if second_order else 1e-8)
    atol = _number("atol", atol, 1e-2 * rtol)
    max_step, max_steps = _number("max_step", max_step, np.inf), _count("max_steps", max_steps)
    constraint_tol = _number("constraint_tol", constraint_tol, 1e-8)
    watches = _watches(events)
    tick = _ticker(progress, times)
    if looped.is_large(a_model(model)):
        span = looped.Span(
            times, method, rtol, atol, max_step, first_step, max_steps, tick, options, watches, dense_output,
            formulation, constraints, gains,
        )  # fmt: skip
        asked = {
            "formulation": formulation not in ("newton-euler", "joint", "auto"),
            "constraints": constraints not in looped.CONSTRAINTS,
            "method": second_order,
        }  # fmt: skip
        found, reason = looped.attempt(model, span, start, [name for name, given in asked.items() if given])
        if found is not None:
            return found
        why.append(reason)
    machine = LoadedMachine(model, times.start)
    machine.follow([w.asked(machine) for w in watches], times.start)
    if not machine.nv:
        raise ModelError("nothing is there that could move", element=model.name, remedy="give it a body: model.body(...)")
    check_prescribed(machine.geometry, times.path)
    turning = check_turns(machine.geometry, times.path, SIMULATED)
    begin = initial_state(machine, times.start, start)
    if formulation == "auto" and not second_order:
        formulation, reason = cheapest(machine, begin.q, begin.t)
        why.append(reason)
    common: dict[str, Any] = {
        "method": method, "constraints": constraints, "rtol": rtol, "atol": atol, "max_step": max_step,
        "watches": watches, "first_step": first_step,
        "max_steps": max_steps, "tick": tick, "options": options, "dense_output": dense_output,
    }  # fmt: skip
    simulation: Simulation | SecondOrder
    if second_order:
        simulation = SecondOrder(machine, begin, **common)
    else:
        simulation = Simulation(machine, begin, formulation=formulation, gains=gains, tolerance=constraint_tol, **common)
    simulation.why += why
    failure = simulation.run(times)
    try:
        out, wrong = result(machine, simulation)
    except KeyboardInterrupt:
        raise Interrupted(float(simulation.shown()[0][-1]), None) from None
    except LinkwrightError as error:  # a law that has raised may go on raising: the first reason is the one to tell
        if simulation.interrupted:
            raise Interrupted(float(simulation.shown()[0][-1]), None) from error
        if failure is None:
            raise
        raise failure from failure.__cause__ or error
    failure = failure or wrong
    out.audit.notes += [*turning, *begin.notes, *passed_through(model, out)]
    out.sol = simulation.sol
    if simulation.interrupted:
        raise Interrupted(float(out.t[-1]), out)
    if failure is not None:
        failure.partial = out
        raise failure
    return out


def _method(method: str, formulation: str, constraints: str) -> tuple[str, list[str]]:
    """The method and why, where the treatment of constraints decides; what does not go together is refused."""
    _check(formulation, (*FORMULATIONS, *ON_TREES, "auto"), "formulation")
    _check(constraints, (*CONSTRAINTS, *SECOND_ORDER_CONSTRAINTS), "constraints")
    own = constraints in SECOND_ORDER_CONSTRAINTS
    if method == "auto":
        return ("generalized-alpha", [f"generalized-alpha for constraints={constraints!r}"]) if own else ("auto", [])
    second_order = find_method(method).second_order
    if own and not second_order:
        raise ModelError(
            f"{method} integrates accelerations, constraints={constraints!r} is of methods that solve for them",
            element="constraints", remedy="method='generalized-alpha' or 'hht', or another treatment of constraints",
        )  # fmt: skip
    if second_order and not own and constraints != "projection":
        raise ModelError(
            f"{method} has its own treatment of constraints", element="constraints", remedy="'ggl' (default) or 'index-3'"
        )
    if second_order and formulation not in ("newton-euler", "auto"):
        raise ModelError(f"{method} has one formulation", element="formulation", remedy="leave formulation= out")
    return method, []


def _gains(given: tuple[float, float] | None, constraints: str) -> tuple[float, float]:
    """alpha and beta of constraints that are stabilised."""
    if given is None:
        return (GAINS.get(constraints, 0.0),) * 2
    try:
        alpha, beta = (float(x) for x in given)
    except (TypeError, ValueError):
        alpha = beta = np.nan
    if not (0 < alpha < np.inf and 0 < beta < np.inf):
        raise ModelError(
            f"gains are {given}: errors would grow",
            element="gains",
            remedy="two positive numbers, alike for critical damping",
        )
    return alpha, beta


def _number(name: str, given: Any, otherwise: float) -> float:
    try:
        number = otherwise if given is None else float(given)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if not number >= 0:
        raise ModelError(f"it is {shown(given)}", element=name, remedy="give a number, not below zero")
    return number


def _count(name: str, given: Any) -> int | None:
    try:
        return None if given is None else index(given)
    except TypeError:
        raise ModelError(f"it is {given!r}", element=name, remedy="give a whole number") from None


def _watches(events: Any) -> list[Watch]:
    if events is not None and not isinstance(events, Mapping):
        raise ModelError(
            f"they are {events!r}", element="events", remedy='give names and quantities, such as {"top": "crank.omega"}'
        )
    return [Watch.of(name, w) for name, w in (events or {}).items()]


def _ticker(progress: Progress | None, times: Times) -> Callable[[float], None] | None:
    """progress, but not too often."""
    if progress is None:
        return None
    last = -np.inf

    def tick(t: float) -> None:
        nonlocal last
        now = perf_counter()
        if now - last >= PROGRESS_SECONDS:
            last = now
            progress(t, (t - times.start) / times.span)

    return tick


def _check(given: str, known: Sequence[str], what: str) -> None:
    if given not in known:
        raise ModelError(f"there is no {what} {given!r}", element=what, remedy=f"it may be one of {', '.join(known)}")


def result(machine: LoadedMachine, run: Simulation | SecondOrder) -> tuple[MotionResult, IntegrationError | None]:
    """Channels, reactions, energy and errors of a run; and why it is no motion of the machine, where it is none."""
    t, y = run.shown()
    audit = run.audit()
    vdot, pressing = run.answers(t, y)
    out, forces = with_forces(machine, States.of(machine, t, y), vdot, audit, pressing)
    T, V, _ = forces.energy.T
    looks = _looks(machine, run)
    out.energy = Energy(T, V, y[:, -1], looks.energy_error)
    Phi, rate = forces.violation()
    out.violation = Violation(np.abs(Phi).max(axis=1, initial=0.0), np.abs(rate).max(axis=1, initial=0.0))
    audit.position_error = float(out.violation.position.max(initial=0.0))
    audit.velocity_error = float(out.violation.velocity.max(initial=0.0))
    audit.energy_error = out.energy.error
    out.events = list(run.events)
    notes, wrong = judged(joined(looks, forces.kept(y[:, -1])), machine.system.row_names, run.allowed)
    audit.notes += notes
    return out, wrong


def _looks(machine: LoadedMachine, run: Simulation | SecondOrder) -> Kept:
    """What was kept at the looks of the audit."""
    t, y = run.looked()
    states = States.of(machine, t, y)
    return Forces(machine, states, np.zeros_like(states.v)).kept(y[:, -1])


__all__ = ["IntegrationError", "Watch", "dynamics"]
