"""The motion of a machine solved from Python: slower, but for any laws and any rows.

Integrators call native code by its address; here that address leads back into Python.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.analyses.dynamics.alpha_state import AlphaState
from linkwright.analyses.machine.mechanical import LoadedMachine, Terms
from linkwright.analyses.machine.moving import Solution
from linkwright.compile import Function
from linkwright.compile.called_back import CalledBack, Raised
from linkwright.regularisation import RANK
from linkwright.solve.rank import scaled
from linkwright.system.motion import Flow

APART = 10.0  # singular values of dependent rows, by how far joints are open: their curvature, by the machine's length


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
        t = float(at[0])
        m, s, y = self.machine, self.machine.system, self.cartesian(x)
        nq, nv = m.nq, m.nv
        q, v, turns = y[:nq], y[nq : nq + nv], y[nq + nv : -1]
        terms = m.terms(q, v, t, turns)
        solution = self._solution(q, v, t, turns, terms)
        if solution is None:
            return np.full(len(x), np.nan)
        (rates,) = self.flow.rates_at(at, x, b, m.calls(q, v, t, turns), flags, gains, solution.vdot)
        work = terms.energy[2] - solution.lam @ terms.nu
        if s.frictions:
            work += s.friction(*m.load_args(q, v, t, turns), solution.lam)[0] @ v
        return np.array([*rates, work])

    def _solution(self, q: np.ndarray, v: np.ndarray, t: float, turns: np.ndarray, terms: Terms) -> Solution | None:
        """The solution of the equations of motion; None where nothing determines an acceleration, at a state that a shorter
        step may not come to. Where joints are open, as within a step, rows that are dependent where they are closed differ
        by that much: they must not be taken for further conditions, unless nothing else determines an acceleration."""
        lengths = scaled(terms.J, self.machine.scale)[1]
        apart = APART * float(np.abs(terms.Phi / lengths).max(initial=0.0))
        for tolerance in (apart, RANK) if RANK < apart < np.inf else (RANK,):
            found = self.machine.solution(q, v, t, turns, tolerance)
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
