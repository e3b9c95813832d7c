"""The equations of a machine traced and compiled as a whole, for methods for y' = f(t, y)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from linkwright.analyses.assembly.start import Start
from linkwright.analyses.dynamics.chart import Charted
from linkwright.analyses.dynamics.contact.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.equations import Equations, Jumps
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.stiffness import Stiffness, Way, rounding
from linkwright.analyses.dynamics.switching import Switching, nudged
from linkwright.analyses.dynamics.watch import Watch, changed, check_unique
from linkwright.analyses.dynamics.whole import partition
from linkwright.analyses.dynamics.whole.careful import CarefulEvents, CarefulMotion
from linkwright.analyses.dynamics.whole.charts import FlowChart, chosen_chart
from linkwright.analyses.dynamics.whole.formulation import cheapest, of_dependent, of_kane, of_mixed
from linkwright.analyses.dynamics.whole.treatment import Treatment
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.mechanical import LoadedMachine, States, over_rows
from linkwright.analyses.machine.reactions import Forces
from linkwright.analyses.machine.sizes import angle_caps, tolerances
from linkwright.analyses.machine.told import Answers
from linkwright.errors import IntegrationError, LinkwrightError
from linkwright.results.motion import MotionAudit
from linkwright.solve.integrate import TOO_MANY, Control, Integrator
from linkwright.solve.methods import method as find_method
from linkwright.solve.solution import Solution
from linkwright.system.motion import follows_from_forces

HEALTHY = 1e-7  # pivots below this: the compiled solution has lost half of its digits
CARE = 20  # steps until it is looked whether the compiled solution does again
HOPELESS = 1e-8  # of the span: care that takes no more in so many steps would go on for days
REGULARISED = "an augmented Lagrangian"  # what an audit calls it


@dataclass(frozen=True, eq=False)
class Whole(Equations):
    """The equations of a machine compiled as a whole. machine: with the gaps of closed contacts as rows; base: without.
    kept: independent rows, dropped: the others at the start. regular: rows may be dependent, and are regularised;
    compliances: by how much. dependent: coordinates that follow the others, in a partition. careful: accelerations are
    solved for from Python now; took_care: they were, at some time. aloft: the last equations without closed contacts, where
    some are closed."""

    base: LoadedMachine
    machine: LoadedMachine
    treatment: Treatment
    formulation: str
    control: Control
    kept: np.ndarray
    dropped: np.ndarray
    regular: bool
    chart: FlowChart
    compliances: np.ndarray
    always_careful: bool = False
    careful: bool = False
    took_care: bool = False
    dependent: list[int] = field(default_factory=list)
    aloft: Whole | None = None

    @classmethod
    def of(cls, machine: LoadedMachine, start: Start, options: Options, course: Course) -> Self:
        """The equations at the start of a run."""
        formulation, callbacks = options.formulation, machine.system.loads.callbacks
        if callbacks and formulation == "kane":
            course.why.append("newton-euler for laws that cannot be traced, in place of kane")
            formulation = "newton-euler"
        course.why += of_kane(machine) if formulation == "kane" else []
        course.why += of_mixed(machine) if formulation == "mixed" else []
        treatment = Treatment.of(options)
        kept, dropped = machine.kept_rows(start.q, start.t)
        if len(dropped) and options.may_reformulate and not options.second_order and treatment.name == "projection":
            formulation, why = of_dependent(machine)
            course.why += why
        machine.solve(start.q, start.v, start.t)  # names what nothing determines, before anything is compiled
        y = first_state(machine, start)
        regular = len(dropped) > 0 or treatment.regularises
        found = cls(
            options, options.first_method.name, machine, machine, treatment, formulation, _control(machine, start, options),
            kept, dropped, regular, *chosen_chart(machine, treatment, formulation, kept, regular, start.t, start.q),
            always_careful=bool(callbacks) or (formulation == "mixed" and machine.model.dimension == 3),
        )._chosen(course, start.t, y)._with_care(course, start.t, y)  # fmt: skip
        if options.adapts:
            course.why.append(f"{found.method} for the tolerance {options.rtol:g}")
        if options.adapts and not found.careful:
            course.stiffness = Stiffness(options.atol, options.rtol, found.method)
        if len(dropped):
            check_unique(machine, options.watches, start.q, start.t)
        return found

    def _at(self, course: Course, t: float, y: np.ndarray) -> Self:
        """These equations with the flow, the partition and the care that are best here."""
        q = y[: self.machine.nq]
        chart, compliances = chosen_chart(self.machine, self.treatment, self.formulation, self.kept, self.regular, t, q)
        return (
            replace(self, chart=chart, compliances=compliances, dependent=[])._chosen(course, t, y)._with_care(course, t, y)
        )

    def _chosen(self, course: Course, t: float, y: np.ndarray) -> Self:
        """These equations with the dependent displacements, or speeds, that are best here; they are looked at again after a
        first step."""
        course.ahead = 1
        if not len(self.chart.flow.dependent):
            return self
        return replace(self, dependent=partition.dependent(self._held(t, y)))

    def _with_care(self, course: Course, t: float, y: np.ndarray) -> Self:
        """These equations, solved from Python by rank-revealing factors where rows are nearly dependent, for as long as they
        are: regularised, such rows would not be met."""
        careful = self.always_careful or (len(self.compliances) > 0 and self._gives_way(t, y))
        if careful == self.careful:
            return self
        if not self.always_careful:
            how = "solved by rank-revealing factors: constraints are nearly dependent" if careful else "compiled again"
            course.why.append(f"from t = {t:.6g} on {how}")
        return replace(self, careful=careful, took_care=self.took_care or careful)

    def _gives_way(self, t: float, y: np.ndarray) -> bool:
        """Whether the augmented Lagrangian has not converged here."""
        m = self.machine
        rates = over_rows(self.chart.motion_of_bodies, self.arguments(np.array([t]), self.chart.own(y)[None]))[0]
        return not has_converged(m, rates[0, m.nq : m.nq + m.nv], t, y)

    def _held(self, t: float, y: np.ndarray) -> np.ndarray:
        return self.chart.held(t, y, self.kept)

    # -- what is there -----------------------------------------------------------------------------------------------------
    @cached_property
    def switches(self) -> int:
        return len(self.chart.flags.switches)

    @property
    def is_compiled(self) -> bool:
        return not self.careful

    @cached_property
    def jumps(self) -> Jumps:
        return Jumps.of(self.machine, self.watches)

    # -- what is asked at a state ------------------------------------------------------------------------------------------
    @cached_property
    def tuning(self) -> np.ndarray:
        """The last input of the flow's functions."""
        marks = np.zeros(len(self.chart.flow.dependent))
        marks[self.dependent] = 1.0
        return np.concatenate([self.treatment.gains, self.compliances, marks])

    def inputs(self, t: float, y: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, ...]:
        m = self.machine
        calls = m.calls(y[: m.nq], y[m.nq : m.nq + m.nv], t, y[m.nq + m.nv : -1])
        return np.array([t]), y, m.b, calls, flags, self.tuning

    def arguments(self, t: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
        """The arguments of functions of the chart's states, a row a time; flags are what the conditions themselves say."""
        b, tuning = (np.tile(a, (len(t), 1)) for a in (self.machine.b, self.tuning))
        args = [t[:, None], x, b, np.zeros((len(t), 0)), np.zeros((len(t), self.switches)), tuning]
        for _ in range(self.switches):  # conditions may depend on others: on flags, which are then looked at again
            before, args[4] = args[4], np.asarray(over_rows(self.chart.flow.events([]), args)[0] > 0, dtype=float)
            if (before == args[4]).all():
                break
        return args

    def switching(self, moment: float) -> Switching:
        return Switching(self.chart, self.inputs, moment, partial(nudged, self.machine), self.machine.scale)

    def bounces(self, course: Course, accelerate: Callable[[float, np.ndarray], np.ndarray | None]) -> Bounces:
        found = Bounces(self.base, course.events, accelerate=accelerate)
        modes = found.modes
        modes.count, modes.atol, modes.rtol = course.counters, self.options.atol, self.options.rtol
        return found

    def changed(self, watch: Watch, t: float, y: np.ndarray) -> np.ndarray:
        return changed(self.base, watch, t, y)

    def broken(self, t: float, y: np.ndarray) -> LinkwrightError | None:
        return None if self.treatment.corrects else trouble.apart(self.machine, t, y)

    def accelerations(self, t: float, y: np.ndarray, flags: np.ndarray, machine: Any) -> np.ndarray | None:
        """The accelerations by the compiled motion, where it is that of the machine, healthy, and no law switches: the form
        that a law has after an impact is not known yet."""
        m = self.machine
        if self.careful or machine is not m or self.switches:
            return None
        ydot, _, health = self.chart.motion(*self.inputs(t, y, flags))
        return np.asarray(ydot[m.nq : m.nq + m.nv]) if health[0] > HEALTHY else None

    def _health(self, t: float, y: np.ndarray) -> float:
        return 1.0 if self.careful else float(self.chart.motion(*self.inputs(t, y, np.zeros(self.switches)))[2][0])

    # -- integration -------------------------------------------------------------------------------------------------------
    def patience(self, course: Course) -> int | None:
        if self.careful and (not self.always_careful or self.machine.is_sparse):
            return CARE
        return course.ahead if self.dependent else super().patience(course)

    def integrator(self, course: Course, bounces: Bounces, t: float, y: np.ndarray) -> Charted:
        chart, m = self.chart, self.machine
        motion = chart.careful() if self.careful else None
        gaps = bounces.watched(y, t)
        quantities = [*[w.traced(m) for w in self.watches], *gaps]
        seen = self._watching(motion, quantities) if quantities or self.switches else None
        events = None if seen is None else self.watched(seen, len(gaps))
        f: Any = chart.flow.motion if motion is None else motion
        project = self.treatment.projection(chart.flow, self.dependent)
        jac = chart.jacobian() if find_method(self.method).implicit and not self.careful else None
        for made in (f, project, jac, seen):
            getattr(made, "address", None)  # machine code is made here
        weight = chart.weights(self.dependent, y[: m.nq])
        longest = bounces.longest(self.control.max_step, self.treatment.gains)
        control = replace(self.control, max_steps=self.left(course), max_step=longest)
        inside = Integrator(
            f, chart.own(y), t, method=self.method, control=chart.control(control, weight, self.method), events=events,
            project=project, jac=jac, options=self.options.options,
            parameters=[m.b, np.zeros(len(m.system.loads.callbacks)), course.flags, self.tuning],
        )  # fmt: skip
        return Charted(chart, inside, chart.asked(seen), None if motion is None else motion.raised)

    def _watching(self, motion: CarefulMotion | None, quantities: list[Any]) -> Any:
        """The functions of events, of the chart's states."""
        system = self.machine.system
        if motion is not None and follows_from_forces(system, system.told(quantities)):
            return CarefulEvents(motion, quantities)
        return self.chart.flow.events(quantities)

    def _rates(self, flags: np.ndarray, t: float, x: np.ndarray) -> np.ndarray:
        """The derivative of the chart's state."""
        return np.array(self.chart.flow.motion(np.array([t]), x, self.machine.b, np.zeros(0), flags, self.tuning)[0])

    # -- others in their place ---------------------------------------------------------------------------------------------
    def after(self, course: Course, solution: Solution, begin: float) -> Self | LinkwrightError:
        """The equations with another partition, another treatment or another method; or as they are, for more steps."""
        t, y, m = solution.t_last, solution.y_last, self.machine
        if self.dependent:
            S = self._held(t, y)
            if partition.is_bad(S, self.dependent):
                course.partitions.append(t)
                return self._chosen(course, t, y)
            margin, v = partition.smallest(S, self.dependent), y[m.nq : m.nq + m.nv]
            course.ahead = partition.steps_ahead(margin, v / m.scale, course.integrator.next_step)
            if len(self.treatment.gains) and self._health(t, y) < partition.ILL:
                course.why.append(partition.purely(t))
                return replace(self, treatment=self.treatment.pure())._at(course, t, y)
        left = self.left(course)
        if solution.status != TOO_MANY or (left is not None and left <= 0):
            return trouble.failure(m, solution, self.kept, self.method, course.integrator.raised)
        if len(self.compliances):
            cared = self._with_care(course, t, y)
            if cared is not self:
                return cared
        hopeless = self.careful and not self.always_careful and t - begin < HOPELESS * course.times.span
        if hopeless or course.makes_no_way(t):
            return trouble.crawls(m, t, y[: m.nq], self.kept)
        return self.if_stiff(course, Way(begin, t, solution.steps), y)

    def if_stiff(self, course: Course, way: Way, y: np.ndarray) -> Self:
        if course.stiffness is None or self.careful:
            return self
        t, f = way.end, partial(self._rates, course.flags)
        method, why = course.stiffness.after(way, f, self.chart.own(y), course.integrator.weight, self.method)
        course.why += [why] if why else []
        return replace(self, method=method).reformulated(course, t, y) if why else self

    def reformulated(self, course: Course, t: float, y: np.ndarray) -> Self:
        """Implicit steps solve linear systems of the state's size: in joint coordinates they are a fraction."""
        m, bodies = self.machine, self.formulation == "newton-euler"
        if not (self.options.may_reformulate and bodies and self.treatment.name == "projection" and m is self.base):
            return self
        name, why = cheapest(m, y[: m.nq], t)
        if name != "joint":
            return self
        course.why.append(why)
        return replace(self, formulation=name)._at(course, t, y)

    def is_singular(self, course: Course, solution: Solution) -> bool:
        if self.regular or self.careful:
            return False
        return self._health(solution.t_last, solution.y_last) < trouble.SINGULAR

    def regularised(self, course: Course, t: float, y: np.ndarray, near: float) -> Self:
        new = replace(self, regular=True)._at(course, t, y)
        why = f"from t = {t:.6g} on {REGULARISED}: constraints are nearly dependent at t = {near:.6g}"
        course.why.append(why)
        return new

    def spoiled(self, course: Course, solution: Solution, begin: float) -> bool:
        """Whether a partition that went bad on the way has spoiled what was corrected by it: the stretch is repeated with
        fewer steps, and at last with a shorter one."""
        span = course.times.span
        if not self.dependent or solution.t_last - begin <= partition.SHORT * span:  # the rows go bad there, whatever it is
            return False
        S = self._held(solution.t_last, solution.y_last)
        off = partition.largest_error(self.machine, solution, span)
        if not partition.is_spoiled(S, self.dependent) and off <= self.treatment.loose(self.options):
            return False
        course.ahead = max(1, course.ahead // 4)
        return True

    def touching(self, course: Course, bounces: Bounces, t: float, y: np.ndarray) -> Self:
        return self.holding(bounces.machine, course, t, y)

    def holding(self, machine: LoadedMachine, course: Course, t: float, y: np.ndarray) -> Self:
        """The equations with the rows of this machine, which is the base in another mode."""
        kept, dropped = machine.kept_rows(y[: self.machine.nq], t)
        regular = len(dropped) > 0 or self.treatment.regularises
        aloft = self if self.machine is self.base else self.aloft
        return replace(self, machine=machine, kept=kept, regular=regular, aloft=aloft)._at(course, t, y)

    # -- output ------------------------------------------------------------------------------------------------------------
    @cached_property
    def row_names(self) -> list[str]:
        return self.base.system.row_names

    @cached_property
    def left_out(self) -> frozenset[str]:
        names, kept = self.row_names, set(self.kept.tolist())
        return frozenset(name for k, name in enumerate(names) if k not in kept)

    def contradicted(self, t: float, y: np.ndarray) -> IntegrationError | None:
        return trouble.contradicted(self.base, t, self.base.split(y)[0], self.kept)

    def fastest(self, t: float, y: np.ndarray) -> tuple[str, ...]:
        return trouble.fastest(self.machine, t, y)

    def audit(self, course: Course) -> MotionAudit:
        c, names = course.counters, [self.row_names[k] for k in self.dropped]
        notes = [f"dependent constraints, the motion is the same without: {', '.join(names)}"] if names else []
        notes += [*self.treatment.notes(), *trouble.ruled(self.method, c), *trouble.missed(course.missed)]
        notes += rounding(self.machine, course.pieces[-1].t, course.pieces[-1].y, c["steps"], c["rounded"])
        return course.audit(
            self.method, notes=notes, formulation=self.formulation, constraints=self.treatment.name,
            why="; ".join([*course.why, *partition.told(course.partitions)]),
        )  # fmt: skip

    def forces(self, t: np.ndarray, y: np.ndarray) -> Forces:
        return Forces(self.base, States.of(self.base, t, y), np.zeros((len(t), self.base.nv)))

    def answers_later(self, course: Course) -> bool:
        """Whether nothing of the run was solved from Python: such a solution may raise, and laws in plain Python may
        remember what they were asked last."""
        return not (self.careful or self.took_care)

    def answers(self, course: Course) -> Answers:
        """Accelerations and forces by the equations at the end of a run."""
        m, (t, y) = self.base, course.shown()
        modes = course.modes()
        out, press = np.full((len(t), m.nv), np.nan), np.zeros((len(t), self.impacts))
        rubbing = np.zeros((len(t), sum(s.size for s in m.slots)))
        free = np.array([not mode.closed and not m.slots for mode in modes], dtype=bool)
        pivot = self._compiled(course, out, free)
        held, mode, first = m, None, len(m.system.rows)
        for k in np.flatnonzero(np.isnan(out).any(axis=1)):
            if modes[k] is not mode:
                mode, held = modes[k], m.holding(modes[k])
            solved = held.solved(float(t[k]), y[k])
            out[k], press[k, list(modes[k].closed)] = solved.vdot, -solved.lam[first : first + len(modes[k].closed)]
            if m.slots:
                rubbing[k] = held.slot_forces(float(t[k]), y[k], solved.lam)[0]
        return Answers(out, press, pivot, rubbing if m.slots else None)

    def _compiled(self, course: Course, out: np.ndarray, free: np.ndarray) -> float:
        """Accelerations without closed contacts by the compiled motion, where that is healthy; and its smallest pivot."""
        if self.careful or self.took_care or not free.any():
            return 1.0
        used = self if self.machine is self.base else self.aloft or self
        t, x = course.shown()[0][free], np.array(course.own(used.chart))[free]
        ydot, _, health = over_rows(used.chart.motion_of_bodies, used.arguments(t, x))
        healthy = health[:, 0] > HEALTHY
        out[np.flatnonzero(free)[healthy]] = ydot[healthy, self.base.nq : self.base.nq + self.base.nv]
        return float(health.min(initial=1.0))


def first_state(machine: LoadedMachine, start: Start) -> np.ndarray:
    """The state at the start, at which no work is done yet."""
    return np.concatenate([start.q, start.v, machine.turns, [0.0]])


def _control(machine: LoadedMachine, start: Start, options: Options) -> Control:
    """The step control of the bodies' states."""
    T = 0.5 * start.v @ machine.terms(start.q, start.v, start.t).M @ start.v
    count = machine.nq + machine.nv + len(machine.turns) + 1
    atol = tolerances(machine.model, options.rtol, options.atol, T, count)
    return replace(options.control, atol=atol, cap=angle_caps(machine.system.coordinates.q_names, count))


# Whether an augmented Lagrangian has converged: rows that are nearly dependent must hold nevertheless.
#
# After n proximal iterations the fraction (e/(e + s))^n remains of an acceleration along which the rows have a compliance
# s of their own that is smaller than the compliance e of the regularisation. Where rows are dependent there is no such
# acceleration; where the machine passes a singular position there is one for a moment; a train of gears that is locked by
# a small difference of ratios would creep for ever.

# Of the accelerations. Those of machines whose rows are dependent agree to 1e-12, of machines that are locked by a relative
# difference of 1e-4 not at all.
CONVERGED = 1e-7


def has_converged(machine: LoadedMachine, vdot: np.ndarray, t: float, y: np.ndarray) -> bool:
    """Whether the accelerations at the state y = (q, v, turns, work) are those of a rank-revealing solution."""
    m = machine
    (q, v, turns), right = m.split(y), m.solved(t, y).vdot
    terms = m.terms(q, v, t, turns)
    mass = np.diag(terms.M)
    free = np.abs(terms.Q - terms.h) / np.where(mass > 0, mass, np.inf)  # what forces would do without joints
    size = np.maximum(np.maximum(np.abs(vdot), np.abs(right)), free)
    return bool((np.abs(vdot - right) / m.scale).max(initial=0.0) <= CONVERGED * (size / m.scale).max(initial=0.0))
