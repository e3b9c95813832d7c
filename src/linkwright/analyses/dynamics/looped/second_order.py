"""Generalised alpha and HHT on large machines: residuals by loops over elements, Newton's matrix by shapes, sparse factors.

As `second_order` has it for machines compiled as a whole: the state is x = (q, v, vdot, lam), solved for at once. Machines
with states or constraints on velocities are compiled as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright import linear
from linkwright.analyses.dynamics.chart import Charted
from linkwright.analyses.dynamics.contact.bounces import Bounces
from linkwright.analyses.dynamics.course import Course
from linkwright.analyses.dynamics.looped.equations import Looped
from linkwright.analyses.dynamics.looped.sparse_newton import Linearised
from linkwright.analyses.dynamics.whole.alpha_state import AlphaState
from linkwright.analyses.dynamics.whole.stepwise import Stepping, Stepwise
from linkwright.analyses.machine.mechanical import LoadedMachine
from linkwright.analyses.machine.sizes import angle_caps
from linkwright.compile.called_back import CalledBack, Raised
from linkwright.later import sparse
from linkwright.regularisation import COMPLIANCE_GGL, COMPLIANCE_INDEX_3, own_compliances
from linkwright.solve.alpha_matrix import STABILISED
from linkwright.solve.integrate import Integrator
from linkwright.solve.outside import Outside
from linkwright.solve.solution import Solution
from linkwright.system.looped.flow import LoopedFlow

TURNING = 16  # steps until references of angles are brought up to date: less than half a turn


class Given:
    """The inputs of the method's functions (t, x, d, b, turns, calls, flags), and the parts of x."""

    def __init__(self, flow: LoopedFlow) -> None:
        self.flow, self.system = flow, flow.system
        at = self.system.at
        self.n = at.nq + 2 * at.nv + at.rows
        sizes = {"t": 1, "y": self.n, "d": at.nv, "b": 0, "turns": at.nturns, "calls": 0, "flags": at.nflags}
        self.inputs = {name: (size,) for name, size in sizes.items()}
        self.sizes = list(sizes.values())

    def parts(self, x: np.ndarray) -> list[np.ndarray]:
        """q, v, vdot, lam."""
        nq, nv = self.system.nq, self.system.nv
        return np.split(x, [nq, nq + nv, nq + 2 * nv])


class Residual(CalledBack):
    """The residual M vdot + h + Phi_v^T lam - Q, with Phi and Phi'."""

    def __init__(self, given: Given, raised: Raised) -> None:
        self.given, s = given, given.system
        self.inputs, self.outputs = given.inputs, {"R": (s.nv,), "Phi": (s.rows,), "rate": (s.rows,)}
        super().__init__(self.residual, given.sizes, s.nv, raised)

    def residual(self, t: np.ndarray, x: np.ndarray, *more: np.ndarray) -> np.ndarray:
        s, at = self.given.system, float(t[0])
        q, v, vdot, lam = self.given.parts(x)
        s.turns[:] = more[2]
        with s.switched(more[4]):
            M, J, force, _ = s.terms(q, v, at)
            self.rows = s.Phi(q, at), s.drift(q, v, at)
        return np.asarray(M @ vdot + J.T @ lam - force)

    def _call(self, ins: Any, outs: Any) -> None:
        self.rows = (np.full(self.given.system.rows, np.nan),) * 2
        super()._call(ins, outs)
        for k, x in enumerate(self.rows if self.given.system.rows else (), 1):
            np.ctypeslib.as_array(outs[k], (len(x),))[:] = x


class Retract(CalledBack):
    """The coordinates q displaced by d."""

    def __init__(self, given: Given, raised: Raised) -> None:
        self.inputs, self.outputs = given.inputs, {"q": (given.system.nq,)}
        system = given.system
        super().__init__(
            lambda t, x, d, *more: system.retract(x[: system.nq], d), given.sizes, system.nq, raised
        )  # fmt: skip


class Watching(CalledBack):
    """The functions of events; what follows from forces is what the equations of motion say at positions and velocities."""

    def __init__(self, given: Given, raised: Raised) -> None:
        self.given, self.inputs, self.outputs = given, given.inputs, given.flow.events.outputs
        super().__init__(self.values, given.sizes, int(np.prod(self.outputs["g"])), raised)

    def values(self, t: np.ndarray, x: np.ndarray, *more: np.ndarray) -> np.ndarray:
        n, none = self.given.system.nq + self.given.system.nv, np.zeros(0)
        y = np.concatenate([x[:n], more[2], [0.0]])
        return np.asarray(self.given.flow.events(t, y, none, none, more[4], none)[0])


