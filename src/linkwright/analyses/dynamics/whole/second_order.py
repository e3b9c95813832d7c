"""The equations of a machine for methods that solve for accelerations and multipliers at once (generalised alpha, HHT)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from linkwright.analyses.assembly.start import Start
from linkwright.analyses.dynamics.chart import Charted
from linkwright.analyses.dynamics.contact.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.options import Options
from linkwright.analyses.dynamics.whole.alpha_state import AlphaState
from linkwright.analyses.dynamics.whole.careful import CarefulResidual, EventsOfResiduals
from linkwright.analyses.dynamics.whole.equations import Whole
from linkwright.analyses.dynamics.whole.flows import flow_of, residuals_of
from linkwright.analyses.dynamics.whole.stepwise import Stepping, Stepwise
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.sizes import angle_caps
from linkwright.analyses.machine.trouble import crawls, failure, nearest_dependence
from linkwright.errors import LinkwrightError, ModelError
from linkwright.model import Friction
from linkwright.solve.alpha_matrix import SIZES
from linkwright.solve.integrate import TOO_MANY, Integrator
from linkwright.solve.rank import dependent_groups
from linkwright.solve.solution import Solution
from linkwright.system.motion import Residuals, follows_from_forces

CLEAR = 1e-3  # a position is not near a singular one: the equations of motion tell its accelerations
TURNING = 16  # steps until references of angles are brought up to date: less than half a turn


@dataclass(frozen=True, eq=False)
class SecondOrder(Whole):
    """Index 3, by default with the velocity equations held too (Gear, Gupta, Leimkuhler). All rows, dependent ones too:
    which of them are best to leave out changes on the way, and the method bears them. Watched quantities, and laws that
    switch, are located on the interpolant, which is of the method's order; the flow answers what is asked
    beside the steps."""

    @classmethod
    def of(cls, machine: LoadedMachine, start: Start, options: Options, course: Course) -> Self:
        rubbing = dict.fromkeys(s.element.name for s in machine.slots if s.coordinate is None)
        if rubbing:
            raise ModelError(
                f"{options.method} knows no friction that sticks in balls, universal joints and contacts",
                element=list(rubbing), remedy="method='radau' or 'auto'",
            )  # fmt: skip
        found = super().of(machine, start, replace(options, formulation="newton-euler"), course)
        if open_ := found._open_friction(start):
            raise ModelError(
                f"{options.method} shares the reactions of dependent constraints as its steps have it: friction in joints "
                "that have such is not determined", element=open_,
                remedy="method='radau' or 'auto'; or a joint that holds no more than it must, as a Cylindrical one",
            )  # fmt: skip
        return found

    def _open_friction(self, start: Start) -> list[str]:
        """Friction by reactions that are not unique."""
        m, rubs = self.base, [f.element for f in self.base.system.frictions if isinstance(f.element, Friction)]
        if not len(self.dropped) or not rubs:
            return []
        groups = dependent_groups(m.Phi_and_J(start.q, start.t)[1], m.scale)
        shared = {m.system.rows[k].element.name for group in groups for k in group}
        return [e.name for e in rubs if e.joint in shared]

    @property
    def at(self) -> AlphaState:
        return AlphaState.of(self.machine)

    def _with_care(self, course: Course, t: float, y: np.ndarray) -> Self:
        return self

    def accelerations(self, t: float, y: np.ndarray, flags: np.ndarray, machine: Any) -> np.ndarray | None:
        return None  # the compiled motion is not needed for the steps, and is not made for this alone

    def _state(self, course: Course, t: float, y: np.ndarray) -> np.ndarray:
        """x of a bodies' state; where laws switch those of the forms they have now."""
        m, at, nq, n = self.machine, self.at, self.machine.nq, self.machine.nq + self.machine.nv
        if self.switches:
            ydot, lam, _ = self.chart.motion(*self.inputs(t, y, course.flags))
            every = np.zeros(len(m.system.rows))
            every[self.chart.flow.rows] = lam
            if np.isfinite(ydot).all():
                return at.joined(y, ydot[nq:n], ydot[n:][at.states], every)
        found = m.solved(t, y)
        return at.joined(y, found.vdot, m.rates_of_states(y[:nq], y[nq:n], t, y[n:-1]), found.lam)

    # -- integration -------------------------------------------------------------------------------------------------------
    def patience(self, course: Course) -> int | None:
        return TURNING if len(self.machine.turns) else super().patience(course)

    def integrator(self, course: Course, bounces: Bounces, t: float, y: np.ndarray) -> Charted:
        m, n = self.machine, self.machine.nq + self.machine.nv
        residuals = residuals_of(flow_of(m.system, range(len(m.system.rows))))
        called = CarefulResidual(m, residuals.residual) if m.system.loads.callbacks else None
        f: Any = called or residuals.residual
        gaps = bounces.watched(y, t)
        quantities = [*[w.traced(m) for w in self.watches], *gaps]
        events = self.watched(self._seen(residuals, called, quantities), len(gaps)) if quantities or self.switches else None
        x = self._state(course, t, y)
        weight = np.where(np.arange(len(x)) < m.nq + self.at.nu, 1.0, 0.0)
        caps = angle_caps(m.system.coordinates.q_names, len(x))
        inside = Integrator(
            f, x, t, method=self.method, events=events, jac=residuals.matrices, project=residuals.retract,
            control=replace(self.options.control, weight=weight, cap=caps, max_steps=self.left(course)),
            parameters=[m.b, y[n:-1].copy(), np.zeros(len(m.system.loads.callbacks)), course.flags],
            options={"stabilised": self.treatment.velocities, **(self.options.options or {})},
            sizes=(m.nq, self.at.nu, len(m.system.rows)),
        )  # fmt: skip
        of_velocities = [float(row.rate is not None) for row in m.system.rows]
        states = np.zeros(len(self.at.states))
        inside.coef[SIZES:] = [*self._sizes(y), *states, *of_velocities, *np.zeros(m.nv), *(states + 1)]
        power = lambda t, y: float(self.chart.motion(*self.inputs(t, y, course.flags))[0][-1])  # noqa: E731
        state = lambda t, y: self._state(course, t, y)  # noqa: E731
        parts = Stepping(m, self.at, self.kept, state, course, power if self.switches else None)
        watching = lambda *given: self.chart.events(quantities)(*given)  # noqa: E731  made where it is asked
        return Stepwise(parts, inside, y, watching, None if called is None else called.raised)

    def _seen(self, residuals: Residuals, called: CarefulResidual | None, quantities: list[Any]) -> Any:
        """The functions of events; what follows from forces is had from independent rows."""
        system = self.machine.system
        flow = flow_of(system, self.kept.tolist())
        if called is not None and follows_from_forces(system, system.told(quantities)):
            return EventsOfResiduals(called, flow, quantities)
        return residuals.events(quantities, flow)

    def after(self, course: Course, solution: Solution, begin: float) -> Self | LinkwrightError:
        left = self.left(course)
        if solution.status == TOO_MANY and (left is None or left > 0):
            t, q = solution.t_last, solution.y_last[: self.machine.nq]
            return crawls(self.machine, t, q, self.kept) if course.makes_no_way(t) else self
        return failure(self.machine, solution, self.kept, self.method, course.integrator.raised)

    def is_singular(self, course: Course, solution: Solution) -> bool:
        return False  # the integrator passes such positions in a way of its own

    def _sizes(self, y: np.ndarray) -> np.ndarray:
        """The sizes of the coordinates, by which they are rounded: a body may be far away, have made many turns, or be
        large."""
        m, out = self.machine, self.machine.scale.copy()
        plain = 3  # x, y, angle or x, y, z: the same in q and in v
        for in_q, in_v in m.system.coordinates.body_slices().values():
            own = slice(in_v.start, in_v.start + plain)
            out[own] = np.maximum(out[own], np.abs(y[in_q][:plain]))
        return out

    def answers_later(self, course: Course) -> bool:
        return False

    def _compiled(self, course: Course, out: np.ndarray, free: np.ndarray) -> float:
        """Accelerations of the states that are shown, by the equations of motion; near singular positions, where these say
        little, the method's own. Those of index 3 swing about the right ones whenever the step changes: velocities miss
        Phi_dot = 0 by some e, and vdot is bent by e/h (Arnold, Bruels and Cardona 2015)."""
        m = self.base
        aloft = self if self.machine is m else self.aloft or self
        times, states = course.shown()
        for k, x in enumerate(course.own(None)):
            if x is not None and free[k]:
                out[k] = self.at.vdot(x)
                if nearest_dependence(m, float(times[k]), states[k][: m.nq], aloft.kept) > CLEAR:
                    out[k] = m.solved(float(times[k]), states[k]).vdot
        return 1.0
