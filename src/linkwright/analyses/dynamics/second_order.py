"""Simulation by a method that solves for accelerations and multipliers at once (generalised alpha, HHT)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.assembly.start import Start
from linkwright.analyses.dynamics.continuous import Continuous
from linkwright.analyses.dynamics.flows import flow_of, residuals_of
from linkwright.analyses.dynamics.watch import Watch, check_unique
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.safety import Allowed
from linkwright.analyses.machine.times import LOOKS, Times
from linkwright.analyses.machine.trouble import DEPENDENT, STUCK, failure, missed, nearest_dependence
from linkwright.analyses.machine.work import angle_caps
from linkwright.errors import LinkwrightError, ModelError
from linkwright.graph import Expr
from linkwright.results.motion import MotionAudit
from linkwright.solve.generalized_alpha import SIZES, STABILISED
from linkwright.solve.integrate import INTERRUPTED, Control, Events, Integrator
from linkwright.solve.rank import scaled
from linkwright.solve.solution import Solution
from linkwright.solve.stepping import EVENT

PASSED = 0.01  # how far behind a singular position index 3 ends: what bodies move, of the machine's length, or turn
CLEAR = 1e-3  # a position is not yet near a singular one: rounding that is magnified by 1/CLEAR^2 is harmless
TOLD = 1e-6  # where it must begin nearer: singular values of rows, relative to the largest, that still tell something
RECENT, LOOKED = 8, 2000  # blocks of steps that are kept, and how many of the steps are looked at
TREATMENTS = {"ggl": "index 3, stabilised (GGL)", "index-3": "index 3"}


class SecondOrder:
    """As `Simulation`, for one method: index 3, by default with the velocity equations held too (Gear, Gupta, Leimkuhler).

    Laws that change their form are not met event by event; their conditions are evaluated as they come. Watched quantities
    are located on the interpolant, which is of the method's order; accelerations and reactions are what the equations of
    motion say of its states.
    """

    def __init__(
        self, machine: LoadedMachine, start: Start, *, method: str, constraints: str, rtol: float, atol: float,
        watches: list[Watch], max_step: float, first_step: float | None, max_steps: int | None,
        tick: Callable[[float], None] | None = None, options: dict[str, Any] | None = None,
        dense_output: bool = False,
    ) -> None:  # fmt: skip
        self.machine, self.start, self.method, self.watches, self.tick = machine, start, method, watches, tick
        self.treatment = "ggl" if constraints == "projection" else constraints
        _refuse(machine, method, watches)
        self.kept, self.dropped = machine.kept_rows(start.q, start.t)
        if len(self.dropped):
            check_unique(machine, watches, start.q, start.t)
        # all rows, dependent ones too: which of them are best to leave out changes on the way, and the method bears them
        flow = flow_of(machine.system, range(len(machine.system.rows)))
        self.residuals = residuals_of(flow)
        first = machine.solve(start.q, start.v, start.t)
        nq, nv, m = machine.nq, machine.nv, len(first.lam)
        y = np.concatenate([start.q, start.v, first.vdot, first.lam])
        weight, caps = np.ones(len(y)), angle_caps(machine.system.coordinates.q_names, len(y))
        weight[nq + nv :] = 0.0
        events = None
        if watches:
            g = self.residuals.events([w.traced(machine) for w in watches])
            events = Events(g, [w.direction for w in watches], [w.terminal for w in watches])
        self.integrator = Integrator(
            self.residuals.residual, y, start.t, method=method, events=events,
            control=Control(rtol, atol, weight, first_step, max_step, max_steps, caps), jac=self.residuals.matrices,
            project=self.residuals.retract, sizes=(nq, nv, m),
            options={"stabilised": self.treatment == "ggl", **(options or {})},
            parameters=[machine.b, machine.turns, np.zeros(0), np.zeros(len(flow.flags.symbols))],
        )  # fmt: skip
        self.events: list[tuple[float, str]] = []
        self.why: list[str] = []
        c = machine.system.coordinates
        self.sol = Continuous([*c.q_names, *c.v_names]) if dense_output else None
        self.interrupted = self.stopped = False
        self.counters = dict.fromkeys(("steps", "rejected", "nfev", "njev"), 0)
        self.pieces: list[tuple[float, np.ndarray, np.ndarray]] = []
        self.recent: deque[tuple[np.ndarray, np.ndarray, np.ndarray]] = deque(maxlen=RECENT)  # of a stretch

    def run(self, times: Times) -> LinkwrightError | None:
        """From one time of output to the next; references of angles are brought up to date there."""
        self.times = times
        self.turns, self.work = self.machine.turns.copy(), 0.0
        self.looks: list[tuple[float, np.ndarray]] = []
        self.seen, self.stride = 0, 1
        self.last: tuple[float, float] | None = None  # time and power
        self._keep(times.start, self.integrator.y)
        try:
            return self._to(times.path[1:])
        except KeyboardInterrupt:
            self.interrupted = True
            return None

    def _to(self, times: np.ndarray) -> LinkwrightError | None:
        limit = self.integrator.control.max_steps
        for t in times:
            if limit is not None:  # of the whole run
                left = limit - self.counters["steps"]
                self.integrator.control = replace(self.integrator.control, max_steps=left)
            solution = self._stretch(float(t))
            while self._stuck(solution) and (passed := self._pass(float(t))) is not None:
                solution = passed if passed.t_last >= t or passed.status == EVENT else self._stretch(float(t))
            if solution.status == INTERRUPTED:
                self.interrupted = True
                return None
            if not solution.success:
                state = np.concatenate([solution.y_last[: self.machine.nq + self.machine.nv], self.turns, [self.work]])
                return failure(self.machine, replace(solution, y_last=state), self.kept, self.method)
            self._keep(solution.t_last, solution.y_last)
            if solution.status == EVENT:
                self.stopped = True
                return None
        return None

    def _stretch(self, t: float) -> Solution:
        self.recent.clear()
        solution = self.integrator.run(t, tick=self.tick, dense_output=self.sol is not None, sink=self._take)
        self._count(solution)
        return solution

    # -- singular positions ------------------------------------------------------------------------------------------------
    def _stuck(self, solution: Solution) -> bool:
        """Whether it is the velocity equations, which index 3 does without, that cannot be met."""
        if solution.status not in STUCK or self.treatment != "ggl":
            return False
        return nearest_dependence(self.machine, solution.t_last, solution.y_last[: self.machine.nq], self.kept) < DEPENDENT

    def _pass(self, end: float) -> Solution | None:
        """A little way at index 3 from the last state before it, and velocities that meet their equations at its end; None
        where that does not go, either.

        Where motions cross the multipliers of a machine that passes may have a pole, lam = c/s at a distance s, though its
        motion is smooth; and velocities there follow from positions divided by s, so that rounding is magnified by 1/s^2.
        """
        it, m = self.integrator, self.machine
        t, y = self._before()
        speed = max(float(np.abs(y[m.nq : m.nq + m.nv] / m.scale).max()), 1e-300)
        way = min(2 * (it.t - t) + PASSED / speed, end - t)  # as far behind it as before, and on
        it.coef[STABILISED] = 0.0
        it.restart(t, y, first_step=0.1 * way)
        passed = self._stretch(t + way)
        it.coef[STABILISED] = 1.0
        if not passed.success:
            return None
        if passed.status != EVENT:
            it.restart(passed.t_last, self._settled(passed.t_last, passed.y_last), first_step=0.1 * way)
        self.why.append(f"index 3 from t = {t:.6g} to {passed.t_last:.6g}: joints come near to dependence there")
        return replace(passed, y_last=it.y.copy())

    def _before(self) -> tuple[float, np.ndarray]:
        """The last state of the stretch that is not yet near a singular position, or its first."""
        m = self.machine
        t, y, work = (np.concatenate([block[k] for block in self.recent]) for k in range(3))
        near = [nearest_dependence(m, float(t[k]), y[k, : m.nq], self.kept) for k in range(max(len(t) - LOOKED, 0), len(t))]
        k = len(t) - next((back for back, x in enumerate(reversed(near), 1) if x > CLEAR), len(near))
        self.work, self.last = float(work[k]), None
        self.looks = [look for look in self.looks if look[0] <= t[k]]
        self.events = [event for event in self.events if event[0] <= t[k]]
        return float(t[k]), self._settled(float(t[k]), y[k])

    def _settled(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state with velocities that meet their equations, and what the equations of motion say there."""
        m, nq, nv = self.machine, self.machine.nq, self.machine.nv
        q, v = y[:nq], y[nq : nq + nv]
        J, lengths = scaled(m.Phi_and_J(q, t)[1], m.scale)
        v = v - m.scale * linear.lstsq(J, J @ (v / m.scale) - m.nu(q, t) / lengths, rcond=TOLD)[0]
        found = m.solve(q, v, t, self.turns, TOLD)
        return np.concatenate([q, v, found.vdot, found.lam])

    # -- on the way --------------------------------------------------------------------------------------------------------
    def _count(self, solution: Solution) -> None:
        for name in self.counters:
            self.counters[name] += getattr(solution, name)
        if self.sol is not None:
            self.sol.add(solution.sol)
        for w, t in zip(self.watches, solution.t_events, strict=True):
            self.events += [(float(x), w.name) for x in t]
        self.events.sort()

    def _take(self, t: np.ndarray, y: np.ndarray) -> None:
        """Takes the steps as they come: few are kept, however many there are, and the last, to go back to."""
        working, work = self._working, np.full(len(t), self.work)
        for k in range(len(t)):
            if working:
                last, self.last = self.last, (float(t[k]), self._power(float(t[k]), y[k]))
                self.work += 0.5 * (self.last[0] - last[0]) * (self.last[1] + last[1]) if last else 0.0
                work[k] = self.work
            self._look(float(t[k]), y[k])
        self.recent.append((t, y, work))

    def _look(self, t: float, y: np.ndarray) -> None:
        """Keeps every so many steps for the audit, and fewer of them as the run gets long."""
        self.seen += 1
        if self.seen % self.stride == 0:
            self.looks.append((t, np.concatenate([y[: self.machine.nq + self.machine.nv], self.turns, [self.work]])))
        if len(self.looks) > 2 * LOOKS:
            self.looks, self.stride = self.looks[1::2], 2 * self.stride

    def looked(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states that the audit looks at: the start, and steps on the way."""
        t, y = self.visited()
        return np.array([t[0], *[s for s, _ in self.looks]]), np.array([y[0], *[state for _, state in self.looks]])

    @property
    def _working(self) -> bool:
        """Whether anything does work that no potential tells: else none is added up."""
        s = self.machine.system
        return bool(s.frictions) or type(s.loads.power) is Expr or any(type(x) is Expr or x != 0 for x in s.nu)

    def _power(self, t: float, y: np.ndarray) -> float:
        """Of forces without potential and of drivers."""
        m, turns = self.machine, self.turns
        nq, nv = m.nq, m.nv
        q, v, lam = y[:nq], y[nq : nq + nv], y[nq + 2 * nv :]
        terms = m.terms(q, v, t, turns)
        total = terms.energy[2] - lam @ terms.nu
        if m.system.frictions:
            total += m.system.friction(*m.load_args(q, v, t, turns), lam)[0] @ v
        return float(total)

    def _keep(self, t: float, y: np.ndarray) -> None:
        m, nq, nv = self.machine, self.machine.nq, self.machine.nv
        self.turns = m.system.turned(y[:nq], y[nq : nq + nv], np.array([t]), m.b, self.turns, np.zeros(nv))[0]
        self.integrator.ins[4][:] = self.turns
        self.integrator.coef[SIZES:] = self._sizes(y)
        state = np.concatenate([y[: nq + nv], self.turns, [self.work]])
        self.pieces.append((t, state, y[nq + nv : nq + 2 * nv].copy()))

    def _sizes(self, y: np.ndarray) -> np.ndarray:
        """How large coordinates are, which is how they are rounded: a body is far away, has made many turns, or is large."""
        m, out = self.machine, self.machine.scale.copy()
        plain = 3  # x, y, angle or x, y, z: the same in q and in v
        for in_q, in_v in m.system.coordinates.body_slices().values():
            own = slice(in_v.start, in_v.start + plain)
            out[own] = np.maximum(out[own], np.abs(y[in_q][:plain]))
        return out

    def visited(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([t for t, _, _ in self.pieces]), np.array([y for _, y, _ in self.pieces])

    def shown(self) -> tuple[np.ndarray, np.ndarray]:
        t, y = self.visited()
        rows = self._rows(t)
        return t[rows], y[rows]

    def _rows(self, t: np.ndarray) -> np.ndarray:
        rows = self.times.is_shown(t)
        rows[-1] |= self.stopped or not rows.any()
        return rows

    def accelerations(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of the states that are shown, by the equations of motion; near singular positions, where these say little, the
        method's own. Those of index 3 swing about the right ones whenever the step changes: velocities miss Phi_dot = 0 by
        some e, and vdot is bent by e/h (Arnold, Bruels and Cardona 2015)."""
        m = self.machine
        times, own = (np.array(x) for x in zip(*[(t, a) for t, _, a in self.pieces], strict=True))
        out = np.asarray(own[self._rows(times)])
        for k, (at, state) in enumerate(zip(t, y, strict=True)):
            q, v, turns = np.split(state[:-1], [m.nq, m.nq + m.nv])
            if nearest_dependence(m, float(at), q, self.kept) > CLEAR:
                out[k] = m.solve(q, v, float(at), turns).vdot
        return out

    def answers(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, None]:
        """As of `Simulation`; it knows no contacts that close."""
        return self.accelerations(t, y), None

    @property
    def allowed(self) -> Allowed:
        """What the tolerances of the run allow."""
        return Allowed(float(np.min(self.integrator.control.rtol)), self.counters["steps"], True, self.treatment == "ggl")

    def audit(self) -> MotionAudit:
        c = self.counters
        names = [self.machine.system.row_names[k] for k in self.dropped]
        notes = [f"dependent constraints, the motion is the same without: {', '.join(names)}"] if names else []
        notes += missed(self.watches[k].name for k in np.flatnonzero(self.integrator.missed))
        return MotionAudit(
            "dynamics", self.method, notes=notes, formulation="newton-euler", constraints=TREATMENTS[self.treatment],
            why="; ".join(self.why), steps=c["steps"], rejected=c["rejected"], evaluations=c["nfev"], jacobians=c["njev"],
        )  # fmt: skip


def _refuse(machine: LoadedMachine, method: str, watches: list[Watch]) -> None:
    """What this method cannot do is not left out silently."""
    loads = machine.system.loads
    changes = [w.name for w in watches if w.change is not None]
    for names, what in (
        ([i.element for i in loads.impacts], "impacts with restitution"),
        ([m.element for m in loads.memories], "laws that remember a speed of impact"),
        ([c.element for c in loads.callbacks], "laws in plain Python"),
        (changes, "changes of the state at events"),
        (
            list(dict.fromkeys(r.element.name for r in machine.system.rows if r.rate is not None)),
            "constraints on velocities",
        ),
        (list(machine.model.states), "states with rates of their own"),
    ):
        if names:
            raise ModelError(
                f"{method} knows no {what}", element=list(dict.fromkeys(names)), remedy="method='radau' or 'auto'"
            )
