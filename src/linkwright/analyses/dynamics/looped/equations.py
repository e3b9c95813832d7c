"""The equations of a large machine, with what loops over elements compute; what is integrated are the bodies' states, or the
joint coordinates of a spanning tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Self

import numpy as np

from linkwright import size_policy
from linkwright.analyses.dynamics.chart import Charted
from linkwright.analyses.dynamics.contact.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.equations import Equations, Jumps
from linkwright.analyses.dynamics.looped.charts import LoopedBodies, LoopedInJoints, LoopedSwitching
from linkwright.analyses.dynamics.looped.forces import LoopedAnswers, LoopedForces, answered
from linkwright.analyses.dynamics.looped.held import SmallestReactions, held, locked, rules_steps, scale
from linkwright.analyses.dynamics.looped.machine import LoopedMachine
from linkwright.analyses.dynamics.looped.outputs import efforts
from linkwright.analyses.dynamics.looped.partition import BAD, SPOILED, Partition
from linkwright.analyses.dynamics.looped.sparse_newton import has_derivatives
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.stiffness import Stiffness, Way
from linkwright.analyses.dynamics.switching import nudged
from linkwright.analyses.dynamics.watch import Watch, changed, not_unique
from linkwright.analyses.dynamics.whole import partition
from linkwright.analyses.dynamics.whole.treatment import Treatment
from linkwright.analyses.machine import rates_of_states, trouble
from linkwright.analyses.machine.mechanical import States
from linkwright.analyses.machine.sizes import angle_caps, tolerances, typical_length
from linkwright.errors import IntegrationError, LinkwrightError
from linkwright.regularisation import RANK
from linkwright.results.motion import MotionAudit
from linkwright.solve.integrate import TOO_MANY, Control, Integrator
from linkwright.solve.methods import method as find_method
from linkwright.solve.solution import Solution
from linkwright.system.looped import LoopedSystem
from linkwright.system.looped.flow import LoopedFlow, flow_of
from linkwright.system.looped.joints import LoopedJoints
from linkwright.system.looped.over_states import errors
from linkwright.system.mechanics import channel_of
from linkwright.system.spanning_tree import spanning_tree


@dataclass(frozen=True, eq=False)
class Looped(Equations):
    """The equations of a large machine. compliant: rows may depend on each other; dependent: they did so from the start.
    pivot: the smallest at the start. partition: what follows the independent displacements, where these are chosen."""

    machine: LoopedMachine
    chart: LoopedBodies | LoopedInJoints
    treatment: Treatment
    control: Control
    compliant: bool
    dependent: bool
    pivot: float
    partition: Partition | None = None

    @classmethod
    def of(cls, machine: LoopedMachine, at: tuple[np.ndarray, np.ndarray], options: Options, course: Course) -> Self:
        """The equations at the start of a run, from `at`: q and v."""
        (q, v), t, method, system = at, options.times.start, options.first_method, machine.looped
        treatment, (pivot, kinetic) = Treatment.of(options), _first_look(system, q, v, t)
        dependent = bool(pivot < RANK)
        if dependent:
            course.why.append("solved by a proximal method: joints depend on each other, or bodies have no inertia")
        compliant = dependent or treatment.regularises or bool(system.at.resting)
        system = held(system, q, t) if compliant else system
        ruled = rules_steps(system)
        atol = tolerances(system.model, options.rtol, options.atol, kinetic, system.at.ny) if ruled else options.atol
        control = replace(options.control, atol=atol, cap=_caps(system))
        in_joints = _in_joints(system, options, course)
        chart = LoopedInJoints(LoopedJoints.of(system, q)) if in_joints else LoopedBodies(system)
        course.stiffness = Stiffness(options.atol, options.rtol, method.name) if options.adapts else None
        if dependent:
            _check_unique(system, options.watches, (q, v), t)
        found = cls(options, method.name, machine.using(system), chart, treatment, control, compliant, dependent, pivot)
        return found._chosen(course, t, q)

    def _chosen(self, course: Course, t: float, q: np.ndarray) -> Self:
        """These equations with the dependent displacements that are best here; they are looked at again after a first
        step."""
        course.ahead, chooses = 1, self.treatment.partitions and not self.compliant
        return replace(self, partition=Partition.at(self.system, q, t) if chooses else None)

    # -- what is there -----------------------------------------------------------------------------------------------------
    @property
    def system(self) -> LoopedSystem:
        return self.machine.looped

    @property
    def is_plain(self) -> bool:
        """Whether an integrator of a run may make another from the same start: nothing is changed in the equations before
        each run."""
        changes = self.compliant, self.impacts, self.slots, self.system.at.laws, self.watches, self.treatment.partitions
        return type(self.chart) is LoopedBodies and not any(changes)

    @property
    def switches(self) -> int:
        return self.system.at.nflags

    @cached_property
    def flow(self) -> LoopedFlow:
        stabilised = len(self.treatment.gains) > 0
        if self.partition is None:
            return flow_of(self.system, stabilised)
        return LoopedFlow(self.system, stabilised, self.partition.following)

    @cached_property
    def jumps(self) -> Jumps:
        return Jumps(self.watches, self.system.at.jumping)

    # -- what is asked at a state ------------------------------------------------------------------------------------------
    def inputs(self, t: float, y: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, ...]:
        none = np.zeros(0)
        return np.array([t]), y, none, none, flags, np.array(self.treatment.gains)

    def switching(self, moment: float) -> LoopedSwitching:
        return LoopedSwitching(self.flow, self.inputs, moment, partial(nudged, self.system), scale(self.system))

    def bounces(self, course: Course, accelerate: Callable[[float, np.ndarray], np.ndarray | None]) -> Bounces:
        found = Bounces(self.machine, course.events)
        modes = found.modes
        modes.count, modes.atol, modes.rtol = course.counters, float(np.min(self.options.atol)), self.options.rtol
        return found

    def changed(self, watch: Watch, t: float, y: np.ndarray) -> np.ndarray:
        return changed(self.machine.holding(self.system.at.modes.none()), watch, t, y)

    def broken(self, t: float, y: np.ndarray) -> LinkwrightError | None:
        if self.treatment.corrects:
            return None
        system = self.system
        system.turns[:] = y[system.nq + system.nv : -1]
        return trouble.come_apart(system.Phi(y[: system.nq], t), system.row_names, typical_length(system.model), t)

    # -- integration -------------------------------------------------------------------------------------------------------
    def patience(self, course: Course) -> int | None:
        return super().patience(course) if self.partition is None else course.ahead

    def integrator(self, course: Course, bounces: Bounces, t: float, y: np.ndarray) -> Charted:
        if not self.machine.shares(bounces.base):
            bounces.use(self.machine)
        self.system.take(self.machine.mode)
        levels = bounces.levels(t, y).ravel() if self.impacts else np.zeros(0)
        self.system.arena.view(self.system.at.levels, len(levels))[:] = levels
        gaps = len(levels) + self.slots
        flow = self.chart.around(self.flow)
        project = self.treatment.projection(flow, [] if self.partition is None else self.partition.dependent)
        weight = self.chart.ruled(self.partition, self.machine, y[: self.system.nq])
        newton = self.chart.newton(self.flow, y, t) if find_method(self.method).implicit else None
        longest = bounces.longest(self.control.max_step, self.treatment.gains)
        control = replace(self.control, max_steps=self.left(course), max_step=longest)
        inside = Integrator(
            flow.motion, self.chart.own(y), t, method=self.method, project=project, jac=newton,
            options=self.options.options, control=self.chart.control(control, weight, self.method),
            parameters=self.inputs(t, y, course.flags)[2:],
            events=self.watched(flow.events, gaps) if self.watches or self.switches or gaps else None,
        )  # fmt: skip
        if newton is not None:
            newton.flags = inside.ins[Charted.flags_at]
        outside = self.system.at.laws or newton
        return Charted(self.chart, inside, self.flow.events, None if outside is None else outside.raised)

    # -- others in their place ---------------------------------------------------------------------------------------------
    def after(self, course: Course, solution: Solution, begin: float) -> Self | LinkwrightError:
        t, y, system, left = solution.t_last, solution.y_last, self.system, self.left(course)
        if self.partition is not None:
            growth = self.partition.growth(system, y[: system.nq], t)
            if growth > BAD or self.partition.following.failed[0]:
                course.partitions.append(t)
                return self._chosen(course, t, y[: system.nq])
            speeds = y[system.nq : system.nq + system.nv] / scale(system)
            course.ahead = partition.steps_ahead(1 / growth, speeds, course.integrator.next_step)
            if len(self.treatment.gains) and self._health(course, t, y) < partition.ILL:
                course.why.append(partition.purely(t))
                return replace(self, treatment=self.treatment.pure())._chosen(course, t, y[: system.nq])
        raised = course.integrator.raised
        if raised is not None and raised.last is not None and solution.status in trouble.STUCK:
            return trouble.of_a_law(t, raised.last)
        if solution.status == TOO_MANY:
            if course.makes_no_way(t):
                loose = trouble.let_loose(system.model, system, system.Phi_v(y[: system.nq], t), t)
                return loose or trouble.makes_no_way(t)
            if left is None or left > 0:
                return self.if_stiff(course, Way(begin, t, solution.steps), y)
            return IntegrationError(solution.message, time=t, remedy="give more max_steps, or looser tolerances")
        sizes = system.nq, system.nv
        infinite = trouble.not_finite(system.model, lambda t, y: efforts(system, t, y), system.retract, sizes, t, y)
        stuck = solution.status in trouble.STUCK
        infinite = infinite or rates_of_states.ended(self.machine, t, y, stuck)
        lost = None if self.dependent or not stuck else locked(system, y[: system.nq], t)
        return infinite or lost or IntegrationError(
            solution.message, time=t, element=trouble.largest(efforts(system, t, y)),
            remedy="look at the last state in `.partial`; the machine may be stiff",
        )  # fmt: skip

    def if_stiff(self, course: Course, way: Way, y: np.ndarray) -> Self:
        stiffness, system = course.stiffness, self.system
        chart = None if stiffness is None else self.chart.implicit(system, y[: system.nq])
        if stiffness is None or chart is None:
            return self
        motion, weight = chart.around(self.flow).motion, np.array([*chart.weights[:-1], 0.0])  # the work aside
        method, why = stiffness.after(
            way, lambda t, x: motion(*self.inputs(t, x, course.flags))[0], chart.own(y), weight, self.method,
            sparse=chart.is_sparse,
        )  # fmt: skip
        if not why:
            return self
        course.why.append(f"{why} (by sparse factors)" if chart.is_sparse else why)
        return replace(self, method=method, chart=chart)

    def is_singular(self, course: Course, solution: Solution) -> bool:
        if self.compliant or self.system.at.rubs:
            return False
        return self._health(course, solution.t_last, solution.y_last) < trouble.SINGULAR

    def _health(self, course: Course, t: float, y: np.ndarray) -> float:
        return float(self.flow.motion(*self.inputs(t, y, course.flags))[2][0])

    def regularised(self, course: Course, t: float, y: np.ndarray, near: float) -> Self:
        system = self.system
        system.turns[:] = y[system.nq + system.nv : -1]
        course.why.append(f"from t = {t:.6g} on a proximal method: constraints are nearly dependent at t = {near:.6g}")
        return replace(self, machine=self.machine.using(held(system, y[: system.nq], t)), compliant=True, partition=None)

    def spoiled(self, course: Course, solution: Solution, begin: float) -> bool:
        """Whether the partition went bad on the way, see `Whole.spoiled`."""
        (t, y), system, span = (solution.t_last, solution.y_last), self.system, course.times.span
        if self.partition is None or t - begin <= partition.SHORT * span:
            return False
        speeds, length = solution.y[:, system.nq : system.nq + system.nv] / scale(system), typical_length(system.model)
        found = zip(*errors(system, solution.t, solution.y), speeds, strict=True)
        off = max((partition.error(*one, length, span) for one in found), default=0.0)
        if off <= self.treatment.loose(self.options) and self.partition.growth(system, y[: system.nq], t) <= SPOILED:
            return False
        course.ahead = max(1, course.ahead // 4)
        return True

    def touching(self, course: Course, bounces: Bounces, t: float, y: np.ndarray) -> Self:
        self.system.take(bounces.machine.mode)
        self.system.turns[:] = self.machine.split(y)[2]
        self.system.hold_here(y[: self.system.nq], t)
        return replace(self, machine=bounces.machine)

    # -- output ------------------------------------------------------------------------------------------------------------
    @property
    def row_names(self) -> list[str]:
        return self.system.row_names[: self.system.at.own_rows]

    def audit(self, course: Course) -> MotionAudit:
        return course.audit(
            self.method, formulation=self.chart.formulation, constraints=self.treatment.name,
            notes=[*self.treatment.notes(), *trouble.ruled(self.method, course.counters), *trouble.missed(course.missed)],
            why="; ".join([*course.why, *partition.told(course.partitions)]),
        )  # fmt: skip

    def forces(self, t: np.ndarray, y: np.ndarray) -> LoopedForces:
        n, nv = self.system.nq, self.system.nv
        states = States(t, y[:, :n], y[:, n : n + nv], y[:, n + nv : -1])
        return LoopedForces(self.machine, states, np.zeros((len(t), nv)))

    def answers(self, course: Course) -> LoopedAnswers:
        found = answered(self.machine, *course.shown(), course.modes(), self.accelerations_of(course), self.dependent)
        return replace(found, pivot=min(self.pivot, found.pivot))

    def accelerations_of(self, course: Course) -> list[np.ndarray | None] | None:
        """The accelerations that the method itself has at states of the output; None where it has none, and the equations
        tell."""
        return None


def _first_look(system: LoopedSystem, q: np.ndarray, v: np.ndarray, t: float) -> tuple[float, float]:
    """The smallest pivot and the kinetic energy where a run begins; runs that begin there are often made one after the
    other."""
    known = system.noted.get(_first_look)
    if known is None or known[0] is not q or known[1] is not v or known[2] != t:
        pivot = system.accelerations(q, v, t)[2]
        known = q, v, t, pivot, 0.5 * float(v @ (system.terms(q, v, t)[0] @ v))
        system.noted[_first_look] = known
    return known[3], known[4]


def _caps(system: LoopedSystem) -> np.ndarray:
    """The caps of angles in a state, made once for a system."""
    return system.made(angle_caps, lambda: angle_caps(system.coordinates.q_names, system.at.ny))


def _in_joints(system: LoopedSystem, options: Options, course: Course) -> bool:
    """Whether joint coordinates are integrated: where they are asked for, and by implicit methods, whose factors are dense
    there, up to a size."""
    method, asked = options.first_method, options.formulation == "joint"
    if method.second_order:
        return False
    tree = spanning_tree(system.model).tree if method.implicit else None
    numbers = 0 if tree is None else tree.nq + tree.nv + 2 * len(system.at.extra) + system.at.nturns + 1
    sparse = numbers > size_policy.IMPLICIT and not asked and has_derivatives(system)
    if sparse:
        why = f"newton-euler for {method.name}, by sparse factors: dense ones are of {numbers} joint coordinates"
        course.why.append(why)
    elif numbers > size_policy.IMPLICIT:
        course.why.append(f"the factors of {method.name} are dense: of {numbers} numbers in a state they take seconds")
    if method.implicit and not asked and not sparse:
        course.why.append(f"in joint coordinates for {method.name}: its factors are dense, and those are the fewest")
    elif options.formulation == "auto":
        course.why.append("newton-euler in loops: joint coordinates have the same factors, and more to evaluate")
    return asked or (method.implicit and not sparse)


def _check_unique(system: LoopedSystem, watches: Sequence[Watch], at: tuple[np.ndarray, np.ndarray], t: float) -> None:
    """Refuse events of reactions that are not unique, see `watch.check_unique`."""
    known = [(w, {channel_of(n, system.model.elements)[0] for n in x.told_by_multipliers(system.at.groups)})
             for w, x in zip(watches, system.at.watched, strict=True)]  # fmt: skip
    if not any(names for _, names in known):
        return
    smallest = SmallestReactions(system)
    vdot, (M, J, force, _) = system.accelerations(*at, t)[0], system.terms(*at, t)
    smallest(J[: system.at.own_rows], force - M @ vdot, True)
    for watch, names in known:
        many = [name for name in smallest.elements if name in names]
        if many:
            raise not_unique(watch, many)
