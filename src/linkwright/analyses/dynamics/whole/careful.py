"""The motion of a machine solved from Python: slower, but for any laws and any rows.

Integrators call native code by its address; here that address leads back into Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.analyses.dynamics.whole.alpha_state import AlphaState
from linkwright.analyses.machine.mechanical import LoadedMachine, Terms
from linkwright.analyses.machine.moving import Solution
from linkwright.compile import Function
from linkwright.compile.called_back import CalledBack, Raised
from linkwright.graph import Scalar
from linkwright.regularisation import RANK
from linkwright.solve.rank import scaled
from linkwright.system.motion import Flow

APART = 10.0  # singular values of dependent rows, by how far joints are open: their curvature, by the machine's length


@dataclass(frozen=True, eq=False)
class Formed:
    """A machine at a state, with its laws in the form they have between two events: flags stand for their conditions, as in
    compiled motions, so that a step has no kink in it. given: what the loads were asked with, the flags last."""

    machine: LoadedMachine
    flow: Flow
    terms: Terms
    given: tuple[np.ndarray, ...]

    @classmethod
    def at(cls, m: LoadedMachine, flow: Flow, state: tuple[Any, ...], flags: np.ndarray) -> Formed:
        """state: q, v, t and turns."""
        given = (*m.load_args(*state), flags)
        terms = m.dense(m.system.terms(*given[:-1]))
        if len(flags):
            Q, gamma, nu, Phi, power = flow.forms(*given)
            terms = replace(terms, Q=Q, gamma=gamma, nu=nu, Phi=Phi, energy=np.array([*terms.energy[:2], *power]))
        return cls(m, flow, terms, given)

    @property
    def calls(self) -> np.ndarray:
        """The values of laws that cannot be traced."""
        return self.given[-2]

    def friction(self, lam: np.ndarray) -> np.ndarray:
        """Generalised forces of friction under multipliers."""
        return np.asarray(self.flow.friction(*self.given, lam)[0])

    def solution(self, tolerance: float = RANK) -> Solution:
        """See `LoadedMachine.solution`."""
        return self.machine.solution_of(self.terms, self.friction, tolerance)

    def solved(self) -> Solution:
        """The same; raises where something is undetermined."""
        return self.machine.determined(self.solution())


class CarefulMotion(CalledBack):
    """y' = f(t, y) by the rank-revealing solution of the equations of motion; see `LoadedMachine.solve`.

    What a law raises is kept in `raised`, and the derivative is then not a number, so that the integrator stops.
    `cartesian`: the state (q, v, turns, work) that a state of the flow stands for; by default it is one.
    """

    def __init__(
        self, machine: LoadedMachine, flow: Flow, cartesian: Callable[[np.ndarray], np.ndarray] = np.asarray
    ) -> None:
        self.machine, self.flow, self.cartesian = machine, flow, cartesian
        self.inputs = {name: np.shape(x) for name, x in flow.inputs.items()}
        self.outputs = {"ydot": (len(flow.y),)}
        sizes = [int(np.prod(shape)) for shape in self.inputs.values()]
        super().__init__(self._called, sizes, len(flow.y), Raised())

    def _called(
        self, at: np.ndarray, x: np.ndarray, b: np.ndarray, _: np.ndarray, flags: np.ndarray, gains: np.ndarray
    ) -> np.ndarray:
        y = self.cartesian(x)
        nq, nv = self.machine.nq, self.machine.nv
        q, v, turns = y[:nq], y[nq : nq + nv], y[nq + nv : -1]
        state = Formed.at(self.machine, self.flow, (q, v, float(at[0]), turns), flags)
        solution = self._solution(state)
        if solution is None:
            return np.full(len(x), np.nan)
        (rates,) = self.flow.rates_at(at, x, b, state.calls, flags, gains, solution.vdot)
        work = state.terms.energy[2] - solution.lam @ state.terms.nu
        if self.machine.system.frictions:
            work += state.friction(solution.lam) @ v
        return np.array([*rates, work])

    def _solution(self, state: Formed) -> Solution | None:
        """The solution of the equations of motion; None where nothing determines an acceleration, at a state that a shorter
        step may not come to. Where joints are open, as within a step, rows that are dependent where they are closed differ
        by that much: they must not be taken for further conditions, unless nothing else determines an acceleration."""
        lengths = scaled(state.terms.J, self.machine.scale)[1]
        apart = APART * float(np.abs(state.terms.Phi / lengths).max(initial=0.0))
        for tolerance in (apart, RANK) if RANK < apart < np.inf else (RANK,):
            found = state.solution(tolerance)
            if not found.undetermined:
                return found
        return None


class CarefulResidual(CalledBack):
    """`Residuals.residual`, with what laws in plain Python give."""

    def __init__(self, machine: LoadedMachine, residual: Function) -> None:
        self.machine, self.residual, self.at = machine, residual, AlphaState.of(machine)
        self.inputs, self.outputs = residual.inputs, residual.outputs
        sizes, given = ([int(np.prod(shape)) for shape in x.values()] for x in (self.inputs, self.outputs))
        super().__init__(self._called, sizes, given, Raised())

    def _called(
        self, t: np.ndarray, x: np.ndarray, d: np.ndarray, b: np.ndarray, turns: np.ndarray, _: np.ndarray, flags: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        at = self.at
        calls = self.machine.calls(at.q(x), at.v(x), float(t[0]), at.turns(x, turns))
        return self.residual(t, x, d, b, turns, calls, flags)


# Events of accelerations and reactions where the motion is solved from Python; see `careful`.


class CarefulEvents(CalledBack):
    """Asked as `Flow.events` is. Where a law raises, the values are not numbers, and the motion stops there."""

    def __init__(self, motion: CarefulMotion, quantities: Sequence[Scalar]) -> None:
        self.motion, self.machine, self.code = motion, motion.machine, motion.flow.events_at(quantities)
        self.inputs = {name: shape for name, shape in self.code.inputs.items() if name not in ("vdot", "lam")}
        self.outputs = self.code.outputs
        sizes = [int(np.prod(shape)) for shape in self.inputs.values()]
        super().__init__(lambda *given: self(*given)[0], sizes, int(np.prod(self.outputs["g"])), motion.raised)

    def __call__(self, t: np.ndarray, x: np.ndarray, *more: np.ndarray) -> tuple[np.ndarray, ...]:
        m, y = self.machine, self.motion.cartesian(x)
        q, v, turns = y[: m.nq], y[m.nq : m.nq + m.nv], y[m.nq + m.nv : -1]
        b, _, flags, gains = more
        state = Formed.at(m, self.motion.flow, (q, v, float(t[0]), turns), flags)
        solution = state.solved()
        return self.code(t, x, b, state.calls, flags, gains, solution.vdot, solution.lam)


class EventsOfResiduals(CalledBack):
    """The same, for states x = (q, v, z, vdot, z', lam): asked as `Residuals.events` is. flow: that the quantities are
    functions of."""

    def __init__(self, residual: CarefulResidual, flow: Flow, quantities: Sequence[Scalar]) -> None:
        self.flow = flow
        self.machine, self.code, self.inputs = residual.machine, flow.events_at(quantities), residual.inputs
        self.at = residual.at
        self.outputs = self.code.outputs
        sizes, given = ([int(np.prod(shape)) for shape in x.values()] for x in (self.inputs, self.outputs))
        self._gains = np.zeros(self.code.inputs["gains"])
        super().__init__(self._called, sizes, given, residual.raised)

    def _called(
        self, t: np.ndarray, x: np.ndarray, d: np.ndarray, b: np.ndarray, turns: np.ndarray, _: np.ndarray, flags: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        m, turns = self.machine, self.at.turns(x, turns)
        q, v = self.at.q(x), self.at.v(x)
        state = Formed.at(m, self.flow, (q, v, float(t[0]), turns), flags)
        solution, y = state.solved(), np.concatenate([q, v, turns, [0.0]])
        return self.code(t, y, b, state.calls, flags, self._gains, solution.vdot, solution.lam)