class SparseAlpha(Outside):
    """Newton's matrix of `generalized_alpha.assemble`. `coef`: of the method, which may do without velocity equations."""

    coef = np.zeros(0)

    def __init__(self, given: Given, linearised: Linearised) -> None:
        s = given.system
        super().__init__(given.inputs, given.n, 2 * s.nv + 2 * s.rows)
        self.given, self.linearised = given, linearised
        self.flags = self.turns = np.zeros(0)  # as the run has them

    def linearise(self, t: float, y: np.ndarray) -> None:
        q, v, vdot, lam = self.given.parts(y)
        self.given.system.turns[:] = self.turns
        with self.given.system.switched(self.flags):
            self.linearised.at(t, q, v, vdot, lam)

    def factor(self, real: float, pair: complex) -> None:
        at, held = self.linearised, self.coef[STABILISED] > 0
        M, J, C, K = at.M, at.J, at.by["R_v"], at.by["R_d"]
        self.rows, self.held = J.shape[0], held
        S = real * M + pair.real * C + pair.imag * K
        if self.rows:
            part = COMPLIANCE_GGL if held else COMPLIANCE_INDEX_3
            mass = np.abs(M.diagonal())
            mass = np.where(mass > 0, mass, mass.max() or 1.0)
            hold = sparse.diags_array(part * own_compliances(J, mass))
            if held:
                self.back = sparse.diags_array(1 / mass) @ J.T
                blocks = [[S, J.T, -pair.imag * (K @ self.back)], [J, None, -(J @ self.back) - hold], [J, -hold, None]]
            else:
                blocks = [[S, J.T], [J, -hold]]
            S = sparse.block_array(blocks)
        self.factors = linear.splu(S.tocsc())

    def solve(self, x: np.ndarray) -> np.ndarray:
        """The solution (a, lam, eta), with W J^T eta behind it."""
        out, nv = np.zeros(len(x)), self.given.system.nv
        n = nv + self.rows * (2 if self.held else 1)
        out[:n] = self.factors.solve(x[:n])
        if self.held and self.rows:
            out[n : n + nv] = self.back @ out[nv + self.rows : n]
        return out

    def noise(self) -> np.ndarray:
        return np.zeros(self.n)  # nobody asks for it


@dataclass(frozen=True)
class Sizes:
    """The part of a large machine that `Stepwise` asks for."""

    nq: int
    nv: int


class LoopedStepwise(Stepwise):
    """A `Stepwise` integrator in loops. Index 3 is not passed through singular positions here."""

    def __init__(self, flow: LoopedFlow, of: Stepping, inside: Integrator, y: np.ndarray, raised: Raised) -> None:
        self.flow = flow
        super().__init__(of, inside, y, flow.events, raised)

    def _bodies(self, t: float, x: np.ndarray, work: float | None = None) -> np.ndarray:
        system, n = self.flow.system, self.machine.nq + self.machine.nv
        if len(self.turns):
            system.turns[:] = self.turns
            system.settle(x[: self.machine.nq], t)
        turns = system.turns if len(self.turns) else self.turns
        return np.concatenate([x[:n], turns, [self.work if work is None else work]])

    def _is_stuck(self, solution: Solution) -> bool:
        return False

    @property
    def _working(self) -> bool:
        return True

    def _power(self, t: float, x: np.ndarray) -> float:
        none, n = np.zeros(0), self.machine.nq + self.machine.nv
        y = np.concatenate([x[:n], self.turns, [0.0]])
        flags = self.inside.ins[self.flags_at]
        return float(self.flow.motion(np.array([t]), y, none, none, flags, none)[0][-1])


@dataclass(frozen=True, eq=False)
class LoopedSecondOrder(Looped):
    """Laws that switch and watched quantities are located on the interpolant, which is of the method's order."""

    def accelerations_of(self, course: Course) -> list[np.ndarray | None] | None:
        n, nv = self.system.nq + self.system.nv, self.system.nv
        return [None if x is None else x[n : n + nv] for x in course.own(None)]

    def patience(self, course: Course) -> int | None:
        return TURNING if self.system.at.nturns else super().patience(course)

    def is_singular(self, course: Course, solution: Solution) -> bool:
        return False

    def _state(self, t: float, y: np.ndarray, flags: np.ndarray) -> np.ndarray:
        s = self.system
        n = s.nq + s.nv
        s.turns[:] = y[n:-1]
        with s.switched(flags):
            vdot, lam, _ = s.accelerations(y[: s.nq], y[s.nq : n], t)
        return np.concatenate([y[:n], vdot, lam])

    def integrator(self, course: Course, bounces: Bounces, t: float, y: np.ndarray) -> Charted:
        s, raised = self.system, Raised()
        n = s.nq + s.nv
        given = Given(self.flow)
        machine = LoadedMachine(s.model, t, by_shapes=True)
        alpha = SparseAlpha(given, Linearised(machine, s, y[: s.nq], t))
        alpha.raised = raised
        x = self._state(t, y, course.flags)
        weight = np.concatenate([np.ones(n), np.zeros(len(x) - n)])
        events = self.watched(Watching(given, raised), 0) if self.watches or self.switches else None
        residual: Any = Residual(given, raised)
        retract: Any = Retract(given, raised)
        inside = Integrator(
            residual, x, t, method=self.method, events=events, jac=alpha, project=retract,
            control=replace(
                self.options.control, weight=weight, cap=angle_caps(s.coordinates.q_names, len(x)),
                max_steps=self.left(course),
            ),
            parameters=[np.zeros(0), y[n:-1].copy(), np.zeros(0), course.flags], sizes=(s.nq, s.nv, s.rows),
            options={"stabilised": self.treatment.velocities, **(self.options.options or {})},
        )  # fmt: skip
        alpha.coef, alpha.turns, alpha.flags = inside.coef, inside.ins[4], inside.ins[6]
        sizes: Any = Sizes(s.nq, s.nv)
        state = lambda t, y: self._state(t, y, course.flags)  # noqa: E731
        parts = Stepping(sizes, AlphaState(s.nq, s.nv), np.arange(s.rows), state, course)
        return LoopedStepwise(self.flow, parts, inside, y, raised)
