"""One simulation: integrator, projection, switched laws, events, and what to do where the fast solution fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg

from linkwright.analyses.careful import CarefulMotion
from linkwright.analyses.impact import rebound
from linkwright.analyses.mechanical import LoadedMachine, over_rows
from linkwright.analyses.start import Start
from linkwright.compile import Function
from linkwright.errors import IntegrationError, ModelError
from linkwright.graph import Expr
from linkwright.results.motion import MotionAudit
from linkwright.solve.drive import FIRED
from linkwright.solve.integrate import TOO_MANY, Control, Events, Integrator
from linkwright.solve.methods import method as find_method
from linkwright.solve.rank import scaled
from linkwright.solve.solution import Solution
from linkwright.solve.stepping import EVENT, NOT_FINITE, PROJECTION, UNDERFLOW
from linkwright.system.motion import Flow

# So many changes of laws within this part of the whole span: the machine chatters, it makes no way.
CHATTER, CHATTER_SPAN = 60, 1e-7
RESTING = 1e-9  # a flight between two impacts that takes less than this part of the span is none
HEALTHY = 1e-7  # pivots below this: the compiled solution has lost half of its digits
SINGULAR = 1e-4  # below this steps get small, and rows may yield instead
PATIENCE = 400  # steps until the pivots are looked at
PARTITION_PATIENCE = 25  # steps until the choice of independent coordinates is looked at
REPARTITION = 1e-2  # a partition is given up when its smallest singular value is this part of the best one's


@dataclass(frozen=True)
class Watch:
    """An event: a quantity that passes zero. direction: 1 rising, -1 falling, 0 both. stop: whether the run ends there."""

    quantity: Any
    direction: int = 0
    stop: bool = False
    name: str = ""

    @classmethod
    def of(cls, name: str, given: Any) -> Watch:
        if isinstance(given, Watch):
            return cls(given.quantity, given.direction, given.stop, name)
        return cls(given, name=name)


class Simulation:
    """Runs once; afterwards `t`, `y`, `vdot` are the output and `events` what happened."""

    def __init__(
        self, machine: LoadedMachine, start: Start, *, method: str, formulation: str, constraints: str,
        gains: tuple[float, float], rtol: float, atol: float, watches: list[Watch], max_step: float,
        first_step: float | None, max_steps: int | None,
    ) -> None:  # fmt: skip
        self.machine, self.start, self.watches = machine, start, watches
        self.formulation, self.constraints = formulation, constraints
        self.kept, self.dropped = machine.kept_rows(start.q, start.t)
        machine.solve(start.q, start.v, start.t)  # names what nothing determines, before anything is compiled
        system = machine.system
        self.yielding = len(self.dropped) > 0 or constraints == "augmented"
        self.flow = self._flow(start.q, start.t)
        self.careful = bool(system.loads.callbacks) or (formulation == "mixed" and machine.model.dimension == 3)
        self.why: list[str] = []
        self.counters = dict.fromkeys(("steps", "rejected", "nfev", "njev", "switches"), 0)
        self.method = self._method(method, rtol)
        self.max_steps = max_steps
        self.control = Control(rtol, atol, self._weights(), first_step, max_step, self._left())
        self.gains = np.array(gains if constraints == "stabilization" else ())
        self.y0 = np.concatenate([start.q, start.v, machine.turns, [0.0]])
        self.pieces: list[tuple[np.ndarray, np.ndarray]] = []
        self.events: list[tuple[float, str]] = []
        self.python: CarefulMotion | None = None

    def _method(self, given: str, rtol: float) -> str:
        if given != "auto":
            return find_method(given).name
        name = "dop853" if rtol < 1e-5 else "dopri5"
        self.why.append(f"{name} for the tolerance {rtol:g}")
        return name

    def _flow(self, q: np.ndarray, t: float) -> Flow:
        """With all rows, which may yield, where some are dependent; else with independent ones, which is faster."""
        m, stabilised = self.machine, self.constraints == "stabilization"
        self.partition = []
        if self.constraints == "partitioning" and not self.yielding:
            self.partition = self._partition(q, t)
            return Flow(m.system, self.kept.tolist(), self.formulation, dependent=self.partition)
        if self.yielding:
            return Flow(m.system, range(len(m.system.rows)), self.formulation, stabilised, yields=m.yields(q, t))
        return Flow(m.system, self.kept.tolist(), self.formulation, stabilised)

    def _partition(self, q: np.ndarray, t: float) -> list[int]:
        """The dependent displacements: pivots of a Gaussian elimination with full pivoting (Haug 4.4.8), columns scaled."""
        m = self.machine
        S, _ = scaled(m.Phi_and_J(q, t)[1][self.kept], m.scale)
        _, _, order = scipy.linalg.qr(S, mode="economic", pivoting=True)
        return sorted(int(j) for j in order[: len(self.kept)])

    def _partition_is_bad(self, t: float, y: np.ndarray) -> bool:
        """Whether Phi_u has lost three digits against the best choice here."""
        if not self.partition:
            return False
        q = y[: self.machine.nq]
        S, _ = scaled(self.machine.Phi_and_J(q, t)[1][self.kept], self.machine.scale)
        best = self._partition(q, t)
        least = [np.linalg.svd(S[:, cols], compute_uv=False)[-1] for cols in (self.partition, best)]
        return bool(least[0] < REPARTITION * least[1])

    def _weights(self) -> np.ndarray:
        """Which components of the state rule the steps: with a partition the independent ones only."""
        m = self.machine
        weight = np.ones(m.nq + m.nv + len(m.turns) + 1)
        weight[m.nq + m.nv :] = 0.0  # references of angles and the work follow, they rule no step
        if self.partition:
            weight[m.nq + np.array(self.partition)] = 0.0
            held = np.abs(m.tangent(self.start.q)) > 0
            held[:, self.partition] = False
            weight[: m.nq] = held.any(axis=1)
        return weight

    # -- functions ---------------------------------------------------------------------------------------------------------
    def _integrator(self, y: np.ndarray, t: float, flags: np.ndarray, careful: bool) -> Integrator:
        impacts = self.machine.system.loads.impacts
        watched = [*[self._traced(w) for w in self.watches], *[i.gap for i in impacts]]
        count = len(self.flow.flags.switches) + len(watched)
        events = None
        if count:
            # of events at one time the first in order comes first: watched ones before switches, which end a stretch
            direction = [w.direction for w in self.watches] + [-1] * len(impacts) + [0] * len(self.flow.flags.switches)
            terminal = [int(w.stop) for w in self.watches] + [1] * (len(impacts) + len(self.flow.flags.switches))
            events = Events(self.flow.events(watched), direction, terminal)
        implicit = find_method(self.method).implicit
        project = self.flow.projection if self.constraints in ("projection", "augmented", "partitioning") else None
        motion: Any = self.flow.motion
        if careful:
            motion = self.python = CarefulMotion(self.machine, self.flow)
        return Integrator(
            motion, y, t, method=self.method, control=self.control, events=events, project=project,
            jac=self.flow.motion_jacobian if implicit and not careful else None,
            parameters=[self.machine.b, np.zeros(len(self.machine.system.loads.callbacks)), flags, self.gains],
        )  # fmt: skip

    def _traced(self, watch: Watch) -> Expr:
        quantity = self.machine.model.trace(watch.quantity, {})
        if type(quantity) is not Expr:
            raise ModelError("an event must depend on the machine", element=watch.name, remedy="give a quantity")
        return quantity

    def _inputs(self, t: float, y: np.ndarray, flags: np.ndarray) -> tuple[np.ndarray, ...]:
        m = self.machine
        q, v = y[: m.nq], y[m.nq : m.nq + m.nv]
        calls = m.calls(q, v, t, y[m.nq + m.nv : -1])
        return np.array([t]), y, m.b, calls, flags, self.gains

    @cached_property
    def _switches(self) -> Function:
        return self.flow.events([])

    # -- flags -------------------------------------------------------------------------------------------------------------
    def _flags(self, t: float, y: np.ndarray, flags: np.ndarray, h: float) -> np.ndarray:
        """What the conditions are right after (t, y): where a function is zero, its sign a moment later."""
        if not len(flags):
            return flags
        for _ in range(3):  # the moment later depends on the flags
            now, later = self._ahead(t, y, flags, h)
            near = np.abs(now) <= 2 * np.abs(later - now)
            new = np.where(near, later > 0, now > 0).astype(float)
            if (new == flags).all():
                break
            flags = new
        return flags

    def _ahead(self, t: float, y: np.ndarray, flags: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
        """The functions of all switches now and h later, by a step of order two: some only touch zero at first order."""
        g, f = self._switches, self.flow.motion
        now = g(*self._inputs(t, y, flags))[0]
        first = f(*self._inputs(t, y, flags))[0]
        second = f(*self._inputs(t + h, y + h * first, flags))[0]
        return now, g(*self._inputs(t + h, y + 0.5 * h * (first + second), flags))[0]

    def _mistaken(
        self, t: float, y: np.ndarray, flags: np.ndarray, h: float, fired: int, lasted: float = 0.0
    ) -> np.ndarray:
        """Flags that a stretch ended with the wrong sign: they were wrong from its start.

        The one whose event ended the stretch is zero there: it is judged a moment before, within the time it lasted.
        """
        now, later = self._ahead(t, y, flags, h)
        sure = np.abs(now) > 2 * np.abs(later - now)
        wrong = sure & ((now > 0) != (flags > 0.5))
        if fired >= 0:
            before = self._ahead(t, y, flags, -min(h, 0.1 * lasted))[1][fired]
            wrong[fired] = abs(before) > 10 * abs(now[fired]) and (before > 0) != (flags[fired] > 0.5)
        return np.asarray(wrong)

    # -- the run -----------------------------------------------------------------------------------------------------------
    def run(self, times: np.ndarray) -> IntegrationError | None:
        """To the last of the times; what went wrong, if something did."""
        t, y, end = float(times[0]), self.y0, float(times[-1])
        span = end - t
        moment = 1e-6 * span if span else 1e-9
        flags = self._flags(t, y, np.zeros(len(self.flow.flags.switches)), moment)
        self.pieces.append((times[:1], y[None]))
        if len(times) == 1:
            return None
        integrator = self._integrator(y, t, flags, self.careful)
        recent: list[float] = []
        while t < end:
            solution, flags, undecided = self._stretch(integrator, times[times > t], end, flags, moment)
            if undecided:  # each value of a flag leads to the other: both laws push back
                return self._chatters(t, undecided)
            if not solution.success and self._singular(solution.t_last, solution.y_last):
                # from the start of the stretch: near a singular configuration digits were lost
                integrator = self._yield(t, y, solution.t_last, flags)
                continue
            self._collect(solution)
            t, y = solution.t_last, solution.y_last
            if solution.status == EVENT and solution.terminal is not None:
                k = solution.terminal - self._first_switch
                if solution.terminal < len(self.watches):
                    self._stop_at(t, y)
                    return None
                if k < 0:
                    y, flight = self._bounce(solution.terminal - len(self.watches), t, y)
                    if flight < RESTING * span:
                        return self._rests(t, solution.terminal - len(self.watches))
                    integrator.restart(t, y, fired=[solution.terminal], first_step=min(0.05 * flight, 1e-2 * span))
                    continue
                self.counters["switches"] += 1
                recent = [x for x in recent if t - x < CHATTER_SPAN * span] + [t]
                if len(recent) > CHATTER:
                    return self._chatters(t, self.flow.flags.switches[k].element)
                flags = self._after(k, t, y, flags, moment)
                integrator.ins[4][:] = flags
                also = [j for j in range(len(self.watches)) if t in solution.t_events[j]]
                integrator.restart(t, y, fired=[solution.terminal, *also])
                continue
            if not solution.success:
                if self._partition_is_bad(t, y):
                    integrator = self._repartition(t, y, flags)
                    continue
                if solution.status == TOO_MANY and self._left() > 0:
                    continue
                return self._failed(solution)
        return None

    def _stretch(
        self, integrator: Integrator, ahead: np.ndarray, end: float, flags: np.ndarray, moment: float
    ) -> tuple[Solution, np.ndarray, str]:
        """To the next change of a law; where flags turn out wrong from the start, once more with the right ones.

        Also the element whose flag is wrong either way, if there is one.
        """
        t, y, fired = integrator.t, integrator.y.copy(), np.flatnonzero(integrator.signs == FIRED)
        for _ in range(6):
            solution = integrator.run(end, t_eval=ahead)
            fired_now = -1 if solution.terminal is None else solution.terminal - self._first_switch
            wrong = np.zeros(0, dtype=bool)
            if len(flags):
                lasted = solution.t_last - t
                wrong = self._mistaken(solution.t_last, solution.y_last, flags, moment, fired_now, lasted)
            if not np.any(wrong):
                return solution, flags, ""
            flags = np.where(wrong, 1.0 - flags, flags)
            integrator.ins[4][:] = flags
            integrator.restart(t, y, fired=list(fired))
        return solution, flags, self.flow.flags.switches[int(np.argmax(wrong))].element

    def _after(self, fired: int, t: float, y: np.ndarray, flags: np.ndarray, moment: float) -> np.ndarray:
        """The flags after an event: that of the event changes (unless it only touches zero), and others at that time."""
        flags = flags.copy()
        flags[fired] = 1.0 - flags[fired]
        return self._flags(t, y, flags, moment)

    def _collect(self, solution: Solution) -> None:
        self.pieces.append((solution.t, solution.y))
        for name in ("steps", "rejected", "nfev", "njev"):
            self.counters[name] += getattr(solution, name)
        for k, w in enumerate(self.watches):
            self.events += [(float(t), w.name) for t in solution.t_events[k]]
        self.events.sort()

    def _stop_at(self, t: float, y: np.ndarray) -> None:
        """The place where an event ended the run is part of the output."""
        if not len(self.t) or self.t[-1] < t:
            self.pieces.append((np.array([t]), y[None]))

    # -- impacts ---------------------------------------------------------------------------------------------------------
    @property
    def _first_switch(self) -> int:
        """The number of the first switch among the events: watched quantities and impacts come before."""
        return len(self.watches) + len(self.machine.system.loads.impacts)

    def _bounce(self, k: int, t: float, y: np.ndarray) -> tuple[np.ndarray, float]:
        """The state after an impact, and how long the bodies then stay apart."""
        m = self.machine
        nq, nv = m.nq, m.nv
        self.events.append((t, m.system.loads.impacts[k].element))
        back = rebound(m, k, y[:nq], y[nq : nq + nv], t, y[nq + nv : -1])
        y = y.copy()
        y[nq : nq + nv] = back.v
        y[-1] += back.energy
        return y, back.flight

    def _rests(self, t: float, k: int) -> IntegrationError:
        name = self.machine.system.loads.impacts[k].element
        return IntegrationError(
            f"the bodies of {name} come to rest on each other at t = {t:.9g}: impacts follow each other without end",
            time=t,
            element=name,
            remedy="give the contact a stiffness k (and a damping c), or end the run before",
        )

    # -- singular configurations -----------------------------------------------------------------------------------------
    def _left(self) -> int:
        """How many steps the next stretch may take."""
        patience = PARTITION_PATIENCE if self.partition else PATIENCE
        return patience if self.max_steps is None else min(patience, self.max_steps - self.counters["steps"])

    def _singular(self, t: float, y: np.ndarray) -> bool:
        return not self.yielding and not self.careful and self._health(t, y) < SINGULAR

    def _yield(self, t: float, y: np.ndarray, near: float, flags: np.ndarray) -> Integrator:
        """Go on with rows that may become dependent."""
        self.yielding = True
        self.flow = self._flow(y[: self.machine.nq], t)
        self.__dict__.pop("_switches", None)
        self.why.append(f"from t = {t:.6g} on an augmented Lagrangian: joints come near to dependence at t = {near:.6g}")
        return self._integrator(y, t, flags, self.careful)

    def _repartition(self, t: float, y: np.ndarray, flags: np.ndarray) -> Integrator:
        self.flow = self._flow(y[: self.machine.nq], t)
        self.__dict__.pop("_switches", None)
        self.control = replace(self.control, weight=self._weights())
        self.why.append(f"other independent coordinates from t = {t:.6g} on")
        return self._integrator(y, t, flags, self.careful)

    # -- trouble -----------------------------------------------------------------------------------------------------------
    def _failed(self, solution: Solution) -> IntegrationError:
        t, y = solution.t_last, solution.y_last
        if self.python is not None and self.python.error is not None:
            e = self.python.error
            return IntegrationError(f"at t = {t:.9g}: {e.cause}", time=t, element=e.element, remedy=e.remedy)
        health = self._health(t, y)
        elements: tuple[str, ...] = ()
        cause = solution.message
        remedy = "look at the last state in `.partial`; try method='radau' if the machine is stiff"
        if solution.status in (UNDERFLOW, NOT_FINITE, PROJECTION) and health < 1e-4:
            cause = f"the machine comes to a singular configuration at t = {t:.9g} (smallest pivot {health:.2g})"
            remedy = "joints lock or branches meet there: change lengths or initial velocities, or end the run before"
        elif solution.status == NOT_FINITE:
            elements = self._not_finite(t, y)
            cause = f"forces are not finite near t = {t:.9g}" + (f": {', '.join(elements)}" if elements else "")
            remedy = "check these laws: a division by zero, a root of a negative number, an overflow"
        elif solution.stiff > 10:
            remedy = "the machine is stiff for this method: method='radau', or less stiffness"
        return IntegrationError(cause, time=t, element=elements, remedy=remedy)

    def _health(self, t: float, y: np.ndarray) -> float:
        flags = np.zeros(len(self.flow.flags.switches))
        return float(self.flow.motion(*self._inputs(t, y, flags))[2][0])

    def _not_finite(self, t: float, y: np.ndarray) -> tuple[str, ...]:
        """The force elements whose forces are not finite."""
        m, s = self.machine, self.machine.system
        q, v, turns = y[: m.nq], y[m.nq : m.nq + m.nv], y[m.nq + m.nv : -1]
        f = s.load_function("forces", {load.name: list(load.Q.values()) for load in s.loads.all})
        values = f(*m.load_args(q, v, t, turns))
        return tuple(load.name for load, x in zip(s.loads.all, values, strict=True) if not np.isfinite(x).all())

    def _chatters(self, t: float, element: str) -> IntegrationError:
        return IntegrationError(
            f"the law of {element} changes again and again at t = {t:.9g}: the machine sticks there, or chatters",
            time=t,
            element=element,
            remedy="a force that switches with a velocity needs a band around zero (tanh(v/v0)), or end the run at rest: "
            "events={...: Watch(quantity, stop=True)}",
        )

    # -- output ------------------------------------------------------------------------------------------------------------
    @property
    def t(self) -> np.ndarray:
        return np.concatenate([t for t, _ in self.pieces])

    @property
    def y(self) -> np.ndarray:
        return np.concatenate([y for _, y in self.pieces])

    @property
    def vdot(self) -> np.ndarray:
        """Accelerations at the output."""
        m, y, t = self.machine, self.y, self.t
        out = np.empty((len(t), m.nv))
        healthy = np.zeros(len(t), dtype=bool)
        if not self.careful and len(t):
            flags = self._flags_at(t, y)
            args = [t[:, None], y, np.tile(m.b, (len(t), 1)), np.zeros((len(t), 0)), flags, np.tile(self.gains, (len(t), 1))]
            ydot, _, health = over_rows(self.flow.motion, args)
            out[:] = ydot[:, m.nq : m.nq + m.nv]
            healthy = health[:, 0] > HEALTHY
            self.smallest_pivot = float(health.min(initial=1.0))
        for k in np.flatnonzero(~healthy):
            out[k] = m.solve(y[k, : m.nq], y[k, m.nq : m.nq + m.nv], float(t[k]), y[k, m.nq + m.nv : -1]).vdot
        return out

    smallest_pivot = 1.0

    def _flags_at(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The flags as the conditions themselves say."""
        count = len(self.flow.flags.switches)
        if not count:
            return np.zeros((len(t), 0))
        m = self.machine
        args = [t[:, None], y, np.tile(m.b, (len(t), 1)), np.zeros((len(t), 0)), np.zeros((len(t), count)),
                np.tile(self.gains, (len(t), 1))]  # fmt: skip
        return np.asarray(over_rows(self._switches, args)[0] > 0, dtype=float)

    def audit(self) -> MotionAudit:
        c = self.counters
        names = [self.machine.system.row_names[k] for k in self.dropped]
        notes = [f"dependent constraints, the motion is the same without: {', '.join(names)}"] if names else []
        return MotionAudit(
            "dynamics", self.method, notes=notes, formulation=self.formulation, constraints=self.constraints,
            why="; ".join(self.why), steps=c["steps"], rejected=c["rejected"], evaluations=c["nfev"], jacobians=c["njev"],
            switches=c["switches"], smallest_pivot=self.smallest_pivot,
        )  # fmt: skip
