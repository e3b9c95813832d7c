"""Dynamics: a planar slider-crank spins freely under gravity for 10 s; each method at the loosest tolerance (or longest
step) with which the crank's angle at the end is right to 1e-6.

The reference is the energy integral of the one degree of freedom, integrated by scipy to 1e-13. Timed are the integration
alone (three bodies, eight joint equations, every state projected; no output on the way) and the whole call of
`lw.dynamics` with ten times of output, when everything is compiled; the first call of all, which traces and compiles or
loads from the cache, is a figure of its own. Generalised alpha, of order two, is listed with the error of its shortest step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import linkwright as lw
from benchmarks.timing import Figure, calls, clock, measure
from linkwright.analyses.assembly.start import initial_state
from linkwright.analyses.dynamics.whole.charts import motion_jacobian
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.solve.integrate import Control, Integrator
from linkwright.solve.methods import METHODS
from linkwright.system.motion import Flow, Residuals

T_END, WANTED = 10.0, 1e-6
CRANK, ROD, G = 0.2, 0.5, 9.81
OMEGA = 10.0  # at the start, crank upright
TOLERANCES = [10.0 ** (-k / 2) for k in range(12, 25)]
STEPS = [T_END / n for n in (2500, 5000, 10000, 20000, 40000)]

ORDER = ("dop853", "dopri5", "adams", "rk4", "radau", "generalized-alpha")


@dataclass(frozen=True)
class Row:
    """One method: the setting, its error, steps, evaluations, seconds of the integration and of the whole call."""

    method: str
    setting: str
    error: float
    steps: int
    evaluations: int
    integration: Figure
    call: Figure | None


def slider_crank() -> lw.PlanarModel:
    m = lw.PlanarModel("slider-crank", gravity=(0, -G))
    beta = np.arcsin(CRANK / ROD)
    crank = m.body("crank", mass=1.0, inertia=0.01, position=(0, CRANK / 2), angle=pi / 2, omega=OMEGA)
    rod = m.body("rod", mass=2.0, inertia=0.05, position=(ROD / 2 * np.cos(beta), CRANK / 2), angle=-beta)
    slider = m.body("slider", mass=1.0, inertia=0.01, position=(ROD * np.cos(beta), 0))
    m.add(lw.Revolute("A", m.ground.at(0, 0), crank.at(-CRANK / 2, 0)))
    m.add(lw.Revolute("B", crank.at(CRANK / 2, 0), rod.at(-ROD / 2, 0)))
    m.add(lw.Revolute("C", rod.at(ROD / 2, 0), slider.at(0, 0)))
    m.add(lw.Translational("D", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    return m


def exact(omega: float = OMEGA, t_end: float = T_END) -> float:
    """phi(t_end) from phi' = sqrt(2 (E - V)/I)."""

    def inertia(phi: float) -> float:
        s, c = np.sin(phi), np.cos(phi)
        turn = CRANK * c / (ROD * np.sqrt(1 - (CRANK * s / ROD) ** 2))  # -beta'/phi'
        slide = CRANK * s + ROD * (CRANK * s / ROD) * turn
        middle = CRANK * s + ROD / 2 * (CRANK * s / ROD) * turn
        crank = 0.01 + (CRANK / 2) ** 2
        return float(crank + 0.05 * turn**2 + 2.0 * (middle**2 + (CRANK * c / 2) ** 2) + slide**2)

    def potential(phi: float) -> float:
        return float(3.0 * G * CRANK / 2 * np.sin(phi))

    E = 0.5 * inertia(pi / 2) * omega**2 + potential(pi / 2)
    f = lambda t, y: [np.sqrt(2 * (E - potential(y[0])) / inertia(y[0]))]  # noqa: E731
    return float(solve_ivp(f, (0, t_end), [pi / 2], method="DOP853", rtol=1e-13, atol=1e-13).y[0, -1])


