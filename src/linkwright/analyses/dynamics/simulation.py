"""One simulation: equations, integrator, projection, and what to do where the fast solution fails."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwright.analyses.assembly.start import Start
from linkwright.analyses.dynamics import partition
from linkwright.analyses.dynamics.bounces import Bounces, holding
from linkwright.analyses.dynamics.careful import CarefulMotion
from linkwright.analyses.dynamics.careful_events import CarefulEvents
from linkwright.analyses.dynamics.convergence import has_converged
from linkwright.analyses.dynamics.flows import flow_of
from linkwright.analyses.dynamics.formulation import may_vanish, of_kane, of_mixed
from linkwright.analyses.dynamics.in_joints import InJoints
from linkwright.analyses.dynamics.joint_states import JointIntegrator
from linkwright.analyses.dynamics.jumps import Jumps
from linkwright.analyses.dynamics.motion_jacobian import motion_jacobian
from linkwright.analyses.dynamics.stiffest import rounding
from linkwright.analyses.dynamics.stiffness import Stiffness
from linkwright.analyses.dynamics.stretches import Over, Stretches
from linkwright.analyses.dynamics.switching import Switching, nudged
from linkwright.analyses.dynamics.watch import Watch, changed, check_unique
from linkwright.analyses.machine import trouble
from linkwright.analyses.machine.mechanical import LoadedMachine, over_rows
from linkwright.analyses.machine.safety import Allowed
from linkwright.analyses.machine.work import angle_caps, tolerances
from linkwright.errors import LinkwrightError
from linkwright.results.motion import MotionAudit
from linkwright.solve.drive import FIRED
from linkwright.solve.hybrid import Hybrid
from linkwright.solve.integrate import TOO_MANY, Control, Events, Integrator
from linkwright.solve.methods import method as find_method
from linkwright.solve.rank import scaled
from linkwright.solve.solution import Solution
from linkwright.system.motion import follows_from_forces

HEALTHY = 1e-7  # pivots below this: the compiled solution has lost half of its digits
SPOILED = 1e-7  # errors of position, by the machine's length, that no good partition leaves
SHORT = 1e-9  # of the span: a stretch that no shorter one would mend
CARE = 20  # steps until it is looked whether the compiled solution does again
ILL = 1e-3  # pivots below this: stabilisation terms do harm (Haug 7.3.5)
PARTITIONED = ("partitioning", "hybrid")
PROJECTED = ("projection", "augmented", *PARTITIONED)


class Simulation(Stretches):
    """Runs once; afterwards `t`, `y`, `vdot` are the output and `events` what happened."""

    def __init__(
        self, machine: LoadedMachine, start: Start, *, method: str, formulation: str, constraints: str,
        gains: tuple[float, float], tolerance: float, rtol: float, atol: float, watches: list[Watch], max_step: float,
        first_step: float | None, max_steps: int | None, tick: Callable[[float], None] | None = None,
        options: dict[str, Any] | None = None, dense_output: bool = False,
    ) -> None:  # fmt: skip
        c = machine.system.coordinates
        super().__init__(watches, [*c.q_names, *c.v_names], max_steps, tick, options, dense_output)
        self.machine, self.base, self.start = machine, machine, start
        callbacks = machine.system.loads.callbacks
        if callbacks and formulation == "kane":
            self.why.append("newton-euler for laws that cannot be traced, in place of kane")
            formulation = "newton-euler"
        if (alone := machine.system.only_by_bodies) and formulation != "newton-euler":
            self.why.append(f"newton-euler for {alone}, in place of {formulation}")
            formulation = "newton-euler"
        self.why += of_kane(machine) if formulation == "kane" else []
        self.why += of_mixed(machine) if formulation == "mixed" else []
        self.formulation, self.constraints, self.tolerance = formulation, constraints, tolerance
        self.kept, self.dropped = machine.kept_rows(start.q, start.t)
        machine.solve(start.q, start.v, start.t)  # names what nothing determines, before anything is compiled
        self.yielding = len(self.dropped) > 0 or constraints == "augmented"
        self.gains = np.array(gains if constraints in ("stabilization", "hybrid") else ())
        self.flow = self._flow(start.q, start.t)
        self.y0 = np.concatenate([start.q, start.v, machine.turns, [0.0]])
        self._choose(start.t, self.y0)
        self.took_care = False
        self.careful = self.always_careful = bool(callbacks) or (formulation == "mixed" and machine.model.dimension == 3)
        self._take_care(start.t, self.y0)
        self.method = self._method(method, rtol)
        watched = method == "auto" and not self.careful
        self.stiffness = Stiffness(self._rates, atol, rtol, self.method) if watched else None
        T = 0.5 * start.v @ machine.terms(start.q, start.v, start.t).M @ start.v
        atols = tolerances(machine.model, rtol, atol, T, len(self.y0))
        caps = angle_caps(c.q_names, len(self.y0))
        self.control = Control(rtol, atols, self._weight(start.q), first_step, max_step, self._steps_left(), caps)
        self.partitions: list[float] = []  # when other independent coordinates were chosen
        self.bounces = Bounces(machine, self.events, accelerate=self._quick)
        self.jumps = Jumps(machine, watches)
        self.in_flight: tuple[Any, np.ndarray] | None = None  # the equations without closed contacts, where there were any
        if len(self.dropped):
            check_unique(machine, watches, start.q, start.t)
        self.python: CarefulMotion | None = None
        self.hybrid: Hybrid | None = None

    def _method(self, given: str, rtol: float) -> str:
        if given != "auto":
            return find_method(given).name
        name = "dop853" if rtol < 1e-5 else "dopri5"
        self.why.append(f"{name} for the tolerance {rtol:g}")
        return name

    def _flow(self, q: np.ndarray, t: float) -> Any:
        """With all rows, which may yield, where some are dependent or may vanish; else with independent ones: faster."""
        m, stabilised = self.machine, len(self.gains) > 0
        chooses = self.constraints in PARTITIONED and not self.yielding
        yields = self.yielding or (not chooses and may_vanish(m, self.formulation, q))
        self.partition: list[int] = []
        self.dependent = np.zeros(0)
        rows = range(len(m.system.rows)) if yields else self.kept.tolist()
        flow: Any = (
            InJoints.of(m, stabilised, yields, chooses, q)
            if self.formulation == "joint"
            else flow_of(m.system, rows, self.formulation, stabilised, yields, chooses)
        )
        self.yields = m.yields(q, t, flow.loops) if yields else np.zeros(0)
        return flow

    def _choose(self, t: float, y: np.ndarray) -> None:
        """The dependent displacements, or speeds, that are best here; looked at again after a first step."""
        self.patience = 1
        self.dependent = np.zeros(len(self.flow.dependent))
        if len(self.dependent):
            self.partition = partition.dependent(self._held(t, y))
            self.dependent[self.partition] = 1.0
        if isinstance(self.flow, InJoints):
            self.flow.partition = self.partition

    def _take_care(self, t: float, y: np.ndarray) -> bool:
        """Rows that are all but dependent are held by a rank-revealing solution, for as long as they are: what they are to
        yield would let them go. Whether that has changed."""
        before = self.careful
        self.careful = self.always_careful or (len(self.yields) > 0 and self._gives_way(t, y))
        self.took_care |= self.careful
        if self.careful and not before:
            self.why.append(f"from t = {t:.6g} on solved as numbers from Python: joints are all but dependent")
        elif before and not self.careful:
            self.why.append(f"from t = {t:.6g} on compiled again")
        return self.careful != before

    def _gives_way(self, t: float, y: np.ndarray) -> bool:
        """Whether the augmented Lagrangian has not converged here."""
        m = self.machine
        rates = over_rows(self.flow.motion, self._arguments(self.flow, self._tuning, np.array([t]), y[None]))[0]
        return not has_converged(m, rates[0, m.nq : m.nq + m.nv], t, y)

    def _held(self, t: float, y: np.ndarray) -> np.ndarray:
        """The derivative of the rows by what may be independent; rows and columns scaled."""
        if isinstance(self.flow, InJoints):
            return self.flow.held(t, y)
        return scaled(self.machine.Phi_and_J(y[: self.machine.nq], t)[1][self.kept], self.machine.scale)[0]

    @property
    def _tuning(self) -> np.ndarray:
        """The last input of the flow's functions."""
        return np.concatenate([self.gains, self.yields, self.dependent])

    def _weight(self, q: np.ndarray) -> np.ndarray:
        """Which components of the integrator's state rule the steps."""
        return self.flow.weight if isinstance(self.flow, InJoints) else partition.weights(self.machine, self.partition, q)

    # -- functions ---------------------------------------------------------------------------------------------------------
    def _integrator(self, y: np.ndarray, t: float, flags: np.ndarray) -> Integrator | JointIntegrator:
        self.python = self._python() if self.careful else None
        impacts, switches = self._sizes
        events = None
        if switches + len(self.watches) + impacts:
            # of events at one time the first in order comes first: watched ones before switches, which end a stretch
            gaps = self.bounces.watched(y, t)
            direction = [w.direction for w in self.watches] + [-1] * len(gaps) + [0] * switches
            terminal = [w.terminal for w in self.watches] + [1] * (len(gaps) + switches)
            watched = [*[w.traced(self.machine) for w in self.watches], *gaps]
            self.watching = self._watching(watched)
            events = Events(self.watching, direction, terminal)
        motion = self.flow.motion if self.python is None else self._seen(self.python)
        project = self._projection()
        jac = self._jacobian() if find_method(self.method).implicit and not self.careful else None
        for code in (motion, project, jac, None if events is None else events.code):
            getattr(code, "address", None)  # machine code is made here
        make = self.flow.integrator if isinstance(self.flow, InJoints) else Integrator
        return make(
            motion, y, t, method=self.method, control=self.control, events=events, project=project, jac=jac,
            options=self.options,
            parameters=[self.machine.b, np.zeros(len(self.machine.system.loads.callbacks)), flags, self._tuning],
        )  # fmt: skip

    def _watching(self, quantities: list[Any]) -> Any:
        """The functions of events."""
        system = self.machine.system
        if self.python is not None and follows_from_forces(system, system.told(quantities)):
            return self._seen(CarefulEvents(self.python, quantities))
        return self.flow.events(quantities)

    def _python(self) -> CarefulMotion:
        return self.flow.careful() if isinstance(self.flow, InJoints) else CarefulMotion(self.machine, self.flow)

    def _seen(self, code: Any) -> Any:
        """A function of the integrator's states, asked at Cartesian ones."""
        return self.flow.seen(code) if isinstance(self.flow, InJoints) else code

    def _jacobian(self) -> Any:
        """In joint coordinates by differences: so few evaluations cost less than making code for the derivative, and the
        steps are as many (a chain of 12 bodies in space 1.9 s and 18 s, 365 steps each)."""
        return None if isinstance(self.flow, InJoints) else motion_jacobian(self.flow)

    def _projection(self) -> Any:
        if self.constraints not in PROJECTED:
            return None
        if self.constraints != "hybrid" or not self.partition:
            return self.flow.projection
        errors, correct = self.flow.errors, self.flow.projection
        own = (errors.code, correct.code) if isinstance(self.flow, InJoints) else (errors, correct)
        self.hybrid = Hybrid(*own, self.tolerance, np.ones(len(self.partition)), self.hybrid)
        return self._seen(self.hybrid.code)

    def _inputs(self, t: float, y: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, ...]:
        m = self.machine
        q, v = y[: m.nq], y[m.nq : m.nq + m.nv]
        calls = m.calls(q, v, t, y[m.nq + m.nv : -1])
        return np.array([t]), y, m.b, calls, flags, self._tuning

    # -- the run -----------------------------------------------------------------------------------------------------------
    def _switches(self, moment: float) -> Switching:
        return Switching(self.flow, self._inputs, moment, partial(nudged, self.machine), self.machine.scale)

    @property
    def _sizes(self) -> tuple[int, int]:
        return len(self.machine.system.loads.impacts), len(self.flow.flags.switches)

    def _begun(self, t: float, y: np.ndarray) -> None:
        if self.stiffness is not None:
            self.stiffness.end = self.end
        if self.jumps.which and not self.careful:
            begins = self.jumps.begin(*self.switching.soon(self.watching, t, y, self.flags))
            self.integrator.signs[begins] = FIRED

    def _stretch(self, ahead: np.ndarray) -> tuple[Solution, str]:
        with nullcontext() if self.python is None else self.python.raised.listening():
            return super()._stretch(ahead)

    def _is_interrupted(self, solution: Solution) -> bool:
        return super()._is_interrupted(solution) or isinstance(self._raised, KeyboardInterrupt)

    @property
    def _raised(self) -> BaseException | None:
        """By laws in plain Python."""
        return None if self.python is None else self.python.raised.error

    def _spoiled(self, solution: Solution, t: float, y: np.ndarray) -> bool:
        """A partition that went bad on the way has spoiled what was corrected by it: fewer steps, at last a shorter one."""
        lasted = solution.t_last - t
        if not self.partition or lasted <= SHORT * self.span:  # there the rows themselves go bad, whatever the partition
            return False
        S = self._held(solution.t_last, solution.y_last)
        off = partition.output_error(self.machine, solution, self.span)
        if not partition.is_spoiled(S, self.partition) and off <= max(10 * self.tolerance, SPOILED):
            return False
        self.patience = max(1, self.patience // 4)
        self.control = replace(self.control, max_steps=self._steps_left())
        self.integrator.control = self.control
        self.integrator.restart(t, y, fired=self.fired, first_step=0.25 * lasted / max(solution.steps, 1))
        return True

    def _broken(self, t: float, y: np.ndarray) -> Over:
        if isinstance(self._raised, LinkwrightError):
            return trouble.of_a_law(t, self._raised)
        if self._raised is not None:
            raise self._raised
        return None if self.constraints in PROJECTED else trouble.apart(self.machine, t, y)

    @property
    def _cartesian(self) -> Any:
        return self.flow.cartesian if isinstance(self.flow, InJoints) else None

    def _changed(self, watch: Watch, t: float, y: np.ndarray) -> np.ndarray:
        return changed(self.base, watch, t, y)

    def _event(self, solution: Solution, t: float, y: np.ndarray) -> tuple[Over, np.ndarray]:
        """Also the events that the jump of accelerations and reactions makes."""
        before = self._watched(t, y)
        over, y = super()._event(solution, t, y)
        for k in self.jumps.passed(before, self._watched(t, y)) if over is None else ():
            if over is None and t not in solution.t_events[k]:
                self.events.append((t, self.watches[k].name))
                over, y = self._asked(self.watches[k], solution, t, y)
        return over, y

    def _watched(self, t: float, y: np.ndarray) -> np.ndarray:
        """The functions of events, where some of them may jump; contacts that close may let others jump than before."""
        if not self.jumps.which and not (self.watches and self._sizes[0]):
            return np.zeros(0)
        return np.array(self.watching(*self._inputs(t, y, self.flags))[0])

    # -- changes on the way ----------------------------------------------------------------------------------------------
    def _steps_left(self) -> int:
        if self.careful and not self.always_careful:
            return self._left(CARE)
        return self._left(self.patience if self.partition else 0)

    def _failed(self, solution: Solution, begin: float, t: float, y: np.ndarray) -> Over:
        if self._goes_on(solution, begin, t, y):
            return None
        raised = None if self.python is None else self.python.raised
        return trouble.failure(self.machine, solution, self.kept, self.method, raised)

    def _goes_on(self, solution: Solution, begin: float, t: float, y: np.ndarray) -> bool:
        """After a stretch without success: whether another partition, method or just more steps may do."""
        if self.partition:
            S = self._held(t, y)
            if partition.is_bad(S, self.partition):
                self._choose(t, y)
                self.partitions.append(t)
                self._continued(t, y)
                return True
            v, step = y[self.machine.nq :][: self.machine.nv], self.integrator.next_step
            self.patience = partition.steps_ahead(self.machine, S, self.partition, v, step)
        if self.hybrid is not None and len(self.gains) and self._health(t, y) < ILL:
            self.gains, self.tolerance = np.zeros(0), 0.0
            self._anew(t, y, f"pure partitioning from t = {t:.6g} on: the equations are ill-conditioned there")
            return True
        self.control = replace(self.control, max_steps=self._steps_left())
        self.integrator.control = self.control
        if solution.status != TOO_MANY or self._steps_left() <= 0:
            return False
        if len(self.yields) and self._take_care(t, y):
            self._continued(t, y)
        elif self.stiffness is not None and not self.careful:
            method, why = self.stiffness.after(solution, *self._own(y), begin, self.method)
            if why:
                self.method = method
                self.why.append(why)
                self.integrator = self._integrator(y, t, self.flags)
        return True

    def _own(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The state as the integrator has it, and which of its components rule the steps, the work aside."""
        is_joint = isinstance(self.flow, InJoints)
        weight = np.array(self.flow.weight if is_joint else self.control.weight)
        weight[-1] = 0.0
        return self.flow.joint_state(y) if is_joint else y, weight

    def _quick(self, t: float, y: np.ndarray) -> np.ndarray | None:
        """Accelerations by the compiled motion, where that is of the contacts that are closed now, healthy, and no law
        switches: which form it has after an impact is not known yet."""
        m = self.machine
        if self.careful or self.bounces.machine is not m or self._sizes[1]:
            return None
        ydot, _, health = self.flow.motion(*self._inputs(t, y, self.flags))
        return ydot[m.nq : m.nq + m.nv] if health[0] > HEALTHY else None

    def _rates(self, t: float, x: np.ndarray) -> np.ndarray:
        """The derivative of the integrator's state."""
        motion = self.flow.flow.motion if isinstance(self.flow, InJoints) else self.flow.motion
        return np.array(motion(np.array([t]), x, self.machine.b, np.zeros(0), self.flags, self._tuning)[0])

    def _singular(self, t: float, y: np.ndarray) -> bool:
        return not self.yielding and not self.careful and self._health(t, y) < trouble.SINGULAR

    def _yield(self, t: float, y: np.ndarray, near: float) -> None:
        self.yielding = True
        self._anew(t, y, f"from t = {t:.6g} on an augmented Lagrangian: joints come near to dependence at t = {near:.6g}")

    def _anew(self, t: float, y: np.ndarray, why: str) -> None:
        """Other equations from here on."""
        self.flow = self._flow(y[: self.machine.nq], t)
        self._choose(t, y)
        self._take_care(t, y)
        self.switching = self._switches(self.switching.moment)
        self.why.append(why)
        self._continued(t, y)

    def _turned_over(self, t: float, y: np.ndarray) -> None:
        if self.machine is self.base:
            self.in_flight = self.flow, self._tuning
        q, self.machine = y[: self.machine.nq], self.bounces.machine
        self.kept, dropped = self.machine.kept_rows(q, t)
        self.yielding = len(dropped) > 0 or self.constraints == "augmented"
        self.jumps = Jumps(self.machine, self.watches)
        self.flow = self._flow(q, t)
        self._choose(t, y)
        self._take_care(t, y)
        self.switching = self._switches(self.switching.moment)
        self.control = replace(self.control, weight=self._weight(q), max_steps=self._steps_left())

    def _continued(self, t: float, y: np.ndarray) -> None:
        """With the equations, or the partition, as they are now."""
        self.control = replace(self.control, weight=self._weight(y[: self.machine.nq]), max_steps=self._steps_left())
        self.integrator = self._integrator(y, t, self.flags)

    def _health(self, t: float, y: np.ndarray) -> float:
        if self.careful:
            return 1.0
        flags = np.zeros(len(self.flow.flags.switches))
        return float(self.flow.motion(*self._inputs(t, y, flags))[2][0])

    # -- output ------------------------------------------------------------------------------------------------------------
    def answers(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations at states of the output, and the forces of closed contacts, by impact."""
        m = self.base
        out, press = np.empty((len(t), m.nv)), np.zeros((len(t), self._sizes[0]))
        when = self.closed_when()
        closed = [when.get(float(x), ()) for x in t]
        free = np.array([not held for held in closed], dtype=bool)
        healthy = np.zeros(len(t), dtype=bool)
        if not self.careful and not self.took_care and free.any():
            flow, tuning = (self.flow, self._tuning) if self.machine is m else (self.in_flight or (self.flow, self._tuning))
            args = self._arguments(flow, tuning, t[free], y[free])
            ydot, _, health = over_rows(flow.motion, args)
            out[free] = ydot[:, m.nq : m.nq + m.nv]
            healthy[free] = health[:, 0] > HEALTHY
            self.smallest_pivot = float(health.min(initial=1.0))
        for k in np.flatnonzero(~healthy):
            solved = holding(m, closed[k]).solve(y[k, : m.nq], y[k, m.nq : m.nq + m.nv], float(t[k]), y[k, m.nq + m.nv : -1])
            out[k] = solved.vdot
            press[k, list(closed[k])] = -solved.lam[len(m.system.rows) :]
        return out, press

    smallest_pivot = 1.0

    def _arguments(self, flow: Any, tuning: np.ndarray, t: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
        """Of a flow's functions, a row a time; the flags as the conditions themselves say."""
        b, gains = (np.tile(x, (len(t), 1)) for x in (self.base.b, tuning))
        count = len(flow.flags.switches)
        args = [t[:, None], y, b, np.zeros((len(t), 0)), np.zeros((len(t), count)), gains]
        if count:
            args[4] = np.asarray(over_rows(flow.events([]), args)[0] > 0, dtype=float)
        return args

    @property
    def allowed(self) -> Allowed:
        """What the tolerances of the run allow."""
        corrects = self.constraints in PROJECTED
        return Allowed(float(np.min(self.control.rtol)), self.counters["steps"], corrects, corrects)

    def audit(self) -> MotionAudit:
        c = self.counters
        names = [self.base.system.row_names[k] for k in self.dropped]
        notes = [f"dependent constraints, the motion is the same without: {', '.join(names)}"] if names else []
        if self.hybrid is not None:
            notes.append(f"hybrid: {self.hybrid.corrected} of {self.hybrid.looked} states needed a correction")
        notes += [*trouble.ruled(self.method, c), *trouble.missed(self.missed)]
        notes += rounding(self.machine, *self.pieces[-1], c["steps"], c["rounded"])
        why = "; ".join([*self.why, *partition.told(self.partitions)])
        return MotionAudit(
            "dynamics", self.method, notes=notes, formulation=self.formulation, constraints=self.constraints,
            why=why, steps=c["steps"], rejected=c["rejected"], evaluations=c["nfev"], jacobians=c["njev"],
            switches=c["switches"], smallest_pivot=self.smallest_pivot,
        )  # fmt: skip
