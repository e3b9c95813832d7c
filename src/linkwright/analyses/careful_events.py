"""Events of accelerations and reactions where the motion is solved from Python; see `careful`."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.analyses.careful import CarefulMotion, _Pointers
from linkwright.errors import LinkwrightError
from linkwright.graph import Scalar


class CarefulEvents:
    """Asked as `Flow.events` is. Where a law raises, the values are not numbers: the motion stops there by itself."""

    def __init__(self, motion: CarefulMotion, quantities: Sequence[Scalar]) -> None:
        self.motion, self.machine, self.code = motion, motion.machine, motion.flow.events_at(quantities)
        self.inputs = {name: shape for name, shape in self.code.inputs.items() if name not in ("vdot", "lam")}
        self.outputs = self.code.outputs
        self._thunk = ctypes.CFUNCTYPE(None, _Pointers, _Pointers)(self._call)

    @property
    def address(self) -> int:
        return int(ctypes.cast(self._thunk, ctypes.c_void_p).value or 0)

    def __call__(self, t: np.ndarray, x: np.ndarray, *more: np.ndarray) -> tuple[np.ndarray, ...]:
        m, y = self.machine, self.motion.cartesian(x)
        q, v, turns = y[: m.nq], y[m.nq : m.nq + m.nv], y[m.nq + m.nv : -1]
        b, _, *rest = more
        solution = m.solve(q, v, float(t[0]), turns)
        return self.code(t, x, b, m.calls(q, v, float(t[0]), turns), *rest, solution.vdot, solution.lam)

    def _call(self, ins: Any, outs: Any) -> None:
        sizes = [int(np.prod(shape)) for shape in self.inputs.values()]
        out = np.ctypeslib.as_array(outs[0], (int(np.prod(self.outputs["g"])),))
        try:
            given = [np.array(np.ctypeslib.as_array(ins[k], (n,))) if n else np.zeros(0) for k, n in enumerate(sizes)]
            out[:] = self(*given)[0]
        except (LinkwrightError, np.linalg.LinAlgError):  # the motion meets them too
            out[:] = np.nan
        except KeyboardInterrupt:
            self.motion.interrupted = True
            out[:] = np.nan
