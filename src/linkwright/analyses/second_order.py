"""Simulation by a method that solves for accelerations and multipliers at once (generalised alpha, HHT)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analyses.mechanical import LoadedMachine
from linkwright.analyses.start import Start
from linkwright.errors import IntegrationError
from linkwright.graph import Expr
from linkwright.results.motion import MotionAudit
from linkwright.solve.integrate import Control, Integrator
from linkwright.system.motion import Flow, Residuals


class SecondOrder:
    """As `Simulation`, for one method: index 3 with the velocity equations held too (Gear, Gupta, Leimkuhler).

    Laws that change their form are not met event by event; their conditions are evaluated as they come.
    """

    def __init__(
        self, machine: LoadedMachine, start: Start, *, method: str, rtol: float, atol: float, max_step: float,
        first_step: float | None, max_steps: int | None, options: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.machine, self.start, self.method = machine, start, method
        kept, self.dropped = machine.kept_rows(start.q, start.t)
        self.rows = kept
        flow = Flow(machine.system, kept.tolist())
        self.residuals = Residuals(flow, flagged=False)
        first = machine.solve(start.q, start.v, start.t)
        nq, nv, m = machine.nq, machine.nv, len(kept)
        y = np.concatenate([start.q, start.v, first.vdot, first.lam[kept]])
        weight = np.ones(len(y))
        weight[nq + nv :] = 0.0
        calls = machine.calls(start.q, start.v, start.t)
        self.integrator = Integrator(
            self.residuals.residual, y, start.t, method=method,
            control=Control(rtol, atol, weight, first_step, max_step, max_steps), jac=self.residuals.matrices,
            project=self.residuals.retract, sizes=(nq, nv, m), options=options,
            parameters=[machine.b, machine.turns, calls, np.zeros(len(flow.flags.symbols))],
        )  # fmt: skip
        self.events: list[tuple[float, str]] = []
        self.counters = dict.fromkeys(("steps", "rejected", "nfev", "njev"), 0)
        self.pieces: list[tuple[float, np.ndarray, np.ndarray]] = []

    def run(self, times: np.ndarray) -> IntegrationError | None:
        """From one time of output to the next; references of angles are brought up to date there."""
        m = self.machine
        nq, nv = m.nq, m.nv
        turns, work = m.turns.copy(), 0.0
        self._keep(float(times[0]), self.integrator.y, turns, work)
        for t in times[1:]:
            solution = self.integrator.run(float(t))
            for name in self.counters:
                self.counters[name] += getattr(solution, name)
            if self._working:
                power = [self._power(float(s), y, turns) for s, y in zip(solution.t, solution.y, strict=True)]
                work += float(np.trapezoid(power, solution.t))
            if not solution.success:
                return IntegrationError(
                    solution.message, time=solution.t_last, remedy="try smaller first_step and max_step, or method='radau'"
                )
            y = solution.y_last
            turns = m.system.turned(y[:nq], y[nq : nq + nv], np.array([t]), m.b, turns, np.zeros(nv))[0]
            self.integrator.ins[4][:] = turns
            self._keep(float(t), y, turns, work)
        return None

    @property
    def _working(self) -> bool:
        """Whether anything does work that no potential tells: else none is added up."""
        s = self.machine.system
        return bool(s.frictions) or type(s.loads.power) is Expr or any(type(x) is Expr or x != 0 for x in s.nu)

    def _power(self, t: float, y: np.ndarray, turns: np.ndarray) -> float:
        """Of forces without potential and of drivers."""
        m = self.machine
        nq, nv = m.nq, m.nv
        q, v, lam = y[:nq], y[nq : nq + nv], y[nq + 2 * nv :]
        terms = m.terms(q, v, t, turns)
        total = terms.energy[2] - lam @ terms.nu[self.rows]
        if m.system.frictions:
            every = np.zeros(len(m.system.rows))
            every[self.rows] = lam
            total += m.system.friction(*m.load_args(q, v, t, turns), every)[0] @ v
        return float(total)

    def _keep(self, t: float, y: np.ndarray, turns: np.ndarray, work: float) -> None:
        nq, nv = self.machine.nq, self.machine.nv
        state = np.concatenate([y[: nq + nv], turns, [work]])
        self.pieces.append((t, state, y[nq + nv : nq + 2 * nv].copy()))

    @property
    def t(self) -> np.ndarray:
        return np.array([t for t, _, _ in self.pieces])

    @property
    def y(self) -> np.ndarray:
        return np.array([y for _, y, _ in self.pieces])

    @property
    def vdot(self) -> np.ndarray:
        return np.array([a for _, _, a in self.pieces])

    def audit(self) -> MotionAudit:
        c = self.counters
        names = [self.machine.system.row_names[k] for k in self.dropped]
        notes = [f"dependent constraints left out of the motion: {', '.join(names)}"] if names else []
        return MotionAudit(
            "dynamics", self.method, notes=notes, formulation="newton-euler", constraints="index 3, stabilised (GGL)",
            steps=c["steps"], rejected=c["rejected"], evaluations=c["nfev"], jacobians=c["njev"],
        )  # fmt: skip
