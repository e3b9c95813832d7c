"""Whether the runs of a study can go in lanes, and the compiled problem if they can.

A run in lanes takes the steps that `lw.dynamics` would take: the same equations, chart, treatment of constraints, tolerances
and control of the step. Whatever a lane cannot do (events, laws that switch, laws in Python, an implicit method) is told by
`refused`, and such runs are made one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.brief import brief_changes
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.equations import FIRST_PATIENCE
from linkwright.analyses.dynamics.lanes.kept import Keeping, Kept, counts_turns
from linkwright.analyses.dynamics.looped import simulate as looped
from linkwright.analyses.dynamics.options import USUAL, Options
from linkwright.analyses.dynamics.stiffness import WORTH
from linkwright.analyses.dynamics.whole.equations import HEALTHY, Whole, first_state
from linkwright.analyses.dynamics.whole.formulation import cheapest
from linkwright.analyses.machine.invariants import floats
from linkwright.analyses.machine.mechanical import LoadedMachine, States
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.safety import Allowed
from linkwright.analyses.machine.sizes import Sizes, least_energy
from linkwright.analyses.machine.times import Times
from linkwright.errors import LinkwrightError
from linkwright.model import Model
from linkwright.solve import lane_form
from linkwright.solve.lane_form import Form
from linkwright.solve.many import Many, Numbers, Ran, Runs

METHODS = ("rk4", "dopri5", "dop853")
MOST_STEPS = 1e6  # attempts; a run that takes more is left to the integrator of single runs
DRIFTED = 1e-4  # of the machine's length: a run whose joints are so far apart is judged by the single call
SQUARED = 1e-6  # tolerances whose square is next to nothing: what one step of Newton's method leaves of a step's error
MOST_OPERATIONS = 20_000  # of an evaluation: what is longer takes minutes to compile in one piece


@dataclass(frozen=True, eq=False)
class Plan:
    """The problem of all runs. nominal: the equations of the machine as it is; their flow is that of every run."""

    model: Model
    times: Times
    options: Options
    keeping: Keeping
    nominal: Whole
    many: Many
    numbers: Numbers
    floats: bool = False  # it has momenta that a single call looks at, and lanes do not

    @property
    def shown(self) -> np.ndarray:
        return self.numbers.times

    @cached_property
    def _least(self) -> float:
        """Energies below this are none."""
        return max(least_energy(Sizes.of(self.model), self.times.span), 1e-300)

    def outcome(self, ran: Ran) -> np.ndarray:
        """Which runs are good: at the end, with healthy pivots and an energy that adds up; the others are made alone."""
        r = ran.registers
        counts, which = np.unique(r[:, lane_form.STEPS], return_inverse=True)
        allowed = np.array([Allowed(self.options.rtol, int(n)).energy()[0] for n in counts])[which]
        kept = ~(r[:, lane_form.OFF] > allowed * np.maximum(r[:, lane_form.SIZE], self._least))
        return np.asarray(ran.done & (r[:, lane_form.HEALTH] > HEALTHY) & kept)

    def together(self, ran: Ran, runs: Runs) -> np.ndarray:
        """Which runs end with their joints together."""
        count = len(runs)
        t, empty = np.full((1, count), self.times.end), np.zeros((0, count))
        args = [t, ran.y.T, runs.b.T, empty, empty, runs.tune.T]
        Phi = self.nominal.chart.flow.errors.batch(*map(np.ascontiguousarray, args))[0]
        return np.asarray(np.abs(Phi).max(axis=0, initial=0.0) < DRIFTED * self.nominal.machine.length)

    def values(self, ran: Ran) -> tuple[np.ndarray, ...]:
        return self.keeping.values(ran, self.times.shown)

    def start(self, model: Model) -> Runs | None:
        """Of one run, found as `dynamics` finds it; None where its equations are not those of the others. LinkwrightError
        where there is no start."""
        machine = LoadedMachine(model, self.times.start)
        begin = initial_state(machine, self.times.start)
        found = Whole.of(machine, begin, self.options, Course(self.times))
        if found.chart.flow is not self.nominal.chart.flow or refused_equations(found):
            return None
        x = found.chart.own(first_state(machine, begin))
        weight = found.chart.weights([], begin.q)
        tol = found.chart.control(found.control, weight, found.method).array(len(x))
        if not np.array_equal(np.delete(tol, len(x) - 1), np.delete(self.numbers.tol, len(x) - 1)):
            return None
        return Runs(x[None], machine.b[None], found.tuning[None], tol[[len(x) - 1]])


def plan(model: Model, options: Mapping[str, Any], keep: tuple[Kept, ...]) -> Plan | str:
    """For runs of the model with other values; a text says why there is none."""
    if why := refused_options(options):
        return why
    if looped.is_large(model):
        return "a large machine is solved by loops over its elements"
    asked = Options.asked({**USUAL, **options})
    times = asked.times
    if not times.span:
        return "the run has no length"
    if brief := brief_changes(model, times.start, times.end).why:
        return brief  # of other values it is another bound
    machine = LoadedMachine(model, times.start)
    try:
        begin = initial_state(machine, times.start)
        if asked.formulation == "auto":
            asked = asked.formulated(*cheapest(machine, begin.q, begin.t))
        nominal = Whole.of(machine, begin, asked, Course(times))
        keeping = Keeping(keep)
        if counts_turns(machine, keeping.keys):
            return "an angle is kept whose turns are counted over the output"
    except LinkwrightError as error:
        return f"of the machine as it is: {error.cause}"
    if why := refused_machine(machine) or refused_equations(nominal):
        return why
    if nominal.chart.flow.motion.program.operations > MOST_OPERATIONS:
        return "its equations are too long to be compiled for lanes"
    y = first_state(machine, begin)
    begun = Forces(machine, States.of(machine, np.array([times.start]), y[None]), np.zeros((1, machine.nv)))
    return replace(_made(model, times, asked, keeping, nominal, y), floats=floats(begun))


def refused_options(options: Mapping[str, Any]) -> str:
    """Which option lanes do not have; "" where they have all."""
    for name in ("events", "start", "progress", "options", "dense_output"):
        if options.get(name):
            return f"{name}= is given"
    asked = Options.asked({**USUAL, **options})
    if asked.method != "auto" and asked.method not in METHODS:
        return f"the method {asked.method} is no explicit Runge-Kutta method"
    if asked.constraints not in ("projection", "stabilization", "direct"):
        return f"constraints={asked.constraints!r} are looked at while a run goes on"
    if asked.method == "rk4" and not asked.first_step:
        return "rk4 needs first_step="
    return ""


def refused_machine(machine: LoadedMachine) -> str:
    """What the machine has that lanes cannot do."""
    s = machine.system
    if s.loads.callbacks:
        return f"the law of {s.loads.callbacks[0].element} is in Python"
    if s.loads.impacts:
        return f"{s.loads.impacts[0].element} has impacts"
    if s.slots:
        return f"{s.slots[0].element.name} may stick"
    if s.of_velocities:
        return "there are constraints on velocities"
    return "constants are decided by the first assembly" if s.phases else ""


def refused_equations(found: Whole) -> str:
    if found.switches:
        return f"the law of {found.chart.flags.switches[0].element} switches"
    if found.careful:
        return "its constraints are nearly dependent"
    if len(found.dropped) or (found.regular and len(found.compliances)):
        return "its constraints are dependent"
    return ""


def _made(model: Model, times: Times, options: Options, keeping: Keeping, nominal: Whole, y: np.ndarray) -> Plan:
    machine, chart, method = nominal.machine, nominal.chart, options.first_method
    x = chart.own(y)
    weight = chart.weights([], y[: machine.nq])
    projection = nominal.treatment.projection(chart.flow, [])
    shown = times.shown[-1:] if keeping.only_last else times.shown
    adapts = options.adapts
    form = Form(
        method, len(x), tuple(map(float, weight)), projection is not None, keeping.reduced, len(shown),
        FIRST_PATIENCE if adapts else 0, WORTH if adapts else 0,
    )  # fmt: skip
    run = np.zeros(lane_form.NUMBERS)
    run[[lane_form.T_START, lane_form.T_END]] = times.start, times.end
    run[[lane_form.MAX_STEP, lane_form.FIRST_STEP]] = options.max_step, options.first_step or 0.0
    run[lane_form.MOST_STEPS] = MOST_STEPS if options.max_steps is None else options.max_steps
    numbers = Numbers(chart.control(nominal.control, weight, nominal.method).array(len(x)), run, np.array(shown))
    zeros = np.flatnonzero(nominal.tuning == 0.0).tolist()  # which rows are regularised, and how, is the same in all runs
    adaptive = not method.fixed and projection is chart.flow.projection
    short = chart.flow.short_projection if adaptive and options.rtol <= SQUARED else None
    many = Many(chart.flow.motion, projection, keeping.shown(machine, chart), form, zeros=zeros, short=short)
    return Plan(model, times, options, keeping, nominal, many, numbers)
