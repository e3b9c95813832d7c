"""Events of accelerations and reactions where the motion is solved from Python; see `careful`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.analyses.dynamics.whole.careful import CarefulMotion, CarefulResidual, Formed
from linkwright.compile.called_back import CalledBack
from linkwright.graph import Scalar
from linkwright.system.motion import Flow


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