class Problem:
    """The compiled machine, and integrators on it."""

    def __init__(self) -> None:
        self.machine = LoadedMachine(slider_crank())
        self.start = initial_state(self.machine, 0.0)
        rows, _ = self.machine.kept_rows(self.start.q, 0.0)
        self.rows = rows
        self.flow = Flow(self.machine.system, rows.tolist())
        self.jac = motion_jacobian(self.flow)

    def integrator(self, method: str, tol: float, step: float | None) -> Integrator:
        m, s = self.machine, self.start
        control: dict[str, Any] = {"rtol": tol, "atol": 1e-2 * tol, "first_step": step}
        if METHODS[method].second_order:
            first = m.solve(s.q, s.v, 0.0)
            y = np.concatenate([s.q, s.v, first.vdot, first.lam[self.rows]])
            weight = np.concatenate([np.ones(m.nq + m.nv), np.zeros(m.nv + len(self.rows))])
            r = Residuals(self.flow)
            return Integrator(
                r.residual, y, method=method, control=Control(weight=weight, **control), jac=r.matrices, project=r.retract,
                sizes=(m.nq, m.nv, len(self.rows)), options={"adaptive": False, "rho_inf": 1.0},
                parameters=[m.b, m.turns, np.zeros(0), np.zeros(0)],
            )  # fmt: skip
        y = np.concatenate([s.q, s.v, m.turns, [0.0]])
        weight = np.concatenate([np.ones(m.nq + m.nv), np.zeros(len(m.turns) + 1)])
        return Integrator(
            self.flow.motion, y, method=method, control=Control(weight=weight, **control), project=self.flow.projection,
            jac=self.jac if METHODS[method].implicit else None, parameters=[m.b, np.zeros(0), np.zeros(0), np.zeros(0)],
        )  # fmt: skip


def rows() -> tuple[float, list[Row]]:
    """Seconds of the first call, and all methods."""
    begin = clock()
    lw.dynamics(slider_crank(), t_end=T_END, steps=10)
    first = clock() - begin
    problem, angle = Problem(), exact()
    return first, [_row(problem, method, angle) for method in ORDER]


def _row(problem: Problem, method: str, angle: float) -> Row:
    fixed = METHODS[method].fixed or METHODS[method].second_order
    for value in STEPS if fixed else TOLERANCES:
        it = problem.integrator(method, 1e-8 if fixed else value, value if fixed else None)
        y0 = it.y.copy()
        solution = it.run(T_END, t_eval=np.array([T_END]))
        error = abs(solution.y_last[2] - angle)
        if error <= WANTED:
            break

    def again(_: None) -> None:
        it.restart(0.0, y0)
        it.run(T_END, t_eval=np.array([T_END]))

    setting = f"h = {value:.2g} s" if fixed else f"rtol {value:.1g}"
    spent = measure(calls(again, None), repetitions=5)
    return Row(method, setting, error, solution.steps, solution.nfev, spent, None if fixed else _whole(method, value))


def _whole(method: str, tol: float) -> Figure:
    return measure(
        calls(lambda m: lw.dynamics(m, t_end=T_END, steps=10, method=method, rtol=tol), slider_crank()), repetitions=5
    )


def table(first: float, found: list[Row]) -> str:
    lines = [
        f"First call of all: {first:.2f} s",
        "",
        "| method | setting | error [rad] | steps | evaluations | integration [ms] | whole call [ms] |",
        "|---|---|---|---|---|---|---|",
    ]
    for r in found:
        call = "-" if r.call is None else f"{1e3 * r.call.median:.1f} ({100 * r.call.spread:.0f}%)"
        spent = f"{1e3 * r.integration.median:.2f} ({100 * r.integration.spread:.0f}%)"
        lines.append(f"| {r.method} | {r.setting} | {r.error:.1e} | {r.steps:,} | {r.evaluations:,} | {spent} | {call} |")
    return "\n".join(lines)
