"""Events of accelerations and reactions where the motion is solved from Python; see `careful`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.analyses.dynamics.careful import CarefulMotion
from linkwright.compile.called_back import CalledBack
from linkwright.graph import Scalar


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
        b, _, *rest = more
        solution = m.solve(q, v, float(t[0]), turns)
        return self.code(t, x, b, m.calls(q, v, float(t[0]), turns), *rest, solution.vdot, solution.lam)
